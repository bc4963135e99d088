"""Rulebooks that err where feedback is late: what is credited to whom, and what counts before it has arrived."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from proofs_checks.conformance.diagnosis.rulebook import PLAIN, Feedback, Hears, Log, Rulebook
from proofs_checks.conformance.diagnosis.variants import Variant

_ORDER = ("overtaking-feedback", "lost-feedback", "eligibility", "state-estimates", "standing-bids")
_COUNTS = ("critical-payment", "index-minimizer", "eligibility", "exploration-set", *_ORDER)


def _credited_to_the_last(log: Log, feedback: Feedback) -> None:
    log.learn(feedback._replace(provider=log.last))


def _credited_in_order() -> Hears:
    """Return what credits feedback to the provider of the query that has waited longest."""
    heard: set[int] = set()

    def hears(log: Log, feedback: Feedback) -> None:
        longest = next(query for query in range(1, log.step) if query not in heard)
        heard.add(longest)
        log.learn(feedback._replace(provider=log.served[longest - 1]))

    return hears


def _dropped_if_overtaken() -> Hears:
    latest = 0

    def hears(log: Log, feedback: Feedback) -> None:
        nonlocal latest
        if feedback.query > latest:
            latest = feedback.query
            log.learn(feedback)

    return hears


def _held_for_the_earlier() -> Hears:
    """Return what holds feedback back until that of every earlier query is there."""
    held: list[Feedback] = []
    due = 1

    def hears(log: Log, feedback: Feedback) -> None:
        nonlocal due
        heapq.heappush(held, feedback)
        while held and held[0].query == due:
            log.learn(heapq.heappop(held))
            due += 1

    return hears


def _assigned(book: Rulebook, log: Log, i: int) -> float:
    """Return a count that includes the queries in flight."""
    return log.counts[i] + log.waiting(i)


def _waiting_scored(score: float) -> Any:
    """Return an estimate that takes queries in flight for answers of a score."""
    return lambda book, log, i: (log.sums[i] + score * log.waiting(i)) / _assigned(book, log, i)


def _goal_of_heard(log: Log) -> float:
    """Return g at the number of queries whose feedback is there, plus one."""
    heard, config = 1 + sum(log.counts), log.config
    return float(config.exploration_scale * (heard / config.n_providers) ** config.exploration_exponent)


def _bid_of_the_latest_query(book: Rulebook, log: Log, i: int) -> float:
    return max(zip(log.queries[i], log.bids[i], strict=True))[1]


def _late(name: str, says: str, checks: tuple[str, ...], **parts: Any) -> Variant:
    return Variant(name=name, says=says, checks=checks, book=replace(PLAIN, **parts))


def _hearing(name: str, says: str, hearing: Callable[[], Hears]) -> Variant:
    return _late(name, says, _ORDER, hearing=hearing)


#: Tried where queries are in flight, before the variants that feedback at once can show.
LATE_VARIANTS: tuple[Variant, ...] = (
    _hearing(
        "credits the last assigned",
        "credits feedback to the provider that was assigned last, not to the one of its query",
        lambda: _credited_to_the_last,
    ),
    _hearing(
        "credits in order",
        "credits feedback to the query that has waited longest, whichever it names",
        _credited_in_order,
    ),
    _hearing("drops the overtaken", "drops feedback that a later query's has overtaken", _dropped_if_overtaken),
    _hearing(
        "holds for the earlier", "holds feedback back until that of every earlier query is there", _held_for_the_earlier
    ),
    _late(
        "counts when assigned",
        "counts a query when it is assigned, before its score and bid arrive",
        _COUNTS,
        count=_assigned,
        tally=_assigned,
    ),
    _late("radius of assigned queries", "counts queries in flight in the radius", _COUNTS, count=_assigned),
    _late(
        "goal against assigned queries",
        "counts queries in flight where it compares counts with g(t)",
        ("exploration-set", *_COUNTS),
        tally=_assigned,
    ),
    _late(
        "goal of heard queries",
        "takes the number of queries heard of, not of those assigned, for t in g(t)",
        ("exploration-set", *_COUNTS),
        goal=_goal_of_heard,
    ),
    _late(
        "waiting for zero",
        "takes queries in flight for answers of score 0",
        ("eligibility", *_ORDER),
        estimate=_waiting_scored(0.0),
    ),
    _late(
        "waiting for one",
        "takes queries in flight for answers of score 1",
        ("eligibility", *_ORDER),
        estimate=_waiting_scored(1.0),
    ),
    _late(
        "bid of the latest query",
        "lets the bid of the query assigned last stand, not the bid that arrived last",
        ("standing-bids", "overtaking-feedback", "index-minimizer", "critical-payment"),
        bid=_bid_of_the_latest_query,
    ),
)
