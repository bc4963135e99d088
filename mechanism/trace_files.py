"""Trace files: a trace as CSV or JSON Lines, one row a query, plain or compressed by gzip."""

from __future__ import annotations

import contextlib
import difflib
import gzip
import json
import math
import os
import re
import secrets
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bounds.errors import InputError
from bounds.setting import Setting
from bounds.toml_text import printable
from mechanism.trace import Trace
from mechanism.trace_rows import COLUMNS, Lines, Row, csv_rows, json_number, json_rows, reason, text_number

__all__ = ["read_trace", "write_trace"]

_AMOUNTS = ("payment", "score", "bid", "cost")


def write_trace(trace: Trace, path: str | os.PathLike[str], setting: Setting | None = None) -> None:
    """Write a trace as CSV or JSON Lines; reading it gives the same trace, exactly.

    Parameters
    ----------
    trace : Trace
        Of one step or more.
    path : str or path-like
        Its ending chooses the format: ``.csv``, ``.jsonl`` or ``.ndjson``; with ``.gz`` after it, compressed.
        A file that exists is replaced at once, when the new one is complete.
    setting : Setting, optional
        Writes providers by their names; by default by 0-based index.

    Raises
    ------
    InputError
        An unknown ending, an empty trace, a provider that the setting lacks, or a path that cannot be
        written.

    Examples
    --------
    >>> import tempfile
    >>> trace = Trace([0, 1], [1.0, 1.0], [1.0, 0.0], [0.25, 0.1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_trace(trace, f"{folder}/trace.csv")
    ...     print(Path(folder, "trace.csv").read_text(), end="")
    step,provider,payment,score,bid
    1,0,1.0,1.0,0.25
    2,1,1.0,0.0,0.1
    """
    location = _location(path)
    form = _format(location)
    if not len(trace):
        raise InputError("trace", 0, "steps are too few", "a trace file needs one row or more")
    text = form.write(trace, _labels(trace, setting, form.label))
    _replace(location, (line.encode() for line in text))


def read_trace(path: str | os.PathLike[str], setting: Setting) -> Trace:
    """Read a recorded log of a platform.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file that ends in ``.csv``, ``.jsonl`` or ``.ndjson``, or in one of these and ``.gz``, with
        the columns step (1, 2, ...), provider, payment, score, bid and, optionally, cost, in any order.
    setting : Setting
        Whose providers served. A cell that is both a name and the index of another provider is the name.

    Returns
    -------
    Trace
        Payments, bids and costs are finite and scores lie in [0, 1]; nothing else is promised of them.

    Raises
    ------
    InputError
        If the file cannot be read or breaks a rule: one line that names the file, the line, the column, the
        value, the rule and the remedy.

    Notes
    -----
    Blank lines are skipped. A log that breaks off between two rows, or within its last number, looks
    complete: no reader can tell.

    Examples
    --------
    >>> import tempfile
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trace.csv")
    ...     _ = path.write_text("step,provider,payment,score,bid\\n1,Qwen2.5-7B,75.008,1,20.5\\n")
    ...     read_trace(path, setting).provider.tolist()
    [3]
    """
    location = _location(path)
    form = _format(location)
    with _opened(location) as file:
        lines = Lines(file, location)
        trace = _trace(form.rows(lines), _Cells(setting, form.number), lines)
    if trace is None:
        remedy = "a trace needs one row a query, and CSV a header above them"
        raise InputError("path", location, "holds no row", remedy)
    return trace


def _trace(rows: Iterable[Row], cells: _Cells, lines: Lines) -> Trace | None:
    served, amounts = array("q"), {name: array("d") for name in _AMOUNTS}
    for step, (line, (found, provider, *rest)) in enumerate(rows, 1):
        try:
            cells.check_step(found, step)
            served.append(cells.provider(provider))
            for name, cell in zip(_AMOUNTS, rest, strict=False):  # cost may be absent
                amounts[name].append(cells.amount(name, cell))
        except InputError as error:
            raise lines.error(error.value, error.rule, error.remedy, line, error.argument) from None
    if not served:
        return None
    columns = {name: np.frombuffer(column) for name, column in amounts.items() if column}
    return Trace(np.frombuffer(served, dtype=np.int64), **columns)


