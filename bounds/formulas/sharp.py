"""Improved bounds for the same mechanism and the same good event, each with its proof in a line.

They change nothing in the mechanism and need no further probability.
`costproof docs sharper-bounds` has the derivations.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import log, sqrt

from bounds.formulas import payment, regret, selection
from bounds.formulas.payment import COST_RADIUS_AT_TARGET, DEVIATION_EXPLORATION, DEVIATION_RADIUS
from bounds.formulas.radius import EXACT_SELECTION_BOUND, LOG_CONSTANT
from bounds.formulas.selection import COST_GAP, EXPLORATION_CAP, ORDINARY_BOUND, QUALITY_GAP, RELATIVE_COST_GAP
from bounds.language.formula import Formula
from bounds.language.quantities import (
    ALPHA,
    C_2,
    C_MAX,
    C_STAR,
    C_UNQUALIFIED,
    D_MINUS,
    D_PLUS,
    GAMMA,
    HORIZON,
    PURE,
    K,
    N,
    declare,
    pure,
    queries,
)
from bounds.language.reductions import (
    LargestOverCompetitors,
    LargestOverUnqualified,
    Max,
    Min,
    OverCompetitors,
    OverUnqualified,
)

N_QUALIFIED = declare("n_qualified", r"|\mathcal{Q}|", "number of qualified providers", PURE, 0, ascii="n_Q")


def improved(printed: Formula, right_side: Any, *, latex: str = "", meaning: str = "", **more: Any) -> Formula:
    """Return what takes the place of a printed bound: the same quantity, source and range where nothing else is said.

    Examples
    --------
    >>> better = improved(selection.BURN_IN, N)
    >>> better.quantity.latex, better.source
    ('T^{\\\\sharp}_0', 'thm:regret, improved')
    """
    quantity = printed.quantity
    symbol, told = latex or _with_sharp(quantity.latex), meaning or quantity.meaning
    left = replace(quantity, name=f"sharp_{quantity.name}", latex=symbol, meaning=told, ascii="")
    source = f"{re.split('[;,]', printed.source)[0]}, improved"
    return Formula(left, right_side, **{"source": source, "valid": printed.valid, "requires": printed.requires, **more})


def _with_sharp(latex: str) -> str:
    """Return a symbol with a sharp as its superscript, or behind the one that it has."""
    symbol, mark, index = latex.partition("_")
    return latex.replace("}_", r",\sharp}_") if "^" in latex else rf"{symbol}^{{\sharp}}{mark}{index}"


# x <= 2 beta(m) iff m <= m*(x): the exact inverse instead of an upper bound of it.
SHARP_ELIMINATION_BOUND = improved(
    selection.ELIMINATION_BOUND,
    EXACT_SELECTION_BOUND.at(gap=QUALITY_GAP),
    latex=r"\lfloor m^*(\varepsilon_i) \rfloor",
    meaning="exact inverse in place of M_i",
)

SHARP_ORDINARY_BOUND = improved(
    ORDINARY_BOUND,
    EXACT_SELECTION_BOUND.at(gap=RELATIVE_COST_GAP),
    latex=r"\lfloor m^*(\Delta_i / c_{\max}) \rfloor",
    meaning="exact inverse in place of L_i",
)

#: lem:ordinary-selection-gap never uses that i is qualified: an expensive unqualified provider loses auctions as well.
#: Where its cost gap is the smaller of the two gaps, the quality gap decides, and the maximum below says so.
DEAR_GAP = Max((C_UNQUALIFIED - C_STAR - D_MINUS - D_PLUS) / ((1 + GAMMA) * C_MAX), QUALITY_GAP)

SHARP_UNQUALIFIED_CAP = Formula(
    queries(
        "sharp_unqualified_cap",
        r"\min\{\lfloor m^*(\varepsilon_i) \rfloor, "
        r"\max\{\lfloor m^*((\bar c_i - \bar c_{i^*})/c_{\max}) \rfloor, \lceil g(T) \rceil - 1\}\}",
        "most post-initialization selections of an unqualified provider, by quality or by cost",
    ),
    Min(SHARP_ELIMINATION_BOUND, Max(EXACT_SELECTION_BOUND.at(gap=DEAR_GAP), EXPLORATION_CAP)),
    "lem:unqualified-elimination and lem:ordinary-selection-gap, improved",
    valid="on the good event",
)

SHARP_COMPETITOR_CAP = improved(
    selection.COMPETITOR_CAP,
    Max(SHARP_ORDINARY_BOUND, EXPLORATION_CAP),
    latex=r"\max\{\lfloor m^*(\Delta_i / c_{\max}) \rfloor, \lceil g(T) \rceil - 1\}",
)

SHARP_IDENTIFICATION_BOUND = improved(
    selection.IDENTIFICATION_BOUND, OverUnqualified(SHARP_UNQUALIFIED_CAP) + OverCompetitors(SHARP_COMPETITOR_CAP)
)

# i* leads provider i once T - (N - 1) - B > 1 + cap_i: only one cap counts twice.
SHARP_LEAD_BOUND = Formula(
    queries(
        "sharp_lead_bound",
        r"B^{\sharp}_{\mathrm{id}}(T) + \max_i \mathrm{cap}_i(T)",
        "what T - N must exceed for the optimal provider to lead",
    ),
    SHARP_IDENTIFICATION_BOUND
    + Max(LargestOverUnqualified(SHARP_UNQUALIFIED_CAP), LargestOverCompetitors(SHARP_COMPETITOR_CAP)),
    "claim:T_id, improved",
    valid=ORDINARY_BOUND.valid,
)

# An unqualified provider is explored no more often than it is selected.
SHARP_EXPLORATION_STEPS_BOUND = improved(
    selection.EXPLORATION_STEPS_BOUND,
    N_QUALIFIED * EXPLORATION_CAP + OverUnqualified(Min(SHARP_ELIMINATION_BOUND, EXPLORATION_CAP)),
    latex=r"\left(|\mathcal{Q}|(\lceil g(T) \rceil - 1) + \sum_{i \notin \mathcal{Q}} "
    r"\min\{\lfloor m^*(\varepsilon_i) \rfloor, \lceil g(T) \rceil - 1\}\right)",
    source="lem:forced-exploration-bound, improved on the good event",
)

# sqrt(D (ln C_0 + 2 ln D)) is concave, so equal shares (T - N)/N are the worst case (Jensen).
SHARP_RADIUS_SUM_BOUND = improved(
    regret.RADIUS_SUM_BOUND, sqrt(2 * N * (HORIZON - N) * log(LOG_CONSTANT * Max(1, (HORIZON - N) / N) ** 2))
)

SHARP_QUALITY_REGRET_ANYTIME = improved(regret.QUALITY_REGRET_ANYTIME, N + 2 * SHARP_RADIUS_SUM_BOUND)

# Without the cost cap: for any bids, and where no unique i* tells who is expensive.
SHARP_QUALITY_REGRET_BY_QUALITY = Formula(
    pure(
        "sharp_quality_regret_by_quality", r"\overline{R}^{\mathrm{qual,q},\sharp}_T", "the same, by quality gaps alone"
    ),
    OverUnqualified((SHARP_ELIMINATION_BOUND + 1) * QUALITY_GAP),
    "thm:quality-guarantee, improved",
    valid="on the good event; any bids",
)

SHARP_QUALITY_REGRET_GAP_DEPENDENT = improved(
    regret.QUALITY_REGRET_GAP_DEPENDENT,
    OverUnqualified((SHARP_UNQUALIFIED_CAP + 1) * QUALITY_GAP),
    valid="on the good event; bids within the stated deviations",
)

SHARP_QUALITY_REGRET = improved(
    regret.QUALITY_REGRET,
    Min(SHARP_QUALITY_REGRET_ANYTIME, SHARP_QUALITY_REGRET_GAP_DEPENDENT),
    valid="on the good event",
)

SHARP_GENERATION_REGRET_ANYTIME = improved(
    regret.GENERATION_REGRET_ANYTIME,
    (N - 1) * (EXPLORATION_CAP + 1) * C_MAX
    + 2 * (1 + GAMMA) * C_MAX * SHARP_RADIUS_SUM_BOUND
    + (D_MINUS + D_PLUS) * (HORIZON - N),
)

SHARP_GENERATION_REGRET_GAP_DEPENDENT = improved(
    regret.GENERATION_REGRET_GAP_DEPENDENT,
    OverUnqualified((SHARP_UNQUALIFIED_CAP + 1) * Max(C_UNQUALIFIED - C_STAR, 0))
    + OverCompetitors((SHARP_COMPETITOR_CAP + 1) * COST_GAP),
)

SHARP_GENERATION_REGRET = improved(
    regret.GENERATION_REGRET, Min(SHARP_GENERATION_REGRET_ANYTIME, SHARP_GENERATION_REGRET_GAP_DEPENDENT)
)

SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION = improved(
    payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION,
    N * (C_MAX - C_2) + (1 + GAMMA) * C_MAX * SHARP_RADIUS_SUM_BOUND + D_PLUS * (HORIZON - N),
)

SHARP_EXCESS_PAYMENT = improved(
    payment.EXCESS_PAYMENT, SHARP_EXPLORATION_STEPS_BOUND * (C_MAX - C_2) + SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION
)

# If I_t != i*, pi_t >= the winner's bid; if I_t = i*, every competitor is within 2 radii of its cost.
SHARP_LATE_PAYMENT_LOWER = improved(
    payment.LATE_PAYMENT_LOWER,
    C_2 - 2 * COST_RADIUS_AT_TARGET - D_MINUS,
    source="lem:two-sided-payment, improved; lem:deviation-payment proves it",
)

SHARP_LARGEST_ELIMINATION_BOUND = improved(
    selection.LARGEST_ELIMINATION_BOUND,
    Max(1, LargestOverUnqualified(SHARP_ELIMINATION_BOUND)),
    meaning="largest of 1 and the exact inverses",
)

SHARP_BURN_IN = improved(selection.BURN_IN, N * Max(1, (SHARP_LARGEST_ELIMINATION_BOUND / K) ** (1 / ALPHA)))

# Payments and c_(2) lie in [0, c_max], so no step deviates by more than max{c_(2), c_max - c_(2)}.
SHARP_AVERAGE_PAYMENT_DEVIATION = improved(
    payment.AVERAGE_PAYMENT_DEVIATION,
    SHARP_BURN_IN / HORIZON * Max(C_2, C_MAX - C_2)
    + DEVIATION_EXPLORATION
    + Fraction(2, 3) * DEVIATION_RADIUS
    + Max(D_MINUS, D_PLUS),
    valid="on the good event; T >= T_0; bids in [0, c_max]",
)
