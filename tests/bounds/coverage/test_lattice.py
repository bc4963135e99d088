"""Exit probabilities of costs against exact fractions, against scores and against simulation; Chernoff against both."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bounds.coverage.lattice import LatticeLaw, beyond_counts, lattice_exit
from bounds.coverage.limits import paper_radii
from bounds.coverage.walk import band_exit
from mechanism.market.laws import TOTAL_WEIGHT, beta_shaped, point_mass, two_point
from mechanism.market.provider import ProviderMarket
from proofs_checks.coverage.costs import query_cost_law
from tests.bounds.coverage.exact import leaving

EASY = {"n_providers": 2, "confidence": 0.99}


def law(masses: list[Fraction], bound: Fraction) -> LatticeLaw:
    mean = sum((point * mass for point, mass in enumerate(masses)), Fraction(0))
    return LatticeLaw(masses=np.array([float(mass) for mass in masses]), mean=mean, bound=bound)


def exact(masses: list[Fraction], bound: Fraction, counts: int) -> Fraction:
    """The probability of leaving the band, in fractions."""
    mean = sum((point * mass for point, mass in enumerate(masses)), Fraction(0))
    widths = [bound * Fraction(radius) for radius in paper_radii(counts, **EASY).tolist()]
    return Fraction(sum(leaving(masses, counts, lambda total, m: abs(Fraction(total, m) - mean) <= widths[m - 1])))


LAWS = {
    "three points": ([Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)], Fraction(2)),
    "a rare large one": ([Fraction(15, 16), Fraction(0), Fraction(0), Fraction(1, 16)], Fraction(3)),
    "two points": ([Fraction(1, 2), Fraction(0), Fraction(0), Fraction(0), Fraction(1, 2)], Fraction(4)),
}


class TestFollowed:
    @pytest.mark.parametrize("name", LAWS)
    def test_fractions(self, name: str) -> None:
        masses, bound = LAWS[name]
        for counts in (8, 60):
            found = lattice_exit(law(masses, bound), counts=counts, **EASY)
            expected = exact(masses, bound, counts)
            assert found.counts == counts
            assert Fraction(found.followed.lower) <= expected <= Fraction(found.followed.upper)
            assert found.followed.upper - found.followed.lower <= 1e-12 * float(expected) + 1e-300
        assert float(expected) > 1e-7

    def test_scores_are_costs_of_0_and_1(self) -> None:
        for quality in (0.125, 0.5):
            masses = [Fraction(1) - Fraction(quality), Fraction(quality)]
            found = lattice_exit(law(masses, Fraction(1)), n_providers=4, confidence=0.05, counts=700)
            same = band_exit(quality, n_providers=4, confidence=0.05, counts=700)
            assert found.followed.lower <= same.upper
            assert same.lower <= found.followed.upper
            # What is left out of the exact part is bounded, and not by far too much.
            assert found.failure.upper < 2 * same.upper

    def test_a_small_budget_follows_less_and_bounds_the_rest(self) -> None:
        masses, bound = LAWS["three points"]
        whole = lattice_exit(law(masses, bound), **EASY)
        for budget in (1e1, 1e3, 1e5):
            some = lattice_exit(law(masses, bound), budget=budget, **EASY)
            assert some.counts < whole.counts == 2000
            assert some.followed.lower <= whole.followed.upper
            assert whole.failure.lower <= some.failure.upper

    def test_a_wrong_mean_is_caught(self) -> None:
        """Power: a band around another mean, or of another width, gives another probability."""
        masses, bound = LAWS["three points"]
        right, expected = law(masses, bound), exact(masses, bound, 60)
        for wrong in (
            LatticeLaw(masses=right.masses, mean=right.mean + Fraction(1, 10), bound=bound),
            LatticeLaw(masses=right.masses, mean=right.mean, bound=bound * Fraction(19, 20)),
            LatticeLaw(masses=right.masses[::-1].copy(), mean=right.mean, bound=bound),
        ):
            found = lattice_exit(wrong, counts=60, **EASY).followed
            assert not Fraction(found.lower) <= expected <= Fraction(found.upper)


class TestBeyond:
    @pytest.mark.parametrize("name", LAWS)
    def test_bounds_what_is_followed_there(self, name: str) -> None:
        given = law(*LAWS[name])
        for first in (1, 5, 30):
            near, far = (lattice_exit(given, counts=counts, **EASY).followed for counts in (first, 1500))
            bound = beyond_counts(given, first, **EASY)
            assert far.upper - near.lower <= bound
            assert bound < 1000 * (far.upper - near.lower) + 1e-9


class TestLawsOfQueries:
    def test_candidates_share_their_difficulty(self) -> None:
        market = ProviderMarket(two_point(0.5, 1.0), beta_shaped(0.3, 1.0, 0.6, 16), multiplicity=3)
        found = query_cost_law(market, 3.0)
        points = np.arange(len(found.masses))
        unit = float(market.candidate_law.unit)
        assert float(found.masses.sum()) == pytest.approx(1, abs=1e-13)
        assert float(found.masses @ points) * unit == pytest.approx(float(market.mean_cost), rel=1e-13)
        second = float(found.masses @ points**2) * unit**2 - float(market.mean_cost) ** 2
        assert second == pytest.approx(float(market.cost_variance), rel=1e-11)

    def test_too_many_points_are_left_to_hoeffding(self) -> None:
        market = ProviderMarket(two_point(0.5, 1.0), beta_shaped(0.3, 1.0, 0.6, 1024), multiplicity=100)
        assert query_cost_law(market, 100.0) is None
        assert query_cost_law(ProviderMarket(point_mass(1), point_mass(2.0)), 4.0) is not None
        assert TOTAL_WEIGHT == 2**62
