"""lem:good-event. With probability at least 1 - delta all empirical qualities and costs lie in their confidence bands.

Let E be the event that, for every provider i and every m >= 1,

    |qhat_{i,m} - q_i| <= beta(m)   and   |chat_{i,m} - cbar_i| <= c_max beta(m),
    beta(m) = sqrt(ln(2 pi^2 N m^2 / (3 delta)) / (2m)).

Then Pr(E) >= 1 - delta. The scores of a provider, in [0, 1], and its costs, in [0, c_max], are i.i.d. draws. They form
a table made beforehand: otherwise the mean of m queries is not defined for a provider that serves fewer. The paper
asserts, but does not prove, that the queries an adaptive platform assigns are such draws.
"""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, strategies as st
from scipy.stats import binom

from tests.bounds.coverage.exact import leaving

COUNTS = 25
CONFIDENCES = st.sampled_from([0.05, 0.999]) | st.floats(1e-6, 0.999)
MEANS = st.lists(st.integers(0, 200), min_size=4, max_size=8).filter(lambda means: len(means) % 2 == 0)


def beta(m: int, n: int, delta: float) -> float:
    """Return the confidence radius."""
    return math.sqrt(math.log(2 * math.pi**2 * n * m**2 / (3 * delta)) / (2 * m))  # wrong: 2 * math -> 0.28 * math


def outside(total: int, m: int, mean: float, n: int, delta: float) -> bool:
    """Return whether m draws of this sum lie outside their band; drawn from {0, 2}, they would not obey the lemma."""
    return abs(total / m - mean) > beta(m, n, delta)  # wrong: abs -> 2 * abs


def exit_probability(ones: int, n: int, delta: float) -> Fraction:
    """Return the probability that draws of 0 and 1, of mean ones/200, leave the band by COUNTS, exactly."""
    left = leaving((200 - ones, ones), COUNTS, lambda total, m: not outside(total, m, ones / 200, n, delta))
    return sum((Fraction(weight, 200**m) for m, weight in enumerate(left, start=1)), Fraction(0))


def spent(n: int, delta: float) -> float:
    """Return what Hoeffding's inequality and the union bound spend on 2N means at counts up to COUNTS."""
    return sum(2 * n * 2 * math.exp(-2 * m * beta(m, n, delta) ** 2) for m in range(1, COUNTS + 1))


@given(MEANS, CONFIDENCES)
def test_holds_exactly_for_draws_of_0_and_1(means: list[int], delta: float) -> None:
    """By the probability of leaving early, and the union bound over all later counts, pi^2/6 being the sum of all."""
    n = len(means) // 2
    early = sum(exit_probability(mean, n, delta) for mean in means)
    later = delta * (1 - 6 / math.pi**2 * sum(1 / m**2 for m in range(1, COUNTS + 1)))
    assert early + later <= delta


def test_holds_exactly_for_two_providers() -> None:
    """With 0.28 in place of 2, some band of theirs is left by COUNTS with probability 0.79, though delta is 0.75."""
    assert 1 - (1 - exit_probability(65, 2, 0.75)) ** 4 <= 0.75


@given(st.integers(2, 1000), CONFIDENCES)
def test_is_tight_for_its_proof(n: int, delta: float) -> None:
    """The union bound spends delta, no less: 6 delta / (pi^2 m^2) at each count."""
    assert math.isclose(spent(n, delta), delta * 6 / math.pi**2 * sum(1 / m**2 for m in range(1, COUNTS + 1)))


def test_is_loose_for_draws_of_0_and_1() -> None:
    """Hoeffding's inequality is far from tight where beta is wide: two such providers fail with 0.5% of delta."""
    failing = 4 * exit_probability(21, 2, 0.999) / Fraction(0.999)
    assert 0.004 < failing < 0.005


def test_simulated_coverage_is_the_exact_one() -> None:
    """Of 20,000 markets as many fail as the exact probability says; a right one is accused with probability 1e-9."""
    rng, markets = np.random.default_rng(0), 20_000
    exact = 1 - (1 - float(exit_probability(21, 2, 0.999))) ** 4
    counts = np.arange(1, COUNTS + 1)
    radii = np.array([beta(m, 2, 0.999) for m in counts.tolist()])
    means = np.cumsum(rng.random((markets, 4, COUNTS)) < 21 / 200, axis=2) / counts
    failures = int((np.abs(means - 21 / 200) > radii).any(axis=(1, 2)).sum())
    low, high = binom.ppf([0.5e-9, 1 - 0.5e-9], markets, exact)
    assert 0 < low <= failures <= high < 0.01 * markets
