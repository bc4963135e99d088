"""What `costproof audit` prints: whether the log passes and why not, a table of the providers, and the claims."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from rich.text import Text

from bounds.characters import shortened
from bounds.errors import printable
from bounds.words import ROUNDING, counted, first_of, is_or_are, listed, ratio_text, share, to_digits, until_distinct
from mechanism.tabular.columns import RowPlace
from proofs_checks.audit.reading import as_arguments
from proofs_checks.audit.report import AuditReport, ClaimAudit
from proofs_checks.claims.statements.definitions import (
    AUCTION_PAYS_CRITICAL,
    PAID_AT_LEAST_THE_RULE,
    PAID_AT_MOST_THE_RULE,
    WINNER_IS_ELIGIBLE,
)
from proofs_checks.cli.views.console import (
    LINES,
    RATIO,
    RATIO_ROOM,
    STYLES,
    Screen,
    console,
    largest,
    number,
    place,
    tinted,
)
from proofs_checks.oracle.step_audit import Violation
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.verdict import BESIDE, BESIDE_MEANING, MEANING, SILENT, WHEN_MADE, WORDS, Verdict, refuted_beside
from proofs_checks.verify.claim_verdicts import stored_verdict

#: Violations that are listed with `--all`; `--json` lists more.
_SHOWN = 10
#: Providers on one screen, and characters of a name in it.
_PROVIDERS, _LEAST_PROVIDERS, _NAME = 10, 3, 30
#: Characters of a name in the table of broken rules.
_CELL = 12
#: Rules that are kept, of which the names fit into a line.
_KEPT = 4
#: Claims of `--claim` on one screen.
_MOST_ASKED = 8
#: Lines that a table of providers takes besides its rows.
_AROUND_PROVIDERS = 5
#: Broken rules, claims and ignored columns that one screen names.
_NAMED = 3
#: Notes on how the log was read on the screen of a log that breaks rules.
_NOTES = 3
#: Places at which steps do not count on, and ignored columns, that `--all` names; `--json` has more.
_FAULTS, _IGNORED = 5, 20
#: What the legend of the claims adds where the tolerance excuses what would be violations.
EXCUSED_RATIO = "Ratios are those of the logged numbers: of a tested claim, one above 1 is within --tolerance."
#: By relation: why one of its sides may be undefined.
_UNDEFINED_SIDE = {
    each.name: "not defined: who served was not eligible, and has no price"
    for each in (PAID_AT_MOST_THE_RULE, PAID_AT_LEAST_THE_RULE, *AUCTION_PAYS_CRITICAL)
} | {WINNER_IS_ELIGIBLE.name: "not defined: who served had not served before, and has no estimate"}


def show_audit(
    report: AuditReport,
    *,
    everything: bool = False,
    setting: str = "",
    asked: Collection[str] = (),
    options: Sequence[str] | None = None,
    first_wrong: RowPlace | None = None,
) -> None:
    """Print an audit on one screen, claims in `asked` one by one; with `everything`, all that was found.

    `setting` and `options` are as the caller gave them, for the next command; `first_wrong` is the row of the first
    wrong step.
    """
    screen = console()

    def above(cells: bool, kept: bool) -> None:
        _show_news(screen, report)
        _show_verdict(screen, report)
        _show_cause(screen, report, first_wrong, cells=cells, everything=everything)
        _show_notes(screen, report, most=_NOTES if kept else 1, everything=everything)
        _show_rules(screen, report, kept=kept, everything=everything)

    def below() -> None:
        _show_drift(screen, report, everything=everything)
        _show_claims(screen, report, everything=everything, asked=asked)
        given = report.reading.layout.options if options is None else options
        again = f"costproof audit {as_arguments(report.trace)} --setting {setting or report.setting}"
        _show_next(screen, report, " ".join([again, *map(_as_word, given)]), everything=everything)

    providers, shown = len(report.providers), (True, True)
    if not everything:
        left = LINES - screen.height_of(below) - _AROUND_PROVIDERS
        # The rules that are kept go first, and all notes but one, then the cells of the first wrong row.
        for shown in ((True, True), (True, False), (False, False)):
            room = left - screen.height_of(partial(above, *shown))
            if room >= _LEAST_PROVIDERS:
                break
        providers = min(_PROVIDERS, max(_LEAST_PROVIDERS, room))
        providers += report.n_providers == providers + 1  # its row takes the line that would say so
    above(*shown)
    _show_providers(screen, report, providers)
    below()


def _show_news(screen: Screen, report: AuditReport) -> None:
    """Print what is wrong that earlier audits of the log did not find, if there were any."""
    if (before := report.earlier) is None:
        return
    nothing = "nothing new is wrong" + ", so the exit code is 0" * (not report.passed)
    news = [counted(number, f"new {what}") for what, number in report.news.items() if number] or [nothing]
    if drifts := sum(each.step > before.steps for each in report.drift.found):
        news.append(f"{counted(drifts, 'mean')} newly seen to drift")
    steps, earlier = counted(report.steps - before.steps, "new step"), counted(before.violations, "violation")
    text = f"Since the last audit: {listed([steps, *news])}. Before: {earlier} in {counted(before.steps, 'step')}."
    screen.say(text, style="bold" if report.nothing_new else "bold red")


def _show_verdict(screen: Screen, report: AuditReport) -> None:
    """Print whether the log passes, and why it does not."""
    if report.interrupted:
        screen.say(f"Interrupted: only the first {report.steps:,} steps were audited.", style="bold yellow")
    steps, odd = counted(report.steps, "step"), _odd_cell(report)
    if failing := _failing(report):
        kept = "" if report.violating_steps else f"; no rule is broken in {steps}"
        screen.say(f"Not passed: {listed(failing)}{kept}.", style="bold red")
    else:
        beyond = " beyond the documented findings" if any(map(_documented, report.claims)) else ""
        text = f"Passed: none of {steps} breaks a rule of {report.setting}, and no claim is refuted{beyond}"
        screen.say(f"{text}{f', but {odd}' if odd else ''}.", style="bold yellow" if odd else "bold")


def _failing(report: AuditReport) -> list[str]:
    """Return why an audit does not pass; nothing if it does."""
    found, total = [], sum(report.violation_counts.values())
    if report.violating_steps:
        breaks = "breaks a rule" if report.violating_steps == 1 else "break a rule"
        several = f" ({counted(total, 'violation')})" if total != report.violating_steps else ""
        found.append(f"{report.violating_steps:,} of {counted(report.steps, 'step')} {breaks}{several}")
    if report.refuted:
        found.append(f"{counted(len(report.refuted), 'claim')} {is_or_are(len(report.refuted))} refuted")
    for name, amounts in report.outside_range.items():
        if amounts.steps:
            lie, first = "lies" if amounts.steps == 1 else "lie", f"first at step {amounts.first_step:,}"
            found.append(f"{counted(amounts.steps, name)} {lie} outside [0, {report.cost_bound:g}] ({first})")
    return [*found, *(["the steps are not consecutive"] if report.step_fault_count else [])]


def _odd_cell(report: AuditReport) -> str:
    """Return what breaks no rule: that one cost seems edited, or that one bid alone is not the running mean cost."""
    if (edited := report.edited_cost) is not None:
        return f"one cost seems edited (step {edited.step:,})"
    one, outside = report.bids_off_mean_cost == 1, report.outside_range["bid"].steps
    if one and report.first_bid_off is not None and not outside:  # one outside [0, c_max] is reported as such
        return f"one bid is not the running mean cost (step {report.first_bid_off:,})"
    return ""


def _show_cause(
    screen: Screen, report: AuditReport, first_wrong: RowPlace | None, *, cells: bool, everything: bool
) -> None:
    """Print what explains the violations, and where they begin: on one screen the best explanation alone."""
    if not report.violating_steps:
        return
    if not report.diagnosis:
        screen.say("None of the explanations that were tried explains the violations.")
    shown = report.diagnosis if everything else report.diagnosis[:1]
    more, kinds = "", [each.kind for each in report.diagnosis]
    if others := kinds[len(shown) :]:
        elsewhere = sum(kind != kinds[0] for kind in others)
        which = f", {elsewhere} not in the {kinds[0]}" * bool(elsewhere)
        more = f" {counted(len(others), 'other explanation')} {is_or_are(len(others))} possible{which} (--all)."
    if first_wrong is not None:
        line = "" if first_wrong.line is None else f"line {first_wrong.line:,} of {printable(first_wrong.file, 40)}"
        named = first_wrong.cells.items() if cells else ()
        places = [line] * bool(line) + [f"{printable(name, 40)} {printable(cell, 60)}" for name, cell in named]
        more += f" Step {report.first_wrong_step:,} is {', '.join(places)}." * bool(places)
    for each in shown:
        if not each.explains:
            screen.say(f"{each.sentence}{more}")
            continue
        left = f"; {counted(each.left, 'wrong row')} left" if each.left else ""
        where = f"{each.kind} or the platform" if each.by_platform else each.kind
        cause = f"Likely cause, in the {where}: {each.named}. {each.sentence}"
        screen.say(f"{cause} This explains {share(each.explains)} of the wrong rows{left}.{more}")


def _show_notes(screen: Screen, report: AuditReport, *, most: int, everything: bool) -> None:
    """Print what to know of how the log was read and compared."""
    if report.step_fault_count:
        faults = [fault.text for fault in report.step_faults["first"][: _FAULTS if everything else 1]]
        left = report.step_fault_count - len(faults)
        more = f"; and {counted(left, 'place')} more ({'--json' if everything else '--all'})" if left else ""
        text = f"Steps of the file: {'; '.join(faults)}{more}. Other steps here are row numbers."
        screen.say(text, style="bold red")
    notes = list(report.reading.notes)
    if ignored := report.reading.ignored:
        names = [printable(name, 40) for name in ignored]
        listing = first_of(names, _IGNORED, where="--json") if everything else first_of(names, _NAMED, where="--all")
        notes.append(f"Ignored: {counted(len(ignored), 'column')} ({listing}).")
    if not everything and notes:
        kept = notes[:most] if report.violating_steps else notes
        more = f"{counted(len(notes) - len(kept), 'note')} more with --all." * (len(notes) > len(kept))
        notes = [" ".join([*kept, more]).strip()]
    for note in notes:
        screen.say(note, style="dim")
    if hidden := report.tolerance_hides:
        screen.say(" ".join(hidden), style="yellow")
    _show_bids(screen, report)
    silent = [rule for rule in report.silent_rules if rule not in report.covered_rules]
    if silent and (everything or not report.violating_steps):
        decide, they = ("decides", "it was") if len(silent) == 1 else ("decide", "they were")
        text = f"{len(silent)} of the {len(STEP_RULES)} rules {decide} no step, so {they} not tested"
        screen.say(f"{text}: {', '.join(silent)}.", style="yellow")


def _show_bids(screen: Screen, report: AuditReport) -> None:
    """Print how many bids differ from the running mean cost, if some do: most claims then do not apply."""
    if report.first_bid_off is None:
        return
    off, edited = report.bids_off_mean_cost, report.edited_cost
    text = f"{counted(off, 'bid')} {is_or_are(off)} not the running mean cost, first at step {report.first_bid_off:,}"
    if edited is not None:
        text += f". All are explained by one cost: at step {edited.step:,} the log has {edited.logged:.6g}; with "
        text += f"{edited.instead:.6g} there, every bid is the running mean"
    screen.say(f"{text}.", style="yellow")


def _show_rules(screen: Screen, report: AuditReport, *, kept: bool, everything: bool) -> None:
    """Print the rules that are broken, each with its first violation; with `everything`, all rules and violations."""
    new = {each.rule for each in _new(report)}
    if broken := sorted(report.first_steps, key=lambda rule: (rule not in new, report.first_steps[rule])):
        _show_broken(screen, report, broken if everything else broken[:_NAMED], with_kept=kept)
    if everything:
        _show_all_rules(screen, report)
        _show_violations(screen, report)


def _new(report: AuditReport) -> Sequence[Violation]:
    """Return the listed violations at steps that earlier audits did not have; all if there is none at these."""
    if report.earlier is None or not report.violations_at_new_steps:
        return report.violations
    return [each for each in report.violations if each.step > report.earlier.steps]


def _show_broken(screen: Screen, report: AuditReport, rules: Sequence[str], *, with_kept: bool) -> None:
    new = report.earlier is not None and report.violations_at_new_steps > 0
    numbers = dict.fromkeys(("broken of\ndecided steps", "first\nnew step" if new else "first\nstep"), "right")
    rows = []
    for rule in rules:
        first = next((each for each in _new(report) if each.rule == rule), None)
        step = first.step if first else None if new else report.first_steps[rule]
        values = ("", "") if first is None else until_distinct(partial(_in_short, first), 6)
        broken_at = f"{report.violation_counts[rule]:,} of {report.applicable[rule]:,}"
        rows.append((rule, broken_at, number(step), *values))
    screen.print()
    screen.table("", {"rule": "whole", **numbers, "expected": "", "found": ""}, rows)
    if more := len(report.first_steps) - len(rules):
        screen.say(f"and {more} more (--all)", style="dim")
    kept = [rule for rule in STEP_RULES if report.applicable[rule] and rule not in report.first_steps]
    if kept and with_kept:
        screen.say(f"No step breaks {first_of(kept, _KEPT)}.", style="dim")


def _show_all_rules(screen: Screen, report: AuditReport) -> None:
    columns = {"rule": "whole", "paper": "whole", "decides": "right", "broken": "right", "first": "right"}
    rows = []
    for rule, stated in STEP_RULES.items():
        decides = report.applicable[rule]
        broken = report.violation_counts[rule] if decides else None
        numbers = (decides, broken, report.first_steps.get(rule))
        style = "bold red" if broken else ""
        rows.append([Text(cell, style) for cell in (rule, stated.label, *map(number, numbers))])
    screen.print()
    screen.table(f"The rules of setting {report.setting}, step by step", columns, rows)
    legend = "decides: steps that the rule decides; broken: those of them that break it; first: the first of these."
    screen.say(legend, style="dim")


def _show_violations(screen: Screen, report: AuditReport) -> None:
    new, total = _new(report), sum(report.violation_counts.values())
    shown = [*new, *report.violations[: len(report.violations) - len(new)]][:_SHOWN]
    if not shown:
        return
    first = "" if len(shown) == total else f"The first {len(shown)} of "
    title = f"{first}{counted(total, 'violation')} at {counted(report.violating_steps, 'step')}"
    rows = ((number(each.step), each.rule, _amount(each.expected), _amount(each.found)) for each in shown)
    screen.print()
    screen.table(title, {"step": "right", "rule": "whole", "expected": "", "found": ""}, rows)
    if len(shown) < len(report.violations):
        screen.say(f"--json lists {len(report.violations):,} of them.", style="dim")


def _amount(value: str | float, digits: int = 12) -> str:
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def _in_short(violation: Violation, digits: int) -> tuple[str, str]:
    """Return what was expected and found: amounts in some digits, of several providers the first."""
    first, *others = _amount(violation.expected, digits).removeprefix("one of: ").split(", ")
    return shortened(first, _CELL) + ", ..." * bool(others), shortened(_amount(violation.found, digits), _CELL)


def _show_providers(screen: Screen, report: AuditReport, rows: int) -> None:
    """Print the providers that served most: what the log has of each next to its quality and mean cost."""
    costs = any(each.mean_cost is not None for each in report.providers)
    logged = "cost" if costs else "last bid"
    columns = {"provider": "whole", **dict.fromkeys(("served", "score", "quality", logged, "mean cost"), "right")}
    shown = largest(report.providers, [each.served for each in report.providers], rows)
    cells = []
    for each in shown:
        of_log = each.mean_cost if costs else each.last_bid
        numbers = (each.mean_score, each.quality, of_log, each.expected_cost)
        figures = (to_digits(value, 4) for value in numbers)
        cells.append((shortened(each.name, _NAME), number(each.served), *figures))
    screen.print()
    screen.table("", columns, cells)
    if more := report.n_providers - len(shown):
        screen.say(f"and {more:,} more{' (--all)' if rows < len(report.providers) else ''}", style="dim")
    means = "score and cost are means" if costs else "score is a mean"
    screen.say(f"{means} of the log; quality and mean cost are the setting's.", style="dim")


def _show_drift(screen: Screen, report: AuditReport, *, everything: bool) -> None:
    """Print whether scores and costs keep their means; on one screen the first change, else the first difference."""
    drift, why = report.drift, f"(false-alarm probability {report.drift.false_alarm:g})"
    if not drift.found:
        costs = " and costs" if drift.costs else ""
        costs += f", costs of {counted(drift.untested, 'provider')} left out" if drift.untested else ""
        screen.say(f"No drift is seen in scores{costs} {why}.", style="dim")
        return
    if report.violating_steps and not everything:
        screen.say(f"Drift is seen in {counted(len(drift.found), 'mean')} {why}: --all.", style="yellow")
        return
    found = sorted(drift.found, key=lambda each: each.against == "setting")
    shown = found if everything else found[:1]
    for each in shown:
        screen.say(f"Drift {why}: {each.sentence}.", style="yellow")
    more = len(found) - len(shown)
    screen.say(f"Every guarantee assumes fixed means{f'; {more} more (--all)' if more else ''}.", style="dim")


def _show_claims(screen: Screen, report: AuditReport, *, everything: bool, asked: Collection[str]) -> None:
    """Print how many claims were tested, how many of them are refuted, which is the tightest, and those in `asked`."""
    tested = [row for row in report.claims if row.evidence.verdict not in SILENT]
    refuted = [row.label for row in sorted(report.refuted, key=_beside)]
    known = [row.label for row in tested if _documented(row)]
    words = {**WORDS, Verdict.VACUOUS: "empty (never applied)"}
    silent = Counter(words[row.evidence.verdict] for row in report.claims if row.evidence.verdict in SILENT)
    text = f"Claims tested: {len(tested)} of {len(report.claims)}"
    text += "".join(f", {count} {word}" for word, count in silent.items())
    found = f"{len(refuted)} refuted: {first_of(refuted, 2, where='--all')}" if refuted else "none refuted"
    screen.print()
    screen.say(f"{text}; {found}.")
    if known:
        listing = first_of(known, _NAMED, where="--all")
        screen.say(f"The log shows what is documented about the paper's wording: {listing}.")
    if (everything or not (refuted or asked)) and (tightest := _tightest(tested)):
        screen.say(tightest)
    if everything:
        _show_all_claims(screen, report.claims)
        _show_limits(screen, report)
        return
    for row in [row for row in report.claims if row.label in asked][:_MOST_ASKED]:
        ratio = row.evidence.tightness.ratio
        used = (
            "" if ratio is None or row.evidence.verdict in SILENT else f" (ratio {ratio_text(ratio, room=RATIO_ROOM)})"
        )
        _show_remark(screen, f"{_verdict(row)}{used}", _remark(row), [row])


def _tightest(tested: Sequence[ClaimAudit]) -> str:
    """Return which bound comes closest to what happened without being reached; empty if no ratio is below 1."""
    ratios = {row.label: row.evidence.tightness.ratio for row in tested if row.evidence.verdict is Verdict.NOT_REFUTED}
    below = {label: ratio for label, ratio in ratios.items() if ratio is not None and ratio < 1 - ROUNDING}
    label = max(below, key=lambda each: below[each], default="")
    return f"{label} comes closest to its bound without reaching it ({share(below[label])} of it)." if label else ""


def _show_all_claims(screen: Screen, claims: Sequence[ClaimAudit]) -> None:
    """Print a table of the claims for each verdict on this log, and a remark where there is one."""
    by_verdict: dict[str, list[ClaimAudit]] = {}
    for row in claims:
        by_verdict.setdefault(_verdict(row), []).append(row)
    for verdict, rows in sorted(by_verdict.items(), key=lambda group: "refuted" not in group[0]):
        screen.print()
        meaning = "" if "refuted" in verdict else f" ({MEANING[rows[0].evidence.verdict]})"
        screen.say(f"{counted(len(rows), 'claim')} on this log: {verdict}{meaning}", style="bold")
        silent = rows[0].evidence.verdict in SILENT
        if not silent:
            _show_ratios(screen, rows)
        remarks: dict[str, list[ClaimAudit]] = {}
        for row in rows:
            remarks.setdefault(_remark(row), []).append(row)
        for remark, alike in remarks.items():
            if remark or silent:
                _show_remark(screen, verdict, remark, alike)
    excused = f" {EXCUSED_RATIO}" if any(map(_excused, claims)) else ""
    screen.print()
    screen.say(f"in general: {WHEN_MADE}. {RATIO}{excused}", style="dim")


def _show_ratios(screen: Screen, rows: Sequence[ClaimAudit]) -> None:
    """Print the claims that were tested, each with its verdict in general and its ratio on this log."""
    cells = []
    for row in rows:
        own, ratio = stored_verdict(row.label), row.evidence.tightness.ratio
        shown = "-" if ratio is None else ratio_text(ratio, room=RATIO_ROOM)
        cells.append((row.label, tinted(own, WORDS[own]), shown))
    screen.table("", {"claim": "whole", "in general": "whole", "ratio": "right"}, cells)


def _verdict(row: ClaimAudit) -> str:
    """Return the verdict on a claim on this log, in words."""
    if _documented(row):
        return "refuted by a documented finding"
    return BESIDE if _beside(row) else WORDS[row.evidence.verdict]


def _show_remark(screen: Screen, verdict: str, remark: str, rows: Sequence[ClaimAudit]) -> None:
    """Print what is to know of claims that have one verdict for one reason."""
    style, why = STYLES[rows[0].evidence.verdict], f"{verdict}{f': {remark}' if remark else ''}{_until(rows)}"
    if len(rows) == 1:
        screen.say(f"{rows[0].label} is {why}", indent=2, style=style)
        return
    screen.say(f"{counted(len(rows), 'claim')} are {why}", indent=2, style=style)
    screen.say(", ".join(row.label for row in rows), indent=6, style="dim")


def _until(rows: Sequence[ClaimAudit]) -> str:
    """Return what was compared before an assumption failed: it has no violation, or the claim would be refuted."""
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


def _excused(row: ClaimAudit) -> bool:
    """Whether a claim stands only because of the tolerance: its ratio may be above 1."""
    return row.evidence.verdict is Verdict.NOT_REFUTED and row.evidence.tightness.excused > 0


def _documented(row: ClaimAudit) -> bool:
    """Whether a claim is refuted, and that is a documented finding about the paper's wording."""
    return row.evidence.verdict is Verdict.REFUTED and not row.counts_as_refuted


