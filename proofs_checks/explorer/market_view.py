"""The market over many runs: medians and bands over time, who served, and the bounds beside both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.report import provider_bounds
from bounds.setting.model import Setting
from bounds.worth.guarantee import guarantees_of
from mechanism.metrics.curves import CURVE_NAMES, Curves
from mechanism.metrics.over_time import over_time
from mechanism.policy_names import PLATFORM
from proofs_checks.explorer.controls import SimulatedMarket
from proofs_checks.explorer.metrics import LEVELS, METRICS
from proofs_checks.explorer.simulation import simulated
from proofs_checks.figures.palette import role_of

Floats = NDArray[np.float64]
#: The quantiles of a band.
LOW, HIGH = 0.1, 0.9


@dataclass(frozen=True, eq=False)
class QuantileBand:
    """A metric over time under one policy: the median over runs, and a band that holds four runs of five.

    Arrays have shape (C,); NaN where the metric is not defined.
    """

    policy: str
    low: Floats
    median: Floats
    high: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricView:
    """A metric over time, with what is promised for it.

    Parameters
    ----------
    metric : str
        A key of `METRICS`.
    steps : array of int, shape (C,)
    lines : tuple of QuantileBand
        One per policy.
    bound : array of float, shape (C,), or None
        The paper's upper bound for a run of t queries under the platform; NaN where it has no value. None without
        one, and where these bids are not promised it.
    level : float or None
        A constant of the setting to compare with.
    """

    metric: str
    steps: NDArray[np.int64]
    lines: tuple[QuantileBand, ...]
    bound: Floats | None
    level: float | None


@dataclass(frozen=True, kw_only=True)
class ProviderRow:
    """What a provider served under the first policy, beside what bounds it: queries of one run.

    `role` is a key of `proofs_checks.figures.palette.ROLES`. `cap` is the paper's bound on its selections over the
    whole horizon; None for the optimal provider, where an assumption leaves it undefined, under another policy than the
    platform, and for qualified providers where these bids are not promised it.
    """

    name: str
    role: str
    median: float
    low: float
    high: float
    cap: float | None


def metric_view(market: SimulatedMarket, metric: str) -> MetricView:
    """Return a metric over time under every policy, and its bound.

    Examples
    --------
    >>> from bounds.published import published
    >>> market = SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, runs=3)
    >>> view = metric_view(market, "quality_regret")
    >>> len(view.steps) == len(view.bound), [line.policy for line in view.lines]
    (True, ['platform'])
    """
    found, setting = simulated(market), market.prepared
    curves = next(iter(found.values()))
    lines = tuple(QuantileBand(policy, *bands(setting, each, metric)) for policy, each in found.items())
    guarantee = METRICS[metric]
    level = _level(setting, LEVELS[metric]) if metric in LEVELS else None
    bound = None
    if PLATFORM in found and guarantee is not None and is_promised(guarantee, market):
        stated, steps = guarantees_of(setting)[guarantee], curves.steps.tolist()
        values = np.where([stated.applies(step) for step in steps], stated.values_at(steps), np.nan)
        known = np.isfinite(values)
        bound = np.where(known, values, np.nan) if known.any() else None
    return MetricView(metric=metric, steps=curves.steps, lines=lines, level=level, bound=bound)


#: The guarantees that hold for any bids: eligibility alone decides them.
ANY_BIDS = ("quality_regret",)


def is_promised(guarantee: str, market: SimulatedMarket) -> bool:
    """Return whether a guarantee speaks of the bids of a market.

    Examples
    --------
    >>> from bounds.published import published
    >>> market = SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, bidders="independent")
    >>> [is_promised(guarantee, market) for guarantee in ("quality_regret", "generation_regret")]
    [True, False]
    """
    return guarantee in ANY_BIDS or market.covered


def provider_rows(market: SimulatedMarket) -> tuple[ProviderRow, ...]:
    """Return what every provider served under the first policy, beside the bound on it."""
    policy = market.policies[0]
    curves, setting = simulated(market)[policy], market.prepared
    final = curves.selections[:, -1, :]
    low, median, high = np.quantile(final, (LOW, 0.5, HIGH), axis=0)
    bounds = provider_bounds(setting, market.horizon)
    # Where nobody is qualified, nobody need stay eligible, and the queries that follow are drawn among all.
    bounded = policy == PLATFORM and bool(setting.qualified)
    return tuple(
        ProviderRow(
            name=provider.name,
            role=role_of(setting, i),
            median=float(median[i]),
            low=float(low[i]),
            high=float(high[i]),
            cap=bounds[i].selection_cap if bounded and (market.covered or i not in setting.qualified) else None,
        )
        for i, provider in enumerate(setting.providers)
    )


#: The metrics of the numbers above the pictures.
_SUMMARY = ("share_of_optimal", "unqualified_share", "accuracy", "amount_paid_moving", "generation_cost")


def summary(market: SimulatedMarket) -> dict[str, tuple[float | None, ...]]:
    """Return of each metric of the summary the ends of its band and, between them, the median, at the end of a run."""
    curves, setting = simulated(market)[market.policies[0]], market.prepared
    return {metric: tuple(map(_number, bands(setting, curves, metric)[:, -1])) for metric in _SUMMARY}


#: Why nothing is compared with a guarantee.
NOT_PLAYED = "no run of the platform: it is not among the chosen policies"
NOT_PLAYED_YET = "waits for the first runs"


def realised(
    market: SimulatedMarket, played: Mapping[str, Curves] | None
) -> tuple[dict[str, tuple[float | None, float | None]], str]:
    """Return the median and the largest run of what each guarantee bounds, under the platform; or why there is none.

    Parameters
    ----------
    market : SimulatedMarket
    played : mapping of Curves, or None
        What the runs of each policy gave; None if they have not been simulated yet. Nothing is simulated here.

    Examples
    --------
    >>> from bounds.published import published
    >>> realised(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, runs=3), played=None)
    ({}, 'waits for the first runs')
    """
    if PLATFORM not in market.policies:
        return {}, NOT_PLAYED
    if played is None:
        return {}, NOT_PLAYED_YET
    measured = {guarantee: metric for metric, guarantee in METRICS.items() if guarantee}
    ends = {name: over_time(market.prepared, played[PLATFORM], metric)[:, -1] for name, metric in measured.items()}
    return {name: (_number(np.median(end)), _number(np.max(end))) for name, end in ends.items()}, ""


def bands(setting: Setting, curves: Curves, metric: str) -> Floats:
    """Return the low, the middle and the high quantile of a metric over the runs that have it, shape (3, C)."""
    levels = (LOW, 0.5, HIGH)
    if metric in CURVE_NAMES:
        return curves.quantiles(metric, levels)
    return np.asarray(np.quantile(over_time(setting, curves, metric), levels, axis=0))


def _level(setting: Setting, name: str) -> float | None:
    if name == "qualified_providers":
        return float(len(setting.qualified))
    return setting.second_lowest_cost if name == "second_lowest_cost" else float(getattr(setting.platform, name))


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
