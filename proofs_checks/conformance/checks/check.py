"""A check: one property of `descriptions`, and how a mechanism is searched for a failure of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from proofs_checks.conformance.checks.descriptions import Description, described
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.report.failure import Failure


@dataclass(frozen=True, kw_only=True)
class SuiteEffort:
    """How hard a check tries: random scenarios per family, and draws that a test of uniformity looks at."""

    examples: int
    draws: int


#: How hard `check` tries unless it is told otherwise.
DEFAULT = SuiteEffort(examples=40, draws=20_000)
#: Fewer scenarios and draws, as `--quick` has it.
QUICK = SuiteEffort(examples=8, draws=6_000)


@dataclass(frozen=True, kw_only=True)
class CheckOutcome:
    """What a check found: how many interactions were played, and the smallest failure."""

    examples: int = 0
    #: Comparisons of an answer with what it must be; 0 means that nothing was tested.
    compared: int = 0
    failure: Failure | None = None
    #: Interactions beside these that lie outside the mechanism's domain, as it says, and how it first said so.
    discarded: int = 0
    outside: str = ""
    #: Interactions of these that ended in an error which another check had told, and were looked at until then.
    broken_off: int = 0
    #: Whether so many were discarded that the rest says too little.
    too_little: bool = False
    #: What the mechanism does not offer that the check is about; then nothing was played.
    not_offered: str = ""


#: From a subject, a seed and an effort to an outcome; deterministic for a mechanism that is.
Run = Callable[[AnySubject, int, SuiteEffort], CheckOutcome]


@dataclass(frozen=True, kw_only=True)
class Check(Description):
    """A property of a mechanism, and how a mechanism is searched for a failure of it."""

    run: Run
    #: The rules of `STEP_RULES` that it compares every answer with.
    rules: frozenset[str] = frozenset()

    def power_with(self, effort: SuiteEffort) -> str:
        """Return what a test of randomness finds with an effort; empty where that was not measured."""
        if effort.draws >= DEFAULT.draws:
            return self.power
        return self.quick_power if effort.draws >= QUICK.draws else ""


def check_of(name: str, run: Run, *, rules: Iterable[str] = ()) -> Check:
    """Return the check that `descriptions` has by a name, with what searches for a failure of it."""
    return Check(**vars(described(name)), run=run, rules=frozenset(rules))
