"""Pools of questions and what a provider draws: shuffles, strata, counters, and exact moments of costs."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from bounds.errors import InputError
from mechanism.market import provider as provider_market
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw, bernoulli, beta_shaped, point_mass, two_point
from mechanism.market.market import Market
from mechanism.market.provider import ProviderMarket, stratified
from mechanism.market.questions import LARGEST_POOL, QuestionPool, permutation
from mechanism.randomness import RandomStream, counter, squares64, stream_key, uniform_index

KEY = stream_key(0, 0, RandomStream.OUTCOMES)
KEYS = st.integers(0, 2**64 - 1)


@given(KEYS, st.integers(1, 60), st.integers(0, 10**6))
def test_every_pass_asks_every_question_once(key: int, size: int, number: int) -> None:
    pool, first = QuestionPool(size), number * size + 1
    asked = [pool.question(key, step) for step in range(first, first + size)]
    assert sorted(asked) == list(range(size))
    assert asked == permutation(key, size, number).tolist()


@given(KEYS, st.integers(1, 40), st.integers(0, 1000))
def test_a_pass_is_the_shuffle_that_its_counters_draw(key: int, size: int, number: int) -> None:
    """Fisher and Yates: each place takes one of the questions not asked yet, drawn with its own counter."""
    left, asked = list(range(size)), []
    for place in range(size):
        other = uniform_index(squares64(key, number * size + place), size - place)
        asked.append(left[other])
        left[other] = left[0]
        left.pop(0)
    assert permutation(key, size, number).tolist() == asked


@pytest.mark.parametrize("size", [1, 3, 1000, pytest.param(LARGEST_POOL - 1, marks=pytest.mark.long("a large pool"))])
def test_no_pass_reaches_the_counters_of_a_query(size: int) -> None:
    """The first query's counters begin at 2^30; the last pass takes `size` counters below it."""
    pool = QuestionPool(size)
    passes, rest = divmod(pool.last_step, size)
    assert rest == 0
    assert passes * size <= counter(1, 0, 0) < (passes + 1) * size
    assert 0 <= pool.question(KEY, pool.last_step) < size
    for step in (0, -1, pool.last_step + 1):
        with pytest.raises(InputError, match=r"^step=.* must lie in 1\.\."):
            pool.question(KEY, step)


@pytest.mark.for_each("size", [0, -1, LARGEST_POOL + 1, 2.0, True, "7", None])
def test_sizes_out_of_range_are_refused(size: object) -> None:
    with pytest.raises(InputError, match=r"^questions=.* must be a whole number in"):
        QuestionPool(size)  # type: ignore[arg-type]


@given(st.one_of(st.integers(1, LARGEST_POOL), st.sampled_from([1, 2, 3, 4, LARGEST_POOL])), st.data())
def test_a_question_draws_within_its_own_stratum(questions: int, data: st.DataObject) -> None:
    """The k-th of K questions draws the k-th K-th of the 62 bits, up to the cell that it shares with its neighbour."""
    question = data.draw(st.integers(0, questions - 1))
    fresh = data.draw(st.integers(0, TOTAL_WEIGHT - 1))
    cell = 2 ** max(62 - (64 - questions.bit_length()), 0)
    drawn = stratified(question, questions, fresh)
    low, high = (Fraction(k * TOTAL_WEIGHT, questions) for k in (question, question + 1))
    assert low - cell < drawn < high + cell
    assert 0 <= drawn < TOTAL_WEIGHT
    ends = [stratified(question, questions, bits) for bits in (0, TOTAL_WEIGHT - 1)]
    assert abs(ends[0] - low) <= cell
    assert abs(ends[1] - high) <= cell + 1
    assert ends[0] <= drawn <= ends[1]


@given(st.integers(1, 2**20), st.integers(0, TOTAL_WEIGHT - 1))
@example(1, TOTAL_WEIGHT - 1)
def test_one_question_changes_nothing_and_many_order_the_draws(questions: int, fresh: int) -> None:
    assert stratified(0, 1, fresh) == fresh
    some = sorted({0, questions // 3, questions // 2, questions - 1})
    drawn = [stratified(question, questions, fresh) for question in some]
    assert drawn == sorted(set(drawn))


def pool_market(questions: int, bits: int = 2) -> Market:
    provider = ProviderMarket(
        bernoulli(0.5), two_point(0.25, 1.0), difficulty_bits=bits, questions=questions, score_difficulty_bits=bits
    )
    return Market((provider,), seed=3, run=1)


def test_harder_questions_score_less_and_cost_more() -> None:
    """With four bands and four questions each band is one question's, so its share of the law is exact."""
    market = pool_market(4)
    asked = market.pool
    assert asked is not None
    for step in range(1, 401):
        score, cost = market.outcome(step, 0)
        question = asked.question(market.key, step)
        assert score == (1.0 if question < 2 else 0.0)
        assert cost == (1.0 if question == 3 else 0.0)


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
def test_moments_of_costs_are_that_of_all_bands_and_cells(law: DiscreteLaw, shape: tuple[int, int]) -> None:
    n, b = shape
    joint = brute_force(law, n, 2**b)
    provider = ProviderMarket(SCORE, law, multiplicity=n, difficulty_bits=b)
    totals: dict[int, Fraction] = {}
    for drawn, weight in joint.items():
        totals[sum(drawn)] = totals.get(sum(drawn), Fraction(0)) + weight
    mean = sum(t * w for t, w in totals.items()) * law.unit
    variance = sum((t * law.unit - mean) ** 2 * w for t, w in totals.items())
    assert provider.mean_cost == mean == n * law.mean
    assert provider.cost_variance == variance
    assert provider.maximum_cost == float(max(totals) * law.unit)


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


def test_no_correlation_without_two_candidates_or_without_spread() -> None:
    assert ProviderMarket(SCORE, beta_shaped(0.3, 1.0, 0.35)).candidate_correlation is None
    assert ProviderMarket(SCORE, point_mass(0.3), multiplicity=4).candidate_correlation is None


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


@pytest.mark.parametrize(("n", "b"), [(1, 0), (2, 2), (1000, 16)])
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
