"""What is paid above the second-lowest qualified cost, and how far payments are from it, summed over a run."""

from __future__ import annotations

import functools

import numpy as np

from bounds.formulas.selection import EXPLORATION_TARGET
from bounds.sharpest.market import Floats, MarketInstance
from bounds.sharpest.radii import block_starts, clipped_radius_sums, radii
from bounds.sharpest.shortfall import price_shortfalls


def auction_excess(
    market: MarketInstance, horizon: float | Floats, explored: Floats | None = None, *, shortfall: bool = True
) -> Floats:
    """Return the most that auctions pay above c_(2), at the counts beyond those at which a provider was explored.

    If i != i* wins at count m, i* is its rival: the price is at most c* + d_+ + (1 + gamma) c_max beta(m), and the
    excess falls short of the radius by c_(2) - c*. If i* wins, a competitor of cost c_(2) is its rival, whose adjusted
    bid is below c_(2) by `price_shortfalls`.

    Parameters
    ----------
    market : MarketInstance
    horizon : float or array of shape (H,)
    explored : array of shape (N,) or (H, N), optional
        How many of a provider's counts are accounted for as exploration; none by default.
    shortfall : bool, optional
        Whether to count the shortfall, which rests on the deviations of one mean cost.

    Returns
    -------
    array
        Of the shape of the horizons.
    """
    horizons = np.asarray(horizon, dtype=float)
    first = np.ones(len(market.costs)) if explored is None else explored + 1
    by_provider = auction_excess_parts(market, horizons, first)
    by_provider[..., market.optimal] = own_excess(market, horizons, first[..., market.optimal], shortfall)
    return np.asarray(np.minimum(by_provider.sum(axis=-1), shared_excess(market, horizons - market.n_providers)))


def auction_excess_parts(market: MarketInstance, horizon: Floats, first: Floats) -> Floats:
    """Return the excess of the auctions that each provider wins against i*, from a count on."""
    last = np.minimum((horizon - market.n_providers)[..., None], market.selections_by_cost)
    return _clipped(market, first, last, market.second_lowest_cost - market.optimal_cost)


def shared_excess(market: MarketInstance, queries: Floats) -> Floats:
    """Return the excess of so many auctions if any provider may win them: at most that of equal shares.

    It is less where bids may deviate by more than a gap, and each of several providers could win every auction.
    """
    share, more = np.divmod(queries, market.n_providers)
    larger, smaller = (_clipped(market, 1, each, 0.0) for each in (share + 1, share))
    return np.asarray(more * larger + (market.n_providers - more) * smaller)


#: Powers of 8 below all horizons.
_EIGHTFOLD = 8.0 ** np.arange(18)


def own_excess(market: MarketInstance, horizon: Floats, first: Floats, shortfall: bool) -> Floats:
    """Return the excess of the auctions that i* wins: without the shortfall up to a count, with it from there on."""
    last = horizon - market.n_providers
    total = _clipped(market, first, last, 0.0)
    if not shortfall:
        return total
    # Counts at which the second part may begin, on an axis of their own: all are looked at together.
    tried = _EIGHTFOLD[np.min(first, initial=np.inf) * _EIGHTFOLD < np.max(last, initial=-np.inf)]
    starts = first * tried.reshape(-1, *[1] * total.ndim)
    less = market.cost_bound * price_shortfalls(market, horizon, np.minimum(starts, last))
    parts = _clipped(market, first, starts - 1, 0.0) + _clipped(market, starts, last, less)
    return np.asarray(np.minimum(total, np.where(starts < last, parts, np.inf).min(axis=0, initial=np.inf)))


def _clipped(market: MarketInstance, first: Floats | int, last: Floats, less: Floats | float) -> Floats:
    """Return the sum over counts of what a price exceeds c_(2) by: a radius and d_+ less a given amount."""
    largest = market.cost_bound - market.second_lowest_cost
    less, n, confidence = less - market.overbid, market.n_providers, market.confidence
    return clipped_radius_sums(last, market.cost_scale, less, largest, n, confidence, first=first)


def trivial_deviation(market: MarketInstance) -> float:
    """Return max{c_(2), c_max - c_(2)}, what no payment deviates from c_(2) by more than."""
    return max(market.second_lowest_cost, market.cost_bound - market.second_lowest_cost)


