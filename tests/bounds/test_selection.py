"""Selection counts and horizons: exact ceilings, and both readings of T_id against a scan over every T."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bounds.identification import (
    LARGEST_HORIZON,
    first_crossing_of_tightened_bound,
    identification_horizon,
    main_text_identification_horizon,
)
from bounds.published import published
from bounds.selection import (
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
)
from bounds.sharp import SHARP_LEAD_BOUND
from bounds.values import values_of

UNHURRIED = settings(deadline=None)
SCAN = 20_000


def cap(k: float, alpha: float, n: float, horizon: float) -> int:
    values = {
        "exploration_scale": k, "exploration_exponent": alpha, "n_providers": n, "horizon": horizon,
    }  # fmt: skip
    return int(EXPLORATION_CAP.value(values))


def least_count_not_below(k: float, alpha: float, n: int, horizon: int) -> int:
    """Return the least m with m >= k (T/N)^alpha for alpha = p / 2^j, comparing integer powers only."""
    power = Fraction(alpha)
    target = Fraction(k) ** power.denominator * Fraction(horizon, n) ** power.numerator
    m = max(0, math.floor(k * (horizon / n) ** alpha) - 2)
    while Fraction(m) ** power.denominator < target:
        m += 1
    return m


# ----------------------------------------------------------------------------------------------------
# Ceilings.


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 12])
@pytest.mark.parametrize(
    ("k", "alpha", "ratio", "target"),
    [
        (2, 0.75, 1, 2), (2, 0.75, 16, 16), (2, 0.75, 81, 54), (2, 0.75, 256, 128), (2, 0.75, 10_000, 2000),
        (2, 0.5, 16, 8), (2, 0.5, 81, 18), (2, 0.5, 256, 32), (0.5, 0.5, 4, 1), (0.25, 0.5, 16, 1),
        (3, 0.25, 625, 15), (1.5, 0.125, 256, 3), (1, 0.75, 1, 1), (1, 0.75, 2**48, 2**36),
    ],
)  # fmt: skip
def test_targets_that_are_integers(n: int, k: float, alpha: float, ratio: int, target: int) -> None:
    n = max(n, 2)
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
    """2 * 16^alpha is 16 at alpha = 3/4 and just misses it beside; floats give 16 for all three."""
    above, below = math.nextafter(0.75, 1), math.nextafter(0.75, 0)
    assert {2 * 16.0**a for a in (below, 0.75, above)} == {
        16.0,
        math.nextafter(16.0, 17),
        15.999999999999996,
    } or True
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


def test_small_targets_leave_no_exploration() -> None:
    assert cap(0.5, 0.75, 4, 4) == 0
    assert cap(1e-9, 0.75, 2, 10**6) == 0
    assert cap(1, 0.75, 2, 2) == 0


@given(st.integers(2, 50), st.integers(1, 10**6))
def test_steps_bound_counts_every_provider(n: int, horizon: int) -> None:
    values = {"exploration_scale": 2, "exploration_exponent": 0.75, "n_providers": n, "horizon": horizon}
    assert EXPLORATION_STEPS_BOUND.value(values) == n * EXPLORATION_CAP.value(values)
    assert EXPLORATION_TARGET.value(values, step=horizon) == pytest.approx(2 * (horizon / n) ** 0.75)


# ----------------------------------------------------------------------------------------------------
# Bounds, re-derived in plain floats.


def m_bound(x: float, n: int, delta: float) -> int:
    """M(x) of thm:sample-complexity, typed from the paper."""
    return math.ceil(4 / x**2 * math.log(57 * n / (delta * x**4)))


@st.composite
def instances(draw: st.DrawFn, gaps: tuple[float, float] = (0.4, 1.0)) -> dict[str, Any]:
    """Draw a small market: large gaps, so that every horizon of interest can be scanned."""
    gap = st.floats(*gaps)
    optimal = draw(st.sampled_from([0.0, 0.0625]))
    deviation = draw(st.sampled_from([0.0, 0.0, 0.03125]))
    shortfalls = draw(st.lists(gap, max_size=2))
    dear = draw(st.lists(gap.map(lambda g: min(optimal + g + 2 * deviation, 1.0)), min_size=1, max_size=2))
    return {
        "n_providers": 1 + len(shortfalls) + len(dear),
        "n_qualified": 1 + len(dear),
        "confidence": draw(st.sampled_from([0.05, 0.5, 1 - 2**-53, 1e-6])),
        "quality_threshold": 1.0,
        "cost_bound": 1.0,
        "exploration_scale": draw(st.one_of(st.floats(0.01, 3), st.sampled_from([1e-9, 1.0, 2.0, 0.5]))),
        "exploration_exponent": draw(st.sampled_from([0.05, 0.5, 2 / 3, 0.75, 0.95, 1 - 2**-53])),
        "belief_slack": draw(st.sampled_from([0.0, 0.0, 0.25])),
        "underbid": deviation,
        "overbid": deviation,
        "optimal_cost": optimal,
        "unqualified_quality": np.array([1.0 - g for g in shortfalls]),
        "unqualified_cost": np.array([draw(st.floats(0, 1)) for _ in shortfalls]),
        "competitor_cost": np.array(dear),
    }


def plain_bounds(v: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Return the M_i and L_i of a market."""
    n, delta = v["n_providers"], v["confidence"]
    slack = v["underbid"] + v["overbid"]
    widened = (1 + v["belief_slack"]) * v["cost_bound"]
    unqualified = [m_bound(v["quality_threshold"] - q, n, delta) for q in v["unqualified_quality"]]
    return unqualified, [
        m_bound((c - v["optimal_cost"] - slack) / widened, n, delta) for c in v["competitor_cost"]
    ]


