"""A statistical test fails for the right laws with probability FALSE_ALARM, over the choice of the seed."""

import json
import math
import pickle
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numba as nb
import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.kernel import outcome, shuffle
from mechanism.compiled.layout import OutcomeSource
from mechanism.market.law_tables import Floats, Ints, LawTables, law_tables
from mechanism.market.laws import bernoulli, beta_shaped, point_mass
from mechanism.market.market import Market, ProviderMarket, market_laws
from mechanism.market.published import published_market
from mechanism.market.questions import QuestionPool
from mechanism.randomness import counter

FALSE_ALARM = 1e-9

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


def test_the_order_of_questions_does_not_matter() -> None:
    asked = [(step, provider) for step in range(1, 30) for provider in range(5)]
    in_order = {pair: market().outcome(*pair) for pair in asked}
    random.Random(0).shuffle(asked)
    one = market()
    assert {pair: one.outcome(*pair) for pair in asked} == in_order


def draws(one: Market, provider: int, size: int) -> Floats:
    """Return scores and costs of the first steps, shape (2, size), by the kernel."""
    tables = law_tables(one.providers, one.margin)
    drawn = np.empty((2, size))
    sample(tables, np.zeros(tables.questions, dtype=np.int64), np.uint64(one.key), provider, drawn)
    return drawn