def disturbance(market: MarketInstance, horizon: float | Floats) -> Floats:
    """Return what auctions with an eligible unqualified provider cheaper than c_(2) add to the deviation, in money.

    They pay at least the cost of the cheapest one less two radii, others c_(2) less two radii.
    """
    cheap = [cost for cost in market.arrays[1] if cost < market.second_lowest_cost]
    below = min(trivial_deviation(market), market.second_lowest_cost - min(cheap)) if cheap else 0.0
    return np.minimum(disturbed_auctions(market), np.asarray(horizon, dtype=float) - market.n_providers) * below


@functools.lru_cache(maxsize=256)
def disturbed_auctions(market: MarketInstance) -> float:
    """Return the most auctions with an eligible unqualified provider that is cheaper than c_(2).

    Such a provider j is counted out in one of two ways. By time: at an auction it has g(t) selections, which it reaches
    at most `elimination` times. Or by steps, if j is cheaper than i*: while one of a set of them is eligible, each of
    the set wins until it is excluded, and everybody else by its cost gap to the dearest of the set. The set is chosen
    among those that are at most so expensive and would take longest by time.
    """
    cheap = [at for at in range(market.n_unqualified) if market.costs[at] < market.second_lowest_cost]
    if not cheap:
        return 0.0
    times = {at: last_auction(market, float(market.elimination[at])) for at in cheap}
    best = max(times.values())
    for dearest in {market.costs[at] for at in cheap if market.costs[at] < market.optimal_cost}:
        for limit in (0.0, *times.values()):
            chosen = [at for at in cheap if market.costs[at] <= dearest and times[at] > limit]
            rest = max((times[at] for at in cheap if at not in chosen), default=0.0)
            if chosen:
                best = min(best, _auctions_while_eligible(market, chosen) + rest)
    return best


def _auctions_while_eligible(market: MarketInstance, chosen: list[int]) -> float:
    dearest = max(chosen, key=lambda at: market.costs[at])
    others = [at for at in range(len(market.costs)) if at not in chosen]
    by_others = np.minimum(market.elimination[others], market.by_cost[others, dearest])
    return float(market.elimination[chosen].sum() + by_others.sum())


def last_auction(market: MarketInstance, count: float) -> float:
    """Return the number of steps after initialization at which the target g(t) is at most a count."""
    with np.errstate(over="ignore"):
        last = market.n_providers * np.float64(count / market.exploration_scale) ** (1 / market.exploration_exponent)
    # One more step than rounding could hide; the bound stays on the safe side.
    return max(0.0, float(np.floor(last * (1 + 1e-12))) + 1 - market.n_providers)


#: Steps up to N + this are added one by one, later ones in blocks, each by its first and largest term.
_ADDED = 4096
_RATIO = 1 + 2.0**-8


def radii_at_target(market: MarketInstance, horizon: float | Floats, largest: float | None = None) -> Floats:
    """Return the sum over t = N + 1, ..., T of min{D, 2 (1 + gamma) c_max beta(g(t)) + max{d_-, d_+}}, rounded up.

    D is `trivial_deviation` if `largest` does not state another; everybody eligible at an auction has g(t) selections.
    The terms do not increase, so a block of steps adds up to at most its length times its first term.
    """
    starts, sums, terms = _blocks(market, trivial_deviation(market) if largest is None else largest)
    at = np.searchsorted(starts, horizon, side="right") - 1
    return np.where(at < 0, 0.0, sums[at] + (horizon - starts[at] + 1) * terms[at])


@functools.lru_cache(maxsize=256)
def _blocks(market: MarketInstance, largest: float) -> tuple[Floats, Floats, Floats]:
    """Return the first steps of blocks, the sums of the blocks before each, and the largest term of each."""
    steps, lengths = _block_steps(market.n_providers)
    target = np.asarray(EXPLORATION_TARGET(market.values, step=steps))
    # A count of at least g(t) is at least ceil(g(t)); where rounding could decide, the smaller whole number.
    counts = np.maximum(1.0, np.ceil(target * (1 - 1e-12) - 1e-12))
    radius = radii(counts, market.n_providers, market.confidence)
    bands = 2 * market.cost_scale * radius + max(market.underbid, market.overbid)
    terms = np.minimum(largest, bands) * (1 + 1e-12)
    return steps, np.concatenate([[0.0], np.cumsum(terms[:-1] * lengths)]) * (1 + 1e-12), terms


@functools.lru_cache(maxsize=16)
def _block_steps(n_providers: float) -> tuple[Floats, Floats]:
    """Return the first steps of blocks, and how long each but the last is."""
    steps = block_starts(int(n_providers) + 1, _ADDED, _RATIO)
    return steps, np.diff(steps)
