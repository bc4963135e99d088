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

from bounds.sharpest.exploration import exploration_counts
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
#: Cells of the interval of c_(2).
_CELLS = 32


@dataclass(frozen=True)
class MarketEnvelope(MarketInstance):
    """The market at a corner of a box, with the differences of costs at the extremes of the box.

    Parameters
    ----------
    apart : tuple of tuple of float
        At [i, j]: the cost of i less that of j.
    """

    apart: tuple[tuple[float, ...], ...] = ()

    @cached_property
    def by_cost(self) -> Floats:
        """As in a market."""
        apart = np.array(self.apart) - self.underbid - self.overbid
        return largest_counts(apart / self.cost_scale, self.n_providers, self.confidence)


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
    def of(least: Mapping[str, Any], most: Mapping[str, Any]) -> Envelopes:
        """Return the envelopes of the box between two corners, given as inputs of formulas, the horizon among them."""
        low, high = MarketInstance.of(least), MarketInstance.of(most)
        # Costs are low at the corner with the largest counts, but for that of i*.
        cheap, expensive = np.minimum(low.costs, high.costs), np.maximum(low.costs, high.costs)
        smallest, largest = cheap[:, None] - expensive[None, :], expensive[:, None] - cheap[None, :]
        for apart in (smallest, largest):
            np.fill_diagonal(apart, 0.0)
        return Envelopes(
            least=MarketEnvelope(low.numbers, low.arrays, tuple(map(tuple, largest.tolist()))),
            most=MarketEnvelope(high.numbers, high.arrays, tuple(map(tuple, smallest.tolist()))),
            horizon=float(least["horizon"]),
        )

    def _at(self, largest: bool) -> MarketEnvelope:
        return self.most if largest else self.least

    def explorations(self, *, largest: bool) -> Floats:
        """Return the most explorations of each provider, at most or at least."""
        return exploration_counts(self._at(largest), self.horizon)

    def auction_excess(self, *, largest: bool) -> float:
        """Return what auctions pay beyond `explorations` so that both together are at most, or at least, so much.

        A count that is explored pays c_max - c_(2), no less than an auction: the sum rises with the explorations. Of i*
        every possible number of explorations is tried, for the shortfall depends on it in steps.
        """
        market, counts = self._at(largest), self.explorations(largest=largest)
        place, each = market.optimal, market.cost_bound - market.second_lowest_cost
        found = auction_excess_parts(market, np.asarray(self.horizon), counts + 1)
        fewest, most = (float(self.explorations(largest=end)[place]) for end in (False, True))
        if most - fewest <= _MOST_COUNTS:
            tried = np.arange(fewest, most + 1)
            sums = tried * each + own_excess(market, np.asarray(self.horizon), tried + 1, shortfall=True)
            found[place] = (sums.max() if largest else sums.min()) - counts[place] * each
        elif largest:
            found[place] = own_excess(market, np.asarray(self.horizon), counts[place] + 1, shortfall=False)
        else:
            found[place] = 0.0
        shared = shared_excess(market, np.asarray(self.horizon - market.n_providers))
        return float(min(found.sum(), shared))

    def second_costs(self) -> Floats:
        """Return the ends of cells of c_(2), of which c_max/2 is one if it lies between."""
        low, high = self._second
        return np.unique([*np.linspace(low, high, _CELLS + 1), np.clip(self.most.cost_bound / 2, low, high)])

    def radii_at_target(self, second_costs: Floats) -> Floats:
        """Return `bounds.sharpest.payments.radii_at_target` at values of c_(2); between them it is monotone."""
        return np.array([float(radii_at_target(_with_second(self.most, each), self.horizon)) for each in second_costs])

    def disturbance(self, second_costs: Floats, *, largest: bool) -> Floats:
        """Return what cheap unqualified providers add for values of c_(2), at most or at least.

        The largest deviation is at least c_(2), so it does not cut c_(2) - min cost off.
        """
        market = self._at(largest)
        below = np.maximum(0.0, second_costs - min(market.arrays[1], default=np.inf))
        return np.asarray(np.minimum(self._disturbed(largest), self.horizon - market.n_providers) * below)

    def _disturbed(self, largest: bool) -> float:
        """Return the number of disturbed auctions, at most or at least (`bounds.sharpest.payments`).

        Where all markets of the box agree on who is cheaper and on who takes longer to be excluded, they have the same
        choices of sets, and each choice is monotone. Elsewhere one set for each
        most expensive provider bounds the least.
        """
        market, n, second = self._at(largest), self.most.n_unqualified, self._second
        cheap, expensive, own = self.most.costs, self.least.costs, (self.least.optimal_cost, self.most.optimal_cost)
        possible = [at for at in range(n) if cheap[at] < second[1]]
        lengths = [(self.least.elimination[at], self.most.elimination[at]) for at in possible]
        if _apart([*zip(cheap[:n], expensive[:n], strict=True), own, second]) and _apart(lengths):
            return disturbed_auctions(market)
        sure = [at for at in possible if expensive[at] < second[0]]
        times = {at: last_auction(market, float(market.elimination[at])) for at in possible}
        found = [max((times[at] for at in (possible if largest else sure)), default=0.0)]
        for most_expensive in [at for at in sure if expensive[at] < own[0]] if largest else possible:
            if not largest and cheap[most_expensive] >= own[1]:
                continue
            chosen = [
                at for at in possible if at == most_expensive or (largest and cheap[at] <= expensive[most_expensive])
            ]
            by_each = np.minimum(market.elimination, market.by_cost[:, most_expensive])
            by_each[chosen] = market.elimination[chosen]
            if largest:
                rest = [times[at] for at in possible if at != most_expensive and expensive[at] > cheap[most_expensive]]
            else:
                rest = [times[at] for at in sure if cheap[at] > expensive[most_expensive]]
            found.append(float(by_each.sum()) + max(rest, default=0.0))
        return min(found)

    @property
    def _second(self) -> tuple[float, float]:
        """The interval of c_(2)."""
        return self.most.second_lowest_cost, self.least.second_lowest_cost


def _apart(intervals: Sequence[tuple[Any, Any]]) -> bool:
    """Return whether intervals are disjoint, or single points."""
    ordered = sorted(intervals)
    pairs = itertools.pairwise(ordered)
    return all(first[1] < second[0] or first[0] == first[1] == second[0] == second[1] for first, second in pairs)


def _with_second(market: MarketInstance, cost: float) -> MarketInstance:
    values = {**market.values, "second_lowest_cost": cost}
    return MarketInstance.of(values)
