"""Finished runs as a table in CSV, one row per run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from bounds.errors import InputError
from mechanism.campaign.store import CampaignStore
from mechanism.files import replacing
from mechanism.metrics.curves import CURVE_COLUMNS, Curves
from mechanism.metrics.measures import Metrics

_PER_PROVIDER = ("selections", "payoffs")
#: A run to export: its setting, its policy, its number and what was measured.
ExportedRun = tuple[str, str, int, Metrics]
_OVERALL = tuple(field.name for field in fields(Metrics) if field.name not in _PER_PROVIDER)


def check_csv(argument: str, file: str) -> None:
    """Refuse a file that could not be written, before the work that would fill it.

    Raises
    ------
    InputError
        The ending is not ``.csv``, or the folder is not there.
    """
    if Path(file).suffix.lower() != ".csv":
        remedy = "tables are written as CSV; pandas makes Parquet of it, by read_csv(FILE).to_parquet(...)"
        raise InputError(argument, file, "must end in .csv", remedy)
    if not Path(file).absolute().parent.is_dir():
        raise InputError(argument, file, "lies in a folder that is not there", "make the folder first")


def export_runs(out: str, export: str) -> int:
    """Write all finished runs of a campaign's folder, whether it is complete or was interrupted.

    Parameters
    ----------
    out : str
        The folder of a campaign.
    export : str
        Ends in ``.csv``; replaced at once when the new one is complete.

    Returns
    -------
    int
        Number of runs.

    Raises
    ------
    InputError
        No campaign is there, or the file cannot be written.
    """
    with CampaignStore.existing(out) as store:
        providers = {
            name: [provider["name"] for provider in part["setting"]["provider"]]
            for name, part in store.identity["settings"].items()
        }
        runs = ((run.setting, run.policy, run.run, run.metrics) for run in store.runs())
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
    check_csv("export", export)
    names = list(dict.fromkeys(name for roster in providers.values() for name in roster))
    columns = ["setting", "policy", "run", *_OVERALL]
    columns += [f"{metric}[{name}]" for metric in _PER_PROVIDER for name in names]
    count = 0
    with (
        replacing(export, "export", "name a file you may write to") as new,
        open(new, "x", encoding="utf-8", newline="") as stream,
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for setting, policy, run, found in runs:
            each = [dict(zip(providers[setting], getattr(found, metric), strict=True)) for metric in _PER_PROVIDER]
            overall = (getattr(found, metric) for metric in _OVERALL)
            writer.writerow([setting, policy, run, *overall, *(of.get(name) for of in each for name in names)])
            count += 1
    return count


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
