"""The explorer's server: it answers one page, on this machine alone, from the pure views."""

from __future__ import annotations

import functools
import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import flask
from dash import ALL, MATCH, ClientsideFunction, Dash, Input, Output, State, ctx, html, no_update
from dash.exceptions import InvalidResourceError
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, make_server

from bounds.errors import InputError, printable
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from proofs_checks.explorer import comparison_panels, page, panels, run_panels, words
from proofs_checks.explorer.auction_view import step_view
from proofs_checks.explorer.claims_view import claim_rows, good_events, in_passes
from proofs_checks.explorer.comparison_words import plan_sentence, progress_sentence
from proofs_checks.explorer.controls import Market, PageState
from proofs_checks.explorer.export import file_name, results_text, setting_text
from proofs_checks.explorer.held import held_of
from proofs_checks.explorer.knobs import BIDDER_NUMBERS
from proofs_checks.explorer.market_view import metric_view, promises, provider_rows, summary
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.notices import notice
from proofs_checks.explorer.pictures import LOOKS, metric_picture, selections_picture
from proofs_checks.explorer.plain_parts import lightened, with_plain_parts
from proofs_checks.explorer.policies_view import policy_rows
from proofs_checks.explorer.provider_view import provider_view
from proofs_checks.explorer.roster_view import known_elsewhere, next_midpoint, roster_view
from proofs_checks.explorer.run_view import beliefs, payoffs
from proofs_checks.explorer.sweep_view import SweepChoice, sweep_plan, sweep_point
from proofs_checks.plurals import counted

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


def _connect(app: Dash, setting: Setting, horizon: int | None) -> None:
    """Say which function answers what, here and in the page's script."""
    app.callback(
        Output("controls", "children"),
        Output("metric-choice", "children"),
        Output("focus-controls", "children"),
        Output("base", "data"),
        Output("begun", "data"),
        Output("link-trouble", "children"),
        Output("message", "children"),
        Input("url", "search"),
        Input("picked", "data"),
        Input("add", "n_clicks"),
        Input({"remove": ALL}, "n_clicks"),
        State("state", "data"),
        State("base", "data"),
    )(lightened(functools.partial(_restructured, setting, horizon)))
    app.callback(
        Output("metric-picture", "figure"),
        Output("selections-picture", "figure"),
        Output("selections-picture", "style"),
        Output("tiles", "children"),
        Output("metric-meaning", "children"),
        Output("metric-caption", "children"),
        Output("selections-caption", "children"),
        Output("tiles-caption", "children"),
        Output("headline", "children"),
        Output("metric-title", "children"),
        Output("selections-title", "children"),
        Output("looser-bounds", "children"),
        Output("widened", "children"),
        Output("message", "children", allow_duplicate=True),
        Output("served", "data"),
        Output("reset", "children"),
        Output("reset", "value"),
        Output("runs-status", "children"),
        Output("pin", "data"),
        Input("asked", "data"),
        prevent_initial_call=True,
    )(lightened(functools.partial(draw_market, first=setting, horizon=horizon)))
    app.callback(
        Output("guarantees", "children"), Output("query", "data"), Input("settled", "data"), prevent_initial_call=True
    )(lightened(draw_details))
    # At once, before anything is simulated.
    app.callback(
        Output("guaranteed", "children"),
        Output("guarantees", "children", allow_duplicate=True),
        Input("asked", "data"),
        Input("settled", "data"),
        prevent_initial_call=True,
    )(lightened(_newest_guaranteed))
    # One question for all views: each question that the page asks has Dash go through all its parts a dozen times.
    app.callback(
        [Output(f"{view}-view", "children") for view in (*_VIEWS, "sweep")],
        Input("settled", "data"),
        State("sweep-asked", "data"),
        prevent_initial_call=True,
    )(lightened(functools.partial(draw_views, first=setting)))
    app.callback(Output("saved", "data"), Input("saving", "data"), State("state", "data"), prevent_initial_call=True)(
        functools.partial(save_setting, first=setting)
    )
    app.callback(
        Output("saved-results", "data"),
        Input("saving-results", "data"),
        State("state", "data"),
        prevent_initial_call=True,
    )(functools.partial(save_results, first=setting))
    app.callback(Output("placed", "data"), Input("place", "data"), State("state", "data"), prevent_initial_call=True)(
        place_number
    )
    app.callback(
        Output("sweep-results", "children"),
        Output("sweep-status", "children"),
        Output("sweep-progress", "value"),
        Output("sweep-progress", "max"),
        Output("sweep-done", "data"),
        Input("sweep-asked", "data"),
        prevent_initial_call=True,
    )(lightened(functools.partial(draw_sweep, first=setting)))
    _connect_script(app)


