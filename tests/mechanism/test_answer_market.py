"""Recorded answers as a market: exact means, the documented recipe, and the compiled episode to the last bit.

What they say of providers if their questions are a sample are estimates.
"""

import pickle
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.estimates import Proportion, SampleMean
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.answers.choices import Draws
from mechanism.answers.complete import CompleteAnswers, Misalignment, exact_sum, token_cost
from mechanism.answers.files import load_answers
from mechanism.answers.market import AnsweringProvider, AnswerLaws
from mechanism.answers.setting import (
    answer_laws,
    base_models_of,
    estimates,
    midpoint_threshold,
    setting_of_answers,
    upper_half,
)
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import simulate
from mechanism.market.questions import QuestionPool
from mechanism.policies import POLICIES
from tests.mechanism.made_evaluations import MODELS, PRICE_FILE, Means, made_answers, read_means, write_format
from tests.mechanism.random_episodes import Episode, recorded_episodes, trace_differences
from tests.refusals import assert_refused, refusal

LAST_STEP = QuestionPool(5).last_step
PRICES = {"large": 0.2, "small": 0.065}
ROSTER = tuple(AnsweringProvider(model, price, n) for model, price in PRICES.items() for n in (1, 2, 4))


def generated(score: Any, tokens: Any = None, reward: Any = None, name: str = "toy", **stated: Any) -> CompleteAnswers:
    """Return recorded generations of models m0, m1, ... unless they are named."""
    arrays = {"tokens_out": np.ones(np.shape(score)) if tokens is None else tokens, "reward": reward}
    names = {"models": [f"m{i}" for i in range(len(score))], "questions": [f"q{i}" for i in range(len(score[0]))]}
    return CompleteAnswers(name=name, score=score, **{**names, **arrays, **stated})


def some_generations(name: str = "toy") -> CompleteAnswers:
    """Few distinct rewards, so that many tie."""
    rng = np.random.default_rng(1)
    correct = rng.random((2, 5, 6)) < np.array([0.8, 0.3])[:, None, None]
    reward = rng.integers(0, 3, correct.shape) + 0.5 * correct
    return generated(correct, rng.integers(1, 513, correct.shape), reward, models=tuple(PRICES), name=name)


def laws(margin: float = 0.25) -> AnswerLaws:
    return AnswerLaws(some_generations(), ROSTER, margin)


# ----------------------------------------------------------------------------------------------------
# Qualities, tokens and costs, exactly.


@st.composite
def one_model(draw: st.DrawFn) -> tuple[list[list[int]], list[list[float]]]:
    samples, questions = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    few = st.sampled_from([-0.0, 0.0, 0.5, -1e300, float(np.nextafter(0.5, 1))])
    row = st.lists(st.tuples(st.integers(0, 1), few), min_size=samples, max_size=samples)
    rows = draw(st.lists(row, min_size=questions, max_size=questions))
    return [[c for c, _ in row] for row in rows], [[r for _, r in row] for row in rows]


@given(one_model())
def test_quality_is_that_of_all_ordered_samples(data: tuple[list[list[int]], list[list[float]]]) -> None:
    """Every ordered sample of n distinct generations is equally likely; the first of the best is returned."""
    correct, reward = data
    answers = generated([correct], None, [reward])
    for n in range(1, len(correct[0]) + 1):
        found = [
            labels[max(sample, key=scores.__getitem__)]
            for labels, scores in zip(correct, reward, strict=True)
            for sample in permutations(range(len(labels)), n)
        ]
        assert answers.quality("m0", n) == Fraction(sum(found), len(found))


def test_tokens_and_costs_are_exact() -> None:
    tokens = [[[10, 20, 31], [1, 2, 3]]]
    answers = generated(np.zeros((1, 2, 3)), tokens)
    assert answers.mean_tokens("m0") == Fraction(67, 6)
    samples = [s for row in tokens[0] for s in permutations(row, 2)]
    assert answers.mean_tokens("m0", 2) == Fraction(sum(map(sum, samples)), len(samples))
    assert token_cost(0.2, 0.0) == Fraction(0.2)


