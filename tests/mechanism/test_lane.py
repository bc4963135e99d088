"""What a lane of a GPU does, compiled for this processor, is the plain episode: same counts, same money.

On a GPU itself `test_gpu.py` looks at the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import numba as nb
import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings

from mechanism.compiled import lane
from mechanism.compiled.lane import LaneRun
from mechanism.metrics.tally import Tally, tally_of
from mechanism.policies import POLICIES
from tests.mechanism.lanes import lane_tallies
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes, tally_differences
from tests.mechanism.test_kernel import SOURCE as KERNEL_SOURCE, pure as pure_module

SOURCE = Path(lane.__file__).read_text(encoding="utf-8")


@nb.njit(error_model="numpy")
def play(run: LaneRun) -> None:
    """Play one run as machine code."""
    lane.play(run)


def expected(one: Episode) -> Tally:
    return tally_of(one.setting, one.plain(), one.checkpoints, POLICIES[one.policy])


def differences(one: Episode, play: types.FunctionType, wanted: Tally) -> list[str]:
    """Return the totals that differ from the plain ones, after another run in the same lane."""
    runs = [one.run ^ 1, one.run]
    asked = {"horizon": one.horizon, "seed": one.seed, "runs": runs, "checkpoints": one.checkpoints}
    return tally_differences(wanted, lane_tallies(play, one.compiled(), **asked).each()[1])


@hypothesis_settings(max_examples=150)
@given(episodes())
def test_a_lane_plays_the_plain_episode(one: Episode) -> None:
    assert differences(one, play, expected(one)) == []


@pytest.mark.for_each("name", NAMED)
def test_a_lane_plays_the_plain_episode_where_it_is_difficult(name: str) -> None:
    assert differences(NAMED[name], play, expected(NAMED[name])) == []


@pytest.mark.for_each("name", ["usual", "pool", "recorded", "hopeless", "eligible again", "uniform"])
def test_scores_and_costs_are_the_kernel_s_to_the_last_bit(name: str) -> None:
    """They are added up step by step in both; payments are not."""
    one = NAMED[name]
    asked = {"horizon": one.horizon, "seed": 0, "runs": range(5), "checkpoints": one.checkpoints}
    found, kept = lane_tallies(play, one.compiled(), **asked).each(), one.compiled().tallies(**asked)
    for mine, theirs in zip(found, kept, strict=True):
        for field in lane.EQUAL_OF_PROVIDERS:
            assert mine.by_provider[:, field].tobytes() == theirs.by_provider[:, field].tobytes()
        for field in lane.EQUAL_OF_RUNS:
            assert mine.overall[:, field].tobytes() == theirs.overall[:, field].tobytes()


#: By name: an episode that tells, the right text, and a wrong one.
MUTANTS = {
    "ties for the last": ("ties", "if entry < leading:", "if entry <= leading:"),
    "pays its own entry": ("usual", "i, entry, leading", "i, entry, entry"),
    "no rival but the beaten champion": ("usual", "elif entry < rival_entry:", "elif entry < -np.inf:"),
    "explores whoever was screened": (
        "screened while explored",
        "(state.entries[provider] < np.inf) & (state.books",
        "(state.books",
    ),
    "explores one too often": ("usual", "BOOK_FIELDS] < target)", "BOOK_FIELDS] <= target)"),
    "explores the first": ("usual", "explored(rules, state, target, rank)", "explored(rules, state, target, 0)"),
    "target a step late": ("usual", "rules.rises[target] <= step", "rules.rises[target] < step"),
    "nobody eligible, the first": ("hopeless", "provider, kind = drawn_place(keys, step, n)", "provider, kind = 0"),
    "routes to the dearest": ("cheapest", "if rules.prices[i] < least:", "if rules.prices[i] > -least:"),
    "routes to the screened": ("uniform", "eligible) & (rules", "0) & (rules"),
    "pays beyond the bound": (
        "alone",
        "min(found.rival_entry + rules.cost_radii[count], payment)",
        "found.rival_entry",
    ),
    "asks again": (
        "pool",
        "exchange(order, run.keys.outcomes, passed, place)",
        "exchange(order, run.keys.outcomes, 0, place)",
    ),
    "eligible after the step": ("screened while explored", "before = found.eligible", "before = n"),
    "remembers the last run": ("usual", "    clear_books(run)\n", ""),
}


def pure(source: str) -> types.FunctionType:
    """Return `play` as plain Python, from the lane's (mutated) source on the kernel's own."""
    below = pure_module(KERNEL_SOURCE)
    names = "from mechanism.compiled.kernel import clear_books, drawn_place, exchange, settle\n"
    assert names in source
    taken = {name: vars(below)[name] for name in names.split("import ")[1].strip().split(", ")}
    without = source.replace("from mechanism.compiled import kernel\n", "").replace(names, "")
    return pure_module(without, kernel=below, **taken).play


def short(name: str) -> Episode:
    horizon = min(NAMED[name].horizon, {"eligible again": 900, "hopeless": 600}.get(name, 200))
    return replace(NAMED[name], horizon=horizon, checkpoints=(horizon // 2,))


def found(name: str, source: str) -> list[str]:
    with np.errstate(all="ignore"):
        try:
            return differences(short(name), pure(source), expected(short(name)))
        except (IndexError, TypeError, OverflowError) as error:  # a place that no run has
            return [type(error).__name__]


def test_the_lane_runs_as_plain_python() -> None:
    """So a mutant differs by its mutation and not by the way it is run."""
    for name in sorted({mutant[0] for mutant in MUTANTS.values()}):
        assert found(name, SOURCE) == []


@pytest.mark.for_each("mutant", MUTANTS)
def test_a_wrong_lane_is_noticed(mutant: str) -> None:
    name, right, wrong = MUTANTS[mutant]
    assert SOURCE.count(right) == 1, "the text that this mutant replaces has changed"
    assert found(name, SOURCE.replace(right, wrong)) != []


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
