"""What looks made up in an evaluation: token counts or costs that never change, and answers for nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from bounds.errors import InputError
from mechanism.evaluations.answers import Answers
from mechanism.evaluations.prices import TokenPrice

__all__ = ["SUSPICIONS", "check_answers"]

#: What looks made up, by the name with which it can be accepted.
SUSPICIONS = {
    "constant-tokens": "the counts of tokens of different questions differ",
    "constant-costs": "the costs of different questions differ",
    "zero-prices": "answers cost something, and where all are free nothing is left to auction",
}
#: So many equal numbers are no chance.
FEWEST = 10


def check_answers(
    answers: Answers, models: tuple[int, ...], prices: Mapping[str, TokenPrice], accept: Collection[str]
) -> tuple[str, ...]:
    """Refuse what looks made up, unless it is accepted by its name.

    Parameters
    ----------
    answers : Answers
    models : tuple of int
        Those that were chosen; all of their answers are looked at.
    prices : mapping of str to TokenPrice
        With a price, a model's recorded costs do not count.
    accept : collection of str
        Of `SUSPICIONS`.

    Returns
    -------
    tuple of str
        What was accepted, a sentence each.

    Raises
    ------
    InputError
        Something is not accepted, or there is no suspicion of that name.

    Examples
    --------
    >>> from mechanism.evaluations.answers import Answer, AnswerRows
    >>> rows = AnswerRows()
    >>> for question in range(20):
    ...     rows.add(Answer(question, "m", 1, 0.1 + question, 40, question), float, "")
    >>> check_answers(rows.answers(), (0,), {}, ["constant-tokens"])
    ("'m' has 40 input tokens in every one of its 20 answers",)
    """
    for name in accept:
        if name not in SUSPICIONS:
            raise InputError("accept", name, "is no suspicion", f"they are {', '.join(SUSPICIONS)}")
    accepted = []
    for model in models:
        shown = answers.models[model]
        for kind, found in _suspicions(answers, model, prices.get(shown)):
            if kind not in accept:
                why = f"{SUSPICIONS[kind]}; {_ways_out(kind)}"
                raise InputError("generations", shown, found, why)
            accepted.append(f"{shown!r} {found}")
    return tuple(accepted)


def _ways_out(kind: str) -> str:
    paid = "give prices of tokens (--prices FILE), " if kind != "constant-tokens" else ""
    return f"{paid}choose other models (--model NAME) or take it as it is (--accept {kind})"


def _suspicions(answers: Answers, model: int, price: TokenPrice | None) -> Iterator[tuple[str, str]]:
    rows = answers.model == model
    count = int(rows.sum())
    every = f"in every one of its {count:,} answers"
    if count >= FEWEST:
        for what in ("input", "output"):
            tokens = getattr(answers, f"{what}_tokens")[rows]
            if tokens[0] >= 0 and (tokens == tokens[0]).all():
                yield "constant-tokens", f"has {tokens[0]} {what} tokens {every}"
    if price is not None:
        if price.is_zero:
            yield "zero-prices", "has a price of 0 for input and output tokens"
        return
    dollars = answers.dollars[rows]
    if not np.any(dollars):
        yield "zero-prices", f"costs 0 {every}"
    elif count >= FEWEST and (dollars == dollars[0]).all():
        yield "constant-costs", f"costs {dollars[0]:g} USD {every}"
