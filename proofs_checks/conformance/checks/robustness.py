"""thm:robust-dominant by search: strategies, rivals and horizons, from late steps as well as early ones.

A `Future` is what a provider earns from a step on under a strategy, against rivals that bid and score as they like.

The theorem takes infima over all horizons and rivals. A mechanism for which it holds satisfies it also on every set of
futures that has the shortest horizon, T = t: later steps cannot take from a truthful provider what it has by then.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from hypothesis.strategies import SearchStrategy

from mechanism.bidding import Bidder, DeviatingBidder, Deviation, FixedBidder, TruthfulBidder
from proofs_checks.conformance.checks.check import Check, check_of
from proofs_checks.conformance.checks.deviations import Standpoint
from proofs_checks.conformance.checks.search import Find, Probe, first_failure, searching
from proofs_checks.conformance.play.any_mechanism import Answer, Continued, Settlement
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import Interaction, told
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.report.failure import Failure, failure_at
from proofs_checks.conformance.strategies.scenarios import FAMILIES, auctions
from proofs_checks.oracle.rule_oracle import money_rounding

#: Steps that are played from the one in question on: horizons T = t, ..., t + STEPS - 1.
STEPS = 10
#: Steps by which late scenarios are longer: their last ones lie beyond what one-step checks look at.
_LATER = 50


@dataclass(frozen=True)
class Rivals:
    """How the rivals go on.

    Examples
    --------
    >>> Rivals(bid=0.5).answer(Query(score=1.0, cost=0.25), cost_bound=2.0)
    (1.0, 1.0)
    """

    #: Queries of the scenario that each of them leaves out.
    skipped: int = 0
    #: What they bid, as a share of c_max; None for the amounts of the scenario.
    bid: float | None = None

    def answer(self, query: Query, cost_bound: float) -> tuple[float, float]:
        """Return score and bid of a rival's query."""
        if self.bid is not None:
            return query.score, self.bid * cost_bound
        return query.score, query.cost if isinstance(query.bid, str) else query.bid


#: As the scenario has it, otherwise, and at both ends: theta_-i and sigma_-i of the theorem.
RIVALS = (Rivals(), Rivals(skipped=1), Rivals(bid=0.0), Rivals(bid=1.0))


class Position(Standpoint):
    """A provider that has just served, and chooses how to bid from now on: `changed` is the step before `step`."""

    def futures(self, courses: Iterable[tuple[Bidder, Rivals]]) -> Iterator[Future]:
        """Play on under strategies of the provider, which have seen nothing yet, against rivals."""
        plays, config = [self._play(*each) for each in courses], self.interaction.config
        found = self.subject.answers_after(config, self.interaction.scenario.seed, plays, STEPS)
        for (past, yields), answers in zip(plays, found, strict=True):
            yield self._future(past, yields, told(answers)[len(past) :])

    def _play(self, bidder: Bidder, rivals: Rivals) -> Continued:
        interaction, provider = self.interaction, self.provider
        first, *own_bids = self._latest_bids(bidder)
        past = [*interaction.settlements[: self.step - 2], (interaction.events[self.step - 2].score, first)]
        # What a query yields depends on its provider alone, not on who serves in between: all is known beforehand.
        yields = self._rivals_yield(rivals)
        yields[provider] = [(query.score, bid) for query, bid in zip(self._next_queries, own_bids, strict=True)]
        return past, yields

    def _future(
        self, past: Sequence[Settlement], yields: Sequence[Sequence[Settlement]], answers: Sequence[Answer]
    ) -> Future:
        provider = self.provider
        settled, estimated = [iter(each) for each in yields], iter(self.estimates)
        return Future(
            len(past),
            yields,
            (past[-1], *[next(settled[winner]) for winner, _ in answers]),
            tuple([(payment, next(estimated)) if winner == provider else None for winner, payment in answers]),
        )

    @cached_property
    def _served(self) -> Counter[int]:
        """How often each provider has served before the step."""
        return Counter(self.interaction.providers[: self.step - 1])

    @cached_property
    def _seen(self) -> list[tuple[float, float]]:
        """Cost and score of each query that the provider has served before the step."""
        events = self.interaction.events[: self.step - 1]
        return [(event.cost, event.score) for event in events if event.provider == self.provider]

    @cached_property
    def _next_queries(self) -> list[Query]:
        return self._queries(self.provider, self._served[self.provider])

    def _queries(self, provider: int, served: int) -> list[Query]:
        """Return the queries that a provider serves next, after so many earlier ones."""
        return [self.interaction.scenario.query(provider, served + later) for later in range(STEPS)]

    def _latest_bids(self, bidder: Bidder) -> list[float]:
        """Return what a strategy bids at the step, and after each of the provider's next queries."""
        before = [bidder.observe(cost, score) for cost, score in self._seen]
        return [before[-1], *[bidder.observe(query.cost, query.score) for query in self._next_queries]]

    @cached_property
    def estimates(self) -> list[float]:
        """The mean of the provider's costs at the step, and after each of its next queries."""
        return self._latest_bids(TruthfulBidder(self.bound))

    def _rivals_yield(self, rivals: Rivals) -> list[list[Settlement]]:
        """Return score and bid of every provider's next queries, if all of them are rivals."""
        providers = range(self.interaction.config.n_providers)
        queries = [self._queries(i, self._served[i] + rivals.skipped) for i in providers]
        return [[rivals.answer(query, self.bound) for query in own] for own in queries]