def _connect_script(app: Dash) -> None:
    choices = Input({"choice": ALL, "value": ALL}, "n_clicks")

    def script(function: str, *wires: Any, **more: Any) -> None:
        app.clientside_callback(ClientsideFunction("explorer", function), *wires, **more)

    slider, box = ({"knob": MATCH, "of": MATCH, "part": part} for part in ("range", "box"))
    line, short = {"line": "provider", "of": MATCH}, {"of": MATCH, "part": "box"}
    script(
        "line",
        Output(line, "children"),
        Input({"knob": "quality", **short}, "value"),
        Input({"knob": "mean_cost", **short}, "value"),
        prevent_initial_call=True,
    )
    script(
        "together",
        Output(slider, "value"),
        Output(box, "value"),
        Input(slider, "value"),
        Input(box, "value"),
        prevent_initial_call=True,
    )
    script(
        "choose",
        Output("choices", "data"),
        choices,
        Input("picked", "data"),
        Input("begun", "data"),
        State("choices", "data"),
    )
    pressed = {"choice": ALL, "value": ALL}
    script("show", Output(pressed, "aria-pressed"), Input("choices", "data"), Input(pressed, "id"))
    boxes, lone = ({"knob": ALL, "of": ALL, "part": part} for part in ("box", "lone"))
    script(
        "gather",
        Output("state", "data"),
        Input(boxes, "value"),
        Input(lone, "value"),
        Input("choices", "data"),
        Input("base", "data"),
        Input("mistyped", "data"),
        State(boxes, "id"),
        State(lone, "id"),
    )
    aside = Output("sink", "data", allow_duplicate=True)
    script("gate", aside, Input("state", "data"), Input("released", "data"), prevent_initial_call=True)
    script("reach", Output({"knob": "step", "of": "focus", "part": "range"}, "max"), Input("state", "data"))
    script("answered", Output("sink", "data"), Input("served", "data"))
    script("settle", aside, Input("state", "data"), prevent_initial_call=True)
    for place in ("placed", "pin"):
        script("placed", aside, Input(place, "data"), prevent_initial_call=True)
    script("swept", aside, Input("sweep-done", "data"), prevent_initial_call=True)
    script("link", aside, Input("query", "data"), prevent_initial_call=True)


def _guard(app: Dash) -> None:
    """Refuse whatever does not come from this machine's own page."""
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


def _restructured(
    first: Setting,
    horizon: int | None,
    search: str | None,
    picked: dict[str, Any] | None,
    added: int | None,
    removed: list[int | None],
    state: dict[str, Any] | None,
    base: dict[str, Any] | None,
) -> tuple[Any, ...]:
    """Return the controls anew: where the page opens, starts from another setting, gains or loses a provider."""
    nothing = (no_update,) * 6
    try:
        link = (search or "").removeprefix("?")
        if base is None:
            found: PageState | None = PageState.from_query(link, first) if link else PageState.of(first, horizon)
        else:
            found = _next_state(first, horizon, picked, added, removed, state)
    except InputError as error:
        if base is None:  # a link that says nothing sensible: the page opens all the same
            found = PageState.of(first, horizon)
            shown = printable(first.name, 60)
            return (
                *_drawn(found, first.name),
                f"The link is not understood: {error}. The page shows {shown} instead.",
                "",
            )
        return (*nothing, notice(error))
    if found is None:
        return (*nothing, no_update)
    preset = found.market.setting.name
    return (*_drawn(found, preset), "", "")


