"""What `costproof check` prints: what failed and where to start, the numbers that decide, a script, totals."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from bounds.words import counted
from proofs_checks.cli.output import brief
from proofs_checks.cli.views.console import console, show, table
from proofs_checks.conformance.play.calls import NO_TICKETS
from proofs_checks.conformance.report.deciding_table import COLUMNS, deciding_legend, deciding_rows
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckResult, ConformanceReport
from proofs_checks.conformance.report.step_kinds import step_kinds
from proofs_checks.diagnosis.mechanism_causes import MECHANISM_CAUSES

_STYLES = {"passed": "green", "failed": "bold red", "expected_failure": "yellow", "skipped": "dim"}
#: Lines of a script beyond this are cut: a history of a thousand steps would bury everything else.
_LONGEST_LINE = 2_000
_CUT_LINE = 160
#: What was found is not cut to less than this: on a narrow screen it takes more lines.
_SHORTEST = 40
#: In the table: so many lines a cell, and so many digits a number.
_LINES_OF_CELL = 3
_DIGITS_OF_CELL = 6
_LONG_DECIMAL = re.compile(r"\d+\.\d{5,}(?:e[+-]?\d+)?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_NAME_OF_RULE = re.compile(r" \(rule [\w-]+\)")


def show_conformance(
    report: ConformanceReport,
    *,
    scripts: bool = False,
    every: bool = False,
    options: Sequence[str] = (),
    script_file: str | None = None,
) -> None:
    """Print what failed and where to start, then the numbers that decide, a script, and what to try next.

    Parameters
    ----------
    report : ConformanceReport
    scripts : bool, optional
        Whether to print the script of every failure; by default of the one that names the defect best.
    every : bool, optional
        Whether to list the checks that passed, too, and messages in full.
    options : sequence of str, optional
        What else the caller asked for, for the command that is suggested next, as ``["--quick"]``.
    script_file : str, optional
        Where the script of the first failure was written.
    """
    screen = console()
    _show_headline(screen, report)
    _show_table(screen, report, every=every)
    first = report.first
    if first is not None:
        _show_first(screen, report, first)
        failed = [result for result in report.checks if result.status == "failed"]
        _show_scripts(screen, failed if scripts else [first])
    _show_totals(screen, report)
    if every or first is None:
        _show_chance(screen, report)
    if first is not None:
        _show_next(screen, report, first, options, script_file)
        _show_more(screen, first, scripts=scripts, every=every, written=script_file is not None)


def _show_headline(screen: Console, report: ConformanceReport) -> None:
    """Print what the run amounts to, in words that a person would say."""
    missing = report.generated - report.ran - report.not_offered
    if report.interrupted:
        text = f"Interrupted after {len(report.checks)} of {report.generated} checks: what follows covers only those."
        screen.print(text, style="bold yellow")
    if report.failed:
        screen.print(report.headline, style="bold red")
        if ended := _broken_off([check for check in report.checks if check.status == "passed"]):
            text = f"Of the checks that passed, {ended}: they say nothing of what comes after it."
            screen.print(text, style="yellow")
    elif missing and not report.interrupted:
        within = _within(report)
        text = f"{missing} of {counted(report.generated, 'check')} could not run or had nothing to compare{within}."
        screen.print(text, style="bold red")
    elif not report.interrupted:
        ran = f"{report.mechanism}: {counted(report.ran, 'check')} ran"
        expected = report.count("expected_failure")
        besides = f" besides the {expected} expected" if expected else ""
        within = _within(report)
        tried = f"{ran}, and no failure{besides} was found in what was tried{within}."
        screen.print(f"{tried} That is no proof: `costproof docs what-a-pass-means`.", style="bold")


def _within(report: ConformanceReport) -> str:
    """Return what scenarios were played with, where that is not everything."""
    late = f" with queries in flight ({report.in_flight})" if report.in_flight is not None else ""
    return f"{late} within the domain ({report.domain})" if report.domain else late


def _show_table(screen: Console, report: ConformanceReport, *, every: bool) -> None:
    """Print one line per check that did not pass, the telling one first; `every` shows all, in full."""
    shown = [result for result in report.checks if every or result.status != "passed"]
    shown.sort(key=lambda result: (result is not report.first, result.status == "passed"))
    if not shown:
        return
    not_run = () if every else report.not_run
    shown = [result for result in shown if result not in not_run]
    columns = {"check": "whole", "status": "whole", "what was found": ""}
    found = table(f"{report.mechanism} (seed {report.seed})", columns)
    taken = max(len(result.name) for result in shown) + max(len(result.status) for result in shown)
    room = max(screen.width - taken - 8, _SHORTEST)
    for result in shown:
        status = Text(result.status.replace("_", " "), style=_STYLES[result.status])
        told = _compared(result) if result.status == "passed" else result.said
        found.add_row(result.name, status, told if every else _cell(told, room))
    if not_run:
        others = counted(len(not_run), "other")
        found.add_row(others, Text("skipped", style=_STYLES["skipped"]), not_run[0].message)
    show(screen, found)


def _cell(said: str, width: int) -> str:
    """Return what a check says in few lines: the printed step below the table has all digits and names the rule.

    Examples
    --------
    >>> _cell("step 4: paid 0.5, expected 0.850250632942 (rule critical-payment): no cap", 40)
    'step 4: paid 0.5, expected 0.850251: no cap'
    """
    return _one_line(_rounded_apart(_NAME_OF_RULE.sub("", said)), _LINES_OF_CELL * width)


def _rounded_apart(text: str) -> str:
    """Return a text with its long decimals rounded, unless two of its numbers would become one.

    Examples
    --------
    >>> _rounded_apart("paid 0.850250632942, expected 1.700501265884")
    'paid 0.850251, expected 1.7005'
    >>> _rounded_apart("paid 0.850250632942, expected 0.850250661850")
    'paid 0.850250632942, expected 0.850250661850'
    >>> _rounded_apart("paid 0.5000005, expected 0.5")
    'paid 0.5000005, expected 0.5'
    """
    rounded = _LONG_DECIMAL.sub(lambda found: f"{float(found.group()):.{_DIGITS_OF_CELL}g}", text)
    before, after = (set(map(float, _NUMBER.findall(each))) for each in (text, rounded))
    return text if len(after) < len(before) else rounded


def _compared(result: CheckResult) -> str:
    """Return how much a check that passed has compared, and what it had to leave out."""
    left_out = [
        f"{counted(result.discarded, 'scenario')} outside the domain" if result.discarded else "",
        _broken_off([result]),
    ]
    return "; ".join([f"{result.compared:,} comparisons", *filter(None, left_out)])


def _broken_off(results: Sequence[CheckResult]) -> str:
    """Return in how many scenarios of some checks the mechanism failed to answer; empty if in none."""
    broken_off, played = (sum(getattr(each, name) for each in results) for name in ("broken_off", "examples"))
    return f"{broken_off:,} of {counted(played, 'scenario')} ended in an error" if broken_off else ""


def _one_line(text: str, room: int) -> str:
    """Return a text cut between words where it is longer than the room for it."""
    return text if len(text) <= room else textwrap.shorten(text, room, placeholder=" ...")


def _show_first(screen: Console, report: ConformanceReport, first: CheckResult) -> None:
    """Print what the telling check says, what was expected and found, and the numbers that decide the step."""
    screen.print(f"\n{first.name} ({first.claim}): {first.says}.", style="bold")
    screen.print(brief(f"  {first.message}"))
    failure = first.failure
    if failure is None:
        return
    if failure.exact:
        screen.print(f"  {failure.exact}")
    if failure.deviation:
        screen.print(f"  {_changed(failure.deviation, failure.expected, failure.found)}")
    if report.explanation is not None and report.explains(first):
        screen.print(f"  {report.explanation.told}")
    # A mechanism that does not come back from a restart gives no answer to set beside the right one.
    if not failure.misbehaviour and failure.found is not None and failure.standings():
        _show_standings(screen, failure)


def _changed(deviation: Mapping[str, Any], expected: object = None, found: object = None) -> str:
    """Return which bid was replaced in the history that is compared, and what came of it.

    Of an answer, a provider and a payment, `expected` is what the first history gave and `found` what the other did.

    Examples
    --------
    >>> _changed({"step": 2, "provider": 1, "bid": 0.5, "wins": True, "payment": 0.75})
    'Compared with the same history in which provider 1 leaves the bid 0.5 at step 2: it then serves, for 0.75.'
    >>> _changed({"step": 2, "provider": 1, "bid": 0.5, "wins": False, "payment": 0.75}, [0, 0.5], [0, 0.75])[-80:]
    'at step 2: it serves in neither; what provider 0 is paid moves from 0.5 to 0.75.'
    """
    told = (
        f"Compared with the same history in which provider {deviation['provider']} leaves the bid "
        f"{deviation['bid']:.12g} at step {deviation['step']}"
    )
    if "wins" not in deviation:
        return f"{told}."
    answers = [each for each in (expected, found) if isinstance(each, list) and len(each) == 2]
    if len(answers) == 2 and deviation["provider"] not in (answers[0][0], answers[1][0]):
        (before, paid_before), (after, paid_after) = answers
        moved = f"what provider {after} is paid moves from {paid_before:.12g} to {paid_after:.12g}"
        if before != after:
            moved = f"provider {before} serves in the first, provider {after} in the other"
        return f"{told}: it serves in neither; {moved}."
    paid = f", for {deviation['payment']:.12g}" if "payment" in deviation else ""
    return f"{told}: it then serves{paid}." if deviation["wins"] else f"{told}: it then does not serve."


def _show_standings(screen: Console, failure: Failure) -> None:
    """Print the numbers that decide a step, per provider."""
    found = table(_title(failure), dict.fromkeys(COLUMNS, "right"))
    for cells in deciding_rows(failure):
        found.add_row(*cells)
    show(screen, found)
    screen.print(deciding_legend(failure), style="dim")
    if failure.deciding:
        screen.print(failure.deciding)
    if kinds := step_kinds(failure):
        screen.print(f"Steps before it, by the rules: {kinds}.")


def _title(failure: Failure) -> str:
    """Return what was expected and found, with as many digits as tell them apart."""
    for digits in (6, 10, 17):
        expected, found = (_answer(value, digits) for value in (failure.expected, failure.found))
        if expected != found:
            break
    if isinstance(failure.expected, dict) and isinstance(failure.found, dict):
        fair, drawn = failure.expected, failure.found
        about = f"about {fair['times']:,.0f} of {fair['draws']:,} draws"
        return f"Expected {about} for {drawn['who']}, found {drawn['times']:,}"
    if isinstance(failure.expected, float) and isinstance(failure.found, float):
        expected, found = f"a payment of {expected}", f"a payment of {found}"
    where = " in the changed history" if failure.deviation else ""
    return f"Step {failure.step}{where}: expected {expected}, found {found}"


def _answer(value: object, digits: int) -> str:
    """Return what was expected or found: an amount, providers, or whatever a check compares."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, bool) or not isinstance(value, (int, list)):
        return _one_line(f"{value}", 40)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, float) for one in value):
        return f"a payment in [{value[0]:.{digits}g}, {value[1]:.{digits}g}]"
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], float):
        return f"provider {value[0]} at {value[1]:.{digits}g}"
    some = [value] if isinstance(value, int) else value
    return f"provider {' or '.join(f'{each}' for each in some)}" if some else "nobody"


