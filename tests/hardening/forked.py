"""Runs of the command line in forked children: modules are loaded once, and each run has limits of its own."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

#: A run may take so many seconds and so much memory, which is checked afterwards; it is killed at twice as much.
SECONDS = 30.0
MOST_BYTES = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Run:
    """What came of one run; the exit code is None if it was killed, and negative if a signal ended it."""

    folder: Path
    code: int | None
    out: str
    err: str
    seconds: float
    peak_bytes: int

    @property
    def fault(self) -> str:
        """What breaks the promise, or an empty string."""
        if self.code is None or self.seconds > SECONDS:
            return f"took more than {SECONDS:.0f} s"
        if self.code not in (0, 1, 2):
            return f"exit code {self.code}: {self.err[-300:]}"
        if "Traceback" in self.err:
            return f"traceback: {self.err[-300:]}"
        if self.peak_bytes > MOST_BYTES:
            return f"took {self.peak_bytes:,} bytes"
        return ""


def warm_up(folder: Path, arguments: list[str]) -> None:
    """Run the command line once in this process: what it loads need not be loaded again in the children."""
    from proofs_checks.cli.main import main

    before = os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = main(arguments)
    finally:
        os.chdir(before)
    if code:
        raise RuntimeError(f"{arguments}: exit code {code} for a valid input")
    for thread in threading.enumerate():  # a timer that was cancelled takes a moment to end
        if thread is not threading.current_thread():
            thread.join(5)
    if threading.active_count() > 1:  # a lock that one of them holds would be held for ever in a child
        raise RuntimeError(f"{arguments} left threads running: {threading.enumerate()}")


def run_all(runs: Iterable[tuple[Path, list[str]]], *, jobs: int = 2) -> Iterator[Run]:
    """Run the command line in many folders, each with its arguments, and yield what came of it as runs end."""
    waiting, active = iter(runs), dict[int, tuple[Path, float]]()
    while True:
        while len(active) < jobs and (following := next(waiting, None)):
            active[_started(*following)] = following[0], monotonic()
        if not active:
            return
        sleep(0.002)
        for process, (folder, began) in list(active.items()):
            ended, status, usage = os.wait4(process, os.WNOHANG)
            late = monotonic() - began > 2 * SECONDS
            if not ended and late:
                os.killpg(process, signal.SIGKILL)
                _, status, usage = os.wait4(process, 0)
            if ended or late:
                del active[process]
                yield Run(
                    folder=folder,
                    code=None if late else os.waitstatus_to_exitcode(status),
                    out=(folder / ".out").read_text(errors="replace"),
                    err=(folder / ".err").read_text(errors="replace"),
                    seconds=monotonic() - began,
                    peak_bytes=usage.ru_maxrss * 1024,
                )


def _started(folder: Path, arguments: list[str]) -> int:
    """Fork a child that runs the command line in a folder, and return its number."""
    process = os.fork()
    if process:
        return process
    code = 70
    try:
        os.setsid()
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_AS, (8 * MOST_BYTES, 8 * MOST_BYTES))
        for name, descriptor in ((".out", 1), (".err", 2)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0, "r"), os.fdopen(1, "w"), os.fdopen(2, "w")
        from proofs_checks.cli.main import main

        code = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 whatever it is, it is the finding
        os.write(2, traceback.format_exc().encode(errors="replace"))
        code = 71
    finally:
        os._exit(code)
