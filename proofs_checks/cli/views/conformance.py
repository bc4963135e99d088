"""Terminal view of what `check` returns as JSON: the table of checks, every failure with its script, totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from proofs_checks.cli.views.console import console, table
from proofs_checks.conformance.checks.check import Check
from proofs_checks.plurals import counted

_STYLES = {"passed": "green", "failed": "bold red", "expected_failure": "yellow", "skipped": "dim"}
#: Lines of a script beyond this are cut: a history of a thousand steps would bury everything else.
_LONGEST_LINE = 2_000
_CUT_LINE = 160

Row = Mapping[str, Any]


def list_checks(checks: Iterable[Check]) -> None:
    """Print what there is to check.

    Parameters
    ----------
    checks : iterable of Check
    """
    found = table(
        "Checks, in the order in which they run", [("check", "whole"), ("claim", ""), ("group", "whole"), ("says", "")]
    )
    for check in checks:
        found.add_row(check.name, escape(check.claim), check.group, escape(check.says))
    screen = console()
    screen.print(found)
    screen.print("--only NAME selects a check or a group; docs/check.md says what a pass does not mean.", style="dim")


def checks_as_markdown(checks: Iterable[Check]) -> str:
    """Return the table of checks for the documentation.

    Parameters
    ----------
    checks : iterable of Check

    Examples
    --------
    >>> from proofs_checks.conformance.checks.contract import CONTRACT_CHECKS
    >>> checks_as_markdown(CONTRACT_CHECKS[-1:]).splitlines()[-1]
    '| `independent-instances` | contract | `alg:platform` | instances share no state |'
    """
    rows = [
        f"| `{check.name}` | {check.group} | `{check.claim}` | {check.says.replace('|', '/')} |" for check in checks
    ]
    return "\n".join(["| check | group | claim | says |", "|---|---|---|---|", *rows]) + "\n"


def show_conformance(data: Mapping[str, Any]) -> None:
    """Print the table of checks, every failure in full, and what the run amounts to.

    Parameters
    ----------
    data : mapping
        As `ConformanceReport.to_data` returns it.
    """
    screen = console()
    _show_table(screen, data)
    _show_failures(screen, [row for row in data["checks"] if row["status"] == "failed"])
    _show_totals(screen, data)
    _show_chance(screen, data)
    _show_conclusion(screen, data)


def _show_table(screen: Console, data: Mapping[str, Any]) -> None:
    columns = [("check", "whole"), ("claim", ""), ("status", "whole"), ("comparisons", "right"), ("remark", "")]
    found = table(escape(f"{data['mechanism']} (seed {data['seed']})"), columns)
    for row in data["checks"]:
        status = Text(row["status"].replace("_", " "), style=_STYLES[row["status"]])
        compared = f"{row['compared']:,}" if row["compared"] else "-"
        found.add_row(Text(row["name"]), Text(row["claim"]), status, compared, Text(row["message"]))
    screen.print(found)


def _show_failures(screen: Console, failed: Sequence[Row]) -> None:
    """Print each failure once, however many checks came upon it."""
    for message in dict.fromkeys(row["message"] for row in failed):
        rows = [row for row in failed if row["message"] == message]
        checks = ", ".join(f"{row['name']} ({row['claim']})" for row in rows)
        screen.print(Text(f"\nFAILED {checks}", style="bold red"))
        _show_failure(screen, rows[0])


def _show_failure(screen: Console, row: Row) -> None:
    screen.print(Text(f"  says: {row['says']}", style="dim"))
    screen.print(Text(f"  {row['message']}"))
    found = row["counterexample"]
    if found is None:
        return
    if found["exact"]:
        screen.print(Text(f"  {found['exact']}"))
    if found["deviation"]:
        changed = ", ".join(f"{name} {value}" for name, value in found["deviation"].items())
        screen.print(Text(f"  compared with the same history, changed: {changed}"))
    _show_script(screen, row["script"])


def _show_script(screen: Console, script: str) -> None:
    """Print a script as it is: pasted into a file it must run, so nothing wraps, marks or indents it."""
    lines = script.rstrip("\n").split("\n")
    cut = [line for line in lines if len(line) > _LONGEST_LINE]
    if cut:
        screen.print(Text("  its script, cut; --json holds it whole (key script):\n"))
    else:
        screen.print(Text("  its script:\n"))
    for line in lines:
        screen.out(_shortened(line), highlight=False)


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_CUT_LINE]} ...  # {len(line) - _CUT_LINE:,} characters are cut here: --json holds the script whole"


def _show_totals(screen: Console, data: Mapping[str, Any]) -> None:
    passed = data["ran"] - data["failed"] - data["expected_failures"]
    effort = data["effort"]
    screen.print(
        Text(
            f"\n{counted(data['generated'], 'check')} generated, {data['ran']} ran, {data['skipped']} skipped: "
            f"{passed} passed, {data['failed']} failed, {data['expected_failures']} failed as expected. "
            f"Seed {data['seed']}, {effort['examples']} scenarios a family, {effort['draws']:,} draws."
        )
    )
    if not data["time_limited"]:
        text = "The time limit on calls could not be enforced here: it needs Unix signals and the main thread."
        screen.print(Text(text, style="yellow"))


def _show_chance(screen: Console, data: Mapping[str, Any]) -> None:
    """Print how often a right mechanism fails, and what the tests of draws find."""
    for power in dict.fromkeys(row["power"] for row in data["checks"] if row["power"]):
        names = ", ".join(row["name"] for row in data["checks"] if row["power"] == power)
        screen.print(Text(f"  {names}: {power}", style="dim"))
    chance = data["false_alarm"]
    if chance:
        text = f"A right mechanism fails this run with probability at most {chance:.2g}, over the choice of the seed."
    else:
        text = "No test of randomness ran: a right mechanism does not fail by chance."
    screen.print(Text(text))


def _show_conclusion(screen: Console, data: Mapping[str, Any]) -> None:
    missing = data["generated"] - data["ran"]
    if data["interrupted"]:
        text = f"Interrupted after {len(data['checks'])} of {data['generated']} checks: the table covers only those."
        screen.print(Text(text, style="bold yellow"))
    elif data["failed"]:
        screen.print(Text(f"Does not conform: {counted(data['failed'], 'check')} failed.", style="bold red"))
    elif missing:
        text = f"Does not conform: {counted(missing, 'check')} could not run or had nothing to compare."
        screen.print(Text(text, style="bold red"))
    else:
        text = "No failure was found in what was tried. That is no proof: see docs/check.md."
        screen.print(Text(text, style="bold"))