def _drawn(state: PageState, preset: str) -> tuple[Any, ...]:
    market, focus = state.market, state.focus
    kind = market.bidders.partition(":")[0]
    begun = {
        "view": focus.view,
        "metric": focus.metric,
        "policies": list(market.policies),
        "bidders": kind if kind in BIDDER_NUMBERS else market.bidders,
        "keep_gamma": market.keep_gamma,
        "pinned": market.pinned,
        "provider": focus.provider,
        "policy": focus.policy,
        "verdict": "all",
    }
    base = {"name": market.setting.name, "providers": market.setting.n_providers, "serial": time.time()}
    return page.controls(state, preset), page.metric_select(focus.metric), page.focus_controls(state), base, begun


def _next_state(
    first: Setting,
    horizon: int | None,
    picked: dict[str, Any] | None,
    added: int | None,
    removed: list[int | None],
    state: dict[str, Any] | None,
) -> PageState | None:
    """Return the state that an event leads to, or None where it leads nowhere."""
    event = ctx.triggered_id
    if state is None:
        return None
    if event == "picked":
        return None if not picked else _picked(picked.get("key"), picked.get("value"), first, horizon, state)
    if event == "add" and added:
        return with_provider(state)
    if isinstance(event, dict) and any(removed):
        return without_provider(state, int(event["remove"]))
    return None


def _picked(key: Any, value: Any, first: Setting, horizon: int | None, state: dict[str, Any]) -> PageState | None:
    """Return the state that a choice leads to which makes other controls; None for every other choice."""
    if key == "preset":
        return _preset(value, first, horizon, state)
    if key == "join" and value:
        return with_known_provider(state, str(value))
    if key == "remove" and str(value).isdigit():
        return without_provider(state, int(value))
    return None


def _preset(name: Any, first: Setting, horizon: int | None, state: dict[str, Any]) -> PageState:
    original = _original(name, first)
    begun = PageState.of(original, horizon if original == first else None)
    # The rest of what the page sent is replaced, so it need not be valid.
    focus = state.get("focus")
    kept = {key: focus[key] for key in ("view", "metric") if key in focus} if isinstance(focus, dict) else {}
    return replace(begun, focus=replace(begun.focus, **kept))


def _original(name: Any, first: Setting) -> Setting:
    """Return the setting that a name of "Start from" stands for."""
    return published(name).setting if name in PUBLISHED_NAMES else first


def way_back(data: Any, first: Setting | None = None, horizon: int | None = None) -> str:
    """Return the name of the setting that the market began with; empty while nothing of the market is changed.

    Parameters
    ----------
    data : mapping
        What the page sent; its numbers may be invalid.
    first : Setting, optional
        The setting that the explorer was started with.
    horizon : int, optional
        The horizon that it was started with, if that is not the default.
    """
    started, setting = first, data.get("setting") if isinstance(data, dict) else None
    name = setting.get("name") if isinstance(setting, dict) else None
    if name in PUBLISHED_NAMES:
        first = published(str(name)).setting
    if first is None:
        return ""
    try:
        changed = read_state(data).market != PageState.of(first, horizon if first == started else None).market
    except InputError:
        changed = True
    return first.name if changed else ""


def with_provider(state: dict[str, Any]) -> PageState:
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


def with_known_provider(state: dict[str, Any], name: str) -> PageState:
    """Return the state with a provider of the same benchmark more; the same state where there is none of that name."""
    found = read_state(state)
    known = [each for each in known_elsewhere(found.market.setting) if each.name == name]
    data = found.to_data()
    for each in known:
        # A dearer one may cost more than anybody was paid so far.
        platform = data["setting"]["platform"]
        platform["cost_bound"] = max(platform["cost_bound"], each.mean_cost)
        data["setting"]["provider"] = [*data["setting"]["provider"], asdict(each)]
    return PageState.from_data(data)


