"""Data of the views as figures, in the plain form that plotly.js draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bounds.errors import printable
from proofs_checks.explorer.auction_view import StandingRow, StepView, WhatIf
from proofs_checks.explorer.market_view import HIGH, LOW, Line, MetricView, ProviderRow
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.provider_view import ProviderView
from proofs_checks.explorer.registry import POLICIES

Figure = dict[str, Any]
#: Pixels of a provider's bar, and of the axis below all.
_BAR, _AXIS = 44, 70
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, kw_only=True)
class Look:
    """The colours of a theme; `series`, one for each policy, are told apart by readers who do not see all colours."""

    ink: str
    faint: str
    grid: str
    paper: str
    bound: str
    good: str
    bad: str
    series: tuple[str, ...]


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "light": Look(
            ink="#1c2430",
            faint="#5a6675",
            grid="#e6eaf0",
            paper="#ffffff",
            bound="#6b4e16",
            good="#0b6e4f",
            bad="#b42318",
            series=("#1d5fd0", "#c2570c", "#0b7a5b", "#8a3ffc", "#b01e5a"),
        ),
        "dark": Look(
            ink="#e8edf4",
            faint="#a3afbf",
            grid="#2c3644",
            paper="#171e28",
            bound="#e6c46c",
            good="#4fd1a5",
            bad="#ff8f82",
            series=("#7db0ff", "#ffa45c", "#5fd6b0", "#c4a1ff", "#ff8fbd"),
        ),
    }
)


#: What stands beside the name of a provider, so that no colour is needed to tell what it is.
SIGNS: Mapping[str, str] = MappingProxyType({"optimal": "★", "qualified": "✓", "below the threshold": "✗"})


class Style(NamedTuple):
    """A line's colour and its dashes, as plotly.js calls them."""

    colour: str
    dash: str


#: The dashes of lines of one colour; not those of bounds and levels.
_DASHES = ("solid", "dashdot", "longdash", "longdashdot")


def style_of(position: int, look: Look) -> Style:
    """Return the style of the line of a number, from 0: five colours, then the same with other dashes.

    Examples
    --------
    >>> [style_of(position, LOOKS["light"]).dash for position in (0, 4, 5, 21)]
    ['solid', 'solid', 'dashdot', 'solid']
    """
    again, colour = divmod(position, len(look.series))
    return Style(look.series[colour], _DASHES[again % len(_DASHES)])


def policy_style(policy: str, look: Look) -> Style:
    """Return the style of a policy, whatever else is shown."""
    return style_of(list(POLICIES).index(policy), look)


def plain(text: str, longest: int | None = None) -> str:
    """Return a name as plotly.js shows it letter by letter: it reads some tags, and obeys marks of direction.

    Examples
    --------
    >>> plain("<b>a</b>\\u202e")
    '&lt;b&gt;a&lt;/b&gt;\\\\u202e'
    """
    return escape(printable(text, longest), quote=False)


def metric_picture(view: MetricView, theme: str, *, log: bool = False, held: MetricView | None = None) -> Figure:
    """Return a metric over time: a median and a band for each policy, the bound, and a level dotted.

    A bound is dashed. Where it is the smaller of two, both are drawn, dashed and dotted, and it is the broad line
    below them. With `log` the upright axis is logarithmic too. The medians of another market, `held`, are thin lines
    with long dashes behind all.

    Examples
    --------
    >>> line = Line(policy="platform", median=np.ones(2), low=np.zeros(2), high=np.ones(2))
    >>> view = MetricView(metric="accuracy", steps=np.array([2, 9]), lines=(line,), bound=None, level=0.5)
    >>> [trace.get("name") for trace in metric_picture(view, "light")["data"]]
    [None, 'platform', 'quality threshold']
    """
    look, described = LOOKS[theme], METRICS[view.metric]
    steps, data = view.steps.tolist(), []
    lines = [_above(line, _floor(view)) for line in view.lines] if log else view.lines
    if held is not None:
        data += _held_traces(held, look, described.unit, log=log)
    for line in lines:
        data += band_traces(steps, line, policy_style(line.policy, look), described.unit)
    if view.bound is not None:
        data += _bound_traces(view, look, described.unit)
    if view.level is not None and described.level is not None:
        name = described.level.replace("_", " ")
        data.append(line_trace([steps[0], steps[-1]], [view.level] * 2, name, look.bound, "dot", described.unit))
    layout = base_layout(look, "queries served, t (log scale)", f"{described.unit}{' (log scale)' if log else ''}")
    layout["xaxis"] |= {"type": "log", "dtick": 1}
    if log:
        layout["yaxis"] |= {"type": "log"}
        layout["uirevision"] = "kept, log"
        return {"data": data, "layout": layout}
    layout["yaxis"] |= {"rangemode": "tozero"}
    if view.bound is not None:
        layout["yaxis"] |= {"range": [0, max(reach_of(each) for each in (view, held) if each is not None)]}
    return {"data": data, "layout": layout}


