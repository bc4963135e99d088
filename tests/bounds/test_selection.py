"""Selection counts and T_0: exact ceilings and comparisons, and every bound against plain floats."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from bounds.formulas.selection import (
    BURN_IN,
    COMPETITOR_CAP,
    ELIMINATION_BOUND,
    EXPLORATION_CAP,
    EXPLORATION_STEPS_BOUND,
    EXPLORATION_TARGET,
    IDENTIFICATION_BOUND,
    IDENTIFICATION_BOUND_MAIN_TEXT,
    LARGEST_ELIMINATION_BOUND,
    NON_OPTIMAL_STEPS_BOUND,
    ORDINARY_BOUND,
    SUM_ELIMINATION_BOUNDS,
    SUM_ORDINARY_BOUNDS,
    UNQUALIFIED_SELECTIONS_BOUND,
    after_burn_in,
    from_burn_in,
)
from bounds.formulas.sharp import SHARP_LARGEST_ELIMINATION_BOUND
from tests.bounds.by_hand import count_bound, instances

UNHURRIED = settings(deadline=None)


def cap(k: float, alpha: float, n: float, horizon: float) -> int:
    values = {"exploration_scale": k, "exploration_exponent": alpha, "n_providers": n, "horizon": horizon}
    return int(EXPLORATION_CAP.value(values))


def least_count_not_below(k: float, alpha: float, n: int, horizon: int) -> int:
    """Return the least m with m >= k (T/N)^alpha for alpha = p / 2^j, comparing integer powers only."""
    power = Fraction(alpha)
    target = Fraction(k) ** power.denominator * Fraction(horizon, n) ** power.numerator
    m = max(0, math.floor(k * (horizon / n) ** alpha) - 2)
    while Fraction(m) ** power.denominator < target:
        m += 1
    return m


@pytest.mark.for_each(
    ("k", "alpha", "ratio", "target"),
    [
        (2, 0.75, 1, 2),
        (2, 0.75, 16, 16),
        (2, 0.75, 81, 54),
        (2, 0.75, 256, 128),
        (2, 0.75, 10_000, 2000),
        (2, 0.5, 16, 8),
        (2, 0.5, 81, 18),
        (2, 0.5, 256, 32),
        (0.5, 0.5, 4, 1),
        (0.25, 0.5, 16, 1),
        (3, 0.25, 625, 15),
        (1.5, 0.125, 256, 3),
        (1, 0.75, 1, 1),
        (1, 0.75, 2**48, 2**36),
    ],
)
def test_targets_that_are_integers(k: float, alpha: float, ratio: int, target: int) -> None:
    for n in (2, 3, 4, 9, 12):
        assert cap(k, alpha, n, n * ratio) == target - 1
        assert cap(k, alpha, n, n * ratio + 1) == target
        assert cap(k, alpha, n, math.nextafter(n * ratio, math.inf)) == target
        assert cap(k, alpha, n, math.nextafter(n * ratio, 0)) == target - 1


@pytest.mark.parametrize("exponent", [0.75, 0.5, 2 / 3])
def test_targets_one_ulp_beside_an_integer(exponent: float) -> None:
    """With T/N = 1 the target is k itself; the doubles beside an integer round like the integer's neighbours."""
    for k in (1.0, 2.0, 7.0, 1024.0, 1e6):
        assert cap(k, exponent, 5, 5) == k - 1
        assert cap(math.nextafter(k, math.inf), exponent, 5, 5) == k
        assert cap(math.nextafter(k, 0), exponent, 5, 5) == k - 1


def test_an_exponent_one_ulp_beside_a_fraction_decides() -> None:
    """2 * 16^alpha is 16 at alpha = 3/4, and 1e-15 less or more at the doubles beside it."""
    above, below = math.nextafter(0.75, 1), math.nextafter(0.75, 0)
    assert [cap(2, a, 9, 144) for a in (below, 0.75, above)] == [15, 15, 16]
    assert cap(1, 5e-324, 2, 32) == 1, "16^(5e-324) exceeds 1 by 1e-323"
    assert cap(1, 5e-324, 2, 2) == 0


def test_a_third_is_not_a_double() -> None:
    """alpha = 2/3 rounds down, so 8^alpha stays a hair below 4."""
    assert Fraction(2 / 3) < Fraction(2, 3)
    assert cap(1, 2 / 3, 3, 24) == 3
    assert cap(1, math.nextafter(2 / 3, 1), 3, 24) == 4


@UNHURRIED
@given(
    k=st.one_of(st.floats(0.01, 20), st.sampled_from([1.0, 2.0, 0.5, 1e-9])),
    alpha=st.sampled_from([0.25, 0.5, 0.75, 0.125, 0.875]),
    n=st.sampled_from([2, 3, 4, 9, 12]),
    ratio=st.one_of(st.integers(1, 10**6), st.integers(1, 60).map(lambda x: x**4)),
    extra=st.integers(0, 12),
)
@example(k=2.0, alpha=0.75, n=9, ratio=81, extra=0)
def test_caps_equal_exact_integer_powers(k: float, alpha: float, n: int, ratio: int, extra: int) -> None:
    horizon = n * ratio + extra
    assert cap(k, alpha, n, horizon) == least_count_not_below(k, alpha, n, horizon) - 1