@given(st.lists(st.floats(-1e300, 1e300), max_size=30))
def test_sums_are_exact(values: list[float]) -> None:
    assert exact_sum(np.array(values)) == sum(map(Fraction, values), Fraction(0))


@pytest.mark.for_each(
    ("stated", "message"),
    [
        ({"score": [[[1]], [[1]]], "models": ("m", "m")}, "models='m' is given twice"),
        ({"score": [[[1]]], "models": ()}, "models=() must be one or more"),
        ({"score": [[[1]]], "questions": ("",)}, "questions=('',) must be one or more non-empty strings"),
        ({"score": [[[2]]]}, "score[0, 0, 0]=2 must be a finite number in 0..1"),
        (
            {"score": [[[1, 1]]], "tokens": [[[1, -1]]]},
            "tokens_out[0, 0, 1]=-1 must be a whole number in 0..2147483647",
        ),
        ({"score": [[[1, 1]]], "tokens": [[[1]]]}, "tokens_out=(1, 1, 1) must have shape (1, 1, 2)"),
        ({"score": [[[]]]}, "score='float64 of shape (1, 1, 0)' must be numbers of shape (1, 1, S)"),
        ({"score": [[["1"]]], "tokens": [[[1]]]}, "score='<U1 of shape (1, 1, 1)' must be numbers"),
        ({"score": [[[1]]], "reward": [[[float("nan")]]]}, "reward[0, 0, 0]=nan must be a finite number"),
    ],
)
def test_bad_arrays_are_refused(stated: dict[str, Any], message: str) -> None:
    assert message in str(refusal(generated, **stated))


@pytest.mark.for_each("n", [0, 3, -1, True, 1.0, "1"])
def test_a_bad_number_of_candidates_is_refused(n: Any) -> None:
    answers = generated([[[1, 0]]], None, [[[1.0, 2.0]]])
    for method in (answers.quality, answers.mean_tokens):
        assert_refused(r"must be a whole number in 1\.\.2", method, "m0", n)


@pytest.mark.for_each(("price", "margin"), [(0, 0.25), (-1.0, 0.25), (float("nan"), 0.25), (1.0, -0.1), ("1", 0)])
def test_bad_prices_are_refused(price: Any, margin: Any) -> None:
    refusal(token_cost, price, margin)


def test_best_of_n_without_rewards_says_which_are_missing() -> None:
    missing = Misalignment("q0", "m0", "lacks 1 of 2 rewards", "a.jsonl:1")
    answers = generated([[[1, 0]]], unrewarded=(missing,))
    assert answers.quality("m0") == Fraction(1, 2)
    assert_refused(r"lacks 1 of 2 rewards.*require_rewards=True", answers.quality, "m0", 2)


# ----------------------------------------------------------------------------------------------------
# Outcomes of recorded generations.


@given(st.integers(1, LAST_STEP), st.integers(0, 5), st.integers(0, 2**128 - 1), st.integers(0, 2**32 - 1))
def test_an_outcome_is_a_pure_function(step: int, provider: int, seed: int, run: int) -> None:
    first, again = laws().market(seed, run), laws().market(seed, run)
    found = first.outcome(step, provider)
    assert found[0] in (0.0, 1.0)
    assert [type(value) for value in found] == [float, float]
    again.outcome(step % LAST_STEP + 1, (provider + 1) % 6)
    assert again.outcome(step, provider) == found
    assert pickle.loads(pickle.dumps(first)).outcome(np.int64(step), np.int64(provider)) == found


def test_cost_tables_are_correctly_rounded_and_end_with_distinct_generations() -> None:
    built = laws()
    for i, provider in enumerate(ROSTER):
        unit = Fraction(provider.listed_price or 0) / Fraction(5, 4)
        tokens = built.answers.output_tokens(provider.model).tolist()
        every = [sum(sample) for row in tokens for sample in permutations(row, provider.multiplicity)]
        assert built.cost_values(i).tolist() == [float(unit * total) for total in range(max(every) + 1)]
        assert built.mean_cost(i) == Fraction(sum(every), len(every)) * unit