def _held_traces(held: MetricView, look: Look, unit: str, *, log: bool) -> list[dict[str, Any]]:
    traces = []
    for line in held.lines:
        colour = policy_style(line.policy, look).colour
        median = np.where(line.median > 0, line.median, np.nan) if log else line.median
        trace = line_trace(held.steps.tolist(), plain_numbers(median), f"held: {line.policy}", colour, "longdash", unit)
        trace["line"]["width"] = 1.4
        traces.append(trace)
    return traces


#: How much wider the line of the smaller of two bounds is.
_BROAD = 8


def _bound_traces(view: MetricView, look: Look, unit: str) -> list[dict[str, Any]]:
    steps, bound = view.steps.tolist(), plain_numbers(view.bound)
    name = "bound, for the platform"
    if not view.branches:
        return [line_trace(steps, bound, name, look.bound, "dash", unit)]
    smaller = line_trace(steps, bound, name, transparent(look.bound, 0.35), "solid", unit)
    smaller["line"]["width"] = _BROAD
    both = [
        line_trace(steps, plain_numbers(values), called, look.bound, dash, unit)
        for (called, values), dash in zip(view.branches, ("dash", "dot"), strict=True)
    ]
    return [smaller, *both]


def _floor(view: MetricView) -> float:
    """Return the least positive number of a view: a logarithmic axis has no place for 0."""
    every = np.concatenate([values for line in view.lines for values in (line.low, line.median, line.high)])
    return float(np.min(every[every > 0], initial=np.inf))


def _above(line: Line, floor: float) -> Line:
    """Return a line for a logarithmic axis: its band ends at the floor, and its median is left out where it is 0."""
    positive = np.where(line.median > 0, line.median, np.nan)
    low, high = (np.where(np.isnan(each), np.nan, np.maximum(each, floor)) for each in (line.low, line.high))
    return Line(policy=line.policy, median=positive, low=low, high=high)


#: The larger of two bounds is in the picture where it ends at most so many times above the rest.
_NEAR = 3


def reach_of(view: MetricView) -> float:
    """Return where the axis ends: the bound at the end is in the picture, a loose one early on need not be."""
    tops = [np.nanmax(line.high) for line in view.lines if np.isfinite(line.high).any()]
    ends = [] if view.bound is None else [value for value in view.bound[-1:] if np.isfinite(value)]
    most = float(max([*tops, *ends], default=1.0)) or 1.0
    beyond = [float(values[-1]) for _, values in view.branches if values[-1] <= _NEAR * most]
    return 1.08 * max(most, *beyond) if beyond else 1.08 * most


def selections_picture(rows: Sequence[ProviderRow], horizon: int, theme: str) -> Figure:
    """Return who served how many queries, on a log scale: a bar to the median, its band, and the bound as a tick.

    On a log scale lengths of bars are no shares, so that the count and the share of all queries stand at each bar.
    Bars of providers below the threshold are hatched, and a sign beside each name says the same without colours.
    """
    look = LOOKS[theme]
    names = [f"{plain(row.name, 26)} {SIGNS[_standing(row)]}" for row in rows]
    shades = [look.series[0] if row.optimal else look.good if row.qualified else look.bad for row in rows]
    kinds = [_standing(row) for row in rows]
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(rows))),
        "x": [max(row.median, 0.7) for row in rows],
        "marker": {
            "color": shades,
            "opacity": 0.78,
            "pattern": {"shape": ["/" if kind == "below the threshold" else "" for kind in kinds], "solidity": 0.45},
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [row.high - row.median for row in rows],
            "arrayminus": [row.median - row.low for row in rows],
            "color": look.ink,
            "thickness": 1.4,
            "width": 4,
        },
        "customdata": [
            [name, kind, f"{row.low:,.0f} to {row.high:,.0f}"]
            for name, kind, row in zip(names, kinds, rows, strict=True)
        ],
        "hovertemplate": "%{customdata[0]}<br>%{x:,.0f} queries (band %{customdata[2]})<br>"
        "%{customdata[1]}<extra></extra>",
        "showlegend": False,
    }
    bounded = [(i, row.cap) for i, row in enumerate(rows) if row.cap is not None and np.isfinite(row.cap)]
    ticks = {
        "type": "scatter",
        "mode": "markers",
        "name": "bound, for the platform",
        "y": [i for i, _ in bounded],
        "x": [cap for _, cap in bounded],
        "marker": {"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": look.bound}, "color": look.bound},
        "hovertemplate": "at most %{x:,.0f} queries<extra></extra>",
    }
    layout = base_layout(look, "queries of one run (log scale)", "")
    layout["yaxis"] |= {
        "tickmode": "array",
        "tickvals": list(range(len(rows))),
        "ticktext": [
            f"{name}<br>{row.median:,.0f} ({row.median / horizon:.1%})" for name, row in zip(names, rows, strict=True)
        ],
        "autorange": "reversed",
        "showgrid": False,
        "automargin": True,
    }
    most = max([horizon, *(cap for _, cap in bounded)])
    layout["xaxis"] |= {"type": "log", "dtick": 1, "range": [np.log10(0.7), np.log10(most) + 0.1]}
    layout |= {"bargap": 0.35, "height": _AXIS + _BAR * len(rows)}
    return {"data": [bars, ticks] if bounded else [bars], "layout": layout}


