"""What a run of the conformance suite found, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from proofs_checks.conformance.report.failure import Failure

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
    #: Python that reproduces the failure.
    script: str = field(default="", repr=False)
    #: Probability that a right mechanism fails here.
    false_alarm: float = 0.0
    #: What a test of randomness finds.
    power: str = field(default="", repr=False)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "failure"}
        return {**plain, "counterexample": None if self.failure is None else self.failure.to_data()}


@dataclass(frozen=True, kw_only=True)
class ConformanceReport:
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
        """Whether every selected check ran and none failed."""
        return not self.failed and self.ran == self.generated

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
            "time_limited": self.time_limited,
            "interrupted": self.interrupted,
            "versions": dict(self.versions),
        }
