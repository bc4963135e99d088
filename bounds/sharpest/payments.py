"""What is paid above the second-lowest qualified cost, and how far payments are from it, summed over a run."""

from __future__ import annotations

import functools
import math
from itertools import pairwise

import numpy as np

from bounds.formulas.selection import EXPLORATION_TARGET
from bounds.sharpest.exploration import exploration_counts, jointly_explored
from bounds.sharpest.market import Floats, Market
from bounds.sharpest.radii import clipped_radius_sum, radii
from bounds.sharpest.shortfall import price_shortfall


@functools.lru_cache(maxsize=1024)
def excess(market: Market, horizon: float) -> tuple[float, float]:
    """Return a bound on what is paid above c_(2) after initialization, in two parts: exploration steps, and auctions.

    The first is a number of steps, each paid c_max; the second is money. A selection count at which a provider is
    explored is none at which it wins an auction. So where the explorations are bounded provider by provider, auctions
    are counted beyond them. By the joint law nobody knows whose explorations they are, and auctions of unqualified
    providers are counted in full. The smaller sum of the two is returned.
    """
    above = market.cost_bound - market.second_lowest_cost
    each = exploration_counts(market, horizon)
    found = [(float(each.sum()), auction_excess(market, horizon, each))]
    jointly = jointly_explored(market, horizon)
    if jointly < math.inf:
        others = np.concatenate([np.zeros(market.n_unqualified), each[market.n_unqualified :]])
        found.append((jointly + float(others.sum()), auction_excess(market, horizon, others)))
    return min(found, key=lambda parts: parts[0] * above + parts[1])


def auction_excess(market: Market, horizon: float, explored: Floats | None = None, *, shortfall: bool = True) -> float:
    """Return the most that auctions pay above c_(2), at the counts beyond those at which a provider was explored.

    If i != i* wins at count m, i* is its rival: the price is at most c* + d_+ + (1 + gamma) c_max beta(m), and the
    excess falls short of the radius by c_(2) - c*. If i* wins, a competitor of cost c_(2) is its rival, whose adjusted
    bid is below c_(2) by `price_shortfall`.

    Parameters
    ----------
    market : Market
    horizon : float
    explored : array, optional
        Per provider, how many of its counts are accounted for as exploration; none by default.
    shortfall : bool, optional
        Whether to count the shortfall, which rests on the deviations of one mean cost.
    """
    before = np.zeros(len(market.costs)) if explored is None else explored
    queries = horizon - market.n_providers
    apart = market.second_lowest_cost - market.optimal_cost
    total = 0.0
    for at in range(len(market.costs)):
        first = int(before[at]) + 1
        if at == market.optimal:
            total += _own_excess(market, horizon, first, shortfall)
        else:
            last = min(queries, float(market.selections_by_cost[at]))
            total += _clipped(market, first, last, apart)
    return min(total, _shared_excess(market, queries))


def _shared_excess(market: Market, queries: float) -> float:
    """Return the excess of so many auctions if any provider may win them: at most that of equal shares.

    It is less where bids may deviate by more than a gap, and each of several providers could win every auction.
    """
    share, more = divmod(queries, market.n_providers)
    return more * _clipped(market, 1, share + 1, 0.0) + (market.n_providers - more) * _clipped(market, 1, share, 0.0)


def _own_excess(market: Market, horizon: float, first: int, shortfall: bool) -> float:
    """Return the excess of the auctions that i* wins: without the shortfall up to a count, with it from there on."""
    last = horizon - market.n_providers
    total = _clipped(market, first, last, 0.0)
    start = first
    while shortfall and start < last:
        less = market.cost_bound * price_shortfall(market, horizon, start)
        early, late = _clipped(market, first, start - 1, 0.0), _clipped(market, start, last, less)
        total, start = min(total, early + late), 8 * start
    return total


def _clipped(market: Market, first: int, last: float, less: float) -> float:
    """Return the sum over counts of what a price exceeds c_(2) by: a radius and d_+ less a given amount."""
    largest = market.cost_bound - market.second_lowest_cost
    less, n, confidence = less - market.overbid, market.n_providers, market.confidence
    return clipped_radius_sum(last, market.cost_scale, less, largest, n, confidence, first=first)


def trivial_deviation(market: Market) -> float:
    """Return max{c_(2), c_max - c_(2)}, what no payment deviates from c_(2) by more than."""
    return max(market.second_lowest_cost, market.cost_bound - market.second_lowest_cost)


def disturbance(market: Market, horizon: float) -> float:
    """Return what auctions with an eligible unqualified provider cheaper than c_(2) add to the deviation, in money.

    They pay at least the cost of the cheapest one less two radii, others c_(2) less two radii.
    """
    cheap = [cost for cost in market.arrays[1] if cost < market.second_lowest_cost]
    below = min(trivial_deviation(market), market.second_lowest_cost - min(cheap)) if cheap else 0.0
    return min(disturbed_auctions(market), horizon - market.n_providers) * below


@functools.lru_cache(maxsize=256)
def disturbed_auctions(market: Market) -> float:
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
    with np.errstate(over="ignore"):
        last = market.n_providers * np.float64(count / market.exploration_scale) ** (1 / market.exploration_exponent)
    # One more step than rounding could hide; the bound stays on the safe side.
    return max(0.0, float(np.floor(last * (1 + 1e-12))) + 1 - market.n_providers)


#: Steps up to N + this are added one by one, later ones in blocks, each by its first and largest term.
_ADDED = 4096
_RATIO = 1 + 2.0**-8


def radii_at_target(market: Market, horizon: float) -> float:
    """Return the sum over t = N + 1, ..., T of min{D, 2 (1 + gamma) c_max beta(g(t)) + max{d_-, d_+}}, rounded up.

    D is `trivial_deviation`; everybody eligible at an auction has g(t) selections. The terms do not increase, so a
    block of steps adds up to at most its length times its first term.
    """
    starts, sums, terms = _blocks(market)
    at = int(np.searchsorted(starts, horizon, side="right")) - 1
    if at < 0:
        return 0.0
    return float(sums[at] + (horizon - starts[at] + 1) * terms[at])


@functools.lru_cache(maxsize=256)
def _blocks(market: Market) -> tuple[Floats, Floats, Floats]:
    """Return the first steps of blocks, the sums of the blocks before each, and the largest term of each."""
    first = market.n_providers + 1
    starts = [float(step) for step in range(int(first), int(first) + _ADDED)]
    while starts[-1] < 2.0**52:
        starts.append(math.floor(starts[-1] * _RATIO) + 1.0)
    steps = np.array(starts)
    target = np.asarray(EXPLORATION_TARGET(market.values, step=steps))
    # A count of at least g(t) is at least ceil(g(t)); where rounding could decide, the smaller whole number.
    counts = np.maximum(1.0, np.ceil(target * (1 - 1e-12) - 1e-12))
    radius = radii(counts, market.n_providers, market.confidence)
    bands = 2 * market.cost_scale * radius + max(market.underbid, market.overbid)
    terms = np.minimum(trivial_deviation(market), bands) * (1 + 1e-12)
    lengths = np.array([after - before for before, after in pairwise(starts)])
    return steps, np.concatenate([[0.0], np.cumsum(terms[:-1] * lengths)]) * (1 + 1e-12), terms