def _standing(row: ProviderRow) -> str:
    """Return what a provider is, a key of `SIGNS`."""
    return "optimal" if row.optimal else "qualified" if row.qualified else "below the threshold"


def step_picture(view: StepView, theme: str) -> Figure:
    """Return the bids of a step: from each standing bid, a line as long as the cost radius down to the adjusted bid.

    Who is not eligible is faint, and a sign beside its name says so; the one that served has the first colour.
    """
    look = LOOKS[theme]
    data: list[dict[str, Any]] = []
    # Initialization screens nobody.
    screened = view.kind != "initialization"
    names = [f"{plain(row.name, 26)}{_mark(row, screened)}" for row in view.rows]
    known = [(i, row) for i, row in enumerate(view.rows) if row.bid is not None and row.adjusted_bid is not None]
    for name, symbol, of in (("standing bid", "circle", "bid"), ("adjusted bid", "diamond", "adjusted_bid")):
        shades = [_shade(row, look, screened) for _, row in known]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [getattr(row, of) for _, row in known],
                "y": [i for i, _ in known],
                "marker": {"symbol": symbol if of == "adjusted_bid" else f"{symbol}-open", "size": 11, "color": shades},
                "text": [names[i] for i, _ in known],
                "hovertemplate": f"%{{text}}<br>{name}: %{{x:,.5~g}} money/query<extra></extra>",
            }
        )
    spans = [
        {
            "type": "line",
            "x0": row.adjusted_bid,
            "x1": row.bid,
            "y0": i,
            "y1": i,
            "layer": "below",
            "line": {"color": _shade(row, look, screened), "width": 3 if row.eligible else 1.5},
        }
        for i, row in known
    ]
    layout = base_layout(look, "money per query", "")
    layout["shapes"] = spans
    layout["yaxis"] |= {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "range": [len(names) - 0.5, -0.5],
        "showgrid": False,
    }
    layout["uirevision"] = f"step {view.step}"
    return {"data": data, "layout": layout}


def _mark(row: StandingRow, screened: bool) -> str:
    if row.served:
        return " ◀ served"
    return f" {SIGNS['below the threshold']}" if screened and not row.eligible else ""


def _shade(row: StandingRow, look: Look, screened: bool) -> str:
    if row.served:
        return look.series[0]
    return look.good if row.eligible and screened else look.faint


def gain_picture(what_if: WhatIf, theme: str) -> Figure:
    """Return what a provider gains at a step by what it bids: its payment less its mean cost if it serves, else 0."""
    look, bound = LOOKS[theme], what_if.cost_bound
    gain, edge = what_if.most_paid - what_if.mean_cost, min(what_if.critical, bound)
    at_bid = gain if what_if.wins else 0.0
    unit = "money per query"
    data = [
        line_trace([0.0, edge], [gain, gain], "gain by bid", look.series[0], "solid", unit),
        {
            "type": "scatter",
            "mode": "markers",
            "name": "its mean cost",
            "x": [what_if.mean_cost],
            "y": [gain if what_if.mean_cost < edge else 0.0],
            "marker": {"symbol": "diamond", "size": 12, "color": look.good},
            "hovertemplate": "bidding its mean cost, %{x:,.5~g}: %{y:,.5~g}<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "its own bid" if what_if.own else "the bid tried",
            "x": [what_if.bid],
            "y": [at_bid],
            "marker": {"symbol": "circle-open", "size": 14, "line": {"width": 3}, "color": look.bound},
            "hovertemplate": "bidding %{x:,.5~g}: %{y:,.5~g}<extra></extra>",
        },
    ]
    if edge < bound:
        beyond = line_trace([edge, bound], [0.0, 0.0], "", look.series[0], "solid", unit)
        data.insert(1, {**beyond, "showlegend": False})
    layout = base_layout(look, "bid, money per query", "gain, money per query")
    layout["xaxis"] |= {"range": [-0.02 * bound, 1.02 * bound]}
    least, most = min(gain, 0.0), max(gain, 0.0)
    room = 0.08 * (most - least) or 1.0  # a line at the edge would be half cut
    layout["yaxis"] |= {"range": [least - room, most + room]}
    layout["uirevision"] = f"gain {what_if.provider} {what_if.critical}"
    return {"data": data, "layout": layout}


