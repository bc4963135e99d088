"""The setting that recorded answers define, the market of a setting, and what somebody who uses them should know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.estimates import Estimate, Proportion, SampleMean
from bounds.setting.model import MOST_TOKENS, PlatformParameters, Pricing, Provider, Setting
from mechanism.answers.choices import Draws
from mechanism.answers.complete import CompleteAnswers
from mechanism.answers.market import AnsweringProvider, AnswerLaws
from mechanism.arguments import whole_number

#: Largest difference to a setting's quality, and to its mean cost in relation to it, that is not worth a note.
QUALITY_TOLERANCE, COST_TOLERANCE = 1e-3, 1e-2
#: Of the paper's experiments: no generation has more tokens.
_TOKEN_CAP = 512


def answer_laws(
    answers: CompleteAnswers,
    setting: Setting,
    *,
    margin: float | None = None,
    base_models: Sequence[str] | None = None,
    draws: Draws = "passes",
) -> AnswerLaws:
    """Return the market in which a setting's providers serve recorded answers.

    Parameters
    ----------
    answers : CompleteAnswers
    setting : Setting
        Of recorded generations every provider needs a listed price. Its qualities and mean costs are not used: the
        market has those of the data, which `AnswerLaws.describe` states.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost; by default that of the setting's `Pricing`.
    base_models : sequence of str, optional
        Model of every provider; by default see `base_models_of`.
    draws : {"passes", "independent"}, optional

    Raises
    ------
    InputError
        A provider without listed price, a cost that can exceed the setting's cost bound, a published setting
        with another benchmark's generations, and what `AnswerLaws` refuses.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider
    >>> platform = PlatformParameters(0.5, 0.05, 8.0, 2.0, 0.75)
    >>> setting = Setting("toy", platform, [Provider("m", 1, 4, 0.5), Provider("m@2", 1, 8, 0.5, 2)])
    >>> arrays = {"score": [[[1, 1]]], "tokens_out": [[[10, 10]]], "reward": [[[0.1, 0.2]]]}
    >>> answers = CompleteAnswers(name="toy", models=("m",), questions=("q",), **arrays)
    >>> answer_laws(answers, setting).market(seed=0, run=0).outcome(step=1, provider=1)
    (1.0, 8.0)
    """
    models = base_models_of(setting) if base_models is None else tuple(base_models)
    if len(models) != setting.n_providers:
        raise InputError("base_models", len(models), f"must be {setting.n_providers} names", "give one per provider")
    _check_benchmark(answers, setting)
    providers = []
    for position, (model, provider) in enumerate(zip(models, setting.providers, strict=True), 1):
        if answers.at_listed_prices and provider.listed_price is None:
            remedy = "a recorded query costs tokens times a listed price"
            raise InputError(f"provider[{position}].listed_price", None, "must be given", remedy)
        if provider.multiplicity > 1 and not answers.at_listed_prices:
            place, remedy = f"provider[{position}].multiplicity", "an evaluation has one answer of each question"
            raise InputError(place, provider.multiplicity, "must be 1", remedy)
        price = provider.listed_price if answers.at_listed_prices else None
        providers.append(AnsweringProvider(model, price, provider.multiplicity))
    laws = AnswerLaws(answers, tuple(providers), setting.pricing.margin if margin is None else margin, draws)
    _check_costs(laws, setting.platform.cost_bound, "platform.cost_bound")
    return laws


def base_models_of(setting: Setting) -> tuple[str, ...]:
    """Return the model of every provider: as published, else its name without the ``@n`` of best-of-n.

    Examples
    --------
    >>> base_models_of(published("gsm8k-ladder").setting)[2:4]
    ('Llama-3-8B', 'Qwen2-1.5B')
    """
    known = {}
    if setting.name in PUBLISHED_NAMES:
        paper = published(setting.name)
        known = {each.name: model for each, model in zip(paper.setting.providers, paper.base_models, strict=True)}
    return tuple(known.get(each.name, each.name.removesuffix(f"@{each.multiplicity}")) for each in setting.providers)


def _check_benchmark(answers: CompleteAnswers, setting: Setting) -> None:
    """Refuse the generations of one of the paper's benchmarks in a setting of the other."""
    benchmarks = {published(name).benchmark for name in PUBLISHED_NAMES}
    if setting.name not in PUBLISHED_NAMES or answers.name not in benchmarks:
        return
    expected = published(setting.name).benchmark
    if answers.name != expected:
        remedy = f"load the generations of {expected}, or rename the setting"
        raise InputError("answers", answers.name, f"are not those of {setting.name}", remedy)


