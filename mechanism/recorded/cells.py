"""What the cells of recorded generations mean: the layout of the paper's data, and one row a generation."""

from __future__ import annotations

import difflib
import math
import re
from array import array
from collections.abc import Callable

import numpy as np

from bounds.errors import InputError, printable
from mechanism.recorded.alignment import Record
from mechanism.tabular.generation_rows import Cells, Table, located

__all__ = ["FlatRows", "check_columns", "is_one_row_a_question", "question_record", "text_cell"]

MOST_TOKENS = 2**31 - 1

MEANINGS = {
    "model": "it names the model",
    "question": "it names the question",
    "generation": "it numbers the generations of a model and question: 0, 1, ...",
    "correct": "it says whether the generation is correct: true or false, 1 or 0",
    "tokens": "it is the number of output tokens",
    "reward": "it is the score of a reward model (optional; an empty cell means missing)",
    "qid": "it names the question",
    "num_tokens": "it lists the output tokens of the generations",
    "rewards": "it lists the scores of a reward model (optional; null means missing)",
}
_ROW_A_GENERATION = ("model", "question", "generation", "correct", "tokens", "reward")
_ROW_A_QUESTION = ("qid", "correct", "num_tokens", "rewards")
_OPTIONAL = ("reward", "rewards")

Number = Callable[[object], float | None]


def is_one_row_a_question(table: Table) -> bool:
    """Return whether a file has the layout of the paper's data, which has a column qid."""
    return "qid" in table.columns and "generation" not in table.columns


def check_columns(table: Table) -> None:
    """Raise an InputError if a column of the file's layout is missing or misspelt; others are ignored."""
    names = _ROW_A_QUESTION if is_one_row_a_question(table) else _ROW_A_GENERATION
    others = [column for column in table.columns if column not in names]
    for name in names:
        if name in table.columns:
            continue
        near = difflib.get_close_matches(name, [other.casefold()[:40] for other in others], 1, cutoff=0.75)
        if near or name not in _OPTIONAL:
            remedy = f"is it the column {near[0]!r}? rename it" if near else MEANINGS[name]
            raise located(InputError(name, None, "must be given", remedy), f"{printable(table.name)}:{table.first}")


class _Rows:
    """The rows of one model and question, by column."""

    def __init__(self) -> None:
        self.generation, self.correct, self.tokens = array("q"), array("b"), array("i")
        self.reward, self.place = array("d"), array("q")


def question_record(cells: Cells, number: Number, place: str) -> tuple[str, Record]:
    """Return the question of a row of the paper's data, and its record.

    Parameters
    ----------
    cells : mapping
        Of the columns qid, correct, num_tokens and, optionally, rewards: lists with one entry a generation. An
        entry of num_tokens is a count, or of a reasoning model the pair [thinking, total].
    number : callable
        Returns the number that an entry holds, else None.
    place : str
        For the record.

    Raises
    ------
    InputError
        Names the column and the entry, counted from 0.

    Examples
    --------
    >>> cells = {"qid": "q-1", "correct": [True, False], "num_tokens": [12, [7, 30]], "rewards": [0.5, None]}
    >>> question, record = question_record(cells, lambda cell: cell, "a.jsonl:1")
    >>> question, record.correct.tolist(), record.tokens.tolist(), record.reward.tolist()
    ('q-1', [1, 0], [12, 30], [0.5, nan])
    """
    question = text_cell("qid", cells.get("qid"))
    correct = [_correct(f"correct[{i}]", cell, number) for i, cell in enumerate(_entries(cells, "correct"))]
    counts = enumerate(_entries(cells, "num_tokens"))
    tokens = [_tokens(f"num_tokens[{i}]", _total(cell), number) for i, cell in counts]
    given = [] if cells.get("rewards") is None else _entries(cells, "rewards")
    reward = [_reward(f"rewards[{i}]", cell, number) for i, cell in enumerate(given)]
    return question, Record(
        np.array(correct, np.uint8), np.array(tokens, np.int32), np.array(reward, np.float64), place
    )


