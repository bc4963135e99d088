"""A statistical test fails for a uniform pool with probability FALSE_ALARM, over the choice of the key."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import example, given, strategies as st

from bounds.errors import InputError
from mechanism.market import provider as provider_market
from mechanism.market.laws import TOTAL_WEIGHT, bernoulli, two_point
from mechanism.market.market import Market, ProviderMarket
from mechanism.market.provider import stratified
from mechanism.market.questions import LARGEST_POOL, QuestionPool, permutation
from mechanism.randomness import RandomStream, counter, squares64, stream_key, uniform_index

FALSE_ALARM = 1e-9
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


def test_a_pass_is_a_pure_function_of_key_and_number() -> None:
    wanted = {(key, number): permutation(key, 50, number).tolist() for key in (KEY, KEY + 2) for number in range(20)}
    permutation.cache_clear()
    backwards = {pair: permutation(pair[0], 50, pair[1]).tolist() for pair in reversed(wanted)}
    assert backwards == wanted
    assert len({tuple(order) for order in wanted.values()}) == len(wanted)
    with pytest.raises(ValueError, match="read-only"):
        permutation(KEY, 50, 0)[0] = 1


def test_passes_are_uniform_over_all_permutations() -> None:
    """24,000 passes over four questions; one of 24 orders that is 20 % too likely gives a p-value below 1e-9."""
    passes = 24_000
    counts = Counter(tuple(permutation(KEY, 4, number).tolist()) for number in range(passes))
    assert set(counts) == set(itertools.permutations(range(4)))
    assert scipy.stats.chisquare(list(counts.values())).pvalue > FALSE_ALARM


def test_places_are_uniform_and_passes_unrelated_in_a_larger_pool() -> None:
    size, passes = 16, 8_000
    orders = np.array([permutation(KEY, size, number) for number in range(passes)])
    for place in range(size):
        assert scipy.stats.chisquare(np.bincount(orders[:, place], minlength=size)).pvalue > FALSE_ALARM / size
    pairs = np.bincount(size * orders[:-1, 0] + orders[1:, 0], minlength=size**2)
    assert scipy.stats.chisquare(pairs).pvalue > FALSE_ALARM


@pytest.mark.for_each("size", [1, 2, 3, 1000, LARGEST_POOL - 1])
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


@pytest.mark.parametrize("questions", [1, 2, 3, 5, 6, 7, 8, 11, 31])
@pytest.mark.parametrize("width", [6, 8])
def test_strata_are_uniform_over_a_pass(questions: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In words of few bits: all questions and all fresh bits together draw every number equally often.

    The lowest `width` of the 62 bits are those that differ; the shifts are those of a word of `width` + 2 bits.
    """
    monkeypatch.setattr(provider_market, "LAW_BITS", width)

    class Narrow(int):
        """A number of questions that takes 62 - width bits more: K 2^s must fit the narrow word of width + 2."""

        def bit_length(self) -> int:
            return super().bit_length() + 62 - width

    count = Narrow(questions)
    drawn = Counter(stratified(question, count, fresh) for question in range(questions) for fresh in range(1 << width))
    assert set(drawn) == set(range(1 << width))
    assert set(drawn.values()) == {questions}


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


def test_every_pass_has_exactly_the_laws_share_of_hard_questions() -> None:
    market, size = pool_market(100, bits=16), 100
    fifty = [sum(market.outcome(size * k + j, 0)[0] for j in range(1, size + 1)) for k in range(20)]
    # Bands of 2^-16 are narrower than a question: only the question at the law's own threshold may go either way.
    assert set(fifty) <= {49.0, 50.0, 51.0}
    independent = pool_market(0)
    counts = [sum(independent.outcome(size * k + j, 0)[0] for j in range(1, size + 1)) for k in range(20)]
    assert max(counts) - min(counts) > 2


@pytest.mark.parametrize("questions", [0, 3, 50])
def test_means_stay_those_of_the_laws(questions: int) -> None:
    """Hoeffding over whole passes: difficulty is uniform over a pass, so the mean is the law's."""
    steps = 6_000
    drawn = np.array([pool_market(questions).outcome(step, 0) for step in range(1, steps + 1)])
    slack = math.sqrt(math.log(4 / FALSE_ALARM) / (2 * steps))
    assert np.abs(drawn.mean(axis=0) - [0.5, 0.25]).max() <= slack
