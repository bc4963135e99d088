"""Whole interactions with a mechanism as a Hypothesis state machine: each rule decides what happens to the next query.

Histories that no family of scenarios foresees are made of rules chosen at random, and shrink rule by rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from hypothesis import reject, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from hypothesis.strategies import SearchStrategy

from mechanism.config import MechanismConfig
from proofs_checks.conformance.play.any_mechanism import AnyMechanism, PlayedInteraction
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.scenario import NO_EXPLORATION, critical_bid
from proofs_checks.conformance.play.subject import Factory, Subject
from proofs_checks.conformance.report.decided import mistaken
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.oracle.rule_oracle import oracle_beside
from proofs_checks.oracle.step_rules import breaches

#: Fractions of c_max that are bid: ties are the ordinary case.
_LEVELS = st.sampled_from([0.5, 0.0, 1.0, 0.25]) | st.floats(0.0, 1.0)
_HIGH, _LOW = st.sampled_from([1.0, 0.9]), st.sampled_from([0.0, 0.25])
_ULPS = st.sampled_from([0, -1, 1])
_MOST_IN_A_BURST = 12
_LONG_BURST = 30
_MOST_PROVIDERS = 4
#: What each provider scores usually: nothing in half of the draws, so that nobody is eligible soon.
_USUAL = st.tuples(*[st.just(0.0)] * _MOST_PROVIDERS) | st.tuples(*[st.sampled_from([0.0, 1.0])] * _MOST_PROVIDERS)


def configurations() -> SearchStrategy[MechanismConfig]:
    """Return a strategy for configurations under which short interactions meet every rule.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(configurations(), lambda config: config.belief_slack > 0).n_providers
    2
    """
    return st.builds(
        MechanismConfig,
        n_providers=st.integers(2, _MOST_PROVIDERS),
        quality_threshold=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
        confidence=st.sampled_from([0.99, 0.05]),
        cost_bound=st.sampled_from([1.0, 102.4, 0.001]),
        exploration_scale=st.sampled_from([NO_EXPLORATION, 0.7, 1.7, 2.0]),
        exploration_exponent=st.sampled_from([0.5, 0.75]),
        belief_slack=st.sampled_from([0.0, 0.0, 1.0]),
    )


class BrokenRuleError(AssertionError):
    """A mechanism broke a rule of Algorithm 1, or did not answer; `failure` has the history that leads there."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class InteractionMachine(RuleBasedStateMachine):
    """The machine; `mechanism_machine` makes a class of it for a mechanism."""

    subject: AnySubject

    def __init__(self) -> None:
        super().__init__()
        self.settlements: list[tuple[float, float]] = []
        self.providers: list[int] = []
        self.answers = 0
        self.provider, self.payment = -1, 0.0
        #: Whether the interaction has come to its end before the machine has: outside the domain, or by an error.
        self.ended = False

    @initialize(config=configurations(), seed=st.integers(0, 2**16), usual=_USUAL)
    def begin(self, config: MechanismConfig, seed: int, usual: Sequence[float]) -> None:
        """Start a mechanism; `usual` is what each provider scores unless a rule says otherwise."""
        config = self.subject.domain.config(config)
        self.usual = [usual[i % len(usual)] for i in range(config.n_providers)]
        self.config, self.seed = config, seed
        self.oracle = oracle_beside(config, seed, self.subject.in_flight)
        self.bids = [config.cost_bound] * config.n_providers
        try:
            self.mechanism: AnyMechanism = self.subject.start(config, seed)
        except MechanismError as error:
            self._unanswered(error)
        else:
            self._assign()

    @rule(score=_HIGH, level=_LEVELS)
    def good_answer(self, score: float, level: float) -> None:
        """Settle with a high score and a new bid."""
        self.settle(score, level * self.config.cost_bound)

    @rule(score=_LOW, level=_LEVELS)
    def poor_answer(self, score: float, level: float) -> None:
        """Settle with a low score and a new bid."""
        self.settle(score, level * self.config.cost_bound)

    @rule(score=st.sampled_from([1.0, 0.0, 0.5]))
    def same_bid(self, score: float) -> None:
        """Settle with the bid that the provider left last; the first time c_max."""
        self.settle(score, self.bids[self.provider])

    @rule(score=_HIGH | _LOW, ulps=_ULPS)
    def critical_bid(self, score: float, ulps: int) -> None:
        """Settle with the bid that will be the provider's critical payment, give or take an ulp."""
        if not self.ended:
            self.settle(score, critical_bid(self.oracle, self.provider, score, ulps, self.bids[self.provider]))

    @rule(level=_LEVELS, times=st.integers(1, _MOST_IN_A_BURST))
    def usual_answers(self, level: float, times: int) -> None:
        """Settle several steps with the same bid and the usual scores: providers drop out, or stay alone."""
        for _ in range(times):
            self.settle(self.usual[self.provider], level * self.config.cost_bound)

    @rule(score=_HIGH | _LOW, level=_LEVELS, times=st.integers(2, _MOST_IN_A_BURST))
    def burst(self, score: float, level: float, times: int) -> None:
        """Settle several steps alike, whoever serves."""
        for _ in range(times):
            self.settle(score, level * self.config.cost_bound)

    @rule(level=_LEVELS)
    def long_burst(self, level: float) -> None:
        """Settle many steps with the same bid and the usual scores."""
        self.usual_answers(level, _LONG_BURST)

    def settle(self, score: float, bid: float) -> None:
        """Settle the query of the provider that was assigned, and assign the next one."""
        if self.ended:
            return
        score = self.subject.domain.score(score)
        self.settlements.append((score, bid))
        self.providers.append(self.provider)
        self.bids[self.provider] = bid
        try:
            self.mechanism.settle(score, bid)
        except MechanismError as error:
            self._unanswered(error)
            return
        self.oracle.settle(self.provider, score, bid)
        self._assign()

    def left(self, error: MechanismError) -> None:
        """End the interaction, where that is not a failure: outside the domain, or after a known error."""
        self.ended = True

    def broken(self, failure: Failure) -> NoReturn:
        """Raise a `BrokenRuleError` of what was found."""
        raise BrokenRuleError(failure)

    def _assign(self) -> None:
        """Take the next answer, and compare it with what the rules prescribe."""
        try:
            self.provider, self.payment = self.mechanism.assign()
        except MechanismError as error:
            self._unanswered(error)
            return
        self.answers += 1
        for breach in breaches(self.oracle.decisions(), self.provider, self.payment, self.oracle.money_rounding)[:1]:
            seen = mistaken(self.oracle, breach, self.provider, self.payment)
            message = f"step {self.oracle.step}: {breach}{seen}"
            details = {"expected": breach.expected, "found": breach.found, "rule": breach.rule}
            self.broken(self._failure(message, **details))

    def _failure(self, message: str, **details: Any) -> Failure:
        history = tuple(self.settlements), tuple(self.providers)
        played = PlayedInteraction(self.config, self.seed, *history, self.subject.in_flight)
        return Failure(**vars(played), message=message, **details)

    def _unanswered(self, error: MechanismError) -> None:
        if error.is_outside or self.subject.is_told(error):
            self.left(error)
        else:
            self.broken(self._failure(error.message, misbehaviour=error.kind))


