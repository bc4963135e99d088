"""The rows of a trace file, one by one, as CSV or JSON Lines write them; errors say where."""

from __future__ import annotations

import csv
import difflib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Protocol

from bounds.errors import InputError
from mechanism.tabular.trace_lines import LONGEST_LINE, Lines, reason

__all__ = [
    "COLUMNS",
    "LONGEST_LINE",
    "CsvRows",
    "JsonRows",
    "Row",
    "Rows",
    "arranged",
    "json_number",
    "reason",
    "text_number",
]

COLUMNS = {
    "step": "it counts the queries: 1, 2, ...",
    "provider": "it says who served, by name or 0-based index",
    "payment": "it is what the user paid",
    "score": "it is the grade of the response, in [0, 1]",
    "bid": "it is the standing bid that the served provider left behind",
    "cost": "it is what serving cost (optional)",
}
"""The columns in their order, and what they mean."""

Row = tuple[int, Sequence[object]]
"""The line on which a row starts, and its cells in the order of `COLUMNS`; cost only if the file has it."""


class Rows(Iterator[Row], Protocol):
    """The rows of a text file, each read when it is asked for.

    Attributes
    ----------
    header : tuple of str
        The columns as the file orders them; empty until the first row has been read.
    """

    header: tuple[str, ...]


class CsvRows(Iterator[Row]):
    """The rows of CSV with a header; blank lines do not count.

    Examples
    --------
    >>> from io import BytesIO
    >>> rows = CsvRows(Lines(BytesIO(b"provider,step,bid,score,payment\\na,1,.2,1,.3\\n"), "trace.csv"))
    >>> list(rows), rows.header
    ([(2, ('1', 'a', '.3', '1', '.2'))], ('provider', 'step', 'bid', 'score', 'payment'))
    """

    def __init__(self, lines: Lines) -> None:
        self.header: tuple[str, ...] = ()
        self._lines, self._records = lines, _records(lines)
        self._arrange: Callable[[Sequence[str]], Sequence[str]] = tuple

    def __next__(self) -> Row:
        if not self.header:
            self._read_header()
        line, record = next(self._records)
        if len(record) != len(self.header):
            rule = f"has {len(record)} cells, not {len(self.header)} as the header"
            remedy = "quote a name that holds a comma; a short last row means a truncated log"
            raise self._lines.error(",".join(record), rule, remedy, line)
        return line, self._arrange(record)

    def _read_header(self) -> None:
        _, header = next(self._records)
        if len(header) == 1 and (separator := _other_separator(header[0])):
            remedy = "separate them by commas, and write decimals with a point"
            raise self._lines.error(header[0], f"separates the columns by {separator}", remedy)
        try:
            columns = arranged(header)
        except InputError as error:
            raise self._lines.located(error) from None
        self.header, self._arrange = tuple(header), itemgetter(*map(header.index, columns))


class JsonRows(Iterator[Row]):
    """The rows of JSON Lines, one object a line; blank lines do not count.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = b'{"step": 1, "provider": "a", "bid": 0.2, "payment": 0.3, "score": 1}'
    >>> rows = JsonRows(Lines(BytesIO(text), "trace.jsonl"))
    >>> list(rows), rows.header
    ([(1, (1, 'a', 0.3, 1, 0.2))], ('step', 'provider', 'bid', 'payment', 'score'))
    """

    def __init__(self, lines: Lines) -> None:
        self.header: tuple[str, ...] = ()
        self._lines, self._columns = lines, tuple[str, ...]()
        self._decode = json.JSONDecoder(object_pairs_hook=_unique).decode

    def __next__(self) -> Row:
        lines = self._lines
        text = next(lines)
        while text.isspace():
            text = next(lines)
        try:
            row = _json_object(text, self._decode)
            if not self.header:
                self._columns, self.header = arranged(list(row)), tuple(row)
            elif len(row) != len(self._columns) or not all(map(row.__contains__, self._columns)):
                arranged(list(row))
                raise InputError("cost", row.get("cost"), "must be given on every line or on none", COLUMNS["cost"])
        except InputError as error:
            raise lines.located(error) from None
        return lines.number, tuple([row[name] for name in self._columns])


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
        return math.inf


