"""A time limit on every call of a mechanism, in the process that runs it.

Time on the wall counts where the process was working for at least half of it. On a busy machine a call may wait for its
turn, and one that sleeps looks the same: those get twelve times as long.

A timer interrupts the main thread; it needs Unix signals and the main thread, and cannot interrupt a loop inside
compiled code that never returns to Python. Code that catches `BaseException` swallows an interruption; the next comes
soon. If it returns at all, its call is seen to have taken too long; if it loops for ever, that can only be said.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, process_time
from types import FrameType
from typing import Any

from proofs_checks.conformance.play.calls import Call, CallFields, Kind

_PERIOD = 0.2
#: A limit of so many periods is kept well enough if what a call worked is known but for one of them.
_MANY_PERIODS = 10
#: Between two reports of how long calls take.
_SECOND = 1.0
#: After so many interruptions that came to nothing, the person who waits is told.
_PATIENCE = 10
#: How many times the limit a call may take that hardly uses the processor.
WHEN_IDLE = 12
#: A call that works for less than this share of its time waits for something else than its turn.
_HARDLY = 0.05


def too_long(limit: float, worked: float, elapsed: float) -> str:
    """Return what a call did that took too long, to follow its name: it worked for some of the seconds that elapsed.

    Examples
    --------
    >>> too_long(5.0, 5.0, 5.2), too_long(5.0, 0.1, 60.1)
    ('took more than 5 s', 'had not returned after 60 s: it waits, it does not compute')
    >>> too_long(5.0, 25.0, 60.1)
    'had not returned after 60 s, and computed for 25 s of them'
    """
    if worked > elapsed / 2:
        return f"took more than {limit:g} s"
    after = f"had not returned after {WHEN_IDLE * limit:g} s"
    if worked > _HARDLY * elapsed:
        return f"{after}, and computed for {worked:.2g} s of them"  # it may have waited for its turn
    return f"{after}: it waits, it does not compute"


class OverTime(BaseException):
    """A call took longer than allowed. No `Exception`: a mechanism that catches everything must not swallow it."""


class Stopwatch:
    """Times one call after another, and interrupts one that takes too long while `watching`.

    Parameters
    ----------
    limit : float
        Seconds that one call may take while it works; twelve times as many if it waits or sleeps.
    heard : callable, optional
        Called after a call, at most once a second, with the mean seconds of the calls so far: to inform who waits.

    Examples
    --------
    >>> stopwatch = Stopwatch(1.0)
    >>> with stopwatch.watching():
    ...     stopwatch.begin((Kind.ASSIGN, 1))
    ...     stopwatch.end()
    >>> stopwatch.exceeded
    False
    """

    def __init__(self, limit: float, heard: Callable[[float], None] | None = None) -> None:
        self.limit = limit
        #: May be set later; so may what is told of every call before it is made.
        self.heard = heard
        self.noting: Callable[[CallFields], None] | None = None
        self._heard_last = monotonic()
        self._calls, self._seconds = 0, 0.0
        self._started: float | None = None
        self._worked_before = 0.0
        #: Whether the call that was timed last took too long, interrupted or not.
        self.exceeded = False
        self._worked = self._elapsed = 0.0
        #: Whether the alarm reads the process's time, which costs a call a microsecond, and up to a period too late.
        self._read_by_alarm = False
        self._interruptions = 0
        #: What was timed last.
        self.call: CallFields = (Kind.NOTHING,)

    def begin(self, call: CallFields) -> None:
        """Time a call from now on, until `end`."""
        if self.noting is not None:
            self.noting(call)
        self.call, self._interruptions = call, 0
        if not self._read_by_alarm:
            self._worked_before = process_time()
        self._started = monotonic()

    def end(self) -> None:
        """Take note that the call has ended, however it did."""
        # First of all: from here on no alarm finds a call that takes too long.
        started, self._started = self._started, None
        ended = monotonic()
        elapsed = 0.0 if started is None else ended - started
        self.exceeded = elapsed > self.limit and self._takes_too_long(started)
        if self.exceeded:  # an alarm may come too late to see what it worked before the next call
            self._worked_before = process_time()
        else:  # how long a call takes that was interrupted is not known
            self._calls, self._seconds = self._calls + 1, self._seconds + elapsed
        if self._calls and ended - self._heard_last >= _SECOND and self.heard is not None:
            self._heard_last = ended
            self.heard(self._seconds / self._calls)

    def _takes_too_long(self, started: float | None) -> bool:
        elapsed = 0.0 if started is None else monotonic() - started
        if elapsed <= self.limit:
            return False
        self._worked, self._elapsed = process_time() - self._worked_before, elapsed
        return self._worked > elapsed / 2 or elapsed > WHEN_IDLE * self.limit

    @property
    def told(self) -> str:
        """What the call that was timed last did if it took too long, as of `too_long`."""
        return too_long(self.limit, self._worked, self._elapsed)

    @property
    def enforceable(self) -> bool:
        """Whether calls can be interrupted here: on Unix, in the main thread."""
        return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Enforce the limit within, if possible; an alarm of somebody else's is put back afterwards."""
        if not self.enforceable:
            yield
            return
        self._worked_before, self._read_by_alarm = process_time(), self.limit >= _MANY_PERIODS * _PERIOD
        handler = signal.signal(signal.SIGALRM, self._alarm)
        delay, interval = signal.setitimer(signal.ITIMER_REAL, _PERIOD, _PERIOD)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, delay, interval)
            signal.signal(signal.SIGALRM, handler)
            self._read_by_alarm = False

    def _alarm(self, number: int, frame: FrameType | None) -> Any:
        # Between calls, and in the first period of one. A call that keeps Python from running has the time before it.
        if self._read_by_alarm and (self._started is None or monotonic() - self._started < _PERIOD):
            self._worked_before = process_time()
        if self._takes_too_long(self._started):
            self._interruptions += 1
            if self._interruptions == _PATIENCE:
                self._say_that_it_hangs()
            raise OverTime

    def _say_that_it_hangs(self) -> None:
        text = (
            f"costproof: {Call(*self.call)} has taken more than {self.limit:g} s and catches every interruption "
            f"(BaseException): it may never end; to stop it: kill -9 {os.getpid()}\n"
        )
        with suppress(OSError):  # the descriptor: the code that was interrupted may be writing to sys.stderr
            os.write(2, text.encode("utf-8", "backslashreplace"))
