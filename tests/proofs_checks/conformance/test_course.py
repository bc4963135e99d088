"""The course of a play, known from the last one or not, against an oracle beside each."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.course import Course
from proofs_checks.conformance.play.scenario import Providers, Scenario
from proofs_checks.conformance.strategies.scenarios import scenarios
from proofs_checks.oracle.rule_oracle import oracle_beside


def stretch(served: list[int], law: DelayLaw | None, scenario: Scenario) -> list[tuple[object, ...]]:
    """Return what is prescribed and what comes of each step, from an oracle that knows no other play."""
    oracle, providers = oracle_beside(scenario.config, scenario.seed, law), Providers(scenario)
    found = []
    for provider in served:
        decisions = oracle.decisions()
        score, cost, bid = providers.serve(provider, oracle)
        oracle.settle(provider, score, bid)
        found.append((decisions, provider, score, cost, bid))
    return [*found, (oracle.step, oracle.decisions())]


def followed(served: list[int], law: DelayLaw | None, scenario: Scenario, *, looks: bool) -> list[tuple[object, ...]]:
    course = Course(scenario, law)
    found: list[tuple[object, ...]] = []
    for provider in served:
        before = course.decisions() if looks else None
        found.append(tuple(course.serve(provider)))
        assert before in (None, found[-1][0])
    found.append((course.step, course.decisions()))
    course.keep()
    return found


@settings(max_examples=60, deadline=None)
@given(
    scenario=scenarios("noisy") | scenarios("auctions") | scenarios("screening"),
    law=st.sampled_from([None, DelayLaw(most=3)]),
    seed=st.integers(0, 2**16),
    looks=st.booleans(),
)
def test_a_course_is_the_same_whatever_was_played_before(
    scenario: Scenario, law: DelayLaw | None, seed: int, looks: bool
) -> None:
    random, n = np.random.default_rng(seed), scenario.config.n_providers
    plays = [[*random.permutation(n).tolist(), *random.integers(n, size=12).tolist()]]
    for _ in range(6):  # as the last one up to a step, and perhaps shorter
        same = int(random.integers(len(plays[-1]) + 1))
        plays.append([*plays[-1][:same], *random.integers(n, size=int(random.integers(12))).tolist()])
    for served in plays:
        assert followed(served, law, scenario, looks=looks) == stretch(served, law, scenario)
