"""What `costproof verify` prints: the table of claims, one claim in full, findings, totals; and its HTML page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.console import Console
from rich.text import Text

from mechanism.versions import versions
from proofs_checks.cli.views.console import CLAIM_COLUMNS, RATIO, console, marked, place, standing, table
from proofs_checks.plurals import counted
from proofs_checks.verdict import MEANING, Evidence, Verdict, differ, overall
from proofs_checks.verify.run import ClaimResult, VerifyReport


def render_report(report: VerifyReport) -> str:
    """Return a report as an HTML page that needs nothing else."""
    environment = Environment(
        loader=PackageLoader("proofs_checks.cli.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda value: json.dumps(value, indent=1, ensure_ascii=False)
    return environment.get_template("report.html").render(report=report, meaning=MEANING, versions=versions())


def show_verification(report: VerifyReport, *, every_row: bool = False, in_full: bool = False) -> None:
    """Print the table of claims, one row for every claim; with `every_row`, one for every claim and setting.

    With `in_full`, no table: statement, formulas, assumptions and every piece of evidence of each claim.
    """
    screen = console()
    if in_full:
        for rows in report.by_claim:
            _show_claim(screen, rows)
    else:
        _show_table(screen, report, every_row)
    _show_findings(screen, report)
    _show_totals(screen, report)


def _show_table(screen: Console, report: VerifyReport, every_row: bool) -> None:
    title = f"Claims of the paper on {', '.join(report.settings)} and on small instances (seed {report.seed})"
    found = table(title, CLAIM_COLUMNS | {"what was tried, and what was not": ""})
    for rows in report.by_claim:
        if every_row:
            for row in rows:
                found.add_row(*_table_row(f"{row.label}\n  {row.setting or 'any setting'}", [row]))
        else:
            found.add_row(*_table_row(rows[0].label, rows))
    screen.print(found)


def _table_row(head: str, rows: Sequence[ClaimResult]) -> tuple[str | Text, ...]:
    verdict = overall([row.verdict for row in rows])
    pieces = [piece for row in rows for piece in row.evidence]
    ratios = [piece.tightest_ratio for piece in pieces if piece.tightest_ratio is not None and piece.compared]
    checked = sum(piece.checked for piece in pieces)
    cells = standing(verdict, checked, max(ratios, default=None), documented=any(row.shows_finding for row in rows))
    return head, *cells, _tried(rows, pieces, verdict)


def _tried(rows: Sequence[ClaimResult], pieces: Sequence[Evidence], verdict: Verdict) -> str:
    """Say in a line or two what the verdict rests on, and where the claim was not compared."""
    compared = [piece for piece in pieces if piece.compared]
    if not compared:
        return next((piece.reason for piece in pieces if piece.reason), "nothing was compared")
    settings = sum(piece.kind == "simulation" for piece in compared)
    parts = [f"simulated on {counted(settings, 'setting')}"] if settings else []
    parts += [piece.tried for piece in compared if piece.kind == "property"]
    parts += list(dict.fromkeys(piece.tried for piece in compared if piece.kind in ("exact", "certificate")))
    others = Counter(row.verdict for row in rows if row.verdict in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED))
    parts += [f"{kind} on {count} of {len(rows)}" for kind, count in others.items() if kind != verdict]
    missed = dict.fromkeys(name for piece in pieces if not piece.compared for name in _missed_headlines(piece))
    parts += [f"not compared there: {_first_of(list(missed))}"] if missed else []
    parts += [piece.reason for piece in compared if piece.reason and piece.verdict is Verdict.NOT_REFUTED]
    never = [set(piece.unexercised) for piece in compared if piece.parts]
    met_nowhere = sorted(set.intersection(*never)) if never else []
    return "; ".join(dict.fromkeys([*parts, *(f"never met: {part}" for part in met_nowhere)]))


def _missed_headlines(piece: Evidence) -> tuple[str, ...]:
    """Return what a statement is cited for and was not compared where others of its parts were."""
    return tuple(part.name for part in piece.parts if part.headline and not part.checked) if piece.checked else ()


def _first_of(names: Sequence[str], shown: int = 2) -> str:
    more = f" and {len(names) - shown} more parts" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def _show_claim(screen: Console, rows: Sequence[ClaimResult]) -> None:
    stated = rows[0].stated
    number = f"{stated.number}  " if stated.number else ""
    screen.print(f"\n{stated.label}  {number}{stated.name}", style="bold")
    screen.print(f"  {stated.statement}.")
    for formula in stated.latex():
        screen.print(f"  {formula}", style="dim", soft_wrap=True)
    if stated.preconditions:
        screen.print(f"  assumes: {'; '.join(p.name for p in stated.preconditions)}")
    if stated.note:
        screen.print(f"  note: {stated.note}")
    for row in rows:
        for piece in row.evidence:
            _show_evidence(screen, row.setting or "any setting", piece)


def _show_evidence(screen: Console, setting: str, piece: Evidence) -> None:
    screen.print(marked(piece.verdict, f"  {setting}: ", f" {piece.kind}: {piece.tried}"))
    facts = [f"{piece.checked:,} comparisons", f"{piece.violations:,} violations"] if piece.checked else []
    if piece.tightest_ratio is not None:
        facts.append(f"ratio {piece.tightest_ratio:.6g}")
    if piece.tightest_margin is not None:
        facts.append(f"smallest margin {piece.tightest_margin:.6g}")
    facts += [piece.reason] if piece.reason else []
    if facts:
        screen.print(f"      {'; '.join(facts)}", style="dim")
    for part in piece.parts if differ(piece.parts) else ():
        cited = "" if part.headline else " (not what it is cited for)"
        ratio = "" if part.tightest_ratio is None else f", ratio {part.tightest_ratio:.6g}"
        screen.print(marked(part.verdict, "      ", f" {part.name}{cited}: {part.checked:,} comparisons{ratio}"))
    if piece.where:
        screen.print(f"      tightest: {place(piece.where)}", style="dim")
    if piece.witness:
        screen.print(f"      witness ({piece.witness['kind']}) in --json; replays", style="dim")


def _show_findings(screen: Console, report: VerifyReport) -> None:
    shown = [rows for rows in report.by_claim if any(row.shows_finding for row in rows)]
    if not shown:
        return
    title = "Findings: wording that is vacuous, too strong, or easily read too strongly (they do not count as refuted)"
    screen.print(f"\n{title}", style="bold")
    for rows in shown:
        stated = rows[0].stated
        where = sorted({row.setting or "a small witness" for row in rows if row.shows_finding})
        screen.print(f"  {stated.label}: {stated.finding}")
        screen.print(f"      shown on: {', '.join(where)}", style="dim")
        if stated.repaired_by:
            screen.print(f"      see instead: {stated.repaired_by}", style="dim")


def _show_totals(screen: Console, report: VerifyReport) -> None:
    ran, effort = report.ran, report.effort
    screen.print(
        f"\n{ran['claims']} claims, {ran['results']} results, {ran['comparisons']:,} comparisons on "
        f"{ran['episodes']} episodes ({ran['steps']:,} queries). Planned: {effort.runs} truthful run(s) of "
        f"{effort.horizon:,} per setting, one run each of Bayesian, deviating and combined bidders of "
        f"{effort.variant_horizon:,}, {effort.instances} small instances."
    )
    screen.print(RATIO)
    known = sum(row.verdict is Verdict.REFUTED and not row.counts_as_refuted for row in report.results)
    for verdict, count in report.counts.items():
        if count:
            aside = f" ({known} documented)" if verdict is Verdict.REFUTED else ""
            screen.print(marked(verdict, "  ", f" {count}{aside}: {MEANING[verdict]}"))
    _show_conclusion(screen, report)


def _show_conclusion(screen: Console, report: VerifyReport) -> None:
    for row in report.refuted:
        screen.print(f"REFUTED: {row.label} on {row.setting or 'a small instance'}", style="bold red")
        for piece in row.evidence:
            if piece.verdict is Verdict.REFUTED and piece.where:
                screen.print(f"    {place(piece.where)}")
    if report.interrupted:
        done = f"Interrupted after {report.ran['tasks_done']} of {report.ran['tasks']} tasks"
        screen.print(f"{done}: the table covers only those.", style="bold yellow")
    elif not report.refuted:
        text = "Nothing is refuted beyond the documented findings. That is no proof: see docs/limits.md."
        screen.print(text, style="bold")
