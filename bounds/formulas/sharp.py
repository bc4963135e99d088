"""Improved bounds for the same mechanism and the same good event, each with its proof in a line.

They change nothing in the mechanism and need no further probability. `docs/sharp.md` tells the derivations.
"""

from __future__ import annotations

from fractions import Fraction

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
    money,
    pure,
    queries,
)
from bounds.language.terms import (
    LargestOverCompetitors,
    LargestOverUnqualified,
    Max,
    Min,
    OverCompetitors,
    OverUnqualified,
    log,
    sqrt,
)

N_QUALIFIED = declare("n_qualified", r"|\mathcal{Q}|", "number of qualified providers", PURE, 0)

# x <= 2 beta(m) iff m <= m*(x): the exact inverse instead of an upper bound of it.
SHARP_ELIMINATION_BOUND = Formula(
    queries("sharp_elimination_bound", r"\lfloor m^*(\varepsilon_i) \rfloor", "exact inverse in place of M_i"),
    EXACT_SELECTION_BOUND.at(gap=QUALITY_GAP),
    "lem:unqualified-elimination, improved",
    valid="on the good event; any bids",
    requires=(QUALITY_GAP,),
)

SHARP_ORDINARY_BOUND = Formula(
    queries("sharp_ordinary_bound", r"\lfloor m^*(\Delta_i / c_{\max}) \rfloor", "exact inverse in place of L_i"),
    EXACT_SELECTION_BOUND.at(gap=RELATIVE_COST_GAP),
    "lem:ordinary-selection-threshold, improved",
    valid=ORDINARY_BOUND.valid,
    requires=(COST_GAP - D_MINUS - D_PLUS,),
)

#: lem:ordinary-selection-gap never uses that i is qualified: a dear unqualified provider loses auctions as well.
#: Where its cost gap is the smaller of the two gaps, the quality gap decides, and the maximum below says so.
_DEAR_GAP = Max((C_UNQUALIFIED - C_STAR - D_MINUS - D_PLUS) / ((1 + GAMMA) * C_MAX), QUALITY_GAP)

SHARP_UNQUALIFIED_CAP = Formula(
    queries(
        "sharp_unqualified_cap",
        r"\min\{\lfloor m^*(\varepsilon_i) \rfloor, "
        r"\max\{\lfloor m^*((\bar c_i - \bar c_{i^*})/c_{\max}) \rfloor, \lceil g(T) \rceil - 1\}\}",
        "most post-initialization selections of an unqualified provider, by quality or by cost",
    ),
    Min(SHARP_ELIMINATION_BOUND, Max(EXACT_SELECTION_BOUND.at(gap=_DEAR_GAP), EXPLORATION_CAP)),
    "lem:unqualified-elimination and lem:ordinary-selection-gap, improved",
    valid="on the good event",
)

SHARP_COMPETITOR_CAP = Formula(
    queries(
        "sharp_competitor_cap",
        r"\max\{\lfloor m^*(\Delta_i / c_{\max}) \rfloor, \lceil g(T) \rceil - 1\}",
        "most post-initialization selections of a competitor",
    ),
    Max(SHARP_ORDINARY_BOUND, EXPLORATION_CAP),
    "lem:qualified-suboptimal-selection, improved",
    valid=ORDINARY_BOUND.valid,
)

