"""Sides of relations on a whole trace: what depends on the setting and on the step or a count alone is tabulated.

Bounds of the paper are functions of the parameters and of t, T or m. They are computed once for a setting and a
length, and read by every run of it. The tables are kept per process, the oldest dropped beyond `TABLE_BYTES`.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.language.evaluation import Evaluable, Evaluation
from bounds.language.quantities import QUANTITIES
from mechanism.tables import TabulatedFunction, entries

#: What a process keeps of tables: bytes, and how many.
TABLE_BYTES = 96 * 2**20
TABLE_COUNT = 4096
#: Quantities of a trace that are 1, 2, ..., T at its steps, and those that are whole numbers in 0..T.
STEPS = frozenset({"step", "horizon"})
COUNTS = frozenset({"count", "winner_count", "selection_count"})

_Key = Hashable


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


#: Up to which selection count a table is kept whole; beyond, only the blocks that are asked for.
_KEPT_COUNTS = 2**16
#: Values at the counts of a part are remembered with the part up to so many: other relations ask for the same ones.
REMEMBERED = 2**19

Remember = Callable[[object, Hashable, Callable[[], NDArray[Any]]], NDArray[Any]]


def _anew(owner: object, key: Hashable, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    return make()


class TraceEvaluation(Evaluation):
    """Values of formulas at steps of a trace; those that the setting and a step or count determine come from tables.

    Parameters
    ----------
    constants : mapping
        Values of the setting, by quantity name.
    columns : mapping
        Quantities of the trace at the wanted steps, shape (R,) or (R, G), by name.
    rows : slice or array of int
        The wanted steps, counted from 0. What is asked for at single steps is computed at these alone.
    length : int
        How many steps the trace, or the part of it, has.
    first : int, optional
        Number of its first step; default 1.
    group : str, optional
        Whose selection counts the columns hold, where they hold one for each provider.
    remember : callable, optional
        From an owner, a key and how to make an array to the array: keeps what other relations ask for again.
    of_part : bool, optional
        Whether it is a part of a trace: what the step determines is then of use to nobody after it. One that does not
        begin with the first step always is.

    Examples
    --------
    >>> from bounds.formulas.selection import EXPLORATION_TARGET
    >>> constants = {"n_providers": 4, "exploration_scale": 2.0, "exploration_exponent": 0.5}
    >>> found = TraceEvaluation(constants, {"step": np.arange(2, 5)}, slice(1, 4), 4).formula(EXPLORATION_TARGET)
    >>> float(found[-1])
    2.0
    """

    #: A trace has too many steps; a bound that overflowed is infinite there, and refutes nothing.
    extends = False

    def __init__(
        self,
        constants: Mapping[str, Any],
        columns: Mapping[str, Any],
        rows: slice | NDArray[np.int64],
        length: int,
        *,
        first: int = 1,
        group: str = "all",
        remember: Remember = _anew,
        of_part: bool = False,
    ) -> None:
        super().__init__({**constants, **columns})
        self._constants, self._columns, self._rows = constants, columns, rows
        self._length, self._first = length, first
        self._group, self._remember = group, remember
        self._of_part = of_part or first > 1

    @property
    def _place(self) -> Hashable:
        """Which rows the columns hold."""
        return (self._rows.start, self._rows.stop) if isinstance(self._rows, slice) else self._rows.tobytes()

    def formula(self, formula: Evaluable) -> NDArray[Any]:
        """Return the value of a formula, from a table where there can be one."""
        varying = {quantity.name for quantity in formula.inputs} & self._columns.keys()
        constants = {q.name: self._constants[q.name] for q in formula.inputs if q.name not in varying}
        identity = tuple(map(_identity, constants.items()))
        if varying <= STEPS:
            return self._over_steps(formula, varying, constants, identity)
        if formula.expression.is_Symbol and formula.expression.name in self._columns:  # a quantity of the trace itself
            return super().formula(formula)
        if len(varying) == 1 and varying <= COUNTS and not any(np.ndim(value) for value in constants.values()):
            return self._over_counts(formula, varying.pop(), constants, identity)
        return super().formula(formula)

    def _over_steps(
        self, formula: Evaluable, varying: set[str], constants: Mapping[str, Any], identity: Hashable
    ) -> NDArray[Any]:
        """Return the values at the wanted steps, from a table of all steps unless single ones are wanted.

        If nothing varies, it is the one value.
        """
        alone = bool(varying) and not isinstance(self._rows, slice)
        rows = self._rows if alone else slice(None)

        def make() -> NDArray[Any]:
            steps = np.arange(self._first, self._first + self._length)[rows]
            at = TraceEvaluation(
                constants,
                dict.fromkeys(varying, steps),
                rows,
                self._length,
                first=self._first,
                remember=self._remember,
                of_part=self._of_part,
            )
            return at.walked(formula)

        place = (self._first + np.asarray(rows)).tobytes() if alone else self._length if varying else 0
        found = self._kept(formula, (id(formula), place, identity), make, by_step=bool(varying))
        return found[self._rows] if varying and not alone else found

    def _kept(
        self, formula: Evaluable, key: Hashable, make: Callable[[], NDArray[Any]], *, by_step: bool
    ) -> NDArray[Any]:
        """Return a table: of the steps of a part kept with the part, else for all runs of the setting."""
        if by_step and self._of_part:
            return self._remember(formula, ("steps", key), make)
        found = _TABLES.find(key)
        if found is None:
            found = make()
            found.flags.writeable = False
            _TABLES.keep(key, formula, found)
        return found

    def _over_counts(
        self, formula: Evaluable, name: str, constants: Mapping[str, Any], identity: Hashable
    ) -> NDArray[Any]:
        column = self._columns[name]
        table = _count_table(formula, name, tuple(constants.items()))

        def values(counts: NDArray[Any]) -> NDArray[Any]:
            found = entries(table, counts, _KEPT_COUNTS)
            none = counts == 0
            return np.where(none, _at_count(formula, name, constants, np.zeros(1))[0], found) if none.any() else found

        key = ("counts", name, identity)
        if column.size > REMEMBERED:
            return values(column)
        group = self._group if QUANTITIES[name].per_provider else ""
        return self._remember(formula, (*key, group, self._place), lambda: values(column))


def _at_count(formula: Evaluable, name: str, constants: Mapping[str, Any], counts: NDArray[Any]) -> NDArray[Any]:
    return Evaluation({**constants, name: counts}).formula(formula)


#: A formula is kept alive with its table. Of many settings the oldest go first.
@functools.lru_cache(maxsize=256)
def _count_table(formula: Evaluable, name: str, constants: tuple[tuple[str, Any], ...]) -> TabulatedFunction:
    """Return the table of a formula over a selection count, shared by all traces of a setting."""
    return TabulatedFunction(functools.partial(_at_count, formula, name, dict(constants)))


def _identity(item: tuple[str, Any]) -> tuple[str, Any]:
    name, value = item
    return (name, value.tobytes()) if isinstance(value, np.ndarray) else (name, value)
