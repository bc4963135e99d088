"""The pieces of the sharpest bounds against what is not the same code: plain loops, enumeration, exact fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from bounds.coverage.walk import exit_probability
from bounds.sharpest.exploration import exploration_counts
from bounds.sharpest.market import MarketInstance
from bounds.sharpest.payments import disturbed_auctions, radii_at_target, trivial_deviation
from bounds.sharpest.probability import FIRST_COUNT, impossible_counts, spare_probability, stitched_radii
from bounds.sharpest.radii import balanced_radius_sums, clipped_radius_sums, last_counts_with_radius, radius_sums
from costproof import strategies
from tests.bounds.by_hand import beta, inputs
from tests.drawn import drawn

#: Inputs of formulas for markets to which the theory applies, with gaps that are told apart within some thousand steps.
VALUES = inputs(strategies.settings(assumptions=True, least_gap=0.05))
MARKETS = VALUES.map(MarketInstance.of)


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


class TestExploration:
    def test_a_count_is_no_more_than_the_cap_and_the_exclusion(self) -> None:
        for market in drawn(MARKETS, 30):
            found = exploration_counts(market, 500)
            assert (found <= market.exploration_caps(500)).all()
            assert (found <= market.elimination).all()


class TestPayments:
    def test_disturbed_auctions_are_no_fewer_than_the_best_subset_allows(self) -> None:
        seen = 0
        for market in drawn(MARKETS, 160):
            cheap = [i for i in range(market.n_unqualified) if market.costs[i] < market.second_lowest_cost]
            found = disturbed_auctions(market)
            if not cheap:
                assert found == 0
                continue
            seen += 1
            assert found >= min(self._of(market, cheap, subset) for subset in _subsets(cheap)) * (1 - 1e-12)
            assert found <= self._of(market, cheap, ()) * (1 + 1e-12)
        assert seen > 20

    @staticmethod
    def _of(market: MarketInstance, cheap: list[int], by_steps: tuple[int, ...]) -> float:
        """Count one set out by steps, the others by time."""
        n, k, alpha = market.n_providers, market.exploration_scale, market.exploration_exponent
        times = [
            max(0.0, math.floor(n * (market.elimination[i] / k) ** (1 / alpha) * (1 + 1e-12)) + 1 - n)
            for i in cheap
            if i not in by_steps
        ]
        rest = max(times, default=0.0)
        if not by_steps:
            return rest
        if any(market.costs[i] >= market.optimal_cost for i in by_steps):
            return math.inf
        dearest = max(by_steps, key=lambda i: market.costs[i])
        others = [i for i in range(len(market.costs)) if i not in by_steps]
        wins = sum(min(market.elimination[i], market.by_cost[i, dearest]) for i in others)
        return float(sum(market.elimination[i] for i in by_steps) + wins + rest)

    def test_radii_at_the_target_add_up_to_no_less_than_their_sum(self) -> None:
        rng = np.random.default_rng(5)
        for market in drawn(MARKETS, 8):
            n, horizon = int(market.n_providers), int(rng.integers(2, 9000))
            exact = math.fsum(self._term(market, t) for t in range(n + 1, horizon + 1))
            found = radii_at_target(market, horizon)
            assert exact * (1 - 1e-9) <= found <= exact * 1.02 + 1e-9 * market.cost_bound

    @staticmethod
    def _term(market: MarketInstance, t: int) -> float:
        n, k, alpha = market.n_providers, market.exploration_scale, market.exploration_exponent
        count = max(1, math.ceil(round(k * (t / n) ** alpha, 9)))
        band = 2 * market.cost_scale * beta(count, n, market.confidence) + max(market.underbid, market.overbid)
        return min(trivial_deviation(market), band)


def _subsets(items: list[int]) -> Any:
    return itertools.chain.from_iterable(itertools.combinations(items, size) for size in range(len(items) + 1))