def arranged(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a header names, in the order of `COLUMNS`.

    Unknown ones are told before missing ones: a misspelt column makes another one missing.

    Raises
    ------
    InputError
        A column that is unknown, given twice or missing.

    Examples
    --------
    >>> arranged(["provider", "bid", "step", "score", "payment"])
    ('step', 'provider', 'payment', 'score', 'bid')
    """
    for position, name in enumerate(names):
        if name not in COLUMNS:
            raise InputError(name, name, "is not a known column", _instead_of(name, names))
        if name in names[:position]:
            raise InputError(name, name, "is given twice", "keep one of the two")
    for name, meaning in COLUMNS.items():
        if name not in names and name != "cost":
            raise InputError(name, None, "must be given", meaning)
    return tuple(name for name in COLUMNS if name in names)


def _instead_of(unknown: str, names: Sequence[str]) -> str:
    """Return what to do about an unknown column: only one that is not there can have been meant."""
    absent = [column for column in COLUMNS if column not in names]
    near = difflib.get_close_matches(unknown[:200].strip().casefold(), absent, 1)
    if near:
        return f"did you mean {near[0]}?"
    required = [column for column in absent if column != "cost"]
    if not required:
        return f"remove it; the columns are {', '.join(COLUMNS)}"
    if len(absent) == len(COLUMNS):
        return f"name the columns {', '.join(COLUMNS)}"
    missing = f"the required column {required[0]} is" if len(required) == 1 else f"{', '.join(required)} are"
    return f"{missing} missing: rename the column if it is {'this' if len(required) == 1 else 'one of these'}"


def _other_separator(header: str) -> str | None:
    """Return what separates the columns of a header that is one cell of CSV, None if it is not recognised.

    Examples
    --------
    >>> _other_separator("step;provider;payment;score;bid"), _other_separator("step")
    ('semicolons', None)
    """
    for separator, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(COLUMNS.keys() & {cell.strip(' "') for cell in header.split(separator)}) > 1:
            return name
    return None


def _records(lines: Lines) -> Iterator[tuple[int, list[str]]]:
    """Yield the CSV records that are not blank, each with the line on which it starts."""
    reader = csv.reader(lines, strict=True)
    while True:
        start = lines.number + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            shown = lines.text.rstrip("\r\n") if lines.number <= start else f"lines {start}..{lines.number}"
            remedy = "check the quotes: a name that holds a comma or a quote needs them"
            raise lines.error(shown, f"is not valid CSV ({reason(error)})", remedy, start) from None
        if record is None:
            return
        if record:
            yield start, record


def _json_object(text: str, decode: Callable[[str], object]) -> dict[str, object]:
    shown, remedy = text.strip(), 'write one object a line, as {"step": 1, ...}'
    try:
        # Without the end of the line: the column of an error there would be counted from it.
        value = decode(text.rstrip(" \t\r\n"))
    except InputError:  # from _unique
        raise
    except json.JSONDecodeError as error:
        raise InputError("", shown, f"is not valid JSON ({error.msg}, column {error.colno})", remedy) from None
    except RecursionError:
        raise InputError("", shown, "is nested too deep", remedy) from None
    except ValueError:  # Python refuses to read an integer of over 4300 digits
        raise InputError("", shown, "holds a number of too many digits", "write it as 1e300") from None
    if not isinstance(value, dict):
        raise InputError("", shown, "must be an object", remedy)
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row: dict[str, object] = {}
    for name, value in pairs:
        if name in row:
            raise InputError(name, name, "is given twice", "keep one of the two")
        row[name] = value
    return row
