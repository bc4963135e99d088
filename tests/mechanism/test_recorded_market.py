"""Recorded generations as a market: the documented recipe, exact means, and the compiled episode to the last bit."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.market.law_tables import LAW_FIELDS, LawField, LawTables
from mechanism.market.questions import QuestionPool
from mechanism.randomness import RandomStream, squares64, stream_key
from mechanism.recorded.generations import Generations
from mechanism.recorded.market import RecordedLaws, RecordedMarket, RecordedProvider
from mechanism.recorded.setting import base_models_of, midpoint_threshold, recorded_laws, recorded_setting
from tests.mechanism.random_episodes import Episode, recorded_episodes, trace_differences

LAST_STEP = QuestionPool(5).last_step
PRICES = {"large": 0.2, "small": 0.065}


def some_generations(questions: int = 5, samples: int = 6, seed: int = 1, benchmark: str = "toy") -> Generations:
    """Few distinct rewards, so that many tie."""
    rng = np.random.default_rng(seed)
    shape = (2, questions, samples)
    names = tuple(f"q{i}" for i in range(questions))
    correct = rng.random(shape) < np.array([0.8, 0.3])[:, None, None]
    reward = rng.integers(0, 3, shape) + 0.5 * correct
    return generated(("large", "small"), names, correct, rng.integers(1, 513, shape), reward, benchmark=benchmark)


def generated(
    models: Any, questions: Any, correct: Any, tokens: Any, *reward: Any, benchmark: str = "toy"
) -> Generations:
    arrays = dict(zip(("correct", "tokens", "reward"), (correct, tokens, *reward), strict=False))
    return Generations(benchmark=benchmark, models=models, questions=questions, **arrays)


def laws(margin: float = 0.25, **options: Any) -> RecordedLaws:
    roster = [RecordedProvider(model, price, n) for model, price in PRICES.items() for n in (1, 2, 4)]
    return RecordedLaws(some_generations(**options), tuple(roster), margin)


def market(seed: int = 0, run: int = 0, **options: Any) -> RecordedMarket:
    return laws(**options).market(seed, run)


@given(st.integers(1, LAST_STEP), st.integers(0, 5), st.integers(0, 2**128 - 1), st.integers(0, 2**32 - 1))
def test_an_outcome_is_a_pure_function(step: int, provider: int, seed: int, run: int) -> None:
    first = market(seed, run)
    found = first.outcome(step, provider)
    assert found[0] in (0.0, 1.0)
    assert [type(value) for value in found] == [float, float]
    again = market(seed, run)
    again.outcome(step % LAST_STEP + 1, (provider + 1) % 6)
    assert again.outcome(step, provider) == found
    assert pickle.loads(pickle.dumps(first)).outcome(np.int64(step), np.int64(provider)) == found


def outcome_by_hand(tables: LawTables, key: int, step: int, provider: int) -> tuple[float, float]:
    """The documented recipe on the flat arrays, as compiled code follows it."""
    row = tables.rows.reshape(-1, LAW_FIELDS)[provider].tolist()
    n, samples = row[LawField.MULTIPLICITY], row[LawField.SAMPLES]
    question = QuestionPool(tables.questions).question(key, step)
    base = row[LawField.SCORE_LAW] + question * samples
    left = list(range(samples))
    total, best, served = 0, -math.inf, -1
    for j in range(n):
        bits = squares64(key, step * 2**30 + provider * 2**10 + j)
        pick = j + ((bits >> 20) * (samples - j) >> 44)
        left[j], left[pick] = left[pick], left[j]
        total += int(tables.points[base + left[j]])
        if tables.rewards[base + left[j]] > best:
            best, served = tables.rewards[base + left[j]], left[j]
    return float(tables.values[base + served]), float(tables.totals[row[LawField.FIRST_TOTAL] + total])


def test_the_flat_arrays_give_the_same_outcomes() -> None:
    built = laws()
    one = built.market(3, 4)
    key = stream_key(3, 4, RandomStream.OUTCOMES)
    for step in range(1, 200):
        for provider in range(6):
            assert one.outcome(step, provider) == outcome_by_hand(built.tables(), key, step, provider)


def test_cost_tables_are_correctly_rounded() -> None:
    built = laws()
    for i, provider in enumerate(built.providers):
        table = built.cost_values(i)
        exact = [Fraction(provider.listed_price) / Fraction(5, 4) * total for total in range(len(table))]
        assert table.tolist() == [float(cost) for cost in exact]
        assert len(table) == built.most_tokens[i] + 1


def test_the_largest_total_is_that_of_distinct_generations() -> None:
    built = laws()
    for i, provider in enumerate(built.providers):
        tokens = built.generations.tokens[built.models[i]]
        every = [sum(sample) for row in tokens.tolist() for sample in permutations(row, provider.multiplicity)]
        assert built.most_tokens[i] == max(every)
        assert built.mean_cost(i) == Fraction(sum(every), len(every)) * Fraction(provider.listed_price) / Fraction(5, 4)


def test_a_market_is_described() -> None:
    table = laws().describe()
    assert table["generations_per_question"] == 6
    assert [each["name"] for each in table["providers"]] == [f"{m}{n}" for m in PRICES for n in ("", "@2", "@4")]
    assert table["providers"][2]["quality"] == float(laws().quality(2))


@pytest.mark.parametrize(
    ("step", "provider", "argument"), [(0, 0, "step"), (-1, 0, "step"), (2**30 + 1, 0, "step"), (1, 6, "provider")]
)
def test_arguments_out_of_range_are_refused(step: int, provider: int, argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        market().outcome(step, provider)


def test_bad_providers_are_refused() -> None:
    generations = some_generations()
    for bad, message in (
        ((), "must be 1..1048576 providers"),
        ((RecordedProvider("huge", 0.1),), "has no recorded generations of toy"),
        ((RecordedProvider("large", 0.1, 7),), "must be a whole number in 1..6"),
        ((RecordedProvider("large", 0.0),), "must be positive"),
    ):
        with pytest.raises(InputError, match=message):
            RecordedLaws(generations, bad)
    bare = generated(("large",), ("q",), [[[1, 0]]], [[[1, 1]]])
    assert RecordedLaws(bare, (RecordedProvider("large", 0.1),)).tables().rewards.size == 0
    with pytest.raises(InputError, match="leaves best-of-n undefined"):
        RecordedLaws(bare, (RecordedProvider("large", 0.1, 2),))
    for seed, run in ((-1, 0), (0, 2**32)):
        with pytest.raises(InputError):
            market(seed, run)


def test_a_table_that_would_not_fit_is_refused() -> None:
    long = generated(("m",), ("q",), [[[1]]], [[[2**31 - 1]]])
    built = RecordedLaws(long, (RecordedProvider("m", 0.5),), 0.0)
    assert built.market(0, 0).outcome(1, 0) == (1.0, (2**31 - 1) / 2)
    with pytest.raises(InputError, match="must be below 16777216"):
        built.cost_values(0)


def test_a_setting_has_the_exact_qualities_and_costs() -> None:
    built = laws()
    setting = recorded_setting(built.generations, built.providers, qualified=2)
    assert [p.quality for p in setting.providers] == [float(built.quality(i)) for i in range(6)]
    assert [p.mean_cost for p in setting.providers] == [float(built.mean_cost(i)) for i in range(6)]
    assert setting.platform.cost_bound == float(512 * 4 * Fraction(0.2))
    assert len(setting.qualified) == 2
    ranked = sorted((built.quality(i) for i in range(6)), reverse=True)
    assert setting.platform.quality_threshold == float((ranked[1] + ranked[2]) / 2)
    assert recorded_laws(built.generations, setting).providers == built.providers
    given = recorded_setting(built.generations, built.providers, quality_threshold=0.5, token_cap=600, name="mine")
    assert (given.name, given.platform.quality_threshold) == ("mine", 0.5)


def test_cost_bounds_of_the_paper() -> None:
    """eq:experimental-cmax with the listed prices gives the published cost bounds."""
    for name in ("gsm8k-full", "gpqa-ladder", "gpqa-strong"):
        paper = published(name)
        models = tuple(dict.fromkeys(paper.base_models))
        shape = (len(models), 1, 4)
        data = generated(models, ("q",), np.ones(shape), np.ones(shape), np.zeros(shape), benchmark=paper.benchmark)
        roster = recorded_laws(data, paper.setting).providers
        assert tuple(each.name for each in roster) == tuple(each.name for each in paper.setting.providers)
        built = recorded_setting(data, roster, quality_threshold=0.5)
        assert built.platform.cost_bound == pytest.approx(paper.setting.platform.cost_bound, rel=1e-15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give one"),
        ({"qualified": 2, "quality_threshold": 0.5}, "give one"),
        ({"qualified": 0}, r"must be a whole number in 1\.\.6"),
        ({"qualified": 7}, r"must be a whole number in 1\.\.6"),
        ({"qualified": True}, r"must be a whole number in 1\.\.6"),
        (
            {"qualified": 2, "token_cap": 100},
            r"token_cap=100 is below the \d+ tokens of a generation of large: question 'q",
        ),
        ({"qualified": 2, "token_cap": 0}, "must be a whole number from 1"),
        ({"quality_threshold": 1.5}, "quality_threshold=1.5 must lie in"),
        ({"qualified": 2, "margin": -1.0}, "margin=-1.0 must be"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recorded_setting(some_generations(), laws().providers, **options)


def test_a_tie_at_the_threshold_is_refused() -> None:
    with pytest.raises(InputError, match="is undecided by a tie"):
        midpoint_threshold([Fraction(1, 2), Fraction(1, 2), Fraction(0)], 1)
    assert midpoint_threshold([Fraction(1, 2), Fraction(1, 2), Fraction(0)], 2) == Fraction(1, 4)


def toy_setting(*providers: Provider, bound: float = 1000.0, name: str = "toy") -> Setting:
    return Setting(name, PlatformParameters(0.5, 0.05, bound, 2.0, 0.75), providers)


def test_a_setting_chooses_its_models() -> None:
    setting = toy_setting(Provider("large", 0.9, 1, 0.2), Provider("large@2", 0.9, 1, 0.2, 2))
    assert [each.model for each in recorded_laws(some_generations(), setting).providers] == ["large", "large"]
    named = toy_setting(Provider("x", 0.9, 1, 0.2), Provider("y", 0.9, 1, 0.2, 2))
    assert base_models_of(named) == ("x", "y")
    built = recorded_laws(some_generations(), named, base_models=("small", "large"))
    assert [(each.model, each.multiplicity) for each in built.providers] == [("small", 1), ("large", 2)]
    assert base_models_of(published("gpqa-ladder").setting) == published("gpqa-ladder").base_models


def test_settings_that_do_not_fit_the_data_are_refused() -> None:
    priced = (Provider("large", 0.9, 1, 0.2), Provider("small", 0.9, 1, 0.1))
    for setting, options, message in (
        (toy_setting(Provider("large", 0.9, 1), priced[1]), {}, r"provider\[1\].listed_price=None must be given"),
        (toy_setting(*priced), {"base_models": ("large",)}, "must be 2 names"),
        (toy_setting(*priced, bound=20.0), {}, r"cost=\d+\.\d+ exceeds cost_bound=20.0: large can cost so much"),
        (toy_setting(Provider("largo", 0.9, 1, 0.2), priced[1]), {}, "did you mean 'large'"),
    ):
        with pytest.raises(InputError, match=message):
            recorded_laws(some_generations(), setting, **options)
    with pytest.raises(InputError, match="generations='GPQA' are not those of gsm8k-full"):
        recorded_laws(some_generations(benchmark="GPQA"), published("gsm8k-full").setting)


@given(recorded_episodes())
def test_plain_equals_compiled(episode: Episode) -> None:
    assert episode.differences() == []


def one_model(reward: bool = True) -> RecordedLaws:
    shape = (1, 2, 3)
    scores = np.arange(6.0).reshape(shape) if reward else None
    arrays = {"correct": np.ones(shape), "tokens": np.full(shape, 7), "reward": scores}
    recorded = Generations(benchmark="toy", models=("m",), questions=("q", "r"), **arrays)
    return RecordedLaws(recorded, (RecordedProvider("m", 0.5), RecordedProvider("m", 0.25)))


def test_single_generations_need_no_rewards() -> None:
    setting = Setting("toy", PlatformParameters(0.5, 0.05, 4, 2, 0.75), (Provider("a", 1, 2.8), Provider("b", 1, 1.4)))
    one, other = (
        CompiledEpisode(setting, laws=one_model(reward)).trace(horizon=50, seed=0) for reward in (True, False)
    )
    assert trace_differences(one, other) == []
