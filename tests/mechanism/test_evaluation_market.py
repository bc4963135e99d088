"""Public evaluations as markets: exact means, and the compiled episode equal to the plain one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.setting.model import Provider, Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import simulate
from mechanism.evaluations.evaluation import Evaluation
from mechanism.evaluations.files import load_evaluation
from mechanism.evaluations.market import EvaluatedLaws
from mechanism.evaluations.setting import evaluated_laws, evaluated_setting, upper_half
from mechanism.policies import POLICIES
from tests.mechanism.made_evaluations import MODELS, PRICE_FILE, made_answers, read_means, write_format
from tests.mechanism.random_episodes import trace_differences

FORMATS = ("routerbench", "llmrouterbench", "routerarena", "sprout")


@pytest.fixture(params=FORMATS)
def evaluated(
    request: pytest.FixtureRequest, tmp_path: Path
) -> tuple[Evaluation, dict[str, tuple[Fraction, Fraction]]]:
    prices = tmp_path / "prices.csv"
    prices.write_text(PRICE_FILE)
    path = write_format(request.param, made_answers(), tmp_path)
    found = load_evaluation(path, prices=prices if request.param == "sprout" else None)
    return found, read_means(request.param, path)


def test_a_setting_has_the_rounded_exact_means(evaluated: Any) -> None:
    evaluation, means = evaluated
    setting = evaluated_setting(evaluation, qualified=2)
    for provider in setting.providers:
        score, price = means[provider.name]
        assert provider.quality == float(score)
        assert provider.mean_cost == float(price / Fraction(5, 4))
    qualities = sorted((score for score, _ in means.values()), reverse=True)
    assert setting.platform.quality_threshold == float((qualities[1] + qualities[2]) / 2)
    assert len(setting.qualified) == 2
    priced = [provider.listed_price is not None for provider in setting.providers]
    assert all(priced) if evaluation.format == "sprout" else not any(priced)


def test_one_pass_over_the_questions_has_the_exact_means(evaluated: Any) -> None:
    evaluation, means = evaluated
    laws = evaluated_laws(evaluation, evaluated_setting(evaluation, qualified=1))
    market = laws.market(seed=3, run=1)
    for i, model in enumerate(laws.models):
        outcomes = [market.outcome(step, i) for step in range(1, 41)]
        assert sum(Fraction(score) for score, _ in outcomes) / 40 == means[model][0] == laws.quality(i)
        spent = sum(Fraction(cost) for _, cost in outcomes) / 40
        assert float(spent) == pytest.approx(float(laws.mean_cost(i)), rel=1e-15)
        assert laws.mean_cost(i) == means[model][1] * Fraction(4, 5)


@pytest.mark.for_each(("draws", "policy"), [("passes", "platform"), ("independent", "no-quality-filter")])
def test_compiled_runs_are_the_plain_ones(evaluated: Any, draws: Any, policy: str) -> None:
    setting = evaluated_setting(evaluated[0], qualified=1)
    laws = evaluated_laws(evaluated[0], setting, draws=draws)
    chosen = POLICIES[policy]
    plain = simulate(setting, horizon=300, seed=5, run=2, policy=chosen, laws=laws)
    compiled = CompiledEpisode(setting, chosen, laws=laws)
    assert trace_differences(plain, compiled.trace(horizon=300, seed=5, run=2)) == []


def test_independent_draws_are_uniform_and_differ_between_providers(evaluated: Any) -> None:
    evaluation, means = evaluated
    laws = EvaluatedLaws(evaluation, evaluation.models, draws="independent")
    market = laws.market(seed=0, run=0)
    steps = 4000
    costs = np.array([[market.outcome(step, i)[1] for step in range(1, steps + 1)] for i in range(3)])
    for i, model in enumerate(laws.models):
        spread = laws.costs[laws.indices[i]].std() / np.sqrt(steps)
        assert abs(costs[i].mean() - float(means[model][1] * Fraction(4, 5))) < 5 * spread
    place = [np.unique(row, return_inverse=True)[1] for row in costs]
    assert abs(np.corrcoef(place)[0, 1]) < 5 / np.sqrt(steps)
    passes = EvaluatedLaws(evaluation, evaluation.models).market(seed=0, run=0)
    different = len({(score, cost) for score, cost in zip(evaluation.score[0], laws.costs[0], strict=True)})
    assert len({passes.outcome(step, 0) for step in range(1, 41)}) == different
    assert len({market.outcome(step, 0) for step in range(1, 41)}) < different


def test_what_a_setting_cannot_ask_is_refused(evaluated: Any) -> None:
    evaluation, _ = evaluated
    setting = evaluated_setting(evaluation)
    first = setting.providers[0]

    def refused(*providers: Provider, **more: Any) -> str:
        with pytest.raises(InputError) as caught:
            evaluated_laws(evaluation, Setting("other", setting.platform, providers), **more)
        return str(caught.value)

    second = setting.providers[1]
    assert "one answer of each question" in refused(Provider(first.name, 1, 1, None, 2), second)
    assert "did you mean 'gpt-4'?" in refused(Provider("gpt4", 1, 1), second)
    assert "margin" in refused(first, second, margin=-1)
    with pytest.raises(InputError, match="is below a cost of"):
        evaluated_setting(evaluation, cost_bound=1.0)
    with pytest.raises(InputError, match="must not both be given"):
        evaluated_setting(evaluation, quality_threshold=0.5, qualified=1)
    assert len(evaluated_setting(evaluation, quality_threshold=0.0).qualified) == len(MODELS)


def test_the_upper_half_needs_two_different_qualities() -> None:
    half = Fraction(1, 2)
    assert upper_half([half, half, Fraction(1, 4)]) == 2
    assert upper_half([Fraction(1), half]) == 1
    with pytest.raises(InputError, match="same mean score"):
        upper_half([half, half, half])
