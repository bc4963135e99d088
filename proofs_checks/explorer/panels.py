"""What the views of the page are filled with: data as tables, figures and sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from dash import dcc, html
from dash.development.base_component import Component

from bounds.errors import printable
from bounds.glossary import title_of, unit_of
from bounds.guarantees import GUARANTEES
from bounds.report import BoundsReport, evaluate_bounds
from bounds.words import brief, counted, ratio_text
from mechanism.metrics.curves import Curves
from proofs_checks.explorer.auction_view import StandingRow, StepView, WhatIf
from proofs_checks.explorer.claims_view import ClaimOnRun
from proofs_checks.explorer.controls import PageState, SimulatedMarket
from proofs_checks.explorer.export import command, file_name, setting_text
from proofs_checks.explorer.market_view import is_promised, realised
from proofs_checks.explorer.metrics import is_moving
from proofs_checks.explorer.page import GRAPH, card, titled
from proofs_checks.explorer.pictures import BAND, earnings_picture, gain_picture, step_picture
from proofs_checks.explorer.provider_view import ProviderView
from proofs_checks.explorer.set_text import set_text
from proofs_checks.explorer.words import (
    NOT_PROMISED,
    STEP_TITLES,
    WHY_NOT_PROMISED,
    beside,
    bids_decide,
    bound_and_trivial,
    earnings_sentences,
    leader,
    number,
    step_sentences,
    together,
    what_if_sentences,
)
from proofs_checks.verdict import COULD_NOT_FAIL, Verdict
from proofs_checks.verify.claim_verdicts import in_words


def tiles(summary: Mapping[str, tuple[float | None, ...]], market: SimulatedMarket) -> list[Component]:
    """Return the summary's numbers, each with its name, its band and unit, and the queries that it is about."""
    found = []
    for name, (low, median, high) in summary.items():
        unit, band = unit_of(name), "not defined here"
        if low is not None:
            band = f"{number(low, unit)} to {number(high, unit)} {unit.removeprefix('share ')}"
        last = f"the last {counted(market.window, 'query')}"
        over = f"over {last if is_moving(name) else f'all {market.horizon:,} queries'}"
        parts = {"title": title_of(name), "value": number(median, unit), "unit": band}
        lines = [html.Div(text, className=f"tile-{part}") for part, text in parts.items()]
        found.append(html.Div([*lines, html.Div(over, className="tile-unit")], className="tile"))
    return found


def guarantees_page(played: Mapping[str, Curves] | None, shown: SimulatedMarket, asked: SimulatedMarket) -> Component:
    """Return the guarantees at the horizon, beside what happened in the runs that have been played of all."""
    report, (happened, why_not) = evaluate_bounds(shown.prepared, shown.horizon), realised(shown, played)
    part = "" if shown.runs == asked.runs else f" ({shown.runs} of {asked.runs} runs)"
    caption = f"Guarantees for runs of {asked.horizon:,} queries under the platform{part}"
    heads = ("Quantity", "median of runs", "largest run", "at most", "trivial value", "informative")
    rows = [
        _guarantee(report, name, is_promised(name, shown), *happened.get(name, (None, None)), why_not)
        for name in report.guarantees
    ]
    said = (together(report), leader(report, covered=asked.covered))
    return card(table(heads, rows, caption), *(html.P(set_text(text), className="meaning") for text in said))


def _guarantee(
    report: BoundsReport, name: str, promised: bool, median: float | None, largest: float | None, why_not: str
) -> Component:
    """Return the row of a guarantee; `why_not` says why nothing is compared with it, if nothing is."""
    bound, says, why = report.guarantees[name], NOT_PROMISED, WHY_NOT_PROMISED
    if promised:
        says, why = report.informative_since(name), bound.reason or bound.worth.why_never or ""
        if bound.applies and bound.backing.not_proved_because is not None:
            why = f"not proved here: {bound.backing.not_proved_because}"
    most, trivial = bound_and_trivial(bound.value if bound.applies and promised else None, bound.worth.trivial)
    return html.Tr(
        [
            html.Th(
                [title_of(name), html.Div(f"{GUARANTEES[name].theorem}; {unit_of(name)}", className="quiet")],
                scope="row",
            ),
            html.Td(_measured(median), className="number"),
            html.Td([_measured(largest), html.Div(why_not, className="quiet")], className="number"),
            html.Td(most, className="number"),
            html.Td(trivial, className="number"),
            html.Td([html.Strong(says), html.Div(set_text(why), className="quiet")]),
        ]
    )


