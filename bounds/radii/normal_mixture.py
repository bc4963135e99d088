"""Normal mixture (Robbins), two-sided, for scores and costs.

Numbers in [0, 1] are 1/4-sub-Gaussian (Hoeffding's lemma): for the deviation S_m of a sum from its expectation,
exp(l S_m - l^2 m/8) is a supermartingale for every l. Its mean over l ~ N(0, 4/eta) is one as well:

    sqrt(eta/(m + eta)) exp(2 S_m^2 / (m + eta)).

By Ville's inequality it ever reaches 1/a with probability a at most, and it is below 1/a just where

    |S_m|/m < r(m) = sqrt((m + eta) ln((m + eta)/(eta a^2))) / (2m).

Both sides of one mean share a = delta/(2N); the 2N means of scores and costs add up to delta. A score may also have a
larger mean than the threshold: its deviation from the threshold is then no smaller than from its mean.

It decreases: (m + eta) ln((m + eta)/(eta a^2))/m^2 does where ln((m + eta)/(eta a^2)) >= 1, and that is at least
2 ln(2N/delta) > 2. `eta` makes r smallest, nearly, at m = 1000.
"""

from __future__ import annotations

import numpy as np

from bounds.language.arithmetic import Array
from bounds.radii.radius import Radius, log_budget

#: The selection count at which mixtures are near their best: when providers of these settings are told apart.
TUNED_AT = 1000.0


def tuned_weight(log_inverse_budget: float) -> float:
    """Return eta, how many observations the mixture weighs: r(1000) is nearly smallest there.

    The minimum over eta at m is at m/(-W_{-1}(-a^2/e) - 1), about m/(2 ln(1/a) + ln(1 + 2 ln(1/a))).

    Examples
    --------
    >>> round(tuned_weight(5.0), 2)
    80.66
    """
    twice = 2 * log_inverse_budget
    return TUNED_AT / (twice + float(np.log1p(twice)))


def normal_mixture(counts: Array, n_providers: int, confidence: float) -> Array:
    """Return r(m).

    Examples
    --------
    >>> normal_mixture(np.array([1.0, 1000.0]), 4, 0.05).round(4)
    array([14.3107,  0.0587])
    """
    budget = log_budget(n_providers, confidence, tails=2)
    weight = tuned_weight(budget)
    total = counts + weight
    return np.asarray(np.sqrt(total * (np.log(total / weight) + 2 * budget)) / (2 * counts))


NORMAL_MIXTURE = Radius(name="normal-mixture", cost=normal_mixture)
