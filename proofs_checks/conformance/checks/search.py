"""Searching scenarios for a failure with Hypothesis, which also shrinks what it finds."""

from __future__ import annotations

import contextlib
import functools
import math
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import hypothesis

from proofs_checks.conformance.checks.check import Run
from proofs_checks.conformance.checks.scratch_storage import scratch_storage
from proofs_checks.conformance.descriptions import SuiteEffort
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.domain import Domain
from proofs_checks.conformance.play.errors import COSTLY, MechanismError
from proofs_checks.conformance.play.interaction import BrokenOffError, Interaction, play_scenario
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.subject import seeded_global_randomness
from proofs_checks.conformance.play.watched import LeftDomainError
from proofs_checks.conformance.report.failure import Failure, failure_at
from proofs_checks.conformance.report.report import CheckOutcome
from proofs_checks.conformance.strategies.scenarios import FAMILIES
from proofs_checks.conformance.strategies.within import Family, within

#: Interactions that shrinking may play after a first failure: enough for a small one, and soon over.
SHRINKING = 400
#: Discarded scenarios are replaced, up to so many times the examples of a family.
_REPLACED = 3
#: The share of its examples that a check must be left with.
LEAST_LEFT = 0.25
#: A family is left when so many scenarios have ended in an error before anything could be compared.
_IN_VAIN = 5
#: What the seeds of these families are made of: names may change, the scenarios of a seed do not.
_SEED_TEXTS = MappingProxyType(
    {"quality drop": "fading", "near threshold": "brink", "long run": "long", "band edge": "steered"}
)


@dataclass(frozen=True)
class Probe:
    """What one scenario says: how many comparisons were made, and the first failure."""

    compared: int
    failure: Failure | None = None
    #: How the mechanism said that the scenario lies outside its domain: nothing of it counts.
    outside: str = ""
    #: Whether it ended in an error that another check has told.
    broken_off: bool = False
    #: That it ended so at a step which the check is about: its failure, if no such step is ever answered.
    unanswered: Failure | None = None


#: Looks at an interaction; it may play counterfactuals of it.
Find = Callable[[AnySubject, Interaction], Probe]


def first_failure(comparisons: Iterable[Failure | None], subject: AnySubject) -> Probe:
    """Count comparisons up to the first that fails, or as long as there is time; each that holds is None."""
    compared = 0
    for compared, failure in enumerate(comparisons, 1):
        if failure is not None:
            return Probe(compared, failure)
        if subject.is_late:
            break
    return Probe(compared)


def searching(find: Find, families: Sequence[str] | Mapping[str, Family], share: float = 1.0) -> Run:
    """Return the run of a check that searches families of scenarios one after another: of `FAMILIES`, or its own.

    `share` is of the effort's examples: less for searches whose examples are long.
    """
    chosen = families if isinstance(families, Mapping) else {name: FAMILIES[name] for name in families}

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        search, each = _Search(subject, find), _examples(round(share * effort.examples))
        for place, (name, family) in enumerate(chosen.items()):
            search.subject = subject.with_part(len(chosen) - place)
            search.run(family, seed_of(seed, _SEED_TEXTS.get(name, name)), each)
            if search.failure is not None:
                break
        return search.outcome(planned=each * len(chosen))

    return run


def followed_by(search: Run, compare: Callable[[AnySubject], Probe]) -> Run:
    """Return a search that makes one more comparison where it finds nothing."""

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        found = search(subject, seed, effort)
        if found.failure is not None:
            return found
        probe = compare(subject)
        compared = found.compared + probe.compared
        return replace(found, examples=found.examples + 1, compared=compared, failure=probe.failure)

    return run


def _examples(wanted: int) -> int:
    return max(3, wanted)


def quiet_settings(max_examples: int, **others: Any) -> hypothesis.settings:
    """Return settings that generate and shrink, print and store nothing, and know no deadline."""
    return hypothesis.settings(
        max_examples=_examples(max_examples),
        database=None,
        deadline=None,
        derandomize=False,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
        **others,
    )


