"""Terminal view of what `verify` returns as JSON: the table of claims, one claim in full, findings, totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from proofs_checks.cli.views.console import console, number, table
from proofs_checks.verdict import MEANING, Verdict, overall

_STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.EXACT: "green",
    Verdict.NOT_REFUTED: "cyan",
    Verdict.REFUTED: "bold red",
    Verdict.VACUOUS: "yellow",
    Verdict.ASSUMPTION_VIOLATED: "magenta",
    Verdict.SKIPPED: "dim",
}

Row = Mapping[str, Any]


def show_verification(data: Mapping[str, Any], *, every_row: bool = False, in_full: bool = False) -> None:
    """Print the table of claims, or each claim in full.

    Parameters
    ----------
    data : mapping
        As `VerifyReport.to_data` returns it.
    every_row : bool, optional
        One table row for every claim and setting instead of one for every claim.
    in_full : bool, optional
        No table: statement, formulas, assumptions and every piece of evidence of each claim.
    """
    screen = console()
    groups = _by_label(data["claims"])
    if in_full:
        for rows in groups:
            _show_claim(screen, rows)
    else:
        _show_table(screen, data, groups, every_row)
    _show_findings(screen, groups)
    _show_totals(screen, data)


def _by_label(rows: Sequence[Row]) -> list[list[Row]]:
    labels = dict.fromkeys(row["label"] for row in rows)
    return [[row for row in rows if row["label"] == label] for label in labels]


def _show_table(screen: Console, data: Mapping[str, Any], groups: list[list[Row]], every_row: bool) -> None:
    title = f"Claims of the paper on {', '.join(data['settings'])} and on small random instances (seed {data['seed']})"
    columns = [("claim", "whole"), ("verdict", "whole"), ("comparisons", "right"), ("ratio", "right")]
    found = table(title, [*columns, ("what was tried, and what was not", "")])
    for rows in groups:
        if every_row:
            for row in rows:
                found.add_row(*_table_row(f"{row['label']}\n  {row['setting'] or 'any setting'}", [row]))
        else:
            found.add_row(*_table_row(rows[0]["label"], rows))
    screen.print(found)


def _table_row(head: str, rows: Sequence[Row]) -> tuple[str, str, str, str, str]:
    verdict = overall([Verdict(row["verdict"]) for row in rows])
    pieces = [piece for row in rows for piece in row["evidence"]]
    ratios = [piece["tightest_ratio"] for piece in pieces if piece["tightest_ratio"] is not None and piece["checked"]]
    checked = sum(piece["checked"] for piece in pieces)
    mark = marked(verdict) + ("\n[dim]documented[/]" if any(row["finding_shown"] for row in rows) else "")
    ratio = f"{max(ratios):.3f}" if ratios else "-"
    return escape(head), mark, f"{checked:,}" if checked else "-", ratio, escape(_tried(rows, pieces, verdict))


def marked(verdict: Verdict) -> str:
    """Return a verdict in its colour."""
    return f"[{_STYLES[verdict]}]{verdict.value}[/]"


def _tried(rows: Sequence[Row], pieces: Sequence[Row], verdict: Verdict) -> str:
    """Say in a line or two what the verdict rests on, and where the claim was not compared."""
    compared = [piece for piece in pieces if piece["checked"]]
    if not compared:
        return next((piece["reason"] for piece in pieces if piece["reason"]), "nothing was compared")
    settings = sum(piece["kind"] == "simulation" for piece in compared)
    parts = [f"simulated on {settings} setting{'s' * (settings > 1)}"] if settings else []
    parts += [piece["tried"] for piece in compared if piece["kind"] == "property"]
    parts += list(dict.fromkeys(piece["tried"] for piece in compared if piece["kind"] in ("exact", "certificate")))
    others = Counter(row["verdict"] for row in rows if row["verdict"] in ("VACUOUS", "ASSUMPTION_VIOLATED"))
    parts += [f"{kind} on {count} of {len(rows)}" for kind, count in others.items() if kind != verdict.value]
    never = set.intersection(*(set(piece["unexercised"]) for piece in compared))
    return "; ".join([*parts, *(f"never met: {part}" for part in sorted(never))])


def _show_claim(screen: Console, rows: Sequence[Row]) -> None:
    head = rows[0]
    screen.print(f"\n{head['label']}  {head['name']}", style="bold", markup=False)
    screen.print(f"  {head['statement']}.", markup=False)
    for formula in head["latex"]:
        screen.print(f"  {formula}", markup=False, style="dim", soft_wrap=True)
    if head["assumptions"]:
        screen.print(f"  assumes: {'; '.join(head['assumptions'])}", markup=False)
    if head["note"]:
        screen.print(f"  note: {head['note']}", markup=False)
    for row in rows:
        for piece in row["evidence"]:
            _show_evidence(screen, row["setting"] or "any setting", piece)


def _show_evidence(screen: Console, setting: str, piece: Row) -> None:
    verdict = Verdict(piece["verdict"])
    screen.print(f"  {escape(setting)}: {marked(verdict)} {escape(piece['kind'])}: {escape(piece['tried'])}")
    facts = [f"{piece['checked']:,} comparisons", f"{piece['violations']:,} violations"] if piece["checked"] else []
    if piece["tightest_ratio"] is not None:
        facts.append(f"ratio {piece['tightest_ratio']:.6g}")
    if piece["tightest_margin"] is not None:
        facts.append(f"smallest margin {piece['tightest_margin']:.6g}")
    facts += [piece["reason"]] if piece["reason"] else []
    facts += [f"never met: {part}" for part in piece["unexercised"]]
    if facts:
        screen.print(f"      {'; '.join(facts)}", markup=False, style="dim")
    if piece["where"]:
        screen.print(f"      tightest: {place(piece['where'])}", markup=False, style="dim")
    if piece["witness"]:
        screen.print(f"      witness ({piece['witness']['kind']}) in --json; replays", markup=False, style="dim")


def place(where: Row) -> str:
    """Return ``name value`` pairs of where an inequality is tightest."""
    return ", ".join(f"{k} {number(v) if isinstance(v, (int, float)) else v}" for k, v in where.items())


def _show_findings(screen: Console, groups: list[list[Row]]) -> None:
    shown = [rows for rows in groups if any(row["finding_shown"] for row in rows)]
    if not shown:
        return
    title = (
        "\nFindings: wording that is vacuous, too strong, or easily read too strongly (they do not count as refuted)"
    )
    screen.print(title, style="bold")
    for rows in shown:
        where = sorted({row["setting"] or "a small witness" for row in rows if row["finding_shown"]})
        screen.print(f"  {rows[0]['label']}: {rows[0]['documented_finding']}", markup=False)
        screen.print(f"      shown on: {', '.join(where)}", style="dim", markup=False)
        if rows[0]["repaired_by"]:
            screen.print(f"      see instead: {rows[0]['repaired_by']}", style="dim", markup=False)


def _show_totals(screen: Console, data: Mapping[str, Any]) -> None:
    ran, effort = data["ran"], data["effort"]
    screen.print(
        f"\n{ran['claims']} claims, {ran['results']} results, {ran['comparisons']:,} comparisons on "
        f"{ran['episodes']} episodes ({ran['steps']:,} queries). Planned: {effort['runs']} truthful run(s) of "
        f"{effort['horizon']:,} a setting, one run each of Bayesian, deviating and combined bidders of "
        f"{effort['variant_horizon']:,}, {effort['instances']} small instances.",
        markup=False,
    )
    screen.print("ratio: left over right side of 'left <= right', at its largest: 1 is attained, above 1 violated.")
    for verdict, count in data["counts"].items():
        if count:
            known = sum(row["verdict"] == verdict and bool(row["documented_finding"]) for row in data["claims"])
            aside = f" ({known} documented)" if verdict == Verdict.REFUTED else ""
            screen.print(f"  {marked(Verdict(verdict))} {count}{aside}: {MEANING[Verdict(verdict)]}")
    _show_conclusion(screen, data)


def _show_conclusion(screen: Console, data: Mapping[str, Any]) -> None:
    news = [row for row in data["claims"] if row["verdict"] == "REFUTED" and not row["documented_finding"]]
    for row in news:
        screen.print(
            f"REFUTED: {row['label']} on {row['setting'] or 'a small instance'}", style="bold red", markup=False
        )
        for piece in row["evidence"]:
            if piece["verdict"] == "REFUTED" and piece["where"]:
                screen.print(f"    {place(piece['where'])}", markup=False)
    ran = data["ran"]
    if ran["tasks_done"] < ran["tasks"]:
        text = f"Interrupted after {ran['tasks_done']} of {ran['tasks']} tasks: the table covers only those."
        screen.print(text, style="bold yellow")
    elif not news:
        text = "Nothing is refuted beyond the documented findings. That is no proof: see docs/limits.md."
        screen.print(text, style="bold")
