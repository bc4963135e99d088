"""The suite: every check on one mechanism, with the results as data."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bounds.errors import InputError, is_real
from bounds.words import counted
from mechanism.arguments import seconds, whole_number
from mechanism.delays import DelayLaw, delay_law
from mechanism.parallel import run_tasks
from mechanism.versions import versions
from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.checks.contract import CONTRACT_CHECKS
from proofs_checks.conformance.checks.draws import DRAW_CHECKS
from proofs_checks.conformance.checks.in_flight import LATE_CHECKS
from proofs_checks.conformance.checks.incentives import INCENTIVE_CHECKS
from proofs_checks.conformance.checks.restart import RESTART_CHECK
from proofs_checks.conformance.checks.routing import ROUTING_CHECKS
from proofs_checks.conformance.checks.rules import RULE_CHECKS
from proofs_checks.conformance.checks.scratch_storage import scratch_storage
from proofs_checks.conformance.checks.whole_interactions import WHOLE_INTERACTIONS
from proofs_checks.conformance.descriptions import (
    DEFAULT,
    DESCRIPTIONS,
    Profile,
    SuiteEffort,
    cheapest_first,
    described,
    known,
    selection,
)
from proofs_checks.conformance.hosting.endings import was_killed
from proofs_checks.conformance.hosting.host_process import LEAST_MEMORY, MEMORY_LIMIT, HostLimits
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.hosting.within import can_host
from proofs_checks.conformance.kind import Observations, observed
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.domain import Domain, domain_of
from proofs_checks.conformance.play.errors import COSTLY
from proofs_checks.conformance.play.heard_warnings import heard_warnings
from proofs_checks.conformance.play.subject import TIME_LIMIT, Factory, Subject, name_of
from proofs_checks.conformance.play.time_limit import Stopwatch
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import (
    NO_ANSWER,
    NOT_OFFERED,
    NOT_RUN,
    CheckOutcome,
    CheckResult,
    ConformanceReport,
    Status,
)
from proofs_checks.conformance.report.script import to_script

if TYPE_CHECKING:
    from proofs_checks.diagnosis.together import MechanismDiagnosis

_CHECKS = {
    check.name: check
    for check in (
        *(*CONTRACT_CHECKS, RESTART_CHECK),
        *(*INCENTIVE_CHECKS, *RULE_CHECKS, *LATE_CHECKS, *DRAW_CHECKS, WHOLE_INTERACTIONS, *ROUTING_CHECKS),
    )
}
#: Every check of an auction by name, in the order in which they run, and those with queries in flight.
ALL_CHECKS: Mapping[str, Check] = MappingProxyType({name: _CHECKS[name] for name in described()})
IN_FLIGHT_CHECKS: Mapping[str, Check] = MappingProxyType({name: _CHECKS[name] for name in described(in_flight=True)})
#: More queries in flight are refused: interactions are short.
MOST_IN_FLIGHT = 50
#: The check that plays most kinds of steps first: what it dies of, others would die of as well.
FIRST = "answers"
#: What takes so long that no other check is tried after it.
_SLOW = ("too slow", "too much memory")


def check_mechanism(
    factory: Factory | str,
    *,
    name: str | None = None,
    only: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    profile: Profile = "auction",
    strict: bool = False,
    expected_failures: Mapping[str, str] = MappingProxyType({}),
    seed: int = 0,
    effort: SuiteEffort = DEFAULT,
    time_limit: float = TIME_LIMIT,
    memory_limit: float = MEMORY_LIMIT,
    explain: bool = True,
    domain: Domain | str | Iterable[str] = (),
    in_flight: str | None = None,
    budget: float | None = None,
    fail_fast: bool = False,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
    playing: Callable[[int, int, float], None] | None = None,
) -> ConformanceReport:
    """Check a mechanism from outside, by `assign` and `settle` alone.

    Parameters
    ----------
    factory : callable or str
        From (configuration, numpy.random.Generator) to an object with the methods ``assign()``, which returns
        (provider, payment), and ``settle(score, bid)``. A callable runs in this process. A name, ``MODULE:OBJECT`` or
        ``path/to/file.py:OBJECT``, is imported and run in a process of its own (on Unix), which it may harm.
    name : str, optional
        As reports and scripts call it; by default ``MODULE:OBJECT`` of the factory.
    only : str or sequence of str, optional
        Names of checks, or of groups: "contract", "economic", "rules", "routing". All of the profile by default.
    exclude : str or sequence of str, optional
        Names of checks, or of groups, that are left out.
    profile : {"auction", "posted-price", "router"}, optional
        Which checks make sense, by default those of an auction; see `descriptions.PROFILES`.
    strict : bool, optional
        Whether a check that is skipped counts as a failure; by default it does not.
    expected_failures : mapping, optional
        From the name of a check that is known to fail to the reason. If it passes, that is reported as a failure.
    seed : int, optional
        Of all randomness, the mechanism's generators included.
    effort : SuiteEffort, optional
        `DEFAULT`, or `QUICK`; ``from proofs_checks.conformance import QUICK``.
    time_limit : float, optional
        Seconds that one call of the mechanism may take.
    memory_limit : float, optional
        Gibibytes that the processes of a mechanism of its own process may take together.
    explain : bool, optional
        Whether to look, if a check fails, for the one thing that would have to differ for the answers to be right: a
        second or two, in the profile of auctions; and at what the mechanism seems to be. By default it is looked for.
    domain : Domain, str or sequence of str, optional
        What the mechanism is made for, as ``["scores=binary", "eligible=2.."]``: scenarios are made to lie inside.
    in_flight : str, optional
        How many queries are in flight, as `mechanism.delays.delay_law` reads it: ``"3"``, ``"0-5"``. The mechanism then
        takes the ticket form, see `mechanism.platform.ConcurrentMechanism`, and is held to what has arrived.
    budget : float, optional
        Seconds that all checks may take together, give or take a scenario: cheap checks run whole, the others are cut.
    fail_fast : bool, optional
        Whether no check is run after one that fails.
    jobs : int, optional
        Processes in which checks run, each with a process of the mechanism of its own: for one that is named, and
        without a budget. What is found is the same.
    progress : callable, optional
        Called with (done, total) after every check.
    playing : callable, optional
        Called within checks too, some once a second, with (done, total, mean seconds of the mechanism's calls).

    Returns
    -------
    ConformanceReport
        `conforms` says whether no selected check failed; `failed` and `ran` count checks.

    Raises
    ------
    InputError
        An unknown check, an expected failure that is not selected, a factory that cannot be called, no `SuiteEffort`,
        a seed or a limit out of range; a name that cannot be imported.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> report = check_mechanism(reference_mechanism, only=["initialization-payment"])
    >>> report.conforms, report.checks[0].status
    (True, 'passed')
    """
    law = law_in_flight(in_flight)
    selected = select(only, exclude=exclude, profile=profile, in_flight=law is not None)
    refuse_strange_expectations(expected_failures, selected)
    refuse_strange_options(seed, effort, time_limit)
    _refuse_strange_memory(memory_limit)
    within = domain_of(domain)
    order = [*selected] if budget is None else cheapest_first(selected)
    allowed = math.inf if budget is None else seconds("budget", budget, "it is what all checks may take together")
    end = monotonic() + allowed
    with _opened(factory, name, HostLimits(time=time_limit, memory=memory_limit)) as subject:
        played: AnySubject = subject.played(domain=within, in_flight=law)
        results: list[CheckResult] = []
        interrupted, explanation, observations = False, None, None
        warned: dict[str, None] = {}
        beside = None
        if jobs > 1 and budget is None and isinstance(played, HostedSubject):
            beside = _beside(played, order[1:], seed, effort, jobs)

        def heard(seconds: float) -> None:
            if playing is not None:
                playing(len(results), len(selected), seconds)

        try:
            with _surroundings(subject, heard, warned), scratch_storage():
                for check in map(selected.__getitem__, order):
                    played = played.played(deadline=end).with_part(len(order) - len(results))
                    obstacle = _obstacle(results, fail_fast)
                    if beside is not None and results and not obstacle and not played.errors_told:
                        outcome, more = next(beside)
                        warned.update(more)
                    else:
                        outcome = CheckOutcome() if obstacle else _outcome(check, played, seed, effort, warned)
                    status, message = _verdict(
                        outcome, obstacle or _in_vain(outcome, results), within, check, expected_failures
                    )
                    results.append(_result(subject, check, effort, outcome, status, message))
                    if _tells_an_error(results[-1]):
                        played = played.played(errors_told=True)
                    progress(len(results), len(selected))
                if explain:
                    observations = _observations(played, results)
                    explanation = _explained(played, results) if profile == "auction" else None
        except KeyboardInterrupt:
            interrupted = True
        return ConformanceReport(
            mechanism=subject.name,
            seed=seed,
            effort=effort,
            checks=tuple(sorted(results, key=lambda result: [*selected].index(result.name))),
            generated=len(selected),
            interrupted=interrupted,
            versions=versions(),
            time_limited=not isinstance(subject, Subject) or subject.stopwatch.enforceable,
            explanation=explanation,
            warned=tuple(warned),
            domain=f"{within}" or None,
            in_flight=in_flight,
            budget=budget,
            profile=profile,
            excluded=(exclude,) if isinstance(exclude, str) else tuple(exclude),
            observations=observations,
            strict=strict,
        )


def law_in_flight(in_flight: str | None) -> DelayLaw | None:
    """Return the law of delay that a text names, if it is one that short interactions can show.

    Raises
    ------
    InputError
        It is none, or has more queries in flight than `MOST_IN_FLIGHT`.

    Examples
    --------
    >>> str(law_in_flight("0-5"))
    '0-5'
    """
    law = None if in_flight is None else delay_law(in_flight, "in_flight")
    if law is not None and law.most > MOST_IN_FLIGHT:
        remedy = "name a smaller number: the interactions that are played are short"
        raise InputError("in_flight", in_flight, f"must be at most {MOST_IN_FLIGHT} queries", remedy)
    return law


def _opened(
    factory: Factory | str, name: str | None, limits: HostLimits
) -> AbstractContextManager[Subject | HostedSubject]:
    """Return what is to be checked: hosted if it was named, in this process if it was given."""
    if isinstance(factory, str):
        if can_host():
            return HostedSubject(factory, name=name, limits=limits)
        name = name or factory
        factory = load_factory(factory)
    if not callable(factory):
        raise InputError("factory", factory, "must be callable", "give a function of (config, rng), or a class")
    return contextlib.nullcontext(Subject(factory, name or name_of(factory), Stopwatch(limits.time)))


@contextlib.contextmanager
def _surroundings(
    subject: Subject | HostedSubject, heard: Callable[[float], None], warned: dict[str, None]
) -> Iterator[None]:
    """Let the mechanism be heard, and do around an in-process one what a host does around its own."""
    if isinstance(subject, HostedSubject):
        subject.hear(heard)
        subject.load()
        yield
        return
    subject.stopwatch.heard = heard
    with subject.stopwatch.watching(), contextlib.redirect_stdout(sys.stderr), heard_warnings(warned):
        yield


_Found = tuple[CheckOutcome, dict[str, None]]


def _beside(
    subject: HostedSubject, checks: Sequence[str], seed: int, effort: SuiteEffort, jobs: int
) -> Iterator[_Found]:
    """Yield what checks of a mechanism that has not failed before find in other processes, and its warnings."""
    made = subject.importable_name, subject.limits, subject.domain, subject.in_flight
    coming, found = run_tasks(_run_beside, [(made, check, seed, effort) for check in checks], jobs), dict[str, _Found]()
    for check in checks:
        while check not in found:
            found |= next(coming)
        yield found.pop(check)


def _run_beside(made: tuple[Any, ...], check: str, seed: int, effort: SuiteEffort) -> dict[str, _Found]:
    warned = dict[str, None]()
    with scratch_storage():
        return {check: (_outcome(_CHECKS[check], _hosted(*made), seed, effort, warned), warned)}


@cache
def _hosted(target: str, limits: HostLimits, domain: Domain, law: DelayLaw | None) -> HostedSubject:
    """Return the mechanism that all checks of this process share; its own process ends with this one."""
    return HostedSubject(target, limits=limits, quiet=True).played(domain=domain, in_flight=law)


def _outcome(
    check: Check, subject: AnySubject, seed: int, effort: SuiteEffort, warned: dict[str, None]
) -> CheckOutcome:
    """Run a check; run it once more, in a fresh process, if the process was killed: somebody else may have done it."""
    outcome = _one_outcome(check, subject, seed, effort, warned)
    if not _was_killed(outcome):
        return outcome
    again = _one_outcome(check, subject, seed, effort, warned)
    if again.failure is None or not _was_killed(again):
        return again
    message = f"{again.failure.message}, twice; perhaps the machine's memory ran out"
    return replace(again, failure=replace(again.failure, message=message))


def _was_killed(outcome: CheckOutcome) -> bool:
    return outcome.failure is not None and was_killed(outcome.failure.message)


def _one_outcome(
    check: Check, subject: AnySubject, seed: int, effort: SuiteEffort, warned: dict[str, None]
) -> CheckOutcome:
    """Run a check, and look at what it left behind: a mechanism that harms its process fails the check it did so in."""
    outcome = check.run(subject, seed, effort)
    outcome = replace(outcome, cut=subject.is_late)
    left = subject.aftermath()
    warned.update(dict.fromkeys(left.warned))
    if left.misbehaviour and outcome.failure is None and left.last is not None:
        failure = Failure(**vars(left.last), message=left.message, misbehaviour=left.misbehaviour)
        return replace(outcome, compared=max(outcome.compared, 1), failure=failure)
    return outcome


def _observations(subject: AnySubject, results: Sequence[CheckResult]) -> Observations | None:
    """Return what the mechanism seems to be, if there is time and it does not hang or harm its process."""
    costly = any(result.failure and result.failure.misbehaviour in COSTLY for result in results)
    return None if costly or subject.is_late else observed(subject)


def _explained(subject: AnySubject, results: Sequence[CheckResult]) -> MechanismDiagnosis | None:
    """Return what explains all answers, if something does.

    Nothing is looked for in a mechanism that does not keep the contract.
    """
    failed = [result.failure for result in results if result.failure and result.status == "failed"]
    broken = [result for result in results if result.failure is not None and result.group == "contract"]
    if not failed or broken or any(failure.misbehaviour for failure in failed):
        return None
    from proofs_checks.conformance.probes import diagnose_mechanism  # most runs need no explanation

    return diagnose_mechanism(subject, failed)


def refuse_strange_expectations(expected_failures: Mapping[str, str], selected: Mapping[str, Check]) -> None:
    """Raise an `InputError` for an expected failure of no selected check, or one without a reason."""
    for expected, reason in expected_failures.items():
        if expected not in selected:
            known("expected_failures", expected, DESCRIPTIONS)
            raise InputError("expected_failures", expected, "is not among the selected checks", "select it as well")
        if not isinstance(reason, str) or not reason.strip():
            raise InputError(f"expected_failures[{expected!r}]", reason, "gives no reason", "say why it may fail")


def refuse_strange_options(seed: int, effort: SuiteEffort, time_limit: float) -> None:
    """Raise an `InputError` for a seed, an effort (as "quick") or a time limit that no run can have."""
    if not isinstance(effort, SuiteEffort):
        remedy = "write effort=QUICK, after: from proofs_checks.conformance import QUICK"
        raise InputError("effort", effort, "must be DEFAULT, QUICK or another SuiteEffort", remedy)
    whole_number("seed", seed, "it chooses the scenarios and must not be negative", least=0)
    seconds("time_limit", time_limit, "it is what one call may take")


def _refuse_strange_memory(memory_limit: float) -> None:
    if not is_real(memory_limit) or not memory_limit >= LEAST_MEMORY:
        remedy = "it is what the mechanism's processes may take together"
        raise InputError("memory_limit", memory_limit, f"must be a number of GiB from {LEAST_MEMORY:g}", remedy)


def select(only: str | Sequence[str], **options: Any) -> dict[str, Check]:
    """Return the checks that a list of names and groups selects, with options of `descriptions.selection`.

    Examples
    --------
    >>> list(select(["lone-payment", "initialization-order"]))
    ['initialization-order', 'lone-payment']
    """
    return {name: _CHECKS[name] for name in selection(only, **options)}


def _obstacle(before: Sequence[CheckResult], fail_fast: bool) -> str:
    """Return why no further check makes sense, if that is so: the mechanism hangs, fills memory, or harms its process.

    With `fail_fast` each failure is a reason.

    Each further check could take the whole time limit again, or fill the memory again, or cost a process in every
    scenario. One that ends its process late costs each check a fresh process at most: the others go on. An error that
    it raises costs nothing: the others look at what was answered before it.
    """
    for result in before:
        kind = "" if result.failure is None else result.failure.misbehaviour
        if (fail_fast and result.status == "failed") or kind in _SLOW or (result.name == FIRST and kind in COSTLY):
            return f"{NOT_RUN}{result.name} failed"
    return ""


def _in_vain(outcome: CheckOutcome, before: Sequence[CheckResult]) -> str:
    """Return why a check had nothing to compare, if that is an error that another one has reported."""
    if outcome.cut and not outcome.compared:
        return f"{NOT_RUN}its share of the budget was over"
    if outcome.compared or not outcome.broken_off:
        return ""
    told = next(result for result in before if _tells_an_error(result))
    return f"{NO_ANSWER}it fails to answer before such a step, as {told.name} reports"


def _tells_an_error(result: CheckResult) -> bool:
    """Return whether a check has failed by an error that costs no process: others then pass over it."""
    kind = "" if result.failure is None else result.failure.misbehaviour
    return bool(kind) and kind not in COSTLY


def _verdict(
    outcome: CheckOutcome, obstacle: str, within: Domain, check: Check, expected_failures: Mapping[str, str]
) -> tuple[Status, str]:
    """Return status and message of a check that was expected to fail for a reason, or to pass."""
    expected = expected_failures.get(check.name)
    if obstacle:
        return "skipped", obstacle
    if outcome.not_offered:
        return "skipped", f"{NOT_OFFERED}{outcome.not_offered}"
    if outcome.failure is not None:
        message = outcome.failure.message
        return ("failed", message) if expected is None else ("expected_failure", f"{message} (expected: {expected})")
    if outcome.too_little or (outcome.discarded and not outcome.compared):
        return "skipped", _too_little(outcome)
    if not outcome.compared:
        where = "" if within.is_everything else f" within the domain ({within})"
        return "skipped", f"nothing to compare: the mechanism never reached such a step{where}"
    if expected is not None:
        return "failed", f"passed, though it was expected to fail ({expected})"
    return "passed", ""


def _too_little(outcome: CheckOutcome) -> str:
    """Return why a check compared too little: its scenarios mostly lie outside the mechanism's domain."""
    all_of_them = counted(outcome.examples + outcome.discarded, "scenario")
    return (
        f"too little to compare: {outcome.discarded} of {all_of_them} lie outside the mechanism's domain "
        f"({outcome.outside}); --domain keeps scenarios inside"
    )


def _result(
    subject: AnySubject, check: Check, effort: SuiteEffort, outcome: CheckOutcome, status: Status, message: str
) -> CheckResult:
    failure = outcome.failure
    return CheckResult(
        **vars(outcome),
        name=check.name,
        claim=check.claim,
        group=check.group,
        says=check.says,
        status=status,
        message=message,
        script="" if failure is None else to_script(subject.name, check.name, check.claim, failure),
        false_alarm=check.false_alarm,
        power="" if outcome.cut else check.power_with(effort),
    )
