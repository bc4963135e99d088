"""What `costproof audit` prints: a headline, rules, first violations, diagnosis, claims, and what a log hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rich.console import Console

from bounds.errors import printable
from bounds.words import capital, counted, first_of, listed, ratio_text, share
from proofs_checks.audit.report import AuditReport, ClaimAudit
from proofs_checks.claims.model.precondition import TRUTHFUL_BIDS
from proofs_checks.claims.statements.definitions import (
    AUCTION_PAYS_CRITICAL,
    PAID_AT_LEAST_THE_RULE,
    PAID_AT_MOST_THE_RULE,
    WIDENED,
    WINNER_IS_ELIGIBLE,
)
from proofs_checks.claims.statements.deviations import DEVIATIONS
from proofs_checks.claims.statements.findings import UNSEPARATED
from proofs_checks.cli.views.console import (
    KNOWN,
    KNOWN_MEANING,
    RATIO,
    RATIO_ROOM,
    SHORT,
    STYLES,
    console,
    number,
    place,
    say,
    show,
    suggest,
    table,
    tinted,
)
from proofs_checks.diagnosis.diagnose import Diagnosis
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.verdict import BESIDE, BESIDE_MEANING, MEANING, PROOFS, WHEN_MADE, Verdict, refuted_beside
from proofs_checks.verify.claim_verdicts import stored_verdict

#: Violations that are shown; `--json` lists more.
_SHOWN = 10
#: Places at which steps do not count on, and ignored columns, that are told; `--json` lists more.
_FAULTS, _IGNORED = 5, 20
#: Explanations that are one edit of the log, as its first line tells them.
_EDITED = {
    "payment edited": "One payment seems edited",
    "bid edited": "One bid seems edited",
    "score edited": "One score seems edited",
    "provider edited": "The provider of one row seems edited",
    "row missing": "One row seems to be missing",
    "rows missing": "Some rows seem to be missing",
    "row duplicated": "A row, or a block of rows, seems to be logged twice",
    "row too many": "One row seems not to belong there",
    "rows exchanged": "Two rows, or blocks of rows, seem exchanged",
}
#: What the legend of the claims adds where the tolerance excuses what would be violations.
EXCUSED_RATIO = "Ratios are those of the logged numbers: beside NOT_REFUTED, one above 1 is within --tolerance."
#: Claims that are named where many say one thing.
_NAMED = 3
_NO_PRICE = "not defined: who served was not eligible, and has no price"
_NO_ESTIMATE = "not defined: who served had not served before, and has no estimate"
#: By relation: which of its sides may be undefined, and why it then is.
_UNDEFINED_SIDE = {
    PAID_AT_MOST_THE_RULE.name: ("right", _NO_PRICE),
    PAID_AT_LEAST_THE_RULE.name: ("left", _NO_PRICE),
    AUCTION_PAYS_CRITICAL[0].name: ("right", _NO_PRICE),
    AUCTION_PAYS_CRITICAL[1].name: ("left", _NO_PRICE),
    WINNER_IS_ELIGIBLE.name: ("right", _NO_ESTIMATE),
}
#: Of assumptions that a setting does not have: what it has not, in words.
_VARIANTS = {WIDENED.name: "no prior", DEVIATIONS.name: "no deviations", UNSEPARATED.name: "no deviations"}


def show_audit(report: AuditReport, *, every_row: bool = False, setting: str = "", asked: Collection[str] = ()) -> None:
    """Print an audit; every claim with its remark with `every_row`, those in `asked` in any case."""
    screen = console()
    _show_headline(screen, report)
    _show_rules(screen, report)
    _show_violations(screen, report)
    _show_diagnosis(screen, report)
    screen.print()
    _show_claims(screen, report.claims, every_row=every_row, asked=asked)
    _show_conclusion(screen, report)
    if not every_row:
        _show_next(screen, report, setting or report.setting)


def _show_headline(screen: Console, report: AuditReport) -> None:
    """Say what was found and what to look at first."""
    if report.interrupted:
        say(screen, f"Interrupted: only the first {report.steps:,} steps were audited.", style="bold yellow")
    _show_reading(screen, report)
    steps = counted(report.steps, "step")
    if report.violating_steps:
        rule = min(report.first_steps, key=lambda name: report.first_steps[name])
        breaks = "breaks" if report.violating_steps == 1 else "break"
        first = f"{report.violating_steps:,} of {steps} {breaks} a rule, first {rule} at step "
        first += f"{report.first_steps[rule]:,}."
        if (total := sum(report.violation_counts.values())) != report.violating_steps:  # what follows counts violations
            at = counted(report.violating_steps, "step")
            first += f" That is {counted(total, 'violation')} at {at}: one step can break several rules."
        best = report.diagnosis[0] if report.diagnosis else None
        edited = _edited(best)
        # Of one edit, thousands of steps can be wrong: it says more than their number.
        say(screen, f"{edited}. {first}" if edited else first, style="bold red")
        if best is not None:
            say(
                screen,
                f"Consistent with this: {best.sentence}" if edited else f"Look first at: {best.named}. {best.sentence}",
            )
        _show_outside(screen, report)
    else:
        _show_outside(screen, report)  # the reason of the exit code comes first
        _show_unbroken(screen, report)
    if hidden := report.tolerance_hides:
        say(screen, " ".join(hidden), style="yellow")
    _show_bids(screen, report)
    _show_silent_rules(screen, report)


def _show_unbroken(screen: Console, report: AuditReport) -> None:
    """Say that no rule is broken, and what is not as it should be all the same."""
    odd = _odd_cell(report)
    found = [odd] if odd else []
    if report.refuted:
        found.append(f"{counted(len(report.refuted), 'claim')} refuted: look first at {_first_refuted(report).label}")
    if found or report.passed or report.step_fault_count:
        but = f", but {', and '.join(found)}" if found else ""
        text = f"No rule is broken in {counted(report.steps, 'step')}{but}."
        say(screen, text, style="bold red" if report.refuted else "bold yellow" if odd else "bold")


def _show_silent_rules(screen: Console, report: AuditReport) -> None:
    """Say which rules decide no step: that such a rule is not broken says nothing about the mechanism."""
    covered = report.covered_rules
    if silent := [rule for rule in report.silent_rules if rule not in covered]:
        decide = "decides" if len(silent) == 1 else "decide"
        nothing = f"{len(silent)} of the {len(STEP_RULES)} rules {decide} no step, so the log says nothing of"
        say(screen, f"{nothing} {'it' if len(silent) == 1 else 'them'}: {', '.join(silent)}.", style="yellow")


def _odd_cell(report: AuditReport) -> str:
    """Return what no rule says: that one cost seems edited, or that one bid, alone, is off the running mean cost."""
    if (edited := report.edited_cost) is not None:
        return f"one cost seems edited (step {edited.step:,})"
    one, outside = report.bids_off_mean_cost == 1, report.outside_range["bid"].steps
    if one and report.first_bid_off is not None and not outside:  # of one outside [0, c_max] more is said
        return f"one bid is not the running mean cost (step {report.first_bid_off:,})"
    return ""


def _show_reading(screen: Console, report: AuditReport) -> None:
    """Say where the steps do not count 1, 2, 3, ..., and what was noticed while the file was read."""
    if report.step_fault_count:
        first, *more = (fault.text for fault in report.step_faults["first"])
        told = "".join(f"; {text}" for text in more[: _FAULTS - 1])
        left = report.step_fault_count - min(len(more) + 1, _FAULTS)
        told += f"; and {counted(left, 'place')} more (--json)" if left else ""
        say(screen, f"The steps do not count 1, 2, 3, ...: {first}{told}. What follows counts rows.", style="bold red")
    ignored = report.reading.ignored
    if ignored:
        names = first_of([printable(name, 40) for name in ignored], _IGNORED, where="--json")
        say(screen, f"Ignored: {counted(len(ignored), 'column')} ({names}).", style="dim")
    for note in report.reading.notes:
        say(screen, note, style="dim")


def _edited(best: Diagnosis | None) -> str:
    """Return what seems to have happened to the log, if the best explanation is one edit, or some, of its rows."""
    if best is None or best.kind != "log":
        return ""
    if len(best.rows) > 1 and best.cause.endswith("edited"):
        return f"{len(best.rows)} rows seem edited"
    return _EDITED.get(best.cause, "")


def _show_bids(screen: Console, report: AuditReport) -> None:
    """Say where bids first stand off the running mean cost, if the log has costs: most claims then say nothing."""
    name = f"{TRUTHFUL_BIDS.name}: "
    reasons = (row.evidence.reason or "" for row in report.claims)
    reason = next((each for each in reasons if each.startswith(name)), None)
    odd, edited, count = _odd_cell(report), report.edited_cost, report.bids_off_mean_cost
    if reason is None and edited is None:
        return
    told = f"{'One bid is' if count == 1 else f'{count:,} bids are'} not the running mean cost"
    first = "" if count == 1 else ", first"
    where = f", from step {report.first_bid_off:,} on" if reason is None else f"{first}: {reason.removeprefix(name)}"
    say(screen, f"{told}{where}.", style="yellow")
    if edited is not None:
        text = f"All are explained by one cost: at step {edited.step:,} the log has {edited.logged:.6g}; with "
        say(screen, f"{text}{edited.instead:.6g} there, every bid is the running mean.", style="yellow")
    if odd and report.passed and not report.interrupted:
        say(screen, "That breaks no rule and refutes no claim: the exit code is 0.", style="yellow")


def _show_rules(screen: Console, report: AuditReport) -> None:
    columns = {"rule": "whole", "paper": "whole", "decides": "right", "broken": "right", "first": "right"}
    found = table(f"The rules of setting {report.setting}, step by step", columns)
    for rule, stated in STEP_RULES.items():
        decides = report.applicable[rule]
        broken = report.violation_counts[rule] if decides else None
        numbers = (decides, broken, report.first_steps.get(rule))
        found.add_row(rule, stated.label, *map(number, numbers), style="bold red" if broken else None)
    show(screen, found)
    silent = " A dash: none, so nothing is said of the rule." if report.silent_rules else ""
    say(screen, f"decides: how many steps the rule decides; broken: how many of these break it.{silent}", style="dim")


def _show_outside(screen: Console, report: AuditReport) -> None:
    """Say how many amounts lie outside [0, c_max], which no rule says: the log does not pass because of them."""
    for name, amounts in report.outside_range.items():
        if amounts.steps:
            lie = "lies" if amounts.steps == 1 else "lie"
            text = f"{counted(amounts.steps, name)} {lie} outside [0, {report.cost_bound:g}], the first at step "
            text += f"{amounts.first_step:,}: the paper has bids and costs in [0, c_max] only."
            say(screen, text, style="bold red")


def _show_violations(screen: Console, report: AuditReport) -> None:
    shown = report.violations[:_SHOWN]
    total = sum(report.violation_counts.values())
    if not shown:
        return
    first = "" if len(shown) == total else f"The first {len(shown)} of "
    screen.print()
    title = f"{first}{counted(total, 'violation')} at {counted(report.violating_steps, 'step')}"
    found = table(title, {"step": "right", "rule": "whole", "expected": "", "found": ""})
    for violation in shown:
        values = (violation.expected, violation.found)
        told = (value if isinstance(value, str) else f"{value:.12g}" for value in values)
        found.add_row(number(violation.step), violation.rule, *told)
    show(screen, found)
    if len(shown) < len(report.violations):
        say(screen, f"--json lists {len(report.violations):,} of them.", style="dim")


def _show_diagnosis(screen: Console, report: AuditReport) -> None:
    if not report.violating_steps:
        return
    screen.print()
    say(screen, "What the violations are consistent with", style="bold")
    if not report.diagnosis:
        say(screen, "None of the explanations that were tried.", indent=2)
    for each in report.diagnosis:
        say(screen, f"{each.cause}: {each.sentence}", indent=2)
        left = f"; {counted(each.left, 'wrong row')} left" if each.explains and each.left else ""
        say(screen, f"explains {share(each.explains)} of the wrong rows{left}", indent=6, style="dim")


def _show_claims(screen: Console, claims: Sequence[ClaimAudit], *, every_row: bool, asked: Collection[str]) -> None:
    """Print a row for every claim that was compared, and a line for all that fail to be for one reason."""
    compared = [row for row in claims if every_row or row.evidence.verdict in (Verdict.REFUTED, Verdict.NOT_REFUTED)]
    columns = {"claim": "whole", "its verdict": "whole", "here": "whole", "ratio": "right"}
    found = table("Claims on this log", columns)
    for row in compared:
        own, here = stored_verdict(row.label), row.evidence.verdict
        ratio = None if here is Verdict.VACUOUS else row.evidence.tightness.ratio
        shown = "-" if ratio is None else ratio_text(ratio, room=RATIO_ROOM)
        word = KNOWN if _documented(row) else BESIDE if _beside(row) else SHORT[here]
        found.add_row(row.label, tinted(own, own.value), tinted(here, word), shown)
    if found.row_count:
        show(screen, found)
        known = f" {KNOWN_MEANING}" if any(map(_documented, compared)) else ""
        beside = f" {BESIDE}: {BESIDE_MEANING}." if any(map(_beside, compared)) else ""
        excused = f" {EXCUSED_RATIO}" if any(map(_excused, compared)) else ""
        proved = any(stored_verdict(row.label) in PROOFS for row in compared)
        made = f"its verdict: {WHEN_MADE}; " if proved else ""
        say(screen, f"{made}here: on this log.{known}{beside} {RATIO}{excused}", style="dim")
    briefly = {row.label: row for row in claims if not every_row and row.label not in asked}
    untested = [label for label, row in briefly.items() if _inapplicable(row)]
    # Of a claim that stands without any help of the tolerance its row of the table says all.
    standing = [row for row in briefly.values() if row.evidence.verdict is Verdict.NOT_REFUTED]
    silent = {*untested, *(row.label for row in standing if not (_excused(row) or row.covered))}
    groups: dict[tuple[Verdict, str], list[ClaimAudit]] = {}
    for row in (row for row in claims if row.label not in silent):
        groups.setdefault((row.evidence.verdict, _remark(row)), []).append(row)
    for (verdict, remark), rows in groups.items():
        if remark:
            _show_group(screen, verdict, remark, rows, len(rows) if every_row or asked else _NAMED)
    if untested:
        say(screen, f"{counted(len(untested), 'claim')} could not be tested on this log (why: --all).")


def _show_group(screen: Console, verdict: Verdict, remark: str, rows: Sequence[ClaimAudit], named: int) -> None:
    """Print one line for the claims that have one verdict for one reason, and some of their labels."""
    labels, until, beside = [row.label for row in rows], _until(rows), _beside(rows[0])
    if len(labels) == 1:
        word = f"{BESIDE}:" if beside else f"{verdict},"
        say(screen, f"{labels[0]}: {word} {remark}{until}", indent=2, style=STYLES[verdict])
        return
    word = BESIDE if beside else verdict
    say(screen, f"{counted(len(labels), 'claim')} {word}: {remark}{until}", indent=2, style=STYLES[verdict])
    say(screen, first_of(labels, named, where="--all"), indent=6, style="dim")


def _until(rows: Sequence[ClaimAudit]) -> str:
    """Return what was compared before an assumption failed: nothing was violated, or the verdict were REFUTED."""
    compared = [
        (row.evidence.until, row.evidence.before)
        for row in rows
        if row.evidence.before and row.evidence.verdict is not Verdict.REFUTED
    ]
    if not compared:
        return ""
    [(step, before), *others] = compared
    if len(rows) > 1:
        return f"; {len(others) + 1} of them compared up to step {step:,}, without a violation"
    ratio = "" if before.ratio is None else f", ratio {ratio_text(before.ratio)}"
    return f"; up to step {step:,}: {counted(before.checked, 'comparison')}, 0 violations{ratio}"


def _inapplicable(row: ClaimAudit) -> bool:
    """Whether a claim says nothing about the setting or the log, and nothing of it was compared."""
    found = row.evidence
    if found.verdict not in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED) or not found.reason:
        return False
    # An assumption that fails at a step is news about the log.
    return not found.tightness.checked and row.evidence.until is None and "at step" not in found.reason


def _excused(row: ClaimAudit) -> bool:
    """Whether a claim stands only because of the tolerance: its ratio may be above 1."""
    return row.evidence.verdict is Verdict.NOT_REFUTED and row.evidence.tightness.excused > 0


def _documented(row: ClaimAudit) -> bool:
    """Whether a claim is refuted, and that is a documented finding about the paper's wording."""
    return row.evidence.verdict is Verdict.REFUTED and not row.counts_as_refuted


