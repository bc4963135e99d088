"""What `costproof verify` prints: a headline, the theorems or the claim that was asked for; then all claims in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from rich.text import Text

from bounds.words import counted, first_of, is_or_are, listed, ratio_text
from proofs_checks.claims.hypotheses import STATED_UNDER, stated_under
from proofs_checks.claims.model.evidence import Evidence, place_of_evidence
from proofs_checks.claims.model.tightness import ratio_at, tightest_place
from proofs_checks.claims.registry import claim
from proofs_checks.cli.ranges import besides_numbers, with_ranges
from proofs_checks.cli.views.console import STYLES, Screen, console, place, tinted
from proofs_checks.cli.views.evidence import show_evidence, sufficient_horizon, tightest_anywhere
from proofs_checks.cli.views.kernel import show_not_counted, show_where_checked
from proofs_checks.proofs.kernel.theorems import LESS
from proofs_checks.verdict import COULD_NOT_FAIL, MEANING, SILENT, WORDS, Verdict, described
from proofs_checks.verify.claim_verdicts import (
    FINDINGS,
    by_sort,
    counted_verdicts,
    finding_shown_on,
    findings_in_words,
    in_words_exactly,
    never_applies,
)
from proofs_checks.verify.episodes import flags_of
from proofs_checks.verify.run import ClaimResult, ClaimRow, VerifyReport

#: The mark of a verdict on the settings that could not have been another.
IDLE = "*"
#: At most so many rows, new violations, settings in one line, and characters of a heading are on the screen.
_ROWS, _VIOLATIONS, _PLACES, _HEADING = 12, 3, 5, 20


def show_verification(
    report: VerifyReport, *, everything: bool = False, why: bool = False, asked: Sequence[str] = ()
) -> None:
    """Print the headline, the theorems or the one claim that was asked for, and the next command.

    With `why`, only why claims could not be tested. With `everything`, also every claim in full. `asked` is how the
    caller named the settings, for the next command.
    """
    screen = console()
    one = report.asked[0] if len(report.asked) == 1 else ""
    _show_headline(screen, report, quiet=bool(one))
    if why:
        _show_untested(screen, report)
        return
    if one:
        _show_one(screen, report, one)
    else:
        _show_statements(screen, report)
    if everything:
        for rows in report.by_claim:
            _show_claim(screen, report, rows)
        _show_totals(screen, report)
    _show_next(screen, report, asked, one)


def _place_of(report: VerifyReport) -> str:
    named = listed(report.settings) or "no setting"
    return named if len(report.settings) < 3 else f"{len(report.settings)} settings"


def _show_headline(screen: Screen, report: VerifyReport, *, quiet: bool) -> None:
    """Say what was found, new violations first; `quiet` leaves out that there are none."""
    show_not_counted(screen, [report.kernel_of(rows[0].label) for rows in report.by_claim])
    if report.interrupted:
        done = f"Interrupted after {report.ran['tasks_done']} of {report.ran['tasks']} tasks"
        unproved = ", and the proofs are not among them" if report.lacks_proofs else ""
        screen.say(f"{done}: what follows covers only those{unproved}.", style="bold yellow")
    claims, ran = counted(len(report.by_claim), "claim"), report.ran
    if report.refuted:
        refuted = len({row.label for row in report.refuted})
        screen.say(f"{refuted} of {claims} {is_or_are(refuted)} refuted by a new violation:", style="bold red")
        for row in report.refuted[:_VIOLATIONS]:
            where = next((piece.where for piece in row.evidence if piece.verdict is Verdict.REFUTED), None)
            numbers = f": {place(where)}" if where else ""
            screen.say(f"{row.label} on {row.setting or 'a constructed instance'}{numbers}", indent=2)
        screen.left_out(report.refuted, report.refuted[:_VIOLATIONS])
    elif not report.interrupted and not quiet:
        here = sum(row.checked for row in report.results if row.setting is not None)
        tried = f"{counted(here, 'comparison')} on {_place_of(report)} (T <= {report.effort.horizon:,})"
        elsewhere = f"{ran['comparisons'] - here:,} on constructed instances"
        new = "new " * any(row.verdict is Verdict.REFUTED for row in report.results)
        screen.say(f"No {new}violation: {claims}, {tried}, {elsewhere}.", style="bold")


def _show_statements(screen: Screen, report: VerifyReport) -> None:
    """Print a row for each theorem and proposition, or for each claim that was asked for, and count the others."""
    verdicts, sorts = report.own_verdicts, by_sort(rows[0].stated for rows in report.by_claim)
    chosen = report.asked or [stated.label for stated in next(iter(sorts.values()), [])]
    rows = [row for row in report.claim_rows if row.label in chosen]
    _show_rows(screen, report, rows, {"claim": [f"{_short(row.number):<10}{row.label}" for row in rows]})
    others = {sort: [each for each in some if each.label not in chosen] for sort, some in sorts.items()}
    others.pop(FINDINGS, None)
    if found := [f"{sort}: {counted_verdicts(some, verdicts)}" for sort, some in others.items() if some]:
        screen.say(f"Not in the table: {'; '.join(found)}.")
    _show_tested(screen, report)
    known = [rows[0].stated for rows in report.by_claim if rows[0].stated.finding]
    if known:
        seen = len({row.label for row in report.results if row.verdict is Verdict.REFUTED})
        false = sum(verdicts[stated.label] is Verdict.REFUTED for stated in known)
        again = f"; {seen} of the {false} false ones violated again" * bool(false)
        screen.say(f"Findings (costproof claims --findings): {findings_in_words(known, verdicts)}{again}.")


def _show_rows(
    screen: Screen, report: VerifyReport, rows: Sequence[ClaimRow], called: Mapping[str, Sequence[str]]
) -> None:
    """Print a row for each of some claims: what it is called, its own verdict, and the one on the settings."""
    on = f"on {_place_of(report)}"
    on = on if len(on) <= _HEADING else f"on {counted(len(report.settings), 'setting')}"
    names = {head: "whole" if head == "claim" else "" for head in called}
    printed = []
    for row, *cells in zip(rows[:_ROWS], *called.values(), strict=False):
        printed.append((*cells, _in_general(row), _on_settings(row, len(report.settings))))
    screen.table("", {**names, "in general": "whole", on: "whole"}, printed)
    screen.left_out(rows, rows[:_ROWS])
    legend: dict[str, Iterable[object]] = {
        "Numbers: largest realised value divided by its bound.": [row.tightest_ratio for row in rows],
        f"{IDLE}: {COULD_NOT_FAIL}": [_is_idle(row) for row in rows],
        f"Refuted, but tested {on}: no violation there.": [_is_refuted_elsewhere(row) for row in rows],
        f"Empty: {_why_empty(report, rows)}.": [row.verdict_here is Verdict.VACUOUS for row in rows],
        **{
            f"Of {row.label} what is tested is {row.compared_as}, which says less.": [row.compared_as and row.checked]
            for row in rows
        },
    }
    screen.say(" ".join(text for text, applies in legend.items() if any(applies)), style="dim")


def _in_general(row: ClaimRow) -> Text:
    """Return a claim's own verdict, short."""
    stated, verdict = claim(row.label), row.verdict_of_claim
    if verdict is Verdict.REFUTED and stated.finding:
        return tinted(verdict, f"{'reading' if stated.stronger_reading else 'wording'} refuted")
    return tinted(verdict, WORDS[verdict] + ", finite T" * (in_words_exactly(stated, verdict) == LESS))


