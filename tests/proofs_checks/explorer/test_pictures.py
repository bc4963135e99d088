"""Figures are what plotly.js takes, hold the data of the views, and show names letter by letter."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
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
    selections_picture,
    step_picture,
)
from proofs_checks.explorer.provider_view import provider_view
from tests.proofs_checks.explorer.states import HOSTILE, hostile_setting, small_state


def pictures(theme: str = "light", **more: Any) -> dict[str, dict[str, Any]]:
    state = small_state(**more)
    view = step_view(state)
    earned = provider_view(state.market, state.focus.provider)
    found = {
        "metric": metric_picture(metric_view(state.market, "quality_regret"), theme),
        "selections": selections_picture(provider_rows(state.market), state.market.horizon, theme),
        "step": step_picture(view, theme),
        "earnings": earnings_picture(earned, theme),
    }
    return found | ({"gain": gain_picture(view.what_if, theme)} if view.what_if else {})


@pytest.mark.long("needs dash")
@pytest.mark.for_each("theme", LOOKS)
def test_plotly_takes_every_figure(theme: str) -> None:
    """It refuses whatever its schema does not know."""
    go = pytest.importorskip("plotly.graph_objects", reason="needs dash: pip install '.[long]'")
    found = pictures(theme, provider=2)
    assert "gain" in found
    for name, figure in found.items():
        go.Figure(figure)
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


@pytest.mark.for_each("metric", list(METRICS))
def test_every_metric_is_drawn(metric: str) -> None:
    view = metric_view(small_state(policies=("platform", "no-quality-filter")).market, metric)
    figure = metric_picture(view, "light")
    lines = {trace["name"]: trace for trace in figure["data"] if trace.get("name")}
    np.testing.assert_array_equal(np.array(lines["platform"]["y"], dtype=float), view.lines[0].median)
    assert ("bound, for the platform" in lines) == (METRICS[metric].guarantee is not None)


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


def test_a_logarithmic_axis_gets_no_number_that_it_cannot_show() -> None:
    for metric in METRICS:
        view = metric_view(small_state().market, metric)
        for trace in metric_picture(view, "light", log=True)["data"]:
            assert all(value is None or value > 0 for value in trace["y"]), metric
