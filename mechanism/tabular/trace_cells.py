"""What the cells of a trace file mean: read row by row, with the reason of a refusal, or whole columns at once."""

from __future__ import annotations

import difflib
import math
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError, printable
from bounds.setting.model import Setting
from mechanism.tabular.trace_lines import located
from mechanism.tabular.trace_rows import COLUMNS, Row

__all__ = ["AMOUNTS", "Cells", "Piece", "are_amounts", "column_of_numbers", "column_of_providers", "piece_of_text"]

AMOUNTS = ("payment", "score", "bid", "cost")
"""The columns of numbers, in their order; a file may lack the last."""


class Piece(NamedTuple):
    """Consecutive rows.

    Attributes
    ----------
    lines : array of int, shape (rows,)
        The line on which each starts.
    provider : array of int, shape (rows,)
        0-based.
    amounts : tuple of arrays of float, each of shape (rows,)
        Those of `AMOUNTS` that the file has.
    """

    lines: NDArray[np.int64]
    provider: NDArray[np.int64]
    amounts: tuple[NDArray[np.float64], ...]


class Cells:
    """What the cells of a row mean, or which rule they break; errors name the column.

    Parameters
    ----------
    setting : Setting
    number : callable
        Returns the number that a cell of the format holds, else None.
    name : str
        What errors call the file.

    Attributes
    ----------
    n_providers : int
    indices : dict of str to int
        The providers by what a text may call them: their names, and the indices that are nobody's name.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.tabular.trace_rows import text_number
    >>> cells = Cells(published("gpqa-strong").setting, text_number, "trace.csv")
    >>> cells.piece([(2, ("1", "Qwen2.5-7B", "75", "1", "20.5"))], 1).provider.tolist()
    [3]
    >>> cells.piece([(2, ("2", "Qwen2.5-7B", "75", "1", "20.5"))], 1)
    Traceback (most recent call last):
    bounds.errors.InputError: trace.csv:2:step='2' must be 1: steps count from 1; ...
    """

    def __init__(self, setting: Setting, number: Callable[[object], float | None], name: str) -> None:
        self._setting, self._number, self._name = setting, number, name
        self.n_providers = setting.n_providers
        names = {provider.name: i for i, provider in enumerate(setting.providers)}
        self.indices: dict[str, int] = {str(i): i for i in names.values()} | names

    def piece(self, rows: Iterable[Row], first_step: int) -> Piece | None:
        """Return the rows as columns, None if there are none.

        Raises
        ------
        InputError
            The first cell that breaks a rule, with the file, its line and its column.
        """
        lines, served, amounts = array("q"), array("q"), {name: array("d") for name in AMOUNTS}
        for step, (line, (found, provider, *rest)) in enumerate(rows, first_step):
            try:
                self._check_step(found, step)
                served.append(self._provider(provider))
                for name, cell in zip(AMOUNTS, rest, strict=False):  # cost may be absent
                    amounts[name].append(self._amount(name, cell))
            except InputError as error:
                raise located(error, f"{printable(self._name)}:{line}") from None
            lines.append(line)
        if not served:
            return None
        columns = tuple(np.frombuffer(column) for column in amounts.values() if column)
        return Piece(np.frombuffer(lines, dtype=np.int64), np.frombuffer(served, dtype=np.int64), columns)

    def _check_step(self, cell: object, expected: int) -> None:
        found = self._number(cell)
        if found == expected:
            return
        if found is None or not found.is_integer():
            remedy = COLUMNS["step"]
        elif expected == 1:
            remedy = "steps count from 1; the beginning of the log may be missing"
        elif found > expected:
            remedy = "rows are missing before it: was the log truncated, filtered or reordered?"
        elif found == expected - 1:
            remedy = "the row repeats a step: was it logged twice?"
        else:
            remedy = "the rows are out of order: was the log reordered, or are these several logs?"
        raise InputError("step", cell, f"must be {expected}", remedy)

    def _provider(self, cell: object) -> int:
        if isinstance(cell, str) and (index := self.indices.get(cell)) is not None:
            return index
        last = self.n_providers - 1
        if type(cell) is int and 0 <= cell <= last:
            return cell
        if type(cell) is int or (isinstance(cell, str) and re.fullmatch(r"-[0-9]+|[1-9][0-9]*", cell)):
            raise InputError("provider", cell, f"must lie in 0..{last}", "indices start at 0")
        rule = f"is not a provider of setting '{printable(self._setting.name, 40)}'"
        raise InputError("provider", cell, rule, self._suggestion(cell))

    def _suggestion(self, cell: object) -> str:
        names = [provider.name for provider in self._setting.providers]
        near = difflib.get_close_matches(cell[:200], names, 1) if isinstance(cell, str) else []
        if near:
            return f"did you mean '{printable(near[0], 40)}'?"
        shown = ", ".join(f"'{printable(name, 40)}'" for name in names[:12])
        return f"write an index in 0..{len(names) - 1} or a name: {shown}{', ...' if names[12:] else ''}"

    def _amount(self, name: str, cell: object) -> float:
        value = self._number(cell)
        if value is None:
            raise InputError(name, cell, "must be a number", f"{COLUMNS[name]}; write it as 0.5 or 3")
        if not math.isfinite(value):
            raise InputError(name, cell, "must be finite", COLUMNS[name])
        if name == "score" and not 0 <= value <= 1:
            raise InputError(name, cell, "must lie in [0, 1]", "rescale the grade of the response")
        return value


