"""T_id, from which number of queries on the optimal provider must lead: its condition, number, enclosure and bound."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from bounds.errors import InputError
from bounds.formulas.identification import identification_horizon
from bounds.language.arithmetic import Enclosure, UndecidedError
from bounds.limits import LARGEST_HORIZON
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.symbolic.enclosing import Interval, enclose, substitutions
from bounds.symbolic.printing import latex
from bounds.symbolic.symbols import symbols
from bounds.symbolic.unfolding import unfolded


@dataclass(frozen=True, kw_only=True, repr=False)
class IdentificationHorizon:
    r"""The identification horizon T_id: the least T from which on ``T > N + 2 B_id(T)`` holds (claim:T_id:repaired).

    From T_id on, on the good event, i* is the unique most selected provider. The paper defines the minimum of all T at
    which the condition holds, with the real-valued k (T/N)^alpha in B_id (claim:T_id): from there on it holds as well.
    With the rounded B_id it may hold at T and fail at T + 1, so that the first T at which it holds need not be T_id
    (claim:T_id:tightened).

    Parameters
    ----------
    market : Setting, optional
        Whose providers are written out. Only a market has a number.
    smooth : bool, optional
        Leave out the roundings of B_id, as `symbolic` does: T_id is then the real root of the equation.

    Raises
    ------
    InputError
        The market has no unique optimal provider, or costs that are not separated.

    Examples
    --------
    >>> from bounds.published import published
    >>> horizon = IdentificationHorizon(market=published("gsm8k-full").setting)
    >>> horizon.number, [T for T in (63_737, 63_738, 63_739, 63_740) if horizon.holds(T)]
    (63740, [63738, 63740])
    >>> enclose(horizon.upper_bound, horizon.market)
    [63739.770070377155, 63739.77007037716]
    >>> IdentificationHorizon(market=horizon.market, smooth=True).enclosure
    [63731.27390649644, 63731.27390649645]
    """

    market: Setting | None = None
    smooth: bool = False

    def __post_init__(self) -> None:
        self.equation  # noqa: B018  # an unsuitable market is refused here

    def __repr__(self) -> str:
        return f"<T_id: the least T from which on {self.equation}>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {latex(self.equation)}$"

    def _sympy_(self) -> Any:
        return self.equation

    @functools.cached_property
    def equation(self) -> Any:
        """The condition, as a SymPy relation."""
        bound = unfolded("identification_bound", self.market, smooth=self.smooth)
        return sympy.StrictGreaterThan(symbols.T, symbols.N + 2 * bound, evaluate=False)

    def holds(self, horizon: float) -> bool:
        """Return whether the condition holds at T, decided exactly.

        Raises
        ------
        InputError
            There is no market.
        UndecidedError
            No precision separates both sides of the smooth condition.
        """
        margin = enclose(self._margin, self._known_market, T=horizon).exact
        if margin.lower <= 0 < margin.upper:
            raise UndecidedError(f"both sides are equal at T={horizon!r} to thousands of digits")
        return margin.lower > 0

    @functools.cached_property
    def number(self) -> int | None:
        """The least whole T from which on the condition holds; None if there is none below 2^52."""
        if not self.smooth:
            return identification_horizon(formula_inputs(self._known_market))
        return None if self.enclosure is None else math.ceil(self.enclosure.upper)

    @functools.cached_property
    def enclosure(self) -> Interval | None:
        """Two neighbouring floats between which the root of the smooth equation lies; else `number` itself.

        The condition fails at the lower and holds at the upper end, which proves it, for there is one root only: N + 2
        B_id is the largest of some ``a + b T^alpha`` with a > 0 and b >= 0 (`upper_bound`). Each ``T - a - b T^alpha``
        is convex and negative at 0, so that it has one root; above the largest of these roots, all are positive.
        """
        if not self.smooth:
            return None if self.number is None else enclose(sympy.Integer(self.number))
        if not self.holds(LARGEST_HORIZON):
            return None
        margin = self._margin.xreplace(substitutions(self._known_market))
        ends = len(self._known_market.providers), LARGEST_HORIZON
        root = sympy.nsolve(margin, symbols.T, ends, solver="anderson", maxsteps=1000, verify=False, prec=40)
        low = float(root) if float(root) < root else math.nextafter(float(root), 0)
        high = math.nextafter(low, math.inf)
        if self.holds(low) or not self.holds(high):
            raise UndecidedError(f"no root of the smooth equation between {low!r} and {high!r}")
        return Interval(lower=low, upper=high, exact=Enclosure(Fraction(low), Fraction(high)))

    @functools.cached_property
    def upper_bound(self) -> Any:
        """A closed form U such that the condition holds for every T > U; so T_id <= floor(U) + 1.

        Let g(T) = k (T/N)^alpha, so that ceil(g(T)) - 1 < g(T). Where g exceeds L_i for the competitors in a set S
        alone, the condition follows from ``T > a + b T^alpha`` with ``a = N + 2 sum M_i + 2 sum L_i``, the second sum
        over the competitors that are not in S, and ``b = 2 |S| k / N^alpha``. Any other set gives no larger right side.
        S consists of the competitors with the largest gaps, since their L_i are the smallest. So the condition holds
        at every T at which these inequalities hold for one set of each size.

        ``f(T) = T - a - b T^alpha`` is convex and lies above its tangent at any s > 0; where that increases, f is
        positive to the right of the tangent's zero, ``s - f(s) / f'(s)``. For ``c = b^(1/(1 - alpha))`` and ``s = a +
        c`` it increases: ``f'(s) = 1 - alpha (c/s)^(1 - alpha) > 0``. Hence::

            U = max over S of s + (b s^alpha - c) / (1 - alpha b s^(alpha - 1))

        and U = a where b = 0. This s lies between c and the root of f. So U is smaller than what the tangent at c
        gives, ``a / (1 - alpha) + c``: on the paper's markets U is at most 1.001 T_id, and that is 3.5 to 3.8 T_id.
        Without a market, all competitors are in both sums, since max{L_i, g} <= L_i + g.
        """
        sum_of_m = unfolded("sum_quality_selection_bounds", self.market, smooth=self.smooth)
        a, b = symbols.N + 2 * sum_of_m, 2 * unfolded("exploration_target").subs(symbols.t, 1)
        if self.market is None:
            sum_of_l = unfolded("sum_cost_selection_bounds", smooth=self.smooth)
            return _above_root(a + 2 * sum_of_l, (symbols.n_Q - 1) * b)
        bounds, providers = unfolded("ordinary_bound", self.market, smooth=self.smooth), self.market.providers
        by_gap = sorted(self.market.competitors, key=lambda i: -providers[i].mean_cost)
        terms = [bounds[providers[i].name] for i in by_gap]
        forms = [_above_root(a + 2 * sympy.Add(*terms[size:]), size * b) for size in range(len(terms) + 1)]
        # Two by two: of a maximum of many SymPy compares all pairs when it is differentiated, which takes a minute.
        return functools.reduce(lambda rest, form: sympy.Max(form, rest, evaluate=False), forms)

    @property
    def _margin(self) -> Any:
        return self.equation.lhs - self.equation.rhs

    @property
    def _known_market(self) -> Setting:
        if self.market is None:
            raise InputError("market", None, "must be given", "the condition has a number for a given roster only")
        return self.market


def _above_root(a: Any, b: Any) -> Any:
    """Return an upper bound on the root of T = a + b T^alpha."""
    if b == 0:
        return a
    alpha = symbols.alpha
    c = b ** (1 / (1 - alpha))
    s = a + c
    return s + (b * s**alpha - c) / (1 - alpha * b * s ** (alpha - 1))
