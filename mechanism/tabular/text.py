"""CSV and JSON: rows one by one, as the `csv` and `json` modules read them, and what a query reads as they do."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from bounds.errors import MISSING, InputError
from mechanism.files import reason
from mechanism.tabular.columns import Cells, Record, Table
from mechanism.tabular.documents import JsonDocument
from mechanism.tabular.files import JSON, TableFile, at, located, refuse_repeated, unpacking_errors
from mechanism.tabular.scalars import WrittenFloat
from mechanism.tabular.sql import escaped, identifier, quoted

MOST_LINES = 1 << 18
"""Lines that may follow each other without a row: a file of blank lines alone packs to next to nothing."""

#: What separates columns in files that are no CSV.
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
#: Bytes of a file that are looked over at a time.
_BLOCK = 1 << 20
#: Bytes of a JSON document that a query reads at once.
_LARGEST = 1 << 24
#: Rows of JSON in which the names of the columns are looked for, and objects within each other that are columns.
_HEADER_ROWS, _DEEPEST = 100, 16
#: What an entry of a list of keys and values has.
_ENTRY = {"key", "value"}


class Lines(Iterator[str]):
    """The lines of a file as text, and errors that name the line.

    A byte order mark before the first line, as spreadsheets write one, is skipped.

    Parameters
    ----------
    source : TableFile
        Is opened when the first line is read.
    longest : int
        Bytes at which a line is too long.

    Raises
    ------
    InputError
        While iterating: a file that breaks off, a line that is too long or not UTF-8.
    """

    def __init__(self, source: TableFile, longest: int) -> None:
        self._source, self._longest, self._raw = source, longest, self._read()
        self._failures = unpacking_errors()
        self.number, self.text = 0, ""
        self._lines, self._bytes = 0, 0  # since the last row

    def _read(self) -> Iterator[bytes]:
        with self._source.opened() as file:
            yield from iter(lambda: file.readline(self._longest), b"")

    def row_ends(self) -> None:
        """Say that a row ends with the line read last."""
        self._lines = self._bytes = 0

    def __next__(self) -> str:
        try:
            raw = next(self._raw)
        except self._failures as error:
            rule = f"cannot be read beyond line {self.number} ({reason(error)})"
            raise self._source.fault(rule, "a compressed file may be truncated or damaged") from None
        too_long = len(raw) == self._longest
        if not self.number:
            raw = raw.removeprefix(codecs.BOM_UTF8)
            if not raw:
                raise StopIteration
        self.number += 1
        self._lines, self._bytes = self._lines + 1, self._bytes + len(raw)
        if too_long:
            raise self.error(raw[:40], f"is longer than {self._longest} bytes", f"is it a {self._source.kind}?")
        # The line read last may end a row: those before it have not.
        if self._lines > MOST_LINES or self._bytes - len(raw) > self._longest:
            rule = f"ends no row, after {self._lines:,} lines and {self._bytes:,} bytes without one"
            remedy = "remove the blank lines, or close the quote that makes one row of many lines"
            raise self.error(MISSING, rule, remedy)
        try:
            self.text = raw.decode()
        except UnicodeDecodeError as error:
            raise self.error(raw[error.start : error.end], "is not UTF-8", "save the file as UTF-8") from None
        return self.text

    def error(self, value: object, rule: str, remedy: str, line: int | None = None) -> InputError:
        """Return an error of the given line, or of the one read last."""
        return located(InputError("", value, rule, remedy), self._source.place(line or self.number))


class CsvTable(Table):
    """CSV or TSV with a header; blank lines do not count."""

    def __init__(self, source: TableFile, longest: int) -> None:
        self.source, self._longest = source, longest
        self._first_line, header = next(self._all(), (0, []))
        self.header, self.header_place = tuple(header), source.place(self._first_line)
        separator = next((word for sign, word in _SEPARATORS.items() if len(header) == 1 and sign in header[0]), None)
        if separator is not None:
            remedy = "separate them by commas, and write decimals with a point"
            raise InputError(self.header_place, header[0], f"separates the columns by {separator}", remedy)

    def records(self) -> Iterator[Record]:
        """Return the rows one by one."""
        return islice(self._all(), 1, None)

    def _all(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the records that are not blank, each with the line on which it starts; the first is the header."""
        lines = Lines(self.source, self._longest)
        reader = csv.reader(lines, strict=True, delimiter=self.source.separator)
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

    def cells(self, record: list[str]) -> dict[str, object]:
        """Return the cells of a row by column."""
        if len(record) != len(self.header):
            rule = f"has {len(record)} cells, not {len(self.header)} as the header"
            remedy = "quote a name that holds a comma; a short last row means a truncated file"
            raise InputError("", ",".join(record), rule, remedy)
        return dict(zip(self.header, record, strict=True))

    def _can_query(self) -> bool:
        return len(self.header) > 1 and self._first_line == 1 and is_plain(self.source, self._longest)

    def _text(self, name: str) -> str:
        return f"c{self.header.index(name)}"

    def _rows(self, used: Collection[str]) -> tuple[str, str]:
        # A column more than there are, and rows padded by NULL, which no cell is: otherwise DuckDB takes empty cells at
        # the end of a row that is too long.
        last, null = len(self.header), quoted(f"\x01{np.random.default_rng().bytes(8).hex()}")
        cells = ", ".join(f"c{i}: 'VARCHAR'" for i in range(last + 1))
        options = "auto_detect = false, header = true, quote = '\"', escape = '\"', null_padding = true"
        limits = f"parallel = false, max_line_size = {self._longest}, buffer_size = {4 * self._longest}"
        return (
            f"read_csv({escaped(self.source.location)}, {options}, {limits}, columns = {{{cells}}}, nullstr = {null}, "
            f"delim = {quoted(self.source.separator)}, {_packing(self.source)})",
            f"c{last - 1} IS NULL OR c{last} IS NOT NULL",
        )


