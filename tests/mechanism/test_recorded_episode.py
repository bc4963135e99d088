"""Recorded generations in the compiled episode: the plain market, to the last bit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled import kernel
from mechanism.compiled.episode import CompiledEpisode
from mechanism.compiled.layout import OutcomeSource
from mechanism.episode import simulate
from mechanism.market.questions import QuestionPool
from mechanism.policies import POLICIES
from mechanism.randomness import RandomStream, stream_key
from mechanism.recorded.generations import Generations
from mechanism.recorded.market import RecordedLaws, RecordedProvider
from tests.mechanism.random_episodes import Episode, made_up_generations, recorded_episodes, trace_differences


@hypothesis_settings(max_examples=100)
@given(recorded_episodes())
def test_plain_equals_compiled(episode: Episode) -> None:
    assert episode.differences() == []


@pytest.mark.sweep
@hypothesis_settings(max_examples=3000)
@given(recorded_episodes())
def test_plain_equals_compiled_in_a_long_search(episode: Episode) -> None:
    assert episode.differences() == []


@pytest.mark.for_each("samples", [1, 2, 3, 50])
def test_an_outcome_is_that_of_the_plain_market_for_every_n(samples: int) -> None:
    generations = made_up_generations(2, 3, samples, seed=samples)
    roster = [RecordedProvider(model, 0.3, n) for n in range(1, samples + 1) for model in generations.models]
    laws, steps = RecordedLaws(generations, tuple(roster)), range(1, 40)
    tables, market, pool = laws.tables(), laws.market(5, 6), QuestionPool(3)
    key = stream_key(5, 6, RandomStream.OUTCOMES)
    order = np.zeros(3, dtype=np.int64)
    source = OutcomeSource(tables, order, np.uint64(key))
    for step in steps:
        order[(step - 1) % 3] = pool.question(key, step)
        for provider in range(len(roster)):
            found = kernel.outcome(source, step, provider, int(tables.kinds[provider]))
            assert found == market.outcome(step, provider)


@pytest.mark.parametrize("policy", POLICIES)
def test_long_runs_on_many_questions(policy: str) -> None:
    """As large as the paper's: 128 generations, streaks over many passes, and best-of-16."""
    generations = made_up_generations(4, 545, 128, seed=3, tokens=512)
    prices = (0.2, 0.065, 0.15, 0.1)
    roster = [RecordedProvider(f"m{i}", price, n) for i, price in enumerate(prices) for n in (1, 4, 16)]
    laws = RecordedLaws(generations, tuple(roster))
    providers = tuple(
        Provider(each.name, float(laws.quality(i)), float(laws.mean_cost(i)), each.listed_price, each.multiplicity)
        for i, each in enumerate(roster)
    )
    setting = Setting("large", PlatformParameters(0.6, 0.05, 0.2 * 16 * 512, 0.2, 0.75), providers)
    plain = simulate(setting, horizon=4_000, seed=1, policy=POLICIES[policy], laws=laws)
    compiled = CompiledEpisode(setting, POLICIES[policy], laws=laws)
    for streaks in (True, False):
        assert trace_differences(plain, compiled.trace(horizon=4_000, seed=1, streaks=streaks)) == []
    assert policy.startswith("lowest") or len(set(plain.provider[12:].tolist())) > 1


def one_model(reward: bool = True) -> RecordedLaws:
    shape = (1, 2, 3)
    scores = np.arange(6.0).reshape(shape) if reward else None
    arrays = {"correct": np.ones(shape), "tokens": np.full(shape, 7), "reward": scores}
    recorded = Generations(benchmark="toy", models=("m",), questions=("q", "r"), **arrays)
    return RecordedLaws(recorded, (RecordedProvider("m", 0.5), RecordedProvider("m", 0.25)))


def test_single_generations_need_no_rewards() -> None:
    setting = Setting("toy", PlatformParameters(0.5, 0.05, 4, 2, 0.75), (Provider("a", 1, 2.8), Provider("b", 1, 1.4)))
    for streaks in (True, False):
        one, other = (
            CompiledEpisode(setting, laws=one_model(reward)).trace(horizon=50, seed=0, streaks=streaks)
            for reward in (True, False)
        )
        assert trace_differences(one, other) == []


def test_equal_contents_are_equal_and_tabulated_once() -> None:
    laws = one_model()
    copy = pickle.loads(pickle.dumps(laws))
    assert laws == copy == one_model()
    assert hash(laws) == hash(copy)
    assert copy.tables() is laws.tables()
    assert laws != one_model(reward=False)
    assert laws != RecordedLaws(laws.generations, laws.providers, 0.5)
    assert laws != RecordedLaws(laws.generations, laws.providers[::-1])
    assert laws != "laws"


def test_tables_have_the_types_of_laws() -> None:
    """Numba compiles one kernel for both kinds of market, which takes seconds."""
    import numba as nb

    from bounds.published import published
    from mechanism.market.market import market_laws

    parametric = market_laws(published("gpqa-strong").setting).tables()
    assert nb.typeof(one_model().tables()) == nb.typeof(parametric) == nb.typeof(one_model(reward=False).tables())


def test_what_is_sent_to_workers_holds_no_tables() -> None:
    laws = one_model()
    before = len(pickle.dumps(laws))
    _ = laws.tables(), laws.most_tokens
    assert len(pickle.dumps(laws)) == before