@nb.njit(error_model="numpy")
def sample(tables: LawTables, order: Ints, key: np.uint64, provider: int, drawn: Floats) -> None:
    for j in range(drawn.shape[1]):
        if tables.questions > 0 and j % tables.questions == 0:
            shuffle(order, key, j // tables.questions)
        source = OutcomeSource(tables, order, key)
        drawn[0, j], drawn[1, j] = outcome(source, j + 1, provider, tables.kinds[provider])


@pytest.mark.parametrize("questions", [0, 7])
@pytest.mark.for_each("cost_law", ["auto", "lattice", "two-point", "point-mass"])
@pytest.mark.parametrize("score_law", ["bernoulli", "beta", "two-point", "point-mass"])
def test_the_kernel_draws_the_markets_outcomes(score_law: str, cost_law: str, questions: int) -> None:
    one = market(score_law=score_law, cost_law=cost_law, questions=questions)
    for provider in range(5):
        expected = [one.outcome(step, provider) for step in range(1, 50)]
        assert list(zip(*draws(one, provider, 49).tolist(), strict=True)) == expected


def test_steps_providers_runs_and_seeds_have_their_own_outcomes() -> None:
    shapes = {"score_law": "beta", "cost_law": "lattice"}
    rows = [
        draws(market(seed=seed, run=run, **shapes), provider, 39)
        for seed in (0, 1)
        for run in (0, 1)
        for provider in (3, 4)
    ]
    assert len({tuple(scores) for scores, _ in rows}) == 8
    assert len({tuple(costs) for _, costs in rows}) == 8
    assert all(len(set(costs)) > 30 for _, costs in rows)


def test_the_same_laws_serve_all_runs() -> None:
    assert market_laws(LADDER) is market_laws(LADDER, margin=0.25)
    assert market_laws(LADDER) is not market_laws(LADDER, margin=0.5)
    first, second = market_laws(LADDER).market(0, 0), market_laws(LADDER).market(0, 1)
    assert all(a is b for a, b in zip(first.providers, second.providers, strict=True))


SHAPES = [
    {},
    {"score_law": "beta", "cost_law": "lattice"},
    {"score_law": "two-point", "cost_law": "two-point"},
    {"cost_law": "lattice", "difficulty_bits": 0, "cost_variation": 1.0},
    {"score_law": "beta", "questions": 100, "score_difficulty_bits": 4},
]


def bernstein(variance: float, largest: float, size: int) -> float:
    """Return what a mean of so many draws on [0, largest] exceeds with probability at most FALSE_ALARM."""
    log = math.log(2 / FALSE_ALARM)
    return math.sqrt(2 * variance * log / size) + largest * log / (3 * size)


@pytest.mark.for_each("options", SHAPES)
@pytest.mark.parametrize("provider", range(5))
def test_empirical_means_are_the_setting_s(options: dict[str, Any], provider: int) -> None:
    # 10^5 draws; power above 0.99 against a mean that is off by 0.05 standard deviations.
    size, one, entry = 100_000, market(**options), LADDER.providers[provider]
    scores, costs = draws(one, provider, size)
    laws = one.providers[provider]
    slack = bernstein(float(laws.score_law.variance), 1.0, size)
    assert abs(scores.mean() - entry.quality) <= slack
    slack = bernstein(float(laws.cost_variance), laws.maximum_cost, size)
    assert abs(costs.mean() - entry.mean_cost) <= slack
    assert costs.max() <= LADDER.platform.cost_bound


@pytest.mark.for_each("cost_law", ["auto", "lattice", "two-point", "point-mass"])
@pytest.mark.parametrize("score_law", ["bernoulli", "beta", "two-point", "point-mass"])
def test_the_ends_of_quality_and_cost_are_certain(score_law: str, cost_law: str) -> None:
    one = market(EDGES, score_law=score_law, cost_law=cost_law)
    for step in range(1, 100):
        outcomes = [one.outcome(step, provider) for provider in range(4)]
        assert outcomes == [(1.0, 102.4), (0.0, 0.0), (1.0, 102.4), (0.0, 0.0)]


def test_mean_costs_are_exact_in_the_market() -> None:
    for options in SHAPES:
        for laws, entry in zip(market(**options).providers, LADDER.providers, strict=True):
            assert laws.mean_cost == Fraction(entry.mean_cost)
            assert laws.score_law.mean == Fraction(entry.quality)


def test_query_price_adds_the_margin() -> None:
    assert market().query_price(8.0) == 10.0
    assert market(margin=0.0).query_price(8.0) == 8.0
    assert market(margin=1.0).query_price(8.0) == 16.0


def test_options_reach_the_laws_of_a_run() -> None:
    fixed = market(score_law="point-mass", cost_law="point-mass", cost_variation=0.1)
    assert fixed.outcome(1, 0) == (0.57445856, 15.14359)
    narrow = market(cost_variation=0.1)
    assert narrow.providers[0].cost_variance < market().providers[0].cost_variance / 10


def test_each_provider_may_have_its_own_spread() -> None:
    spreads = (0.1, 0.9, 0.35, 0.35, 0.0)
    several = market(cost_variation=spreads).providers
    for i, (one, spread) in enumerate(zip(several, spreads, strict=True)):
        alone = market(cost_variation=spread).providers[i]
        assert one.cost_variance == alone.cost_variance
    assert market_laws(LADDER, cost_variation=list(spreads)) is market_laws(LADDER, cost_variation=spreads)
    assert market_laws(LADDER, cost_variation=[0.35] * 5).options.variation(4) == 0.35
    for wrong in ([0.1] * 4, [], (0.1,) * 6):
        with pytest.raises(InputError, match=r"^cost_variation=.* each of 5 providers"):
            market_laws(LADDER, cost_variation=wrong)
    with pytest.raises(InputError, match=r"^cost_variation="):
        market_laws(LADDER, cost_variation=[0.1, 0.1, -0.1, 0.1, 0.1])


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
    with pytest.raises(InputError, match=r"^questions=\(3, 4\) must be the same"):
        Market((first, other), 0, 0)
    with pytest.raises(InputError, match=r"^step=0 must lie in 1"):
        one.outcome(0, 0)


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_published_settings_have_their_own_spreads_and_pools(name: str) -> None:
    known = published(name)
    assumed = published_market(known.setting)
    assert assumed is not None
    options = market_laws(known.setting).options
    assert (options.cost_variation, options.questions) == (assumed.cost_variation, assumed.questions)
    assert options.questions == known.questions
    assert market_laws(known.setting, cost_variation=0.2, questions=0).options.cost_variation == 0.2
    assert market_laws(known.setting, cost_variation=0.2, questions=0).options.questions == 0
    renamed = replace(known.setting, name="mine")
    assert market_laws(renamed).options == options
    cheaper = (replace(known.setting.providers[0], mean_cost=1.0), *known.setting.providers[1:])
    assert published_market(replace(known.setting, providers=cheaper)) is None


def test_describe_is_plain_data() -> None:
    table = market_laws(LADDER).describe()
    assert json.loads(json.dumps(table)) == table
    assert table["setting"] == "ladder"
    assert table["options"]["margin"] == 0.25
    assert [row["cost_law"] for row in table["providers"]] == ["tokens"] * 3 + ["lattice"] * 2


PROVIDER = ProviderMarket(bernoulli(0.5), beta_shaped(0.3, 1.0, 0.35))


@pytest.mark.for_each(
    ("changes", "argument"),
    [
        ({"providers": ()}, "providers"),
        ({"providers": (PROVIDER,) * (2**20 + 1)}, "providers"),
        ({"seed": -1}, "seed"),
        ({"seed": None}, "seed"),
        ({"run": 2**32}, "run"),
        ({"margin": -0.1}, "margin"),
        ({"margin": math.nan}, "margin"),
        ({"margin": "0.25"}, "margin"),
    ],
)
def test_markets_out_of_range_are_refused(changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        Market(**({"providers": (PROVIDER,), "seed": 0, "run": 0} | changes))


@pytest.mark.for_each(
    ("step", "provider", "argument"),
    [
        (-1, 0, "step"),
        (2**34, 0, "step"),
        (1.5, 0, "step"),
        (1, -1, "provider"),
        (1, 1, "provider"),
        (1, 5000, "provider"),
    ],
)
def test_outcomes_out_of_range_are_refused(step: Any, provider: int, argument: str) -> None:
    one = Market((PROVIDER,), 0, 0)
    with pytest.raises(InputError, match=f"^{argument}="):
        one.outcome(step, provider)


def test_a_market_of_the_greatest_size() -> None:
    constant = ProviderMarket(point_mass(0.25), point_mass(3.0), multiplicity=1000)
    assert Market((constant,) * 2**20, 0, 0).outcome(2**34 - 1, 2**20 - 1) == (0.25, 3000.0)
