"""What `costproof check` prints: the table of checks, every failure with its script, totals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from proofs_checks.cli.views.console import console, table
from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.report.report import CheckResult, ConformanceReport
from proofs_checks.plurals import counted

_STYLES = {"passed": "green", "failed": "bold red", "expected_failure": "yellow", "skipped": "dim"}
#: Lines of a script beyond this are cut: a history of a thousand steps would bury everything else.
_LONGEST_LINE = 2_000
_CUT_LINE = 160


def list_checks(checks: Iterable[Check]) -> None:
    """Print what there is to check."""
    columns = {"check": "whole", "claim": "", "group": "whole", "says": ""}
    found = table("Checks, in the order in which they run", columns)
    for check in checks:
        found.add_row(check.name, check.claim, check.group, check.says)
    screen = console()
    screen.print(found)
    screen.print("--only NAME selects a check or a group; docs/check.md says what a pass does not mean.", style="dim")


def show_conformance(report: ConformanceReport) -> None:
    """Print the table of checks, every failure in full, and what the run amounts to."""
    screen = console()
    _show_table(screen, report)
    _show_failures(screen, [result for result in report.checks if result.status == "failed"])
    _show_totals(screen, report)
    _show_chance(screen, report)
    _show_conclusion(screen, report)


def _show_table(screen: Console, report: ConformanceReport) -> None:
    columns = {"check": "whole", "claim": "", "status": "whole", "comparisons": "right", "remark": ""}
    found = table(f"{report.mechanism} (seed {report.seed})", columns)
    for result in report.checks:
        status = Text(result.status.replace("_", " "), style=_STYLES[result.status])
        compared = f"{result.compared:,}" if result.compared else "-"
        found.add_row(result.name, result.claim, status, compared, result.message)
    screen.print(found)


def _show_failures(screen: Console, failed: Sequence[CheckResult]) -> None:
    """Print each failure once, however many checks came upon it."""
    for message in dict.fromkeys(result.message for result in failed):
        alike = [result for result in failed if result.message == message]
        checks = ", ".join(f"{result.name} ({result.claim})" for result in alike)
        screen.print(f"\nFAILED {checks}", style="bold red")
        _show_failure(screen, alike[0])


def _show_failure(screen: Console, result: CheckResult) -> None:
    screen.print(f"  says: {result.says}", style="dim")
    screen.print(f"  {result.message}")
    found = result.failure
    if found is None:
        return
    if found.exact:
        screen.print(f"  {found.exact}")
    if found.deviation:
        changed = ", ".join(f"{name} {value}" for name, value in found.deviation.items())
        screen.print(f"  compared with the same history, changed: {changed}")
    _show_script(screen, result.script)


def _show_script(screen: Console, script: str) -> None:
    """Print a script as it is: pasted into a file it must run, so nothing wraps, marks or indents it."""
    lines = script.rstrip("\n").split("\n")
    cut = any(len(line) > _LONGEST_LINE for line in lines)
    screen.print(f"  its script{', cut; --json holds it whole (key script)' if cut else ''}:\n")
    for line in lines:
        screen.out(_shortened(line), highlight=False)


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_CUT_LINE]} ...  # {len(line) - _CUT_LINE:,} characters are cut here: --json holds the script whole"


def _show_totals(screen: Console, report: ConformanceReport) -> None:
    passed, expected, skipped = (report.count(status) for status in ("passed", "expected_failure", "skipped"))
    effort = report.effort
    screen.print(
        f"\n{counted(report.generated, 'check')} generated, {report.ran} ran, {skipped} skipped: "
        f"{passed} passed, {report.failed} failed, {expected} failed as expected. "
        f"Seed {report.seed}, {effort['examples']} scenarios per family, {effort['draws']:,} draws."
    )
    if not report.time_limited:
        text = "The time limit on calls could not be enforced here: it needs Unix signals and the main thread."
        screen.print(text, style="yellow")


def _show_chance(screen: Console, report: ConformanceReport) -> None:
    """Print how often a right mechanism fails, and what the tests of draws find."""
    for power in dict.fromkeys(result.power for result in report.checks if result.power):
        names = ", ".join(result.name for result in report.checks if result.power == power)
        screen.print(f"  {names}: {power}", style="dim")
    text = "No test of randomness ran: a right mechanism does not fail by chance."
    if chance := report.false_alarm:
        text = f"A right mechanism fails this run with probability at most {chance:.2g}, over the choice of the seed."
    screen.print(text)


def _show_conclusion(screen: Console, report: ConformanceReport) -> None:
    missing = report.generated - report.ran
    if report.interrupted:
        text = f"Interrupted after {len(report.checks)} of {report.generated} checks: the table covers only those."
        style = "bold yellow"
    elif report.failed or missing:
        broken = "failed" if report.failed else "could not run or had nothing to compare"
        text, style = f"Does not conform: {counted(report.failed or missing, 'check')} {broken}.", "bold red"
    else:
        text, style = "No failure was found in what was tried. That is no proof: see docs/check.md.", "bold"
    screen.print(text, style=style)
