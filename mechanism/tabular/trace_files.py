"""Trace files: a trace as CSV, JSON Lines (plain or compressed by gzip) or Parquet, one row a query."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.tabular.trace_chunks import TraceFile, read_trace_chunks, trace_file
from mechanism.tabular.trace_lines import reason
from mechanism.tabular.trace_parquet import write_parquet
from mechanism.trace import Trace

__all__ = ["read_trace", "write_trace"]


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
    names = None if setting is None else [provider.name for provider in setting.providers]
    if source.ending == ".parquet":
        texts = None if names is None else list(map(_utf8, names))
        _replace(source.location, lambda file: write_parquet(trace, file, texts, source.location))
    else:
        _replace(source.location, lambda file: _write_text(trace, names, source, file))


def read_trace(path: str | os.PathLike[str], setting: Setting) -> Trace:
    """Read a recorded log of a platform.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file that ends in ``.csv``, ``.jsonl`` or ``.ndjson``, or in one of these and ``.gz``, or a
        ``.parquet`` file (which needs pyarrow), with the columns step (1, 2, ...), provider, payment, score, bid
        and, optionally, cost, in any order.
    setting : Setting
        Whose providers served. A cell that is both a name and the index of another provider is the name.

    Returns
    -------
    Trace
        Payments, bids and costs are finite and scores lie in [0, 1]; nothing else is promised of them.

    Raises
    ------
    InputError
        If the file cannot be read or breaks a rule: one line that names the file, the line (in Parquet the row),
        the column, the value, the rule and the remedy.

    See Also
    --------
    mechanism.tabular.trace_chunks.read_trace_chunks : the same, for logs larger than memory.

    Notes
    -----
    Every number is read as the nearest double. Blank lines are skipped. Text that breaks off between two rows, or
    within its last number, looks complete: no reader can tell. Compressed text and Parquet know their length.

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
    parts: dict[str, list[NDArray[Any]]] = {}
    for chunk in read_trace_chunks(path, setting):
        for name, column in chunk.trace.columns().items():
            parts.setdefault(name, []).append(column)
    # Column by column: the chunks of one go before the next is put together.
    return Trace(**{name: np.concatenate(parts.pop(name)) for name in list(parts)})


def _check_providers(trace: Trace, setting: Setting | None) -> None:
    least, most = int(trace.provider.min()), int(trace.provider.max())
    if least < 0:
        raise InputError("provider", least, "must not be negative", "indices start at 0")
    if setting is not None and most >= setting.n_providers:
        rule = f"must lie in 0..{setting.n_providers - 1}"
        raise InputError("provider", most, rule, "the trace belongs to another setting")


def _labels(trace: Trace, names: Sequence[str] | None, label: Callable[[str], str]) -> list[str]:
    """Return how the providers are written, by index."""
    return [str(i) for i in range(int(trace.provider.max()) + 1)] if names is None else list(map(label, names))


def _utf8(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError("name", name, "cannot be written as UTF-8", "rename the provider") from None
    return name


def _csv_label(name: str) -> str:
    quoted = _utf8(name).replace('"', '""')
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


def _write_text(trace: Trace, names: Sequence[str] | None, source: TraceFile, file: IO[bytes]) -> None:
    if source.ending == ".csv":
        lines = _csv_lines(trace, _labels(trace, names, _csv_label))
    else:
        lines = _json_lines(trace, _labels(trace, names, json.dumps))
    encoded = (line.encode() for line in lines)
    if source.compressed:
        # Neither name nor time: the same trace gives the same bytes.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            packed.writelines(encoded)
    else:
        file.writelines(encoded)


def _replace(location: str, write: Callable[[IO[bytes]], None]) -> None:
    """Write a file beside the one at the path, then put it in its place at once."""
    beside = Path(location).parent / f".trace-{secrets.token_hex(8)}.tmp"
    try:
        with open(beside, "xb") as file:
            write(file)
        os.replace(beside, location)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        rule, remedy = f"cannot be written ({reason(error)})", "give a path in a folder where you may write"
        raise InputError("path", location, rule, remedy) from None
    finally:
        with contextlib.suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
