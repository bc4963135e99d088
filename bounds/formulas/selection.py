"""How often a provider that should not serve is selected, and until when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import ceiling, floor

from bounds.formulas.radius import SELECTION_BOUND
from bounds.language.arithmetic import Array
from bounds.language.formula import Formula
from bounds.language.quantities import (
    ALPHA,
    C_COMPETITOR,
    C_MAX,
    C_STAR,
    D_MINUS,
    D_PLUS,
    GAMMA,
    HORIZON,
    Q_MIN,
    Q_UNQUALIFIED,
    STEP,
    K,
    N,
    money,
    pure,
    queries,
)
from bounds.language.reductions import LargestOverUnqualified, Max, OverCompetitors, OverUnqualified

EXPLORATION_TARGET = Formula(
    queries("exploration_target", "g(t)", "selection count below which an eligible provider is explored", ascii="g"),
    K * (STEP / N) ** ALPHA,
    "alg:platform",
)

EXPLORATION_CAP = Formula(
    queries("exploration_cap", r"\left(\lceil g(T) \rceil - 1\right)", "most exploration steps of one provider"),
    ceiling(EXPLORATION_TARGET.at(step=HORIZON)) - 1,
    "lem:forced-exploration-bound",
)

EXPLORATION_STEPS_BOUND = Formula(
    queries("exploration_steps_bound", r"N(\lceil g(T) \rceil - 1)", "most exploration steps of all providers"),
    N * EXPLORATION_CAP,
    "lem:forced-exploration-bound",
)

QUALITY_GAP = Formula(
    pure("quality_gap", r"\varepsilon_i", "how far an unqualified quality falls short", ascii="eps"),
    Q_MIN - Q_UNQUALIFIED,
    "eq:optimal-provider",
)

COST_GAP = Formula(
    money(
        "cost_gap", r"\Delta_i", "how much dearer a qualified competitor is than the optimal provider", ascii="Delta"
    ),
    C_COMPETITOR - C_STAR,
    "eq:optimal-provider",
)

ELIMINATION_BOUND = Formula(
    queries("elimination_bound", "M_i", "most post-initialization selections of an unqualified provider"),
    SELECTION_BOUND.at(gap=QUALITY_GAP),
    "lem:unqualified-elimination",
    valid="on the good event; any bids",
    requires=(QUALITY_GAP,),
)

#: (Delta_i - d_- - d_+) / ((1 + gamma) c_max): the gap of a competitor in units of its radius.
RELATIVE_COST_GAP = (COST_GAP - D_MINUS - D_PLUS) / ((1 + GAMMA) * C_MAX)

ORDINARY_BOUND = Formula(
    queries("ordinary_bound", "L_i", "count above which a competitor no longer wins an auction", ascii="L"),
    SELECTION_BOUND.at(gap=RELATIVE_COST_GAP),
    "lem:ordinary-selection-threshold; prop:bayesian-substitution; prop:deviation-selection",
    valid="on the good event; Delta_i > d_- + d_+",
    requires=(COST_GAP - D_MINUS - D_PLUS,),
)

COMPETITOR_CAP = Formula(
    queries(
        "competitor_cap", r"\max\{L_i, \lceil g(T) \rceil - 1\}", "most post-initialization selections of a competitor"
    ),
    Max(ORDINARY_BOUND, EXPLORATION_CAP),
    "lem:qualified-suboptimal-selection",
    valid=ORDINARY_BOUND.valid,
)

SUM_ELIMINATION_BOUNDS = Formula(
    queries(
        "sum_quality_selection_bounds", r"\sum_{i \notin \mathcal{Q}} M_i", "sum of the bounds of unqualified providers"
    ),
    OverUnqualified(ELIMINATION_BOUND),
    "lem:unqualified-elimination",
    valid=ELIMINATION_BOUND.valid,
)

SUM_ORDINARY_BOUNDS = Formula(
    queries(
        "sum_cost_selection_bounds",
        r"\sum_{i \in \mathcal{Q} \setminus \{i^*\}} L_i",
        "sum of the bounds of competitors",
    ),
    OverCompetitors(ORDINARY_BOUND),
    "lem:ordinary-selection-threshold",
    valid=ORDINARY_BOUND.valid,
)

UNQUALIFIED_SELECTIONS_BOUND = Formula(
    queries(
        "unqualified_selections_bound",
        r"\sum_{i \notin \mathcal{Q}} (M_i + 1)",
        "most queries sent to unqualified providers",
    ),
    OverUnqualified(ELIMINATION_BOUND + 1),
    "thm:quality-guarantee",
    valid=ELIMINATION_BOUND.valid,
)

IDENTIFICATION_BOUND = Formula(
    queries(
        "identification_bound",
        r"B_{\mathrm{id}}(T)",
        "most post-initialization queries not sent to the optimal provider",
        ascii="B_id",
    ),
    SUM_ELIMINATION_BOUNDS.expression + OverCompetitors(COMPETITOR_CAP),
    "thm:sample-complexity, tightened as in appendix D",
    valid=ORDINARY_BOUND.valid,
)

IDENTIFICATION_BOUND_MAIN_TEXT = Formula(
    queries(
        "identification_bound_main_text",
        r"\tilde{B}_{\mathrm{id}}(T)",
        "B_id(T) of the main text, with the real-valued k (T/N)^alpha",
    ),
    SUM_ELIMINATION_BOUNDS.expression + OverCompetitors(Max(ORDINARY_BOUND, EXPLORATION_TARGET.at(step=HORIZON))),
    "thm:sample-complexity, as printed in the main text",
    valid=ORDINARY_BOUND.valid,
)

TRIVIAL_IDENTIFICATION_BOUND = Formula(
    queries("trivial_identification_bound", "T - N", "all queries after initialization"),
    HORIZON - N,
    "definition of the count",
)

NON_OPTIMAL_STEPS_BOUND = Formula(
    queries("non_optimal_steps_bound", r"N - 1 + B_{\mathrm{id}}(T)", "most queries not sent to the optimal provider"),
    N - 1 + IDENTIFICATION_BOUND,
    "thm:sample-complexity",
    valid=ORDINARY_BOUND.valid,
)

TARGET_FLOOR = Formula(
    queries("target_floor", r"\lfloor g(T) \rfloor", "target selection count, rounded down"),
    floor(EXPLORATION_TARGET.at(step=HORIZON)),
    "alg:platform",
)

LARGEST_ELIMINATION_BOUND = Formula(
    queries("largest_elimination_bound", r"\bar M", "largest of 1 and the bounds M_i"),
    Max(1, LargestOverUnqualified(ELIMINATION_BOUND)),
    "thm:regret",
)

BURN_IN = Formula(
    queries("burn_in", "T_0", "time after which auctions involve qualified providers only", ascii="T_0"),
    N * Max(1, (LARGEST_ELIMINATION_BOUND / K) ** (1 / ALPHA)),
    "thm:regret",
    valid="on the good event",
)

# T_0 = N max{1, (Mbar/k)^(1/alpha)}, g(t) = k (t/N)^alpha and Mbar >= 1 is whole. Since g increases, t > T_0 says
# t > N and g(t) > Mbar, that is ceil(g(t)) > Mbar; and t >= T_0 says t >= N and floor(g(t)) >= Mbar. So whole numbers
# decide, not the rounded T_0.


def after_burn_in(values: Mapping[str, Any], times: Any, largest: Formula = LARGEST_ELIMINATION_BOUND) -> Array:
    """Return whether t > T_0 for whole times.

    Parameters
    ----------
    values : mapping
        See `bounds.setting.formula_inputs.formula_inputs`.
    times : int or array of int
    largest : Formula, optional
        Mbar, by default the paper's.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> after_burn_in(formula_inputs(published("gpqa-strong").setting), [70_000, 3_904_781]).tolist()
    [False, True]
    """
    whole = np.asarray(times)
    reached = EXPLORATION_CAP(values, horizon=whole) + 1 > largest(values)
    return np.asarray((whole > values["n_providers"]) & reached)


def from_burn_in(values: Mapping[str, Any], times: Any, largest: Formula = LARGEST_ELIMINATION_BOUND) -> Array:
    """Return whether t >= T_0 for whole times; see `after_burn_in`.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> from_burn_in(formula_inputs(published("gpqa-strong").setting), 3_904_780).item()
    False
    """
    whole = np.asarray(times)
    return np.asarray((whole >= values["n_providers"]) & (TARGET_FLOOR(values, horizon=whole) >= largest(values)))
