"""Which properties the checks refute, from the weakest on: trials for `proofs_checks.properties`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from proofs_checks.conformance.report.failure import Failure
from proofs_checks.properties.placement import Outcome, Placement, Trial, placement
from proofs_checks.properties.tested_by import OF_CHECK, refuted_by


class Checked(Protocol):
    """A check that was to run, and what came of it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def group(self) -> str:
        """Its group."""

    @property
    def status(self) -> str:
        """What became of it."""

    @property
    def failure(self) -> Failure | None:
        """Its counterexample."""


def placement_of(checks: Iterable[Checked]) -> Placement:
    """Return which properties some results refute; an expected failure is a failure, an unexpected pass a pass."""
    return placement(trial for check in checks for trial in _trials(check))


def _trials(check: Checked) -> tuple[Trial, ...]:
    if check.name not in OF_CHECK:
        return ()
    tested = OF_CHECK[check.name].passed
    if check.failure is not None:
        refuted = _refuted(check.name, check.failure)
        stopped = () if refuted == tested else _trial(check, tested, "stopped")
        return *_trial(check, refuted, "failed"), *stopped
    if check.status == "skipped":
        return ()
    return _trial(check, tested, "passed")


def _trial(check: Checked, of: str, outcome: Outcome) -> tuple[Trial, ...]:
    """Return a check's trial of a property; none if it is of no property."""
    if not of:
        return ()
    judged, replayed = check.group == "rules", OF_CHECK[check.name].replays
    return (Trial(test=check.name, of=of, outcome=outcome, judged=judged, replayed=replayed),)


def _refuted(check: str, failure: Failure) -> str:
    if failure.misbehaviour:
        return "answers"
    return refuted_by(check, rule=failure.rule, belief_slack=failure.config.belief_slack, step=failure.step)
