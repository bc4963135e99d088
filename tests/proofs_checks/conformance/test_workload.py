"""How long a run takes is told before it begins."""

from __future__ import annotations

import time

import pytest

from mechanism.platform import concurrent_mechanism, reference_mechanism
from proofs_checks.conformance.checks.check import QUICK, SuiteEffort
from proofs_checks.conformance.play.domain import Domain
from proofs_checks.conformance.play.restricted import RestrictedSubject
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.suite import ALL_CHECKS, IN_FLIGHT_CHECKS, check_mechanism
from proofs_checks.conformance.workload import CALLS, Workload, calls_of, workload
from tests.parametrized import long_but
from tests.proofs_checks.conformance.narrow import Narrow

#: Checks of all groups come first.
EVERY = sorted(CALLS.keys() - {"whole-interactions"}, key=lambda name: ([*CALLS].index(name) % 5, name))


class Counted:
    """The reference mechanism, which counts the calls of all its instances."""

    calls = 0

    def __init__(self, config, rng) -> None:
        self._mechanism = reference_mechanism(config, rng)

    def assign(self) -> tuple[int, float]:
        Counted.calls += 1
        return self._mechanism.assign()

    def settle(self, *arguments) -> None:
        Counted.calls += 1
        self._mechanism.settle(*arguments)


class CountedTickets(Counted):
    """The same in the ticket form."""

    def __init__(self, config, rng) -> None:
        self._mechanism = concurrent_mechanism(config, rng)
        self.state, self.restore = self._mechanism.state, self._mechanism.restore


def test_every_check_has_its_calls() -> None:
    assert CALLS.keys() == ALL_CHECKS.keys() | IN_FLIGHT_CHECKS.keys()


@pytest.mark.parametrize("name", long_but(8, EVERY, reason="counts the calls of every check"))
def test_calls_are_what_is_counted_to_a_factor_of_two(name: str) -> None:
    effort = SuiteEffort(examples=12, draws=3_000)
    Counted.calls = 0
    made, in_flight = (Counted, None) if name in ALL_CHECKS else (CountedTickets, "3")
    check_mechanism(made, only=[name], effort=effort, in_flight=in_flight)
    assert 0.5 < Counted.calls / calls_of([name], effort) < 2.5  # an instance is started for each interaction


def test_it_is_told_once_before_the_first_check() -> None:
    told: list[object] = []
    check_mechanism(
        reference_mechanism,
        only=["lone-payment", "initialization-order"],
        effort=QUICK,
        begins=told.append,
        progress=lambda done, total: told.append(done),
    )
    work, *done = told
    assert isinstance(work, Workload)
    assert (work.checks, done) == (2, [1, 2])
    assert work.seconds is not None
    assert work.seconds > 0


def test_a_slow_mechanism_takes_as_long_as_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("proofs_checks.conformance.workload.monotonic", lambda: clock[0])

    class Slow(Counted):
        def assign(self) -> tuple[int, float]:
            clock[0] += 0.08
            return super().assign()

    work = workload(Subject(Slow, "slow"), ["lone-payment"], QUICK)
    assert work.seconds == pytest.approx(work.calls * 0.04)


def test_what_cannot_be_timed_is_not_guessed_at() -> None:
    subject = Subject(Narrow, "narrow")
    untimed = workload(RestrictedSubject(subject, Domain(providers=(2, 2))), ["answers"], QUICK)
    assert untimed.seconds is not None, "its scores are binary, its threshold inside (0, 1), both providers eligible"

    class Fails(Narrow):
        def assign(self) -> tuple[int, float]:
            raise RuntimeError

    work = workload(Subject(Fails, "fails"), ["answers"], QUICK)
    assert work.seconds is None
    assert "is not known" in str(work)


@pytest.mark.parametrize(("only", "hangs"), [(["answers", "lone-payment"], 1), (["lone-payment"], 2)])
def test_what_hung_in_the_scenario_that_is_timed_is_not_waited_for_again(only: list[str], hangs: int) -> None:
    """`answers` tells that hang as its own; another check has a scenario of its own to show."""
    waited = []

    class Hangs(Counted):
        def assign(self) -> tuple[int, float]:
            waited.append(self)
            time.sleep(60)
            return super().assign()

    report = check_mechanism(Hangs, only=only, effort=QUICK, time_limit=0.05, begins=lambda work: None)
    first = report.checks[0]
    assert len(waited) == hangs
    assert "had not returned after 0.6 s" in first.message
    assert first.failure is not None
    assert first.failure.misbehaviour == "too slow"
    assert first.script
