"""A bar on stderr while a command works, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic as _now

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def progress_bar(what: str, steps_each: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback (done, total) that shows a bar on stderr if that is a terminal.

    With `steps_each`, the steps of one item, the bar also shows steps per second.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        *([TextColumn("{task.fields[rate]}")] if steps_each else []),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, rate="")
        rate = _Rate(steps_each or 0)
        yield lambda done, total: bar.update(task, completed=done, total=total, rate=rate.text(done))


class _Rate:
    """Steps per second since the first report, which counts what was done before."""

    def __init__(self, steps_each: int) -> None:
        self._steps_each = steps_each
        self._first: tuple[int, float] | None = None

    def text(self, done: int) -> str:
        now = _now()
        if self._first is None:
            self._first = done, now
        items, start = done - self._first[0], self._first[1]
        if not items or now <= start:
            return ""
        return f"{items * self._steps_each / (now - start) / 1e6:.3g} M steps/s"
