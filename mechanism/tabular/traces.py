"""Traces in files: CSV, JSON Lines or Parquet, one row per query; read whole or in chunks, and written.

`COLUMNS` says what the columns mean: this is the place to add one to (and a field to `mechanism.trace.Trace`).
"""

from __future__ import annotations

import math
import os
import re
import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError, did_you_mean, printable
from bounds.setting.model import Setting
from mechanism.arguments import whole_number
from mechanism.tabular.files import PARQUET, TableFile, located
from mechanism.tabular.pieces import ColumnType, Piece, truth_number
from mechanism.tabular.table import Table, open_table, write_table
from mechanism.trace import NEVER_SETTLED, Trace

LONGEST_LINE = 1 << 20
"""Bytes of a line that is too long: a file with such a line is not a trace."""

_LARGEST = sys.float_info.max


@dataclass(frozen=True, kw_only=True)
class ColumnMeaning:
    """What a column of a trace holds.

    Parameters
    ----------
    meaning : str
        For errors, to be read after them.
    least, most : float, optional
        The range of its numbers, finite.
    remedy : str, optional
        What to do about a number out of range.
    optional : bool, optional
        Whether a file may lack the column.
    empty : float, optional
        What an empty cell stands for; None if it may not be empty.
    """

    meaning: str
    least: float = -_LARGEST
    most: float = _LARGEST
    remedy: str = ""
    optional: bool = False
    empty: float | None = None

    @property
    def rule(self) -> str:
        """What a number that is out of range breaks."""
        return f"must be at least {self.least}" if self.most == _LARGEST else f"must lie in [{self.least}, {self.most}]"

    def allows(self, values: NDArray[Any]) -> bool:
        """Return whether all values lie in the range; NaN does not."""
        return bool(self.least <= values.min() and values.max() <= self.most)


COLUMNS = {
    "step": ColumnMeaning(meaning="it counts the queries: 1, 2, ..."),
    "provider": ColumnMeaning(meaning="it says who served, by name or 0-based index"),
    "payment": ColumnMeaning(meaning="it is what the user paid"),
    "score": ColumnMeaning(
        meaning="it is the grade of the response, in [0, 1], or true or false",
        least=0,
        most=1,
        remedy="rescale the grade of the response",
    ),
    "bid": ColumnMeaning(meaning="it is the standing bid that the served provider left behind"),
    "cost": ColumnMeaning(meaning="it is what serving cost (optional)", optional=True),
    "settled": ColumnMeaning(
        meaning="it is the number of the last query assigned before score and bid arrived (optional)",
        least=1,
        most=NEVER_SETTLED,
        remedy="leave the cell empty if they never arrived",
        optional=True,
        empty=NEVER_SETTLED,
    ),
}
"""The columns in their order. All but the first two are numbers, fields of `Trace` of the same name."""

Columns = dict[str, NDArray[Any]]
"""Consecutive rows: the columns that `Trace` has, and `lines`, on which the rows start."""


@dataclass(frozen=True, eq=False, kw_only=True)
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


def write_trace(trace: Trace, path: str | os.PathLike[str], setting: Setting | None = None) -> None:
    """Write a trace as CSV, JSON Lines or Parquet; reading it gives the same trace, exactly.

    Parameters
    ----------
    trace : Trace
        Of one step or more.
    path : str or path-like
        Its ending chooses the format: ``.csv``, ``.jsonl`` or ``.ndjson``, with ``.gz`` after it compressed, or
        ``.parquet``. A file that exists is replaced at once, when the new one is complete.
    setting : Setting, optional
        Writes providers by their names; by default by 0-based index.

    Raises
    ------
    InputError
        An unknown ending, an empty trace, a provider that the setting lacks, a path that cannot be written, or
        Parquet without pyarrow.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> trace = Trace([0, 1], [1.0, 1.0], [1.0, 0.0], [0.25, 0.1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_trace(trace, f"{folder}/trace.csv")
    ...     print(Path(folder, "trace.csv").read_text(), end="")
    step,provider,payment,score,bid
    1,0,1.0,1.0,0.25
    2,1,1.0,0.0,0.1
    """
    source = trace_file(path)
    if not len(trace):
        raise InputError("trace", 0, "steps are too few", "a trace file needs one row or more")
    _check_providers(trace, setting)
    texts = {} if setting is None else {"provider": [provider.name for provider in setting.providers]}
    if source.ending in (".csv", PARQUET):  # JSON escapes what UTF-8 cannot write
        for name in texts.get("provider", ()):
            if name != name.encode(errors="ignore").decode():
                raise InputError("name", name, "cannot be written as UTF-8", "rename the provider")
    write_table(source, {"step": np.arange(1, len(trace) + 1), **trace.columns()}, texts)


