"""The law of the cost of one query, by convolution: what drawn costs are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw
from mechanism.market.provider import ProviderMarket


@dataclass(frozen=True, eq=False)
class CostLaw:
    """The law of the cost of one query.

    `first` is the least total, in lattice steps, and `unit` the value of one. The probabilities of the totals first,
    first + 1, ... are computed by convolution in floats, so correct to about 1e-15. Mean and variance are exact.
    """

    first: int
    unit: Fraction
    probabilities: NDArray[np.float64]
    mean: Fraction
    variance: Fraction

    @property
    def values(self) -> NDArray[np.float64]:
        """Value of each total, correctly rounded."""
        up, down = self.unit.numerator, self.unit.denominator
        return np.array([(self.first + i) * up / down for i in range(len(self.probabilities))])

    @property
    def maximum(self) -> float:
        return float(self.values[-1])


def probabilities(law: DiscreteLaw) -> NDArray[np.float64]:
    """Return the probability of each point."""
    return np.array(law.weights, dtype=float) / TOTAL_WEIGHT


def cost_law(provider: ProviderMarket) -> CostLaw:
    """Return the law of the cost of a query: the bands' n-fold convolutions, mixed."""
    law, n = provider.candidate_law, provider.multiplicity
    first, span = law.points[0], law.points[-1] - law.points[0] + 1
    bands = provider.bands() if n > 1 else [dict(zip(law.points, law.weights, strict=True))]
    mixed = np.zeros(n * (span - 1) + 1)
    for band in bands:
        dense = np.zeros(span)
        for point, weight in band.items():
            dense[point - first] = weight * len(bands) / TOTAL_WEIGHT
        mixed += convolution_power(dense, n) / len(bands)
    return CostLaw(n * first, law.unit, mixed, provider.mean_cost, provider.cost_variance)


def convolution_power(masses: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the law of the sum of n independent draws from masses on 0, 1, ..."""
    length = n * (len(masses) - 1) + 1
    if length > 10_000:  # direct convolution would be slow; the rounding of the transform is absolute
        size = 1 << (length - 1).bit_length()
        power = np.clip(np.fft.irfft(np.fft.rfft(masses, size) ** n, size)[:length], 0, None)
        return power / power.sum()
    result = np.ones(1)
    for _ in range(n):
        result = np.convolve(result, masses)
    return result
