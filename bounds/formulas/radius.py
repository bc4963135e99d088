"""The confidence radius beta(m), and how large a selection count a radius allows."""

from __future__ import annotations

import sympy

from bounds.language.formula import Formula, define
from bounds.language.quantities import COUNT, DELTA, GAP, PURE, QUERIES, N

#: C_0 = 2 pi^2 N / (3 delta), the constant inside every logarithm of the paper.
LOG_CONSTANT = 2 * sympy.pi**2 * N / (3 * DELTA)

RADIUS = define(
    "radius",
    r"\beta(m)",
    "confidence radius of a mean of m observations in [0, 1]",
    PURE,
    sympy.sqrt(sympy.log(LOG_CONSTANT * COUNT**2) / (2 * COUNT)),
    "eq:qualified-set",
    valid="m >= 1; decreasing there for N >= 2 (lem:radius-monotone)",
)

SELECTION_BOUND = define(
    "selection_bound",
    "M(x)",
    "largest count m, rounded up, at which x <= 2 beta(m) is possible",
    QUERIES,
    sympy.ceiling(4 / GAP**2 * sympy.log(57 * N / (DELTA * GAP**4))),
    "thm:sample-complexity",
    valid="x > 0",
)

EXACT_COUNT = define(
    "exact_count",
    "m^*(x)",
    "the real solution m of x = 2 beta(m)",
    QUERIES,
    -4 / GAP**2 * sympy.LambertW(-(GAP**2) / (4 * sympy.sqrt(LOG_CONSTANT)), -1),
    "lem:radius-inversion, solved exactly",
    valid="0 < x <= 1",
    requires=(2 - GAP,),
)

EXACT_SELECTION_BOUND = define(
    "exact_selection_bound",
    r"\lfloor m^*(x) \rfloor",
    "largest count m at which x <= 2 beta(m) holds",
    QUERIES,
    sympy.floor(EXACT_COUNT.expression),
    "lem:radius-inversion, solved exactly",
    valid="0 < x <= 1",
    requires=(2 - GAP,),
)


def at_gap(formula: Formula, gap: sympy.Expr) -> sympy.Expr:
    """Return the expression of a formula of the gap x at another gap.

    Examples
    --------
    >>> from bounds.language.quantities import C_MAX
    >>> C_MAX in at_gap(SELECTION_BOUND, 1 / C_MAX).free_symbols
    True
    """
    return formula.expression.subs(GAP, gap)


def radius_at(count: sympy.Expr) -> sympy.Expr:
    """Return beta at another count, possibly a real one such as g(t).

    Examples
    --------
    >>> radius_at(COUNT) == RADIUS.expression
    True
    """
    return RADIUS.expression.subs(COUNT, count)