def _beside(row: ClaimAudit) -> bool:
    """Whether a claim is refuted, but only in parts that it is not cited for."""
    return refuted_beside((part.verdict, part.headline) for part in row.evidence.parts)


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
    why = _UNDEFINED_SIDE.get(str(where.get("relation")))
    return told | {side: why for side in ("left", "right") if why and where.get(side, "") is None}


def _show_limits(screen: Screen, report: AuditReport) -> None:
    """Print the documented findings that the log shows, and what a log cannot show."""
    screen.print()
    for row in filter(_documented, report.claims):
        screen.say(f"documented finding: {row.label}: {row.stated.finding}", style="dim")
    if report.undecided:
        steps = counted(report.undecided, "step")
        screen.say(f"At {steps} rounding decides who is eligible or under-sampled: either was accepted.")
    screen.say("Passing is not a proof. A log cannot show:", style="bold")
    for hidden in report.not_visible_in_a_log:
        screen.say(f"- {hidden}", indent=2)


def _as_word(word: str) -> str:
    """Return a word for a shell, in double quotes where it has single ones alone."""
    return f'"{word}"' if "'" in word and not {*word} & {*'"$`\\!'} else shlex.quote(word)


def _show_next(screen: Screen, report: AuditReport, again: str, *, everything: bool) -> None:
    if report.passed and not everything:
        screen.say("Passing is not a proof: --all lists what a log cannot show.")
    if everything and not report.refuted and not report.violating_steps:
        return
    screen.print()
    in_log = any(each.kind == "log" and not each.left for each in report.diagnosis[:1])
    if report.violating_steps and not (in_log and not report.diagnosis[0].by_platform):
        screen.say("If you can call the mechanism, test it: costproof check MODULE:OBJECT.")
    if in_log:
        screen.suggest(again, "when that is corrected")
        return
    if report.refuted:
        first = min(report.refuted, key=_beside).label
        screen.suggest(f"{again} --claim {first} --all", "one claim on this log in full")
    elif not everything:
        screen.suggest(f"{again} --all", "every claim with its reason")
