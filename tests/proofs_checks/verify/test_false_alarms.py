"""The ledger of what may fail by chance, counted by hand."""

from __future__ import annotations

import pytest

from proofs_checks.claims.model.band_failure import FALSE_ALARM
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements.definitions import DRAW_FALSE_ALARM, DRAWS_ARE_UNIFORM
from proofs_checks.verify.episodes import Effort, carry_out, planned
from proofs_checks.verify.false_alarms import false_alarms
from tests.proofs_checks.verify.test_verify import STRONG

LABELS = ("eq:allocation", "alg:platform", "lem:good-event", "lem:payment-range")
EFFORT = Effort(runs=2, horizon=120, variant_horizon=60, instances=3)


def test_a_test_that_claims_share_is_made_once() -> None:
    episodes = carry_out(planned([STRONG], 0, EFFORT, LABELS), 1, lambda done, total: None).episodes
    ledger = false_alarms([claim(label) for label in LABELS], episodes)
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
