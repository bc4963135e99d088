"""Queries in flight: feedback that overtakes, and feedback that never arrives."""

from __future__ import annotations

from collections.abc import Callable

from mechanism.delays import DelayLaw
from proofs_checks.conformance.checks.check import Run, check_of
from proofs_checks.conformance.checks.rules import EVERY_RULE, comparing
from proofs_checks.conformance.checks.search import searching
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.late_feedback import losing, overtaking
from proofs_checks.conformance.report.report import CheckOutcome


def _under(changed: Callable[[DelayLaw], DelayLaw], search: Run) -> Run:
    """Return a search that plays a mechanism under another law than the one that was named."""

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        law = changed(DelayLaw(most=0) if subject.in_flight is None else subject.in_flight)
        return search(subject.played(in_flight=law), seed, effort)

    return run


_EVERY_STEP = searching(
    comparing(frozenset(EVERY_RULE)), ["auctions", "noisy", "exploring", "screening", "band edge"], share=0.5
)
LATE_CHECKS = (
    check_of("overtaking-feedback", _under(overtaking, _EVERY_STEP), rules=EVERY_RULE),
    check_of("lost-feedback", _under(losing, _EVERY_STEP), rules=EVERY_RULE),
)
