"""Which models and questions make a market: those where every model has as many answers to every question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.words import first_of
from mechanism.answers.complete import Misalignment
from mechanism.answers.omissions import Absence, Omission
from mechanism.answers.table import Answers
from mechanism.tabular.files import natural_order

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
    rows : numpy.ndarray of int64, shape (M, K, S)
        The answers of every model to every question, as indices of the answers.
    left_out : tuple of Omission
    misaligned, unrewarded : tuple of Misalignment
        Of recorded generations: why questions are left out, and which others lack rewards.
    """

    models: tuple[int, ...]
    questions: tuple[int, ...]
    rows: NDArray[np.int64]
    left_out: tuple[Omission, ...]
    misaligned: tuple[Misalignment, ...] = ()
    unrewarded: tuple[Misalignment, ...] = ()


class _Cells:
    """What stands in each cell of the table of models and questions, shape (models, questions)."""

    def __init__(self, answers: Answers) -> None:
        shape = len(answers.models), len(answers.questions)
        if shape[0] * shape[1] > MOST_CELLS:
            shown = f"{shape[0]:,} models and {shape[1]:,} questions"
            raise InputError("answers", shown, f"are a table of more than {MOST_CELLS:,} cells", "choose models")
        cell = answers.model.astype(np.int64) * shape[1] + answers.question
        given = (cell >= 0, ~np.isnan(answers.score), answers.tokens_out >= 0, np.isfinite(answers.reward))
        counts = (np.bincount(cell[each], minlength=shape[0] * shape[1]).reshape(shape) for each in given)
        self.rows, self.scores, self.tokens, self.rewards = counts
        self._order = np.lexsort((answers.generation, cell))
        self._start = np.cumsum(self.rows).reshape(shape) - self.rows

    def answers(self, models: Sequence[int], questions: Sequence[int], size: int) -> NDArray[np.int64]:
        """Return the first rows of some cells, in the order of their generations, shape (M, K, size)."""
        start = self._start[np.array(models)[:, None], np.array(questions)]
        return np.asarray(self._order[start[..., None] + np.arange(size)])


def select(answers: Answers, models: tuple[str, ...] | None = None) -> Selection:
    """Choose the models of a public evaluation, and the questions that all of them answered.

    Parameters
    ----------
    answers : Answers
        One of a model to a question at most.
    models : tuple of str, optional
        Exactly these, in this order. By default as many as make the table of models and questions largest: one
        model after the other is left out, each time the one without which most questions are answered by all.

    Raises
    ------
    InputError
        No question has the answers of all.

    Examples
    --------
    >>> from mechanism.answers.rows import AnswerRows, RawAnswer
    >>> rows = AnswerRows()
    >>> for question, model in ((0, "a"), (1, "a"), (2, "a"), (0, "b"), (1, "b"), (2, "b"), (2, "c")):
    ...     rows.add(RawAnswer(question, model, ("score", 1), ("cost", 0.1)), 1)
    >>> found = select(rows.answers())
    >>> found.models, found.questions, [str(each) for each in found.left_out]
    ((0, 1), (0, 1, 2), ['1 model with too few answers that the others share (c: 1 of 3 questions)'])
    """
    cells = _Cells(answers)
    answered = cells.rows == 1
    chosen = _largest(answered) if models is None else [answers.models.index(model) for model in models]
    _refuse_two_forms(answers, answered)
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
        rows=cells.answers(chosen, questions.tolist(), 1),
        left_out=(*_models_left_out(answers, chosen, answered), *_questions_left_out(answers, chosen, answered, cells)),
    )


