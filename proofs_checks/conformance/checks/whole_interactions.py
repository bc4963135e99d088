"""Whole interactions: a state machine settles as it likes, and every answer is compared with every rule."""

from __future__ import annotations

import contextlib
from typing import NoReturn

import hypothesis
from hypothesis.stateful import run_state_machine_as_test

from proofs_checks.conformance.checks.check import check_of
from proofs_checks.conformance.checks.scratch_storage import scratch_storage
from proofs_checks.conformance.checks.search import Enough, Findings, quiet_settings, seed_of
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.play.any_mechanism import Answer
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.watched import LeftDomainError
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckOutcome
from proofs_checks.conformance.strategies.machine import BrokenRuleError, InteractionMachine, machine_of

#: Rules that one interaction applies; a burst among them is several steps.
_RULES = 25
#: Of the effort's examples.
_SHARE = 1.5
#: Answers that shrinking may ask for, so that long interactions cost no more than short ones.
_ANSWERS_SHRINKING = 6_000


class _Session(Findings):
    """A search that keeps, with the smallest failure, the answer that it is about."""

    answer: Answer = (-1, 0.0)

    def confirmed(self, planned: int) -> CheckOutcome:
        """Return what was found, confirmed in exact arithmetic."""
        failure = self.failure
        if failure is not None and not failure.misbehaviour:
            self.failure = failure.confirmed(self.answer)
        return self.outcome(planned)


def _recorded(machine: type[InteractionMachine], session: _Session) -> type[InteractionMachine]:
    """Return a machine that reports to a session."""

    def begin(self: InteractionMachine) -> None:
        session.limit()
        session.examples += 1
        machine.__init__(self)

    def end(self: InteractionMachine) -> None:
        session.compared += self.answers

    def left(self: InteractionMachine, error: MechanismError) -> None:
        machine.left(self, error)
        if self.subject.is_told(error):
            session.broken_off += 1
        elif not isinstance(error, LeftDomainError):
            session.discard(error.message)
            session.examples -= 1
            self.answers = 0

    def broken(self: InteractionMachine, failure: Failure) -> NoReturn:
        if session.take(failure):
            session.answer = (self.provider, self.payment)
        machine.broken(self, failure)

    return type("InteractionMachine", (machine,), {"__init__": begin, "teardown": end, "left": left, "broken": broken})


def _run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
    session = _Session(subject, most_compared=_ANSWERS_SHRINKING)
    machine = _recorded(machine_of(subject), session)
    planned = round(_SHARE * effort.examples)
    quiet = quiet_settings(planned, stateful_step_count=_RULES)
    hypothesis.seed(seed_of(seed, "whole interactions"))(machine)
    # The session has the failure. Flaky: the mechanism answered the same rules differently; it was seen all the same.
    expected = (BrokenRuleError, Enough, hypothesis.errors.Flaky)
    with contextlib.suppress(*expected), scratch_storage():
        run_state_machine_as_test(machine, settings=quiet)
    return session.confirmed(planned)


WHOLE_INTERACTIONS = check_of("whole-interactions", _run)
