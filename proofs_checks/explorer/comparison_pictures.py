"""Providers, policies and thresholds beside each other, as figures of plotly.js."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proofs_checks.explorer.names_beside import NAME_SIZE, Area, sides_of
from proofs_checks.explorer.pictures import (
    LOOKS,
    SIGNS,
    Figure,
    Look,
    base_layout,
    line_trace,
    plain,
    plain_numbers,
    policy_style,
    style_of,
)
from proofs_checks.explorer.policies_view import Band, PolicyRow
from proofs_checks.explorer.roster_view import RosterRow, RosterView
from proofs_checks.explorer.sweep_view import SweepPoint

#: Symbols of providers by what they are, as in `SIGNS`.
_SYMBOLS: Mapping[str, str] = {"optimal": "star", "qualified": "circle", "below the threshold": "x"}
#: Names stand beside so many points of the frontier; the others have theirs where a reader points at them.
_NAMED = 10
#: Pixels of a policy's bar, of the axis, and of a provider in the legend, which on a narrow page is a column.
_BAR, _AXIS, _LEGEND = 34, 110, 24
#: So many numbers stand below an axis on a narrow page.
_MOST_TICKS = 6
#: Patterns of bars of one colour.
_PATTERNS = ("", "/", ".", "x")


def standing_colour(standing: str, look: Look) -> str:
    """Return the colour of a provider by what it is."""
    return {"optimal": look.series[0], "qualified": look.good}.get(standing, look.bad)


def landscape_picture(view: RosterView, theme: str) -> Figure:
    """Return every provider at its mean cost and quality, the threshold dotted, the frontier dashed."""
    look, rows = LOOKS[theme], view.rows
    frontier = sorted((row for row in rows if row.on_frontier), key=lambda row: row.cost)
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "frontier",
            "x": [row.cost for row in frontier],
            "y": [row.quality for row in frontier],
            "line": {"color": look.faint, "width": 1.4, "dash": "dash", "shape": "hv"},
            "hoverinfo": "skip",
        }
    ]
    dots = [(row.cost, row.quality) for row in rows] + [(each.mean_cost, each.quality) for each in view.others]
    area = Area.around(dots, view.threshold)
    placed = sides_of([(plain(row.name, 26), row.cost, row.quality) for row in frontier[:_NAMED]], dots, area)
    if view.others:
        names = [(each.name, each.mean_cost, each.quality) for each in view.others]
        data.append(_points(names, "not in this market", "circle-open", look.faint, 7))
    for standing, symbol in _SYMBOLS.items():
        those = [(row.name, row.cost, row.quality) for row in rows if row.standing == standing]
        if those:
            points = _points(those, f"{SIGNS[standing]} {standing}", symbol, standing_colour(standing, look), 11)
            sides = [placed.get((cost, quality)) for _, cost, quality in those]
            points |= {
                "mode": "markers+text",
                "text": [name if side else "" for name, side in zip(points["customdata"], sides, strict=True)],
                "textposition": [side or "top center" for side in sides],
                "textfont": {"size": NAME_SIZE},
            }
            data.append(points)
    ends = [cost for cost, _ in dots]
    data.append(
        line_trace([min(ends), max(ends)], [view.threshold] * 2, "quality threshold", look.bound, "dot", "mean score")
    )
    layout = base_layout(look, f"mean cost, money per query{' (log scale)' if area.log else ''}", "quality, mean score")
    layout["xaxis"] |= {"range": list(area.across)}
    layout["yaxis"] |= {"range": list(area.up)}
    if area.log:
        ticks = round_ticks(min(ends), max(ends))
        layout["xaxis"] |= {"type": "log", "tickmode": "array", "tickvals": ticks, "ticktext": [*map(_written, ticks)]}
    return {"data": data, "layout": layout}


def round_ticks(low: float, high: float) -> list[float]:
    """Return the numbers 1, 2 and 5 times a power of ten from one to another; powers of ten alone where those are many.

    Examples
    --------
    >>> round_ticks(14.7, 205), round_ticks(0.004, 0.03)
    ([20.0, 50.0, 100.0, 200.0], [0.005, 0.01, 0.02])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1,)):
        found = [float(f"{factor}e{power}") for power in powers for factor in factors]
        found = [each for each in found if low * (1 - 1e-9) <= each <= high * (1 + 1e-9)]
        if len(found) <= _MOST_TICKS:
            break
    return found


def _written(value: float) -> str:
    return f"{value:,.10g}"


def _points(places: Sequence[tuple[str, float, float]], name: str, symbol: str, colour: str, size: int) -> Any:
    names, across, up = zip(*places, strict=True)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": list(across),
        "y": list(up),
        "customdata": [plain(each, 26) for each in names],
        "marker": {"symbol": symbol, "size": size, "color": colour},
        "hovertemplate": "%{customdata}<br>cost %{x:,.4~g} money/query, quality %{y:.4~g}<extra></extra>",
    }


