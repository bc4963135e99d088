"""Claims on a log in a process of their own, beside the one that reads it and audits its steps."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from bounds.setting.model import Setting
from mechanism.parallel import WorkersLostError
from mechanism.trace import Trace
from proofs_checks.child_process import python_running
from proofs_checks.claims.evaluation import ClaimsOnTrace
from proofs_checks.claims.model.claim import ClaimOutcome
from proofs_checks.claims.registry import claim


class ClaimsInAProcess:
    """`ClaimsOnTrace` in another process, which is fed through its standard input.

    Raises
    ------
    WorkersLostError
        The process died.
    """

    def __init__(self, setting: Setting, labels: Sequence[str], rounding: float) -> None:
        # A plain interpreter, not `multiprocessing`: that would run the main module of the caller again.
        # In a session of its own: an interruption from the keyboard is this process's to handle.
        self._process = subprocess.Popen(
            python_running("from proofs_checks.audit.worker import serve; serve()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._send((setting, tuple(labels), rounding))

    def feed(self, trace: Trace, *, ends: bool) -> None:
        """Hand over the next part; returns before it is compared."""
        self._send((trace.columns(), ends))

    def outcomes(self) -> tuple[ClaimOutcome, ...]:
        """Wait for the process and return what the parts say."""
        try:
            self._send(None)
            found = pickle.load(_pipe(self._process.stdout))
        except (EOFError, pickle.UnpicklingError) as error:
            raise self._lost() from error
        finally:
            self.close()
        if isinstance(found, BaseException):
            raise found
        outcomes: tuple[ClaimOutcome, ...] = found
        return outcomes

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not written any more has no reader
                _pipe(pipe).close()

    def _send(self, message: object) -> None:
        try:
            pickle.dump(message, _pipe(self._process.stdin), protocol=pickle.HIGHEST_PROTOCOL)
            _pipe(self._process.stdin).flush()
        except OSError as error:
            raise self._lost() from error

    def _lost(self) -> WorkersLostError:
        return WorkersLostError("jobs", 2, "lost the process that compares the claims", "try again with --jobs 1")


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise TypeError("the process was started without pipes")
    return pipe


def serve() -> None:
    """Be the other process: read a setting, labels and parts, and write what they say."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    try:
        answer = _answer(source)
        pickle.dump(answer, sink, protocol=pickle.HIGHEST_PROTOCOL)
        sink.flush()
    except (_AskerGoneError, BrokenPipeError):
        # Nobody waits for an answer any more; at exit, Python would complain of what it could not flush.
        os._exit(0)


class _AskerGoneError(Exception):
    """The process that asked ended before it had said everything."""


def _answer(source: IO[bytes]) -> Any:
    setting, labels, rounding = _next(source)
    try:
        log = ClaimsOnTrace(setting, [claim(label) for label in labels], rounding=rounding, lenient=True)
        while (message := _next(source)) is not None:
            columns, ends = message
            log.feed(Trace(**columns), ends=ends)
        return log.outcomes()
    except _AskerGoneError:
        raise
    except Exception as error:  # noqa: BLE001 - handed over to the process that asked
        # Who writes what is still to come is to read the answer, not to fail at writing.
        while _next(source) is not None:
            continue
        return error


def _next(source: IO[bytes]) -> Any:
    try:
        return pickle.load(source)
    except (EOFError, pickle.UnpicklingError):  # the latter where a message breaks off
        raise _AskerGoneError from None