def seed_of(seed: int, name: str) -> int:
    """Return the seed of one search of a run."""
    return zlib.crc32(f"{seed} {name}".encode())


#: How a scenario came out; a failure is open if a right mechanism may have another history before it.
_Outcome = Literal["passed", "discarded", "failed", "open"]


class _FailedError(Exception):
    """Tells Hypothesis that an example fails."""


class Enough(BaseException):
    """Ends a search that is late, or has shrunk enough; no `Exception`, so that Hypothesis lets it through."""


class Findings:
    """What a search has found so far: how much was tried, and the smallest failure.

    So many comparisons after the first failure end the search, as `SHRINKING` interactions do.
    """

    def __init__(self, subject: AnySubject, most_compared: float = math.inf) -> None:
        self.subject = subject
        self.examples = self.compared = 0
        self.failure: Failure | None = None
        self.discarded = self.broken_off = 0
        self.outside = ""
        self.unanswered: Failure | None = None
        self._left, self._most_compared = SHRINKING, most_compared

    def limit(self) -> None:
        """End the search if shrinking has taken its share, or if it is late and has played one interaction.

        To be called before every interaction.
        """
        if self.subject.is_late and self.examples:
            raise Enough
        if self.failure is not None:
            self._left -= 1
            if self._left < 0 or self.compared > self._most_compared:
                raise Enough

    def take(self, failure: Failure) -> bool:
        """Keep a failure if it is the smallest, and return whether it is."""
        smallest = self.failure is None or failure.size < self.failure.size
        if self.failure is None:
            self._most_compared += self.compared
        if smallest:
            self.failure = failure
        if failure.misbehaviour in COSTLY:
            # Every smaller example would take the whole time limit again, or another process.
            raise Enough
        return smallest

    def discard(self, outside: str) -> None:
        """Count an interaction that lies outside the mechanism's domain, as it says."""
        if self.failure is None:  # what shrinking tries is no scenario of the check
            self.discarded += 1
            self.outside = self.outside or outside

    def passes_over(self, error: MechanismError) -> bool:
        """Count an error outside the domain or reported already, and return whether it was one of these."""
        if error.is_outside and not isinstance(error, LeftDomainError):
            self.discard(error.message)
        self.broken_off += self.subject.is_told(error)
        return error.is_outside or self.subject.is_told(error)

    def miss(self, unanswered: Failure | None) -> None:
        """Keep the smallest of the failures to answer a step that the check is about."""
        if unanswered is not None and (self.unanswered is None or unanswered.size < self.unanswered.size):
            self.unanswered = unanswered

    def outcome(self, planned: int) -> CheckOutcome:
        """Return what was found of so many interactions that were planned."""
        never = None if self.compared else self.unanswered
        return CheckOutcome(
            examples=self.examples,
            compared=self.compared + (never is not None),
            failure=self.failure or never,
            discarded=self.discarded,
            outside=self.outside,
            broken_off=self.broken_off,
            too_little=bool(self.discarded) and self.examples < LEAST_LEFT * planned,
        )


def _run_search(try_one: Callable[[Scenario], None], family: Family, domain: Domain, seed: int, most: int) -> None:
    """Let Hypothesis try scenarios of a family, and smaller ones once one fails; errors of `try_one` come through."""
    test = hypothesis.seed(seed)(quiet_settings(most)(hypothesis.given(within(domain, family))(try_one)))
    with scratch_storage(), warnings.catch_warnings():
        # Of the repr of a long scenario, which nobody prints.
        warnings.simplefilter("ignore", hypothesis.errors.HypothesisWarning)
        test()


@functools.lru_cache(maxsize=128)
def _scenarios(family: Family, domain: Domain, seed: int, most: int) -> tuple[Scenario, ...]:
    """Return the scenarios that a search tries as long as none fails: checks that search a family alike share them."""
    found: list[Scenario] = []

    def keep(scenario: Scenario) -> None:
        found.append(scenario)

    with contextlib.suppress(hypothesis.errors.Unsatisfiable):
        _run_search(keep, family, domain, seed, most)
    return tuple(found)