def read_trace(path: str | os.PathLike[str], setting: Setting) -> Trace:
    """Read a recorded log of a platform.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file that ends in ``.csv``, ``.jsonl`` or ``.ndjson``, or in one of these and ``.gz``, or a
        ``.parquet`` file (which needs pyarrow), with the columns step (1, 2, ...), provider, payment, score, bid
        and, optionally, cost and settled, in any order.
    setting : Setting
        Whose providers served. A cell that is both a name and the index of another provider is the name.

    Returns
    -------
    Trace
        Payments, bids and costs are finite and scores lie in [0, 1]; nothing else is promised of them. An empty cell
        of `settled` is a query whose score and bid never arrived; the score and bid of its row are read by nobody.

    Raises
    ------
    InputError
        If the file cannot be read or breaks a rule: one line that names the file, the line (in Parquet the row),
        the column, the value, the rule and the remedy.

    See Also
    --------
    read_trace_chunks : the same, for logs larger than memory.

    Notes
    -----
    Every number is read as the nearest double. Blank lines are skipped. Text that breaks off between two rows, or
    within its last number, looks complete: no reader can tell. Compressed text and Parquet know their length.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trace.csv")
    ...     _ = path.write_text("step,provider,payment,score,bid\\n1,Qwen2.5-7B,75.008,1,20.5\\n")
    ...     read_trace(path, setting).provider.tolist()
    [3]
    """
    return Trace.joined(chunk.trace for chunk in read_trace_chunks(path, setting))


def read_trace_chunks(path: str | os.PathLike[str], setting: Setting, *, rows: int = 65_536) -> Iterator[TraceChunk]:
    """Read a recorded log of a platform in chunks, in little memory however long the log is.

    Parameters
    ----------
    path : str or path-like
        As for `read_trace`.
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
        At once an unknown ending; while iterating, all else that `read_trace` refuses, before the chunk that would
        hold the row.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trace.csv")
    ...     _ = path.write_text("step,provider,payment,score,bid\\n1,3,75,1,20.5\\n2,0,75,0,9\\n3,1,75,1,8\\n")
    ...     [(chunk.first_step, len(chunk.trace), chunk.lines) for chunk in read_trace_chunks(path, setting, rows=2)]
    [(1, 2, array([2, 3])), (3, 1, array([4]))]
    """
    whole_number("rows", rows, "it is the number of rows of a chunk", least=1)
    return _chunks(trace_file(path), setting, rows)


def _chunks(source: TableFile, setting: Setting, rows: int) -> Iterator[TraceChunk]:
    step = 1
    with open_table(source, longest_line=LONGEST_LINE, unique_keys=True) as table:
        if table.header:
            for columns in regrouped(TraceReader(table, source, setting).columns(), rows):
                lines = columns.pop("lines")
                yield TraceChunk(first_step=step, trace=Trace(**columns), lines=lines)
                step += len(lines)
    if step == 1:
        raise source.fault("holds no row", "a trace needs one row per query, and CSV a header above them")


def regrouped(pieces: Iterable[Columns], rows: int) -> Iterator[Columns]:
    """Yield the same rows in pieces of the given size; only the last may be shorter."""
    waiting: list[Columns] = []
    count = 0
    for piece in pieces:
        waiting.append(piece)
        count += len(piece["lines"])
        if count < rows:
            continue
        whole, end = _joined(waiting), count - count % rows
        for start in range(0, end, rows):
            yield {name: column[start : start + rows] for name, column in whole.items()}
        waiting, count = [{name: column[end:] for name, column in whole.items()}], count - end
    if count:
        yield _joined(waiting)


def _joined(pieces: list[Columns]) -> Columns:
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


