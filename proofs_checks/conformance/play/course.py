"""What the rules prescribe beside a scenario that is played, and what its queries yield, step by step.

Both depend on the scenario and on who serves, not on what is paid. Many checks play the same scenario, and most
mechanisms choose alike each time: what was computed for the last play of a scenario is known in the next, as far as the
same providers serve.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.scenario import Providers, Scenario
from proofs_checks.oracle.rule_oracle import Decision, RuleOracle, oracle_beside

#: Scenarios whose last play is kept, and steps of one; longer ones are played by a single check.
_SCENARIOS, _STEPS = 512, 250


class CourseStep(NamedTuple):
    """A step: what the rules prescribed, in every reading that rounding leaves open, who served, what came of it."""

    decisions: tuple[Decision, ...]
    provider: int
    score: float
    cost: float
    bid: float


class Course:
    """The course of one play of a scenario, which receives step by step who serves.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import Query, usual_config
    >>> queries = (Query(score=1.0, cost=0.25),), (Query(score=1.0, cost=0.5),)
    >>> course = Course(Scenario(usual_config(n_providers=2), 0, queries, horizon=3), None)
    >>> course.serve(1).bid, course.step, course.decisions()[0].providers
    (0.5, 2, (0,))
    """

    def __init__(self, scenario: Scenario, in_flight: DelayLaw | None) -> None:
        self._scenario, self._in_flight = scenario, in_flight
        self._last = _last_course(scenario, in_flight)
        self._known, self._taken = self._last.steps, list[CourseStep]()
        #: What computes, from the step on that is not known.
        self._beside: tuple[RuleOracle, Providers] | None = None

    @property
    def step(self) -> int:
        """The step that comes next, from 1."""
        return len(self._taken) + 1

    def decisions(self) -> tuple[Decision, ...]:
        """Return what the rules prescribe at the next step."""
        known = self._known_step()
        return self._computing()[0].decisions() if known is None else known.decisions

    def serve(self, provider: int) -> CourseStep:
        """Take who serves the next step, and return what was prescribed and what comes of it."""
        step = self._known_step()
        if step is None or step.provider != provider:
            oracle, providers = self._computing()
            decisions = oracle.decisions()
            step = CourseStep(decisions, provider, *providers.serve(provider, oracle))
            oracle.settle(provider, step.score, step.bid)
        self._taken.append(step)
        return step

    def keep(self) -> None:
        """Let the next play of the scenario know what was computed in this one."""
        if self._beside is not None and len(self._taken) <= _STEPS:
            self._last.steps = tuple(self._taken)

    def _known_step(self) -> CourseStep | None:
        if self._beside is None and len(self._taken) < len(self._known):
            return self._known[len(self._taken)]
        return None

    def _computing(self) -> tuple[RuleOracle, Providers]:
        """Return what computes the next step, which has received all before it."""
        if self._beside is None:
            scenario = self._scenario
            oracle, providers = oracle_beside(scenario.config, scenario.seed, self._in_flight), Providers(scenario)
            for step in self._taken:
                providers.serve(step.provider, oracle)
                oracle.settle(step.provider, step.score, step.bid)
            self._beside = oracle, providers
        return self._beside


class _LastCourse:
    """The steps of the play of a scenario that was kept last."""

    steps: tuple[CourseStep, ...] = ()


@functools.lru_cache(maxsize=_SCENARIOS)
def _last_course(scenario: Scenario, in_flight: DelayLaw | None) -> _LastCourse:
    return _LastCourse()