def piece_of_text(
    columns: Sequence[Sequence[str]], lines: NDArray[np.int64], first_step: int, indices: Mapping[str, int]
) -> Piece | None:
    """Return whole columns of text as `Cells.piece` would read their rows, or None where it might refuse one.

    Parameters
    ----------
    columns : sequence of sequences of str
        The cells, by column, in the order of `COLUMNS`.
    lines : array of int, shape (rows,)
        The line on which each row starts.
    first_step : int
        The step that the first row must have.
    indices : mapping of str to int
        The providers by the text of their cells.

    Examples
    --------
    >>> columns = ["3", "4"], ["a", "b"], ["1.5", "2"], ["1", "0"], ["0.1", "0.2"]
    >>> piece_of_text(columns, np.array([4, 5]), 3, {"a": 0, "b": 1}).amounts[0]
    array([1.5, 2. ])
    >>> piece_of_text(columns, np.array([4, 5]), 4, {"a": 0, "b": 1}) is None
    True
    """
    steps, providers, *rest = columns
    if not _count_up(steps, first_step):
        return None
    provider = column_of_providers(providers, indices)
    amounts = [column_of_numbers(cells) for cells in rest]
    known = tuple(column for column in amounts if column is not None)
    if provider is None or len(known) < len(amounts) or not are_amounts(known):
        return None
    return Piece(lines, provider, known)


def _count_up(steps: Sequence[str], first: int) -> bool:
    expected = range(first, first + len(steps))
    if list(steps) == list(map(str, expected)):
        return True
    numbers = column_of_numbers(steps)  # as in "2.0"
    return numbers is not None and np.array_equal(numbers, np.asarray(expected))


def column_of_providers(cells: Sequence[Any], indices: Mapping[str, int]) -> NDArray[np.int64] | None:
    """Return the index of each cell, None if one has none.

    Examples
    --------
    >>> column_of_providers(["b", "a"], {"a": 0, "b": 1}), column_of_providers(["b", "c"], {"a": 0, "b": 1})
    (array([1, 0]), None)
    """
    try:
        return np.fromiter(map(indices.__getitem__, cells), np.int64, len(cells))
    except KeyError:
        return None


def column_of_numbers(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the numbers that `text_number` reads in the cells, None if it finds none in one of them.

    Examples
    --------
    >>> column_of_numbers(["1e3", " .5"]), column_of_numbers(["1e3", "1_000"])
    (array([1.e+03, 5.e-01]), None)
    """
    different = set(cells)
    text = "".join(different)
    if "_" in text or not text.isascii():
        return None
    try:
        if 4 * len(different) > len(cells):
            return np.fromiter(map(float, cells), np.float64, len(cells))
        # Scores and prices repeat: to look a number up takes a quarter of the time.
        known = {cell: float(cell) for cell in different}
        return np.fromiter(map(known.__getitem__, cells), np.float64, len(cells))
    except ValueError:
        return None


def are_amounts(columns: Sequence[NDArray[np.float64]]) -> bool:
    """Return whether payment, score, bid and perhaps cost are finite, and every score lies in [0, 1].

    Examples
    --------
    >>> are_amounts([np.array([7.0]), np.array([1.0]), np.array([-3.0])])
    True
    >>> are_amounts([np.array([7.0]), np.array([1.5]), np.array([-3.0])])
    False
    """
    score = columns[AMOUNTS.index("score")]
    return all(bool(np.isfinite(column).all()) for column in columns) and bool(((score >= 0) & (score <= 1)).all())
