"""What a setting rests on that was made of an evaluation and a list of prices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from bounds.documents import Count, Document, FromOne, NonNegative, key, limits, one_of
from bounds.ranges import unsettled
from bounds.setting.model import Pricing, Setting
from bounds.setting.region import region_of
from bounds.words import first_of, listed
from mechanism.answers.choices import FORMAT_NAMES
from mechanism.answers.complete import CompleteAnswers
from mechanism.answers.market import AnswerLaws
from mechanism.answers.omissions import Omission
from mechanism.answers.prices import TokenPrice
from mechanism.answers.setting import largest_cost, one_of_each, setting_of_answers

#: Answers of the largest length, as many and as a share, that look as if they had been cut off there.
FEWEST_CUT, LEAST_CUT = 3, 0.01


@dataclass(frozen=True, kw_only=True)
class EvaluatedProvider:
    """What an evaluation says of a provider.

    Parameters
    ----------
    name : str
        Name of the provider, and of its model.
    answers : int
        How many of its answers count.
    mean_tokens : dict of str to float
        Mean tokens of an answer: `input`, `cached` input and `output`, each if recorded.
    most_tokens : int, optional
        Output tokens of its longest answer; None if not recorded.
    longest : int
        How many answers have so many.
    price : TokenPrice, optional
        What its tokens cost; None where the evaluation records what answers cost.
    """

    name: str
    answers: FromOne
    mean_tokens: dict[str, NonNegative]
    most_tokens: Count | None
    longest: Count
    price: TokenPrice | None


@dataclass(frozen=True, kw_only=True)
class EvaluatedMarket(Document):
    """A setting that was made of an evaluation and a list of prices, and what it rests on.

    Parameters
    ----------
    setting : Setting
        The setting, with money in 1e-6 USD per query.
    evaluation : str
        Name of the file or folder of answers.
    format : str
        Whose format it has.
    questions : int
        Questions that every model answered.
    answers_per_question : int
        Answers of each model to each question.
    providers : list of EvaluatedProvider
        What is known of each provider, in the order of the setting.
    assumed : list of str
        What the setting assumes, a sentence each.
    left_out : list of Omission
        What was left out of the files, and why.
    accepted : list of str
        What looks made up, and was accepted.
    noticed : list of str
        What else changes the numbers: failures, repeated answers, prices that no model has.
    """

    setting: Setting
    evaluation: str
    format: Annotated[str, one_of(FORMAT_NAMES)]
    questions: FromOne
    answers_per_question: FromOne
    providers: Annotated[tuple[EvaluatedProvider, ...], limits(minItems=2)]
    assumed: tuple[str, ...]
    left_out: tuple[Omission, ...]
    accepted: tuple[str, ...]
    noticed: tuple[str, ...]

    @property
    def summary(self) -> str:
        """How many providers there are, how many qualify, and the largest cost, in a sentence."""
        platform = self.setting.platform
        return (
            f"{self.setting.name} has {self.setting.n_providers} providers, of which {self._qualify} by "
            f"their mean scores at q_min = {platform.quality_threshold:.6g}; c_max = {platform.cost_bound:.6g}, in "
            "1e-6 USD per query"
        )

    @property
    def _qualify(self) -> str:
        count = len(self.setting.qualified)
        return f"{count} {'qualifies' if count == 1 else 'qualify'}"

    @key
    def warnings(self) -> tuple[str, ...]:
        """What makes the setting doubtful, a sentence each."""
        return tuple(self._doubts())

    def _doubts(self) -> Iterator[str]:
        if (region := region_of(self.setting)) is not None:
            yield from unsettled(region)
        cut = [each for each in self.providers if each.longest >= max(FEWEST_CUT, LEAST_CUT * each.answers)]
        if cut:
            shown = first_of(
                [f"{each.name} {each.longest:,} of {each.answers:,} at {each.most_tokens:,}" for each in cut]
            )
            yield (
                "many answers have as many output tokens as the longest, as if a limit had cut them off "
                f"({shown}): without it they may cost more, and score otherwise"
            )
        if len(self.setting.qualified) < 2:
            yield (
                f"guarantees that compare two qualified providers do not apply where {self._qualify}: --threshold "
                f"{self.setting.second_best_quality!r} or less lets two qualify, and so may a further model"
            )


def evaluated_market(answers: CompleteAnswers, **options: Any) -> EvaluatedMarket:
    """Return the setting that answers define, with what it rests on.

    Parameters
    ----------
    answers : CompleteAnswers
        As `mechanism.answers.files.load_answers` returns them.
    **options
        Those of `setting_of_answers`; None is the default.

    Raises
    ------
    InputError
        What `setting_of_answers` refuses.

    Examples
    --------
    >>> scores, tokens = [[[1], [0], [1]], [[0], [0], [1]]], [[[3], [4], [5]], [[1], [2], [3]]]
    >>> named = {"name": "toy", "models": ("a", "b"), "questions": tuple("qrs")}
    >>> prices = TokenPrice(1.0), TokenPrice(0.5)
    >>> answers = CompleteAnswers(**named, score=scores, tokens_out=tokens, prices=prices)
    >>> market = evaluated_market(answers, quality_threshold=0.5)
    >>> market.setting.providers[0].mean_cost, market.setting.providers[0].quality_estimate
    (3.2, Proportion(correct=2, of=3))
    """
    given = {name: value for name, value in options.items() if value is not None}
    setting = setting_of_answers(answers, **given, estimated=True)
    return EvaluatedMarket(
        setting=setting,
        evaluation=answers.name,
        format=answers.format,
        questions=len(answers.questions),
        answers_per_question=answers.samples,
        providers=tuple(_evaluated(answers, index) for index in range(len(answers.models))),
        assumed=tuple(_assumed(answers, setting, given)),
        left_out=answers.left_out,
        accepted=answers.accepted,
        noticed=answers.noticed,
    )


def _evaluated(answers: CompleteAnswers, index: int) -> EvaluatedProvider:
    kinds = {"input": answers.tokens_in, "cached": answers.tokens_cached, "output": answers.tokens_out}
    recorded = {name: column[index][column[index] >= 0] for name, column in kinds.items() if column is not None}
    tokens = {name: column for name, column in recorded.items() if column.size}
    most = int(tokens["output"].max()) if "output" in tokens else None
    return EvaluatedProvider(
        name=answers.models[index],
        answers=answers.score[index].size,
        mean_tokens={name: float(column.mean()) for name, column in tokens.items()},
        most_tokens=most,
        longest=0 if most is None else int((tokens["output"] == most).sum()),
        price=answers.prices[index],
    )


def _assumed(answers: CompleteAnswers, setting: Setting, given: dict[str, Any]) -> Iterator[str]:
    """Return what a setting takes for granted, and where its numbers come from, a sentence each."""
    pricing = setting.pricing
    priced = [model for model, price in zip(answers.models, answers.prices, strict=True) if price is not None]
    tokens = "its tokens times their prices, in USD per 10^6 tokens"
    costs = tokens if len(priced) == len(answers.models) else "as recorded, in USD"
    if 0 < len(priced) < len(answers.models):
        costs = f"{tokens} ({first_of(priced)}), or else as recorded, in USD"
    yield f"money is in 1e-6 USD per query; the price of an answer is {costs}"
    margin = "given" if "margin" in given else "as in the paper"
    yield f"mean_cost is the mean price over 1 + margin = {1 + pricing.margin:g} ({margin})"
    threshold = "is halfway between the last that qualifies and the next"
    if "quality_threshold" in given:
        threshold = "is given"
    elif "qualified" not in given:
        threshold = f"{threshold}, for the better half of the models to qualify"
    yield f"quality_threshold {threshold}"
    laws = AnswerLaws(answers, one_of_each(answers), pricing.margin)
    largest = "given" if "cost_bound" in given else f"the price of {largest_cost(laws, given.get('token_cap')).of}"
    yield f"cost_bound is {largest}"
    cap = "as in the paper" if pricing.token_cap == Pricing.token_cap else "the longest recorded"
    yield f"an answer has at most {pricing.token_cap:,} output tokens ({'given' if 'token_cap' in given else cap})"
    papers = [name for name in ("confidence", "exploration_scale", "exploration_exponent") if name not in given]
    if papers:
        yield f"{listed(papers)} {'is' if len(papers) == 1 else 'are'} as in the paper"
    yield "the questions are a sample of all that may be asked: qualities and mean costs are estimates"
    yield (
        "simulated scores are 0 or 1, and simulated costs have a Beta shape with the recorded mean and cost_variation, "
        "all independent; simulate --answers serves the recorded answers instead"
    )
