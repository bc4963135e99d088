"""Whole interactions: a state machine settles as it likes, and every answer is compared with every rule."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from proofs_checks.conformance.check import Check, Effort, Outcome
from proofs_checks.conformance.play.search import SHRINKING, Enough, quiet_settings, seed_of
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.exactness import exact_verdict
from proofs_checks.conformance.report.failure import Failure

if TYPE_CHECKING:
    from proofs_checks.conformance.strategies.machine import InteractionMachine

#: Rules that one interaction applies; a burst among them is several steps.
_RULES = 25
#: Of the effort's examples.
_SHARE = 1.5
#: Answers that shrinking may ask for, so that long interactions cost no more than short ones.
_ANSWERS_SHRINKING = 6_000


class _Session:
    """One search: what was played, and the smallest failure so far."""

    def __init__(self) -> None:
        self.examples = self.compared = 0
        self.failure: Failure | None = None
        self._left, self._most, self._answer = SHRINKING, 0, (-1, 0.0)

    def begin(self) -> None:
        """Count an interaction; end the search when shrinking has taken its share."""
        self.examples += 1
        if self.failure is not None:
            self._left -= 1
            if self._left < 0 or self.compared > self._most:
                raise Enough

    def take(self, failure: Failure, answer: tuple[int, float]) -> None:
        """Keep the smaller failure, and the answer that it is about."""
        if self.failure is None:
            self._most = self.compared + _ANSWERS_SHRINKING
        if self.failure is None or failure.size < self.failure.size:
            self.failure, self._answer = failure, answer
        if failure.misbehaviour == "too slow":  # every smaller example would take the whole time limit again
            raise Enough

    def outcome(self) -> Outcome:
        """Return what was found, confirmed in exact arithmetic."""
        failure = self.failure
        if failure is not None and not failure.misbehaviour:
            exact = exact_verdict(failure.config, failure.providers, failure.settlements, self._answer)
            failure = replace(failure, exact=exact)
        return Outcome(self.examples, self.compared, failure)


def _recorded(machine: type[InteractionMachine], session: _Session) -> type[InteractionMachine]:
    """Return a machine that reports to a session."""

    def begin(self: InteractionMachine) -> None:
        session.begin()
        machine.__init__(self)

    def end(self: InteractionMachine) -> None:
        session.compared += self.answers

    def broken(self: InteractionMachine, failure: Failure) -> NoReturn:
        session.take(failure, (self.provider, self.payment))
        machine.broken(self, failure)

    return type("InteractionMachine", (machine,), {"__init__": begin, "teardown": end, "broken": broken})


def _run(subject: Subject, seed: int, effort: Effort) -> Outcome:
    import hypothesis
    from hypothesis.stateful import run_state_machine_as_test

    from proofs_checks.conformance.strategies.machine import BrokenRuleError, machine_of

    session = _Session()
    machine = _recorded(machine_of(subject), session)
    quiet = quiet_settings(round(_SHARE * effort.examples), stateful_step_count=_RULES)
    hypothesis.seed(seed_of(seed, "whole interactions"))(machine)
    # The session has the failure. Flaky: the mechanism answered the same rules differently; it was seen all the same.
    with contextlib.suppress(BrokenRuleError, Enough, hypothesis.errors.Flaky):
        run_state_machine_as_test(machine, settings=quiet)
    return session.outcome()


WHOLE_INTERACTIONS = Check(
    "whole-interactions",
    "alg:platform",
    "rules",
    "no rule breaks in interactions that a state machine makes up, whatever was settled before",
    _run,
)
