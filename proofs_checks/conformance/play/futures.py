"""Futures: what a provider earns from a step on under a strategy, against rivals that bid and score as they like."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from mechanism.bidding import Bidder, DeviatingBidder, Deviation, FixedBidder, TruthfulBidder
from proofs_checks.conformance.play.deviations import hair_of
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.scenario import Query
from proofs_checks.conformance.play.subject import Subject

#: Steps that are played from the one in question on: horizons T = t, ..., t + STEPS - 1.
STEPS = 10


@dataclass(frozen=True)
class Rivals:
    """How the rivals go on.

    Parameters
    ----------
    skipped : int
        Queries of the scenario that each of them leaves out.
    bid : float or None
        What they bid, as a share of c_max; None for the amounts of the scenario.

    Examples
    --------
    >>> Rivals(bid=0.5).answer(Query(score=1.0, cost=0.25), cost_bound=2.0)
    (1.0, 1.0)
    """

    skipped: int = 0
    bid: float | None = None

    def answer(self, query: Query, cost_bound: float) -> tuple[float, float]:
        """Return score and bid of a rival's query."""
        if self.bid is not None:
            return query.score, self.bid * cost_bound
        return query.score, query.cost if isinstance(query.bid, str) else query.bid


#: As the scenario has it, otherwise, and at both ends: theta_-i and sigma_-i of the theorem.
RIVALS = (Rivals(), Rivals(skipped=1), Rivals(bid=0.0), Rivals(bid=1.0))


@dataclass(frozen=True, eq=False)
class Position:
    """A provider that has just served, and chooses how to bid from now on.

    Parameters
    ----------
    subject : Subject
    interaction : Interaction
    step : int
        t: the next step; the provider is the one that served before it.
    """

    subject: Subject
    interaction: Interaction
    step: int

    @cached_property
    def provider(self) -> int:
        """Who chooses."""
        return self.interaction.events[self.step - 2].provider

    @property
    def bound(self) -> float:
        """The cost bound c_max."""
        return self.interaction.config.cost_bound

    @cached_property
    def hair(self) -> float:
        """How far bids must be apart to count as different."""
        return hair_of(self.interaction.config)

    @cached_property
    def critical(self) -> float | None:
        """min{P, c_max} at the step, if the rules hold an auction that the provider is in against rivals."""
        decision = self.interaction.only_auction(self.step)
        if decision is None or decision.lone or self.provider not in decision.eligible:
            return None
        return float(decision.payments[self.provider])

    @cached_property
    def estimate(self) -> float:
        """The provider's cost estimate before the step."""
        return self.interaction.cost_estimate(self.provider, self.step)

    def future(self, bidder: Bidder, rivals: Rivals) -> Future:
        """Play on under a strategy of the provider, which has seen nothing yet."""
        interaction, provider = self.interaction, self.provider
        bids, estimates = self._observing(bidder), self._observing(TruthfulBidder(self.bound))
        served = Counter(interaction.providers[: self.step - 1])
        past = [*interaction.settlements[: self.step - 2], (interaction.events[self.step - 2].score, bids.latest)]
        mechanism = self.subject.start(interaction.config, interaction.scenario.seed)
        for settlement in past:
            mechanism.assign()
            mechanism.settle(*settlement)
        settlements, services = [past[-1]], []
        for _ in range(STEPS):
            winner, payment = mechanism.assign()
            own = winner == provider
            query = interaction.scenario.query(winner, served[winner] + (0 if own else rivals.skipped))
            served[winner] += 1
            services.append((payment, estimates.latest) if own else None)
            if own:
                bids.see(query.cost, query.score)
                estimates.see(query.cost, query.score)
            settlements.append((query.score, bids.latest) if own else rivals.answer(query, self.bound))
            mechanism.settle(*settlements[-1])
        return Future(len(past), tuple(settlements), tuple(services))

    def _observing(self, bidder: Bidder) -> _Observing:
        observing = _Observing(bidder)
        for event in self.interaction.events[: self.step - 1]:
            if event.provider == self.provider:
                observing.see(event.cost, event.score)
        return observing


class _Observing:
    """A bidder and its latest bid."""

    def __init__(self, bidder: Bidder) -> None:
        self._bidder, self.latest = bidder, 0.0

    def see(self, cost: float, score: float) -> None:
        """Let the bidder see a query that it served."""
        self.latest = self._bidder.observe(cost, score)


@dataclass(frozen=True)
class Future:
    """How it went on.

    Parameters
    ----------
    changed : int
        The step at which the strategy left its first bid.
    settlements : tuple of (float, float)
        Score and bid from that step on.
    services : tuple of ((float, float) or None)
        Payment and cost estimate at each later step, None where somebody else served.

    Examples
    --------
    >>> future = Future(2, ((1.0, 0.25), (1.0, 0.25)), ((0.5, 0.25), None, (0.125, 0.25)))
    >>> future.utilities, future.worst, future.horizon
    ((0.25, 0.25, 0.125), 0.125, 5)
    """

    changed: int
    settlements: tuple[tuple[float, float], ...]
    services: tuple[tuple[float, float] | None, ...]

    @property
    def bid(self) -> float:
        """The first bid of the strategy."""
        return self.settlements[0][1]

    @cached_property
    def utilities(self) -> tuple[float, ...]:
        """The sums of payment minus cost estimate up to each horizon."""
        gains = (0.0 if service is None else service[0] - service[1] for service in self.services)
        return tuple(itertools.accumulate(gains))

    @cached_property
    def worst(self) -> float:
        """The least utility over all horizons."""
        return min(self.utilities)

    @property
    def horizon(self) -> int:
        """The first horizon with the least utility."""
        return self.changed + 1 + self.utilities.index(self.worst)


StrategyMaker = Callable[[Position], Bidder | None]


def _around(hairs: int) -> StrategyMaker:
    def make(position: Position) -> Bidder | None:
        bid = None if position.critical is None else position.critical + hairs * position.hair
        return None if bid is None or not 0 <= bid <= position.bound else FixedBidder(bid)

    return make


def _shifted(down: float, up: float) -> StrategyMaker:
    """Return the mean cost shifted to one side, or to both in turn."""

    def make(position: Position) -> Bidder:
        pattern: Deviation = "extremes" if down and up else "under" if down else "over"
        return DeviatingBidder(
            TruthfulBidder(position.bound),
            down * position.bound,
            up * position.bound,
            np.random.default_rng(0),
            pattern,
            position.bound,
        )

    return make


#: Strategies that deviate from the cost estimate; None where one makes no sense.
DEVIATIONS: Mapping[str, StrategyMaker] = MappingProxyType(
    {
        "0": lambda position: FixedBidder(0.0),
        "c_max": lambda position: FixedBidder(position.bound),
        "the critical payment less a hair": _around(-2),
        "the critical payment and a hair": _around(2),
        "its mean cost less c_max/4": _shifted(0.25, 0.0),
        "its mean cost plus c_max/8": _shifted(0.0, 0.125),
        "0 or c_max at random": _shifted(1.0, 1.0),
    }
)


def truthful(position: Position) -> Bidder:
    """Return the strategy that bids the cost estimate (eq:truthful-strategy)."""
    return TruthfulBidder(position.bound)
