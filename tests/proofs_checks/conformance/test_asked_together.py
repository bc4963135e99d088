"""Plays that are asked for together: each has its own answers and errors, whether or not it is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.checks import search
from proofs_checks.conformance.checks.search import Probe
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import Interaction, answers_later, answers_to
from proofs_checks.conformance.play.scenario import Scenario, usual_config
from proofs_checks.conformance.play.subject import MechanismError, Subject
from proofs_checks.conformance.report.failure import failure_at
from proofs_checks.conformance.strategies import FAMILIES

CONFIG = usual_config(n_providers=3, quality_threshold=0.25, exploration_scale=1.3)
LOCAL = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")
#: Bids at which the mechanism below raises, and ends its process.
RAISES, ENDS = 0.125, 0.375


def history(bid: float, steps: int = 12) -> list[tuple[float, float]]:
    """A history with a bid of its own at the fifth step."""
    return [(7 * step % 10 / 10, bid if step == 5 else 3 * step % 8 / 8) for step in range(1, steps + 1)]


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[HostedSubject]:
    (tmp_path / "it.py").write_text(
        "import os\nfrom mechanism.platform import Platform\n\n\n"
        "class It(Platform):\n    def settle(self, score, bid):\n"
        f"        if self._step == 6 and bid == {RAISES}:\n            raise ValueError\n"
        f"        if self._step == 6 and bid == {ENDS}:\n            os._exit(3)\n"
        "        super().settle(score, bid)\n"
    )
    with HostedSubject(f"{tmp_path}/it.py:It") as subject:
        yield subject


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_answers_are_those_of_each_alone_in_whatever_order_they_are_waited_for(
    hosted: HostedSubject, order: list[int]
) -> None:
    histories = [history(0.25, 3), history(0.5), history(0.75, 450), history(1.0, 0)]
    asked = [answers_later(hosted, CONFIG, 5, each) for each in histories]
    assert {place: asked[place]() for place in order} == {
        place: answers_to(LOCAL, CONFIG, 5, histories[place]) for place in order
    }


def test_steps_that_are_served_after_a_history(hosted: HostedSubject) -> None:
    yields = [[(1.0, 0.25)] * 9, [(0.5, 0.5)] * 9, [(0.0, 0.75)] * 9]
    for steps in (0, 12, 450):
        asked = [hosted.start(CONFIG, seed).serving(yields, 9, after=history(0.5, steps)) for seed in (3, 4)]
        alone = [LOCAL.start(CONFIG, seed).serve(yields, 9, after=history(0.5, steps)) for seed in (3, 4)]
        assert [wait() for wait in asked] == alone


def test_an_error_is_that_of_its_own_play(hosted: HostedSubject) -> None:
    asked = [answers_later(hosted, CONFIG, 5, history(bid)) for bid in (0.25, RAISES, 0.5)]
    assert asked[0]() == answers_to(LOCAL, CONFIG, 5, history(0.25))
    with pytest.raises(MechanismError, match=r"settle\(0\.5, 0\.125\) at step 5 raised ValueError"):
        asked[1]()
    assert asked[2]() == answers_to(LOCAL, CONFIG, 5, history(0.5))


@pytest.mark.parametrize("bid", [RAISES, ENDS, 0.75])
def test_what_nobody_waits_for_is_nobodys_error(hosted: HostedSubject, bid: float) -> None:
    asked = [answers_later(hosted, CONFIG, 5, history(each)) for each in (0.25, bid)]
    if bid != ENDS:
        assert asked[0]() == answers_to(LOCAL, CONFIG, 5, history(0.25))
    del asked
    assert answers_to(hosted, CONFIG, 6, history(0.5)) == answers_to(LOCAL, CONFIG, 6, history(0.5))


def test_a_process_that_ends_is_told_to_who_waits(hosted: HostedSubject) -> None:
    asked = [answers_later(hosted, CONFIG, 5, history(bid)) for bid in (ENDS, 0.5)]
    for wait in asked:
        with pytest.raises(MechanismError, match=r"settle\(0\.5, 0\.375\) at step 5 ended its process"):
            wait()


@pytest.mark.parametrize("times", [1, 2, 12])
def test_going_on_is_settling_and_assigning(hosted: HostedSubject, times: int) -> None:
    by_provider = [(0.25, 0.5), (0.5, 0.75), (1.0, 0.0)]
    there, here = (subject.start(CONFIG, 5) for subject in (hosted, LOCAL))
    assert there.assign() == here.assign()
    for _ in range(2):
        expected = list(here.go_on((1.0, 0.25), by_provider, times))
        assert list(there.go_on((1.0, 0.25), by_provider, times)) == expected
    assert len(there.played().settlements) == 2 * times


def test_answers_before_an_error_come_before_it(hosted: HostedSubject) -> None:
    """The provider that serves at step 5 leaves the bid at which the mechanism raises."""
    there, here = (subject.start(CONFIG, 5) for subject in (hosted, LOCAL))
    by_provider = [(0.5, RAISES)] * 3
    assert there.assign() == here.assign()
    found, expected = [], list(here.go_on((1.0, 0.25), by_provider, 4))
    answers = there.go_on((1.0, 0.25), by_provider, 9)
    with pytest.raises(MechanismError, match=r"settle\(0\.5, 0\.125\) at step 5 raised ValueError"):
        found.extend(answers)  # `extend` keeps what came before an error
    assert found == expected


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
