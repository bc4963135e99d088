"""What `costproof check` prints: what failed first and why, the numbers that decide, the other failures, what next."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from bounds.characters import shortened
from bounds.words import counted, first_of
from proofs_checks.cli.output import brief
from proofs_checks.cli.views.console import LINES, PIPE_WIDTH, Screen, console
from proofs_checks.conformance.descriptions import DEFAULT, GROUPS, QUICK, Group, selection
from proofs_checks.conformance.play.calls import NO_TICKETS
from proofs_checks.conformance.report.deciding_table import COLUMNS, deciding_legend, deciding_rows
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckResult, ConformanceReport
from proofs_checks.conformance.report.step_kinds import step_kinds
from proofs_checks.diagnosis.mechanism_causes import MECHANISM_CAUSES

_STYLES = {"passed": "green", "failed": "bold red", "expected_failure": "yellow", "skipped": "dim"}
_ENDED = {status: status for status in _STYLES} | {"expected_failure": "failed as expected"}
#: Lines of a script beyond this are cut: a history of a thousand steps would bury everything else.
_LONGEST_LINE = 2_000
_CUT_LINE = 160
#: Checks beside the first, and providers at the decisive step, on one screen.
_OTHERS, _PROVIDERS = 10, 4
#: Of numbers that would make the table of a step wider than a screen has columns, on any screen.
_DIGITS = 4
#: Checks that a budget has cut short, by name.
_CUT = 3
#: Characters of a message on one screen.
_MESSAGE = 300


def show_conformance(
    report: ConformanceReport,
    *,
    scripts: bool = False,
    everything: bool = False,
    options: Sequence[str] = (),
    expected_failures: Sequence[str] = (),
    script_file: str | None = None,
) -> None:
    """Print what failed first and the numbers that decide it, the other failures, and what to do next.

    Parameters
    ----------
    report : ConformanceReport
    scripts : bool, optional
        Whether to print the script of every failure.
    everything : bool, optional
        Whether to print every check and message, the script of the first failure, and what the tests of draws find.
    options : sequence of str, optional
        What else the caller asked for, for the command that is suggested next, as ``["--quick"]``.
    expected_failures : sequence of str, optional
        The checks that may fail, as ``["no-loss=some decline"]``.
    script_file : str, optional
        Where the script of the first failure was written.
    """
    screen, first = console(), report.first
    failed = [result for result in report.checks if result.status == "failed"]

    def above() -> None:
        _show_headline(screen, report)
        if first is None:
            _show_groups(screen, report)
        else:
            _show_first(screen, report, first, everything=everything)

    def below() -> None:
        _show_effort(screen, report)
        _show_notes(screen, report)
        if everything or first is None:
            _show_chance(screen, report)
        if first is None:
            _show_more(screen, report, options, expected_failures)
        else:
            _show_next(screen, report, first, options, script_file)

    above()
    if everything:
        _show_all_checks(screen, report)
    else:
        _show_others(screen, report, LINES - screen.height_of(above) - screen.height_of(below))
    if scripts or (everything and first is not None):
        _show_scripts(screen, failed if scripts else [result for result in failed if result is first])
    below()


def _show_headline(screen: Screen, report: ConformanceReport) -> None:
    """Print what the mechanism seems to be, and what the run amounts to."""
    missing = report.generated - report.ran - report.not_offered
    if report.seems:
        screen.say(report.seems, style="yellow" if report.kind != report.profile else "")
    if report.interrupted:
        text = f"Interrupted after {len(report.checks)} of {report.generated} checks: what follows covers only those."
        screen.say(text, style="bold yellow")
    if report.failed:
        screen.say(report.headline, style="bold red")
        if ended := _broken_off([check for check in report.checks if check.status == "passed"]):
            screen.say(f"Of the checks that passed, {ended}: what comes after it was not tested.", style="yellow")
    elif not (report.conforms or report.interrupted):
        within = _within(report)
        text = f"{missing} of {counted(report.generated, 'check')} could not run or had nothing to compare{within}."
        screen.say(text, style="bold red")
    elif not report.interrupted:
        passed = f"{report.count('passed')} of {counted(report.generated, 'check')} passed"
        expected = report.count("expected_failure")
        besides = f", {expected} failed as expected" if expected else ""
        besides += f", {missing} skipped" if missing else ""
        besides += f", {report.not_offered} not offered" if report.not_offered else ""
        screen.say(f"{report.mechanism}: {passed}{besides}{_within(report)}.", style="bold")


def _within(report: ConformanceReport) -> str:
    """Return what scenarios were played with, where that is not everything."""
    late = f" with queries in flight ({report.in_flight})" if report.in_flight is not None else ""
    return f"{late} within the domain ({report.domain})" if report.domain else late


def _show_groups(screen: Screen, report: ConformanceReport) -> None:
    """Print how much each group of checks compared."""
    numbers = dict.fromkeys(("passed", "scenarios", "comparisons"), "right")
    rows = []
    for group, passed in _passed_by_group(report).items():
        checks = [check for check in report.checks if check.group == group]
        sums = (sum(getattr(check, name) for check in checks) for name in ("examples", "compared"))
        rows.append((group, GROUPS[group], passed, *(f"{each:,}" for each in sums)))
    screen.print()
    screen.table("", {"checks": "whole", "about": "whole", **numbers}, rows)


def _passed_by_group(report: ConformanceReport) -> dict[Group, str]:
    """Return how many checks of each group that ran have passed, as "4 of 5"."""
    found = {group: [each.status for each in report.checks if each.group == group] for group in GROUPS}
    return {group: f"{each.count('passed')} of {len(each)}" for group, each in found.items() if each}


def _show_others(screen: Screen, report: ConformanceReport, room: int) -> None:
    """Print a line for each other check that did not pass, as many as there is room for; the others are counted."""
    alike = report.not_run
    others = [each for each in report.checks if each.status != "passed" and each not in alike and each != report.first]
    others.sort(key=lambda each: each.status != "failed")
    if not (others or alike):
        return
    screen.print()
    fits = min(_OTHERS, max(0, room - 2 - 2 * bool(alike)))
    shown = others if len(others) <= fits else others[:fits]
    name = max((len(each.name) for each in shown), default=0)
    for each in shown:
        status = "expected: " if each.status == "expected_failure" else ""
        line = f"{status}{each.said}"
        screen.print(
            Text.assemble(
                (f"{each.name:<{name}}  ", _STYLES[each.status]), _one_line(brief(line), screen.width - name - 2)
            )
        )
    if rest := Counter(_ENDED[each.status] for each in others[len(shown) :]):
        screen.say(f"and {', '.join(f'{count} more {ended}' for ended, count in rest.items())} (--all)", style="dim")
    if alike:
        screen.say(f"{counted(len(alike), 'check')} skipped: {alike[0].message}", style="dim")


def _status(result: CheckResult) -> str:
    return result.status.replace("_", " ")


def _show_all_checks(screen: Screen, report: ConformanceReport) -> None:
    """Print one line per check, those that did not pass first."""
    shown = sorted(report.checks, key=lambda result: (result is not report.first, result.status == "passed"))
    rows = []
    for result in shown:
        status = Text(_status(result), style=_STYLES[result.status])
        rows.append((result.name, status, _compared(result) if result.status == "passed" else result.said))
    columns = {"check": "whole", "status": "whole", "what was found": ""}
    screen.print()
    screen.table(f"{report.mechanism} (seed {report.seed})", columns, rows)


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
    return text if len(text) <= room else textwrap.shorten(text, room, placeholder=" ...", break_on_hyphens=False)


def _show_first(screen: Screen, report: ConformanceReport, first: CheckResult, *, everything: bool) -> None:
    """Print what the first check states, what was expected and found, and the numbers that decide the step."""
    failure, explained = first.failure, report.explanation if report.explains(first) else None
    if explained is not None and not everything:
        wrong = f", {explained.wrong:,} of which break a rule" * bool(explained.wrong)
        more = " Fix it first: it may cause the other failures." * (report.failed > 1)
        screen.say(f"This explains all {explained.answers:,} answers{wrong}; other mistakes may, too.{more}")
    screen.print()
    screen.say(f"{first.name} ({first.claim}): {first.says}.", style="bold")
    if everything:
        screen.say(first.message)
    elif explained is not None:  # otherwise the headline has it
        screen.say(_one_line(first.message, _MESSAGE))
    if failure is None:
        return
    if failure.exact and (everything or failure.exact.startswith("not")):
        screen.say(failure.exact)
    if failure.deviation:
        screen.say(_changed(failure.deviation, failure.expected, failure.found))
    if explained is not None and everything:
        screen.say(explained.told)
    # A mechanism that does not come back from a restart gives no answer to compare with the right one.
    # What they are by the rules of the paper decides nothing elsewhere.
    judged = report.profile == "auction" and not failure.misbehaviour and failure.found is not None
    if judged and failure.standings():
        _show_standings(screen, failure, everything=everything)


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


def _show_standings(screen: Screen, failure: Failure, *, everything: bool) -> None:
    """Print the numbers that decide a step, per provider; on one screen of those that the failure is about."""
    rows = deciding_rows(failure)
    widths = [max(map(len, cells)) for cells in zip(COLUMNS, *rows, strict=True)]
    if not everything and sum(widths) + 2 * len(widths) > PIPE_WIDTH:
        rows = deciding_rows(failure, _DIGITS)
    chosen = range(len(rows)) if everything else _decisive(failure, len(rows))
    screen.table("", dict.fromkeys(COLUMNS, "right"), [rows[place] for place in chosen])
    if len(chosen) < len(rows):
        screen.say(f"and {counted(len(rows) - len(chosen), 'provider')} more (--all)", style="dim")
    screen.say(deciding_legend(failure), style="dim")
    if failure.deciding:
        screen.say(failure.deciding)
    if everything and (kinds := step_kinds(failure)):
        screen.say(f"Steps before it, by the rules: {kinds}.")


def _decisive(failure: Failure, n_providers: int) -> Sequence[int]:
    """Return the providers that a failure is about, and up to a few the eligible ones with the lowest adjusted bids."""
    named = [provider for provider, _ in failure.allowed()[:_PROVIDERS]]
    answer = failure.found[0] if isinstance(failure.found, list) and failure.found else failure.found
    about = [failure.deviation.get("provider"), answer, *named]
    first = [each for each in about if isinstance(each, int) and not isinstance(each, bool) and each < n_providers]
    rivals = sorted(failure.standings(), key=lambda each: (not each.eligible, each.adjusted_bid))
    return sorted([*dict.fromkeys([*first, *(each.provider for each in rivals)])][:_PROVIDERS])


def _show_scripts(screen: Screen, failed: Sequence[CheckResult]) -> None:
    """Print the script of each failure once, however many checks came upon it."""
    for message in dict.fromkeys(result.message for result in failed):
        alike = [result for result in failed if result.message == message]
        if alike[0].script:
            screen.print(f"\nFAILED {', '.join(result.name for result in alike)}", style="bold red")
            _show_script(screen, alike[0].script)


def _options_kept(report: ConformanceReport, options: Sequence[str]) -> list[str]:
    """Return the options of a run, but for those that choose its checks."""
    domain = report.domain.split(", ") if report.domain else []
    profile = [] if report.profile == "auction" else ["--profile", report.profile]
    excluded = [part for each in report.excluded for part in ("--exclude", each)]
    return [*profile, *excluded, *_late(report), *options, *(part for each in domain for part in ("--domain", each))]


def _late(report: ConformanceReport) -> list[str]:
    return [] if report.in_flight is None else ["--in-flight", f"{report.in_flight}"]


def _show_more(
    screen: Screen, report: ConformanceReport, options: Sequence[str], expected_failures: Sequence[str]
) -> None:
    """Suggest what tests more where nothing failed."""
    screen.print()
    late_too = report.in_flight is not None
    whole = len(selection(exclude=report.excluded, profile=report.profile, in_flight=late_too))
    if report.effort != DEFAULT or report.generated < whole:
        same = report.effort == QUICK and report.generated < whole
        kept = [each for each in _options_kept(report, options) if same or each != "--quick"]
        expected = [part for each in expected_failures for part in ("--expect-failure", each)]
        more = shlex.join(["costproof", "check", report.mechanism, *kept, *expected])
        screen.suggest(more, "all checks, as quickly" if same else "all checks with more scenarios")
    else:
        played = ["costproof", "play", report.mechanism, "gsm8k-full", *_late(report), "--out", "log.csv"]
        screen.suggest(shlex.join(played), "a run on a market")


def _show_next(
    screen: Screen, report: ConformanceReport, first: CheckResult, options: Sequence[str], script_file: str | None
) -> None:
    """Print what finds the defect where nothing was guessed, and the next command."""
    screen_line = ["costproof", "check", report.mechanism]
    screen.print()
    if _is_open(report, first):
        no_gamma = any(check.name == "widened-radius" and check.status == "failed" for check in report.checks)
        screen.say(
            f"None of {len(MECHANISM_CAUSES)} known mistakes explains all answers; there may be two. Print g(t) and "
            "each provider's quality estimate, count, radius and adjusted bid before the last assign() of "
            f"{script_file or 'the script (--script FILE)'}: the first that differs from the table is the defect; "
            "else it is whom you return, or P: your radius, with gamma, plus the lowest "
            f"adjusted bid of eligible rivals.{' Without gamma: --domain belief_slack=0.' * no_gamma}"
        )
    fitting = () if report.observations is None else report.observations.profiles
    if fitting and report.profile not in fitting:
        own = ["--profile", f"{report.kind}", *_late(report), *options]
        screen.suggest(shlex.join([*screen_line, *own]), "its own profile")
    again = ["--only", first.name, *_options_kept(report, options)]
    screen.suggest(shlex.join([*screen_line, *again]), "when it is fixed")
    if first.script and not script_file:
        screen.say("--script FILE writes a script that reproduces it; --all prints everything.", style="dim")


def _is_open(report: ConformanceReport, first: CheckResult) -> bool:
    """Return whether nothing is guessed of a failure whose step the rules judge: the numbers before it are known."""
    failure = first.failure
    if report.explains(first) or first.group == "contract" or failure is None or failure.misbehaviour:
        return False
    known = report.expected_failures or (report.observations is not None and report.observations.pays_own_bid)
    return bool(report.profile == "auction" and not known and first.script and failure.standings())


def _show_script(screen: Screen, script: str) -> None:
    """Print a script as it is: pasted into a file it must run, so nothing wraps, marks or indents it."""
    lines = script.rstrip("\n").split("\n")
    cut = any(len(line) > _LONGEST_LINE for line in lines)
    screen.print(f"A script that shows it{', cut; --script FILE writes it whole' if cut else ''}:\n")
    for line in lines:
        screen.out(shortened(line, _CUT_LINE) if len(line) > _LONGEST_LINE else line, highlight=False)


def _show_effort(screen: Screen, report: ConformanceReport) -> None:
    """Print the counts of checks and what was tried."""
    effort, expected = report.effort, report.expected_failures
    found = {"passed": report.count("passed"), "failed": report.failed, "failed as expected": expected}
    counts = ", ".join(
        f"{count} {status}" for status, count in found.items() if count or status != "failed as expected"
    )
    passed = ""
    if report.failed:
        passed = f" (passed: {', '.join(f'{group} {each}' for group, each in _passed_by_group(report).items())})"
    tried = f"Seed {report.seed}, {effort.examples} scenarios per family, {effort.draws:,} draws"
    screen.print()
    screen.say(f"{counted(report.generated, 'check')}: {counts}, {report.skipped} skipped{passed}. {tried}.")


def _show_notes(screen: Screen, report: ConformanceReport) -> None:
    """Print what scenarios were restricted to, what was left out of the run, and what Python warned of."""
    if report.domain:
        screen.say(f"Scenarios were restricted to {report.domain}; others were not tested.")
    if report.in_flight is not None:
        auction = " What a strategy earns in the end was not tested." if report.profile == "auction" else ""
        screen.say(
            f"Queries were in flight ({report.in_flight}): answers were compared with what had arrived.{auction}"
        )
    if cut := [check.name for check in report.checks if check.cut]:
        names = first_of(cut, _CUT)
        text = (
            f"The budget of {report.budget:g} s cut {counted(len(cut), 'check')} short: {names}. More time tests more."
        )
        screen.say(text, style="yellow")
    if report.discarded:
        found = sum(bool(check.discarded) for check in report.checks)
        screen.say(
            f"{counted(report.discarded, 'scenario')} of {counted(found, 'check')} were discarded: the mechanism "
            "raised NotImplementedError. --domain keeps scenarios inside its domain, as scores=binary (--help).",
            style="yellow",
        )
    if broken_off := sum(check.broken_off for check in report.checks):
        text = f"{counted(broken_off, 'scenario')} ended early, in an error that another check reports."
        hint = " If they lie outside the mechanism's domain, let it raise NotImplementedError, or use --domain."
        # No domain helps a mechanism whose `settle` takes no query.
        no_tickets = any(NO_TICKETS in check.message for check in report.checks)
        screen.say(f"{text}{'' if no_tickets else hint}", style="yellow")
    for warned in report.warned:
        screen.say(f"Python warned of the mechanism: {warned}", style="yellow")
    if not report.time_limited:
        text = "The time limit on calls could not be enforced: it needs Unix signals and the main thread."
        screen.say(text, style="yellow")


def _show_chance(screen: Screen, report: ConformanceReport) -> None:
    """Print what a pass does not mean, what the tests of draws find, and how often a right mechanism fails."""
    for power in dict.fromkeys(result.power for result in report.checks if result.power):
        names = ", ".join(result.name for result in report.checks if result.power == power)
        screen.say(f"{names}: {power}.", style="dim")
    if chance := report.false_alarm:
        screen.say(f"A right mechanism fails such a run with probability at most {chance:.2g}.")
    if report.failed == 0:
        judged = "" if report.profile == "auction" else " Means, counts and thresholds of its own were not compared."
        screen.say(f"Passing is not a proof: `costproof docs what-a-pass-means`.{judged}")
