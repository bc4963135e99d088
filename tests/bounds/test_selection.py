"""Selection counts and T_0: exact ceilings and comparisons, and every bound against plain floats."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from bounds.formulas.selection import EXPLORATION_CAP, LARGEST_ELIMINATION_BOUND, after_burn_in, from_burn_in
from bounds.formulas.sharp import SHARP_LARGEST_ELIMINATION_BOUND

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
