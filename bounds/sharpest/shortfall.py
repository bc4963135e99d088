"""By how much an auction that i* wins pays less than the band of its rival allows.

A mean cost seldom exceeds its expectation by the radius beta(m) that the platform subtracts. Half of what delta has to
spare pays for more: the mean cost of the competitor of cost c_(2) never exceeds it by the stitched radius r(m). Its
adjusted bid is then at most c_(2) - c_max (beta - r)(m) + d_+.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from bounds.sharpest.market import Market
from bounds.sharpest.probability import spare_probability, stitched_radii
from bounds.sharpest.radii import radii

#: Counts up to this are looked at one by one, later ones in blocks, between the radii at their ends.
_EACH = 1 << 14
_RATIO = 1 + 2.0**-9


def price_shortfall(market: Market, horizon: float, first: int) -> float:
    """Return h >= 0 such that the competitor's adjusted bid is at most c_(2) - c_max h + d_+ at auctions up to T.

    They are the auctions that i* wins at its count `first` or later. That is after N + first - 1 queries at the
    earliest, so the competitor has been selected g(N + first) times, as everybody eligible. Its count is at most one
    more than its cap max{m*(Delta/c_max), ceil(g(T)) - 1}.
    """
    rival = market.optimal + 1 + int(np.argmin(market.costs[market.optimal + 1 :]))
    cap = max(float(market.by_cost[rival, market.optimal]), market.exploration_cap(horizon))
    least = max(1.0, market.exploration_cap(market.n_providers + first) + 1)
    starts, apart = _apart(market.n_providers, market.confidence)
    low, high = np.searchsorted(starts, [least, max(least, min(cap, horizon) + 1)], side="right")
    return max(0.0, float(apart[low - 1 : high].min()))


@functools.lru_cache(maxsize=64)
def _apart(n_providers: float, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return first counts of blocks, and what beta - r is at least in each; both radii decrease."""
    starts = [float(count) for count in range(1, _EACH + 1)]
    while starts[-1] < 2.0**52:
        starts.append(math.floor(starts[-1] * _RATIO) + 1.0)
    first = np.array(starts)
    last = np.concatenate([first[1:] - 1, [2.0**53]])
    failure = spare_probability(n_providers, confidence) / 2
    return first, radii(last, n_providers, confidence) * (1 - 1e-12) - stitched_radii(first, failure)