class FlatRows:
    """Collects the rows of one generation each, in any order, into records.

    Examples
    --------
    >>> rows = FlatRows()
    >>> for generation, correct in (("1", "false"), ("0", "true")):
    ...     cells = {"model": "m", "question": "q", "generation": generation, "correct": correct, "tokens": "5"}
    ...     rows.add(cells, float, "a.csv", 2)
    >>> rows.records()[("m", "q")].correct.tolist()
    [1, 0]
    """

    def __init__(self) -> None:
        self._files: list[str] = []
        self._found: dict[tuple[str, str], _Rows] = {}

    def add(self, cells: Cells, number: Number, file: str, row: int) -> None:
        """Add a row, or raise an InputError that names its column."""
        key = text_cell("model", cells.get("model")), text_cell("question", cells.get("question"))
        generation = _whole("generation", cells.get("generation"), number, 2**53)
        correct = _correct("correct", cells.get("correct"), number)
        tokens = _whole("tokens", cells.get("tokens"), number, MOST_TOKENS)
        reward = _reward("reward", cells.get("reward"), number)
        if not self._files or self._files[-1] != file:
            self._files.append(file)
        rows = self._found.setdefault(key, _Rows())
        rows.generation.append(generation)
        rows.correct.append(correct)
        rows.tokens.append(tokens)
        rows.reward.append(reward)
        rows.place.append(len(self._files) - 1 << 40 | row)

    def records(self) -> dict[tuple[str, str], Record]:
        """Return the records by model and question, generations in order of their numbers.

        Raises
        ------
        InputError
            A generation is given twice.
        """
        return {key: self._record(key) for key in self._found}

    def _record(self, key: tuple[str, str]) -> Record:
        rows = self._found[key]
        generation = np.array(rows.generation)
        order = np.argsort(generation, kind="stable")
        repeated = np.flatnonzero(np.diff(generation[order]) == 0)
        if len(repeated):
            second = order[repeated[0] + 1]
            rule = f"of question {key[1]!r} of {key[0]} is given twice"
            error = InputError("generation", int(generation[second]), rule, "number the generations 0, 1, ...")
            raise located(error, self._place(rows.place[second]))
        return Record(
            np.array(rows.correct, np.uint8)[order],
            np.array(rows.tokens, np.int32)[order],
            np.array(rows.reward, np.float64)[order],
            self._place(rows.place[0]),
        )

    def _place(self, code: int) -> str:
        return f"{printable(self._files[code >> 40])}:{code & (1 << 40) - 1}"


def text_cell(column: str, cell: object) -> str:
    """Return a name; a whole number names as its digits do."""
    if type(cell) is int:
        return str(cell)
    if not isinstance(cell, str) or not cell.strip():
        raise InputError(column, cell, "must be a name", MEANINGS[column])
    return cell


def _entries(cells: Cells, column: str) -> list[object]:
    entries = cells.get(column)
    if not isinstance(entries, list):
        raise InputError(column, entries, "must be a list with one entry a generation", MEANINGS[column])
    return entries


def _total(cell: object) -> object:
    return cell[1] if isinstance(cell, list) and len(cell) == 2 else cell


def _tokens(column: str, cell: object, number: Number) -> int:
    return _whole(column, cell, number, MOST_TOKENS)


def _whole(column: str, cell: object, number: Number, most: int) -> int:
    value = number(cell)
    if value is None or not 0 <= value <= most or value != math.floor(value):
        raise InputError(column, cell, f"must be a whole number in 0..{most}", _meaning(column))
    return int(value)


def _correct(column: str, cell: object, number: Number) -> int:
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, str) and cell.strip().casefold() in ("true", "false"):
        return int(cell.strip().casefold() == "true")
    value = number(cell)
    if value not in (0, 1):
        raise InputError(column, cell, "must be true or false, 1 or 0", _meaning(column))
    return int(value)


def _reward(column: str, cell: object, number: Number) -> float:
    """Return a score; NaN, which aligns with no other, where it is missing."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return math.nan
    value = number(cell)
    if value is None:
        raise InputError(column, cell, "must be a number", _meaning(column))
    return value


def _meaning(column: str) -> str:
    return MEANINGS[re.sub(r"\[.*", "", column)]
