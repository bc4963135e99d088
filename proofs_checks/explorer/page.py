"""The page: its fixed frame and the controls of a state; `panels` fills the views."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from bounds.errors import printable
from bounds.published import PUBLISHED_NAMES
from bounds.setting.model import Provider, Setting
from proofs_checks.explorer.controls import LONGEST_HORIZON, MOST_RUNS, VIEWS, PageState
from proofs_checks.explorer.cost_bound import least_cost_bound
from proofs_checks.explorer.glossary import TERMS
from proofs_checks.explorer.knobs import (
    BIDDER_NUMBERS,
    BOXES,
    LABELS,
    PROVIDER_LABELS,
    Knob,
    bidder_knobs,
    capital,
    platform_knobs,
    provider_knobs,
)
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.pictures import SIGNS
from proofs_checks.explorer.registry import BIDDERS, POLICIES, meaning, title
from proofs_checks.explorer.sweep_view import MODES, POINTS, RUNS

#: plotly.js draws and saves by itself: nothing is sent anywhere. It has a button that uploads a picture, so that the
#: buttons are named, and a new one of a later version does not appear by itself.
GRAPH = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtons": [["toImage"], ["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]],
    "showSendToCloud": False,
    "plotlyServerURL": "",
    "toImageButtonOptions": {"format": "png", "scale": 2, "filename": "costproof-explore"},
}

#: What stands below the buttons while an input is not valid.
KEPT = "What you choose now is shown once the input is valid. The message says what is wrong."
#: What stands below the slider of γ where bidders are Bayesian.
LEAST_SLACK = (
    "Bayesian bidders need a certain γ at least. Where the slider is below it, the platform takes that γ, so the "
    "slider changes nothing there. The switch makes the platform take the slider's γ all the same: it shows what an "
    "uncovered prior costs, and only the guarantee on quality is then promised."
)
#: The switches of the page: what they are called.
SWITCHED = {
    "keep_gamma": "Take γ as it is, though the bidders need more",
    "pinned": "Keep c_max at the least that prices and costs allow",
    "log": "Log scale",
    "held": "Hold these curves",
}
#: What stands below the switch of c_max.
PINNED = (
    "The longest answer (512 tokens, or the file's token_cap) at the dearest listed price, as in the paper's settings, "
    "or the dearest mean cost. While this is on, c_max follows every change of prices and costs, and its slider "
    "springs back if you move it."
)
#: The overbid of deviating bidders where none is set, as a share of c_max.
DEVIATION = 0.02

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
        "saving-results",
        "mistyped",
        "place",
        "placed",
        "pin",
        "sweep-asked",
        "sweep-done",
    )
    first: dict[str, Any] = {
        "view": "market",
        "metric": "quality_regret",
        "policies": ["platform"],
        "bidders": "truthful",
        "keep_gamma": False,
        "pinned": False,
        "log": False,
        "held": None,
    }
    data = {"choices": {**first, "provider": 0, "policy": None, "theme": "light", "verdict": "all"}}
    return html.Div(
        [
            dcc.Location(id="url", refresh=False),
            *(dcc.Store(id=name, data=data.get(name)) for name in stores),
            dcc.Download(id="saved"),
            dcc.Download(id="saved-results"),
            html.A("Skip to the picture", href="#views", className="skip"),
            html.Header(
                [
                    html.Div([html.H1("costproof explorer"), html.P(id="headline", className="headline")]),
                    _choice(
                        "theme",
                        "theme",
                        [
                            html.Span("Switch to dark", className="to-dark"),
                            html.Span("Switch to light", className="to-light"),
                        ],
                    ),
                    html.Button("Controls", id="sheet", type="button", className="sheet", **{"aria-expanded": "false"}),
                ]
            ),
            html.Div(id="message", role="status", className="message", **{"aria-live": "polite"}),
            html.Div(
                [
                    html.Aside(
                        [
                            # It stands while something is changed: the server writes its text.
                            html.Button(id="reset", type="button", className="wide"),
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
                            html.Div(
                                [
                                    html.Span(id="runs-status", role="status"),
                                    html.Button("Stop", id="runs-stop", type="button", className="choice"),
                                    html.Button("Run all", id="runs-all", type="button", className="choice"),
                                ],
                                className="runs",
                            ),
                            html.Div(html.P(id="link-trouble"), className="card notice"),
                            html.Div(html.P(id="widened"), className="card notice"),
                            html.Div(id="focus-controls", className="card focus"),
                            *(html.Section(_view(name), className=f"view of-{name}") for name in VIEWS),
                        ],
                        id="views",
                    ),
                ],
                className="columns",
            ),
            html.P("Computing …", className="busy"),
        ],
        className="page",
    )


def _view(name: str) -> list[Component]:
    if name == "glossary":
        return [html.H2(VIEWS[name], className="unseen"), html.Div(_glossary(), className="card")]
    if name != "market":
        return [
            html.H2(VIEWS[name], className="unseen"),
            *(_sweep_controls() if name == "sweep" else ()),
            *([html.Div(id="guaranteed")] if name == "guarantees" else ()),
            html.Div(
                [
                    html.P("Computing …", className="meaning computing"),
                    html.P("This view is not drawn yet: it is once the input is valid.", className="meaning invalid"),
                ],
                id=f"{name}-view",
                className="filled",
            ),
            *([html.Div(id="sweep-results")] if name == "sweep" else ()),
        ]
    return [
        html.H2("Market", className="unseen"),
        html.Div(
            [
                html.P(id="looser-bounds"),
                html.Button("Put d₋ and d₊ back to 0", type="button", className="choice", **{"data-zero": "deviation"}),
            ],
            className="card notice",
        ),
        html.Div(id="tiles", className="tiles"),
        html.P(id="tiles-caption", className="meaning"),
        html.Div(
            [
                html.Div(
                    [
                        html.Label("Over time", htmlFor="metric"),
                        html.Div(id="metric-choice"),
                        _switch("log"),
                        _switch("held"),
                    ],
                    className="card-head",
                ),
                html.P(id="metric-meaning", className="meaning"),
                titled(
                    dcc.Graph(id="metric-picture", config=GRAPH, className="picture", style={"height": "21rem"}),
                    html.Figcaption(id="metric-caption"),
                    name="metric",
                ),
            ],
            className="card",
        ),
        html.Div(
            [
                html.H3("Who served"),
                html.P("How many queries of one run each provider served.", className="meaning"),
                html.Ul(
                    [
                        html.Li([html.Span(className=f"swatch {colour}"), text])
                        for colour, text in (
                            ("optimal", f"{SIGNS['optimal']} optimal provider: the cheapest of the qualified ones"),
                            (
                                "qualified",
                                f"{SIGNS['qualified']} other qualified providers: quality at or above the threshold",
                            ),
                            ("unqualified", f"{SIGNS['below the threshold']} hatched: providers below the threshold"),
                        )
                    ],
                    className="legend",
                ),
                titled(
                    dcc.Graph(id="selections-picture", config=GRAPH, className="picture"),
                    html.Figcaption(id="selections-caption"),
                    name="selections",
                ),
            ],
            className="card",
        ),
        html.Div([html.H3("What the theory promises"), html.Div(id="guarantees")], className="card"),
    ]


def _sweep_controls() -> list[Component]:
    """Return what a sweep is asked for, the buttons that start and stop it, and how far it is."""
    choices = (("sweep_mode", "Thresholds", MODES), ("sweep_points", "How many", POINTS), ("sweep_runs", "Runs", RUNS))
    return [
        html.Div(
            [
                html.P(
                    "One market after the other, each with another quality threshold; everything else is as the "
                    "controls say. Who is qualified, and who is optimal, changes with the threshold.",
                    className="meaning",
                ),
                html.Div(
                    [
                        html.Div(
                            [html.Label(label, htmlFor=key), select(key, options, next(iter(options)))], className="row"
                        )
                        for key, label, options in choices
                    ],
                    className="inline",
                ),
                html.Div(
                    [
                        html.Button("Run the sweep", id="sweep-run", type="button", className="choice"),
                        html.Button("Stop the sweep", id="sweep-stop", type="button", className="choice"),
                        html.Progress(id="sweep-progress", max=1, value=0, **{"aria-label": "Thresholds done"}),
                        html.Span(id="sweep-status", role="status", className="quiet"),
                    ],
                    className="inline sweeping",
                ),
            ],
            className="card",
        )
    ]


def _glossary() -> Component:
    return html.Dl([part for term, text in TERMS.items() for part in (html.Dt(html.Strong(term)), html.Dd(text))])


def titled(graph: Component, caption: Component, *, name: str, title: str = "") -> Component:
    """Return a picture with its title, which is also its name for a screen reader, and its caption.

    Parameters
    ----------
    graph, caption : Component
    name : str
        A plain word; no other picture of the page has it.
    title : str, optional
        Left out where a callback writes it.
    """
    head = f"{name}-title"
    shown = html.P(title or None, id=head, className="picture-title")
    return html.Figure([shown, graph, caption], **{"aria-labelledby": head})


def _choice(key: str, value: str, label: str | list[Component]) -> Component:
    return html.Button(label, id={"choice": key, "value": value}, type="button", className="choice")


def _switch(key: str) -> Component:
    """Return a switch: a button that stays pressed until it is pressed again."""
    identity = {"choice": key, "value": "on"}
    return html.Button(
        SWITCHED[key], id=identity, type="button", className="choice switch", **{"aria-pressed": "false"}
    )


def select(name: str, options: Mapping[str, str], chosen: str, label: str | None = None) -> Component:
    """Return a native select; the page's script turns its changes into a choice of this name."""
    shown = [html.Option(text, value=value, selected=value == chosen) for value, text in options.items()]
    more = {} if label is None else {"aria-label": label}
    return html.Select(shown, id=name, **{"data-choice": name, **more})


