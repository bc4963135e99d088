"""The suite: every check on one mechanism, with the results as data."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TextIO, get_args

import numpy as np

from bounds.errors import InputError, did_you_mean
from mechanism.arguments import seconds
from mechanism.versions import versions
from proofs_checks.conformance.checks.check import DEFAULT, Check, CheckOutcome, Group, SuiteEffort
from proofs_checks.conformance.checks.contract import CONTRACT_CHECKS
from proofs_checks.conformance.checks.draws import DRAW_CHECKS
from proofs_checks.conformance.checks.incentives import INCENTIVE_CHECKS
from proofs_checks.conformance.checks.rules import RULE_CHECKS
from proofs_checks.conformance.checks.whole_interactions import WHOLE_INTERACTIONS
from proofs_checks.conformance.diagnosis.guess import Guess, guess
from proofs_checks.conformance.diagnosis.recording import History
from proofs_checks.conformance.play.subject import TIME_LIMIT, Factory, Subject, name_of
from proofs_checks.conformance.play.time_limit import Stopwatch
from proofs_checks.conformance.report.report import NOT_RUN, CheckResult, ConformanceReport, Status
from proofs_checks.conformance.report.script import to_script

GROUPS: tuple[str, ...] = get_args(Group)

#: Every check by name, in the order in which they run: what others rest on first, the special before the general.
_IN_ORDER = (*CONTRACT_CHECKS, *INCENTIVE_CHECKS, *RULE_CHECKS, *DRAW_CHECKS, WHOLE_INTERACTIONS)
ALL_CHECKS: Mapping[str, Check] = MappingProxyType({check.name: check for check in _IN_ORDER})
#: The check without which no other means anything.
FIRST = "answers"


def check_mechanism(
    factory: Factory,
    *,
    name: str | None = None,
    only: str | Sequence[str] = (),
    expected_failures: Mapping[str, str] = MappingProxyType({}),
    seed: int = 0,
    effort: SuiteEffort = DEFAULT,
    time_limit: float = TIME_LIMIT,
    explain: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
    playing: Callable[[int, int, float], None] | None = None,
) -> ConformanceReport:
    """Check a mechanism from outside, by `assign` and `settle` alone.

    Parameters
    ----------
    factory : callable
        From (configuration, numpy.random.Generator) to an object with the methods ``assign()``, which returns
        (provider, payment), and ``settle(score, bid)``.
    name : str, optional
        As reports and scripts call it; by default ``MODULE:OBJECT`` of the factory.
    only : str or sequence of str, optional
        Names of checks, or of groups: "contract", "economic", "rules". All by default.
    expected_failures : mapping, optional
        From the name of a check that is known to fail to the reason. If it passes, that is reported as a failure.
    seed : int, optional
        Of all randomness, the mechanism's generators included.
    effort : SuiteEffort, optional
        `DEFAULT`, or `QUICK`; ``from proofs_checks.conformance import QUICK``.
    time_limit : float, optional
        Seconds that one call of the mechanism may take.
    explain : bool, optional
        Whether to look, if a check fails, for the one thing that would have to differ for the answers to be right: a
        second or two. By default it is looked for.
    progress : callable, optional
        Called with (done, total) after every check.
    playing : callable, optional
        Called within checks too, some once a second, with (done, total, mean seconds of the mechanism's calls).

    Returns
    -------
    ConformanceReport
        `conforms` says whether every selected check ran and none failed; `failed` and `ran` count checks.

    Raises
    ------
    InputError
        An unknown check, an expected failure that is not selected, a factory that cannot be called, no `SuiteEffort`,
        a seed or a time limit out of range.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> report = check_mechanism(reference_mechanism, only=["initialization-payment"])
    >>> report.conforms, report.checks[0].status
    (True, 'passed')
    """
    if not callable(factory):
        raise InputError("factory", factory, "must be callable", "give a function of (config, rng), or a class")
    selected = select(only)
    refuse_strange_expectations(expected_failures, selected)
    refuse_strange_options(seed, effort, time_limit)
    results: list[CheckResult] = []

    def heard(seconds: float) -> None:
        if playing is not None:
            playing(len(results), len(selected), seconds)

    stopwatch = Stopwatch(time_limit, heard)
    subject = Subject(factory, name or name_of(factory), stopwatch)
    interrupted, guessed = False, None
    warned: dict[str, None] = {}
    try:
        with stopwatch.watching(), contextlib.redirect_stdout(sys.stderr), _heard_warnings(warned):
            for check in selected.values():
                obstacle = _obstacle(results)
                outcome = CheckOutcome() if obstacle else check.run(subject, seed, effort)
                status, message = _verdict(outcome, obstacle, expected_failures.get(check.name))
                results.append(_result(subject, check, effort, outcome, status, message))
                progress(len(results), len(selected))
            guessed = _guess(subject, results) if explain else None
    except KeyboardInterrupt:
        interrupted = True
    return ConformanceReport(
        mechanism=subject.name,
        seed=seed,
        effort={"examples": effort.examples, "draws": effort.draws},
        checks=tuple(results),
        generated=len(selected),
        interrupted=interrupted,
        versions=versions(),
        time_limited=stopwatch.enforceable,
        guess=guessed,
        warned=tuple(warned),
    )


@contextlib.contextmanager
def _heard_warnings(heard: dict[str, None]) -> Iterator[None]:
    """Collect what Python warns of, each text and place once, instead of printing it; the filters stay as they are."""

    def hear(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        heard[f"{category.__name__}: {message} ({filename}:{lineno})"] = None

    with warnings.catch_warnings():
        warnings.showwarning = hear
        yield


def _guess(subject: Subject, results: Sequence[CheckResult]) -> Guess | None:
    """Return what would explain the failures; nothing of a mechanism that does not keep the contract."""
    failed = [result.failure for result in results if result.failure is not None and result.status == "failed"]
    broken = [result for result in results if result.failure is not None and result.group == "contract"]
    if not failed or broken or any(failure.misbehaviour for failure in failed):
        return None
    return guess(subject, (History(each.config, each.seed, each.settlements) for each in failed))


def refuse_strange_expectations(expected_failures: Mapping[str, str], selected: Mapping[str, Check]) -> None:
    """Raise an `InputError` for an expected failure of no selected check, or one without a reason."""
    for expected, reason in expected_failures.items():
        if expected not in selected:
            _known("expected_failures", expected)
            raise InputError("expected_failures", expected, "is not among the selected checks", "select it as well")
        if not isinstance(reason, str) or not reason.strip():
            raise InputError(f"expected_failures[{expected!r}]", reason, "gives no reason", "say why it may fail")


def refuse_strange_options(seed: int, effort: SuiteEffort, time_limit: float) -> None:
    """Raise an `InputError` for a seed, an effort (as "quick") or a time limit that no run can have."""
    if not isinstance(effort, SuiteEffort):
        remedy = "write effort=QUICK, after: from proofs_checks.conformance import QUICK"
        raise InputError("effort", effort, "must be DEFAULT, QUICK or another SuiteEffort", remedy)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        remedy = "it chooses the scenarios and must not be negative"
        raise InputError("seed", seed, "must be a whole number from 0", remedy)
    seconds("time_limit", time_limit, "it is what one call may take")


def select(only: str | Sequence[str]) -> dict[str, Check]:
    """Return the checks that a list of names and groups selects, in the order of the suite.

    Raises
    ------
    InputError
        An unknown name; the nearest are named.

    Examples
    --------
    >>> list(select(["lone-payment", "initialization-order"]))
    ['initialization-order', 'lone-payment']
    """
    wanted = [only] if isinstance(only, str) else only
    for name in wanted:
        if name not in GROUPS:
            _known("only", name)
    return {name: check for name, check in ALL_CHECKS.items() if not wanted or {name, check.group} & {*wanted}}


def _known(argument: str, name: str) -> None:
    if name not in ALL_CHECKS:
        remedy = did_you_mean(name, [*ALL_CHECKS, *GROUPS], "costproof check --list names them", most=3)
        raise InputError(argument, name, "is no check of the suite", remedy)


def _obstacle(before: Sequence[CheckResult]) -> str:
    """Return why no further check makes sense, if that is so: the mechanism cannot be played, or hangs."""
    for result in before:
        if result.failure is not None and (result.name == FIRST or result.failure.misbehaviour == "too slow"):
            return f"{NOT_RUN}{result.name} failed"
    return ""


def _verdict(outcome: CheckOutcome, obstacle: str, expected: str | None) -> tuple[Status, str]:
    """Return status and message of a check that was expected to fail for a reason, or to pass."""
    if obstacle:
        return "skipped", obstacle
    if outcome.failure is not None:
        message = outcome.failure.message
        return ("failed", message) if expected is None else ("expected_failure", f"{message} (expected: {expected})")
    if not outcome.compared:
        return "skipped", "nothing to compare: the mechanism never came to such a step"
    if expected is not None:
        return "failed", f"passed, though it was expected to fail ({expected})"
    return "passed", ""


def _result(
    subject: Subject, check: Check, effort: SuiteEffort, outcome: CheckOutcome, status: Status, message: str
) -> CheckResult:
    failure = outcome.failure
    return CheckResult(
        name=check.name,
        claim=check.claim,
        group=check.group,
        says=check.says,
        status=status,
        message=message,
        failure=failure,
        examples=outcome.examples,
        compared=outcome.compared,
        script="" if failure is None else to_script(subject.name, check.name, check.claim, failure),
        false_alarm=check.false_alarm,
        power=check.power_with(effort),
    )
