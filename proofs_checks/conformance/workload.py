"""How long a run of the suite takes, told before it begins: calls counted beforehand, and one scenario timed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from time import monotonic
from types import MappingProxyType

from proofs_checks.conformance.checks.check import SuiteEffort
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import BrokenOffError, play_scenario
from proofs_checks.conformance.play.scenario import Query, Scenario, usual_config
from proofs_checks.conformance.play.subject import MechanismError
from proofs_checks.conformance.strategies.within import nearest
from proofs_checks.plurals import counted

#: Calls of a right mechanism by each check, for one scenario per family; of tests of draws, for one draw. Counted, and
#: held to a factor of two by a test.
CALLS: Mapping[str, float] = MappingProxyType(
    {
        "answers": 85,
        "configuration-unchanged": 40,
        "reproducible": 115,
        "independent-instances": 400,
        "restart": 400,
        "payment-range": 150,
        "own-bid-independence": 1350,
        "past-bids": 550,
        "monotone-allocation": 1600,
        "selection-threshold": 820,
        "no-loss": 630,
        "no-profitable-misreport": 920,
        "strict-misreport": 160,
        "robust-no-loss": 4700,
        "robust-worst-case": 6100,
        "robust-strict": 6000,
        "initialization-order": 40,
        "initialization-payment": 40,
        "exploration-payment": 210,
        "empty-payment": 63,
        "lone-payment": 42,
        "eligibility": 710,
        "exploration-set": 410,
        "standing-bids": 40,
        "index-minimizer": 270,
        "critical-payment": 480,
        "widened-radius": 280,
        "state-estimates": 910,
        "long-run": 720,
        "overtaking-feedback": 230,
        "lost-feedback": 230,
        "exploration-draw": 3,
        "empty-draw": 3,
        "whole-interactions": 730,
    }
)
_OF_DRAWS = ("exploration-draw", "empty-draw")
#: Steps of the scenario that is timed, after one that warms up; the first alone where it takes longer than that.
_WARMING, _STEPS, _LONG = 10, 60, 0.25
_TWO_PROVIDERS = Scenario(
    usual_config(n_providers=2, quality_threshold=0.5, exploration_scale=1.3),
    0,
    ((Query(1.0, 0.25), Query(0.0, 0.5)), (Query(1.0, 0.5),)),
    _STEPS,
)


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What a run is to do; `seconds` is a rough guess, None where the scenario that is timed was not answered.

    Examples
    --------
    >>> print(Workload(checks=31, calls=271_196, seconds=12.3))
    31 checks, some 270,000 calls of the mechanism: roughly 10 s here, longer where one fails
    """

    checks: int
    calls: int
    seconds: float | None
    #: Which share of the calls is behind after no check, after the first, after the first two, ...; empty if not known.
    shares: tuple[float, ...] = ()
    #: That a call took too long in the scenario that is timed: nobody needs to wait for it again.
    hung: BrokenOffError | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        work = f"{counted(self.checks, 'check')}, some {_rough(self.calls):,} calls of the mechanism"
        if self.seconds is None:
            return f"{work}; how long they take is not known: it did not answer a first scenario"
        return f"{work}: roughly {_told(self.seconds)} here, longer where one fails"


def _rough(number: int) -> int:
    """Return a number with two digits."""
    return int(float(f"{number:.2g}"))


def _told(seconds: float) -> str:
    """Return a rough duration.

    Examples
    --------
    >>> [_told(seconds) for seconds in (0.3, 4.4, 34, 400, 9000)]
    ['1 s', '4 s', '30 s', '7 min', '2.5 h']
    """
    if seconds < 10:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 100:
        return f"{round(seconds, -1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def calls_of(checks: Collection[str], effort: SuiteEffort) -> int:
    """Return how many calls of a right mechanism some checks make, roughly."""
    return round(sum(CALLS[name] * (effort.draws if name in _OF_DRAWS else effort.examples) for name in checks))


def _shares(checks: Collection[str], effort: SuiteEffort) -> tuple[float, ...]:
    """Return which share of the calls is behind after each number of checks, from none to all.

    Examples
    --------
    >>> from proofs_checks.conformance.checks.check import QUICK
    >>> _shares(["initialization-order", "critical-payment", "standing-bids"], QUICK)
    (0.0, 0.07142857142857142, 0.9285714285714286, 1.0)
    """
    done = [0, *accumulate(calls_of([name], effort) for name in checks)]
    return tuple(calls / done[-1] for calls in done)


def workload(subject: AnySubject, checks: Collection[str], effort: SuiteEffort) -> Workload:
    """Return what some checks are to do, after playing a short scenario.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> from proofs_checks.conformance.checks.check import QUICK
    >>> from proofs_checks.conformance.play.subject import Subject
    >>> workload(Subject(reference_mechanism, "reference"), ["lone-payment"], QUICK).calls
    336
    """
    calls = calls_of(checks, effort)
    shares = _shares(checks, effort)
    try:
        seconds = calls * _seconds_of_a_call(subject)
    except MechanismError as error:
        hung = error if isinstance(error, BrokenOffError) and error.kind == "too slow" else None
        return Workload(checks=len(checks), calls=calls, seconds=None, shares=shares, hung=hung)
    return Workload(checks=len(checks), calls=calls, seconds=seconds, shares=shares)


def _seconds_of_a_call(subject: AnySubject) -> float:
    """Return how long a call takes, with what the suite does beside it."""
    taken = 0.0
    for steps in (_WARMING, _STEPS):
        scenario, began = nearest(subject.domain, replace(_TWO_PROVIDERS, horizon=steps)), monotonic()
        played = play_scenario(subject, scenario)
        # An `assign` and a `settle` for every step, which may be fewer within a domain.
        taken = (monotonic() - began) / (2 * max(len(played.events), 1))
        if taken * steps > _LONG:
            break
    return taken
