"""Terminal view of what `audit` returns as JSON: rules, first violations, claims, diagnosis, and what a log hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from proofs_checks.cli.views.audit_claims import documented, show_claims
from proofs_checks.cli.views.console import console, number, table
from proofs_checks.cli.views.verification import marked
from proofs_checks.plurals import counted
from proofs_checks.verdict import MEANING, Verdict

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
    _show_outside(screen, data)
    _show_violations(screen, data)
    _show_diagnosis(screen, data)
    screen.print()
    show_claims(screen, data["claims"], every_row=every_row)
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


def _show_outside(screen: Console, data: Mapping[str, Any]) -> None:
    for name, amounts in data["outside_range"].items():
        if number := amounts["steps"]:
            lie = "lies" if number == 1 else "lie"
            text = f"{counted(number, name)} {lie} outside [0, {data['cost_bound']:g}], the first at step "
            text += f"{amounts['first_step']:,}: the paper has bids and costs in [0, c_max] only."
            screen.print(text, markup=False, style="bold red")


def _show_violations(screen: Console, data: Mapping[str, Any]) -> None:
    shown = data["violations"][:_SHOWN]
    total = sum(data["violation_counts"].values())
    if not shown:
        return
    columns = [("step", "right"), ("rule", "whole"), ("expected", ""), ("found", "")]
    found = table(_title(shown, total, data["violating_steps"]), columns)
    for violation in shown:
        found.add_row(
            number(violation["step"]), violation["rule"], _told(violation["expected"]), _told(violation["found"])
        )
    screen.print(found)
    if len(shown) < len(data["violations"]):
        screen.print(f"--json lists {len(data['violations']):,} of them.", style="dim")


def _title(shown: Sequence[object], total: int, steps: int) -> str:
    first = "" if len(shown) == total else f"The first {len(shown)} of "
    return f"{first}{counted(total, 'violation')} at {counted(steps, 'step')}"


def _told(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.12g}"


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
    known = [row for row in data["claims"] if documented(row)]
    for verdict, count in Counter(row["verdict"] for row in data["claims"]).items():
        # A log has no witness to replay: the place is what it shows.
        meaning = "violated on this log" if verdict == Verdict.REFUTED else MEANING[Verdict(verdict)]
        told = f" ({len(known)} documented)" if verdict == Verdict.REFUTED else ""
        screen.print(f"  {marked(Verdict(verdict))} {count}{told}: {meaning}")
    for row in known:
        text = f"  documented finding, no fault of the log: {row['label']}: {row['documented_finding']}"
        screen.print(text, markup=False, style="dim")
    if data["undecided"]:
        steps = counted(data["undecided"], "step")
        text = f"At {steps} rounding decides who is eligible or under-sampled: either was accepted."
        screen.print(text, markup=False)
    if data["tolerance"]:
        screen.print(f"Logged money was taken to be within {data['tolerance']:g} of the true amounts.", markup=False)
    if data["interrupted"]:
        text = f"Interrupted: only the first {data['steps']:,} steps were audited."
        screen.print(text, style="bold yellow")
    if data["passed"]:
        beyond = " beyond the documented findings" if known else ""
        screen.print(
            f"No rule is broken and no claim refuted{beyond}. That is no proof. The log cannot show:", style="bold"
        )
    else:
        screen.print(f"{_failing(data)}. Beyond that, the log cannot show:", style="bold red")
    for hidden in data["not_visible_in_a_log"]:
        screen.print(f"  - {hidden}", markup=False)


def _failing(data: Mapping[str, Any]) -> str:
    """Return why an audit does not pass."""
    refuted = any(row["verdict"] == Verdict.REFUTED and not documented(row) for row in data["claims"])
    outside = [f"{name}s" for name, amounts in data["outside_range"].items() if amounts["steps"]]
    found = ["rules are broken"] if data["violating_steps"] else []
    found += ["claims are refuted"] if refuted else []
    found += [f"{' and '.join(outside)} lie outside [0, c_max]"] if outside else []
    told = ", and ".join(found)
    return told[:1].upper() + told[1:]
