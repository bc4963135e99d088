"""Both readings of T_id, against a scan over every T."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

from bounds.formulas.crossings import first_crossing
from bounds.formulas.identification import (
    LARGEST_HORIZON,
    first_crossing_of_tightened_bound,
    identification_horizon,
    main_text_identification_horizon,
)
from bounds.formulas.selection import IDENTIFICATION_BOUND, IDENTIFICATION_BOUND_MAIN_TEXT
from bounds.formulas.sharp import SHARP_LEAD_BOUND
from tests.bounds.by_hand import instances, market

SCAN = 5_000
#: Large gaps, so that a scan reaches every horizon of interest.
WIDE = 0.5


def scan(v: dict[str, Any], formula: Any, factor: int, top: int = SCAN) -> np.ndarray[Any, Any]:
    """Return for T = N, ..., top whether T > N + factor * bound(T)."""
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
    """Return a market with a dear provider that hardly misses the threshold."""
    return market(unqualified_quality=np.array([0.5 - gap]), unqualified_cost=np.array([0.8]), **changes)


def test_a_hard_quality_gap_with_a_dear_provider_is_found_at_once() -> None:
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
