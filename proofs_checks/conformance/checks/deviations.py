"""Deviations: one standing bid of an interaction is another, and the same mechanism answers once more.

A deviation is judged where nothing but the bid can explain another answer: either no decision lies between the bid and
the step that is looked at, or the answer is the outcome of an auction, which no earlier draw can move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from mechanism.config import MechanismConfig
from proofs_checks.claims.model.alternative_bids import alternative_bids
from proofs_checks.conformance.play.any_mechanism import Answer, Told
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import Interaction, answers_with_bids, told
from proofs_checks.conformance.report.failure import Failure, are_forced, failure_at
from proofs_checks.oracle.rule_oracle import Decision, money_rounding, oracle_beside

T = TypeVar("T")

#: Later steps are not looked at: every deviation is a replay from the start.
LATEST = 40
#: Two bids count as different if they are this many times the rounding of money apart, or more.
_ROUNDINGS_BETWEEN_BIDS = 1_000


def bid_separation(config: MechanismConfig) -> float:
    """Return how far two bids must be apart to count as different, in money; no rounding bridges it.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> round(bid_separation(usual_config(n_providers=2, cost_bound=4.0)), 9)
    4e-06
    """
    return _ROUNDINGS_BETWEEN_BIDS * money_rounding(config)


@dataclass(frozen=True, eq=False)
class Standpoint:
    """A provider before a step of an interaction: what it knows, and what it may choose from."""

    subject: AnySubject
    interaction: Interaction
    #: The step at which the provider leaves the bid behind that it may choose: its last service before `step`.
    changed: int
    #: The step that is looked at, after initialization.
    step: int

    @cached_property
    def provider(self) -> int:
        """Who chooses."""
        return self.interaction.events[self.changed - 1].provider

    @property
    def bound(self) -> float:
        """The cost bound c_max."""
        return self.interaction.config.cost_bound

    @cached_property
    def separation(self) -> float:
        """How far bids must be apart to count as different."""
        return bid_separation(self.interaction.config)

    @cached_property
    def estimate(self) -> float:
        """The provider's cost estimate at the step: the mean of its costs so far."""
        return self.interaction.cost_estimate(self.provider, self.step)

    @cached_property
    def critical(self) -> float | None:
        """min{P, c_max} at the step, if the rules hold an auction that the provider is in against rivals."""
        return self.interaction.contested_payment(self.provider, self.step)

    @property
    def distant_critical(self) -> float | None:
        """`critical` where bids fit between it and the estimate, and between it and c_max; there (c) is strict."""
        critical, apart = self.critical, 2 * self.separation
        if critical is None or abs(self.estimate - critical) < apart or critical > self.bound - apart:
            return None
        return critical


@dataclass(frozen=True, eq=False)
class BidDeviation(Standpoint):
    """A provider whose standing bid at a step may be another; the same mechanism answers once more.

    Examples
    --------
    >>> from mechanism.platform import reference_mechanism
    >>> from proofs_checks.conformance.play.interaction import play_scenario
    >>> from proofs_checks.conformance.play.scenario import Query, Scenario, usual_config
    >>> from proofs_checks.conformance.play.subject import Subject
    >>> queries = (Query(score=1.0, cost=0.25),), (Query(score=1.0, cost=0.5),)
    >>> scenario = Scenario(usual_config(n_providers=2), 0, queries, horizon=3)
    >>> subject = Subject(reference_mechanism, "reference")
    >>> played = play_scenario(subject, scenario)
    >>> deviation = BidDeviation(subject, played, changed=1, step=3)
    >>> [deviation.wins(bid) for bid in (0.25, 0.4, 0.6)], round(deviation.gain(0.4), 9), deviation.gain(0.6)
    ([True, True, False], 0.25, 0.0)
    """

    _told: dict[float, Told] = field(default_factory=dict, repr=False, init=False)

    @property
    def fresh(self) -> bool:
        """Whether no decision lies between the bid and the step: initialization decides nothing."""
        arrival = self.interaction.arrival(self.changed)
        return arrival == self.step - 1 or self.step == self.interaction.config.n_providers + 1

    @cached_property
    def bid(self) -> float:
        """The bid as it was."""
        return self.interaction.events[self.changed - 1].bid

    @cached_property
    def rounding(self) -> float:
        """How far equal payments may be apart."""
        return money_rounding(self.interaction.config)

    def ask(self, bids: Iterable[float]) -> None:
        """Ask for the answers to some bids, which are to be looked at next: one wait serves them all."""
        new = [bid for bid in dict.fromkeys(bids) if bid not in self._told]
        if new:
            found = answers_with_bids(self.subject, self.interaction, new, changed=self.changed, step=self.step)
            self._told.update(zip(new, found, strict=True))

    def answer(self, bid: float) -> Answer | None:
        """Return the answer to another bid; None if somebody else serves in between: the history is another one."""
        self.ask((bid,))
        *before, answer = told(self._told[bid])
        same = tuple([provider for provider, _ in before]) == self.interaction.providers[: self.step - 1]
        return answer if same else None

    def wins(self, bid: float) -> bool | None:
        """Return whether the provider serves with a bid; None if the history would be another."""
        found = self.answer(bid)
        return None if found is None else found[0] == self.provider

    def payment(self, bid: float) -> float | None:
        """Return what the provider is paid with a bid; None if it does not serve."""
        found = self.answer(bid)
        return found[1] if found is not None and found[0] == self.provider else None

    def gain(self, bid: float) -> float:
        """Return payment minus cost estimate if the provider serves with a bid, else 0; meant for `fresh` ones."""
        payment = self.payment(bid)
        return 0.0 if payment is None else payment - self.estimate

    def forced(self, bid: float) -> bool:
        """Return whether the rules leave each step before the one looked at to the same provider, with another bid."""
        interaction, config = self.interaction, self.interaction.config
        oracle = oracle_beside(config, interaction.scenario.seed, interaction.in_flight)
        providers = interaction.providers[: self.step - 1]

        def decisions() -> Iterator[Sequence[Decision]]:
            for step, (served, (score, left)) in enumerate(zip(providers, interaction.settlements, strict=False), 1):
                yield oracle.decisions()
                oracle.settle(served, score, bid if step == self.changed else left)

        return are_forced(providers, decisions(), config.n_providers)

    def bids(self) -> tuple[float, ...]:
        """Return bids worth trying: the corners, and payments and rivals' bids plus and minus the separation."""
        event = self.interaction.events[self.step - 1]
        points = [event.payment, self.estimate, *self._standing_bids()]
        if (critical := self.critical) is not None:
            points += [critical, np.nextafter(critical, np.inf).item(), np.nextafter(critical, -np.inf).item()]
        return alternative_bids(self.bound, points, self.separation)

    def _standing_bids(self) -> Iterator[float]:
        for provider in range(self.interaction.config.n_providers):
            last = self.interaction.last_service(provider, self.step)
            if last is not None:
                yield self.interaction.events[last - 1].bid


