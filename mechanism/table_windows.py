"""Entries of a table far out, without the table up to there: what a log of any length needs of it at a time."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanism.tables import Table

#: Up to here a table is kept (8 bytes an entry); beyond, blocks are computed when they are asked for.
KEPT = 2**19
#: As long as the blocks in which a table grows, and at the same places: an entry does not depend on who asked.
_BLOCK = 4096


def window(table: Table, first: int, last: int, kept: int = KEPT) -> NDArray[np.float64]:
    """Return the values at first, first + 1, ..., last, for 1 <= first.

    Parameters
    ----------
    table : Table
    first, last : int
    kept : int, optional
        Up to where the table may grow.

    Examples
    --------
    >>> window(Table(lambda n: n * n), 10_000, 10_002, kept=5).tolist()
    [100000000.0, 100020001.0, 100040004.0]
    """
    if last <= kept:
        return table.upto(last)[first:]
    block = (first - 1) // _BLOCK
    found = np.concatenate([_block(table, at) for at in range(block, (last - 1) // _BLOCK + 1)] or [np.empty(0)])
    return found[first - 1 - block * _BLOCK : last - block * _BLOCK]


def entries(table: Table, arguments: NDArray[Any], kept: int = KEPT) -> NDArray[np.float64]:
    """Return the values at whole numbers >= 0 of any shape; NaN at 0.

    Parameters
    ----------
    table : Table
    arguments : array of int
    kept : int, optional
        Up to where the table may grow.

    Examples
    --------
    >>> entries(Table(lambda n: n * n), np.array([[0, 9000], [3, 9001]]), kept=5).tolist()
    [[nan, 81000000.0], [9.0, 81018001.0]]
    """
    largest = int(arguments.max(initial=1))
    if largest <= kept:
        return np.asarray(table.upto(largest)[arguments])
    blocks = (arguments + (_BLOCK - 1)) // _BLOCK  # block 0 is the argument 0
    wanted = np.zeros(int(blocks.max()) + 1, dtype=bool)
    wanted[blocks] = True
    wanted[0] = True
    needed = np.flatnonzero(wanted)
    values = np.concatenate([np.full(_BLOCK, np.nan), *(_block(table, int(at) - 1) for at in needed[1:])])
    # Where an argument is among the wanted blocks: as many entries before it as there are unwanted ones.
    shift = np.zeros(len(wanted), dtype=np.int64)
    shift[needed] = (needed - np.arange(len(needed))) * _BLOCK - (_BLOCK - 1)
    return np.asarray(values[arguments - shift[blocks]])


@functools.lru_cache(maxsize=512)
def _block(table: Table, number: int) -> NDArray[np.float64]:
    """Return the entries of a block, counted from 0; those used last are kept: parts of a log use the same ones."""
    first = 1 + number * _BLOCK
    found = np.asarray(table.function(np.arange(first, first + _BLOCK, dtype=float)))
    found.flags.writeable = False
    return found