def _measured(value: float | None) -> str:
    """Return a number with as many digits as a bound has: what is at most that never looks larger."""
    return number(value) if value is None else brief(value)


def table(heads: Sequence[str], rows: Sequence[Component], caption: str) -> Component:
    """Return a table that scrolls sideways where it is too wide; the page's script shows the hint there."""
    body = html.Table(
        [
            html.Caption(caption),
            html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])),
            html.Tbody(list(rows)),
        ]
    )
    return html.Div(
        [
            html.P("More columns: scroll this table sideways →", className="hint"),
            html.Div(body, className="scroll", tabIndex=0, role="region", **{"aria-label": caption}),
        ],
        className="sideways",
    )


def step_page(view: StepView, theme: str) -> list[Component]:
    """Return one step explained: in words, as a picture of the bids, as a table, and what another bid would change."""
    before = f"step {view.step:,} of run {view.run}"
    picture = None
    if any(row.bid is not None for row in view.rows):
        height = {"height": f"{110 + 30 * len(view.rows)}px"}
        graph = dcc.Graph(figure=step_picture(view, theme), config=GRAPH, style=height)
        picture = titled(graph, html.Figcaption(bids_decide(view.kind)), name="step", title=f"The bids before {before}")
    other = None
    if view.what_if is not None:
        other = _what_if(view.what_if, theme)
    elif view.kind == "auction":
        other = card(html.P("The provider asked about is not eligible here: no bid of its would win."))
    said = [html.P(sentence) for sentence in step_sentences(view)]
    rows = [_standing(row, view) for row in view.rows]
    parts = [
        card(html.H3(f"Step {view.step:,}: {STEP_TITLES[view.kind]}"), *said, picture),
        other,
        card(table(STANDING_HEADS, rows, f"What the platform knew before {before}")),
    ]
    return [part for part in parts if part is not None]


STANDING_HEADS = (
    "provider",
    "queries served m",
    "mean score q̂",
    "radius β(m)",
    "q̂ + β",
    "eligible",
    "standing bid",
    "cost radius",
    "adjusted bid",
    "critical payment P",
)


def _standing(row: StandingRow, view: StepView) -> Component:
    reach = None if row.quality_estimate is None or row.radius is None else row.quality_estimate + row.radius
    critical = "no rival" if row.critical == math.inf else number(row.critical)
    cells = (f"{row.count:,}", number(row.quality_estimate), number(row.radius), beside(reach, view.threshold))
    verdict = "–" if view.kind == "initialization" else "yes" if row.eligible else "no"
    verdict += ", explored" if row.under_sampled else ""
    money = (number(row.bid), number(row.cost_radius), number(row.adjusted_bid), critical)
    return html.Tr(
        [
            html.Th([printable(row.name, 60), " ◀ served" if row.served else ""], scope="row"),
            *(html.Td(cell, className="number") for cell in cells),
            html.Td(verdict),
            *(html.Td(cell, className="number") for cell in money),
        ],
        className="served" if row.served else "",
    )


def _what_if(what_if: WhatIf, theme: str) -> Component:
    name = printable(what_if.name, 60)
    return card(
        html.H3(f"Other bids of {name} at this step" if what_if.own else f"If {name} had bid {number(what_if.bid)}"),
        *(html.P(sentence) for sentence in what_if_sentences(what_if)),
        titled(
            dcc.Graph(figure=gain_picture(what_if, theme), config=GRAPH, style={"height": "17rem"}),
            html.Figcaption("Payment less mean cost if it serves, else 0: at this step, all other bids as they were."),
            name="gain",
            title=f"What {name} gains at this step, by its bid",
        ),
    )


def provider_page(view: ProviderView, market_runs: int, theme: str) -> list[Component]:
    """Return what a provider would have earned over whole runs, some of the market's, by bidding otherwise."""
    name = printable(view.name, 60)
    kept = "The market, the others' strategies and all draws are as they were; earnings are payments less real costs."
    said = [html.P(sentence) for sentence in earnings_sentences(view, market_runs)]
    picture = titled(
        dcc.Graph(figure=earnings_picture(view, theme), config=GRAPH, style={"height": "21rem"}),
        html.Figcaption(
            "One run, without a band." if view.runs == 1 else f"Median of {view.runs} runs; the band goes {BAND}."
        ),
        name="earnings",
        title=f"What {name} earns over a run if it adds an amount to its mean cost so far",
    )
    return [card(html.H3(name), *said, html.P(kept, className="meaning")), card(picture)]


