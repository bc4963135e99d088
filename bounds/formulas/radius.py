"""The confidence radius beta(m), and how large a selection count a radius allows."""

from sympy import LambertW, ceiling, floor, log, pi, sqrt

from bounds.language.formula import Formula
from bounds.language.quantities import COUNT, DELTA, GAP, N, pure, queries

#: C_0 = 2 pi^2 N / (3 delta), the constant inside every logarithm of the paper.
LOG_CONSTANT = 2 * pi**2 * N / (3 * DELTA)

RADIUS = Formula(
    pure("radius", r"\beta(m)", "confidence radius of a mean of m observations in [0, 1]", ascii="beta"),
    sqrt(log(LOG_CONSTANT * COUNT**2) / (2 * COUNT)),
    "eq:qualified-set",
    valid="m >= 1; decreasing there for N >= 2 (lem:radius-monotone)",
)

SELECTION_BOUND = Formula(
    queries("selection_bound", "M(x)", "largest count m, rounded up, at which x <= 2 beta(m) is possible", ascii="M"),
    ceiling(4 / GAP**2 * log(57 * N / (DELTA * GAP**4))),
    "thm:sample-complexity",
    valid="x > 0",
)

EXACT_COUNT = Formula(
    queries("exact_count", "m^*(x)", "the real solution m of x = 2 beta(m)", ascii="m_star"),
    -4 / GAP**2 * LambertW(-(GAP**2) / (4 * sqrt(LOG_CONSTANT)), -1),
    "lem:radius-inversion, solved exactly",
    valid="0 < x <= 1",
    requires=(2 - GAP,),
)

EXACT_SELECTION_BOUND = Formula(
    queries("exact_selection_bound", r"\lfloor m^*(x) \rfloor", "largest count m at which x <= 2 beta(m) holds"),
    floor(EXACT_COUNT.expression),
    "lem:radius-inversion, solved exactly",
    valid="0 < x <= 1",
    requires=(2 - GAP,),
)
