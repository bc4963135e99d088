"""Scenarios that all checks of a family share are tried before Hypothesis draws others."""

from __future__ import annotations

import pytest

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.checks import search
from proofs_checks.conformance.checks.search import Probe
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.failure import failure_at
from proofs_checks.conformance.strategies.scenarios import FAMILIES

LOCAL = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


def failing_at(step: int, seen: list[Scenario]) -> search.Find:
    """Return what finds fault with every scenario in which the last provider serves at a step."""

    def find(subject: AnySubject, interaction: Interaction) -> Probe:
        seen.append(interaction.scenario)
        last = interaction.config.n_providers - 1
        if len(interaction.events) >= step and interaction.events[step - 1].provider == last:
            return Probe(1, failure_at(interaction, step, "the last provider serves"))
        return Probe(1)

    return find


@pytest.mark.parametrize("drawn", [30, 38])
@pytest.mark.parametrize("step", [4, 12, 40])
@pytest.mark.parametrize("family", ["auctions", "noisy"])
def test_a_search_is_that_of_hypothesis_alone(family: str, step: int, drawn: int) -> None:
    """Scenarios that all checks share are tried first; from the first that fails on Hypothesis has it.

    Others may try some more of them.
    """
    found = []
    for shared in (True, False):
        seen: list[Scenario] = []
        own = search._FamilySearch(LOCAL, failing_at(step, seen), most_discarded=10)
        if shared:
            own.run(FAMILIES[family], 7, 30, drawn)
        else:
            try:
                search._run_search(own._try, FAMILIES[family], LOCAL.domain, 7, 30)
            except (search._FailedError, search.Enough):
                assert own.failure is not None
        found.append((seen, own.failure, own.examples, own.compared))
    assert found[0] == found[1]
    assert len(found[0][0]) > 5
