"""How often providers are explored, which ends for those that win auctions: i*, and cheap unqualified providers.

A provider j is explored at time t only if it is eligible and was selected less than g(t) times. While j is eligible,
others are selected at most B_j(t) times after initialization: each by exploration, by auctions that it can win against
j, or until it is excluded. So m_j >= t - N - B_j(t - 1), and j is no longer explored once that reaches g(t).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from bounds.formulas.identification import first_crossing, last_failure
from bounds.formulas.searches.market import Floats, Market
from bounds.formulas.selection import EXPLORATION_TARGET


def exploration_counts(market: Market, horizon: float) -> Floats:
    """Return, per provider, the most exploration steps up to a horizon."""
    until = np.array([market.exploration_cap(min(horizon, end)) for end in exploration_ends(market)])
    return np.minimum(until, market.elimination)


@functools.lru_cache(maxsize=256)
def exploration_ends(market: Market) -> tuple[float, ...]:
    """Return, per provider, a time after which it is not explored; infinite where there is none."""
    return tuple(_end(market, at) for at in range(len(market.costs)))


def _end(market: Market, at: int) -> float:
    others = np.arange(len(market.costs)) != at
    caps, by_cost = market.elimination[others], market.by_cost[others, at]
    if not np.isfinite(np.minimum(caps, by_cost)).all():
        return math.inf
    n = market.n_providers

    def selections(cap: float) -> float:
        return float(np.minimum(caps, np.maximum(by_cost, cap)).sum())

    def target(step: float) -> float:
        return float(EXPLORATION_TARGET(market.values, step=step))

    # With the real g(t) for its integer cap, t - N - B_j(t) >= g(t) is final: then t exceeds g(t) once for j and once
    # for each other whose cap is still growing, and g(t)/t falls.
    top = first_crossing(lambda step: step - n - selections(target(step)) >= target(step), int(n))
    if top is None:
        return math.inf

    def reach(step: int) -> float:
        return math.ceil(n + selections(market.exploration_cap(max(step - 1, 1))) + target(step)) - 1

    return float(last_failure(reach, top))
