"""What is printed of explorations and payments, against the right sides of the theorems in Coq, typed again.

`SharpestPayments.v` states them; the names here are those of its definitions. M_i, t_i and the shortfall are numbers
with a property there. M_i and t_i are taken from the program, as `test_printed_numbers_improved` compares them; the
property of t_i is tested at each step; the shortfall is found anew.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import zeta

from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.elimination import chernoff_counts
from bounds.sharpest.exploration import exploration_ends
from bounds.sharpest.formulas import SHARPEST
from bounds.sharpest.market import MarketInstance
from tests.bounds.by_hand import setting_of

Floats = NDArray[np.float64]

#: Markets beside the published: pairs (quality, mean cost), and what else of the platform differs.
ODD: dict[str, Setting] = {
    "two providers": setting_of([(0.9, 0.2), (0.8, 0.7)]),
    "all qualified": setting_of([(0.9, 0.2), (0.8, 0.5), (0.7, 0.6), (0.6, 0.9)], exploration_scale=4.0),
    "cheap unqualified": setting_of([(0.9, 0.5), (0.1, 0.1), (0.0, 0.4), (0.8, 0.8), (0.2, 0.6)], confidence=0.3),
    "costs near c_max": setting_of([(0.9, 0.85), (0.1, 0.1), (0.8, 0.95)], exploration_scale=0.5),
    "beliefs and deviations": setting_of(
        [(0.9, 0.2), (0.1, 0.1), (0.8, 0.7), (0.1, 0.6)], belief_slack=0.25, underbid=0.02, overbid=0.05
    ),
    "deviations beyond a gap": setting_of([(0.9, 0.2), (0.1, 0.25), (0.8, 0.25)], underbid=0.05, overbid=0.1),
    "nobody explored": setting_of([(0.9, 0.2), (0.1, 0.1), (0.8, 0.5)], exploration_scale=1e-3),
}


@dataclass(frozen=True, kw_only=True)
class RightSides:
    """The definitions of `SharpestPayments.v` for one market and T; providers: the unqualified, i*, competitors."""

    v: dict[str, Any]
    horizon: int
    excluded: list[float]
    ends: list[float]

    @staticmethod
    def of(setting: Setting, horizon: int) -> RightSides:
        """Return those of a setting."""
        values = formula_inputs(setting)
        excluded = [*chernoff_counts(values).tolist(), *[math.inf] * (len(values["competitor_cost"]) + 1)]
        return RightSides(
            v=values, horizon=horizon, excluded=excluded, ends=exploration_ends(MarketInstance.of(values)).tolist()
        )

    @cached_property
    def n(self) -> int:
        """N."""
        return len(self.costs)

    @cached_property
    def costs(self) -> list[float]:
        """Mean costs."""
        return [*self.v["unqualified_cost"], self.v["optimal_cost"], *self.v["competitor_cost"]]

    @cached_property
    def best(self) -> int:
        """The place of i*."""
        return len(self.v["unqualified_cost"])

    @cached_property
    def second(self) -> int:
        """The place of the cheapest competitor."""
        return min(range(self.best + 1, self.n), key=lambda i: self.costs[i])

    @cached_property
    def beta(self) -> Floats:
        """beta(m) at m = 1, ..., T + 1; at 0 it stands for no count."""
        m = np.arange(1.0, self.horizon + 2)
        logs = math.log(2 * math.pi**2 * self.n / (3 * self.v["confidence"])) + 2 * np.log(m)
        return np.concatenate([[math.inf], np.sqrt(logs / (2 * m))])

    def target(self, t: Any) -> Any:
        """g(t), a whole number where rounding could decide."""
        found = self.v["exploration_scale"] * (np.asarray(t) / self.n) ** self.v["exploration_exponent"]
        return np.where(np.abs(found - np.round(found)) < 1e-9, np.round(found), found)

    @cached_property
    def targets(self) -> Floats:
        """g(t) at t = N + 1, ..., T."""
        return np.asarray(self.target(np.arange(self.n + 1, self.horizon + 1)))

    def counts_below(self, t: Any) -> Any:
        """ceil(g(t)) - 1."""
        return np.maximum(np.ceil(self.target(t)) - 1, 0.0)

    def kappa(self) -> float:
        """(1 + gamma) c_max."""
        return float((1 + self.v["belief_slack"]) * self.v["cost_bound"])

    def gap_to(self, j: int, i: int) -> float:
        """What keeps i from winning against j."""
        return float((self.costs[i] - self.costs[j] - self.v["underbid"] - self.v["overbid"]) / self.kappa())

    def m_star(self, gap: float) -> float:
        """The largest m <= T + 1 with gap <= 2 beta(m); infinite for no gap."""
        return float((2 * self.beta[1:] >= gap).sum()) if gap > 0 else math.inf

    def most_wins(self, horizon: int, j: int, i: int) -> float:
        """How many auctions i wins while j is eligible."""
        return min(self.excluded[i], self.m_star(self.gap_to(j, i)), horizon - self.n)

    def most_selected(self, horizons: Any, j: int, i: int) -> Any:
        """How often i is selected while j is eligible."""
        capped = np.maximum(self.m_star(self.gap_to(j, i)), self.counts_below(horizons))
        return np.minimum(np.minimum(capped, self.excluded[i]), np.asarray(horizons) - self.n)

    def explored_until(self, j: int) -> bool:
        """The property of t_j, at each later step until T."""
        t = np.arange(max(self.n, min(self.ends[j], self.horizon)) + 1, self.horizon + 1)
        others = sum(self.most_selected(t - 1, j, i) for i in range(self.n) if i != j)
        return bool((self.n + others + self.target(t) <= t + 1e-9).all())

    @cached_property
    def explored(self) -> list[float]:
        """X_i."""
        caps = [float(self.counts_below(min(self.horizon, end))) for end in self.ends]
        return [min(cap, most) for cap, most in zip(caps, self.excluded, strict=True)]

    @cached_property
    def clip(self) -> float:
        """c_max - c_(2)."""
        return float(self.v["cost_bound"] - self.costs[self.second])

    def price_excess(self, less: float, after: float, last: float) -> float:
        """The sum over the counts after + 1, ..., last."""
        radii = self.beta[int(after) + 1 : max(int(last), int(after)) + 1]
        return float(np.clip(self.kappa() * radii + self.v["overbid"] - less, 0.0, self.clip).sum())

    def short(self, start: int) -> float:
        """The largest number that `falls_short` allows for auctions that i* wins beyond a count."""
        least = max(1, int(self.counts_below(self.n + start + 1)) + 1)
        most = max(least, int(self.most_selected(self.horizon, self.best, self.second)) + 1)
        m = np.arange(float(least), most + 1)
        failure, bands = self.v["confidence"], self.beta[least : most + 1]
        last = int((self.beta[1:] >= 1).sum())
        spare = 6 / math.pi**2 * failure * sum(1 / count**2 for count in range(2, last + 1)) / 2
        if spare == 0:
            return 0.0
        evidence = np.log(zeta(1.4) / spare * (np.log2(m) + 1) ** 1.4)
        stitched = np.sqrt(evidence / (8 * m)) * (2**0.25 + 2**-0.25)
        return max(0.0, float((bands - stitched).min()))

    def auction_excess(self, explored: list[float], *, shortfall: bool = True) -> float:
        """A_T, the least over the counts from which on the shortfall is used."""
        queries, own = self.horizon - self.n, explored[self.best]
        others = math.fsum(
            self.price_excess(
                self.costs[self.second] - self.costs[self.best], explored[i], self.most_wins(self.horizon, self.best, i)
            )
            for i in range(self.n)
            if i != self.best
        )
        by_provider = [self.price_excess(0.0, own, queries)]
        for start in self._starts(own) if shortfall else ():
            saved = self.v["cost_bound"] * self.short(start)
            then = self.price_excess(saved, max(own, start), queries)
            by_provider.append(self.price_excess(0.0, own, min(start, queries)) + then)
        share, more = divmod(queries, self.n)
        larger, smaller = (self.price_excess(0.0, 0, each) for each in (share + 1, share))
        return min(others + min(by_provider), more * larger + (self.n - more) * smaller)

    def _starts(self, own: float) -> Iterator[int]:
        for power in range(18):
            start = (int(own) + 1) * 8**power - 1
            if start + 1 < self.horizon - self.n:
                yield start

    def excess(self, auctions: float) -> float:
        """Initialization, explorations, auctions."""
        return (self.n + sum(self.explored)) * self.clip + auctions

    def deviation(self, disturbed: float) -> float:
        """The average deviation, with W."""
        second, horizon = self.costs[self.second], self.horizon
        most = max(second, self.clip)
        counts = np.maximum(1, np.ceil(self.targets)).astype(int)
        bands = 2 * self.kappa() * self.beta[np.minimum(counts, horizon + 1)]
        radii = float(np.minimum(most, bands + max(self.v["underbid"], self.v["overbid"])).sum())
        least = min([self.costs[i] for i in self.cheap], default=second)
        money = min(disturbed, horizon - self.n) * min(most, second - least)
        return float((self.n * self.clip + sum(self.explored) * self.clip + radii + money) / horizon)

    @cached_property
    def cheap(self) -> list[int]:
        """Unqualified providers that are cheaper than c_(2)."""
        return [i for i in range(self.best) if self.costs[i] < self.costs[self.second]]

    def disturbed(self, chosen: tuple[int, ...]) -> float:
        """W."""
        rest = max((self.excluded[i] for i in self.cheap if i not in chosen), default=-1.0)
        by_time = float((self.targets <= rest).sum())
        if not chosen:
            return by_time
        dearest = max(chosen, key=lambda i: self.costs[i])
        each = (self.excluded[i] if i in chosen else self.most_wins(self.horizon, dearest, i) for i in range(self.n))
        return math.fsum(each) + by_time


def _sets(items: list[int]) -> Iterator[tuple[int, ...]]:
    return itertools.chain.from_iterable(itertools.combinations(items, size) for size in range(len(items) + 1))


def _compare(right: RightSides) -> None:
    assert all(right.explored_until(j) for j in range(right.n))

    def printed(role: str) -> float:
        return float(SHARPEST[role]({**right.v, "horizon": float(right.horizon)}))

    assert printed("exploration_steps") == sum(right.explored)
    none = [0.0] * right.n
    proved: list[tuple[float, float]] = [
        (printed("excess"), right.excess(right.auction_excess(right.explored))),
        (printed("excess_without_exploration"), right.n * right.clip + right.auction_excess(none)),
        (printed("settling_excess"), right.excess(right.auction_excess(none, shortfall=False))),
    ]
    for shown, exact in proved:
        assert exact * (1 - 1e-12) <= shown <= exact * (1 + 1e-6) + 1e-9
    # The program counts initialization at the trivial value, adds late steps in blocks, and looks at some sets only.
    exact = right.deviation(min(map(right.disturbed, _sets(right.cheap))))
    initial = right.n * max(0.0, right.costs[right.second] - right.clip) / right.horizon
    shown = printed("average_deviation")
    assert exact * (1 - 1e-12) <= shown <= (exact + initial) * 1.005


@pytest.mark.for_each("name", [*PUBLISHED_NAMES, *ODD])
def test_what_is_printed_is_what_is_proved(name: str) -> None:
    setting = ODD.get(name) or published(name).setting
    _compare(RightSides.of(setting, 150))
    _compare(RightSides.of(setting, 1000))


@pytest.mark.long
@pytest.mark.for_each("name", [*PUBLISHED_NAMES, *ODD])
def test_what_a_report_shows_is_what_is_proved(name: str) -> None:
    setting = ODD.get(name) or published(name).setting
    right, report = RightSides.of(setting, 70_000), evaluate_bounds(setting, 70_000, "sharpest")
    _compare(right)
    _compare(RightSides.of(setting, setting.n_providers + 1))
    assert report.exploration_steps_bound == sum(right.explored)
    for key, role in (("excess_payment", "excess"), ("average_payment_deviation", "average_deviation")):
        assert report.guarantees[key].value == SHARPEST[role]({**right.v, "horizon": 70_000.0})


@pytest.mark.for_each(
    "wrong",
    [
        lambda right: {"explored": [count + 1 for count in right.explored]},
        lambda right: {"clip": right.clip * 1.01},
        lambda right: {"excluded": [count * 1.2 + 1 for count in right.excluded]},
        lambda right: {"ends": [end / 2 for end in right.ends]},
        lambda right: {"short": lambda start: 0.9 * RightSides.short(right, start)},
        lambda right: {"cheap": right.cheap[1:]},
    ],
)
def test_another_right_side_is_told_apart(wrong: Callable[[RightSides], dict[str, Any]]) -> None:
    setting = published("gsm8k-full").setting
    right = RightSides.of(setting, 10_000)
    vars(right).update(wrong(RightSides.of(setting, 10_000)))
    with pytest.raises(AssertionError):
        _compare(right)
