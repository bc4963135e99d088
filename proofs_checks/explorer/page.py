"""The page: its fixed frame, the controls of a state, and the parts that callbacks fill."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from dash import dcc, html
from dash.development.base_component import Component

from bounds.errors import printable
from bounds.published import PUBLISHED_NAMES
from mechanism.policies import POLICIES
from proofs_checks.explorer.auction_view import StandingRow, StepView, WhatIf
from proofs_checks.explorer.claims_view import ClaimRow
from proofs_checks.explorer.controls import BIDDERS, MOST_RUNS, VIEWS, PageState
from proofs_checks.explorer.export import command, file_name, setting_text
from proofs_checks.explorer.knobs import BOXES, Knob, platform_knobs, provider_knobs
from proofs_checks.explorer.market_view import Figure, GuaranteeRow
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.pictures import BAND, earnings_picture, gain_picture, step_picture
from proofs_checks.explorer.provider_view import ProviderView
from proofs_checks.plurals import counted
from proofs_checks.verdict import Verdict

#: plotly.js draws and saves by itself: nothing is sent anywhere.
GRAPH = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "png", "scale": 2, "filename": "costproof-explore"},
}
INDEX = """<!DOCTYPE html>
<html lang="en">
<head>
{%metas%}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{%title%}</title>
{%favicon%}
{%css%}
</head>
<body>
{%app_entry%}
<footer hidden>
{%config%}
{%scripts%}
{%renderer%}
</footer>
</body>
</html>"""


def frame() -> Component:
    """Return the page without a market: stores, controls to be filled, and one section for every view."""
    stores = (
        "base",
        "begun",
        "choices",
        "picked",
        "state",
        "asked",
        "released",
        "settled",
        "served",
        "query",
        "sink",
        "saving",
    )
    first = {"view": "market", "metric": "quality_regret", "policies": ["platform"], "bidders": "truthful"}
    data = {"choices": {**first, "provider": 0, "theme": "light", "verdict": "all"}}
    return html.Div(
        [
            dcc.Location(id="url", refresh=False),
            *(dcc.Store(id=name, data=data.get(name)) for name in stores),
            dcc.Download(id="saved"),
            html.A("Skip to the picture", href="#views", className="skip"),
            html.Header(
                [
                    html.Div([html.H1("costproof explorer"), html.P(id="headline", className="headline")]),
                    _choice("theme", "theme", "Dark", title="dark colours"),
                    html.Button("Sliders", id="sheet", type="button", className="sheet", **{"aria-expanded": "false"}),
                ]
            ),
            html.Div(id="message", role="status", className="message", **{"aria-live": "polite"}),
            html.Div(
                [
                    html.Aside(
                        [
                            html.Div(id="controls"),
                            html.Button("Add a provider", id="add", type="button", className="wide"),
                        ],
                        **{"aria-label": "Setting and market"},
                    ),
                    html.Main(
                        [
                            html.Nav(
                                [_choice("view", name, title) for name, title in VIEWS.items()],
                                className="views",
                                **{"aria-label": "Views"},
                            ),
                            html.Div(id="focus-controls", className="card focus"),
                            *(html.Section(_view(name), className=f"view of-{name}") for name in VIEWS),
                        ],
                        id="views",
                    ),
                ],
                className="columns",
            ),
        ],
        className="page",
    )


def _view(name: str) -> list[Component]:
    if name != "market":
        return [
            html.H2(VIEWS[name], className="unseen"),
            html.Div(html.P("Computing …", className="meaning"), id=f"{name}-view", className="filled"),
        ]
    return [
        html.H2("Market", className="unseen"),
        html.Div(id="tiles", className="tiles"),
        html.Div(
            [
                html.Div(
                    [html.Label("Over time", htmlFor="metric"), html.Div(id="metric-choice")], className="card-head"
                ),
                html.P(id="metric-meaning", className="meaning"),
                html.Figure(
                    [
                        dcc.Graph(id="metric-picture", config=GRAPH, className="picture", style={"height": "21rem"}),
                        html.Figcaption(id="metric-caption"),
                    ]
                ),
            ],
            className="card",
        ),
        html.Div(
            [
                html.H3("Who served"),
                html.P(
                    "Queries of one run by provider. Green providers are qualified, red ones are below the threshold, "
                    "★ is the cheapest qualified one.",
                    className="meaning",
                ),
                html.Figure(
                    [
                        dcc.Graph(id="selections-picture", config=GRAPH, className="picture"),
                        html.Figcaption(id="selections-caption"),
                    ]
                ),
            ],
            className="card",
        ),
        html.Div([html.H3("What the theory promises"), html.Div(id="guarantees")], className="card"),
    ]


def _choice(key: str, value: str, label: str, **more: Any) -> Component:
    return html.Button(label, id={"choice": key, "value": value}, type="button", className="choice", **more)


def select(name: str, options: Mapping[str, str], chosen: str, label: str | None = None) -> Component:
    """Return a native select; the page's script turns its changes into a choice of this name."""
    shown = [html.Option(text, value=value, selected=value == chosen) for value, text in options.items()]
    more = {} if label is None else {"aria-label": label}
    return html.Select(shown, id=name, **{"data-choice": name, **more})


