"""Tables of many steps and few providers: sums down the steps, ends across the providers, some of the providers.

Most change in one entry a step, that of the provider that served. They are written in one pass of machine code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Entry = TypeVar("Entry", bound=np.generic)
#: Entries of a table from which on Numba, which takes a while to load, is worth it.
LONG = 2**16
#: Columns of a table from which on NumPy reduces its rows faster.
WIDE = 24


def load_machine_code() -> None:
    """Load what tables of runs need, or compile it, so that copies of this process have it."""
    served = np.zeros(LONG, dtype=np.int64)
    counts, money, flags = np.zeros((LONG, 2), dtype=np.int64), np.zeros((LONG, 2)), np.zeros((LONG, 2), dtype=np.bool_)
    for sums in (counts, money):
        tallied(sums[0], served, sums[:, 0])
    tallied_of_served(money[0], served, money[:, 0])
    for values in (money, flags):
        held(values[0], served, values[:, 0])
    for fold, table in ((np.minimum, money), (np.maximum, counts), (np.logical_or, flags)):
        across(fold, table)
    least_of_others(money)
    running(np.add, money)
    running(np.maximum, counts)


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
    _machine_code(_add if fold is np.add else _largest)(found)
    return found


def tallied(before: NDArray[Entry], served: NDArray[np.int64], amounts: NDArray[Any]) -> NDArray[Entry]:
    """Return sums by provider: what came before, then the sums after each step, which adds to who serves it.

    Parameters
    ----------
    before : array of int or float, shape (N,)
    served : array of int, shape (T,)
        The column of each step.
    amounts : array, shape (T,)

    Returns
    -------
    array, shape (T + 1, N)

    Examples
    --------
    >>> tallied(np.array([5, 0]), np.array([1, 0, 1]), np.array([1, 1, 2])).tolist()
    [[5, 0], [5, 1], [6, 1], [6, 3]]
    """
    rows = np.empty((len(served) + 1, len(before)), dtype=before.dtype)
    rows[0] = before
    with np.errstate(over="ignore", invalid="ignore"):  # sums of logged amounts may be beyond all doubles
        if rows.size < LONG:
            rows[1:] = np.where(_of(served, len(before)), amounts[:, None], rows.dtype.type(0))
            return running(np.add, rows, out=rows)
        _machine_code(_tally)(rows, *_read_only(served, amounts.astype(rows.dtype, copy=False)))
        return rows


def tallied_of_served(before: NDArray[Entry], served: NDArray[np.int64], amounts: NDArray[Entry]) -> NDArray[Entry]:
    """Return the sum of the provider that serves after each step, which adds to it: of `tallied` what changes.

    Examples
    --------
    >>> tallied_of_served(np.array([5, 0]), np.array([1, 0, 1]), np.array([1, 1, 2])).tolist()
    [1, 6, 3]
    """
    if len(served) * len(before) < LONG:
        return of_each_row(tallied(before, served, amounts)[1:], served)
    found = np.empty_like(amounts)
    _machine_code(_tally_served)(before.copy(), *_read_only(served, amounts), found)
    return found


def held(before: NDArray[Entry], served: NDArray[np.int64], values: NDArray[Entry]) -> NDArray[Entry]:
    """Return the last value of each provider: what came before, then what it is after each step.

    Parameters
    ----------
    before : array, shape (N,)
    served : array of int, shape (T,)
        Whose value each step replaces.
    values : array, shape (T,)

    Returns
    -------
    array, shape (T + 1, N)

    Examples
    --------
    >>> held(np.array([0.5, 0.5]), np.array([1, 0]), np.array([0.75, 0.25])).tolist()
    [[0.5, 0.5], [0.5, 0.75], [0.25, 0.75]]
    """
    rows = np.empty((len(served) + 1, len(before)), dtype=before.dtype)
    rows[0] = before
    if rows.size < LONG:
        places = np.where(_of(served, len(before)), np.arange(1, len(rows))[:, None], 0)
        last = np.maximum.accumulate(places, axis=0)
        rows[1:] = np.where(last > 0, values[last - 1], before) if len(served) else before
        return rows
    _machine_code(_hold)(rows, *_read_only(served, values))
    return rows


def least_of_others(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each entry, the least of the others in its row; infinite if there is none, NaN if one of them is.

    Examples
    --------
    >>> least_of_others(np.array([[3.0, 1.0, 2.0]])).tolist()
    [[1.0, 2.0, 1.0]]
    """
    if table.size < LONG:
        rows, others = np.arange(len(table)), table.copy()
        first = np.argmin(others, axis=1)
        least = others[rows, first]
        others[rows, first] = np.inf
        found = np.repeat(least[:, None], others.shape[1], axis=1)
        found[rows, first] = across(np.minimum, others)
        return found
    found = np.empty(table.shape)
    _machine_code(_least_of_others)(*_read_only(table), found)
    return found


