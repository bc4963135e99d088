"""What is paid above the second-lowest qualified cost, and how far payments are from it, summed over a run."""

from __future__ import annotations

import functools
import math
from itertools import pairwise

import numpy as np

from bounds.formulas.searches.exploration import exploration_counts
from bounds.formulas.searches.market import Floats, Market
from bounds.formulas.searches.radii import clipped_radius_sum, radii
from bounds.formulas.selection import EXPLORATION_TARGET


def auction_excess(market: Market, horizon: float, explored: Floats | None = None) -> float:
    """Return the most that auctions pay above c_(2), at the counts beyond those at which a provider was explored.

    If i != i* wins at count m, i* is its rival: the price is at most c* + d_+ + (1 + gamma) c_max beta(m), and the
    excess falls short of the radius by c_(2) - c*. If i* wins, a competitor of cost c_(2) is its rival.

    Parameters
    ----------
    market : Market
    horizon : float
    explored : array, optional
        Per provider, how many of its counts are accounted for as exploration; none by default.
    """
    largest = market.cost_bound - market.second_lowest_cost
    before = np.zeros(len(market.costs)) if explored is None else explored
    total = 0.0
    for at in range(len(market.costs)):
        own = at == market.optimal
        less = (0.0 if own else market.second_lowest_cost - market.optimal_cost) - market.overbid
        last = horizon if own else min(horizon, float(market.selections_by_cost[at]))
        total += clipped_radius_sum(
            last,
            market.cost_scale,
            less,
            largest,
            market.n_providers,
            market.confidence,
            first=int(before[at]) + 1,
        )
    return total


def deviation(market: Market, horizon: float) -> float:
    """Return a bound on the sum of |pi_t - c_(2)| over the steps up to a horizon, from N on.

    Initialization and exploration pay c_max. An auction pays at most c_(2) and one radius. It pays at least c_(2) less
    two radii, unless an unqualified provider cheaper than c_(2) is eligible; then at least the cost of the cheapest one
    less two radii. Everybody eligible at an auction has g(t) selections.
    """
    c_2 = market.second_lowest_cost
    largest = max(c_2, market.cost_bound - c_2)
    above = market.cost_bound - c_2
    cheap = [cost for cost in market.arrays[1] if cost < c_2]
    below = min(largest, c_2 - min(cheap)) if cheap else 0.0
    steps = market.n_providers + float(exploration_counts(market, horizon).sum())
    return steps * above + min(_disturbed(market), horizon) * below + _radii_at_target(market, largest, horizon)


@functools.lru_cache(maxsize=256)
def _disturbed(market: Market) -> float:
    """Return the most auctions with an eligible unqualified provider that is cheaper than c_(2).

    Such a provider j is counted out in one of two ways. By time: at an auction it has g(t) selections, which it reaches
    at most `elimination` times. Or by steps, if j is cheaper than i*: while one of a set of them is eligible, each of
    the set wins until it is excluded, and everybody else by its cost gap to the dearest of the set. The set is chosen
    among those that are at most so dear and would take longest by time.
    """
    cheap = [at for at in range(market.n_unqualified) if market.costs[at] < market.second_lowest_cost]
    if not cheap:
        return 0.0
    times = {at: _last_auction(market, float(market.elimination[at])) for at in cheap}
    best = max(times.values())
    for dearest in {market.costs[at] for at in cheap if market.costs[at] < market.optimal_cost}:
        for limit in (0.0, *times.values()):
            chosen = [at for at in cheap if market.costs[at] <= dearest and times[at] > limit]
            rest = max((times[at] for at in cheap if at not in chosen), default=0.0)
            if chosen:
                best = min(best, _auctions_while_eligible(market, chosen) + rest)
    return best


def _auctions_while_eligible(market: Market, chosen: list[int]) -> float:
    dearest = max(chosen, key=lambda at: market.costs[at])
    others = [at for at in range(len(market.costs)) if at not in chosen]
    by_others = np.minimum(market.elimination[others], market.by_cost[others, dearest])
    return float(market.elimination[chosen].sum() + by_others.sum())


def _last_auction(market: Market, count: float) -> float:
    """Return the number of steps after initialization at which the target g(t) is at most a count."""
    last = market.n_providers * (count / market.exploration_scale) ** (1 / market.exploration_exponent)
    # One more step than rounding could hide; the bound stays on the safe side.
    return max(0.0, math.floor(last * (1 + 1e-12)) + 1 - market.n_providers)


#: Steps up to N + this are added one by one, later ones in blocks, each by its first and largest term.
_ADDED = 4096
_RATIO = 1 + 2.0**-8


def _radii_at_target(market: Market, largest: float, horizon: float) -> float:
    """Return the sum of min{largest, 2 (1 + gamma) c_max beta(g(t)) + max{d_-, d_+}} over t = N + 1, ..., T, rounded up.

    The terms do not increase, so a block of steps adds up to at most its length times its first term.
    """
    starts, sums, terms = _blocks(market, largest)
    at = int(np.searchsorted(starts, horizon, side="right")) - 1
    if at < 0:
        return 0.0
    return float(sums[at] + (horizon - starts[at] + 1) * terms[at])


@functools.lru_cache(maxsize=256)
def _blocks(market: Market, largest: float) -> tuple[Floats, Floats, Floats]:
    """Return the first steps of blocks, the sums of the blocks before each, and the largest term of each."""
    first = market.n_providers + 1
    starts = [float(step) for step in range(int(first), int(first) + _ADDED)]
    while starts[-1] < 2.0**52:
        starts.append(math.floor(starts[-1] * _RATIO) + 1.0)
    steps = np.array(starts)
    target = np.asarray(EXPLORATION_TARGET(market.values, step=steps))
    # A count of at least g(t) is at least ceil(g(t)); where rounding could decide, the smaller of the two whole numbers.
    counts = np.maximum(1.0, np.ceil(target * (1 - 1e-12) - 1e-12))
    radius = radii(counts, market.n_providers, market.confidence)
    terms = np.minimum(largest, 2 * market.cost_scale * radius + max(market.underbid, market.overbid)) * (1 + 1e-12)
    lengths = np.array([after - before for before, after in pairwise(starts)])
    return steps, np.concatenate([[0.0], np.cumsum(terms[:-1] * lengths)]) * (1 + 1e-12), terms
