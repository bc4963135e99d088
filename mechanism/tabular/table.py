"""Tables of any format: open one to read it, or write one; the file's ending says the format."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

from numpy.typing import NDArray

from bounds.errors import MISSING, InputError
from mechanism.files import replacing
from mechanism.tabular.files import PARQUET, TableFile
from mechanism.tabular.parquet import ParquetTable, write_parquet
from mechanism.tabular.text import CsvTable, JsonTable, Lines

MOST_COLUMNS = 10_000
"""Columns of a table that are too many: a file with as many is not a log."""

_ROWS = 1 << 16

Table = CsvTable | JsonTable | ParquetTable
"""An open file that holds a table.

`header` names its columns (in JSON Lines, those of the first row; empty if the file is), and `header_place` says for
errors where. `types` are those that the format fixes, by column. `records` are the rows one by one: `cells` returns
those of a row by column, or raises an InputError that lacks the place. `pieces` are the same rows in pieces, to be
read instead. `number` returns the number that a cell holds, else None.
"""


@contextmanager
def open_table(
    source: TableFile,
    *,
    longest_line: int,
    unique_keys: bool = False,
    wanted: Collection[str] | None = None,
    coded: Sequence[str] = (),
    written: bool = False,
) -> Iterator[Table]:
    """Open a table.

    Parameters
    ----------
    source : TableFile
    longest_line : int
        Bytes at which a line of text is too long.
    unique_keys : bool, optional
        Whether an object of JSON Lines that repeats a key is refused; otherwise the last one counts.
    wanted : collection of str, optional
        The columns that are read of Parquet; by default all.
    coded : sequence of str, optional
        Those columns of Parquet that are read as a dictionary of texts.
    written : bool, optional
        Whether the fractions of JSON Lines remember how they are written (`mechanism.tabular.pieces.WrittenFloat`).

    Raises
    ------
    InputError
        The file cannot be read, or its header is damaged; while iterating, all that is wrong, with file and line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("model,question\\na,7\\n")
    ...     source = TableFile(location=str(path), name="a.csv")
    ...     with open_table(source, longest_line=1000) as table:
    ...         [(line, table.cells(record)) for line, record in table.records()]
    [(2, {'model': 'a', 'question': '7'})]
    """
    with source.opened() as file:
        table: Table
        if source.ending == PARQUET:
            table = ParquetTable(file, source, wanted, coded)
        elif source.ending == ".csv":
            table = CsvTable(Lines(file, source, longest_line))
        else:
            table = JsonTable(Lines(file, source, longest_line), unique=unique_keys, written=written)
        if len(table.header) > MOST_COLUMNS:
            rule = f"has {len(table.header)} columns, more than {MOST_COLUMNS:,}"
            raise InputError(table.header_place, MISSING, rule, "keep those that are used")
        yield table


def write_table(
    source: TableFile, columns: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Write columns to a file, which is replaced at once when the new one is complete.

    Parameters
    ----------
    source : TableFile
    columns : mapping of str to array
        Of integers or floats; floats are written so that reading gives the same.
    texts : mapping of str to sequence of str, optional
        What the indices of a column stand for; other columns are written as they are.

    Raises
    ------
    InputError
        A path that cannot be written, or Parquet without pyarrow.
    """
    texts = texts or {}
    write = write_parquet if source.ending == PARQUET else _write_text
    remedy = "give a path in a folder where you may write"
    with replacing(source.location, "path", remedy) as new, open(new, "xb") as file:
        write(file, source, columns, texts)


def _write_text(
    file: IO[bytes], source: TableFile, columns: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]]
) -> None:
    encoded = (line.encode() for line in _lines(columns, texts, csv=source.ending == ".csv"))
    if source.compressed:
        # Neither name nor time: the same table gives the same bytes.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            packed.writelines(encoded)
    else:
        file.writelines(encoded)


def _lines(columns: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]], *, csv: bool) -> Iterator[str]:
    """Yield the lines of CSV, the header included, or of JSON Lines."""
    cells = {name: list(map(_csv_cell if csv else json.dumps, named)) for name, named in texts.items()}
    pattern = "{" + ", ".join(f"{json.dumps(name)}: %s" for name in columns) + "}\n"
    if csv:
        yield ",".join(columns) + "\n"
        pattern = ",".join(["%s"] * len(columns)) + "\n"
    for start in range(0, min(map(len, columns.values())), _ROWS):
        parts = {name: column[start : start + _ROWS].tolist() for name, column in columns.items()}
        written = (map(cells[name].__getitem__ if name in cells else repr, part) for name, part in parts.items())
        yield from map(pattern.__mod__, zip(*written, strict=True))


def _csv_cell(text: str) -> str:
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if re.search(r'[",\r\n]', text) else text
