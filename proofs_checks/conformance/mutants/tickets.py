"""Mechanisms of the ticket form: Algorithm 1 with queries in flight, and mutants that err where feedback is late."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from proofs_checks.conformance.mutants.plain import Plain


class Tickets(Plain):
    """Algorithm 1 with queries in flight; feedback names its query, and counts once it has arrived.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> tickets = Tickets(usual_config(n_providers=2), np.random.default_rng(0))
    >>> tickets.assign(), tickets.assign()
    ((0, 1.0), (1, 1.0))
    >>> tickets.settle(1.0, 0.25, query=2)
    >>> tickets.counts, tickets.in_flight
    ([0, 1], {1: 0})
    """

    concurrent = True
    state = Platform.state

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        """Take the score and the standing bid that came of a query, unchecked."""
        self._arrive(query or 0, score, bid)

    def _waiting(self, provider: int) -> int:
        return list(self.in_flight.values()).count(provider)


class CreditsTheLastAssigned(Tickets, caught_by="eligibility overtaking-feedback lost-feedback"):
    """Credits feedback to the provider that was assigned last."""

    last = 0

    def _arrive(self, query: int, score: float, bid: float) -> None:
        self.last = self.in_flight.get(self.step - 1, self.last)
        del self.in_flight[query]
        self._hear(self.last, score, bid)


class CreditsInOrder(Tickets, caught_by="overtaking-feedback lost-feedback"):
    """Credits feedback to the query that has waited longest, whichever it names."""

    def _arrive(self, query: int, score: float, bid: float) -> None:
        super()._arrive(min(self.in_flight), score, bid)


class CountsWhenAssigned(Tickets, caught_by="critical-payment overtaking-feedback lost-feedback"):
    """Counts a query when it is assigned, before its score and bid arrive."""

    def _count(self, provider: int) -> int:
        return self.counts[provider] + self._waiting(provider)

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / max(self.counts[provider], 1)

    def _is_eligible(self, provider: int) -> bool:
        return not self.counts[provider] or super()._is_eligible(provider)

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        return tuple(i for i in able if not self.counts[i] or self._count(i) < self._goal())


class TakesWaitingForZero(Tickets, caught_by="overtaking-feedback lost-feedback"):
    """Takes queries in flight for answers of score 0."""

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / max(self.counts[provider] + self._waiting(provider), 1)


class DropsTheOvertaken(Tickets, caught_by="overtaking-feedback"):
    """Drops feedback that a later query's has overtaken."""

    latest = 0

    def _arrive(self, query: int, score: float, bid: float) -> None:
        if query > self.latest:
            self.latest = query
            super()._arrive(query, score, bid)
        else:
            del self.in_flight[query]


class WaitsForTheEarlier(Tickets, caught_by="overtaking-feedback lost-feedback"):
    """Holds feedback back until that of every earlier query is there."""

    def _prepare(self) -> None:
        self.held: list[tuple[int, float, float]] = []

    def _arrive(self, query: int, score: float, bid: float) -> None:
        heapq.heappush(self.held, (query, score, bid))
        while self.held and self.held[0][0] == min(self.in_flight):
            super()._arrive(*heapq.heappop(self.held))


class PassesOverTheBusy(Tickets, caught_by="lost-feedback"):
    """Assigns nothing to a provider with seven queries in flight: those that are lost wait for ever."""

    def _is_eligible(self, provider: int) -> bool:
        return self._waiting(provider) < 7 and super()._is_eligible(provider)


class ReusesTickets(Tickets, caught_by="overtaking-feedback"):
    """Keeps tickets in a ring of four, where a later query takes the place of one that is still in flight."""

    def _prepare(self) -> None:
        self.ring = [0, 0, 0, 0]

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays."""
        provider, payment = super().assign()
        self.ring[(self.step - 1) % 4] = provider
        return provider, payment

    def _arrive(self, query: int, score: float, bid: float) -> None:
        del self.in_flight[query]
        self._hear(self.ring[query % 4], score, bid)


class ForgetsTickets(Tickets, caught_by="restart"):
    """Saves no queries in flight: after a restart their feedback is passed over."""

    def state(self) -> dict[str, Any]:
        """Return most of what later answers depend on."""
        return {**super().state(), "in_flight": []}

    def _arrive(self, query: int, score: float, bid: float) -> None:
        if query in self.in_flight:
            super()._arrive(query, score, bid)


class SavesKeysAsNumbers(Tickets, caught_by="restart"):
    """Saves tickets as a mapping from numbers, which JSON turns into texts."""

    def state(self) -> dict[str, Any]:
        """Return everything that later answers depend on, as long as it does not pass through JSON."""
        return {**super().state(), "in_flight": self.in_flight}


class SavesWaitingAsCounted(Tickets, caught_by="restart"):
    """Saves selection counts that include the queries in flight."""

    def state(self) -> dict[str, Any]:
        """Return what later answers depend on, as if all feedback had arrived."""
        counts = [count + self._waiting(i) for i, count in enumerate(self.counts)]
        return {**super().state(), "counts": counts}


class ForgetsTheStep(Tickets, caught_by="restart"):
    """Takes as many queries for assigned after a restart as have been heard of."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where a mechanism stood that was saved, with a step of its own."""
        super().restore(state)
        self.step = 1 + sum(self.counts)


#: By the key of an instance's draws: the bids that stand in it.
_STANDING: dict[int, list[float]] = {}


class KeepsBidsInItsModule(Tickets, caught_by="restart"):
    """Keeps standing bids in its module: a restart in the same process finds them, one in another does not."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid)
        _STANDING[int(self.draw_key)] = list(self.bids)

    def state(self) -> dict[str, Any]:
        """Return what later answers depend on, apart from the bids."""
        return {**super().state(), "bids": None}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where a mechanism stood that was saved, with the bids that the module holds."""
        bids = _STANDING.get(state["draw_key"], [self.bound] * self.n_providers)
        super().restore({**state, "bids": list(bids)})


class DropsIfBusy(Tickets, caught_by="threads"):
    """Drops feedback that comes while another thread hands over some."""

    def _prepare(self) -> None:
        self.lock = threading.Lock()

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        """Take the score and the standing bid that came of a query, unless the lock is taken."""
        if self.lock.acquire(blocking=False):
            super().settle(score, bid, query)
            self.lock.release()


def tickets(config: MechanismConfig, rng: np.random.Generator) -> Tickets:
    """Return Algorithm 1 in the ticket form, without `state` and `restore`."""
    return _NotRestartable(config, rng)


class _NotRestartable(Tickets):
    """Algorithm 1 in the ticket form that cannot be started again."""

    state = None  # type: ignore[assignment]
