"""A relation: one inequality between named quantities, stated once; its LaTeX and its check are derived."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import sympy
from numpy.typing import NDArray

from bounds.language.computed import Computed, Stated
from bounds.language.evaluation import Evaluable, definitions_in, formula_of
from bounds.language.formula import Formula
from bounds.language.latex import to_latex, with_values
from bounds.language.quantities import HORIZON, MONEY, QUANTITIES, Quantity
from bounds.words import ROUNDING
from proofs_checks.claims.model.case import COLUMNS, Carry, Case, Group
from proofs_checks.claims.model.mask_selection import MaskSelection
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_evaluation import TraceEvaluation
from proofs_checks.claims.model.trivial import TRIVIAL, TRIVIAL_WITHOUT_UNDERBIDS

Mask = Callable[[Case], NDArray[np.bool_]]

#: Rounding of money and of means: relative to the sides, and to the scale of money.
RELATIVE_TOLERANCE = ROUNDING
SCALE_TOLERANCE = 1e-12
#: Logged amounts that the comparison of one step reads at most: a payment, a cost and two bids.
_AMOUNTS = 4


@dataclass(frozen=True)
class Relation:
    """``left <= right`` wherever `on` says so.

    Parameters
    ----------
    left, right : sympy.Expr
        In symbols of quantities of the trace and of the setting, and of formulas.
    on : callable
        From a case to a mask of steps (T,) or of steps and providers (T, G).
    among : {"all", "qualified", "unqualified", "competitors"}
        Which providers the quantities per provider run over.
    exact : bool
        Whether both sides are whole numbers, compared without tolerance.
    strict : bool
        Whether equality violates it.
    name : str
        What it says, for reports.
    false_alarm : float
        Probability that it is violated on a trace of a right market and mechanism; 0 for what cannot be.
    """

    left: Any
    right: Any
    on: Mask
    name: str
    among: Group = "all"
    exact: bool = False
    strict: bool = False
    false_alarm: float = 0.0

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            object.__setattr__(self, side, sympy.sympify(getattr(self, side)))

    def latex(self, overrides: Mapping[str, float] = MappingProxyType({})) -> str:
        """Return the inequality in the paper's notation, with the values that a regime fixes (gamma = 0, ...)."""
        sign = "<" if self.strict else r"\leq"
        left, right = (to_latex(with_values(side, overrides)) for side in self.stated)
        return f"{left} {sign} {right}"

    @cached_property
    def where(self) -> tuple[Evaluable, ...]:
        """The formulas that its sides name."""
        return definitions_in(self.left, self.right)

    @property
    def stated(self) -> tuple[Any, Any]:
        """The sides for reading: one that is just the name of a formula is written out."""
        left, right = (formula_of(side) for side in (self.left, self.right))
        return self.left if left is None else left.expression, self.right if right is None else right.expression

    def notation(self, overrides: Mapping[str, float] = MappingProxyType({})) -> dict[str, Stated | None]:
        """Return what `latex` and the formulas behind it name: by name, the formula that it stands for, if it does.

        A name that a regime fixes at 0 is in none of them; one that it fixes elsewhere may be part of a symbol.

        Examples
        --------
        >>> from proofs_checks.claims.statements.payments import ORDINARY_PAYMENT
        >>> found = ORDINARY_PAYMENT.checks[0].notation()
        >>> str(found["radius"].quantity), found["payment"]
        ('radius', None)
        """
        formulas = formulas_in(self.where)
        gone = {name: value for name, value in overrides.items() if not value}
        waiting = list(self.stated)
        found: dict[str, Stated | None] = {}
        while waiting:
            for symbol in with_values(waiting.pop(), gone).free_symbols:
                if symbol.name not in found:
                    found[symbol.name] = formulas.get(symbol.name)
                    waiting += [] if symbol.name not in formulas else [formulas[symbol.name].expression]
        return {name: found[name] for name in QUANTITIES if name in found}

    #: The place that a relation names is that of the largest ratio, see `tightness.joined`.
    by_ratio: ClassVar[bool] = True
    exact_money: ClassVar[bool] = False

    def check(self, case: Case, overrides: Mapping[str, Any]) -> Tightness:
        """Compare both sides wherever the condition holds on a case.

        The result is kept with the case: several claims state the same inequality.

        Parameters
        ----------
        case : Case
        overrides : mapping
            Values that replace the case's, as `belief_slack=0` for a statement about truthful bids.
        """
        differing = {
            name: overrides[name]
            for name in sorted(self.needed & overrides.keys())
            if name not in case.constants or case.constants[name] != overrides[name]
        }
        return case.cached(self, tuple(differing.items()), lambda: self._compared(case, differing))

    def _compared(self, case: Case, overrides: Mapping[str, Any]) -> Tightness:
        selected = case.cached(self.on, "selected", lambda: MaskSelection.of(case.where(self.on)))
        if selected is None:
            return NOTHING_COMPARED
        if self._is_costly:
            selected = selected.alone()
        # Of runs of a setting, where the bounds are the same, it is asked once of all: see `reach`.
        no_underbids = not overrides.get("underbid", case.constants["underbid"])
        trivial = None if case.is_drawn else self.trivial(no_underbids=no_underbids)
        constants, columns = self._values(case, overrides, selected.rows, trivial)

        def evaluated(side: Stated) -> NDArray[Any]:
            # One evaluation for each side: sides that are no formula of their own share a symbol.
            values = TraceEvaluation(
                constants,
                columns,
                selected.rows,
                len(case.trace),
                first=case.first_step,
                group=self.among,
                remember=case.cached,
                of_part=not case.ends,
            )
            found = values.formula(side)
            # A side without provider axis is spread over the providers of a (T, G) mask.
            spread = selected.by_provider and found.ndim == 1 and not side.per_provider
            return selected.choose(found[:, None] if spread else found)

        left, right = map(evaluated, self.sides)
        found = self._tightest(case, left, right, selected)
        if trivial is None:
            return found
        sides = (left, right, evaluated(trivial) * (1 - RELATIVE_TOLERANCE))
        left, right, least = (np.broadcast_to(side, selected.shape) for side in sides)
        able = (right < least) & (left >= 0) & (right > 0) & (True if selected.marked is None else selected.marked)
        if not able.any():
            return found
        at = int(np.divide(left, right, where=able, out=np.full(able.shape, -np.inf)).argmax())
        place = self._where(case, selected, at, left.flat[at], right.flat[at])
        return replace(
            found, telling=place | {name: case.origin[name] for name in ("instance", "setting") if name in case.origin}
        )

    def _values(
        self, case: Case, overrides: Mapping[str, Any], rows: slice | NDArray[np.int64], trivial: Stated | None
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the values needed: those of the setting, and those of the trace cut to the rows."""
        constants: dict[str, Any] = {}
        columns: dict[str, NDArray[Any]] = {}
        for name in self.needed | {quantity.name for quantity in (trivial.inputs if trivial else ())}:
            if name in overrides:
                constants[name] = overrides[name]
            elif case.is_constant(name):
                constants[name] = case.value(name, self.among)
            else:
                columns[name] = case.value(name, self.among)[rows]
        return constants, columns

    @cached_property
    def carries(self) -> tuple[Carry[Any], ...]:
        """What its quantities must know of the steps before a part of a trace."""
        return tuple(carry for name in sorted(self.needed & COLUMNS.keys()) for carry in COLUMNS[name].carries)

    @cached_property
    def needed(self) -> frozenset[str]:
        """Names of the quantities that its sides are made of."""
        return frozenset(quantity.name for side in self.sides for quantity in side.inputs)

    @cached_property
    def _is_costly(self) -> bool:
        """Whether a side is found by a search at each horizon: then it is computed where it is compared, only."""
        return any(map(is_searched, self.where))

    @cached_property
    def sides(self) -> tuple[Stated, Stated]:
        """Left and right as formulas."""
        return _as_formula(self.left), _as_formula(self.right)

    def trivial(self, *, no_underbids: bool) -> Stated | None:
        """Return what the left side cannot exceed in any run, as a formula; None where that is not known.

        With `no_underbids` no payment is negative, as underbidding may make it.
        """
        return _trivial_side(self.left, no_underbids=no_underbids)

    def _tightest(self, case: Case, left: NDArray[Any], right: NDArray[Any], selected: MaskSelection) -> Tightness:
        """Return how two evaluated sides compare, and where it is tightest. An undefined side fails."""
        from proofs_checks.claims.model.comparison import compared

        shape, how = selected.shape, self._tolerance(case)
        compare = functools.partial(compared, left, right, shape, strict=self.strict, marked=selected.marked, **how)
        found = compare()
        excused = unfailing = 0
        if case.rounding and not self.exact:
            unfailing = self._unfailing(case, right, selected)
            if failed := found.violations:
                found = compare(right_at_most=right + self._rounding_slack(case, selected))
                excused = failed - found.violations
        at = found.shown_at
        ends = [
            float((side if side.shape == shape else np.broadcast_to(side, shape)).flat[at]) for side in (left, right)
        ]
        where = self._where(case, selected, at, *ends)
        told = (finite(found.least), found.largest_ratio, where)
        return Tightness(selected.size, found.violations, *told, excused=excused, unfailing=unfailing)

    def _where(self, case: Case, selected: MaskSelection, at: int, left: float, right: float) -> dict[str, Any]:
        row, column = selected.place(at)
        where = {"relation": self.name, "step": case.first_step + row}
        if selected.by_provider:
            where["provider"] = case.setting.providers[case.members(self.among)[column]].name
        return {**where, "left": finite(left), "right": finite(right)}

    def _rounding_slack(self, case: Case, selected: MaskSelection) -> Any:
        """Return how much rounded money can move the sides against each other.

        A step's comparison reads at most one payment, one cost and two bids, each off by the rounding. A sum of
        payments is off by that much at every step; an average is not.
        """
        if not self._compares_money:
            return 0.0
        named, _ = self._named
        if HORIZON.name in named or not any(COLUMNS[name].summed for name in named & COLUMNS.keys()):
            return _AMOUNTS * case.rounding
        return _AMOUNTS * case.rounding * selected.choose(case.replay.steps[selected.rows])

    def _unfailing(self, case: Case, right: NDArray[Any], selected: MaskSelection) -> int:
        """Return how many comparisons no amount in [0, c_max] could have failed.

        A left side is c_max at most, or a sum of such: where the slack of a step is as much, it fails only against a
        right side that is negative or undefined.
        """
        if not self._is_covered(case):
            return 0
        holds = np.broadcast_to(right, selected.shape) >= 0
        return int(np.count_nonzero(holds if selected.marked is None else holds & selected.marked))

    def _is_covered(self, case: Case) -> bool:
        """Whether the slack of a step is c_max or more."""
        wide = _AMOUNTS * case.rounding >= case.setting.platform.cost_bound
        return wide and self._compares_money and not self.exact

    @cached_property
    def _compares_money(self) -> bool:
        return any(QUANTITIES[name].unit == MONEY for names in self._named for name in names)

    @cached_property
    def _named(self) -> tuple[frozenset[str], frozenset[str]]:
        """The quantities and formulas in either side, by name."""
        left, right = (frozenset(symbol.name for symbol in side.free_symbols) for side in (self.left, self.right))
        return left, right

    def _tolerance(self, case: Case) -> dict[str, Any]:
        """Return the rounding allowed: relative to the sides, and to the scale on which their terms cancel."""
        if self.exact or self.strict:
            return {}
        scale = case.setting.platform.cost_bound if self._compares_money else 1.0
        return {"relative": RELATIVE_TOLERANCE, "absolute": SCALE_TOLERANCE * scale}


def is_searched(side: Evaluable) -> bool:
    """Whether a bound, or one that it names, is found by a search at each horizon."""
    return any(isinstance(each, Computed) and HORIZON in each.inputs for each in formulas_in([side]).values())


def formulas_in(formulas: Sequence[Evaluable]) -> dict[str, Stated]:
    """Return formulas and those that they name, near and far, by name."""
    found: dict[str, Stated] = {}
    for formula in formulas:
        found |= formulas_in(formula.where)
        if isinstance(formula, Stated):
            found[formula.quantity.name] = formula
    return found


def _as_formula(side: Any) -> Stated:
    """Return a side as a formula; one that is just the name of a formula is that formula."""
    named = formula_of(side)
    made = Formula(Quantity("side", "side", "one side of a relation", MONEY), side, "")
    return named if isinstance(named, Stated) else made


@functools.cache
def _trivial_side(left: Any, *, no_underbids: bool) -> Stated | None:
    known = TRIVIAL.get(left, TRIVIAL_WITHOUT_UNDERBIDS.get(left) if no_underbids else None)
    return None if known is None else _as_formula(sympy.sympify(known))


def finite(number: Any) -> float | None:
    """Return a number for reports; None for an undefined side (a violation) or one beyond all doubles."""
    return float(number) if np.isfinite(number) else None


def largest_ratio(left: NDArray[Any], right: NDArray[Any]) -> float | None:
    """Return the largest left over right among those with 0 <= left and right > 0, or None.

    Examples
    --------
    >>> largest_ratio(np.array([1.0, -9.0, 1.0]), np.array([2.0, 1.0, 0.0]))
    0.5
    """
    from proofs_checks.claims.model.comparison import compared

    return compared(left, right, left.shape).largest_ratio
