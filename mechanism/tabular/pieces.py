"""The pieces of a table of any format: rows one by one, and whole columns of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Number = Callable[[object], float | None]
"""What finds the number in a cell of a table, None if there is none."""

Record = tuple[int, Any]
"""The line on which a row starts (in Parquet the row, from 1), and what the table's `cells` reads."""


class TableColumn(Protocol):
    """The cells of one column in consecutive rows."""

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the numbers that the table's `number` finds in the cells, None if one of them may hold none."""

    def indices(self, index: Callable[[object], int]) -> NDArray[np.int64] | None:
        """Return the index of every cell, each different one looked up once; None if `index` refuses one."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Consecutive rows: whole columns, or where these are in doubt row by row.

    Parameters
    ----------
    records : iterator of Record
        The rows one by one. Where `columns` are given it need not be used; elsewhere it must be used up before the
        next piece is asked for.
    columns : mapping of str to TableColumn, optional
        The same rows by column. Cells here mean what the table's `cells` says of them, and no row here is one that it
        refuses.
    lines : array of int
        The line on which each row of `columns` starts.
    """

    records: Iterator[Record]
    columns: Mapping[str, TableColumn] | None = None
    lines: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))


class ColumnType(NamedTuple):
    """What a column of Parquet holds, and how its type is shown.

    It holds "integers", other "numbers", "truths", "strings", "categories" (of integers or strings) or "others".
    """

    holds: str
    shown: str


class WrittenFloat(float):
    """A number of JSON that remembers how it is written.

    Examples
    --------
    >>> WrittenFloat("0.10000000000000000001"), WrittenFloat("0.10000000000000000001").written
    (0.1, '0.10000000000000000001')
    """

    written: str

    def __new__(cls, written: str) -> WrittenFloat:
        """Return the nearest double."""
        number = super().__new__(cls, written)
        number.written = written
        return number


def text_number(cell: object) -> float | None:
    """Return the number that a cell of text holds, else None.

    Examples
    --------
    >>> text_number("1e3"), text_number("1_000"), text_number("")
    (1000.0, None, None)
    """
    text = str(cell)
    try:
        # float() alone would also read underscores and the digits of other scripts.
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def truth_number(cell: object) -> float | None:
    """Return the number that true or false stands for, else None.

    Examples
    --------
    >>> truth_number(True), truth_number(" False"), truth_number("yes")
    (1.0, 0.0, None)
    """
    if isinstance(cell, str) and (text := cell.strip().casefold()) in ("true", "false"):
        return float(text == "true")
    return float(cell) if isinstance(cell, bool) else None


def json_number(cell: object) -> float | None:
    """Return the number that a JSON value or a decimal number is, else None; true and false are none.

    Examples
    --------
    >>> json_number(3), json_number("3"), json_number(True), json_number(10**400)
    (3.0, None, None, inf)
    """
    if isinstance(cell, float):
        return cell
    try:
        return float(cell) if type(cell) is int or isinstance(cell, Decimal) else None
    except OverflowError:
        return inf
