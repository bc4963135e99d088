"""Outcomes of a market: pure functions of seed, run, step and provider; look-ups in tables; pools and moments."""

import itertools
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.kernel import law_place, look_up
from mechanism.compiled.layout import CHUNK
from mechanism.market import provider as provider_market
from mechanism.market.law_tables import LAW_FIELDS, Ints, LawField, LawTables, law_tables
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw, bernoulli, beta_shaped, point_mass, token_law, two_point
from mechanism.market.market import Market, market_laws
from mechanism.market.provider import ProviderMarket, stratified
from mechanism.market.questions import LARGEST_POOL, QuestionPool, permutation
from mechanism.randomness import RandomStream, counter, squares64, stream_key, uniform_index
from tests.mechanism.random_episodes import machine_code
from tests.refusals import assert_refused

LAW_PLACE, LOOK_UP = map(machine_code, (law_place, look_up))

LADDER = Setting(
    "ladder",
    PlatformParameters(0.805, 0.05, 300.032, 2.0, 0.75),
    (
        Provider("Qwen2-1.5B", 0.57445856, 15.14359, 0.1),
        Provider("Llama-3-8B@2", 0.66870903, 44.68715, 0.1455, 2),
        Provider("Qwen2.5-7B@4", 0.93, 137.49175, 0.1465, 4),
        Provider("no price", 0.8, 100.0),
        Provider("no price@3", 0.3, 100.0, multiplicity=3),
    ),
)
EDGES = Setting(
    "edges",
    PlatformParameters(0.5, 0.05, 102.4, 2.0, 0.75),
    (
        Provider("perfect and dear", 1.0, 102.4),
        Provider("useless and free", 0.0, 0.0),
        Provider("perfect and dear@3", 1.0, 102.4, 0.1, 3),
        Provider("useless and free@3", 0.0, 0.0, 0.1, 3),
    ),
)


def market(setting: Setting = LADDER, seed: int = 0, run: int = 0, **options: Any) -> Market:
    return market_laws(setting, **options).market(seed, run)


@given(st.integers(0, 2**34 - 1), st.integers(0, 4), st.integers(0, 2**128 - 1), st.integers(0, 2**32 - 1))
def test_an_outcome_is_a_pure_function(step: int, provider: int, seed: int, run: int) -> None:
    first = market(seed=seed, run=run)
    score, cost = first.outcome(step, provider)
    assert score in (0.0, 1.0)
    assert 0 <= cost <= LADDER.platform.cost_bound
    assert type(score) is type(cost) is float
    again = market(seed=seed, run=run)
    again.outcome((step + 1) % 2**34, (provider + 1) % 5)
    assert again.outcome(step, provider) == (score, cost)
    assert pickle.loads(pickle.dumps(first)).outcome(step, provider) == (score, cost)
    assert first.outcome(np.int64(step), provider) == (score, cost)


@pytest.mark.for_each("cost_law", ["auto", "lattice", "two-point", "point-mass"])
@pytest.mark.parametrize("score_law", ["bernoulli", "beta", "two-point", "point-mass"])
def test_the_ends_of_quality_and_cost_are_certain(score_law: str, cost_law: str) -> None:
    one = market(EDGES, score_law=score_law, cost_law=cost_law)
    for step in range(1, 100):
        outcomes = [one.outcome(step, provider) for provider in range(4)]
        assert outcomes == [(1.0, 102.4), (0.0, 0.0), (1.0, 102.4), (0.0, 0.0)]


def test_query_price_adds_the_margin() -> None:
    assert market().query_price(8.0) == 10.0
    assert market(margin=0.0).query_price(8.0) == 8.0
    assert market(margin=1.0).query_price(8.0) == 16.0


def test_each_provider_may_have_its_own_spread() -> None:
    spreads = (0.1, 0.9, 0.35, 0.35, 0.0)
    several = market(cost_variation=spreads).providers
    for i, (one, spread) in enumerate(zip(several, spreads, strict=True)):
        alone = market(cost_variation=spread).providers[i]
        assert one.cost_variance == alone.cost_variance
    assert market_laws(LADDER, cost_variation=list(spreads)) is market_laws(LADDER, cost_variation=spreads)
    assert market_laws(LADDER, cost_variation=[0.35] * 5).options.variation(4) == 0.35
    for wrong in ([0.1] * 4, [], (0.1,) * 6):
        assert_refused(r"^cost_variation=.* each of 5 providers", market_laws, LADDER, cost_variation=wrong)
    assert_refused(r"^cost_variation=", market_laws, LADDER, cost_variation=[0.1, 0.1, -0.1, 0.1, 0.1])


def test_the_pool_is_the_same_for_all_providers_and_asked_in_the_order_of_the_run() -> None:
    one = market(questions=20)
    assert one.pool == QuestionPool(20)
    assert market().pool is None
    for step in (1, 20, 21, 1000):
        question = one.pool.question(one.key, step)
        for provider, laws in enumerate(one.providers):
            base = counter(step, provider, 0)
            expected = laws.score(one.key, base, question), laws.cost(one.key, base, question)
            assert one.outcome(step, provider) == expected
    first, other = (ProviderMarket(bernoulli(0.5), point_mass(1.0), questions=size) for size in (3, 4))
    assert_refused(r"^questions=\(3, 4\) must be the same", Market, (first, other), 0, 0)
    assert_refused(r"^step=0 must lie in 1", one.outcome, 0, 0)


PROVIDER = ProviderMarket(bernoulli(0.5), beta_shaped(0.3, 1.0, 0.35))


