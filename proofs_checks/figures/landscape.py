"""Providers in the plane of quality and price, and which of them no other beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from bounds.setting.model import Setting
from proofs_checks.figures.axes import linear_axis, panels, said, short_name, short_names
from proofs_checks.figures.look import SMALLEST_TEXT, look, measuring
from proofs_checks.figures.palette import DOTTED, ROLES, Palette, role_of
from proofs_checks.figures.runs import SettingRuns


def lowest_listed(setting: Setting) -> tuple[int, ...]:
    """Return the providers with the lowest listed price of a query's tokens; none where one lacks a price."""
    prices = [each.listed_price * each.multiplicity for each in setting.providers if each.listed_price is not None]
    if len(prices) < setting.n_providers:
        return ()
    return tuple(index for index, price in enumerate(prices) if price == min(prices))


def pareto_frontier(setting: Setting) -> tuple[int, ...]:
    """Return the providers that no other beats: none is as good and cheaper, or better and as cheap; by cost.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> [setting.providers[index].name for index in pareto_frontier(setting)]
    ['Qwen2-0.5B', 'Llama-3.2-1B', 'Llama-3.1-8B', 'Qwen2.5-7B']
    """
    providers, best, found = setting.providers, -1.0, list[int]()
    costs = sorted({provider.mean_cost for provider in providers})
    for cost in costs:
        alike = [i for i, provider in enumerate(providers) if provider.mean_cost == cost]
        top = max(providers[i].quality for i in alike)
        if top > best:
            found += [i for i in alike if providers[i].quality == top]
            best = top
    return tuple(found)


def landscape(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw every provider at its quality and mean query price, the threshold, the Pareto frontier, the lowest price.

    Where prices are not listed, the horizontal axis is the mean cost of a query.
    """
    setting = runs.setting
    ringed = lowest_listed(setting)
    factor = 1 + runs.margin if ringed else 1.0
    places = np.array([(factor * provider.mean_cost, provider.quality) for provider in setting.providers])
    with panels(runs, dark, height=3.6, legend_columns=6) as (figure, (panel,)):
        axes, palette = panel.axes, panel.palette
        frontier = places[list(pareto_frontier(setting))].T
        axes.step(*frontier, where="post", color=palette.grey, linewidth=1.0, label="Pareto frontier", zorder=1.5)
        threshold = setting.platform.quality_threshold
        axes.axhline(threshold, color=palette.ink, linestyle=DOTTED, linewidth=0.9, label=r"$q_{\min}$")
        for role, (colour, marker, *_) in ROLES.items():
            those = [i for i in range(setting.n_providers) if role_of(setting, i) == role]
            if those:
                how = {"s": 70 if marker == "*" else 32, "color": getattr(palette, colour), "marker": marker}
                axes.scatter(*places[those].T, label=role, zorder=3, linewidths=0, **how)
        if ringed:
            how = {"s": 150, "facecolors": "none", "edgecolors": palette.ink, "linewidths": 0.9}
            axes.scatter(*places[list(ringed)].T, label="lowest listed price", zorder=2.5, **how)
        linear_axis(axes.xaxis)
        linear_axis(axes.yaxis)
        axes.margins(0.14)  # room for names
        axes.set_ylabel("Quality $q_i$")
        axes.set_xlabel(f"Mean {'query price' if ringed else 'cost of a query'} ({runs.money})")
        panel.title("Providers")
    with look(dark):
        names = short_names([provider.name for provider in setting.providers])
        _name(figure, axes, palette, names, places.tolist())
    return figure


def landscape_in_words(runs: SettingRuns) -> str:
    """Say who is qualified, who is best, and who is on the frontier."""
    setting = runs.setting
    names = [short_name(provider.name) for provider in setting.providers]
    best = "none of them is the only cheapest one"
    if setting.optimal is not None:
        best = f"the cheapest of them, i*, is {names[setting.optimal]}"
    frontier = ", ".join(names[i] for i in pareto_frontier(setting))
    return (
        f"{len(setting.qualified)} of {setting.n_providers} providers reach the quality threshold "
        f"{said(setting.platform.quality_threshold)}; {best}. No other provider is both better and cheaper than "
        f"these (the Pareto frontier): {frontier}."
    )


def _name(
    figure: Figure, axes: Axes, palette: Palette, names: Sequence[str], places: Sequence[tuple[float, float]]
) -> None:
    """Write every name beside its point where it meets no other name or point; one that fits nowhere is left out."""
    renderer, inside = measuring(figure), axes.get_window_extent()
    points = axes.transData.transform(places)
    reach = 4.5 * figure.dpi / 72
    taken = [Bbox.from_extents(x - reach, y - reach, x + reach, y + reach) for x, y in points]
    bars = _boxes_of([axes.transData.transform(line.get_xydata()) for line in axes.lines[:1]])
    for name, place, own in zip(names, places, list(taken), strict=True):
        for across, up, horizontal, vertical in _OFFSETS:
            text = axes.annotate(
                name,
                place,
                xytext=(across, up),
                textcoords="offset points",
                ha=horizontal,
                va=vertical,
                fontsize=SMALLEST_TEXT,
                color=palette.ink,
                parse_math=False,
                in_layout=False,
            )
            box = text.get_window_extent(renderer)
            others = [one for one in [*taken, *bars] if one is not own]
            if inside.contains(box.x0, box.y0) and inside.contains(box.x1, box.y1) and not box.count_overlaps(others):
                taken.append(box)
                break
            text.remove()


def _boxes_of(lines: Sequence[Any]) -> list[Bbox]:
    """Return the boxes of the steps of lines that turn at right angles, as wide as the pen."""
    boxes = []
    for line in lines:
        for (x0, y0), (x1, y1) in pairwise(line):
            # Drawn with where="post": first across, then up.
            boxes += [Bbox.from_extents(x0, y0 - 1, x1, y0 + 1), Bbox.from_extents(x1 - 1, y0, x1 + 1, y1)]
    return boxes


#: Where a name may stand: points to the right and upwards, and what part of the name stands there.
_OFFSETS = [
    (across * far, up * far, {1: "left", 0: "center", -1: "right"}[across], {1: "bottom", 0: "center", -1: "top"}[up])
    for far in (6.0, 10.0, 15.0)
    for across, up in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
]
