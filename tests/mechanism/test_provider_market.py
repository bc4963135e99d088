"""A statistical test fails for the right laws with probability FALSE_ALARM, over the choice of the key."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st

from bounds.errors import InputError
from mechanism.market import provider as provider_market
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw, bernoulli, beta_shaped, point_mass, two_point
from mechanism.market.provider import ProviderMarket, stratified
from mechanism.randomness import RandomStream, counter, squares64, stream_key
from tests.mechanism.cost_law import cost_law, probabilities

FALSE_ALARM = 1e-9
KEY = stream_key(0, 0, RandomStream.OUTCOMES)
CELLS = 16
SCORE = bernoulli(0.5)


@st.composite
def tiny_laws(draw: st.DrawFn) -> DiscreteLaw:
    """Return a law whose probabilities are sixteenths."""
    cells = sorted(draw(st.lists(st.integers(0, 6), min_size=CELLS, max_size=CELLS)))
    points = sorted(set(cells))
    weights = [cells.count(point) * (TOTAL_WEIGHT // CELLS) for point in points]
    return DiscreteLaw(tuple(points), tuple(weights), draw(st.fractions(Fraction(1, 100), 10)))


def brute_force(law: DiscreteLaw, n: int, bands: int) -> dict[tuple[int, ...], Fraction]:
    """Return the joint law of n candidates: the sixteenths of a band are equally likely and independent."""
    cells = [law.point(i * (TOTAL_WEIGHT // CELLS)) for i in range(CELLS)]
    size = CELLS // bands
    joint: dict[tuple[int, ...], Fraction] = {}
    for band in range(bands):
        for drawn in itertools.product(cells[band * size : (band + 1) * size], repeat=n):
            joint[drawn] = joint.get(drawn, Fraction(0)) + Fraction(1, bands * size**n)
    return joint


@given(tiny_laws(), st.sampled_from([(1, 0), (1, 2), (2, 0), (2, 1), (2, 2), (2, 4), (3, 2), (4, 3)]))
def test_the_cost_law_is_that_of_all_bands_and_cells(law: DiscreteLaw, shape: tuple[int, int]) -> None:
    n, b = shape
    joint = brute_force(law, n, 2**b)
    provider = ProviderMarket(SCORE, law, multiplicity=n, difficulty_bits=b)
    totals: dict[int, Fraction] = {}
    for drawn, weight in joint.items():
        totals[sum(drawn)] = totals.get(sum(drawn), Fraction(0)) + weight
    mean = sum(t * w for t, w in totals.items()) * law.unit
    variance = sum((t * law.unit - mean) ** 2 * w for t, w in totals.items())

    cost = cost_law(provider)
    assert cost.mean == provider.mean_cost == mean == n * law.mean
    assert cost.variance == provider.cost_variance == variance
    assert cost.maximum == provider.maximum_cost == float(max(totals) * law.unit)
    exact = [float(totals.get(cost.first + i, Fraction(0))) for i in range(len(cost.probabilities))]
    assert cost.probabilities == pytest.approx(exact, abs=1e-14)
    assert cost.values.tolist() == [float((cost.first + i) * law.unit) for i in range(len(exact))]


@given(tiny_laws(), st.sampled_from([0, 1, 2, 3, 4]))
def test_each_candidate_has_exactly_the_candidate_law_and_none_is_against_another(law: DiscreteLaw, b: int) -> None:
    joint = brute_force(law, 2, 2**b)
    for point, weight in zip(law.points, law.weights, strict=True):
        assert sum(w for drawn, w in joint.items() if drawn[1] == point) == Fraction(weight, TOTAL_WEIGHT)
    product = sum((w * drawn[0] * drawn[1] for drawn, w in joint.items()), Fraction(0)) * law.unit**2
    provider = ProviderMarket(SCORE, law, multiplicity=2, difficulty_bits=b)
    assert provider.candidate_covariance == product - law.mean**2
    assert provider.candidate_covariance >= 0
    if b == 0:
        assert provider.candidate_covariance == 0


@pytest.mark.for_each(("bits", "correlation"), [(0, 0.0), (1, 0.63), (2, 0.87), (4, 0.99)])
def test_shared_difficulty_makes_candidates_positively_correlated(bits: int, correlation: float) -> None:
    provider = ProviderMarket(SCORE, beta_shaped(0.3, 1.0, 0.35), multiplicity=4, difficulty_bits=bits)
    assert provider.candidate_correlation == pytest.approx(correlation, abs=0.02)


def test_no_correlation_without_two_candidates_or_without_spread() -> None:
    assert ProviderMarket(SCORE, beta_shaped(0.3, 1.0, 0.35)).candidate_correlation is None
    assert ProviderMarket(SCORE, point_mass(0.3), multiplicity=4).candidate_correlation is None


def bases(number: int) -> list[int]:
    """Return the first counters of the first steps."""
    return [counter(step, 0, 0) for step in range(1, number + 1)]


@given(st.integers(1, 5), st.sampled_from([0, 2, 16]), st.integers(1, 2**34 - 1), st.integers(0, 2**20 - 1))
def test_an_outcome_draws_with_the_counters_of_its_step_and_provider(n: int, b: int, step: int, provider: int) -> None:
    """Draw 0 is the score's, 1 the difficulty's if candidates share one, and 2, 3, ... the candidates'."""
    law = beta_shaped(Fraction(1, 3), 1.0, 0.35)
    market = ProviderMarket(beta_shaped(0.7, 1.0, 0.2), law, multiplicity=n, difficulty_bits=b)
    word = [squares64(KEY, counter(step, provider, draw)) // 4 for draw in range(2 + n)]
    size = 2 ** (62 - b)
    points = [law.point(word[2 + j] if n == 1 else word[1] // size * size + word[2 + j] // 2**b) for j in range(n)]
    base = counter(step, provider, 0)
    assert market.candidate_points(KEY, base) == points
    assert market.score(KEY, base) == market.score_law.sample(word[0])
    assert market.cost(KEY, base) == float(sum(points) * law.unit)


@given(st.integers(1, 3), st.integers(1, 50), st.data())
def test_a_pools_question_brings_the_difficulty_of_score_and_cost(n: int, questions: int, data: st.DataObject) -> None:
    question, step = data.draw(st.integers(0, questions - 1)), data.draw(st.integers(1, 1000))
    cost_bits, score_bits = data.draw(st.sampled_from([0, 2, 16])), data.draw(st.sampled_from([0, 1, 16]))
    law = beta_shaped(0.3, 1.0, 0.35)
    market = ProviderMarket(
        beta_shaped(0.7, 1.0, 0.2),
        law,
        multiplicity=n,
        difficulty_bits=cost_bits,
        questions=questions,
        score_difficulty_bits=score_bits,
    )
    word = [squares64(KEY, counter(step, 3, draw)) // 4 for draw in range(2 + n)]
    hard = stratified(question, questions, word[1])
    base = counter(step, 3, 0)
    assert market.difficulty(KEY, base, question) == hard
    size = 2 ** (62 - cost_bits)
    points = [law.point(hard // size * size + word[2 + j] // 2**cost_bits) for j in range(n)]
    assert market.candidate_points(KEY, base, question) == points
    size = 2 ** (62 - score_bits)
    easy = 2**62 - 1 - hard
    assert market.score(KEY, base, question) == market.score_law.sample(easy // size * size + word[0] // 2**score_bits)


def test_a_harder_question_never_scores_more_nor_costs_less() -> None:
    """With as many bands as there are, all else equal."""
    market = ProviderMarket(
        beta_shaped(0.6, 1.0, 0.5),
        beta_shaped(0.3, 1.0, 0.5),
        multiplicity=2,
        difficulty_bits=16,
        questions=20,
        score_difficulty_bits=16,
    )
    for base in bases(20):
        scores = [market.score(KEY, base, question) for question in range(20)]
        costs = [market.cost(KEY, base, question) for question in range(20)]
        assert scores == sorted(scores, reverse=True)
        assert costs == sorted(costs)
        assert scores[0] > scores[-1]
        assert costs[0] < costs[-1]


def test_the_cost_is_the_sum_of_the_points_rounded_once() -> None:
    provider = ProviderMarket(SCORE, beta_shaped(Fraction(1, 30), Fraction(1, 10), 0.35), multiplicity=4)
    totals = [sum(provider.candidate_points(KEY, base)) for base in bases(200)]
    expected = [float(total * provider.candidate_law.unit) for total in totals]
    assert [provider.cost(KEY, base) for base in bases(200)] == expected


LAW = DiscreteLaw((0, 1, 3, 4), tuple(k * TOTAL_WEIGHT // 8 for k in (1, 4, 2, 1)), Fraction(1))
SIZE = 2**14


def test_drawn_candidates_follow_their_law_and_correlation() -> None:
    provider = ProviderMarket(SCORE, LAW, multiplicity=3, difficulty_bits=2)
    points = np.array([provider.candidate_points(KEY, base) for base in bases(SIZE)]).T
    for candidate in points:
        counts = [int((candidate == point).sum()) for point in LAW.points]
        assert scipy.stats.chisquare(counts, probabilities(LAW) * SIZE).pvalue > FALSE_ALARM
    # Hoeffding: products lie in [0, 16].
    slack = 16 * math.sqrt(math.log(2 / FALSE_ALARM) / (2 * SIZE))
    assert slack < provider.candidate_covariance  # power: independent candidates would be seen
    for i, j in ((0, 1), (0, 2), (1, 2)):
        drawn = float((points[i] * points[j]).mean() - LAW.mean**2)
        assert abs(drawn - provider.candidate_covariance) <= slack


def test_drawn_costs_follow_the_cost_law() -> None:
    # Independent candidates instead of shared difficulty would give a p-value below 1e-100.
    provider = ProviderMarket(SCORE, LAW, multiplicity=2, difficulty_bits=2)
    cost = cost_law(provider)
    drawn = np.array([provider.cost(KEY, base) for base in bases(SIZE)])
    counts = np.bincount(drawn.astype(int), minlength=len(cost.probabilities))
    possible = cost.probabilities > 0
    assert counts[~possible].sum() == 0
    assert scipy.stats.chisquare(counts[possible], cost.probabilities[possible] * SIZE).pvalue > FALSE_ALARM
    other = cost_law(ProviderMarket(SCORE, LAW, multiplicity=2, difficulty_bits=0)).probabilities
    where = other > 0
    assert scipy.stats.chisquare(counts[where], other[where] / other[where].sum() * counts[where].sum()).pvalue < 1e-100


@pytest.mark.parametrize("n", [1, 2, 4, 1000])
@pytest.mark.parametrize("b", [0, 2, 16])
@pytest.mark.parametrize(("word", "end"), [(0, 0), (2**64 - 1, -1)])
def test_extreme_bits_stay_in_range(n: int, b: int, word: int, end: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_market, "squares64", lambda key, count: word)
    provider = ProviderMarket(SCORE, two_point(0.25, 1.0), multiplicity=n, difficulty_bits=b)
    assert provider.cost(KEY, 0) == (0.0, float(n))[end]
    assert provider.score(KEY, 0) == (0.0, 1.0)[end]
    pool = ProviderMarket(SCORE, two_point(0.25, 1.0), multiplicity=n, difficulty_bits=b, questions=7)
    hardest = (0, 6)[end]
    assert pool.cost(KEY, 0, hardest) == (0.0, float(n))[end]
    assert 0 <= pool.difficulty(KEY, 0, hardest) < TOTAL_WEIGHT


@pytest.mark.parametrize("n", [9, 40])
def test_long_convolutions_keep_the_moments(n: int) -> None:
    # n = 9 is convolved directly, n = 40 by the fast Fourier transform.
    provider = ProviderMarket(SCORE, beta_shaped(0.3, 1.0, 0.35), multiplicity=n, difficulty_bits=2)
    cost = cost_law(provider)
    assert cost.probabilities.min() >= 0
    assert cost.probabilities.sum() == pytest.approx(1, abs=1e-12)
    mean = float(cost.probabilities @ cost.values)
    assert mean == pytest.approx(float(cost.mean), rel=1e-10)
    assert float(cost.probabilities @ (cost.values - mean) ** 2) == pytest.approx(float(cost.variance), rel=1e-9)


def test_many_independent_two_point_candidates_are_binomial() -> None:
    cost = cost_law(ProviderMarket(SCORE, two_point(0.25, 1.0), multiplicity=1000, difficulty_bits=0))
    assert cost.probabilities == pytest.approx(scipy.stats.binom.pmf(np.arange(1001), 1000, 0.25), abs=1e-13)


@pytest.mark.for_each(
    ("changes", "argument"),
    [
        ({"multiplicity": 0}, "multiplicity"),
        ({"multiplicity": 1001}, "multiplicity"),
        ({"multiplicity": 2.0}, "multiplicity"),
        ({"difficulty_bits": -1}, "difficulty_bits"),
        ({"difficulty_bits": 17}, "difficulty_bits"),
        ({"score_difficulty_bits": 17}, "score_difficulty_bits"),
        ({"score_difficulty_bits": 1.0}, "score_difficulty_bits"),
        ({"questions": -1}, "questions"),
        ({"questions": 2**20 + 1}, "questions"),
        ({"questions": True}, "questions"),
        ({"score_law": point_mass(1.5)}, "score_law"),
    ],
)
def test_arguments_out_of_range_are_refused(changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        ProviderMarket(**({"score_law": SCORE, "candidate_law": point_mass(1.0)} | changes))