def align(answers: Answers, models: tuple[str, ...], *, require_rewards: bool) -> Selection:
    """Choose the questions of recorded generations that every model has in full, in natural order.

    Parameters
    ----------
    answers : Answers
    models : tuple of str
        In the order wanted.
    require_rewards : bool
        Whether a question that lacks a reward is left out too.

    Raises
    ------
    InputError
        If the models have different numbers of generations, or no question is left.
    """
    cells, chosen = _Cells(answers), [answers.models.index(model) for model in models]
    size = _usual_size(answers, chosen, cells)
    whole = (cells.scores == size) & (cells.tokens == size)
    rewarded = (cells.rewards == size) & (cells.rows == size)
    questions = [answers.questions.index(question) for question in natural_order(answers.questions)]
    misaligned, unrewarded = [], []
    for q in questions:
        short = [_misalignment(answers, m, q, size, cells) for m in chosen if not whole[m, q]]
        bare = [_misalignment(answers, m, q, size, cells) for m in chosen if whole[m, q] and not rewarded[m, q]]
        misaligned += short + (bare if require_rewards else [])
        unrewarded += [] if require_rewards or short else bare
    answered = whole & rewarded if require_rewards else whole
    kept = [q for q in questions if answered[chosen, q].all()]
    if not kept:
        shown = "; ".join(map(str, misaligned[:3]))
        raise InputError("questions", 0, f"are recorded in full for all of {', '.join(models)}", shown)
    return Selection(
        models=tuple(chosen),
        questions=tuple(kept),
        rows=cells.answers(chosen, kept, size),
        left_out=tuple(_questions_left_out(answers, chosen, answered, cells, *map(str, misaligned[:1]))),
        misaligned=tuple(misaligned),
        unrewarded=tuple(unrewarded),
    )


def _usual_size(answers: Answers, chosen: list[int], cells: _Cells) -> int:
    """Return S, the usual number of generations of a question, which must be the same for all models."""
    usual: dict[str, int] = {}
    for m in chosen:
        counts: Counter[int] = Counter(cells.scores[m][cells.rows[m] > 0].tolist())
        usual[answers.models[m]] = max(counts, key=lambda size: (counts[size], size))
    if len(set(usual.values())) > 1:
        shown = ", ".join(f"{model} {size}" for model, size in usual.items())
        remedy = "choose models with the same number, with models=[...]"
        raise InputError("models", shown, "generations per question are not the same number", remedy)
    return next(iter(usual.values()))


def _misalignment(answers: Answers, m: int, q: int, size: int, cells: _Cells) -> Misalignment:
    """Return why a question cannot be used for a model."""
    labels, tokens, rewards = int(cells.scores[m, q]), int(cells.tokens[m, q]), int(cells.rewards[m, q])
    place = answers.at(int(cells.answers([m], [q], 1)[0, 0, 0])) if cells.rows[m, q] else ""
    if not cells.rows[m, q]:
        reason = "has no row"
    elif labels != tokens:
        reason = f"has {labels} correctness labels and {tokens} token counts"
    elif labels != size:
        reason = f"has {labels} generations, not {size}"
    else:
        surplus = f"has {rewards} rewards for {size} generations"
        reason = surplus if cells.rows[m, q] > size else f"lacks {size - rewards} of {size} rewards"
    return Misalignment(answers.questions[q], answers.models[m], reason, place)


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


def _models_left_out(answers: Answers, chosen: list[int], answered: NDArray[np.bool_]) -> Iterator[Omission]:
    others = [model for i, model in enumerate(answers.models) if i not in set(chosen)]
    if others:
        shared = answered[chosen].all(axis=0)
        counts = dict(zip(answers.models, answered.sum(axis=1).tolist(), strict=True))
        shown = first_of([f"{model}: {counts[model]:,} of {answered.shape[1]:,} questions" for model in others])
        apart = np.flatnonzero(~(answered & shared).any(axis=1))
        if len(apart):
            theirs, ours = (answers.questions[int(each.argmax())] for each in (answered[apart[0]], shared))
            none = f"{answers.models[apart[0]]} answers none of the questions that count"
            shown += f"; {none}: {theirs!r:.60}, not {ours!r:.60}"
        yield Omission("models", len(others), "with too few answers that the others share", shown)


def _questions_left_out(
    answers: Answers, chosen: list[int], answered: NDArray[np.bool_], cells: _Cells, example: str = ""
) -> Iterator[Omission]:
    lacking = np.flatnonzero(cells.rows[chosen].any(axis=0) & ~answered[chosen].all(axis=0))
    if len(lacking):
        without = next(answers.models[i] for i in chosen if not answered[i, lacking[0]])
        example = example or f"{answers.questions[lacking[0]]!r}, not answered by {without}"
        missing = {answers.models[i]: int((~answered[i, lacking]).sum()) for i in chosen}
        models = tuple(Absence(model, count, answered.shape[1]) for model, count in missing.items() if count)
        yield Omission("questions", len(lacking), "that not every model answered", example, models)