def _of(served: NDArray[np.int64], n_providers: int) -> NDArray[np.bool_]:
    return np.asarray(served[:, None] == np.arange(n_providers))


def columns_of(table: NDArray[Entry], columns: Sequence[int]) -> NDArray[Entry]:
    """Return ``table[..., columns]``, laid out row by row: a list of indices would put the columns first in memory.

    Examples
    --------
    >>> columns_of(np.array([[1, 2, 3]]), [0, 2]).tolist()
    [[1, 3]]
    """
    return np.take(table, np.array(columns, dtype=np.intp), axis=-1, mode="clip")


def of_each_row(table: NDArray[Entry], columns: NDArray[np.int64]) -> NDArray[Entry]:
    """Return one entry of each row.

    Examples
    --------
    >>> of_each_row(np.array([[1, 2], [3, 4]]), np.array([1, 0])).tolist()
    [2, 3]
    """
    places = columns + np.arange(len(columns)) * table.shape[1]
    return np.asarray(np.take(table.reshape(-1), places, mode="clip"))


def across(fold: np.ufunc, table: NDArray[Entry]) -> NDArray[Entry]:
    """Return ``fold.reduce(table, axis=1)`` for a fold that rounds nothing: a minimum, a maximum, and, or.

    Also how many of a row are 1, of bytes: up to `WIDE` fit into one.

    NumPy starts anew at each row, and a row is short.

    Examples
    --------
    >>> across(np.minimum, np.array([[1, 2], [4, 3]])).tolist()
    [1, 3]
    """
    if table.shape[1] > WIDE or table.shape[1] < 2:
        return np.asarray(fold.reduce(table, axis=1))
    if table.size >= LONG and (function := _ACROSS.get((fold, table.dtype.type))):
        ends = np.empty(len(table), dtype=table.dtype)
        _machine_code(function)(*_read_only(table), ends)
        return ends
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


def _read_only(*arrays: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Return arrays as one kind, of which Numba compiles a function once: whether one may be written to is another."""
    for array in arrays:
        view = np.ascontiguousarray(array).view()
        view.flags.writeable = False
        yield view


def _tally(rows: NDArray[Any], served: NDArray[np.int64], amounts: NDArray[Any]) -> None:
    for step in range(len(served)):
        for column in range(rows.shape[1]):
            rows[step + 1, column] = rows[step, column]
        rows[step + 1, served[step]] += amounts[step]


def _tally_served(sums: NDArray[Any], served: NDArray[np.int64], amounts: NDArray[Any], found: NDArray[Any]) -> None:
    for step in range(len(served)):
        sums[served[step]] += amounts[step]
        found[step] = sums[served[step]]


def _hold(rows: NDArray[Any], served: NDArray[np.int64], values: NDArray[Any]) -> None:
    for step in range(len(served)):
        for column in range(rows.shape[1]):
            rows[step + 1, column] = rows[step, column]
        rows[step + 1, served[step]] = values[step]


def _least_of_others(table: NDArray[np.float64], found: NDArray[np.float64]) -> None:
    for row in range(table.shape[0]):
        least, second, at = np.inf, np.inf, -1
        for column in range(table.shape[1]):
            value = table[row, column]
            if least == least and (value < least or value != value):
                least, second, at = value, least, column
            elif second == second and (value < second or value != value):
                second = value
        for column in range(table.shape[1]):
            found[row, column] = second if column == at else least


def _least(table: NDArray[np.float64], ends: NDArray[np.float64]) -> None:
    for row in range(table.shape[0]):
        end, undefined = table[row, 0], False
        for column in range(table.shape[1]):
            value = table[row, column]
            end = min(end, value)
            undefined |= value != value
        ends[row] = np.nan if undefined else end


def _any(table: NDArray[np.bool_], ends: NDArray[np.bool_]) -> None:
    for row in range(table.shape[0]):
        end = False
        for column in range(table.shape[1]):
            end |= table[row, column]
        ends[row] = end


def _most(table: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
    for row in range(table.shape[0]):
        end = table[row, 0]
        for column in range(1, table.shape[1]):
            end = max(end, table[row, column])
        ends[row] = end


#: Of which numbers there is machine code: maxima of doubles would have to look for NaN.
_TYPES: dict[np.ufunc, tuple[type[np.generic], ...]] = {np.add: (np.int64, np.float64), np.maximum: (np.int64,)}
#: Ends across the providers for which there is machine code, by the numbers that are folded.
_ACROSS: dict[tuple[np.ufunc, type[np.generic]], Callable[..., None]] = {
    (np.minimum, np.float64): _least,
    (np.maximum, np.int64): _most,
    (np.logical_or, np.bool_): _any,
}


@functools.cache
def _machine_code(function: Callable[..., None]) -> Callable[..., None]:
    from bounds.machine_code import kept_machine_code  # Numba takes a while to load

    return kept_machine_code(function, _nrt=False)  # nothing is allocated there