def controls(state: PageState, preset: str) -> list[Component]:
    """Return the sliders and boxes of a state."""
    market, setting = state.market, state.market.setting
    presets = {name: name for name in PUBLISHED_NAMES}
    if preset not in presets:
        presets = {preset: f"{printable(preset, 40)} (yours)", **presets}
    return [
        html.Fieldset(
            [
                html.Legend("Market"),
                html.Div(
                    [html.Label("Start from", htmlFor="preset"), select("preset", presets, preset)], className="row"
                ),
                _box("market", "horizon", "Queries T", market.horizon, 1),
                _box("market", "runs", f"Runs (at most {MOST_RUNS})", market.runs, 1),
                _box("market", "seed", "Seed", market.seed, 1),
                _group("Policies", "policies", {name: name for name in POLICIES}),
                _group("Bidders", "bidders", {name: name for name in BIDDERS}),
                html.P(
                    "Truthful providers bid the running mean of their costs. Deviating ones need d₋ or d₊ above 0. "
                    "Bayesian ones bid a posterior mean, and the platform widens its radius by γ.",
                    className="meaning",
                ),
            ]
        ),
        html.Fieldset([html.Legend("Platform"), *(_knob("platform", knob) for knob in platform_knobs(setting))]),
        html.Fieldset([html.Legend("Providers"), *(_provider(state, index) for index in range(setting.n_providers))]),
    ]


def _provider(state: PageState, index: int) -> Component:
    setting = state.market.setting
    provider, where = setting.providers[index], str(index)
    named = {"knob": "name", "of": where, "part": "lone"}
    shown = printable(provider.name, 30)
    return html.Details(
        [
            html.Summary([html.Span(printable(provider.name, 40), className="name"), html.Span(_short(provider))]),
            html.Div(
                [html.Label("Name", htmlFor=_written(named)), dcc.Input(id=named, type="text", value=provider.name)],
                className="row",
            ),
            *(_knob(where, knob, f" of {shown}") for knob in provider_knobs(setting, index)),
            *(
                _box(where, key, label.capitalize(), getattr(provider, key), unit=unit)
                for key, (label, unit) in BOXES.items()
            ),
            html.Button(f"Remove {shown}", id={"remove": index}, type="button", className="wide quiet"),
        ],
        open=setting.n_providers <= 4,
        className="provider",
    )


def _short(provider: Any) -> str:
    return f" q {provider.quality:.3g}, cost {provider.mean_cost:.3g}"


