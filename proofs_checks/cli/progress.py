"""A bar on stderr while a command works, if that is a terminal; elsewhere a line now and then where checks are slow."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic as _now
from typing import Any

from proofs_checks.cli.output import remark, tell_aside

#: Seconds after which somebody who waits is told how far it is.
_PATIENCE = 10.0
#: What is left is told to be more than before where it is so many times as much.
_FAR = 2
#: Seconds of a call from which on they are worth telling: the suite itself takes some 0.1 ms beside each.
_SLOW_CALL = 1e-3


@contextmanager
def _bar(what: str, *, remaining: bool) -> Iterator[Callable[..., None]]:
    """Yield a callback (done, total, note=...) that shows a bar on stderr from its first call on.

    Its thread begins with the first call: who copies this process into others does so before.
    """
    from rich import progress

    from proofs_checks.cli.text_console import TextConsole

    columns = [progress.TextColumn("{task.description}"), progress.BarColumn(), progress.MofNCompleteColumn()]
    columns += [progress.TextColumn("{task.fields[note]}"), progress.TimeElapsedColumn()]
    columns += [progress.TimeRemainingColumn()] if remaining else []
    bar = progress.Progress(*columns, console=TextConsole(stderr=True), transient=True)
    task = bar.add_task(what, total=None, note="")

    def show(done: int, total: int, **note: Any) -> None:
        bar.start()
        bar.update(task, completed=done, total=total, **note)

    try:
        yield show
    finally:
        bar.stop()


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback (done, total) that shows a bar on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with _bar(what, remaining=True) as show:
        yield show


@contextmanager
def kept_progress(what: str, out: str | None) -> Iterator[Callable[[int, int], None]]:
    """Yield `progress_bar`'s callback; an interruption says how many runs the folder `out` keeps, if there is one."""
    kept = ""

    def progress(done: int, total: int) -> None:
        nonlocal kept
        kept = f"{done:,} of {total:,} runs are finished in {out}"
        show(done, total)

    try:
        with progress_bar(what) as show:
            yield progress
    except KeyboardInterrupt:
        if out and kept:
            tell_aside(f"{kept}; the same command does the rest")
        raise


_Told = tuple[Callable[[int, int], None], Callable[[int, int, float], None]]


@contextmanager
def checks_progress() -> Iterator[_Told]:
    """Yield callbacks that say on stderr how far a run is: (done, total), and (done, total, seconds per call).

    A terminal shows a bar. Anything else gets a line after ten seconds, and again whenever the time has doubled.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None, SlowLine(_now()).tell
        return
    with _bar("checking", remaining=False) as show:
        yield show, lambda done, total, seconds: show(done, total, note=_slow(seconds).removeprefix("; "))


class SlowLine:
    """Says how far checks are once ten seconds are over, then after twenty, forty, and so on.

    Parameters
    ----------
    began : float
        When the checks began, in seconds of the clock that `tell` reads.
    """

    def __init__(self, began: float) -> None:
        self._began, self._due = began, _PATIENCE
        self._told = math.inf

    def tell(self, done: int, total: int, seconds: float) -> None:
        """Write a line if one is due; `seconds` is what a call of the mechanism takes."""
        waited = _now() - self._began
        if waited < self._due:
            return
        while self._due <= waited:
            self._due *= 2
        left = waited * (total - done) / done if done else math.inf
        # Who was told how much is left is not told later that it is more, unless that was far too little.
        self._told = left if left > _FAR * self._told else min(left, self._told)
        remark(f"{_told(done, total, self._told)}{_slow(seconds)}")


def _told(done: int, total: int, left: float) -> str:
    """Return how far checks are, and roughly how many seconds they will still take.

    Examples
    --------
    >>> _told(0, 31, float("inf")), _told(10, 31, 84.0), _told(31, 31, 0.0)
    ('0 of 31 checks done', '10 of 31 checks done, roughly 1 min to go', 'looking for what explains the failures')
    >>> _told(20, 31, 22.0), _told(26, 31, 7.6)
    ('20 of 31 checks done, roughly 20 s to go', '26 of 31 checks done, roughly 8 s to go')
    """
    if done == total:
        return "looking for what explains the failures"
    text = f"{done} of {total} checks done"
    if math.isinf(left):
        return text
    seconds = math.ceil(left) if left < 10 else round(left, -1)
    rough = f"{left / 60:.0f} min" if left >= 60 else f"{seconds:.0f} s"
    return f"{text}, roughly {rough} to go"


def _slow(seconds: float) -> str:
    """Return what a call of the mechanism takes, if that is why it takes long."""
    return f"; one call takes about {_duration(seconds)}" if seconds >= _SLOW_CALL else ""


def _duration(seconds: float) -> str:
    """Return a short time with two digits.

    Examples
    --------
    >>> [_duration(seconds) for seconds in (2.5, 0.0405, 0.00031, 4e-6)]
    ['2.5 s', '40 ms', '0.31 ms', '0.004 ms']
    """
    return f"{seconds:.2g} s" if seconds >= 1 else f"{float(f'{1e3 * seconds:.2g}'):g} ms"
