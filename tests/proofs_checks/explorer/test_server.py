"""Callbacks as functions, and the server: this machine alone, no other site, no request with a traceback."""

import itertools
import json
import logging
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
from dash import dcc, html, no_update
from dash.development.base_component import Component
from flask.testing import FlaskClient

from bounds.errors import InputError
from bounds.published import published
from mechanism.metrics.curves import Curves
from proofs_checks.explorer import page, server, simulation
from proofs_checks.explorer.controls import VIEWS, PageState, SimulatedMarket
from proofs_checks.explorer.export import file_name
from proofs_checks.explorer.page import GRAPH
from proofs_checks.explorer.plain_parts import PlainParts, with_plain_parts
from tests.proofs_checks.explorer.states import asking, hostile_setting, small_state

pytestmark = pytest.mark.long("needs dash")
FIRST = published("gpqa-strong").setting
#: Seeds of markets that nobody has simulated.
SEEDS = itertools.count(1000)


def asked(state: PageState, **more: Any) -> dict[str, Any]:
    return {**state.to_data(), "theme": "light", "serial": 7, **more}


def written(part: Any) -> str:
    from dash._utils import to_json

    return str(to_json(part))


class TestTheMarket:
    def test_it_is_drawn(self) -> None:
        drawn = server.draw_market(asked(small_state()))
        metric, selections, _, tiles, under, title, meaning, caption, _, headline, wider, message, served = drawn
        assert metric["data"]
        assert len(selections["data"][0]["x"]) == 4
        assert (written(tiles).count("over all 1,500 queries"), written(tiles).count("over the last ")) == (4, 1)
        assert under.startswith("At the end of a run under platform, the median over runs and the band; questions")
        assert title == "Quality regret over time"
        assert meaning.startswith("How far the quality")
        assert caption.startswith("Median of 3 runs")
        assert "gpqa-strong: 4 providers, 1,500 queries" in headline
        assert (wider, message) == ("", "")
        assert served == {"serial": 7, "next": 1, "total": 1}

    def test_nothing_is_drawn_of_nothing_and_nonsense_is_refused(self) -> None:
        assert set(server.draw_market(None)) == {no_update}
        for data in ({}, {"setting": 3}, {"serial": 1, "market": None}):
            assert server.STALE in written(server.draw_market(data)[-2])

    def test_a_changed_setting_is_called_so(self) -> None:
        own = replace(FIRST, name="my market", platform=replace(FIRST.platform, quality_threshold=0.12))
        state = asked(small_state(setting=own))
        assert server.draw_market(state, first=own)[-4].startswith("my market: 4 providers")
        assert file_name(server.read_state(state, own).market) == "my-market.toml"
        state["setting"]["platform"]["exploration_scale"] = 5.0
        assert server.draw_market(state, first=own)[-4].startswith("my market, changed: 4 providers")
        assert file_name(server.read_state(state, own).market) == "my-market-changed.toml"
        # A built-in setting beside it stays what it is.
        assert server.draw_market(asked(small_state()), first=own)[-4].startswith("gpqa-strong: 4")

    def test_what_is_wrong_is_one_line_and_the_next_question_may_come(self) -> None:
        state = asked(small_state())
        state["setting"]["platform"]["confidence"] = 1.5
        *unchanged, message, served = server.draw_market(state)
        assert all(each is no_update for each in unchanged)
        assert message[0].startswith("Failure probability of the guarantees δ = 1.5 must lie in (0, 1)")
        assert served == {"serial": 7, "next": 0, "total": 0}

    def test_what_is_not_promised_is_said_above_every_view_and_in_the_table(self) -> None:
        state = small_state(bidders="bayesian", view="guarantees")
        assert "the platform is widened by γ = 0.2" in server.draw_market(asked(state))[-3]
        state = replace(state, market=replace(state.market, keep_gamma=True))
        assert "the platform keeps γ = 0" in server.draw_market(asked(state))[-3]
        assert written(server.draw_guarantees(asked(state))).count("not promised here") == 5  # four and T_id


class TestGuarantees:
    @pytest.mark.parametrize("sent", [None, {}, asked(small_state(view="auction"))])
    def test_they_are_drawn_where_they_are_looked_at(self, sent: Any) -> None:
        assert server.draw_guarantees(sent) is no_update


