"""What recorded answers say of providers if their questions are a sample."""

import itertools
from statistics import mean, stdev

import numpy as np
import pytest

from bounds.setting.estimates import Proportion, SampleMean
from mechanism.answers.complete import CompleteAnswers
from mechanism.answers.market import AnsweringProvider, AnswerLaws
from mechanism.answers.setting import estimates, setting_of_answers


def recorded(rng: np.random.Generator, questions: int, samples: int, scores: tuple[float, ...]) -> CompleteAnswers:
    shape = (2, questions, samples)
    return CompleteAnswers(
        name="toy",
        models=("a", "b"),
        questions=tuple(map("q{}".format, range(questions))),
        score=rng.choice(scores, shape),
        tokens_out=rng.integers(1, 400, shape),
        reward=rng.integers(0, 3, shape).astype(float),
    )


def test_answers_that_are_right_or_wrong_are_counted() -> None:
    answers = recorded(np.random.default_rng(1), 30, 1, (0.0, 1.0))
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
    answers = recorded(np.random.default_rng(2), 12, 4, (0.0, 0.5, 1.0))
    laws = AnswerLaws(answers, [AnsweringProvider("a", 0.5, 2), AnsweringProvider("b", 0.5)])
    best = []
    for scores, rewards in zip(answers.score[0], answers.rewards()[0], strict=True):
        pairs = itertools.permutations(range(4), 2)  # the first drawn wins a tie: each order is as probable
        best.append(mean(float(scores[max(pair, key=lambda j: rewards[j])]) for pair in pairs))
    found = estimates(laws, 0)["quality_estimate"]
    assert isinstance(found, SampleMean)
    assert (found.mean, found.standard_error) == pytest.approx((mean(best), stdev(best) / 12**0.5))
    plain = [float(row.mean()) for row in answers.score[1]]
    found = estimates(laws, 1)["quality_estimate"]
    assert isinstance(found, SampleMean)
    assert (found.mean, found.standard_error) == pytest.approx((mean(plain), stdev(plain) / 12**0.5))


def test_what_is_the_same_for_every_question_is_exact() -> None:
    answers = CompleteAnswers(
        name="toy", models=("a",), questions=("q", "r"), score=[[[0.5], [0.5]]], tokens_out=[[[10], [10]]]
    )
    assert set(estimates(AnswerLaws(answers, [AnsweringProvider("a", 0.5)]), 0).values()) == {None}
