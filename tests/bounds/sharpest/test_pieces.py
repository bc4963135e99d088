"""Radii and probabilities of the sharpest bounds against plain loops, enumeration and exact fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from bounds.coverage.walk import exit_probability
from bounds.sharpest.probability import FIRST_COUNT, impossible_counts, spare_probability, stitched_radii
from bounds.sharpest.radii import balanced_radius_sums, clipped_radius_sums, last_counts_with_radius, radius_sums
from tests.bounds.by_hand import beta


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