def earnings_picture(view: ProviderView, kind: str, theme: str) -> Figure:
    """Return what a provider earns over a run by an alternative of a kind, beside what it earns as it bids."""
    look, pairs = LOOKS[theme], view.of_kind(kind)
    amounts = [alternative.amount for alternative, _ in pairs]
    median, low, high = (np.array(column) for column in zip(*(found.band() for _, found in pairs), strict=True))
    line = Line(policy="with this bid", median=median, low=low, high=high)
    now = view.actual.band()[0]
    data = [
        *band_traces(amounts, line, Style(look.series[0], "solid"), "money"),
        line_trace([amounts[0], amounts[-1]], [now, now], "as it bids now", look.bound, "dot", "money"),
    ]
    across = {"fixed": "its constant bid, money per query", "shifted": "amount added, money per query"}[kind]
    layout = base_layout(look, across, "earned over a run, money")
    layout["uirevision"] = f"{kind} {plain(view.name)}"
    for each in data:
        if "hovertemplate" in each:
            each["hovertemplate"] = "%{fullData.name}: %{y:,.4~g} money<br>%{x:,.4~g} money per query<extra></extra>"
    return {"data": data, "layout": layout}


def band_traces(steps: Sequence[float], line: Line, style: Style, unit: str) -> list[dict[str, Any]]:
    """Return a median and its band."""
    known = np.isfinite(line.low) & np.isfinite(line.high)
    xs = [step for step, here in zip(steps, known, strict=True) if here]
    outline = {
        "type": "scatter",
        "x": [*xs, *reversed(xs)],
        "y": [*line.low[known].tolist(), *reversed(line.high[known].tolist())],
        "fill": "toself",
        "fillcolor": transparent(style.colour),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    median = line_trace(steps, plain_numbers(line.median), line.policy, style.colour, style.dash, unit)
    return [outline, median]


def line_trace(
    xs: Sequence[float], ys: Sequence[float | None], name: str, colour: str, dash: str, unit: str
) -> dict[str, Any]:
    """Return a line over time."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": list(xs),
        "y": list(ys),
        "line": {"color": colour, "width": 2.4 if dash == "solid" else 2, "dash": dash},
        "hovertemplate": f"%{{fullData.name}}: %{{y:,.4~g}} {unit}<br>t = %{{x:,.0f}}<extra></extra>",
    }


def base_layout(look: Look, across: str, up: str) -> dict[str, Any]:
    """Return what all pictures have in common, with the names of the axes."""
    axis = {
        "gridcolor": look.grid,
        "zerolinecolor": look.grid,
        "linecolor": look.grid,
        "tickfont": {"color": look.faint},
        "automargin": True,
    }
    return {
        "paper_bgcolor": look.paper,
        "plot_bgcolor": look.paper,
        "font": {"family": _FONT, "size": 13, "color": look.ink},
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "xaxis": {**axis, "title": {"text": across, "font": {"size": 12, "color": look.faint}}},
        "yaxis": {**axis, "title": {"text": up, "font": {"size": 12, "color": look.faint}}},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "hoverlabel": {"font": {"family": _FONT, "size": 12}, "align": "left"},
        "showlegend": True,
        # Zoom and hidden lines stay as a reader left them while sliders move.
        "uirevision": "kept",
    }


def plain_numbers(values: Any) -> list[float | None]:
    """Return numbers as JSON has them: None where there is none."""
    return [float(value) if np.isfinite(value) else None for value in values]


def transparent(colour: str, opacity: float = 0.18) -> str:
    """Return a colour that lets a grid be seen."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


#: Where a band over runs begins and ends, in words.
BAND = f"from the {LOW:.0%} to the {HIGH:.0%} quantile"
