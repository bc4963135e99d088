"""The answers of public evaluations, collected row by row: who answered what, how well, and for how much."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.characters import is_hidden
from bounds.errors import MISSING, InputError
from mechanism.evaluations.prices import TokenPrice
from mechanism.evaluations.report import Kind, LeftOut

__all__ = ["Answer", "AnswerRows", "Answers"]

#: More than these are no evaluation that a laptop reads.
MOST_ANSWERS = 1 << 23
MOST_RECORDS = 1 << 23
MOST_MODELS = 1 << 14
LONGEST_MODEL, LONGEST_QUESTION = 200, 2_000
MOST_TOKENS = 2**31 - 1
MOST_DOLLARS = 1e9
"""USD of one answer that are too many."""


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
    failure: str = ""


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
    """

    models: tuple[str, ...]
    questions: tuple[str, ...]
    model: NDArray[np.int32]
    question: NDArray[np.int32]
    score: NDArray[np.float64]
    dollars: NDArray[np.float64]
    input_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]


class AnswerRows:
    """Collects answers, checks their cells and counts what is left out.

    Parameters
    ----------
    wanted : tuple of str, optional
        The models that count; by default all.
    prices : mapping of str to TokenPrice, optional
        By model; an answer with output tokens then needs no recorded cost.

    Examples
    --------
    >>> rows = AnswerRows()
    >>> rows.add(Answer("q1", "m", "0.5", "0.001"), float, "a.csv:2")
    >>> rows.add(Answer("q2", "m", "", "0.001"), float, "a.csv:3")
    >>> rows.answers().score.tolist(), [str(each) for each in rows.left_out()]
    ([0.5], ['1 answer without a score (a.csv:3)'])
    """

    def __init__(self, wanted: tuple[str, ...] | None = None, prices: Mapping[str, TokenPrice] | None = None) -> None:
        self._wanted, self._prices = wanted, prices or {}
        self._models: dict[str, int] = {}
        self._questions: dict[str, int] = {}
        self._columns: tuple[array[Any], ...] = tuple(array(kind) for kind in "iiddqq")
        self._seen: set[int] = set()
        self._count = 0  # those that are left out included
        self._left_out: dict[tuple[Kind, str], tuple[int, str]] = {}
        self.others: set[str] = set()
        """Models that are not wanted."""

    def leave_out(self, what: Kind, reason: str, first: str, count: int = 1) -> None:
        """Count something that is left out."""
        known, place = self._left_out.get((what, reason), (0, first))
        self._left_out[what, reason] = (known + count, place)

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what was left out so far, by reason."""
        return tuple(LeftOut(what, n, why, first) for (what, why), (n, first) in self._left_out.items())

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
        if answer.failure:
            self.leave_out("answers", answer.failure, place)
            return
        question = _name("question", answer.question, LONGEST_QUESTION)
        named = answer.columns
        score = _number(named[0], _as_score(answer.score), number, 1, "scores must be scaled to 0..1")
        dollars = _number(named[1], answer.cost, number, MOST_DOLLARS, "it is what the answer cost, in USD")
        tokens = tuple(
            _tokens(name, cell, number)
            for name, cell in zip(named[2:], (answer.input_tokens, answer.output_tokens), strict=True)
        )
        if math.isnan(score):
            self.leave_out("answers", "without a score", place)
        elif not self._is_priced(model, dollars, tokens):
            self.leave_out("answers", "without a cost", place)
        else:
            self._store(question, model, (score, dollars), tokens, place)

    def _is_priced(self, model: str, dollars: float, tokens: tuple[int, ...]) -> bool:
        price = self._prices.get(model)
        if price is None:
            return not math.isnan(dollars)
        return tokens[1] >= 0 and (tokens[0] >= 0 or price.input == 0)

    def _store(
        self, question: str, model: str, numbers: tuple[float, float], tokens: tuple[int, ...], place: str
    ) -> None:
        m = self._models.setdefault(model, len(self._models))
        q = self._questions.setdefault(question, len(self._questions))
        key = q << 20 | m
        if key in self._seen:
            self.leave_out("answers", "repeating a question of the same model", place)
            return
        if len(self._models) > MOST_MODELS:
            raise InputError("model", model, f"is one of more than {MOST_MODELS:,} models", "choose a folder")
        self._seen.add(key)
        for column, value in zip(self._columns, (m, q, *numbers, *tokens), strict=True):
            column.append(value)

    def answers(self) -> Answers:
        """Return what was collected."""
        model, question, score, dollars, input_tokens, output_tokens = map(np.array, self._columns)
        return Answers(
            models=tuple(self._models),
            questions=tuple(self._questions),
            model=model.astype(np.int32),
            question=question.astype(np.int32),
            score=score.astype(np.float64),
            dollars=dollars.astype(np.float64),
            input_tokens=input_tokens.astype(np.int64),
            output_tokens=output_tokens.astype(np.int64),
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


def _as_score(cell: object) -> object:
    """Return the number that true or false stands for; any other cell as it is."""
    if isinstance(cell, str) and (text := cell.strip().casefold()) in ("true", "false"):
        return float(text == "true")
    return float(cell) if isinstance(cell, bool) else cell


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
