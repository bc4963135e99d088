"""What one cell of a table holds: a number, a truth, a text, or nothing."""

from __future__ import annotations

from decimal import Decimal
from math import inf

from bounds.characters import escaped
from bounds.errors import InputError


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


def is_blank(cell: object) -> bool:
    """Return whether a cell holds nothing, or blanks alone."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def visible(column: str, text: str) -> str:
    """Return a text, or raise an InputError: it has a character that hides."""
    if escaped(text) != text:
        raise InputError(column, text, "holds a control or an invisible character", "write it without")
    return text


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


def cell_number(cell: object) -> float | None:
    """Return the number that a cell is, or that its text holds, else None; true and false are none.

    Examples
    --------
    >>> cell_number(3), cell_number("0.5"), cell_number(True), cell_number(10**400)
    (3.0, 0.5, None, inf)
    """
    if isinstance(cell, str):
        return text_number(cell)
    if isinstance(cell, float):
        return cell
    try:
        return float(cell) if type(cell) is int or isinstance(cell, Decimal) else None
    except OverflowError:
        return inf