def without_provider(state: dict[str, Any], index: int) -> PageState:
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


def theme_of(data: dict[str, Any]) -> str:
    """Return the theme that the page sent, light unless it is one that there is."""
    theme = str(data.get("theme"))
    return theme if theme in LOOKS else "light"


def draw_market(
    asked: dict[str, Any] | None, first: Setting | None = None, horizon: int | None = None
) -> tuple[Any, ...]:
    """Return the pictures of the market, or what is wrong with the controls; the page may ask again after it."""
    if asked is None:  # the page has not gathered its controls yet
        return (no_update,) * 19
    served, back = {"serial": asked.get("serial"), "next": 0, "total": 0}, way_back(asked, first, horizon)
    reset = (f"Reset to {printable(back, 40)}" if back else "", back)
    try:
        state = read_state(asked, first)
        stages = state.market.stages()
        market = stages[0] if asked.get("draft") else state.market.at_stage(asked.get("stages"))
        start = time.perf_counter()
        view, rows = metric_view(market, state.focus.metric), provider_rows(market)
        held = held_of(asked.get("held"), state.focus.metric)
        figures = panels.tiles(summary(market), market.policies[0])
        seconds = time.perf_counter() - start
    except InputError as error:
        message = [f"{notice(error)}. ", html.Strong(STALE, className="stale")]
        return (*(no_update,) * 13, message, served, *reset, "", no_update)
    log, why = asked.get("log") is True, _why_fewer(asked)
    theme, described = theme_of(asked), METRICS[state.focus.metric]
    selections = selections_picture(rows, market.horizon, theme)
    return (
        metric_picture(view, theme, log=log, held=None if held is None else held.view),
        selections,
        # A picture that is resized while its view is hidden would lose its height otherwise.
        {"height": f"{selections['layout']['height']}px"},
        figures,
        f"{described.title}: {described.meaning}. Unit: {described.unit}.",
        words.metric_caption(market, state.market, seconds, why)
        + words.branches_caption(view, log=log)
        + (held.caption(market) if held else ""),
        words.selections_caption(market.policies[0], rows),
        " ".join(filter(None, (words.why_collapsed(market, rows), words.summary_caption(market), words.draws(market)))),
        _headline(state),
        words.metric_title(state.focus.metric, market),
        words.selections_title(market),
        words.looser_bounds(market),
        words.widened_everywhere(market),
        "",
        {**served, "next": stages.index(market) + 1, "total": len(stages)},
        *reset,
        words.runs_shown(market, state.market, why),
        _pin(asked, state),
    )


def shown_market(state: PageState, settled: dict[str, Any]) -> Market:
    """Return the market with the runs that the page has: all, or as many as there were when a reader stopped them."""
    return state.market.at_stage(settled.get("stages"))


def _why_fewer(asked: dict[str, Any]) -> str:
    if asked.get("draft"):
        return "while you drag"
    return "before you stopped" if asked.get("stopped") is True else "so far"


def _pin(asked: dict[str, Any], state: PageState) -> Any:
    """Return where c_max goes, where it is kept at the least and the page's slider is elsewhere."""
    least = state.market.setting.platform.cost_bound
    if not state.market.pinned or asked["setting"]["platform"]["cost_bound"] == least:
        return no_update
    return {"key": "cost_bound", "value": least, "serial": asked.get("serial")}


def _headline(state: PageState) -> str:
    market, name = state.market, printable(state.market.shown_name, 60)
    return (
        f"{name}: {market.setting.n_providers} providers, {market.horizon:,} queries, "
        f"{counted(market.runs, 'run')}, {words.bidders_in_words(market.bidders)}"
    )


