"""Changed inputs of each reader are read or refused: no traceback, no hidden character, nothing invalid is taken."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hardening.readers import READERS, SETTING, broken_rule

pytestmark = pytest.mark.long("runs commands on hundreds of changed files")

ROOT = Path(__file__).parents[2]
TRIES = 16


@pytest.fixture(scope="module")
def tallies() -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.hardening.inputs", str(TRIES)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=1200, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", READERS)
def test_a_changed_input_is_read_or_refused(name: str, tallies: dict[str, Any]) -> None:
    assert tallies[name]["faults"] == []
    assert sum(tallies[name]["codes"].values()) == TRIES


def test_what_is_taken_is_checked_by_other_means(tallies: dict[str, Any]) -> None:
    assert sum(each["checked"] for each in tallies.values()) > 10


@pytest.mark.for_each(
    ("step", "column", "value", "objection"),
    [
        (1, "payment", "75", "paid"),
        (60, "payment", "75.009", "paid"),
        (60, "bid", "76", "out of range"),
        (60, "provider", "4", "served by"),
        (2, "provider", "first", "may not serve"),
    ],
)
def test_a_wrong_log_breaks_a_rule(step: int, column: str, value: str, objection: str) -> None:
    log = list(csv.DictReader(READERS["log (CSV)"].files()["log.csv"].decode().splitlines()))
    assert broken_rule(SETTING, log) == ""
    log[step - 1][column] = log[0]["provider"] if value == "first" else value
    assert objection in broken_rule(SETTING, log)


@pytest.mark.for_each(
    ("name", "file", "old", "new"),
    [
        ("setting (TOML)", "setting.toml", b"confidence = 0", b"confidence = 1"),
        ("recorded generations", "generations.csv", b"large,q", b"other,q"),
        ("report, replayed", "report.json", b'"verdict"', b'"Verdict"'),
        ("proof folder", "manifest.json", b"sha256", b"sha257"),
    ],
)
def test_a_change_that_matters_is_objected_to(name: str, file: str, old: bytes, new: bytes) -> None:
    reader = READERS[name]
    valid = reader.files()
    assert reader.objection(valid, valid, "") == ""
    assert old in valid[file]
    assert reader.objection(valid, {**valid, file: valid[file].replace(old, new)}, "")
