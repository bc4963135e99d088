"""Collects answers row by row, and checks their cells."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from bounds.errors import MISSING, InputError
from mechanism.answers.table import PLACE_BITS, Answers
from mechanism.tabular.scalars import cell_number, truth_number, visible

#: More than these are nothing that a laptop reads.
MOST_ANSWERS, MOST_MODELS = 1 << 24, 1 << 14
LONGEST_MODEL, LONGEST_QUESTION = 200, 2_000
MOST_TOKENS = 2**31 - 1
MOST_DOLLARS = 1e9
"""USD of one answer that are too many."""

_TYPES = {"model": "i", "question": "i", "generation": "q", "numbered": "b", "score": "d", "cost": "d"}
_TYPES |= {"tokens_in": "q", "tokens_cached": "q", "tokens_out": "q", "reward": "d", "failed": "b", "place": "q"}


#: What errors call a cell, and what is in it.
NamedCell = tuple[str, object]
_NONE: NamedCell = ("", None)


class RawAnswer(NamedTuple):
    """One answer as a format finds it: cells that are not checked yet.

    A cell is None where the format has none, and `MISSING` where a list of a record of generations is too short.
    `exact` asks for a score of 0 or 1 and for tokens. `score_name` tells several scores of an answer apart; it is None
    of an answer that failed before it was scored.
    """

    question: object
    model: object
    score: NamedCell
    cost: NamedCell = _NONE
    tokens_in: NamedCell = _NONE
    tokens_out: NamedCell = _NONE
    reward: NamedCell = _NONE
    generation: object = 0
    failed: bool = False
    exact: bool = False
    numbered: bool = False
    tokens_cached: NamedCell = _NONE
    score_name: str | None = ""


class AnswerRows:
    """Collects answers, and checks their cells.

    Parameters
    ----------
    wanted : collection of str, optional
        The models that count; by default all.

    Examples
    --------
    >>> rows = AnswerRows()
    >>> rows.files.append("a.csv")
    >>> rows.add(RawAnswer("q1", "m", ("score", "0.5"), ("cost", "0.001")), 2)
    >>> found = rows.answers()
    >>> found.score.tolist(), found.models, found.at(0)
    ([0.5], ('m',), 'a.csv:2')
    """

    def __init__(self, wanted: Collection[str] | None = None) -> None:
        self._wanted = wanted
        self.files: list[str] = []
        """The files so far; rows are of the last one."""
        self.others: set[str] = set()
        """Models that are not wanted."""
        self._models: dict[str, int] = {}
        self._questions: dict[str, int] = {}
        self._columns: tuple[array[Any], ...] = tuple(map(array, _TYPES.values()))

    def __len__(self) -> int:
        return len(self._columns[0])

    def keep(self, count: int) -> None:
        """Forget all rows but the first ones."""
        for column in self._columns:
            del column[count:]

    def is_wanted(self, model: str) -> bool:
        """Return whether a model counts; remember it if not."""
        if self._wanted is None or model in self._wanted:
            return True
        if len(self.others) < 1000:
            self.others.add(model)
        return False

    def add(self, answer: RawAnswer, row: int) -> None:
        """Add an answer; an InputError, without its place, if a cell breaks a rule."""
        if len(self) == MOST_ANSWERS:
            raise InputError("", MISSING, f"is one of more than {MOST_ANSWERS:,} answers", "choose a folder")
        model = name_of("model", answer.model, LONGEST_MODEL)
        if not self.is_wanted(model):
            return
        question = name_of("question", answer.question)
        m = self._models.setdefault(model, len(self._models))
        if m >= MOST_MODELS:
            raise InputError("model", model, f"is one of more than {MOST_MODELS:,} models", "choose a folder")
        generation = _whole("generation", answer.generation, 2**53, "it numbers the generations: 0, 1, ...")
        score = _score(*answer.score, exact=answer.exact)
        cost = _number(*answer.cost, MOST_DOLLARS, "it is what the answer cost, in USD")
        tokens_in = _tokens(*answer.tokens_in)
        tokens_cached = _tokens(*answer.tokens_cached)
        tokens_out = _tokens(*answer.tokens_out, required=answer.exact)
        if answer.failed:
            score, cost = (0.0 if math.isnan(each) else each for each in (score, cost))
            tokens_in, tokens_out = max(tokens_in, 0), max(tokens_out, 0)
        q = self._questions.setdefault(question, len(self._questions))
        reward = reward_of(*answer.reward)
        place = len(self.files) - 1 << PLACE_BITS | row
        tokens = (tokens_in, tokens_cached, tokens_out)
        found = (m, q, generation, answer.numbered, score, cost, *tokens, reward, answer.failed, place)
        for column, value in zip(self._columns, found, strict=True):
            column.append(value)

    def answers(self) -> Answers:
        """Return what was collected."""
        found: dict[str, Any] = {name: np.asarray(column) for name, column in zip(_TYPES, self._columns, strict=True)}
        found |= {name: found[name].view(np.bool_) for name in ("numbered", "failed")}
        return Answers(models=tuple(self._models), questions=tuple(self._questions), files=tuple(self.files), **found)


def name_of(column: str, cell: object, longest: int = LONGEST_QUESTION) -> str:
    """Return a name; a whole number names as its digits do."""
    text = str(cell) if type(cell) is int else cell
    if not isinstance(text, str) or not text.strip():
        raise InputError(column, cell, "must be a name", f"it names the {column}")
    if len(text) > longest:
        raise InputError(column, cell, f"has more than {longest:,} characters", "give it a shorter name")
    return visible(column, text) if column == "model" else text


def reward_of(column: str, cell: object) -> float:
    """Return the score of a reward model; NaN where it is missing."""
    return _number(column, cell, math.inf, "it is the score of a reward model", least=-math.inf)


def _is_missing(cell: object) -> bool:
    missing = cell is None or cell is MISSING or cell != cell
    return missing or (isinstance(cell, str) and cell.strip().casefold() in ("", "nan", "null"))


def _score(column: str, cell: object, *, exact: bool) -> float:
    """Return a score, which true or false may stand for; NaN where it is missing."""
    value = truth_number(cell)
    if value is None and exact and cell is not MISSING:
        value = cell_number(cell)
        if value not in (0, 1):
            raise InputError(column, cell, "must be true or false, 1 or 0", "it says whether the generation is correct")
    return _number(column, cell, 1, "scores must be scaled to 0..1") if value is None else value


def _number(column: str, cell: object, most: float, meaning: str, least: float = 0) -> float:
    """Return a number in [least, most]; NaN if the cell is empty."""
    if _is_missing(cell):
        return math.nan
    value = cell if type(cell) is float else cell_number(cell)
    if value is None:
        raise InputError(column, cell, "must be a number", meaning)
    if not least <= value <= most:
        raise InputError(column, cell, f"must lie in {least:g}..{most:g}", meaning)
    return value + 0.0  # no -0.0


def _tokens(column: str, cell: object, *, required: bool = False) -> int:
    """Return a count of tokens; -1 if the cell is empty, and may be."""
    if cell is MISSING or (not required and _is_missing(cell)):
        return -1
    return _whole(column, cell, MOST_TOKENS, "it is a number of tokens")


def _whole(column: str, cell: object, most: int, meaning: str) -> int:
    value = cell if type(cell) is int else cell_number(cell)
    if value is None or not 0 <= value <= most or value != math.floor(value):
        raise InputError(column, cell, f"must be a whole number in 0..{most}", meaning)
    return int(value)
