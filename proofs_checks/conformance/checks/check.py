"""A check: one property of `descriptions`, and how a mechanism is searched for a failure of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs_checks.conformance.descriptions import DESCRIPTIONS, Description, SuiteEffort
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.report.report import CheckOutcome

#: From a subject, a seed and an effort to an outcome; deterministic for a mechanism that is.
Run = Callable[[AnySubject, int, SuiteEffort], CheckOutcome]


@dataclass(frozen=True, kw_only=True)
class Check(Description):
    """A property of a mechanism, and how a mechanism is searched for a failure of it."""

    run: Run


def check_of(name: str, run: Run) -> Check:
    """Return the check that `descriptions` has by a name, with what searches for a failure of it."""
    return Check(**vars(DESCRIPTIONS[name]), run=run)
