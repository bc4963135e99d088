"""Rows of a table that come in pieces: in pieces of another size, or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from bounds.errors import InputError
from mechanism.tabular.trace_columns import Columns

MOST_SORTED = 10_000_000
"""Rows of a log, or of a second file, that are held in memory at once; a longer log is read where it need not be."""


def regrouped(pieces: Iterable[Columns], rows: int) -> Iterator[Columns]:
    """Yield the same rows in pieces of the given size; only the last may be shorter."""
    waiting: list[Columns] = []
    count = 0
    for piece in pieces:
        waiting.append(piece)
        count += len(piece["rows"])
        if count < rows:
            continue
        whole, end = _joined(waiting), count - count % rows
        for start in range(0, end, rows):
            yield {name: column[start : start + rows] for name, column in whole.items()}
        waiting, count = [{name: column[end:] for name, column in whole.items()}], count - end
    if count:
        yield _joined(waiting)


def all_rows(pieces: Iterable[Columns], fault: Callable[[str, str], InputError], option: str) -> Columns:
    """Return all rows in memory, or raise an InputError: there are too many."""
    waiting: list[Columns] = []
    count = 0
    for piece in pieces:
        waiting.append(piece)
        count += len(piece["rows"])
        if count > MOST_SORTED:
            remedy = f"{option} holds all rows in memory: put the log in order, or make it shorter"
            raise fault(f"has more than {MOST_SORTED:,} rows", remedy)
    return _joined(waiting)


def _joined(pieces: list[Columns]) -> Columns:
    """Return pieces as one, and forget each column of them as soon as it is copied."""
    if len(pieces) == 1:
        return pieces[0]
    return {name: np.concatenate([piece.pop(name) for piece in pieces]) for name in list(pieces[0] if pieces else ())}