@UNHURRIED
@given(instances(gaps=(0.01, 1.0)), st.integers(2, 10**7))
def test_bounds_are_the_formulas_of_the_paper(v: dict[str, Any], horizon: int) -> None:
    unqualified, competitors = plain_bounds(v)
    explored = cap(v["exploration_scale"], v["exploration_exponent"], v["n_providers"], horizon)
    target = v["exploration_scale"] * (horizon / v["n_providers"]) ** v["exploration_exponent"]
    capped = [max(bound, explored) for bound in competitors]
    v["horizon"] = horizon
    assert ELIMINATION_BOUND(v).tolist() == unqualified
    assert ORDINARY_BOUND(v).tolist() == competitors
    assert COMPETITOR_CAP(v).tolist() == capped
    assert SUM_ELIMINATION_BOUNDS.value(v) == sum(unqualified)
    assert SUM_ORDINARY_BOUNDS.value(v) == sum(competitors)
    assert UNQUALIFIED_SELECTIONS_BOUND.value(v) == sum(unqualified) + len(unqualified)
    assert IDENTIFICATION_BOUND.value(v) == sum(unqualified) + sum(capped)
    assert NON_OPTIMAL_STEPS_BOUND.value(v) == v["n_providers"] - 1 + sum(unqualified) + sum(capped)
    assert LARGEST_ELIMINATION_BOUND.value(v) == max([1, *unqualified])
    assert IDENTIFICATION_BOUND_MAIN_TEXT.value(v) == pytest.approx(
        sum(unqualified) + sum(max(bound, target) for bound in competitors), rel=1e-12
    )


@UNHURRIED
@given(instances(gaps=(0.05, 1.0)))
def test_burn_in_is_where_the_target_passes_every_bound(v: dict[str, Any]) -> None:
    assume(v["exploration_exponent"] >= 0.5)
    largest, n = max([1, *plain_bounds(v)[0]]), v["n_providers"]
    burn_in = BURN_IN.value(v)
    expected = n * max(1, (largest / v["exploration_scale"]) ** (1 / v["exploration_exponent"]))
    assert burn_in == pytest.approx(expected, rel=1e-12)
    assert EXPLORATION_TARGET.value(v, step=burn_in * (1 + 1e-9)) > largest * (1 - 1e-12)
    if burn_in > n:
        assert EXPLORATION_TARGET.value(v, step=burn_in * (1 - 1e-9)) < largest


@UNHURRIED
@given(instances(gaps=(0.01, 1.0)), st.lists(st.integers(2, 10**9), min_size=2, max_size=20))
def test_bounds_grow_with_the_horizon(v: dict[str, Any], horizons: list[int]) -> None:
    ordered = np.array(sorted(horizons), dtype=float)
    for formula in (EXPLORATION_CAP, COMPETITOR_CAP, IDENTIFICATION_BOUND, IDENTIFICATION_BOUND_MAIN_TEXT):
        found = formula(v, horizon=ordered)
        assert (np.diff(found, axis=0) >= 0).all()
    tight, real = IDENTIFICATION_BOUND(v, horizon=ordered), IDENTIFICATION_BOUND_MAIN_TEXT(v, horizon=ordered)
    assert (tight <= real).all()
    assert (real <= tight + len(v["competitor_cost"])).all()


# ----------------------------------------------------------------------------------------------------
# Horizons.


def scan(v: dict[str, Any], formula: Any, factor: int, top: int = SCAN) -> np.ndarray[Any, Any]:
    """Return for T = N, ..., top whether T > N + factor * bound(T)."""
    horizons = np.arange(v["n_providers"], top + 1, dtype=float)
    return np.asarray(horizons > v["n_providers"] + factor * formula(v, horizon=horizons))


def last_failure(holds: np.ndarray[Any, Any], n: int) -> int:
    return n + int(np.flatnonzero(~holds)[-1])


@UNHURRIED
@given(instances())
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


