"""The economic checks: right mechanisms pass, and each check catches the mechanism that breaks just its property."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.claims.model.alternative_bids import alternative_bids
from proofs_checks.conformance import QUICK
from proofs_checks.conformance.checks.deviations import BidDeviation, bid_separation, sampled_steps
from proofs_checks.conformance.checks.incentives import INCENTIVE_CHECKS
from proofs_checks.conformance.checks.robustness import RIVALS, STEPS, Position, truthful
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.play.interaction import Interaction, play_scenario
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.oracle.rule_oracle import money_rounding

CHECKS = {check.name: check for check in INCENTIVE_CHECKS}
REFERENCE = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


@pytest.mark.parametrize("name", ["selection-threshold", "monotone-allocation"])
def test_nothing_is_compared_where_nobody_wins_or_loses_by_its_bid(name):
    """Who serves everything at c_max has no threshold: that is no pass."""

    class ServesAll(Plain):
        def _decide(self):
            return 0, self.bound

    outcome = CHECKS[name].run(Subject(ServesAll, "ServesAll"), 0, QUICK)
    assert outcome.failure is None
    assert (outcome.compared == 0) == (name == "selection-threshold")


def test_a_mechanism_that_fails_on_another_bid_is_a_failure():
    class RejectsZero(Plain):
        def settle(self, score, bid):
            if bid == 0.0 and self.step > self.n_providers + 2:
                raise ValueError("bid")
            super().settle(score, bid)

    failure = CHECKS["no-profitable-misreport"].run(Subject(RejectsZero, "RejectsZero"), 0, QUICK).failure
    assert failure is not None
    assert failure.misbehaviour == "raised"


# By hand: two providers, c_max = 1, equal radii after initialization.


def interaction(bids: tuple[float, float], costs: tuple[float, float], horizon: int) -> Interaction:
    config = MechanismConfig(2, 0.0, 0.5, 1.0, 0.01, 0.5)
    queries = tuple((Query(1.0, cost, bid),) for bid, cost in zip(bids, costs, strict=True))
    return play_scenario(REFERENCE, Scenario(config, 0, queries, horizon))


def test_a_deviation_answers_by_hand():
    """At step 3 the radii are equal: a bid wins below the other's, and is paid it."""
    deviation = BidDeviation(REFERENCE, interaction((0.25, 0.5), (0.125, 0.5), 4), 1, 3)
    assert deviation.fresh
    assert (deviation.bid, deviation.estimate) == (0.25, 0.125)
    assert [deviation.wins(bid) for bid in (0.0, 0.4375, 0.5625, 1.0)] == [True, True, False, False]
    assert deviation.payment(0.0) == pytest.approx(0.5)
    assert deviation.gain(0.0) == pytest.approx(0.375)
    assert deviation.gain(1.0) == 0.0
    assert deviation.critical == pytest.approx(0.5)


def test_a_future_is_an_episode_of_the_rules():
    """The gains of a future against payments recomputed from its own log."""
    position = Position(REFERENCE, interaction((0.25, 0.5), (0.125, 0.5), 6), 2, 3)
    assert (position.provider, position.estimate) == (1, 0.5)
    [future] = position.futures([(truthful(position), RIVALS[0])])
    platform = Plain(position.interaction.config, np.random.default_rng(0))
    platform.assign()
    platform.settle(1.0, 0.25)
    platform.assign()
    expected = 0.0
    for settlement, utility in zip(future.settlements, future.utilities, strict=False):
        platform.settle(*settlement)
        winner, payment = platform.assign()
        expected += payment - 0.5 if winner == 1 else 0.0
        assert utility == pytest.approx(expected, abs=1e-12)
    assert len(future.utilities) == STEPS
    assert any(future.services)
    assert future.worst == min(future.utilities) == future.utilities[future.horizon - 3]


@settings(max_examples=40, deadline=None)
@given(horizon=st.integers(2, 60), most=st.integers(1, 6), latest=st.integers(2, 60))
def test_sampled_steps_lie_after_initialization_and_include_every_kind(horizon, most, latest):
    played = interaction((0.25, 0.5), (0.125, 0.5), horizon)
    steps = sampled_steps(played, most, latest)
    assert steps == sorted(set(steps))
    assert all(2 < step <= min(horizon, latest) for step in steps)
    assert bool(steps) == (min(horizon, latest) > 2)
    assert len(steps) <= most


def test_bids_that_differ_are_further_apart_than_all_rounding_of_a_comparison():
    config = MechanismConfig(2, 0.0, 0.5, 1.0, 0.01, 0.5, 0.5)
    assert bid_separation(config) == pytest.approx(1000 * money_rounding(config))
    assert money_rounding(config) == pytest.approx(1.5e-9)


def test_alternative_bids_stay_in_range_and_hold_the_corners():
    assert alternative_bids(2.0, [-1.0, 0.5, 2.0, math.inf], 0.25) == (0.0, 0.25, 0.5, 0.75, 1.0, 1.75, 2.0)
