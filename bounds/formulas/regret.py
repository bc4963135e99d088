"""Quality regret and generation regret, both branches of each."""

from sympy import log, sqrt

from bounds.formulas.radius import LOG_CONSTANT
from bounds.formulas.selection import (
    COMPETITOR_CAP,
    COST_GAP,
    ELIMINATION_BOUND,
    EXPLORATION_CAP,
    ORDINARY_BOUND,
    QUALITY_GAP,
)
from bounds.language.formula import Formula
from bounds.language.quantities import C_MAX, C_STAR, C_UNQUALIFIED, D_MINUS, D_PLUS, GAMMA, HORIZON, N, money, pure
from bounds.language.reductions import (
    LargestOverCompetitors,
    LargestOverUnqualified,
    Max,
    Min,
    OverCompetitors,
    OverUnqualified,
)

RADIUS_SUM_BOUND = Formula(
    pure("radius_sum_bound", "S_T", "bound on the sum of the radii of the selected providers"),
    sqrt(2 * N * (HORIZON - N) * log(LOG_CONSTANT * HORIZON**2)),
    "lem:radius-sum",
    valid="T >= N",
)

QUALITY_REGRET_ANYTIME = Formula(
    pure(
        "quality_regret_anytime",
        r"\overline{R}^{\mathrm{qual,any}}_T",
        "cumulative quality below the threshold, for any gaps",
    ),
    N + 2 * RADIUS_SUM_BOUND,
    "thm:quality-guarantee",
    valid="on the good event; any bids",
)

QUALITY_REGRET_GAP_DEPENDENT = Formula(
    pure("quality_regret_gap_dependent", r"\overline{R}^{\mathrm{qual,gap}}_T", "the same, for the gaps at hand"),
    OverUnqualified((ELIMINATION_BOUND + 1) * QUALITY_GAP),
    "thm:quality-guarantee",
    valid="on the good event; any bids",
)

QUALITY_REGRET = Formula(
    pure("quality_regret", r"\overline{R}^{\mathrm{qual}}_T", "cumulative quality below the threshold"),
    Min(QUALITY_REGRET_ANYTIME, QUALITY_REGRET_GAP_DEPENDENT),
    "thm:quality-guarantee",
    valid="on the good event; any bids",
)

GENERATION_REGRET_ANYTIME = Formula(
    money(
        "generation_regret_anytime",
        r"\overline{R}^{\mathrm{gen,any}}_T",
        "cumulative mean cost above the optimal one, for any gaps",
    ),
    (N - 1) * (EXPLORATION_CAP + 1) * C_MAX
    + 2 * (1 + GAMMA) * C_MAX * RADIUS_SUM_BOUND
    + (D_MINUS + D_PLUS) * (HORIZON - N),
    "thm:generation-regret; thm:deviation-generation-regret",
    valid="on the good event",
)

GENERATION_REGRET_GAP_DEPENDENT = Formula(
    money("generation_regret_gap_dependent", r"\overline{R}^{\mathrm{gen,gap}}_T", "the same, for the gaps at hand"),
    OverUnqualified((ELIMINATION_BOUND + 1) * Max(C_UNQUALIFIED - C_STAR, 0))
    + OverCompetitors((COMPETITOR_CAP + 1) * COST_GAP),
    "thm:generation-regret; thm:deviation-generation-regret",
    valid=ORDINARY_BOUND.valid,
)

GENERATION_REGRET = Formula(
    money("generation_regret", r"\overline{R}^{\mathrm{gen}}_T", "cumulative mean cost above the optimal one"),
    Min(GENERATION_REGRET_ANYTIME, GENERATION_REGRET_GAP_DEPENDENT),
    "thm:generation-regret",
    valid=ORDINARY_BOUND.valid,
)

TRIVIAL_QUALITY_REGRET = Formula(
    pure("trivial_quality_regret", r"T \max_i \varepsilon_i", "quality regret if the worst provider served always"),
    HORIZON * LargestOverUnqualified(QUALITY_GAP),
    "definition of the regret",
)

TRIVIAL_GENERATION_REGRET = Formula(
    money(
        "trivial_generation_regret",
        r"T \max_i (\bar c_i - \bar c_{i^*})^+",
        "regret if the dearest provider served always",
    ),
    HORIZON * Max(LargestOverUnqualified(Max(C_UNQUALIFIED - C_STAR, 0)), LargestOverCompetitors(COST_GAP)),
    "definition of the regret",
)
