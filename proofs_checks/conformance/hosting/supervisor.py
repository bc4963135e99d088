"""The supervisor of a host: it holds the host to its limits, ends it with everything below it, and says how it ended.

What it holds against a host, none of which the mechanism can catch or ignore:

- time: a call that lasts longer than the limit. The host's own stopwatch speaks first; a second later the supervisor
  kills. Time on the wall counts where the host works for at least half of it, as for the stopwatch.
- memory: the resident sets of the host and of all processes below it.
- how many processes and threads there are below it.

When the parent closes stdin, or is gone however it ended, the host and all processes below are killed. On Linux those
that left their parents behind (daemons) are children of the supervisor; elsewhere those of the host's group are found.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import threading
from time import monotonic
from typing import NoReturn

import psutil

from proofs_checks.conformance.hosting.endings import Verdict, how_ended
from proofs_checks.conformance.hosting.shared_page import SharedPage
from proofs_checks.conformance.play.calls import Kind
from proofs_checks.conformance.play.time_limit import WHEN_IDLE, too_long

#: Seconds between two looks at a host, and the share of all time that looking may take.
_PERIOD, _SHARE = 0.25, 0.02
#: Seconds that the host's own stopwatch has to speak first, and that an import may take.
_GRACE, _IMPORT_LIMIT = 1.0, 120.0
#: Seconds that ending may take, and the longest pause between two looks at what is left.
_END_LIMIT, _PAUSE = 5.0, 0.05
#: Processes that a mechanism may have below its own, and threads that all may have: four per core are started by
#: numerical libraries.
_PROCESSES, _THREADS = 64, 512 + 4 * (os.cpu_count() or 1)
_GIBIBYTE = 1 << 30


def supervise(host: int, page: SharedPage, *, time: float, memory: float) -> NoReturn:
    """Wait until a host ends, end what it leaves, write how it ended, and leave.

    Seconds that a call may take, and gibibytes that all processes may take together, are its limits.
    """
    watch = _Watch(host, page, time, memory)
    threading.Thread(target=watch.watch, daemon=True).start()
    while True:
        process, status = os.waitpid(-1, os.WUNTRACED)
        if process == host:
            break
    _end_all(host)
    kind, what = watch.verdict or how_ended(status)
    line = json.dumps(["ended", kind, f"{page.read()[2]}", what, *page.answers()]).encode()
    with contextlib.suppress(OSError):  # nobody may listen any more
        rest = b"\n" + line + b"\n"  # the host may have ended within a line
        while rest:
            rest = rest[os.write(1, rest) :]
    os._exit(0)


class _Watch:
    """Looks at a host now and then, and kills it when the parent is gone, or when it breaks a limit."""

    def __init__(self, host: int, page: SharedPage, time: float, memory: float) -> None:
        self._host, self._page, self._time, self._memory = host, page, time, memory
        self._calls, self._since, self._worked_before = -1, 0.0, 0.0
        #: What the host was killed for.
        self.verdict: Verdict | None = None

    def watch(self) -> None:
        """Kill the host when it is time."""
        parent, pause = select.poll(), _PERIOD
        parent.register(0, 0)  # no event but that its other end is closed
        while self.verdict is None and not parent.poll(1000 * pause):
            began = monotonic()
            self.verdict = self._look()
            pause = max(_PERIOD, (monotonic() - began) / _SHARE)
        _kill_group(self._host)

    def _look(self) -> Verdict | None:
        with contextlib.suppress(psutil.Error):  # it has just ended
            return self._too_slow(psutil.Process(self._host)) or self._too_much(psutil.Process())
        return None

    def _too_slow(self, host: psutil.Process) -> Verdict | None:
        calls, within, call = self._page.read()
        times, now = host.cpu_times(), monotonic()
        worked = times.user + times.system
        if calls != self._calls or not within:
            self._calls, self._since, self._worked_before = calls, now, worked
            return None
        elapsed, worked, limit = now - self._since, worked - self._worked_before, self._time
        if call.kind == Kind.IMPORT:
            limit = max(_IMPORT_LIMIT, limit)
            return ("too slow", f"took more than {limit:g} s") if elapsed > limit else None
        if elapsed > (limit if worked > elapsed / 2 else WHEN_IDLE * limit) + _GRACE:
            return "too slow", too_long(limit, worked, elapsed)
        return None

    def _too_much(self, supervisor: psutil.Process) -> Verdict | None:
        processes, threads, memory = 0, 0, 0
        for each in supervisor.children(recursive=True):
            with contextlib.suppress(psutil.Error), each.oneshot():
                memory += each.memory_info().rss
                threads += each.num_threads()
                processes += 1
        if processes - 1 > _PROCESSES:
            return "too many processes", f"left more than {_PROCESSES} processes running"
        if threads > _THREADS:
            return "too many processes", f"left more than {_THREADS} threads running"
        if memory > self._memory * _GIBIBYTE:
            return "too much memory", f"took more than {self._memory:g} GiB of memory"
        return None


def _kill_group(host: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(host, signal.SIGKILL)  # in one stroke, as a fork bomb needs


def _end_all(host: int) -> None:
    """Kill a host that has ended or stopped, with its group, and every process that has left it."""
    _kill_group(host)
    until = monotonic() + _END_LIMIT
    while (left := psutil.Process().children(recursive=True)) and monotonic() < until:
        for each in left:
            with contextlib.suppress(psutil.Error):
                each.kill()
        psutil.wait_procs(left, _PAUSE)
