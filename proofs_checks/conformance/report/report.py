"""What a run of the conformance suite found, as data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from bounds.documents import INTERNAL, Count, Document, Probability, by_name, key, limits, named
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from proofs_checks.conformance.descriptions import PROFILES_CHECK, Profile, StatedCheck, SuiteEffort
from proofs_checks.conformance.kind import Observations
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.order import rank
from proofs_checks.diagnosis.diagnose import Diagnosis
from proofs_checks.diagnosis.together import MechanismDiagnosis

#: How the message of a check begins that was not run.
NOT_RUN = "not run: "
#: How the message of a check begins that was given no answer to compare.
NO_ANSWER = "no answer to compare: "
#: How the message of a check begins that is about what the mechanism does not offer.
NOT_OFFERED = "not offered: "

Status = Literal["passed", "failed", "expected_failure", "skipped"]


@dataclass(frozen=True, kw_only=True)
class CheckOutcome(Document):
    """What a search for a failure of a check found.

    Parameters
    ----------
    examples : int
        Interactions that were played.
    compared : int
        Answers that were compared with what they must be; 0 means that nothing was tested.
    failure : Failure or None
        Where the mechanism breaks the property, the smallest such place; None if it does not.
    discarded : int
        Interactions beside these that lie outside the mechanism's domain, as it says: they do not count.
    outside : str
        How the mechanism first said so: the call, and the text of its NotImplementedError; else empty.
    broken_off : int
        Interactions of these that ended in an error which another check tells, and were looked at until then.
    too_little : bool
        Whether so many were discarded that the rest says too little.
    not_offered : str
        What the mechanism does not offer that the check is about; then nothing was played.
    cut : bool
        Whether its share of the budget ended it before all was tried.
    """

    examples: Count = 0
    compared: Count = 0
    failure: Failure | None = field(default=None, metadata=named("counterexample"))
    discarded: Count = 0
    outside: str = ""
    broken_off: Count = 0
    too_little: bool = field(default=False, metadata=INTERNAL)
    not_offered: str = field(default="", metadata=INTERNAL)
    cut: bool = False


@dataclass(frozen=True, kw_only=True)
class CheckResult(StatedCheck, CheckOutcome):
    """What one check found.

    Parameters
    ----------
    status : {"passed", "failed", "expected_failure", "skipped"}
        What became of it; `passed` means that no failure was found.
    message : str
        Why it failed or was skipped; empty if it passed.
    script : str
        Python that reproduces the failure; empty if there is none.
    """

    status: Status
    message: str = ""
    script: str = field(default="", repr=False)

    @property
    def length(self) -> int:
        """Steps of its counterexample before the one in question; endless without one."""
        return sys.maxsize if self.failure is None else len(self.failure.settlements)

    @property
    def said(self) -> str:
        """Its message, without the check's own name."""
        return self.message.replace(f" (rule {self.name})", "", 1)


