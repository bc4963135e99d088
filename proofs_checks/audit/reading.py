"""The parts of a log as the audit takes them, from a file that is laid out in its own way."""

from __future__ import annotations

import os
from collections.abc import Iterator

from bounds.errors import InputError
from bounds.setting.model import Setting
from bounds.words import counted
from mechanism.config import MechanismConfig
from mechanism.standing_bids import left_behind
from mechanism.tabular.files import TableFile
from mechanism.tabular.logs import LogReading, all_rows, read_log
from mechanism.tabular.traces import Columns, trace_file
from mechanism.trace import Trace


def log_parts(path: str | os.PathLike[str], setting: Setting, reading: LogReading, rows: int) -> Iterator[Trace]:
    """Return the parts of a log, of so many rows; arguments and errors are those of `read_log`."""
    chunks = read_log(path, setting, reading, rows=rows)
    return (
        _converted(chunks, trace_file(path), setting, reading, rows)
        if reading.layout.bids == "before"
        else _parts(chunks)
    )


def _parts(chunks: Iterator[Columns]) -> Iterator[Trace]:
    for columns in chunks:
        columns.pop("lines")
        yield Trace(**columns)


def _converted(
    chunks: Iterator[Columns], file: TableFile, setting: Setting, reading: LogReading, rows: int
) -> Iterator[Trace]:
    """Yield the parts of a log that has the bids that stood in the auction."""
    columns = all_rows(chunks, file.fault, "--bids before")
    columns.pop("lines", None)
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
