"""Logs as platforms keep them: other names, more columns, any order, other money, a second file; read in chunks."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError, did_you_mean, printable
from bounds.setting.model import Setting
from bounds.words import counted, first_of
from mechanism.arguments import whole_number
from mechanism.tabular.cells import Cells, LogRows, Order, number_cells, step_cells, together
from mechanism.tabular.files import TableFile, located
from mechanism.tabular.layout import Join, LogLayout
from mechanism.tabular.pieces import TableColumn
from mechanism.tabular.steps import StepCounter
from mechanism.tabular.table import Table, open_table
from mechanism.tabular.traces import (
    COLUMNS,
    LONGEST_LINE,
    Columns,
    ProviderIndex,
    check_separator,
    check_type,
    regrouped,
    trace_file,
)
from mechanism.trace import NEVER_SETTLED

MOST_SORTED = 10_000_000
"""Rows of a log, or of a second file, that are held in memory at once; a longer log is read where it need not be."""

#: Names that a message or a note spells out; the others are counted.
_SHOWN = 12
_MONEY = ("payment", "bid", "cost")
_OPTIONAL = tuple(name for name, column in COLUMNS.items() if column.optional)


class ReadingDocument(TypedDict):
    """How a log was read.

    Parameters
    ----------
    options : tuple of str
        Options that say how the file is laid out.
    ignored_columns : tuple of str
        Columns that were not used.
    notes : list of str
        What was noticed, in sentences.
    """

    options: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    notes: list[str]


@dataclass
class LogReading:
    """What was noticed while a log was read; complete when its last row has been.

    Parameters
    ----------
    layout : LogLayout
    ignored : tuple of str
        Columns of the file that were not used.
    steps : StepCounter or None
        What the file's own steps say; None where they were not read.
    notes : list of str
        What a reader of the audit should know, in sentences.
    """

    layout: LogLayout = field(default_factory=LogLayout)
    ignored: tuple[str, ...] = ()
    steps: StepCounter | None = None
    notes: list[str] = field(default_factory=list)

    def document(self) -> ReadingDocument:
        """Return how the log was read, as reports say it."""
        return {"options": tuple(self.layout.options), "ignored_columns": self.ignored, "notes": self.notes}


def read_log(
    path: str | os.PathLike[str], setting: Setting, reading: LogReading, *, rows: int = 65_536
) -> Iterator[Columns]:
    """Read a log of a real platform in chunks.

    Parameters
    ----------
    path : str or path-like
        As for `read_trace`. Columns that are not used are ignored. The step may be missing: then the rows count.
    setting : Setting
        Whose providers served.
    reading : LogReading
        How the log is laid out; what was noticed is added.
    rows : int
        The rows of every chunk but the last, which may have fewer.

    Returns
    -------
    iterator of mapping of str to array
        The columns of a trace, in the order of the steps, and `lines`. Money is the setting's. A bid is NaN where the
        file has none, which only a log with the bids that stood in the auction may. A row without a score is a query
        whose feedback never came; from the first of them on there is a column `settled`.

    Raises
    ------
    InputError
        At once an unknown ending; while iterating, all problems of the header, or the first ones of the rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bounds.published import published
    >>> setting, reading = published("gpqa-strong").setting, LogReading(layout=LogLayout(columns={"payment": "spend"}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "log.csv")
    ...     _ = path.write_text("provider,spend,score,bid,id\\n3,75,1,20.5,x\\n0,75,0,9,y\\n")
    ...     [chunk["payment"].tolist() for chunk in read_log(path, setting, reading)], reading.ignored
    ([[75.0, 75.0]], ('id',))
    """
    whole_number("rows", rows, "it is the number of rows of a chunk", least=1)
    return _chunks(trace_file(path), setting, reading, rows)


def _chunks(source: TableFile, setting: Setting, reading: LogReading, rows: int) -> Iterator[Columns]:
    layout, found = reading.layout, False
    options: dict[str, Any] = {"wanted": _wanted(layout), "written": layout.order_by is not None}
    with open_table(source, longest_line=LONGEST_LINE, unique_keys=True, **options) as table:
        if table.header:
            pieces = _pieces(table, source, setting, reading)
            if layout.order_by is not None:
                pieces = _in_order(pieces, source, reading)
            for columns in _marked(regrouped(_counted(pieces, reading), rows)):
                found = True
                yield _in_unit(columns, layout.unit)
    if not found:
        raise source.fault("holds no row", "a log needs one row per query, and CSV a header above them")
    steps = reading.steps
    if steps is not None and steps.offset:
        each = "each, and to settled" if "settled" in columns else "each"
        reading.notes.append(f"Its steps count from 0: one was added to {each}.")
    if steps is not None and steps.late > steps.rows / 4:
        reading.notes.append("Many rows come too late: --order-by COLUMN puts them in the order of a column.")


def _in_unit(columns: Columns, unit: float) -> Columns:
    """Return the columns with the log's money in the setting's."""
    if unit == 1:
        return columns
    with np.errstate(over="ignore"):
        money = {name: columns[name] * unit for name in _MONEY if name in columns}
    for name, amounts in money.items():
        if np.isinf(amounts).any():
            raise InputError("unit", unit, f"makes a {name} larger than any number", "it is what 1 in the log is worth")
    return {**columns, **money}


def _wanted(layout: LogLayout) -> set[str]:
    names = {called for name in COLUMNS if (called := layout.called(name)) is not None}
    names |= {called for called in (layout.order_by, layout.settled_at) if called is not None}
    return names if layout.join is None else {*names, layout.join.on, layout.join.other}


def _pieces(table: Table, source: TableFile, setting: Setting, reading: LogReading) -> Iterator[Columns]:
    """Yield the rows as they stand in the file, and with them what is joined to them."""
    layout, header = reading.layout, table.header
    with _at(table):
        check_separator(table)
    inside = {name: called for name in COLUMNS if (called := layout.called(name)) is not None and called in header}
    if layout.order_by is not None and inside.get("step") != layout.order_by:
        inside.pop("step", None)  # the order counts
    with _joined(layout, inside) as joined:
        names = {**inside, **(joined.names if joined else {})}
        _check_header(table, layout, inside, names, joined)
        cells = _cells(table, layout, setting, inside)
        if joined is not None and layout.join is not None:
            cells["joined"] = joined.looked_up(layout.join.on)
        used = {each.called for each in cells.values()}
        reading.ignored = tuple(dict.fromkeys(name for name in header if name not in used))
        if "step" in inside:
            reading.steps = StepCounter()
        elif layout.order_by is None:
            reading.notes.append("The log has no steps: its rows count 1, 2, 3, ...")
        reading.notes += _near_misses(reading.ignored, names)
        rows = LogRows(table, source, cells)
        if layout.bids == "after" and "bid" in inside:
            rows.check = _lacks_a_bid
        rows.absent = tuple(called for name in _OPTIONAL if name not in names and (called := layout.called(name)))
        for columns in rows.pieces():
            yield columns if joined is None else joined.added(columns)
        if joined is not None:
            reading.notes += joined.notes()


def _cells(table: Table, layout: LogLayout, setting: Setting, inside: Mapping[str, str]) -> dict[str, Cells]:
    """Return how the columns of the log itself are read."""
    found: dict[str, Cells] = {}
    for name, called in inside.items():
        if name == "provider":
            index = ProviderIndex(setting)
            found[name] = Cells(called=called, whole=_indices(index), single=index, kind="q")
        elif name == "step":
            found[name] = step_cells(called, table.number)
        else:
            found[name] = number_cells(name, called, table.number, may_lack=name in ("score", "bid"))
    if layout.order_by is not None:
        order = Order(layout.order_by, table.number)
        found["order"] = order.cells
        if layout.settled_at is not None:
            found["arrival"] = Order(layout.settled_at, table.number, like=order).cells
    return found


def _lacks_a_bid(row: Mapping[str, Any]) -> list[InputError]:
    """Return what is wrong with a row whose score came without a bid."""
    if not math.isnan(row["bid"]) or math.isnan(row.get("score", 0.0)):
        return []
    remedy = f"{COLUMNS['bid'].meaning}; the one that stood in the auction: --bids before"
    return [InputError("bid", "", "must be a number", remedy)]


def _indices(index: Any) -> Any:
    def whole(column: TableColumn) -> NDArray[np.int64] | None:
        return column.indices(index)

    return whole


@contextmanager
def _at(table: Table) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise located(error, table.header_place) from None


def _check_header(
    table: Table, layout: LogLayout, inside: Mapping[str, str], names: Mapping[str, str], joined: _Joined | None
) -> None:
    """Refuse a header, with all that is wrong with it."""
    header = table.header
    unknown = _unknown(layout, header, names)
    others = (layout.order_by, layout.settled_at)
    wanted = dict.fromkeys(called for called in (*inside.values(), *others) if called is not None)
    twice = (called for called in wanted if header.count(called) > 1)
    problems = [InputError(called, called, "is given twice", "keep one of the two") for called in twice]
    missing = [n for n, c in COLUMNS.items() if not c.optional and n != "step" and n not in {*names, *layout.columns}]
    if missing:
        meanings = "; ".join(f"{name}: {COLUMNS[name].meaning}" for name in missing)
        remedy = f"{meanings}. The file has {_listed(header)}: {_named_with(missing, joined is not None)}"
        problems.append(InputError(", ".join(missing), MISSING, "must be given", remedy))
    problems += _wrong_types(table, inside)
    if unknown or problems:
        raise together([*unknown, *(located(error, table.header_place) for error in problems)])


def _unknown(layout: LogLayout, header: tuple[str, ...], names: Mapping[str, str]) -> list[InputError]:
    """Return which columns that the caller names the file does not have."""
    given = [("columns", called, name in names) for name, called in layout.columns.items()]
    times = {"order_by": layout.order_by, "settled_at": layout.settled_at}
    given += [(option, called, False) for option, called in times.items() if called is not None]
    given += [("on", layout.join.on, False)] if layout.join is not None else []
    otherwise = f"the columns are {_listed(header)}"
    return [
        InputError(option, called, "is not a column of the file", did_you_mean(called, header, otherwise))
        for option, called, elsewhere in given
        if called not in header and not elsewhere
    ]


def _wrong_types(table: Table, names: Mapping[str, str]) -> list[InputError]:
    """Return which columns of Parquet have a type that they cannot have."""
    found = []
    for name, called in names.items():
        if called in table.types:
            try:
                check_type(name, table.types[called])
            except InputError as error:
                found.append(error.about(called))
    return found


def _named_with(missing: list[str], joins: bool) -> str:
    given = ",".join(f"{name}=NAME" for name in missing)
    elsewhere = "" if joins else "; --join FILE --on COLUMN takes them from another file"
    return f"--columns {given} says which {'it is' if len(missing) == 1 else 'these are'}{elsewhere}"


def _listed(names: tuple[str, ...]) -> str:
    return first_of([printable(name, 40) for name in names], _SHOWN)


def _near_misses(ignored: tuple[str, ...], names: Mapping[str, str]) -> list[str]:
    """Return what an ignored column may have been meant to be."""
    lacking = {name for name in COLUMNS if name not in names}
    near = {called: called.strip().casefold() for called in ignored}
    return [
        f"Column {printable(called, 40)} is ignored; if it is {name}: --columns {name}={printable(called, 40)}"
        for called, name in near.items()
        if name in lacking
    ]


def _counted(pieces: Iterator[Columns], reading: LogReading) -> Iterator[Columns]:
    """Yield the rows without their steps, which are counted."""
    for columns in pieces:
        if reading.steps is not None:
            reading.steps.feed(columns.pop("step"), columns["lines"])
            if reading.steps.offset and (settled := columns.get("settled")) is not None:
                # `settled` counts as the steps do.
                columns["settled"] = settled + (settled < NEVER_SETTLED)
        yield columns


def _in_order(pieces: Iterator[Columns], source: TableFile, reading: LogReading) -> Iterator[Columns]:
    """Yield all rows at once, in the order of the column that says it; equal ones as in the file."""
    columns = all_rows(pieces, source.fault, "--order-by")
    if not columns:
        return
    keys = columns.pop("order")
    order = np.argsort(keys, kind="stable")
    arrivals = columns.pop("arrival", None)
    moved, keys = int(np.count_nonzero(order != np.arange(len(order)))), keys[order]
    ties = int(np.count_nonzero(keys[1:] == keys[:-1]))
    reading.notes.append(f"Rows in the order of {printable(str(reading.layout.order_by), 40)}: {moved:,} moved.")
    if ties:
        rows = "1 row has" if ties == 1 else f"{ties:,} rows have"
        reading.notes.append(f"{rows} the same value there as the row before: they stay as in the file.")
    ordered = {name: column[order] for name, column in columns.items()}
    if arrivals is not None:
        ordered["settled"] = _settled(keys, arrivals[order], ordered["lines"], source, reading)
    yield ordered


def _settled(
    assigned: NDArray[np.bytes_],
    arrived: NDArray[np.bytes_],
    lines: NDArray[np.int64],
    source: TableFile,
    reading: LogReading,
) -> NDArray[np.float64]:
    """Return the last query assigned before each arrival, with a fraction that gives the order of the arrivals.

    What arrives at the very time at which a later query is assigned arrives before it.
    """
    never, steps = arrived == b"", np.arange(1, len(assigned) + 1)
    called = str(reading.layout.settled_at)
    early = np.flatnonzero(~never & (arrived < assigned))
    if len(early):
        line = int(lines[early[0]])
        rule = f"is earlier than {printable(str(reading.layout.order_by), 40)} of the same row"
        raise located(InputError(called, MISSING, rule, "feedback comes after the query"), source.place(line))
    last = np.maximum(np.searchsorted(assigned, arrived, side="left"), steps).astype(np.float64)
    last[never] = NEVER_SETTLED
    if ties := int(np.isin(arrived[~never], assigned[1:]).sum()):
        reading.notes.append(
            f"{counted(ties, 'row')} arrived at a time at which a query was assigned: read as before that query."
        )
    if waiting := int(never.sum()):
        reading.notes.append(f"{counted(waiting, 'row')} without {printable(called, 40)}: that feedback never came.")
    order = np.lexsort((steps, arrived, last))
    arriving = last[order]
    first = np.searchsorted(arriving, arriving, side="left")
    together = np.bincount(first, minlength=len(first))[first]
    position = np.empty(len(last))
    position[order] = (np.arange(len(last)) - first) / together
    in_order = np.array_equal(order, np.lexsort((steps, last)))
    return last if in_order else np.where(never, last, last + position)


def _marked(chunks: Iterable[Columns]) -> Iterator[Columns]:
    """Yield chunks in which `settled` says whose feedback never came, from the first such row on."""
    rows, late = 0, False
    for columns in chunks:
        steps = np.arange(rows + 1, rows + 1 + len(columns["lines"]), dtype=np.float64)
        rows, never = rows + len(steps), np.isnan(columns["score"])
        late |= bool(never.any())
        if late:
            settled = np.where(never, NEVER_SETTLED, columns.get("settled", steps))
            score, bid = (np.where(never, 0.0, columns[name]) for name in ("score", "bid"))
            columns = {**columns, "settled": settled, "score": score, "bid": bid}
        yield columns


def all_rows(pieces: Iterator[Columns], fault: Any, option: str) -> Columns:
    """Return all rows in memory, or raise an InputError: there are too many."""
    waiting: list[Columns] = []
    count = 0
    for piece in pieces:
        waiting.append(piece)
        count += len(piece["lines"])
        if count > MOST_SORTED:
            remedy = f"{option} holds all rows in memory: put the log in order, or make it shorter"
            raise fault(f"has more than {MOST_SORTED:,} rows", remedy)
    return {
        name: np.concatenate([piece.pop(name) for piece in waiting]) for name in list(waiting[0] if waiting else ())
    }


class _Joined:
    """The columns of a second file that the log lacks, found by the cells of one column."""

    def __init__(self, join: Join, names: Mapping[str, str], columns: Columns, rows: Mapping[str, int]) -> None:
        self.join, self.names = join, names
        self._columns, self._rows = columns, rows
        self._used = np.zeros(len(rows), dtype=np.bool_)

    def looked_up(self, called: str) -> Cells:
        """Return how the log's own column is read: as the row of the second file."""

        def row_of(cell: object) -> int:
            row = self._rows.get(_key(cell))
            if row is None:
                rule = f"has no row in {printable(self.join.path, 60)}"
                raise InputError(called, cell, rule, f"its column {printable(self.join.other, 40)} must have it")
            return row

        return Cells(called=called, whole=_indices(row_of), single=row_of, kind="q")

    def added(self, columns: Columns) -> Columns:
        """Return rows of the log with their columns of the second file."""
        rows = columns.pop("joined")
        self._used[rows] = True
        return {**columns, **{name: values[rows] for name, values in self._columns.items()}}

    def notes(self) -> list[str]:
        unused = int(np.count_nonzero(~self._used))
        names = ", ".join(self.names)
        left = f"; {unused:,} of its rows belong to none of the log's" if unused else ""
        return [f"From {printable(self.join.path, 60)}: {names}{left}."]


@contextmanager
def _joined(layout: LogLayout, inside: Mapping[str, str]) -> Iterator[_Joined | None]:
    """Read the second file, if there is one."""
    if layout.join is None:
        yield None
        return
    join = layout.join
    source = replace(trace_file(join.path), argument="join")
    with open_table(source, longest_line=LONGEST_LINE, unique_keys=True, wanted=_wanted(layout)) as table:
        names = {
            name: called
            for name in (*_MONEY, "score")
            if name not in inside and (called := layout.called(name)) is not None and called in table.header
        }
        if join.other not in table.header:
            remedy = did_you_mean(join.other, table.header, f"the columns are {_listed(table.header)}")
            raise InputError("on", join.other, "is not a column of the second file", remedy)
        if not names:
            rule = "has no column that the log lacks"
            raise InputError("join", join.path, rule, f"it has {_listed(table.header)}: see --columns")
        with _at(table):
            twice = (called for called in names.values() if table.header.count(called) > 1)
            problems = [InputError(called, called, "is given twice", "keep one of the two") for called in twice]
            if problems := [*problems, *_wrong_types(table, names)]:
                raise together(problems)
        rows, columns = _read_second(table, source, layout, join, names)
    yield _Joined(join, names, columns, rows)


def _read_second(
    table: Table, source: TableFile, layout: LogLayout, join: Join, names: Mapping[str, str]
) -> tuple[dict[str, int], Columns]:
    rows: dict[str, int] = {}

    def row_of(cell: object) -> int:
        return rows.setdefault(_key(cell), len(rows))

    cells = {
        name: number_cells(name, called, table.number, may_lack=name == "bid" and layout.bids == "before")
        for name, called in names.items()
    }
    cells["joined"] = Cells(called=join.other, whole=_indices(row_of), single=row_of, kind="q")
    found = all_rows(LogRows(table, source, cells).pieces(), source.fault, "--join")
    if not found:
        raise source.fault("holds no row", "it needs one for each query of the log")
    place, lines = found.pop("joined"), found.pop("lines")
    if len(rows) < len(place):
        order = np.argsort(place, kind="stable")
        again = order[1:][place[order][1:] == place[order][:-1]]
        line = int(lines[again.min()])
        error = InputError(join.other, MISSING, "repeats a value", "keep one row of each")
        raise located(error, source.place(line))
    columns = {name: np.empty_like(values) for name, values in found.items()}
    for name, values in found.items():
        columns[name][place] = values
    return rows, columns


def _key(cell: object) -> str:
    """Return what is compared: 7 and "7" are the same."""
    return cell.strip() if isinstance(cell, str) else str(cell)