def _show_scripts(screen: Console, failed: Sequence[CheckResult]) -> None:
    """Print the script of each failure once, however many checks came upon it."""
    for message in dict.fromkeys(result.message for result in failed):
        alike = [result for result in failed if result.message == message]
        if alike[0].script:
            screen.print(f"\nFAILED {', '.join(result.name for result in alike)}", style="bold red")
            _show_script(screen, alike[0].script)


def _show_next(
    screen: Console, report: ConformanceReport, first: CheckResult, options: Sequence[str], script_file: str | None
) -> None:
    """Print what finds the defect where nothing was guessed, and the command that looks whether it is mended."""
    domain = report.domain.split(", ") if report.domain else []
    kept = [*options, *(part for kept in domain for part in ("--domain", kept))]
    late = [] if report.in_flight is None else ["--in-flight", f"{report.in_flight}"]
    again = shlex.join(["costproof", "check", report.mechanism, "--only", first.name, *late, *kept])
    failure = first.failure
    if _is_open(report, first) and failure is not None:
        script = f"the script{f' {script_file}' if script_file else ' (--script FILE writes it)'}"
        screen.print(
            f"None of {len(MECHANISM_CAUSES)} known mistakes explains all answers. Next: print your own estimate, "
            f"count, radius and adjusted bid before the last assign() of {script}, and compare them with the table "
            "above: the first number that differs is the defect."
        )
        screen.print(f"Then  {again}", soft_wrap=True)
    else:
        screen.print(f"Next: fix it, then  {again}", soft_wrap=True)
    if report.failed > 1:
        others = counted(report.failed - 1, "other check")
        screen.print(f"{others} failed, too: when this one passes, run again without --only {first.name}.")


