"""Curves that a reader holds: they are those of the market that was held, and what differs is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
from proofs_checks.explorer import server
from proofs_checks.explorer.held import differences
from proofs_checks.explorer.market_view import metric_view
from tests.proofs_checks.explorer.states import small_state

pytestmark = pytest.mark.long("needs dash")


def drawn(held: Any, **more: Any) -> tuple[dict[str, Any], str]:
    """Return the picture and its caption for a market of 900 queries, with something held."""
    shown = server.draw_market({**small_state(horizon=900).to_data(), "serial": 1, "held": held, **more})
    return shown[0], str(shown[5])


@pytest.mark.parametrize("log", [False, True])
def test_what_is_held_is_drawn_beside_what_is_there(log: bool) -> None:
    held = small_state(horizon=1500, policies=("platform", "uniform-random"))
    figure, caption = drawn(held.to_data(), log=log)
    lines = {trace["name"]: trace for trace in figure["data"] if trace.get("name")}
    expected = metric_view(held.market, "quality_regret")
    line = lines["held: uniform-random"]
    shown = [median if not log or median > 0 else None for median in expected.lines[1].median.tolist()]
    assert (line["x"], line["y"]) == (expected.steps.tolist(), shown)
    assert line["line"]["dash"] == "longdash" != lines["platform"]["line"]["dash"]
    assert {"held: platform", "platform"} <= lines.keys()
    assert "Queries T = 1,500 (now 900); Policies = platform, uniform-random (now platform)." in caption
    assert log or figure["layout"]["yaxis"]["range"][1] >= max(line["y"])


@pytest.mark.parametrize("held", [None, 3, {}, {"setting": 1}, {**small_state().to_data(), "market": {"runs": -1}}])
def test_what_cannot_be_held_is_not_drawn(held: Any) -> None:
    figure, caption = drawn(held)
    assert not any(str(trace.get("name")).startswith("held") for trace in figure["data"])
    assert "eld" not in caption


def test_gamma_is_the_one_that_the_bidders_get() -> None:
    """Bayesian bidders with and without the gamma that they need: the two differ in gamma alone."""
    widened = small_state(bidders="bayesian").market
    [found] = differences(widened, replace(widened, keep_gamma=True))
    assert found.startswith("Belief slack, in confidence radii γ = ")
    assert found.endswith("(now 0)")
