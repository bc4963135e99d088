"""A campaign on a Dask cluster that is killed loses no total, and the cluster forgets its tasks."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs distributed: pip install '.[long]'")

from distributed import Client, LocalCluster

from tests.mechanism.killed_campaigns import killed

pytestmark = pytest.mark.long("starts a Dask cluster and kills campaigns")


@pytest.fixture
def client() -> Iterator[Client]:
    """Two worker processes of one thread."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client


def test_killed_at_a_random_moment(client: Client, tmp_path: Path) -> None:
    scheduler, rng = client.scheduler.address, random.Random("dask 15")
    for working in (False, True):
        place = tmp_path / str(working)
        kept = killed(place, "dask", 1.0, rng, patience=30, working=working, scheduler=scheduler)
        assert kept or not working
    until = time.monotonic() + 20
    while (left := client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))) and (
        time.monotonic() < until
    ):
        time.sleep(0.2)
    assert (left, len(client.scheduler_info()["workers"])) == (0, 2)
