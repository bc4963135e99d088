"""What a newcomer asked the page: why a claim could not fail, how queries are drawn, why a market collapses."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.explorer.claims_view import claim_rows
from proofs_checks.explorer.comparison_pictures import landscape_picture, round_ticks
from proofs_checks.explorer.controls import Market, PageState
from proofs_checks.explorer.market_view import ProviderRow, promises, provider_rows
from proofs_checks.explorer.names_beside import Area, name_box, overlap, sides_of
from proofs_checks.explorer.roster_view import roster_view
from proofs_checks.explorer.words import why_collapsed
from tests.proofs_checks.explorer.states import small_state

STRONG = published("gpqa-strong").setting


def test_a_claim_whose_bound_says_nothing_is_marked_as_the_market_says_it() -> None:
    """Theorem 3 at 70,000 queries: the bound is above T - N there, and below it in a long run of a small market."""
    market = Market(setting=STRONG, horizon=1_000, runs=1)
    rows = {row.label: row for row in claim_rows(market, 0)}
    idle = {label for label, row in rows.items() if row.idle}
    bound = next(row.bound for row in promises(market).rows if row.theorem == "Theorem 3")
    assert not bound.worth.informative
    assert "claim:B_id-tightened" in idle
    assert "is above the trivial" in rows["claim:B_id-tightened"].idle
    assert all(rows[label].verdict.value == "NOT_REFUTED" for label in idle)
    # Payments between two costs could fail at each auction.
    assert "lem:payment-range" not in idle


def test_a_collapse_is_explained_by_the_gap_and_the_queries_that_it_needs() -> None:
    """At the next midpoint Llama-3.1-8B misses the threshold by 0.00738: its radius must fall below half of that."""
    platform = replace(STRONG.platform, quality_threshold=0.189751)
    market = Market(setting=replace(STRONG, platform=platform), horizon=3_000, runs=3)
    known = roster_view(market).rows[2]
    assert known.name == "Llama-3.1-8B"
    said = why_collapsed(market, rows := provider_rows(market))
    assert any(row.median > 1_500 and not row.qualified for row in rows) == bool(said)
    forced = [replace(row, median=2_800.0 if i == 2 else 60.0) for i, row in enumerate(rows)]
    said = why_collapsed(market, forced)
    assert "misses the threshold by 0.0074." in said
    assert f"needs about {known.resolved_at:,} scores" in said
    assert why_collapsed(replace(market, policies=("no-quality-filter",)), forced) == ""
    qualified: list[ProviderRow] = [replace(row, qualified=True) for row in forced]
    assert why_collapsed(market, qualified) == ""


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_names_cover_no_dot_no_name_and_end_inside(name: str) -> None:
    view = roster_view(PageState.of(published(name).setting).market)
    dots = [(row.cost, row.quality) for row in view.rows] + [(each.mean_cost, each.quality) for each in view.others]
    area = Area.around(dots, view.threshold)
    frontier = [(row.name, row.cost, row.quality) for row in view.rows if row.on_frontier]
    sides = sides_of(frontier, dots, area)
    assert len(sides) >= len(frontier) / 2
    boxes = [name_box(who, area.pixels(*at), sides[at[0], at[1]]) for who, *at in frontier if (at[0], at[1]) in sides]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    for x, y in (area.pixels(*dot) for dot in dots):
        assert not any(overlap(box, (x - 5, y - 5, x + 5, y + 5)) for box in boxes)


def test_the_axis_of_costs_has_whole_numbers_and_says_that_it_is_logarithmic() -> None:
    axis = landscape_picture(roster_view(small_state().market), "light")["layout"]["xaxis"]
    assert axis["ticktext"] == ["20", "50", "100", "200"]
    assert "(log scale)" in axis["title"]["text"]
    assert len(round_ticks(0.001, 5e6)) >= 6
    assert round_ticks(1, 1) == [1.0]
