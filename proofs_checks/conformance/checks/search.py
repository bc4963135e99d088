"""Searching scenarios for a failure with Hypothesis, which also shrinks what it finds."""

from __future__ import annotations

import contextlib
import math
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import hypothesis
from hypothesis.strategies import SearchStrategy

from proofs_checks.conformance.checks.check import CheckOutcome, Run, SuiteEffort
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import BrokenOffError, Interaction, play_scenario
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.subject import COSTLY, MechanismError
from proofs_checks.conformance.report.failure import Failure, failure_at

#: Interactions that shrinking may play after a first failure: enough for a small one, and soon over.
SHRINKING = 400
#: What the seeds of these families are made of: names may change, the scenarios of a seed do not.
_SEED_TEXTS = MappingProxyType({"quality drop": "fading", "near threshold": "brink", "long run": "long"})


@dataclass(frozen=True)
class Probe:
    """What one scenario says: how many comparisons were made, and the first failure."""

    compared: int
    failure: Failure | None = None


#: Looks at an interaction; it may play counterfactuals of it.
Find = Callable[[AnySubject, Interaction], Probe]


def first_failure(comparisons: Iterable[Failure | None]) -> Probe:
    """Count comparisons up to the first that fails; each is None if it holds.

    Examples
    --------
    >>> first_failure(iter([None, None])).compared
    2
    """
    compared = 0
    for compared, failure in enumerate(comparisons, 1):
        if failure is not None:
            return Probe(compared, failure)
    return Probe(compared)


def searching(find: Find, families: Mapping[str, Callable[[], SearchStrategy[Scenario]]], share: float = 1.0) -> Run:
    """Return the run of a check that searches families of scenarios one after another.

    `share` is of the effort's examples: less for searches whose examples are long.
    """

    def run(subject: AnySubject, seed: int, effort: SuiteEffort) -> CheckOutcome:
        examples = compared = 0
        for name, family in families.items():
            search = _FamilySearch(subject, find)
            search.run(family(), seed_of(seed, _SEED_TEXTS.get(name, name)), round(share * effort.examples))
            examples, compared = examples + search.examples, compared + search.compared
            if search.failure is not None:
                return CheckOutcome(examples=examples, compared=compared, failure=search.failure)
        return CheckOutcome(examples=examples, compared=compared)

    return run


def quiet_settings(max_examples: int, **others: Any) -> hypothesis.settings:
    """Return settings that generate and shrink, print and store nothing, and know no deadline."""
    return hypothesis.settings(
        max_examples=max(3, max_examples),
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


class _FailedError(Exception):
    """Tells Hypothesis that an example fails."""


class Enough(BaseException):
    """Ends a search whose shrinking has taken its share; no `Exception`, so that Hypothesis lets it through."""


class Findings:
    """What a search has found so far: how much was tried, and the smallest failure.

    So many comparisons after the first failure end the search, as `SHRINKING` interactions do.
    """

    def __init__(self, most_compared: float = math.inf) -> None:
        self.examples = self.compared = 0
        self.failure: Failure | None = None
        self._left, self._most_compared = SHRINKING, most_compared

    def limit_shrinking(self) -> None:
        """End the search if shrinking has taken its share; to be called before every interaction."""
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


class _FamilySearch(Findings):
    """A search of one family of scenarios."""

    def __init__(self, subject: AnySubject, find: Find) -> None:
        super().__init__()
        self._subject, self._find = subject, find

    def run(self, family: SearchStrategy[Scenario], seed: int, max_examples: int) -> None:
        test = hypothesis.seed(seed)(quiet_settings(max_examples)(hypothesis.given(family)(self._try)))
        # Flaky: the mechanism answered the same scenario differently; the failure was seen all the same.
        with contextlib.suppress(_FailedError, Enough, hypothesis.errors.Flaky), warnings.catch_warnings():
            # Of the repr of a long scenario, which nobody prints.
            warnings.simplefilter("ignore", hypothesis.errors.HypothesisWarning)
            test()

    def _try(self, scenario: Scenario) -> None:
        self.limit_shrinking()
        self.examples += 1
        probe = examine(self._subject, scenario, self._find)
        self.compared += probe.compared
        if probe.failure is not None:
            self.take(probe.failure)
            raise _FailedError


def examine(subject: AnySubject, scenario: Scenario, find: Find) -> Probe:
    """Play a scenario and look at it; a mechanism that fails to answer is a failure at that step."""
    try:
        interaction = play_scenario(subject, scenario)
    except BrokenOffError as error:
        return _unanswered(error.interaction, error)
    try:
        return find(subject, interaction)
    except MechanismError as error:
        # It answered the first time: whatever the check changed made it fail.
        return _unanswered(interaction, error)


def _unanswered(interaction: Interaction, error: MechanismError) -> Probe:
    failure = failure_at(interaction, len(interaction.events) + 1, error.message, misbehaviour=error.kind)
    return Probe(1, replace(failure, message=error.message))
