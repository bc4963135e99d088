"""The rows of a file of recorded generations: JSON Lines, CSV or Parquet, one mapping of cells a row."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from bounds.errors import InputError, printable
from mechanism.tabular.trace_rows import json_number, reason, text_number

__all__ = ["ENDINGS", "WANTED", "Cells", "Table", "located", "open_table"]

WANTED = frozenset(("qid", "correct", "num_tokens", "rewards", "model", "question", "generation", "tokens", "reward"))
"""The columns that are read; prompts and generated text are not kept."""

LONGEST_LINE = 1 << 28
"""Most bytes of a line: a question with all its generated texts takes a few million."""

Cells = Mapping[str, object]


class Table(NamedTuple):
    """An open file.

    Attributes
    ----------
    name : str
        What errors call it.
    columns : tuple of str
        All of its columns; of JSON Lines, those of the first row.
    first : int
        The line or row that tells the columns.
    rows : iterator of (int, object)
        The line (text) or the row (Parquet), from 1, and a row that `cells` reads.
    cells : callable
        Returns the wanted cells of a row, or raises an InputError that names the column.
    number : callable
        Returns the number that a cell holds, else None.
    """

    name: str
    columns: tuple[str, ...]
    first: int
    rows: Iterator[tuple[int, Any]]
    cells: Callable[[Any], Cells]
    number: Callable[[object], float | None]


def located(error: InputError, place: str) -> InputError:
    """Return an error of a row with its place, ``file:row:column``.

    Examples
    --------
    >>> str(located(InputError("tokens", "x", "is no number", "write 3"), "a.csv:7"))
    "a.csv:7:tokens='x' is no number: write 3"
    """
    argument = f"{place}:{printable(error.argument, 40)}" if error.argument else place
    return InputError(argument, error.value, error.rule, error.remedy)


@contextmanager
def open_table(path: Path, name: str) -> Iterator[Table]:
    """Open a file by its ending.

    Parameters
    ----------
    path : pathlib.Path
        Ends in one of `ENDINGS`.
    name : str
        What errors call it.

    Raises
    ------
    InputError
        The file cannot be opened or holds no row; while iterating, whatever is wrong, with file and row.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("model,question\\na,7\\n")
    ...     with open_table(path, "a.csv") as table:
    ...         [(row, table.cells(cells)) for row, cells in table.rows]
    [(2, {'model': 'a', 'question': '7'})]
    """
    ending = next(ending for ending in ENDINGS if path.name.lower().endswith(ending))
    opener: Any = gzip.open if ending.endswith(".gz") else open
    try:
        file = opener(path, "rb")
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        raise InputError(name, None, f"cannot be read ({reason(error)})", "give a folder of readable files") from None
    with file:
        table = ENDINGS[ending](file, name)
        if table is None:
            raise InputError(name, None, "holds no row", "remove the file, or record generations in it")
        yield table


def _json_table(file: BufferedIOBase, name: str) -> Table | None:
    lines = ((number, text) for number, text in _lines(file, name) if not text.isspace())
    first = next(lines, None)
    if first is None:
        return None
    try:
        columns = tuple(_json_object(first[1]))
    except InputError as error:
        raise located(error, f"{printable(name)}:{first[0]}") from None
    return Table(name, columns, first[0], chain([first], lines), _json_cells, json_number)


def _json_cells(text: str) -> Cells:
    return {column: value for column, value in _json_object(text).items() if column in WANTED}


def _json_object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        rule = f"is not valid JSON ({error.msg}, column {error.colno})"
        pointer = text.startswith("version https://git-lfs")
        remedy = "run 'git lfs pull'" if pointer else "write one object a line; was the file truncated?"
        raise InputError("", text.strip()[:200], rule, remedy) from None
    except RecursionError:
        raise InputError("", text.strip()[:200], "is nested too deep", "write one object a line") from None
    except ValueError:  # Python refuses to read an integer of over 4300 digits
        raise InputError("", text.strip()[:200], "holds a number of too many digits", "write it as 1e300") from None
    if not isinstance(value, dict):
        raise InputError("", text.strip()[:200], "must be an object", 'write one a line, as {"qid": ...}')
    return value


def _csv_table(file: BufferedIOBase, name: str) -> Table | None:
    records = _csv_records(file, name)
    header = next(records, None)
    first = next(records, None)
    if header is None or first is None:
        return None
    columns = tuple(header[1])
    for place, column in enumerate(columns):
        if column in columns[:place]:
            error = InputError(column, column, "is given twice", "keep one of the two")
            raise located(error, f"{printable(name)}:{header[0]}")

    def cells(record: list[str]) -> Cells:
        if len(record) != len(columns):
            rule = f"has {len(record)} cells, not {len(columns)} as the header"
            raise InputError("", ",".join(record), rule, "quote a cell that holds a comma; was the file truncated?")
        return {column: cell for column, cell in zip(columns, record, strict=True) if column in WANTED}

    return Table(name, columns, header[0], chain([first], records), cells, text_number)


def _csv_records(file: BufferedIOBase, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that are not blank, each with the line on which it starts."""
    reader = csv.reader((text for _, text in _lines(file, name)), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            fault = InputError("", None, f"is not valid CSV ({reason(error)})", "check the quotes")
            raise located(fault, f"{printable(name)}:{start}") from None
        if record is None:
            return
        if record:
            yield start, record


def _lines(file: BufferedIOBase, name: str) -> Iterator[tuple[int, str]]:
    number = 0
    while raw := _line(file, name, number):
        number += 1
        try:
            # Spreadsheets begin a file with a byte order mark.
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            wrong = InputError("", raw[error.start : error.end], "is not UTF-8", "save the file as UTF-8")
            raise located(wrong, f"{printable(name)}:{number}") from None
        yield number, text


def _line(file: BufferedIOBase, name: str, number: int) -> bytes:
    try:
        raw = file.readline(LONGEST_LINE)
    except (OSError, EOFError, zlib.error) as error:
        rule = f"cannot be read beyond line {number} ({reason(error)})"
        raise InputError(name, None, rule, "a compressed file may be truncated or damaged") from None
    if len(raw) == LONGEST_LINE:
        long = InputError("", raw[:40], f"is longer than {LONGEST_LINE} bytes", "write one row a line")
        raise located(long, f"{printable(name)}:{number + 1}")
    return raw


def _parquet_table(file: BufferedIOBase, name: str) -> Table | None:
    try:
        from pyarrow import ArrowException, parquet  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        remedy = "pip install 'costproof[parquet]', or save the data as CSV or JSON Lines"
        raise InputError(name, None, "needs pyarrow, which is not installed", remedy) from None
    try:
        opened = parquet.ParquetFile(file)
    except (ArrowException, OSError) as error:
        raise InputError(name, None, f"is not Parquet ({reason(error)})", "was the download cut off?") from None
    columns = tuple(opened.schema_arrow.names)
    if not opened.metadata.num_rows:
        return None

    def rows() -> Iterator[tuple[int, Cells]]:
        number = 0
        try:
            for batch in opened.iter_batches(1024, columns=[column for column in columns if column in WANTED]):
                for cells in batch.to_pylist():
                    number += 1
                    yield number, cells
        except (ArrowException, OSError) as error:
            rule = f"cannot be read beyond row {number} ({reason(error)})"
            raise InputError(name, None, rule, "was the download cut off?") from None

    return Table(name, columns, 1, rows(), dict, json_number)


ENDINGS: dict[str, Callable[[BufferedIOBase, str], Table | None]] = {
    ".jsonl": _json_table,
    ".jsonl.gz": _json_table,
    ".ndjson": _json_table,
    ".ndjson.gz": _json_table,
    ".csv": _csv_table,
    ".csv.gz": _csv_table,
    ".parquet": _parquet_table,
}
"""The files that are read, by the ending of their names."""
