"""Traces as Parquet, where pyarrow is installed: read in pieces, written at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError, printable
from mechanism.tabular.trace_cells import Cells, Piece, are_amounts, column_of_providers
from mechanism.tabular.trace_lines import located, reason
from mechanism.tabular.trace_rows import COLUMNS, arranged
from mechanism.trace import Trace

__all__ = ["parquet_pieces", "write_parquet"]

_MAGIC = b"PAR1"
_BATCH = 1 << 16
_GROUP = 1 << 18


def parquet_pieces(file: BufferedIOBase, location: str, cells: Cells) -> Iterator[Piece]:
    """Yield all rows of a Parquet file, in pieces of many; their lines are the rows, counted from 1.

    Parameters
    ----------
    file : binary file
    location : str
        What errors call it.
    cells : Cells

    Raises
    ------
    InputError
        pyarrow is missing, the file is not Parquet or is damaged, or a column or a cell breaks a rule.
    """
    pyarrow, parquet = _modules(location)
    with _readable(pyarrow, location):
        if file.read(len(_MAGIC)) != _MAGIC:  # pyarrow looks at the end only, and takes long over a shifted file
            raise pyarrow.ArrowInvalid(f"it does not begin with {_MAGIC.decode()}")
        opened = parquet.ParquetFile(file, buffer_size=1 << 16, pre_buffer=False, page_checksum_verification=True)
        schema = opened.schema_arrow
    columns = _header(pyarrow, schema, location)
    batches, step, total = opened.iter_batches(_BATCH, use_threads=False), 1, opened.metadata.num_rows
    while True:
        with _readable(pyarrow, location, step - 1):
            batch = next(batches, None)
            if batch is None:
                break
            arrays = [batch.column(name) for name in columns]
            piece = _columns(pyarrow, arrays, step, cells)
            cut = [] if piece else [array.to_pylist() for array in arrays]
        piece = piece or cells.piece(enumerate(zip(*cut, strict=True), step), step)
        if piece is not None:
            yield piece
            step += len(piece.provider)
    if step - 1 != total:
        raise InputError("path", location, f"holds {step - 1} rows, not {total} as it says", "it may be damaged")


def _header(pyarrow: Any, schema: Any, location: str) -> tuple[str, ...]:
    try:
        columns = arranged(schema.names)
        for name in columns:
            _check_type(pyarrow, name, schema.field(name).type)
    except InputError as error:
        raise located(error, printable(location)) from None
    return columns


def write_parquet(trace: Trace, file: IO[bytes], names: Sequence[str] | None, location: str) -> None:
    """Write a trace as Parquet.

    Parameters
    ----------
    trace : Trace
    file : binary file
    names : sequence of str, optional
        The providers' names, which UTF-8 can write; by default providers are written by their index.
    location : str
        What errors call the file.

    Raises
    ------
    InputError
        pyarrow is missing.
    """
    pyarrow, parquet = _modules(location)
    columns: dict[str, Any] = {"step": np.arange(1, len(trace) + 1), **trace.columns()}
    if names is not None:
        served = pyarrow.array(trace.provider, pyarrow.int32())
        columns["provider"] = pyarrow.DictionaryArray.from_arrays(served, pyarrow.array(names, pyarrow.string()))
    table = pyarrow.table(columns)
    parquet.write_table(table, file, row_group_size=_GROUP, write_page_checksum=True, store_schema=False)


def _modules(location: str) -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("path", location, "needs pyarrow", "pip install 'costproof[parquet]'") from None
    return pyarrow, parquet


@contextmanager
def _readable(pyarrow: Any, location: str, row: int | None = None) -> Iterator[None]:
    try:
        yield
    # Beside its own errors, pyarrow raises those of Python on damaged files: text that is not UTF-8, no memory for
    # the size that a file claims.
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        rule = "is not Parquet" if row is None else f"cannot be read beyond row {row}"
        raise InputError("path", location, f"{rule} ({reason(error)})", "it may be truncated or damaged") from None


def _check_type(pyarrow: Any, name: str, found: Any) -> None:
    """Refuse a column whose type cannot hold what the column means."""
    types = pyarrow.types
    if name == "provider":
        plain = found.value_type if types.is_dictionary(found) else found
        if not (types.is_integer(plain) or types.is_string(plain) or types.is_large_string(plain)):
            raise InputError(name, str(found), "must be a column of strings or integers", COLUMNS[name])
    elif not (types.is_integer(found) or types.is_floating(found) or types.is_decimal(found)):
        raise InputError(name, str(found), "must be a column of numbers", COLUMNS[name])


def _columns(pyarrow: Any, arrays: Sequence[Any], first_step: int, cells: Cells) -> Piece | None:
    """Return a batch as columns, or None where a row of it might be refused."""
    if any(array.null_count for array in arrays):
        return None
    steps, provider = _numbers(pyarrow, arrays[0]), _provider(pyarrow, arrays[1], cells)
    amounts = tuple(_numbers(pyarrow, array).astype(np.float64) for array in arrays[2:])
    lines = np.arange(first_step, first_step + len(steps))
    if provider is None or not np.array_equal(steps, lines) or not are_amounts(amounts):
        return None
    return Piece(lines, provider, amounts)


def _numbers(pyarrow: Any, array: Any) -> NDArray[Any]:
    if pyarrow.types.is_decimal(array.type):
        # Python rounds a decimal to the nearest double, as it does the same digits in CSV.
        return np.fromiter(map(float, array.to_pylist()), np.float64, len(array))
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def _provider(pyarrow: Any, array: Any, cells: Cells) -> NDArray[np.int64] | None:
    types = pyarrow.types
    if types.is_dictionary(array.type) and types.is_integer(array.type.value_type):
        array = array.dictionary_decode()
    if types.is_integer(array.type):
        served: NDArray[Any] = array.to_numpy(zero_copy_only=False)
        inside = len(served) == 0 or 0 <= served.min() <= served.max() < cells.n_providers
        return served.astype(np.int64) if inside else None
    coded = array if types.is_dictionary(array.type) else array.dictionary_encode()
    indices = column_of_providers(coded.dictionary.to_pylist(), cells.indices)
    return None if indices is None else indices[coded.indices.to_numpy(zero_copy_only=False)]
