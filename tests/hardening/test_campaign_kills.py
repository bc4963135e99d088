"""A hundred kills of campaigns on threads, processes and Dask; docs/campaigns.md has the figures that this prints."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mechanism.killed_campaigns import CAMPAIGN, killed, seconds_of, seconds_outlived

# Two worker processes of one thread, in a session of their own: they are to outlive the campaigns.
_CLUSTER = """
import sys, warnings
warnings.simplefilter("ignore")
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
_TASKS_LEFT = """
import sys, time, warnings
warnings.simplefilter("ignore")
from distributed import Client

if __name__ == "__main__":
    with Client(sys.argv[1], timeout=60) as client:
        for _ in range(100):
            left = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
            if not left:
                break
            time.sleep(0.2)
        print(left, len(client.scheduler_info()["workers"]))
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    running = subprocess.Popen(
        [sys.executable, "-c", _CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
    )
    assert running.stdout is not None
    try:
        yield running.stdout.readline().strip()
    finally:
        running.communicate(timeout=60)
        seconds_outlived(running.pid, 60)


@pytest.mark.hardening
@pytest.mark.parametrize(("backend", "kills"), [("processes", 34), ("threads", 33), ("dask", 33)])
def test_kills_at_random_moments(backend: str, kills: int, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    scheduler = request.getfixturevalue("cluster") if backend == "dask" else ""
    rng = random.Random(f"{backend} 15")
    starting, working = seconds_of(tmp_path / "whole", backend, scheduler)
    outlived: list[float] = []
    kept: list[int] = []
    finished = 0
    while len(kept) < kills:
        # Every second one while workers start, when they are the likeliest to be forgotten.
        at_work = len(kept) % 2 == 1
        most = working if at_work else starting
        place = tmp_path / str(len(kept) + finished)
        seconds, runs = killed(place, backend, most, rng, patience=2, working=at_work, scheduler=scheduler)
        outlived.append(seconds)
        if runs == 5 * CAMPAIGN.runs:
            finished += 1
        else:
            kept.append(runs)
    nothing = sum(runs == 0 for runs in kept)
    line = f"{backend}: {kills} kills, {nothing} within {starting:.1f} s before anything was kept, the others within "
    line += f"{working:.1f} s with up to {max(kept)} of {5 * CAMPAIGN.runs} runs kept; {finished} more came too late; "
    print(f"{line}outlived by {max(outlived):.2f} s at most")  # noqa: T201
    if scheduler:
        left = subprocess.run(
            [sys.executable, "-c", _TASKS_LEFT, scheduler], capture_output=True, text=True, check=True
        )
        assert left.stdout.split() == ["0", "2"]