def _why_empty(report: VerifyReport, rows: Sequence[ClaimRow]) -> str:
    """Return what an empty verdict on the settings means, and how long a run would have to be."""
    empty = {row.label for row in rows if row.verdict_here is Verdict.VACUOUS}
    place = " on {}" * (len(report.settings) > 1)
    needed = (
        f"{each.label}{place.format(each.setting)} {part.horizon_needed}"
        for each in report.results
        if each.label in empty
        for piece in each.evidence
        for part in piece.parts
        if part.horizon_needed
    )
    example = next(needed, "")
    if not example:
        return MEANING[Verdict.VACUOUS]
    return f"not compared on a setting ({example}); in part: not all of it (--why)"


_KINDS = {"Theorem": "Thm.", "Proposition": "Prop.", "Corollary": "Cor.", "Algorithm": "Alg.", "Assumption": "Asm."}


def _short(number: str | None) -> str:
    """Return "Thm. 4" of "Theorem 4"; where a claim is named, both are read."""
    kind, _, count = (number or "").partition(" ")
    return f"{_KINDS.get(kind, kind)} {count}".strip()


def _is_idle(row: ClaimRow) -> bool:
    return 0 < row.settings_idle == row.settings_alike


def _is_refuted_elsewhere(row: ClaimRow) -> bool:
    return row.verdict_of_claim is Verdict.REFUTED and row.verdict_here is Verdict.NOT_REFUTED


