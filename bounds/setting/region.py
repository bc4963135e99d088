"""The joint confidence region of uncertain inputs: a box that contains the true market with a stated probability.

Bonferroni: of n uncertain inputs each may miss its interval with probability (1 - confidence)/n, so that all intervals
hold together with the confidence at least. No independence is needed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from bounds.setting.estimates import Estimate, Proportion, SampleMean, StatedInterval
from bounds.setting.model import Setting

#: An interval: its low and its high end.
Ends = tuple[float, float]
#: What the region says of a property of a provider.
Settled = Literal["yes", "no", "unsettled"]
#: Parts of a region at most. Each unsettled provider doubles them.
MOST_PARTS = 64
#: Digits of a sum of probabilities.
_DIGITS = 12
#: More questions than this are not looked for.
_MOST_QUESTIONS = 10**9


@dataclass(frozen=True, kw_only=True)
class RegionPart:
    """The markets of a region with given qualified providers and a given optimum.

    Parameters
    ----------
    qualified : frozenset of int
        Indices of the qualified providers.
    optimal : int or None
        Index of the cheapest qualified provider; None if there is none.
    quality, mean_cost : tuple of Ends
        Intervals of each provider, in the order of the setting.
    """

    qualified: frozenset[int]
    optimal: int | None
    quality: tuple[Ends, ...]
    mean_cost: tuple[Ends, ...]

    def costs(self, expensive: Collection[int | None]) -> tuple[float, ...]:
        """Return mean costs, high for some providers and low for others; every competitor is above the optimum."""
        costs = [ends[i in expensive] for i, ends in enumerate(self.mean_cost)]
        rivals = self.qualified - {self.optimal}
        if self.optimal is not None and rivals:
            highest = min(self.mean_cost[i][1] for i in rivals)
            least = costs[self.optimal] = min(costs[self.optimal], math.nextafter(highest, -1.0))
            for i in rivals:
                costs[i] = max(costs[i], math.nextafter(least, math.inf))
        return tuple(costs)


@dataclass(frozen=True, kw_only=True)
class Region:
    """Intervals that contain the qualities and mean costs of a setting, all together with its inputs' confidence.

    Parameters
    ----------
    setting : Setting

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider
    >>> platform = PlatformParameters(0.6, 0.05, 100.0, 2.0, 0.75)
    >>> roster = [Provider("a", {"correct": 131, "of": 200}, 3), Provider("b", 0.9, {"low": 4, "high": 5})]
    >>> region = Region(setting=Setting("toy", platform, roster))
    >>> region.qualified, region.optimal, region.mean_cost[1]
    (('unsettled', 'yes'), ('unsettled', 'unsettled'), (4.0, 5.0))
    """

    setting: Setting

    @cached_property
    def failure_of_each(self) -> float:
        """The probability with which one uncertain input may miss its interval."""
        providers = self.setting.providers
        estimates = [each for p in providers for each in (p.quality_estimate, p.mean_cost_estimate) if each]
        return self.failure / max(1, sum(not each.exact for each in estimates))

    @property
    def failure(self) -> float:
        """The probability with which some input may miss its interval."""
        return 1 - self.setting.inputs.confidence

    def total_failure(self, confidence: float) -> float:
        """Return the probability with which some input, or a guarantee with this failure probability, may fail."""
        return min(1.0, round(confidence + self.failure, _DIGITS))

    @cached_property
    def quality(self) -> tuple[Ends, ...]:
        """The interval of each quality."""
        return tuple(self._ends(each.quality, each.quality_estimate, 1.0) for each in self.setting.providers)

    @cached_property
    def mean_cost(self) -> tuple[Ends, ...]:
        """The interval of each mean cost."""
        largest = self.setting.platform.cost_bound
        return tuple(self._ends(each.mean_cost, each.mean_cost_estimate, largest) for each in self.setting.providers)

    def _ends(self, value: float, estimate: Estimate | None, largest: float) -> Ends:
        return (value, value) if estimate is None else estimate.interval(self.failure_of_each, largest)

    @cached_property
    def qualified(self) -> tuple[Settled, ...]:
        """Whether each provider is qualified."""
        threshold = self.setting.platform.quality_threshold
        return tuple(_settled(low >= threshold, high < threshold) for low, high in self.quality)

    @cached_property
    def optimal(self) -> tuple[Settled, ...]:
        """Whether each provider is the cheapest qualified one."""
        ends = list(enumerate(zip(self.qualified, self.mean_cost, strict=True)))
        # Of everybody else: the least cost that a qualified provider has at most, and that one may have.
        sure = sorted((high, i) for i, (kind, (_, high)) in ends if kind == "yes")[:2]
        possible = sorted((low, i) for i, (kind, (low, _)) in ends if kind != "no")[:2]
        found = []
        for i, (kind, (low, high)) in ends:
            at_most, at_least = (next((c for c, j in each if j != i), math.inf) for each in (sure, possible))
            found.append(_settled(kind == "yes" and high < at_least, kind == "no" or at_most <= low))
        return tuple(found)

    @property
    def is_settled(self) -> bool:
        """Whether all markets of the region have the same qualified providers and the same optimum."""
        return "unsettled" not in (*self.qualified, *self.optimal)

    @cached_property
    def parts(self) -> tuple[RegionPart, ...]:
        """The parts of the region; none if there would be more than `MOST_PARTS`.

        Markets in which the cheapest qualified providers tie are left out: the theory does not speak of them.
        """
        if 2 ** self.qualified.count("unsettled") > MOST_PARTS:
            return ()
        found = tuple(itertools.islice(self._parts(), MOST_PARTS + 1))
        return found if len(found) <= MOST_PARTS else ()

    def _parts(self) -> Iterator[RegionPart]:
        open_ = [i for i, kind in enumerate(self.qualified) if kind == "unsettled"]
        sure = [i for i, kind in enumerate(self.qualified) if kind == "yes"]
        threshold = self.setting.platform.quality_threshold
        for choice in itertools.product((True, False), repeat=len(open_)):
            qualified = frozenset([*sure, *itertools.compress(open_, choice)])
            quality = list(self.quality)
            for i, reaches in zip(open_, choice, strict=True):
                low, high = quality[i]
                quality[i] = (threshold, high) if reaches else (low, math.nextafter(threshold, -1.0))
            highest = {i: min((self.mean_cost[j][1] for j in qualified if j != i), default=math.inf) for i in qualified}
            optima: list[int | None] = [i for i in sorted(qualified) if self.mean_cost[i][0] < highest[i]]
            for optimal in optima or (None,):
                costs = list(self.mean_cost)
                if optimal is not None:
                    low, high = costs[optimal]
                    costs[optimal] = (low, min(high, highest[optimal]))
                    for i in qualified - {optimal}:
                        costs[i] = (max(low, costs[i][0]), costs[i][1])
                yield RegionPart(qualified=qualified, optimal=optimal, quality=tuple(quality), mean_cost=tuple(costs))

    def drawn(self, *, rng: np.random.Generator) -> Setting:
        """Return the setting with exact inputs that are drawn uniformly from their intervals.

        Examples
        --------
        >>> from bounds.setting.model import PlatformParameters, Provider
        >>> platform = PlatformParameters(0.6, 0.05, 100.0, 2.0, 0.75)
        >>> roster = [Provider("a", 0.9, {"low": 3, "high": 4}), Provider("b", 0.7, 5)]
        >>> region = Region(setting=Setting("toy", platform, roster))
        >>> 3 <= region.drawn(rng=np.random.default_rng(0)).providers[0].mean_cost <= 4
        True
        """
        setting = self.setting.point
        qualities, costs = (
            [float(rng.uniform(*ends)) for ends in intervals] for intervals in (self.quality, self.mean_cost)
        )
        rows = zip(setting.providers, qualities, costs, strict=True)
        providers = tuple(replace(each, quality=quality, mean_cost=cost) for each, quality, cost in rows)
        return replace(setting, providers=providers)

    @property
    def worst_corners(self) -> tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]:
        """The qualities and mean costs of the markets of all parts whose paper and sharp bounds are largest.

        Counts are largest where unqualified providers are best, the optimum is most expensive and everybody else is
        cheapest; payments there, or where the competitors are most expensive (`bounds.ranges`).
        """
        return tuple(
            (tuple(high for _, high in part.quality), costs)
            for part in self.parts
            for costs in (part.costs({part.optimal}), part.costs(part.qualified))
        )

    def questions_to_settle(self, index: int) -> int | None:
        """Return how many more questions would show whether a provider is qualified, if its share stays what it is.

        Returns
        -------
        int or None
            None where its quality is settled, is not a share of correct answers, or equals the threshold.

        Examples
        --------
        >>> from bounds.setting.model import PlatformParameters, Provider
        >>> platform = PlatformParameters(0.6, 0.05, 100.0, 2.0, 0.75)
        >>> roster = [Provider("a", {"correct": 131, "of": 200}, 3), Provider("b", 0.9, 4)]
        >>> Region(setting=Setting("toy", platform, roster)).questions_to_settle(0)
        122
        """
        estimate = self.setting.providers[index].quality_estimate
        threshold = self.setting.platform.quality_threshold
        if self.qualified[index] != "unsettled" or not isinstance(estimate, Proportion) or estimate.point == threshold:
            return None

        def settles(of: int) -> bool:
            low, high = Proportion(correct=round(estimate.point * of), of=of).interval(self.failure_of_each, 1.0)
            return low >= threshold or high < threshold

        low, high = estimate.of, 2 * estimate.of
        while not settles(high):
            low, high = high, 2 * high
            if high > _MOST_QUESTIONS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if settles(middle) else (middle, high)
        return high - estimate.of

    def times_to_settle(self, index: int) -> float | None:
        """Return how many times as many questions would show whether a provider is qualified, of a standard error.

        The error of a mean falls with the root of the number of questions.
        """
        estimate = self.setting.providers[index].quality_estimate
        away = abs(self.setting.providers[index].quality - self.setting.platform.quality_threshold)
        if self.qualified[index] != "unsettled" or not isinstance(estimate, SampleMean) or not away:
            return None
        high = estimate.interval(self.failure_of_each, math.inf)[1]
        return ((high - estimate.mean) / away) ** 2

    def times_to_separate(self) -> float | None:
        """Return how many times as many questions would separate the mean costs of the possible optima.

        None where their intervals are disjoint, or where one of them is stated as an interval.
        """
        providers, own = self.setting.providers, self.setting.optimal
        rivals = [i for i, kind in enumerate(self.optimal) if kind == "unsettled" and i != own]
        if own is None or any(isinstance(providers[i].mean_cost_estimate, StatedInterval) for i in (own, *rivals)):
            return None
        reach = [high - each.mean_cost for each, (_, high) in zip(providers, self.mean_cost, strict=True)]
        gaps = {i: abs(providers[i].mean_cost - providers[own].mean_cost) for i in rivals}
        times = max((((reach[own] + reach[i]) / gap) ** 2 for i, gap in gaps.items() if gap), default=0.0)
        return times if times > 1 else None


def region_of(setting: Setting) -> Region | None:
    """Return the region of a setting's inputs; None where all inputs are exact."""
    return Region(setting=setting) if setting.is_uncertain else None


def _settled(always: bool, never: bool) -> Settled:
    return "yes" if always else "no" if never else "unsettled"