def claims_page(rows: Sequence[ClaimOnRun], run: int) -> list[Component]:
    """Return the claims on a run."""
    counts = ", ".join(f"{_called(each)} {n}" for each, n in Counter(row.found.verdict for row in rows).items())
    heads = ("claim", "its verdict", "here: on this run", "comparisons", "ratio", "statement")
    return [
        card(
            html.P(
                f"Run {run} under the platform, step by step. “Its verdict” is about all parameters, “here” about this "
                "run alone, which proves no claim. A ratio is the largest share of a bound that was used. Claims that "
                "need no run are not in this list: costproof verify has them."
            ),
            table(heads, list(map(_claim, sorted(rows, key=_place))), f"{len(rows)} claims on this run: {counts}"),
        )
    ]


def _place(row: ClaimOnRun) -> int:
    """Order claims: what is refuted first, what does not apply last."""
    return {Verdict.REFUTED: 0, Verdict.ASSUMPTION_VIOLATED: 2}.get(row.found.verdict, 1)


def _called(verdict: Verdict) -> str:
    """Return how the page calls a verdict: what reads as a fault of the market is none."""
    return "does not apply here" if verdict is Verdict.ASSUMPTION_VIOLATED else verdict.value


def _claim(row: ClaimOnRun) -> Component:
    claim, verdict = row.claim, row.found.verdict
    notes = ["known: see its verdict" if verdict is Verdict.REFUTED and claim.finding else row.found.reason, row.note]
    notes += [f"* {COULD_NOT_FAIL} Here {row.idle}."] if row.idle else []
    finding = f"{claim.finding} What holds instead: {claim.repaired_by}." if claim.repaired_by else claim.finding
    # How the wording is known to be wrong, to be opened.
    known = html.Details([html.Summary("Finding"), html.Div(set_text(finding), className="meaning")])
    return html.Tr(
        [
            html.Th([html.Div(set_text(claim.number or claim.name)), html.Code(claim.label)], scope="row"),
            html.Td(
                [
                    _verdict(row.own, row.own.value),
                    html.Div(in_words(claim, row.own), className="meaning"),
                    known if claim.finding else None,
                ]
            ),
            html.Td(
                [
                    _verdict(verdict, _called(verdict)),
                    *(html.Div(set_text(note), className="meaning") for note in notes if note),
                ]
            ),
            html.Td(f"{row.found.tightness.checked:,}", className="number"),
            html.Td(_ratio(row), className="number"),
            html.Td(set_text(claim.statement)),
        ]
    )


def _verdict(verdict: Verdict, called: str) -> Component:
    return html.Span(called, className=f"verdict {verdict.value.lower()}")


def _ratio(row: ClaimOnRun) -> str:
    if row.ratio is None:
        return "violated" if row.found.tightness.violations else "–"
    return f"{ratio_text(row.ratio)}{'*' if row.idle else ''}"


def export_page(state: PageState) -> list[Component]:
    """Return what repeats the view: the command, the setting as TOML, and the link."""
    market = state.market
    name, text = file_name(market), setting_text(market)
    curves = f"Save the setting below as {name} first. The curves are written to curves.csv."
    link = "To open the same view, start an explorer and add this text to its address."
    return [
        card(
            html.H3("The command that repeats these runs"),
            html.P(curves, className="meaning"),
            _copied("command", command(market)),
        ),
        card(
            html.H3(f"The setting, {name}"),
            html.A("Save the file", href=f"data:application/toml,{quote(text)}", download=name, className="choice"),
            _copied("toml", text),
        ),
        card(
            html.H3("This view as a link"), html.P(link, className="meaning"), _copied("link", f"?{state.to_query()}")
        ),
    ]


def _copied(name: str, text: str) -> Component:
    shown = html.Pre(text, id=f"{name}-text", tabIndex=0, role="region", **{"aria-label": name})
    button = html.Button("Copy", type="button", className="choice", **{"data-copy": f"{name}-text"})
    return html.Div([shown, button], className="copied")
