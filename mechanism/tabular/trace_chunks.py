"""Trace files in chunks: a log larger than memory is read piece by piece."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.tabular.trace_cells import AMOUNTS, Cells, Piece
from mechanism.tabular.trace_lines import Lines, reason
from mechanism.tabular.trace_parquet import parquet_pieces
from mechanism.tabular.trace_rows import json_number
from mechanism.tabular.trace_text import CSV_TEXT, JSON_TEXT, text_pieces
from mechanism.trace import Trace

__all__ = ["TraceChunk", "TraceFile", "read_trace_chunks", "trace_file"]

_TEXTS = {".csv": CSV_TEXT, ".jsonl": JSON_TEXT, ".ndjson": JSON_TEXT}
_PARQUET = ".parquet"


@dataclass(frozen=True, eq=False)
class TraceChunk:
    """Consecutive rows of a trace file.

    Parameters
    ----------
    first_step : int
        The step of the first of them; steps count from 1.
    trace : Trace
        The rows `first_step`, `first_step + 1`, ...
    lines : array of int, shape (rows,)
        The line of the file on which each row starts, counted from 1; in Parquet the row.
    """

    first_step: int
    trace: Trace
    lines: NDArray[np.int64]


class TraceFile(NamedTuple):
    """A path, and what its ending says.

    Attributes
    ----------
    location : str
    ending : str
        The format: ``.csv``, ``.jsonl``, ``.ndjson`` or ``.parquet``.
    compressed : bool
        Whether ``.gz`` follows the ending.
    """

    location: str
    ending: str
    compressed: bool


def trace_file(path: str | os.PathLike[str]) -> TraceFile:
    """Return the format of a trace file.

    Raises
    ------
    InputError
        No path, or an unknown ending.

    Examples
    --------
    >>> trace_file("logs/Monday.CSV.gz")
    TraceFile(location='logs/Monday.CSV.gz', ending='.csv', compressed=True)
    """
    try:
        location = os.fsdecode(path)
    except TypeError:
        raise InputError("path", path, "must be a path", "give the path of a trace file") from None
    compressed = location.lower().endswith(".gz")
    ending = Path(location[:-3] if compressed else location).suffix.lower()
    if ending not in _TEXTS and (compressed or ending != _PARQUET):
        rule = f"must end in {', '.join(_TEXTS)}, or in one of these and .gz, or in {_PARQUET}"
        raise InputError("path", location, rule, "the ending says what is in the file")
    return TraceFile(location, ending, compressed)


def read_trace_chunks(path: str | os.PathLike[str], setting: Setting, *, rows: int = 65_536) -> Iterator[TraceChunk]:
    """Read a recorded log of a platform in chunks, in little memory however long the log is.

    Parameters
    ----------
    path : str or path-like
        As for `mechanism.tabular.trace_files.read_trace`.
    setting : Setting
        Whose providers served.
    rows : int
        The rows of every chunk but the last, which may have fewer.

    Returns
    -------
    iterator of TraceChunk
        Closes the file at its end, or when it is closed itself.

    Raises
    ------
    InputError
        At once an unknown ending; while iterating, whatever else `read_trace` refuses, before the chunk that would
        hold the row.

    Examples
    --------
    >>> import tempfile
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trace.csv")
    ...     _ = path.write_text("step,provider,payment,score,bid\\n1,3,75,1,20.5\\n2,0,75,0,9\\n3,1,75,1,8\\n")
    ...     [(chunk.first_step, len(chunk.trace), chunk.lines) for chunk in read_trace_chunks(path, setting, rows=2)]
    [(1, 2, array([2, 3])), (3, 1, array([4]))]
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise InputError("rows", rows, "must be a whole number from 1", "it is the number of rows of a chunk")
    return _chunks(trace_file(path), setting, rows)


def _chunks(source: TraceFile, setting: Setting, rows: int) -> Iterator[TraceChunk]:
    step = 1
    with _opened(source) as file:
        for piece in _regrouped(_pieces(file, source, setting), rows):
            amounts = dict(zip(AMOUNTS, piece.amounts, strict=False))  # cost may be absent
            yield TraceChunk(step, Trace(piece.provider, **amounts), piece.lines)
            step += len(piece.lines)
    if step == 1:
        remedy = "a trace needs one row a query, and CSV a header above them"
        raise InputError("path", source.location, "holds no row", remedy)


def _pieces(file: BufferedIOBase, source: TraceFile, setting: Setting) -> Iterator[Piece]:
    if source.ending == _PARQUET:
        return parquet_pieces(file, source.location, Cells(setting, json_number, source.location))
    form = _TEXTS[source.ending]
    return text_pieces(Lines(file, source.location), form, Cells(setting, form.number, source.location))


def _regrouped(pieces: Iterable[Piece], rows: int) -> Iterator[Piece]:
    """Yield the same rows in pieces of the given size; only the last may be shorter."""
    waiting: list[Piece] = []
    count = 0
    for piece in pieces:
        waiting.append(piece)
        count += len(piece.lines)
        if count < rows:
            continue
        whole, end = _joined(waiting), count - count % rows
        for start in range(0, end, rows):
            yield _part(whole, start, start + rows)
        waiting, count = [_part(whole, end, count)], count - end
    if count:
        yield _joined(waiting)


def _joined(pieces: list[Piece]) -> Piece:
    lines, provider, amounts = zip(*pieces, strict=True)
    columns = tuple(np.concatenate(parts) for parts in zip(*amounts, strict=True))
    return Piece(np.concatenate(lines), np.concatenate(provider), columns)


def _part(piece: Piece, start: int, end: int) -> Piece:
    amounts = tuple(column[start:end] for column in piece.amounts)
    return Piece(piece.lines[start:end], piece.provider[start:end], amounts)


def _opened(source: TraceFile) -> BufferedIOBase:
    try:
        return gzip.open(source.location, "rb") if source.compressed else open(source.location, "rb")
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        rule, remedy = f"cannot be read ({reason(error)})", "give the path of a trace file"
        raise InputError("path", source.location, rule, remedy) from None