def _knob(of: str, knob: Knob, whose: str = "") -> Component:
    slider, box = ({"knob": knob.key, "of": of, "part": part} for part in ("range", "box"))
    label = f"{knob.label[0].upper()}{knob.label[1:]}"
    unit = f", {knob.unit}" if knob.unit else ""
    return html.Div(
        [
            html.Label(
                [label, html.Var(knob.symbol), html.Span(f"{whose}{unit}", className="unseen")],
                htmlFor=_written(slider),
            ),
            html.Label(f"{label}{whose}{unit}, as a number", htmlFor=_written(box), className="unseen"),
            dcc.Input(id=slider, type="range", min=knob.low, max=knob.high, step=knob.step, value=knob.value),
            dcc.Input(id=box, type="number", value=knob.value, step="any"),
            html.Span(knob.unit, className="unit") if knob.unit else None,
        ],
        className="knob",
    )


def _box(of: str, key: str, label: str, value: Any, step: Any = "any", unit: str = "") -> Component:
    box = {"knob": key, "of": of, "part": "lone"}
    shown = [label, html.Span(unit, className="unit")] if unit else label
    return html.Div(
        [html.Label(shown, htmlFor=_written(box)), dcc.Input(id=box, type="number", value=value, step=step)],
        className="row",
    )


def _group(title: str, key: str, options: Mapping[str, str]) -> Component:
    buttons = [_choice(key, value, text) for value, text in options.items()]
    return html.Div(
        [html.Span(title, className="group-title"), html.Div(buttons, role="group", **{"aria-label": title})],
        className="group",
    )


def _written(identity: Mapping[str, Any]) -> str:
    """Return how Dash writes an identity into the page."""
    return json.dumps(identity, sort_keys=True, separators=(",", ":"))


def focus_controls(state: PageState) -> list[Component]:
    """Return what chooses a run, a provider, a step and a bid; the style sheet shows what a view needs."""
    focus, market = state.focus, state.market
    names = {str(i): printable(each.name, 40) for i, each in enumerate(market.setting.providers)}
    step = Knob(
        key="step", label="step of the run", symbol="t", unit="", value=focus.step, low=1, high=market.horizon, step=1
    )
    return [
        html.Div(
            [
                html.Div(_box("focus", "run", "Run, from 0", focus.run, 1), className="for-run"),
                html.Div(
                    [html.Label("Provider", htmlFor="provider"), select("provider", names, str(focus.provider))],
                    className="row for-provider",
                ),
                html.Div(
                    _box("focus", "bid", "What if it had bid (empty: as it did)", focus.bid, unit="money/query"),
                    className="for-bid",
                ),
            ],
            className="inline",
        ),
        html.Div(_knob("focus", step), className="for-step"),
    ]


def tiles(figures: Sequence[Figure]) -> list[Component]:
    """Return the summary's numbers, each with its name, unit and band."""
    return [
        html.Div(
            [
                html.Div(each.title, className="tile-title"),
                html.Div(number(each.median, each.unit), className="tile-value"),
                html.Div(f"{_band(each)} {each.unit}", className="tile-unit"),
            ],
            className="tile",
        )
        for each in figures
    ]


