"""A second file of a log, with columns that the log lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError, printable
from mechanism.tabular.cells import LogRows, number_cells, together
from mechanism.tabular.columns import Cells, Places, Table
from mechanism.tabular.files import at, located
from mechanism.tabular.layout import Join, LogLayout
from mechanism.tabular.log_columns import LogColumn, columns_read, log_columns, no_column, open_log, repeated, shown
from mechanism.tabular.log_formats import guessed
from mechanism.tabular.pieces import all_rows
from mechanism.tabular.trace_columns import Columns, trace_file


class JoinedColumns:
    """The columns of a second file that the log lacks, found by the cells of one column.

    Parameters
    ----------
    join : Join
    layout : LogLayout
    inside : mapping of str to LogColumn
        What the log itself has.
    """

    def __init__(self, join: Join, layout: LogLayout, inside: Mapping[str, LogColumn]) -> None:
        self._join = join
        table = open_log(replace(trace_file(join.path), argument="join"), layout, "")
        others = log_columns(layout, table.header)
        wanted = ("payment", "bid", "cost", "score")
        self.names = {name: others[name] for name in wanted if name in others and name not in inside}
        if join.other not in table.header:
            raise no_column("on", join.other, table.header, "the second file")
        if not self.names:
            lacking = [name for name in ("payment", "bid", "score") if name not in inside]
            likely = guessed(lacking, set(table.header) - {join.other})
            given = ",".join(f"{name}={printable(called, 60)}" for name, called in likely.items())
            remedy = f"it has {shown(table.header)}: --columns {given or 'NAME=COLUMN'} says which these are"
            raise InputError("join", join.path, "has no column that the log lacks", remedy)
        with at(table.header_place):
            if problems := repeated(table.header, columns_read(LogLayout(), self.names)):
                raise together(problems)
        self._rows: dict[str, int] = {}
        self._columns = self._read(table, may_lack_bids=layout.bids == "before")
        self._used = np.zeros(len(self._rows) + 1, dtype=np.bool_)

    def _read(self, table: Table, *, may_lack_bids: bool) -> Columns:
        cells = {
            name: replace(
                number_cells(name, called, may_lack=name == "score" or (name == "bid" and may_lack_bids)),
                expression=expression,
            )
            for name, (called, expression) in self.names.items()
        }

        def row_of(cell: object) -> int:
            return self._rows.setdefault(_key(cell), len(self._rows))

        cells["joined"] = Cells(called=self._join.other, kind="key", single=row_of, type="q")
        found = all_rows(LogRows(table, cells).pieces(), table.source.fault, "--join")
        if not found:
            raise table.source.fault("holds no row", "it needs one for each query of the log")
        place, numbers = found.pop("joined"), found.pop("rows")
        order = np.argsort(place, kind="stable")
        again = order[1:][np.diff(place[order]) == 0]
        if len(again):
            places = Places()
            places.add(table)
            error = InputError(self._join.other, MISSING, "repeats a value", "keep one row of each")
            raise located(error, places.place(int(numbers[again.min()])))
        # The last row is that of queries which the second file lacks.
        return {name: np.append(values[order], np.nan) for name, values in found.items()}

    def looked_up(self) -> Cells:
        """Return how the log's own column is read: as the row of the second file, the last one if it has none.

        A query of which the second file says neither score nor bid is one whose feedback never came.
        """
        called, only_feedback = self._join.on, self.names.keys() <= {"score", "bid"}

        def row_of(cell: object) -> int:
            row = self._rows.get(_key(cell), len(self._rows) if only_feedback else None)
            if row is None:
                rule = f"has no row in {printable(self._join.path, 60)}"
                remedy = f"its column {printable(self._join.other, 40)} must have it"
                raise InputError(called, cell, rule, remedy)
            return row

        return Cells(called=called, kind="key", single=row_of, type="q")

    def added(self, columns: Columns) -> Columns:
        """Return rows of the log with their columns of the second file."""
        rows: NDArray[np.int64] = columns.pop("joined")
        self._used[rows] = True
        if not self._used[:-1].any():
            rule = f"has nothing that {printable(self._join.path, 60)} has in {printable(self._join.other, 40)}"
            raise InputError(self._join.on, MISSING, rule, "both columns must name the queries alike")
        return {**columns, **{name: values[rows] for name, values in self._columns.items()}}

    def note(self) -> str:
        """Return which columns come from the second file, in a sentence."""
        unused = int(np.count_nonzero(~self._used[:-1]))
        left = f"; {unused:,} of its rows belong to none of the log's" if unused else ""
        return f"From {printable(self._join.path, 60)}: {', '.join(self.names)}{left}."


def _key(cell: object) -> str:
    """Return what is compared: 7 and "7" are the same."""
    return cell.strip() if isinstance(cell, str) else str(cell)
