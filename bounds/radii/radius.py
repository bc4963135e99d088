"""What a confidence radius is to the mechanism and to those who reason about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bounds.language.arithmetic import Array

#: From (counts, mean, N, delta) to how far below `mean` the mean of so many scores stays.
QualityRadius = Callable[[Array, float, int, float], Array]
#: From (counts, N, delta) to how far, over c_max, the mean of so many costs stays from its expectation.
CostRadius = Callable[[Array, int, float], Array]


@dataclass(frozen=True, kw_only=True)
class Radius:
    """A confidence radius: two functions of the selection count.

    Parameters
    ----------
    name : str
        As a setting file writes it.
    cost : callable
        From (counts, N, delta) to the distance of the mean of m costs over c_max from its expectation, upwards and
        downwards.
    quality : callable, optional
        From (counts, mean, N, delta) to the largest distance at which the mean of m independent scores in [0, 1], of
        expectation `mean` or more, may lie below `mean`. A provider is eligible while its estimate plus this radius,
        at mean = q_min, reaches q_min: for each test that is monotone in the estimate. By default `cost`.

    Notes
    -----
    Certified coverage. The scores of a provider are independent with one mean, and so are its costs. Over all counts m
    at once, each of these 4N events has probability delta/(4N) at most, or the two about one mean share delta/(2N):

    * the estimate of provider i lies below q_i, or below any threshold up to q_i, by more than ``quality(m, ...)``;
    * it lies above q_i by more than ``quality(m, 1 - q_i, ...)``: the first event for the scores 1 - s;
    * its mean cost lies above, or below, its expectation by more than ``c_max * cost(m, ...)``.

    So all guarantees hold together with probability 1 - delta or more. Both radii do not increase in m. Neither reads a
    score, a cost or a bid, so that a payment does not depend on what its winner has bid.

    Examples
    --------
    >>> from bounds.radii.catalogue import radius_named
    >>> radius = radius_named("beta-binomial")
    >>> [round(float(r), 4) for r in radius.quality_radius([100, 1000], mean=0.1, n_providers=4, confidence=0.05)]
    [0.1, 0.0332]
    """

    name: str
    cost: CostRadius
    quality: QualityRadius | None = None

    def quality_radius(self, counts: object, *, mean: float, n_providers: int, confidence: float) -> Array:
        """Return the quality radius at counts m >= 1, for scores of this mean."""
        if self.quality is None:
            return self.cost_radius(counts, n_providers=n_providers, confidence=confidence)
        return self.quality(np.asarray(counts, dtype=float), mean, n_providers, confidence)

    def cost_radius(self, counts: object, *, n_providers: int, confidence: float) -> Array:
        """Return the cost radius, over c_max, at counts m >= 1."""
        return self.cost(np.asarray(counts, dtype=float), n_providers, confidence)


def log_budget(n_providers: int, confidence: float, tails: int = 1) -> float:
    """Return the logarithm of 1 over what some of the 4N tails may fail with, each with probability delta/(4N).

    Examples
    --------
    >>> round(log_budget(4, 0.05), 4)
    5.7683
    """
    return float(np.log(4 * n_providers / (tails * confidence)))