def _check_costs(laws: AnswerLaws, bound: float, argument: str) -> None:
    for i, provider in enumerate(laws.providers):
        total, question = laws.largest(i)
        if (largest := laws.cost(i, total)) > bound:
            asked = f"{laws.answers.questions[question]!r:.80}"
            remedy = f"{provider.name} can cost so much for question {asked}: raise it, or leave the model out"
            raise InputError(argument, bound, f"is below a cost of {largest!r}", remedy)


def setting_of_answers(
    answers: CompleteAnswers,
    providers: Sequence[AnsweringProvider] | None = None,
    *,
    quality_threshold: float | None = None,
    qualified: int | None = None,
    cost_bound: float | None = None,
    token_cap: int | None = None,
    margin: float = 0.25,
    confidence: float = 0.05,
    exploration_scale: float = 2.0,
    exploration_exponent: float = 0.75,
    name: str | None = None,
    estimated: bool = False,
) -> Setting:
    """Return the setting that recorded answers define (app:experimental-details).

    Parameters
    ----------
    answers : CompleteAnswers
    providers : sequence of AnsweringProvider, optional
        Two or more, of different names; by default one of each model, at its price.
    quality_threshold : float, optional
        q_min in [0, 1].
    qualified : int, optional
        Instead of it: how many providers qualify. The threshold is then the midpoint of the adjacent qualities. By
        default see `upper_half`.
    cost_bound : float, optional
        c_max in 1e-6 USD; by default see `largest_cost`.
    token_cap : int, optional
        L_max: no answer has more output tokens. By default 512, or as many as the longest has.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost.
    confidence, exploration_scale, exploration_exponent : float, optional
        delta, k and alpha; by default those of the paper's experiments.
    name : str, optional
        By default that of the answers.
    estimated : bool, optional
        Whether the questions are a sample of all that may be asked: qualities and mean costs are then `estimates`.

    Returns
    -------
    Setting
        Qualities and mean costs are the exact ones of the data, correctly rounded; the variation of costs has four
        digits.

    Raises
    ------
    InputError
        Both a threshold and a number of qualified providers, qualities that tie where the threshold should part
        them, an answer longer than the cap, a cost above the bound, and what `AnswerLaws` and `Setting` refuse.

    Examples
    --------
    >>> arrays = {"score": [[[1, 1]], [[1, 0]]], "tokens_out": [[[10, 30]], [[10, 10]]]}
    >>> answers = CompleteAnswers(name="toy", models=("large", "small"), questions=("q",), **arrays)
    >>> roster = [AnsweringProvider("large", 0.5), AnsweringProvider("small", 0.25)]
    >>> setting = setting_of_answers(answers, roster, qualified=1)
    >>> setting.platform.quality_threshold, setting.platform.cost_bound, setting.providers[0].mean_cost
    (0.75, 256.0, 8.0)
    """
    laws = AnswerLaws(answers, one_of_each(answers) if providers is None else tuple(providers), margin)
    qualities = [laws.quality(i) for i in range(len(laws.providers))]
    if quality_threshold is not None and qualified is not None:
        raise InputError("qualified", qualified, "must not be given with a threshold", "give one of the two")
    if quality_threshold is None:
        qualified = upper_half(qualities) if qualified is None else qualified
        quality_threshold = float(midpoint_threshold(qualities, qualified))
    bound = largest_cost(laws, token_cap).value if cost_bound is None else cost_bound
    _check_costs(laws, bound, "cost_bound")
    if laws.at_listed_prices:
        listed = [each.listed_price for each in laws.providers]
    else:
        priced = (answers.prices[model] for model in laws.models)
        listed = [price.output if price is not None and price.output > 0 else None for price in priced]
    pricing = Pricing(min(_token_cap(laws, token_cap), MOST_TOKENS), margin)
    roster = tuple(
        Provider(
            each.name,
            float(quality),
            float(laws.mean_cost(i)),
            price,
            each.multiplicity,
            _variation(laws, i),
            **(estimates(laws, i) if estimated else {}),
        )
        for i, (each, quality, price) in enumerate(zip(laws.providers, qualities, listed, strict=True))
    )
    platform = PlatformParameters(quality_threshold, confidence, bound, exploration_scale, exploration_exponent)
    return Setting(name or answers.name, platform, roster, pricing)


