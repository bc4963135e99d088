"""From a public evaluation to a setting and its market, and what somebody who uses them should know."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Pricing, Provider, Setting
from mechanism.evaluations.evaluation import Evaluation
from mechanism.evaluations.market import Draws, EvaluatedLaws
from mechanism.recorded.setting import differences, midpoint_threshold

__all__ = ["evaluated_laws", "evaluated_setting", "evaluation_notes", "upper_half"]


def evaluated_setting(
    evaluation: Evaluation,
    *,
    quality_threshold: float | None = None,
    qualified: int | None = None,
    cost_bound: float | None = None,
    margin: float = 0.25,
    confidence: float = 0.05,
    exploration_scale: float = 2.0,
    exploration_exponent: float = 0.75,
    name: str | None = None,
) -> Setting:
    """Return the setting that a public evaluation defines, a provider for every model.

    Parameters
    ----------
    evaluation : Evaluation
    quality_threshold : float, optional
        q_min in [0, 1].
    qualified : int, optional
        Instead of it: how many providers qualify. The threshold is then the midpoint of the adjacent qualities. By
        default see `upper_half`.
    cost_bound : float, optional
        c_max in 1e-6 USD; by default what the dearest answer costs whoever asks, 1 + margin times the largest cost.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost: what is recorded is 1 + mu times the cost.
    confidence, exploration_scale, exploration_exponent : float, optional
        delta, k and alpha; by default those of the paper's experiments.
    name : str, optional
        By default the evaluation's.

    Returns
    -------
    Setting
        Qualities and mean costs are the exact ones, correctly rounded, in 1e-6 USD.

    Raises
    ------
    InputError
        Both a threshold and a number of qualified providers, qualities that tie where the threshold should part
        them, a cost above the bound, and what `Setting` refuses.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.full((2, 2), -1)
    >>> arrays = {"score": np.array([[1.0, 0.5], [0.0, 0.5]]), "dollars": np.array([[5e-6, 15e-6], [1e-6, 4e-6]])}
    >>> evaluation = Evaluation(
    ...     name="toy", format="routerbench", models=("a", "b"), questions=("p", "q"), prices=(None, None),
    ...     input_tokens=none, output_tokens=none, **arrays,
    ... )
    >>> setting = evaluated_setting(evaluation)
    >>> setting.platform.quality_threshold, setting.platform.cost_bound, setting.providers[0].mean_cost
    (0.5, 15.0, 8.0)
    """
    laws = EvaluatedLaws(evaluation, evaluation.models, margin)
    count = range(len(laws.models))
    qualities = [laws.quality(i) for i in count]
    if quality_threshold is not None and qualified is not None:
        given = (quality_threshold, qualified)
        raise InputError("quality_threshold, qualified", given, "must not both be given", "give one")
    if quality_threshold is None:
        qualified = upper_half(qualities) if qualified is None else qualified
        quality_threshold = float(midpoint_threshold(qualities, qualified))
    dearest = max(float(evaluation.prices_of(i).max()) for i in laws.indices)
    bound = dearest if cost_bound is None else cost_bound
    _check_costs(laws, bound, "cost_bound")
    platform = PlatformParameters(quality_threshold, confidence, bound, exploration_scale, exploration_exponent)
    roster = tuple(_provider(laws, i) for i in count)
    return Setting(name or evaluation.name, platform, roster, Pricing(margin=margin))


def _provider(laws: EvaluatedLaws, i: int) -> Provider:
    price = laws.evaluation.prices[laws.indices[i]]
    listed = price.output if price is not None and price.output > 0 else None
    return Provider(laws.models[i], float(laws.quality(i)), float(laws.mean_cost(i)), listed)


def upper_half(qualities: Sequence[Fraction]) -> int:
    """Return how many providers qualify by default: the better half, two at least, moved to where qualities differ.

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


def evaluated_laws(
    evaluation: Evaluation, setting: Setting, *, margin: float | None = None, draws: Draws = "passes"
) -> EvaluatedLaws:
    """Return the market in which a setting's providers serve the answers of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
    setting : Setting
        Its providers have the models' names. Its qualities and mean costs are not used: the market has those of the
        data, which `EvaluatedLaws.describe` states.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost; by default that of the setting's `Pricing`.
    draws : {"passes", "independent"}, optional

    Raises
    ------
    InputError
        A provider without answers, or of best-of-n: there is one answer of each question; a cost that exceeds the
        setting's cost bound.
    """
    for position, provider in enumerate(setting.providers, 1):
        if provider.multiplicity > 1:
            remedy = "an evaluation has one answer of each question"
            place = f"provider[{position}].multiplicity"
            raise InputError(place, provider.multiplicity, "must be 1", remedy)
    chosen = setting.pricing.margin if margin is None else margin
    laws = EvaluatedLaws(evaluation, tuple(provider.name for provider in setting.providers), chosen, draws)
    _check_costs(laws, setting.platform.cost_bound, "platform.cost_bound")
    return laws


def _check_costs(laws: EvaluatedLaws, bound: float, argument: str) -> None:
    for i, model in enumerate(laws.models):
        largest = laws.largest_cost(i)
        if largest > bound:
            question = laws.evaluation.questions[int(laws.costs[laws.indices[i]].argmax())]
            remedy = f"{model} costs so much for question {question!r:.80}: raise it, or leave the model out"
            raise InputError(argument, bound, f"is below a cost of {largest!r}", remedy)


def evaluation_notes(laws: EvaluatedLaws, setting: Setting) -> tuple[str, ...]:
    """Return what somebody who runs a setting on an evaluation should know, a line each.

    Parameters
    ----------
    laws : EvaluatedLaws
        Of the setting's providers.
    setting : Setting

    Returns
    -------
    tuple of str
        What was left out or accepted, what one answer per question does to the theory's assumptions, and the largest
        difference to the setting's qualities and mean costs.
    """
    found = [f"left out: {each}" for each in laws.evaluation.left_out]
    found += [f"accepted: {each}" for each in laws.evaluation.accepted]
    found += laws.evaluation.noticed
    if laws.draws == "passes":
        questions = len(laws.evaluation.questions)
        found.append(
            "there is one answer for each question, so scores and costs are no independent draws, which the paper's "
            f"theorems assume: after {questions:,} queries the same answers come again (`simulate --draws independent` "
            "draws each with replacement)"
        )
    return (*found, *differences(laws, setting))
