"""By how much an auction that i* wins pays less than the band of its rival allows.

A mean cost seldom exceeds its expectation by the radius beta(m) that the platform subtracts. Half of what delta has to
spare pays for more: the mean cost of the competitor of cost c_(2) never exceeds it by the stitched radius r(m). Its
adjusted bid is then at most c_(2) - c_max (beta - r)(m) + d_+.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from bounds.sharpest.market import Floats, MarketInstance
from bounds.sharpest.probability import spare_probability, stitched_radii
from bounds.sharpest.radii import block_starts, radii

#: Counts up to this are looked at one by one, later ones in blocks, between the radii at their ends.
_EACH = 1 << 14
_RATIO = 1 + 2.0**-9


def price_shortfalls(market: MarketInstance, horizon: Floats, first: Floats) -> Floats:
    """Return h >= 0 such that the competitor's adjusted bid is at most c_(2) - c_max h + d_+ at auctions up to T.

    They are the auctions that i* wins at its count `first` or later. That is after N + first - 1 queries at the
    earliest, so the competitor has been selected g(N + first) times, as everybody eligible. Its count is at most one
    more than its cap min{T - N, max{m*(Delta/c_max), ceil(g(T)) - 1}}. Horizons and counts may be many.
    """
    rival = market.optimal + 1 + int(np.argmin(market.costs[market.optimal + 1 :]))
    cap = np.maximum(market.by_cost[rival, market.optimal], market.exploration_caps(horizon))
    least = np.maximum(1.0, market.exploration_caps(market.n_providers + first) + 1)
    starts, apart = _apart(market.n_providers, market.confidence)
    most = np.maximum(least, np.minimum(cap, horizon - market.n_providers) + 1)
    low, high = np.searchsorted(starts, least, side="right") - 1, np.searchsorted(starts, most, side="right")
    ends = np.stack(np.broadcast_arrays(low, high), axis=-1)
    # Every second range is one that is asked for; the others lie between two of them.
    return np.maximum(0.0, np.minimum.reduceat(apart, ends.ravel())[::2].reshape(ends.shape[:-1]))


@functools.lru_cache(maxsize=8)
def _apart(n_providers: float, confidence: float) -> tuple[Floats, Floats]:
    """Return first counts of blocks, and what beta - r is at least in each, and an end; both radii decrease."""
    first = block_starts(1, _EACH, _RATIO)
    last = np.concatenate([first[1:] - 1, [2.0**53]])
    failure = spare_probability(n_providers, confidence) / 2
    apart = radii(last, n_providers, confidence) * (1 - 1e-12) - stitched_radii(first, failure)
    return first, np.append(apart, math.inf)
