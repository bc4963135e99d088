"""Finished runs as a table, one row per run: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bounds.errors import InputError
from mechanism.campaign.store import CampaignStore
from mechanism.files import replacing
from mechanism.metrics.curves import CURVE_COLUMNS, Curves
from mechanism.metrics.measures import Metrics

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


def check_export(export: str) -> None:
    """Refuse a file that could not be written, before the work that would fill it.

    Raises
    ------
    InputError
        The ending is neither ``.csv`` nor ``.parquet``, pyarrow is missing, or the folder is not there.
    """
    ending = Path(export).suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise InputError("export", export, "must end in .csv or .parquet", "the ending chooses the format")
    if ending == ".parquet":
        _parquet(export)
    _check_folder("export", export)


def check_curve_file(file: str) -> None:
    """Refuse a file that `export_curves` could not write, before the work that would fill it.

    Raises
    ------
    InputError
        The ending is not ``.csv``, or the folder is not there.
    """
    if Path(file).suffix.lower() != ".csv":
        raise InputError("curves", file, "must end in .csv", "curves are written as CSV")
    _check_folder("curves", file)


def _check_folder(argument: str, file: str) -> None:
    if not Path(file).absolute().parent.is_dir():
        raise InputError(argument, file, "lies in a folder that is not there", "make the folder first")


def export_runs(out: str, export: str) -> int:
    """Write all finished runs of a campaign's folder, whether it is complete or was interrupted.

    Parameters
    ----------
    out : str
        The folder of a campaign.
    export : str
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
    check_export(export)
    with CampaignStore.existing(out) as store:
        providers = {
            name: [provider["name"] for provider in part["setting"]["provider"]]
            for name, part in store.identity["settings"].items()
        }
        runs = (ExportedRun(run.setting, run.policy, run.run, run.metrics) for run in store.runs())
        return export_rows(runs, providers, export)


def export_rows(runs: Iterable[ExportedRun], providers: Mapping[str, Sequence[str]], export: str) -> int:
    """Write runs: setting, policy, run, every metric, and a column per provider such as ``selections[NAME]``.

    Parameters
    ----------
    runs : iterable of ExportedRun
    providers : mapping of str to sequence of str
        Names of every setting's providers; where settings differ, cells of absent providers are empty.
    export : str

    Returns
    -------
    int
        Number of runs.
    """
    check_export(export)
    names = list(dict.fromkeys(name for roster in providers.values() for name in roster))
    columns = ["setting", "policy", "run", *_OVERALL]
    columns += [f"{metric}[{name}]" for metric in _PER_PROVIDER for name in names]
    write = _write_csv if Path(export).suffix.lower() == ".csv" else _write_parquet
    with replacing(export, "export", "name a file you may write to") as new:
        return write(new, columns, (_row(run, providers[run.setting]) for run in runs))


def export_curves(curves: Mapping[tuple[str, str], Curves], providers: Mapping[str, Sequence[str]], file: str) -> None:
    """Write what curves are over runs as CSV: setting, policy, metric, step, q10, median and q90.

    Parameters
    ----------
    curves : mapping of (setting name, policy) to Curves
    providers : mapping of str to sequence of str
        Names of every setting's providers; each has a metric ``selections[NAME]``.
    file : str
        Replaced at once when the new one is complete. A cell is empty where no run has the metric.
    """
    with (
        replacing(file, "curves", "name a file you may write to") as new,
        open(new, "x", encoding="utf-8", newline="") as stream,
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["setting", "policy", *(name for name in CURVE_COLUMNS if name != "provider")])
        for (setting, policy), found in curves.items():
            for metric, provider, *row in found.rows():
                of_whom = "" if provider is None else f"[{providers[setting][provider]}]"
                writer.writerow([setting, policy, f"{metric}{of_whom}", *row])


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


def _parquet(export: str) -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("export", export, "needs pyarrow", "pip install 'costproof[parquet]'") from None
    return pyarrow, parquet