@pytest.mark.for_each(
    ("argument", "value"),
    [
        *(("providers", ()), ("providers", (PROVIDER,) * (2**20 + 1)), ("seed", -1), ("seed", None), ("run", 2**32)),
        *(("margin", value) for value in (-0.1, math.nan, "0.25")),
    ],
)
def test_markets_out_of_range_are_refused(argument: str, value: Any) -> None:
    assert_refused(f"^{argument}=", Market, **({"providers": (PROVIDER,), "seed": 0, "run": 0} | {argument: value}))


@pytest.mark.for_each(
    ("step", "provider", "argument"),
    [*((step, 0, "step") for step in (-1, 2**34, 1.5)), *((1, provider, "provider") for provider in (-1, 1, 5000))],
)
def test_outcomes_out_of_range_are_refused(step: Any, provider: int, argument: str) -> None:
    one = Market((PROVIDER,), 0, 0)
    assert_refused(f"^{argument}=", one.outcome, step, provider)


def test_a_market_of_the_greatest_size() -> None:
    constant = ProviderMarket(point_mass(0.25), point_mass(3.0), multiplicity=1000)
    assert Market((constant,) * 2**20, 0, 0).outcome(2**34 - 1, 2**20 - 1) == (0.25, 3000.0)


def weights_law(weights: list[int]) -> DiscreteLaw:
    return DiscreteLaw(tuple(range(len(weights))), tuple(weights), Fraction(1, 3))


#: Laws with one point, two and many; with cells of the guide that hold many bounds, and points that hold many cells.
LAWS = {
    "certain": point_mass(0.3),
    "zero": point_mass(0.0),
    "coin": bernoulli(0.5),
    "rare": bernoulli(2**-62),
    "nearly certain": weights_law([1, TOTAL_WEIGHT - 1]),
    "three": weights_law([1, 1, TOTAL_WEIGHT - 2]),
    "three at the end": weights_law([TOTAL_WEIGHT - 2, 1, 1]),
    "many in one cell": weights_law([1] * 500 + [TOTAL_WEIGHT - 500]),
    "many in the last cell": weights_law([TOTAL_WEIGHT - 500] + [1] * 500),
    "many in the middle": weights_law([TOTAL_WEIGHT // 2 - 250] + [1] * 500 + [TOTAL_WEIGHT // 2 - 250]),
    "even": weights_law([TOTAL_WEIGHT // 16] * 16),
    "even of five": weights_law([TOTAL_WEIGHT // 5] * 4 + [TOTAL_WEIGHT - 4 * (TOTAL_WEIGHT // 5)]),
    "beta": beta_shaped(0.3, 1.0, 0.35),
    "wide beta": beta_shaped(0.01, 1.0, 3.0, steps=5000),
    "tokens": token_law(16.1, 0.052),
}


def rows(tables: LawTables) -> Ints:
    """Return `LawField` by provider, shape (N, fields)."""
    return tables.rows.reshape(-1, LAW_FIELDS)[tables.kinds]


def edges(law: DiscreteLaw) -> list[int]:
    """Return all bits at which another point may be drawn, and those next to them."""
    around = {bound + step for bound in (0, *law.cumulative) for step in (-1, 0, 1)}
    return sorted(bits for bits in around if 0 <= bits < TOTAL_WEIGHT)


def tables_of(name: str) -> tuple[LawTables, int]:
    """Return the tables of all laws, and the number of one of them."""
    providers = [ProviderMarket(bernoulli(0.25), law) for law in LAWS.values()]
    tables = law_tables(providers, 0.25)
    return tables, int(rows(tables)[list(LAWS).index(name), LawField.COST_LAW])


@pytest.mark.for_each("name", LAWS)
def test_look_ups_agree_at_every_bound(name: str) -> None:
    law, many = LAWS[name], edges(LAWS[name])
    many = many if len(many) < 1000 else [*many[:300], *many[300:-300:7], *many[-300:]]
    tables, number = tables_of(name)
    first = int(tables.first[number])
    expected = [law.index(bits) for bits in many]
    assert [int(LAW_PLACE(tables, number, np.uint64(bits))) - first for bits in many] == expected
    drawn = np.array([*many, *[0] * (-len(many) % CHUNK)], dtype=np.uint64)  # whole chunks
    found = np.empty(len(drawn))
    for at in range(0, len(drawn), CHUNK):
        LOOK_UP(tables, number, (drawn, np.uint64(at)), found, np.uint64(at))
    assert found[: len(many)].tolist() == [law.sample(bits) for bits in many]
    assert tables.values[first : first + len(law.points)].tolist() == law.values.tolist()
    assert tables.points[first : first + len(law.points)].tolist() == list(law.points)


def test_too_many_different_costs_are_refused() -> None:
    law = DiscreteLaw((0, 2**20), (TOTAL_WEIGHT // 2,) * 2, Fraction(1))
    with pytest.raises(InputError, match=r"^cost_law=.* must not exceed 16777216 different costs"):
        law_tables([ProviderMarket(bernoulli(0.5), law, multiplicity=17)], 0.25)
    assert two_point(0.25, 1.0).points[0] == 0


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
        assert_refused(r"^step=.* must lie in 1\.\.", pool.question, KEY, step)


@pytest.mark.for_each("size", [0, -1, LARGEST_POOL + 1, 2.0, True, "7", None])
def test_sizes_out_of_range_are_refused(size: object) -> None:
    assert_refused(r"^questions=.* must be a whole number in", QuestionPool, size)


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


CELLS = 16
SCORE = bernoulli(0.5)


@st.composite
def tiny_laws(draw: st.DrawFn) -> DiscreteLaw:
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
    assert_refused(f"^{argument}=", ProviderMarket, **{"score_law": SCORE, "candidate_law": point_mass(1.0)} | changes)