def draw_details(settled: dict[str, Any] | None) -> tuple[Any, ...]:
    """Return the guarantees beside what happened, and the link to this view."""
    try:
        state = read_state(settled)
        market = shown_market(state, settled or {})
        part = "" if market.runs == state.market.runs else f" ({market.runs} of {state.market.runs} runs)"
        return panels.guarantees(promises(market), market.horizon, part), state.to_query()
    except InputError:
        return no_update, no_update


def _newest_guaranteed(asked: dict[str, Any] | None, settled: dict[str, Any] | None) -> tuple[Any, Any]:
    if ctx.triggered_id == "settled":  # the market has its runs: `draw_details` sets them beside
        return draw_guaranteed(settled)[0], no_update
    return draw_guaranteed(asked)


def draw_guaranteed(sent: dict[str, Any] | None) -> tuple[Any, Any]:
    """Return the guarantees by themselves, of the views of the guarantees and of the market: they wait for no run.

    The market's stay as they are where it has runs already.
    """
    try:
        state = None if sent is None else read_state(sent)
    except InputError:  # which the message of the page says
        state = None
    if sent is None or state is None:
        return no_update, no_update
    market, view = state.market, state.focus.view
    if view == "guarantees":
        found = panels.guarantees(promises(market, played=False), market.horizon, measured=False)
        return html.Div(found, className="card"), no_update
    if view == "market" and sent.get("stages") == 1 and len(market.stages()) > 1:
        return no_update, panels.guarantees(promises(market, played=False), market.horizon)
    return no_update, no_update


def draw_views(
    settled: dict[str, Any] | None, swept: dict[str, Any] | None, first: Setting | None = None
) -> tuple[Any, ...]:
    """Return the content of every view that is drawn when it is looked at, as `_VIEWS` has them, and of the sweep."""
    drawn = (_drawn_view(view, draw, settled, first=first) for view, draw in _VIEWS.items())
    return (*drawn, draw_sweep_plan(settled, swept))


def _drawn_view(
    view: str,
    draw: Callable[[PageState, dict[str, Any]], Any],
    settled: dict[str, Any] | None,
    first: Setting | None = None,
) -> Any:
    """Return a view's content where it is the one that is looked at; it stays while the input is not valid."""
    try:
        state = None if settled is None else read_state(settled, first)
    except InputError:  # which the message of the page says
        return no_update
    if settled is None or state is None or state.focus.view != view:
        return no_update
    try:
        return draw(state, settled)
    except InputError as error:
        return html.P(notice(error), className="meaning")


def draw_roster(state: PageState, settled: dict[str, Any]) -> Any:
    """Return the providers beside each other."""
    view = roster_view(state.market)
    return comparison_panels.roster_page(view, state.market.shown_name, theme_of(settled))


def draw_policies(state: PageState, settled: dict[str, Any]) -> Any:
    """Return the policies beside each other."""
    rows = policy_rows(shown_market(state, settled), state.focus.run)
    return comparison_panels.policies_page(rows, roster_view(state.market), state, theme_of(settled))


def draw_beliefs(state: PageState, settled: dict[str, Any]) -> Any:
    """Return what a run had shown over time."""
    view = beliefs(state.market, state.policy, state.focus.run)
    return run_panels.beliefs_page(view, roster_view(state.market), state, theme_of(settled))


def draw_payoffs(state: PageState, settled: dict[str, Any]) -> Any:
    """Return what a run paid beside what it cost."""
    view = payoffs(state.market, state.policy, state.focus.run)
    return run_panels.payoffs_page(view, roster_view(state.market), state, theme_of(settled))


#: What is said where the market is not the one that was swept.
SWEPT_BEFORE = "The results below belong to another market: run the sweep again."


def draw_sweep_plan(settled: dict[str, Any] | None, swept: dict[str, Any] | None = None) -> Any:
    """Return what a sweep would simulate, and whether the results below are of another market."""
    try:
        state = None if settled is None else read_state(settled)
    except InputError:
        return no_update
    if settled is None or state is None or state.focus.view != "sweep":
        return no_update
    plan = sweep_plan(state.market, SweepChoice.of(settled.get("sweep")))
    same = swept is None or all(settled.get(key) == swept.get(key) for key in ("setting", "market"))
    return [
        html.P(plan_sentence(plan, state.market), className="meaning"),
        None if same else html.P(html.Strong(SWEPT_BEFORE)),
    ]