def is_plain(source: TableFile, longest: int) -> bool:
    """Return whether DuckDB reads a text as the modules of Python do, and a compressed file is whole.

    DuckDB neither checks the checksums of compressed files nor whether they are complete. Of CSV it takes quotes within
    cells, blanks around quotes and ends of lines without a line feed otherwise than `csv`.
    """
    is_csv, quotes, end = source.ending in (".csv", ".tsv"), 0, b"\n"
    with source.opened() as file:
        try:
            while block := file.read(_BLOCK):
                block += file.readline(longest)
                if block.isspace() or (len(block) >= longest and b"\n" not in block) or not _is_utf8(block):
                    return False
                if not is_csv and (b"\x0b" in block or b"\x0c" in block):
                    return False
                if is_csv and b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
                    return False
                if is_csv and b'"' in block:
                    found = _quotes(end + block, source.separator, quotes)
                    if found is None:
                        return False
                    quotes += found
                end = block[-1:]
        except unpacking_errors():
            return False
    return quotes % 2 == 0


def _is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def _quotes(block: bytes, separator: str, before: int) -> int | None:
    r"""Return how many quotes are in whole lines, None if one neither opens nor closes a cell, nor is one of two.

    Examples
    --------
    >>> _quotes(b'\n"a,""b",1\n', ",", 0), _quotes(b'\n"a" ,1\n', ",", 0), _quotes(b'\na"b,1\n', ",", 0)
    (4, None, None)
    """
    text = np.frombuffer(block + b"\n", np.uint8)
    places = np.flatnonzero(text[1:] == ord('"')) + 1
    opening, closing = places[before % 2 :: 2], places[1 - before % 2 :: 2]
    beside = np.frombuffer(f'{separator}\n"\r'.encode(), np.uint8)
    around = np.concatenate([text[opening - 1], text[closing + 1]])
    return len(places) if np.isin(around, beside).all() else None


def _packing(source: TableFile) -> str:
    packing = {"": "none", ".gz": "gzip", ".zst": "zstd"}[source.packed]
    return f"hive_partitioning = false, compression = '{packing}'"


