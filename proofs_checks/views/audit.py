"""Terminal view of what `audit` returns as JSON: rules, first violations, claims, diagnosis, and what a log hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from proofs_checks.verdict import MEANING, Verdict
from proofs_checks.views.console import console, number, table
from proofs_checks.views.verification import marked, place

#: Violations that are shown; `--json` lists more.
_SHOWN = 10


def show_audit(data: Mapping[str, Any], *, every_row: bool = False) -> None:
    """Print an audit.

    Parameters
    ----------
    data : mapping
        As `AuditReport.to_data` returns it.
    every_row : bool, optional
        Also the claims that do not apply.
    """
    screen = console()
    _show_rules(screen, data)
    _show_violations(screen, data)
    _show_claims(screen, data["claims"], every_row)
    _show_diagnosis(screen, data)
    _show_conclusion(screen, data)


def _show_rules(screen: Console, data: Mapping[str, Any]) -> None:
    title = f"{data['trace']}: {data['steps']:,} steps against the rules of setting {data['setting']}"
    columns = [("rule", "whole"), ("paper", "whole"), ("applies to steps", "right"), ("broken", "right")]
    found = table(escape(title), [*columns, ("first at step", "right")])
    for rule, row in data["rules"].items():
        style = "bold red" if row["broken"] else None
        found.add_row(
            rule, row["label"], number(row["steps"]), number(row["broken"]), number(row["first_step"]), style=style
        )
    screen.print(found)


def _show_violations(screen: Console, data: Mapping[str, Any]) -> None:
    shown = data["violations"][:_SHOWN]
    total = sum(data["violation_counts"].values())
    if not shown:
        return
    columns = [("step", "right"), ("rule", "whole"), ("expected", ""), ("found", "")]
    found = table(f"The first of {total:,} violations at {data['violating_steps']:,} steps", columns)
    for violation in shown:
        found.add_row(
            number(violation["step"]), violation["rule"], _told(violation["expected"]), _told(violation["found"])
        )
    screen.print(found)
    if len(shown) < len(data["violations"]):
        screen.print(f"--json lists {len(data['violations']):,} of them.", style="dim")


def _told(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.12g}"


def _show_claims(screen: Console, claims: Sequence[Mapping[str, Any]], every_row: bool) -> None:
    columns = [("claim", "whole"), ("verdict", "whole"), ("comparisons", "right"), ("ratio", "right"), ("remark", "")]
    found = table("Claims on this log", columns)
    for row in claims:
        if not every_row and _inapplicable(row):
            continue
        documented = "\n[dim]documented[/]" if _documented(row) else ""
        ratio = "-" if row["tightest_ratio"] is None else f"{row['tightest_ratio']:.3f}"
        compared = f"{row['checked']:,}" if row["checked"] else "-"
        mark = marked(Verdict(row["verdict"])) + documented
        found.add_row(escape(row["label"]), mark, compared, ratio, escape(_remark(row)))
    if found.row_count:
        screen.print(found)
    screen.print("ratio: left over right side of 'left <= right', at its largest: 1 is attained, above 1 violated.")
    left_out = [] if every_row else [row for row in claims if _inapplicable(row)]
    if left_out:
        reasons = Counter(row["reason"].split(":")[0] for row in left_out)
        told = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
        more = f"; {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
        text = f"{len(left_out)} claims do not apply here: {told}{more}. --all lists them."
        screen.print(text, markup=False)


def _inapplicable(row: Mapping[str, Any]) -> bool:
    """Whether a claim says nothing about the setting or the log, and nothing of it was compared."""
    if row["verdict"] not in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED) or not row["reason"]:
        return False
    # An assumption that fails at a step is news about the log.
    return not row["checked"] and row["compared_until"] is None and "at step" not in row["reason"]


def _documented(row: Mapping[str, Any]) -> bool:
    return bool(row["verdict"] == Verdict.REFUTED and row["documented_finding"])


def _remark(row: Mapping[str, Any]) -> str:
    parts = [row["reason"]] if row["reason"] else []
    before = row["compared_before"]
    if before:
        ratio = "" if before["ratio"] is None else f", ratio {before['ratio']:.3f}"
        parts.append(
            f"up to step {row['compared_until']:,}: {before['checked']:,} comparisons, "
            f"{before['violations']:,} violations{ratio}"
        )
    if row["verdict"] == Verdict.REFUTED:
        parts.append(f"{row['violations']:,} violations")
        parts += [f"worst: {place(row['where'])}"] if row["where"] else []
    parts += [f"never met: {part}" for part in row["unexercised"]] if row["verdict"] == Verdict.NOT_REFUTED else []
    return "; ".join(parts)


def _show_diagnosis(screen: Console, data: Mapping[str, Any]) -> None:
    if not data["violations"] and not data["violating_steps"]:
        return
    screen.print("\nWhat the violations are consistent with", style="bold")
    if not data["diagnosis"]:
        screen.print("  None of the explanations that were tried.", markup=False)
    for hypothesis in data["diagnosis"]:
        screen.print(f"  {hypothesis['hypothesis']}: {hypothesis['text']}", markup=False)
        screen.print(f"      explains {hypothesis['explains']}", markup=False, style="dim")


def _show_conclusion(screen: Console, data: Mapping[str, Any]) -> None:
    screen.print()
    documented = [row for row in data["claims"] if _documented(row)]
    for verdict, count in Counter(row["verdict"] for row in data["claims"]).items():
        # A log has no witness to replay: the place is what it shows.
        meaning = "violated on this log" if verdict == Verdict.REFUTED else MEANING[Verdict(verdict)]
        known = f" ({len(documented)} documented)" if verdict == Verdict.REFUTED else ""
        screen.print(f"  {marked(Verdict(verdict))} {count}{known}: {meaning}")
    for row in documented:
        text = f"  documented finding, no fault of the log: {row['label']}: {row['documented_finding']}"
        screen.print(text, markup=False, style="dim")
    if data["undecided"]:
        screen.print(f"At {data['undecided']:,} steps rounding decides who is eligible or under-sampled: either was "
                     "accepted.", markup=False)  # fmt: skip
    if data["tolerance"]:
        screen.print(f"Logged money was taken to be within {data['tolerance']:g} of the true amounts.", markup=False)
    if data["interrupted"]:
        text = f"Interrupted: only the first {data['steps']:,} steps were audited."
        screen.print(text, style="bold yellow")
    if data["passed"]:
        beyond = " beyond the documented findings" if documented else ""
        screen.print(f"No rule is broken and no claim refuted{beyond}. That is no proof. The log cannot show:",
                     style="bold")  # fmt: skip
    else:
        screen.print("Rules are broken or claims refuted. Beyond that, the log cannot show:", style="bold red")
    for hidden in data["not_visible_in_a_log"]:
        screen.print(f"  - {hidden}", markup=False)
