"""How far a conjugate prior pulls a cost estimate from the empirical mean, in confidence radii (asmp:beliefs)."""

from __future__ import annotations

import math

import numpy as np

from bounds.errors import InputError
from bounds.formulas.radius import EXACT_SELECTION_BOUND, RADIUS
from bounds.formulas.selection import COST_GAP, ORDINARY_BOUND, RELATIVE_COST_GAP
from bounds.language.formula import Formula
from bounds.language.quantities import (
    ALPHA,
    C_MAX,
    COUNT,
    D_MINUS,
    D_PLUS,
    MONEY,
    QUERIES,
    K,
    N,
    declare,
    pure,
    queries,
)

PRIOR_STRENGTH = declare("prior_strength", "n_0", "observations that the prior is worth", QUERIES, 0)
PRIOR_SPREAD = declare(
    "prior_spread", r"\max\{\mu_0, c_{\max} - \mu_0\}", "largest distance of the prior mean from a cost", MONEY, 0
)

SHRINKAGE_SLACK = Formula(
    pure("shrinkage_slack", r"\gamma_m", "largest pull of a prior after m costs, in radii c_max beta(m)"),
    PRIOR_STRENGTH / (PRIOR_STRENGTH + COUNT) * PRIOR_SPREAD / (C_MAX * RADIUS),
    "asmp:beliefs, for a posterior mean (n_0 mu_0 + sum of costs) / (n_0 + m)",
)

#: If competitor i wins an auction although its radius is not widened, Delta_i <= (2 + gamma) c_max beta(m_i) + gamma
#: c_max beta(m_i*) <= 2 (1 + gamma) c_max beta(min{m_i, m_i*}); and an auction is held only where both counts are at
#: least g(t). So g(t) <= m*(Delta_i / ((1 + gamma) c_max)): g, which grows, bounds the time.
UNWIDENED_TARGET_AT_WIN = Formula(
    queries(
        "unwidened_target_at_win",
        r"\lfloor m^*(\Delta_i / ((1 + \gamma) c_{\max})) \rfloor",
        "largest g(t), rounded up, at which a competitor wins an auction without widening",
    ),
    EXACT_SELECTION_BOUND.at(gap=RELATIVE_COST_GAP),
    "claim:own-unwidened-wins-stop",
    valid="on the good event, radius c_max beta(m), estimates within gamma radii; " + ORDINARY_BOUND.valid,
    requires=(COST_GAP - D_MINUS - D_PLUS,),
)

LAST_UNWIDENED_WIN = Formula(
    queries(
        "last_unwidened_win",
        r"N (\lfloor m^*(\Delta_i / ((1 + \gamma) c_{\max})) \rfloor / k)^{1/\alpha}",
        "time after which a competitor wins no auction without widening; free of T",
    ),
    N * (UNWIDENED_TARGET_AT_WIN / K) ** (1 / ALPHA),
    UNWIDENED_TARGET_AT_WIN.source,
    valid=UNWIDENED_TARGET_AT_WIN.valid,
    requires=UNWIDENED_TARGET_AT_WIN.requires,
)


def shrinkage_belief_slack(
    prior_mean: float, prior_strength: float, *, cost_bound: float, n_providers: int, confidence: float
) -> float:
    """Return the least gamma that satisfies asmp:beliefs for a shrinkage estimate, rounded up slightly.

    Parameters
    ----------
    prior_mean : float
        mu_0 in [0, c_max], money per query.
    prior_strength : float
        n_0 >= 0, in observations.
    cost_bound, n_providers, confidence
        c_max, N and delta.

    Returns
    -------
    float
        The supremum over m >= 1 and over all costs in [0, c_max].

    Raises
    ------
    InputError
        A value is out of its range.

    Examples
    --------
    >>> shrinkage_belief_slack(0.5, 0.0, cost_bound=1.0, n_providers=4, confidence=0.05)
    0.0
    >>> round(shrinkage_belief_slack(1.0, 1.0, cost_bound=1.0, n_providers=4, confidence=0.05), 3)
    0.282
    """
    if not 0 <= prior_mean <= cost_bound:
        raise InputError("prior_mean", prior_mean, "must lie in [0, cost_bound]", "it is a mean cost")
    values = {
        "prior_strength": prior_strength,
        "prior_spread": max(prior_mean, cost_bound - prior_mean),
        "cost_bound": cost_bound,
        "n_providers": n_providers,
        "confidence": confidence,
    }
    first = SHRINKAGE_SLACK.value(values, count=1)
    # gamma_m as a function of a real m grows iff n_0 (u - 2) > m (u + 2) with u = ln(C_0 m^2) = 2 m beta(m)^2, and
    # (u + 2)/(u - 2) times m grows from m = 2 on (u^2 > 12): the peak is within one of the first m that falls.
    low, high = 2, max(2, math.ceil(prior_strength))
    while low < high:
        middle = (low + high) // 2
        u = 2 * middle * RADIUS.value(values, count=middle) ** 2
        rising = prior_strength * (u - 2) > middle * (u + 2)
        low, high = (middle + 1, high) if rising else (low, middle)
    at_the_peak = SHRINKAGE_SLACK(values, count=np.array([low - 1.0, low]))
    return max(first, float(at_the_peak.max())) * (1 + 1e-12)
