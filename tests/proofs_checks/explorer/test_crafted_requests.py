"""Requests that the page never sends are refused without a traceback; nothing of them is printed or logged."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
from flask.testing import FlaskClient

from bounds.published import published
from proofs_checks.explorer import server
from tests.proofs_checks.explorer.states import asking, small_state

pytestmark = pytest.mark.long("needs dash")
FIRST = published("gpqa-strong").setting
HERE = "http://127.0.0.1/"
#: Sets a terminal's title; a log that holds any of it, escaped or not, holds "owned".
ESCAPE = "\x1b]0;owned\x07"
PATHS = (
    "/%1b]0;owned%07",
    "/owned/../x",
    "/_dash-component-suites/dash/%1b]0;owned%07.js",
    "/_dash-owned",
    "/assets/owned",
)
#: What a callback may find in the place of each of its inputs.
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
STATE = {**small_state(horizon=200).to_data(), "serial": 1}
VALUES: list[Any] = [
    None,
    1,
    [1],
    "owned",
    {},
    True,
    1e308,
    {"owned": ESCAPE},
    [{"id": [1]}],
    {"setting": [ESCAPE]},
    DEEP,
]
VALUES += [{"setting": {"name": ESCAPE, "platform": 1}}, {"focus": 3, "market": None}]
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
    assert asked > 500
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


@pytest.mark.parametrize("path", PATHS)
def test_unknown_paths_are_not_found(client: FlaskClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    answer = client.get(path, base_url=HERE)
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


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with server.serving(FIRST) as (_, running):
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running.server_port
        running.shutdown()
        thread.join()


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
    port: int, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, request_line: str
) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as opened:
        opened.sendall(f"{request_line}\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        while opened.recv(4096):
            pass
    assert_quiet(caplog, 1)
    out, err = capfd.readouterr()
    assert (out, err.count("\n") <= 1, "owned" in err) == ("", True, False)