def estimates(laws: AnswerLaws, provider: int) -> dict[str, Estimate | None]:
    """Return what recorded answers say of a provider if their questions are a sample: arguments of `Provider`.

    Scores of 0 and 1, one a question, are counted. Otherwise, and for costs, the standard error is that of the means of
    the questions, so that answers to one question may depend on each other. What is the same for all questions, as a
    price of a query may be, has no estimate.

    Examples
    --------
    >>> answers = CompleteAnswers(
    ...     name="toy", models=("m",), questions=("q", "r"), score=[[[1], [0]]], tokens_out=[[[10], [30]]]
    ... )
    >>> estimates(AnswerLaws(answers, [AnsweringProvider("m", 0.5)]), 0)
    {'quality_estimate': Proportion(correct=1, of=2), 'mean_cost_estimate': SampleMean(mean=8.0, standard_error=4.0)}
    """
    served, scores = laws.providers[provider], laws.answers.score[laws.models[provider]]
    quality: Estimate | None
    if scores.shape[1] == 1 and np.isin(scores, (0, 1)).all():
        quality = Proportion(correct=int(scores.sum()), of=scores.size)
    else:
        of_questions = laws.answers.question_qualities(served.model, served.multiplicity)
        quality = _sample_mean(float(laws.quality(provider)), of_questions)
    return {
        "quality_estimate": quality,
        "mean_cost_estimate": _sample_mean(float(laws.mean_cost(provider)), laws.question_costs(provider)),
    }


def _sample_mean(mean: float, of_questions: NDArray[np.float64]) -> SampleMean | None:
    """Return a mean with its standard error; None if all questions have the same value."""
    if len(of_questions) < 2 or np.ptp(of_questions) == 0:
        return None
    return SampleMean(mean=mean, standard_error=float(of_questions.std(ddof=1)) / len(of_questions) ** 0.5)


def one_of_each(answers: CompleteAnswers) -> tuple[AnsweringProvider, ...]:
    """Return a provider of each model, at its price; an `InputError` if recorded generations lack one."""
    if not answers.at_listed_prices:
        return tuple(map(AnsweringProvider, answers.models))
    prices = [price.output for price in answers.prices if price is not None]
    if len(prices) < len(answers.models):
        remedy = "recorded generations have tokens, no costs: give the prices of tokens, or SETTING with listed prices"
        raise InputError("prices", MISSING, "must be given", remedy)
    return tuple(map(AnsweringProvider, answers.models, prices))


def _variation(laws: AnswerLaws, provider: int) -> float | None:
    """Return the coefficient of variation of what one answer costs, None where answers cost nothing."""
    model = laws.models[provider]
    costs = laws.points[model] if laws.at_listed_prices else laws.costs[model]
    mean = float(costs.mean())
    return float(f"{float(costs.std()) / mean:.4g}") if mean else None


class LargestCost(NamedTuple):
    """What a query costs whoever asks at most, in 1e-6 USD, and which query that is."""

    value: float
    of: str


def largest_cost(laws: AnswerLaws, token_cap: int | None = None) -> LargestCost:
    """Return c_max unless one is given.

    Of recorded generations it is L_max times the largest n_i lambda_m (eq:experimental-cmax). Of a public evaluation it
    is the price of the dearest answer, with a cap as if every answer had L_max output tokens.

    Parameters
    ----------
    laws : AnswerLaws
    token_cap : int, optional
        See `setting_of_answers`.

    Raises
    ------
    InputError
        An answer is longer than the cap, or no model has a price of tokens.

    Examples
    --------
    >>> arrays = {"score": [[[1]], [[1]]], "cost": np.array([[[0.5]], [[0.25]]])}
    >>> answers = CompleteAnswers(name="toy", models=("a", "b"), questions=("q",), format="sprout", **arrays)
    >>> largest_cost(AnswerLaws(answers, [AnsweringProvider("a"), AnsweringProvider("b")]))
    LargestCost(value=500000.0, of="the dearest answer, that of a to question 'q'")
    """
    recorded, cap, found = laws.answers, _token_cap(laws, token_cap), []
    if token_cap is not None and not laws.at_listed_prices:
        if not any(recorded.prices):
            raise InputError("token_cap", token_cap, "needs prices of tokens", "give them, or the largest cost instead")
        recorded = replace(recorded, tokens_out=np.full(recorded.score.shape, cap))
    for provider in laws.providers:
        if laws.at_listed_prices:
            rate = provider.multiplicity * Fraction(provider.listed_price or 0)
            found.append(LargestCost(float(cap * rate), f"{cap:,} output tokens for each answer of {provider.name}"))
        else:
            costs = recorded.prices_of(provider.model).max(axis=1)
            asked = f"{recorded.questions[int(costs.argmax())]!r:.80}"
            of = f"the dearest answer, that of {provider.name} to question {asked}"
            of += "" if token_cap is None else f", if it had {cap:,} output tokens"
            found.append(LargestCost(float(costs.max()), of))
    return max(found, key=lambda each: each.value)


