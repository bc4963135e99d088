"""Campaigns that are killed or interrupted: finished chunks stay, no process does, and the rest gives the same bits."""

import os
import random
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from mechanism.campaign.export import export_runs
from mechanism.campaign.run import run_campaign
from mechanism.campaign.store import CampaignStore
from tests.mechanism.killed_campaigns import CAMPAIGN, announced, killed, started

pytestmark = pytest.mark.long("kills campaigns")

# A parent that is gone before its worker looks for it.
_WORKER = """
import sys, time
from mechanism.parallel import _end_with

if __name__ == "__main__":
    _end_with(int(sys.argv[1]))
    time.sleep(600)
"""


def kept(folder: Path) -> int:
    with CampaignStore.existing(str(folder)) as store:
        return len(list(store.runs()))


def test_killed_while_writing_traces(tmp_path: Path) -> None:
    folder = tmp_path / "o"
    child = started(folder, "threads", traces=True)
    try:
        reported = [int(child.stdout.readline()) for _ in range(3)]
    finally:
        child.kill()
        child.communicate(timeout=60)
    assert 0 < reported[-1] <= kept(folder) < 5 * CAMPAIGN.runs
    assert export_runs(str(folder), str(tmp_path / "runs.csv")) == kept(folder)
    with CampaignStore.existing(str(folder)) as store:
        for stored in store.runs():
            assert (folder / f"{stored.policy}-{stored.run:04d}.csv.gz").exists()
    small = replace(CAMPAIGN, runs=2)
    assert run_campaign(small, out=str(folder)).metrics == run_campaign(small).metrics


@pytest.mark.parametrize(("backend", "working"), [("threads", True), ("processes", False), ("processes", True)])
def test_killed_at_a_random_moment(backend: str, working: bool, tmp_path: Path) -> None:
    most = 0.5 if working else 2
    resumed = killed(tmp_path / "out", backend, most, random.Random(15), patience=30, working=working)
    assert resumed or not working


def test_a_worker_whose_parent_was_gone_before_it_looked() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    command = [sys.executable, "-c", _WORKER, str(gone.pid)]
    assert subprocess.run(command, timeout=60, check=False, cwd=Path(__file__).parents[2]).returncode == 1


@pytest.mark.parametrize(("backend", "jobs"), [("threads", 1), ("processes", 2)])
def test_interrupted_from_the_keyboard(backend: str, jobs: int, tmp_path: Path) -> None:
    command = f"simulate gpqa-strong --runs 3000 --no-traces --backend {backend} --jobs {jobs} --json --out".split()
    child = announced(*command, str(tmp_path))
    try:
        assert child.stderr.readline() == "kept\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    assert (child.returncode, out) == (130, "")
    lines = [line for line in err.splitlines() if line and line != "kept"]
    told = re.fullmatch(r"([\d,]+) of 15,000 runs are finished in (.*); the same command does the rest", lines[0])
    assert told[2] == str(tmp_path)
    assert 0 <= int(told[1].replace(",", "")) <= kept(tmp_path) < 5 * 3000
    assert lines[1:] == ["costproof: interrupted"]
