"""Finished runs as a table, one row a run: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import contextlib
import csv
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bounds.errors import InputError
from mechanism.campaign.store import CampaignStore
from mechanism.metrics.measures import Metrics

__all__ = ["ExportedRun", "check_export", "export_rows", "export_runs"]

_PER_PROVIDER = ("selections", "payoffs")
_OVERALL = tuple(field.name for field in fields(Metrics) if field.name not in _PER_PROVIDER)
_WHOLE = ("run", "window", "eligible", "exploration_steps")
#: Rows of a Parquet row group.
_GROUP = 10_000


class ExportedRun(NamedTuple):
    """A run to export."""

    setting: str
    policy: str
    run: int
    metrics: Metrics


def check_export(file: str) -> None:
    """Refuse a file that could not be written, before the work that would fill it.

    Raises
    ------
    InputError
        The ending is neither ``.csv`` nor ``.parquet``, pyarrow is missing, or the folder is not there.

    Examples
    --------
    >>> check_export("runs.csv")
    """
    ending = Path(file).suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise InputError("--export", file, "must end in .csv or .parquet", "the ending chooses the format")
    if ending == ".parquet":
        _parquet(file)
    if not Path(file).absolute().parent.is_dir():
        raise InputError("--export", file, "lies in a folder that is not there", "make the folder first")


def export_runs(folder: str, file: str) -> int:
    """Write all finished runs of a campaign's folder, whether it is complete or was interrupted.

    Parameters
    ----------
    folder : str
        A campaign's ``--out`` folder.
    file : str
        Ends in ``.csv`` or ``.parquet``; replaced at once when the new one is complete.

    Returns
    -------
    int
        Number of runs.

    Raises
    ------
    InputError
        No campaign is there, or the file cannot be written.
    """
    check_export(file)
    with CampaignStore.existing(folder) as store:
        providers = {
            name: [provider["name"] for provider in part["setting"]["provider"]]
            for name, part in store.identity["settings"].items()
        }
        return export_rows((ExportedRun(r.setting, r.policy, r.run, r.metrics) for r in store.runs()), providers, file)


def export_rows(runs: Iterable[ExportedRun], providers: Mapping[str, Sequence[str]], file: str) -> int:
    """Write runs: setting, policy, run, every metric, and a column a provider such as ``selections[NAME]``.

    Parameters
    ----------
    runs : iterable of ExportedRun
    providers : mapping of str to sequence of str
        Names of every setting's providers; where settings differ, cells of absent providers are empty.
    file : str

    Returns
    -------
    int
        Number of runs.
    """
    check_export(file)
    names = list(dict.fromkeys(name for roster in providers.values() for name in roster))
    columns = ["setting", "policy", "run", *_OVERALL]
    columns += [f"{metric}[{name}]" for metric in _PER_PROVIDER for name in names]
    write = _write_csv if Path(file).suffix.lower() == ".csv" else _write_parquet
    beside = Path(file).absolute().parent / f".export-{secrets.token_hex(8)}.tmp"
    try:
        count = write(beside, columns, (_row(run, providers[run.setting]) for run in runs))
        os.replace(beside, file)
    except OSError as error:
        rule = f"cannot be written ({error.strerror})"
        raise InputError("--export", file, rule, "name a file you may write to") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
    return count


def _row(run: ExportedRun, names: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"setting": run.setting, "policy": run.policy, "run": run.run}
    row.update((name, getattr(run.metrics, name)) for name in _OVERALL)
    for metric in _PER_PROVIDER:
        values = getattr(run.metrics, metric)
        row.update((f"{metric}[{name}]", value) for name, value in zip(names, values, strict=True))
    return row


def _write_csv(file: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> int:
    count = 0
    with open(file, "x", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            count += 1
    return count


def _write_parquet(file: Path, columns: Sequence[str], rows: Iterator[dict[str, Any]]) -> int:
    pyarrow, parquet = _parquet(str(file))
    schema = pyarrow.schema([(name, _parquet_type(pyarrow, name)) for name in columns])
    count = 0
    with parquet.ParquetWriter(file, schema) as writer:
        while group := list(islice(rows, _GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def _parquet_type(pyarrow: Any, column: str) -> Any:
    if column in ("setting", "policy"):
        return pyarrow.string()
    whole = column in _WHOLE or column.startswith("selections[")
    return pyarrow.int64() if whole else pyarrow.float64()


def _parquet(file: str) -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("--export", file, "needs pyarrow", "pip install 'costproof[parquet]'") from None
    return pyarrow, parquet
