"""What the views of the page are filled with: data as tables, figures and sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from dash import dcc, html
from dash.development.base_component import Component

from bounds.errors import printable
from bounds.report import Bound
from bounds.worth.words import brief
from proofs_checks.explorer.auction_view import StandingRow, StepView, WhatIf
from proofs_checks.explorer.claims_view import ClaimRow, GoodEvents
from proofs_checks.explorer.controls import Market, PageState
from proofs_checks.explorer.export import command, file_name, setting_text
from proofs_checks.explorer.guarantees_view import (
    RUNS as RUNS_OF_GUARANTEES,
    GuaranteePicture,
    guarantee_pictures,
    simulated_queries,
)
from proofs_checks.explorer.market_view import Figure, GuaranteeRow, Promises
from proofs_checks.explorer.page import GRAPH, select, titled
from proofs_checks.explorer.pictures import earnings_picture, gain_picture, step_picture
from proofs_checks.explorer.provider_view import ProviderView
from proofs_checks.explorer.set_text import set_text
from proofs_checks.explorer.words import (
    NOT_PROMISED,
    STEP_TITLES,
    WHY_NOT_PROMISED,
    beside,
    bids_decide,
    bound_and_trivial,
    earnings_caption,
    earnings_sentences,
    good_event_count,
    leader,
    not_compared,
    number,
    step_sentences,
    together,
    what_if_sentences,
    what_if_title,
)
from proofs_checks.ratios import ratio_text
from proofs_checks.verdict import COULD_NOT_FAIL, Verdict


def tiles(figures: Sequence[Figure], policy: str) -> list[Component]:
    """Return the summary's numbers, each with its name, policy, unit and band."""
    return [
        html.Div(
            [
                html.Div([each.title, html.Span(f" under {policy}", className="policy")], className="tile-title"),
                html.Div(number(each.median, each.unit), className="tile-value"),
                html.Div(_band(each), className="tile-unit"),
                html.Div(each.period, className="tile-unit"),
            ],
            className="tile",
        )
        for each in figures
    ]


