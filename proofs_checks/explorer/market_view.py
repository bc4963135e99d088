"""The market over many runs: medians and bands over time, who served, and the bounds beside both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.names import title_of
from bounds.report import THEOREMS, UNITS, Bound, BoundsReport, evaluate_bounds, provider_bounds
from bounds.setting.model import Setting
from bounds.worth.guarantee import guarantees_of
from mechanism.metrics.curves import Curves
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.simulation import simulated
from proofs_checks.plurals import counted

Floats = NDArray[np.float64]
#: The quantiles of a band.
LOW, HIGH = 0.1, 0.9
#: Sums in another order differ by less than this share.
_ROUNDING = 1e-9


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
        The paper's upper bound for a run of t queries under the platform; NaN where it has no value. None without
        one, and where these bids are not promised it.
    branches : tuple of (str, array of float)
        Where the paper has two bounds, of which the smaller counts: what each is called, and its values.
    level : float or None
        A constant of the setting to compare with.
    """

    metric: str
    steps: NDArray[np.int64]
    lines: tuple[Line, ...]
    bound: Floats | None
    level: float | None
    branches: tuple[tuple[str, Floats], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ProviderRow:
    """What a provider served under the first policy, beside what bounds it: queries of one run.

    `cap` is the paper's bound on its selections over the whole horizon; None for the optimal provider, where an
    assumption leaves it undefined, under another policy than the platform, and for qualified providers where these
    bids are not promised it.
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

    `theorem` is what the PDF calls its theorem. `why_not` says why nothing stands beside it, if nothing does. `same`
    says that several runs ended with one value, `same_selections` that in all of them each provider served equally
    many queries, `same_dearer` the same of those alone that cost more than the optimal one.
    """

    name: str
    title: str
    unit: str
    theorem: str
    bound: Bound
    median: float | None
    high: float | None
    why_not: str
    same: bool
    same_selections: bool
    promised: bool = True
    same_dearer: bool = False


@dataclass(frozen=True, kw_only=True)
class Promises:
    """What the theory promises for a market.

    Parameters
    ----------
    rows : tuple of GuaranteeRow
        The five guarantees, each beside what happened under the platform.
    leads_from : int or None
        T_id, from which on the optimal provider is selected most; None where an assumption leaves it undefined.
    optimal : str or None
        The name of that provider.
    confidence : float
        delta: all guarantees together fail with this probability at most.
    covered : bool
        Whether gamma, d_- and d_+ allow for these bids; else T_id is not promised, and of the guarantees only some.
    """

    rows: tuple[GuaranteeRow, ...]
    leads_from: int | None
    optimal: str | None
    confidence: float
    covered: bool = True


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
    shown: dict[str, Any] = {}
    if "platform" in found and described.guarantee is not None and is_promised(described.guarantee, market):
        shown = _bounds(setting, described.guarantee, curves.steps)
    return MetricView(metric=metric, steps=curves.steps, lines=lines, level=level, **{"bound": None, **shown})


#: The guarantees that hold for any bids: eligibility alone decides them.
ANY_BIDS = ("quality_regret",)


def is_promised(guarantee: str, market: Market) -> bool:
    """Return whether a guarantee speaks of the bids of a market.

    Examples
    --------
    >>> from bounds.published import published
    >>> market = Market(setting=published("gpqa-strong").setting, horizon=500, bidders="independent")
    >>> [is_promised(guarantee, market) for guarantee in ("quality_regret", "generation_regret")]
    [True, False]
    """
    return guarantee in ANY_BIDS or market.covered


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
            cap=bounds[i].selection_cap if bounded and (market.covered or i not in setting.qualified) else None,
        )
        for i, provider in enumerate(setting.providers)
    )


def summary(market: Market) -> tuple[Figure, ...]:
    """Return the numbers above the pictures, under the first policy."""
    curves, setting = simulated(market)[market.policies[0]], market.prepared
    names = ("share_of_optimal", "unqualified_share", "accuracy", "amount_paid_moving", "generation_cost")
    return tuple(_figure(name, bands(setting, curves, name)[:, -1], market) for name in names)


#: Why nothing stands beside a guarantee.
NOT_PLAYED = "no run of the platform: it is not among the chosen policies"
NOT_MEASURED = "not measured on this page"
NOT_PLAYED_YET = "waits for the first runs"