class TraceReader:
    """What the cells of a trace file mean: whole columns at once, or row by row, with the reason of a refusal.

    The table has a header; a column that is unknown, given twice, missing or of a wrong type raises an InputError.
    """

    def __init__(self, table: Table, source: TableFile, setting: Setting) -> None:
        self._table, self._source, self._provider = table, source, ProviderIndex(setting)
        try:
            _check_header(table)
        except InputError as error:
            raise located(error, table.header_place) from None
        self._numbers = [name for name in COLUMNS if name in table.header and name not in ("step", "provider")]

    def columns(self) -> Iterator[Columns]:
        """Yield all rows, in pieces; an error is reported after the rows before it, with its file and line."""
        step = 1
        for piece in self._table.pieces():
            columns, failure = self.whole(piece, step), None
            if columns is None:
                columns, failure = self.row_by_row(piece, step)
            if len(columns["lines"]):
                yield columns
                step += len(columns["lines"])
            if failure is not None:
                raise failure

    def whole(self, piece: Piece, first_step: int) -> Columns | None:
        """Return the rows as `row_by_row` would, from whole columns; None where it might refuse one."""
        if piece.columns is None or not len(piece.lines):
            return None
        steps = piece.columns["step"].numbers()
        if steps is None or not np.array_equal(steps, np.arange(first_step, first_step + len(piece.lines))):
            return None
        found: Columns = {"lines": piece.lines}
        for name in ("provider", *self._numbers):
            column = piece.columns[name]
            values = column.indices(self._provider) if name == "provider" else column.numbers()
            if values is None or not COLUMNS[name].allows(values):
                return None
            found[name] = values
        return found

    def row_by_row(self, piece: Piece, first_step: int) -> tuple[Columns, InputError | None]:
        """Return the rows before the first one that breaks a rule, and what it breaks."""
        columns: dict[str, array[Any]] = {"lines": array("q"), "provider": array("q")}
        columns |= {name: array("d") for name in self._numbers}
        failure = None
        try:
            for step, (line, record) in enumerate(piece.records, first_step):
                try:
                    row = self._row(record, step)
                except InputError as error:
                    raise located(error, self._source.place(line)) from None
                for column, value in zip(columns.values(), (line, *row), strict=True):
                    column.append(value)
        except InputError as error:
            failure = error
        types = {"q": np.int64, "d": np.float64}
        return {name: np.array(column, types[column.typecode]) for name, column in columns.items()}, failure

    def _row(self, record: Any, step: int) -> tuple[Any, ...]:
        """Return the index of the provider and the numbers of a row, or raise an InputError that names the column."""
        cells, header = self._table.cells(record), self._table.header
        if len(cells) != len(header) or not all(map(cells.__contains__, header)):
            # An object of JSON Lines whose keys are not those of the first.
            _check_names(tuple(cells))
            name = next(name for name in COLUMNS if (name in cells) != (name in header))
            rule = "must be given on every line or on none"
            raise InputError(name, cells.get(name), rule, COLUMNS[name].meaning)
        self._check_step(cells["step"], step)
        return self._provider(cells["provider"]), *(self._number(name, cells[name]) for name in self._numbers)

    def _check_step(self, cell: object, expected: int) -> None:
        found = self._table.number(cell)
        if found == expected:
            return
        if found is None or not found.is_integer():
            remedy = COLUMNS["step"].meaning
        elif expected == 1:
            remedy = "steps count from 1; the beginning of the log may be missing"
        elif found > expected:
            remedy = "rows are missing before it: was the log truncated, filtered or reordered?"
        elif found == expected - 1:
            remedy = "the row repeats a step: was it logged twice?"
        else:
            remedy = "the rows are out of order: was the log reordered, or are these several logs?"
        raise InputError("step", cell, f"must be {expected}", remedy)

    def _number(self, name: str, cell: object) -> float:
        return checked_number(name, cell, self._table.number(cell))