def _on_settings(row: ClaimRow, settings: int) -> Text | str:
    """Return the verdict on the settings, how tight it was, and on how many of them it is that."""
    if row.verdict_here is None:
        return "needs no setting"
    tightest = "" if row.tightest_ratio is None else f" {ratio_text(row.tightest_ratio)}{IDLE * _is_idle(row)}"
    part = " in part" * (row.verdict_here is Verdict.VACUOUS and row.checked > 0)
    some = f" on {row.settings_alike}" * (row.settings_alike < settings)
    return tinted(row.verdict_here, f"{WORDS[row.verdict_here]}{part}{tightest}{some}")


def _show_tested(screen: Screen, report: VerifyReport) -> None:
    """Say how many claims were tested on the settings, and how many were not."""
    found = report.tested_here
    able = sum(row.could_fail is True for row in report.claim_rows)
    unknown = found.tested - able - found.could_not_fail
    among = {
        f"{able} could fail, {found.could_not_fail} not, {unknown} unknown": able + found.could_not_fail,
        f"{found.known_to_be_false} refuted as documented": found.known_to_be_false,
    }
    some = "; ".join(filter(among.get, among))
    parts = {
        f"{found.tested} tested{f' ({some})' if some else ''}": True,
        f"{found.not_reached} not reached": found.not_reached,
        f"{found.not_tested} not, or only in part (--why)": found.not_tested,
        f"{found.on_no_setting} {'needs' if found.on_no_setting == 1 else 'need'} no setting": found.on_no_setting,
    }
    screen.say(f"Of {counted(found.claims, 'claim')} on {_place_of(report)}: {'; '.join(filter(parts.get, parts))}.")


def _show_one(screen: Screen, report: VerifyReport, label: str) -> None:
    """Print one claim: its verdict, what was compared on each setting, its theorem, its finding, its variants."""
    rows = next(rows for rows in report.by_claim if rows[0].label == label)
    _show_verdict(screen, report, rows)
    screen.say(f"{rows[0].stated.wording}.", indent=2)
    reached = f"here T = {report.effort.horizon:,}"
    named = reached + " (--quick)" * (flags_of(vars(report.effort)) == ("--quick",))
    for text in on_places(rows, _informative_from(report, label)):
        screen.say(text.replace(reached, named), indent=2)
    if hypotheses := stated_under(rows[0].stated):
        screen.say(f"{STATED_UNDER}: {'; '.join(hypotheses)}", indent=2)
    if rows[0].stated.compared_as:
        screen.say(f"what is tested is {rows[0].stated.compared_as}, which says less", indent=2)
    if (record := report.kernel_of(label)) is not None:
        screen.say(f"theorem in Coq: {record.place}, {record.how_checked}", indent=2)
    if rows[0].stated.finding:
        _show_finding(screen, rows)
    if variants := [row for row in report.claim_rows if row.label != label]:
        screen.print()
        suffixes = [row.label.removeprefix(label) for row in variants]
        _show_rows(screen, report, variants, {"claim": suffixes, "what it is": [row.name for row in variants]})
        if false := [row.label for row in variants if row.verdict_of_claim is Verdict.REFUTED]:
            stands = f"leaves the verdict on {rows[0].stated.number or label} as it is"
            what = "A refuted wording of the paper, or a reading stronger than it"
            screen.say(f"{what}, is a documented finding, and {stands}: costproof claims {false[0]}")


def _show_verdict(screen: Screen, report: VerifyReport, rows: Sequence[ClaimResult]) -> None:
    stated, verdict = rows[0].stated, report.claim_verdict(rows[0].label)
    named = f"{stated.label} ({f'{stated.number}: ' if stated.number else ''}{stated.name})"
    never = never_applies(stated.label) if verdict is Verdict.VACUOUS else ""
    said = f"{in_words_exactly(stated, verdict)}{f': {never}' if never else ''}"
    screen.say(f"{named} is {said}.", style=f"bold {STYLES[verdict]}")


