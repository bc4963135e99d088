"""A time limit on every call of a mechanism, in the process that runs it.

A timer interrupts the main thread; it needs Unix signals and the main thread, and cannot interrupt a loop inside
compiled code that never returns to Python.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Any

_PERIOD = 0.2


class OverTime(BaseException):
    """A call took longer than allowed. No `Exception`: a mechanism that catches everything must not swallow it."""


class Stopwatch:
    """Times one call after another, and interrupts one that takes too long while `watching`.

    Parameters
    ----------
    limit : float
        Seconds that one call may take.

    Examples
    --------
    >>> stopwatch = Stopwatch(1.0)
    >>> with stopwatch.watching(), stopwatch:
    ...     sum(range(10))
    45
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._started: float | None = None

    def __enter__(self) -> None:
        self._started = monotonic()

    def __exit__(self, *_: object) -> None:
        self._started = None

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
        handler = signal.signal(signal.SIGALRM, self._alarm)
        delay, interval = signal.setitimer(signal.ITIMER_REAL, _PERIOD, _PERIOD)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, delay, interval)
            signal.signal(signal.SIGALRM, handler)

    def _alarm(self, number: int, frame: FrameType | None) -> Any:
        if self._started is not None and monotonic() - self._started > self.limit:
            raise OverTime