def test_a_market_is_described() -> None:
    table = laws().describe()
    assert table["generations_per_question"] == 6
    assert [each["name"] for each in table["providers"]] == [f"{m}{n}" for m in PRICES for n in ("", "@2", "@4")]
    assert table["providers"][2]["quality"] == float(laws().quality(2))


@pytest.mark.parametrize(
    ("step", "provider", "argument"), [(0, 0, "step"), (-1, 0, "step"), (2**30 + 1, 0, "step"), (1, 6, "provider")]
)
def test_arguments_out_of_range_are_refused(step: int, provider: int, argument: str) -> None:
    assert_refused(f"^{argument}=", laws().market(0, 0).outcome, step, provider)


def test_bad_providers_are_refused() -> None:
    one = AnsweringProvider("large", 0.1)
    bad: list[tuple[tuple[AnsweringProvider, ...], Draws, str]] = [
        ((), "passes", "must be 1..1048576 providers"),
        ((AnsweringProvider("huge", 0.1),), "passes", "has no answers in toy: the models are large, small"),
        ((AnsweringProvider("large", 0.1, 7),), "passes", r"must be a whole number in 1\.\.6"),
        ((AnsweringProvider("large", 0.0),), "passes", "must be positive"),
        ((one, AnsweringProvider("large")), "passes", "give it for all providers, or for none"),
        ((AnsweringProvider("large"),), "passes", "large has no price either"),
        ((AnsweringProvider("large", 0.1, 2),), "independent", "best-of-n asks one question"),
    ]
    for providers, draws, message in bad:
        with pytest.raises(InputError, match=message):
            _ = AnswerLaws(some_generations(), providers, draws=draws).digest
    bare = generated([[[1, 0]]], models=("large",))
    assert AnswerLaws(bare, (one,)).tables().rewards.size == 0
    assert_refused("leaves best-of-n undefined", AnswerLaws, bare, (AnsweringProvider("large", 0.1, 2),))
    for seed, run in ((-1, 0), (0, 2**32)):
        refusal(laws().market, seed, run)


def test_a_table_that_would_not_fit_is_refused() -> None:
    built = AnswerLaws(generated([[[1]]], [[[2**31 - 1]]]), (AnsweringProvider("m0", 0.5),), 0.0)
    assert built.market(0, 0).outcome(1, 0) == (1.0, (2**31 - 1) / 2)
    assert_refused("must be below 16777216", built.cost_values, 0)


@given(recorded_episodes())
def test_plain_equals_compiled(episode: Episode) -> None:
    assert episode.differences() == []


def test_single_generations_need_no_rewards() -> None:
    setting = Setting("toy", PlatformParameters(0.5, 0.05, 4, 2, 0.75), (Provider("a", 1, 2.8), Provider("b", 1, 1.4)))
    ones, reward = np.ones((1, 2, 3)), np.arange(6.0).reshape(1, 2, 3)
    roster = (AnsweringProvider("m0", 0.5), AnsweringProvider("m0", 0.25))
    both = (AnswerLaws(each, roster) for each in (generated(ones, 7 * ones, reward), generated(ones, 7 * ones)))
    one, other = (CompiledEpisode(setting, laws=each).trace(horizon=50, seed=0) for each in both)
    assert trace_differences(one, other) == []


# ----------------------------------------------------------------------------------------------------
# Settings of recorded generations.


def test_a_setting_has_the_exact_qualities_and_costs() -> None:
    built = laws()
    setting = setting_of_answers(built.answers, ROSTER, qualified=2)
    assert [p.quality for p in setting.providers] == [float(built.quality(i)) for i in range(6)]
    assert [p.mean_cost for p in setting.providers] == [float(built.mean_cost(i)) for i in range(6)]
    assert setting.platform.cost_bound == float(512 * 4 * Fraction(0.2))
    assert len(setting.qualified) == 2
    ranked = sorted((built.quality(i) for i in range(6)), reverse=True)
    assert setting.platform.quality_threshold == float((ranked[1] + ranked[2]) / 2)
    assert answer_laws(built.answers, setting).providers == ROSTER
    named = setting_of_answers(built.answers, ROSTER, quality_threshold=0.5, token_cap=600, name="mine")
    assert (named.name, named.platform.quality_threshold) == ("mine", 0.5)


