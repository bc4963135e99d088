"""Selection counts, T_0 and T_id, and the exact inverse of the radius: against plain floats, integers and scans."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from bounds.formulas.belief import shrinkage_belief_slack
from bounds.formulas.crossings import first_crossing
from bounds.formulas.identification import (
    LARGEST_HORIZON,
    first_crossing_of_tightened_bound,
    identification_horizon,
    main_text_identification_horizon,
)
from bounds.formulas.radius import EXACT_COUNT, EXACT_SELECTION_BOUND, RADIUS
from bounds.formulas.selection import (
    EXPLORATION_CAP,
    IDENTIFICATION_BOUND,
    IDENTIFICATION_BOUND_MAIN_TEXT,
    LARGEST_ELIMINATION_BOUND,
    after_burn_in,
    from_burn_in,
)
from bounds.formulas.sharp import SHARP_LARGEST_ELIMINATION_BOUND, SHARP_LEAD_BOUND
from tests.bounds.by_hand import CONFIDENCES, instances, market
from tests.refusals import refusal

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


def searched_market(n: int, k: float, alpha: float, gap: float) -> dict[str, Any]:
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
    v = searched_market(n, k, alpha, gap)
    for formula in (LARGEST_ELIMINATION_BOUND, SHARP_LARGEST_ELIMINATION_BOUND):
        largest = int(formula.value(v))
        burn_in = n * max(1.0, (largest / k) ** (1 / alpha))
        times = {max(1, round(burn_in) + near), max(1, round(burn_in * spread)), n, n + 1}
        for t in (t for t in times if t < 2**52):
            sign = compare(v, t, largest)
            assert bool(after_burn_in(v, t, formula)) == (sign > 0)
            assert bool(from_burn_in(v, t, formula)) == (sign >= 0)


SCAN = 5_000
#: Large gaps, so that a scan reaches every horizon of interest.
WIDE = 0.5


def scan(v: dict[str, Any], formula: Any, factor: int, top: int = SCAN) -> np.ndarray[Any, Any]:
    horizons = np.arange(v["n_providers"], top + 1, dtype=float)
    return np.asarray(horizons > v["n_providers"] + factor * formula(v, horizon=horizons))


def last_failure(holds: np.ndarray[Any, Any], n: int) -> int:
    return n + int(np.flatnonzero(~holds)[-1])


@settings(deadline=None, max_examples=25)
@given(instances(WIDE))
def test_identification_horizon_is_the_least_that_holds_for_ever(v: dict[str, Any]) -> None:
    n = v["n_providers"]
    real = scan(v, IDENTIFICATION_BOUND_MAIN_TEXT, 2)
    assume(real[-1])
    tight = scan(v, IDENTIFICATION_BOUND, 2)
    # The real-valued condition, once true, stays true; the tightened one holds wherever it does.
    first = n + int(np.argmax(real))
    assert real[first - n :].all()
    assert tight[first - n :].all()
    assert main_text_identification_horizon(v) == first
    assert identification_horizon(v) == last_failure(tight, n) + 1
    assert first_crossing_of_tightened_bound(v) == n + int(np.argmax(tight))
    sharp = scan(v, SHARP_LEAD_BOUND, 1)
    if sharp[-1] and last_failure(sharp, n) < SCAN // 2:
        assert identification_horizon(v, SHARP_LEAD_BOUND, twice=False) == last_failure(sharp, n) + 1


@settings(deadline=None, max_examples=20)
@given(instances(1e-5))
def test_horizons_of_hard_markets_turn_where_they_say(v: dict[str, Any]) -> None:
    n, found = v["n_providers"], identification_horizon(v)
    main, literal = main_text_identification_horizon(v), first_crossing_of_tightened_bound(v)
    if found is None:
        assert literal is None
        assert n + 2 * IDENTIFICATION_BOUND.value(v, horizon=LARGEST_HORIZON) + 2 * n >= LARGEST_HORIZON
        return
    assert literal <= found
    assert main is None or found <= main
    assert found - 1 <= n + 2 * IDENTIFICATION_BOUND.value(v, horizon=found - 1)
    assert literal > n + 2 * IDENTIFICATION_BOUND.value(v, horizon=literal)
    assert literal == n or literal - 1 <= n + 2 * IDENTIFICATION_BOUND.value(v, horizon=literal - 1)
    later = found + np.unique(np.geomspace(1, found, 50).round())
    assert (later > n + 2 * IDENTIFICATION_BOUND(v, horizon=later)).all()
    assert found > n + 2 * IDENTIFICATION_BOUND.value(v, horizon=found)


def hard(gap: float = 1e-6, **changes: Any) -> dict[str, Any]:
    """Return a market with an expensive provider that hardly misses the threshold."""
    return market(unqualified_quality=np.array([0.5 - gap]), unqualified_cost=np.array([0.8]), **changes)


def test_a_hard_quality_gap_with_an_expensive_provider_is_found_at_once() -> None:
    """The two bounds end 11 orders of magnitude apart: no scan from one to the other would return."""
    paper = identification_horizon(hard())
    assert paper > 10**14
    sharp = identification_horizon(hard(), SHARP_LEAD_BOUND, twice=False)
    holds = scan(hard(), SHARP_LEAD_BOUND, 1, top=5000)
    assert sharp < 3000
    assert sharp == last_failure(holds, 3) + 1


def test_no_horizon_below_the_largest() -> None:
    hopeless = hard(1e-9)
    assert identification_horizon(hopeless) is None
    assert main_text_identification_horizon(hopeless) is None
    assert first_crossing_of_tightened_bound(hopeless) is None
    assert identification_horizon(hopeless, SHARP_LEAD_BOUND, twice=False) is not None
    exploring = hard(exploration_scale=1e6, exploration_exponent=1 - 2**-53)
    assert identification_horizon(exploring) is None


def test_a_horizon_above_a_power_of_two_is_not_missed() -> None:
    """The search doubles from N = 3; the last doubling would overshoot 2^52."""
    crossing = main_text_identification_horizon(hard(3.5e-7))
    assert 3 * 2**50 < crossing <= LARGEST_HORIZON


@pytest.mark.for_each("levels", [2, 3, 6])
def test_steps_that_ask_together_find_what_bisection_finds(levels: int) -> None:
    """Also where a condition holds now and then: of its crossings it is the same one."""
    for seed in range(60):
        marks = np.random.default_rng(seed).random(3000) < 0.3

        def holds(horizons: list[int], marks: np.ndarray = marks) -> list[bool]:
            return [horizon >= 3000 or bool(marks[horizon]) for horizon in horizons]

        assert first_crossing(holds, 4 + seed, levels) == first_crossing(holds, 4 + seed)
    assert first_crossing(lambda horizons: [False] * len(horizons), 3, levels) is None


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
    ("argument", "value"),
    [
        *(("prior_mean", value) for value in (1.5, -0.1, math.nan)),
        *(("prior_strength", value) for value in (-1.0, math.inf, math.nan)),
        *(("confidence", 1.0), ("n_providers", 1), ("cost_bound", 0.0)),
    ],
)
def test_values_out_of_range_are_named(argument: str, value: float) -> None:
    usual = {"prior_mean": 0.0, "prior_strength": 1.0, "cost_bound": 1.0, "n_providers": 4, "confidence": 0.05}
    assert refusal(shrinkage_belief_slack, **{**usual, argument: value}).argument == argument
