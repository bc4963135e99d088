"""The table of docs/explore.md: every view and control that it names is on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dash._utils import to_json

from bounds.published import published
from proofs_checks.explorer import page, server
from proofs_checks.explorer.controls import VIEWS
from proofs_checks.explorer.metrics import METRICS
from tests.proofs_checks.explorer.states import small_state

DOCUMENT = (Path(__file__).parents[3] / "docs" / "explore.md").read_text(encoding="utf-8")


def rows() -> list[tuple[str, str]]:
    part = DOCUMENT.partition("## The page of the paper's authors, and this one")[2].partition("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    return [(there, here) for there, here in cells[1:]]


def strings(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from strings(each)


@pytest.fixture(scope="module")
def shown() -> str:
    """All texts of the page, with every view drawn."""
    state = small_state(policies=("platform", "lowest-price"))
    sent = {**state.to_data(), "theme": "light", "serial": 1}
    parts = [page.frame(), *page.controls(state, "gpqa-strong"), *page.focus_controls(state)]
    parts += [draw(state, sent) for draw in server._VIEWS.values()]
    parts += [server.draw_sweep({**sent, "at": 0})[0], page.metric_select("accuracy"), *server.draw_market(sent)]
    return "\n".join(text for part in parts for text in strings(json.loads(str(to_json(part)))))


def test_every_view_is_told_of_and_every_view_told_of_is_there() -> None:
    told = set(re.findall(r"^- \*\*(.+?)\*\*:", DOCUMENT.partition("## What it does not show")[0], re.MULTILINE))
    assert told == set(VIEWS.values())
    for _, here in rows():
        assert set(re.findall(r"\*\*(.+?)\*\*", here)) <= told


def test_every_control_that_is_named_is_on_the_page(shown: str) -> None:
    named = [name for _, here in rows() for name in re.findall(r"“(.+?)”", here)]
    assert len(named) > 40
    assert [name for name in named if name not in shown] == []


def test_every_line_has_a_place_or_a_reason() -> None:
    assert len(rows()) > 45
    for there, here in rows():
        assert there
        named = re.search(r"\*\*|“", here)
        assert named or re.match(r"(not there|not needed)\b.*:|not there yet;|words below", here), here


def test_a_control_that_is_not_there_would_be_noticed(shown: str) -> None:
    assert "Pin c_max" not in shown
    assert METRICS["eligible"].title in shown
    assert published("gpqa-strong").setting.name in shown
