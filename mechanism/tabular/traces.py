"""Traces in files: CSV, JSON Lines or Parquet, one row per query; read whole or in chunks, and written."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.arguments import whole_number
from mechanism.tabular.cells import LogRows, RowRule, number_cells, provider_cells
from mechanism.tabular.columns import Cells, Table
from mechanism.tabular.files import PARQUET, TableFile, at, check_names
from mechanism.tabular.pieces import regrouped
from mechanism.tabular.scalars import cell_number
from mechanism.tabular.table import open_table, write_table
from mechanism.tabular.trace_columns import COLUMNS, LONGEST_LINE, ProviderIndex, trace_file
from mechanism.trace import Trace


def write_trace(trace: Trace, path: str | os.PathLike[str], setting: Setting | None = None) -> None:
    """Write a trace as CSV, JSON Lines or Parquet; reading it gives the same trace, exactly.

    Parameters
    ----------
    trace : Trace
        Of one step or more.
    path : str or path-like
        Its ending chooses the format: ``.csv``, ``.tsv``, ``.jsonl`` or ``.ndjson``, with ``.gz`` or ``.zst`` after
        it compressed, or ``.parquet``. A file that exists is replaced at once, when the new one is complete.
    setting : Setting, optional
        Writes providers by their names; by default by 0-based index.

    Raises
    ------
    InputError
        An unknown ending, an empty trace, a provider that the setting lacks, or a path that cannot be written.

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
    if source.ending in (".csv", ".tsv", PARQUET):  # JSON escapes what UTF-8 cannot write
        for name in texts.get("provider", ()):
            if name != name.encode(errors="ignore").decode():
                raise InputError("name", name, "cannot be written as UTF-8", "rename the provider")
    write_table(source, {"step": np.arange(1, len(trace) + 1), **trace.columns()}, texts)


def read_trace(path: str | os.PathLike[str], setting: Setting) -> Trace:
    """Read a recorded log of a platform.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file that ends in ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.json``, or in one of these and
        ``.gz`` or ``.zst``, or a ``.parquet`` file, with the columns step (1, 2, ...), provider, payment, score, bid
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
    return Trace.joined(read_trace_chunks(path, setting))


def read_trace_chunks(path: str | os.PathLike[str], setting: Setting, *, rows: int = 65_536) -> Iterator[Trace]:
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
    iterator of Trace
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
    ...     [chunk.provider.tolist() for chunk in read_trace_chunks(path, setting, rows=2)]
    [[3, 0], [1]]
    """
    whole_number("rows", rows, "it is the number of rows of a chunk", least=1)
    return _chunks(trace_file(path), setting, rows)


def _chunks(source: TableFile, setting: Setting, rows: int) -> Iterator[Trace]:
    is_empty = True
    table = open_table(source, longest_line=LONGEST_LINE, unique_keys=True, flat=True)
    if table.header:
        with at(table.header_place):
            check_names(table.header, {name: (each.meaning, not each.optional) for name, each in COLUMNS.items()})
        for columns in regrouped(_rows_of(table, setting).pieces(), rows):
            is_empty = False
            yield Trace(**{name: column for name, column in columns.items() if name not in ("rows", "step")})
    if is_empty:
        raise source.fault("holds no row", "a trace needs one row per query, and CSV a header above them")


def _rows_of(table: Table, setting: Setting) -> LogRows:
    """Return the rows of a trace, whose steps count 1, 2, ...; one error reports the first problem."""
    cells = {"step": Cells(called="step", single=lambda cell: -1.0 if (found := cell_number(cell)) is None else found)}
    cells["provider"] = provider_cells("provider", ProviderIndex(setting))
    cells |= {name: number_cells(name, name) for name in COLUMNS if name in table.header and name not in cells}
    absent = [name for name in COLUMNS if name not in table.header]
    rule = RowRule(
        doubted=lambda columns, rows: columns["step"] != rows,
        broken=lambda values, found, row: _wrong_step(found["step"], values["step"], row),
    )
    return LogRows(table, cells, rule=rule, absent=absent, most=1)


def _wrong_step(cell: object, found: float, expected: int) -> list[InputError]:
    if found == expected:
        return []
    if cell_number(cell) is None or not found.is_integer():
        remedy = COLUMNS["step"].meaning
    elif expected == 1:
        remedy = "steps count from 1; the beginning of the log may be missing"
    elif found > expected:
        remedy = "rows are missing before it: was the log truncated, filtered or reordered?"
    elif found == expected - 1:
        remedy = "the row repeats a step: was it logged twice?"
    else:
        remedy = "the rows are out of order: was the log reordered, or are these several logs?"
    return [InputError("step", cell, f"must be {expected}", remedy)]


def _check_providers(trace: Trace, setting: Setting | None) -> None:
    least, most = int(trace.provider.min()), int(trace.provider.max())
    if least < 0:
        raise InputError("provider", least, "must not be negative", "indices start at 0")
    if setting is not None and most >= setting.n_providers:
        rule = f"must lie in 0..{setting.n_providers - 1}"
        raise InputError("provider", most, rule, "the trace belongs to another setting")
