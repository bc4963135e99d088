"""Which columns of a file are those of a log, by name or calculated, and what is wrong with a header."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from contextlib import suppress
from typing import NamedTuple

from bounds.errors import MISSING, InputError, did_you_mean, printable
from bounds.words import first_of
from mechanism.tabular.cells import together
from mechanism.tabular.columns import Table
from mechanism.tabular.expressions import NO_EXPRESSION, Expression, parse
from mechanism.tabular.files import TableFile, located
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.log_formats import FORMATS, guessed
from mechanism.tabular.table import open_table
from mechanism.tabular.trace_columns import COLUMNS, LONGEST_LINE

#: Columns that a message spells out; the others are counted.
_SHOWN = 12


class LogColumn(NamedTuple):
    """What a column of ours is called in the file, or how it is calculated from columns of the file."""

    called: str
    expression: Expression | None = None

    @property
    def read(self) -> tuple[str, ...]:
        """The columns of the file that it needs."""
        return (self.called,) if self.expression is None else self.expression.columns


def open_log(source: TableFile, layout: LogLayout, records: str) -> Table:
    """Open a file of a log, or the second one."""
    wanted = {*map(layout.called, COLUMNS), layout.order_by, layout.settled_at}
    wanted |= set() if layout.join is None else {layout.join.on, layout.join.other}
    names = {name for name in wanted if name is not None}
    return open_table(source, longest_line=LONGEST_LINE, unique_keys=True, wanted=names, flat=True, rows=records)


def log_columns(layout: LogLayout, header: tuple[str, ...]) -> dict[str, LogColumn]:
    """Return our columns that a file has, or that are calculated from its own."""
    found: dict[str, LogColumn] = {}
    for name in COLUMNS:
        called = layout.called(name)
        if called is not None and (called in header or name in layout.columns):
            with suppress(InputError):  # `check_header` raises it
                found[name] = _column(name, called, header)
    used = {read for each in found.values() if each.expression is not None for read in each.read}
    # As in payment=cost/100, where it is not our cost.
    others = {name for name in used - layout.columns.keys() if name in COLUMNS and COLUMNS[name].optional}
    return {name: column for name, column in found.items() if name not in others}


def _column(name: str, called: str, header: tuple[str, ...]) -> LogColumn:
    """Return a column, or an InputError: the file does not have what it is called, nor is that an expression."""
    if called in header:
        return LogColumn(called)
    try:
        expression = parse(called, "columns", "text" if name == "provider" else "number")
        expression.check(header)
    except InputError as error:
        if error.rule != NO_EXPRESSION:
            raise
        rule = "is neither a column of the file nor an expression"
        if re.search(r"\s[\w.]+=", called):
            rule += "; several columns are separated by commas"
        raise InputError("columns", called, rule, did_you_mean(called, header, error.remedy)) from None
    return LogColumn(called, expression)


def columns_read(layout: LogLayout, columns: Mapping[str, LogColumn], where: Expression | None = None) -> set[str]:
    """Return the columns of a file that are read."""
    read = {name for column in columns.values() for name in column.read} | set(where.columns if where else ())
    others = (layout.order_by, layout.settled_at, layout.join.on if layout.join else None)
    return read | {name for name in others if name is not None}


def check_header(
    table: Table,
    layout: LogLayout,
    columns: Mapping[str, LogColumn],
    names: Mapping[str, LogColumn],
    where: Expression | None,
) -> None:
    """Refuse a header, with all that is wrong with it; `names` are those of all columns, a second file's among them."""
    header = table.header
    problems = repeated(header, columns_read(layout, columns, where))
    known = {"step", *names, *layout.columns, *layout.implied}
    missing = [name for name, column in COLUMNS.items() if not (column.optional or name in known)]
    if missing:
        meanings = "; ".join(f"{name}: {COLUMNS[name].meaning}" for name in missing)
        remedy = f"{meanings}. {_given_by(missing, layout, header)}"
        problems.append(InputError(", ".join(missing), MISSING, "must be given", remedy))
    unknown: list[InputError] = []
    for name, called in layout.columns.items():
        if name not in names:
            try:
                _column(name, called, header)
            except InputError as error:
                unknown.append(error)
    others = {"order_by": layout.order_by, "settled_at": layout.settled_at, "on": layout.join and layout.join.on}
    unknown += [no_column(option, each, header) for option, each in others.items() if each and each not in header]
    if unknown or problems:
        raise together([*unknown, *(located(error, table.header_place) for error in problems)])


def no_column(option: str, called: str, header: tuple[str, ...], where: str = "the file") -> InputError:
    """Return that a file does not have a column that an option names."""
    remedy = did_you_mean(called, header, f"the columns are {shown(header)}")
    return InputError(option, called, f"is not a column of {where}", remedy)


def repeated(header: tuple[str, ...], read: set[str]) -> list[InputError]:
    """Return which columns that are read stand twice in a header."""
    twice = (called for called in dict.fromkeys(header) if called in read and header.count(called) > 1)
    return [InputError(called, called, "is given twice", "keep one of the two") for called in twice]


def _given_by(missing: list[str], layout: LogLayout, header: tuple[str, ...]) -> str:
    """Return what a log has, and options that add what it lacks, as far as the names of its columns suggest them."""
    forms = [each for each in FORMATS if each.name == layout.format]
    likely = guessed([*missing, "order_by"], header)
    order = likely.pop("order_by", None)
    given = ",".join(f"{name}={printable(likely.get(name, 'NAME'), 60)}" for name in missing)
    ways = [f"--columns {given} says which {'it is' if len(missing) == 1 else 'these are'}"]
    if likely:
        ways[0] += ", to judge by their names"
    if order is not None and layout.order_by is None:
        ways.append(f"--order-by {printable(order, 60)} if the rows are in another order")
    if layout.join is None:
        key = next((each.key for each in forms if each.key in header), "COLUMN")
        ways.append(f"--join FILE --on {key} takes them from another file")
    if "bid" in missing:
        ways.append("--bids posted takes mean costs of the setting as bids")
    if "score" in missing and "score" not in likely:
        ways.append("without scores nothing can be audited")
    whose = f"This log of {forms[0].program}" if forms else "The file"
    return f"{whose} has {shown(header)}: {'; '.join(ways)}"


def shown(names: tuple[str, ...]) -> str:
    """Return the first names of columns, for a message."""
    return first_of([printable(name, 40) for name in names], _SHOWN)


def near_misses(ignored: tuple[str, ...], known: Set[str]) -> list[str]:
    """Return what an ignored column may have been meant to be."""
    near = {called: called.strip().casefold() for called in ignored}
    return [
        f"Column {printable(called, 40)} is ignored; --columns {name}={printable(called, 40)} reads it as {name}."
        for called, name in near.items()
        if name in COLUMNS.keys() - known
    ]
