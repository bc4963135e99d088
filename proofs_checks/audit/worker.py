"""Claims on a log in a process of their own, beside the one that reads it and audits its steps.

The processes exchange lines of JSON, and the columns of a log as the bytes of arrays.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import IO, Any, get_args, get_origin, get_type_hints

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.parallel import WorkersLostError
from mechanism.trace import Trace
from proofs_checks.child_process import python_running
from proofs_checks.claims.evaluation import ClaimsOnTrace
from proofs_checks.claims.model.claim import ClaimError
from proofs_checks.claims.model.evidence import Evidence
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
        self._send([asdict(setting), list(labels), rounding])

    def feed(self, trace: Trace, *, ends: bool) -> None:
        """Hand over the next part; returns before it is compared."""
        columns = trace.columns()
        kinds = {name: [column.dtype.str, len(column)] for name, column in columns.items()}
        self._send([kinds, ends], *(column.tobytes() for column in columns.values()))

    def evidence(self) -> dict[str, Evidence]:
        """Wait for the process and return what the parts say, by the label of the claim."""
        try:
            self._send(None)
            told, error = json.loads(_pipe(self._process.stdout).readline())
        except ValueError as broken_off:
            raise self._lost() from broken_off
        finally:
            self.close()
        if error is not None:
            raise InputError(*error) if len(error) > 1 else ClaimError(*error)
        return {label: _made(Evidence, each) for label, each in told.items()}

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not written any more has no reader
                _pipe(pipe).close()

    def _send(self, message: Any, *columns: bytes) -> None:
        pipe = _pipe(self._process.stdin)
        try:
            for part in (json.dumps(message).encode(), b"\n", *columns):
                pipe.write(part)
            pipe.flush()
        except OSError as error:
            raise self._lost() from error

    def _lost(self) -> WorkersLostError:
        return WorkersLostError("jobs", 2, "lost the process that compares the claims", "try again with --jobs 1")


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise TypeError("the process was started without pipes")
    return pipe


def _made(kind: Any, data: Any) -> Any:
    """Return a value of a type from what `asdict` and JSON have made of it."""
    if is_dataclass(kind):
        kinds = get_type_hints(kind)
        return kind(**{name: _made(kinds[name], value) for name, value in data.items()})  # type: ignore[operator]
    if get_origin(kind) is tuple:
        return tuple(_made(get_args(kind)[0], each) for each in data)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    inner = [each for each in get_args(kind) if each is not type(None)]
    return _made(inner[0], data) if data is not None and len(inner) == 1 else data


def serve() -> None:
    """Be the other process: read a setting, labels and parts, and write what they say."""
    source = sys.stdin.buffer
    try:
        answer = json.dumps(_answer(source), default=lambda number: number.item())
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    except (_AskerGoneError, BrokenPipeError):
        # Nobody waits for an answer any more; at exit, Python would complain of what it could not flush.
        os._exit(0)


class _AskerGoneError(Exception):
    """The process that asked ended before it had said everything."""


def _answer(source: IO[bytes]) -> tuple[dict[str, Any], Sequence[Any] | None]:
    """Return what the parts say, or an error that is told to the user by what it is made of."""
    setting, labels, rounding = _next(source)
    log = ClaimsOnTrace(_made(Setting, setting), [claim(label) for label in labels], rounding=rounding, lenient=True)
    error: Sequence[Any] | None = None
    while (part := _next(source)) is not None:
        columns = {name: _column(source, *kind) for name, kind in part[0].items()}
        # Who writes what is still to come is to read the answer, not to fail at writing.
        if error is None:
            try:
                log.feed(Trace(**columns), ends=part[1])
            except InputError as found:
                error = (found.argument, f"{found.value}", found.rule, found.remedy)
            except ClaimError as found:
                error = (f"{found}",)
    return {} if error else {label: asdict(each) for label, each in log.evidence().items()}, error


def _next(source: IO[bytes]) -> Any:
    try:
        return json.loads(source.readline())
    except ValueError:  # a message breaks off
        raise _AskerGoneError from None


def _column(source: IO[bytes], kind: str, length: int) -> np.ndarray[Any, Any]:
    dtype = np.dtype(kind)
    found = source.read(dtype.itemsize * length)
    if len(found) < dtype.itemsize * length:
        raise _AskerGoneError
    return np.frombuffer(found, dtype)
