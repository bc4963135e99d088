"""The explorer's server: it answers one page, on this machine alone, from the pure views."""

from __future__ import annotations

import functools
import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import flask
from dash import ALL, MATCH, ClientsideFunction, Dash, Input, Output, State, html, no_update
from dash.exceptions import InvalidResourceError
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, make_server

from bounds.errors import InputError, printable
from bounds.glossary import GLOSSARY
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from bounds.words import capital, counted
from proofs_checks.explorer import page, panels, words
from proofs_checks.explorer.auction_view import step_view
from proofs_checks.explorer.claims_view import claim_rows
from proofs_checks.explorer.controls import PageState
from proofs_checks.explorer.knobs import BIDDER_NUMBERS
from proofs_checks.explorer.market_view import metric_view, provider_rows, summary
from proofs_checks.explorer.notices import notice
from proofs_checks.explorer.pictures import LOOKS, metric_picture, selections_picture
from proofs_checks.explorer.plain_parts import lightened, with_plain_parts
from proofs_checks.explorer.provider_view import provider_view
from proofs_checks.explorer.simulation import simulated_already

HOST = "127.0.0.1"
_NAMES = ("127.0.0.1", "localhost")
#: Where a browser may say that a request comes from: this page, or the reader, who typed the address.
_OWN_SITES = ("same-origin", "none")
#: Bytes of a request at most; the state of 40 providers with long names takes some thousand.
LARGEST_REQUEST = 2**20
_SCRIPTS = "/_dash-component-suites/"
_LOG = logging.getLogger(__name__)
#: What is said beside an error while results of earlier input stay; the style sheet dims them as long as it stands.
STALE = "Results that are drawn already are dimmed: they belong to earlier, valid input."


def make_app(setting: Setting, horizon: int | None = None) -> Dash:
    """Return the page's application, which begins with a setting, and a horizon if it is not the default.

    Every callback is a function of this module: tests call them without a browser.
    """
    PageState.of(setting, horizon)  # refuses what the page cannot show
    app = Dash(
        __name__,
        assets_folder=str(Path(__file__).parent / "assets"),
        title="costproof explorer",
        update_title="",
        index_string=page.INDEX,
        suppress_callback_exceptions=True,
        serve_locally=True,
        compress=False,
    )
    app.layout = with_plain_parts(page.frame())
    _connect(app, setting, horizon)
    _guard(app)
    return app


#: What the market's callback writes to, in this order.
_OF_MARKET = (
    ("metric-picture", "figure"),
    ("selections-picture", "figure"),
    ("selections-picture", "style"),
    ("tiles", "children"),
    ("tiles-caption", "children"),
    ("metric-title", "children"),
    ("metric-meaning", "children"),
    ("metric-caption", "children"),
    ("selections-caption", "children"),
    ("headline", "children"),
    ("widened", "children"),
)


def _connect(app: Dash, setting: Setting, horizon: int | None) -> None:
    """Say which function answers what, here and in the page's script."""

    def answer(function: Callable[..., Any], outputs: Any, *wires: Any, first: bool = False) -> None:
        app.callback(outputs, *wires, prevent_initial_call=not first)(lightened(function))

    answer(
        functools.partial(restructured, setting, horizon),
        [
            *(Output(name, "children") for name in ("controls", "focus-controls")),
            *(Output(name, "data") for name in ("base", "begun")),
            *(Output(name, "children") for name in ("link-trouble", "message")),
        ],
        Input("url", "search"),
        Input("picked", "data"),
        *(State(name, "data") for name in ("state", "base")),
        first=True,
    )
    answer(
        functools.partial(draw_market, first=setting),
        [
            *(Output(*each) for each in _OF_MARKET),
            Output("message", "children", allow_duplicate=True),
            Output("served", "data"),
        ],
        Input("asked", "data"),
    )
    answer(draw_guarantees, Output("guarantees-view", "children"), Input("promised", "data"))
    # One question for all views: each question that the page asks has Dash go through all its parts a dozen times.
    answer(
        functools.partial(draw_views, first=setting),
        [*(Output(f"{view}-view", "children") for view in _VIEWS), Output("query", "data")],
        Input("settled", "data"),
    )
    _connect_script(app)