def promises(market: Market, *, played: bool = True) -> Promises:
    """Return the guarantees at the horizon, each beside the metric that it bounds, under the platform.

    Unless `played`, nothing is simulated, and the metrics have no values yet.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = promises(Market(setting=published("gpqa-strong").setting, horizon=500, runs=3))
    >>> [row.theorem for row in found.rows], found.leads_from
    (['Theorem 17', 'Theorem 18', 'Theorem 20', 'Theorem 3', 'Theorem 4'], 153697)
    """
    setting = market.prepared
    curves = simulated(market).get("platform") if played else None
    unplayed = NOT_PLAYED if played or "platform" not in market.policies else NOT_PLAYED_YET
    report = evaluate_bounds(setting, market.horizon)
    measured = {str(metric.guarantee): key for key, metric in METRICS.items() if metric.guarantee}
    names = [*measured, *(name for name in report.guarantees if name not in measured)]
    return Promises(
        rows=tuple(
            replace(
                _guarantee(name, measured.get(name), report, setting, curves, unplayed),
                promised=is_promised(name, market),
            )
            for name in names
        ),
        leads_from=report.identification_horizon,
        optimal=report.optimal_provider,
        confidence=report.confidence,
        covered=market.covered,
    )


def _guarantee(
    name: str, metric: str | None, report: BoundsReport, setting: Setting, curves: Curves | None, unplayed: str
) -> GuaranteeRow:
    """Return a guarantee beside a metric's values at the end of the runs; `metric` is None where none is measured.

    `unplayed` says why there are no curves.
    """
    ends = None if curves is None or metric is None else values_of(setting, curves, metric)[:, -1]
    return GuaranteeRow(
        name=name,
        title=title_of(name),
        unit=UNITS[name],
        theorem=THEOREMS[name][1],
        bound=report.guarantees[name],
        median=None if ends is None else _number(np.median(ends)),
        high=None if ends is None else _number(np.max(ends)),
        why_not=NOT_MEASURED if metric is None else unplayed if curves is None else "",
        same=ends is not None and len(ends) > 1 and bool(np.ptp(ends) <= _ROUNDING * np.max(ends)),
        same_selections=curves is not None and not np.ptp(curves.selections[:, -1, :], axis=0).any(),
        same_dearer=curves is not None and _same_dearer(setting, curves),
    )


def _same_dearer(setting: Setting, curves: Curves) -> bool:
    """Return whether all providers that cost more than the optimal one served equally often in every run."""
    if setting.optimal is None:
        return False
    least = setting.providers[setting.optimal].mean_cost
    dearer = [i for i, each in enumerate(setting.providers) if each.mean_cost > least]
    return not np.ptp(curves.selections[:, -1, dearer], axis=0).any()


def bands(setting: Setting, curves: Curves, metric: str) -> Floats:
    """Return the low, the middle and the high quantile of a metric over the runs that have it, shape (3, C)."""
    levels = (LOW, 0.5, HIGH)
    if metric == "other_selections":
        return np.asarray(np.quantile(values_of(setting, curves, metric), levels, axis=0))
    return curves.quantiles(metric, levels)


def _line(policy: str, setting: Setting, curves: Curves, metric: str) -> Line:
    low, median, high = bands(setting, curves, metric)
    return Line(policy=policy, median=median, low=low, high=high)


#: What the two bounds of a regret are called, in the order of a guarantee's branches.
BRANCHES = ("bound for any gaps", "bound by the gaps")


def _bounds(setting: Setting, guarantee: str, steps: NDArray[np.int64]) -> dict[str, Any]:
    """Return the bound over time, and its branches where it has two; nothing where it has no value."""
    found = guarantees_of(setting)[guarantee]
    values = found.values_at(steps.tolist())
    if not np.isfinite(values).any():
        return {}
    each = [replace(found, branches=(branch,)).values_at(steps.tolist()) for branch in found.branches]
    both = tuple(zip(BRANCHES, map(_finite, each), strict=True)) if len(each) == len(BRANCHES) else ()
    return {"bound": _finite(values), "branches": both}


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _level(setting: Setting, name: str) -> float | None:
    if name == "qualified_providers":
        return float(len(setting.qualified))
    return setting.second_lowest_cost if name == "second_lowest_cost" else float(getattr(setting.platform, name))


def _figure(metric: str, ends: Floats, market: Market) -> Figure:
    low, median, high = map(_number, ends)
    described = METRICS[metric]
    about = metric == "share_of_optimal"
    period = (
        f"over the last {counted(market.window, 'query')}"
        if described.moving
        else f"over all {market.horizon:,} queries"
    )
    shown = {"title": described.title, "unit": described.unit, "period": period}
    return Figure(**shown, median=median, low=low, high=high, optimal=about)


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