class JsonTable(Table):
    """JSON Lines, one object per line, or a JSON document that holds an array of objects; blank lines do not count.

    A key that an object repeats is refused if keys are to be unique; otherwise the last one counts. Fractions keep how
    they are written: see `WrittenFloat`.

    Parameters
    ----------
    source : TableFile
    longest : int
        Bytes at which a line, or a record of a document, is too long.
    unique : bool
        Whether a key that an object repeats is refused.
    flat : bool
        Whether objects within a row are read as columns with dotted names, as `usage.cost`, and so are lists of
        objects with a key and a value, as OpenTelemetry writes attributes.
    rows : str
        Where the rows stand within each line or document: the names of nested lists, joined by dots.
    keys : tuple of str
        Where those of a document that is an object may stand otherwise.

    Attributes
    ----------
    fields : dict
        What such a document holds beside its rows, as far as it has been read.
    """

    _ragged = True

    def __init__(
        self, source: TableFile, longest: int, *, unique: bool, flat: bool, rows: str = "", keys: tuple[str, ...] = ()
    ) -> None:
        self.source, self._longest, self._unique, self._flat = source, longest, unique, flat
        number = WrittenFloat if flat else float
        self._decoder = json.JSONDecoder(object_pairs_hook=_unique if unique else None, parse_float=number)
        self._is_object = source.ending == JSON and not _begins_an_array(source)
        self._inner = tuple(filter(None, rows.split("."))) or (keys[:1] if self._is_object else ())
        self._keys = self._inner[:1] if rows else keys
        self.fields: dict[str, Any] = {}
        names: dict[str, None] = {}
        first = list(islice(self.records(), 1))
        self.header_place = source.place(first[0][0] if first else 1)
        with at(self.header_place):
            names |= dict.fromkeys(self.cells(first[0][1]) if first else ())
        if flat:
            names |= dict.fromkeys(self._later_names())
        self.header = tuple(names)

    def _later_names(self) -> Iterator[str]:
        """Yield the names of the next rows, up to one that is refused."""
        try:
            for _, record in islice(self.records(), 1, _HEADER_ROWS):
                yield from self.cells(record)
        except InputError:
            return

    def records(self) -> Iterator[Record]:
        """Return the rows one by one: as text, or as objects where these stand within others."""
        if self.source.ending == JSON:
            yield from self._document()
            return
        lines = Lines(self.source, self._longest)
        for text in lines:
            if not text.isspace():
                lines.row_ends()
                if not self._inner:
                    yield lines.number, text
                    continue
                with at(self.source.place(lines.number)):
                    found = list(_inner_rows(self._object(text), self._inner))
                yield from ((lines.number, each) for each in found)

    def _document(self) -> Iterator[Record]:
        with self.source.opened() as file:
            path = self._inner[1:] if self._is_object else self._inner
            document = JsonDocument(file, self.source, self._longest, self._keys, self._decoder)
            self.fields = document.fields
            yield from enumerate((row for _, each in document.records() for row in _inner_rows(each, path)), 1)

    def cells(self, record: Any) -> Mapping[str, object]:
        """Return the cells of a row by column."""
        found = self._object(record) if isinstance(record, str) else record
        if not isinstance(found, dict):
            raise InputError("", found, "must be an object", "the names of the lists lead to the rows")
        if not self._flat:
            return found
        flat: dict[str, object] = {}
        for name, value in _leaves(found, "", 0):
            if name in flat and self._unique:
                raise InputError(name, name, "is given twice", "keep one of the two")
            flat[name] = value
        return flat

    def _object(self, record: str) -> dict[str, Any]:
        remedy = 'write one object a line, as {"column": 1, ...}; was the file truncated?'
        # Both ends: a line may be long.
        shown = record.strip() if len(record) < 1000 else f"{record[:200].lstrip()}...{record[-200:].rstrip()}"
        try:
            # Without the end of the line: the column of an error there would be counted from it.
            value = self._decoder.decode(record.rstrip(" \t\r\n"))
        except InputError:  # from _unique
            raise
        except json.JSONDecodeError as error:
            if record.startswith("version https://git-lfs"):
                remedy = "run 'git lfs pull'"
            raise InputError("", shown, f"is not valid JSON ({error.msg}, column {error.colno})", remedy) from None
        except RecursionError:
            raise InputError("", shown, "is nested too deep", "take out what no option names, or the line") from None
        except ValueError:  # Python refuses to read an integer of over 4300 digits
            raise InputError("", shown, "holds a number of too many digits", "write it as 1e300") from None
        if not isinstance(value, dict):
            raise InputError("", shown, "must be an object", remedy)
        return value

    def _can_query(self) -> bool:
        return bool(self.header) and is_plain(self.source, self._longest)

    def _value(self, name: str) -> str:
        """Return the SQL of a value: of the key itself, of keys within objects, or of an entry of a list of keys."""
        if '"' in name:
            return "NULL::JSON"
        parts = name.split(".")
        found = [self._at([*parts[:i], ".".join(parts[i:])]) for i in range(len(parts))]
        for i in range(1, len(parts)):
            entries = f"json_extract({self._at(parts[:i])}, '$[*]')"
            named = f"list_filter({entries}, lambda e: json_extract_string(e, '$.key') = {quoted('.'.join(parts[i:]))})"
            found.append(f"json_extract({named}[1], '$.value.*')[1]")
        return f"coalesce({', '.join(found)})" if len(found) > 1 else found[0]

    def _at(self, path: list[str]) -> str:
        first, inner = ("r", path) if self._inner else (identifier(path[0]), path[1:])
        steps = "".join(f'."{part}"' for part in inner)
        return f"json_extract({first}, {quoted('$' + steps)})" if steps else first

    def _text(self, name: str) -> str:
        return f"json_extract_string({self._value(name)}, '$')"

    def _key(self, name: str) -> str:
        # Fractions lose digits.
        exact = f"json_type({self._value(name)}) IN ('VARCHAR', 'UBIGINT', 'BIGINT')"
        return f"CASE WHEN {exact} THEN {self._text(name)} END"

    def _indexed(self, wanted: Cells) -> tuple[str, Mapping[str, int]]:
        texts = {json.dumps(text, ensure_ascii=False): i for text, i in wanted.index.items()}
        return f"({self._value(wanted.called)})::VARCHAR", texts | {str(i): i for i in range(wanted.count)}

    def _rows(self, used: Collection[str]) -> tuple[str, str]:
        form = "array" if self.source.ending == JSON else "newline_delimited"
        form, longest = ("unstructured", _LARGEST) if self._is_object else (form, self._longest)
        options = f"maximum_object_size = {longest}, {_packing(self.source)}"
        if self._inner:
            lists = quoted("$" + "".join(f'."{part}"[*]' for part in self._inner))
            objects = f"read_json_objects({escaped(self.source.location)}, format = '{form}', {options})"
            return f"(SELECT unnest(json_extract(json, {lists})) r FROM {objects})", _repeats("r")
        tops = dict.fromkeys(top for name in used for top in (name, name.split(".")[0]))
        names = ", ".join(f"{quoted(top)}: 'JSON'" for top in tops)
        nested = [_repeats(identifier(top)) for top in {name.split(".")[0] for name in used if "." in name}]
        return (
            f"read_json({escaped(self.source.location)}, format = '{form}', records = true, columns = {{{names}}}, "
            f"{options})",
            " OR ".join(["false", *nested]),
        )


def _repeats(value: str) -> str:
    keys = f"json_keys({value})"
    return f"coalesce(len({keys}) <> len(list_distinct({keys})), false)"


def _begins_an_array(source: TableFile) -> bool:
    with source.opened() as file:
        try:
            return file.read(_BLOCK).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["
        except unpacking_errors():
            return False


def _inner_rows(found: Any, path: Collection[str]) -> Iterator[Any]:
    """Yield the rows in nested lists."""
    if not path:
        yield found
        return
    name, *rest = path
    for each in found.get(name) or () if isinstance(found, dict) else ():
        yield from _inner_rows(each, rest)


def _leaves(found: Mapping[str, Any], before: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the values within objects, and within lists of keys and values, by dotted names."""
    for name, value in found.items():
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from _leaves(value, f"{before}{name}.", depth + 1)
        elif isinstance(value, list) and value and all(isinstance(e, dict) and e.keys() >= _ENTRY for e in value):
            for entry in value:
                held = entry["value"]
                held = next(iter(held.values()), None) if isinstance(held, dict) else held
                yield f"{before}{name}.{entry['key']}", held
        else:
            yield before + name, value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        refuse_repeated([name for name, _ in pairs])
    return row
