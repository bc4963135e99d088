"""Algorithm 1 as a table of its parts: replacing one of them gives a rule that differs in one thing.

Written from the formulas of the paper, apart from `mechanism.rules` and from the gallery of broken mechanisms; tests
hold the table to `rule_oracle`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from mechanism.config import MechanismConfig
from proofs_checks.oracle.rule_oracle import ROUNDING, exact_in_floats, money_rounding


@dataclass
class Log:
    """What has been settled before a step; lists are by provider."""

    config: MechanismConfig
    step: int = 1
    counts: list[int] = field(default_factory=list)
    scores: list[list[float]] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    bids: list[list[float]] = field(default_factory=list)
    #: Of these, how many steps a rulebook took for explorations, and the sum of their scores.
    explored: list[int] = field(default_factory=list)
    explored_sums: list[float] = field(default_factory=list)
    #: Whether the rulebook that was asked last takes the next step for an exploration.
    explores: bool = False
    #: Who served last, and who was found not eligible at some earlier step.
    last: int = -1
    excluded: set[int] = field(default_factory=set)
    #: Queries assigned, whether or not their feedback is there, and the counts one step ago.
    assigned: list[int] = field(default_factory=list)
    counts_before: list[int] = field(default_factory=list)
    #: Who served, query by query.
    served: list[int] = field(default_factory=list)
    #: Which query left each of the bids, and whether it was taken for an exploration.
    queries: list[list[int]] = field(default_factory=list)
    was_explored: list[list[bool]] = field(default_factory=list)
    #: Whether the rulebook that was asked last takes the next step for an auction, and who won the last one.
    holds_auction: bool = False
    last_winner: int = -1
    #: How many were eligible at this step and at the one before, as the rulebook found that was asked last.
    eligible_now: int = 0
    eligible_before: int = 0
    #: A list that a rulebook keeps from step to step.
    kept: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = self.config.n_providers
        self.counts, self.sums = [0] * n, [0.0] * n
        self.assigned, self.counts_before = [0] * n, [0] * n
        self.queries, self.was_explored = [[] for _ in range(n)], [[] for _ in range(n)]
        self.eligible_now = self.eligible_before = n
        self.explored, self.explored_sums = [0] * n, [0.0] * n
        self.scores, self.bids = [[] for _ in range(n)], [[] for _ in range(n)]

    @property
    def providers(self) -> range:
        """The indices of all providers."""
        return range(self.config.n_providers)

    def waiting(self, provider: int) -> int:
        """Return how many queries of a provider are in flight."""
        return self.assigned[provider] - self.counts[provider]

    def settle(self, provider: int, score: float, bid: float) -> None:
        """Take what a step left behind, at once."""
        self.learn(self.assign(provider, score, bid))

    def assign(self, provider: int, score: float, bid: float) -> Feedback:
        """Take who serves the next query; return what will be heard of it."""
        feedback = Feedback(self.step, provider, score, bid, self.explores)
        if self.holds_auction:
            self.last_winner = provider
        self.explores = self.holds_auction = False
        self.eligible_before = self.eligible_now
        self.counts_before[:] = self.counts
        self.assigned[provider] += 1
        self.served.append(provider)
        self.last, self.step = provider, self.step + 1
        return feedback

    def learn(self, feedback: Feedback) -> None:
        """Take what is heard of a query."""
        provider = feedback.provider
        self.counts[provider] += 1
        self.sums[provider] += feedback.score
        self.scores[provider].append(feedback.score)
        self.bids[provider].append(feedback.bid)
        self.queries[provider].append(feedback.query)
        self.was_explored[provider].append(feedback.explored)
        if feedback.explored:
            self.explored[provider] += 1
            self.explored_sums[provider] += feedback.score


class Feedback(NamedTuple):
    """What is heard of a query: who served it, its score and the bid, and whether it was taken for an exploration."""

    query: int
    provider: int
    score: float
    bid: float
    explored: bool


#: Takes what has arrived of a query into a log.
Hears = Callable[[Log, Feedback], None]


#: A number of one provider; who of a list may serve or set a price; what a winner is paid.
OfProvider = Callable[["Rulebook", Log, int], float]
OfEligible = Callable[["Rulebook", Log, list[int]], list[int]]
Paid = Callable[["Rulebook", Log, int, list[int]], float]


@dataclass(frozen=True, kw_only=True)
class Rulebook:
    """The parts of Algorithm 1, each a function of the whole, the log and a provider (or the eligible ones).

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> log = Log(usual_config(n_providers=2))
    >>> log.settle(0, 1.0, 0.25)
    >>> log.settle(1, 1.0, 0.5)
    >>> Rulebook().allows(log, 0, 0.5), Rulebook().allows(log, 1, 0.25), Rulebook().allows(log, 0, 0.25)
    (True, False, False)
    """

    #: What beta takes the logarithm of, and what it divides by, at a count.
    inside: OfProvider = lambda book, log, m: (
        2 * math.pi**2 * log.config.n_providers * m**2 / (3 * log.config.confidence)
    )
    divisor: OfProvider = lambda book, log, m: 2 * m
    #: The count that the radius is taken at, and the one that g(t) is compared with.
    count: OfProvider = lambda book, log, i: log.counts[i]
    tally: OfProvider = lambda book, log, i: log.counts[i]
    estimate: OfProvider = lambda book, log, i: log.sums[i] / log.counts[i]
    #: What is compared with the quality threshold.
    hoped: OfProvider = lambda book, log, i: book.estimate(book, log, i) + book.radius(log, i)
    eligible: OfEligible = lambda book, log, able: able
    goal: Callable[[Log], float] = lambda log: (
        log.config.exploration_scale * (log.step / log.config.n_providers) ** log.config.exploration_exponent
    )
    #: Who is asked whether it is under-sampled, and who of the eligible and of the under-sampled may be explored.
    contested: OfEligible = lambda book, log, able: able
    explored_of: Callable[[Rulebook, Log, list[int], list[int]], list[int]] = lambda book, log, able, under: under
    #: Who of the under-sampled, of all with nobody eligible, of the eligible in an auction may serve.
    explored: OfEligible = lambda book, log, under: under
    drawn: OfEligible = lambda book, log, everybody: everybody
    winners: OfEligible = lambda book, log, able: book.least(log, able)
    bid: OfProvider = lambda book, log, i: log.bids[i][-1]
    #: Cost radius in the index, and in the critical payment.
    width: OfProvider = lambda book, log, i: book.cost_radius(log, i)
    price_width: OfProvider = lambda book, log, i: book.cost_radius(log, i)
    index: OfProvider = lambda book, log, i: book.bid(book, log, i) - book.width(book, log, i)
    #: Who sets the price, and what of their adjusted bids does.
    rivals: Callable[[Rulebook, Log, int, list[int]], list[int]] = lambda book, log, i, able: [
        j for j in able if j != i
    ]
    best_rival: Callable[[list[float]], float] = min
    critical: Paid = lambda book, log, i, able: book.price(log, i, able)
    #: What is paid at each kind of step.
    paid: Paid = lambda book, log, i, able: min(book.critical(book, log, i, able), log.config.cost_bound)
    paid_lone: Paid | None = None
    paid_exploring: Paid = lambda book, log, i, able: log.config.cost_bound
    paid_empty: Paid = lambda book, log, i, able: log.config.cost_bound
    paid_initially: Paid = lambda book, log, i, able: log.config.cost_bound
    #: Whether an auction is held among all when nobody is eligible.
    auctions_empty: bool = False
    #: Steps of initialization, as a multiple of N.
    rounds: int = 1
    #: Who may serve while everybody is served once.
    initial: OfEligible = lambda book, log, fresh: fresh
    #: Returns what takes feedback that arrives late; it may keep some of it.
    hearing: Callable[[], Hears] = lambda: Log.learn

    def beta(self, log: Log, m: float) -> float:
        """Return the confidence radius at a count."""
        return math.sqrt(max(math.log(self.inside(self, log, m)), 0.0) / self.divisor(self, log, m))  # type: ignore[arg-type]

    def radius(self, log: Log, i: int) -> float:
        """Return a provider's confidence radius."""
        return self.beta(log, self.count(self, log, i))

    def cost_radius(self, log: Log, i: int) -> float:
        """Return (1 + gamma) c_max beta(m)."""
        return (1 + log.config.belief_slack) * log.config.cost_bound * self.radius(log, i)

    def least(self, log: Log, able: list[int]) -> list[int]:
        """Return who attains the least index, within rounding."""
        found = {i: self.index(self, log, i) for i in able}
        most = min(found.values()) + money_rounding(log.config)
        return [i for i, value in found.items() if value <= most]

    def price(self, log: Log, i: int, able: list[int]) -> float:
        """Return the critical payment P of a provider; infinite without a rival."""
        rivals = [self.index(self, log, j) for j in self.rivals(self, log, i, able)]
        return self.price_width(self, log, i) + self.best_rival(rivals) if rivals else math.inf

    def allows(self, log: Log, provider: int, payment: float) -> bool:
        """Return whether a provider may serve the next step for a payment; a step on a knife edge allows anything."""
        return self.judged(log, provider, payment) is not False

    def judged(self, log: Log, provider: int, payment: float) -> bool | None:
        """Return whether an answer keeps the rules; None where rounding decides it."""
        found = self.prescribed(log, provider)
        if found is None:
            return None
        return bool(found.may_serve and abs(payment - found.payment) <= money_rounding(log.config))

    def prescribed(self, log: Log, provider: int) -> Prescribed | None:
        """Return what the rules say of a provider that serves the next step; None where rounding decides it.

        None, too, while nothing has arrived of some provider: few changes of the rules say what then becomes of it.
        """
        n = log.config.n_providers
        if log.step <= self.rounds * n:
            fresh = [i for i in log.providers if log.assigned[i] < (log.step - 1) // n + 1]
            served = self.initial(self, log, fresh)
            return Prescribed("initialization", provider in served, self.paid_initially(self, log, provider, fresh))
        if not all(log.counts):
            return None
        margins = [self.hoped(self, log, i) - log.config.quality_threshold for i in log.providers]
        if any(abs(margin) <= ROUNDING for margin in margins):
            return None
        able = self.eligible(self, log, [i for i, margin in enumerate(margins) if margin > 0])
        log.excluded.update(i for i in log.providers if i not in able)
        log.eligible_now = len(able)
        if not able and not self.auctions_empty:
            drawn = self.drawn(self, log, list(log.providers))
            return Prescribed("empty", provider in drawn, self.paid_empty(self, log, provider, able))
        return self._contested(log, provider, able or list(log.providers))

    def _contested(self, log: Log, provider: int, able: list[int]) -> Prescribed | None:
        asked = self.contested(self, log, able)
        goal, tallies = self.goal(log), [self.tally(self, log, i) for i in asked]
        edge = ROUNDING * max(1.0, goal)
        if any(abs(tally - goal) <= edge for tally in tallies) and not exact_in_floats(log.config, log.step):
            return None
        under = [i for i, tally in zip(asked, tallies, strict=True) if tally < goal]
        may = self.explored_of(self, log, able, under)
        log.explores, log.holds_auction = bool(may), not may
        if may:
            served = self.explored(self, log, may)
            return Prescribed("exploration", provider in served, self.paid_exploring(self, log, provider, able))
        lone = len(able) == 1
        paid = self.paid_lone if lone and self.paid_lone is not None else self.paid
        payment = paid(self, log, provider, able)
        return Prescribed("lone" if lone else "auction", provider in self.winners(self, log, able), payment)


@dataclass(frozen=True, kw_only=True)
class AnyEligible(Rulebook):
    """Algorithm 1 with whichever providers eligible would make an answer right, chosen anew at every step.

    A price below c_max shows a winner and a rival, which must be in order, and enough served: that two bids fit by
    chance is improbable. It says nothing of payments of c_max, which an exploration or a lone provider may take, nor
    where Algorithm 1 lets the same provider serve: a wrong price alone is no sign of other providers.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> log = Log(usual_config(n_providers=2, exploration_scale=0.01, quality_threshold=1.0))
    >>> log.settle(0, 0.0, 0.25)
    >>> log.settle(1, 0.0, 0.5)
    >>> AnyEligible().judged(log, 0, 0.5), AnyEligible().judged(log, 0, 0.4), AnyEligible().judged(log, 1, 0.25)
    (None, False, False)
    """

    def judged(self, log: Log, provider: int, payment: float) -> bool | None:
        """Return whether an auction among some providers answers so; None where that would say too little."""
        if log.step <= self.rounds * log.config.n_providers or not all(log.counts):
            return super().judged(log, provider, payment)
        if abs(payment - log.config.cost_bound) <= money_rounding(log.config):
            return None
        if not any(self._auctions(log, provider, rival, payment) for rival in log.providers if rival != provider):
            return False
        found = self.prescribed(log, provider)
        return None if found is not None and found.may_serve else True

    def _auctions(self, log: Log, winner: int, rival: int, payment: float) -> bool:
        """Return whether an auction between two providers may end so."""
        slack, goal = money_rounding(log.config), self.goal(log)
        in_order = self.index(self, log, winner) <= self.index(self, log, rival) + slack
        served = min(log.counts[winner], log.counts[rival]) >= goal - ROUNDING * max(1.0, goal)
        return in_order and served and abs(payment - self.paid(self, log, winner, [winner, rival])) <= slack


@dataclass(frozen=True)
class Prescribed:
    """What a rulebook says of a provider at a step: the kind of step, whether it may serve, and what it is paid."""

    kind: str
    may_serve: bool
    payment: float


#: Algorithm 1 itself.
PLAIN = Rulebook()