def plain_bounds(v: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Return the M_i and L_i of a market."""
    n, delta = v["n_providers"], v["confidence"]
    slack = v["underbid"] + v["overbid"]
    widened = (1 + v["belief_slack"]) * v["cost_bound"]
    unqualified = [count_bound(v["quality_threshold"] - q, n, delta) for q in v["unqualified_quality"]]
    return unqualified, [count_bound((c - v["optimal_cost"] - slack) / widened, n, delta) for c in v["competitor_cost"]]


@UNHURRIED
@given(instances(), st.integers(2, 10**7))
def test_bounds_are_the_formulas_of_the_paper(v: dict[str, Any], horizon: int) -> None:
    unqualified, competitors = plain_bounds(v)
    n = v["n_providers"]
    explored = cap(v["exploration_scale"], v["exploration_exponent"], n, horizon)
    target = v["exploration_scale"] * (horizon / n) ** v["exploration_exponent"]
    capped = [max(bound, explored) for bound in competitors]
    v["horizon"] = horizon
    assert ELIMINATION_BOUND(v).tolist() == unqualified
    assert ORDINARY_BOUND(v).tolist() == competitors
    assert COMPETITOR_CAP(v).tolist() == capped
    assert SUM_ELIMINATION_BOUNDS.value(v) == sum(unqualified)
    assert SUM_ORDINARY_BOUNDS.value(v) == sum(competitors)
    assert UNQUALIFIED_SELECTIONS_BOUND.value(v) == sum(unqualified) + len(unqualified)
    assert IDENTIFICATION_BOUND.value(v) == sum(unqualified) + sum(capped)
    assert NON_OPTIMAL_STEPS_BOUND.value(v) == n - 1 + sum(unqualified) + sum(capped)
    assert EXPLORATION_STEPS_BOUND.value(v) == n * explored
    assert EXPLORATION_TARGET.value(v, step=horizon) == pytest.approx(target)
    assert LARGEST_ELIMINATION_BOUND.value(v) == max([1, *unqualified])
    assert IDENTIFICATION_BOUND_MAIN_TEXT.value(v) == pytest.approx(
        sum(unqualified) + sum(max(bound, target) for bound in competitors), rel=1e-12
    )


@UNHURRIED
@given(instances())
def test_burn_in_is_where_the_target_passes_every_bound(v: dict[str, Any]) -> None:
    assume(v["exploration_exponent"] >= 0.5)
    largest, n = max([1, *plain_bounds(v)[0]]), v["n_providers"]
    burn_in = BURN_IN.value(v)
    expected = n * max(1, (largest / v["exploration_scale"]) ** (1 / v["exploration_exponent"]))
    assert burn_in == pytest.approx(expected, rel=1e-12)
    assert EXPLORATION_TARGET.value(v, step=burn_in * (1 + 1e-9)) > largest * (1 - 1e-12)
    if burn_in > n:
        assert EXPLORATION_TARGET.value(v, step=burn_in * (1 - 1e-9)) < largest


def market(n: int, k: float, alpha: float, gap: float) -> dict[str, Any]:
    return {
        "n_providers": n,
        "exploration_scale": k,
        "exploration_exponent": alpha,
        "confidence": 0.05,
        "quality_threshold": 1.0,
        "unqualified_quality": [1.0 - gap],
    }


def compare(v: dict[str, Any], t: int, largest: int) -> int:
    """Return the sign of t - T_0: T_0 = N max{1, (Mbar/k)^(1/alpha)}, with both sides raised to integers."""
    n, alpha, ratio = v["n_providers"], Fraction(v["exploration_exponent"]), largest / Fraction(v["exploration_scale"])
    left, right = Fraction(t, n) ** alpha.numerator, max(Fraction(1), ratio) ** alpha.denominator
    return (left > right) - (left < right)


@settings(deadline=None)
@given(
    n=st.integers(2, 12),
    k=st.one_of(st.floats(0.05, 500), st.sampled_from([1.0, 2.0, 0.5])),
    alpha=st.sampled_from([0.25, 0.5, 0.75, 0.875]),
    gap=st.sampled_from([1.0, 0.75, 0.5]),
    near=st.integers(-3, 3),
    spread=st.floats(0, 2),
)
@example(n=3, k=1.0, alpha=0.5, gap=1.0, near=0, spread=1.0)
def test_burn_in_is_decided_exactly(n: int, k: float, alpha: float, gap: float, near: int, spread: float) -> None:
    v = market(n, k, alpha, gap)
    for formula in (LARGEST_ELIMINATION_BOUND, SHARP_LARGEST_ELIMINATION_BOUND):
        largest = int(formula.value(v))
        burn_in = n * max(1.0, (largest / k) ** (1 / alpha))
        times = {max(1, round(burn_in) + near), max(1, round(burn_in * spread)), n, n + 1}
        for t in (t for t in times if t < 2**52):
            sign = compare(v, t, largest)
            assert bool(after_burn_in(v, t, formula)) == (sign > 0)
            assert bool(from_burn_in(v, t, formula)) == (sign >= 0)


@pytest.mark.for_each("alpha", [0.5, 0.25])
def test_a_whole_burn_in_is_met_exactly(alpha: float) -> None:
    """Mbar = 34 at gap 1 with N = 4 and k = 1: T_0 = 4 * 34^(1/alpha), a whole number."""
    v = market(4, 1.0, alpha, 1.0)
    assert LARGEST_ELIMINATION_BOUND.value(v) == 34
    burn_in = 4 * 34 ** round(1 / alpha)
    times = [burn_in - 1, burn_in, burn_in + 1]
    assert BURN_IN.value(v) == pytest.approx(burn_in, rel=1e-12)
    assert from_burn_in(v, times).tolist() == [False, True, True]
    assert after_burn_in(v, times).tolist() == [False, False, True]


def test_initialization_is_never_after_the_burn_in() -> None:
    v = {**market(4, 100.0, 0.75, 1.0), "unqualified_quality": []}
    assert BURN_IN.value(v) == 4
    assert after_burn_in(v, np.arange(1, 7)).tolist() == [False] * 4 + [True] * 2
    assert from_burn_in(v, np.arange(1, 7)).tolist() == [False] * 3 + [True] * 3
