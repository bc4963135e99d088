"""Plays runs on Numba's simulator of a GPU and prints as JSON what differs from the processor's; for `test_lane.py`.

The simulator runs a kernel's lanes as threads of Python, so a lane is the plain Python that it is written in. What is
looked at is the way there and back: launches, memory, keys and totals.
"""

import json
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from bounds.published import published
from mechanism.compiled import gpu
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics.tally import Tally
from mechanism.policies import POLICIES
from tests.mechanism.random_episodes import tally_differences
from tests.mechanism.test_lane import SOURCE, pure

#: By name: a policy, and what is changed of the module.
CASES: dict[str, tuple[str, dict[str, int]]] = {
    "platform": ("platform", {}),
    "lowest price": ("lowest-price-eligible", {}),
    "books in the memory of the GPU": ("platform", {"_SHARED": 0}),
    "a launch for every two runs": ("platform", {"_LAUNCH_LOOKS": 2 * 4 * 40}),
    "fewer lanes than runs": ("platform", {"_BLOCK": 2, "_BLOCKS_EACH": 1}),
}


def launches(policy: str, runs: range) -> Iterator[Tally]:
    episode = CompiledEpisode(published("gpqa-strong").setting, POLICIES[policy])
    return gpu.gpu_totals(episode, horizon=40, seed=3, runs=runs, checkpoints=(2, 11))


def differences(policy: str, changes: dict[str, int]) -> list[str]:
    runs = range(7, 12)
    with mock.patch.dict(vars(gpu), changes):
        found = list(launches(policy, runs))
    episode = CompiledEpisode(published("gpqa-strong").setting, POLICIES[policy])
    expected = episode.tallies(horizon=40, seed=3, runs=runs, checkpoints=(2, 11))
    assert len(found) == (3 if "_LAUNCH_LOOKS" in changes else 1)
    pairs = zip(expected, (tally for launch in found for tally in launch.each()), strict=True)
    return [name for pair in pairs for name in tally_differences(*pair)]


def main() -> None:
    device: Any = SimpleNamespace(MULTIPROCESSOR_COUNT=1, name="a simulator")
    with (
        mock.patch.object(gpu, "play", pure(SOURCE)),
        mock.patch.object(gpu.cuda, "get_current_device", return_value=device, create=True),
        np.errstate(all="ignore"),
    ):
        json.dump({name: differences(*case) for name, case in CASES.items()}, sys.stdout)


if __name__ == "__main__":
    main()