def _band(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "not defined here;"
    return f"{number(figure.low, figure.unit)} to {number(figure.high, figure.unit)}"


def number(value: float | None, unit: str = "") -> str:
    """Return a number as the page shows it.

    Examples
    --------
    >>> number(0.89712, "share of queries"), number(31977.0), number(None), number(27.593)
    ('89.7%', '31,977', '–', '27.59')
    """
    if value is None:
        return "–"
    if unit.startswith("share"):
        return f"{value:.1%}"
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def guarantees(rows: Iterable[GuaranteeRow], horizon: int) -> Component:
    """Return the guarantees at the horizon beside what happened."""
    body = []
    for row in rows:
        worth = row.bound.worth
        says = "says something" if worth.informative else "says nothing here"
        start = f"from T = {worth.informative_from:,}" if worth.informative_from else (worth.why_never or "")
        body.append(
            html.Tr(
                [
                    html.Th(row.title, scope="row"),
                    html.Td(number(row.median), className="number"),
                    html.Td(number(row.high), className="number"),
                    html.Td(number(row.bound.value), className="number"),
                    html.Td(number(worth.trivial), className="number"),
                    html.Td([html.Strong(says), html.Span(f" {start}", className="quiet")]),
                ]
            )
        )
    heads = ("Quantity", "median of runs", "largest run", "bound", "without theory", "worth")
    return html.Div(
        [
            table(heads, body, f"Guarantees for runs of {horizon:,} queries under the platform"),
            html.P(
                "A bound is a theorem about every market of its assumptions, with probability 1 - δ or in expectation. "
                "A median of simulated runs below it is no proof, and shows nothing about other markets.",
                className="meaning",
            ),
        ]
    )


def table(heads: Sequence[str], rows: Sequence[Component], caption: str) -> Component:
    """Return a table that scrolls sideways where it is too wide."""
    return html.Div(
        html.Table(
            [
                html.Caption(caption),
                html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])),
                html.Tbody(list(rows)),
            ]
        ),
        className="scroll",
        tabIndex=0,
        role="region",
        **{"aria-label": caption},
    )


