"""Metrics as rows of tables: a row for every policy, or one for every metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from bounds.errors import InputError, did_you_mean
from bounds.glossary import name_of
from bounds.sheet import MeanSd, Sheet
from bounds.words import rounded_to_read
from mechanism.metrics.measures import Metrics, Summary

#: The metrics that are one number of a run.
SINGLE_METRICS = tuple(
    field.name for field in fields(Metrics) if field.name != "window" and not str(field.type).startswith("tuple")
)
#: The metrics of a table with a row for every policy, unless others are asked for.
FIRST_METRICS = ("share_of_optimal", "unqualified_share", "accuracy", "generation_cost", "amount_paid")
METRIC_COLUMNS = ("metric", "provider", "mean", "sd")


def metrics_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of metrics that are one number of a run, by key or by name; "all" stands for all of them.

    Raises
    ------
    InputError
        A name is unknown.

    Examples
    --------
    >>> metrics_named(["amount_paid", "Quality regret"])
    ('amount_paid', 'quality_regret')
    """
    known = {_plain(name): key for key in SINGLE_METRICS for name in (key, name_of(key))}
    found: list[str] = []
    for name in names:
        if _plain(name) not in (*known, "all"):
            choices = f"choose from all, {', '.join(SINGLE_METRICS)}"
            raise InputError("metrics", name, "is an unknown metric", did_you_mean(_plain(name), known, choices))
        found += SINGLE_METRICS if _plain(name) == "all" else [known[_plain(name)]]
    return tuple(dict.fromkeys(found))


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").lower().split())


def single_metrics(summaries: Mapping[str, Summary]) -> dict[str, MeanSd]:
    """Return mean and standard deviation of every metric that is one number of a run.

    Examples
    --------
    >>> single_metrics({"accuracy": Summary(0.5, 0.1), "selections": Summary((3, 4), None)})
    {'accuracy': MeanSd(mean=0.5, sd=0.1)}
    """
    return {
        metric: MeanSd(summary.mean, summary.sd)
        for metric, summary in summaries.items()
        if not isinstance(summary.mean, tuple) and not isinstance(summary.sd, tuple)
    }


def metric_rows(summaries: Mapping[str, Summary], providers: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield mean and standard deviation of every metric, with `METRIC_COLUMNS`; for each provider where it has both.

    Examples
    --------
    >>> found = list(metric_rows({"accuracy": Summary(0.5, 0.1), "selections": Summary((3, 4), None)}, ["a", "b"]))
    >>> [(row["metric"], row["provider"], row["mean"], row["sd"]) for row in found]
    [('accuracy', None, 0.5, 0.1), ('selections', 'a', 3, None), ('selections', 'b', 4, None)]
    """
    for metric, summary in summaries.items():
        means, spreads = summary.mean, summary.sd
        if not isinstance(means, tuple):
            yield {"metric": metric, "provider": None, "mean": means, "sd": spreads}
            continue
        for place, provider in enumerate(providers):
            spread = spreads[place] if isinstance(spreads, tuple) else None
            yield {"metric": metric, "provider": provider, "mean": means[place], "sd": spread}


def with_rounded(sheet: Sheet) -> Sheet:
    """Return a table that readers see rounded: means to four digits, standard deviations to two.

    Examples
    --------
    >>> sheet = Sheet(title="One", columns=("mean", "sd"), rows=((0.8635111, 0.0029194), (3.3333333e-05, 0.0)))
    >>> with_rounded(sheet).for_readers.rows
    ((0.8635, 0.0029), (3.33e-05, 0.0))
    """
    rows = tuple(
        tuple(
            rounded_to_read(cell, 2 if name.endswith("sd") else 4) if isinstance(cell, float) else cell
            for name, cell in zip(sheet.columns, row, strict=True)
        )
        for row in sheet.rows
    )
    return replace(sheet, for_readers=replace(sheet, rows=rows))