def draw_sweep(asked: dict[str, Any] | None, first: Setting | None = None) -> tuple[Any, ...]:
    """Return a sweep up to one threshold more; the page asks again until all are done."""
    if asked is None:
        return (no_update,) * 5
    try:
        state = read_state(asked, first)
        plan = sweep_plan(state.market, SweepChoice.of(asked.get("sweep")))
        total, done = len(plan.markets), {"serial": asked.get("serial"), "next": 0, "total": 0}
        if not plan.markets:
            return [], plan_sentence(plan, state.market), 0, 1, done
        at = asked.get("at")
        next_one = min(at if isinstance(at, int) and at >= 0 else 0, total - 1) + 1
        points = [sweep_point(market) for market in plan.markets[:next_one]]
    except InputError as error:
        return no_update, notice(error), 0, 1, {"serial": asked.get("serial"), "next": 0, "total": 0}
    results = comparison_panels.sweep_results(points, state, theme_of(asked))
    return results, progress_sentence(next_one, plan), next_one, total, {**done, "next": next_one, "total": total}


def place_number(asked: dict[str, Any] | None, state: dict[str, Any] | None) -> Any:
    """Return where a number of the platform goes: the threshold to a midpoint."""
    try:
        setting = read_state(state).market.setting
    except InputError:  # which the message of the page says
        return no_update
    way, at = (asked.get("way"), asked.get("at")) if asked else (None, None)
    value = next_midpoint(setting, str(way))
    return no_update if value is None else {"key": "quality_threshold", "value": value, "serial": at}


def draw_step(state: PageState, settled: dict[str, Any]) -> Any:
    """Return one step explained."""
    return panels.step_page(step_view(state), theme_of(settled))


def draw_provider(state: PageState, settled: dict[str, Any]) -> Any:
    """Return what a provider would have earned by bidding otherwise."""
    return panels.provider_page(provider_view(shown_market(state, settled), state.focus.provider), theme_of(settled))


def draw_guarantees(state: PageState, settled: dict[str, Any]) -> Any:
    """Return the figures of what is guaranteed."""
    return panels.guarantees_page(state.market, theme_of(settled))


def draw_claims(state: PageState, settled: dict[str, Any]) -> Any:
    """Return the claims on the run, filtered by verdict."""
    market, run = state.market, state.focus.run
    verdict = str(settled.get("verdict"))
    rows, events = claim_rows(market, run), good_events(market)
    return panels.claims_page(rows, run, verdict, events=events, passes=in_passes(market))


def draw_export(state: PageState, settled: dict[str, Any]) -> Any:
    """Return the command, the setting file and the link."""
    return panels.export_page(state, state.to_query())


_VIEWS: dict[str, Callable[[PageState, dict[str, Any]], Any]] = {
    "roster": draw_roster,
    "policies": draw_policies,
    "beliefs": draw_beliefs,
    "payoffs": draw_payoffs,
    "auction": draw_step,
    "provider": draw_provider,
    "guarantees": draw_guarantees,
    "claims": draw_claims,
    "export": draw_export,
}


def save_setting(asked: Any, state: dict[str, Any] | None, first: Setting | None = None) -> Any:
    """Return the setting as a file for the browser to save."""
    try:
        market = read_state(state, first).market
    except InputError:
        return no_update
    return {"content": setting_text(market), "filename": file_name(market), "type": "application/toml"}


def save_results(asked: Any, state: dict[str, Any] | None, first: Setting | None = None) -> Any:
    """Return the results of all runs as a file for the browser to save."""
    try:
        market = read_state(state, first).market
    except InputError:
        return no_update
    name = file_name(market).removesuffix(".toml")
    return {"content": results_text(market), "filename": f"{name}-results.json", "type": "application/json"}


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
