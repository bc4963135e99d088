"""One run in plain Python: the readable definition of an episode."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.arguments import number_of_queries
from mechanism.bidding import Bidder, BidderFactory, truthful_bidders
from mechanism.delays import DelayLaw
from mechanism.market.law_tables import LawTables
from mechanism.market.market import market_laws
from mechanism.platform import ConcurrentMechanism, Mechanism
from mechanism.policies import POLICIES, Policy
from mechanism.randomness import RandomStream, stream_generator
from mechanism.trace import NEVER_SETTLED, Trace


class Outcomes(Protocol):
    """Where scores and costs come from; `mechanism.market.market.Market` is one."""

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return score and cost if the provider serves the step."""

    def query_price(self, cost: float) -> float:
        """Return what a query of this cost is sold for."""


class OutcomeLaws(Protocol):
    """What the runs of a market share.

    `mechanism.market.market.MarketLaws` and `mechanism.answers.market.AnswerLaws` are two of them. Equal laws have
    equal hashes, descriptions, outcomes and tables.
    """

    def __hash__(self) -> int:
        """Return a hash of the contents."""

    def market(self, seed: int, run: int) -> Outcomes:
        """Return the potential outcomes of a run."""

    def tables(self) -> LawTables:
        """Return what the compiled episode reads."""

    def describe(self) -> dict[str, Any]:
        """Return plain data that state the market."""


def run_episode(
    mechanism: Mechanism,
    bidders: Sequence[Bidder],
    market: Outcomes,
    horizon: int,
    *,
    broken_off: Callable[[Trace], None] = lambda trace: None,
) -> Trace:
    """Run a mechanism with bidders on a market, query by query.

    Parameters
    ----------
    mechanism : Mechanism
        Fresh; it assigns and settles, and never sees a cost.
    bidders : sequence of Bidder
        Fresh, one per provider.
    market : Outcomes
        Potential scores and costs by step and provider.
    horizon : int
        T >= 1, the number of queries.
    broken_off : callable, optional
        Called with the trace of the settled queries, at least one, if an error or Ctrl-C ends the run before T: the
        error goes on after it.

    Returns
    -------
    Trace
        With costs. A payment that the mechanism leaves open (NaN) is the query price of the served provider. A
        mechanism with a method ``invoice(amount, query=None)`` receives this price before the query is settled.

    Raises
    ------
    InputError
        The horizon is not a whole number from 1.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> trace = simulate(setting, horizon=100, seed=0)
    >>> len(trace), trace.payment[:4].tolist()
    (100, [75.008, 75.008, 75.008, 75.008])
    """
    horizon = number_of_queries(horizon)
    served = np.empty(horizon, dtype=np.int64)
    payments, scores, bids, costs = (np.empty(horizon) for _ in range(4))
    invoice = getattr(mechanism, "invoice", None)
    row = 0
    try:
        for row in range(horizon):
            provider, payment = mechanism.assign()
            score, cost = market.outcome(row + 1, provider)
            bid = bidders[provider].observe(cost, score)
            if math.isnan(payment):
                payment = market.query_price(cost)
                if invoice is not None:
                    invoice(payment)
            mechanism.settle(score, bid)
            served[row], payments[row] = provider, payment
            scores[row], bids[row], costs[row] = score, bid, cost
    except BaseException:
        if row:
            broken_off(Trace(served[:row], payments[:row], scores[:row], bids[:row], costs[:row]))
        raise
    return Trace(served, payments, scores, bids, costs)