def test_cost_bounds_of_the_paper() -> None:
    """eq:experimental-cmax with the listed prices gives the published cost bounds."""
    for name in ("gsm8k-full", "gpqa-ladder", "gpqa-strong"):
        paper = published(name)
        models = tuple(dict.fromkeys(paper.base_models))
        ones = np.ones((len(models), 1, 4))
        data = generated(ones, ones, 0 * ones, models=models, name=paper.benchmark)
        roster = answer_laws(data, paper.setting).providers
        assert tuple(each.name for each in roster) == tuple(each.name for each in paper.setting.providers)
        built = setting_of_answers(data, roster, quality_threshold=0.5)
        assert built.platform.cost_bound == pytest.approx(paper.setting.platform.cost_bound, rel=1e-15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"qualified": 2, "quality_threshold": 0.5}, "give one"),
        ({"qualified": 0}, r"must be a whole number in 1\.\.6"),
        ({"qualified": 7}, r"must be a whole number in 1\.\.6"),
        ({"qualified": True}, r"must be a whole number in 1\.\.6"),
        (
            {"qualified": 2, "token_cap": 100},
            r"token_cap=100 is below the \d+ tokens of an answer of large: question 'q",
        ),
        ({"qualified": 2, "token_cap": 0}, r"must be a whole number in 1\.\.65536"),
        ({"qualified": 2, "cost_bound": 9.0}, "cost_bound=9.0 is below a cost of"),
        ({"quality_threshold": 1.5}, "quality_threshold=1.5 must lie in"),
        ({"qualified": 2, "margin": -1.0}, "margin=-1.0 must be"),
        ({"providers": None}, "prices must be given: recorded generations have tokens, no costs"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str) -> None:
    assert_refused(message, setting_of_answers, some_generations(), **{"providers": ROSTER, **options})


def test_a_tie_at_the_threshold_is_refused() -> None:
    half, nothing = Fraction(1, 2), Fraction(0)
    assert_refused("is undecided by a tie", midpoint_threshold, [half, half, nothing], 1)
    assert_refused("the last provider has quality 0", midpoint_threshold, [half, nothing], 2)
    assert midpoint_threshold([half, half, nothing], 2) == midpoint_threshold([half, Fraction(1)], 2) == Fraction(1, 4)
    assert upper_half([half, half, Fraction(1, 4)]) == 2
    assert upper_half([Fraction(1), half]) == 1
    assert_refused("same mean score", upper_half, [half, half, half])


def toy_setting(*providers: Provider, bound: float = 1000.0) -> Setting:
    return Setting("toy", PlatformParameters(0.5, 0.05, bound, 2.0, 0.75), providers)


def test_a_setting_chooses_its_models() -> None:
    setting = toy_setting(Provider("large", 0.9, 1, 0.2), Provider("large@2", 0.9, 1, 0.2, 2))
    assert [each.model for each in answer_laws(some_generations(), setting).providers] == ["large", "large"]
    named = toy_setting(Provider("x@3", 0.9, 1, 0.2), Provider("y", 0.9, 1, 0.2, 2))
    assert base_models_of(named) == ("x@3", "y")
    built = answer_laws(some_generations(), named, base_models=("small", "large"))
    assert [(each.model, each.multiplicity) for each in built.providers] == [("small", 1), ("large", 2)]
    assert base_models_of(published("gpqa-ladder").setting) == published("gpqa-ladder").base_models