class TestViews:
    @pytest.mark.for_each("view", VIEWS)
    def test_a_view_is_drawn_where_it_is_looked_at(self, view: str) -> None:
        *drawn, query = server.draw_views(asked(small_state(view=view, horizon=300)))
        assert [each is not no_update for each in drawn] == [name == view for name in server._VIEWS]
        assert PageState.from_query(query, FIRST) == small_state(view=view, horizon=300)


class TestControls:
    def restructured(self, picked: Any = None, state: Any = None, search: str = "", **more: Any) -> tuple[Any, ...]:
        """Return what the callback of the controls answers on a page that is open if it has a state."""
        horizon, base = more.get("horizon"), None if state is None else {"name": "gpqa-strong"}
        return server.restructured(FIRST, horizon, search, picked, state, base)

    def test_the_page_opens_with_the_horizon_of_the_command(self) -> None:
        """A link that names no horizon keeps its own; the way back leads to where the page began."""
        for search, horizon in (("", "50000"), ("?setting=gpqa-strong&horizon=900", "900"), ("?runs=3", "70000")):
            controls, *_ = self.restructured(search=search, horizon=50_000)
            assert f'"value":{horizon},"type":"number","step":"any","id":{{"knob":"horizon"' in written(controls)
        back, *_ = self.restructured({"key": "preset", "value": FIRST.name}, {"setting": 3}, horizon=50_000)
        assert '"value":50000,"type":"number"' in written(back)

    def test_a_link_that_says_nothing_sensible_is_told_and_the_page_opens(self) -> None:
        *_, base, _, message, _ = self.restructured(search="?runs=none")
        assert base["name"] == "gpqa-strong"
        assert message.startswith("The link is not understood: runs='none' must be a number")

    def test_the_last_two_providers_stay(self) -> None:
        state = server.without_provider(server.without_provider(asked(small_state()), 0).to_data(), 0)
        answer = self.restructured({"key": "remove", "value": 0}, asked(state))
        assert answer[0] is no_update
        assert answer[-1].startswith("Providers = 1 is too few")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server.serving(hostile_setting()) as (found, running):
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield found
        running.shutdown()
        thread.join()


