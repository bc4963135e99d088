"""The sequential test of uniformity against exact enumeration, simulation and scipy."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st

from bounds.errors import InputError
from proofs_checks.conformance.checks.uniformity import WEIGHTS, Slip, UniformityTest, gamblers, log_return
from tests.proofs_checks.conformance.draw_power import power

#: By the size of the set and whether its one member that is named was drawn: the bet of "first".
SLIPS = {(size, hit): Slip((("first", (size, 1, hit)),)) for size in range(2, 6) for hit in (False, True)}


@given(st.integers(2, 9).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size - 1))))
def test_a_gambler_plays_at_fair_odds(sets: tuple[int, int]) -> None:
    size, named = sets
    returns = np.exp([log_return(size, named, drawn) for drawn in (False, True)])
    chance = named / size
    np.testing.assert_allclose((1 - chance) * returns[0] + chance * returns[1], 1, rtol=1e-14)
    # A return is a likelihood ratio: the member's probability under the weight over its fair one.
    for weight, (other, hit) in zip(WEIGHTS, returns.T, strict=True):
        total = weight * named + size - named
        assert hit == pytest.approx(weight / total * size)
        assert other == pytest.approx(1 / total * size)


def exact_mean_money(sequence: tuple[int, ...], sizes: list[int]) -> Fraction:
    """Return the mean money of gamblers on "first" and on "again" after a sequence of draws, in fractions."""
    weights = [Fraction(weight).limit_denominator(1000) for weight in WEIGHTS]
    total = Fraction(0)
    for rule, weight in itertools.product((0, 1), weights):
        money = Fraction(1)
        for t, (drawn, size) in enumerate(zip(sequence, sizes, strict=True)):
            named = 0 if rule == 0 or t == 0 else sequence[t - 1]
            if named < size:
                money *= (weight if drawn == named else 1) * Fraction(size) / (weight + size - 1)
        total += money
    # One stream: its gamblers and those of all streams together see the same.
    return 2 * total / gamblers(["first", "again"], ["only"])


def test_the_mean_money_is_a_martingale_and_equals_the_exact_one() -> None:
    sizes, chance, mean = [3, 2, 3, 2, 3], Fraction(1), Fraction(0)
    for size in sizes:
        chance /= size
    for sequence in itertools.product(*(range(size) for size in sizes)):
        exact = exact_mean_money(sequence, sizes)
        mean += exact * chance
        test = UniformityTest(["first", "again"], ["only"], 1e-3)
        for t, (drawn, size) in enumerate(zip(sequence, sizes, strict=True)):
            named = {"first": 0, "again": sequence[t - 1] if t else 0}
            betting = [name for name, member in named.items() if member < size]
            test.observe("only", Slip(tuple((name, (size, 1, named[name] == drawn)) for name in betting)))
        assert math.exp(test.log_wealth()) == pytest.approx(float(exact), rel=1e-9)
    assert mean == 1


def reject(random: np.random.Generator, chances: list[float], draws: int, false_alarm: float) -> bool:
    test = UniformityTest(["first"], ["only"], false_alarm)
    for drawn in random.choice(len(chances), size=draws, p=chances).tolist():
        test.observe("only", SLIPS[len(chances), drawn == 0])
        if test.due() and test.rejected():
            return True
    return test.rejected()


def test_fair_draws_are_rejected_no_more_often_than_stated() -> None:
    random, alpha, runs = np.random.default_rng(2), 0.05, 600
    alarms = sum(reject(random, [1 / 3] * 3, 150, alpha) for _ in range(runs))
    # Were the probability above alpha, so few alarms or fewer could still happen; so many hardly.
    assert scipy.stats.binom.sf(alarms - 1, runs, alpha) > 1e-6


@pytest.mark.parametrize(("probability", "size", "draws"), [(0.7, 2, 200), (0.45, 3, 400), (0.05, 5, 260)])
def test_the_stated_power_is_a_lower_bound(probability: float, size: int, draws: int) -> None:
    random, alpha, runs = np.random.default_rng(3), 1e-3, 200
    chances = [probability] + [(1 - probability) / (size - 1)] * (size - 1)
    stated = power(probability, size=size, draws=draws, among=gamblers(["first"], ["only"]), false_alarm=alpha)
    found = sum(reject(random, chances, draws, alpha) for _ in range(runs))
    assert 0.2 < stated < 1
    assert scipy.stats.binom.cdf(found, runs, stated) > 1e-6


def test_power_against_a_count_of_every_sequence() -> None:
    size, draws, probability, among, alpha = 3, 9, 0.9, 20, 0.05
    total = 0.0
    for sequence in itertools.product((True, False), repeat=draws):
        money = np.sum([log_return(size, 1, drawn) for drawn in sequence], axis=0)
        hits = sum(sequence)
        if np.exp(money).max() / among >= 1 / alpha:
            total += probability**hits * (1 - probability) ** (draws - hits)
    stated = power(probability, size=size, draws=draws, among=among, false_alarm=alpha)
    assert 0.1 < stated < 1
    assert stated == pytest.approx(total, rel=1e-9)


def test_the_suspicion_is_that_of_the_stream_that_is_biased() -> None:
    test, random = UniformityTest(["first", "second"], ["fair", "biased"], 1e-6), np.random.default_rng(0)
    for stream, chance in (("fair", 0.5), ("biased", 0.8)):
        for first in (random.random(400) < chance).tolist():
            test.observe(stream, SLIPS[2, first])
    suspicion = test.suspicion()
    assert test.rejected()
    assert (suspicion.name, suspicion.where, suspicion.draws, suspicion.expected) == ("first", "biased", 400, 200.0)
    assert suspicion.hits > 280
    assert suspicion.probability == pytest.approx(math.exp(-test.log_wealth()))


def test_evidence_adds_up_over_streams() -> None:
    streams = ["one", "two", "three"]
    test, random = UniformityTest(["first"], streams, 1e-6), np.random.default_rng(1)
    for stream in streams:
        for first in (random.random(300) < 0.62).tolist():
            test.observe(stream, SLIPS[2, first])
    assert test.suspicion().where is None
    assert test.suspicion().draws == 900
    assert test.rejected()


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_the_false_alarm_is_a_probability(alpha: float) -> None:
    with pytest.raises(InputError, match=r"false_alarm=.* must lie in \(0, 1\)"):
        UniformityTest(["first"], ["only"], alpha)
