"""How probable it is that each band fails, against its budget; and when the unqualified providers are eliminated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.coverage.walk import FOLLOWED_COUNTS
from bounds.report import evaluate_bounds
from bounds.setting.model import Setting
from proofs_checks.coverage.report import CoverageReport, ProviderCoverage, coverage
from proofs_checks.figures.axes import Series, log_axis, said, shared_legend, short_name, short_names, title
from proofs_checks.figures.look import DASH_DOTTED, DASHED, DOTTED, LONG_DASHED, SOLID, Palette, look, new_panels

#: Of more providers, those whose bands fail most probably are shown; of more than these altogether, no figure is drawn.
MOST_SHOWN, MOST_PROVIDERS = 24, 50
#: The unqualified providers that take longest, in this order.
_SLOWEST = (
    Series(name="", colour="blue", pattern=SOLID, marker="o"),
    Series(name="", colour="orange", pattern=DASHED, marker="s"),
    Series(name="", colour="green", pattern=DASH_DOTTED, marker="D"),
    Series(name="", colour="purple", pattern=LONG_DASHED, marker="^"),
)
#: Survival is shown down to here, and probabilities of failure down to there.
_LEAST_SURVIVAL, _LEAST_FAILURE = 1e-7, 1e-20
#: Lines begin where the first of them falls below this.
_NEARLY_ALL = 0.999
#: Where lines have their markers.
_MARKED = (0.5, 1e-3, 1e-5)
_POINTS = 160


@dataclass(frozen=True, kw_only=True, eq=False)
class CoverageData:
    """What is drawn.

    Parameters
    ----------
    report : CoverageReport
    selection_bounds : mapping of str to int
        What the paper guarantees of unqualified providers, by name: M_i.
    """

    report: CoverageReport
    selection_bounds: Mapping[str, int]


def coverage_data(setting: Setting, horizon: int) -> CoverageData:
    """Compute the coverage of a setting, scores followed up to the horizon, at most to m = 70,000."""
    bounds = evaluate_bounds(setting, max(horizon, setting.n_providers), advice=False)
    told = {each.name: each.selection_bound for each in bounds.providers if each.gap_kind == "quality"}
    return CoverageData(
        report=coverage(setting, counts=min(horizon, FOLLOWED_COUNTS)),
        selection_bounds=MappingProxyType({name: int(bound) for name, bound in told.items() if bound is not None}),
    )


def coverage_figure(data: CoverageData, *, dark: bool = False) -> Figure:
    """Draw the failure of every band against its budget, and how probably more selections are needed to eliminate.

    The markers of the slowest unqualified providers are those of their lines on the right. A mark there at delta is
    what the paper guarantees of the provider.
    """
    report = data.report
    shown = _shown(report)
    slowest = _slowest(report)
    with look(dark) as palette:
        figure, (left, right) = new_panels(1, 2, height=max(2.9, 1.3 + 0.16 * len(shown)))
        _failures(left, palette, report, shown, slowest)
        _survival(right, palette, data, slowest)
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.set(wspace=0.06, w_pad=0.1)  # type: ignore[call-arg]
        shared_legend(figure, [left, right], columns=4)
    return figure


def _shown(report: CoverageReport) -> list[ProviderCoverage]:
    kept = sorted(report.providers, key=lambda each: -each.score_failure)[:MOST_SHOWN]
    return [each for each in report.providers if each in kept]


def _slowest(report: CoverageReport) -> dict[str, Series]:
    """Return how the providers that take longest to eliminate are drawn, by name."""
    means = [(each.elimination.mean.middle, each.provider.name) for each in report.providers if each.elimination]
    return {name: series for (_, name), series in zip(sorted(means, reverse=True), _SLOWEST, strict=False)}


def _failures(
    axes: Axes, palette: Palette, report: CoverageReport, shown: list[ProviderCoverage], slowest: Mapping[str, Series]
) -> None:
    rows = range(len(shown))
    scores = [max(each.score_failure, _LEAST_FAILURE) for each in shown]
    costs = [max(each.costs.upper, _LEAST_FAILURE) for each in shown]
    for row, (each, failure) in enumerate(zip(shown, scores, strict=True)):
        series = slowest.get(each.provider.name)
        axes.plot(
            [failure],
            [row],
            linestyle="",
            marker=series.marker if series else "o",
            markersize=5,
            color=getattr(palette, series.colour) if series else palette.grey,
        )
    axes.plot([], [], linestyle="", marker="o", markersize=5, color=palette.grey, label="scores (0 or 1), exact")
    axes.plot(costs, rows, linestyle="", marker="x", markersize=5, color=palette.ink, label="costs, at most")
    budget = shown[0].budget
    axes.axvline(budget, color=palette.ink, linewidth=1.1, label=r"budget $\delta/(2N)$")
    axes.axvline(
        report.worst.at_most, color=palette.ink, linestyle=DOTTED, linewidth=1.0, label="scores of any quality, at most"
    )
    log_axis(axes.xaxis, min(*scores, *costs, report.worst.at_most) / 8, min(budget * 8, 1.0))
    axes.set_yticks(rows, labels=short_names([each.provider.name for each in shown], 16), parse_math=False)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Probability of ever leaving the band")
    left_out = len(report.providers) - len(shown)
    title(axes, "Failure of bands" + (f" ({left_out} left out)" if left_out else ""), report.setting.name)


def _survival(axes: Axes, palette: Palette, data: CoverageData, slowest: Mapping[str, Series]) -> None:
    report, first, last = data.report, math.inf, 1.0
    for each in report.providers:
        if each.elimination is None:
            continue
        series = slowest.get(each.provider.name)
        alive = each.elimination.law.survival_upper[1:]
        places = np.unique(np.geomspace(1, len(alive), _POINTS).astype(np.int64)) - 1
        kept = places[alive[places] >= _LEAST_SURVIVAL]
        colour = getattr(palette, series.colour) if series else palette.grey
        axes.plot(
            kept + 1,
            alive[kept],
            color=colour,
            linestyle=series.pattern if series else SOLID,
            linewidth=1.4 if series else 0.7,
            marker=series.marker if series else "",
            markersize=4,
            markevery=[int(np.argmax(alive[kept] <= level)) for level in _MARKED if (alive[kept] <= level).any()],
        )
        first = min(first, float(np.argmax(alive < _NEARLY_ALL)) + 1)
        last = max(last, float(kept[-1] + 1) if len(kept) else 1.0)
        bound = data.selection_bounds.get(each.provider.name)
        if series and bound is not None and bound < 1e9:
            axes.plot(
                [bound],
                [report.delta],
                linestyle="",
                marker=series.marker,
                markersize=6,
                color=colour,
                mew=1.2,
                markerfacecolor=palette.background,
            )
            last = max(last, float(bound))
    if slowest:
        axes.plot(
            [],
            [],
            linestyle="",
            marker="o",
            markerfacecolor=palette.background,
            color=palette.grey,
            label=r"paper's bound $M_i$, at $\delta$",
        )
    low = max(first / 2, 0.8) if math.isfinite(first) else 1.0
    log_axis(axes.xaxis, low, max(last * 1.6, 10 * low))
    log_axis(axes.yaxis, _LEAST_SURVIVAL, 2.0)
    axes.set_xlabel("Selections $x$ after the first")
    axes.set_ylabel("Probability of more than $x$")
    title(axes, "Elimination of the unqualified" if slowest else "No provider is unqualified")


def coverage_in_words(data: CoverageData) -> str:
    """Say how probable a failure is against delta, and how long the slowest elimination takes."""
    report = data.report
    lines = [
        f"The good event fails with probability at most {report.total:.2g}, where delta allows {report.delta:g}; no "
        f"quality leaves its band of scores with more than {report.worst.at_most:.2g}"
    ]
    known = [each for each in report.providers if each.elimination is not None]
    if known:
        slow = max(known, key=lambda each: each.elimination.mean.middle if each.elimination else 0.0)
        if slow.elimination is not None:
            bound = data.selection_bounds.get(slow.provider.name, math.nan)
            lines.append(
                f"{short_name(slow.provider.name)} takes longest to be eliminated: "
                f"{slow.elimination.mean.middle:,.0f} selections on average, {said(float(bound))} guaranteed"
            )
    lines.append(f"Scores are followed exactly up to {report.counts:,} selections")
    return f"{'. '.join(lines)}."