def on_places(rows: Sequence[ClaimResult], informative: Mapping[str, int | None] = MappingProxyType({})) -> list[str]:
    """Return what was found on settings, and without one; what differs only in its numbers shares an entry.

    `informative` has, by setting, the horizon from which on the bound of the claim is below its trivial value.
    """
    alike: dict[tuple[str | None, ...], dict[str, str]] = {}
    for row in rows:
        for piece in row.evidence:
            if piece.kind != "certificate":
                text = _found(row, piece, informative.get(f"{row.setting}"))
                where = place_of_evidence(row.setting, piece.kind, piece.verdict)
                alike.setdefault((*besides_numbers(text), None if row.setting else where), {})[where] = text
    return [f"{first_of([*on], _PLACES)}: {with_ranges([*on.values()])}" for on in alike.values()]


def _found(row: ClaimResult, piece: Evidence, informative: int | None) -> str:
    """Return the verdict of a piece of evidence, and what a reader must know of it."""
    text = described(piece.verdict, piece.checked, piece.cited_ratio)
    if piece.verdict is Verdict.EXACT and piece.cited_ratio is not None:
        text += f", tightest {ratio_text(piece.cited_ratio)}"
    cited = [part for part in piece.parts if part.headline]
    if piece.verdict in SILENT:
        needed = next((str(part.horizon_needed) for part in cited if part.horizon_needed is not None), None)
        return f"{text}: {needed or next((part.reason for part in cited if part.reason), piece.reason)}"
    if piece.verdict is Verdict.REFUTED:
        violations = f"{counted(piece.violations, 'violation')} in {counted(piece.checked, 'comparison')}"
        return f"{text} ({violations}){', as documented' * bool(row.stated.finding)}"
    idle = next((part.against_trivial for part in cited if part.against_trivial), None)
    if any(part.could_fail for part in cited):
        which = "some" if informative is None else f"those from T = {informative:,} on"
        able = tightest_place(*(part.tightness.telling for part in cited))
        least = "the tightest could not" if able is None else f"the tightest of these {ratio_text(ratio_at(able))}"
        return f"{text}; {which} could fail{f', {least}' * (idle is not None)}"
    return f"{text}; could not fail: {idle}" if piece.could_fail is False and idle else text


def _show_claim(screen: Screen, report: VerifyReport, rows: Sequence[ClaimResult]) -> None:
    """Print a claim in full, with every piece of evidence."""
    stated = rows[0].stated
    screen.print()
    _show_verdict(screen, report, rows)
    if tightest := tightest_anywhere(rows):
        screen.say(tightest, indent=2)
    screen.say(f"{stated.wording}.", indent=2)
    for formula in stated.latex():
        screen.say(formula, indent=2, style="dim")
    facts = {
        "and without a formula": stated.without_formula if stated.latex() else (),
        STATED_UNDER: stated_under(stated),
        "tested only where": tuple(each.name for each in stated.assumptions),
        "note": (stated.note,) if stated.note else (),
    }
    for name, texts in facts.items():
        if texts:
            screen.say(f"{name}: {'; '.join(texts)}", indent=2)
    if stated.finding:
        _show_finding(screen, rows)
    show_evidence(screen, rows, _informative_from(report, rows[0].label))


def _show_finding(screen: Screen, rows: Sequence[ClaimResult]) -> None:
    stated = rows[0].stated
    here = [row.setting for row in rows if row.setting is not None and row.finding_shown]
    where = list(dict.fromkeys([*here, *finding_shown_on(stated.label)]))
    shown = f" (shown on {first_of(where, _PLACES)})" if where else ""
    screen.say(f"finding{shown}: {stated.finding}", indent=2, style="yellow")
    if stated.repaired_by:
        screen.say(f"what holds instead: {stated.repaired_by}", indent=2, style="dim")