def _beside(row: ClaimAudit) -> bool:
    """Whether a claim is refuted, but only in parts that it is not cited for."""
    return refuted_beside((part.verdict, part.headline) for part in row.evidence.parts)


def _first_refuted(report: AuditReport) -> ClaimAudit:
    """Return the refuted claim to look at first: one that is refuted in what it is cited for, where there is one."""
    return next((row for row in report.refuted if not _beside(row)), report.refuted[0])


def _remark(row: ClaimAudit) -> str:
    found = row.evidence
    parts = [found.reason] if found.reason else []
    if found.verdict is Verdict.REFUTED:
        tightness = found.tightness
        times = "once" if tightness.violations == 1 else f"{tightness.violations:,} times"
        if _beside(row):
            parts.insert(0, f"{BESIDE_MEANING}, {times}")
        else:
            parts.append(counted(tightness.violations, "violation"))
        parts += [f"worst: {place(_quoted(tightness.where))}"] if tightness.where else []
    if found.verdict is Verdict.NOT_REFUTED:
        parts += ["some comparisons hold only within --tolerance"] if _excused(row) else []
        parts += [f"--tolerance is so wide that this could not fail: {part}" for part in row.covered]
        parts += [f"never met: {part}" for part in row.evidence.unexercised]
    return "; ".join(parts)


