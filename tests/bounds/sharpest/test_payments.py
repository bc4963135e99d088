"""What is printed of explorations and payments, against the right sides of the theorems in Coq, typed again.

`SharpestPayments.v` states them; the names here are those of its definitions.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import zeta

from bounds.coverage.walk import exit_probability
from bounds.methods import METHODS
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Provider, Setting
from bounds.sharpest.formulas import SHARPEST
from bounds.sharpest.information import information_counts
from bounds.sharpest.probability import FIRST_COUNT, impossible_counts, spare_probability, stitched_radii
from bounds.sharpest.radii import balanced_radius_sums, clipped_radius_sums, last_counts_with_radius, radius_sums
from tests.bounds.by_hand import beta, setting_of
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


class TestRadii:
    @pytest.mark.for_each(("n", "delta"), [(2, 0.99), (4, 0.05), (9, 1e-6), (2, 1e-300)])
    def test_the_last_count_with_a_radius(self, n: int, delta: float) -> None:
        for count in (1, 2, 7, 999, 65_536, 65_537, 10**6):
            radius = float(
                mpmath.sqrt((mpmath.log(2 * mpmath.pi**2 * n / (3 * delta)) + 2 * mpmath.log(count)) / (2 * count))
            )
            assert last_counts_with_radius(radius * (1 - 1e-12), n, delta) == count
            assert last_counts_with_radius(radius * (1 + 1e-12), n, delta) == count - 1

    @pytest.mark.for_each("count", [1, 2, 17, 65_535, 65_537, 70_000, 200_000])
    def test_the_sum_is_no_less_than_the_terms_and_hardly_more(self, count: int) -> None:
        exact = math.fsum(beta(m, 4, 0.05) for m in range(1, count + 1))
        assert exact <= radius_sums(count, 4, 0.05) <= exact * (1 + 1e-6)

    @pytest.mark.for_each("count", [0, 1, 2, 5, 11, 12])
    @pytest.mark.parametrize("shares", [1, 2, 3, 4])
    def test_equal_shares_are_the_worst_of_all_splits(self, shares: int, count: int) -> None:
        splits = (s for s in itertools.product(range(count + 1), repeat=shares) if sum(s) == count)
        worst = max(math.fsum(beta(m, 3, 0.9) for d in split for m in range(1, d + 1)) for split in splits)
        found = balanced_radius_sums(shares, count, 3, 0.9)
        assert worst <= found <= worst * (1 + 1e-11)

    def test_the_clipped_sum_is_that_of_its_terms(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(300):
            first, last = int(rng.integers(1, 40)), int(rng.integers(0, 400))
            scale, less = float(rng.choice([1.0, 100.0])), float(rng.choice([-0.2, 0.0, 0.3, rng.uniform(0, 1)]))
            largest, less = float(rng.choice([0.0, 0.1, 1.0, 5.0])) * scale, less * scale
            terms = (min(largest, max(scale * beta(m, 5, 0.3) - less, 0.0)) for m in range(first, last + 1))
            exact = math.fsum(terms)
            found = clipped_radius_sums(last, scale, less, largest, 5, 0.3, first=first)
            assert exact * (1 - 1e-13) <= found <= exact * (1 + 1e-9) + 1e-9 * scale


class TestProbability:
    @pytest.mark.for_each(("n", "delta"), [(2, 0.999), (2, 0.05), (4, 0.05), (12, 0.05), (30, 1e-9)])
    def test_the_counts_that_cannot_fail_and_what_they_leave(self, n: int, delta: float) -> None:
        last = impossible_counts(n, delta)
        assert beta(last, n, delta) >= 1 > beta(last + 1, n, delta)
        squares = sum(Fraction(1, m * m) for m in range(2, last + 1))
        assert spare_probability(n, delta) == pytest.approx(6 / math.pi**2 * delta * float(squares), rel=1e-14)
        bands = math.pi**2 / 6 - 1 - float(squares)
        assert FIRST_COUNT * delta * (1 + bands) + spare_probability(n, delta) == pytest.approx(delta, rel=1e-14)

    @pytest.mark.for_each("failure", [0.9, 0.01, 1e-200])
    def test_the_stitched_radius_is_that_of_the_theorem(self, failure: float) -> None:
        """Stitched.v: (2^(1/4) + 2^(-1/4))/2 sqrt(ln(zeta(7/5) (1 + log_2 m)^(7/5)/failure)/(2 m))."""
        counts = [1, 2, 3, 4, 5, 1023, 1024, 10**6, 2**53]
        with mpmath.workdps(40):
            power = mpmath.mpf(7) / 5
            spread = (mpmath.root(2, 4) + 1 / mpmath.root(2, 4)) / 2
            for count, found in zip(counts, stitched_radii(np.array(counts, dtype=float), failure), strict=True):
                evidence = mpmath.log(mpmath.zeta(power) * (1 + mpmath.log(count, 2)) ** power / failure)
                exact = spread * mpmath.sqrt(evidence / (2 * count))
                assert exact <= float(found) <= exact * (1 + mpmath.mpf(10) ** -11)

    def test_nothing_pays_for_the_stitched_radius_where_beta_falls_below_1_at_2(self) -> None:
        assert impossible_counts(2, 0.99) == 1
        assert spare_probability(2, 0.99) == 0
        assert np.isinf(stitched_radii(np.array([1.0, 50.0]), 0.0)).all()

    @pytest.mark.for_each("quality", [0.02, 0.3, 0.5, 0.9])
    def test_a_mean_seldom_exceeds_the_stitched_radius(self, quality: float) -> None:
        """Exact for scores of 0 and 1, against what is paid for it; within the bound by a factor of two and more."""
        for failure in (0.01, 0.3):
            radii = np.minimum(stitched_radii(np.arange(1.0, 4001), failure), 2.0)
            found = exit_probability(quality, radii, "above")
            assert found.upper <= failure / 2


PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "sharper-bounds.md"


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_each_method_is_sharper_than_the_one_before(name: str) -> None:
    setting = published(name).setting
    reports = [evaluate_bounds(setting, 70_000, method) for method in METHODS]
    for key in reports[0].guarantees:
        values = [report.guarantees[key].value for report in reports if report.guarantees[key].applies]
        assert all(better <= worse for worse, better in pairwise(values))


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_the_page_has_the_bounds_of_the_program(name: str) -> None:
    setting = published(name).setting
    paper, sharp, sharpest = (evaluate_bounds(setting, 70_000, method) for method in METHODS)
    (line,) = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {name} |"))
    cells = [int(cell.replace(",", "")) for cell in line.strip("|").split("|")[1:]]
    assert cells[:3] == [each.identification_horizon for each in (paper, sharp, sharpest)]
    assert [cells[4], cells[5]] == [paper.identification_bound, sharpest.identification_bound]
    assert cells[7] == round(information_counts(formula_inputs(setting)).sum())
    assert cells[3] < cells[2]
    assert cells[6] < cells[5]
