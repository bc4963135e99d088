"""Two calls at once from two threads, in an order that repeats; the class stands by itself, for scripts contain it."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any


class TwoThreads:
    """Makes one call in a thread that stops at one of its lines, and the other in a second thread meanwhile."""

    def __init__(self, seed: int) -> None:
        self.rng, self.lines = random.Random(seed), 1

    def __call__(self, first: Callable[[], Any], second: Callable[[], Any]) -> None:
        """Return when both calls have returned, or raise what one of them raised."""
        stop, self.lines = self.rng.randint(1, self.lines), 0
        stopped, go_on = threading.Event(), threading.Event()

        def trace(frame: Any, event: str, value: Any) -> Any:
            self.lines += event == "line"
            if self.lines == stop and not stopped.is_set():
                stopped.set()
                go_on.wait()
            return trace

        def traced() -> None:
            sys.settrace(trace)
            try:
                first()
            finally:
                sys.settrace(None)
                stopped.set()

        with ThreadPoolExecutor(2) as threads:
            calls = [threads.submit(traced)]
            stopped.wait()
            calls.append(threads.submit(second))
            wait(calls[1:], 0.01)  # unless it waits for a lock that the first one holds, it is done by then
            go_on.set()
        for call in calls:
            call.result()
