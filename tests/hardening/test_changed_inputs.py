"""A part of the changed inputs of each reader; the whole is `python -m tests.hardening changed_inputs`."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hardening.inputs import TRIES
from tests.hardening.page import read
from tests.hardening.readers import READERS, SETTING, broken_rule, invalid_setting

ROOT = Path(__file__).parents[2]
#: Seeds that the sweep has not: the tests look elsewhere.
FIRST = 1_000_000
SOME = 24


#: Answers names of readers with what came of them. Whatever else is printed goes where errors go.
ATTACKER = f"""
import json, os, sys
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from tests.hardening.inputs import as_data, attack_reader, remember_answers
remember_answers()
for line in sys.stdin:
    tally = attack_reader(json.loads(line), range({FIRST}, {FIRST + SOME}))
    print(json.dumps(as_data(tally)), file=answers, flush=True)
"""


@pytest.fixture(scope="module")
def attacked() -> Iterator[Callable[[str], Any]]:
    """Attacks readers in one process of their own, which forks: this one has threads."""
    command = [sys.executable, "-c", ATTACKER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as attacker:

        def attack(name: str) -> Any:
            assert attacker.stdin is not None
            assert attacker.stdout is not None
            patience = threading.Timer(600, attacker.kill)
            patience.start()
            print(json.dumps(name), file=attacker.stdin, flush=True)
            answer = attacker.stdout.readline()
            patience.cancel()
            assert answer, "the process that attacks has ended; what it wrote is among the errors"
            return json.loads(answer)

        yield attack


@pytest.mark.parametrize("name", READERS)
def test_a_changed_input_is_read_or_refused(name: str, attacked: Callable[[str], Any]) -> None:
    tally = attacked(name)
    assert tally["reader"] == name
    assert tally["faults"] == []
    assert sum(tally["codes"].values()) == SOME


def test_the_sweep_tried_ten_thousand_and_none_got_through() -> None:
    """Its figures are those of docs/hardening.md."""
    found = {each["reader"]: each for each in read("changed_inputs")}
    assert {name: each["tried"] for name, each in found.items()} == dict(TRIES)
    assert sum(TRIES.values()) >= 10_000
    assert sum(each["checked"] for each in found.values()) >= 200
    assert [fault for each in found.values() for fault in each["faults"]] == []


# ----------------------------------------------------------------------------------------------------
# The testers: what they must object to.


def rows() -> list[dict[str, str]]:
    from tests.hardening.readers import _rows

    ((name, content),) = READERS["log (CSV)"].files().items()
    return [dict(row) for row in _rows(name, content)]


def test_a_right_log_breaks_no_rule() -> None:
    assert broken_rule(SETTING, rows()) == ""


@pytest.mark.parametrize(
    ("step", "column", "value", "objection"),
    [
        (1, "payment", "75", "paid"),
        (60, "payment", "75.009", "paid"),
        (60, "bid", "76", "out of range"),
        (60, "score", "1.5", "out of range"),
        (60, "cost", "-1", "out of range"),
        (60, "step", "61", "numbered"),
        (60, "provider", "4", "served by"),
        (2, "provider", None, "may not serve"),
    ],
)
def test_a_wrong_log_breaks_one(step: int, column: str, value: str | None, objection: str) -> None:
    log = rows()
    log[step - 1][column] = log[0]["provider"] if value is None else value
    assert objection in broken_rule(SETTING, log)


def test_a_bid_that_was_edited_is_noticed_where_it_decided() -> None:
    log = rows()
    found = [broken_rule(SETTING, [*log[:i], {**log[i], "bid": "0"}, *log[i + 1 :]]) for i in range(len(log))]
    assert sum(map(bool, found)) > 20
    assert not found[-1], "the last bid decides nothing"


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        ({"confidence": 1}, "out of range"),
        ({"confidence": True}, "no number"),
        ({"confidence": float("nan")}, "no number"),
        ({"delta": 0.1}, "delta"),
    ],
)
def test_an_invalid_setting_is_noticed(change: dict[str, object], objection: str) -> None:
    import tomllib

    data = tomllib.loads(READERS["setting (TOML)"].files()["setting.toml"].decode())
    assert invalid_setting(data) == ""
    data["platform"].update(change)
    assert objection in invalid_setting(data)


@pytest.mark.parametrize(
    ("name", "file", "old", "new"),
    [
        ("recorded generations", "generations.csv", b"large,q", b"other,q"),
        ("recorded generations, prepared", "datasets/quiz/large.jsonl", b"[1, 1", b"[1, 2"),
        ("evaluation (RouterBench, CSV)", "routerbench.csv", b"gpt-4|total_cost", b"gpt-5|total_cost"),
        ("evaluation (RouterArena, JSON)", "router.json", b'"accuracy": 1', b'"accuracy": 2'),
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
