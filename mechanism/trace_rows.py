"""The rows of a trace file, as CSV or JSON Lines write them; errors say where."""

from __future__ import annotations

import csv
import difflib
import json
import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BufferedIOBase
from operator import itemgetter

from bounds.errors import InputError
from bounds.toml_text import printable

__all__ = [
    "COLUMNS",
    "LONGEST_LINE",
    "Lines",
    "Row",
    "csv_rows",
    "json_number",
    "json_rows",
    "reason",
    "text_number",
]

LONGEST_LINE = 1 << 20
"""Most bytes of a line that is read: whatever is longer is no trace."""

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


class Lines:
    """The lines of a file as text, and errors that name the line.

    Parameters
    ----------
    file : binary file
    name : str
        What errors call it.

    Raises
    ------
    InputError
        While iterating: a file that breaks off, a line that is too long or not UTF-8, a byte order mark.

    Examples
    --------
    >>> from io import BytesIO
    >>> lines = Lines(BytesIO(b"step,provider"), "trace.csv")
    >>> list(lines), lines.number
    (['step,provider'], 1)
    >>> str(lines.error("x", "is wrong", "write y", column="bid"))
    "trace.csv:1:bid='x' is wrong: write y"
    """

    def __init__(self, file: BufferedIOBase, name: str) -> None:
        self._file, self._name = file, name
        self.number, self.text = 0, ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        raw = self._read()
        if not raw:
            raise StopIteration
        self.number += 1
        if len(raw) == LONGEST_LINE:
            raise self.error(raw[:40], f"is longer than {LONGEST_LINE} bytes", "is it a trace?")
        try:
            self.text = raw.decode()
        except UnicodeDecodeError as error:
            raise self.error(raw[error.start : error.end], "is not UTF-8", "save the file as UTF-8") from None
        if self.number == 1 and self.text.startswith("\ufeff"):
            remedy = "save the file as UTF-8 without it"
            raise self.error(self.text[:20], "must not begin with a byte order mark", remedy)
        return self.text

    def _read(self) -> bytes:
        try:
            return self._file.readline(LONGEST_LINE)
        except (OSError, EOFError, zlib.error) as error:
            rule = f"cannot be read beyond line {self.number} ({reason(error)})"
            remedy = "a compressed file may be truncated or damaged"
            raise InputError("path", self._name, rule, remedy) from None

    def error(self, value: object, rule: str, remedy: str, line: int | None = None, column: str = "") -> InputError:
        """Return an error on the given line, or on the one read last."""
        place = f"{printable(self._name)}:{line or self.number}"
        return InputError(f"{place}:{printable(column, 40)}" if column else place, value, rule, remedy)


def csv_rows(lines: Lines) -> Iterator[Row]:
    """Yield the rows of CSV with a header; blank lines do not count.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = b"provider,step,bid,score,payment\\na,1,.2,1,.3\\n"
    >>> list(csv_rows(Lines(BytesIO(text), "trace.csv")))
    [(2, ('1', 'a', '.3', '1', '.2'))]
    """
    records = _records(lines)
    _, header = next(records, (0, list[str]()))
    if not header:
        return
    arrange = itemgetter(*(header.index(name) for name in _arranged(header, lines)))
    for line, record in records:
        if len(record) != len(header):
            rule = f"has {len(record)} cells, not {len(header)} as the header"
            remedy = "quote a name that holds a comma; a short last row means a truncated log"
            raise lines.error(",".join(record), rule, remedy, line)
        yield line, arrange(record)


def json_rows(lines: Lines) -> Iterator[Row]:
    """Yield the rows of JSON Lines, one object a line; blank lines do not count.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = b'{"step": 1, "provider": "a", "payment": 0.3, "score": 1, "bid": 0.2}'
    >>> list(json_rows(Lines(BytesIO(text), "trace.jsonl")))
    [(1, (1, 'a', 0.3, 1, 0.2))]
    """
    decode = json.JSONDecoder(object_pairs_hook=_unique).decode
    columns: tuple[str, ...] = ()
    for text in lines:
        if text.isspace():
            continue
        row = _json_object(text, decode, lines)
        columns = columns or _arranged(list(row), lines)
        if len(row) != len(columns) or not all(map(row.__contains__, columns)):
            _arranged(list(row), lines)
            rule = "must be given on every line or on none"
            raise lines.error(row.get("cost"), rule, COLUMNS["cost"], column="cost")
        yield lines.number, tuple([row[name] for name in columns])


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
    """Return the number that a JSON value is, else None; true and false are none.

    Examples
    --------
    >>> json_number(3), json_number("3"), json_number(True), json_number(10**400)
    (3.0, None, None, inf)
    """
    if type(cell) is float:
        return cell
    try:
        return float(cell) if type(cell) is int else None
    except OverflowError:
        return math.inf


def _arranged(names: Sequence[str], lines: Lines) -> tuple[str, ...]:
    """Return the columns in their order.

    Unknown ones are told before missing ones: a misspelt column makes another one missing.
    """
    for position, name in enumerate(names):
        if name not in COLUMNS:
            near = difflib.get_close_matches(name[:200].strip().casefold(), COLUMNS, 1)
            remedy = f"did you mean {near[0]}?" if near else f"the columns are {', '.join(COLUMNS)}"
            raise lines.error(name, "is not a known column", remedy, column=name)
        if name in names[:position]:
            raise lines.error(name, "is given twice", "keep one of the two", column=name)
    for name, meaning in COLUMNS.items():
        if name not in names and name != "cost":
            raise lines.error(None, "must be given", meaning, column=name)
    return tuple(name for name in COLUMNS if name in names)


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


def _json_object(text: str, decode: Callable[[str], object], lines: Lines) -> dict[str, object]:
    shown, remedy = text.strip(), 'write one object a line, as {"step": 1, ...}'
    try:
        value = decode(text)
    except InputError as error:  # from _unique
        raise lines.error(error.value, error.rule, error.remedy, column=error.argument) from None
    except json.JSONDecodeError as error:
        raise lines.error(shown, f"is not valid JSON ({error.msg}, column {error.colno})", remedy) from None
    except RecursionError:
        raise lines.error(shown, "is nested too deep", remedy) from None
    except ValueError:  # Python refuses to read an integer of over 4300 digits
        raise lines.error(shown, "holds a number of too many digits", "write it as 1e300") from None
    if not isinstance(value, dict):
        raise lines.error(shown, "must be an object", remedy)
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row: dict[str, object] = {}
    for name, value in pairs:
        if name in row:
            raise InputError(name, name, "is given twice", "keep one of the two")
        row[name] = value
    return row


def reason(error: Exception) -> str:
    """Return what the operating system or a parser complains of, on one line.

    Examples
    --------
    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    return printable(str(getattr(error, "strerror", None) or error), 160).lower()
