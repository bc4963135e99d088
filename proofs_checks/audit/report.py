"""What an audit of a log reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from bounds.documents import INTERNAL, Count, Document, NonNegative, Positive, key, limits, named, one_of, to_data
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from mechanism.tabular.logs import LogReading
from mechanism.tabular.steps import StepFault
from mechanism.versions import versions
from proofs_checks.audit.drift import DriftReport
from proofs_checks.audit.edited_cost import EditedCost
from proofs_checks.audit.timeline import Timeline
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, Part, any_could_fail
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.witness_kinds import Place
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.stated import Notation, Statement, notation, statement
from proofs_checks.diagnosis.diagnose import Diagnosis
from proofs_checks.oracle.step_audit import Violation
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.verdict import Verdict

_Step = Annotated[int, limits(minimum=1)]
_Rule = Annotated[str, one_of(STEP_RULES)]
#: What no log of these columns can show, whatever the audit says.
UNSEEN = (
    "whether exploration draws, ties and empty steps were drawn at random: only gross imbalance of draws is tested",
    "what a query would have scored or cost with another provider: only who served is logged",
    "whether logged scores, bids and costs are the true ones: an edit that no rule notices leaves no trace",
    "rows cut off at the end, and edits of what no later decision depends on",
    "which name belongs to which provider, where two were exchanged throughout",
)


class AuditedClaim(TypedDict):
    """What the log says about one claim.

    Parameters
    ----------
    label : str
        Label of the claim.
    number : str or None
        Number in the paper's PDF, as Theorem 4; None if it has none.
    name : str
        Short name of the claim.
    statement : str
        The statement, in words and formulas.
    verdict : Verdict
        What this log says about the claim.
    tightest_ratio : float or None
        Largest smaller side over larger side: 1 is attained, above 1 is violated, None is undefined.
    tightest_margin : float or None
        Smallest larger side minus smaller side, in their unit; None if it is undefined or infinite.
    checked : int
        How many instances were compared.
    violations : int
        How many of them failed.
    excused_by_tolerance : int
        Comparisons that hold only within the tolerance: the ratio, of the logged numbers, may be above 1.
    could_fail : bool or None
        False where the tolerance lets every amount in [0, cost_bound] pass what it is cited for; None where not
        computed.
    where : Place or None
        The tightest instance, or the worst violation; None if nothing was compared.
    reason : str or None
        Why it was not compared, or what to know of the comparison; None if nothing.
    parts : tuple of Part
        What is known about each part of the statement.
    unexercised : tuple of str
        Names of the parts whose condition was never met.
    assumptions : tuple of str
        Names of the assumptions that are checked first.
    documented_finding : str or None
        What is wrong with the paper's wording; None if nothing is known to be.
    repaired_by : str or None
        Label of the repaired statement; None if there is none.
    compared_until : int or None
        Last step before an assumption failed; None if none did, or if nothing was compared before.
    compared_before : Tightness or None
        How the comparison went up to that step; None if there is none.
    """

    label: str
    number: str | None
    name: str
    statement: str
    verdict: Verdict
    tightest_ratio: NonNegative | None
    tightest_margin: float | None
    checked: Count
    violations: Count
    excused_by_tolerance: Count
    could_fail: bool | None
    where: Annotated[Mapping[str, Any], Place] | None
    reason: str | None
    parts: tuple[Part, ...]
    unexercised: tuple[str, ...]
    assumptions: tuple[str, ...]
    documented_finding: str | None
    repaired_by: str | None
    compared_until: _Step | None
    compared_before: Tightness | None


@dataclass(frozen=True, kw_only=True)
class ClaimAudit(Document):
    """What a log says about a claim."""

    label: str
    evidence: Evidence

    @property
    def stated(self) -> Claim:
        """The claim."""
        return all_claims()[self.label]

    @property
    def counts_as_refuted(self) -> bool:
        """Whether the log refutes the claim as news, see `Claim.is_refuted_by`."""
        return self.stated.is_refuted_by(self.evidence.verdict)

    @property
    def covered(self) -> tuple[str, ...]:
        """Parts of the statement that no amount in [0, c_max] could have failed, so wide is the tolerance."""
        return tuple(part.name for part in self.evidence.parts if part.could_fail is False)

    def document(self) -> AuditedClaim:
        """Return what a report says of it."""
        found, stated = self.evidence, self.stated
        return {
            "label": self.label,
            "number": stated.number,
            "name": stated.name,
            "statement": stated.wording,
            "verdict": found.verdict,
            "tightest_ratio": found.tightest_ratio,
            "tightest_margin": found.tightest_margin,
            "checked": found.checked,
            "violations": found.violations,
            "excused_by_tolerance": found.tightness.excused,
            "could_fail": any_could_fail([part.could_fail for part in found.parts if part.headline]),
            "where": found.where,
            "reason": found.reason,
            "parts": found.parts,
            "unexercised": found.unexercised,
            "assumptions": tuple(each.name for each in stated.assumptions),
            "documented_finding": stated.finding or None,
            "repaired_by": stated.repaired_by or None,
            "compared_until": found.until,
            "compared_before": found.before,
        }


@dataclass(frozen=True, kw_only=True)
class OutsideRange:
    """Amounts of a column outside [0, c_max], where the paper has none.

    Parameters
    ----------
    steps : int
        How many steps have such an amount.
    first_step : int or None
        First such step, from 1; None if there is none.
    """

    steps: Count
    first_step: _Step | None


@dataclass(frozen=True, kw_only=True)
class AuditedProvider:
    """A provider in the log and in the setting; None for what the log does not have.

    Parameters
    ----------
    name : str
        Its name.
    served : int
        Queries that it served.
    mean_score, mean_cost : float or None
        Means of what had arrived at the end.
    last_bid : float or None
        Its standing bid at the end, money.
    quality, expected_cost : float
        Its quality and mean cost in the setting.
    """

    name: str
    served: int
    mean_score: float | None
    mean_cost: float | None
    last_bid: float | None
    quality: float
    expected_cost: float


@dataclass(frozen=True, kw_only=True)
class EarlierAudit:
    """What the audits before, of the first rows of the same log, found in all.

    Parameters
    ----------
    steps : int
        Steps that they audited.
    violations : int
        Violations of the rules.
    refuted : tuple of str
        Labels of the claims that were refuted.
    outside_range : int
        Bids and costs outside [0, cost_bound].
    step_faults : int
        Places at which the steps did not count on.
    """

    steps: Count = 0
    violations: Count = 0
    refuted: tuple[str, ...] = ()
    outside_range: Count = 0
    step_faults: Count = 0


class AuditedRule(TypedDict):
    """What was found about a rule.

    Parameters
    ----------
    label : str
        Label of what states it in the paper.
    steps : int
        Steps at which it has something to say.
    covered_by_tolerance : int
        Steps at which it would have, were the tolerance not so wide that no answer in range could break it.
    could_fail : bool
        Whether the log has a step at which it could be broken.
    broken : int
        Steps that break it.
    first_step : int or None
        First such step, from 1; None if there is none.
    """

    label: str
    steps: Count
    covered_by_tolerance: Count
    could_fail: bool
    broken: Count
    first_step: _Step | None


class StepFaults(TypedDict):
    """Where the steps of the file do not count 1, 2, 3, ...

    Parameters
    ----------
    places : int
        How many places.
    first : tuple of StepFault
        The first 100 of them.
    """

    places: Count
    first: tuple[StepFault, ...]


@dataclass(frozen=True, kw_only=True)
class AuditReport(Document, HasSheet):
    """A recorded log against the rules and the claims.

    Parameters
    ----------
    trace : str
        Path of the log.
    setting : str
        Name of the setting.
    built_in : bool
        Whether that is a setting of the paper, as published.
    steps : int
        Steps that were audited.
    violations : tuple of Violation
        The violations one by one, in the order of the steps; the first `violations_shown_limit`.
    violation_counts : dict
        Steps that break each rule, by its name.
    applicable, covered : dict
        By rule: at how many steps it has something to say, and at how many it would have, were the tolerance not so
        wide that no answer could have broken it.
    first_steps : dict
        By rule that is broken: the first step that breaks it.
    violating_steps : int
        Steps that break a rule.
    undecided : int
        Steps that rounding lets one read in two ways; either reading is accepted.
    claims : tuple of ClaimAudit
        What the log says about each claim.
    diagnosis : tuple of Diagnosis
        What the violations are consistent with, the best explanation first.
    tolerance : float
        Rounding of logged money that was allowed for, money.
    excused : int
        Steps that break a rule only without the tolerance.
    cost_bound : float
        Upper bound on every cost, bid and payment, money.
    outside_range : dict
        Logged amounts outside [0, cost_bound], by column.
    bids_off_mean_cost : int
        How many bids are not the running mean of their provider's costs; 0 where the log has no costs.
    first_bid_off : int or None
        The step that leaves the first of these bids; None if there is none.
    edited_cost : EditedCost or None
        The one logged cost that explains all bids off the running mean cost if it was another one; None where no single
        cost does.
    timeline : Timeline
        Counts over the log, in bins of steps.
    drift : DriftReport
        Whether scores and costs keep their means: the premise of every guarantee.
    providers : tuple of AuditedProvider
        Those that served most, in the order of the setting.
    n_providers : int
        Number of providers of the setting.
    violations_shown_limit : int
        How many violations are listed at most; all are counted.
    reading : LogReading
        How the file was read.
    earlier : EarlierAudit or None
        What earlier audits found, if this one went on where they stopped; all else is of the whole log.
    violations_at_new_steps : int
        Violations of the rules at steps that they did not have.
    interrupted : bool
        Whether an interruption cut the audit short.
    """

    trace: str
    setting: str
    built_in: bool
    steps: _Step
    violations: tuple[Violation, ...]
    violation_counts: dict[_Rule, Annotated[Count, limits(description="How many steps break it.")]]
    applicable: dict[str, int] = field(metadata=INTERNAL)
    covered: dict[str, int] = field(metadata=INTERNAL)
    first_steps: dict[str, int] = field(metadata=INTERNAL)
    violating_steps: Count
    undecided: Count
    claims: tuple[ClaimAudit, ...]
    diagnosis: tuple[Diagnosis, ...]
    tolerance: NonNegative
    excused: Count = field(metadata=named("excused_by_tolerance"))
    cost_bound: Positive
    outside_range: dict[Annotated[str, one_of(("bid", "cost"))], OutsideRange]
    bids_off_mean_cost: Count
    first_bid_off: _Step | None = field(metadata=named("first_bid_off_mean_cost"))
    edited_cost: EditedCost | None
    timeline: Timeline
    drift: DriftReport
    providers: tuple[AuditedProvider, ...] = field(metadata=INTERNAL)
    n_providers: int = field(metadata=INTERNAL)
    violations_shown_limit: Count
    reading: LogReading = field(default_factory=LogReading)
    earlier: EarlierAudit | None = None
    violations_at_new_steps: int = field(default=0, metadata=INTERNAL)
    interrupted: bool = False

    def __repr__(self) -> str:
        verdict, broken = "passed" if self.passed else "not passed", f"{self.violating_steps:,} break a rule"
        return f"AuditReport({verdict}: {self.steps:,} steps, {broken}, {len(self.refuted)} claims refuted)"

    @property
    def refuted(self) -> tuple[ClaimAudit, ...]:
        """Claims that the log refutes and that are no documented finding."""
        return tuple(result for result in self.claims if result.counts_as_refuted)

    @key
    def passed(self) -> bool:
        """Whether no rule is broken, no claim refuted, no amount out of range and no step out of place."""
        return not any(self._beyond(EarlierAudit()).values())

    @key
    def nothing_new(self) -> bool:
        """Whether the earlier audits found all that is wrong; without earlier ones, whether nothing is."""
        return not any(self.news.values())

    @property
    def news(self) -> dict[str, int]:
        """How much is wrong, of each kind in words, that earlier audits did not find."""
        return self._beyond(self.earlier or EarlierAudit())

    def _beyond(self, before: EarlierAudit) -> dict[str, int]:
        now, at_new = self.so_far, self.violations_at_new_steps
        more = {
            # A row that comes late may explain violations before it, which hide none at the new steps.
            "violation": at_new + max(0, now.violations - at_new - before.violations),
            "refuted claim": len(set(now.refuted) - set(before.refuted)),
            "amount outside [0, c_max]": now.outside_range - before.outside_range,
            "fault of the steps": now.step_faults - before.step_faults,
        }
        return {what: max(0, number) for what, number in more.items()}

    @property
    def so_far(self) -> EarlierAudit:
        """What is left for the next audit to compare with."""
        return EarlierAudit(
            steps=self.steps,
            violations=sum(self.violation_counts.values()),
            refuted=tuple(result.label for result in self.refuted),
            outside_range=sum(amounts.steps for amounts in self.outside_range.values()),
            step_faults=self.step_fault_count,
        )

    @property
    def first_wrong_step(self) -> int | None:
        """The step from which on the likely cause holds; if it has none, the first that breaks a rule."""
        steps = [cause.from_step for cause in self.diagnosis[:1] if cause.from_step]
        return min(steps or self.first_steps.values(), default=None)

    @property
    def silent_rules(self) -> tuple[str, ...]:
        """The rules that decide no step of the log, so that it does not test them."""
        return tuple(rule for rule in STEP_RULES if not self.applicable[rule])

    @property
    def covered_rules(self) -> tuple[str, ...]:
        """Those of them that would decide some, were the tolerance not so wide that no answer could break them."""
        return tuple(rule for rule in self.silent_rules if self.covered[rule])

    @key
    def tolerance_hides(self) -> tuple[str, ...]:
        """What goes unseen because of the tolerance, in sentences; empty without one."""
        if not self.tolerance:
            return ()
        once, twice = f"{self.tolerance:g}", f"{2 * self.tolerance:g}"
        found = [
            f"With --tolerance {once}, a payment may be off by up to {once} unseen where c_max is due, and by up to "
            f"{twice} in an auction; c_max is {self.cost_bound:g}."
        ]
        if self.excused:
            breaks = "1 step breaks" if self.excused == 1 else f"{self.excused:,} steps break"
            found.append(f"{breaks} a rule only without the tolerance.")
        if rules := self.covered_rules:
            them = "this rule" if len(rules) == 1 else "these rules"
            found.append(f"It is so wide that no answer in range could have broken {them}: {', '.join(rules)}.")
        return tuple(found)

    @key
    def not_visible_in_a_log(self) -> tuple[str, ...]:
        """What no log can show, in words."""
        if not self.tolerance:
            return UNSEEN
        return (f"money that is off by less than --tolerance {self.tolerance:g} excuses", *UNSEEN)

    @property
    def step_fault_count(self) -> int:
        """At how many places the file's steps do not count 1, 2, 3, ..."""
        return self.reading.steps.count if self.reading.steps else 0

    @key
    def step_faults(self) -> StepFaults:
        """Where the steps of the file do not count 1, 2, 3, ..."""
        return {"places": self.step_fault_count, "first": self.reading.steps.faults() if self.reading.steps else ()}

    def sheet(self) -> Sheet:
        """Return the violations as a table, a row for each that is listed."""
        return Sheet.of(f"Violations: {self._found}", ("step", "rule", "expected", "found"), to_data(self.violations))

    def claims_sheet(self) -> Sheet:
        """Return the claims as a table: what this log says about each."""
        columns = ("label", "number", "name", "verdict", "checked", "violations", "tightest_ratio", "tightest_margin")
        rows = to_data(self.claims)
        return Sheet.of(f"Claims: {self._found}", (*columns, "reason"), rows, key="label")

    @property
    def _found(self) -> str:
        refuted = counted(len(self.refuted), "claim")
        broken = f"{self.violating_steps:,} of {counted(self.steps, 'step')} break a rule, {refuted} refuted"
        return f"{self.trace} on {self.setting}: {broken}{' (interrupted)' if self.interrupted else ''}"

    @key
    def rules(self) -> dict[_Rule, AuditedRule]:
        """What was found about each rule, by its name."""
        return {
            rule: {
                "label": stated.label,
                "steps": self.applicable[rule],
                "covered_by_tolerance": self.covered[rule],
                "could_fail": self.applicable[rule] > 0,
                "broken": self.violation_counts[rule],
                "first_step": self.first_steps.get(rule),
            }
            for rule, stated in STEP_RULES.items()
        }

    @key
    def statements(self) -> dict[str, Statement]:
        """The statement of each claim, by its label."""
        return {result.label: statement(result.stated) for result in self.claims}

    @key
    def notation(self) -> dict[str, Notation]:
        """What the names in formulas stand for, by name."""
        return notation(result.stated for result in self.claims)

    @key
    def versions(self) -> Mapping[str, str]:
        """Versions that produced the result, by package; Python's is under `python`."""
        return versions()
