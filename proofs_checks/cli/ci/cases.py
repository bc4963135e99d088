"""Reports of `check` and `audit` as test cases: one for each check, rule and claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bounds.words import counted
from proofs_checks.audit.report import AuditReport, ClaimAudit
from proofs_checks.conformance.report.report import CheckResult, ConformanceReport
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.verdict import SILENT, Verdict

#: `error`: it should have run, and did not.
Outcome = Literal["passed", "failed", "error", "skipped"]
#: Violations of one rule that are findings of their own; GitHub shows 5,000 of a run.
_MOST_FINDINGS = 100


@dataclass(frozen=True, kw_only=True)
class FileLine:
    """A line of a file; None if the file has none, as Parquet."""

    path: str
    line: int | None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What is wrong, and where as far as that is known: the line, and in a log the step."""

    message: str
    place: FileLine | None = None
    step: int | None = None


@dataclass(frozen=True, kw_only=True)
class Case:
    """A test case of a report.

    Parameters
    ----------
    name, group : str
        Its name, and what it belongs to.
    says : str
        What it tests, in a line.
    outcome : {"passed", "failed", "error", "skipped"}
    message : str
        Why it did not pass; empty if it did.
    details : str
        What reproduces a failure; empty if nothing does.
    findings : tuple of Finding
        Of a case that failed or could not run: what is wrong, and where.
    """

    name: str
    group: str
    says: str
    outcome: Outcome = "passed"
    message: str = ""
    details: str = ""
    findings: tuple[Finding, ...] = ()


def cases_of_check(report: ConformanceReport, place: FileLine | None) -> list[Case]:
    """Return a case for each check, the one to start with first; `place` is where the mechanism's factory stands."""
    first = sorted(report.checks, key=lambda check: check is not report.first)
    return [*(_of_check(check, report, place) for check in first), *_interrupted(report.interrupted)]


def _of_check(check: CheckResult, report: ConformanceReport, place: FileLine | None) -> Case:
    outcome: Outcome = "skipped" if check.status == "expected_failure" else check.status
    if outcome == "skipped" and not (check.status == "expected_failure" or report.conforms or report.failed):
        outcome = "error"  # no check failed, and the run does not pass: such a check is why
    wrong, message = outcome in ("failed", "error"), check.message
    explained = report.explanation if report.explains(check) else None
    if explained and check is report.first:
        message = f"{explained.sentence}: {message}"
    return Case(
        name=check.name,
        group=check.group,
        says=f"{check.says} ({check.claim})",
        outcome=outcome,
        message=message,
        details=check.script if wrong else "",
        findings=(Finding(message=message, place=place),) * wrong,
    )


def cases_of_audit(report: AuditReport) -> list[Case]:
    """Return a case for each rule and claim, and for what else is asked of a log; `in_log` adds places."""
    wrong: Outcome = "failed"
    if report.nothing_new:
        wrong = "skipped"  # an earlier audit has reported what is wrong
    cases = [
        *(_of_rule(rule, report, wrong) for rule in STEP_RULES),
        *_of_log(report, wrong),
        *(_of_claim(claim, wrong) for claim in report.claims),
    ]
    return [*cases, *_interrupted(report.interrupted)]


def in_log(cases: Sequence[Case], log: FileLine, lines: Mapping[int, FileLine]) -> list[Case]:
    """Return the cases of an audit with places: the lines of steps, and else the log."""
    return [
        replace(case, findings=tuple(replace(each, place=lines.get(each.step or 0, log)) for each in case.findings))
        for case in cases
    ]


def _of_rule(rule: str, report: AuditReport, wrong: Outcome) -> Case:
    case = Case(name=rule, group="rules", says=f"every step keeps the rule {rule} ({STEP_RULES[rule].label})")
    if not report.applicable[rule]:
        return replace(case, outcome="skipped", message="the rule decides no step of the log")
    broken = report.violation_counts[rule]
    if not broken:
        return case
    first = report.first_steps[rule]
    listed = [each for each in report.violations if each.rule == rule][:_MOST_FINDINGS]
    findings = [
        Finding(
            message=f"step {each.step}: expected {_shown(each.expected)}, found {_shown(each.found)} (rule {rule})",
            step=each.step,
        )
        for each in listed
    ] or [Finding(message=f"step {first} breaks the rule {rule}", step=first)]
    message = f"{counted(broken, 'step')} of {report.steps:,} break the rule; first {findings[0].message}"
    return replace(case, outcome=wrong, message=message, findings=tuple(findings))


def _shown(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.12g}"


def _of_log(report: AuditReport, wrong: Outcome) -> Iterator[Case]:
    """Yield the cases of what keeps a log from passing beside the rules."""
    faults = report.step_faults
    yield _simple(
        "steps-count",
        "steps",
        "the steps of the log count 1, 2, 3, ...",
        f"{counted(faults['places'], 'place')}; first: {faults['first'][0].text}" if faults["places"] else "",
        None,
        wrong,
    )
    for column, amounts in report.outside_range.items():
        message = ""
        if amounts.steps:
            number, first = counted(amounts.steps, column), amounts.first_step
            message = f"{number} outside [0, {report.cost_bound:g}], first at step {first}"
        says = f"every {column} lies in [0, c_max]"
        yield _simple(f"{column}-range", "amounts", says, message, amounts.first_step, wrong)


def _simple(name: str, group: str, says: str, message: str, step: int | None, wrong: Outcome) -> Case:
    """Return a case that fails where there is something to say."""
    if not message:
        return Case(name=name, group=group, says=says)
    findings = (Finding(message=message, step=step),)
    return Case(name=name, group=group, says=says, outcome=wrong, message=message, findings=findings)


def _of_claim(claim: ClaimAudit, wrong: Outcome) -> Case:
    stated, found = claim.stated, claim.evidence
    case = Case(name=claim.label, group="claims", says=stated.name)
    if claim.counts_as_refuted:
        where = found.where or {}
        at = f", most at step {where['step']}" if "step" in where else ""
        message = f"{counted(found.violations, 'comparison')} of {found.checked:,} violate the claim{at}"
        findings = (Finding(message=f"{message} ({stated.name})", step=where.get("step")),)
        return replace(case, outcome=wrong, message=message, findings=findings)
    if found.verdict is Verdict.REFUTED:
        return replace(case, outcome="skipped", message=f"a documented finding: {stated.finding}")
    silent = found.verdict in SILENT
    return replace(case, outcome="skipped" if silent else "passed", message=found.reason or "" if silent else "")


def _interrupted(interrupted: bool) -> list[Case]:
    """Return a case that says that a run was cut short, if it was."""
    if not interrupted:
        return []
    message = "the run was interrupted: what it has covers only a part"
    findings = (Finding(message=message),)
    says = "the run came to its end"
    return [Case(name="whole-run", group="run", says=says, outcome="error", message=message, findings=findings)]