def metric_select(metric: str) -> Component:
    """Return the choice of what the picture over time shows."""
    return select("metric", {key: each.title for key, each in METRICS.items()}, metric)


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
                    [html.Label("Start from", htmlFor="preset"), select("preset", presets, preset)],
                    className="row from",
                ),
                _box("market", "horizon", f"{LABELS['horizon']} (at most {LONGEST_HORIZON:,})", market.horizon),
                _box("market", "runs", f"{LABELS['runs']} (at most {MOST_RUNS})", market.runs),
                _box("market", "seed", LABELS["seed"], market.seed),
                _group(LABELS["policies"], "policies", {name: name for name in POLICIES}),
                _group(LABELS["bidders"], "bidders", {name: name for name in BIDDERS}),
                *(
                    html.Div([_knob("bidders", knob) for knob in bidder_knobs(kind, market.bidders)], className=kind)
                    for kind in BIDDER_NUMBERS
                ),
                html.P(KEPT, className="meaning kept"),
                html.P(id="deviation", role="status", className="meaning", **{"data-share": DEVIATION}),
                html.Details(
                    [
                        html.Summary("What each policy does"),
                        html.Dl(
                            [
                                part
                                for name in POLICIES
                                for part in (
                                    html.Dt([html.Code(name), f" “{title(name)}” in figures"]),
                                    html.Dd(meaning(name)),
                                )
                            ]
                        ),
                    ],
                    className="meaning",
                ),
                html.P(
                    "Truthful providers bid the mean of their costs so far. Deviating ones bid up to d₋ less or d₊ "
                    f"more; where both are 0, choosing them puts d₊ to {DEVIATION:.0%} of c_max. "
                    "Bayesian ones bid a posterior mean, from a prior mean and as many observations as the prior is "
                    "worth, and the platform widens its radius by γ. Biased ones add a share of c_max to their mean "
                    "cost; independent ones bid anything up to c_max.",
                    className="meaning",
                ),
            ]
        ),
        html.Fieldset([html.Legend("Platform"), *_platform(setting)]),
        html.Fieldset([html.Legend("Providers"), *(_provider(state, index) for index in range(setting.n_providers))]),
    ]


