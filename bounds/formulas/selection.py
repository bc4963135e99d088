"""How often a provider that should not serve is selected, and until when."""

from __future__ import annotations

import sympy

from bounds.formulas.radius import SELECTION_BOUND, at_gap
from bounds.language.formula import define
from bounds.language.quantities import (
    ALPHA,
    C_COMPETITOR,
    C_MAX,
    C_STAR,
    D_MINUS,
    D_PLUS,
    GAMMA,
    HORIZON,
    MONEY,
    PURE,
    Q_MIN,
    Q_UNQUALIFIED,
    QUERIES,
    STEP,
    K,
    LargestOverUnqualified,
    N,
    OverCompetitors,
    OverUnqualified,
)

EXPLORATION_TARGET = define(
    "exploration_target",
    "g(t)",
    "selection count below which an eligible provider is explored",
    QUERIES,
    K * (STEP / N) ** ALPHA,
    "alg:platform",
)

EXPLORATION_CAP = define(
    "exploration_cap",
    r"\left(\lceil g(T) \rceil - 1\right)",
    "most exploration steps of one provider",
    QUERIES,
    sympy.ceiling(EXPLORATION_TARGET.expression.subs(STEP, HORIZON)) - 1,
    "lem:forced-exploration-bound",
)

EXPLORATION_STEPS_BOUND = define(
    "exploration_steps_bound",
    r"N(\lceil g(T) \rceil - 1)",
    "most exploration steps of all providers",
    QUERIES,
    N * EXPLORATION_CAP.symbol,
    "lem:forced-exploration-bound",
    where=(EXPLORATION_CAP,),
)

QUALITY_GAP = define(
    "quality_gap",
    r"\varepsilon_i",
    "how far an unqualified quality falls short",
    PURE,
    Q_MIN - Q_UNQUALIFIED,
    "eq:optimal-provider",
)

COST_GAP = define(
    "cost_gap",
    r"\Delta_i",
    "how much dearer a qualified competitor is than the optimal provider",
    MONEY,
    C_COMPETITOR - C_STAR,
    "eq:optimal-provider",
)

ELIMINATION_BOUND = define(
    "elimination_bound",
    "M_i",
    "most post-initialization selections of an unqualified provider",
    QUERIES,
    at_gap(SELECTION_BOUND, QUALITY_GAP.symbol),
    "lem:unqualified-elimination",
    where=(QUALITY_GAP,),
    valid="on the good event; any bids",
    requires=(QUALITY_GAP.symbol,),
)

#: (Delta_i - d_- - d_+) / ((1 + gamma) c_max): the gap of a competitor in units of its radius.
RELATIVE_COST_GAP = (COST_GAP.symbol - D_MINUS - D_PLUS) / ((1 + GAMMA) * C_MAX)

ORDINARY_BOUND = define(
    "ordinary_bound",
    "L_i",
    "count above which a competitor no longer wins an auction",
    QUERIES,
    at_gap(SELECTION_BOUND, RELATIVE_COST_GAP),
    "lem:ordinary-selection-threshold; prop:bayesian-substitution; prop:deviation-selection",
    where=(COST_GAP,),
    valid="on the good event; Delta_i > d_- + d_+",
    requires=(COST_GAP.symbol - D_MINUS - D_PLUS,),
)

COMPETITOR_CAP = define(
    "competitor_cap",
    r"\max\{L_i, \lceil g(T) \rceil - 1\}",
    "most post-initialization selections of a competitor",
    QUERIES,
    sympy.Max(ORDINARY_BOUND.symbol, EXPLORATION_CAP.symbol),
    "lem:qualified-suboptimal-selection",
    where=(ORDINARY_BOUND, EXPLORATION_CAP),
    valid=ORDINARY_BOUND.valid,
)

SUM_ELIMINATION_BOUNDS = define(
    "sum_quality_selection_bounds",
    r"\sum_{i \notin \mathcal{Q}} M_i",
    "sum of the bounds of unqualified providers",
    QUERIES,
    OverUnqualified(ELIMINATION_BOUND.symbol),
    "lem:unqualified-elimination",
    where=(ELIMINATION_BOUND,),
    valid=ELIMINATION_BOUND.valid,
)

SUM_ORDINARY_BOUNDS = define(
    "sum_cost_selection_bounds",
    r"\sum_{i \in \mathcal{Q} \setminus \{i^*\}} L_i",
    "sum of the bounds of competitors",
    QUERIES,
    OverCompetitors(ORDINARY_BOUND.symbol),
    "lem:ordinary-selection-threshold",
    where=(ORDINARY_BOUND,),
    valid=ORDINARY_BOUND.valid,
)

UNQUALIFIED_SELECTIONS_BOUND = define(
    "unqualified_selections_bound",
    r"\sum_{i \notin \mathcal{Q}} (M_i + 1)",
    "most queries sent to unqualified providers",
    QUERIES,
    OverUnqualified(ELIMINATION_BOUND.symbol + 1),
    "thm:quality-guarantee",
    where=(ELIMINATION_BOUND,),
    valid=ELIMINATION_BOUND.valid,
)

IDENTIFICATION_BOUND = define(
    "identification_bound",
    r"B_{\mathrm{id}}(T)",
    "most post-initialization queries not sent to the optimal provider",
    QUERIES,
    SUM_ELIMINATION_BOUNDS.expression + OverCompetitors(COMPETITOR_CAP.symbol),
    "thm:sample-complexity, tightened as in appendix D",
    where=(ELIMINATION_BOUND, COMPETITOR_CAP),
    valid=ORDINARY_BOUND.valid,
)

IDENTIFICATION_BOUND_MAIN_TEXT = define(
    "identification_bound_main_text",
    r"B_{\mathrm{id}}(T)",
    "the same with the real k (T/N)^alpha of the main text",
    QUERIES,
    SUM_ELIMINATION_BOUNDS.expression
    + OverCompetitors(sympy.Max(ORDINARY_BOUND.symbol, EXPLORATION_TARGET.expression.subs(STEP, HORIZON))),
    "thm:sample-complexity",
    where=(ELIMINATION_BOUND, ORDINARY_BOUND),
    valid=ORDINARY_BOUND.valid,
)

NON_OPTIMAL_STEPS_BOUND = define(
    "non_optimal_steps_bound",
    r"N - 1 + B_{\mathrm{id}}(T)",
    "most queries not sent to the optimal provider",
    QUERIES,
    N - 1 + IDENTIFICATION_BOUND.symbol,
    "thm:sample-complexity",
    where=(IDENTIFICATION_BOUND,),
    valid=ORDINARY_BOUND.valid,
)

TARGET_FLOOR = define(
    "target_floor",
    r"\lfloor g(T) \rfloor",
    "target selection count, rounded down",
    QUERIES,
    sympy.floor(EXPLORATION_TARGET.expression.subs(STEP, HORIZON)),
    "alg:platform",
)

LARGEST_ELIMINATION_BOUND = define(
    "largest_elimination_bound",
    r"\bar M",
    "largest of 1 and the bounds M_i",
    QUERIES,
    sympy.Max(1, LargestOverUnqualified(ELIMINATION_BOUND.symbol)),
    "thm:regret",
    where=(ELIMINATION_BOUND,),
)

BURN_IN = define(
    "burn_in",
    "T_0",
    "time after which auctions involve qualified providers only",
    QUERIES,
    N * sympy.Max(1, (LARGEST_ELIMINATION_BOUND.symbol / K) ** (1 / ALPHA)),
    "thm:regret",
    where=(LARGEST_ELIMINATION_BOUND,),
    valid="on the good event",
)
