"""Parquet by DuckDB: rows one by one, what a query reads of them, and writing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any

from numpy.typing import NDArray

from mechanism.tabular.columns import Cells, Record, Table, connection, first_line
from mechanism.tabular.files import TableFile
from mechanism.tabular.sql import escaped, identifier, quoted

_MAGIC = b"PAR1"
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_TIMES = ("TIME", "DATE", "INTERVAL")


class ParquetTable(Table):
    """A Parquet file, all columns of it or the wanted ones; its rows count from 1."""

    _memory = "512MB"

    def __init__(self, source: TableFile, wanted: Collection[str] | None = None) -> None:
        self.source, self.header_place, self._path = source, source.place(), escaped(source.location)
        self._table = f"read_parquet({self._path}, hive_partitioning = false)"
        with source.opened() as file:
            if file.read(len(_MAGIC)) != _MAGIC:  # DuckDB looks at the end only
                rule = f"is not Parquet (it does not begin with {_MAGIC.decode()})"
                raise source.fault(rule, "it may be truncated or damaged")
        with self._readable("is not Parquet") as opened:
            self.header = self._names(opened.execute(f"SELECT name, num_children FROM parquet_schema({self._path})"))
            described = opened.execute(f"DESCRIBE FROM {self._table}").fetchall()
        # Of columns with the same name all but one have another here.
        self._types = {name: str(kind) for name, kind, *_ in described if name in self.header}
        self._wanted = [name for name in self._types if wanted is None or name in wanted]

    @staticmethod
    def _names(schema: Any) -> tuple[str, ...]:
        """Return the names of the columns; in the schema, those within a column follow it."""
        names, within = [], 0
        for name, children in schema.fetchall()[1:]:
            if not within:
                names.append(name)
            within = max(within - 1, 0) + (children or 0)
        return tuple(names)

    @contextmanager
    def _readable(self, rule: str) -> Iterator[Any]:
        import duckdb

        with closing(connection(self.source.location, self._memory)) as opened:
            try:
                yield opened
            # Beside its own errors, DuckDB raises those of Python on damaged files, as of text that is not UTF-8.
            except (duckdb.Error, ValueError, OverflowError, MemoryError) as error:
                raise self.source.fault(f"{rule} ({first_line(error)})", "it may be truncated or damaged") from None

    @property
    def size(self) -> tuple[int, int]:
        """The rows of the file, and their bytes before compression, as it says itself."""
        with self._readable("cannot be read") as opened:
            query = f"SELECT row_group_num_rows, sum(total_uncompressed_size) FROM parquet_metadata({self._path})"
            groups = opened.execute(f"{query} GROUP BY row_group_id, row_group_num_rows").fetchall()
        return sum(rows for rows, _ in groups), sum(size for _, size in groups)

    def longest(self, name: str) -> int:
        """Return the most characters that a column of texts has in one cell."""
        with self._readable("cannot be read") as opened:
            found: tuple[Any, ...] = opened.execute(
                f"SELECT max(length({self._text(name)})) FROM {self._table}"
            ).fetchone()
        return found[0] or 0

    def records(self) -> Iterator[Record]:
        """Return the rows one by one."""
        columns = [self._native(name) for name in self._wanted] or ["true"]
        with self._readable("cannot be read") as opened:
            found = opened.execute(f"SELECT {', '.join(columns)} FROM {self._table}")
            rows = chain.from_iterable(iter(lambda: found.fetchmany(1024), []))
            for row, cells in enumerate(rows, 1):
                yield row, dict(zip(self._wanted, cells, strict=False))

    def cells(self, record: dict[str, object]) -> dict[str, object]:
        """Return the cells of a row by column."""
        return record

    def _native(self, name: str) -> str:
        """Return the SQL of a cell as Python holds it; times as text, with all of their digits."""
        return self._text(name) if self._types[name].startswith(_TIMES) else identifier(name)

    def _text(self, name: str) -> str:
        # 1.1 as FLOAT is 1.100000023841858.
        exact = "::DOUBLE" if self._types[name] == "FLOAT" else ""
        return f"({identifier(name)}){exact}::VARCHAR"

    def _key(self, name: str) -> str:
        kind = self._types[name]
        exact = kind in (*_INTEGERS, "VARCHAR") or kind.startswith(("DECIMAL", *_TIMES))
        return self._text(name) if exact else "NULL::VARCHAR"

    def _empty(self, name: str) -> str:
        return super()._empty(name) if self._types[name] == "VARCHAR" else f"{identifier(name)} IS NULL"

    def _number(self, name: str) -> str:
        if self._types[name] not in (*_INTEGERS, "FLOAT", "DOUBLE"):
            return super()._number(name)
        number = f"({identifier(name)})::DOUBLE"
        return f"CASE WHEN isfinite({number}) THEN {number} END"

    def _indexed(self, wanted: Cells) -> tuple[str, Mapping[str, int]]:
        numbers = {str(i): i for i in range(wanted.count)}
        return self._text(wanted.called), numbers if self._types[wanted.called] in _INTEGERS else wanted.index

    def _rows(self, used: Collection[str]) -> tuple[str, str]:
        return self._table, "false"


def write_parquet(location: str, columns: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]]) -> None:
    """Write columns as Parquet, described in `mechanism.tabular.table.write_table`."""
    import duckdb

    named = {name: f"[{', '.join(map(quoted, each))}]" for name, each in texts.items()}
    cells = ", ".join(
        f"{named[name]}[{identifier(name)} + 1] AS {identifier(name)}" if name in named else identifier(name)
        for name in columns
    )
    with closing(duckdb.connect(config={"threads": 1})) as opened:
        opened.register("written", dict(columns))
        opened.execute(f"COPY (SELECT {cells} FROM written) TO {quoted(location)} (FORMAT parquet)")
