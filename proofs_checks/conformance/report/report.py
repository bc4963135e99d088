"""What a run of the conformance suite found, as data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.order import telling

if TYPE_CHECKING:
    from proofs_checks.diagnosis.together import MechanismDiagnosis

#: How the message of a check begins that was not run.
NOT_RUN = "not run: "
#: How the message of a check begins that was given no answer to compare.
NO_ANSWER = "no answer to compare: "
#: How the message of a check begins that is about what the mechanism does not offer.
NOT_OFFERED = "not offered: "

Status = Literal["passed", "failed", "expected_failure", "skipped"]


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What one check found; its name, claim, group and what it says are those of the check."""

    name: str
    claim: str
    group: str
    says: str
    #: "passed" is "no failure found", not "holds".
    status: Status
    #: Why it failed or was skipped; empty if it passed.
    message: str = ""
    failure: Failure | None = None
    #: Interactions played, and answers compared with what they must be.
    examples: int = 0
    compared: int = 0
    #: Interactions beside these that lie outside the mechanism's domain, as it says, and how it first said so.
    discarded: int = 0
    outside: str = ""
    #: Interactions of these that ended in an error which another check tells.
    broken_off: int = 0
    #: Python that reproduces the failure.
    script: str = field(default="", repr=False)
    #: Probability that a right mechanism fails here.
    false_alarm: float = 0.0
    #: What a test of randomness finds.
    power: str = field(default="", repr=False)

    @property
    def length(self) -> int:
        """Steps of its counterexample before the one in question; endless without one."""
        return sys.maxsize if self.failure is None else len(self.failure.settlements)

    @property
    def said(self) -> str:
        """Its message, without the check's own name."""
        return self.message.replace(f" (rule {self.name})", "", 1)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "failure"}
        return {**plain, "counterexample": None if self.failure is None else self.failure.to_data()}


@dataclass(frozen=True, kw_only=True)
class ConformanceReport(HasSheet):
    """What a run of the suite found."""

    mechanism: str
    seed: int
    #: ``examples`` and ``draws``, as of `SuiteEffort`.
    effort: Mapping[str, int]
    #: In the order in which they ran.
    checks: tuple[CheckResult, ...]
    #: Checks that were selected.
    generated: int
    interrupted: bool = False
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: Whether the limit on a call's time could be enforced.
    time_limited: bool = True
    #: What Python warned of while the mechanism ran, each once: text, file and line.
    warned: tuple[str, ...] = ()
    #: What would have to differ for the answers to be right; None if nothing explains them all.
    diagnosis: MechanismDiagnosis | None = None
    #: What scenarios were restricted to, as ``scores=binary``; empty if to nothing.
    domain: str = ""
    #: How many queries were in flight, as it was named; None without.
    in_flight: str | None = None

    @property
    def first(self) -> CheckResult | None:
        """The failed check that names the defect best; None if none failed."""
        failed = [check for check in self.checks if check.status == "failed"]
        return telling(failed, self.diagnosis.parts if self.diagnosis else ())

    @property
    def headline(self) -> str:
        """What failed, and where to start, in one or two sentences.

        Examples
        --------
        >>> from proofs_checks.conformance.mutants.pricing import FirstPrice
        >>> from proofs_checks.conformance.suite import check_mechanism
        >>> check_mechanism(FirstPrice, only=["critical-payment"]).headline
        '1 of 1 check failed. Start with critical-payment: it pays the winner its own bid (first price).'
        """
        if self.first is None:
            return ""
        told = self.diagnosis.sentence if self.diagnosis and self.explains(self.first) else self.first.said
        failed = f"{self.failed} of {counted(self.generated, 'check')} failed{self._within}"
        if self.not_run:
            others = len(self.not_run)
            not_run = "was not run" if others == 1 else "were not run"
            why = not_run if self.not_run[0].message.startswith(NOT_RUN) else "had no answer to compare"
            rest = "the other check" if others == 1 else f"the other {others} checks"
            alone = self.failed + others == self.generated == 1 + others
            failed = f"{self.first.name} failed; {rest} {why}" if alone else f"{failed}; {others} {why}"
        return f"{failed}. Start with {self.first.name}: {told}{'' if told.endswith(('.', '?')) else '.'}"

    @property
    def _within(self) -> str:
        return f" within the domain ({self.domain})" if self.domain else ""

    @property
    def not_run(self) -> tuple[CheckResult, ...]:
        """The checks that say nothing because an earlier one failed."""
        return tuple(check for check in self.checks if check.message.startswith((NOT_RUN, NO_ANSWER)))

    @property
    def discarded(self) -> int:
        """How many scenarios lie outside the mechanism's domain, as it says."""
        return sum(check.discarded for check in self.checks)

    def explains(self, check: CheckResult) -> bool:
        """Return whether the diagnosis is about a failed check: not if the mechanism does not keep the contract."""
        return self.diagnosis is not None and check.group != "contract"

    def count(self, status: Status) -> int:
        """Return how many checks have a status."""
        return sum(check.status == status for check in self.checks)

    def __repr__(self) -> str:
        verdict = "conforms" if self.conforms else "does not conform"
        return f"ConformanceReport({self.mechanism} {verdict}: {self.ran} checks, {self.failed} failed)"

    @property
    def ran(self) -> int:
        """How many checks ran to a verdict."""
        return len(self.checks) - self.count("skipped")

    @property
    def failed(self) -> int:
        """How many checks failed, unexpected passes among them."""
        return self.count("failed")

    @property
    def false_alarm(self) -> float:
        """Probability that a right mechanism fails one of these checks, at most."""
        return sum(check.false_alarm for check in self.checks)

    @property
    def conforms(self) -> bool:
        """Whether every selected check ran and none failed; one about what a mechanism does not offer need not run."""
        return not self.failed and self.ran + self.not_offered == self.generated

    @property
    def not_offered(self) -> int:
        """How many checks are about what the mechanism does not offer."""
        return sum(check.message.startswith(NOT_OFFERED) for check in self.checks)

    def sheet(self) -> Sheet:
        """Return a row for every check, in the order in which they ran."""
        interrupted = ", interrupted" if self.interrupted else ""
        ran = f"{counted(self.ran, 'check')}, {self.failed} failed"
        return Sheet.of(
            f"{self.mechanism}: {ran} (seed {self.seed}{interrupted})",
            ("name", "claim", "group", "status", "examples", "compared", "message"),
            map(vars, self.checks),
            key="name",
        )

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data (contract, ``check --json``)."""
        return {
            "mechanism": self.mechanism,
            "seed": self.seed,
            "effort": dict(self.effort),
            "checks": [check.to_data() for check in self.checks],
            "generated": self.generated,
            "ran": self.ran,
            "failed": self.failed,
            "skipped": self.count("skipped"),
            "expected_failures": self.count("expected_failure"),
            "conforms": self.conforms,
            "false_alarm": self.false_alarm,
            "first": None if self.first is None else self.first.name,
            "headline": self.headline,
            "diagnosis": [] if self.diagnosis is None else self.diagnosis.to_data(),
            "domain": self.domain or None,
            "in_flight": self.in_flight,
            "discarded": self.discarded,
            "warnings": list(self.warned),
            "time_limited": self.time_limited,
            "interrupted": self.interrupted,
            "versions": dict(self.versions),
        }
