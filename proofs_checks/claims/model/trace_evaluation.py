"""Sides of relations on a whole trace: what depends on the setting and on the step or a count alone is tabulated.

Bounds of the paper are functions of the parameters and of t, T or m. They are computed once for a setting and a
length, and read by every run of it. The tables are kept per process, the oldest dropped beyond `TABLE_BYTES`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.language.evaluation import Evaluable, Evaluation

#: What a process keeps of tables: bytes, and how many.
TABLE_BYTES = 192 * 2**20
TABLE_COUNT = 4096
#: Quantities of a trace that are 1, 2, ..., T at its steps, and those that are whole numbers in 0..T.
STEPS = frozenset({"step", "horizon"})
COUNTS = frozenset({"count", "winner_count", "selection_count"})

_Key = tuple[Any, ...]


class Tables:
    """Arrays by key, the least recently used dropped beyond a number of bytes or of arrays.

    Parameters
    ----------
    most : int
        Bytes.
    count : int, optional
        Arrays.

    Examples
    --------
    >>> tables = Tables(100)
    >>> tables.keep(("a",), "formula", np.zeros(10))
    >>> tables.keep(("b",), "formula", np.zeros(10))
    >>> tables.find(("a",)) is None, tables.find(("b",)).shape
    (True, (10,))
    """

    def __init__(self, most: int, count: int = TABLE_COUNT) -> None:
        self._most, self._count, self._held = most, count, 0
        self._entries: OrderedDict[_Key, tuple[object, NDArray[Any]]] = OrderedDict()

    def find(self, key: _Key) -> NDArray[Any] | None:
        """Return an array, or None if it is not kept."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key][1]

    def keep(self, key: _Key, owner: object, table: NDArray[Any]) -> None:
        """Keep an array, and its owner alive so that no other object takes its place in a key."""
        self._entries[key] = (owner, table)
        self._held += table.nbytes
        while len(self._entries) > 1 and (self._held > self._most or len(self._entries) > self._count):
            self._held -= self._entries.popitem(last=False)[1][1].nbytes


_TABLES = Tables(TABLE_BYTES)


class TraceEvaluation(Evaluation):
    """Values of formulas at steps of a trace; those that the setting and a step or count determine come from tables.

    Parameters
    ----------
    constants : mapping
        Values of the setting, by quantity name.
    columns : mapping
        Quantities of the trace at the wanted steps, shape (R,) or (R, G), by name.
    rows : slice
        The wanted steps, counted from 0.
    length : int
        T of the trace.

    Examples
    --------
    >>> from bounds.formulas.selection import EXPLORATION_TARGET
    >>> constants = {"n_providers": 4, "exploration_scale": 2.0, "exploration_exponent": 0.5}
    >>> found = TraceEvaluation(constants, {"step": np.arange(2, 5)}, slice(1, 4), 4).formula(EXPLORATION_TARGET)
    >>> float(found[-1])
    2.0
    """

    def __init__(self, constants: Mapping[str, Any], columns: Mapping[str, Any], rows: slice, length: int) -> None:
        super().__init__({**constants, **columns})
        self._constants, self._columns, self._rows, self._length = constants, columns, rows, length

    def formula(self, formula: Evaluable) -> NDArray[Any]:
        """Return the value of a formula, from a table where there can be one."""
        varying = {quantity.name for quantity in formula.inputs} & self._columns.keys()
        if varying <= STEPS:
            found = self._table(formula, varying, first=1)
            return found[self._rows] if varying else found
        if len(varying) == 1 and varying <= COUNTS and not _by_provider(formula, self._constants):
            counts = self._columns[next(iter(varying))]
            return np.asarray(self._table(formula, varying, first=0)[counts])
        return self.walked(formula)

    def _table(self, formula: Evaluable, varying: set[str], first: int) -> NDArray[Any]:
        """Return the values at `first`, ..., T of the varying quantity, or the one value if nothing varies."""
        constants = {q.name: self._constants[q.name] for q in formula.inputs if q.name not in varying}
        key = (id(formula), self._length if varying else 0, tuple(map(_identity, constants.items())))
        found = _TABLES.find(key)
        if found is None:
            grid = np.arange(first, self._length + 1)
            whole = TraceEvaluation(constants, dict.fromkeys(varying, grid), slice(None), self._length)
            found = whole.walked(formula)
            found.flags.writeable = False
            _TABLES.keep(key, formula, found)
        return found


def _by_provider(formula: Evaluable, constants: Mapping[str, Any]) -> bool:
    return any(np.ndim(constants[q.name]) for q in formula.inputs if q.name in constants)


def _identity(item: tuple[str, Any]) -> tuple[str, Any]:
    name, value = item
    return (name, value.tobytes()) if isinstance(value, np.ndarray) else (name, value)
