"""A trace: the log of one run. Everything else about the run is replayed from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError
from bounds.sheet import SHOWN_ROWS, HasSheet, Sheet, load_pandas

#: `settled` of a query whose score and bid never arrive: beyond every log, and a float like any other.
NEVER_SETTLED = 2**53 - 1


@dataclass(frozen=True, eq=False)
class Trace(HasSheet):
    """One row per query, in order.

    Parameters
    ----------
    provider : array of int, shape (T,)
        Who served, 0-based.
    payment : array of float, shape (T,)
        What the user paid.
    score : array of float, shape (T,)
        In [0, 1].
    bid : array of float, shape (T,)
        The standing bid that the served provider left behind.
    cost : array of float, shape (T,), optional
        What serving cost; private to the provider.
    settled : array of int or float, shape (T,), optional
        The number of the last query that had been assigned when the row's score and bid arrived, at least the row's
        own step; `NEVER_SETTLED` if they did not. Fractions give an order: 17.5 arrived after 17.25, and before query
        18 was assigned. Default: the row's own step, so that every decision knows of all queries before it. The
        decision at t knows the rows with ``settled < t``, in the order (settled, step).

    Raises
    ------
    InputError
        Columns of different lengths, values that are not finite numbers, providers that are not whole ones.

    Examples
    --------
    >>> trace = Trace([0, 1], [1.0, 1.0], [1.0, 0.0], [0.2, 0.3])
    >>> trace
    Trace(2 steps, without costs)
    """

    provider: NDArray[np.int64]
    payment: NDArray[np.float64]
    score: NDArray[np.float64]
    bid: NDArray[np.float64]
    cost: NDArray[np.float64] | None = None
    settled: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        for name, values in self.columns().items():
            object.__setattr__(self, name, _column(name, values, np.int64 if name == "provider" else np.float64))
        if self.settled is not None:
            object.__setattr__(self, "settled", whole_where_possible(self.settled))
        for name, column in self.columns().items():
            if len(column) != len(self.provider):
                rule = f"entries differ from provider's {len(self.provider)}"
                raise InputError(name, len(column), rule, "give one per step")

    def __repr__(self) -> str:
        return f"Trace({len(self):,} steps, {'without' if self.cost is None else 'with'} costs)"

    def __len__(self) -> int:
        return len(self.provider)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        mine, theirs = self.columns(), other.columns()
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name; `cost` and `settled` only where they are known."""
        columns = ((field, getattr(self, field.name)) for field in fields(self))
        return {f.name: column for f, column in columns if column is not None or f.default is MISSING}

    def sheet(self) -> Sheet:
        """Return a row for every step; providers are counted from 0."""
        return self._sheet(self)

    def to_frame(self) -> Any:
        """Return the trace as a pandas DataFrame, by step; providers are counted from 0.

        Raises
        ------
        InputError
            pandas is not installed.
        """
        pandas = load_pandas()
        return pandas.DataFrame(self.columns(), index=pandas.RangeIndex(1, len(self) + 1, name="step"))

    def _repr_html_(self) -> str:
        # The first rows alone: a trace may have 10^8.
        return self._sheet(self.head(SHOWN_ROWS)).html()

    def _sheet(self, shown: Trace) -> Sheet:
        columns = {"step": range(1, len(shown) + 1)} | {name: c.tolist() for name, c in shown.columns().items()}
        left_out = f" (the first {len(shown):,})" if len(shown) < len(self) else ""
        title = f"Trace of {len(self):,} steps{left_out}"
        return Sheet(title=title, columns=tuple(columns), rows=tuple(zip(*columns.values(), strict=True)), key="step")

    @classmethod
    def joined(cls, parts: Iterable[Trace]) -> Trace:
        """Return one trace of several that follow each other; at least one."""
        columns: dict[str, list[NDArray[Any]]] = {}
        for part in parts:
            for name, column in part.columns().items():
                columns.setdefault(name, []).append(column)
        # Column by column: the parts of one go before the next is put together.
        return cls(**{name: np.concatenate(columns.pop(name)) for name in list(columns)})

    def with_settled(self, first_step: int) -> Trace:
        """Return the trace with the column `settled`, given the step of its first row.

        Examples
        --------
        >>> Trace([0, 1], [1.0, 1.0], [1.0, 0.0], [0.2, 0.3]).with_settled(7).settled.tolist()
        [7, 8]
        """
        if self.settled is not None:
            return self
        return replace(self, settled=np.arange(first_step, first_step + len(self)))

    def head(self, steps: int) -> Trace:
        """Return the first steps of the trace."""
        return self.rows(slice(steps))

    def rows(self, chosen: slice | NDArray[np.int64]) -> Trace:
        """Return some rows of the trace, counted from 0, in the order in which they are given.

        Examples
        --------
        >>> Trace([0, 1, 0], [1.0, 1.0, 0.5], [1.0, 0.0, 1.0], [0.2, 0.3, 0.25]).rows(slice(1, 3)).payment.tolist()
        [1.0, 0.5]
        """
        return Trace(**{name: column[chosen] for name, column in self.columns().items()})


def whole_where_possible(settled: NDArray[np.float64]) -> NDArray[Any]:
    """Return a column `settled` as integers, unless it holds a fraction."""
    whole = settled.astype(np.int64)
    return whole if np.array_equal(whole, settled) else settled


def _column(name: str, values: ArrayLike, dtype: type) -> NDArray[Any]:
    array = _array(values, dtype)
    if array is None or array.ndim != 1:
        kind = "whole numbers" if dtype is np.int64 else "numbers"
        raise InputError(name, values, f"must be a sequence of {kind}", "write one number per step")
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.argmin(finite))
        raise InputError(f"{name}[{row}]", float(array[row]), "must be finite", "write one number per step")
    array.flags.writeable = False
    return array


def _array(values: ArrayLike, dtype: type) -> NDArray[Any] | None:
    """Return a copy of the values, or None where NumPy would have to guess or to cut off fractions."""
    try:
        plain = np.asarray(values)
        if plain.size and plain.dtype.kind not in ("iu" if dtype is np.int64 else "iufbO"):
            return None
        return plain.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return None
