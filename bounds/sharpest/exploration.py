"""How often providers are explored, which ends for those that win auctions: i*, and cheap unqualified providers.

A provider j is explored at time t only if it is eligible and was selected less than g(t) times. While j is eligible,
others are selected at most B_j(t) times after initialization: each by exploration, by auctions that it can win against
j, or until it is excluded. So m_j >= t - N - B_j(t - 1), and j is no longer explored once that reaches g(t).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from bounds.formulas.identification import first_crossing
from bounds.formulas.selection import EXPLORATION_CAP, EXPLORATION_TARGET
from bounds.sharpest.binary import joint_quantile
from bounds.sharpest.market import Floats, Market
from bounds.sharpest.probability import spare_probability

#: With an exponent next to 1 an end is approached step by step; every step on the way there is one, too.
_MOST_ROUNDS = 256


def exploration_counts(market: Market, horizon: float | Floats) -> Floats:
    """Return, per provider, the most exploration steps up to a horizon, or to each of a column of horizons."""
    until = EXPLORATION_CAP(market.values, horizon=np.minimum(horizon, exploration_ends(market)))
    return np.minimum(until, market.elimination)


def exploration_steps(market: Market, horizon: float) -> float:
    """Return the most exploration steps of all providers together up to a horizon.

    For scores of 0 and 1 the unqualified providers are explored at most as often as the exact joint law of their
    eliminations allows; half of the probability that delta has to spare pays for it.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> values = formula_inputs(published("gpqa-strong").setting)
    >>> exploration_steps(Market.of(values, "any"), 70_000)
    4833.0
    """
    each = exploration_counts(market, horizon)
    return float(each.sum()) - max(0.0, _unqualified(each, market) - jointly_explored(market, horizon))


def _unqualified(each: Floats, market: Market) -> float:
    return float(each[: market.n_unqualified].sum())


def jointly_explored(market: Market, horizon: float) -> float:
    """Return the most exploration steps of unqualified providers by their joint law; infinite where none is known."""
    if market.laws is None:
        return math.inf
    caps = exploration_counts(market, horizon)[: market.n_unqualified]
    return _jointly(market, tuple(caps.tolist()))


@functools.lru_cache(maxsize=1024)
def _jointly(market: Market, caps: tuple[float, ...]) -> float:
    spare = spare_probability(market.n_providers, market.confidence) / 2
    return math.inf if market.laws is None else joint_quantile(market.laws, caps, spare)


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

    end = float(top)
    for _ in range(_MOST_ROUNDS):
        # t - N - B_j(t - 1) < g(t), in whole numbers: both caps decide ceil(g) without rounding. Above what is needed
        # at the end nothing up to the end is explored: what is needed in between is at most that.
        needed = n + selections(market.exploration_cap(max(end - 1, 1))) + market.exploration_cap(end)
        if needed >= end:
            break
        end = float(needed)
    return end
