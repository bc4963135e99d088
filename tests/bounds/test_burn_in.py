"""Whether a time lies beyond T_0, against comparisons of exact integer powers."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from bounds.formulas.selection import BURN_IN, LARGEST_ELIMINATION_BOUND, after_burn_in, from_burn_in
from bounds.formulas.sharp import SHARP_LARGEST_ELIMINATION_BOUND


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


@pytest.mark.parametrize("alpha", [0.5, 0.25])
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