class _Cells:
    """What the cells of a row mean, or which rule they break; errors name the column.

    Parameters
    ----------
    setting : Setting
    number : callable
        Returns the number that a cell of the format holds, else None.
    """

    def __init__(self, setting: Setting, number: Callable[[object], float | None]) -> None:
        self._setting, self._number = setting, number
        names = {provider.name: i for i, provider in enumerate(setting.providers)}
        self._indices: dict[str, int] = {str(i): i for i in names.values()} | names

    def check_step(self, cell: object, expected: int) -> None:
        found = self._number(cell)
        if found == expected:
            return
        if found is None or not found.is_integer():
            remedy = COLUMNS["step"]
        elif expected == 1:
            remedy = "steps count from 1; the beginning of the log may be missing"
        elif found > expected:
            remedy = "rows are missing before it: was the log truncated, filtered or reordered?"
        elif found == expected - 1:
            remedy = "the row repeats a step: was it logged twice?"
        else:
            remedy = "the rows are out of order: was the log reordered, or are these several logs?"
        raise InputError("step", cell, f"must be {expected}", remedy)

    def provider(self, cell: object) -> int:
        if isinstance(cell, str) and (index := self._indices.get(cell)) is not None:
            return index
        last = self._setting.n_providers - 1
        if type(cell) is int and 0 <= cell <= last:
            return cell
        if type(cell) is int or (isinstance(cell, str) and re.fullmatch(r"-[0-9]+|[1-9][0-9]*", cell)):
            raise InputError("provider", cell, f"must lie in 0..{last}", "indices start at 0")
        rule = f"is not a provider of setting '{printable(self._setting.name, 40)}'"
        raise InputError("provider", cell, rule, self._suggestion(cell))

    def _suggestion(self, cell: object) -> str:
        names = [provider.name for provider in self._setting.providers]
        near = difflib.get_close_matches(cell[:200], names, 1) if isinstance(cell, str) else []
        if near:
            return f"did you mean '{printable(near[0], 40)}'?"
        shown = ", ".join(f"'{printable(name, 40)}'" for name in names[:12])
        return f"write an index in 0..{len(names) - 1} or a name: {shown}{', ...' if names[12:] else ''}"

    def amount(self, name: str, cell: object) -> float:
        value = self._number(cell)
        if value is None:
            raise InputError(name, cell, "must be a number", f"{COLUMNS[name]}; write it as 0.5 or 3")
        if not math.isfinite(value):
            raise InputError(name, cell, "must be finite", COLUMNS[name])
        if name == "score" and not 0 <= value <= 1:
            raise InputError(name, cell, "must lie in [0, 1]", "rescale the grade of the response")
        return value


def _labels(trace: Trace, setting: Setting | None, label: Callable[[str], str]) -> list[str]:
    """Return how the providers are written, by index."""
    least, most = int(trace.provider.min()), int(trace.provider.max())
    if least < 0:
        raise InputError("provider", least, "must not be negative", "indices start at 0")
    if setting is None:
        return [str(i) for i in range(most + 1)]
    if most >= setting.n_providers:
        rule = f"must lie in 0..{setting.n_providers - 1}"
        raise InputError("provider", most, rule, "the trace belongs to another setting")
    return [label(provider.name) for provider in setting.providers]


def _csv_label(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError("name", name, "cannot be written as UTF-8", "rename the provider") from None
    quoted = name.replace('"', '""')
    return f'"{quoted}"' if re.search(r'[",\r\n]', name) else name


def _csv_lines(trace: Trace, labels: Sequence[str]) -> Iterator[str]:
    provider, *columns = (column.tolist() for column in trace.columns().values())
    yield ",".join(["step", *trace.columns()]) + "\n"
    for step, (served, *values) in enumerate(zip(provider, *columns, strict=True), 1):
        yield f"{step},{labels[served]},{','.join(map(repr, values))}\n"


def _json_lines(trace: Trace, labels: Sequence[str]) -> Iterator[str]:
    provider, *columns = (column.tolist() for column in trace.columns().values())
    pattern = "".join(f', "{name}": %r' for name in list(trace.columns())[1:])
    for step, (served, *values) in enumerate(zip(provider, *columns, strict=True), 1):
        yield f'{{"step": {step}, "provider": {labels[served]}{pattern % tuple(values)}}}\n'


class _Format(NamedTuple):
    rows: Callable[[Lines], Iterator[Row]]
    number: Callable[[object], float | None]
    write: Callable[[Trace, Sequence[str]], Iterator[str]]
    label: Callable[[str], str]


_CSV = _Format(csv_rows, text_number, _csv_lines, _csv_label)
_JSON = _Format(json_rows, json_number, _json_lines, json.dumps)
_FORMATS = {".csv": _CSV, ".jsonl": _JSON, ".ndjson": _JSON}


def _location(path: str | os.PathLike[str]) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InputError("path", path, "must be a path", "give the path of a trace file") from None


def _is_compressed(location: str) -> bool:
    return location.lower().endswith(".gz")


def _format(location: str) -> _Format:
    ending = Path(location[:-3] if _is_compressed(location) else location).suffix.lower()
    if ending not in _FORMATS:
        rule = f"must end in {', '.join(_FORMATS)}, or in one of these and .gz"
        raise InputError("path", location, rule, "the ending says what is in the file")
    return _FORMATS[ending]


def _opened(location: str) -> BufferedIOBase:
    try:
        if _is_compressed(location):
            return gzip.open(location, "rb")
        return open(location, "rb")
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        rule, remedy = f"cannot be read ({reason(error)})", "give the path of a trace file"
        raise InputError("path", location, rule, remedy) from None


def _replace(location: str, lines: Iterable[bytes]) -> None:
    """Write the lines beside the file, then put them in its place at once."""
    beside = Path(location).parent / f".trace-{secrets.token_hex(8)}.tmp"
    try:
        with open(beside, "xb") as file:
            if _is_compressed(location):
                # Neither name nor time: the same trace gives the same bytes.
                with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                    packed.writelines(lines)
            else:
                file.writelines(lines)
        os.replace(beside, location)
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        rule, remedy = f"cannot be written ({reason(error)})", "give a path in a folder where you may write"
        raise InputError("path", location, rule, remedy) from None
    finally:
        with contextlib.suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
