"""What the sharpest bounds on payments count, at most and at least in a box of markets with the same roles.

`by_cost` falls with the cost of the row and rises with that of the column, so that no market of the box has all its
largest entries. An envelope takes each entry at its own extreme. Exploration ends and counts, the auctions that
a provider wins and their excess rise with these entries and with the eliminations.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bounds.sharpest.exploration import exploration_counts, find_explorations
from bounds.sharpest.market import Floats, MarketInstance
from bounds.sharpest.payments import (
    auction_excess_parts,
    disturbed_auctions,
    last_auction,
    own_excess,
    radii_at_target,
    shared_excess,
)
from bounds.sharpest.radii import largest_counts

#: Counts of explorations of i* that are looked at one by one, at most.
_MOST_COUNTS = 1 << 14
#: Cells of the interval of c_(2); of that of the least cost of an unqualified provider, at most; and of it times N.
_CELLS, _MOST_CELLS, _MOST_ENTRIES = 6, 10, 60


@dataclass(frozen=True)
class MarketEnvelope(MarketInstance):
    """The market at a corner of a box, with the counts of pairs at the extremes of the box.

    Parameters
    ----------
    counts : tuple of tuple of float
        Those of `by_cost`.
    """

    counts: tuple[tuple[float, ...], ...] = ()

    @cached_property
    def by_cost(self) -> Floats:
        """As in a market."""
        return np.array(self.counts)


@dataclass(frozen=True, kw_only=True)
class Envelopes:
    """The envelopes of a box of markets.

    Parameters
    ----------
    least, most : MarketEnvelope
        With the smallest counts and with the largest.
    horizon : float
        T.
    """

    least: MarketEnvelope
    most: MarketEnvelope
    horizon: float

    @staticmethod
    def of(horizon: float, *boxes: tuple[Mapping[str, Any], Mapping[str, Any]]) -> list[Envelopes]:
        """Return those of boxes between the corners `least` and `most`, given as inputs of formulas."""
        corners = [MarketInstance.of(corner) for box in boxes for corner in box]
        # Costs are low at the corner with the largest counts, but for that of i*.
        costs = np.reshape([corner.costs for corner in corners], (len(boxes), 2, -1))
        apart = (costs.max(axis=1)[:, :, None] - costs.min(axis=1)[:, None, :]) * (1 - np.eye(costs.shape[-1]))
        gaps = np.stack([apart, -apart.swapaxes(1, 2)], axis=1) - corners[0].underbid - corners[0].overbid
        counts = largest_counts(gaps / corners[0].cost_scale, corners[0].n_providers, corners[0].confidence)
        pairs = zip(corners, counts.reshape(-1, *apart.shape[1:]).tolist(), strict=True)
        found = [MarketEnvelope(corner.numbers, corner.arrays, tuple(map(tuple, each))) for corner, each in pairs]
        find_explorations(found, np.full(len(found), horizon))
        return [Envelopes(least=a, most=b, horizon=horizon) for a, b in zip(found[::2], found[1::2], strict=True)]

    def cells(self) -> list[Envelopes]:
        """Return the boxes with c_(2) and the least unqualified cost in cells: counts and gaps depend on both."""
        lows, highs = self.most.arrays, self.least.arrays
        cheapest = [min(costs, default=np.inf) for costs in (lows[1], highs[1])]
        # The disturbance has a kink at the one, radii at the target at the other.
        seconds = _cells(_CELLS, *self.second, np.nextafter(cheapest[1], np.inf), self.most.cost_bound / 2)
        number = max(1, min(_MOST_CELLS, _MOST_ENTRIES // len(self.most.costs)))
        leasts = _cells(number, *cheapest) if cheapest[0] < self.second[1] else [(-np.inf, np.inf)]
        names = ("unqualified_cost", "competitor_cost", "second_lowest_cost")
        found = []
        for least, second in itertools.product(leasts, seconds):
            costs = (_least_in(lows[at], highs[at], cell) for at, cell in ((1, least), (2, second)))
            low, high = (dict(zip(names, each, strict=True)) for each in zip(*costs, second, strict=True))
            found.append(({**self.least.values, **high}, {**self.most.values, **low}))
        return Envelopes.of(self.horizon, *found)

    def _at(self, largest: bool) -> MarketEnvelope:
        return self.most if largest else self.least

    def explorations(self, *, largest: bool) -> Floats:
        """Return the most explorations of each provider, at most or at least."""
        return exploration_counts(self._at(largest), np.array([self.horizon])).ravel()

    def auction_excess(self, *, largest: bool) -> float:
        """Return what auctions pay beyond `explorations` so that both together are at most, or at least, so much.

        A count that is explored pays c_max - c_(2), no less than an auction: the sum rises with the explorations. Of i*
        every possible number of explorations is tried, for the shortfall depends on it in steps.
        """
        market, counts, horizon = self._at(largest), self.explorations(largest=largest), np.asarray(self.horizon)
        place, each = market.optimal, market.cost_bound - market.second_lowest_cost
        found = auction_excess_parts(market, horizon, counts + 1)
        fewest, most = (float(self.explorations(largest=end)[place]) for end in (False, True))
        if most - fewest <= _MOST_COUNTS:
            tried = np.arange(fewest, most + 1)
            sums = tried * each + own_excess(market, horizon, tried + 1, shortfall=True)
            found[place] = (sums.max() if largest else sums.min()) - counts[place] * each
        else:
            found[place] = own_excess(market, horizon, counts[place] + 1, shortfall=False) if largest else 0.0
        shared = shared_excess(market, horizon - market.n_providers)
        return float(min(found.sum(), shared))

    def radii_at_target(self, cells: Floats, *, largest: bool) -> Floats:
        """Return `payments.radii_at_target` at both ends of cells of c_(2), or what is above it between them.

        It is concave in D, so in c_(2) on either side of c_max/2: over a half of a cell it is below the line through
        its values at the ends of the other half. To both ends is added how far that line is above the chord.
        """
        total = np.vectorize(lambda largest: radii_at_target(self.most, self.horizon, largest), otypes=[float])
        ends, middle = (total(np.maximum(each, self.most.cost_bound - each)) for each in (cells, cells.mean(axis=1)))
        return np.asarray(ends + largest * np.maximum(0.0, 2 * middle - ends.sum(axis=1))[:, None])

    def disturbance(self, *, largest: bool) -> Floats:
        """Return what cheap unqualified providers add at both ends of c_(2), at most or at least.

        The largest deviation is at least c_(2), so it does not cut c_(2) - min cost off. In between it is linear, or at
        most convex: at least, it is 0 unless somebody is cheaper than both ends, where (c_(2) - min cost)^+ is linear.
        """
        market = self._at(largest)
        below = np.maximum(0.0, np.subtract(self.second, min(market.arrays[1], default=np.inf)))
        return np.asarray(min(self._disturbed(largest), self.horizon - market.n_providers) * below)

    def _disturbed(self, largest: bool) -> float:
        """Return the number of disturbed auctions, at most or at least (`bounds.sharpest.payments`).

        Where all markets of the box agree on who is cheaper and on who takes longer to be excluded, they have the same
        choices of sets, and each choice is monotone. Elsewhere one set for each provider, which is its most expensive,
        bounds the least.
        """
        market, n, second = self._at(largest), self.most.n_unqualified, self.second
        cheap, expensive, own = self.most.costs, self.least.costs, (self.least.optimal_cost, self.most.optimal_cost)
        possible = [at for at in range(n) if cheap[at] < second[1]]
        lengths = [(self.least.elimination[at], self.most.elimination[at]) for at in possible]
        if _apart([*zip(cheap[:n], expensive[:n], strict=True), own, second]) and _apart(lengths):
            return disturbed_auctions(market)
        sure = [at for at in possible if expensive[at] < second[0]]
        times = {at: last_auction(market, float(market.elimination[at])) for at in possible}
        low, high = (cheap, expensive) if largest else (expensive, cheap)
        counted, tried = (possible, sure) if largest else (sure, possible)
        found = [max((times[at] for at in counted), default=0.0)]
        for most_expensive in [at for at in tried if high[at] < own[not largest]]:
            chosen = [
                at for at in possible if at == most_expensive or (largest and cheap[at] <= expensive[most_expensive])
            ]
            by_each = np.minimum(market.elimination, market.by_cost[:, most_expensive])
            by_each[chosen] = market.elimination[chosen]
            rest = (times[at] for at in counted if at != most_expensive and high[at] > low[most_expensive])
            found.append(float(by_each.sum()) + max(rest, default=0.0))
        return min(found)

    @property
    def second(self) -> tuple[float, float]:
        """The interval of c_(2)."""
        return self.most.second_lowest_cost, self.least.second_lowest_cost


def _apart(intervals: Sequence[tuple[Any, Any]]) -> bool:
    """Return whether intervals are disjoint, or single points."""
    pairs = itertools.pairwise(sorted(intervals))
    return all(first[1] < second[0] or first[0] == first[1] == second[0] == second[1] for first, second in pairs)


def _cells(cells: int, low: float, high: float, *inside: float) -> list[tuple[float, float]]:
    edges = np.unique([*np.linspace(low, high, cells + 1), *np.clip(inside, low, high)]).tolist()
    return list(itertools.pairwise(edges)) or [(low, high)]


def _least_in(low: Sequence[float], high: Sequence[float], cell: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the corners of the part of a box of costs in which the least cost is in a cell."""
    cheap = np.maximum(low, cell[0])
    alone = (cheap <= cell[1]) & (np.sum(cheap <= cell[1]) == 1)
    return cheap, np.where(alone, np.minimum(high, cell[1]), high)
