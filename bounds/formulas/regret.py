"""Quality regret and generation-cost regret, both branches of each."""

from __future__ import annotations

import sympy

from bounds.formulas.radius import LOG_CONSTANT
from bounds.formulas.selection import (
    COMPETITOR_CAP,
    COST_GAP,
    ELIMINATION_BOUND,
    EXPLORATION_CAP,
    ORDINARY_BOUND,
    QUALITY_GAP,
)
from bounds.language.formula import define
from bounds.language.quantities import (
    C_MAX,
    C_STAR,
    C_UNQUALIFIED,
    D_MINUS,
    D_PLUS,
    GAMMA,
    HORIZON,
    MONEY,
    PURE,
    LargestOverCompetitors,
    LargestOverUnqualified,
    N,
    OverCompetitors,
    OverUnqualified,
)

RADIUS_SUM_BOUND = define(
    "radius_sum_bound",
    "S_T",
    "bound on the sum of the radii of the selected providers",
    PURE,
    sympy.sqrt(2 * N * (HORIZON - N) * sympy.log(LOG_CONSTANT * HORIZON**2)),
    "lem:radius-sum",
    valid="T >= N",
)

QUALITY_REGRET_ANYTIME = define(
    "quality_regret_anytime",
    r"\overline{R}^{\mathrm{qual,any}}_T",
    "cumulative quality below the threshold, for any gaps",
    PURE,
    N + 2 * RADIUS_SUM_BOUND.symbol,
    "thm:quality-guarantee",
    where=(RADIUS_SUM_BOUND,),
    valid="on the good event; any bids",
)

QUALITY_REGRET_GAP_DEPENDENT = define(
    "quality_regret_gap_dependent",
    r"\overline{R}^{\mathrm{qual,gap}}_T",
    "the same, for the gaps at hand",
    PURE,
    OverUnqualified((ELIMINATION_BOUND.symbol + 1) * QUALITY_GAP.symbol),
    "thm:quality-guarantee",
    where=(ELIMINATION_BOUND, QUALITY_GAP),
    valid="on the good event; any bids",
)

QUALITY_REGRET = define(
    "quality_regret",
    r"\overline{R}^{\mathrm{qual}}_T",
    "cumulative quality below the threshold",
    PURE,
    sympy.Min(QUALITY_REGRET_ANYTIME.symbol, QUALITY_REGRET_GAP_DEPENDENT.symbol),
    "thm:quality-guarantee",
    where=(QUALITY_REGRET_ANYTIME, QUALITY_REGRET_GAP_DEPENDENT),
    valid="on the good event; any bids",
)

GENERATION_REGRET_ANYTIME = define(
    "generation_regret_anytime",
    r"\overline{R}^{\mathrm{gen,any}}_T",
    "cumulative mean cost above the optimal one, for any gaps",
    MONEY,
    (N - 1) * (EXPLORATION_CAP.symbol + 1) * C_MAX
    + 2 * (1 + GAMMA) * C_MAX * RADIUS_SUM_BOUND.symbol
    + (D_MINUS + D_PLUS) * (HORIZON - N),
    "thm:generation-regret; thm:deviation-generation-regret",
    where=(EXPLORATION_CAP, RADIUS_SUM_BOUND),
    valid="on the good event",
)

GENERATION_REGRET_GAP_DEPENDENT = define(
    "generation_regret_gap_dependent",
    r"\overline{R}^{\mathrm{gen,gap}}_T",
    "the same, for the gaps at hand",
    MONEY,
    OverUnqualified((ELIMINATION_BOUND.symbol + 1) * sympy.Max(C_UNQUALIFIED - C_STAR, 0))
    + OverCompetitors((COMPETITOR_CAP.symbol + 1) * COST_GAP.symbol),
    "thm:generation-regret; thm:deviation-generation-regret",
    where=(ELIMINATION_BOUND, COMPETITOR_CAP, COST_GAP),
    valid=ORDINARY_BOUND.valid,
)

GENERATION_REGRET = define(
    "generation_regret",
    r"\overline{R}^{\mathrm{gen}}_T",
    "cumulative mean cost above the optimal one",
    MONEY,
    sympy.Min(GENERATION_REGRET_ANYTIME.symbol, GENERATION_REGRET_GAP_DEPENDENT.symbol),
    "thm:generation-regret",
    where=(GENERATION_REGRET_ANYTIME, GENERATION_REGRET_GAP_DEPENDENT),
    valid=ORDINARY_BOUND.valid,
)

TRIVIAL_QUALITY_REGRET = define(
    "trivial_quality_regret",
    r"T \max_i \varepsilon_i",
    "quality regret if the worst provider served always",
    PURE,
    HORIZON * LargestOverUnqualified(QUALITY_GAP.symbol),
    "definition of the regret",
    where=(QUALITY_GAP,),
)

TRIVIAL_GENERATION_REGRET = define(
    "trivial_generation_regret",
    r"T \max_i (\bar c_i - \bar c_{i^*})^+",
    "regret if the dearest provider served always",
    MONEY,
    HORIZON
    * sympy.Max(LargestOverUnqualified(sympy.Max(C_UNQUALIFIED - C_STAR, 0)), LargestOverCompetitors(COST_GAP.symbol)),
    "definition of the regret",
    where=(COST_GAP,),
)
