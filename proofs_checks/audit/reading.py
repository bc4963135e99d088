"""The parts of a log as the audit takes them, from a file that is laid out in its own way."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

from bounds.errors import InputError
from bounds.setting.model import Setting
from bounds.words import counted
from mechanism.config import MechanismConfig
from mechanism.standing_bids import left_behind
from mechanism.tabular.files import TableFile
from mechanism.tabular.logs import LogReading, log_files, read_log
from mechanism.tabular.pieces import all_rows
from mechanism.tabular.trace_columns import Columns
from mechanism.trace import Trace


def named(paths: Sequence[str]) -> str:
    """Return what a log is called: its path, or those of its files as a shell takes them."""
    return paths[0] if len(paths) == 1 else shlex.join(paths)


def as_arguments(name: str) -> str:
    """Return the files of a log, given what it is called, as a shell takes them.

    Examples
    --------
    >>> as_arguments("my log.csv"), as_arguments("a.csv b.csv")
    ("'my log.csv'", 'a.csv b.csv')
    """
    try:
        several = [TableFile(location=each, name=each) for each in shlex.split(name)]
    except (InputError, ValueError):  # an ending that no table has, as that of "my"
        several = []
    return name if len(several) > 1 else shlex.quote(name)


def log_parts(
    path: str | os.PathLike[str] | Sequence[str], setting: Setting, reading: LogReading, rows: int
) -> Iterator[Trace]:
    """Return the parts of a log, of so many rows; arguments and errors are those of `read_log`."""
    chunks = read_log(path, setting, reading, rows=rows)
    return (
        _converted(chunks, log_files(path)[0], setting, reading, rows)
        if reading.layout.bids == "before"
        else _parts(chunks)
    )


def _parts(chunks: Iterator[Columns]) -> Iterator[Trace]:
    for columns in chunks:
        columns.pop("rows")
        yield Trace(**columns)


def _converted(
    chunks: Iterator[Columns], file: TableFile, setting: Setting, reading: LogReading, rows: int
) -> Iterator[Trace]:
    """Yield the parts of a log that has the bids that stood in the auction."""
    columns = all_rows(chunks, file.fault, "--bids before")
    columns.pop("rows", None)
    if not columns:
        return
    if "settled" in columns:
        rule = "is for logs whose feedback comes before the next query; here some comes later or never"
        raise InputError("bids", "before", rule, "log the bid that the provider left behind")
    trace, unknown = left_behind(MechanismConfig.of(setting), columns)
    reading.notes.append(
        f"The bid that {counted(unknown, 'provider')} left last is not in the log: its mean cost was taken if that is "
        "what it bids, otherwise the least that later payments allow."
    )
    for start in range(0, len(trace), rows):
        yield trace.rows(slice(start, start + rows))