def _platform(setting: Setting) -> Iterator[Component]:
    """Yield the sliders of the platform; below that of γ stands, with Bayesian bidders, why it may change nothing."""
    for knob in platform_knobs(setting):
        yield _knob("platform", knob)
        if knob.key == "belief_slack":
            yield html.Div([html.P(LEAST_SLACK, className="meaning"), _switch("keep_gamma")], className="bayesian")
        if knob.key == "quality_threshold":
            yield _places(("earlier", "◀ midpoint", "previous"), ("later", "midpoint ▶", "next"))
        if knob.key == "cost_bound" and least_cost_bound(setting.to_data()["provider"]) is not None:
            yield html.Div([_switch("pinned"), html.P(PINNED, className="meaning")])


def _places(*buttons: tuple[str, str, str]) -> Component:
    """Return buttons that put a number where it belongs; `which` is said to screen readers alone."""
    return html.Div(
        [
            html.Button(
                [html.Span(f"{which} ", className="unseen") if which else None, text],
                type="button",
                className="choice",
                title=_PLACES[place],
                **{"data-place": place},
            )
            for place, text, which in buttons
        ],
        className="places",
    )


#: What the buttons that put a number somewhere do.
_PLACES = {
    "earlier": "the next lower threshold halfway between two qualities",
    "later": "the next higher threshold halfway between two qualities",
}