def _is_open(report: ConformanceReport, first: CheckResult) -> bool:
    """Return whether nothing is guessed of a failure whose step the rules judge: the numbers before it are known."""
    failure = first.failure
    if report.explains(first) or first.group == "contract" or failure is None or failure.misbehaviour:
        return False
    return bool(first.script and failure.standings())


def _show_more(screen: Console, first: CheckResult, *, scripts: bool, every: bool, written: bool) -> None:
    more = [
        *([] if scripts else ["--scripts prints every script"]),
        *([] if every else ["--all every check and message"]),
        *(["--script FILE writes this one"] if first.script and not written else []),
    ]
    if more:
        screen.print(f"{'; '.join(more)}.", style="dim")


def _show_script(screen: Console, script: str) -> None:
    """Print a script as it is: pasted into a file it must run, so nothing wraps, marks or indents it."""
    lines = script.rstrip("\n").split("\n")
    cut = any(len(line) > _LONGEST_LINE for line in lines)
    screen.print(f"A script that shows it{', cut; --script FILE writes it whole' if cut else ''}:\n")
    for line in lines:
        screen.out(_shortened(line), highlight=False)


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    cut = f"{len(line) - _CUT_LINE:,} characters are cut here"
    return f"{line[:_CUT_LINE]} ...  # {cut}: --script FILE writes the script whole"