def test_settings_that_do_not_fit_the_data_are_refused() -> None:
    priced = (Provider("large", 0.9, 1, 0.2), Provider("small", 0.9, 1, 0.1))
    for setting, options, message in (
        (toy_setting(Provider("large", 0.9, 1), priced[1]), {}, r"provider\[1\].listed_price=None must be given"),
        (toy_setting(*priced), {"base_models": ("large",)}, "must be 2 names"),
        (toy_setting(*priced, bound=20.0), {}, r"cost_bound=20.0 is below a cost of \d+\.\d+: large can cost so much"),
    ):
        assert_refused(message, answer_laws, some_generations(), setting, **options)
    with pytest.raises(InputError, match="answers='GPQA' are not those of gsm8k-full"):
        answer_laws(some_generations("GPQA"), published("gsm8k-full").setting)


# ----------------------------------------------------------------------------------------------------
# Public evaluations.


@pytest.fixture(params=("routerbench", "llmrouterbench", "routerarena", "sprout"))
def evaluated(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[CompleteAnswers, Means]:
    prices = tmp_path / "prices.csv"
    prices.write_text(PRICE_FILE)
    path = write_format(request.param, made_answers(), tmp_path)
    found = load_answers(path, prices=prices if request.param == "sprout" else None)
    return found, read_means(request.param, path)


def test_a_setting_has_the_rounded_exact_means(evaluated: tuple[CompleteAnswers, Means]) -> None:
    answers, means = evaluated
    setting = setting_of_answers(answers, qualified=2)
    for provider in setting.providers:
        score, price = means[provider.name]
        assert provider.quality == float(score)
        assert provider.mean_cost == float(price / Fraction(5, 4))
    qualities = sorted((score for score, _ in means.values()), reverse=True)
    assert setting.platform.quality_threshold == float((qualities[1] + qualities[2]) / 2)
    assert len(setting.qualified) == 2
    priced = [provider.listed_price is not None for provider in setting.providers]
    assert all(priced) if answers.format == "sprout" else not any(priced)


def test_one_pass_over_the_questions_has_the_exact_means(evaluated: tuple[CompleteAnswers, Means]) -> None:
    answers, means = evaluated
    built = answer_laws(answers, setting_of_answers(answers, qualified=1))
    market = built.market(seed=3, run=1)
    for i, provider in enumerate(built.providers):
        outcomes = [market.outcome(step, i) for step in range(1, 41)]
        assert sum(Fraction(score) for score, _ in outcomes) / 40 == means[provider.model][0] == built.quality(i)
        spent = sum(Fraction(cost) for _, cost in outcomes) / 40
        assert float(spent) == pytest.approx(float(built.mean_cost(i)), rel=1e-15)
        assert built.mean_cost(i) == means[provider.model][1] * Fraction(4, 5)


@pytest.mark.for_each(("draws", "policy"), [("passes", "platform"), ("independent", "no-quality-filter")])
def test_compiled_runs_are_the_plain_ones(evaluated: Any, draws: Any, policy: str) -> None:
    setting = setting_of_answers(evaluated[0], qualified=1)
    built = answer_laws(evaluated[0], setting, draws=draws)
    plain = simulate(setting, horizon=300, seed=5, run=2, policy=POLICIES[policy], laws=built)
    compiled = CompiledEpisode(setting, POLICIES[policy], laws=built)
    assert trace_differences(plain, compiled.trace(horizon=300, seed=5, run=2)) == []


def test_independent_draws_are_uniform_and_differ_between_providers(evaluated: Any) -> None:
    answers, means = evaluated
    providers = [AnsweringProvider(model) for model in answers.models]
    built = AnswerLaws(answers, tuple(providers), draws="independent")
    market, passes = built.market(seed=0, run=0), AnswerLaws(answers, tuple(providers)).market(seed=0, run=0)
    steps = 4000
    costs = np.array([[market.outcome(step, i)[1] for step in range(1, steps + 1)] for i in range(3)])
    for i, model in enumerate(answers.models):
        assert abs(costs[i].mean() - float(means[model][1] * Fraction(4, 5))) < 5 * built.costs[i].std() / np.sqrt(
            steps
        )
    place = [np.unique(row, return_inverse=True)[1] for row in costs]
    assert abs(np.corrcoef(place)[0, 1]) < 5 / np.sqrt(steps)
    different = len(set(zip(answers.score[0].ravel(), built.costs[0].ravel(), strict=True)))
    assert len({passes.outcome(step, 0) for step in range(1, 41)}) == different
    assert len({market.outcome(step, 0) for step in range(1, 41)}) < different


def test_what_a_setting_cannot_ask_is_refused(evaluated: Any) -> None:
    answers, _ = evaluated
    setting = setting_of_answers(answers)
    first, second = setting.providers[:2]
    for providers, more, message in (
        ((Provider(first.name, 1, 1, None, 2), second), {}, "one answer of each question"),
        ((Provider("gpt4", 1, 1), second), {}, "did you mean 'gpt-4'?"),
        ((first, second), {"margin": -1}, "margin"),
        ((first, second), {"draws": "none"}, "must be passes or independent"),
    ):
        assert_refused(message, answer_laws, answers, Setting("other", setting.platform, providers), **more)
    assert_refused("is below a cost of", setting_of_answers, answers, cost_bound=1.0)
    assert len(setting_of_answers(answers, quality_threshold=0.0).qualified) == len(MODELS)
    lowest = min(score for score, _ in evaluated[1].values())
    assert setting_of_answers(answers, qualified=len(MODELS)).platform.quality_threshold == float(lowest / 2)


# ----------------------------------------------------------------------------------------------------
# Answers whose questions are a sample.


def sampled(rng: np.random.Generator, questions: int, samples: int, scores: tuple[float, ...]) -> CompleteAnswers:
    """Return recorded generations of a and b whose scores are drawn."""
    shape = (2, questions, samples)
    score, tokens, reward = rng.choice(scores, shape), rng.integers(1, 400, shape), rng.integers(0, 3, shape)
    return generated(score, tokens, reward.astype(float), models=("a", "b"))


def test_answers_that_are_right_or_wrong_are_counted() -> None:
    answers = sampled(np.random.default_rng(1), 30, 1, (0.0, 1.0))
    setting = setting_of_answers(answers, [AnsweringProvider(m, 0.5) for m in "ab"], qualified=1, estimated=True)
    right = int(answers.score[0].sum())
    assert setting.providers[0].quality_estimate == Proportion(correct=right, of=30)
    assert setting.providers[0].quality == right / 30
    # The numbers of the setting are those of the data, estimated or not.
    plain = setting_of_answers(answers, [AnsweringProvider(m, 0.5) for m in "ab"], qualified=1)
    assert setting.point == plain
    costs = [0.4 * int(tokens) for tokens in answers.output_tokens("a")[:, 0]]
    found = setting.providers[0].mean_cost_estimate
    assert isinstance(found, SampleMean)
    assert (found.mean, found.standard_error) == pytest.approx((mean(costs), stdev(costs) / 30**0.5))


def test_answers_to_one_question_count_as_one_observation() -> None:
    answers = sampled(np.random.default_rng(2), 12, 4, (0.0, 0.5, 1.0))
    laws = AnswerLaws(answers, [AnsweringProvider("a", 0.5, 2), AnsweringProvider("b", 0.5)])
    best = []
    for scores, rewards in zip(answers.score[0], answers.rewards()[0], strict=True):
        pairs = permutations(range(4), 2)  # the first drawn wins a tie: each order is as probable
        best.append(mean(float(scores[max(pair, key=lambda j: rewards[j])]) for pair in pairs))
    found = estimates(laws, 0)["quality_estimate"]
    assert isinstance(found, SampleMean)
    assert (found.mean, found.standard_error) == pytest.approx((mean(best), stdev(best) / 12**0.5))
    plain = [float(row.mean()) for row in answers.score[1]]
    found = estimates(laws, 1)["quality_estimate"]
    assert isinstance(found, SampleMean)
    assert (found.mean, found.standard_error) == pytest.approx((mean(plain), stdev(plain) / 12**0.5))


def test_what_is_the_same_for_every_question_is_exact() -> None:
    answers = generated([[[0.5], [0.5]]], [[[10], [10]]], models=("a",))
    assert set(estimates(AnswerLaws(answers, [AnsweringProvider("a", 0.5)]), 0).values()) == {None}
