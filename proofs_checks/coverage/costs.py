"""The law of a query's cost on its lattice, from the laws of a market."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np

from bounds.coverage.lattice import LatticeLaw
from mechanism.market.laws import TOTAL_WEIGHT
from mechanism.market.provider import ProviderMarket

#: Laws of more points, or candidates that share more bands, are left to Hoeffding's bound.
LARGEST_LATTICE, MOST_BANDS = 2**14, 2**8


def query_cost_law(market: ProviderMarket, cost_bound: float) -> LatticeLaw | None:
    """Return the law of what one query costs: that of the candidates together, which share a difficulty.

    None if it has more than `LARGEST_LATTICE` points, or too many bands of difficulty.

    Examples
    --------
    >>> from mechanism.market.laws import two_point
    >>> law = query_cost_law(ProviderMarket(two_point(0.25, 1.0), two_point(0.25, 1.0), multiplicity=2), 2.0)
    >>> law.masses.tolist(), float(law.mean)
    ([0.75, 0.0, 0.25], 0.5)
    """
    candidate, n = market.candidate_law, market.multiplicity
    points = n * candidate.points[-1] + 1
    if points > LARGEST_LATTICE or (n > 1 and market.difficulty_bits > MOST_BANDS.bit_length() - 1):
        return None
    if n == 1:
        masses = np.bincount(candidate.points, candidate.weights) / TOTAL_WEIGHT
    else:
        bands, longest = market.bands(), candidate.points[-1] + 1
        size = TOTAL_WEIGHT // len(bands)
        candidates = [np.bincount([*band], [*band.values()], longest) / size for band in bands]
        each = [functools.reduce(np.convolve, [found] * n) for found in candidates]
        masses = np.sum(each, axis=0) / len(bands)
    unit = candidate.unit
    # A mass is a sum of up to so many products, each of n masses, over the bands.
    rounding = n * (candidate.points[-1] + 2) + len(each) if n > 1 else 1
    return LatticeLaw(masses=masses, mean=market.mean_cost / unit, bound=Fraction(cost_bound) / unit, rounding=rounding)
