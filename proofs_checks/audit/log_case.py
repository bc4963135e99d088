"""A part of a long log as a case: it goes on where the part before ended, and what it says is numbered by the log.

Claims see a `Case` like any other. What they compute passes through `Case.once`; here the few things that need more
than a part (sums, tables over all steps, samples of all auctions, the end of the log) are put in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bounds.language.evaluation import Evaluable, Evaluation
from bounds.language.quantities import HORIZON, MONEY, QUANTITIES
from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.table_windows import entries
from mechanism.tables import Table
from proofs_checks.audit import log_checks
from proofs_checks.claims.cases.case import CUMULATIVE, Case
from proofs_checks.claims.model.mask_selection import MaskSelection
from proofs_checks.claims.model.relation import Relation, Tightness
from proofs_checks.claims.model.trace_evaluation import COUNTS, STEPS, TraceEvaluation
from proofs_checks.oracle.step_audit import StepAudit

Numbers = NDArray[Any]
Result = TypeVar("Result")

#: Up to which count the tables of formulas are kept; there is one a formula.
_KEPT_COUNTS = 2**16


@dataclass(frozen=True, eq=False)
class LogCase(Case):
    """A part of a log, with what came before it.

    Parameters
    ----------
    setting, trace, origin
        As of a `Case`; the trace is the part.
    before : ReplayState, optional
        What the platform has seen before the part.
    totals : mapping
        What else is carried, from `carry` of the part before.
    final : bool
        Whether the log ends with this part.
    rounding : float
        How far logged money may be from the true amounts.
    tables : dict
        Tables of formulas over counts, shared by the parts of a log.
    """

    before: ReplayState | None = None
    totals: Mapping[str, Any] = field(default_factory=dict)
    final: bool = True
    rounding: float = 0.0
    tables: dict[Hashable, tuple[object, Table]] = field(default_factory=dict)

    @cached_property
    def replay(self) -> Replay:
        """The platform's state at every step of the part; what rounding could turn is read as the audit's rules do."""
        plain = Replay(MechanismConfig.of(self.setting), self.trace, self.before)
        return StepAudit(self.setting, plain, self.rounding).replay_as_read

    @property
    def ends(self) -> bool:
        """Whether the last row is the end of the log."""
        return self.final

    @cached_property
    def largest_bid(self) -> float:
        """The largest bid left up to the last row, at least 0."""
        return float(max(self.trace.bid.max(initial=0.0), self.totals.get("largest_bid", 0.0)))

    def so_far(self, name: str, amounts: Numbers) -> Numbers:
        """Return the sums of the steps' amounts since the log began, added one by one as in one go."""
        before = self.totals.get(name)
        if before is None:
            sums = np.cumsum(amounts, axis=0)
        else:
            sums = np.empty((len(amounts) + 1, *amounts.shape[1:]), dtype=before.dtype)
            sums[0], sums[1:] = before, amounts
            sums = np.cumsum(sums, axis=0, out=sums)[1:]
        self._ends[name] = sums[-1].copy()
        return sums

    @cached_property
    def _ends(self) -> dict[str, Any]:
        return {}

    def carry(self, columns: frozenset[str], sampling: bool) -> dict[str, Any]:
        """Return the `totals` of the next part.

        Parameters
        ----------
        columns : frozenset of str
            Quantities that claims go on comparing; those that are sums are carried.
        sampling : bool
            Whether claims go on sampling auctions.
        """
        for name in columns & CUMULATIVE:
            self.value(name, "all")
        found = {**log_checks.carry(self, sampling), "largest_bid": self.largest_bid}
        return {**found, **{name: self._ends[name] for name in columns & CUMULATIVE}}

    def once(self, owner: object, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return what `make` returns, or what takes its place for a part of a log; computed once."""
        instead = self._substitute(owner, key)
        return super().once(owner, key, make if instead is None else cast("Callable[[], Result]", instead))

    def _substitute(self, owner: object, key: Hashable) -> Callable[[], object] | None:
        if isinstance(owner, Relation):
            overrides = dict(cast("tuple[tuple[str, Any], ...]", key))
            return lambda: log_checks.numbered(self, _compared(owner, self, overrides))
        if key == "check":
            return lambda: self._checked(cast("log_checks.Check", owner))
        if key == "mask" and owner in log_checks.MASKS:
            return lambda: log_checks.MASKS[owner](self)
        return None

    def _checked(self, check: log_checks.Check) -> Tightness:
        instead = log_checks.CHECKS.get(check)
        return log_checks.numbered(self, check(self)) if instead is None else instead(self)


def _compared(relation: Relation, case: LogCase, overrides: Mapping[str, Any]) -> Tightness:
    """Compare a relation as `Relation.check` does; only where its formulas get their values differs."""
    marked = MaskSelection.of(case.marked(relation.on))
    if marked is None:
        return Tightness(0, 0)
    constants, columns = relation.values_of(case, overrides, marked.rows)
    values = _Values(case, constants, columns, marked.rows, relation.among)
    left, right = (relation.evaluated(side, values.fresh(), marked) for side in relation.sides)
    found = relation.tightest(case, left, right, marked)
    if not found.violations or not case.rounding or relation.exact:
        return found
    slack = _slack(relation, case, marked)
    return replace(found, violations=relation.tightest(case, left, right + slack, marked).violations)


def _slack(relation: Relation, case: LogCase, marked: MaskSelection) -> Any:
    """Return how much rounded money can move the sides of a relation against each other.

    A step's comparison reads at most one payment, one cost and two bids, each off by the rounding. A sum of payments
    is off by that much a step; an average is not.
    """
    symbols = relation.left.free_symbols | relation.right.free_symbols
    if not any(QUANTITIES[symbol.name].unit == MONEY for symbol in symbols):
        return 0.0
    summed = {symbol.name for symbol in relation.left.free_symbols} & CUMULATIVE
    if not summed or HORIZON in relation.left.free_symbols:
        return 4 * case.rounding
    return 4 * case.rounding * marked.choose(case.replay.steps[marked.rows])


class _Values(TraceEvaluation):
    """Values of formulas at steps of a part of a log.

    What the setting and the step determine is computed for the part's steps, what a count determines comes from
    tables that hold only the blocks that are asked for.
    """

    def __init__(
        self, case: LogCase, constants: Mapping[str, Any], columns: Mapping[str, Any], rows: slice, among: str
    ) -> None:
        super().__init__(constants, columns, rows, len(case.trace))
        self._case, self._among = case, among

    def fresh(self) -> _Values:
        """Return the same with nothing computed yet: sides that are no formula of their own share a symbol."""
        return _Values(self._case, self._constants, self._columns, self._rows, self._among)

    def formula(self, formula: Evaluable) -> Numbers:
        """Return the value of a formula, from a table where there can be one."""
        varying = {quantity.name for quantity in formula.inputs} & self._columns.keys()
        if not varying:
            return super().formula(formula)
        constants = {q.name: self._constants[q.name] for q in formula.inputs if q.name not in varying}
        identity = tuple(_identity(item) for item in constants.items())
        if varying <= STEPS:
            return self._over_steps(formula, varying, constants, identity)[self._rows]
        if len(varying) == 1 and varying <= COUNTS and not any(np.ndim(value) for value in constants.values()):
            return self._over_counts(formula, varying.pop(), constants, identity)
        return self.walked(formula)

    def _over_steps(
        self, formula: Evaluable, varying: set[str], constants: Mapping[str, Any], identity: Hashable
    ) -> Numbers:
        steps = self._case.replay.steps

        def make() -> Numbers:
            everything = _Values(self._case, constants, dict.fromkeys(varying, steps), slice(None), self._among)
            return everything.walked(formula)

        return Case.once(self._case, formula, ("steps", identity), make)

    def _over_counts(self, formula: Evaluable, name: str, constants: Mapping[str, Any], identity: Hashable) -> Numbers:
        rows = (self._rows.start, self._rows.stop)
        counts = self._columns[name]
        key = (name, self._among if counts.ndim > 1 else "", rows, identity)
        return Case.once(self._case, formula, key, lambda: self._at(formula, name, counts, constants, identity))

    def _at(
        self, formula: Evaluable, name: str, counts: Numbers, constants: Mapping[str, Any], identity: Hashable
    ) -> Numbers:
        def walked(at: Numbers) -> Numbers:
            return Evaluation({**constants, name: at}).formula(formula)

        _, table = self._case.tables.setdefault((id(formula), name, identity), (formula, Table(walked)))
        found = entries(table, counts, _KEPT_COUNTS)
        none = counts == 0
        return np.where(none, walked(np.zeros(1))[0], found) if none.any() else found


def _identity(item: tuple[str, Any]) -> tuple[str, Any]:
    name, value = item
    return (name, value.tobytes()) if isinstance(value, np.ndarray) else (name, value)
