"""What an audit of a log reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bounds.documents import to_data
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from mechanism.tabular.logs import LogReading
from mechanism.tabular.steps import StepFault
from mechanism.versions import versions
from proofs_checks.audit.edited_cost import EditedCost
from proofs_checks.audit.timeline import Timeline
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, any_could_fail
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.stated import notation, statement
from proofs_checks.diagnosis.diagnose import Diagnosis
from proofs_checks.oracle.step_audit import Violation
from proofs_checks.oracle.step_rules import STEP_RULES

#: What no log of these columns can show, whatever the audit says.
UNSEEN = (
    "whether exploration draws, ties and empty steps were drawn at random: only gross imbalance of draws is tested",
    "what a query would have scored or cost with another provider: only who served is logged",
    "whether logged scores, bids and costs are the true ones: an edit that no rule notices leaves no trace",
    "rows cut off at the end, and edits of what no later decision depends on",
    "which name belongs to which provider, where two were exchanged throughout",
)


@dataclass(frozen=True, kw_only=True)
class ClaimAudit:
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

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        found, stated = self.evidence, self.stated
        return {
            "label": self.label,
            "number": stated.number,
            "name": stated.name,
            "statement": stated.wording,
            "verdict": found.verdict.value,
            "tightest_ratio": found.tightest_ratio,
            "tightest_margin": found.tightest_margin,
            "checked": found.checked,
            "violations": found.violations,
            "excused_by_tolerance": found.tightness.excused,
            "could_fail": any_could_fail([part.could_fail for part in found.parts if part.headline]),
            "where": found.where,
            "reason": found.reason,
            "parts": [part.to_data() for part in found.parts],
            "unexercised": list(found.unexercised),
            "assumptions": [p.name for p in stated.assumptions],
            "documented_finding": stated.finding or None,
            "repaired_by": stated.repaired_by or None,
            "compared_until": found.until,
            "compared_before": found.before and vars(found.before),
        }


@dataclass(frozen=True, kw_only=True)
class OutsideRange:
    """How many amounts of a column lie outside [0, c_max], where the paper has none, and the first step, if any."""

    steps: int
    first_step: int | None


@dataclass(frozen=True, kw_only=True)
class AuditReport(HasSheet):
    """What a log says about the mechanism that made it.

    Parameters
    ----------
    trace : str
        What was audited, as a path.
    setting : str
    built_in : bool
        Whether the setting is one of the paper's, as it is published.
    steps : int
    violations : tuple of Violation
        The first `violations_shown_limit`, in the order of the steps.
    violation_counts, applicable, covered : dict
        By rule: how many steps break it, at how many it has something to say, and at how many it would have, were the
        tolerance not so wide that no answer could have broken it.
    first_steps : dict
        By rule that is broken: the first step that breaks it.
    violating_steps : int
        How many steps break a rule.
    undecided : int
        Steps at which rounding leaves it open who is eligible or under-sampled: either reading was accepted.
    claims : tuple of ClaimAudit
    diagnosis : tuple of Diagnosis
        What the violations are consistent with, the best explanation first.
    tolerance : float
        Rounding of logged money that was allowed for.
    excused : int
        How many steps break a rule without the tolerance, and none with it.
    cost_bound : float
        c_max, money.
    outside_range : dict
        Of ``"bid"`` and ``"cost"``: how many lie outside [0, c_max]. The paper has none there.
    bids_off_mean_cost : int
        How many bids are not the running mean of their provider's costs; 0 where the log has no costs.
    first_bid_off : int or None
        The step that leaves the first of these; None if there is none.
    edited_cost : EditedCost or None
        The one logged cost that explains all of these if it was another one.
    timeline : Timeline
        Who served and which rules were broken when.
    violations_shown_limit : int
    reading : LogReading
        How the file was read, and what was noticed there; of a log that is no file, nothing.
    interrupted : bool
        Whether an interruption cut the audit short.
    """

    trace: str
    setting: str
    built_in: bool
    steps: int
    violations: tuple[Violation, ...]
    violation_counts: dict[str, int]
    applicable: dict[str, int]
    covered: dict[str, int]
    first_steps: dict[str, int]
    violating_steps: int
    undecided: int
    claims: tuple[ClaimAudit, ...]
    diagnosis: tuple[Diagnosis, ...]
    tolerance: float
    excused: int
    cost_bound: float
    outside_range: dict[str, OutsideRange]
    bids_off_mean_cost: int
    first_bid_off: int | None
    edited_cost: EditedCost | None
    timeline: Timeline
    violations_shown_limit: int
    reading: LogReading = field(default_factory=LogReading)
    interrupted: bool = False

    def __repr__(self) -> str:
        verdict, broken = "passed" if self.passed else "not passed", f"{self.violating_steps:,} break a rule"
        return f"AuditReport({verdict}: {self.steps:,} steps, {broken}, {len(self.refuted)} claims refuted)"

    @property
    def refuted(self) -> tuple[ClaimAudit, ...]:
        """Claims that the log refutes and that are no documented finding."""
        return tuple(result for result in self.claims if result.counts_as_refuted)

    @property
    def passed(self) -> bool:
        """Whether no rule is broken, no claim refuted, no bid or cost outside [0, c_max], and no step out of place."""
        outside = any(amounts.steps for amounts in self.outside_range.values())
        return not (any(self.violation_counts.values()) or self.refuted or outside or self.step_fault_count)

    @property
    def silent_rules(self) -> tuple[str, ...]:
        """The rules that decide no step of the log, so that it says nothing of them."""
        return tuple(rule for rule in STEP_RULES if not self.applicable[rule])

    @property
    def covered_rules(self) -> tuple[str, ...]:
        """Those of them that would decide some, were the tolerance not so wide that no answer could break them."""
        return tuple(rule for rule in self.silent_rules if self.covered[rule])

    @property
    def tolerance_hides(self) -> tuple[str, ...]:
        """What goes unseen because of the tolerance, in sentences; none without one."""
        if not self.tolerance:
            return ()
        once, twice = f"{self.tolerance:g}", f"{2 * self.tolerance:g}"
        found = [
            f"With --tolerance {once}, a payment may be off by up to {once} unseen where c_max is due, and by up to "
            f"{twice} in an auction; c_max is {self.cost_bound:g}."
        ]
        if self.excused:
            breaks = "1 step breaks" if self.excused == 1 else f"{self.excused:,} steps break"
            found.append(f"{breaks} a rule without the tolerance, and none with it.")
        if rules := self.covered_rules:
            them = "this rule" if len(rules) == 1 else "these rules"
            found.append(f"It is so wide that no answer in range could have broken {them}: {', '.join(rules)}.")
        return tuple(found)

    @property
    def unseen(self) -> tuple[str, ...]:
        """What the log cannot show, in words."""
        if not self.tolerance:
            return UNSEEN
        return (f"money that is off by less than --tolerance {self.tolerance:g} excuses", *UNSEEN)

    @property
    def step_fault_count(self) -> int:
        """At how many places the file's steps do not count 1, 2, 3, ..."""
        return self.reading.steps.count if self.reading.steps else 0

    @property
    def step_faults(self) -> tuple[StepFault, ...]:
        """The first of these places."""
        return self.reading.steps.faults() if self.reading.steps else ()

    def sheet(self) -> Sheet:
        """Return the violations as a table, a row for each of those that are told one by one."""
        return Sheet.of(
            f"Violations: {self._found}",
            ("step", "rule", "expected", "found"),
            (violation.to_data() for violation in self.violations),
        )

    def claims_sheet(self) -> Sheet:
        """Return the claims as a table: what this log says about each."""
        columns = ("label", "number", "name", "verdict", "checked", "violations", "tightest_ratio", "tightest_margin")
        rows = (result.to_data() for result in self.claims)
        return Sheet.of(f"Claims: {self._found}", (*columns, "reason"), rows, key="label")

    @property
    def _found(self) -> str:
        refuted = counted(len(self.refuted), "claim")
        broken = f"{self.violating_steps:,} of {counted(self.steps, 'step')} break a rule, {refuted} refuted"
        return f"{self.trace} on {self.setting}: {broken}{' (interrupted)' if self.interrupted else ''}"

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        plain = "trace setting built_in steps interrupted passed tolerance undecided violating_steps violation_counts"
        return {
            **{name: getattr(self, name) for name in plain.split()},
            "rules": {
                rule: {
                    "label": stated.label,
                    "steps": self.applicable[rule],
                    "covered_by_tolerance": self.covered[rule],
                    "could_fail": self.applicable[rule] > 0,
                    "broken": self.violation_counts[rule],
                    "first_step": self.first_steps.get(rule),
                }
                for rule, stated in STEP_RULES.items()
            },
            "tolerance_hides": list(self.tolerance_hides),
            "excused_by_tolerance": self.excused,
            "cost_bound": self.cost_bound,
            "outside_range": {name: vars(amounts) for name, amounts in self.outside_range.items()},
            "bids_off_mean_cost": self.bids_off_mean_cost,
            "first_bid_off_mean_cost": self.first_bid_off,
            "edited_cost": None if self.edited_cost is None else vars(self.edited_cost),
            "reading": {
                "options": list(self.reading.layout.options),
                "ignored_columns": list(self.reading.ignored),
                "notes": list(self.reading.notes),
            },
            "step_faults": {"places": self.step_fault_count, "first": [vars(fault) for fault in self.step_faults]},
            "timeline": self.timeline.to_data(),
            "violations": [violation.to_data() for violation in self.violations],
            "violations_shown_limit": self.violations_shown_limit,
            "claims": [result.to_data() for result in self.claims],
            "statements": {result.label: statement(result.stated).to_data() for result in self.claims},
            "notation": to_data(notation(result.stated for result in self.claims)),
            "diagnosis": [each.to_data() for each in self.diagnosis],
            "not_visible_in_a_log": list(self.unseen),
            "versions": versions(),
        }