@dataclass(frozen=True)
class Future:
    """How it went on.

    Examples
    --------
    >>> future = Future(2, (), ((1.0, 0.25), (1.0, 0.25)), ((0.5, 0.25), None, (0.125, 0.25)))
    >>> future.utilities, future.worst, future.horizon
    ((0.25, 0.25, 0.125), 0.125, 5)
    """

    #: The step at which the strategy left its first bid.
    changed: int
    #: What the next queries of each provider yield after that step: score and bid.
    yields: Sequence[Sequence[Settlement]]
    #: Score and bid from that step on.
    settlements: tuple[tuple[float, float], ...]
    #: Payment and cost estimate at each later step, None where somebody else served.
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


def _around(separations: int) -> StrategyMaker:
    def make(position: Position) -> Bidder | None:
        bid = None if position.critical is None else position.critical + separations * position.separation
        return None if bid is None or not 0 <= bid <= position.bound else FixedBidder(bid)

    return make


def _shifted(down: float, up: float) -> StrategyMaker:
    """Return the mean cost shifted to one side, or to both in turn."""

    def make(position: Position) -> Bidder:
        pattern: Deviation = "extremes" if down and up else "under" if down else "over"
        return DeviatingBidder(
            TruthfulBidder(position.bound),
            underbid=down * position.bound,
            overbid=up * position.bound,
            rng=np.random.default_rng(0),
            pattern=pattern,
            cost_bound=position.bound,
        )

    return make


#: Strategies that deviate from the cost estimate; None where one makes no sense.
DEVIATIONS: Mapping[str, StrategyMaker] = MappingProxyType(
    {
        "0": lambda position: FixedBidder(0.0),
        "c_max": lambda position: FixedBidder(position.bound),
        "slightly less than the critical payment": _around(-2),
        "slightly more than the critical payment": _around(2),
        "its mean cost less c_max/4": _shifted(0.25, 0.0),
        "its mean cost plus c_max/8": _shifted(0.0, 0.125),
        "0 or c_max at random": _shifted(1.0, 1.0),
    }
)


def truthful(position: Position) -> Bidder:
    """Return the strategy that bids the cost estimate (eq:truthful-strategy)."""
    return TruthfulBidder(position.bound)


#: Rivals against which deviations are played as well; truthful bidding is played against all.
_FEW = RIVALS[:2]

_Compare = Callable[[Position, float], Iterator[Failure | None]]


