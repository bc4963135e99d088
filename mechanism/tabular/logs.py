"""Logs as platforms keep them: other names, more columns, any order, other money, a second file; read in chunks."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.documents import INTERNAL, Count, key, named
from bounds.errors import MISSING, InputError, printable
from bounds.setting.model import Setting
from bounds.words import counted
from mechanism.arguments import whole_number
from mechanism.tabular.cells import LogRows, Order, RowRule, number_cells, provider_cells, step_cells
from mechanism.tabular.columns import Cells, Places, RowPlace
from mechanism.tabular.documents import JsonDocument
from mechanism.tabular.expressions import parse
from mechanism.tabular.files import JSON, TableFile, located, natural_order
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.log_columns import LogColumn, check_header, columns_read, log_columns, near_misses, open_log
from mechanism.tabular.log_formats import FORMATS, OWN, format_of, guessed
from mechanism.tabular.log_join import JoinedColumns
from mechanism.tabular.pieces import all_rows, regrouped
from mechanism.tabular.steps import StepCounter
from mechanism.tabular.trace_columns import COLUMNS, LONGEST_LINE, Columns, ProviderIndex, trace_file
from mechanism.trace import NEVER_SETTLED

_NO_BID = f"{COLUMNS['bid'].meaning}; the one that stood in the auction: --bids before"
_MONEY = ("payment", "bid", "cost")
_OPTIONAL = tuple(name for name, column in COLUMNS.items() if column.optional)


@dataclass
class LogReading:
    """How a log was read; complete when its last row has been.

    Parameters
    ----------
    layout : LogLayout
    ignored : tuple of str
        Columns that were not used.
    places : Places
        Where the rows stand in the files.
    steps : StepCounter or None
        What the file's own steps say; None where they were not read.
    left_out : int
        Rows that do not fulfil the condition `where`.
    left_out_unknown : int
        Those of them whose condition an empty cell leaves open.
    notes : list of str
        What was noticed, in sentences.
    """

    layout: LogLayout = field(default_factory=LogLayout, metadata=INTERNAL)
    ignored: tuple[str, ...] = field(default=(), metadata=named("ignored_columns"))
    places: Places = field(default_factory=Places, metadata=INTERNAL)
    steps: StepCounter | None = field(default=None, metadata=INTERNAL)
    left_out: Count = 0
    left_out_unknown: Count = 0
    notes: list[str] = field(default_factory=list)

    @key
    def options(self) -> tuple[str, ...]:
        """Options that say how the file is laid out."""
        return self.layout.options


def read_log(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    setting: Setting,
    reading: LogReading,
    *,
    rows: int = 65_536,
) -> Iterator[Columns]:
    """Read a log of a real platform in chunks.

    Parameters
    ----------
    path : str or path-like, or a sequence of these
        As for `read_trace`; several files, or a pattern as ``logs/*.csv.gz``, are one log. Columns that are not used
        are ignored. The step may be missing: then the rows count.
    setting : Setting
        Whose providers served.
    reading : LogReading
        How the log is laid out; what was noticed is added.
    rows : int
        The rows of every chunk but the last, which may have fewer.

    Returns
    -------
    iterator of mapping of str to array
        The columns of a trace, in the order of the steps, and `rows`, their numbers in the file. Money is the
        setting's. A bid is NaN where the file has none, which only a log with the bids that stood in the auction may. A
        row without a score is a query whose feedback never came; from the first of them on there is a column `settled`.

    Raises
    ------
    InputError
        At once an unknown ending, an unknown format or a file that cannot be read; while iterating, all problems of the
        header, or the first ones of the rows.

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
    sources = log_files(path)
    _complete(sources[0], reading)
    return _chunks(sources, setting, reading, rows)


def lines_of_steps(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    setting: Setting,
    layout: LogLayout,
    steps: Collection[int],
) -> dict[int, RowPlace]:
    """Return where the rows of some steps of a log stand, which is read once more up to the last of them.

    Parameters
    ----------
    path, setting, layout
        As `read_log` had them.
    steps : collection of int
        From 1.

    Returns
    -------
    dict
        By step, with the cells by which rows are joined and ordered.
    """
    reading, found, before = LogReading(layout=layout), dict[int, RowPlace](), 0
    wanted, last = np.array(sorted(steps), np.int64), max(steps, default=0)
    for columns in read_log(path, setting, reading) if last else ():
        rows = columns["rows"]
        for step in wanted[(wanted > before) & (wanted <= before + len(rows))].tolist():
            join, order = reading.layout.join, reading.layout.order_by
            names = [name for name in (join and join.on, order) if name]
            found[step] = reading.places.row(int(rows[step - before - 1]), names)
        before += len(rows)
        if before >= last:
            break
    return found


def log_files(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[TableFile]:
    """Return the files of a log, in order: one, several, or those that a pattern as ``logs/*.csv`` finds.

    Raises
    ------
    InputError
        An unknown ending, or no file.
    """
    found: list[TableFile] = []
    for each in path if isinstance(path, Sequence) and not isinstance(path, str) else [path]:
        is_pattern = isinstance(each, str) and glob.has_magic(each) and not os.path.exists(each)
        found += map(trace_file, natural_order(glob.glob(str(each))) if is_pattern else [each])
    if not found:
        raise InputError("path", path, "is the pattern of no file", "give the path of a trace file")
    return found


def _chunks(sources: list[TableFile], setting: Setting, reading: LogReading, rows: int) -> Iterator[Columns]:
    layout, places, found = reading.layout, reading.places, False
    pieces = _pieces(sources, setting, reading, places)
    if layout.order_by is not None:
        pieces = _in_order(pieces, sources[0], reading, places)
    for columns in _marked(regrouped(_counted(pieces, reading), rows), reading):
        found = True
        yield _in_unit(columns, layout)
    if not found and reading.left_out:
        remedy = "an empty cell leaves a condition open; compare a text with 'text', and a number with 5"
        rule = f"leaves out all rows ({reading.left_out:,}){_most_frequent(sources[0], layout)}"
        raise InputError("where", layout.where, rule, remedy)
    if not found:
        remedy = "a log has one row per query: in CSV below a header, in a JSON document in an array or in its records"
        raise sources[0].fault("holds no row", remedy)
    steps = reading.steps
    if steps is not None and steps.offset:
        each = "each, and to settled" if "settled" in columns else "each"
        reading.notes.append(f"Its steps count from 0: one was added to {each}.")
    if steps is not None and steps.late > steps.rows / 4:
        reading.notes.append("Many rows come too late: --order-by COLUMN puts them in the order of a column.")


def _most_frequent(source: TableFile, layout: LogLayout, first: int = 1000, most: int = 4) -> str:
    """Return the most frequent values of what a condition names, so many at most, in the first rows of a file."""
    table = open_log(source, layout, layout.records)
    rows = [table.cells(record) for _, record in islice(table.records(), first)]
    values = []
    for name in parse(f"{layout.where}", "where", "condition").columns:
        common = Counter(f"{row.get(name, '')}" for row in rows).most_common(most)
        found = ", ".join(f"{printable(value, 40)!r} ({count:,})" for value, count in common)
        values.append(f"{printable(name, 40)} is {found}")
    return f"; in the first {counted(len(rows), 'row')} {'; '.join(values)}" if values else ""


def _complete(source: TableFile, reading: LogReading) -> None:
    """Complete the layout by the format of the program that wrote the log, if it is another."""
    layout = reading.layout

    @cache
    def header(records: str) -> tuple[str, ...]:
        first = header("") if records and layout.records != records else ()
        if first and records.split(".")[0] not in first:
            return ()
        return open_log(source, layout, records).header

    form = format_of(layout, header)
    if form is None and source.ending == JSON and not header(layout.records):
        with source.opened() as file:
            document = JsonDocument(file, source, LONGEST_LINE, keys=None)
            if next(document.records(), None) is not None and document.key:
                reading.notes.append(f"Its rows are those of {printable(document.key, 40)}.")
                reading.layout = layout = replace(layout, records=document.key)
                form = format_of(layout, header)
    if form is not None:
        if layout.format is None:
            reading.notes.append(f"Read as a log of {form.program}, by its columns; --format {OWN} reads it as it is.")
        if layout.unit == 1:
            reading.notes.append(f"Money of {form.program} is in USD: --unit says what 1 is in the setting's.")
        reading.layout = form.completed(layout)


def _in_unit(columns: Columns, layout: LogLayout) -> Columns:
    """Return the columns with the log's money in the setting's."""
    unit = layout.unit
    if unit == 1:
        return columns
    names = [name for name in _MONEY if name in columns and name not in layout.implied]
    with np.errstate(over="ignore"):
        money = {name: columns[name] * unit for name in names}
    for name, amounts in money.items():
        if np.isinf(amounts).any():
            raise InputError("unit", unit, f"makes a {name} larger than any number", "it is what 1 in the log is worth")
    return {**columns, **money}


def _pieces(sources: list[TableFile], setting: Setting, reading: LogReading, places: Places) -> Iterator[Columns]:
    """Yield the rows as they stand in the files, and with them what is joined to them."""
    layout, before = reading.layout, 0
    tables = [table for source in sources if (table := open_log(source, layout, layout.records)).header]
    if not tables:
        return
    header, join = tables[0].header, layout.join
    inside = log_columns(layout, header)
    where = None if layout.where is None else parse(layout.where, "where", "condition")
    if layout.order_by is not None and layout.called("step") != layout.order_by:
        inside.pop("step", None)  # the order counts
    if where is not None and "settled" in inside and layout.settled_at is None:
        remedy = "--settled-at COLUMN derives settled from times, of the rows that are left"
        raise InputError("where", layout.where, "leaves out rows that the column settled counts", remedy)
    joined = None if join is None else JoinedColumns(join, layout, inside)
    names = {**inside, **(joined.names if joined else {})}
    for table in tables:
        if where is not None:
            where.check(table.header)
        check_header(table, layout, inside, names, where)
    cells = _cells(layout, setting, inside)
    if joined is not None:
        cells["joined"] = joined.looked_up()
    used = columns_read(layout, inside, where)
    reading.ignored = tuple(dict.fromkeys(name for name in header if name not in used))
    if "step" in inside:
        reading.steps = StepCounter(places.lines)
    elif layout.order_by is None:
        reading.notes.append("The log has no steps: its rows count 1, 2, 3, ...")
    reading.notes += near_misses(reading.ignored, {*names, *layout.implied})
    if layout.order_by is not None and layout.settled_at is None:
        arrived = guessed(["settled_at"], reading.ignored).values()
        reading.notes += [
            f"Column {printable(each, 40)} is ignored; --settled-at {printable(each, 40)} reads when feedback came."
            for each in arrived
        ]
    optional = {name: layout.called(name) for name in _OPTIONAL if name not in names}
    absent = [called for called in optional.values() if called is not None and called not in header]
    posted = np.array([provider.mean_cost for provider in setting.providers])
    rule = _BID_RULE if layout.bids == "after" and "bid" in inside else None
    for table in tables:
        places.add(table, before)
        rows = LogRows(table, cells, rule=rule, absent=absent, where=where)
        for columns in rows.pieces():
            columns["rows"] += before
            if joined is not None:
                columns = joined.added(columns)
            if layout.bids == "posted":
                columns["bid"] = posted[columns["provider"]]
            yield columns
        before += rows.count
        reading.left_out += rows.left_out
        reading.left_out_unknown += rows.unknown
    if where is not None:
        reading.notes.append(_left_out(reading, before))
    if joined is not None:
        reading.notes.append(joined.note())


def _left_out(reading: LogReading, rows: int) -> str:
    """Return what a condition left out, in a sentence."""
    unknown = counted(reading.left_out_unknown, "row")
    of_them = f"; an empty cell leaves the condition open in {unknown}" if reading.left_out_unknown else ""
    layout = reading.layout
    by_format = any((each.name, each.where) == (layout.format, layout.where) for each in FORMATS)
    what = f"The format {layout.format}" if by_format else "--where"
    return f"{what} left out {reading.left_out:,} of {counted(rows, 'row')}{of_them}."


def _cells(layout: LogLayout, setting: Setting, inside: Mapping[str, LogColumn]) -> dict[str, Cells]:
    """Return how the columns of the log itself are read."""
    found: dict[str, Cells] = {}
    for name, (called, expression) in inside.items():
        if name == "provider":
            cells = provider_cells(called, ProviderIndex(setting))
        elif name == "step":
            cells = step_cells(called)
        else:
            cells = number_cells(name, called, may_lack=name in ("score", "bid"))
        found[name] = replace(cells, expression=expression)
    if layout.order_by is not None:
        order = Order(layout.order_by)
        found["order"] = order.cells
        if layout.settled_at is not None:
            found["arrival"] = Order(layout.settled_at, like=order).cells
    return found


def _lacks_a_bid(row: Mapping[str, Any]) -> Any:
    """Return whether a row's score came without a bid, or which rows' did."""
    return np.isnan(row["bid"]) & ~np.isnan(row.get("score", 0.0))


_BID_RULE = RowRule(
    doubted=lambda columns, _: _lacks_a_bid(columns),
    broken=lambda row, *_: [InputError("bid", "", "must be a number", _NO_BID)] if _lacks_a_bid(row) else [],
)


def _counted(pieces: Iterator[Columns], reading: LogReading) -> Iterator[Columns]:
    """Yield the rows without their steps, which are counted."""
    last = 0
    for columns in pieces:
        rows = columns["rows"]
        if reading.steps is not None:
            # In another order it is not known where a row was left out.
            left_out = np.diff(rows, prepend=last) - 1 if reading.layout.order_by is None else reading.left_out
            reading.steps.feed(columns.pop("step"), rows, left_out)
            if reading.steps.offset and (settled := columns.get("settled")) is not None:
                # `settled` counts as the steps do.
                columns["settled"] = settled + (settled < NEVER_SETTLED)
        last = rows[-1]
        yield columns


def _in_order(pieces: Iterator[Columns], source: TableFile, reading: LogReading, places: Places) -> Iterator[Columns]:
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
        ordered["settled"] = _settled(keys, arrivals[order], ordered["rows"], places, reading)
    yield ordered


def _settled(
    assigned: NDArray[np.bytes_],
    arrived: NDArray[np.bytes_],
    rows: NDArray[np.int64],
    places: Places,
    reading: LogReading,
) -> NDArray[np.float64]:
    """Return the last query assigned before each arrival, with a fraction that gives the order of the arrivals.

    What arrives at the very time at which a later query is assigned arrives before it.
    """
    never, steps = arrived == b"", np.arange(1, len(assigned) + 1)
    called = str(reading.layout.settled_at)
    early = np.flatnonzero(~never & (arrived < assigned))
    if len(early):
        rule = f"is earlier than {printable(str(reading.layout.order_by), 40)} of the same row"
        raise located(
            InputError(called, MISSING, rule, "feedback comes after the query"), places.place(int(rows[early[0]]))
        )
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


def _marked(chunks: Iterable[Columns], reading: LogReading) -> Iterator[Columns]:
    """Yield chunks in which `settled` says whose feedback never came, from the first such row on."""
    rows = late = 0
    for columns in chunks:
        steps = np.arange(rows + 1, rows + 1 + len(columns["rows"]), dtype=np.float64)
        rows, never = rows + len(steps), np.isnan(columns["score"])
        late += int(np.count_nonzero(never))
        if late:
            settled = np.where(never, NEVER_SETTLED, columns.get("settled", steps))
            empty = {name: np.where(never & np.isnan(columns[name]), 0.0, columns[name]) for name in ("score", "bid")}
            columns = {**columns, "settled": settled, **empty}
        yield columns
    if late:
        reading.notes.append(f"{counted(late, 'row')} without a score: read as feedback that never came.")