def _show_untested(screen: Screen, report: VerifyReport) -> None:
    """Print one reason for every claim that could not be tested, and on how many settings it was so."""
    for rows in report.by_claim:
        verdict = report.verdict_here(rows[0].label)
        silent = [row for row in rows if row.setting is not None and row.verdict is verdict]
        if verdict not in SILENT or not silent:
            continue
        reasons = [piece.reason for row in silent for piece in row.evidence if piece.reason] or ["unknown reason"]
        reason = with_ranges([each for each in reasons if besides_numbers(each) == besides_numbers(reasons[0])])
        on = "" if len(report.settings) == 1 else f" on {counted(len(silent), 'setting')}"
        screen.say(f"{rows[0].label}: {WORDS[verdict]}{on}: {reason}", indent=2)


def _show_totals(screen: Screen, report: VerifyReport) -> None:
    """Print what was done, how many claims have each verdict, and what the verdicts mean."""
    ran, effort = report.ran, report.effort
    screen.print()
    screen.say(report.known_in_words)
    screen.say(
        f"{counted(ran['comparisons'], 'comparison')} on {counted(ran['episodes'], 'run')} ({ran['steps']:,} queries), "
        f"seed {report.seed}. Planned: {counted(effort.runs, 'truthful run')} of {effort.horizon:,} queries per "
        f"setting; one run each of Bayesian, deviating and combined bidders of {effort.variant_horizon:,}; "
        f"{counted(effort.instances, 'constructed instance')}.",
        style="dim",
    )
    own, here = (
        Counter(getattr(row, name) for row in report.claim_rows) for name in ("verdict_of_claim", "verdict_here")
    )
    columns = {"claims": "whole", "in general": "right", "on the settings": "right", "meaning": ""}
    rows: list[tuple[str | Text, ...]] = [
        (tinted(verdict, WORDS[verdict]), str(own[verdict]), str(here[verdict]), MEANING[verdict])
        for verdict in Verdict
        if own[verdict] or here[verdict]
    ]
    screen.table("", columns, rows + [("-", "0", str(here[None]), "needs no setting")] * bool(here[None]))
    show_where_checked(screen, [piece.proof.record for piece in report.certificates.values()])


def _informative_from(report: VerifyReport, label: str) -> dict[str, int | None]:
    """Return by setting the horizon from which on the bound of a claim is below its trivial value."""
    found = ((each.setting, bound) for each in report.guarantees for bound in each.bounds if bound.label == label)
    return {setting: bound.informative_from for setting, bound in found}


def _long_enough(report: VerifyReport, rows: Sequence[ClaimResult]) -> tuple[int | None, str | None]:
    """Return the shortest horizon at which a claim can be compared and fail, and on which setting; None if unknown."""
    informative = _informative_from(report, rows[0].label)
    horizons = {
        sufficient_horizon(piece, informative.get(f"{row.setting}")): row.setting
        for row in reversed(rows)
        for piece in row.evidence
    }
    enough = min((horizon for horizon in horizons if horizon is not None), default=None)
    return enough, horizons.get(enough)


def _show_next(screen: Screen, report: VerifyReport, asked: Sequence[str], one: str) -> None:
    """Suggest the violation, a longer run, what holds instead of a false claim, a theorem, or one claim."""
    again = " ".join(["costproof verify", *asked])
    labels = [rows[0].label for rows in report.by_claim]
    if report.refuted and one != report.refuted[0].label:
        screen.suggest(f"{again} --claim {report.refuted[0].label}", "the violation")
    elif one:
        rows = [row for row in report.results if row.label == one]
        enough, where = _long_enough(report, rows)
        if report.verdict_here(one) in SILENT and enough is not None:
            on = f" on {where}" if where else ""
            runs = f"one run of {enough:,} queries, in which it can fail{on}"
            named = again if asked or where is None else f"{again} {where}"
            screen.suggest(f"{named} --claim {one} --horizon {enough} --runs 1", runs)
        elif instead := rows[0].stated.repaired_by:
            screen.suggest(f"{again} --claim {instead}", "what holds instead")
        elif report.kernel_of(one) is not None:
            screen.suggest(f"costproof prove {one}", "the theorem (--all: every piece of evidence)")
        else:
            screen.suggest(f"{again} --claim {one} --all", "every piece of evidence")
    elif labels:
        example = next((label for label in (*report.asked, "thm:regret") if label in labels), labels[0])
        screen.suggest(f"{again} --claim {example}", "one claim (--all: all in full; --report FILE.html: a page)")
