"""Providers, policies and thresholds beside each other, as parts of the page."""

from __future__ import annotations

from collections.abc import Sequence

from dash import dcc, html
from dash.development.base_component import Component

from bounds.errors import printable
from proofs_checks.explorer.comparison_pictures import (
    SWEPT,
    accuracy_picture,
    landscape_picture,
    radii_picture,
    sweep_picture,
    where_picture,
)
from proofs_checks.explorer.comparison_words import banded, collapse_meaning, resolved, roster_sentences
from proofs_checks.explorer.controls import PageState
from proofs_checks.explorer.page import GRAPH, select, titled
from proofs_checks.explorer.panels import table
from proofs_checks.explorer.pictures import BAND, SIGNS, Figure
from proofs_checks.explorer.policies_view import Band, PolicyRow
from proofs_checks.explorer.roster_view import RosterRow, RosterView
from proofs_checks.explorer.sweep_view import SweepPoint
from proofs_checks.explorer.words import NOT_PROMISED, bidders_in_words, number
from proofs_checks.plurals import counted


def picture(figure: Figure, name: str, title: str, caption: str, height: str = "22rem") -> Component:
    """Return a picture with its title and what it shows; its own height where it has one."""
    own = figure["layout"].get("height")
    style = {"height": f"{own}px" if own else height}
    return titled(dcc.Graph(figure=figure, config=GRAPH, style=style), html.Figcaption(caption), name=name, title=title)


def roster_page(view: RosterView, name: str, theme: str) -> list[Component]:
    """Return who is qualified, the providers in the plane of cost and quality, and when gaps are resolved."""
    shown = printable(name, 60)
    return [
        html.Div(
            [
                html.H3("Who is qualified"),
                *(html.P(sentence) for sentence in roster_sentences(view)),
                picture(
                    landscape_picture(view, theme),
                    "landscape",
                    f"Providers by cost and quality: {shown}",
                    "Dashed: the frontier; no provider of this market is both cheaper and better than one on it. "
                    "Names stand where there is room for them; the table below has all. Empty circles: providers of "
                    "the same benchmark that are not in this market.",
                    "28rem",
                ),
            ],
            className="card",
        ),
        html.Div(
            [
                table(_ROSTER_HEADS, [_roster_row(i, row, view) for i, row in enumerate(view.rows)], "All providers"),
                _join(view),
                html.P("“Add a provider”, below the controls, adds one with numbers of your own.", className="meaning"),
            ],
            className="card",
        ),
        html.Div(
            [
                html.H3("How fast a gap is resolved"),
                picture(
                    radii_picture(view, theme),
                    "radii",
                    f"Confidence radius by queries served: {shown}",
                    "On the good event, a provider below the threshold is out, or a dearer one wins no more auctions, "
                    "once the radius is less than half its gap: at the mark. A cost gap counts in units of "
                    "(1 + γ) c_max. Marks to the right of the dotted line need more queries than a run has."
                    + ("" if view.covered else f" When a cost gap is resolved is {NOT_PROMISED}."),
                ),
            ],
            className="card",
        ),
    ]


_ROSTER_HEADS = ("provider", "quality", "mean cost", "gap", "resolved after m =", "frontier", "")


def _roster_row(index: int, row: RosterRow, view: RosterView) -> Component:
    gap = "–" if row.gap is None else f"{'ε' if row.gap_kind == 'quality' else 'Δ'} = {number(row.gap)}"
    name, open_gap = printable(row.name, 60), row.gap_kind == "cost" and not view.covered
    return html.Tr(
        [
            html.Th([f"{name} {SIGNS[row.standing]}", html.Div(row.standing, className="quiet")], scope="row"),
            *(html.Td(cell, className="number") for cell in (number(row.quality), number(row.cost), gap)),
            html.Td(NOT_PROMISED if open_gap else resolved(row.resolved_at, view.horizon), className="number"),
            html.Td("yes" if row.on_frontier else "no"),
            html.Td(
                html.Button(
                    ["Remove", html.Span(f" {name} from the market", className="unseen")],
                    type="button",
                    className="choice",
                    **{"data-remove": str(index)},
                )
            ),
        ]
    )


def _join(view: RosterView) -> Component | None:
    """Return the choice of a provider of the same benchmark; nothing where all are in the market."""
    if not view.others:
        return None
    options = {"": "choose one"} | {
        each.name: f"{each.name} (quality {number(each.quality)}, cost {number(each.mean_cost)})"
        for each in view.others
    }
    return html.Div(
        [html.Label("Add from the benchmark", htmlFor="join"), select("join", options, "")], className="row narrow"
    )


