"""The answers of public evaluations, collected row by row: who answered what, how well, and for how much."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.characters import is_hidden
from bounds.errors import MISSING, InputError
from mechanism.evaluations.prices import TokenPrice
from mechanism.evaluations.repeats import RepeatedAnswers, Repeats
from mechanism.evaluations.report import Kind, LeftOut
from mechanism.tabular.pieces import truth_number

__all__ = ["WITHOUT_COST", "WITHOUT_SCORE", "WITHOUT_TOKENS", "Answer", "AnswerRows", "Answers"]

#: More than these are no evaluation that a laptop reads.
MOST_ANSWERS = 1 << 23
MOST_RECORDS = 1 << 23
MOST_MODELS = 1 << 14
LONGEST_MODEL, LONGEST_QUESTION = 200, 2_000
MOST_TOKENS = 2**31 - 1
MOST_DOLLARS = 1e9
"""USD of one answer that are too many."""


WITHOUT_SCORE, WITHOUT_COST = "without a score", "without a cost"
WITHOUT_TOKENS = "without tokens, which a price needs"
"""Reasons why an answer is left out."""


@dataclass(frozen=True)
class Answer:
    """One answer as a format finds it: cells that are not checked yet, and what errors call them.

    `columns` are the names of score, cost, input tokens and output tokens. A cost or a token count is None where the
    format has none; a `failure` is the reason why the answer does not count.
    """

    question: object
    model: object
    score: object
    cost: object = None
    input_tokens: object = None
    output_tokens: object = None
    columns: tuple[str, str, str, str] = ("score", "cost", "input_tokens", "output_tokens")
    failed: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """All answers that count, as columns of one length.

    Attributes
    ----------
    models, questions : tuple of str
        In the order in which they came.
    model, question : numpy.ndarray of int32
        Their indices.
    score : numpy.ndarray of float64
        In [0, 1].
    dollars : numpy.ndarray of float64
        What the answer cost as recorded, USD; NaN where none is recorded.
    input_tokens, output_tokens : numpy.ndarray of int64
        -1 where none are recorded.
    failed : numpy.ndarray of bool
        Whether the generation failed.
    """

    models: tuple[str, ...]
    questions: tuple[str, ...]
    model: NDArray[np.int32]
    question: NDArray[np.int32]
    score: NDArray[np.float64]
    dollars: NDArray[np.float64]
    input_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    failed: NDArray[np.bool_]


class AnswerRows:
    """Collects answers, checks their cells and counts what is left out.

    Parameters
    ----------
    wanted : tuple of str, optional
        The models that count; by default all.
    prices : mapping of str to TokenPrice, optional
        By model; an answer with output tokens then needs no recorded cost.
    repeats : {"first", "last", "each"}, optional
        Which answers of a model to one question count; `each` makes them answers to questions of their own. By default
        the first, where all have one score.

    Examples
    --------
    >>> rows = AnswerRows()
    >>> rows.add(Answer("q1", "m", "0.5", "0.001"), float, "a.csv:2")
    >>> rows.add(Answer("q2", "m", "", "0.001"), float, "a.csv:3")
    >>> rows.answers().score.tolist(), [str(each) for each in rows.left_out()]
    ([0.5], ['1 answer without a score (m 1 of 2; a.csv:3)'])
    """

    def __init__(
        self,
        wanted: tuple[str, ...] | None = None,
        prices: Mapping[str, TokenPrice] | None = None,
        repeats: Repeats | None = None,
    ) -> None:
        self._wanted, self._prices = wanted, prices or {}
        self.repeated = RepeatedAnswers(repeats)
        self._models: dict[str, int] = {}
        self._questions: dict[tuple[str, int], int] = {}  # by name and, if each answer counts, its number
        self._columns: tuple[array[Any], ...] = tuple(array(kind) for kind in "iiddqqb")
        self._row_of: dict[int, int] = {}
        self._count = 0  # those that are left out included
        self._left_out: dict[tuple[Kind, str], tuple[int, str, Counter[str]]] = {}
        self.counts: Counter[str] = Counter()
        """Answers of every wanted model, those that are left out included."""
        self.has_tokens = self.has_costs = False
        """Whether some answer states tokens, or a cost."""
        self.unpriced: dict[str, array[float]] = {}
        """By model: the scores of the answers that are left out since they have no cost."""
        self.others: set[str] = set()
        """Models that are not wanted."""

    def leave_out(self, what: Kind, reason: str, first: str, count: int = 1, model: str | None = None) -> None:
        """Count something that is left out, of one model or of none."""
        known, place, models = self._left_out.get((what, reason), (0, first, Counter()))
        if model is not None:
            models[model] += count
        self._left_out[what, reason] = (known + count, place, models)

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what was left out so far, by reason."""
        return tuple(
            LeftOut(what, n, why, first, tuple((model, m, self.counts[model]) for model, m in models.most_common()))
            for (what, why), (n, first, models) in self._left_out.items()
        )

    def without(self, reason: str) -> Mapping[str, int]:
        """Return by model how many answers were left out for a reason."""
        return self._left_out.get(("answers", reason), (0, "", Counter()))[2]

    def add(self, answer: Answer, number: Callable[[object], float | None], place: str) -> None:
        """Add an answer; an InputError, without its place, if a cell breaks a rule."""
        self._count += 1
        if self._count > MOST_ANSWERS:
            raise InputError("", MISSING, f"is one of more than {MOST_ANSWERS:,} answers", "choose a folder")
        model = _name("model", answer.model, LONGEST_MODEL)
        if self._wanted is not None and model not in self._wanted:
            if len(self.others) < 1000:
                self.others.add(model)
            return
        self.counts[model] += 1
        if len(self.counts) > MOST_MODELS:
            raise InputError("model", model, f"is one of more than {MOST_MODELS:,} models", "choose a folder")
        question = _name("question", answer.question, LONGEST_QUESTION)
        named = answer.columns
        score = _number(named[0], _truth_or(answer.score), number, 1, "scores must be scaled to 0..1")
        dollars = _number(named[1], answer.cost, number, MOST_DOLLARS, "it is what the answer cost, in USD")
        tokens = tuple(
            _tokens(name, cell, number)
            for name, cell in zip(named[2:], (answer.input_tokens, answer.output_tokens), strict=True)
        )
        self.has_tokens |= tokens[1] >= 0
        self.has_costs |= not math.isnan(dollars)
        if answer.failed:
            score, dollars = (0.0 if math.isnan(each) else each for each in (score, dollars))
            tokens = (max(tokens[0], 0), max(tokens[1], 0))
        if math.isnan(score):
            self.leave_out("answers", WITHOUT_SCORE, place, model=model)
        elif lacking := self._lacks(model, dollars, tokens):
            self.unpriced.setdefault(model, array("d")).append(score)
            self.leave_out("answers", lacking, place, model=model)
        else:
            self._store(question, model, (score, dollars, *tokens, answer.failed), place)

    def _lacks(self, model: str, dollars: float, tokens: tuple[int, ...]) -> str:
        """Return what an answer lacks to have a cost; nothing if it has one."""
        price = self._prices.get(model)
        if price is None:
            return WITHOUT_COST if math.isnan(dollars) else ""
        return "" if tokens[1] >= 0 and (tokens[0] >= 0 or price.input == 0) else WITHOUT_TOKENS

    def _store(self, question: str, model: str, numbers: tuple[float, ...], place: str, number: int = 1) -> None:
        m = self._models.setdefault(model, len(self._models))
        q = self._questions.setdefault((question, number), len(self._questions))
        row = self._row_of.setdefault(q << 20 | m, len(self._columns[0]))
        if row == len(self._columns[0]):
            for column, value in zip(self._columns, (m, q, *numbers), strict=True):
                column.append(value)
            return
        first = tuple(column[row] for column in self._columns[2:])
        again = self.repeated.add(row, model, first, numbers, place)
        if self.repeated.count == "each":
            self._store(question, model, numbers, place, again)
            return
        if self.repeated.count == "last":
            for column, value in zip(self._columns[2:], numbers, strict=True):
                column[row] = value
        rest = " that a later one replaces" if self.repeated.count == "last" else ""
        self.leave_out("answers", f"repeating a question of the same model{rest}", place, model=model)

    def answers(self) -> Answers:
        """Return what was collected."""
        model, question, score, dollars, input_tokens, output_tokens, failed = map(np.array, self._columns)
        return Answers(
            models=tuple(self._models),
            questions=tuple(q if number == 1 else f"{q} (answer {number})" for q, number in self._questions),
            model=model.astype(np.int32),
            question=question.astype(np.int32),
            score=score.astype(np.float64),
            dollars=dollars.astype(np.float64),
            input_tokens=input_tokens.astype(np.int64),
            output_tokens=output_tokens.astype(np.int64),
            failed=failed.astype(np.bool_),
        )


