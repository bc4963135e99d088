"""What `costproof audit` prints: rules, first violations, diagnosis, claims, and what a log hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from proofs_checks.audit.report import UNSEEN, AuditReport, ClaimAudit
from proofs_checks.cli.views.console import CLAIM_COLUMNS, RATIO, console, marked, number, place, standing, table
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.plurals import counted
from proofs_checks.verdict import MEANING, Verdict

#: Violations that are shown; `--json` lists more.
_SHOWN = 10


def show_audit(report: AuditReport, *, every_row: bool = False) -> None:
    """Print an audit; with `every_row`, also the claims that do not apply."""
    screen = console()
    _show_rules(screen, report)
    _show_outside(screen, report)
    _show_violations(screen, report)
    _show_diagnosis(screen, report)
    screen.print()
    _show_claims(screen, report.claims, every_row=every_row)
    _show_conclusion(screen, report)


def _show_rules(screen: Console, report: AuditReport) -> None:
    title = f"{report.trace}: {report.steps:,} steps against the rules of setting {report.setting}"
    columns = {"rule": "whole", "paper": "whole", "applies to steps": "right", "broken": "right"}
    found = table(title, columns | {"first at step": "right"})
    for rule, stated in STEP_RULES.items():
        broken = report.violation_counts[rule]
        numbers = (report.applicable[rule], broken, report.first_steps.get(rule))
        found.add_row(rule, stated.label, *map(number, numbers), style="bold red" if broken else None)
    screen.print(found)


def _show_outside(screen: Console, report: AuditReport) -> None:
    for name, amounts in report.outside_range.items():
        if amounts.steps:
            lie = "lies" if amounts.steps == 1 else "lie"
            text = f"{counted(amounts.steps, name)} {lie} outside [0, {report.cost_bound:g}], the first at step "
            text += f"{amounts.first_step:,}: the paper has bids and costs in [0, c_max] only."
            screen.print(text, style="bold red")


def _show_violations(screen: Console, report: AuditReport) -> None:
    shown = report.violations[:_SHOWN]
    total = sum(report.violation_counts.values())
    if not shown:
        return
    first = "" if len(shown) == total else f"The first {len(shown)} of "
    title = f"{first}{counted(total, 'violation')} at {counted(report.violating_steps, 'step')}"
    found = table(title, {"step": "right", "rule": "whole", "expected": "", "found": ""})
    for violation in shown:
        found.add_row(number(violation.step), violation.rule, _told(violation.expected), _told(violation.found))
    screen.print(found)
    if len(shown) < len(report.violations):
        screen.print(f"--json lists {len(report.violations):,} of them.", style="dim")


def _told(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.12g}"


def _show_diagnosis(screen: Console, report: AuditReport) -> None:
    if not report.violating_steps:
        return
    screen.print("\nWhat the violations are consistent with", style="bold")
    if not report.diagnosis:
        screen.print("  None of the explanations that were tried.")
    for hypothesis in report.diagnosis:
        screen.print(f"  {hypothesis.hypothesis}: {hypothesis.text}")
        screen.print(f"      explains {hypothesis.explains}", style="dim")


def _show_claims(screen: Console, claims: Sequence[ClaimAudit], *, every_row: bool) -> None:
    found = table("Claims on this log", CLAIM_COLUMNS | {"remark": ""})
    for row in claims:
        if not every_row and _inapplicable(row):
            continue
        tightness = row.finding.tightness
        ratio = None if row.finding.verdict is Verdict.VACUOUS else tightness.ratio
        cells = standing(row.finding.verdict, tightness.checked, ratio, documented=_documented(row))
        found.add_row(row.label, *cells, _remark(row))
    if found.row_count:
        screen.print(found)
    screen.print(RATIO)
    left_out = [] if every_row else [row for row in claims if _inapplicable(row)]
    if left_out:
        reasons = Counter((row.finding.reason or "").split(":")[0] for row in left_out)
        told = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
        more = f"; {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
        many = "1 claim does" if len(left_out) == 1 else f"{len(left_out)} claims do"
        screen.print(f"{many} not apply here: {told}{more}. --all lists {'it' if len(left_out) == 1 else 'them'}.")


def _inapplicable(row: ClaimAudit) -> bool:
    """Whether a claim says nothing about the setting or the log, and nothing of it was compared."""
    finding = row.finding
    if finding.verdict not in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED) or not finding.reason:
        return False
    # An assumption that fails at a step is news about the log.
    return not finding.tightness.checked and row.until is None and "at step" not in finding.reason


def _documented(row: ClaimAudit) -> bool:
    """Whether a claim is refuted, and that is a documented finding about the paper's wording."""
    return row.finding.verdict is Verdict.REFUTED and not row.counts_as_refuted


def _remark(row: ClaimAudit) -> str:
    finding, before = row.finding, row.before
    parts = [finding.reason] if finding.reason else []
    if before is not None:
        ratio = "" if before.ratio is None else f", ratio {before.ratio:.3f}"
        parts.append(
            f"up to step {row.until:,}: {counted(before.checked, 'comparison')}, "
            f"{counted(before.violations, 'violation')}{ratio}"
        )
    if finding.verdict is Verdict.REFUTED:
        tightness = finding.tightness
        parts.append(counted(tightness.violations, "violation"))
        parts += [f"worst: {place(_quoted(tightness.where))}"] if tightness.where else []
    parts += [f"never met: {part}" for part in row.unexercised] if finding.verdict is Verdict.NOT_REFUTED else []
    return "; ".join(parts)


def _quoted(where: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a relation is tightest, its name, which is a clause, in quotes."""
    return {key: f'"{value}"' if key == "relation" else value for key, value in where.items()}


def _show_conclusion(screen: Console, report: AuditReport) -> None:
    screen.print()
    known = [row for row in report.claims if _documented(row)]
    for verdict, count in Counter(row.finding.verdict for row in report.claims).items():
        # A log has no witness to replay: the place is what it shows.
        meaning = "violated on this log" if verdict is Verdict.REFUTED else MEANING[verdict]
        told = f" ({len(known)} documented)" if verdict is Verdict.REFUTED else ""
        screen.print(marked(verdict, "  ", f" {count}{told}: {meaning}"))
    for row in known:
        screen.print(f"  documented finding, no fault of the log: {row.label}: {row.stated.finding}", style="dim")
    if report.undecided:
        steps = counted(report.undecided, "step")
        screen.print(f"At {steps} rounding decides who is eligible or under-sampled: either was accepted.")
    if report.tolerance:
        screen.print(f"Logged money was taken to be within {report.tolerance:g} of the true amounts.")
    if report.interrupted:
        screen.print(f"Interrupted: only the first {report.steps:,} steps were audited.", style="bold yellow")
    if report.passed:
        beyond = " beyond the documented findings" if known else ""
        screen.print(
            f"No rule is broken and no claim refuted{beyond}. That is no proof. The log cannot show:", style="bold"
        )
    else:
        screen.print(f"{_failing(report)}. Beyond that, the log cannot show:", style="bold red")
    for hidden in UNSEEN:
        screen.print(f"  - {hidden}")


def _failing(report: AuditReport) -> str:
    """Return why an audit does not pass."""
    outside = [f"{name}s" for name, amounts in report.outside_range.items() if amounts.steps]
    found = ["rules are broken"] if report.violating_steps else []
    found += ["claims are refuted"] if report.refuted else []
    found += [f"{' and '.join(outside)} lie outside [0, c_max]"] if outside else []
    told = ", and ".join(found)
    return told[:1].upper() + told[1:]
