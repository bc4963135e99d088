"""The page: its fixed frame and the controls of a state; `panels` fills the views."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from bounds.errors import printable
from bounds.glossary import title_of
from bounds.published import PUBLISHED_NAMES
from bounds.setting.model import Setting
from bounds.words import capital
from mechanism.policies import POLICIES
from mechanism.policy_names import POLICY_MEANINGS
from proofs_checks.explorer.controls import BIDDERS, LONGEST_HORIZON, MOST_RUNS, VIEWS, PageState
from proofs_checks.explorer.knobs import (
    BIDDER_NUMBERS,
    BOXES,
    LABELS,
    PROVIDER_LABELS,
    Knob,
    bidder_knobs,
    platform_knobs,
    provider_knobs,
)
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.figures.palette import ROLES

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
LEAST_SLACK = "Bayesian bidders need a certain γ at least. Where the slider is below it, the platform takes that γ."
#: The switches of the page: what they are called.
SWITCHED = {"keep_gamma": "Take γ as it is, though the bidders need more", "log": "Log scale"}

INDEX = Path(__file__).with_name("index.html").read_text(encoding="utf-8")


#: Where the page keeps what it knows and what it asks for.
_STORES = ("base", "begun", "picked", "state", "promised", "asked", "released", "settled", "served", "query", "sink")
#: What is chosen before the server says where the page begins.
_FIRST = {"view": "market", "metric": "quality_regret", "policies": ["platform"], "bidders": "truthful", "provider": 0}


def frame() -> Component:
    """Return the page without a market: stores, controls to be filled, and one section for every view."""
    choices = {**_FIRST, "keep_gamma": False, "log": False, "theme": "light"}
    themes = [html.Span(f"Switch to {name}", className=f"to-{name}") for name in ("dark", "light")]
    panel = [
        html.Button("Reset", id="reset", type="button", className="wide"),
        html.Div(id="controls"),
        html.Button("Add a provider", id="add", type="button", className="wide"),
    ]
    views = [_choice("view", name, title) for name, title in VIEWS.items()]
    main = [
        html.Nav(views, className="views", **{"aria-label": "Views"}),
        *(html.Div(html.P(id=name), className="card notice") for name in ("link-trouble", "widened")),
        html.Div(id="focus-controls", className="card focus"),
        *(html.Section(_view(name), className=f"view of-{name}") for name in VIEWS),
    ]
    return html.Div(
        [
            dcc.Location(id="url", refresh=False),
            *(dcc.Store(id=name) for name in (*_STORES, "mistyped")),
            dcc.Store(id="choices", data=choices),
            html.A("Skip to the picture", href="#views", className="skip"),
            html.Header(
                [
                    html.Div([html.H1("costproof explorer"), html.P(id="headline", className="headline")]),
                    _choice("theme", "theme", themes),
                    html.Button("Controls", id="sheet", type="button", className="sheet", **{"aria-expanded": "false"}),
                ]
            ),
            html.Div(id="message", role="status", className="message", **{"aria-live": "polite"}),
            html.Div(
                [html.Aside(panel, **{"aria-label": "Setting and market"}), html.Main(main, id="views")],
                className="columns",
            ),
            html.P("Computing …", className="busy"),
        ],
        className="page",
    )


def _view(name: str) -> list[Component]:
    head = html.H2(VIEWS[name], className="unseen")
    if name == "market":
        return [head, *_market()]
    waits = [
        html.P("Computing …", className="meaning computing"),
        html.P("This view is not drawn yet: it is once the input is valid.", className="meaning invalid"),
    ]
    return [head, html.Div(waits, id=f"{name}-view")]


#: What stands above the picture of who served: the colours, and what each means.
_COLOURS = {
    "optimal": f"{ROLES['$i^*$'].sign} optimal provider: the cheapest of the qualified ones",
    "qualified": f"{ROLES['qualified'].sign} other qualified providers: quality at or above the threshold",
    "unqualified": f"{ROLES['unqualified'].sign} hatched: providers below the threshold",
}


def _market() -> list[Component]:
    metrics = select("metric", {key: title_of(key) for key in METRICS}, "quality_regret")
    head = [html.Label("Over time", htmlFor="metric"), html.Div(metrics), _switch("log")]
    legend = [html.Li([html.Span(className=f"swatch {colour}"), text]) for colour, text in _COLOURS.items()]
    return [
        html.Div(id="tiles", className="tiles"),
        html.P(id="tiles-caption", className="meaning"),
        card(
            html.Div(head, className="card-head"),
            html.P(id="metric-meaning", className="meaning"),
            titled(
                dcc.Graph(id="metric-picture", config=GRAPH, className="picture", style={"height": "21rem"}),
                html.Figcaption(id="metric-caption"),
                name="metric",
                title="",
            ),
        ),
        card(
            html.H3("Who served"),
            html.Ul(legend, className="legend"),
            titled(
                dcc.Graph(id="selections-picture", config=GRAPH, className="picture"),
                html.Figcaption(id="selections-caption"),
                name="selections",
                title="Queries of one run that each provider served",
            ),
        ),
    ]


def card(*parts: Component | None) -> Component:
    """Return a framed part of a view."""
    return html.Div([part for part in parts if part is not None], className="card")


def titled(graph: Component, caption: Component, *, name: str, title: str) -> Component:
    """Return a picture with its caption and its title, which is also its name for a screen reader.

    `name` is a plain word that no other picture of the page has. A callback may write the title.
    """
    head = f"{name}-title"
    shown = html.P(title, id=head, className="picture-title")
    return html.Figure([shown, graph, caption], **{"aria-labelledby": head})


def _choice(key: str, value: str, label: str | list[Component]) -> Component:
    return html.Button(label, id={"choice": key, "value": value}, type="button", className="choice")


def _switch(key: str) -> Component:
    """Return a switch: a button that stays pressed until it is pressed again."""
    identity = {"choice": key, "value": "on"}
    return html.Button(
        SWITCHED[key], id=identity, type="button", className="choice switch", **{"aria-pressed": "false"}
    )


def select(name: str, options: Mapping[str, str], chosen: str) -> Component:
    """Return a native select; the page's script turns its changes into a choice of this name."""
    shown = [html.Option(text, value=value, selected=value == chosen) for value, text in options.items()]
    return html.Select(shown, id=name, **{"data-choice": name})


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
                _row("Start from", select("preset", presets, preset), "row from"),
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
                html.Details(
                    [html.Summary("What policies and bidders do"), html.Dl(list(_meanings()))], className="meaning"
                ),
            ]
        ),
        html.Fieldset([html.Legend("Platform"), *_platform(setting)]),
        html.Fieldset([html.Legend("Providers"), *(_provider(state, index) for index in range(setting.n_providers))]),
    ]