def _name(column: str, cell: object, longest: int) -> str:
    """Return a name; a whole number names as its digits do."""
    text = str(cell) if type(cell) is int else cell
    if not isinstance(text, str) or not text.strip():
        raise InputError(column, cell, "must be a name", f"it names the {column}")
    if len(text) > longest:
        raise InputError(column, cell, f"has more than {longest:,} characters", "give it a shorter name")
    if column == "model" and not (text.isascii() and text.isprintable()) and any(map(is_hidden, text)):
        raise InputError(column, cell, "holds a control or an invisible character", "write it without")
    return text


def _is_missing(cell: object) -> bool:
    return cell is None or cell != cell or (isinstance(cell, str) and cell.strip().casefold() in ("", "nan", "null"))


def _truth_or(cell: object) -> object:
    """Return the number that true or false stands for; any other cell as it is."""
    value = truth_number(cell)
    return cell if value is None else value


def _number(column: str, cell: object, number: Callable[[object], float | None], most: float, meaning: str) -> float:
    """Return a number in [0, most]; NaN if the cell is empty."""
    if _is_missing(cell):
        return math.nan
    value = cell if type(cell) is float else number(cell)
    if value is None:
        raise InputError(column, cell, "must be a number", meaning)
    if not 0 <= value <= most:
        raise InputError(column, cell, f"must lie in 0..{most:g}", meaning)
    return value + 0.0  # no -0.0


def _tokens(column: str, cell: object, number: Callable[[object], float | None]) -> int:
    """Return a count of tokens; -1 if the cell is empty."""
    if _is_missing(cell):
        return -1
    value = number(cell)
    if value is None or not 0 <= value <= MOST_TOKENS or value != math.floor(value):
        raise InputError(column, cell, f"must be a whole number in 0..{MOST_TOKENS}", "it is a number of tokens")
    return int(value)
