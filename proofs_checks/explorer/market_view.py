"""The market over many runs: medians and bands over time, who served, and the bounds beside both."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.report import Bound, evaluate_bounds, provider_bounds
from bounds.setting.model import Setting
from bounds.worth.guarantee import guarantees_of
from mechanism.campaign.run import run_campaign
from mechanism.metrics.curves import Curves
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.metrics import METRICS

Floats = NDArray[np.float64]
#: The quantiles of a band.
LOW, HIGH = 0.1, 0.9
#: Sums in another order differ by less than this share.
_ROUNDING = 1e-9
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
#: One simulation at a time: two would only wait for each other's cores.
_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """A metric over time under one policy: the median over runs, and a band that holds four runs of five.

    Arrays have shape (C,); NaN where the metric is not defined.
    """

    policy: str
    median: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricView:
    """A metric over time, with what is promised for it.

    Parameters
    ----------
    metric : str
        A key of `METRICS`.
    steps : array of int, shape (C,)
    lines : tuple of Line
        One per policy.
    bound : array of float, shape (C,), or None
        The paper's upper bound for a run of t queries under the platform; NaN where it has no value.
    level : float or None
        A constant of the setting to compare with.
    """

    metric: str
    steps: NDArray[np.int64]
    lines: tuple[Line, ...]
    bound: Floats | None
    level: float | None


@dataclass(frozen=True, kw_only=True)
class ProviderRow:
    """What a provider served under the first policy, beside what bounds it: queries of one run.

    `cap` is the paper's bound on its selections over the whole horizon; None for the optimal provider, where an
    assumption leaves it undefined, and under another policy than the platform.
    """

    name: str
    qualified: bool
    optimal: bool
    median: float
    low: float
    high: float
    cap: float | None


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number of the summary: the median over runs at the end, and its band.

    `period` says over which queries it is taken, `optimal` that it is about the optimal provider.
    """

    title: str
    unit: str
    period: str
    median: float | None
    low: float | None
    high: float | None
    optimal: bool = False


@dataclass(frozen=True, kw_only=True)
class GuaranteeRow:
    """A guarantee at the horizon beside what happened; None where there is no such number.

    `same` says that several runs ended with one value, `same_selections` that in all of them each provider served
    equally many queries.
    """

    name: str
    title: str
    unit: str
    bound: Bound
    median: float | None
    high: float | None
    same: bool
    same_selections: bool


@lru_cache(maxsize=32)
def simulated(market: Market) -> Mapping[str, Curves]:
    """Return the curves of every policy, simulated at most once.

    Examples
    --------
    >>> from bounds.published import published
    >>> simulated(Market(setting=published("gpqa-strong").setting, horizon=500, runs=3))["platform"].runs
    3
    """
    with _ONE_AT_A_TIME:
        found = run_campaign(market.campaign, jobs=_CORES, backend="threads", curves=True).curves
    return {policy: curves for (_, policy), curves in found.items()}


def metric_view(market: Market, metric: str) -> MetricView:
    """Return a metric over time under every policy, and its bound.

    Examples
    --------
    >>> from bounds.published import published
    >>> view = metric_view(Market(setting=published("gpqa-strong").setting, horizon=500, runs=3), "quality_regret")
    >>> len(view.steps) == len(view.bound), [line.policy for line in view.lines]
    (True, ['platform'])
    """
    found, setting = simulated(market), market.prepared
    curves = next(iter(found.values()))
    lines = tuple(_line(policy, setting, each, metric) for policy, each in found.items())
    described = METRICS[metric]
    level = None if described.level is None else _level(setting, described.level)
    bound = _bound(setting, described.guarantee, curves.steps) if "platform" in found else None
    return MetricView(metric=metric, steps=curves.steps, lines=lines, bound=bound, level=level)


def values_of(setting: Setting, curves: Curves, metric: str) -> Floats:
    """Return a metric of every run over time, shape (R, C)."""
    if metric != "other_selections":
        return np.asarray(curves[metric], dtype=float)
    if setting.optimal is None:
        return np.full(curves.quality_regret.shape, np.nan)
    # Each provider serves once in initialization; what is counted comes after it.
    after = curves.steps - setting.n_providers
    return np.asarray(after - (curves.selections[:, :, setting.optimal] - 1), dtype=float)


