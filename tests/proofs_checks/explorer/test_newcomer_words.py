"""What a newcomer asked the page: why a claim could not fail, how queries are drawn, why a market collapses."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.explorer.claims_view import GoodEvents, claim_rows, in_passes
from proofs_checks.explorer.comparison_pictures import landscape_picture, round_ticks
from proofs_checks.explorer.controls import Market, PageState
from proofs_checks.explorer.glossary import TERMS
from proofs_checks.explorer.knobs import platform_knobs
from proofs_checks.explorer.market_view import ProviderRow, promises, provider_rows
from proofs_checks.explorer.names_beside import Area, name_box, overlap, sides_of
from proofs_checks.explorer.page import GRAPH
from proofs_checks.explorer.panels import claims_page, guarantees
from proofs_checks.explorer.provider_view import provider_view
from proofs_checks.explorer.roster_view import roster_view
from proofs_checks.explorer.words import draws, earnings_sentences, why_collapsed
from proofs_checks.verdict import COULD_NOT_FAIL, MEANING, NOT_MEANT
from tests.proofs_checks.explorer.states import small_state

STRONG = published("gpqa-strong").setting


def test_the_toolbar_is_a_list_of_what_is_allowed() -> None:
    buttons = [button for group in GRAPH["modeBarButtons"] for button in group]  # type: ignore[attr-defined]
    assert "sendChartToCloud" not in buttons
    assert GRAPH["plotlyServerURL"] == ""
    assert not GRAPH["showSendToCloud"]


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
    shown = str(
        claims_page(
            list(rows.values()), 0, "all", events=GoodEvents(held=1, looked_at=1, runs=1, confidence=0.05), passes=True
        )
    )
    assert shown.count(COULD_NOT_FAIL) == len(idle)


def test_a_removed_provider_changes_how_queries_are_drawn_and_the_page_says_so() -> None:
    whole = Market(setting=STRONG, horizon=70_000)
    fewer = replace(whole, setting=replace(STRONG, providers=STRONG.providers[1:]))
    assert in_passes(whole)
    assert "without replacement" in draws(whole)
    assert "independent" not in draws(whole)
    assert not in_passes(fewer)
    assert "every query is an independent draw" in draws(fewer)
    assert "the last 1,400 queries" in draws(fewer)


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


def test_one_run_has_no_band() -> None:
    view = provider_view(small_state(horizon=300, runs=1).market, 2)
    assert "(in the only run: one run, no band)" in earnings_sentences(view)[0]
    assert "(in the first run alone: one run, no band)" in earnings_sentences(replace(view, market_runs=100))[0]


def test_more_runs_of_a_market_are_not_simulated_again_for_a_provider() -> None:
    long = small_state(horizon=100_000, runs=6).market
    few, many = provider_view(long, 2), provider_view(replace(long, runs=60), 2)
    assert (few.market_runs, many.market_runs) == (6, 60)
    assert few.runs == many.runs
    assert few.actual is many.actual


def test_gamma_has_one_name() -> None:
    label = next(knob.label for knob in platform_knobs(STRONG) if knob.key == "belief_slack")
    assert label.startswith("belief slack")
    assert "Belief slack γ" in TERMS


def test_the_glossary_has_the_verdicts_in_the_words_of_the_reports() -> None:
    for verdict, meaning in MEANING.items():
        assert meaning in TERMS[verdict.value]
        assert sum(f"{short} {told}" in TERMS[verdict.value] for _, short, told in NOT_MEANT) == 1


def test_why_a_generation_regret_is_the_same_in_every_run() -> None:
    found = promises(Market(setting=STRONG, horizon=20_000, runs=4))
    row = next(row for row in found.rows if row.name == "generation_regret")
    assert row.same == row.same_dearer
    assert not row.same_selections
    assert ("each of them served equally often" in str(guarantees(found, 20_000))) == row.same


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
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