class _Search(Findings):
    """A search of families of scenarios; of each discarded ones are replaced, up to a number of them."""

    def __init__(self, subject: AnySubject, find: Find) -> None:
        super().__init__(subject)
        self._find = find
        #: Of the family at hand: scenarios that were tried before Hypothesis tries them, and how each came out.
        self._tried: list[tuple[Scenario, _Outcome]] = []
        #: Of it: when it has discarded enough, or was broken off often enough without a comparison more than before.
        self._most_discarded = self._most_broken_off = self._compared_before = 0

    def run(self, family: Family, seed: int, most: int) -> None:
        """Try the scenarios that are drawn for all checks; where one fails, Hypothesis goes on from there.

        So it does where one is discarded: it draws another one. After an open failure the others are tried as well.
        """
        domain, self._tried = self.subject.domain, []
        self._most_discarded, self._most_broken_off = self.discarded + _REPLACED * most, self.broken_off + _IN_VAIN
        self._compared_before = self.compared
        # Flaky: the mechanism answered the same scenario differently; the failure was seen all the same.
        # Unsatisfiable: every scenario was discarded.
        expected = (_FailedError, Enough, hypothesis.errors.Flaky, hypothesis.errors.Unsatisfiable)
        with contextlib.suppress(*expected):
            for scenario in _scenarios(family, domain, seed, most):
                with seeded_global_randomness(0):  # as Hypothesis has it
                    outcome = self._outcome(scenario)
                self._tried.append((scenario, outcome))
                if outcome in ("discarded", "failed"):
                    break
            if any(outcome != "passed" for _, outcome in self._tried):
                self._tried.reverse()  # the next one is the last
                _run_search(self._try, family, domain, seed, most)

    def _try(self, scenario: Scenario) -> None:
        if self._tried and self._tried[-1][0] == scenario:
            _, outcome = self._tried.pop()
        else:
            self._tried.clear()
            outcome = self._outcome(scenario)
        if outcome == "discarded":
            hypothesis.reject()
        if outcome == "failed" or (outcome == "open" and not (self.failure and self.failure.portable)):
            raise _FailedError

    def _outcome(self, scenario: Scenario) -> _Outcome:
        self.limit()
        probe = examine(self.subject, scenario, self._find)
        if probe.outside:
            self.discard(probe.outside)
            if self.discarded >= self._most_discarded:
                raise Enough
            return "discarded"
        self.examples += 1
        self.compared += probe.compared
        self.broken_off += probe.broken_off
        self.miss(probe.unanswered)
        if self.broken_off >= self._most_broken_off and self.compared == self._compared_before:
            raise Enough
        if probe.failure is not None:
            self.take(probe.failure)
            return "failed" if probe.failure.portable else "open"
        return "passed"


def examine(subject: AnySubject, scenario: Scenario, find: Find) -> Probe:
    """Play a scenario and look at it; a mechanism that fails to answer is a failure at that step.

    If a check has reported such a failure already, others look at what was answered before it.
    """
    broken_off = False
    try:
        interaction = play_scenario(subject, scenario)
    except BrokenOffError as error:
        if error.is_outside or not subject.is_told(error):
            return _ended(error.interaction, error)
        interaction, broken_off = error.interaction, True
    try:
        probe = find(subject, interaction)
    except MechanismError as error:
        # It answered the first time: whatever the check changed made it fail.
        return Probe(0, broken_off=True) if subject.is_told(error) else _ended(interaction, error)
    return replace(probe, broken_off=broken_off)


def _ended(interaction: Interaction, error: MechanismError) -> Probe:
    if error.is_outside:
        # Where the scenario itself lies inside, what a check changed of it leads out: nothing is compared.
        return Probe(0) if isinstance(error, LeftDomainError) else Probe(0, outside=error.message)
    failure = failure_at(interaction, len(interaction.events) + 1, error.message, misbehaviour=error.kind)
    return Probe(1, replace(failure, message=error.message))
