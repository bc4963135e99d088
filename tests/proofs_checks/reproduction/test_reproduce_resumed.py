"""`reproduce --out` that is killed or interrupted: finished runs stay, and the same command ends with the same bits."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from mechanism.campaign.store import CampaignStore
from proofs_checks.cli.main import main
from proofs_checks.reproduction.run import reproduce
from tests.mechanism.killed_campaigns import announced

pytestmark = pytest.mark.long("kills and resumes campaigns")

NAME = "gpqa-strong"
#: Two chunks for each of the five policies.
RUNS = 90
COMMAND = ("reproduce", NAME, "--runs", str(RUNS), "--jobs", "2", "--json")


def kept(folder: Path) -> int:
    with CampaignStore.existing(str(folder / NAME)) as store:
        return len(list(store.runs()))


def stopped(folder: Path, number: int) -> tuple[int, str, list[str]]:
    """Start the command, send it a signal when it has kept one chunk more, and return its code and what it printed."""
    child = announced(*COMMAND, "--out", str(folder))
    try:
        assert child.stderr.readline() == "kept\n"
        child.send_signal(number)
        out, err = child.communicate(timeout=60)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    return child.returncode, out, [line for line in err.splitlines() if line and line != "kept"]


def test_stopped_in_three_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [0]
    for number, code, said in (
        (signal.SIGKILL, -signal.SIGKILL, None),
        (signal.SIGINT, 130, "costproof: interrupted"),
        (signal.SIGTERM, 143, "costproof: terminated"),
    ):
        returned, out, lines = stopped(tmp_path, number)
        assert (returned, out) == (code, "")
        if said is not None:
            told = re.fullmatch(r"(\d+) of 450 runs are finished in (.*); the same command does the rest", lines[0])
            assert told[2] == str(tmp_path)
            assert lines[1:] == [said]
        found.append(kept(tmp_path))
    # Each went on where the one before had stopped.
    assert found == sorted(set(found))
    assert found[-1] < 5 * RUNS
    assert main([*COMMAND, "--out", str(tmp_path)]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert resumed == json.loads(json.dumps(reproduce([NAME], runs=RUNS).to_data()))
    assert kept(tmp_path) == 5 * RUNS


def test_a_damaged_row_is_played_again_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["reproduce", NAME, "--runs", "2", "--jobs", "1", "--json", "--out", str(tmp_path)]
    assert main(few) == 0
    whole = capsys.readouterr().out
    with closing(sqlite3.connect(tmp_path / NAME / "campaign.sqlite")) as connection:
        connection.execute("UPDATE runs SET tally = zeroblob(length(tally)) WHERE run = 1 AND policy = 'platform'")
        connection.commit()
    assert main(few) == 0
    out, err = capsys.readouterr()
    assert out == whole
    assert "1 damaged row" in err


def test_more_runs_go_on_and_another_seed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce([NAME], runs=2, out=str(tmp_path))
    assert reproduce([NAME], runs=3, out=str(tmp_path)).to_data() == reproduce([NAME], runs=3).to_data()
    assert kept(tmp_path) == 15
    assert main(["reproduce", NAME, "--runs", "2", "--seed", "1", "--out", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "--out" in err
    assert "seed" in err
