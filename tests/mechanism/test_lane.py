"""What a lane of a GPU does, compiled for this processor, is the plain episode: same counts, same money.

On a GPU itself `test_gpu.py` looks at the same.
"""

import json
import os
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numba as nb
import numpy as np
import pytest
from hypothesis import given

from mechanism.compiled import lane
from mechanism.compiled.episode import CompiledEpisode, bidders_of, empty_log
from mechanism.compiled.lane import LaneRun, LaneState
from mechanism.compiled.layout import BID_FIELDS, BOOK_FIELDS, Keys, Totals
from mechanism.metrics.tally import ProviderField, RunField, Tally, checkpoint_steps, tally_of
from mechanism.policies import POLICIES
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes, tally_differences
from tests.mechanism.test_kernel import SOURCE as KERNEL_SOURCE, pure as pure_module

SOURCE = Path(lane.__file__).read_text(encoding="utf-8")


@nb.njit(error_model="numpy")
def play(run: LaneRun) -> None:
    lane.play(run)


def expected(one: Episode) -> Tally:
    return tally_of(one.setting, one.plain(), one.checkpoints, POLICIES[one.policy])


def differences(one: Episode, play: types.FunctionType, wanted: Tally) -> list[str]:
    """Return the totals that differ from the plain ones, after another run in the same lane."""
    runs = [one.run ^ 1, one.run]
    asked = {"horizon": one.horizon, "seed": one.seed, "runs": runs, "checkpoints": one.checkpoints}
    return tally_differences(wanted, lane_tallies(play, one.compiled(), **asked).each()[1])


@pytest.mark.long("compiles a lane")
@given(episodes())
def test_a_lane_plays_the_plain_episode(one: Episode) -> None:
    assert differences(one, play, expected(one)) == []


@pytest.mark.long("compiles a lane")
@pytest.mark.for_each("name", NAMED)
def test_a_lane_plays_the_plain_episode_where_it_is_difficult(name: str) -> None:
    assert differences(NAMED[name], play, expected(NAMED[name])) == []


def pure(source: str) -> types.FunctionType:
    """Return `play` as plain Python, from the lane's (mutated) source on the kernel's own."""
    below = pure_module(KERNEL_SOURCE)
    names = "from mechanism.compiled.kernel import clear_books, drawn_place, exchange, settle\n"
    assert names in source
    taken = {name: vars(below)[name] for name in names.split("import ")[1].strip().split(", ")}
    without = source.replace("from mechanism.compiled import kernel\n", "").replace(names, "")
    return pure_module(without, kernel=below, **taken).play


@pytest.mark.for_each("name", ["usual", "hopeless", "cheapest"])
def test_the_source_of_a_lane_in_plain_python(name: str) -> None:
    one = replace(NAMED[name], horizon=150, checkpoints=(75,))
    with np.errstate(all="ignore"):
        assert differences(one, pure(SOURCE), expected(one)) == []


@pytest.mark.long("starts a process with the simulator of a GPU")
def test_launches_on_a_simulated_gpu() -> None:
    """The way to a GPU and back, where there is none: Numba has a simulator."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-W", "ignore", "-m", "tests.mechanism.simulated_gpu"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == 5
    assert not any(found.values()), found


def lane_tallies(
    play: Callable[[LaneRun], None],
    episode: CompiledEpisode,
    *,
    horizon: int,
    seed: int,
    runs: Sequence[int],
    checkpoints: Sequence[int] = (),
) -> Tally:
    steps, n = checkpoint_steps(checkpoints, horizon), episode.setting.n_providers
    tables, keys = episode.tables(), episode.keys(seed, runs)
    by_provider = np.full((len(runs), len(steps), len(ProviderField), n), np.nan)
    overall = np.full((len(runs), len(steps), len(RunField)), np.nan)
    # What an earlier run left behind must not matter.
    left = (np.full(n * size, -7.0) for size in (BOOK_FIELDS, BID_FIELDS, 1))
    state = LaneState(*left, np.full(tables.questions, -7, dtype=np.int32), np.full(len(RunField), -7.0))
    for k, run in enumerate(runs):
        strategies = episode.strategies(seed, run)
        deviations = np.array([strategy.key for strategy in strategies], dtype=np.uint64)
        play(
            LaneRun(
                rules=episode.rules(horizon, tables),
                laws=tables,
                bidders=bidders_of(strategies),
                keys=Keys(keys.outcomes[k], keys.draws[k], keys.orders[k], deviations),
                state=state,
                log=empty_log(0),
                totals=Totals(np.array(steps, dtype=np.int64), by_provider[k], overall[k]),
            )
        )
    episode.mark_unmeasured(overall)
    return Tally(steps, by_provider, overall)