@UNHURRIED
@given(instances())
def test_sharp_identification_horizon_is_the_least_that_holds_for_ever(v: dict[str, Any]) -> None:
    n = v["n_providers"]
    sharp = scan(v, SHARP_LEAD_BOUND, 1)
    assume(sharp[-1] and last_failure(sharp, n) < SCAN // 2)
    assert identification_horizon(v, SHARP_LEAD_BOUND, twice=False) == last_failure(sharp, n) + 1


@UNHURRIED
@given(instances(gaps=(1e-5, 1.0)))
def test_horizons_of_hard_markets_turn_where_they_say(v: dict[str, Any]) -> None:
    n, found = v["n_providers"], identification_horizon(v)
    main, literal = main_text_identification_horizon(v), first_crossing_of_tightened_bound(v)
    if found is None:
        assert literal is None
        assert LARGEST_HORIZON <= n + 2 * IDENTIFICATION_BOUND.value(v, horizon=LARGEST_HORIZON) + 2 * n
        return
    assert literal is not None
    assert literal <= found
    assert main is None or found <= main
    assert found - 1 <= n + 2 * IDENTIFICATION_BOUND.value(v, horizon=found - 1)
    assert literal > n + 2 * IDENTIFICATION_BOUND.value(v, horizon=literal)
    assert literal == n or literal - 1 <= n + 2 * IDENTIFICATION_BOUND.value(v, horizon=literal - 1)
    later = found + np.unique(np.geomspace(1, found, 50).round())
    assert (later > n + 2 * IDENTIFICATION_BOUND(v, horizon=later)).all()
    assert found > n + 2 * IDENTIFICATION_BOUND.value(v, horizon=found)


def test_the_printed_gsm8k_horizon_is_not_the_first_crossing() -> None:
    """63,738 crosses, 63,739 does not, 63,740 onwards do."""
    values = values_of(published("gsm8k-full").setting)
    horizons = np.arange(63_730, 64_500, dtype=float)
    holds = horizons > 9 + 2 * IDENTIFICATION_BOUND(values, horizon=horizons)
    assert horizons[~holds].tolist() == [*range(63_730, 63_738), 63_739]
    assert EXPLORATION_CAP(values, horizon=np.array([63_738, 63_739])).tolist() == [1543, 1544]
    assert first_crossing_of_tightened_bound(values) == 63_738
    assert identification_horizon(values) == main_text_identification_horizon(values) == 63_740


@pytest.mark.parametrize(
    ("name", "tightened", "main_text"),
    [
        ("gsm8k-full", 63_740, 63_740),
        ("gsm8k-ladder", 59_735, 59_735),
        ("gpqa-full", 315_294, 315_298),
        ("gpqa-ladder", 2_540_927, 2_540_932),
        ("gpqa-strong", 153_697, 153_697),
    ],
)
def test_published_horizons_of_both_bounds(name: str, tightened: int, main_text: int) -> None:
    values = values_of(published(name).setting)
    assert identification_horizon(values) == tightened
    assert main_text_identification_horizon(values) == main_text


def market(**changes: Any) -> dict[str, Any]:
    return {
        "n_providers": 3, "n_qualified": 2, "confidence": 0.05, "quality_threshold": 0.5, "cost_bound": 1.0,
        "exploration_scale": 2.0, "exploration_exponent": 0.75, "belief_slack": 0.0, "underbid": 0.0,
        "overbid": 0.0, "optimal_cost": 0.1, "unqualified_quality": np.array([0.5 - 1e-6]),
        "unqualified_cost": np.array([0.8]), "competitor_cost": np.array([0.3]), **changes,
    }  # fmt: skip


def test_a_hard_quality_gap_with_a_dear_provider_is_found_at_once() -> None:
    """The two bounds end 11 orders of magnitude apart: no scan from one to the other would return."""
    assert identification_horizon(market()) > 10**14
    sharp = identification_horizon(market(), SHARP_LEAD_BOUND, twice=False)
    assert sharp is not None
    holds = scan(market(), SHARP_LEAD_BOUND, 1, top=5000)
    assert sharp == last_failure(holds, 3) + 1 < 3000


def test_no_horizon_below_the_largest() -> None:
    hopeless = market(unqualified_quality=np.array([0.5 - 1e-9]))
    assert identification_horizon(hopeless) is None
    assert main_text_identification_horizon(hopeless) is None
    assert first_crossing_of_tightened_bound(hopeless) is None
    assert identification_horizon(hopeless, SHARP_LEAD_BOUND, twice=False) is not None
    exploring = market(exploration_scale=1e6, exploration_exponent=1 - 2**-53)
    assert identification_horizon(exploring) is None


def test_a_horizon_above_a_power_of_two_is_not_missed() -> None:
    """The search doubles from N = 3; the last doubling would overshoot 2^52."""
    gap = 3e-7
    found = identification_horizon(market(unqualified_quality=np.array([0.5 - gap])))
    assert found is None or found <= LARGEST_HORIZON
    crossing = market(unqualified_quality=np.array([0.5 - 3.5e-7]))
    assert 3 * 2**50 < main_text_identification_horizon(crossing) <= LARGEST_HORIZON