SHARP_IDENTIFICATION_BOUND = Formula(
    queries(
        "sharp_identification_bound",
        r"B^{\sharp}_{\mathrm{id}}(T)",
        "most post-initialization queries not sent to the optimal provider",
    ),
    OverUnqualified(SHARP_UNQUALIFIED_CAP) + OverCompetitors(SHARP_COMPETITOR_CAP),
    "thm:sample-complexity, improved",
    valid=ORDINARY_BOUND.valid,
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
SHARP_EXPLORATION_STEPS_BOUND = Formula(
    queries(
        "sharp_exploration_steps_bound",
        r"\left(|\mathcal{Q}|(\lceil g(T) \rceil - 1) + \sum_{i \notin \mathcal{Q}} "
        r"\min\{\lfloor m^*(\varepsilon_i) \rfloor, \lceil g(T) \rceil - 1\}\right)",
        "most exploration steps of all providers",
    ),
    N_QUALIFIED * EXPLORATION_CAP + OverUnqualified(Min(SHARP_ELIMINATION_BOUND, EXPLORATION_CAP)),
    "lem:forced-exploration-bound, improved on the good event",
)

# sqrt(D (ln C_0 + 2 ln D)) is concave, so equal shares (T - N)/N are the worst case (Jensen).
_SHARE = Max(1, (HORIZON - N) / N)
SHARP_RADIUS_SUM_BOUND = Formula(
    pure("sharp_radius_sum_bound", r"S^{\sharp}_T", "bound on the sum of the radii of the selected providers"),
    sqrt(2 * N * (HORIZON - N) * log(LOG_CONSTANT * _SHARE**2)),
    "lem:radius-sum, improved",
    valid="T >= N",
)

SHARP_QUALITY_REGRET_ANYTIME = Formula(
    pure(
        "sharp_quality_regret_anytime",
        r"\overline{R}^{\mathrm{qual,any},\sharp}_T",
        "cumulative quality below the threshold, for any gaps",
    ),
    N + 2 * SHARP_RADIUS_SUM_BOUND,
    "thm:quality-guarantee, improved",
    valid="on the good event; any bids",
)

# Without the cost cap: for any bids, and where no unique i* tells who is dear.
SHARP_QUALITY_REGRET_BY_QUALITY = Formula(
    pure(
        "sharp_quality_regret_by_quality", r"\overline{R}^{\mathrm{qual,q},\sharp}_T", "the same, by quality gaps alone"
    ),
    OverUnqualified((SHARP_ELIMINATION_BOUND + 1) * QUALITY_GAP),
    "thm:quality-guarantee, improved",
    valid="on the good event; any bids",
)

SHARP_QUALITY_REGRET_GAP_DEPENDENT = Formula(
    pure(
        "sharp_quality_regret_gap_dependent",
        r"\overline{R}^{\mathrm{qual,gap},\sharp}_T",
        "the same, for the gaps at hand",
    ),
    OverUnqualified((SHARP_UNQUALIFIED_CAP + 1) * QUALITY_GAP),
    "thm:quality-guarantee, improved",
    valid="on the good event; bids within the stated deviations",
)

SHARP_QUALITY_REGRET = Formula(
    pure("sharp_quality_regret", r"\overline{R}^{\mathrm{qual},\sharp}_T", "cumulative quality below the threshold"),
    Min(SHARP_QUALITY_REGRET_ANYTIME, SHARP_QUALITY_REGRET_GAP_DEPENDENT),
    "thm:quality-guarantee, improved",
    valid="on the good event",
)

SHARP_GENERATION_REGRET_ANYTIME = Formula(
    money(
        "sharp_generation_regret_anytime",
        r"\overline{R}^{\mathrm{gen,any},\sharp}_T",
        "cumulative mean cost above the optimal one, for any gaps",
    ),
    (N - 1) * (EXPLORATION_CAP + 1) * C_MAX
    + 2 * (1 + GAMMA) * C_MAX * SHARP_RADIUS_SUM_BOUND
    + (D_MINUS + D_PLUS) * (HORIZON - N),
    "thm:generation-regret, improved",
    valid="on the good event",
)

SHARP_GENERATION_REGRET_GAP_DEPENDENT = Formula(
    money(
        "sharp_generation_regret_gap_dependent",
        r"\overline{R}^{\mathrm{gen,gap},\sharp}_T",
        "the same, for the gaps at hand",
    ),
    OverUnqualified((SHARP_UNQUALIFIED_CAP + 1) * Max(C_UNQUALIFIED - C_STAR, 0))
    + OverCompetitors((SHARP_COMPETITOR_CAP + 1) * COST_GAP),
    "thm:generation-regret, improved",
    valid=ORDINARY_BOUND.valid,
)

SHARP_GENERATION_REGRET = Formula(
    money(
        "sharp_generation_regret", r"\overline{R}^{\mathrm{gen},\sharp}_T", "cumulative mean cost above the optimal one"
    ),
    Min(SHARP_GENERATION_REGRET_ANYTIME, SHARP_GENERATION_REGRET_GAP_DEPENDENT),
    "thm:generation-regret, improved",
    valid=ORDINARY_BOUND.valid,
)

SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION = Formula(
    money(
        "sharp_excess_payment_without_exploration",
        r"\overline{E}^{\mathrm{pay,0},\sharp}_T",
        "cumulative payment above the second-lowest cost, initialization and auctions only",
    ),
    N * (C_MAX - C_2) + (1 + GAMMA) * C_MAX * SHARP_RADIUS_SUM_BOUND + D_PLUS * (HORIZON - N),
    "thm:excess-payment-general, improved",
    valid="on the good event",
)

SHARP_EXCESS_PAYMENT = Formula(
    money(
        "sharp_excess_payment",
        r"\overline{E}^{\mathrm{pay},\sharp}_T",
        "cumulative payment above the second-lowest cost",
    ),
    SHARP_EXPLORATION_STEPS_BOUND * (C_MAX - C_2) + SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION,
    "thm:excess-payment-general, improved",
    valid="on the good event",
)

# If I_t != i*, pi_t >= the winner's bid; if I_t = i*, every competitor is within 2 radii of its cost.
SHARP_LATE_PAYMENT_LOWER = Formula(
    money("sharp_late_payment_lower", r"\underline{\pi}^{g,\sharp}_t", "least an auction pays after T_0"),
    C_2 - 2 * COST_RADIUS_AT_TARGET - D_MINUS,
    "lem:two-sided-payment, improved; lem:deviation-payment proves it",
    valid="on the good event; t > T_0",
)

SHARP_LARGEST_ELIMINATION_BOUND = Formula(
    queries("sharp_largest_elimination_bound", r"\bar M^{\sharp}", "largest of 1 and the exact inverses"),
    Max(1, LargestOverUnqualified(SHARP_ELIMINATION_BOUND)),
    "thm:regret, improved",
)

SHARP_BURN_IN = Formula(
    queries("sharp_burn_in", r"T^{\sharp}_0", "time after which auctions involve qualified providers only"),
    N * Max(1, (SHARP_LARGEST_ELIMINATION_BOUND / K) ** (1 / ALPHA)),
    "thm:regret, improved",
    valid="on the good event",
)

# Payments and c_(2) lie in [0, c_max], so no step deviates by more than max{c_(2), c_max - c_(2)}.
SHARP_AVERAGE_PAYMENT_DEVIATION = Formula(
    money(
        "sharp_average_payment_deviation",
        r"\overline{D}^{\sharp}_T",
        "average distance of the payment from the second-lowest cost",
    ),
    SHARP_BURN_IN / HORIZON * Max(C_2, C_MAX - C_2)
    + DEVIATION_EXPLORATION
    + Fraction(2, 3) * DEVIATION_RADIUS
    + Max(D_MINUS, D_PLUS),
    "thm:regret, improved",
    valid="on the good event; T >= T_0; bids in [0, c_max]",
)
