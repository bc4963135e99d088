"""Whole columns of a table, read by DuckDB; a row with a cell in doubt is read by itself.

A query casts the cells and never raises for one of them: what does not plainly have its kind is NULL. Those rows are
read again by the `csv` or `json` module (`records`), which say what is accepted and what is wrong. So do all rows from
where a query fails.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError, printable
from mechanism.tabular.expressions import Expression, unreadable
from mechanism.tabular.files import PARQUET, TableFile, at, located
from mechanism.tabular.sql import escaped, number_sql, quoted

Record = tuple[int, Any]
"""The line on which a row starts (in Parquet the row, from 1), and what the table's `cells` reads."""

FEW_BYTES = 1 << 16
"""A text of so many bytes is read row by row, before DuckDB would be loaded."""

#: What a query calls the number of a row, and whether it is kept: no column of a file has such a name.
_ROW, _KEPT = '"\x1frow"', '"\x1fkept"'
#: Rows that are read one by one at a time.
_ROWS = 1 << 12


@dataclass(frozen=True, kw_only=True)
class Cells:
    """How the cells of one column are read, whole or one by one.

    Parameters
    ----------
    called : str
        What it is called in the file, or the text of the expression.
    single : callable
        From one cell to a number or a key; it raises an InputError.
    type : {"d", "q", "S"}, optional
        Whether these are floats, whole numbers or keys that sort as bytes do.
    kind : {"number", "grade", "key", "index"}
        Whether its cells are numbers, numbers or true or false, texts, or what `index` has.
    expression : Expression, optional
    least, most : float, optional
        The range of its numbers.
    whole : bool, optional
        Whether its numbers are whole.
    empty : float, optional
        What an empty cell stands for.
    index : mapping of str to int, optional
        What texts stand for; whole numbers below `count` stand for themselves.
    count : int, optional
    """

    called: str
    single: Callable[[object], float | int | bytes]
    type: str = "d"
    kind: Literal["number", "grade", "key", "index"] = "number"
    expression: Expression | None = None
    least: float = -np.inf
    most: float = np.inf
    whole: bool = False
    empty: float | None = None
    index: Mapping[str, int] = field(default_factory=dict)
    count: int = 0

    @property
    def is_text(self) -> bool:
        """Whether texts are read, of which it is yet to be said what they stand for."""
        return self.kind == "key" or (self.kind == "index" and self.expression is not None)

    def doubted(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which numbers may not stand there."""
        doubtful = ~((values >= self.least) & (values <= self.most))
        if self.empty is not None:
            doubtful &= ~np.isnan(values) if np.isnan(self.empty) else values != self.empty
        return doubtful | (values != np.rint(values)) if self.whole else doubtful

    def array(self, values: Any) -> NDArray[Any]:
        """Return the values of this column as an array."""
        return np.asarray(values, {"q": np.int64, "d": np.float64, "S": np.bytes_}[self.type])

    def from_keys(self, texts: NDArray[Any], doubtful: NDArray[np.bool_]) -> NDArray[Any]:
        """Return what texts stand for, and mark those that `single` refuses."""
        known: dict[str | None, Any] = {None: None}
        refused = {None}
        for text in dict.fromkeys(texts.tolist()) if not doubtful.all() else ():
            if text is not None:
                try:
                    known[text] = self.single(text)
                except InputError:
                    refused.add(text)
        doubtful |= np.fromiter((text in refused for text in texts), np.bool_, len(texts))
        return np.array([known.get(text) for text in [*texts.tolist(), None]], object)[:-1]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Consecutive rows.

    Parameters
    ----------
    first : int
        The number of the first of them in the file, from 1.
    doubtful : array of bool
        Which rows have to be read one by one.
    record : callable
        From where such a row stands here to its line and what the table's `cells` reads, in the order of the rows.
    columns : mapping of str to array
        The cells of the other rows; nothing where all rows are in doubt.
    kept : array of bool, or None
        Which rows fulfil the condition, or are odd.
    unknown : int
        How many rows have a condition that empty cells leave open.
    """

    first: int
    doubtful: NDArray[np.bool_]
    record: Callable[[int], Record]
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    kept: NDArray[np.bool_] | None = None
    unknown: int = 0


class Table(ABC):
    """An open file that holds a table.

    Attributes
    ----------
    source : TableFile
    header : tuple of str
        The names of the columns; empty if the file is.
    header_place : str
        Where these stand, for errors.
    """

    source: TableFile
    header: tuple[str, ...]
    header_place: str
    #: Whether a row may have columns that others lack, and what a query may hold in memory: DuckDB keeps what it read.
    _ragged, _memory = False, "128MB"

    @abstractmethod
    def records(self) -> Iterator[Record]:
        """Return the rows one by one, from the first one on; what cannot be read further raises an InputError."""

    @abstractmethod
    def cells(self, record: Any) -> Mapping[str, object]:
        """Return the cells of a row by column, or raise an InputError that lacks the place."""

    @abstractmethod
    def _text(self, name: str) -> str:
        """Return the SQL of a cell as text, NULL if it is null."""

    @abstractmethod
    def _rows(self, used: Collection[str]) -> tuple[str, str]:
        """Return the SQL of a table of all rows, and of the condition that a row is odd."""

    def _key(self, name: str) -> str:
        """Return the SQL of a cell as text with all of its digits; NULL where these are lost."""
        return self._text(name)

    def _number(self, name: str) -> str:
        """Return the SQL of the finite number that a cell holds; NULL if it plainly holds none."""
        return number_sql(self._text(name))

    def _empty(self, name: str) -> str:
        return f"coalesce({self._text(name)} = '', true)"

    def _indexed(self, wanted: Cells) -> tuple[str, Mapping[str, int]]:
        """Return the SQL of a text, and the indices of the texts that it may be."""
        return self._text(wanted.called), wanted.index

    def _can_query(self) -> bool:
        """Whether a query reads the file as the modules of Python do."""
        return True

    def batches(
        self, columns: Mapping[str, Cells], *, where: Expression | None = None, absent: Collection[str] = ()
    ) -> Iterator[Batch]:
        """Yield all rows.

        Parameters
        ----------
        columns : mapping of str to Cells
            What is read.
        where : Expression, optional
            Which rows are kept.
        absent : collection of str, optional
            Columns that no row may have.
        """
        again, row, refused = _Again(self), 1, "DuckDB reads it in another way"
        computed = where is not None or any(each.expression is not None for each in columns.values())
        few = self.source.ending != PARQUET and os.path.getsize(self.source.location) <= FEW_BYTES
        if (computed or not few) and self._can_query():
            import duckdb
            from nanoarrow._utils import NanoarrowException

            try:
                with closing(connection(self.source.location, self._memory)) as opened:
                    for batch in self._queried(opened, again, columns, where, absent if self._ragged else ()):
                        yield batch
                        row += len(batch.doubtful)
                    return
            except (duckdb.Error, NanoarrowException) as error:
                if (found := unreadable(str(error))) is not None:
                    raise located(found[1], self.source.place(again.record(found[0])[0])) from None
                refused = first_line(error)
        failure: InputError | None = None
        records: list[Record] = [(0, "")]
        while failure is None and records:
            records, failure = again.some(row)
            if records and not computed:
                yield Batch(first=row, doubtful=np.ones(len(records), np.bool_), record=records.__getitem__)
            row += len(records)
            for line, record in records if computed else ():
                with at(self.source.place(line)):
                    self.cells(record)  # of JSON Lines, only this says what is wrong with a line
        if failure is not None:
            raise failure
        if computed:
            remedy = "expressions need a file without odd quotes, with one kind of line ends"
            raise self.source.fault(f"cannot be queried ({refused})", remedy)

    def _queried(
        self,
        opened: Any,
        again: _Again,
        columns: Mapping[str, Cells],
        where: Expression | None,
        absent: Collection[str],
    ) -> Iterator[Batch]:
        import nanoarrow

        given = (where, *(each.expression for each in columns.values()))
        expressions = [each for each in given if each is not None]
        named = dict.fromkeys(name for each in expressions for name in each.columns)
        cells = {name: f'"\x1f{i}"' for i, name in enumerate(named)}
        used = {*absent, *cells}
        indices: dict[str, NDArray[Any]] = {}
        found: list[str] = []
        for name, each in columns.items():
            used |= {each.called} if each.expression is None else set()
            if each.kind == "index" and not each.is_text:
                text, index = self._indexed(each)
                known = [text for text in index if "\0" not in text]
                opened.execute(f"CREATE TYPE index{len(found)} AS ENUM ({', '.join(map(quoted, known))})")
                indices[name] = np.array([index[text] for text in known], np.int64)
                found.append(f"enum_code(TRY_CAST({text} AS index{len(found)}))::INTEGER")
            else:
                found.append(self._sql(each, cells))
        table, odd = self._rows(used)
        odd = f"coalesce({' OR '.join([odd, *(f'{self._text(name)} IS NOT NULL' for name in absent)])}, true)"
        if expressions:
            texts = (f"nullif({self._text(name)}, '') AS {cell}" for name, cell in cells.items())
            numbered = ", ".join(["*", f"row_number() OVER () AS {_ROW}", *texts])
            kept = where.sql(cells.__getitem__, _ROW) if where else "true"
            kept = f"CASE WHEN NOT {odd} THEN {kept} END AS {_KEPT}"
            table = f"(SELECT *, {kept} FROM (SELECT {numbered} FROM {table}))"
        query = f"SELECT {odd}::TINYINT, {f'{_KEPT}::TINYINT' if expressions else '1::TINYINT'}, {', '.join(found)}"
        row = 1
        for chunk in nanoarrow.ArrayStream(opened.sql(f"{query} FROM {table}")).iter_chunks():
            yield _batch(chunk, row, again, columns, indices)
            row += len(chunk)

    def _sql(self, wanted: Cells, cells: Mapping[str, str]) -> str:
        """Return the SQL of a cell; NULL if it does not plainly have its kind."""
        if wanted.expression is not None:
            value = f"CASE WHEN {_KEPT} THEN {wanted.expression.sql(cells.__getitem__, _ROW)} END"
            empty = math.nan if wanted.empty is None else wanted.empty
            return value if wanted.is_text else f"coalesce({value}, '{empty!r}'::DOUBLE)"
        name = wanted.called
        if wanted.kind == "key":
            return self._key(name)
        number = self._number(name)
        if wanted.kind == "grade":
            truth = f"CASE lower(trim({self._text(name)})) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
            number = f"coalesce({number}, {truth})"
        if wanted.empty is not None:
            number = f"CASE WHEN {self._empty(name)} THEN '{wanted.empty!r}'::DOUBLE ELSE {number} END"
        return number


def _batch(
    chunk: Any, first: int, again: _Again, columns: Mapping[str, Cells], indices: Mapping[str, NDArray[Any]]
) -> Batch:
    odd = _numbers(chunk.child(0), np.int8) != 0
    doubtful, unknown = odd.copy(), _nulls(chunk.child(1)) & ~odd
    values: dict[str, NDArray[Any]] = {}
    for (name, wanted), child in zip(columns.items(), map(chunk.child, range(2, len(columns) + 2)), strict=True):
        doubtful |= _nulls(child)
        if name in indices:
            values[name] = indices[name][np.where(doubtful, 0, _numbers(child, np.int32))]
        elif wanted.is_text:
            values[name] = np.array([*child.to_pylist(), None], object)[:-1]
        else:
            values[name] = _numbers(child, np.float64)
            doubtful |= wanted.doubted(values[name])
    return Batch(
        first=first,
        doubtful=doubtful,
        record=lambda i: again.record(first + i),
        columns=values,
        kept=odd | ((_numbers(chunk.child(1), np.int8) != 0) & ~unknown),
        unknown=int(np.count_nonzero(unknown)),
    )


class _Again:
    """The rows of a table once more, one by one; those before the last that was asked for are read from the start."""

    def __init__(self, table: Table) -> None:
        self.table, self._records, self._passed = table, table.records(), 0

    def record(self, row: int) -> Record:
        """Return a row."""
        if row <= self._passed:
            self._records, self._passed = self.table.records(), 0
        found = next(islice(self._records, row - self._passed - 1, None), None)
        if found is None:
            raise self.table.source.fault(f"has fewer than {row} rows on a second reading", "was it changed?")
        self._passed = row
        return found

    def some(self, row: int) -> tuple[list[Record], InputError | None]:
        """Return some rows from one on, and the error that ends them."""
        found: list[Record] = []
        try:
            found.extend(islice(self._records, row - self._passed - 1, row - self._passed - 1 + _ROWS))
        except InputError as error:
            return found, error
        self._passed = row - 1 + len(found)
        return found, None


@dataclass(frozen=True, kw_only=True)
class RowPlace:
    """Where a row of a log stands, and some of its cells by column; Parquet has no lines."""

    file: str
    line: int | None
    cells: Mapping[str, str]


class Places:
    """Where the rows of a log stand that several files may hold: looked for when something is reported of them."""

    def __init__(self) -> None:
        self._tables: list[tuple[int, _Again]] = []

    def add(self, table: Table, before: int = 0) -> None:
        """Add a file, and how many rows the files before it have."""
        self._tables.append((before, _Again(table)))

    def _find(self, row: int) -> tuple[_Again, int]:
        before, again = next(each for each in reversed(self._tables) if each[0] < row)
        return again, row - before

    def _line(self, row: int) -> tuple[TableFile, int]:
        again, number = self._find(row)
        source = again.table.source
        return source, number if source.ending == PARQUET else again.record(number)[0]

    def lines(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the lines on which rows start."""
        found = {row: self._line(row)[1] for row in np.unique(rows).tolist()}
        return np.array([found[row] for row in rows.tolist()], np.int64)

    def row(self, row: int, names: Iterable[str]) -> RowPlace:
        """Return where a row stands, with its cells in some columns."""
        again, number = self._find(row)
        source, (line, record) = again.table.source, again.record(number)
        cells = again.table.cells(record)
        named = {name: str(cells[name]) for name in names if name in cells}
        return RowPlace(file=source.location, line=None if source.ending == PARQUET else line, cells=named)

    def place(self, row: int) -> str:
        """Return the file and the line of a row, as errors show them."""
        source, line = self._line(row)
        return source.place(line)


def connection(location: str, memory: str) -> Any:
    """Return a connection of DuckDB that can read one file, and nothing else."""
    import duckdb

    off = ("python_enable_replacements", "autoinstall_known_extensions", "autoload_known_extensions")
    config: dict[str, Any] = {"threads": 1, "memory_limit": memory, "temp_directory": "", **dict.fromkeys(off, False)}
    opened = duckdb.connect(config=config | {"allow_community_extensions": False})
    paths = ", ".join({quoted(os.path.abspath(location)), escaped(location)})
    opened.execute(f"SET TimeZone = 'UTC'; SET enable_progress_bar = false; SET allowed_paths = [{paths}]")
    opened.execute("SET enable_external_access = false; SET lock_configuration = true")
    return opened


def first_line(error: Exception) -> str:
    """Return what DuckDB says is wrong, in short.

    Examples
    --------
    >>> first_line(ValueError("Invalid Input Error: too small\\nPossible fixes: none"))
    'too small'
    """
    return printable(str(error).strip().split("\n")[0].split("Error: ", 1)[-1], 200)


def _nulls(child: Any) -> NDArray[np.bool_]:
    bits = np.frombuffer(child.buffer(0), np.uint8)
    if not len(bits):
        return np.zeros(len(child), np.bool_)
    found: NDArray[np.bool_] = np.unpackbits(bits, bitorder="little")[child.offset : child.offset + len(child)] == 0
    return found


def _numbers(child: Any, kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(child.buffer(1), kind)[child.offset : child.offset + len(child)]