def _token_cap(laws: AnswerLaws, token_cap: int | None) -> int:
    recorded = laws.answers
    models = () if recorded.tokens_out is None else dict.fromkeys(each.model for each in laws.providers)
    longest = {model: int(recorded.output_tokens(model).max()) for model in models}
    if token_cap is None:
        return max([_TOKEN_CAP, *longest.values()])
    whole_number("token_cap", token_cap, "it is L_max, in output tokens", least=1, most=MOST_TOKENS)
    for model, most in longest.items():
        if most > token_cap:
            question = recorded.questions[int(recorded.output_tokens(model).max(axis=1).argmax())]
            remedy = f"question {question!r} has it; raise the cap"
            raise InputError("token_cap", token_cap, f"is below the {most} tokens of an answer of {model}", remedy)
    return token_cap


def midpoint_threshold(qualities: Sequence[Fraction], qualified: int) -> Fraction:
    """Return the midpoint of the two adjacent qualities that leaves so many providers qualified.

    Parameters
    ----------
    qualities : sequence of fractions.Fraction
        Of N providers, in any order.
    qualified : int
        In 1..N. If all are to qualify, the other of the two qualities is 0.

    Raises
    ------
    InputError
        The number is out of range, or the two qualities are equal.

    Examples
    --------
    >>> midpoint_threshold([Fraction(1, 4), Fraction(1), Fraction(1, 2)], 2)
    Fraction(3, 8)
    """
    whole_number("qualified", qualified, "it is a number of providers", least=1, most=len(qualities))
    ranked = [*sorted(qualities, reverse=True), Fraction(0)]
    lowest, next_one = ranked[qualified - 1], ranked[qualified]
    # Two qualities that round to one float would put both on one side.
    if float(lowest) == float(next_one):
        tied = f"provider {qualified} and the next have" if qualified < len(qualities) else "the last provider has"
        remedy = f"{tied} quality {float(lowest)!r}; choose another number"
        raise InputError("qualified", qualified, "is undecided by a tie", remedy)
    return (lowest + next_one) / 2


def upper_half(qualities: Sequence[Fraction]) -> int:
    """Return how many providers qualify by default: half, or two of three, moved to where qualities differ.

    Raises
    ------
    InputError
        All qualities are equal.

    Examples
    --------
    >>> upper_half([Fraction(1), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4)])
    2
    >>> upper_half([Fraction(1), Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)])
    3
    """
    ranked = sorted(map(float, qualities), reverse=True)
    half = min(max(len(ranked) // 2, 2), len(ranked) - 1)
    parted = [number for number in range(1, len(ranked)) if ranked[number - 1] > ranked[number]]
    if not parted:
        remedy = "all models have the same mean score: give quality_threshold"
        raise InputError("qualified", half, "cannot be chosen", remedy)
    return min(parted, key=lambda number: (abs(number - half), -number))


def answer_notes(laws: AnswerLaws, setting: Setting) -> tuple[str, ...]:
    """Return what somebody who runs a setting on recorded answers should know, a line each.

    Parameters
    ----------
    laws : AnswerLaws
        Of the setting's providers.
    setting : Setting

    Returns
    -------
    tuple of str
        What was left out or accepted, what one answer per question does to the theory's assumptions, and the largest
        difference to the setting's qualities and mean costs if it exceeds 1e-3 and 1 percent.
    """
    recorded = laws.answers
    found = [*recorded.remarks]
    if recorded.samples == 1 and laws.draws == "passes":
        found.append(
            "there is one answer for each question, so scores and costs are no independent draws, which the paper's "
            f"theorems assume: after {len(recorded.questions):,} queries the same answers come again (`simulate "
            "--draws independent` draws each with replacement)"
        )
    providers = range(setting.n_providers)
    qualities = [(float(laws.quality(i)), float(setting.providers[i].quality)) for i in providers]
    costs = [(float(laws.mean_cost(i)), float(setting.providers[i].mean_cost)) for i in providers]
    found += _difference("qualities", setting, qualities, [QUALITY_TOLERANCE] * len(qualities))
    found += _difference("mean costs", setting, costs, [COST_TOLERANCE * stated for _, stated in costs])
    return tuple(found)


def _difference(what: str, setting: Setting, pairs: list[tuple[float, float]], tolerances: list[float]) -> list[str]:
    """Return a line on the provider whose recorded value exceeds its tolerance most, or nothing if none does."""
    excess = [abs(found - stated) - tolerance for (found, stated), tolerance in zip(pairs, tolerances, strict=True)]
    worst = max(range(len(excess)), key=excess.__getitem__)
    if excess[worst] <= 0:
        return []
    found, stated = pairs[worst]
    name = setting.providers[worst].name
    most = f"most for {name}, {found:.6g} against {stated:.6g}"
    return [f"recorded {what} differ from the setting's, which regrets use: {most}"]