def _show_totals(screen: Console, report: ConformanceReport) -> None:
    expected, effort = report.expected_failures, report.effort
    as_expected = f", {expected} failed as expected" if expected else ""
    screen.print(
        f"\n{counted(report.generated, 'check')} generated, {report.ran} ran, {report.skipped} skipped: "
        f"{report.count('passed')} passed, {report.failed} failed{as_expected}. "
        f"Seed {report.seed}, {effort.examples} scenarios per family, {effort.draws:,} draws."
    )
    _show_domain(screen, report)
    for warned in report.warned:
        screen.print(brief(f"Python warned of the mechanism: {warned}"), style="yellow")
    if not report.time_limited:
        text = "The time limit on calls could not be enforced here: it needs Unix signals and the main thread."
        screen.print(text, style="yellow")


def _show_domain(screen: Console, report: ConformanceReport) -> None:
    """Print what scenarios were restricted to, and what was left out of the run."""
    if report.domain:
        screen.print(f"Scenarios were restricted to {report.domain}: nothing is said about any others.")
    if report.in_flight is not None:
        screen.print(
            f"Queries were in flight ({report.in_flight}): every answer was held to what had arrived. What a strategy "
            "earns in the end is checked with immediate feedback alone."
        )
    if report.discarded:
        found = sum(bool(check.discarded) for check in report.checks)
        screen.print(
            f"{counted(report.discarded, 'scenario')} of {counted(found, 'check')} were discarded: the mechanism says "
            "by NotImplementedError that they lie outside its domain. --domain keeps scenarios inside, as --domain "
            "scores=binary --domain q_min=inside --domain eligible=2.. (--help lists what there is).",
            style="yellow",
        )
    if broken_off := sum(check.broken_off for check in report.checks):
        ended = f"{counted(broken_off, 'scenario')} ended early, in an error that another check reports above."
        text = f"{ended} Their answers before the error were checked all the same."
        hint = " Is it outside the mechanism's domain? Let it raise NotImplementedError there, or say --domain."
        # No domain helps a mechanism whose `settle` takes no query.
        no_tickets = any(NO_TICKETS in check.message for check in report.checks)
        screen.print(f"{text}{'' if no_tickets else hint}", style="yellow")


def _show_chance(screen: Console, report: ConformanceReport) -> None:
    """Print how often a right mechanism fails, and what the tests of draws find."""
    for power in dict.fromkeys(result.power for result in report.checks if result.power):
        names = ", ".join(result.name for result in report.checks if result.power == power)
        screen.print(f"  {names}: {power}", style="dim")
    text = "No test of randomness ran: a right mechanism does not fail by chance."
    if chance := report.false_alarm:
        text = f"A right mechanism fails this run with probability at most {chance:.2g}, over the choice of the seed."
    screen.print(text)
