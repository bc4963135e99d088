"""Answers of a model to a question that it has answered before: which of them count, and what that changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError
from bounds.words import counted
from mechanism.answers.choices import Repeats
from mechanism.answers.complete import exact_sum
from mechanism.answers.table import Answers
from mechanism.tabular.files import located


def settle_repeats(answers: Answers, count: Repeats | None) -> tuple[Answers, NDArray[np.bool_], tuple[str, ...]]:
    """Choose among the answers of a model to one question.

    Parameters
    ----------
    answers : Answers
    count : {"first", "last", "each", "mean"}, optional
        Which of them count; by default the first, if all have one score.

    Returns
    -------
    tuple of Answers, numpy.ndarray of bool and tuple of str
        The answers that count, which of all do, and by model what the choice changes.

    Raises
    ------
    InputError
        Scores differ, and nobody chose; or a file gives a generation twice.

    Examples
    --------
    >>> from mechanism.answers.rows import AnswerRows, RawAnswer
    >>> rows = AnswerRows()
    >>> rows.files.append("a.csv")
    >>> for row, score in enumerate((1, 0, 1), 2):
    ...     rows.add(RawAnswer("q", "m", ("score", score), ("cost", 0.1)), row)
    >>> kept, _, changes = settle_repeats(rows.answers(), "last")
    >>> kept.score.tolist(), changes[0][:55]
    ([1.0], 'm repeats 2 answers, 2 of them with another score: its ')
    """
    cell = answers.model.astype(np.int64) * len(answers.questions) + answers.question
    # The rows of one generation each are one record of their question, wherever they stand.
    record = np.where(answers.numbered, 0, answers.place)
    order = np.lexsort((record, answers.generation, cell))
    same = (np.diff(cell[order]) == 0) & (np.diff(answers.generation[order]) == 0)
    before, again = order[:-1][same], order[1:][same]
    _refuse_given_twice(answers, again[answers.numbered[again] & answers.numbered[before]])
    found = list(_changes(answers, before, again))
    differing = [(row, sentence) for row, differs, sentence in found if differs]
    if count is None and differing:
        raise _differing(answers, differing)
    sentences = tuple(sentence for _, _, sentence in found if sentence)
    if count == "mean":
        return _averaged(answers, cell), np.full(len(answers), True), sentences
    if count == "each":
        return _as_questions(answers, order, same), np.full(len(answers), True), sentences
    first = np.full(int(cell.max(initial=0)) + 1, record.max(initial=0))
    np.minimum.at(first, cell, record)
    chosen = first
    if count == "last":
        chosen = np.zeros_like(first)
        np.maximum.at(chosen, cell, record)
    counts = record == chosen[cell]
    # The last answer takes the place of the first.
    kept = np.flatnonzero(counts)
    return answers.take(kept[np.argsort(first[cell[kept]], kind="stable")]), counts, sentences


def _refuse_given_twice(answers: Answers, rows: NDArray[np.int64]) -> None:
    if len(rows):
        row = int(rows[0])
        question, model = answers.questions[answers.question[row]], answers.models[answers.model[row]]
        rule = f"of question {question!r} of {model} is given twice"
        error = InputError("generation", int(answers.generation[row]), rule, "number the generations 0, 1, ...")
        raise located(error, answers.at(row))


def _changes(answers: Answers, before: NDArray[np.int64], again: NDArray[np.int64]) -> Iterator[tuple[int, bool, str]]:
    """Yield by model the first repeated row, whether scores differ, and what other choices change, if anything."""
    firsts = np.isfinite(answers.score)
    firsts[again] = False
    for row in sorted(int(again[answers.model[again] == m].min()) for m in np.unique(answers.model[again])):
        own = answers.model[again] == answers.model[row]
        old, new = before[own], again[own]
        repeats = f"{answers.models[answers.model[row]]} repeats {counted(len(new), 'answer')}"
        pairs = [(column[old], column[new]) for column in (answers.cost, answers.tokens_in, answers.tokens_out)]
        at_another = np.any([(a != b) & ~(np.isnan(a) & np.isnan(b)) for a, b in pairs], axis=0).sum()
        scored = np.isfinite(answers.score[old]) & np.isfinite(answers.score[new])
        earlier, later = answers.score[old[scored]], answers.score[new[scored]]
        if not (differ := int((earlier != later).sum())):
            yield row, False, f"{repeats}, {at_another:,} of them at another cost" if at_another else ""
            continue
        kept = answers.score[firsts & (answers.model == answers.model[row])]
        first, added, replaced = map(exact_sum, (kept, later, earlier))
        means = [first / len(kept), (first + added - replaced) / len(kept), (first + added) / (len(kept) + len(later))]
        shown = "{:.6g} if the first counts, {:.6g} if the last does, {:.6g} if each does".format(*map(float, means))
        yield row, True, f"{repeats}, {differ:,} of them with another score: its mean score is {shown}"


def _differing(answers: Answers, differing: list[tuple[int, str]]) -> InputError:
    more = f"; and {len(differing) - 3} more models" if len(differing) > 3 else ""
    ways = f"choose with --repeats {' or '.join(get_args(Repeats))}, or keep one of the answers"
    remedy = f"{'; '.join(sentence for _, sentence in differing[:3])}{more}; {ways}"
    place = answers.at(differing[0][0])
    return InputError(place, MISSING, "repeats a question of the same model, and scores differ", remedy)


def _averaged(answers: Answers, cell: NDArray[np.int64]) -> Answers:
    """Return one answer of a model to a question, with the mean of each number; tokens are rounded to whole ones."""
    _, first, group, counts = np.unique(cell, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)

    def mean(column: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(group, weights=column)[order] / counts[order])

    def count(column: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(mean(column) == -1, -1, np.rint(mean(column.clip(0)))).astype(np.int64)

    return replace(
        answers.take(first[order]),
        score=mean(answers.score),
        cost=mean(answers.cost),
        tokens_in=count(answers.tokens_in),
        tokens_cached=count(answers.tokens_cached),
        tokens_out=count(answers.tokens_out),
        failed=mean(answers.failed) == 1,
    )


def _as_questions(answers: Answers, order: NDArray[np.int64], same: NDArray[np.bool_]) -> Answers:
    """Return each answer as one to a question of its own."""
    at = np.arange(len(order))
    number = np.empty(len(order), np.int64)
    number[order] = at - np.maximum.accumulate(np.where(np.append(False, same), 0, at))
    codes, question = np.unique(number * len(answers.questions) + answers.question, return_inverse=True)
    names = []
    for code in codes.tolist():
        n, q = divmod(code, len(answers.questions))
        names.append(f"{answers.questions[q]} (answer {n + 1})" if n else answers.questions[q])
    return replace(answers, questions=tuple(names), question=question.ravel()).take(at)
