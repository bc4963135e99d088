"""What the page is built from says the same with and without plain parts, and nothing that has a name is inside one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
from dash import dcc, html
from dash.development.base_component import Component

from bounds.published import published
from bounds.setting.model import Setting
from proofs_checks.explorer import page, server
from proofs_checks.explorer.controls import VIEWS
from proofs_checks.explorer.plain_parts import Plain, with_plain_parts
from tests.proofs_checks.explorer.states import hostile_setting, small_state

pytestmark = pytest.mark.long("needs dash")
SETTINGS = {"gpqa-strong": published("gpqa-strong").setting, "hostile": hostile_setting()}


def read(part: Any) -> list[Any]:
    """Return a part as data, whether it is plain or not: texts, and lists of a tag, properties and what is inside."""
    if part is None:
        return []
    if isinstance(part, (list, tuple)):
        return [each for one in part for each in read(one)]
    if isinstance(part, Plain):
        found: list[Any] = json.loads(part.parts)
        return found
    if isinstance(part, Component):
        written = part.to_plotly_json()
        properties = {k: v for k, v in written["props"].items() if k != "children" and v is not None}
        return [[written["type"].lower(), properties, read(getattr(part, "children", None))]]
    return [part]


def names(part: Any) -> Iterator[str]:
    """Yield the names of all parts that Dash sees."""
    if isinstance(part, (list, tuple)):
        for each in part:
            yield from names(each)
    elif isinstance(part, Component):
        if getattr(part, "id", None) is not None:
            yield str(part.id)
        yield from names(getattr(part, "children", None))


def drawn(view: str, setting: Setting) -> list[Any]:
    """Return all that the page is filled with in a view."""
    state = small_state(view=view, setting=setting, horizon=200)
    asked: dict[str, Any] = {**state.to_data(), "theme": "light", "serial": 7}
    return [
        page.frame(),
        *server.drawn_controls(state, "gpqa-strong"),
        *server.draw_market(asked),
        server.draw_guarantees(asked),
        *server.draw_views(asked),
    ]


@pytest.mark.for_each(("view", "name"), [*((view, "hostile") for view in VIEWS), ("market", "gpqa-strong")])
def test_it_says_the_same_and_every_name_is_still_seen(view: str, name: str) -> None:
    parts = drawn(view, SETTINGS[name])
    light = [with_plain_parts(each) for each in parts]
    assert [read(each) for each in light] == [read(each) for each in parts]
    assert list(names(light)) == list(names(parts))


def test_what_callbacks_name_stands_in_the_page() -> None:
    """A part that has lost its name would be asked for in vain."""
    app = server.make_app(SETTINGS["gpqa-strong"])
    asked = {each["id"] for one in app.callback_map.values() for each in (*one["inputs"], *one["state"])}
    state = small_state()
    there = {*names(app.layout), *names(with_plain_parts(server.drawn_controls(state, "gpqa-strong")))}
    assert {each for each in asked if not each.startswith("{")} <= there
    assert len(there) > 100


def test_a_part_with_a_name_or_a_control_inside_stays() -> None:
    found = with_plain_parts(html.Div([html.P("a"), html.P("b"), dcc.Input(id="c"), html.P("d"), "e"]))
    assert [type(each) for each in found.children] == [Plain, dcc.Input, Plain]
    assert json.loads(found.children[0].parts) == [["p", {}, ["a"]], ["p", {}, ["b"]]]