def run_concurrent_episode(
    mechanism: ConcurrentMechanism,
    bidders: Sequence[Bidder],
    market: Outcomes,
    settled: NDArray[np.int64],
    *,
    broken_off: Callable[[Trace], None] = lambda trace: None,
) -> Trace:
    """Run a mechanism whose queries are answered while later ones are assigned; parameters as of `run_episode`.

    Parameters
    ----------
    settled : array of int, shape (T,)
        When each query's score and bid arrive, see `Trace.settled`. Of those that arrive between the same two queries
        the earlier query comes first. What arrives after the last query is logged, and the mechanism never sees it; a
        query that never arrives is logged with the bid that its provider had left before.
    broken_off : callable, optional
        As for `run_episode`; of the queries that were assigned.

    Returns
    -------
    Trace
        With costs and `settled`.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.delays import DelayLaw
    >>> trace = simulate(published("gpqa-strong").setting, horizon=100, seed=0, delay=DelayLaw(most=3))
    >>> trace.settled[:3].tolist()
    [4, 5, 6]
    """
    horizon = len(settled)
    served = np.empty(horizon, dtype=np.int64)
    payments, scores, costs = (np.empty(horizon) for _ in range(3))
    bids, standing = np.zeros(horizon), [0.0] * len(bidders)
    invoice = getattr(mechanism, "invoice", None)
    invoiced: set[int] = set()
    waiting: list[tuple[int, int]] = []

    def arrive(until: int) -> None:
        while waiting and waiting[0][0] < until:
            _, step = heapq.heappop(waiting)
            provider = int(served[step - 1])
            bids[step - 1] = standing[provider] = bidders[provider].observe(costs[step - 1], scores[step - 1])
            if until <= horizon:
                if invoice is not None and step in invoiced:
                    invoice(float(payments[step - 1]), step)
                mechanism.settle(float(scores[step - 1]), standing[provider], step)

    assigned = 0
    try:
        for step in range(1, horizon + 1):
            arrive(step)
            provider, payment = mechanism.assign()
            scores[step - 1], cost = market.outcome(step, provider)
            served[step - 1], costs[step - 1] = provider, cost
            if math.isnan(payment):
                payment = market.query_price(cost)
                invoiced.add(step)
            payments[step - 1] = payment
            assigned = step
            if settled[step - 1] == NEVER_SETTLED:
                bids[step - 1] = standing[provider]
            else:
                heapq.heappush(waiting, (int(settled[step - 1]), step))
    except BaseException:
        arrive(NEVER_SETTLED)
        if assigned:
            # Beyond the assigned queries the columns are undefined.
            done = slice(assigned)
            broken_off(Trace(served[done], payments[done], scores[done], bids[done], costs[done], settled[done]))
        raise
    arrive(NEVER_SETTLED)
    return Trace(served, payments, scores, bids, costs, settled)


def simulate(
    setting: Setting,
    *,
    horizon: int,
    seed: int,
    run: int = 0,
    policy: Policy = POLICIES["platform"],
    bidders: BidderFactory = truthful_bidders,
    laws: OutcomeLaws | None = None,
    delay: DelayLaw | None = None,
) -> Trace:
    """Run one episode of a setting; the same (seed, run) means the same market for every policy.

    Parameters
    ----------
    setting : Setting
    horizon : int
        T >= 1.
    seed, run : int
        Key of the market, of the platform's draws and of the bidders' draws.
    policy : Policy, optional
        Default the platform.
    bidders : callable, optional
        Factory of the bidders; default truthful.
    laws : OutcomeLaws, optional
        Laws or recorded generations; default `mechanism.market.market.market_laws`.
    delay : DelayLaw, optional
        How many queries are in flight; default none: feedback comes before the next query.

    Returns
    -------
    Trace
        With `settled` where a delay is given.
    """
    source: OutcomeLaws = market_laws(setting) if laws is None else laws
    rng = stream_generator(seed, run, RandomStream.PLATFORM)
    players = bidders(setting, stream_generator(seed, run, RandomStream.BIDDERS))
    market = source.market(seed, run)
    if delay is None:
        return run_episode(policy.make(setting, rng), players, market, horizon)
    settled = delay.settled(horizon, stream_generator(seed, run, RandomStream.DELAYS))
    return run_concurrent_episode(policy.make(setting, rng, concurrent=True), players, market, settled)
