"""A public evaluation as a table of models and questions, and its exact means of scores and costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError, did_you_mean
from mechanism.evaluations.answers import Answers
from mechanism.evaluations.prices import TokenPrice
from mechanism.evaluations.report import LeftOut
from mechanism.evaluations.selection import Selection
from mechanism.market.questions import LARGEST_POOL

__all__ = ["MICRODOLLARS", "Evaluation"]

#: Of a USD: the paper's money.
MICRODOLLARS = 10**6


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation:
    """One answer of every model to every question.

    Attributes
    ----------
    name : str
        Of the file or folder.
    format : str
        See `mechanism.evaluations.formats.FORMATS`.
    models : tuple of str
        M >= 2.
    questions : tuple of str
        K in 1..2^20.
    score : numpy.ndarray of float64, shape (M, K)
        In [0, 1].
    dollars : numpy.ndarray of float64, shape (M, K)
        What an answer cost as recorded, USD; not read of a model with a price.
    input_tokens, output_tokens : numpy.ndarray of int64, shape (M, K)
        -1 where none are recorded.
    prices : tuple of TokenPrice or None
        By model: what its tokens cost, in place of the recorded cost.
    left_out : tuple of LeftOut
    accepted : tuple of str
        What looks made up, and was accepted.
    noticed : tuple of str
        What else changes the numbers: failures, repeated answers, prices that no model has.
    """

    name: str
    format: str
    models: tuple[str, ...]
    questions: tuple[str, ...]
    score: NDArray[np.float64]
    dollars: NDArray[np.float64]
    input_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    prices: tuple[TokenPrice | None, ...]
    left_out: tuple[LeftOut, ...] = ()
    accepted: tuple[str, ...] = field(default=())
    noticed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.questions) > LARGEST_POOL:
            raise InputError("questions", len(self.questions), f"must be at most {LARGEST_POOL}", "leave some out")

    def model_index(self, model: str) -> int:
        """Return the index of a model, or an InputError that suggests one."""
        if model in self.models:
            return self.models.index(model)
        known = f"the models are {', '.join(self.models[:12])}"
        remedy = did_you_mean(model, self.models, known, quote=True)
        raise InputError("model", model, f"has no answers in {self.name}", remedy)

    def mean_score(self, model: int) -> Fraction:
        """Return the exact mean of a model's scores, each taken as the double that it is."""
        return exact_sum(self.score[model]) / len(self.questions)

    def mean_price(self, model: int) -> Fraction:
        """Return the exact mean of what an answer costs whoever asks, in 1e-6 USD."""
        price = self.prices[model]
        if price is None:
            return exact_sum(self.dollars[model]) * MICRODOLLARS / len(self.questions)
        tokens = (int(each[model].clip(0).sum()) for each in (self.input_tokens, self.output_tokens))
        return price.of_answer(*tokens) / len(self.questions)

    def prices_of(self, model: int, factor: Fraction = Fraction(1)) -> NDArray[np.float64]:
        """Return what every answer of a model costs, in 1e-6 USD, times a factor: correctly rounded, shape (K,)."""
        price = self.prices[model]
        if price is None:
            scale = factor * MICRODOLLARS
            ratios = map(float.as_integer_ratio, self.dollars[model].tolist())
            # True division of integers is correctly rounded.
            return np.array([n * scale.numerator / (d * scale.denominator) for n, d in ratios])
        per_input, per_output = Fraction(price.input) * factor, Fraction(price.output) * factor
        below = per_input.denominator * per_output.denominator
        a, b = per_input.numerator * per_output.denominator, per_output.numerator * per_input.denominator
        counts = zip(self.input_tokens[model].clip(0).tolist(), self.output_tokens[model].tolist(), strict=True)
        return np.array([(i * a + o * b) / below for i, o in counts])


def exact_sum(values: NDArray[np.float64]) -> Fraction:
    """Return the exact sum of finite doubles.

    Examples
    --------
    >>> exact_sum(np.array([0.1, 0.2, -0.1])) == Fraction(0.2), sum([0.1, 0.2, -0.1]) == 0.2
    (True, False)
    """
    mantissas, exponents = np.frexp(values)
    whole = (mantissas * 2.0**53).astype(np.int64)
    totals: Counter[int] = Counter()
    for exponent in np.unique(exponents).tolist():
        totals[exponent] = sum(whole[exponents == exponent].tolist())
    return sum((total * Fraction(2) ** (exponent - 53) for exponent, total in totals.items()), Fraction(0))


def evaluation_of(
    answers: Answers,
    selection: Selection,
    *,
    name: str,
    format: str,
    prices: dict[str, TokenPrice],
    left_out: tuple[LeftOut, ...],
    accepted: tuple[str, ...],
    noticed: tuple[str, ...],
) -> Evaluation:
    """Return the table of the answers that were chosen."""
    models = tuple(answers.models[i] for i in selection.models)
    return Evaluation(
        name=name,
        format=format,
        models=models,
        questions=tuple(answers.questions[i] for i in selection.questions),
        score=answers.score[selection.rows],
        dollars=answers.dollars[selection.rows],
        input_tokens=answers.input_tokens[selection.rows],
        output_tokens=answers.output_tokens[selection.rows],
        prices=tuple(prices.get(model) for model in models),
        left_out=left_out,
        accepted=accepted,
        noticed=noticed,
    )