def provider_rows(market: Market) -> tuple[ProviderRow, ...]:
    """Return what every provider served under the first policy, beside the bound on it."""
    policy = market.policies[0]
    curves, setting = simulated(market)[policy], market.prepared
    final = curves.selections[:, -1, :]
    low, median, high = np.quantile(final, (LOW, 0.5, HIGH), axis=0)
    bounds = provider_bounds(setting, market.horizon)
    # Where nobody is qualified, nobody need stay eligible, and the queries that follow are drawn among all.
    bounded = policy == "platform" and bool(setting.qualified)
    return tuple(
        ProviderRow(
            name=provider.name,
            qualified=i in setting.qualified,
            optimal=i == setting.optimal,
            median=float(median[i]),
            low=float(low[i]),
            high=float(high[i]),
            cap=bounds[i].selection_cap if bounded else None,
        )
        for i, provider in enumerate(setting.providers)
    )


def summary(market: Market) -> tuple[Figure, ...]:
    """Return the numbers above the pictures, under the first policy."""
    curves, setting = simulated(market)[market.policies[0]], market.prepared
    names = ("share_of_optimal", "unqualified_share", "accuracy", "amount_paid_moving", "generation_cost")
    return tuple(_figure(name, bands(setting, curves, name)[:, -1], market) for name in names)


def guarantee_rows(market: Market) -> tuple[GuaranteeRow, ...]:
    """Return the guarantees that a metric of this page is bounded by, beside that metric under the platform."""
    setting = market.prepared
    curves = simulated(market).get("platform")
    guarantees = evaluate_bounds(setting, market.horizon).guarantees
    rows = []
    for name, metric in ((metric.guarantee, key) for key, metric in METRICS.items() if metric.guarantee):
        ends = None if curves is None else values_of(setting, curves, metric)[:, -1]
        rows.append(
            GuaranteeRow(
                name=str(name),
                title=METRICS[metric].title,
                unit=METRICS[metric].unit,
                bound=guarantees[str(name)],
                median=None if ends is None else _number(np.median(ends)),
                high=None if ends is None else _number(np.max(ends)),
                same=ends is not None and len(ends) > 1 and bool(np.ptp(ends) <= _ROUNDING * np.max(ends)),
                same_selections=curves is not None and not np.ptp(curves.selections[:, -1, :], axis=0).any(),
            )
        )
    return tuple(rows)


def bands(setting: Setting, curves: Curves, metric: str) -> Floats:
    """Return the low, the middle and the high quantile of a metric over the runs that have it, shape (3, C)."""
    levels = (LOW, 0.5, HIGH)
    if metric == "other_selections":
        return np.asarray(np.quantile(values_of(setting, curves, metric), levels, axis=0))
    return curves.quantiles(metric, levels)


def _line(policy: str, setting: Setting, curves: Curves, metric: str) -> Line:
    low, median, high = bands(setting, curves, metric)
    return Line(policy=policy, median=median, low=low, high=high)


def _bound(setting: Setting, guarantee: str | None, steps: NDArray[np.int64]) -> Floats | None:
    if guarantee is None:
        return None
    values = guarantees_of(setting)[guarantee].values_at(steps.tolist())
    return np.where(np.isfinite(values), values, np.nan) if np.isfinite(values).any() else None


def _level(setting: Setting, name: str) -> float | None:
    return setting.second_lowest_cost if name == "second_lowest_cost" else float(getattr(setting.platform, name))


def _figure(metric: str, ends: Floats, market: Market) -> Figure:
    low, median, high = map(_number, ends)
    described = METRICS[metric]
    about = metric == "share_of_optimal"
    period = f"over the last {market.window:,} queries" if described.moving else f"over all {market.horizon:,} queries"
    shown = {"title": described.title, "unit": described.unit, "period": period}
    return Figure(**shown, median=median, low=low, high=high, optimal=about)


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