class ProviderIndex:
    """Finds whom a cell means: a provider's name, or its index where that is nobody's name."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        names = {provider.name: i for i, provider in enumerate(setting.providers)}
        self._by_text = {str(i): i for i in names.values()} | names

    def __call__(self, cell: object) -> int:
        """Return the index of a provider, or raise an InputError."""
        if isinstance(cell, str) and (index := self._by_text.get(cell)) is not None:
            return index
        last = self._setting.n_providers - 1
        if type(cell) is int and 0 <= cell <= last:
            return cell
        if type(cell) is int or (isinstance(cell, str) and re.fullmatch(r"-[0-9]+|[1-9][0-9]*", cell)):
            raise InputError("provider", cell, f"must lie in 0..{last}", "indices start at 0")
        names = [printable(provider.name, 40) for provider in self._setting.providers]
        shown = ", ".join(f"'{name}'" for name in names[:12]) + (", ..." if names[12:] else "")
        remedy = did_you_mean(cell, names, f"write an index in 0..{last} or a name: {shown}", quote=True)
        rule = f"is not a provider of setting '{printable(self._setting.name, 40)}'"
        raise InputError("provider", cell, rule, remedy)


def is_empty(cell: object) -> bool:
    """Return whether a cell holds nothing, as CSV or as JSON and Parquet write it."""
    return cell is None or cell == ""


def checked_number(name: str, cell: object, value: float | None) -> float:
    """Return the number that a cell of a column holds, or raise an InputError."""
    column = COLUMNS[name]
    if column.empty is not None and is_empty(cell):
        return column.empty
    if value is None and name == "score":
        value = truth_number(cell)
    if value is None:
        remedy = f"{column.meaning}; write it as 0.5 or {min(column.most, 3):g}"
        raise InputError(name, cell, "must be a number", remedy)
    if not math.isfinite(value):
        raise InputError(name, cell, "must be finite", column.meaning)
    if not column.least <= value <= column.most:
        raise InputError(name, cell, column.rule, column.remedy)
    return value


def trace_file(path: str | os.PathLike[str]) -> TableFile:
    """Return the file that holds a trace, or raise an InputError: its ending is unknown."""
    try:
        location = os.fsdecode(path)
    except TypeError:
        raise InputError("path", path, "must be a path", "give the path of a trace file") from None
    return TableFile(location=location, name=location, argument="path", kind="trace")


def _check_providers(trace: Trace, setting: Setting | None) -> None:
    least, most = int(trace.provider.min()), int(trace.provider.max())
    if least < 0:
        raise InputError("provider", least, "must not be negative", "indices start at 0")
    if setting is not None and most >= setting.n_providers:
        rule = f"must lie in 0..{setting.n_providers - 1}"
        raise InputError("provider", most, rule, "the trace belongs to another setting")


def _check_header(table: Table) -> None:
    check_separator(table)
    _check_names(table.header)
    for name, column in table.types.items():
        check_type(name, column)


def check_separator(table: Table) -> None:
    """Refuse a header of CSV that separates the columns by something else than commas."""
    if len(table.header) == 1 and (separator := _other_separator(table.header[0])):
        remedy = "separate them by commas, and write decimals with a point"
        raise InputError("", table.header[0], f"separates the columns by {separator}", remedy)


def check_type(name: str, column: ColumnType) -> None:
    """Refuse a column of Parquet whose type is none for a column of a trace."""
    if name == "provider" and column.holds not in ("strings", "integers", "categories"):
        raise InputError(name, column.shown, "must be a column of strings or integers", COLUMNS[name].meaning)
    truths = ("truths",) if name == "score" else ()
    if name != "provider" and column.holds not in ("integers", "numbers", *truths):
        rule = f"must be a column of numbers{' or of booleans' if truths else ''}"
        raise InputError(name, column.shown, rule, COLUMNS[name].meaning)


def _check_names(names: tuple[str, ...]) -> None:
    """Refuse unknown, repeated and missing columns; unknown ones first, as a misspelt one makes another missing."""
    for position, name in enumerate(names):
        if name not in COLUMNS:
            raise InputError(name, name, "is not a known column", _instead_of(name, names))
        if name in names[:position]:
            raise InputError(name, name, "is given twice", "keep one of the two")
    for name, column in COLUMNS.items():
        if name not in names and not column.optional:
            raise InputError(name, None, "must be given", column.meaning)


def _instead_of(unknown: str, names: tuple[str, ...]) -> str:
    """Return what to do about an unknown column: only one that is not there can have been meant."""
    absent = [column for column in COLUMNS if column not in names]
    required = [column for column in absent if not COLUMNS[column].optional]
    if not required:
        otherwise = f"remove it; the columns are {', '.join(COLUMNS)}"
    elif len(absent) == len(COLUMNS):
        otherwise = f"name the columns {', '.join(COLUMNS)}"
    elif len(required) == 1:
        otherwise = f"the required column {required[0]} is missing: rename the column if it is this"
    else:
        otherwise = f"{', '.join(required)} are missing: rename the column if it is one of these"
    return did_you_mean(unknown.strip().casefold(), absent, otherwise)


def _other_separator(header: str) -> str | None:
    """Return what separates the columns of a header that is one cell of CSV, None if it is not recognised.

    Examples
    --------
    >>> _other_separator("step;provider;payment;score;bid"), _other_separator("step")
    ('semicolons', None)
    """
    for separator, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(COLUMNS.keys() & {cell.strip(' "') for cell in header.split(separator)}) > 1:
            return name
    return None
