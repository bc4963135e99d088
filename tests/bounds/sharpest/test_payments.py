"""What is printed of explorations and payments, against the right sides of the theorems in Coq, typed again.

`SharpestPayments.v` states them; the names here are those of its definitions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from scipy.special import zeta

from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Provider, Setting
from bounds.sharpest.formulas import SHARPEST
from tests.bounds.by_hand import setting_of
from tests.proofs_checks.proofs.test_printed_numbers_improved import RightSides

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


class PaymentSides(RightSides):
    """The definitions of `SharpestPayments.v`."""

    @property
    def runner_up(self) -> Provider:
        """The cheapest competitor."""
        return min(self.competitors, key=lambda each: each.mean_cost)

    def most_wins(self, j: Provider, i: Provider) -> float:
        """How many auctions i wins while j is eligible."""
        most = self.last_eligible(i) if i in self.unqualified else math.inf
        return min(most, self.most_won(j, i), self.horizon - self.size)

    @cached_property
    def clip(self) -> float:
        """c_max - c_(2)."""
        return self.platform.cost_bound - self.second

    def price_excess(self, less: float, after: float, last: float) -> float:
        """The sum over the counts after + 1, ..., last."""
        radii = self.radii[int(after) : max(int(last), int(after))]
        return float(np.clip(self.scale * radii + self.platform.overbid - less, 0.0, self.clip).sum())

    def short(self, start: int) -> float:
        """The largest number that `falls_short` allows for auctions that i* wins beyond a count."""
        least = max(1, self.ceiling_of_target(self.size + start + 1))
        selected = min(max(self.most_won(self.best, self.runner_up), self.explored), self.horizon - self.size)
        most = max(least, int(selected) + 1)
        m = np.arange(float(least), most + 1)
        failure, bands = self.platform.confidence, self.radii[least - 1 : most]
        last = int((self.radii >= 1).sum())
        spare = 6 / math.pi**2 * failure * sum(1 / count**2 for count in range(2, last + 1)) / 2
        if spare == 0:
            return 0.0
        evidence = np.log(zeta(1.4) / spare * (np.log2(m) + 1) ** 1.4)
        stitched = np.sqrt(evidence / (8 * m)) * (2**0.25 + 2**-0.25)
        return max(0.0, float((bands - stitched).min()))

    def auction_excess(self, explored: Mapping[str, int], *, shortfall: bool = True) -> float:
        """A_T, the least over the counts from which on the shortfall is used."""
        queries, own = self.horizon - self.size, explored[self.best.name]
        less = self.second - self.best.mean_cost
        others = math.fsum(
            self.price_excess(less, explored[i.name], self.most_wins(self.best, i))
            for i in (*self.unqualified, *self.competitors)
        )
        by_provider = [self.price_excess(0.0, own, queries)]
        for start in self._starts(own) if shortfall else ():
            saved = self.platform.cost_bound * self.short(start)
            then = self.price_excess(saved, max(own, start), queries)
            by_provider.append(self.price_excess(0.0, own, min(start, queries)) + then)
        share, more = divmod(queries, self.size)
        larger, smaller = (self.price_excess(0.0, 0, each) for each in (share + 1, share))
        return min(others + min(by_provider), more * larger + (self.size - more) * smaller)

    def _starts(self, own: float) -> Iterator[int]:
        for power in range(18):
            start = (int(own) + 1) * 8**power - 1
            if start + 1 < self.horizon - self.size:
                yield start

    def excess(self, auctions: float) -> float:
        """Initialization, explorations, auctions."""
        return (self.size + sum(self.most_explored.values())) * self.clip + auctions

    def deviation(self, disturbed: float) -> float:
        """The average deviation, with W."""
        second, horizon = self.second, self.horizon
        most = max(second, self.clip)
        counts = np.maximum(1, self.counts_below_targets[1:] + 1).astype(int)
        bands = 2 * self.scale * self.radii[np.minimum(counts, horizon + 1) - 1]
        radii = float(np.minimum(most, bands + max(self.platform.underbid, self.platform.overbid)).sum())
        least = min([i.mean_cost for i in self.cheap], default=second)
        return (self.excess(radii) + min(disturbed, horizon - self.size) * min(most, second - least)) / horizon

    @cached_property
    def cheap(self) -> list[Provider]:
        """Unqualified providers that are cheaper than c_(2)."""
        return [i for i in self.unqualified if i.mean_cost < self.second]

    def disturbed(self, chosen: tuple[Provider, ...]) -> float:
        """W."""
        rest = max((self.last_eligible(i) for i in self.cheap if i not in chosen), default=-1)
        by_time = float((self.counts_below_targets[1:] + 1 <= rest).sum())
        if not chosen:
            return by_time
        dearest = max(chosen, key=lambda i: i.mean_cost)
        others = (self.most_wins(dearest, i) for i in self.setting.providers if i not in chosen)
        return math.fsum([*map(self.last_eligible, chosen), *others]) + by_time


def _sets(items: list[Provider]) -> Iterator[tuple[Provider, ...]]:
    return itertools.chain.from_iterable(itertools.combinations(items, size) for size in range(len(items) + 1))


def _compare(right: PaymentSides) -> None:
    values = {**formula_inputs(right.setting), "horizon": float(right.horizon)}

    def printed(role: str) -> float:
        return float(SHARPEST[role](values))

    assert printed("exploration_steps") == sum(right.most_explored.values())
    none = dict.fromkeys(right.most_explored, 0)
    proved: list[tuple[float, float]] = [
        (printed("excess"), right.excess(right.auction_excess(right.most_explored))),
        (printed("excess_without_exploration"), right.size * right.clip + right.auction_excess(none)),
        (printed("settling_excess"), right.excess(right.auction_excess(none, shortfall=False))),
    ]
    for shown, exact in proved:
        assert exact * (1 - 1e-12) <= shown <= exact * (1 + 1e-6) + 1e-9
    # The program counts initialization at the trivial value, adds late steps in blocks, and looks at some sets only.
    exact = right.deviation(min(map(right.disturbed, _sets(right.cheap))))
    initial = right.size * max(0.0, right.second - right.clip) / right.horizon
    shown = printed("average_deviation")
    assert exact * (1 - 1e-12) <= shown <= (exact + initial) * 1.005


@pytest.mark.for_each("name", [*PUBLISHED_NAMES, *ODD])
def test_what_is_printed_is_what_is_proved(name: str) -> None:
    setting = ODD.get(name) or published(name).setting
    _compare(PaymentSides(setting, 150))
    _compare(PaymentSides(setting, 1000))


@pytest.mark.long
@pytest.mark.for_each("name", [*PUBLISHED_NAMES, *ODD])
def test_what_a_report_shows_is_what_is_proved(name: str) -> None:
    setting = ODD.get(name) or published(name).setting
    right, report = PaymentSides(setting, 70_000), evaluate_bounds(setting, 70_000, "sharpest")
    _compare(right)
    _compare(PaymentSides(setting, setting.n_providers + 1))
    assert report.exploration_steps_bound == sum(right.most_explored.values())
    for key, role in (("excess_payment", "excess"), ("average_payment_deviation", "average_deviation")):
        assert report.guarantees[key].value == SHARPEST[role]({**formula_inputs(setting), "horizon": 70_000.0})


@pytest.mark.for_each(
    "wrong",
    [
        lambda right: {"most_explored": {name: count + 1 for name, count in right.most_explored.items()}},
        lambda right: {"clip": right.clip * 1.01},
        lambda right: {"_last_eligible": {i.name: right.last_eligible(i) * 1.2 + 1 for i in right.unqualified}},
        lambda right: {"explored_until": lambda i: int(RightSides.explored_until(right, i) / 2)},
        lambda right: {"short": lambda start: 0.9 * PaymentSides.short(right, start)},
        lambda right: {"cheap": right.cheap[1:]},
    ],
)
def test_another_right_side_is_until_distinct(wrong: Callable[[PaymentSides], dict[str, Any]]) -> None:
    setting = published("gsm8k-full").setting
    right = PaymentSides(setting, 10_000)
    vars(right).update(wrong(PaymentSides(setting, 10_000)))
    with pytest.raises(AssertionError):
        _compare(right)
