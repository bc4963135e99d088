"""A relation: one inequality between named quantities, stated once; its LaTeX and its check are derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from bounds.evaluation import Evaluation, is_per_provider
from bounds.formula import Formula, to_latex
from bounds.quantities import MONEY, QUANTITIES, Quantity
from proofs_checks.case import Case, Group

Mask = Callable[[Case], NDArray[np.bool_]]

#: Rounding of money and of means: relative to the sides, and to the scale of money.
RELATIVE_TOLERANCE = 1e-9
SCALE_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Tightness:
    """How a relation fared on one trace.

    Parameters
    ----------
    checked, violations : int
    margin : float or None
        Smallest right minus left side; None if nothing was checked or a side is undefined or infinite.
    ratio : float or None
        Largest left over right side among those with 0 <= left and right > 0.
    where : dict or None
        Step (from 1), provider and both sides: of the worst violation, else of the largest ratio, else of the
        smallest margin.
    """

    checked: int
    violations: int
    margin: float | None = None
    ratio: float | None = None
    where: dict[str, Any] | None = None


@dataclass(frozen=True)
class Relation:
    """``left <= right`` wherever `on` says so.

    Parameters
    ----------
    left, right : sympy.Expr
        In quantities of the trace, of the setting, and of the formulas in `where`.
    on : callable
        From a case to a mask of steps (T,) or of steps and providers (T, G).
    among : {"all", "qualified", "unqualified", "competitors"}
        Which providers the quantities per provider run over.
    where : tuple of Formula
    exact : bool
        Whether both sides are whole numbers, compared without tolerance.
    strict : bool
        Whether equality violates it.
    name : str
        What it says, for reports.
    """

    left: sympy.Expr
    right: sympy.Expr
    on: Mask
    name: str
    among: Group = "all"
    where: tuple[Formula, ...] = ()
    exact: bool = False
    strict: bool = False

    def latex(self, overrides: Mapping[str, float] = MappingProxyType({})) -> str:
        """Return the inequality in the paper's notation, with the values that a regime fixes (gamma = 0, ...)."""
        sign = "<" if self.strict else r"\leq"
        left, right = (to_latex(self._stated(side, overrides)) for side in (self.left, self.right))
        return f"{left} {sign} {right}"

    def _stated(self, side: sympy.Expr, overrides: Mapping[str, float]) -> sympy.Expr:
        """Return a side for reading: one that is just the name of a formula is written out."""
        written = next((formula.expression for formula in self.where if formula.symbol == side), side)
        fixed = {s: sympy.Rational(str(overrides[s.name])) for s in written.free_symbols if s.name in overrides}
        return written.subs(fixed)

    def check(self, case: Case, overrides: Mapping[str, Any]) -> Tightness:
        """Compare both sides wherever the mask holds on a case.

        Parameters
        ----------
        case : Case
        overrides : mapping
            Values that replace the case's, as `belief_slack=0` for a statement about truthful bids.
        """
        mask = self.on(case)
        rows = mask if mask.ndim == 1 else np.asarray(mask.any(axis=1))
        if not rows.any():
            return Tightness(0, 0)
        values = self._values(case, overrides, rows)
        chosen = np.ones(int(rows.sum()), bool) if mask.ndim == 1 else mask[rows]
        left, right = (
            np.broadcast_to(self._side(side, values, mask.ndim), chosen.shape) for side in (self.left, self.right)
        )
        return self._tightest(case, left, right, chosen, np.flatnonzero(rows) + 1)

    def _values(self, case: Case, overrides: Mapping[str, Any], rows: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the values needed, cut to the marked steps."""
        values: dict[str, Any] = {}
        for name in self._needed():
            value = overrides[name] if name in overrides else case.value(name, self.among)
            fixed = name in overrides or case.is_constant(name)
            values[name] = value if fixed else value[rows]
        return values

    def _needed(self) -> set[str]:
        return {q.name for side in (self.left, self.right) for q in self._formula(side).inputs}

    def _formula(self, side: sympy.Expr) -> Formula:
        return Formula(Quantity("side", "side", "one side of a relation", MONEY), side, "", self.where)

    def _side(self, side: sympy.Expr, values: Mapping[str, Any], dimensions: int) -> NDArray[np.float64]:
        """Evaluate a side; a side without provider axis is spread over the providers of a (T, G) mask."""
        formula = self._formula(side)
        found = Evaluation(values).formula(formula)
        spread = dimensions == 2 and found.ndim == 1 and not is_per_provider(side, formula)
        return found[:, None] if spread else found

    def _tightest(
        self,
        case: Case,
        left: NDArray[Any],
        right: NDArray[Any],
        chosen: NDArray[np.bool_],
        steps: NDArray[np.int64],
    ) -> Tightness:
        margins = np.where(chosen, right - left, np.inf)
        violated = chosen & ~(margins > 0 if self.strict else margins >= -self._tolerance(case, left, right))
        ratios = _ratios(left, right, chosen)
        # A violation is shown where it is worst; otherwise the place is that of the ratio, if there is one.
        worst_margin = violated.any() or not np.isfinite(ratios).any()
        worst = np.where(violated, margins, np.inf) if violated.any() else margins
        flat = int(np.argmin(worst) if worst_margin else np.nanargmax(ratios))
        where = self._where(case, left, right, flat, steps)
        ratio = float(np.nanmax(ratios)) if np.isfinite(ratios).any() else None
        return Tightness(int(chosen.sum()), int(violated.sum()), _finite(margins.min()), ratio, where)

    def _where(
        self, case: Case, left: NDArray[Any], right: NDArray[Any], flat: int, steps: NDArray[np.int64]
    ) -> dict[str, Any]:
        row, *column = np.unravel_index(flat, left.shape)
        where = {"relation": self.name, "step": int(steps[row])}
        if column:
            where["provider"] = case.setting.providers[case.members(self.among)[int(column[0])]].name
        return {**where, "left": _finite(left.flat[flat]), "right": _finite(right.flat[flat])}

    def _tolerance(self, case: Case, left: NDArray[Any], right: NDArray[Any]) -> Any:
        """Return the rounding allowed: relative to the sides, and to the scale on which their terms cancel."""
        if self.exact:
            return 0.0
        symbols = self.left.free_symbols | self.right.free_symbols
        money = any(QUANTITIES[symbol].unit == MONEY for symbol in symbols)
        scale = case.setting.platform.cost_bound if money else 1.0
        return RELATIVE_TOLERANCE * np.maximum(np.abs(left), np.abs(right)) + SCALE_TOLERANCE * scale


def _finite(number: Any) -> float | None:
    """Return a number for reports; None for an undefined side (a violation) or one beyond all doubles."""
    return float(number) if np.isfinite(number) else None


def largest_ratio(left: NDArray[Any], right: NDArray[Any]) -> float | None:
    """Return the largest left over right among those with 0 <= left and right > 0, or None.

    Examples
    --------
    >>> largest_ratio(np.array([1.0, -9.0, 1.0]), np.array([2.0, 1.0, 0.0]))
    0.5
    """
    ratios = _ratios(left, right, np.ones(left.shape, bool))
    return float(np.nanmax(ratios)) if np.isfinite(ratios).any() else None


def _ratios(left: NDArray[Any], right: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return left over right where both have a meaning as a ratio, NaN elsewhere."""
    usable = chosen & (left >= 0) & (right > 0)
    with np.errstate(over="ignore"):
        ratios = np.divide(left, right, out=np.full(left.shape, np.nan), where=usable)
    # Beyond all doubles it is left out: JSON knows no infinity.
    return np.where(np.isinf(ratios), np.nan, ratios)
