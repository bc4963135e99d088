"""Campaigns that are killed or interrupted: finished chunks stay, and the same command gives the same bits."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.published import published
from mechanism.campaign.export import export_runs
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.campaign.store import FILE_NAME, CampaignStore
from tests.mechanism.killed_campaigns import announced

# Five policies of 960 runs: at least 75 transactions, a few hundredths of a second each.
CAMPAIGN = Campaign(published("gpqa-strong").setting, horizon=1000, runs=960, seed=7, window=100, checkpoints=(10,))

_CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process may have been told to ignore it
from bounds.published import published
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign

def progress(done, total):
    print(done, flush=True)

if __name__ == "__main__":
    campaign = Campaign(
    published("gpqa-strong").setting, horizon=1000, runs=960, seed=7, window=100, checkpoints=(10,)
)
    run_campaign(campaign, jobs=2, out=sys.argv[1], traces=sys.argv[2] == "traces", progress=progress)
"""


def _start(*command: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )


def _kill_after(chunks: int, folder: Path, traces: str) -> int:
    """Start the campaign, kill it after some more chunks, and return how many runs it had reported."""
    child = _start("-c", _CHILD, folder, traces)
    assert child.stdout is not None
    try:
        reported = [int(child.stdout.readline()) for _ in range(chunks + 1)]
    finally:
        child.kill()
        # Worker processes hold the other end of our pipes: this returns only if they end with their parent.
        child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    return reported[-1]


def _kept(folder: Path) -> int:
    with CampaignStore.existing(str(folder)) as store:
        return len(list(store.runs()))


def test_killed_three_times(tmp_path: Path) -> None:
    total = 5 * CAMPAIGN.runs
    for chunks in (1, 7, 3):
        reported = _kill_after(chunks, tmp_path, "no traces")
        assert 0 < reported <= _kept(tmp_path) < total
    kept = _kept(tmp_path)
    resumed = run_campaign(CAMPAIGN, jobs=2, out=str(tmp_path), traces=False, tallies=True)
    assert resumed.resumed == kept
    assert resumed.steps == (total - kept) * 1000
    whole = run_campaign(CAMPAIGN, jobs=1, tallies=True)
    assert resumed.metrics == whole.metrics
    assert resumed.tallies == whole.tallies
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_killed_while_writing_traces(tmp_path: Path) -> None:
    _kill_after(2, tmp_path, "traces")
    with CampaignStore.existing(str(tmp_path)) as store:
        for stored in store.runs():
            assert (tmp_path / f"{stored.policy}-{stored.run:04d}.csv.gz").exists()
    small = replace(CAMPAIGN, runs=2)
    resumed = run_campaign(small, out=str(tmp_path))
    assert resumed.metrics == run_campaign(small).metrics


def test_an_interrupted_folder_can_be_exported(tmp_path: Path) -> None:
    _kill_after(1, tmp_path / "o", "no traces")
    assert export_runs(str(tmp_path / "o"), str(tmp_path / "runs.csv")) == _kept(tmp_path / "o") > 0


@pytest.mark.parametrize("backend", ["threads", "processes"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_from_the_keyboard(backend: str, jobs: int, tmp_path: Path) -> None:
    command = f"simulate gpqa-strong --runs 3000 --no-traces --backend {backend} --jobs {jobs} --json --out".split()
    child = announced(*command, str(tmp_path))
    assert child.stderr is not None
    try:
        assert child.stderr.readline() == "kept\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    assert child.returncode == 130
    assert out == ""
    lines = [line for line in err.splitlines() if line and line != "kept"]
    told = re.fullmatch(r"([\d,]+) of 15,000 runs are finished in (.*); the same command does the rest", lines[0])
    assert told is not None
    assert told[2] == str(tmp_path)
    assert 0 <= int(told[1].replace(",", "")) <= _kept(tmp_path)
    assert lines[1:] == ["costproof: interrupted"]
    assert 0 < _kept(tmp_path) < 5 * 3000
