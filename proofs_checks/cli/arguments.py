"""Arguments and output that commands share; importing this loads nothing heavy."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic as _now
from typing import Any

from proofs_checks.cli import output as standard_output

#: Seconds of compiling before it is mentioned.
_SILENT_SECONDS = 2.0


def whole_number(least: int = 0, most: int | None = None) -> Callable[[str], int]:
    """Return an argparse type for whole numbers of at least `least`, and at most `most`.

    Examples
    --------
    >>> whole_number(1)("12")
    12
    """
    rule = f"must be a whole number of at least {least}" + (f" and at most {most}" if most is not None else "")

    def parse(text: str) -> int:
        value = _integer(text)
        if value is None or value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} {rule}")
        return value

    return parse


def _integer(text: str) -> int | None:
    """Read 70000, 70,000, 70_000 or 7e4."""
    plain = text.replace(",", "").replace("_", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        value = float(plain)
    except ValueError:
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else None


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print exactly one JSON document on stdout")


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`."""
    parser.add_argument("--seed", type=whole_number(0, 2**64 - 1), default=0, help="seed of all randomness (default 0)")


def add_horizon(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add `--horizon`; the setting decides whether it is long enough."""
    parser.add_argument("--horizon", type=whole_number(0), metavar="T", help=meaning)


def add_jobs(parser: argparse.ArgumentParser, meaning: str = "processes (default: all cores)") -> None:
    """Add `--jobs`."""
    parser.add_argument("--jobs", type=whole_number(1, 1024), metavar="J", help=meaning)


def cores() -> int:
    """Return how many cores this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def print_json(data: Any) -> None:
    """Write one JSON document to stdout; NaN and infinities are no JSON and raise."""
    standard_output.write(json.dumps(data, allow_nan=False, indent=2) + "\n")


@contextmanager
def compiled_simulator() -> Iterator[None]:
    """Compile the simulator, or load it where it was compiled before; say so on stderr if that takes a while.

    Processes that are started within then load it, rather than compile it all at the same time.
    """
    from threading import Timer

    notice = Timer(_SILENT_SECONDS, sys.stderr.write, ("costproof: compiling the simulator; this happens once\n",))
    notice.daemon = True
    notice.start()
    try:
        from bounds.published import published
        from mechanism.compiled.episode import CompiledEpisode
        from mechanism.policies import POLICIES

        setting = published("gpqa-strong").setting
        CompiledEpisode(setting, POLICIES["platform"]).tallies(horizon=setting.n_providers, seed=0, runs=[0])
    finally:
        notice.cancel()
    yield


@contextmanager
def progress_bar(what: str, steps_each: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback (done, total) that shows a bar on stderr if that is a terminal.

    With `steps_each`, the steps of one item, the bar also shows steps per second.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

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
