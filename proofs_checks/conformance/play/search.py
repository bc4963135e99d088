"""Searching scenarios for a failure with Hypothesis, which also shrinks what it finds."""

from __future__ import annotations

import contextlib
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from proofs_checks.conformance.check import Effort, Outcome, Run
from proofs_checks.conformance.play.interaction import BrokenOffError, Interaction, play
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.subject import MechanismError, Subject
from proofs_checks.conformance.report.failure import Failure, failure_at

if TYPE_CHECKING:
    import hypothesis
    from hypothesis.strategies import SearchStrategy

#: Interactions that shrinking may play after a first failure: enough for a small one, and soon over.
SHRINKING = 400


@dataclass(frozen=True)
class Probe:
    """What one scenario says: how many comparisons were made, and the first failure."""

    compared: int
    failure: Failure | None = None


#: Looks at an interaction; it may play counterfactuals of it.
Find = Callable[[Subject, Interaction], Probe]


def searching(find: Find, families: Mapping[str, Callable[[], SearchStrategy[Scenario]]], share: float = 1.0) -> Run:
    """Return the run of a check that searches families of scenarios one after another.

    Parameters
    ----------
    find : callable
    families : mapping
        From a name to a function that returns a strategy for scenarios.
    share : float, optional
        Of the effort's examples: less for searches whose examples are long.
    """

    def run(subject: Subject, seed: int, effort: Effort) -> Outcome:
        examples = compared = 0
        for name, family in families.items():
            search = _Search(subject, find, round(share * effort.examples))
            search.run(family(), seed_of(seed, name))
            examples, compared = examples + search.examples, compared + search.compared
            if search.failure is not None:
                return Outcome(examples, compared, search.failure)
        return Outcome(examples, compared)

    return run


def quiet_settings(max_examples: int, **others: Any) -> hypothesis.settings:
    """Return settings that generate and shrink, print and store nothing, and know no deadline."""
    import hypothesis

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


class _Search:
    """One search: counts, and the smallest failure so far."""

    def __init__(self, subject: Subject, find: Find, max_examples: int) -> None:
        self._subject, self._find, self._max_examples = subject, find, max_examples
        self.examples = self.compared = 0
        self.failure: Failure | None = None
        self._left = SHRINKING

    def run(self, family: SearchStrategy[Scenario], seed: int) -> None:
        import hypothesis

        quiet = quiet_settings(self._max_examples)
        test = hypothesis.seed(seed)(quiet(hypothesis.given(family)(self._try)))
        # Flaky: the mechanism answered the same scenario differently; the failure was seen all the same.
        with contextlib.suppress(_FailedError, Enough, hypothesis.errors.Flaky), warnings.catch_warnings():
            # Of the repr of a long scenario, which nobody prints.
            warnings.simplefilter("ignore", hypothesis.errors.HypothesisWarning)
            test()

    def _try(self, scenario: Scenario) -> None:
        if self.failure is not None:
            self._left -= 1
            if self._left < 0:
                raise Enough
        self.examples += 1
        probe = examine(self._subject, scenario, self._find)
        self.compared += probe.compared
        if probe.failure is None:
            return
        if self.failure is None or probe.failure.size < self.failure.size:
            self.failure = probe.failure
        # Every smaller example of a call that never returns would take the whole time limit again.
        raise Enough if probe.failure.misbehaviour == "too slow" else _FailedError


def examine(subject: Subject, scenario: Scenario, find: Find) -> Probe:
    """Play a scenario and look at it; a mechanism that fails to answer is a failure at that step."""
    try:
        interaction = play(subject, scenario)
    except BrokenOffError as error:
        return _unanswered(error.interaction, error)
    try:
        return find(subject, interaction)
    except MechanismError as error:
        # It answered the first time: whatever the check changed made it fail.
        return _unanswered(interaction, error)


def _unanswered(interaction: Interaction, error: MechanismError) -> Probe:
    failure = failure_at(interaction, len(interaction.events) + 1, error.message)
    return Probe(1, replace(failure, message=error.message, misbehaviour=error.kind))
