"""Metrics as rows of tables: a row for every policy, or one for every metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bounds.sheet import Sheet
from bounds.words import rounded_to_read
from mechanism.metrics.measures import Summary

#: The metrics that a table with a row for every policy has: the first ones that somebody asks for.
FIRST_METRICS = ("share_of_optimal", "unqualified_share", "accuracy", "generation_cost", "amount_paid")
POLICY_COLUMNS = ("policy", *(name for metric in FIRST_METRICS for name in (metric, f"{metric}_sd")))
METRIC_COLUMNS = ("metric", "provider", "mean", "sd")


def policy_row(policy: str, summaries: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the means and standard deviations of the first metrics under a policy, with `POLICY_COLUMNS`.

    Examples
    --------
    >>> row = policy_row("platform", dict.fromkeys(FIRST_METRICS, Summary(0.5, None)))
    >>> row["accuracy"], row["accuracy_sd"]
    (0.5, None)
    """
    means = {metric: summaries[metric].mean for metric in FIRST_METRICS}
    spreads = {f"{metric}_sd": summaries[metric].sd for metric in FIRST_METRICS}
    return {"policy": policy} | means | spreads


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
