"""The interval is right at every number of runs at once; an interval for a fixed number, peeked at, is not."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from mechanism.comparison.confidence_sequence import SHARES, WEIGHTS, decided_after, mean_interval
from tests.mechanism.null_pairs import NULLS, student_decides_after

ERROR = 0.05
#: A law that is wrong in exactly 5% of its pairs would fail a test of `PAIRS` with this probability.
FALSE_ALARM = 1e-6
PAIRS, RUNS = 1_000, 300


def allowed() -> int:
    """Wrong decisions among `PAIRS` pairs that are still no evidence against 5%."""
    return int(scipy.stats.binom.isf(FALSE_ALARM, PAIRS, ERROR))


def wrong(decide, law: str, pairs: int, runs: int, seed: int = 0) -> int:
    """Count the pairs of equal means that are told apart at some time."""
    rng = np.random.default_rng(seed)
    told, done = 0, 0
    while done < pairs:
        count = min(500, pairs - done)
        told += int((decide(NULLS[law](rng, (count, runs)), largest=1.0, error=ERROR) > 0).sum())
        done += count
    return told


@pytest.mark.parametrize("law", NULLS)
def test_null_pairs_are_rarely_told_apart_whenever_one_stops(law: str) -> None:
    assert wrong(decided_after, law, PAIRS, RUNS) <= allowed()


@pytest.mark.for_each("law", NULLS)
def test_an_interval_for_a_fixed_number_of_runs_fails_the_same_test(law: str) -> None:
    assert wrong(student_decides_after, law, PAIRS, RUNS) > allowed()


@pytest.mark.sweep
@pytest.mark.parametrize("law", NULLS)
def test_ten_thousand_null_pairs(law: str) -> None:
    pairs, runs = 10_000, 1_000
    ours, peeked = (wrong(rule, law, pairs, runs, seed=1) for rule in (decided_after, student_decides_after))
    told = f"{law}: {ours:,} of {pairs:,} null pairs told apart within {runs:,} runs; {peeked:,} by a peeked t-interval"
    print(told)  # noqa: T201
    assert ours <= ERROR * pairs < peeked


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.05, 0.01])
def test_the_exact_probability_of_ever_being_wrong(chance: float) -> None:
    """Of numbers with two values the capital depends on how many of each there were: every path can be counted."""
    high, low = 2 * (1 - chance), -2 * chance  # their mean is 0
    largest = max(abs(high), abs(low))
    alive, rejected = {0: 1.0}, 0.0
    for runs in range(1, 151):
        after: dict[int, float] = {}
        for highs, weight in alive.items():
            for more, share in ((1, chance), (0, 1 - chance)):
                after[highs + more] = after.get(highs + more, 0.0) + weight * share
        alive = {}
        for highs, weight in after.items():
            # The last of these sequences decides: earlier ones were looked at before, and are gone if they decided.
            ordered = np.array([high] * highs + [low] * (runs - highs))
            if capital_reached(ordered, largest):
                rejected += weight
            else:
                alive[highs] = weight
    assert 0 < rejected + sum(alive.values()) <= 1 + 1e-9
    assert rejected <= ERROR


def capital_reached(differences: np.ndarray, largest: float) -> bool:
    """Whether a capital has reached 2 / error after the last number, written down anew."""
    scaled = (differences / largest + 1) / 2
    capitals = [
        sum(
            weight * math.prod(1 + share * (x / 0.5 - 1) for x in side)
            for share, weight in zip(SHARES, WEIGHTS, strict=True)
        )
        for side in (scaled.tolist(), (1 - scaled).tolist())
    ]
    return max(capitals) >= 2 / ERROR * (1 - 1e-12)


def test_the_capital_is_a_martingale() -> None:
    """Its exact mean over all sequences of a law stays what it was: the sum of the weights, less than 1."""
    values, chances = (Fraction(0), Fraction(1, 4), Fraction(1)), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    mean = sum(value * chance for value, chance in zip(values, chances, strict=True))
    share = Fraction(float(SHARES[0]))
    total = Fraction(0)
    for path in product(range(3), repeat=4):
        chance = math.prod((chances[i] for i in path), start=Fraction(1))
        total += chance * math.prod((1 + share * (values[i] / mean - 1) for i in path), start=Fraction(1))
    assert total == 1
    assert 0 < sum(map(Fraction, WEIGHTS.tolist())) < 1
    assert 0 < SHARES.min() < SHARES.max() < 1


LISTS = st.lists(st.integers(-8, 8), min_size=1, max_size=60)


@given(LISTS)
@settings(max_examples=60, deadline=None)
def test_decisions_are_those_of_a_loop_over_runs(values: list[int]) -> None:
    differences = np.array(values, dtype=float)
    first = next((n for n in range(1, len(values) + 1) if capital_reached(differences[:n], 8.0)), 0)
    assert decided_after(differences, largest=8.0, error=ERROR) == first


@given(LISTS)
@settings(max_examples=60, deadline=None)
def test_an_interval_excludes_zero_once_it_is_decided(values: list[int]) -> None:
    low, high = mean_interval(values, largest=8.0, error=ERROR)
    assert -8 <= low <= high <= 8
    assert (low >= 0 or high <= 0) == bool(decided_after(values, largest=8.0, error=ERROR))
    mirrored = mean_interval([-value for value in values], largest=8.0, error=ERROR)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)
    shorter = mean_interval(values[:-1], largest=8.0, error=ERROR)
    assert shorter[0] <= low + 1e-9
    assert high <= shorter[1] + 1e-9


def test_an_interval_holds_the_means_that_no_bet_refutes() -> None:
    """Beside a grid of candidates, each tried by shifting the numbers so that the candidate is 0."""
    differences = np.random.default_rng(5).uniform(-0.2, 0.6, 80)
    low, high = mean_interval(differences, largest=1.0, error=ERROR)
    for candidate in np.linspace(-0.9, 0.9, 181):
        scaled, mean = (differences + 1) / 2, (candidate + 1) / 2
        reached = False
        for side, centre in ((scaled, mean), (1 - scaled, 1 - mean)):
            capital = np.cumprod(1 + SHARES[:, None] * (side / centre - 1), axis=1)
            reached = reached or bool((WEIGHTS @ capital >= 2 / ERROR).any())
        assert reached == (not low <= candidate <= high), candidate


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.2), (-0.1, 0.9), (0.0, 0.1)])
def test_means_that_differ_are_told_apart(low: float, high: float) -> None:
    differences = np.random.default_rng(3).uniform(low, high, (50, 2_000))
    assert (decided_after(differences, largest=1.0, error=ERROR) > 0).all()


def test_what_leaves_the_range_is_refused() -> None:
    with pytest.raises(InputError, match=r"lies outside \[-1.0, 1.0\]"):
        decided_after([0.5, 1.5], largest=1.0, error=ERROR)
    with pytest.raises(InputError, match="differences=nan"):
        decided_after([0.5, math.nan], largest=1.0, error=ERROR)
    for largest, error in ((0.0, ERROR), (math.inf, ERROR), (1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(InputError):
            mean_interval([0.0], largest=largest, error=error)
