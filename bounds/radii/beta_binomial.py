"""One-sided beta-binomial mixture, for eligibility; costs keep the paper's radius.

Let q be the threshold and t < q. For a score x in [0, 1], (t/q)^x ((1-t)/(1-q))^(1-x) is convex in x, so at most its
chord, and the expectation of the chord at a mean q_i >= q is at most 1: it is 1 at q, and falls in q_i. So the product
over the scores is a supermartingale, for scores of any law, and so is its mean over t ~ Beta(a, b) below q:

    M_m = [B(S + a, m - S + b) I_q(S + a, m - S + b)] / [B(a, b) I_q(a, b)] / (q^S (1 - q)^(m - S)),

S the sum of the scores. By Ville's inequality M_m ever exceeds 4N/delta with probability delta/(4N) at most. Every
factor falls in S, so M_m does, and the test is one of the mean: a provider is eligible while it lies at most rho(m)
below q, where rho(m) solves M_m = 4N/delta at S = m (q - rho).

It decreases: ln M is convex in (S, m) as the logarithm of a mixture of exponentials of linear functions. So
{M <= 4N/delta} is a convex set that holds (0, 0), and its boundary m rho(m) is concave in m and not negative at 0.

a = eta q and b = eta (1 - q): the mixture weighs eta observations, as that of `normal_mixture`.
"""

from __future__ import annotations

import numpy as np

from bounds.language.arithmetic import Array
from bounds.radii.normal_mixture import tuned_weight
from bounds.radii.paper import hoeffding
from bounds.radii.radius import Radius, log_budget

#: Over which distance a slope is taken, relatively.
_NEAR = 1e-5
#: Beyond this count, which no run reaches, the radius stays as it is: rounding would decide it.
_FURTHEST = 2.0**27
#: What one sum of m logarithms may be off by, over m: logarithms of gamma functions near m ln m, in doubles.
_ROUNDING = 1e-14
#: Most of Newton's steps, when they end, relative to where they are, and the share of a point that a step leaves.
_STEPS, _CLOSE, _LEAST = 100, 1e-11, 1 / 8


def log_mixture(below: Array, counts: Array, mean: float, weight: float) -> Array:
    """Return ln M_m where the sum of m scores is m (mean - below).

    Examples
    --------
    >>> log_mixture(np.array([0.0, 0.1]), np.array([100.0, 100.0]), 0.5, 50.0).round(4)
    array([-0.5526,  1.435 ])
    """
    from scipy.special import betainc, betaln

    a, b = weight * mean, weight * (1 - mean)
    successes, failures = counts * (mean - below), counts * (1 - mean + below)
    grown = betaln(successes + a, failures + b) + np.log(betainc(successes + a, failures + b, mean))
    null = successes * np.log(mean) + failures * np.log1p(-mean)
    return np.asarray(grown - betaln(a, b) - np.log(betainc(a, b, mean)) - null)


def beta_binomial(counts: Array, mean: float, n_providers: int, confidence: float) -> Array:
    """Return rho(m); `mean` itself where even scores of 0 alone leave M_m below 4N/delta.

    Examples
    --------
    >>> beta_binomial(np.array([10.0, 1000.0]), 0.1, 4, 0.05).round(4)
    array([0.1   , 0.0332])
    """
    if not 0 < mean < 1:  # a mean of 0 cannot be undercut, one of 1 never is
        return np.zeros_like(counts)
    counts = np.minimum(counts, _FURTHEST)
    budget = log_budget(n_providers, confidence)
    weight = tuned_weight(budget)
    allowed = budget + _ROUNDING * counts * (1 - np.log(mean) - np.log1p(-mean))
    found = np.full_like(counts, mean)
    of = np.flatnonzero(log_mixture(found, counts, mean, weight) > allowed)

    # ln M is convex in rho and increases: Newton's steps come from above and never pass the root.
    going_on = of
    for _ in range(_STEPS):
        if not len(going_on):
            break
        below, m = found[going_on], counts[going_on]
        ahead, behind = np.minimum(below * (1 + _NEAR), mean), below * (1 - _NEAR)
        rise = log_mixture(ahead, m, mean, weight) - log_mixture(behind, m, mean, weight)
        step = (log_mixture(below, m, mean, weight) - allowed[going_on]) * (ahead - behind) / rise
        found[going_on] = np.maximum(below - step, _LEAST * below)
        going_on = going_on[np.abs(found[going_on] - below) > _CLOSE * below]
    found[of] = np.minimum(found[of] * (1 + _CLOSE), mean)  # a hair more, to make up for rounding
    return found


BETA_BINOMIAL = Radius(name="beta-binomial", quality=beta_binomial, cost=hoeffding)