def step_page(view: StepView, theme: str) -> list[Component]:
    """Return one step explained: in words, as a picture of the bids, as a table, and what another bid would change."""
    caption = f"What the platform knew before step {view.step:,} of run {view.run}"
    parts = [
        html.Div(
            [
                html.H3(f"Step {view.step:,}: {STEP_TITLES[view.kind]}"),
                *(html.P(sentence) for sentence in step_sentences(view)),
                html.Figure(
                    [
                        dcc.Graph(
                            figure=step_picture(view, theme),
                            config=GRAPH,
                            style={"height": f"{110 + 30 * len(view.rows)}px"},
                        ),
                        html.Figcaption(
                            "From each standing bid (circle) the cost radius leads down to the adjusted bid (diamond): the "
                            "lowest diamond among the eligible wins an auction. Grey: not eligible."
                        ),
                    ]
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


STEP_TITLES = {
    "initialization": "initialization",
    "exploration": "exploration",
    "auction": "an auction",
    "empty": "nobody is eligible",
}
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


def step_sentences(view: StepView) -> list[str]:
    """Return what happened at a step, in sentences."""
    eligible = [row for row in view.rows if row.eligible]
    paid = f"It was paid {number(view.payment)} money per query; serving cost it {number(view.cost)}, the score was {number(view.score)}."
    served, n = printable(view.served, 60), len(view.rows)
    if view.kind == "initialization":
        return [
            f"The first {n} queries go to every provider once, and each pays c_max. This one went to {served}.",
            paid,
        ]
    screened = (
        f"{len(eligible)} of {n} providers were eligible: their mean score plus radius reached the threshold "
        f"{number(view.threshold)}."
    )
    if view.kind == "empty":
        return [screened, f"So the query went to one of all providers at random, {served}, and paid c_max.", paid]
    if view.kind == "exploration":
        few = sum(row.under_sampled for row in view.rows)
        rule = (
            f"{few} of them had served fewer than ⌈g(t)⌉ = {view.target:,.0f} queries. Such a step is no auction: "
            f"one of them is drawn at random and paid c_max = {number(view.cost_bound)}. It was {served}."
        )
        return [screened, rule, paid]
    winner = next(row for row in view.rows if row.served)
    ruled = f"All of them had served at least ⌈g(t)⌉ = {view.target:,.0f} queries, so bids decided."
    won = f"{served} had the lowest adjusted bid, {number(winner.adjusted_bid)}, and served."
    rivals = [row for row in eligible if not row.served and row.adjusted_bid is not None]
    if not rivals or winner.critical is None:
        return [screened, ruled, won, "It had no rival, so it was paid c_max.", paid]
    rival = min(rivals, key=lambda row: row.adjusted_bid or 0.0)
    price = (
        f"Its critical payment is its cost radius {number(winner.cost_radius)} plus the lowest adjusted bid of a rival, "
        f"{number(rival.adjusted_bid)} of {printable(rival.name, 40)}: P = {number(winner.critical)}."
    )
    if winner.critical > view.cost_bound:
        price += f" That exceeds c_max = {number(view.cost_bound)}, which caps the payment."
    return [screened, ruled, won, price, paid]


def _standing(row: StandingRow, view: StepView) -> Component:
    reach = None if row.quality_estimate is None or row.radius is None else row.quality_estimate + row.radius
    critical = "no rival" if row.critical == math.inf else number(row.critical)
    cells = (f"{row.count:,}", number(row.quality_estimate), number(row.radius), number(reach))
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


def what_if_sentences(what_if: WhatIf) -> list[str]:
    """Return what another bid would have changed, in sentences."""
    name, winners = printable(what_if.name, 60), [printable(winner, 40) for winner in what_if.winners]
    bid = number(what_if.bid)
    if what_if.wins is None:
        outcome = f"With a bid of {bid}, {name} would have tied with {', '.join(w for w in winners if w != name)}; the platform draws."
    elif what_if.wins:
        outcome = f"With a bid of {bid}, {name} would have served and been paid {number(what_if.payment)}."
    else:
        outcome = f"With a bid of {bid}, {name} would not have served, but {' or '.join(winners)}"
        outcome += "." if what_if.payment is None else f", paid {number(what_if.payment)}."
    if what_if.critical == math.inf:
        rule = f"It has no rival: every bid serves, and it is paid c_max = {number(what_if.most_paid)}."
    else:
        rule = (
            f"Below P = {number(what_if.critical)} it serves, above it does not. "
            f"Its payment, {number(what_if.most_paid)}, does not depend on its own bid."
        )
    gain = what_if.most_paid - what_if.mean_cost
    cost = f"Its mean cost is {number(what_if.mean_cost)}: serving gains it {number(gain)} on average."
    return [outcome, rule, cost]


def _what_if(what_if: WhatIf, theme: str) -> Component:
    return html.Div(
        [
            html.H3(["If ", html.Bdi(printable(what_if.name, 60)), f" had bid {number(what_if.bid)}"]),
            *(html.P(sentence) for sentence in what_if_sentences(what_if)),
            html.Figure(
                [
                    dcc.Graph(figure=gain_picture(what_if, theme), config=GRAPH, style={"height": "17rem"}),
                    html.Figcaption(
                        "All other bids as they were. This is the gain at this step alone: what the bid changes later is on "
                        "the page of a provider."
                    ),
                ]
            ),
        ],
        className="card",
    )


def provider_page(view: ProviderView, theme: str) -> list[Component]:
    """Return what a provider would have earned over whole runs by bidding otherwise."""
    name = printable(view.name, 60)
    now, low, high = view.actual.band()
    alternative, best = view.best
    found = best.band()[0]
    how = f"always bid {number(alternative.amount)}"
    if alternative.kind == "shifted":
        how = f"bid its mean cost so far {'plus' if alternative.amount >= 0 else 'minus'} {number(abs(alternative.amount))}"
    more = f"The best of {len(view.alternatives)} alternatives, to {how}, earns {number(found)}: {number(abs(found - now))} "
    more += "more." if found > now else "less: none of them pays."
    pictures = [
        html.Div(
            [
                html.H3(title),
                html.Figure(
                    [
                        dcc.Graph(figure=earnings_picture(view, kind, theme), config=GRAPH, style={"height": "19rem"}),
                        html.Figcaption(f"Median of {counted(view.runs, 'run')} and the band of {BAND}."),
                    ]
                ),
            ],
            className="card",
        )
        for kind, title in (("fixed", "If it always bid the same"), ("shifted", "If it shifted its truthful bid"))
    ]
    return [
        html.Div(
            [
                html.H3(name),
                html.P(
                    f"As it bids, it earns {number(now)} money over a run (median; band {number(low)} to {number(high)}), with "
                    f"{number(float(np.median(view.actual.served)))} queries served. {more}"
                ),
                html.P(
                    "Everything else is as it was: the same market, the others' strategies, the same draws. The theorems "
                    "say that no bid gains at one step, given what happened before. They do not say that no lasting "
                    "strategy gains over a whole run, where a bid changes who learns what: here you see such gains.",
                    className="meaning",
                ),
            ],
            className="card",
        ),
        html.Div(pictures, className="pair"),
    ]


def claims_page(rows: Sequence[ClaimRow], run: int, verdict: str) -> list[Component]:
    """Return the claims on a run, those of a verdict or all."""
    counts = Counter(row.verdict for row in rows)
    chosen = [row for row in rows if verdict in ("all", row.verdict.value)]
    options = {"all": f"all ({len(rows)})"} | {each.value: f"{each.value} ({n})" for each, n in counts.items()}
    verdict = verdict if verdict in options else "all"
    order = list(VERDICT_ORDER)
    body = [_claim(row) for row in sorted(chosen, key=lambda row: order.index(row.verdict))]
    heads = ("claim", "verdict on this run", "compared", "nearest to its bound", "statement")
    return [
        html.Div(
            [
                html.P(
                    f"Run {run} under the platform, step by step. A claim that this run does not refute is not proved by "
                    "it: `costproof verify` and `costproof prove` say what is known beyond one run."
                ),
                html.Div(
                    [html.Label("Show", htmlFor="verdict"), select("verdict", options, verdict)], className="row narrow"
                ),
                table(heads, body, f"{len(chosen)} of {len(rows)} claims"),
            ],
            className="card",
        )
    ]


VERDICT_ORDER = (
    Verdict.REFUTED,
    Verdict.ASSUMPTION_VIOLATED,
    Verdict.NOT_REFUTED,
    Verdict.VACUOUS,
    *(each for each in Verdict if each.value in ("PROVED", "PROVED_STEPS", "EXACT", "SKIPPED")),
)


def _claim(row: ClaimRow) -> Component:
    known = row.verdict is Verdict.REFUTED and row.finding
    reason = f"known: {row.finding}" if known else row.reason
    return html.Tr(
        [
            html.Th([html.Div(row.number or row.name), html.Code(row.label)], scope="row"),
            html.Td(
                [
                    html.Span(row.verdict.value, className=f"verdict {row.verdict.value.lower()}"),
                    html.Div(reason, className="meaning") if reason else None,
                ]
            ),
            html.Td(f"{row.checked:,}", className="number"),
            html.Td("–" if row.ratio is None else f"{row.ratio:.1%}", className="number"),
            html.Td(row.statement),
        ]
    )


def export_page(state: PageState, query: str) -> list[Component]:
    """Return what repeats the view: the command, the setting as TOML, and the link."""
    market = state.market
    name = file_name(market.setting)
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
                html.H3("This view as a link"),
                html.P(
                    "It opens the same view while an explorer runs on this machine: put it behind the address of yours.",
                    className="meaning",
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


def metric_caption(runs: int, asked: int, seconds: float, policies: Sequence[str]) -> str:
    """Return the sentence below a picture over time: of how many runs, and what a band is."""
    part = f"{runs} of {asked} runs while you drag" if runs < asked else f"{runs} run{'s' if runs > 1 else ''}"
    who = "" if policies == ("platform",) else " of each policy"
    return f"Median of {part}{who}; the band holds {BAND} of them. Computed in {1000 * seconds:.0f} ms."


def metric_select(metric: str) -> Component:
    """Return the choice of what the picture over time shows."""
    return select("metric", {key: each.title for key, each in METRICS.items()}, metric)