def machine_of(subject: AnySubject) -> type[InteractionMachine]:
    """Return the state machine of a mechanism whose calls are guarded already; see `mechanism_machine`."""
    return type("InteractionMachine", (InteractionMachine,), {"subject": subject, "__module__": __name__})


def mechanism_machine(factory: Factory) -> type[InteractionMachine]:
    """Return a state machine that interacts with a mechanism and compares each answer with Algorithm 1 (alg:platform).

    It starts the mechanism under a drawn configuration; each rule then settles a query (a high or a low score, the
    same bid again, a bid at the critical payment give or take an ulp, a burst of equal settlements), and the next
    answer must be one that the rules allow. Subclasses may add rules, which call `settle(score, bid)`, and
    invariants.

    Parameters
    ----------
    factory : callable
        From (configuration, numpy.random.Generator) to an object with `assign` and `settle`.

    Returns
    -------
    type
        A `hypothesis.stateful.RuleBasedStateMachine`; it raises `BrokenRuleError`, which names the rule.

    Examples
    --------
    In a test module, ``TestMyMechanism = mechanism_machine(my_factory).TestCase`` is all that is needed.

    >>> from hypothesis import settings
    >>> from hypothesis.stateful import run_state_machine_as_test
    >>> from mechanism.platform import reference_mechanism
    >>> machine = mechanism_machine(reference_mechanism)
    >>> run_state_machine_as_test(machine, settings=settings(max_examples=5, database=None, deadline=None))
    """
    machine = machine_of(Subject(factory, getattr(factory, "__qualname__", type(factory).__name__)))
    # A mechanism that answers nothing does not pass: Hypothesis tells that it found no example.
    return type("InteractionMachine", (machine,), {"left": lambda self, error: reject(), "__module__": __name__})
