"""Which models and questions of an evaluation make a market: those where every model answered every question."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.words import first_of
from mechanism.evaluations.answers import Answers
from mechanism.evaluations.report import LeftOut

__all__ = ["Selection", "select"]

#: Most cells of the table of models and questions, answered or not.
MOST_CELLS = 1 << 26
#: What numbers of one value may differ in: zeros in front, a fraction of zeros, blanks.
_PADDING = re.compile(r"\s+|(?<![0-9.])0+(?=[0-9])|(?<=[0-9])\.0+(?![0-9.])")


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """The models and questions that were chosen.

    Attributes
    ----------
    models, questions : tuple of int
        Their indices in the answers, in order.
    rows : numpy.ndarray of int64, shape (M, K)
        The answer of every model to every question, as an index of the answers.
    left_out : tuple of LeftOut
    """

    models: tuple[int, ...]
    questions: tuple[int, ...]
    rows: NDArray[np.int64]
    left_out: tuple[LeftOut, ...]


def select(answers: Answers, models: tuple[str, ...] | None = None) -> Selection:
    """Choose the models, and the questions that all of them answered.

    Parameters
    ----------
    answers : Answers
    models : tuple of str, optional
        Exactly these, in this order. By default as many as make the table of models and questions largest: one
        model after the other is left out, each time the one without which most questions are answered by all.

    Raises
    ------
    InputError
        There is no such model, fewer than two remain, or no question has the answers of all.

    Examples
    --------
    >>> from mechanism.evaluations.answers import Answer, AnswerRows
    >>> rows = AnswerRows()
    >>> for question, model in ((0, "a"), (1, "a"), (2, "a"), (0, "b"), (1, "b"), (2, "b"), (2, "c")):
    ...     rows.add(Answer(question, model, 1, 0.1), float, "")
    >>> found = select(rows.answers())
    >>> found.models, found.questions, [str(each) for each in found.left_out]
    ((0, 1), (0, 1, 2), ['1 model with too few answers that the others share (c: 1 of 3 questions)'])
    """
    if len(answers.models) * len(answers.questions) > MOST_CELLS:
        shown = f"{len(answers.models):,} models and {len(answers.questions):,} questions"
        raise InputError("generations", shown, f"are a table of more than {MOST_CELLS:,} cells", "choose models")
    row_of = np.full((len(answers.models), len(answers.questions)), -1, np.int64)
    row_of[answers.model, answers.question] = np.arange(len(answers.model))
    answered = row_of >= 0
    chosen = _named(answers, models) if models is not None else _largest(answered)
    _refuse_two_forms(answers, answered)
    if len(answers.models) < 2:
        remedy = "a market needs two models or more that answered the same questions"
        raise InputError("generations", ", ".join(answers.models), "is too few models", remedy)
    questions = np.flatnonzero(answered[chosen].all(axis=0) if chosen else [])
    if not len(questions):
        apart = chosen or list(range(len(answers.models)))
        names = [answers.models[i] for i in apart]
        examples = [
            f"{answers.models[i]} answers {answers.questions[int(answered[i].argmax())]!r:.80}" for i in apart[:2]
        ]
        raise InputError(
            "models", first_of(names, 12), "share no question", f"choose models that do: {first_of(examples)}"
        )
    return Selection(
        models=tuple(chosen),
        questions=tuple(questions.tolist()),
        rows=row_of[np.array(chosen)[:, None], questions],
        left_out=_left_out(answers, chosen, answered, questions),
    )


def _refuse_two_forms(answers: Answers, answered: NDArray[np.bool_]) -> None:
    """Refuse questions that differ only in how a number is written (0, 0.0, 00), and that no model tells apart."""
    first: dict[str, int] = {}
    for q, question in enumerate(answers.questions):
        other = first.setdefault(_PADDING.sub("", question), q)
        if other != q and not (answered[:, other] & answered[:, q]).any():
            names = [answers.models[int(answered[:, each].argmax())] for each in (other, q)]
            remedy = (
                f"write it in one way: {names[0]} answers {answers.questions[other]!r}, {names[1]} answers {question!r}"
            )
            raise InputError("question", question, "differs from another only in how a number is written", remedy)


def _named(answers: Answers, models: tuple[str, ...]) -> list[int]:
    for model in models:
        if model not in answers.models:
            raise InputError("models", model, "has no answers", f"there are {', '.join(answers.models[:12])}")
    return [answers.models.index(model) for model in models]


def _largest(answered: NDArray[np.bool_]) -> list[int]:
    """Return the models of the largest table that leaving out one after the other meets; more models win a tie."""
    chosen = np.arange(len(answered))
    lacking = (~answered).sum(axis=0)
    best, size = list(range(len(answered))), len(answered) * int((lacking == 0).sum())
    totals = answered.sum(axis=1)
    while len(chosen) > 2:
        missed = ~answered[chosen]
        gains = missed[:, lacking == 1].sum(axis=1)
        # Where no single model is in the way of a question, the one with the fewest answers that others share goes: if
        # any two share a question, two that do are left.
        shared = (~missed[:, lacking < len(chosen) - 1]).sum(axis=1)
        order = np.lexsort((np.arange(len(chosen)), totals[chosen], shared, -gains))
        out = order[0]
        lacking = lacking - missed[out]
        chosen = np.delete(chosen, out)
        if (found := len(chosen) * int((lacking == 0).sum())) > size:
            best, size = chosen.tolist(), found
    return best if size else []


def _left_out(
    answers: Answers, chosen: list[int], answered: NDArray[np.bool_], questions: NDArray[np.int64]
) -> tuple[LeftOut, ...]:
    found = []
    shared = answered[chosen].all(axis=0)
    others = [model for i, model in enumerate(answers.models) if i not in set(chosen)]
    if others:
        counts = dict(zip(answers.models, answered.sum(axis=1).tolist(), strict=True))
        shown = first_of([f"{model}: {counts[model]:,} of {answered.shape[1]:,} questions" for model in others])
        apart = np.flatnonzero(~(answered & shared).any(axis=1))
        if len(apart):
            theirs, ours = (answers.questions[int(each.argmax())] for each in (answered[apart[0]], shared))
            none = f"{answers.models[apart[0]]} answers none of the questions that count"
            shown += f"; {none}: {theirs!r:.60}, not {ours!r:.60}"
        found.append(LeftOut("models", len(others), "with too few answers that the others share", shown))
    lacking = np.flatnonzero(answered[chosen].any(axis=0) & ~shared)
    if len(lacking):
        first = int(lacking[0])
        without = next(answers.models[i] for i in chosen if not answered[i, first])
        example = f"{answers.questions[first]!r}, not answered by {without}"
        missing = {answers.models[i]: int((~answered[i, lacking]).sum()) for i in chosen}
        models = tuple((model, count, answered.shape[1]) for model, count in missing.items() if count)
        found.append(LeftOut("questions", len(lacking), "that not every model answered", example, models))
    return tuple(found)