def policies_page(rows: Sequence[PolicyRow], view: RosterView, state: PageState, theme: str) -> list[Component]:
    """Return the policies beside each other: as points, as shares of the providers, and as a table."""
    name = printable(state.market.shown_name, 60)
    caption = f"What the runs ended with: the median, and below it the band {BAND}"
    return [
        html.Div(
            [
                html.P("Choose the policies with the control “Policies”; each is shown here.", className="meaning"),
                html.Div(
                    [
                        picture(
                            accuracy_picture(rows, view.threshold, theme),
                            "accuracy-cost",
                            f"Accuracy against cost: {name}",
                            f"A mark is the median of the runs, its lines go {BAND}. Up and to the left is better.",
                        ),
                        picture(
                            where_picture(rows, view.rows, theme),
                            "where",
                            f"Where the queries went: {name}",
                            "The best provider stands first, from the left. ★ is the optimal one, ✗ is below the "
                            "threshold.",
                        ),
                    ],
                    className="pair",
                ),
            ],
            className="card",
        ),
        html.Div(
            [
                table(
                    (*_POLICY_HEADS, f"critical payment below the bid, in run {state.focus.run}"),
                    [_policy_row(row) for row in rows],
                    caption,
                ),
                html.P(collapse_meaning(), className="meaning"),
                html.P(
                    "“Paid by auction”: providers are paid what the auction says. “Paid query prices”: there is no "
                    "auction, and the user pays the cost and a margin on it.",
                    className="meaning",
                ),
                html.P(
                    "The last column alone is about one run, which “Run” above chooses; all else is about all runs. "
                    "It counts how often the critical payment of who served was below its standing bid, of all "
                    "steps after initialization at which an eligible provider with a rival served. In an auction of "
                    "the paper it never is; a policy that selects otherwise could not pay so. Steps that the "
                    "platform explores do not count. Of a long run, the first steps are looked at.",
                    className="meaning",
                ),
            ],
            className="card",
        ),
    ]


_POLICY_HEADS = ("policy", "accuracy", "generation cost", "share of i*", "collapsed runs", "paid", "excess payment")


def _policy_row(row: PolicyRow) -> Component:
    found = row.outcomes
    cells = (
        banded(Band.of(found.accuracy)),
        banded(Band.of(found.cost)),
        banded(Band.of(found.share_of_optimal), "share"),
        (f"{found.collapsed.mean():.0%}", ""),
        banded(Band.of(found.paid)),
        banded(Band.of(found.excess)),
        (f"{row.below:,} of {row.judged:,} steps" if row.judged else "–", ""),
    )
    runs = len(row.outcomes.accuracy)
    paid = f"{'paid by auction' if row.auctions else 'paid query prices'}, {counted(runs, 'run')}"
    return html.Tr(
        [
            html.Th([html.Code(row.policy), html.Div(paid, className="quiet")], scope="row"),
            *(html.Td([cell, html.Div(band, className="quiet")], className="number") for cell, band in cells),
        ]
    )


def sweep_results(points: Sequence[SweepPoint], state: PageState, theme: str) -> list[Component]:
    """Return what the policies end with at each threshold that has been simulated."""
    market = state.market
    heads = ("threshold q_min", "qualified", "policy", *(title for title, _ in SWEPT.values()))
    body = [row for point in points for row in _point_rows(point)]
    name = printable(market.shown_name, 60)
    return [
        html.Div(
            [
                html.P(
                    f"Market: {name}, {market.horizon:,} queries, {bidders_in_words(market.bidders)}, "
                    f"seed {market.seed}. A line goes through the means of the runs; each dot is a run.",
                    className="meaning",
                ),
                html.Div(
                    [
                        picture(
                            sweep_picture(points, measure, theme),
                            f"sweep-{measure.replace('_', '-')}",
                            f"{title} by threshold: {name}",
                            collapse_meaning() if measure == "collapsed" else f"Unit: {unit}.",
                            "18rem",
                        )
                        for measure, (title, unit) in SWEPT.items()
                    ],
                    className="pair",
                ),
            ],
            className="card",
        ),
        html.Div(table(heads, body, "Means over the runs at each threshold"), className="card"),
    ]


def _point_rows(point: SweepPoint) -> list[Component]:
    rows = []
    for policy, found in point.outcomes.items():
        means = [float(getattr(found, measure).mean()) for measure in SWEPT]
        cells = [
            number(None if mean != mean else mean, unit) for mean, (_, unit) in zip(means, SWEPT.values(), strict=True)
        ]
        rows.append(
            html.Tr(
                [
                    html.Th(f"{point.threshold:.6g}", scope="row"),
                    html.Td(str(point.qualified), className="number"),
                    html.Td(html.Code(policy)),
                    *(html.Td(cell, className="number") for cell in cells),
                ]
            )
        )
    return rows