def _quoted(where: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a relation is tightest, its name, which is in quotes; why a side is undefined, in words."""
    told = {key: f'"{value}"' if key == "relation" else value for key, value in where.items()}
    side, why = _UNDEFINED_SIDE.get(str(where.get("relation")), ("", ""))
    return {**told, side: why} if side and where[side] is None else told


def _show_conclusion(screen: Console, report: AuditReport) -> None:
    screen.print()
    known = [row for row in report.claims if _documented(row)]
    for verdict, count in Counter(row.evidence.verdict for row in report.claims).items():
        # A log has no witness to replay: the place is what it shows.
        meaning = "violated on this log" if verdict is Verdict.REFUTED else MEANING[verdict]
        meaning += _variants(report.claims) if verdict is Verdict.ASSUMPTION_VIOLATED else ""
        told = f" ({len(known)} documented)" if known and verdict is Verdict.REFUTED else ""
        say(screen, f"{verdict} {count}{told}: {meaning}", indent=2, style=STYLES[verdict])
    for row in known:
        text = f"documented finding, no fault of the log: {row.label}: {row.stated.finding}"
        say(screen, text, indent=2, style="dim")
    if report.undecided:
        steps = counted(report.undecided, "step")
        say(screen, f"At {steps} rounding decides who is eligible or under-sampled: either was accepted.")
    if report.passed:
        beyond = " beyond the documented findings" if known else ""
        text = f"No rule is broken and no claim refuted{beyond}. That is no proof. The log cannot show:"
        say(screen, text, style="bold")
    else:
        say(screen, f"{_failing(report)}. Beyond that, the log cannot show:", style="bold red")
    for hidden in report.not_visible_in_a_log:
        say(screen, f"- {hidden}", indent=2)


def _variants(claims: Sequence[ClaimAudit]) -> str:
    """Return how many assumptions fail because the setting is no such variant, which says nothing about the log."""
    names = [(row.evidence.reason or "").partition(": ")[0] for row in claims]
    lacking = [_VARIANTS[name] for name in names if name in _VARIANTS]
    if not lacking:
        return ""
    are = "is about a variant" if len(lacking) == 1 else "are about variants"
    return f"; {len(lacking)} {are} that this setting does not have ({', '.join(dict.fromkeys(lacking))})"


def _show_next(screen: Console, report: AuditReport, setting: str) -> None:
    if report.violating_steps:
        why = "if you can call the mechanism that made the log, this says more"
        suggest(screen, "costproof check MODULE:OBJECT", why)
    again = f"costproof audit {report.trace} --setting {setting}"
    if report.refuted:
        suggest(screen, f"{again} --claim {_first_refuted(report).label} --all", "one claim on this log in full")
    else:
        suggest(screen, f"{again} --all", "every claim with its reason")


def _failing(report: AuditReport) -> str:
    """Return why an audit does not pass."""
    outside = [f"{name}s" for name, amounts in report.outside_range.items() if amounts.steps]
    found = ["rules are broken"] if report.violating_steps else []
    found += ["claims are refuted"] if report.refuted else []
    found += [f"{listed(outside)} lie outside [0, c_max]"] if outside else []
    return capital(", and ".join(found))
