"""The episodes of a verification: planned once, in one order, kept if interrupted; and what may fail by chance."""

import argparse
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from bounds.published import published
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.cases.instances import instance_case
from proofs_checks.claims.cases.late_boundary import LATE_BOUNDARY
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.model.band_failure import FALSE_ALARM
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements.definitions import DRAW_FALSE_ALARM, DRAWS_ARE_UNIFORM
from proofs_checks.verdict import Verdict
from proofs_checks.verify import episodes
from proofs_checks.verify.episodes import (
    _FIRST_STEPS,
    RUNS_PER_TASK,
    Effort,
    Episode,
    carry_out,
    effort_of,
    flags_of,
    in_machine_code,
    planned,
)
from proofs_checks.verify.false_alarms import false_alarms
from proofs_checks.verify.run import verify

SETTINGS = [published("gpqa-strong").setting, published("gsm8k-full").setting]
EFFORT = Effort(runs=2, horizon=60, variant_horizon=40, instances=12)
LABELS = ("eq:payment", "lem:payment-range")
#: One of them has a proof.
PROOFS = 1


def ignore(done: int, total: int) -> None:
    pass


def told(outcomes: tuple[Episode, ...]) -> list[tuple[object, ...]]:
    return [(o.order, o.setting, o.variant, o.steps, dict(o.origin), o.evidence) for o in outcomes]


def test_every_variant_of_every_setting_and_every_instance_once() -> None:
    found = carry_out(planned(SETTINGS, 0, EFFORT, LABELS), 1, ignore)
    outcomes = found.episodes
    played = Counter((outcome.setting, outcome.variant) for outcome in outcomes)
    expected = Counter({(s.name, v): 2 if v == "truthful" else 1 for s in SETTINGS for v in VARIANTS})
    expected[(None, "steered")] = 12
    expected[(None, "in flight")] = len(LATE_BOUNDARY) + 1
    assert played == expected
    # Instances go in batches of ten, truthful runs of a setting in batches of five; those in flight are one task.
    assert found.done == PROOFS + 2 * len(VARIANTS) + 2 + 1
    assert list(found.certificates) == ["lem:payment-range"]
    assert len({outcome.order for outcome in outcomes}) == len(outcomes)
    assert all(outcome.evidence.keys() == set(LABELS) for outcome in outcomes)


def test_the_order_of_finishing_does_not_matter() -> None:
    tasks = planned(SETTINGS, 5, EFFORT, LABELS)
    forwards, backwards = (carry_out(order, 1, ignore).episodes for order in (tasks, tasks[::-1]))
    assert told(forwards) == told(backwards)
    assert [outcome.order for outcome in forwards] == sorted(outcome.order for outcome in forwards)


@pytest.mark.parametrize("runs", [1, RUNS_PER_TASK, RUNS_PER_TASK + 1, 3 * RUNS_PER_TASK - 1])
def test_runs_are_split_over_tasks_without_loss(runs: int) -> None:
    effort = Effort(runs=runs, horizon=8, variant_horizon=8, instances=0)
    found = carry_out(planned(SETTINGS[:1], 0, effort, ("eq:payment",)), 1, ignore)
    truthful = [outcome.origin["run"] for outcome in found.episodes if outcome.variant == "truthful"]
    assert truthful == list(range(runs))
    assert [outcome.order for outcome in found.episodes] == [(0, place) for place in range(runs + len(VARIANTS) - 1)]
    assert found.done == -(-runs // RUNS_PER_TASK) + len(VARIANTS) - 1


def test_what_parameters_say_is_the_same_from_a_task_and_after_an_interruption() -> None:
    labels = ("claim:T_id", "lem:radius-inversion", "eq:utilities")
    tasks = planned(SETTINGS, 0, EFFORT, labels)
    whole, cut = carry_out(tasks, 1, ignore), carry_out([], 1, ignore)
    assert [each.setting for each in whole.computed] == [*(setting.name for setting in SETTINGS), None]
    for label in labels:
        for setting in (*SETTINGS, None):
            assert whole.said(label, setting) == cut.said(label, setting)
    setting = SETTINGS[0]
    assert whole.said("claim:T_id", setting) == claim("claim:T_id").of_setting(setting) is not None
    assert whole.said("eq:utilities", setting) is None


def test_an_interruption_keeps_what_is_finished() -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    found = carry_out(planned(SETTINGS, 0, EFFORT, LABELS), 1, interrupt)
    assert found.done == 2
    assert [outcome.variant for outcome in found.episodes] == ["truthful", "truthful"]
    assert list(found.certificates) == ["lem:payment-range"]


@pytest.mark.long("plays 50 instances")
def test_the_first_steps_of_an_instance_say_what_all_of_them_say_where_an_assumption_fails() -> None:
    labels = tuple(label for label, stated in all_claims().items() if stated.checks and stated.preconditions)
    compared = 0
    for instance in range(len(BOUNDARY), 60):
        whole, start = instance_case(7, instance), instance_case(7, instance, at_most=_FIRST_STEPS)
        for label in labels:
            said = claim(label).check(start)
            if said.verdict is Verdict.ASSUMPTION_VIOLATED:
                compared += 1
                assert said == claim(label).check(whole), (instance, label)
    assert compared > 1_000


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


STRONG = published("gpqa-strong").setting


@pytest.mark.long("verifies twice")
def test_it_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    effort, found = Effort(runs=2, horizon=300, variant_horizon=200, instances=0), []
    for least in (0, 10**9):
        monkeypatch.setattr(episodes, "_WORTH_MACHINE_CODE", least)
        assert in_machine_code([STRONG], effort) == (least == 0)
        data = verify([STRONG], effort=effort, labels=["thm:regret", "lem:payment-range", "lem:one-step"]).to_data()
        found.append({key: part for key, part in data.items() if key != "seconds"})
    assert found[0] == found[1]


@pytest.mark.for_each("variant", VARIANTS)
def test_the_plain_run_is_the_compiled_one(variant: str) -> None:
    both = [play(STRONG, variant, horizon=400, seed=5, run=1, machine_code=code).trace for code in (True, False)]
    for column in ("provider", "payment", "score", "bid", "cost"):
        assert getattr(both[0], column).tolist() == getattr(both[1], column).tolist()


WITH_DRAWS = ("eq:allocation", "alg:platform", "lem:good-event", "lem:payment-range")
LITTLE = Effort(runs=2, horizon=120, variant_horizon=60, instances=3)


def test_a_test_that_claims_share_is_made_once() -> None:
    episodes = carry_out(planned([STRONG], 0, LITTLE, WITH_DRAWS), 1, lambda done, total: None).episodes
    ledger = false_alarms([claim(label) for label in WITH_DRAWS], episodes)
    draws, scores, costs = ledger.tests
    assert draws.claims == ("eq:allocation", "alg:platform")
    assert draws.test == DRAWS_ARE_UNIFORM.name
    assert draws.times == 2 + 3 + 3  # truthful runs, the other three variants, constructed instances
    assert draws.probability == float(DRAW_FALSE_ALARM)
    for test in (scores, costs):
        assert test.claims == ("lem:good-event",)
        assert test.times == 2 + 3 + 1  # those runs, and all of the setting together
        assert test.at_most == test.times * FALSE_ALARM / 2
    assert ledger.at_most == pytest.approx(sum(test.at_most for test in ledger.tests))


def test_no_other_check_fails_by_chance() -> None:
    """Whatever says "false alarm" in its name is in the ledger."""
    for stated in all_claims().values():
        for check in stated.checks:
            assert bool(check.false_alarm) == ("false alarm" in check.name or "chance" in check.name), check.name
