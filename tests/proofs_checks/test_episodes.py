"""The episodes of a verification: planned once, in the same order however they finish, kept if interrupted."""

from __future__ import annotations

from collections import Counter

from bounds.published import published
from proofs_checks.episodes import Effort, Outcome, planned, play_all
from proofs_checks.variants import VARIANTS

SETTINGS = [published("gpqa-strong").setting, published("gsm8k-full").setting]
EFFORT = Effort(runs=2, horizon=60, variant_horizon=40, instances=12)
LABELS = ("eq:payment", "lem:payment-range")


def ignore(done: int, total: int) -> None:
    pass


def told(outcomes: list[Outcome]) -> list[tuple[object, ...]]:
    return [(o.order, o.setting, o.variant, o.steps, dict(o.origin), o.findings) for o in outcomes]


def test_every_variant_of_every_setting_and_every_instance_once() -> None:
    outcomes, done = play_all(planned(SETTINGS, 0, EFFORT, LABELS), 1, ignore)
    played = Counter((outcome.setting, outcome.variant) for outcome in outcomes)
    expected = Counter({(s.name, v): 2 if v == "truthful" else 1 for s in SETTINGS for v in VARIANTS})
    expected[(None, "steered")] = 12
    assert played == expected
    # Instances go in batches of ten.
    assert done == 2 * (2 + len(VARIANTS) - 1) + 2
    assert len({outcome.order for outcome in outcomes}) == len(outcomes)
    assert all(outcome.findings.keys() == set(LABELS) for outcome in outcomes)


def test_the_order_of_finishing_does_not_matter() -> None:
    tasks = planned(SETTINGS, 5, EFFORT, LABELS)
    forwards, backwards = (play_all(order, 1, ignore)[0] for order in (tasks, tasks[::-1]))
    assert told(forwards) == told(backwards)
    assert [outcome.order for outcome in forwards] == sorted(outcome.order for outcome in forwards)


def test_the_longest_come_first() -> None:
    variants = [task[2] for task in planned(SETTINGS, 0, EFFORT, LABELS) if task[0].__name__ == "_episode"]
    assert len(variants) == 10
    horizons = [task[4] for task in planned(SETTINGS, 0, EFFORT, LABELS) if task[0].__name__ == "_episode"]
    assert horizons == sorted(horizons, reverse=True)


def test_nothing_is_played_for_claims_that_no_trace_decides() -> None:
    assert planned(SETTINGS, 0, EFFORT, ("lem:good-event", "eq:utilities")) == []
    assert play_all([], 1, ignore) == ([], 0)


def test_an_interruption_keeps_what_is_finished() -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    outcomes, done = play_all(planned(SETTINGS, 0, EFFORT, LABELS), 1, interrupt)
    assert done == 2
    assert [outcome.variant for outcome in outcomes] == ["truthful", "truthful"]
