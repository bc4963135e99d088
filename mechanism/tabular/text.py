"""CSV and JSON Lines: rows one by one, as the `csv` and `json` modules read them, or whole columns of a block.

A block whose lines are plain is cut into cells by splitting it (CSV) or by one regular expression (JSON Lines). That
never cuts what the modules refuse, nor in another way; where in doubt it gives up, and the rows are read one by one.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BufferedIOBase, BytesIO, StringIO
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError
from mechanism.files import reason
from mechanism.tabular.files import TableFile, located, refuse_repeated
from mechanism.tabular.pieces import ColumnType, Piece, Record, WrittenFloat, json_number, text_number

BLOCK = 120 << 10
"""Bytes of a block, which then goes on to the end of its last line."""

LONGEST_BLOCK = 1 << 17
"""Most bytes that are cut into columns. Not above the field limit of `csv`, which then no cell can break."""

MOST_LINES = 1 << 18
"""Lines that may follow each other without a row: a file of blank lines alone packs to next to nothing."""

Cells = tuple[NDArray[np.int64], Mapping[str, Sequence[str]]]
"""The line on which each row of a block starts, from 0, and the cells as they are written, by column."""


class Lines(Iterator[str]):
    """The lines of a file as text, and errors that name the line.

    A byte order mark before the first line, as spreadsheets write one, is skipped.

    Parameters
    ----------
    file : binary file
    source : TableFile
        What errors call it.
    longest : int
        Bytes at which a line is too long.

    Raises
    ------
    InputError
        While iterating: a file that breaks off, a line that is too long or not UTF-8.

    Examples
    --------
    >>> source = TableFile(location="a.csv", name="a.csv")
    >>> lines = Lines(BytesIO(b"a\\nb\\nc"), source, 100)
    >>> next(lines), lines.take(), lines.number
    ('a\\n', b'b\\nc', 1)
    """

    def __init__(self, file: BufferedIOBase, source: TableFile, longest: int) -> None:
        self._file, self._source, self._longest = file, source, longest
        self._block, self._left = BytesIO(), 0
        self._failure: Exception | None = None
        self.number, self.text = 0, ""
        self._lines, self._bytes = 0, 0  # since the last row

    def row_ends(self, blank: int = 0) -> None:
        """Say that a row ends with the line read last, or so many lines before the end of the block taken last."""
        self._lines = self._bytes = blank

    def __next__(self) -> str:
        raw = self._block.readline(self._longest) if self._left else self._tried(self._file.readline, self._longest)
        self._left = max(self._left - len(raw), 0)
        too_long = len(raw) == self._longest
        if not self.number:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if self._failure is not None and not raw:
            raise self._unreadable(self._failure)
        if not raw:
            raise StopIteration
        self.number += 1
        self._lines, self._bytes = self._lines + 1, self._bytes + len(raw)
        if too_long:
            raise self.error(raw[:40], f"is longer than {self._longest} bytes", f"is it a {self._source.kind}?")
        # The line read last may end a row: those before it have not.
        if self._lines > MOST_LINES or self._bytes - len(raw) > self._longest:
            rule = f"ends no row, after {self._lines:,} lines and {self._bytes:,} bytes without one"
            raise self.error(
                MISSING, rule, "remove the blank lines, or close the quote that makes one row of many lines"
            )
        try:
            self.text = raw.decode()
        except UnicodeDecodeError as error:
            raise self.error(raw[error.start : error.end], "is not UTF-8", "save the file as UTF-8") from None
        return self.text

    @property
    def at_block_end(self) -> bool:
        """Whether all lines of a block that is read again have been read."""
        return not self._left

    def take(self) -> bytes:
        """Return the next whole lines of the file, without counting them; nothing at its end."""
        read = b""
        while len(read) < BLOCK and (part := self._tried(self._file.read1, BLOCK - len(read))):
            read += part
        if read and not read.endswith(b"\n"):
            read += self._tried(self._file.readline, self._longest)
        if self._failure is not None:
            read = read[: read.rfind(b"\n") + 1]
            if not read:
                raise self._unreadable(self._failure)
        return read

    def read_again(self, taken: bytes, number: int) -> None:
        """Read a block that was taken line by line, after so many lines of the file."""
        self._block, self._left, self.number = BytesIO(taken), len(taken), number

    def _tried(self, read: Callable[[int], bytes], size: int) -> bytes:
        """Return what is read; nothing from a failure on, which is reported after the lines before it."""
        if self._failure is None:
            try:
                return read(size)
            except (OSError, EOFError, zlib.error) as error:
                self._failure = error
        return b""

    def _unreadable(self, failure: Exception) -> InputError:
        rule = f"cannot be read beyond line {self.number} ({reason(failure)})"
        return self._source.fault(rule, "a compressed file may be truncated or damaged")

    def place(self, line: int | None = None) -> str:
        """Return the file and the given line, or the one read last."""
        return self._source.place(line or self.number)

    def error(self, value: object, rule: str, remedy: str, line: int | None = None) -> InputError:
        """Return an error of the given line, or of the one read last."""
        return located(InputError("", value, rule, remedy), self.place(line))


def csv_cells(text: str, header: tuple[str, ...]) -> Cells | None:
    """Cut lines of CSV into cells.

    Examples
    --------
    >>> csv_cells('a,1\\n\\n"b",.5\\n', ("model", "score"))
    (array([0, 2]), {'model': ('a', 'b'), 'score': ('1', '.5')})
    >>> csv_cells("a,1,2\\n", ("model", "score")) is None
    True
    """
    width, plain = len(header), None if '"' in text else _plain_cells(text, len(header))
    if plain is not None:
        return np.arange(len(plain) // (width + 1)), {name: plain[i :: width + 1] for i, name in enumerate(header)}
    try:
        records = list(csv.reader(StringIO(text, newline="\n"), strict=True))
    except csv.Error:
        return None
    # As many records as lines: none is written over several lines, and the lines can be counted.
    filled = [line for line, record in enumerate(records) if record]
    if len(records) != text.count("\n") or set(map(len, filter(None, records))) != {width}:
        return None
    return np.array(filled), dict(zip(header, zip(*filter(None, records), strict=True), strict=True))


def _plain_cells(text: str, width: int) -> list[str] | None:
    """Return the cells of all lines, each line followed by a cell that holds its end.

    None unless every line has as many cells as the header, without quotes.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if width == 1 and (text[:1] == "\n" or "\n\n" in text):
        return None  # a blank line is not a row with an empty cell
    rows = text.count("\n")
    cells = text.replace("\n", ",\n,").split(",")
    if "\r" in text or len(cells) != rows * (width + 1) + 1 or cells[width :: width + 1].count("\n") != rows:
        return None
    cells.pop()  # the empty text after the last end
    return cells


