"""Laws on a lattice: exact means and moments, the shapes that were asked for, and what is no law."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

from bounds.errors import InputError
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw, bernoulli, beta_shaped, point_mass, token_law, two_point

TINY = 5e-324
SHARES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, TINY, 1e-30, 1e-12, 2**-53, 0.5, 1 - 2**-53, 1.0]))
UPPERS = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([1.0, 102.4, 300.032, 1e-300, 1e300]))
VARIATIONS = st.one_of(st.floats(0, 3), st.sampled_from([0.0, 1e-9, 0.35, 1e6, 1e300]))
STEPS = st.sampled_from([1, 2, 3, 64, 1000, 1024])


def check(law: DiscreteLaw, mean: float | Fraction, upper: float | Fraction) -> None:
    """Check what every constructor promises."""
    assert law.mean == Fraction(mean)
    assert sum(law.weights) == 2**62
    assert law.points[0] >= 0
    assert law.points[-1] * law.unit <= Fraction(upper)
    assert law.maximum <= float(upper)


@given(SHARES, UPPERS, VARIATIONS, STEPS)
def test_beta_shaped_has_the_mean_and_stays_in_range(share: float, upper: float, variation: float, steps: int) -> None:
    mean = min(share * upper, upper)
    law = beta_shaped(mean, upper, variation, steps)
    check(law, mean, upper)
    assert law.points[-1] <= steps
    step = Fraction(upper) / steps
    if mean >= step / 2**32:
        assert step * (1 - Fraction(1, 10**9)) < law.unit <= step


@given(SHARES, UPPERS)
def test_two_point_has_the_mean_and_the_ends(share: float, upper: float) -> None:
    mean = min(share * upper, upper)
    law = two_point(mean, upper)
    check(law, mean, upper)
    if mean in (0, upper):
        assert law.values.tolist() == [mean]
    else:
        assert law.points == (0, 1)
        assert mean < upper / 2**32 or law.maximum >= upper * (1 - 1e-9)


@given(st.fractions(1, 512), UPPERS, VARIATIONS, st.sampled_from([512, 513, 2000]))
def test_token_law_counts_tokens_at_the_price(mean_tokens: Fraction, price: float, variation: float, cap: int) -> None:
    assume(price < 1e290)
    mean = mean_tokens * Fraction(price)
    law = token_law(mean, price, cap, variation)
    check(law, mean, Fraction(price) * cap)
    assert 1 <= law.points[0] <= law.points[-1] <= cap
    assert 0 <= 1 - law.unit / Fraction(price) < Fraction(1, 2**62)


@given(st.one_of(st.floats(2**-10, 1), st.sampled_from([0.0, 2**-10, 1 - 2**-53, 1.0])))
def test_bernoulli_has_the_quality_exactly(quality: float) -> None:
    law = bernoulli(quality)
    check(law, quality, 1.0)
    assert set(law.values) <= {0.0, 1.0}
    assert law.unit == 1


@given(st.floats(0, 2**-10))
def test_bernoulli_of_a_tiny_quality_is_the_nearest_possible(quality: float) -> None:
    law = bernoulli(quality)
    assert abs(law.mean - Fraction(quality)) <= Fraction(1, 2**63)
    assert set(law.values) <= {0.0, 1.0}


@given(st.one_of(st.floats(0, 1e300), st.fractions(0, 10**6)))
def test_point_mass_is_its_mean(mean: float | Fraction) -> None:
    law = point_mass(mean)
    check(law, mean, mean)
    assert law.values.tolist() == [float(mean)]
    assert law.variance == 0


def standard_deviation(law: DiscreteLaw) -> float:
    return math.sqrt(law.variance / law.unit**2) * float(law.unit)


@example(0.5, 0.025, 256)
@given(st.floats(0.01, 0.99), st.floats(0.01, 5), st.sampled_from([256, 1024, 4096]))
def test_the_spread_is_the_requested_one_where_it_is_possible(mean: float, variation: float, steps: int) -> None:
    wanted, largest = variation * mean, math.sqrt(mean * (1 - mean))
    assume(wanted * steps > 3)
    law = beta_shaped(mean, 1.0, variation, steps)
    assert standard_deviation(law) == pytest.approx(min(wanted, largest), rel=0.004)


@pytest.mark.for_each(
    ("mean", "variation"), [(0.2, 0.35), (0.2, 1.0), (0.2, 1.9), (0.9, 0.05), (0.9, 0.3), (0.01, 3.0)]
)
def test_the_shape_is_that_of_the_beta_law(mean: float, variation: float) -> None:
    """Against mpmath: the distribution function at a point lies within that of the two next to it."""
    steps = 256
    law = beta_shaped(mean, 1.0, variation, steps)
    concentration = (1 - mean) / mean / variation**2 - 1
    a, b = mean * concentration, (1 - mean) * concentration
    dense = np.zeros(steps + 1)
    dense[list(law.points)] = np.array(law.weights) / 2.0**62
    below = np.cumsum(dense)
    for point in range(1, steps, 15):
        low, high = (float(mpmath.betainc(a, b, 0, x / steps, regularized=True)) for x in (point, point + 1))
        assert low - 2e-4 <= below[point] <= high + 2e-4


def test_no_spread_is_the_two_points_next_to_the_mean() -> None:
    assert beta_shaped(0.3, 1.0, 0.0, steps=10).points == (2, 3)  # 0.3 the float is a little below 3/10
    assert beta_shaped(Fraction(3, 10), 1, 0.0, steps=10).points == (3,)


def test_a_cap_of_one_token_is_a_constant() -> None:
    assert token_law(0.1, 0.1, tokens=1).values.tolist() == [0.1]


@pytest.mark.for_each(
    ("call", "argument"),
    [
        (lambda: point_mass(-1.0), "mean"),
        (lambda: point_mass(math.nan), "mean"),
        (lambda: point_mass(math.inf), "mean"),
        (lambda: point_mass(True), "mean"),
        (lambda: bernoulli(1.5), "quality"),
        (lambda: bernoulli(-0.1), "quality"),
        (lambda: two_point(2.0, 1.0), "mean"),
        (lambda: two_point(0.0, 0.0), "upper"),
        (lambda: beta_shaped(2.0, 1.0, 0.35), "mean"),
        (lambda: beta_shaped(0.5, 1.0, -0.1), "coefficient_of_variation"),
        (lambda: beta_shaped(0.5, 1.0, math.nan), "coefficient_of_variation"),
        (lambda: beta_shaped(0.5, 1.0, 0.1, steps=0), "steps"),
        (lambda: beta_shaped(0.5, 1.0, 0.1, steps=65537), "steps"),
        (lambda: beta_shaped(0.5, 1.0, 0.1, steps=2.0), "steps"),
        (lambda: token_law(1.0, 0.0), "price_per_token"),
        (lambda: token_law(1.0, 2.0), "mean"),
        (lambda: token_law(513.0, 1.0), "mean"),
        (lambda: token_law(1.0, 1.0, tokens=0), "tokens"),
    ],
)
def test_arguments_out_of_range_are_refused(call: Any, argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        call()


@st.composite
def laws(draw: st.DrawFn) -> DiscreteLaw:
    points = sorted(draw(st.sets(st.integers(0, 5000), min_size=1, max_size=8)))
    cuts = sorted(draw(st.sets(st.integers(1, TOTAL_WEIGHT - 1), min_size=len(points) - 1, max_size=len(points) - 1)))
    ends = [0, *cuts, TOTAL_WEIGHT]
    weights = [b - a for a, b in pairwise(ends)]
    return DiscreteLaw(tuple(points), tuple(weights), draw(st.fractions(Fraction(1, 10**6), 1000)))


@given(laws())
def test_thresholds_are_the_cumulative_weights_exactly(law: DiscreteLaw) -> None:
    start = 0
    for point, weight in zip(law.points, law.weights, strict=True):
        assert law.point(start) == law.point(start + weight - 1) == point
        start += weight
    assert start == TOTAL_WEIGHT


@given(laws())
def test_moments_are_exact(law: DiscreteLaw) -> None:
    table = [(Fraction(w, TOTAL_WEIGHT), p * law.unit) for p, w in zip(law.points, law.weights, strict=True)]
    assert law.mean == sum(w * x for w, x in table)
    assert law.variance == sum(w * (x - law.mean) ** 2 for w, x in table)
    assert law.maximum == float(law.points[-1] * law.unit) == law.values.max()
    assert law.values.tolist() == [float(x) for _, x in table]


@given(st.integers(0, 10**9), st.fractions(Fraction(1, 10**30), 10**30))
def test_values_are_correctly_rounded(total: int, unit: Fraction) -> None:
    law = DiscreteLaw((1,), (TOTAL_WEIGHT,), unit)
    assert law.value(total) == float(total * unit)


HALVES = (TOTAL_WEIGHT // 2,) * 2


@pytest.mark.for_each(
    ("points", "weights", "unit", "argument"),
    [
        ((), (), Fraction(1), "points"),
        ((-1, 1), HALVES, Fraction(1), "points"),
        ((1, 1), HALVES, Fraction(1), "points"),
        ((2, 1), HALVES, Fraction(1), "points"),
        ((1,), HALVES, Fraction(1), "weights"),
        ((1, 2), (TOTAL_WEIGHT, 0), Fraction(1), "weights"),
        ((1, 2), (TOTAL_WEIGHT + 1, -1), Fraction(1), "weights"),
        ((1,), (TOTAL_WEIGHT - 1,), Fraction(1), "weights"),
        ((1,), (TOTAL_WEIGHT,), Fraction(0), "unit"),
        ((1,), (TOTAL_WEIGHT,), 1.0, "unit"),
    ],
)
def test_what_is_no_law_is_refused(points: Any, weights: Any, unit: Any, argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        DiscreteLaw(points, weights, unit)


@pytest.mark.parametrize("bits", [-1, TOTAL_WEIGHT, 2**64 - 1])
def test_bits_out_of_range_are_refused(bits: int) -> None:
    law = bernoulli(0.5)
    for draw in (law.sample, law.point, law.index):
        with pytest.raises(InputError, match=r"^bits="):
            draw(bits)
