"""`costproof.testing`: right mechanisms pass, wrong ones fail with the rule, what it expects and what was found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import FailedHealthCheck, Unsatisfiable
from hypothesis.stateful import run_state_machine_as_test

import costproof
from bounds.errors import InputError
from costproof import strategies, testing
from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.suite import ALL_CHECKS
from tests.drawn import drawn


@pytest.mark.for_each("door", [strategies, testing])
def test_every_public_name_is_there(door: Any) -> None:
    assert all(getattr(door, name) is not None for name in door.__all__)
    assert set(door.__all__) <= set(dir(door))
    assert costproof.__getattr__(door.__name__.rpartition(".")[2]) is door


@pytest.mark.for_each("name", CORRECT)
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(history=strategies.histories(bidding="arbitrary", horizon=(1, 60)))
def test_right_mechanisms_break_no_rule(name: str, history: Any) -> None:
    assert testing.broken_rules(testing.play(CORRECT[name], history)) == []


@pytest.mark.for_each(
    ("name", "rule"),
    [("FirstPrice", "critical-payment"), ("NeverExplores", "exploration-set"), ("LargestIndexWins", "index-minimizer")],
)
def test_wrong_mechanisms_break_a_rule_of_some_history(name: str, rule: str) -> None:
    def breaks(history: Any) -> bool:
        broken = testing.broken_rules(testing.play(MUTANTS[name].factory, history))
        return any(each.rule == rule and each.expected != each.found for each in broken)

    assert any(map(breaks, drawn(strategies.histories(horizon=(20, 60)), 30)))


def test_a_call_that_fails_is_named() -> None:
    def halting(config: MechanismConfig, rng: Any) -> Any:
        raise RuntimeError("no such market")

    history = drawn(strategies.histories(), 1)[0]
    with pytest.raises(testing.MechanismError, match=r"factory\(config, rng\) raised RuntimeError: no such market"):
        testing.play(halting, history)


def test_checks_are_functions() -> None:
    assert testing.check_names() == list(ALL_CHECKS)
    assert "lone-payment" in testing.check_names("rules")
    testing.assert_passes(reference_mechanism, "lone-payment", "initialization-payment", effort=testing.QUICK)
    with pytest.raises(testing.ConformanceError, match=r"critical-payment .*paid 0.*, expected"):
        testing.assert_passes(MUTANTS["FirstPrice"].factory, "critical-payment", effort=testing.QUICK, explain=False)
    reasons = {"critical-payment": "first price"}
    testing.assert_passes(
        MUTANTS["FirstPrice"].factory, *reasons, effort=testing.QUICK, explain=False, expected_failures=reasons
    )


def test_a_check_that_compares_nothing_passes_nothing() -> None:
    with pytest.raises(testing.ConformanceError, match="lone-payment"):
        testing.assert_passes(reference_mechanism, "lone-payment", domain="eligible=2..", effort=testing.QUICK)


def test_a_mechanism_that_answers_nothing_does_not_pass_the_machine() -> None:
    def unwritten(config: MechanismConfig, rng: Any) -> Any:
        raise NotImplementedError("to be written")

    quick = settings(max_examples=5, database=None)
    with pytest.raises((FailedHealthCheck, Unsatisfiable)):
        run_state_machine_as_test(testing.mechanism_machine(unwritten), settings=quick)


def test_the_mean_of_equal_costs_is_no_larger() -> None:
    """Three costs of 102.4 have a mean of 102.40000000000002 in doubles."""
    config = MechanismConfig(2, 0.5, 0.05, 102.4, 1.0, 0.5)
    scenario = Scenario(config, 0, ((Query(1.0, 102.4),) * 3, (Query(1.0, 0.0),)), horizon=3)
    assert scenario.setting.providers[0].mean_cost == 102.4


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="family='loan' is unknown: did you mean lone"):
        strategies.scenarios("loan")
    with pytest.raises(InputError, match="bidding='truthfully' must be one of truthful, bayesian"):
        drawn(strategies.histories(bidding="truthfully"), 1)