def json_cells(text: str, header: tuple[str, ...]) -> Cells | None:
    r"""Cut JSON Lines into cells, as JSON writes them.

    Examples
    --------
    >>> json_cells('{"model": "a", "score": 0.5}\n', ("model", "score"))
    (array([0]), {'model': ['"a"'], 'score': ['0.5']})
    """
    parts = _json_line(header).split(text)
    stride = len(header) + 1
    if any(parts[::stride]):  # what is left between the lines that match
        return None
    return np.arange(len(parts) // stride), {name: parts[i::stride] for i, name in enumerate(header, 1)}


@lru_cache(maxsize=8)
def _json_line(header: tuple[str, ...]) -> re.Pattern[str]:
    """Return what matches a line with these columns in this order, and no line that JSON refuses."""
    space = r"[ \t\r]*+"
    # A whole -0 is 0 for JSON, and would be -0.0 for float().
    number = r"-?+(?!0[0-9])[0-9]++(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+(?<!-0)"
    plain_text = r'"[^"\\\x00-\x1f]*+"'
    pairs = (f"{re.escape(json.dumps(name))}{space}:{space}({number}|{plain_text}){space}" for name in header)
    return re.compile(rf"{space}\{{{space}{f',{space}'.join(pairs)}\}}{space}\n")


class TextColumn(NamedTuple):
    """Cells as they are written, and what a single one of them means; `plain` cells hold ASCII but no underscore."""

    written: Sequence[str]
    value: Callable[[str], object]
    plain: bool = False

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the numbers, None if a cell is none.

        Examples
        --------
        >>> TextColumn(["1e3", " .5"], str).numbers(), TextColumn(["1e3", "1_000"], str).numbers()
        (array([1.e+03, 5.e-01]), None)
        """
        cells, some = self.written, self.written[:64]
        # Scores and prices repeat: to look a number up takes a quarter of the time.
        different = cells if 4 * len(set(some)) > len(some) else set(cells)
        if not self.plain and not _is_plain("".join(different)):
            return None
        try:
            if different is cells:
                return np.fromiter(map(float, cells), np.float64, len(cells))
            known = {cell: float(cell) for cell in different}
            return np.fromiter(map(known.__getitem__, cells), np.float64, len(cells))
        except ValueError:
            return None

    def indices(self, index: Callable[[object], int]) -> NDArray[np.int64] | None:
        """Return the index of every cell, None if `index` refuses one."""
        try:
            known = {cell: index(self.value(cell)) for cell in set(self.written)}
        except InputError:
            return None
        return np.fromiter(map(known.__getitem__, self.written), np.int64, len(self.written))


class _TextTable:
    """What CSV and JSON Lines share."""

    types: Mapping[str, ColumnType] = {}
    #: Cuts a block, given the header, into cells; what one of these cells means.
    cut: Callable[[str, tuple[str, ...]], Cells | None]
    value: Callable[[str], object]

    def __init__(self, lines: Lines, header: tuple[str, ...], records: Iterator[Record]) -> None:
        self._lines, self._records = lines, records
        self.header, self.header_place = header, lines.place()

    def records(self) -> Iterator[Record]:
        """Return the rows one by one."""
        return self._records

    def pieces(self) -> Iterator[Piece]:
        """Return the first row by itself, then blocks of the file."""
        yield Piece(records=islice(self._records, 1))
        while taken := self._lines.take():
            start = self._lines.number
            again, text = self._block_again(taken, start), _text(taken)
            cells = self.cut(text, self.header) if text and len(taken) <= LONGEST_BLOCK else None
            if cells is None or not len(cells[0]):
                yield Piece(records=again)
                continue
            lines, columns = cells
            self._lines.row_ends(blank=text.count("\n") - 1 - int(lines[-1]))
            self._lines.number += text.count("\n")
            plain = _is_plain(text)
            whole = {name: TextColumn(written, self.value, plain) for name, written in columns.items()}
            yield Piece(records=again, columns=whole, lines=lines + (start + 1))

    def _block_again(self, taken: bytes, number: int) -> Iterator[Record]:
        self._lines.read_again(taken, number)
        for record in self._records:
            yield record
            if self._lines.at_block_end:
                return


class CsvTable(_TextTable):
    """CSV with a header; blank lines do not count."""

    number, value, cut = staticmethod(text_number), staticmethod(str), staticmethod(csv_cells)

    def __init__(self, lines: Lines) -> None:
        records = _csv_records(lines)
        _, header = next(records, (1, []))
        super().__init__(lines, tuple(header), records)

    def cells(self, record: list[str]) -> dict[str, object]:
        """Return the cells of a row by column."""
        if len(record) != len(self.header):
            rule = f"has {len(record)} cells, not {len(self.header)} as the header"
            remedy = "quote a name that holds a comma; a short last row means a truncated file"
            raise InputError("", ",".join(record), rule, remedy)
        return dict(zip(self.header, record, strict=True))


class JsonTable(_TextTable):
    """JSON Lines, one object per line; blank lines do not count.

    A key that an object repeats is refused if keys are to be unique; otherwise the last one counts. Fractions keep how
    they are written if this is asked for: see `WrittenFloat`.

    Examples
    --------
    >>> from io import BytesIO
    >>> from mechanism.tabular.files import TableFile
    >>> source = TableFile(location="a.jsonl", name="a.jsonl")
    >>> table = JsonTable(Lines(BytesIO(b'{"model": "a", "score": 0.5}'), source, 100), unique=True)
    >>> table.header, [(line, table.cells(record)) for line, record in table.records()]
    (('model', 'score'), [(1, {'model': 'a', 'score': 0.5})])
    """

    number, cut = staticmethod(json_number), staticmethod(json_cells)

    def __init__(self, lines: Lines, *, unique: bool, written: bool = False) -> None:
        number = WrittenFloat if written else float
        self._decode = json.JSONDecoder(object_pairs_hook=_unique if unique else None, parse_float=number).decode
        self.value = json.JSONDecoder(parse_float=number).decode
        records = _json_records(lines)
        first = list(islice(records, 1))
        try:
            header = tuple(self.cells(first[0][1])) if first else ()
        except InputError as error:
            raise located(error, lines.place()) from None
        super().__init__(lines, header, chain(first, records))

    def cells(self, record: str) -> dict[str, object]:
        """Return the cells of a row by column."""
        remedy = 'write one object a line, as {"column": 1, ...}; was the file truncated?'
        # Both ends: a line may be long.
        shown = record.strip() if len(record) < 1000 else f"{record[:200].lstrip()}...{record[-200:].rstrip()}"
        try:
            # Without the end of the line: the column of an error there would be counted from it.
            value = self._decode(record.rstrip(" \t\r\n"))
        except InputError:  # from _unique
            raise
        except json.JSONDecodeError as error:
            if record.startswith("version https://git-lfs"):
                remedy = "run 'git lfs pull'"
            raise InputError("", shown, f"is not valid JSON ({error.msg}, column {error.colno})", remedy) from None
        except RecursionError:
            raise InputError("", shown, "is nested too deep", remedy) from None
        except ValueError:  # Python refuses to read an integer of over 4300 digits
            raise InputError("", shown, "holds a number of too many digits", "write it as 1e300") from None
        if not isinstance(value, dict):
            raise InputError("", shown, "must be an object", remedy)
        return value


def _json_records(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, each with its number."""
    for text in lines:
        if not text.isspace():
            lines.row_ends()
            yield lines.number, text


def _csv_records(lines: Lines) -> Iterator[tuple[int, list[str]]]:
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
            lines.row_ends()
            yield start, record


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        refuse_repeated([name for name, _ in pairs])
    return row


def _is_plain(text: str) -> bool:
    return text.isascii() and "_" not in text


def _text(taken: bytes) -> str:
    """Return whole lines as text in which each has its end; nothing if they are not UTF-8."""
    try:
        text = taken.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.endswith("\n") else text + "\n"