def radii_picture(view: RosterView, theme: str) -> Figure:
    """Return how the confidence radius shrinks, each gap at the count that resolves it, and the horizon."""
    look = LOOKS[theme]
    radii = view.radii.tolist()
    data = [line_trace(view.counts.tolist(), radii, "radius β(m)", look.ink, "solid", "")]
    data[0]["hovertemplate"] = "β = %{y:.4~g}<br>after m = %{x:,.0f} queries<extra></extra>"
    for kind, name, symbol, colour in (
        ("quality", "half a quality gap", "x", look.bad),
        ("cost", "half a cost gap, in radii", "circle", look.good),
    ):
        those = [row for row in view.rows if row.gap_kind == kind and row.resolved_at and row.level]
        if those:
            points = _points(
                [(row.name, float(row.resolved_at or 0), row.level or 0.0) for row in those], name, "", "", 9
            )
            points["marker"] |= {"symbol": symbol, "color": colour}
            points["hovertemplate"] = "%{customdata}<br>resolved after %{x:,.0f} queries served<extra></extra>"
            data.append(points)
    data.append(line_trace([view.horizon] * 2, [radii[-1], radii[0]], "queries of a run, T", look.bound, "dot", ""))
    layout = base_layout(look, "queries that a provider has served, m (log scale)", "radius (log scale)")
    layout["xaxis"] |= {"type": "log", "dtick": 1}
    layout["yaxis"] |= {"type": "log", "dtick": 1}
    return {"data": data, "layout": layout}


def accuracy_picture(rows: Sequence[PolicyRow], threshold: float, theme: str) -> Figure:
    """Return every policy at what its queries cost and how good the answers were; lines span the bands."""
    look, data = LOOKS[theme], list[dict[str, Any]]()
    for row in rows:
        cost, accuracy = Band.of(row.outcomes.cost), Band.of(row.outcomes.accuracy)
        style = policy_style(row.policy, look)
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": row.policy,
                "x": [cost.median],
                "y": [accuracy.median],
                "error_x": _reach(cost),
                "error_y": _reach(accuracy),
                "marker": {"size": 12, "color": style.colour, "symbol": _symbol(style.dash)},
                "hovertemplate": "%{fullData.name}<br>cost %{x:,.4~g} money, accuracy %{y:.4~g}<extra></extra>",
            }
        )
    costs = [Band.of(row.outcomes.cost) for row in rows]
    ends = [min(cost.low for cost in costs), max(cost.high for cost in costs)]
    data.append(line_trace(ends, [threshold] * 2, "quality threshold", look.bound, "dot", "mean score"))
    return {"data": data, "layout": base_layout(look, "generation cost of a run, money", "accuracy, mean score")}


def _symbol(dash: str) -> str:
    return {"solid": "circle", "dashdot": "diamond", "longdash": "square"}.get(dash, "triangle-up")


def _reach(band: Band) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [band.high - band.median],
        "arrayminus": [band.median - band.low],
        "thickness": 1.4,
    }


def where_picture(rows: Sequence[PolicyRow], roster: Sequence[RosterRow], theme: str) -> Figure:
    """Return, by policy, the mean share of queries that each provider served; from the best provider to the worst."""
    look = LOOKS[theme]
    data = []
    for i in sorted(range(len(roster)), key=lambda i: -roster[i].quality):
        row, style = roster[i], style_of(i, look)
        name = f"{plain(row.name, 26)} {SIGNS[row.standing]}"
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "y": [each.policy for each in rows],
                "x": [float(each.outcomes.shares[:, i].mean()) for each in rows],
                "marker": {
                    "color": style.colour,
                    "pattern": {"shape": _PATTERNS[i // len(look.series) % len(_PATTERNS)], "solidity": 0.4},
                    "line": {"color": look.paper, "width": 1},
                },
                "hovertemplate": "%{fullData.name}: %{x:.1%} of the queries<br>%{y}<extra></extra>",
            }
        )
    layout = base_layout(look, "share of queries, mean of runs", "")
    layout["xaxis"] |= {"range": [0, 1], "tickformat": ".0%", "dtick": 0.25}
    layout["margin"]["r"] = 28  # half of "100%" stands beyond the axis
    layout["yaxis"] |= {"autorange": "reversed"}
    layout |= {"barmode": "stack", "height": _AXIS + _BAR * len(rows) + _LEGEND * len(roster)}
    return {"data": data, "layout": layout}


#: The pictures of a sweep: what each shows of `Outcomes`, its title, and its unit.
SWEPT: Mapping[str, tuple[str, str]] = {
    "share_of_optimal": ("Share of the optimal provider", "share of queries"),
    "accuracy": ("Accuracy", "mean score"),
    "cost": ("Generation cost of a run", "money"),
    "collapsed": ("Runs that collapse", "share of runs"),
}


def sweep_picture(points: Sequence[SweepPoint], measure: str, theme: str) -> Figure:
    """Return what every policy ends with at each threshold: a line through the means, a dot for each run."""
    look, data = LOOKS[theme], list[dict[str, Any]]()
    places = [point.threshold for point in points]
    for policy in points[0].outcomes:
        style = policy_style(policy, look)
        values = [np.asarray(getattr(point.outcomes[policy], measure), dtype=float) for point in points]
        means = plain_numbers([each.mean() for each in values])
        line = line_trace(places, means, policy, style.colour, style.dash, SWEPT[measure][1])
        line |= {"mode": "lines+markers", "legendgroup": policy}
        line["hovertemplate"] = "%{fullData.name}: %{y:,.4~g}<br>q_min = %{x:.4~g}<extra></extra>"
        data.append(line)
        if measure != "collapsed":
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": [place for place, each in zip(places, values, strict=True) for _ in each],
                    "y": plain_numbers(np.concatenate(values)),
                    "marker": {"size": 5, "color": style.colour, "opacity": 0.4},
                    "legendgroup": policy,
                    "showlegend": False,
                    "hoverinfo": "skip",
                }
            )
    layout = base_layout(look, "quality threshold q_min", SWEPT[measure][1])
    if measure in ("share_of_optimal", "collapsed"):
        layout["yaxis"] |= {"range": [-0.03, 1.03], "tickformat": ".0%"}
    return {"data": data, "layout": layout}