def _band(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "not defined: no single optimal provider" if figure.optimal else "not defined here"
    unit = figure.unit.removeprefix("share ")
    return f"{number(figure.low, figure.unit)} to {number(figure.high, figure.unit)} {unit}"


def _worth_in_words(promised: Bound) -> tuple[str, str]:
    """Return whether a bound is informative, and since or from when on, or why never."""
    worth = promised.worth
    start = f"from T = {worth.informative_from:,} on" if worth.informative_from else ""
    if promised.value is not None and not promised.applies and promised.reason:
        return "does not apply", f": {promised.reason}" + (f"; it is informative {start}" if start else "")
    if worth.informative:
        return "informative", f" {start}"
    if start:
        return "not informative yet", f"; it is {start}"
    if promised.value is None and promised.reason:
        return "has no value here", f": {promised.reason.replace('quality_threshold', 'q_min')}"
    return "not informative", f": {worth.why_never}"


def _agreement(row: GuaranteeRow) -> str:
    """Return that all runs agree, and why where their selections tell; empty where they do not agree."""
    if not row.same:
        return ""
    if row.same_selections:
        return "the same in every run, as every provider's queries are"
    if row.same_dearer and row.name == "generation_regret":
        return (
            "the same in every run: providers dearer than the optimal one alone add to it, and each of them served "
            "equally often in every run"
        )
    return "the same in every run"


def guarantees(found: Promises, horizon: int, part: str = "", *, measured: bool = True) -> Component:
    """Return the guarantees at the horizon, beside what happened if that was `measured`.

    `part` says of how many runs, if not of all.
    """
    heads = ("Quantity", *(("median of runs", "largest run") if measured else ()), *_OF_BOUNDS)
    rows = [_guarantee(row, measured=measured) for row in found.rows]
    return html.Div(
        [
            table(heads, rows, f"Guarantees for runs of {horizon:,} queries under the platform{part}"),
            html.P(set_text(together(found)), className="meaning"),
            html.P(set_text(leader(found)), className="meaning"),
        ]
    )


_OF_BOUNDS = ("bound", "trivial value", "what the bound says")


def _guarantee(row: GuaranteeRow, *, measured: bool) -> Component:
    says, why = _worth_in_words(row.bound) if row.promised else (NOT_PROMISED, f": {WHY_NOT_PROMISED}")
    if row.promised and row.bound.applies and row.bound.backing.not_proved_because is not None:
        why = f"{why}. Not proved here: {row.bound.backing.not_proved_because}"
    seen = [
        html.Td(_measured(row.median), className="number"),
        html.Td([_measured(row.high), html.Div(row.why_not or _agreement(row), className="quiet")], className="number"),
    ]
    most, trivial = bound_and_trivial(
        row.bound.value if row.bound.applies and row.promised else None, row.bound.worth.trivial
    )
    return html.Tr(
        [
            html.Th([row.title, html.Div(f"{row.theorem}; {row.unit}", className="quiet")], scope="row"),
            *(seen if measured else ()),
            html.Td(most, className="number"),
            html.Td(trivial, className="number"),
            html.Td([html.Strong(says), html.Span(set_text(why), className="quiet")]),
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
    caption = f"What the platform knew before step {view.step:,} of run {view.run}"
    parts = [
        html.Div(
            [
                html.H3(f"Step {view.step:,}: {STEP_TITLES[view.kind]}"),
                *(html.P(sentence) for sentence in step_sentences(view)),
                titled(
                    dcc.Graph(
                        figure=step_picture(view, theme),
                        config=GRAPH,
                        style={"height": f"{110 + 30 * len(view.rows)}px"},
                    ),
                    html.Figcaption(
                        "From each standing bid (circle) the cost radius leads down to the adjusted bid (diamond)"
                        + bids_decide(view.kind)
                    ),
                    name="step",
                    title=f"The bids before step {view.step:,} of run {view.run}",
                )
                if any(row.bid is not None for row in view.rows)
                else None,
            ],
            className="card",
        ),
        html.Div(table(STANDING_HEADS, [_standing(row, view) for row in view.rows], caption), className="card"),
    ]
    if view.what_if is not None:
        parts.insert(1, _what_if(view.what_if, theme))
    elif view.kind == "auction":
        parts.insert(
            1,
            html.Div(
                html.P("The provider asked about is not eligible here: no bid of its would win."), className="card"
            ),
        )
    return parts


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
    return html.Div(
        [
            html.H3(what_if_title(what_if)),
            *(html.P(sentence) for sentence in what_if_sentences(what_if)),
            titled(
                dcc.Graph(figure=gain_picture(what_if, theme), config=GRAPH, style={"height": "17rem"}),
                html.Figcaption(
                    "Gain: payment less mean cost if it serves, else 0; all other bids as they were. This is the "
                    "gain at this step alone. The view “A provider” shows what a lasting change of bids does."
                ),
                name="gain",
                title=f"What {printable(what_if.name, 60)} gains at this step, by its bid",
            ),
        ],
        className="card",
    )


def provider_page(view: ProviderView, theme: str) -> list[Component]:
    """Return what a provider would have earned over whole runs by bidding otherwise."""
    name = printable(view.name, 60)
    pictures = [
        html.Div(
            [
                html.H3(title),
                titled(
                    dcc.Graph(figure=earnings_picture(view, kind, theme), config=GRAPH, style={"height": "19rem"}),
                    html.Figcaption(earnings_caption(view)),
                    name=kind,
                    title=f"What {name} earns over a run, by {what}",
                ),
            ],
            className="card",
        )
        for kind, title, what in (
            ("fixed", "If it always bid the same amount", "its constant bid"),
            ("shifted", "If it added an amount to its mean cost so far", "the amount that it adds"),
        )
    ]
    return [
        html.Div(
            [
                html.H3(name),
                *(html.P(sentence) for sentence in earnings_sentences(view)),
                html.P(
                    "Everything else is as it was: the market, how the others bid, and all random draws. Earnings are "
                    "payments less the real costs of serving; the theorem counts with estimated costs.",
                    className="meaning",
                ),
            ],
            className="card",
        ),
        html.Div(pictures, className="pair"),
    ]


def guarantees_page(market: Market, theme: str) -> list[Component]:
    """Return the figures of what is guaranteed of a market, each with its caption."""
    pictures, horizon = guarantee_pictures(market, theme), simulated_queries(market)
    return [
        html.Div(
            [
                html.P(
                    "The figures of costproof figures for this setting. All runs in them are truthful: "
                    f"{RUNS_OF_GUARANTEES} runs of {horizon:,} queries that are drawn independently, "
                    "and 20 for each confidence radius."
                ),
                *(_guarantee_picture(each) for each in pictures),
            ],
            className="card",
        )
    ]


def _guarantee_picture(picture: GuaranteePicture) -> Component:
    name = f"guarantee-{picture.name}"
    if picture.source is None:
        return html.P(f"{picture.title}: not drawn, since {picture.alt}.", className="meaning")
    image = html.Img(src=picture.source, alt=picture.alt, className="drawn")
    return titled(image, html.Figcaption(f"It shows {picture.shows}."), name=name, title=picture.title)


def claims_page(
    rows: Sequence[ClaimRow], run: int, verdict: str, *, events: GoodEvents, passes: bool
) -> list[Component]:
    """Return the claims on a run, those of a verdict or all; `passes` as `claims_view.in_passes` says it."""
    counts = Counter(row.verdict for row in rows)
    chosen = [row for row in rows if verdict in ("all", row.verdict.value)]
    options = {"all": f"all ({len(rows)})"} | {each.value: f"{_called(each)} ({n})" for each, n in counts.items()}
    verdict = verdict if verdict in options else "all"
    body = [_claim(row) for row in sorted(chosen, key=_place)]  # else in the paper's order
    heads = ("claim", "its verdict", "here: on this run", "comparisons", "ratio", "statement")
    return [
        html.Div(
            [
                html.P(
                    f"Run {run} under the platform, step by step. “Its verdict” is what is known of the claim itself, "
                    "for all parameters; “here” is what this run says. A claim that this run does not refute is not "
                    "proved by it. The claims that do not apply here stand last: they assume something that this "
                    "market or run does not have."
                ),
                html.P(
                    "The ratio says how much of a bound was used at most: 1 is all of it, above 1 the bound is "
                    "violated. On an equality, 1 says that both sides are the same."
                ),
                html.P(good_event_count(events, passes=passes)),
                html.P(not_compared()),
                html.P(DRAWN_IN_PASSES) if passes else None,
                html.Div(
                    [html.Label("Show", htmlFor="verdict"), select("verdict", options, verdict)], className="row narrow"
                ),
                table(heads, body, f"{len(chosen)} of the {len(rows)} claims that a run can test"),
            ],
            className="card",
        )
    ]


#: How the runs of the page draw questions, and those of `verify`.
DRAWN_IN_PASSES = (
    "The runs of this page draw the benchmark's questions in passes without replacement, while costproof verify draws "
    "independent queries, which the paper's theory assumes."
)


def _place(row: ClaimRow) -> int:
    """Order claims: what is refuted first, what does not apply last."""
    return {Verdict.REFUTED: 0, Verdict.ASSUMPTION_VIOLATED: 2}.get(row.verdict, 1)


def _called(verdict: Verdict) -> str:
    """Return how the page calls a verdict: what reads as a fault of the market is none."""
    return "does not apply here" if verdict is Verdict.ASSUMPTION_VIOLATED else verdict.value


def _claim(row: ClaimRow) -> Component:
    known = row.verdict is Verdict.REFUTED and row.finding
    reason = "known: see its verdict" if known else row.reason
    return html.Tr(
        [
            html.Th([html.Div(set_text(row.number or row.name)), html.Code(row.label)], scope="row"),
            html.Td([_verdict(row.own, row.own.value), html.Div(row.own_in_words, className="meaning"), _finding(row)]),
            html.Td(
                [
                    _verdict(row.verdict, _called(row.verdict)),
                    html.Div(set_text(reason), className="meaning") if reason else None,
                    html.Div(row.note, className="meaning") if row.note else None,
                    html.Div(set_text(f"* {COULD_NOT_FAIL} Here {row.idle}."), className="meaning")
                    if row.idle
                    else None,
                ]
            ),
            html.Td(f"{row.checked:,}", className="number"),
            html.Td(_ratio(row), className="number"),
            html.Td(set_text(row.statement)),
        ]
    )


def _verdict(verdict: Verdict, called: str) -> Component:
    return html.Span(called, className=f"verdict {verdict.value.lower()}")


def _ratio(row: ClaimRow) -> str:
    if row.ratio is None:
        return "violated" if row.violations else "–"
    return f"{ratio_text(row.ratio)}{'*' if row.idle else ''}"


def _finding(row: ClaimRow) -> Component | None:
    """Return how a claim's wording is known to be wrong, to be opened, and what holds instead."""
    if not row.finding:
        return None
    instead = f" What holds instead: {row.repaired_by}." if row.repaired_by else ""
    return html.Details([html.Summary("Finding"), html.Div(set_text(f"{row.finding}{instead}"), className="meaning")])


def export_page(state: PageState, query: str) -> list[Component]:
    """Return what repeats the view: the command, the setting as TOML, and the link."""
    market = state.market
    name = file_name(market)
    return [
        html.Div(
            [
                html.H3("The command that repeats these runs"),
                html.P(
                    f"Save the setting below as {name} first. The curves are written to curves.csv.",
                    className="meaning",
                ),
                _copied("command", command(market)),
            ],
            className="card",
        ),
        html.Div(
            [
                html.H3(f"The setting, {name}"),
                html.Button("Save the file", id="save", type="button", className="choice"),
                _copied("toml", setting_text(market)),
            ],
            className="card",
        ),
        html.Div(
            [
                html.H3("The results"),
                html.P(
                    "All curves of all runs, the bounds and the setting, as one JSON document.", className="meaning"
                ),
                html.Button("Save the results", id="save-results", type="button", className="choice"),
                html.H3("This view as a link"),
                html.P(
                    "To open the same view, start an explorer and add this text to its address.", className="meaning"
                ),
                _copied("link", f"?{query}"),
                html.H3("Pictures"),
                html.P("The camera at the upper right of a picture saves it as PNG, drawn by the browser itself."),
            ],
            className="card",
        ),
    ]


def _copied(name: str, text: str) -> Component:
    return html.Div(
        [
            html.Pre(text, id=f"{name}-text", tabIndex=0, role="region", **{"aria-label": name}),
            html.Button("Copy", type="button", className="choice", **{"data-copy": f"{name}-text"}),
        ],
        className="copied",
    )