def _positions(subject: AnySubject, interaction: Interaction) -> list[Position]:
    """Return the middle step and the last two: positions that each have the history before them."""
    first, last = interaction.config.n_providers + 1, len(interaction.events)
    steps = dict.fromkeys([(first + last) // 2, last - 1, last])
    return [Position(subject, interaction, step - 1, step) for step in steps if step >= first]


def _comparing(compare: _Compare) -> Find:
    def find(subject: AnySubject, interaction: Interaction) -> Probe:
        rounding = STEPS * money_rounding(interaction.config)
        positions = _positions(subject, interaction)
        return first_failure((each for position in positions for each in compare(position, rounding)), subject)

    return find


def _worst(futures: Iterable[Future]) -> Future:
    """Return the future with the least utility."""
    return min(futures, key=lambda future: future.worst)


def _no_loss(position: Position, rounding: float) -> Iterator[Failure | None]:
    """(i): a truthful provider's utility is nowhere negative."""
    for future in position.futures((truthful(position), rivals) for rivals in RIVALS):
        if not any(future.services):
            continue
        law = "worst[0] >= -rounding"
        holds = future.worst >= -rounding
        message = (
            f"provider {position.provider} bids its mean cost from step {future.changed} on and has earned "
            f"{future.worst:.12g} by step {future.horizon}: a loss"
        )
        yield _judged(position, holds, message, [future], law, expected="at least 0", found=future.worst)


def _deviations(position: Position, margin: float) -> Iterator[tuple[str, Future, Future]]:
    """Yield every deviating strategy, its worst future and that of truthful bidding, where either serves a query.

    Other rivals are not tried once its utility is truthful bidding's and the margin, or less.
    """
    usual, *others = _FEW
    # A bidder has a memory: every future starts with a new one.
    honest = _worst(position.futures((truthful(position), rivals) for rivals in _FEW))
    bidders = {name: bidder for name, make in DEVIATIONS.items() if (bidder := make(position))}
    begun = position.futures((bidder, usual) for bidder in bidders.values())
    futures = {name: [future] for name, future in zip(bidders, begun, strict=True)}
    for rivals in others:
        for name, own in futures.items():
            if _worst(own).worst > honest.worst + margin and (bidder := DEVIATIONS[name](position)):
                own += position.futures([(bidder, rivals)])
    for name, own in futures.items():
        if any(any(future.services) for future in [honest, *own]):
            yield name, _worst(own), honest


def _worst_case(position: Position, rounding: float) -> Iterator[Failure | None]:
    """(ii): no strategy has a better worst case than truthful bidding."""
    for name, deviating, honest in _deviations(position, rounding):
        law = "worst[1] <= worst[0] + rounding"
        holds = deviating.worst <= honest.worst + rounding
        message = (
            f"provider {position.provider} bids {name} from step {deviating.changed} on and earns at least "
            f"{deviating.worst:.12g} up to any horizon; with its mean cost only {honest.worst:.12g} up to step "
            f"{honest.horizon}"
        )
        expected = f"at most {honest.worst!r}"
        yield _judged(position, holds, message, [honest, deviating], law, expected=expected, found=deviating.worst)


def _strict(position: Position, rounding: float) -> Iterator[Failure | None]:
    """(iii): a strategy whose bid lies on the other side of the critical payment has a worse worst case."""
    critical, estimate, separation = position.distant_critical, position.estimate, position.separation
    if critical is None:
        return
    for name, deviating, honest in _deviations(position, -rounding):
        if (deviating.bid - critical) * (estimate - critical) >= 0 or abs(deviating.bid - critical) < separation:
            continue
        law = "worst[1] < worst[0] - rounding"
        holds = deviating.worst <= honest.worst - rounding
        truthful, worst = f"{honest.worst:.12g}", f"{deviating.worst:.12g}"
        earned = "as much" if worst == truthful else f"{worst}, not less than {truthful}"
        message = (
            f"provider {position.provider} should earn less, in the worst case, if it bids {name} from step "
            f"{deviating.changed} on than with its mean cost {estimate:.12g}, but earns {earned}; the critical payment "
            f"{critical:.12g} lies between"
        )
        expected = f"less than {honest.worst!r}"
        yield _judged(position, holds, message, [honest, deviating], law, expected=expected, found=deviating.worst)


def _judged(
    position: Position, holds: bool, message: str, futures: Sequence[Future], law: str, *, expected: str, found: float
) -> Failure | None:
    """Return the failure that futures show; None where their comparison holds."""
    if holds:
        return None
    last = futures[-1]
    rounding = STEPS * money_rounding(position.interaction.config)
    provider = position.provider
    ending = _ENDING.format(
        futures=[(future.settlements[0], future.yields) for future in futures],
        estimates=position.estimates,
        changed=last.changed,
        provider=provider,
        rounding=rounding,
        law=law,
    )
    deviation = {
        "step": last.changed,
        "provider": provider,
        "bid": last.bid,
        "wins": last.services[0] is not None,
        "settlements": [list(pair) for pair in last.settlements],
        "utilities": list(last.utilities),
    }
    return failure_at(
        position.interaction, position.step, message, expected=expected, found=found, deviation=deviation, ending=ending
    )


_ENDING = """
# Strategy by strategy: score and bid of step {changed}, and what the next queries of each provider yield.
futures = {futures!r}
estimates = {estimates!r}  # of its cost, which provider {provider} has at each of its services
worst = []
for settlement, yields in futures:
    mechanism = factory(config, np.random.default_rng(seed))
    for step, (served, earlier) in enumerate(zip(providers, history[: {changed} - 1]), 1):
        follow(step, mechanism.assign()[0], served)
        mechanism.settle(*earlier)
    follow({changed}, mechanism.assign()[0], {provider})
    left, estimated = [iter(own) for own in yields], iter(estimates)
    utility, utilities = 0.0, []
    for _ in yields[0]:
        mechanism.settle(*settlement)
        winner, payment = mechanism.assign()
        utility += payment - next(estimated) if winner == {provider} else 0.0
        utilities.append(utility)
        settlement = next(left[winner])
    worst.append(min(utilities))
    print("utilities by horizon:", utilities)
rounding = {rounding!r}
assert {law}
"""


def _late() -> SearchStrategy[Scenario]:
    """Return a strategy for auctions that have gone on for long."""
    return auctions(horizon=30).map(lambda scenario: replace(scenario, horizon=scenario.horizon + _LATER))


def _check(name: str, compare: _Compare, share: float) -> Check:
    families = {"auctions": auctions, "exploring": FAMILIES["exploring"], "late": _late}
    return check_of(name, searching(_comparing(compare), families, share))


ROBUST_CHECKS: tuple[Check, ...] = (
    _check("robust-no-loss", _no_loss, share=1.6),
    _check("robust-worst-case", _worst_case, share=1.0),
    _check("robust-strict", _strict, share=0.7),
)
