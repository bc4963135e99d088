"""Data of the views as figures, in the plain form that plotly.js draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np

from bounds.errors import printable
from bounds.glossary import unit_of
from bounds.words import share
from proofs_checks.explorer.auction_view import StandingRow, StepView, WhatIf
from proofs_checks.explorer.market_view import HIGH, LOW, MetricView, ProviderRow, QuantileBand
from proofs_checks.explorer.metrics import LEVELS
from proofs_checks.explorer.provider_view import ProviderView
from proofs_checks.figures.palette import DARK, LIGHT, POLICY_SERIES, ROLES, Palette

Figure = dict[str, Any]
#: Pixels of a provider's bar, and of the axis below all.
_BAR, _AXIS = 44, 70
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


#: How the page calls what a provider is.
ROLE_NAMES = {"$i^*$": "optimal", "qualified": "qualified", "unqualified": "below the threshold"}
LOOKS: Mapping[str, Palette] = MappingProxyType({"light": LIGHT, "dark": DARK})


def plain(text: str, longest: int | None = None) -> str:
    """Return a name as plotly.js shows it letter by letter: it reads some tags, and obeys marks of direction.

    Examples
    --------
    >>> plain("<b>a</b>\\u202e")
    '&lt;b&gt;a&lt;/b&gt;\\\\u202e'
    """
    return escape(printable(text, longest), quote=False)


def metric_picture(view: MetricView, theme: str, *, log: bool = False) -> Figure:
    """Return a metric over time: a median and a band for each policy, the bound dashed, and a level dotted.

    With `log` the upright axis is logarithmic too.

    Examples
    --------
    >>> line = QuantileBand("platform", np.zeros(2), np.ones(2), np.ones(2))
    >>> view = MetricView(metric="accuracy", steps=np.array([2, 9]), lines=(line,), bound=None, level=0.5)
    >>> [trace.get("name") for trace in metric_picture(view, "light")["data"]]
    [None, 'platform', 'quality threshold']
    """
    look, unit = LOOKS[theme], unit_of(view.metric)
    steps, data = view.steps.tolist(), []
    for line in _positive(view.lines) if log else view.lines:
        data += band_traces(steps, line, getattr(look, POLICY_SERIES[line.policy].colour), unit)
    if view.bound is not None:
        bound = plain_numbers(view.bound)
        data.append(line_trace(steps, bound, "bound, for the platform", look.ink, "dash", unit))
    if view.level is not None:
        name = LEVELS[view.metric].replace("_", " ")
        data.append(line_trace([steps[0], steps[-1]], [view.level] * 2, name, look.ink, "dot", unit))
    layout = base_layout(look, "queries served, t (log scale)", f"{unit}{' (log scale)' if log else ''}")
    layout["xaxis"] |= {"type": "log", "dtick": 1}
    layout["yaxis"] |= {"type": "log"} if log else {"rangemode": "tozero"}
    layout["uirevision"] = f"{view.metric}, {'log' if log else 'linear'}"
    if view.bound is not None and not log:
        layout["yaxis"] |= {"range": [0, _reach(view)]}
    return {"data": data, "layout": layout}


def _positive(lines: Sequence[QuantileBand]) -> list[QuantileBand]:
    """Return lines for a logarithmic axis, which has no place for 0: bands end at the least positive number."""
    every = np.concatenate([values for line in lines for values in (line.low, line.median, line.high)])
    floor = float(np.min(every[every > 0], initial=np.inf))
    return [
        QuantileBand(
            line.policy,
            np.maximum(line.low, floor),
            np.where(line.median > 0, line.median, np.nan),
            np.maximum(line.high, floor),
        )
        for line in lines
    ]


def _reach(view: MetricView) -> float:
    """Return where the axis ends: the bound at the end is in the picture, a loose one early on need not be."""
    tops = [np.nanmax(line.high) for line in view.lines if np.isfinite(line.high).any()]
    ends = [] if view.bound is None else [value for value in view.bound[-1:] if np.isfinite(value)]
    return 1.08 * (float(max([*tops, *ends], default=1.0)) or 1.0)


def selections_picture(rows: Sequence[ProviderRow], horizon: int, theme: str) -> Figure:
    """Return who served how many queries, on a log scale: a bar to the median, its band, and the bound as a tick.

    On a log scale lengths of bars are no shares, so that the count and the share of all queries stand at each bar.
    Bars of providers below the threshold are hatched, and a sign beside each name says the same without colours.
    """
    look = LOOKS[theme]
    names = [f"{plain(row.name, 26)} {ROLES[row.role].sign}" for row in rows]
    served = [f"{row.median:,.0f} ({share(row.median / horizon)})" for row in rows]
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(rows))),
        "x": [max(row.median, 0.7) for row in rows],
        "marker": {
            "color": [getattr(look, ROLES[row.role].colour) for row in rows],
            "opacity": 0.78,
            "pattern": {"shape": ["/" if row.role == "unqualified" else "" for row in rows], "solidity": 0.45},
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
        "hovertext": [f"{row.low:,.0f} to {row.high:,.0f} queries, {ROLE_NAMES[row.role]}" for row in rows],
        "hoverinfo": "text",
        "showlegend": False,
    }
    bounded = [(i, row.cap) for i, row in enumerate(rows) if row.cap is not None and np.isfinite(row.cap)]
    marker = {"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": look.ink}, "color": look.ink}
    ticks = _markers("bound, for the platform", [cap for _, cap in bounded], [i for i, _ in bounded], marker)
    ticks["hovertemplate"] = "at most %{x:,.0f} queries<extra></extra>"
    layout = base_layout(look, "queries of one run (log scale)", "")
    layout["yaxis"] |= _named([f"{name}<br>{count}" for name, count in zip(names, served, strict=True)])
    most = max([horizon, *(cap for _, cap in bounded)])
    layout["xaxis"] |= {"type": "log", "dtick": 1, "range": [np.log10(0.7), np.log10(most) + 0.1]}
    layout |= {"bargap": 0.35, "height": _AXIS + _BAR * len(rows)}
    return {"data": [bars, ticks] if bounded else [bars], "layout": layout}


def _named(names: Sequence[str]) -> dict[str, Any]:
    """Return an upright axis of names, the first one on top."""
    ticks = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": list(names)}
    return {**ticks, "range": [len(names) - 0.5, -0.5], "showgrid": False}


def _markers(name: str, xs: Sequence[float], ys: Sequence[float], marker: Mapping[str, Any]) -> dict[str, Any]:
    found = {"type": "scatter", "mode": "markers", "name": name, "x": list(xs), "y": list(ys), "marker": dict(marker)}
    return {**found, "hovertemplate": "%{fullData.name}: %{x:,.5~g} money/query<extra></extra>"}


def step_picture(view: StepView, theme: str) -> Figure:
    """Return the bids of a step: from each standing bid, a line as long as the cost radius down to the adjusted bid.

    Who is not eligible is faint, and a sign beside its name says so; the one that served has the first colour.
    """
    look = LOOKS[theme]
    # Initialization screens nobody.
    screened = view.kind != "initialization"
    known = [(i, row) for i, row in enumerate(view.rows) if row.bid is not None and row.adjusted_bid is not None]
    places, shades = [i for i, _ in known], [_shade(row, look, screened) for _, row in known]
    data = [
        _markers(name, [getattr(row, of) for _, row in known], places, {"symbol": symbol, "size": 11, "color": shades})
        for name, symbol, of in (("standing bid", "circle-open", "bid"), ("adjusted bid", "diamond", "adjusted_bid"))
    ]
    layout = base_layout(look, "money per query", "")
    layout["shapes"] = [
        {
            "type": "line",
            "x0": row.adjusted_bid,
            "x1": row.bid,
            "y0": i,
            "y1": i,
            "layer": "below",
            "line": {"color": shade, "width": 3 if row.eligible else 1.5},
        }
        for (i, row), shade in zip(known, shades, strict=True)
    ]
    layout["yaxis"] |= _named([f"{plain(row.name, 26)}{_mark(row, screened)}" for row in view.rows])
    layout["uirevision"] = f"step {view.step}"
    return {"data": data, "layout": layout}


def _mark(row: StandingRow, screened: bool) -> str:
    if row.served:
        return " ◀ served"
    return f" {ROLES['unqualified'].sign}" if screened and not row.eligible else ""


def _shade(row: StandingRow, look: Palette, screened: bool) -> str:
    if row.served:
        return look.blue
    return look.green if row.eligible and screened else look.muted


def gain_picture(what_if: WhatIf, theme: str) -> Figure:
    """Return what a provider gains at a step by what it bids: its payment less its mean cost if it serves, else 0."""
    look, bound = LOOKS[theme], what_if.cost_bound
    gain, edge = what_if.most_paid - what_if.mean_cost, min(what_if.critical, bound)
    unit, tried = "money per query", "its own bid" if what_if.own else "the bid tried"
    at_cost, at_bid = gain if what_if.mean_cost < edge else 0.0, gain if what_if.wins else 0.0
    diamond = {"symbol": "diamond", "size": 12, "color": look.green}
    ring = {"symbol": "circle-open", "size": 14, "line": {"width": 3}, "color": look.ink}
    data = [
        line_trace([0.0, edge], [gain, gain], "gain by bid", look.blue, "solid", unit),
        _markers("its mean cost", [what_if.mean_cost], [at_cost], diamond),
        _markers(tried, [what_if.bid], [at_bid], ring),
    ]
    if edge < bound:
        beyond = line_trace([edge, bound], [0.0, 0.0], "", look.blue, "solid", unit)
        data.insert(1, {**beyond, "showlegend": False})
    layout = base_layout(look, "bid, money per query", "gain, money per query")
    layout["xaxis"] |= {"range": [-0.02 * bound, 1.02 * bound]}
    least, most = min(gain, 0.0), max(gain, 0.0)
    room = 0.08 * (most - least) or 1.0  # a line at the edge would be half cut
    layout["yaxis"] |= {"range": [least - room, most + room]}
    layout["uirevision"] = f"gain {what_if.provider} {what_if.critical}"
    return {"data": data, "layout": layout}


def earnings_picture(view: ProviderView, theme: str) -> Figure:
    """Return what a provider earns over a run by what it adds to its mean cost, beside what it earns as it bids."""
    look, amounts = LOOKS[theme], [amount for amount, _ in view.alternatives]
    bands = [found.band() for _, found in view.alternatives]
    median, low, high = (np.array(column) for column in zip(*bands, strict=True))
    line = QuantileBand("with this bid", low, median, high)
    now = view.actual.band()[0]
    data = [
        *band_traces(amounts, line, look.blue, "money"),
        line_trace([amounts[0], amounts[-1]], [now, now], "as it bids now", look.ink, "dot", "money"),
    ]
    layout = base_layout(look, "amount added, money per query", "earned over a run, money")
    layout["uirevision"] = plain(view.name)
    for each in data:
        if "hovertemplate" in each:
            each["hovertemplate"] = "%{fullData.name}: %{y:,.4~g} money<br>%{x:,.4~g} money per query<extra></extra>"
    return {"data": data, "layout": layout}


def band_traces(steps: Sequence[float], line: QuantileBand, colour: str, unit: str) -> list[dict[str, Any]]:
    """Return a median and its band."""
    known = np.isfinite(line.low) & np.isfinite(line.high)
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    xs = [step for step, here in zip(steps, known, strict=True) if here]
    outline = {
        "type": "scatter",
        "x": [*xs, *reversed(xs)],
        "y": [*line.low[known].tolist(), *reversed(line.high[known].tolist())],
        "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},0.18)",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    median = line_trace(steps, plain_numbers(line.median), line.policy, colour, "solid", unit)
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


def base_layout(look: Palette, across: str, up: str) -> dict[str, Any]:
    """Return what all pictures have in common, with the names of the axes."""
    axis = {
        "gridcolor": look.faint,
        "zerolinecolor": look.faint,
        "linecolor": look.faint,
        "tickfont": {"color": look.muted},
        "automargin": True,
    }
    return {
        "paper_bgcolor": look.background,
        "plot_bgcolor": look.background,
        "font": {"family": _FONT, "size": 13, "color": look.ink},
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "xaxis": {**axis, "title": {"text": across, "font": {"size": 12, "color": look.muted}}},
        "yaxis": {**axis, "title": {"text": up, "font": {"size": 12, "color": look.muted}}},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "hoverlabel": {"font": {"family": _FONT, "size": 12}, "align": "left"},
        "showlegend": True,
        # Zoom and hidden lines stay as a reader left them while sliders move.
        "uirevision": "kept",
    }


def plain_numbers(values: Any) -> list[float | None]:
    """Return numbers as JSON has them: None where there is none."""
    return [float(value) if np.isfinite(value) else None for value in values]


#: Where a band over runs begins and ends, in words.
BAND = f"from the {share(LOW)} to the {share(HIGH)} quantile"