def fetched(url: str, body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and body, without any proxy of this machine."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, body, headers), timeout=60) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {}, ""


class TestServer:
    def test_pictures_are_not_uploaded(self) -> None:
        buttons = [button for group in GRAPH["modeBarButtons"] for button in group]  # type: ignore[attr-defined]
        assert "sendChartToCloud" not in buttons
        assert (GRAPH["plotlyServerURL"], GRAPH["showSendToCloud"]) == ("", False)

    def test_it_answers_on_this_machine(self, address: str) -> None:
        status, headers, body = fetched(address)
        assert status == 200
        assert '<html lang="en">' in body
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe-eval" not in policy
        assert "script-src 'self' 'sha256-" in policy

    def test_a_port_that_is_taken_is_bad_input(self, address: str) -> None:
        port = int(address.rstrip("/").rpartition(":")[2])
        with pytest.raises(InputError, match="cannot be had"), server.serving(FIRST, port):
            pass


def test_a_slow_market_delays_no_other_session_and_not_its_own_guarantees(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two browsers ask the server; the runs of one of them do not end before the other one is answered."""
    slow, quick = (small_state(view="guarantees", horizon=2000 + next(SEEDS)) for _ in range(2))
    begun, answered, simulated_now = threading.Event(), threading.Event(), simulation.simulated_now

    def patched(market: SimulatedMarket, already: Mapping[str, Curves]) -> dict[str, Curves]:
        if market == slow.market:
            begun.set()
            assert answered.wait(timeout=60)
        return simulated_now(market, already)

    monkeypatch.setattr(simulation, "simulated_now", patched)
    callbacks = json.loads(fetched(f"{address}_dash-dependencies")[2])

    def ask(output: str, state: PageState) -> tuple[int, dict[str, str], str]:
        (callback,) = (each for each in callbacks if output in each["output"])
        body = json.dumps(asking(callback, asked(state))).encode()
        url = f"{address}_dash-update-component"
        return fetched(url, body, **{"Content-Type": "application/json"})

    with ThreadPoolExecutor() as pool:
        first = pool.submit(ask, "metric-picture.figure", slow)
        assert begun.wait(timeout=60)
        other = pool.submit(ask, "metric-picture.figure", quick).result(timeout=60)
        own = pool.submit(ask, "guarantees-view.children", slow).result(timeout=60)
        waiting = not first.done()
        answered.set()
        assert waiting
        for status, _, body in (other, own, first.result(timeout=60)):
            assert status == 200
            assert "Guarantees for runs of" in body or "Median of 3 runs" in body


def read(part: Any) -> list[Any]:
    """Return a part as data, whether it is plain or not: texts, and lists of a tag, properties and what is inside."""
    if part is None:
        return []
    if isinstance(part, (list, tuple)):
        return [each for one in part for each in read(one)]
    if isinstance(part, PlainParts):
        found: list[Any] = json.loads(part.parts)
        return found
    if isinstance(part, Component):
        written = part.to_plotly_json()
        properties = {k: v for k, v in written["props"].items() if k != "children" and v is not None}
        return [[written["type"].lower(), properties, read(getattr(part, "children", None))]]
    return [part]


def names(part: Any) -> Iterator[str]:
    if isinstance(part, (list, tuple)):
        for each in part:
            yield from names(each)
    elif isinstance(part, Component):
        if getattr(part, "id", None) is not None:
            yield str(part.id)
        yield from names(getattr(part, "children", None))


@pytest.mark.for_each("view", VIEWS)
def test_plain_parts_say_the_same_and_every_name_is_still_seen(view: str) -> None:
    state = small_state(view=view, setting=hostile_setting(), horizon=200)
    parts = [page.frame(), *server.drawn_controls(state, "gpqa-strong"), *server.draw_market(asked(state))]
    parts += [server.draw_guarantees(asked(state)), *server.draw_views(asked(state))]
    light = [with_plain_parts(each) for each in parts]
    assert [read(each) for each in light] == [read(each) for each in parts]
    assert list(names(light)) == list(names(parts))


def test_what_callbacks_name_stands_in_the_page() -> None:
    """A part that has lost its name would be asked for in vain."""
    app = server.make_app(FIRST)
    asked = {each["id"] for one in app.callback_map.values() for each in (*one["inputs"], *one["state"])}
    state = small_state()
    there = {*names(app.layout), *names(with_plain_parts(server.drawn_controls(state, "gpqa-strong")))}
    assert {each for each in asked if not each.startswith("{")} <= there
    assert len(there) > 100


def test_a_part_with_a_name_or_a_control_inside_stays() -> None:
    found = with_plain_parts(html.Div([html.P("a"), html.P("b"), dcc.Input(id="c"), html.P("d"), "e"]))
    assert [type(each) for each in found.children] == [PlainParts, dcc.Input, PlainParts]
    assert json.loads(found.children[0].parts) == [["p", {}, ["a"]], ["p", {}, ["b"]]]


HERE, SUITES = "http://127.0.0.1/", "_dash-component-suites/dash/"
#: Sets a terminal's title; a log that holds any of it, escaped or not, holds "owned".
ESCAPE = "\x1b]0;owned\x07"
#: What a callback may find in the place of each of its inputs.
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
STATE = {**small_state(horizon=200).to_data(), "serial": 1}
VALUES: list[Any] = [None, 1, [1], "owned", {}, True, 1e308, {"owned": ESCAPE}, [{"id": [1]}], {"setting": [ESCAPE]}]
VALUES += [DEEP, {"setting": {"name": ESCAPE, "platform": 1}}, {"focus": 3, "market": None}]
NONSENSE: tuple[Any, ...] = (None, {}, [None], ESCAPE)
VALUES += [{**STATE, key: value} for key in (*STATE, "stages", "draft") for value in NONSENSE]
VALUES += [
    {**STATE, table: {**STATE[table], key: value}}
    for table in ("setting", "market", "focus")
    for key in STATE[table]
    for value in NONSENSE
]
PICKED = ("preset", "add", "remove")
VALUES += [{"key": key, "value": value} for key in PICKED for value in (None, [1], ESCAPE, 10**400)]


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    found: FlaskClient = server.make_app(FIRST).server.test_client()
    return found


def assert_quiet(caplog: pytest.LogCaptureFixture, most: int) -> None:
    """At most so many lines, none of which has a traceback or repeats a request."""
    lines = [logging.Formatter().format(record) for record in caplog.records]
    assert len(lines) <= most
    assert not [line for line in lines if "owned" in line or "\n" in line or "\x1b" in line]


def test_callbacks_with_any_values_answer_in_a_line(client: FlaskClient, caplog: pytest.LogCaptureFixture) -> None:
    asked = 0
    for callback in json.loads(client.get("/_dash-dependencies", base_url=HERE).data):
        for value in () if callback.get("clientside_function") else VALUES:
            answer = client.post("/_dash-update-component", json=asking(callback, value), base_url=HERE)
            asked += 1
            assert answer.status_code in (200, 204), (callback["output"], value)
    assert asked > 400
    assert_quiet(caplog, 0)


@pytest.mark.parametrize(
    "body", ["", "null", "[1]", "{", "[" * 100_000, '{"output": "owned.children"}', '{"inputs": 1}']
)
def test_bodies_that_are_no_callback_are_refused_in_a_line(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    answer = client.post("/_dash-update-component", data=body, content_type="application/json", base_url=HERE)
    assert answer.status_code in (400, 500)
    assert answer.data.count(b"\n") == 1
    assert_quiet(caplog, 1)


@pytest.mark.parametrize("path", ["%1b]0;owned%07", "owned/../x", f"{SUITES}%1b]0;owned%07.js", "assets/owned"])
def test_unknown_paths_are_not_found(client: FlaskClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    answer = client.get(f"/{path}", base_url=HERE)
    assert (answer.status_code, answer.data) == (404, b"Not Found\n")
    assert_quiet(caplog, 0)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1"}, 200),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[owned"}, 403),
        ({"Origin": "http://127.0.0.1:8000"}, 403),
        ({"Sec-Fetch-Site": "same-origin,cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),  # a browser sends no Origin with a picture of another site's page
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Host": "owned.example"}, 400),
        ({"Host": "127.0.0.1:owned"}, 400),
    ],
)
def test_headers_that_say_where_a_request_comes_from(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, headers: dict[str, str], status: int
) -> None:
    assert client.get("/", base_url=HERE, headers=headers).status_code == status
    assert_quiet(caplog, 0)


def test_a_large_request_is_refused_before_it_is_kept(client: FlaskClient) -> None:
    answer = client.post(
        "/_dash-update-component",
        data=b"1" * (server.LARGEST_REQUEST + 1),
        content_type="application/json",
        base_url=HERE,
    )
    assert answer.status_code == 413
    assert len(json.dumps(STATE)) < server.LARGEST_REQUEST / 100


@pytest.mark.parametrize(
    "request_line",
    [
        "GET /%1b]0;owned%07 HTTP/1.1",
        f"GET {ESCAPE}",
        f"{ESCAPE} / HTTP/1.1",
        "GET http://[owned HTTP/1.1",
        "GET / HTTP/owned",
        "GET http://[::1owned/ HTTP/1.1",
        "GET / HTTP/1.1\r\nOrigin: http://[owned",
        f"GET / HTTP/1.1\r\nCookie: {ESCAPE}\r\n owned: {ESCAPE}",
        f"OWNED{ESCAPE} /_dash-update-component HTTP/1.1",
        "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: owned",
        "POST /_dash-update-component HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nowned",
        "POST /_dash-update-component HTTP/1.1\r\nContent-Length: -5\r\nContent-Length: owned",
        f"GET / HTTP/1.1\r\nX: {'owned' * 15_000}",
    ],
)
def test_the_terminal_sees_nothing_of_a_request(
    address: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, request_line: str
) -> None:
    port = int(address.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as opened:
        opened.sendall(f"{request_line}\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        while opened.recv(4096):
            pass
    assert_quiet(caplog, 1)
    out, err = capfd.readouterr()
    assert (out, err.count("\n") <= 1, "owned" in err) == ("", True, False)
