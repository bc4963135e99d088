"""Figures are what plotly.js takes, hold the data of the views, and show names letter by letter."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from proofs_checks.explorer.auction_view import step_view
from proofs_checks.explorer.market_view import metric_view, provider_rows
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.pictures import (
    LOOKS,
    earnings_picture,
    gain_picture,
    metric_picture,
    plain,
    reach_of,
    selections_picture,
    step_picture,
)
from proofs_checks.explorer.provider_view import provider_view
from proofs_checks.explorer.words import branches_caption
from tests.proofs_checks.explorer.states import HOSTILE, hostile_setting, small_state


def pictures(theme: str = "light", **more: Any) -> dict[str, dict[str, Any]]:
    state = small_state(**more)
    view = step_view(state)
    earned = provider_view(state.market, state.focus.provider)
    found = {
        "metric": metric_picture(metric_view(state.market, "quality_regret"), theme),
        "selections": selections_picture(provider_rows(state.market), state.market.horizon, theme),
        "step": step_picture(view, theme),
        "fixed": earnings_picture(earned, "fixed", theme),
        "shifted": earnings_picture(earned, "shifted", theme),
    }
    return found | ({"gain": gain_picture(view.what_if, theme)} if view.what_if else {})


@pytest.mark.parametrize("theme", list(LOOKS))
def test_plotly_takes_every_figure(theme: str) -> None:
    found = pictures(theme, provider=2)
    assert "gain" in found
    for name, figure in found.items():
        go.Figure(figure)  # refuses whatever the schema does not know
        json.dumps(figure, allow_nan=False)
        assert figure["data"], name


def test_bars_differ_by_more_than_colour() -> None:
    """Who is below the threshold is hatched, and every name has the sign of what its provider is."""
    state = small_state()
    rows = provider_rows(state.market)
    figure = selections_picture(rows, state.market.horizon, "light")
    shapes = figure["data"][0]["marker"]["pattern"]["shape"]
    assert [shape != "" for shape in shapes] == [not row.qualified for row in rows]
    assert 0 < sum(shape != "" for shape in shapes) < len(shapes)
    names, served = zip(*(text.split("<br>") for text in figure["layout"]["yaxis"]["ticktext"]), strict=True)
    horizon = state.market.horizon
    assert list(served) == [f"{row.median:,.0f} ({100 * row.median / horizon:.1f}%)" for row in rows]
    signs = [text[-1] for text in names]
    assert signs == ["★" if row.optimal else "✓" if row.qualified else "✗" for row in rows]
    view = step_view(state)
    ticks = step_picture(view, "light")["layout"]["yaxis"]["ticktext"]
    assert [tick.endswith("✗") for tick in ticks] == [not (row.eligible or row.served) for row in view.rows]


def test_plotly_refuses_what_it_does_not_know() -> None:
    figure = pictures()["metric"]
    with pytest.raises(ValueError, match="colour"):
        go.Figure({**figure, "layout": {**figure["layout"], "colour": "red"}})


@pytest.mark.for_each("metric", list(METRICS))
def test_every_metric_is_drawn(metric: str) -> None:
    view = metric_view(small_state(policies=("platform", "no-quality-filter")).market, metric)
    figure = metric_picture(view, "light")
    go.Figure(figure)
    lines = {trace["name"]: trace for trace in figure["data"] if trace.get("name")}
    np.testing.assert_array_equal(np.array(lines["platform"]["y"], dtype=float), view.lines[0].median)
    assert ("bound, for the platform" in lines) == (METRICS[metric].guarantee is not None)


def test_a_policy_keeps_its_colour_whatever_was_chosen_before() -> None:
    colours = []
    for policies in (("platform", "no-quality-filter"), ("no-quality-filter", "platform"), ("no-quality-filter",)):
        data = metric_picture(metric_view(small_state(policies=policies).market, "accuracy"), "light")["data"]
        colours.append({each["name"]: each["line"]["color"] for each in data if each.get("name") in policies})
    assert colours[0] == colours[1] == colours[0] | colours[2]
    assert len(set(colours[0].values())) == 2


def test_the_line_of_no_gain_is_not_at_the_edge() -> None:
    view = step_view(small_state(provider=2))
    assert view.what_if is not None
    for bid in (0.0, view.what_if.cost_bound):
        figure = gain_picture(replace(view.what_if, bid=bid), "light")
        low, high = figure["layout"]["yaxis"]["range"]
        assert low < 0 < high
        drawn = [y for trace in figure["data"] for y in trace["y"]]
        assert low < min(drawn) <= max(drawn) < high


def test_the_bound_at_the_end_is_in_the_picture() -> None:
    view = metric_view(small_state().market, "excess_payment")
    assert view.bound is not None
    low, high = metric_picture(view, "light")["layout"]["yaxis"]["range"]
    assert low <= view.bound[-1] <= high
    higher = replace(view, bound=view.bound * 100)
    assert metric_picture(higher, "light")["layout"]["yaxis"]["range"][1] > high


def test_names_are_shown_and_never_read() -> None:
    """plotly.js reads tags, entities and marks of direction in texts, and templates in those of hovers."""
    found = pictures(setting=hostile_setting(), horizon=200)
    text = json.dumps(found, ensure_ascii=False)
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text
    assert "\u2066" not in text
    assert all("bold" not in trace.get("hovertemplate", "") for figure in found.values() for trace in figure["data"])
    assert plain(HOSTILE[0])[:14] in text


def test_the_test_above_would_catch_a_raw_name() -> None:
    assert "<script" in HOSTILE[0]
    assert "<script" not in plain(HOSTILE[0])
    assert plain(HOSTILE[3]) == "\\u202eright\\u202c to 'left' \"quoted\"\\n\\u2066"


def test_both_bounds_are_drawn_and_the_smaller_is_the_broad_line() -> None:
    view = metric_view(small_state(horizon=20_000).market, "quality_regret")
    lines = {trace["name"]: trace for trace in metric_picture(view, "light")["data"] if trace.get("name")}
    styles = {name: (trace["line"]["dash"], trace["line"]["width"]) for name, trace in lines.items()}
    assert styles["bound, for the platform"] == ("solid", 8)
    assert [styles[name][0] for name, _ in view.branches] == ["dash", "dot"]
    both = np.array([lines[name]["y"] for name, _ in view.branches], dtype=float)
    np.testing.assert_array_equal(np.array(lines["bound, for the platform"]["y"], dtype=float), both.min(axis=0))


def test_a_logarithmic_axis_gets_no_number_that_it_cannot_show() -> None:
    for metric in METRICS:
        view = metric_view(small_state().market, metric)
        for trace in metric_picture(view, "light", log=True)["data"]:
            assert all(value is None or value > 0 for value in trace["y"]), metric


def test_a_bound_out_of_the_picture_is_named() -> None:
    view = metric_view(small_state(horizon=20_000).market, "generation_regret")
    ends = [values[-1] for _, values in view.branches]
    assert max(ends) > reach_of(view) > min(ends)
    assert "“bound for any gaps” ends above the picture" in branches_caption(view, log=False)
    assert "above" not in branches_caption(view, log=True)
    assert branches_caption(metric_view(small_state().market, "accuracy"), log=False) == ""
