"""One run over time as figures of plotly.js: shares, beliefs about quality, bids, payments and payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proofs_checks.explorer.pictures import (
    LOOKS,
    SIGNS,
    Figure,
    base_layout,
    line_trace,
    plain,
    plain_numbers,
    style_of,
    transparent,
)
from proofs_checks.explorer.roster_view import RosterRow
from proofs_checks.explorer.run_view import Beliefs, Payoffs

_TIME = "queries served, t (log scale)"
_BAR, _AXIS = 30, 90
#: Pixels of a picture with a line for each provider, and of each of them.
_PLOT, _LINE = 290, 15


def shares_picture(view: Beliefs, roster: Sequence[RosterRow], theme: str) -> Figure:
    """Return the share of the queries so far that each provider served."""
    steps = [view.steps.tolist()] * len(roster)
    shares = view.counts / view.steps[:, None]
    figure = _by_provider(steps, shares.T, roster, theme, _TIME, "share of queries so far")
    figure["layout"]["yaxis"] |= {"range": [0, 1.02], "tickformat": ".0%"}
    return figure


def optimistic_picture(view: Beliefs, roster: Sequence[RosterRow], theme: str) -> Figure:
    """Return the optimistic quality estimates, and the threshold that they are compared with."""
    steps = view.steps.tolist()
    across, up = _TIME, "mean score so far plus radius"
    figure = _by_provider([steps] * len(roster), view.optimistic.T, roster, theme, across, up)
    level = line_trace([steps[0], steps[-1]], [view.threshold] * 2, "quality threshold", LOOKS[theme].bound, "dot", "")
    figure["data"].append(level)
    # A radius above 1 says nothing: the axis ends a little above it.
    top = float(min(1.6, view.optimistic.max() * 1.05))
    figure["layout"]["yaxis"] |= {"range": [0, max(top, view.threshold * 1.05)]}
    return figure


def slack_picture(view: Beliefs, roster: Sequence[RosterRow], theme: str) -> Figure:
    """Return how far standing bids are from mean costs, in radii, and what the platform allows for."""
    counts = [column.tolist() for column in view.counts.T]
    across, up = (
        "queries that the provider has served, m (log scale)",
        "bid less mean cost, in units of the radius c_max β(m)",
    )
    figure = _by_provider(counts, view.slack.T, roster, theme, across, up)
    last = int(view.counts.max())
    signs = (1, -1) if view.gamma else (1,)
    for sign in signs:
        name = f"{'' if sign > 0 else '−'}γ" if view.gamma else "γ = 0"
        figure["data"].append(line_trace([1, last], [sign * view.gamma] * 2, name, LOOKS[theme].bound, "dot", ""))
    reach = 1.15 * max(0.1, view.gamma, float(np.abs(view.slack).max()))
    figure["layout"]["yaxis"] |= {"range": [-reach, reach]}
    return figure


def _by_provider(
    across: Sequence[Sequence[float]], values: Any, roster: Sequence[RosterRow], theme: str, along: str, up: str
) -> Figure:
    look, data = LOOKS[theme], list[dict[str, Any]]()
    for i, row in enumerate(roster):
        style = style_of(i, look)
        name = f"{plain(row.name, 26)} {SIGNS[row.standing]}"
        line = line_trace(across[i], plain_numbers(values[i]), name, style.colour, style.dash, "")
        line["line"]["width"] = 3.4 if row.standing == "optimal" else 1.6
        line["hovertemplate"] = "%{fullData.name}: %{y:,.4~g}<br>%{x:,.0f} queries<extra></extra>"
        data.append(line)
    layout = base_layout(look, along, up)
    layout["xaxis"] |= {"type": "log", "dtick": 1}
    # On a narrow page the legend takes a line for each provider, and half of the height at most.
    layout["height"] = _PLOT + _LINE * len(roster)
    return {"data": data, "layout": layout}


def band_picture(view: Payoffs, theme: str, *, promised: bool = True) -> Figure:
    """Return the payments of auctions at sampled steps, each with its bounds, and the two costs around them.

    Without the bounds where they are not promised.
    """
    look, band = LOOKS[theme], view.band
    shown = np.isfinite(band.payment)
    steps = band.steps[shown].tolist()
    upper, lower = band.upper[shown].tolist(), band.lower[shown].tolist()
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "band of the theory",
            "x": [*steps, *reversed(steps)],
            "y": [*upper, *reversed(lower)],
            "fill": "toself",
            "fillcolor": transparent(look.bound),
            "line": {"width": 0},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "payment",
            "x": steps,
            "y": band.payment[shown].tolist(),
            "customdata": list(zip(lower, upper, strict=True)),
            "marker": {"size": 4, "color": look.series[0]},
            "hovertemplate": "step %{x:,.0f}: paid %{y:,.4~g}<br>"
            "between %{customdata[0]:,.4~g} and %{customdata[1]:,.4~g} money/query<extra></extra>",
        },
    ]
    if steps:
        ends = [steps[0], steps[-1]]
        for value, name, dash in (
            (view.optimal_cost, "cost of the optimal provider", "dot"),
            (view.second_lowest_cost, "second-lowest qualified cost", "dash"),
        ):
            if value is not None:
                data.append(line_trace(ends, [value] * 2, name, look.ink, dash, "money/query"))
    if not promised:
        del data[0]
        data[0]["hovertemplate"] = "step %{x:,.0f}: paid %{y:,.4~g} money/query<extra></extra>"
    layout = base_layout(look, "step, t (log scale)", "money per query")
    layout["xaxis"] |= {"type": "log", "dtick": 1}
    layout["yaxis"] |= {"rangemode": "tozero"}
    return {"data": data, "layout": layout}


def payoff_picture(view: Payoffs, theme: str) -> Figure:
    """Return what all providers together earned up to each step: gains, losses, and both together."""
    look, steps = LOOKS[theme], view.steps.tolist()
    lines = (
        (view.gains + view.losses, "net", look.ink, "solid"),
        (view.gains, "gains", look.good, "longdash"),
        (view.losses, "losses", look.bad, "dashdot"),
    )
    data = [
        line_trace(steps, plain_numbers(values), name, colour, dash, "money") for values, name, colour, dash in lines
    ]
    layout = base_layout(look, _TIME, "earned so far, money")
    layout["xaxis"] |= {"type": "log", "dtick": 1}
    return {"data": data, "layout": layout}


def payoffs_of_picture(view: Payoffs, roster: Sequence[RosterRow], theme: str) -> Figure:
    """Return what each provider gained and lost in the run, and the difference; who earned most stands first."""
    look, net = LOOKS[theme], view.gains_of + view.losses_of
    order = sorted(range(len(roster)), key=lambda i: -net[i])
    names = [f"{plain(roster[i].name, 26)} {SIGNS[roster[i].standing]}" for i in order]
    places = list(range(len(order)))
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": places,
            "x": [float(values[i]) for i in order],
            "marker": {"color": colour, "opacity": 0.8, "pattern": {"shape": shape, "solidity": 0.4}},
            "text": names,
            "textposition": "none",
            "hovertemplate": f"%{{text}}<br>{name}: %{{x:,.4~g}} money<extra></extra>",
        }
        for name, values, colour, shape in (
            ("gains", view.gains_of, look.good, ""),
            ("losses", view.losses_of, look.bad, "/"),
        )
    ]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "name": "net",
        "y": places,
        "x": [float(net[i]) for i in order],
        "text": names,
        "marker": {"size": 9, "color": look.ink, "symbol": "diamond"},
        "hovertemplate": "%{text}<br>net: %{x:,.4~g} money<extra></extra>",
    }
    layout = base_layout(look, "earned over the run, money", "")
    layout["yaxis"] |= {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": names,
        "autorange": "reversed",
        "showgrid": False,
    }
    layout |= {"barmode": "overlay", "height": _AXIS + _BAR * len(order)}
    return {"data": [*bars, dots], "layout": layout}
