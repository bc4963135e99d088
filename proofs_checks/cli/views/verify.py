"""What `costproof verify` prints: a headline, the table of claims, one claim in full, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from bounds.words import counted, listed, ratio_text
from proofs_checks.claims.hypotheses import STATED_UNDER, stated_under
from proofs_checks.claims.registry import claim
from proofs_checks.cli.ranges import besides_numbers, with_ranges
from proofs_checks.cli.views.console import (
    KNOWN,
    KNOWN_MEANING,
    RATIO,
    RATIO_ROOM,
    SHORT,
    STYLES,
    console,
    marked,
    place,
    say,
    show,
    suggest,
    table,
    tinted,
)
from proofs_checks.cli.views.evidence import show_evidence, tightest_anywhere
from proofs_checks.cli.views.kernel import show_not_counted, show_where_checked
from proofs_checks.verdict import COULD_NOT_FAIL, MEANING, SILENT, Verdict
from proofs_checks.verify.claim_verdicts import finding_shown_on, findings_in_words, in_words, never_applies
from proofs_checks.verify.run import ClaimResult, ClaimRow, VerifyReport

#: The mark of a verdict on the settings that were asked for that could not have been another.
IDLE = "*"
#: The mark of a claim that is known to be false and that these settings do not refute.
SPARED = "!"
SPARED_MEANING = "known to be false, by a witness elsewhere; what was looked at here does not show it."
VACUOUS_HERE = (
    "VACUOUS here: no run was long enough, or none met the condition (which: --why). As its own verdict: no run can "
    "meet the condition as it is worded, as far as the finding says."
)


def show_verification(
    report: VerifyReport,
    *,
    every_row: bool = False,
    in_full: bool = False,
    why: bool = False,
    asked: Sequence[str] = (),
) -> None:
    """Print the headline, one row for every claim, the findings, and what to try next.

    With `why`, only why claims could not be tested. With `every_row`, every piece of evidence of every claim instead of
    the table; with `in_full`, also the statement, formulas and assumptions of each. `asked` is how the caller named the
    settings, for the next command.
    """
    screen = console()
    _show_headline(screen, report, in_full)
    if why:
        _show_untested(screen, report)
        return
    if in_full or every_row:
        for rows in report.by_claim:
            _show_claim(screen, report, rows, in_full)
        screen.print()
    else:
        _show_table(screen, report)
        _show_findings(screen, report)
    _show_variants(screen, report)
    _show_totals(screen, report)
    _show_refuted(screen, report)
    _show_next(screen, report, " ".join(["costproof verify", *asked]), in_full=in_full)


def _place_of(report: VerifyReport) -> str:
    named = listed(report.settings) or "no setting"
    return named if len(report.settings) < 3 else f"{len(report.settings)} settings"


def _show_headline(screen: Console, report: VerifyReport, in_full: bool) -> None:
    """Say what was found and what to look at first."""
    claims = counted(len(report.by_claim), "claim")
    show_not_counted(screen, [report.kernel_of(rows[0].label) for rows in report.by_claim])
    if report.interrupted:
        done = f"Interrupted after {report.ran['tasks_done']} of {report.ran['tasks']} tasks"
        unproved = ", and the proofs are not among them" if report.lacks_proofs else ""
        say(screen, f"{done}: what follows covers only those{unproved}.", style="bold yellow")
    if report.refuted:
        first, refuted = report.refuted[0], {row.label for row in report.refuted}
        text = f"{len(refuted)} of {claims} refuted: a new violation. Look first at {first.label} on "
        say(screen, text + f"{first.setting or 'a small instance'}.", style="bold red")
    elif in_full and report.by_claim:
        labels = [rows[0].label for rows in report.by_claim]
        for label in [label for label in labels if label in report.asked] or labels[:1]:
            _show_first_claim(screen, report, label)
        return
    elif not report.interrupted:
        say(screen, f"No new violation on {_place_of(report)}.", style="bold")
    _show_tested(screen, report)
    say(screen, report.known_in_words)


def _show_variants(screen: Console, report: VerifyReport) -> None:
    """Say why more claims are shown than were asked for."""
    if report.ran["variants"]:
        asked, variants = len(report.asked), counted(report.ran["variants"], "variant")
        text = (
            f"Asked for: {counted(asked, 'claim')}. Looked at as well: {variants} of {'it' if asked == 1 else 'them'}"
        )
        say(screen, f"{text} (the same label, then a colon and a word).")


def _show_tested(screen: Console, report: VerifyReport) -> None:
    """Say how many claims were tested on the settings that were asked for, and how many were not."""
    found = report.tested_here
    known = f", {found.known_to_be_false} of them known to be false or too strong" if found.known_to_be_false else ""
    more = ""
    if found.not_reached:
        more += f"; {found.not_reached} more {'was' if found.not_reached == 1 else 'were'} not reached"
    if found.not_tested:
        more += f"; {found.not_tested} more could not be tested there (why: --why)"
    if found.on_no_setting:
        more += f"; {found.on_no_setting} {'needs' if found.on_no_setting == 1 else 'need'} no setting"
    say(screen, f"Tested on {_place_of(report)}: {found.tested} of {counted(found.claims, 'claim')}{known}{more}.")
    if idle := found.could_not_fail:
        say(screen, f"{idle} of the {found.tested} tested could not fail here: the bound is above its trivial value.")


def _show_first_claim(screen: Console, report: VerifyReport, label: str) -> None:
    """Say the verdict on a claim, and the one on each setting that was asked for."""
    verdict = report.claim_verdict(label)
    why = f": {never_applies(label)}" if verdict is Verdict.VACUOUS and never_applies(label) else ""
    say(screen, f"{label} is {in_words(claim(label), verdict)} ({verdict}){why}.", style="bold")
    found = {row.setting: row for row in report.results if row.label == label}
    alike: dict[tuple[str, ...], dict[str, str]] = {}
    for name in report.settings:
        told = _verdict_on(found.get(name))
        alike.setdefault(besides_numbers(told), {})[name] = told
    if alike:
        said = "; ".join(f"{with_ranges([*on.values()])} on {', '.join(on)}" for on in alike.values())
        say(screen, f"Here: {said}.")
    if where := finding_shown_on(label):
        say(screen, f"The finding about its wording shows on {', '.join(where)}.", style="yellow")


def _verdict_on(row: ClaimResult | None) -> str:
    if row is None:
        return "nothing to test"
    if row.verdict is Verdict.VACUOUS:
        return f"{row.verdict} ({_why_vacuous(row)})"
    if row.verdict is Verdict.EXACT:
        return f"{row.verdict} (computed, no violation)"
    if row.verdict is Verdict.REFUTED and claim(row.label).finding:
        return f"{row.verdict} (known: it is the documented finding)"
    return f"{row.verdict} (could not fail)" if row.could_fail is False else row.verdict.value


def _why_vacuous(row: ClaimResult) -> str:
    """Return which of the two it is: empty whatever is run, or not reached by what was run."""
    if never := never_applies(row.label):
        return never
    needed = [part.horizon_needed for piece in row.evidence for part in piece.parts if part.horizon_needed is not None]
    return f"no run was long enough: {needed[0]}" if needed else "nothing that was run met its condition"


def _verdicts(report: VerifyReport) -> list[Verdict]:
    return [report.claim_verdict(rows[0].label) for rows in report.by_claim]


def _show_table(screen: Console, report: VerifyReport) -> None:
    """Print a row for every claim: its own verdict, and the one on the settings that were asked for."""
    several, news = len(report.settings) > 1, {row.label for row in report.refuted}
    last = "on" if several else "ratio"
    found = table("", {"claim": "whole", "its verdict": "whole", "here": "whole", last: "right"})
    for row in report.claim_rows:
        own, here = row.verdict_of_claim, row.verdict_here
        mark = SPARED * _spared(row)
        if row.settings_idle:  # a verdict that was certain, on so many settings where it is not all of them
            mark = IDLE if row.settings_idle == row.settings_alike else f"{IDLE}{row.settings_idle}"
        ratio = "-" if row.tightest_ratio is None else ratio_text(row.tightest_ratio, room=RATIO_ROOM - len(mark))
        tightest = f"{row.settings_alike}/{len(report.settings)}" if several and here is not None else ratio
        known = here is Verdict.REFUTED and row.label not in news
        told = "-" if here is None else tinted(here, KNOWN if known else SHORT[here])
        found.add_row(row.label, tinted(own, own.value), told, f"{tightest}{mark}")
    show(screen, found)
    place = f"settings {', '.join(report.settings)}" if report.settings else "no setting"
    told = "on: settings with that verdict, of those asked for." if several else RATIO
    say(screen, f"here: on {place}; - if it depends on no setting. {KNOWN_MEANING} {told}", style="dim")
    if any(row.settings_idle for row in report.claim_rows):
        some = next((row.settings_idle for row in report.claim_rows if 0 < row.settings_idle < row.settings_alike), 0)
        partly = f" {IDLE}{some}: could not fail on {counted(some, 'setting')}." if some else ""
        say(screen, f"{IDLE}: {COULD_NOT_FAIL}{partly} The numbers: --claim LABEL.", style="dim")
    for row in report.claim_rows:
        if row.compared_as and row.checked:
            say(screen, f"{row.label}: only {row.compared_as} is tested here.", style="dim")
    if any(_spared(row) for row in report.claim_rows):
        say(screen, f"{SPARED}: {SPARED_MEANING}", style="dim")
    if any(row.verdict_here is Verdict.VACUOUS for row in report.claim_rows):
        say(screen, VACUOUS_HERE, style="dim")


def _spared(row: ClaimRow) -> bool:
    """Whether a claim is false in general and what was looked at here does not show it."""
    return row.verdict_of_claim is Verdict.REFUTED and row.verdict_here in (Verdict.NOT_REFUTED, Verdict.EXACT)


def _show_claim(screen: Console, report: VerifyReport, rows: Sequence[ClaimResult], in_full: bool) -> None:
    stated = rows[0].stated
    verdict = report.claim_verdict(stated.label)
    screen.print()
    say(screen, f"{stated.label}  {f'{stated.number}  ' if stated.number else ''}{stated.name}", style="bold")
    never = never_applies(stated.label) if verdict is Verdict.VACUOUS else ""
    said = f"{in_words(stated, verdict)}: {never}" if never else in_words(stated, verdict)
    say(screen, f"its verdict: {verdict} ({said})", indent=2, style=STYLES[verdict])
    if tightest := tightest_anywhere(rows):
        say(screen, tightest, indent=2)
    if in_full:
        say(screen, f"{stated.wording}.", indent=2)
        for formula in stated.latex():
            say(screen, formula, indent=2, style="dim")
        if stated.latex() and stated.without_formula:
            say(screen, f"and without a formula: {'; '.join(stated.without_formula)}", indent=2, style="dim")
        if hypotheses := stated_under(stated):
            say(screen, f"{STATED_UNDER}: {'; '.join(hypotheses)}", indent=2)
        if stated.assumptions:
            say(screen, f"tested only where: {'; '.join(p.name for p in stated.assumptions)}", indent=2)
        if stated.note:
            say(screen, f"note: {stated.note}", indent=2)
    if stated.finding:
        _show_finding(screen, rows, indent=2)
    show_evidence(screen, rows, together=in_full)


def _show_findings(screen: Console, report: VerifyReport) -> None:
    """Print the documented findings about the claims that were asked for, wherever they show themselves."""
    found = [rows for rows in report.by_claim if rows[0].stated.finding]
    if not found:
        return
    screen.print()
    told = findings_in_words([rows[0].stated for rows in found], report.own_verdicts)
    say(screen, f"Known findings, which do not count as refuted: {told}.", style="bold")
    for rows in found:
        say(screen, rows[0].label, indent=2)
        _show_finding(screen, rows, indent=4)


def _show_finding(screen: Console, rows: Sequence[ClaimResult], *, indent: int) -> None:
    stated = rows[0].stated
    here = [row.setting for row in rows if row.setting is not None and row.finding_shown]
    where = list(dict.fromkeys([*here, *finding_shown_on(stated.label)]))
    say(screen, f"finding: {stated.finding}", indent=indent, style="yellow")
    if where:
        say(screen, f"shown on {', '.join(where)}", indent=indent, style="yellow")
    if stated.repaired_by:
        say(screen, f"what holds instead: {stated.repaired_by}", indent=indent, style="dim")


def _show_untested(screen: Console, report: VerifyReport) -> None:
    """Print one reason for every claim that could not be tested, and on how many settings it was so."""
    for rows in report.by_claim:
        verdict = report.verdict_here(rows[0].label)
        silent = [row for row in rows if row.setting is not None and row.verdict is verdict]
        if verdict not in SILENT or not silent:
            continue
        reason = next((piece.reason for row in silent for piece in row.evidence if piece.reason), "no reason is known")
        place = "" if len(report.settings) == 1 else f" on {counted(len(silent), 'setting')}"
        say(screen, f"{rows[0].label}: {verdict}{place}: {reason}", indent=2)


def _show_totals(screen: Console, report: VerifyReport) -> None:
    ran, effort = report.ran, report.effort
    screen.print()
    say(
        screen,
        f"{counted(ran['comparisons'], 'comparison')} on {counted(ran['episodes'], 'run')} ({ran['steps']:,} queries), "
        f"seed {report.seed}. Planned: {counted(effort.runs, 'truthful run')} of {effort.horizon:,} queries per "
        f"setting; one run each of Bayesian, deviating and combined bidders of {effort.variant_horizon:,}; "
        f"{effort.instances} small instances.",
        style="dim",
    )
    own, here = Counter(_verdicts(report)), Counter(report.verdict_here(rows[0].label) for rows in report.by_claim)
    title = f"How many of {counted(len(report.by_claim), 'claim')} have each verdict"
    found = table(title, {"verdict": "whole", "its own": "right", "here": "right", "meaning": ""})
    for verdict in Verdict:
        if own[verdict] or here[verdict]:
            found.add_row(marked(verdict), str(own[verdict]), str(here[verdict]), MEANING[verdict])
    if here[None]:
        found.add_row("-", "0", str(here[None]), "not put to a setting: it depends on none")
    show(screen, found)
    say(screen, f"its own: on the claim itself. here: on {_place_of(report)} alone.", style="dim")
    show_where_checked(screen, [piece.proof.record for piece in report.certificates.values()])


def _show_refuted(screen: Console, report: VerifyReport) -> None:
    for row in report.refuted:
        say(screen, f"REFUTED: {row.label} on {row.setting or 'a small instance'}", style="bold red")
        for piece in row.evidence:
            if piece.verdict is Verdict.REFUTED and piece.where:
                say(screen, place(piece.where), indent=4)
    if not report.refuted and not report.interrupted:
        known = sum(bool(rows[0].stated.finding) for rows in report.by_claim)
        beside = f" {counted(known, 'known finding').capitalize()}: see above." if known else ""
        proved = all(verdict is Verdict.PROVED for verdict in _verdicts(report))
        meaning = "" if proved else " A test without a violation is no proof: see `costproof docs verdicts`."
        say(screen, f"No new violation.{beside}{meaning}", style="bold")


def _show_next(screen: Console, report: VerifyReport, again: str, *, in_full: bool) -> None:
    labels = [rows[0].label for rows in report.by_claim]
    silent = [label for label in labels if report.verdict_here(label) in SILENT]
    if in_full:
        if report.by_claim and (instead := report.by_claim[0][0].stated.repaired_by):
            suggest(screen, f"{again} --claim {instead}", "what holds instead")
    elif report.refuted:
        suggest(screen, f"{again} --claim {report.refuted[0].label}", "the violation in full")
    elif labels:
        why = "why a claim could not be tested" if silent else "one claim in full"
        suggest(screen, f"{again} --claim {[*silent, *labels][0]}", why)
