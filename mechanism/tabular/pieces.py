"""What every format of a table offers: a header, rows one by one, and pieces of bounded size as whole columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Column", "ColumnType", "Piece", "Record", "Table", "json_number", "text_number"]

Record = tuple[int, Any]
"""The line on which a row starts (in Parquet the row, from 1), and what `Table.cells` reads."""


class Column(Protocol):
    """The cells of one column in consecutive rows."""

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the numbers that `Table.number` finds in the cells, None if one of them may hold none."""

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
    columns : mapping of str to Column, optional
        The same rows by column. Cells here mean what `Table.cells` says of them, and no row here is one that it
        refuses.
    lines : array of int
        The line on which each row of `columns` starts.
    """

    records: Iterator[Record]
    columns: Mapping[str, Column] | None = None
    lines: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))


class ColumnType(NamedTuple):
    """What a column of Parquet holds, and how its type is shown.

    It holds "integers", other "numbers", "strings", "categories" (of integers or strings) or "others".
    """

    holds: str
    shown: str


class Table(Protocol):
    """An open file that holds a table.

    Attributes
    ----------
    header : tuple of str
        The columns; of JSON Lines, those of the first row. Empty if the file is.
    header_place : str
        The file and the line that tells the columns, for errors.
    types : mapping of str to ColumnType
        Of the columns, where the format fixes them.
    """

    header: tuple[str, ...]
    header_place: str
    types: Mapping[str, ColumnType]

    def number(self, cell: object) -> float | None:
        """Return the number that a cell holds, else None."""

    def cells(self, record: Any) -> dict[str, object]:
        """Return the cells of a row by column, or raise an InputError without its place."""

    def records(self) -> Iterator[Record]:
        """Return the rows one by one; whatever is wrong with the file is an InputError with its place."""

    def pieces(self) -> Iterator[Piece]:
        """Return all rows in pieces, instead of one by one."""


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


def json_number(cell: object) -> float | None:
    """Return the number that a JSON value or a decimal number is, else None; true and false are none.

    Examples
    --------
    >>> json_number(3), json_number("3"), json_number(True), json_number(10**400)
    (3.0, None, None, inf)
    """
    if type(cell) is float:
        return cell
    try:
        return float(cell) if type(cell) is int or isinstance(cell, Decimal) else None
    except OverflowError:
        return inf
