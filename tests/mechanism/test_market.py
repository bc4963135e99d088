"""Outcomes of a market: pure functions of seed, run, step and provider, and the kernel's look-ups in its tables."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.kernel import law_place, look_up
from mechanism.compiled.layout import CHUNK
from mechanism.market.law_tables import LAW_FIELDS, Ints, LawField, LawTables, law_tables
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw, bernoulli, beta_shaped, point_mass, token_law, two_point
from mechanism.market.market import Market, ProviderMarket, market_laws
from mechanism.market.questions import QuestionPool
from mechanism.randomness import counter
from tests.mechanism.random_episodes import machine_code

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