def _connect_script(app: Dash) -> None:
    def script(function: str, *wires: Any, first: bool = False) -> None:
        app.clientside_callback(ClientsideFunction("explorer", function), *wires, prevent_initial_call=not first)

    slider, box = ({"knob": MATCH, "of": MATCH, "part": part} for part in ("range", "box"))
    numbers = ({"knob": key, "of": MATCH, "part": "box"} for key in ("quality", "mean_cost"))
    line = Output({"line": "provider", "of": MATCH}, "children")
    script("line", line, *(Input(each, "value") for each in numbers))
    both = (each for kind in (Output, Input) for each in (kind(slider, "value"), kind(box, "value")))
    script("together", *both)
    pressed, choices = {"choice": ALL, "value": ALL}, Output("choices", "data")
    moved = (Input(pressed, "n_clicks"), Input("picked", "data"), Input("begun", "data"))
    script("choose", choices, *moved, State("choices", "data"), first=True)
    script("show", Output(pressed, "aria-pressed"), Input("choices", "data"), Input(pressed, "id"), first=True)
    boxes, lone = ({"knob": ALL, "of": ALL, "part": part} for part in ("box", "lone"))
    script(
        "gather",
        Output("state", "data"),
        *(Input(each, "value") for each in (boxes, lone)),
        *(Input(each, "data") for each in ("choices", "base", "mistyped")),
        *(State(each, "id") for each in (boxes, lone)),
        first=True,
    )
    reach = Output({"knob": "step", "of": "focus", "part": "range"}, "max")
    script("reach", reach, Input("state", "data"), first=True)
    script("answered", Output("sink", "data"), Input("served", "data"), first=True)
    aside, state = Output("sink", "data", allow_duplicate=True), Input("state", "data")
    script("gate", aside, state, Input("released", "data"))
    script("settle", aside, state)
    script("link", aside, Input("query", "data"))


