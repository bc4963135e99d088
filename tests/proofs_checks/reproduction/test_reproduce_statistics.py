"""z and its parts, against arithmetic by hand and against repeated draws."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import PrintedNumber
from proofs_checks.reproduction.statistics import compare


def printed(value: float, stat: str = "mean", half_ulp: float = 0.0, halfwidth: float | None = None) -> PrintedNumber:
    return PrintedNumber("toy", "table", "row", "", stat, value, half_ulp, halfwidth)


class TestMeans:
    VALUES = np.array([1.0, 2.0, 3.0, 6.0])  # mean 3, variance 14/3

    def test_by_hand(self) -> None:
        found = compare(printed(5.0, half_ulp=0.5, halfwidth=1.96), self.VALUES, 2)
        assert found.ours == 3.0
        assert found.standard_error_printed**2 == pytest.approx(14 / 6 + 1 / 12)
        assert found.standard_error_ours**2 == pytest.approx(14 / 12)
        assert found.z == pytest.approx(2 / math.sqrt(14 / 6 + 14 / 12 + 1 / 12))
        assert found.halfwidth_ratio == pytest.approx(1 / math.sqrt(14 / 6))
        assert found.tail_probability is None

    def test_three_standard_errors_do_not_agree(self) -> None:
        error = compare(printed(3.0), self.VALUES, 2).standard_error
        assert not compare(printed(3.0 + 3.001 * error), self.VALUES, 2).agrees
        assert compare(printed(3.0 + 2.999 * error), self.VALUES, 2).agrees


class TestNothingVaries:
    SAME = np.full(50, 1656.0)

    @pytest.mark.parametrize("difference", [-0.5, -0.2, 0.0, 0.3, 0.5])
    def test_within_the_rounding_is_within_its_standard_error(self, difference: float) -> None:
        found = compare(printed(1656 + difference, half_ulp=0.5), self.SAME, 30)
        assert found.z == pytest.approx(difference * math.sqrt(12))
        assert found.agrees

    def test_without_rounding_there_is_no_z(self) -> None:
        found = compare(printed(1657.0), self.SAME, 30)
        assert found.z is None
        assert not found.agrees

    @pytest.mark.parametrize("stat", ["mean", "min", "max", "sum"])
    def test_every_statistic(self, stat: str) -> None:
        wanted = 1656.0 * (30 if stat == "sum" else 1)
        assert compare(printed(wanted, stat), self.SAME, 30).z == 0.0
        assert not compare(printed(wanted + 5, stat, 0.5), self.SAME, 30).agrees


class TestFrequencies:
    def test_two_proportions_are_pooled(self) -> None:
        found = compare(printed(0.9), np.ones(90), 30)
        pooled = 117 / 120
        assert found.z == pytest.approx(-0.1 / math.sqrt(pooled * (1 - pooled) * (1 / 30 + 1 / 90)))

    def test_a_count_that_never_happens(self) -> None:
        assert compare(printed(0.0, "sum", 0.5), np.zeros(100), 30).z == 0.0
        assert compare(printed(2.0, "sum", 0.5), np.zeros(1000), 30).z > 3

    def test_a_sum_by_hand(self) -> None:
        values = np.array([0.0, 2.0, 4.0, 2.0])  # mean 2, variance 8/3
        found = compare(printed(70.0, "sum"), values, 30)
        assert found.ours == 60.0
        assert found.z == pytest.approx(10 / math.sqrt(30 * 8 / 3 + 900 * 2 / 3))


class TestExtremes:
    @given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.sampled_from(["min", "max"]))
    def test_expectation_and_spread_by_enumeration(self, values: list[int], stat: str) -> None:
        pick = min if stat == "min" else max
        extremes = np.array([pick(draw) for draw in product(values, repeat=3)], dtype=float)
        found = compare(printed(3.0, stat), np.array(values, dtype=float), 3)
        assert found.ours == pytest.approx(extremes.mean())
        assert found.standard_error_printed == pytest.approx(extremes.std(), abs=1e-6)

    def test_a_minimum_mirrors_a_maximum(self) -> None:
        values = np.random.default_rng(0).exponential(size=400)
        largest, smallest = compare(printed(7.0, "max"), values, 30), compare(printed(-7.0, "min"), -values, 30)
        assert smallest.ours == -largest.ours
        assert smallest.z == pytest.approx(-largest.z)
        assert smallest.tail_probability == largest.tail_probability

    def test_our_error_is_that_of_repeated_samples(self) -> None:
        rng = np.random.default_rng(1)
        found = [compare(printed(0.0, "max"), rng.normal(size=600), 30) for _ in range(400)]
        spread = np.std([one.ours for one in found])
        assert np.mean([one.standard_error_ours for one in found]) == pytest.approx(spread, rel=0.15)

    def test_tails_are_calibrated(self) -> None:
        rng = np.random.default_rng(2)
        values = rng.normal(size=4000)
        tails = np.array(
            [compare(printed(rng.normal(size=30).max(), "max"), values, 30).tail_probability for _ in range(300)]
        )
        assert np.mean(tails < 0.2) == pytest.approx(0.2, abs=0.06)

    def test_what_no_run_shows_may_still_happen(self) -> None:
        found = compare(printed(1e9, "max"), np.arange(99.0), 30)
        assert found.tail_probability == pytest.approx(2 * (1 - 0.99**30))
        assert found.tail_resolved is False

    @pytest.mark.parametrize(
        ("stat", "value", "resolved"),
        [("max", 98.0, True), ("max", 98.6, False), ("max", -5.0, True), ("min", 0.0, True), ("min", -0.6, False)],
    )
    def test_a_tail_is_resolved_if_a_run_reaches_it(self, stat: str, value: float, resolved: bool) -> None:
        assert compare(printed(value, stat, 0.5), np.arange(99.0), 30).tail_resolved is resolved


@pytest.mark.parametrize("values", [np.array([1.0]), np.array([1.0, np.nan])])
def test_too_little_to_compare(values: np.ndarray) -> None:
    with pytest.raises(InputError, match="two or more finite numbers"):
        compare(printed(1.0), values, 30)


def test_an_unknown_statistic() -> None:
    with pytest.raises(InputError, match="stat"):
        compare(printed(1.0, "median"), np.arange(3.0), 30)
