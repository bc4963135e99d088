"""Tables of many steps and few providers: sums down the steps, ends across the providers, some of the providers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Entry = TypeVar("Entry", bound=np.generic)
#: Entries of a table from which on Numba, which takes a while to load, is worth it.
LONG = 2**16
#: Columns of a table from which on NumPy reduces its rows faster.
WIDE = 24


def running(fold: np.ufunc, rows: NDArray[Entry], *, out: NDArray[Entry] | None = None) -> NDArray[Entry]:
    """Return ``fold.accumulate(rows, axis=0)``, to the last bit.

    NumPy goes down the rows in steps as short as a row is; for a row of nine that takes five times as long.

    Parameters
    ----------
    fold : numpy.ufunc
        `numpy.add`, `numpy.maximum`.
    rows : array, shape (T,) or (T, N)
    out : array, optional
        Where it is written: `rows` itself, where nobody needs them any more. Default a new array.

    Examples
    --------
    >>> running(np.add, np.array([[1, 2], [3, 4]])).tolist()
    [[1, 2], [4, 6]]
    """
    if rows.ndim < 2 or rows.size < LONG or rows.dtype not in _TYPES.get(fold, ()):
        return np.asarray(fold.accumulate(rows, axis=0, out=out))
    found = np.array(rows, order="C") if out is None else out
    _machine_code(fold)(found)
    return found


def columns_of(table: NDArray[Entry], columns: Sequence[int]) -> NDArray[Entry]:
    """Return ``table[..., columns]``, laid out row by row: a list of indices would put the columns first in memory.

    Examples
    --------
    >>> columns_of(np.array([[1, 2, 3]]), [0, 2]).tolist()
    [[1, 3]]
    """
    return np.take(table, np.array(columns, dtype=np.intp), axis=-1, mode="clip")


def across(fold: np.ufunc, table: NDArray[Entry]) -> NDArray[Entry]:
    """Return ``fold.reduce(table, axis=1)`` for a fold that rounds nothing: a minimum, a maximum, and, or.

    Column by column: a table has few of them, and NumPy starts anew at each row.

    Examples
    --------
    >>> across(np.minimum, np.array([[1, 2], [4, 3]])).tolist()
    [1, 3]
    """
    if table.shape[1] > WIDE or table.shape[1] < 2:
        return np.asarray(fold.reduce(table, axis=1))
    found = np.asarray(fold(table[:, 0], table[:, 1]))
    for column in range(2, table.shape[1]):
        fold(found, table[:, column], out=found)
    return found


def _add(rows: NDArray[Any]) -> None:
    for row in range(1, rows.shape[0]):
        for column in range(rows.shape[1]):
            rows[row, column] += rows[row - 1, column]


def _largest(rows: NDArray[Any]) -> None:
    for row in range(1, rows.shape[0]):
        for column in range(rows.shape[1]):
            rows[row, column] = max(rows[row, column], rows[row - 1, column])


#: Of which numbers there is machine code: maxima of doubles would have to look for NaN.
_TYPES: dict[np.ufunc, tuple[type[np.generic], ...]] = {np.add: (np.int64, np.float64), np.maximum: (np.int64,)}


@functools.cache
def _machine_code(fold: np.ufunc) -> Callable[[NDArray[Any]], None]:
    from bounds.machine_code import kept_machine_code

    return kept_machine_code(_add if fold is np.add else _largest)