def evenly_spaced(values: Sequence[T], most: int) -> list[T]:
    """Return at most so many of a sequence, evenly spaced, the first and the last among them.

    Examples
    --------
    >>> evenly_spaced(range(10), 4)
    [0, 3, 6, 9]
    """
    if len(values) <= most:
        return list(values)
    return [values[i] for i in np.linspace(0, len(values) - 1, most).round().astype(int).tolist()]


def sampled_steps(interaction: Interaction, most: int, latest: int = LATEST) -> list[int]:
    """Return steps after initialization up to `latest`, spread over the kinds of steps that the rules tell apart.

    There are at most `most` of them, or one of each kind if that is more.
    """
    by_kind: dict[object, list[int]] = {}
    for step in range(interaction.config.n_providers + 1, min(len(interaction.events), latest) + 1):
        decisions = interaction.decisions[step - 1]
        kind = (decisions[0].kind, decisions[0].lone) if len(decisions) == 1 else None
        by_kind.setdefault(kind, []).append(step)
    each = max(1, most // max(1, len(by_kind)))
    return sorted(step for steps in by_kind.values() for step in evenly_spaced(steps, each))


def fresh_deviations(subject: AnySubject, interaction: Interaction, most: int) -> Iterator[BidDeviation]:
    """Yield those without a decision between bid and step: who served last; right after initialization, anybody."""
    n = interaction.config.n_providers
    for step in sampled_steps(interaction, most):
        first = 1 if step == n + 1 else step - 1
        for changed in range(1, step):
            if not first <= interaction.arrival(changed) < step:
                continue
            provider = interaction.events[changed - 1].provider
            if interaction.last_service(provider, step) == changed:
                yield BidDeviation(subject, interaction, changed, step)


def winner_deviations(subject: AnySubject, interaction: Interaction, most: int) -> Iterator[BidDeviation]:
    """Yield the winners of steps, whenever they left their bid behind."""
    for step in sampled_steps(interaction, most):
        provider = interaction.events[step - 1].provider
        changed = interaction.last_service(provider, step)
        if changed is not None:
            yield BidDeviation(subject, interaction, changed, step)


def judged(
    deviation: BidDeviation, holds: bool, message: str, bids: Sequence[float], law: str, *, expected: Any, found: Any
) -> Failure | None:
    """Return the failure that replays with other bids show; None where the comparison holds.

    Parameters
    ----------
    bids : sequence of float
        The bids that are compared, at most two; the last is the deviation.
    law : str
        A Python expression that ought to be true of `answers` (pairs of provider and payment, one per bid), `gains`,
        `provider`, `estimate` and `rounding`.
    """
    if holds:
        return None
    last = deviation.answer(bids[-1])
    outcome = {} if last is None else {"wins": last[0] == deviation.provider, "payment": last[1]}
    failure = failure_at(
        deviation.interaction,
        deviation.step,
        message,
        expected=expected,
        found=found,
        deviation={"step": deviation.changed, "provider": deviation.provider, "bid": bids[-1], **outcome},
        ending=_ENDING.format(bids=list(bids), deviation=deviation, law=law),
    )
    return replace(failure, forced=failure.forced and all(map(deviation.forced, bids)))


_ENDING = """
# Once more, with provider {deviation.provider} having left other bids at step {deviation.changed}:
answers, changed = [], order.index({deviation.changed} - 1)
for bid in {bids!r}:
    history[changed] = (history[changed][0], bid)
    mechanism = factory(config, np.random.default_rng(seed))
    for step, (served, settlement) in enumerate(zip(providers, history), 1):
        follow(step, mechanism.assign()[0], served)
        mechanism.settle(*settlement)
    answers.append(mechanism.assign())
    print("bid", bid, "->", answers[-1])
provider, estimate, rounding = {deviation.provider}, {deviation.estimate!r}, {deviation.rounding!r}
gains = [payment - estimate if winner == provider else 0.0 for winner, payment in answers]
assert {law}
"""