def _provider(state: PageState, index: int) -> Component:
    setting = state.market.setting
    provider, where = setting.providers[index], str(index)
    named = {"knob": "name", "of": where, "part": "lone"}
    shown = printable(provider.name, 30)
    return html.Details(
        [
            html.Summary(
                [
                    html.Span(printable(provider.name, 40), className="name"),
                    html.Span(_short(provider), id={"line": "provider", "of": where}),
                ]
            ),
            html.Div(
                [
                    html.Label(PROVIDER_LABELS["name"], htmlFor=_written(named)),
                    dcc.Input(id=named, type="text", value=provider.name),
                ],
                className="row",
            ),
            *(_knob(where, knob, f" of {shown}") for knob in provider_knobs(setting, index)),
            *(
                _box(where, key, PROVIDER_LABELS[key], getattr(provider, key), unit=unit)
                for key, (_, unit) in BOXES.items()
            ),
            html.Button(f"Remove {shown}", id={"remove": index}, type="button", className="wide quiet"),
        ],
        open=setting.n_providers <= 4,
        className="provider",
    )


def _short(provider: Provider) -> str:
    """Return the line of a provider; the page's script writes it anew when a box of the provider changes."""
    return f" q {provider.quality:.3g}, cost {provider.mean_cost:.3g}"


def _knob(of: str, knob: Knob, whose: str = "") -> Component:
    slider, box = ({"knob": knob.key, "of": of, "part": part} for part in ("range", "box"))
    label = capital(knob.label)
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


def _box(of: str, key: str, label: str, value: Any, unit: str = "") -> Component:
    """Return a number box without a slider; what no step of it fits would reach the server as an empty box."""
    box = {"knob": key, "of": of, "part": "lone"}
    shown = [label, html.Span(unit, className="unit")] if unit else label
    return html.Div(
        [html.Label(shown, htmlFor=_written(box)), dcc.Input(id=box, type="number", value=value, step="any")],
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
                html.Div(_box("focus", "run", LABELS["run"], focus.run), className="for-run"),
                html.Div(
                    [html.Label("Provider", htmlFor="provider"), select("provider", names, str(focus.provider))],
                    className="row for-provider",
                ),
                html.Div(
                    _box("focus", "bid", f"{LABELS['bid']} (empty: its own bid)", focus.bid, unit="money/query"),
                    className="for-bid",
                ),
            ],
            className="inline",
        ),
        html.Div(_knob("focus", step), className="for-step"),
    ]
