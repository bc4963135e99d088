"""Killed campaigns leave no process behind and lose no total; `pytest -m hardening` kills a hundred of them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mechanism.killed_campaigns import killed, seconds_outlived

# A parent that is gone before its worker looks for it, and one that goes later.
_WORKER = """
import os, sys, time
from mechanism.parallel import _end_with

if __name__ == "__main__":
    _end_with(int(sys.argv[1]))
    print("watching", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(("backend", "working"), [("threads", True), ("processes", False), ("processes", True)])
def test_killed_at_a_random_moment(backend: str, working: bool, tmp_path: Path) -> None:
    # The machine may be busy: here it only matters that they end. The hundred kills hold them to 2 seconds.
    most = 0.5 if working else 2
    _, kept = killed(tmp_path / "out", backend, most, random.Random(15), patience=30, working=working)
    assert kept or not working


def test_a_worker_whose_parent_was_gone_before_it_looked(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    worker = subprocess.run(
        [sys.executable, "-c", _WORKER, str(gone.pid)], timeout=60, check=False, cwd=Path(__file__).parents[2]
    )
    assert worker.returncode == 1


def test_what_outlives_its_parent_is_found() -> None:
    """The test's own tester: a process that watches nobody lives on."""
    command = f"{sys.executable} -c 'import time; time.sleep(600)' & echo started; wait"
    child = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    with pytest.raises(AssertionError, match=r"these live on: .*time\.sleep\(600\)"):
        seconds_outlived(child.pid, 0.5)
    child.communicate(timeout=30)
    assert seconds_outlived(child.pid, 30) >= 0
