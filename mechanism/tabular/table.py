"""Tables of any format: open one to read it, or write one; the file's ending says the format."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from bounds.errors import MISSING, InputError
from mechanism.files import replacing
from mechanism.tabular.files import JSON, PARQUET, TableFile, zstd
from mechanism.tabular.parquet import ParquetTable, write_parquet
from mechanism.tabular.text import CsvTable, JsonTable

MOST_COLUMNS = 10_000
"""Columns of a table that are too many: a file with as many is not a log."""

_ROWS = 1 << 16


def open_table(
    source: TableFile,
    *,
    longest_line: int,
    unique_keys: bool = False,
    wanted: Collection[str] | None = None,
    flat: bool = False,
    rows: str = "",
    keys: tuple[str, ...] = ("records",),
) -> CsvTable | JsonTable | ParquetTable:
    """Open a table.

    Parameters
    ----------
    source : TableFile
    longest_line : int
        Bytes at which a line of text is too long.
    unique_keys : bool, optional
        Whether an object of JSON that repeats a key is refused; otherwise the last one counts.
    wanted : collection of str, optional
        The columns that are read of Parquet; by default all.
    flat, rows, keys : optional
        How nested JSON is read: see `mechanism.tabular.text.JsonTable`.

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
    ...     table = open_table(TableFile(location=str(path), name="a.csv"), longest_line=1000)
    ...     [(line, table.cells(record)) for line, record in table.records()]
    [(2, {'model': 'a', 'question': '7'})]
    """
    table: CsvTable | JsonTable | ParquetTable
    if source.ending == PARQUET:
        table = ParquetTable(source, wanted)
    elif source.ending in (".csv", ".tsv"):
        table = CsvTable(source, longest_line)
    else:
        table = JsonTable(source, longest_line, unique=unique_keys, flat=flat, rows=rows, keys=keys)
    if len(table.header) > MOST_COLUMNS:
        rule = f"has {len(table.header)} columns, more than {MOST_COLUMNS:,}"
        raise InputError(table.header_place, MISSING, rule, "keep those that are used")
    return table


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
        A path that cannot be written.
    """
    if source.ending == JSON:
        raise source.fault("is read, and not written", "write JSON Lines: .jsonl")
    texts, remedy = texts or {}, "give a path in a folder where you may write"
    with replacing(source.location, "path", remedy) as new:
        if source.ending == PARQUET:
            write_parquet(str(new), columns, texts)
            return
        separator = None if source.ending in (".jsonl", ".ndjson") else source.separator
        with open(new, "xb") as file:
            encoded = (line.encode() for line in _lines(columns, texts, separator))
            if source.packed == ".gz":
                # Neither name nor time: the same table gives the same bytes.
                with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                    packed.writelines(encoded)
            elif source.packed:
                checked = {zstd().CompressionParameter.checksum_flag: 1}
                with zstd().open(file, "wb", options=checked) as packed:
                    packed.writelines(encoded)
            else:
                file.writelines(encoded)


def _lines(
    columns: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]], separator: str | None
) -> Iterator[str]:
    """Yield the lines of CSV, the header included, or of JSON Lines."""
    cells = {name: list(map(_csv_cell if separator else json.dumps, named)) for name, named in texts.items()}
    pattern = "{" + ", ".join(f"{json.dumps(name)}: %s" for name in columns) + "}\n"
    if separator:
        yield separator.join(columns) + "\n"
        pattern = separator.join(["%s"] * len(columns)) + "\n"
    for start in range(0, min(map(len, columns.values())), _ROWS):
        parts = {name: column[start : start + _ROWS].tolist() for name, column in columns.items()}
        written = (map(cells[name].__getitem__ if name in cells else repr, part) for name, part in parts.items())
        yield from map(pattern.__mod__, zip(*written, strict=True))


def _csv_cell(text: str) -> str:
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if re.search(r'[",\t\r\n]', text) else text
