"""Whole interactions: the machine passes what is right, breaks what is wrong, and reaches every rule."""

from __future__ import annotations

import collections
import json
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from proofs_checks.conformance import DEFAULT, QUICK
from proofs_checks.conformance.checks.whole_interactions import WHOLE_INTERACTIONS
from proofs_checks.conformance.mutants import contract, corners, drift, exploration, pricing
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.strategies.machine import BrokenRuleError, mechanism_machine
from proofs_checks.oracle.step_rules import STEP_RULES, applying
from tests.parametrized import long_but

SHORT = hypothesis.settings(
    max_examples=30,
    stateful_step_count=30,
    database=None,
    deadline=None,
    print_blob=False,
    verbosity=hypothesis.Verbosity.quiet,
    suppress_health_check=list(hypothesis.HealthCheck),
)


long = pytest.mark.long("plays whole interactions")


#: By mutant, the rules that a failure may name.
BROKEN = {
    pricing.FirstPrice: {"critical-payment"},
    exploration.GoalOfTheLastStep: {"exploration-set", "exploration-payment"},
    drift.FirstScoresHalved: set(STEP_RULES),
    corners.EmptyPaysNothing: {"empty-payment"},
    contract.RaisesOnSettling: {"raised"},
}


def subject(factory: type[Any]) -> Subject:
    return Subject(factory, f"gallery:{factory.__name__}")


def rule_of(failure: Failure) -> str:
    return failure.misbehaviour or failure.message.rpartition("(rule ")[2].partition(")")[0]


def caught(broken: type[Any], seed: int) -> bool:
    # Wrong scores that are forgotten late need more interactions than a quick run has.
    effort = DEFAULT if broken is drift.FirstScoresHalved else QUICK
    failure = WHOLE_INTERACTIONS.run(subject(broken), seed, effort).failure
    return failure is not None and rule_of(failure) in BROKEN[broken]


def test_the_reference_passes() -> None:
    outcome = WHOLE_INTERACTIONS.run(Subject(reference_mechanism, "reference"), 0, QUICK)
    assert outcome.failure is None
    assert outcome.examples >= QUICK.examples
    assert outcome.compared > 20 * outcome.examples


@long
def test_other_ties_and_another_order_pass() -> None:
    def other(config: MechanismConfig, rng: np.random.Generator) -> Platform:
        return Platform(config, rng, ties="random", order=range(config.n_providers - 1, -1, -1))

    assert WHOLE_INTERACTIONS.run(Subject(other, "other"), 1, DEFAULT).failure is None


@pytest.mark.parametrize("broken", long_but(1, BROKEN, reason="plays whole interactions"))
def test_broken_mechanisms_are_caught(broken: type[Any]) -> None:
    assert caught(broken, 0)


def test_a_failure_is_small_and_replays() -> None:
    failure = WHOLE_INTERACTIONS.run(subject(pricing.FirstPrice), 0, DEFAULT).failure
    assert failure is not None
    assert failure.config.n_providers == 2
    assert len(failure.settlements) <= 4
    assert failure.exact.startswith("confirmed")
    json.dumps(failure.to_data())
    mechanism = subject(pricing.FirstPrice).start(failure.config, failure.seed)
    for provider, settlement in zip(failure.providers, failure.settlements, strict=True):
        assert mechanism.assign()[0] == provider
        mechanism.settle(*settlement)
    assert mechanism.assign()[1] == failure.found


@long
def test_a_run_is_a_function_of_its_seed() -> None:
    for factory in (Platform, exploration.GoalOfTheLastStep):
        first, again, other = (WHOLE_INTERACTIONS.run(subject(factory), seed, QUICK) for seed in (4, 4, 5))
        assert first == again
        assert first.compared != other.compared


def test_interactions_reach_every_rule() -> None:
    reached: collections.Counter[str] = collections.Counter()

    class Watched(mechanism_machine(reference_mechanism)):
        def _assign(self) -> None:
            reached.update({name for decision in self.oracle.decisions() for name in applying(decision)})
            super()._assign()

    run_state_machine_as_test(hypothesis.seed(1)(Watched), settings=hypothesis.settings(SHORT, max_examples=45))
    assert set(reached) == set(STEP_RULES)
    assert min(reached.values()) >= 10, reached


@long
def test_the_machine_names_the_rule_in_a_test_of_anybodys() -> None:
    machine = hypothesis.seed(0)(mechanism_machine(pricing.FirstPrice))
    with pytest.raises(BrokenRuleError, match=r"step \d+: paid [\d.]+, expected [\d.]+ \(rule [a-z]+-payment\)"):
        run_state_machine_as_test(machine, settings=SHORT)


@long
def test_subclasses_add_rules() -> None:
    settled = []

    class Mine(mechanism_machine(reference_mechanism)):
        @rule(score=st.just(0.125))
        def strange_answer(self, score: float) -> None:
            self.settle(score, 0.0)
            settled.append(self.settlements[-1])

    run_state_machine_as_test(hypothesis.seed(0)(Mine), settings=SHORT)
    assert set(settled) == {(0.125, 0.0)}


def test_bids_at_the_critical_value_are_critical() -> None:
    machine = mechanism_machine(reference_mechanism)()
    machine.begin(MechanismConfig(2, 0.0, 0.05, 1.0, 0.01, 0.5), 0, [1.0, 1.0])
    machine.good_answer(1.0, 0.5)
    machine.good_answer(1.0, 0.25)
    assert machine.provider == 1
    machine.critical_bid(1.0, 0)
    # beta falls with the count: the provider that has served twice must underbid by the difference.
    [decision] = machine.oracle.decisions()
    assert decision.providers == (0, 1)
    machine.teardown()
