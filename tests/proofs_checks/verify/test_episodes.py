"""The episodes of a verification: planned once, in the same order however they finish, kept if interrupted."""

from __future__ import annotations

import argparse
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from bounds.published import published
from proofs_checks.claims.cases.variants import VARIANTS
from proofs_checks.verify.episodes import (
    DEFAULT,
    QUICK,
    RUNS_PER_TASK,
    Effort,
    Episode,
    effort_of,
    flags_of,
    planned,
    play_all,
)

SETTINGS = [published("gpqa-strong").setting, published("gsm8k-full").setting]
EFFORT = Effort(runs=2, horizon=60, variant_horizon=40, instances=12)
LABELS = ("eq:payment", "lem:payment-range")


def ignore(done: int, total: int) -> None:
    pass


def told(outcomes: list[Episode]) -> list[tuple[object, ...]]:
    return [(o.order, o.setting, o.variant, o.steps, dict(o.origin), o.findings) for o in outcomes]


def test_every_variant_of_every_setting_and_every_instance_once() -> None:
    outcomes, done = play_all(planned(SETTINGS, 0, EFFORT, LABELS), 1, ignore)
    played = Counter((outcome.setting, outcome.variant) for outcome in outcomes)
    expected = Counter({(s.name, v): 2 if v == "truthful" else 1 for s in SETTINGS for v in VARIANTS})
    expected[(None, "steered")] = 12
    assert played == expected
    # Instances go in batches of ten, truthful runs of a setting in batches of five.
    assert done == 2 * len(VARIANTS) + 2
    assert len({outcome.order for outcome in outcomes}) == len(outcomes)
    assert all(outcome.findings.keys() == set(LABELS) for outcome in outcomes)


def test_the_order_of_finishing_does_not_matter() -> None:
    tasks = planned(SETTINGS, 5, EFFORT, LABELS)
    forwards, backwards = (play_all(order, 1, ignore)[0] for order in (tasks, tasks[::-1]))
    assert told(forwards) == told(backwards)
    assert [outcome.order for outcome in forwards] == sorted(outcome.order for outcome in forwards)


def test_the_longest_come_first() -> None:
    tasks = [task for task in planned(SETTINGS, 0, EFFORT, LABELS) if task[0].__name__ == "_episodes"]
    assert [task[3] for task in tasks[:2]] == ["truthful", "truthful"]
    assert len(tasks) == 2 * len(VARIANTS)
    lengths = [task[4] * len(task[6]) for task in tasks]
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("runs", [1, RUNS_PER_TASK, RUNS_PER_TASK + 1, 3 * RUNS_PER_TASK - 1])
def test_runs_are_split_over_tasks_without_loss(runs: int) -> None:
    effort = Effort(runs=runs, horizon=8, variant_horizon=8, instances=0)
    outcomes, done = play_all(planned(SETTINGS[:1], 0, effort, ("eq:payment",)), 1, ignore)
    truthful = [outcome.origin["run"] for outcome in outcomes if outcome.variant == "truthful"]
    assert truthful == list(range(runs))
    assert [outcome.order for outcome in outcomes] == [(0, place) for place in range(runs + len(VARIANTS) - 1)]
    assert done == -(-runs // RUNS_PER_TASK) + len(VARIANTS) - 1


def test_the_default_is_the_papers_scale() -> None:
    assert (DEFAULT.runs, DEFAULT.horizon, DEFAULT.variant_horizon) == (30, 70_000, 70_000)
    assert QUICK.runs * QUICK.horizon < DEFAULT.horizon


def test_nothing_is_played_for_claims_that_no_trace_decides() -> None:
    assert planned(SETTINGS, 0, EFFORT, ("lem:radius-inversion", "eq:utilities")) == []
    assert play_all([], 1, ignore) == ([], 0)


def test_an_interruption_keeps_what_is_finished() -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    outcomes, done = play_all(planned(SETTINGS, 0, EFFORT, LABELS), 1, interrupt)
    assert done == 1
    assert [outcome.variant for outcome in outcomes] == ["truthful", "truthful"]


@given(st.booleans(), st.tuples(*[st.none() | st.integers(1, 90_000)] * 3))
def test_flags_stand_for_their_effort(quick: bool, given_numbers: tuple[int | None, ...]) -> None:
    """Reading the flags as the command line does gives the effort that they were written for."""
    asked = dict(zip(("runs", "horizon", "instances"), given_numbers, strict=True))
    effort = effort_of(quick=quick, **asked)
    flags = flags_of(vars(effort))
    assert flags is not None
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    for name in asked:
        parser.add_argument(f"--{name}", type=int)
    assert effort_of(**vars(parser.parse_args(flags))) == effort


def test_an_effort_that_no_flags_stand_for() -> None:
    assert flags_of({"runs": 1, "horizon": 300, "variant_horizon": 200, "instances": 2}) is None