@dataclass(frozen=True, kw_only=True)
class ConformanceReport(Document, HasSheet):
    """What a run of the suite found.

    Parameters
    ----------
    mechanism : str
        The mechanism, as it was named.
    seed : int
        Seed of all randomness.
    effort : SuiteEffort
        How hard each check tries.
    checks : tuple of CheckResult
        What each check found, in the order in which they ran.
    generated : int
        How many checks were selected.
    interrupted : bool
        Whether an interruption cut the run short.
    versions : dict of str
        Versions that produced the result, by package; Python's is under `python`.
    time_limited : bool
        Whether the limit on a call's time could be enforced.
    warned : tuple of str
        What Python warned of in the mechanism: what, how often, and the first file and line, each place once.
    explanation : MechanismDiagnosis or None
        What explains every answer; None if nothing does.
    domain : str or None
        What scenarios were restricted to, as `scores=binary, eligible=2..`; None if to nothing.
    in_flight : str or None
        How many queries were in flight, as --in-flight named it; None without.
    budget : float or None
        Seconds that all checks could take together; None without a limit.
    profile : {"auction", "posted-price", "router"}
        What was asked: the checks that make sense for such a mechanism.
    excluded : tuple of str
        Checks and groups that were left out.
    observations : Observations or None
        What the mechanism did where bids or scores were others; None if it failed to answer, or nobody looked.
    strict : bool
        Whether a skipped check counts as a failure.
    """

    mechanism: str
    seed: Count
    effort: SuiteEffort
    checks: tuple[CheckResult, ...]
    generated: Count
    interrupted: bool = False
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)
    time_limited: bool = True
    warned: tuple[str, ...] = field(default=(), metadata=named("warnings"))
    explanation: MechanismDiagnosis | None = field(default=None, metadata=INTERNAL)
    domain: str | None = None
    in_flight: str | None = None
    budget: float | None = None
    profile: Profile = "auction"
    excluded: tuple[str, ...] = ()
    observations: Observations | None = field(default=None, repr=False)
    strict: bool = False

    @key
    def kind(self) -> Profile | None:
        """What the mechanism seems to be, as the profile that fits; None if it failed to answer, or nobody looked."""
        if self.observations is None:
            return None
        return self.observations.kind or ("auction" if self.explanation else None)

    @property
    def seems(self) -> str:
        """What the mechanism seems to be, in a few sentences, and which other profiles fit; or empty."""
        if self.observations is None:
            return ""
        profiles = self.observations.profiles
        what = PROFILES_CHECK if len(profiles) > 1 else dict.fromkeys(profiles, "has the checks for it")
        others = [f"--profile {each} {what[each]}" for each in profiles if each != self.profile]
        explained = self.kind != self.observations.kind
        seems = "This seems to be an auction with one mistake." if explained else self.observations.sentence
        return " ".join([seems, *([f"{', '.join(others)}."] if others else [])])

    @key
    def diagnosis(self) -> tuple[Diagnosis, ...]:
        """What explains every answer; the answers do not tell these apart. Empty if nothing was found."""
        return self.explanation.found if self.explanation else ()

    @by_name
    def first(self) -> CheckResult | None:
        """The failed check to start with, by name; None if none failed."""
        failed = [check for check in self.checks if check.status == "failed"]
        parts = self.explanation.parts if self.explanation else ()
        return min(failed, key=lambda each: rank(each.name, each.group, each.length, parts), default=None)

    @key
    def headline(self) -> str:
        """What failed, and where to start, in one or two sentences; empty if nothing failed.

        Examples
        --------
        >>> from proofs_checks.conformance.mutants.pricing import FirstPrice
        >>> from proofs_checks.conformance.suite import check_mechanism
        >>> check_mechanism(FirstPrice, only=["critical-payment"]).headline
        "1 of 1 check failed. Start with critical-payment: it pays the provider's own bid in auctions."
        """
        if self.first is None:
            return ""
        told = self.explanation.sentence if self.explanation and self.explains(self.first) else self.first.said
        failed = f"{self.failed} of {counted(self.generated, 'check')} failed{self._within}"
        if self.not_run:
            others = len(self.not_run)
            not_run = "was not run" if others == 1 else "were not run"
            why = not_run if self.not_run[0].message.startswith(NOT_RUN) else "had no answer to compare"
            rest = "the other check" if others == 1 else f"the other {others} checks"
            alone = self.failed + others == self.generated == 1 + others
            failed = f"{self.first.name} failed; {rest} {why}" if alone else f"{failed}; {others} {why}"
        other = self.profile == "auction" != (self.kind or "auction")
        start = f"{'If it should hold auctions, start' if other else 'Start'} with {self.first.name}"
        return f"{failed}. {start}: {told}{'' if told.endswith(('.', '?')) else '.'}"

    @property
    def _within(self) -> str:
        return f" within the domain ({self.domain})" if self.domain else ""

    @property
    def not_run(self) -> tuple[CheckResult, ...]:
        """The checks that compared nothing because an earlier one failed."""
        return tuple(check for check in self.checks if check.message.startswith((NOT_RUN, NO_ANSWER)))

    @key
    def discarded(self) -> Count:
        """How many scenarios lie outside the mechanism's domain, as it says by NotImplementedError."""
        return sum(check.discarded for check in self.checks)

    def explains(self, check: CheckResult) -> bool:
        """Return whether the diagnosis is about a failed check: not if the mechanism does not keep the contract."""
        return self.explanation is not None and check.group != "contract"

    def count(self, status: Status) -> int:
        """Return how many checks have a status."""
        return sum(check.status == status for check in self.checks)

    def __repr__(self) -> str:
        verdict = "conforms" if self.conforms else "does not conform"
        return f"ConformanceReport({self.mechanism} {verdict}: {self.ran} checks, {self.failed} failed)"

    @key
    def ran(self) -> Count:
        """How many checks ran to a verdict."""
        return len(self.checks) - self.skipped

    @key
    def failed(self) -> Count:
        """How many checks failed, unexpected passes among them."""
        return self.count("failed")

    @key
    def skipped(self) -> Count:
        """How many could not run."""
        return self.count("skipped")

    @key
    def expected_failures(self) -> Count:
        """How many failed as expected."""
        return self.count("expected_failure")

    @key
    def false_alarm(self) -> Probability:
        """Probability that a right mechanism fails one check, at most."""
        return sum(check.false_alarm for check in self.checks)

    @key
    def conforms(self) -> bool:
        """Whether no check failed and one ran at least; if strict, all that are about what the mechanism offers."""
        if self.failed or not self.ran or len(self.checks) < self.generated:
            return False
        return not self.strict or self.ran + self.not_offered == self.generated

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


#: What the command prints: what was found, or with `--list` the checks.
CheckDocument = Annotated[
    ConformanceReport | list[StatedCheck],
    limits(description="What the conformance suite found, or with --list the checks that there are."),
]
