"""The exact inverse of the radius and the slack of beliefs, against their definitions by brute force."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from bounds.errors import InputError
from bounds.formulas.belief import shrinkage_belief_slack
from bounds.formulas.radius import EXACT_COUNT, EXACT_SELECTION_BOUND, RADIUS
from tests.bounds.by_hand import CONFIDENCES

UNHURRIED = settings(deadline=None)
N_PROVIDERS = st.sampled_from([2, 3, 4, 9, 12, 1000])
GAPS = st.one_of(st.floats(1e-6, 1), st.floats(0.05, 1), st.sampled_from([1.0, 1e-6, 2**-10, 1e-4]))


def reaches(x: float, m: int, n: int, delta: float) -> bool:
    """Whether x <= 2 beta(m), by enclosures."""
    for precision in (128, 512, 2048):
        box = RADIUS.enclose(count=m, n_providers=n, confidence=delta, precision=precision)
        if 2 * box.lower >= Fraction(x):
            return True
        if 2 * box.upper < Fraction(x):
            return False
    raise AssertionError("undecided")


@UNHURRIED
@given(GAPS, N_PROVIDERS, CONFIDENCES)
@example(1.0, 2, 1 - 2**-53)
@example(1e-6, 1000, 1e-12)
def test_exact_inverse_is_the_largest_count(x: float, n: int, delta: float) -> None:
    values = {"gap": x, "n_providers": n, "confidence": delta}
    found = int(EXACT_SELECTION_BOUND.value(values))
    assert reaches(x, found, n, delta)
    assert not reaches(x, found + 1, n, delta)
    assert found == math.floor(EXACT_COUNT.enclose(values).lower)


@UNHURRIED
@given(st.integers(1, 10**6), N_PROVIDERS, CONFIDENCES)
def test_exact_inverse_one_ulp_around_a_count(m: int, n: int, delta: float) -> None:
    """At the doubles next to 2 beta(m) the floor turns from m to m - 1, and doubles alone would guess."""
    with mpmath.workdps(50):
        two_beta = 2 * mpmath.sqrt(mpmath.log(2 * mpmath.pi**2 * n * m**2 / (3 * mpmath.mpf(delta))) / (2 * m))
        nearest = float(two_beta)
        below = nearest if nearest <= two_beta else math.nextafter(nearest, 0)
    above = math.nextafter(below, 2)
    values = {"n_providers": n, "confidence": delta}
    assume(above < 2)
    assert EXACT_SELECTION_BOUND.value(values, gap=below) == m
    assert EXACT_SELECTION_BOUND.value(values, gap=above) == m - 1


COUNTS = np.arange(1, 10**5 + 1, dtype=float)
STRENGTHS = st.one_of(st.floats(0, 1000), st.sampled_from([0.0, 1e-9, 1.0, 5.0, 6.0, 7.0, 7.5, 8.0, 20.0, 1000.0]))


def radii(m: Any, n: int, delta: float) -> Any:
    return np.sqrt(np.log(2 * math.pi**2 * n * m**2 / (3 * delta)) / (2 * m))


@UNHURRIED
@given(
    strength=STRENGTHS,
    mean=st.floats(0, 1),
    n=st.sampled_from([2, 4, 9, 12, 1000]),
    delta=CONFIDENCES,
    bound=st.sampled_from([1.0, 102.4]),
)
@example(strength=7.0, mean=1.0, n=2, delta=1 - 2**-53, bound=1.0)
@example(strength=6.5, mean=0.5, n=2, delta=0.999, bound=1.0)
def test_slack_is_the_supremum_over_all_counts(
    strength: float, mean: float, n: int, delta: float, bound: float
) -> None:
    found = shrinkage_belief_slack(mean * bound, strength, cost_bound=bound, n_providers=n, confidence=delta)
    pulls = strength / (strength + COUNTS) * max(mean, 1 - mean) / radii(COUNTS, n, delta)
    assert found == pytest.approx(pulls.max(), rel=1e-10, abs=1e-300)
    assert (found + 1e-300 >= pulls * (1 - 1e-13)).all()


def test_a_prior_worth_a_billion_observations_takes_no_time() -> None:
    found = shrinkage_belief_slack(0.0, 1e9, cost_bound=1.0, n_providers=4, confidence=0.05)
    counts = np.geomspace(1e6, 1e10, 10**5)
    pulls = 1e9 / (1e9 + counts) / radii(counts, 4, 0.05)
    assert pulls.max() <= found == pytest.approx(pulls.max(), rel=1e-6)


@pytest.mark.for_each(
    ("changed", "argument"),
    [
        ({"prior_mean": 1.5}, "prior_mean"),
        ({"prior_mean": -0.1}, "prior_mean"),
        ({"prior_mean": math.nan}, "prior_mean"),
        ({"prior_strength": -1.0}, "prior_strength"),
        ({"prior_strength": math.inf}, "prior_strength"),
        ({"prior_strength": math.nan}, "prior_strength"),
        ({"confidence": 1.0}, "confidence"),
        ({"n_providers": 1}, "n_providers"),
        ({"cost_bound": 0.0, "prior_mean": 0.0}, "cost_bound"),
    ],
)
def test_values_out_of_range_are_named(changed: dict[str, float], argument: str) -> None:
    values: dict[str, Any] = {
        "prior_mean": 0.5,
        "prior_strength": 1.0,
        "cost_bound": 1.0,
        "n_providers": 4,
        "confidence": 0.05,
    }
    with pytest.raises(InputError) as caught:
        shrinkage_belief_slack(**{**values, **changed})
    assert caught.value.argument == argument