def _guard(app: Dash) -> None:
    """Refuse what does not come from this machine's own page."""
    server: flask.Flask = app.server
    # Another site's name that is made to point here is no name of ours.
    server.config["TRUSTED_HOSTS"] = list(_NAMES)
    server.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST

    def own_page_only() -> None:
        flask.request.host  # noqa: B018 - raises for a name that is not trusted
        origin = flask.request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != flask.request.host:
            flask.abort(403)
        if flask.request.headers.get("Sec-Fetch-Site", "none") not in _OWN_SITES:
            flask.abort(403)
        if flask.request.url_rule is not None and flask.request.url_rule.rule == "/<path:path>":
            flask.abort(404)  # Dash answers any other path with the page

    hashes = " ".join(app.csp_hashes())
    policy = (
        f"default-src 'self'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )

    def nothing_from_outside(response: flask.Response) -> flask.Response:
        response.headers["Content-Security-Policy"] = policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    server.before_request(own_page_only)
    server.after_request(nothing_from_outside)
    for kind in (Exception, InvalidResourceError):  # Dash repeats the path of the second one
        server.register_error_handler(kind, _refused)


def _refused(error: Exception) -> flask.Response:
    """Return the answer to a request that failed; neither it nor the log repeats anything of the request."""
    code = error.code if isinstance(error, HTTPException) else None
    if code is None and flask.request.path.startswith(_SCRIPTS):
        code = 404  # Dash raises for a file that it does not have
    if code is None:
        _report(error)
    status = HTTPStatus(code if code is not None and code >= 400 else 404 if code is not None else 500)
    return flask.Response(f"{status.phrase}\n", status=status, content_type="text/plain")


def _report(error: BaseException | None) -> None:
    """Log one line on an error that nothing foresaw: its type and its place, and no text of it."""
    walked = [] if error is None else traceback.extract_tb(error.__traceback__)
    place = f"{Path(walked[-1].filename).name}:{walked[-1].lineno}" if walked else "an unknown place"
    _LOG.error("costproof: a request to the explorer failed (%s at %s)", type(error).__name__, place)


def restructured(
    first: Setting, horizon: int | None, search: Any, picked: Any, state: Any, base: Any
) -> tuple[Any, ...]:
    """Return the controls anew: where the page opens, starts from another setting, gains or loses a provider."""
    if base is None:
        return _opened(first, horizon, str(search or "").removeprefix("?"))
    try:
        found = _picked(picked, first, horizon, state)
    except InputError as error:
        return (*(no_update,) * 5, notice(error))
    return (no_update,) * 6 if found is None else (*drawn_controls(found, found.market.setting.name), "", "")


def _opened(first: Setting, horizon: int | None, link: str) -> tuple[Any, ...]:
    try:
        found = PageState.from_query(link, first) if link else PageState.of(first, horizon)
    except InputError as error:
        found, shown = PageState.of(first, horizon), printable(first.name, 60)
        return *drawn_controls(found, first.name), f"The link is not understood: {error}. {shown} is shown instead.", ""
    return *drawn_controls(found, found.market.setting.name), "", ""


def drawn_controls(state: PageState, preset: str) -> tuple[Any, ...]:
    """Return the controls of a state, and what the page's script knows of it."""
    market, focus = state.market, state.focus
    kind = market.bidders.partition(":")[0]
    begun = {
        "view": focus.view,
        "metric": focus.metric,
        "policies": list(market.policies),
        "bidders": kind if kind in BIDDER_NUMBERS else market.bidders,
        "keep_gamma": market.keep_gamma,
        "provider": focus.provider,
    }
    base = {"name": market.setting.name, "providers": market.setting.n_providers, "serial": time.time()}
    return page.controls(state, preset), page.focus_controls(state), base, begun


def _picked(picked: Any, first: Setting, horizon: int | None, state: Any) -> PageState | None:
    """Return the state that a choice leads to which makes other controls; None for every other choice."""
    key, value = (picked.get("key"), picked.get("value")) if isinstance(picked, dict) else (None, None)
    if key == "preset":
        return _preset(value, first, horizon, state)
    if key == "add":
        return with_provider(state)
    if key == "remove":
        return without_provider(state, value)
    return None


def _preset(name: Any, first: Setting, horizon: int | None, state: Any) -> PageState:
    built_in = isinstance(name, str) and name in PUBLISHED_NAMES and name != first.name
    begun = PageState.of(published(name).setting) if built_in else PageState.of(first, horizon)
    # The rest of what the page sent is replaced, so it need not be valid.
    focus = state.get("focus") if isinstance(state, dict) else None
    kept = {key: focus[key] for key in ("view", "metric") if key in focus} if isinstance(focus, dict) else {}
    return replace(begun, focus=replace(begun.focus, **kept))


def with_provider(state: Any) -> PageState:
    """Return the state with one provider more: at the threshold, and half as dear as the cost bound."""
    found = read_state(state).to_data()
    providers, platform = found["setting"]["provider"], found["setting"]["platform"]
    names, count = {provider["name"] for provider in providers}, len(providers) + 1
    while f"Provider {count}" in names:
        count += 1
    new = {
        "name": f"Provider {count}",
        "quality": platform["quality_threshold"],
        "mean_cost": platform["cost_bound"] / 2,
    }
    found["setting"]["provider"] = [*providers, new]
    return PageState.from_data(found)


def without_provider(state: Any, index: Any) -> PageState:
    """Return the state without a provider."""
    found = read_state(state).to_data()
    providers = found["setting"]["provider"]
    found["setting"]["provider"] = [each for i, each in enumerate(providers) if i != index]
    found["focus"]["provider"] = min(found["focus"]["provider"], max(0, len(providers) - 2))
    return PageState.from_data(found)


def read_state(data: Any, first: Setting | None = None) -> PageState:
    """Return the state that the page sent: its three tables, without what is only of the page.

    `first` is the setting that the explorer was started with: another one of its name is a changed one.
    """
    known = ("setting", "market", "focus")
    sent = {key: data[key] for key in known if key in data} if isinstance(data, dict) else data
    found = PageState.from_data(sent)
    return replace(found, market=replace(found.market, began=first))


def _valid(data: Any, first: Setting | None = None) -> PageState | None:
    """Return the state that the page sent; None where it is not valid, which the message of the page says."""
    try:
        return read_state(data, first)
    except InputError:
        return None


def theme_of(data: dict[str, Any]) -> str:
    """Return the theme that the page sent, light unless it is one that there is."""
    theme = str(data.get("theme"))
    return theme if theme in LOOKS else "light"


def draw_market(asked: dict[str, Any] | None, first: Setting | None = None) -> tuple[Any, ...]:
    """Return the pictures of the market, or what is wrong with the controls; the page may ask again after it."""
    nothing = (no_update,) * len(_OF_MARKET)
    if not isinstance(asked, dict):  # the page has not gathered its controls yet
        return (*nothing, no_update, no_update)
    served = {"serial": asked.get("serial"), "next": 0, "total": 0}
    try:
        state = read_state(asked, first)
        stages = state.market.stages()
        market = stages[0] if asked.get("draft") else state.market.at_stage(asked.get("stages"))
        view, rows = metric_view(market, state.focus.metric), provider_rows(market)
        tiles = panels.tiles(summary(market), market)
    except InputError as error:
        return (*nothing, [f"{notice(error)}. ", html.Strong(STALE, className="stale")], served)
    theme, described = theme_of(asked), GLOSSARY[state.focus.metric]
    selections = selections_picture(rows, market.horizon, theme)
    return (
        metric_picture(view, theme, log=asked.get("log") is True),
        selections,
        # A picture that is resized while its view is hidden would lose its height otherwise.
        {"height": f"{selections['layout']['height']}px"},
        tiles,
        words.summary_caption(market),
        f"{capital(described.name)} over time",
        f"{capital(described.meaning)}. Unit: {described.unit}.",
        words.metric_caption(market, state.market, "while you drag" if asked.get("draft") else "so far"),
        words.selections_caption(rows),
        _headline(state),
        words.widened_everywhere(market),
        "",
        {**served, "next": stages.index(market) + 1, "total": len(stages)},
    )


def _headline(state: PageState) -> str:
    market, name = state.market, printable(state.market.exported.name, 60)
    return (
        f"{name}: {market.setting.n_providers} providers, {market.horizon:,} queries, "
        f"{counted(market.runs, 'run')}, {market.bidders} bidders"
    )


def draw_guarantees(sent: dict[str, Any] | None) -> Any:
    """Return the guarantees, beside the runs that there are by now: nothing is simulated, and nothing is waited for."""
    state = _valid(sent)
    if state is None or state.focus.view != "guarantees":
        return no_update
    for market in reversed(state.market.stages()):
        if (played := simulated_already(market)) is not None:
            return panels.guarantees_page(played, market, state.market)
    return panels.guarantees_page(None, state.market, state.market)


def draw_views(settled: dict[str, Any] | None, first: Setting | None = None) -> tuple[Any, ...]:
    """Return the content of every view that is drawn when it is looked at, as `_VIEWS` has them, and the link."""
    state = _valid(settled, first)
    if settled is None or state is None:
        return (no_update,) * (len(_VIEWS) + 1)
    drawn = (
        _drawn(draw, state, theme_of(settled)) if state.focus.view == view else no_update
        for view, draw in _VIEWS.items()
    )
    return (*drawn, state.to_query())


def _drawn(draw: Callable[[PageState, str], Any], state: PageState, theme: str) -> Any:
    try:
        return draw(state, theme)
    except InputError as error:
        return html.P(notice(error), className="meaning")


_VIEWS: dict[str, Callable[[PageState, str], Any]] = {
    "auction": lambda state, theme: panels.step_page(step_view(state), theme),
    "provider": lambda state, theme: panels.provider_page(
        provider_view(state.market, state.focus.provider), state.market.runs, theme
    ),
    "claims": lambda state, theme: panels.claims_page(claim_rows(state.market, state.focus.run), state.focus.run),
    "export": lambda state, theme: panels.export_page(state),
}


@contextmanager
def serving(setting: Setting, port: int = 0, horizon: int | None = None) -> Iterator[tuple[str, BaseWSGIServer]]:
    """Open the explorer on this machine; yield its address and the server, to be run by `serve_forever`.

    Parameters
    ----------
    setting : Setting
        Where the page begins.
    port : int, optional
        0 (default) for a free one.
    horizon : int, optional
        Where the page begins, too; by default the paper's.

    Raises
    ------
    InputError
        The port is taken, or the page cannot show the setting or the horizon.
    """
    # Its lines repeat what a request says.
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    app = make_app(setting, horizon)
    try:
        server = make_server(HOST, port, app.server, threaded=True)
    except (OSError, SystemExit):  # Werkzeug prints what is wrong and exits
        raise InputError(
            "port", port, "cannot be had", "another program may have it; leave it out for a free one"
        ) from None
    server.handle_error = lambda *_: _report(sys.exception())
    try:
        yield f"http://{HOST}:{server.server_port}/", server
    finally:
        server.server_close()


def serve(setting: Setting, port: int, opened: Callable[[str], None], horizon: int | None = None) -> None:
    """Serve the explorer until it is interrupted; `opened` is called with its address."""
    with serving(setting, port, horizon) as (address, server):
        opened(address)
        server.serve_forever()
    # Werkzeug takes Ctrl-C for itself, and nothing else ends it.
    raise KeyboardInterrupt