def _meanings() -> Iterator[Component]:
    for policy in POLICIES:
        yield from (html.Dt(html.Code(policy)), html.Dd(POLICY_MEANINGS[policy]))
    for bidders, meaning in BIDDERS.items():
        yield from (html.Dt(html.Code(bidders)), html.Dd(f"every provider bids {meaning}"))


def _platform(setting: Setting) -> Iterator[Component]:
    """Yield the sliders of the platform; below that of γ stands, with Bayesian bidders, why it may change nothing."""
    for knob in platform_knobs(setting):
        yield _knob("platform", knob)
        if knob.key == "belief_slack":
            yield html.Div([html.P(LEAST_SLACK, className="meaning"), _switch("keep_gamma")], className="bayesian")


def _provider(state: PageState, index: int) -> Component:
    setting = state.market.setting
    provider, where = setting.providers[index], str(index)
    named = {"knob": "name", "of": where, "part": "lone"}
    shown, short = printable(provider.name, 30), f" q {provider.quality:.3g}, cost {provider.mean_cost:.3g}"
    return html.Details(
        [
            html.Summary(
                [
                    html.Span(printable(provider.name, 40), className="name"),
                    # The page's script writes it anew when a box of the provider changes.
                    html.Span(short, id={"line": "provider", "of": where}),
                ]
            ),
            _row(PROVIDER_LABELS["name"], dcc.Input(id=named, type="text", value=provider.name)),
            *(_knob(where, knob, f" of {shown}") for knob in provider_knobs(setting, index)),
            *(
                _box(where, key, PROVIDER_LABELS[key], getattr(provider, key), unit=unit)
                for key, (_, unit) in BOXES.items()
            ),
            html.Button(f"Remove {shown}", type="button", className="wide quiet", **{"data-remove": index}),
        ],
        open=setting.n_providers <= 4,
        className="provider",
    )


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
    return _row(shown, dcc.Input(id=box, type="number", value=value, step="any"))


def _row(label: str | list[Any], control: Component, name: str = "row") -> Component:
    target = control.id if isinstance(control.id, str) else _written(control.id)
    return html.Div([html.Label(label, htmlFor=target), control], className=name)


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
                _row("Provider", select("provider", names, str(focus.provider)), "row for-provider"),
                html.Div(
                    _box("focus", "bid", f"{LABELS['bid']} (empty: its own bid)", focus.bid, unit="money/query"),
                    className="for-bid",
                ),
            ],
            className="inline",
        ),
        html.Div(_knob("focus", step), className="for-step"),
    ]
