"""cor:optimal-alpha, derived: how fast the average payment deviation vanishes, and the best exponent."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bounds.formulas.payment import DEVIATION_EXPLORATION, DEVIATION_RADIUS, DEVIATION_START
from bounds.language.quantities import ALPHA, HORIZON, N

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, kw_only=True)
class Rate:
    """The exponent r(alpha) of T^-r(alpha), up to logarithms, and where it is largest.

    Parameters
    ----------
    term_exponents : dict of str to sympy.Expr
        Exponent of each term of eq:average-absolute-payment.
    exponent : sympy.Expr
        The smallest of them on (0, 1).
    best_alpha, best_exponent : sympy.Rational
        Its maximiser and maximum.
    limits : tuple of sympy.Expr
        Its limits as alpha tends to 0 and to 1.
    """

    term_exponents: dict[str, sympy.Expr]
    exponent: sympy.Expr
    best_alpha: sympy.Rational
    best_exponent: sympy.Rational
    limits: tuple[sympy.Expr, sympy.Expr]


@functools.cache
def optimal_rate() -> Rate:
    """Derive the rate from the three terms of the bound (cor:optimal-alpha).

    Examples
    --------
    >>> rate = optimal_rate()
    >>> rate.exponent, rate.best_alpha, rate.best_exponent, rate.limits
    (Min(exploration_exponent/2, 1 - exploration_exponent), 2/3, 1/3, (0, 0))
    """
    import sympy

    exponents = {
        "start": growth_exponent(DEVIATION_START),
        "exploration": growth_exponent(DEVIATION_EXPLORATION),
        "radius": growth_exponent(DEVIATION_RADIUS),
    }
    falling, rising = exponents["exploration"], exponents["radius"]
    # The start decays at least as fast as exploration for every alpha in (0, 1), so it never decides.
    if not (exponents["start"] - falling).is_nonnegative:
        raise ArithmeticError("the start term is not dominated")
    # One term falls and the other rises in alpha, so their minimum is largest where they meet.
    if not (falling.diff(ALPHA).is_negative and rising.diff(ALPHA).is_positive):
        raise ArithmeticError("the exponents are not monotone in opposite directions")
    (best,) = sympy.solve(sympy.Eq(falling, rising), ALPHA)
    exponent = sympy.Min(falling, rising)
    return Rate(
        term_exponents=exponents,
        exponent=exponent,
        best_alpha=best,
        best_exponent=exponent.subs(ALPHA, best),
        limits=(exponent.subs(ALPHA, 0), exponent.subs(ALPHA, 1)),
    )


def growth_exponent(term: Any) -> sympy.Expr:
    """Return r such that a term decays as T^-r up to logarithms: the limit of -d ln(term) / d ln T.

    Examples
    --------
    >>> growth_exponent(1 / HORIZON**2)
    2
    """
    import sympy

    log_horizon = sympy.Symbol("s", positive=True)
    logarithm = sympy.expand_log(sympy.log(sympy.sympify(term).subs(HORIZON, N * sympy.exp(log_horizon))), force=True)
    return sympy.expand(-sympy.limit(sympy.diff(logarithm, log_horizon), log_horizon, sympy.oo))
