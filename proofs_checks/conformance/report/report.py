"""What a run of the conformance suite found, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from proofs_checks.conformance.report.failure import Failure

Status = Literal["passed", "failed", "expected_failure", "skipped"]


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What one check found.

    Parameters
    ----------
    name, claim, group, says : str
        As of the check.
    status : {"passed", "failed", "expected_failure", "skipped"}
        "passed" is "no failure found", not "holds".
    message : str
        Why it failed or was skipped; empty if it passed.
    failure : Failure or None
    examples, compared : int
        Interactions played, and answers compared with what they must be.
    script : str
        Python that reproduces the failure.
    false_alarm : float
        Probability that a right mechanism fails here.
    power : str
        What a test of randomness finds.
    """

    name: str
    claim: str
    group: str
    says: str
    status: Status
    message: str = ""
    failure: Failure | None = None
    examples: int = 0
    compared: int = 0
    script: str = field(default="", repr=False)
    false_alarm: float = 0.0
    power: str = field(default="", repr=False)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "failure"}
        return {**plain, "counterexample": None if self.failure is None else self.failure.to_data()}


@dataclass(frozen=True, kw_only=True)
class ConformanceReport:
    """What a run of the suite found.

    Parameters
    ----------
    mechanism : str
    seed : int
    effort : mapping
        ``examples`` and ``draws``, as of `SuiteEffort`.
    checks : tuple of CheckResult
        In the order in which they ran.
    generated : int
        Checks that were selected.
    interrupted : bool
    versions : mapping
    time_limited : bool
        Whether the limit on a call's time could be enforced.
    """

    mechanism: str
    seed: int
    effort: Mapping[str, int]
    checks: tuple[CheckResult, ...]
    generated: int
    interrupted: bool = False
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)
    time_limited: bool = True

    def count(self, status: Status) -> int:
        """Return how many checks have a status."""
        return sum(check.status == status for check in self.checks)

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
