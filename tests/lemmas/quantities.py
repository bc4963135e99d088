"""What the statements of the paper say of a market, typed by hand, and the runs on which they are tested."""

from __future__ import annotations

import math

import mpmath

from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from tests.bounds import by_hand

#: Markets with two qualified providers and a unique i*, for truthful bids.
TRUTHFUL = settings(slacks=False, assumptions=True)
#: Runs of the platform with truthful bids, or with any; scores and costs lie at the edges of the good event.
TRUTHFUL_RUNS = traces(TRUTHFUL)
RUNS = traces(settings(assumptions=True), bidding=None)


def quality_gaps(market: Setting) -> dict[int, float]:
    """Return eps_i = q_min - q_i of each unqualified provider."""
    return {i: market.platform.quality_threshold - market.providers[i].quality for i in market.unqualified}


def cost_gaps(market: Setting) -> dict[int, float]:
    """Return Delta_i = cbar_i - cbar_{i*} of each provider i != i* in Q."""
    return {i: excesses(market)[i] for i in market.competitors}


def excesses(market: Setting) -> list[float]:
    """Return (cbar_i - cbar_{i*})^+ of every provider; i* has the lowest mean cost in Q."""
    threshold = market.platform.quality_threshold
    least = min(p.mean_cost for p in market.providers if p.quality >= threshold)
    return [max(p.mean_cost - least, 0.0) for p in market.providers]


def second_lowest_cost(market: Setting) -> float:
    """Return cbar_(2), the second-lowest mean cost of a qualified provider."""
    able = [p.mean_cost for p in market.providers if p.quality >= market.platform.quality_threshold]
    return sorted(able)[1]


def count_bound(x: float, market: Setting) -> int:
    """Return M(x)."""
    return by_hand.count_bound(x, market.n_providers, market.platform.confidence)


def target(market: Setting, t: float) -> float:
    """Return g(t) = k (t/N)^alpha."""
    platform = market.platform
    return platform.exploration_scale * (t / market.n_providers) ** platform.exploration_exponent


def explored(market: Setting, horizon: int) -> int:
    """Return ceil(g(T)) - 1; digits decide next to whole numbers."""
    g = target(market, horizon)
    if abs(g - round(g)) > 1e-9 * g:
        return math.ceil(g) - 1
    return by_hand.explored({"horizon": horizon, "n_providers": market.n_providers, **vars(market.platform)})


def radius_sum(market: Setting, horizon: int) -> float:
    """Return the right side of lem:radius-sum with kappa = 1."""
    return by_hand.radius_sum(market.n_providers, market.platform.confidence, horizon)


def burn_in(market: Setting) -> float:
    """Return T_0 = N max{1, (Mbar/k)^(1/alpha)}, where Mbar is the largest of 1 and all M_i."""
    largest = max([1, *(count_bound(gap, market) for gap in quality_gaps(market).values())])
    with mpmath.workdps(50):
        exponent = 1 / mpmath.mpf(market.platform.exploration_exponent)
        return float(market.n_providers * max(1, (largest / mpmath.mpf(market.platform.exploration_scale)) ** exponent))
