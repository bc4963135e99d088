"""Parquet, where pyarrow is installed: read in pieces, written at once. Nothing else imports pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError, printable
from mechanism.files import reason
from mechanism.tabular.files import TableFile
from mechanism.tabular.pieces import ColumnType, Piece, Record, json_number

_MAGIC = b"PAR1"
_BATCH = 1 << 16
_GROUP = 1 << 18


def _modules(source: TableFile) -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        remedy = "pip install 'costproof[parquet]', or save the table as CSV or JSON Lines"
        raise source.fault("needs pyarrow", remedy) from None
    return pyarrow, parquet


def _cells(types: Any, array: Any) -> list[Any]:
    """Return the cells of an array of pyarrow; times that Python cannot hold (years above 9999) come as text."""
    try:
        cells: list[Any] = array.to_pylist()
    except (ArithmeticError, LookupError, ValueError):
        if not types.is_temporal(array.type):
            raise
        zone = "" if getattr(array.type, "tz", None) is None else "+00:00"
        cells = [None if np.isnat(cell) else f"{cell}{zone}" for cell in array.to_numpy(zero_copy_only=False)]
    return cells


class ArrowColumn(NamedTuple):
    """An array of pyarrow."""

    types: Any
    array: Any

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the numbers, None if one is null."""
        if self.array.null_count:
            return None
        if self.types.is_decimal(self.array.type):
            # Python rounds a decimal to the nearest double, as it does the same digits in CSV.
            return np.fromiter(map(float, self.array.to_pylist()), np.float64, len(self.array))
        numbers: NDArray[np.float64] = self.array.to_numpy(zero_copy_only=False).astype(np.float64)
        return numbers

    def indices(self, index: Callable[[object], int]) -> NDArray[np.int64] | None:
        """Return the index of every cell, None if `index` refuses one or one is null."""
        if self.array.null_count:
            return None
        coded = self.array if self.types.is_dictionary(self.array.type) else self.array.dictionary_encode()
        try:
            known = np.array([index(cell) for cell in _cells(self.types, coded.dictionary)], np.int64)
        except InputError:
            return None
        found: NDArray[np.int64] = known[coded.indices.to_numpy(zero_copy_only=False)]
        return found


class ParquetTable:
    """A Parquet file, all columns of it or the wanted ones; its rows count from 1.

    Columns of text in `coded` are read as a dictionary: a long text that many rows repeat takes room once.

    An InputError says that pyarrow is missing, the file is not Parquet or, while its rows are read, it is damaged.
    """

    number = staticmethod(json_number)

    def __init__(
        self, file: BufferedIOBase, source: TableFile, wanted: Collection[str] | None = None, coded: Sequence[str] = ()
    ) -> None:
        self._source, (self._pyarrow, parquet) = source, _modules(source)
        with self._readable("is not Parquet"):
            if file.read(len(_MAGIC)) != _MAGIC:  # pyarrow looks at the end only, and takes long over a shifted file
                raise self._pyarrow.ArrowInvalid(f"it does not begin with {_MAGIC.decode()}")
            self._file = parquet.ParquetFile(
                file,
                buffer_size=1 << 16,
                pre_buffer=False,
                page_checksum_verification=True,
                read_dictionary=self._texts(file, parquet, coded) or None,
            )
            schema = self._file.schema_arrow
        self.header, self.header_place = tuple(schema.names), source.place()
        self.types: Mapping[str, ColumnType] = {field.name: self._type(field.type) for field in schema}
        self._wanted = [name for name in self.header if wanted is None or name in wanted]

    def _texts(self, file: BufferedIOBase, parquet: Any, names: Sequence[str]) -> list[str]:
        """Return which of the names are columns of text; pyarrow looks up no others."""
        if not names:
            return []
        schema, types = parquet.read_schema(file), self._pyarrow.types
        file.seek(0)
        kinds = {name: schema.field(name).type for name in names if schema.names.count(name) == 1}
        return [name for name, kind in kinds.items() if types.is_string(kind) or types.is_large_string(kind)]

    @property
    def size(self) -> tuple[int, int]:
        """The rows of the file, and their bytes before compression, as it says itself."""
        metadata = self._file.metadata
        groups = (metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        return metadata.num_rows, sum(groups)

    def cells(self, record: dict[str, object]) -> dict[str, object]:
        """Return the cells of a row by column."""
        return record

    def records(self) -> Iterator[Record]:
        """Return the rows one by one."""
        for piece in self._pieces(1024):
            yield from piece.records

    def pieces(self) -> Iterator[Piece]:
        """Return all rows, in pieces of many."""
        return self._pieces(_BATCH)

    def _pieces(self, size: int) -> Iterator[Piece]:
        row, total = 1, self._file.metadata.num_rows
        batches = self._file.iter_batches(size, columns=self._wanted, use_threads=False)
        while True:
            with self._readable(f"cannot be read beyond row {row - 1}"):
                batch = next(batches, None)
            if batch is None:
                break
            types = self._pyarrow.types
            columns = {name: ArrowColumn(types, batch.column(name)) for name in self._wanted}
            yield Piece(records=self._rows(batch, row), columns=columns, lines=np.arange(row, row + batch.num_rows))
            row += batch.num_rows
        if row - 1 != total:
            raise self._source.fault(f"holds {row - 1} rows, not {total} as it says", "it may be damaged")

    def _rows(self, batch: Any, first: int) -> Iterator[Record]:
        columns = []
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            with self._readable(f"cannot be read beyond row {first - 1}, in column {printable(name, 40)}"):
                columns.append(_cells(self._pyarrow.types, array))
        for row, cells in enumerate(zip(*columns, strict=True) if columns else [()] * batch.num_rows, first):
            yield row, dict(zip(batch.schema.names, cells, strict=True))

    @contextmanager
    def _readable(self, rule: str) -> Iterator[None]:
        try:
            yield
        # Beside its own errors, pyarrow raises those of Python on damaged files: text that is not UTF-8, no memory
        # for the size that a file claims.
        except (self._pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
            raise self._source.fault(f"{rule} ({reason(error)})", "it may be truncated or damaged") from None

    def _type(self, found: Any) -> ColumnType:
        types = self._pyarrow.types
        coded = types.is_dictionary(found)
        plain = found.value_type if coded else found
        if types.is_integer(plain):
            holds = "categories" if coded else "integers"
        elif types.is_string(plain) or types.is_large_string(plain):
            holds = "categories" if coded else "strings"
        else:
            holds = "numbers" if types.is_floating(found) or types.is_decimal(found) else "others"
            holds = "truths" if types.is_boolean(found) else holds
        return ColumnType(holds, str(found))


def write_parquet(
    file: IO[bytes], source: TableFile, columns: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]]
) -> None:
    """Write columns as Parquet, described in `mechanism.tabular.table.write_table`; an InputError without pyarrow."""
    pyarrow, parquet = _modules(source)
    table: dict[str, Any] = dict(columns)
    for name, named in texts.items():
        indices = pyarrow.array(columns[name], pyarrow.int32())
        table[name] = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(named, pyarrow.string()))
    parquet.write_table(pyarrow.table(table), file, row_group_size=_GROUP, write_page_checksum=True, store_schema=False)
