"""Mechanisms of the ticket form: Algorithm 1 with queries in flight, and mutants that err where feedback is late."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from mechanism.config import MechanismConfig
from proofs_checks.conformance.mutants.plain import Plain


class Tickets(Plain):
    """Algorithm 1 in lists; feedback names its query, and counts once it has arrived.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> tickets = Tickets(usual_config(n_providers=2), np.random.default_rng(0))
    >>> tickets.assign(), tickets.assign()
    ((0, 1.0), (1, 1.0))
    >>> tickets.settle(1.0, 0.25, query=2)
    >>> tickets.counts, tickets.open
    ([0, 1], {1: 0})
    """

    def _prepare(self) -> None:
        super()._prepare()
        #: From the number of a query in flight to who serves it.
        self.open: dict[int, int] = {}

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays."""
        provider, payment = self._decide()
        self.open[self.step] = provider
        self.step += 1
        return provider, payment

    def settle(self, score: float, bid: float, query: int = 0) -> None:
        """Take the score and the standing bid that came of a query."""
        self._arrived(self.open.pop(query), score, bid)

    def _arrived(self, provider: int, score: float, bid: float) -> None:
        self._learn(provider, score)
        self._take(provider, bid)

    def _in_flight(self, provider: int) -> int:
        return list(self.open.values()).count(provider)

    def _is_eligible(self, provider: int) -> bool:
        return not self._count(provider) or super()._is_eligible(provider)

    def state(self) -> dict[str, Any]:
        """Return everything that later answers depend on, as plain JSON data."""
        return {
            "step": self.step,
            "draw_key": int(self.draw_key),
            "counts": self.counts,
            "score_sums": self.score_sums,
            "bids": self.bids,
            "open": list(self.open.items()),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where a mechanism stood that was saved."""
        self.step, self.draw_key = state["step"], state["draw_key"]
        self.counts, self.score_sums, self.bids = state["counts"], state["score_sums"], state["bids"]
        self.open = dict(state["open"])


class CreditsTheLastAssigned(Tickets, caught_by="eligibility overtaking-feedback lost-feedback"):
    """Credits feedback to the provider that was assigned last."""

    def settle(self, score: float, bid: float, query: int = 0) -> None:
        """Take the score and the standing bid."""
        self.last = self.open.get(self.step - 1, self.__dict__.get("last", 0))
        del self.open[query]
        self._arrived(self.last, score, bid)


class CreditsInOrder(Tickets, caught_by="overtaking-feedback lost-feedback"):
    """Credits feedback to the query that has waited longest, whichever it names."""

    def settle(self, score: float, bid: float, query: int = 0) -> None:
        """Take the score and the standing bid."""
        self._arrived(self.open.pop(min(self.open)), score, bid)


class CountsWhenAssigned(Tickets, caught_by="critical-payment overtaking-feedback lost-feedback"):
    """Counts a query when it is assigned, before its score and bid arrive."""

    def _count(self, provider: int) -> int:
        return self.counts[provider] + self._in_flight(provider)

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / max(self.counts[provider], 1)

    def _is_eligible(self, provider: int) -> bool:
        return not self.counts[provider] or super()._is_eligible(provider)

    def _is_under_sampled(self, provider: int) -> bool:
        return not self.counts[provider] or super()._is_under_sampled(provider)


class TakesWaitingForZero(Tickets, caught_by="overtaking-feedback lost-feedback"):
    """Takes queries in flight for answers of score 0."""

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / (self.counts[provider] + self._in_flight(provider))


class DropsTheOvertaken(Tickets, caught_by="overtaking-feedback"):
    """Drops feedback that a later query's has overtaken."""

    def _prepare(self) -> None:
        super()._prepare()
        self.latest = 0

    def settle(self, score: float, bid: float, query: int = 0) -> None:
        """Take the score and the standing bid."""
        provider = self.open.pop(query)
        if query > self.latest:
            self.latest = query
            self._arrived(provider, score, bid)


class WaitsForTheEarlier(Tickets, caught_by="overtaking-feedback lost-feedback"):
    """Holds feedback back until that of every earlier query is there."""

    def _prepare(self) -> None:
        super()._prepare()
        self.held: list[tuple[int, float, float]] = []

    def settle(self, score: float, bid: float, query: int = 0) -> None:
        """Take the score and the standing bid."""
        heapq.heappush(self.held, (query, score, bid))
        while self.held and self.held[0][0] == min(self.open):
            earliest, held_score, held_bid = heapq.heappop(self.held)
            self._arrived(self.open.pop(earliest), held_score, held_bid)


class PassesOverTheBusy(Tickets, caught_by="lost-feedback"):
    """Assigns nothing to a provider with seven queries in flight: those that are lost wait for ever."""

    def _is_eligible(self, provider: int) -> bool:
        return self._in_flight(provider) < 7 and super()._is_eligible(provider)


class ReusesTickets(Tickets, caught_by="overtaking-feedback"):
    """Keeps tickets in a ring of four, where a later query takes the place of one that is still in flight."""

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays."""
        provider, payment = self._decide()
        self.open[self.step % 4] = provider
        self.step += 1
        return provider, payment

    def settle(self, score: float, bid: float, query: int = 0) -> None:
        """Take the score and the standing bid."""
        self._arrived(self.open.get(query % 4, 0), score, bid)


class ForgetsTickets(Tickets, caught_by="restart"):
    """Saves no queries in flight: after a restart their feedback is passed over."""

    def state(self) -> dict[str, Any]:
        """Return most of what later answers depend on."""
        return {**super().state(), "open": []}

    def settle(self, score: float, bid: float, query: int = 0) -> None:
        """Take the score and the standing bid."""
        if query in self.open:
            super().settle(score, bid, query)


class LosesItsDraws(Tickets, caught_by="restart"):
    """Saves no random state: after a restart it draws otherwise."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where a mechanism stood that was saved, but for its draws."""
        super().restore({**state, "draw_key": self.draw_key})


class SavesKeysAsNumbers(Tickets, caught_by="restart"):
    """Saves tickets as a mapping from numbers, which JSON turns into texts."""

    def state(self) -> dict[str, Any]:
        """Return everything that later answers depend on, as long as it does not pass through JSON."""
        return {**super().state(), "open": self.open}


class SavesWaitingAsCounted(Tickets, caught_by="restart"):
    """Saves selection counts that include the queries in flight."""

    def state(self) -> dict[str, Any]:
        """Return what later answers depend on, as if all feedback had arrived."""
        counts = [count + self._in_flight(i) for i, count in enumerate(self.counts)]
        return {**super().state(), "counts": counts}


class ForgetsTheStep(Tickets, caught_by="restart"):
    """Takes as many queries for assigned after a restart as have been heard of."""

    def restore(self, state: dict[str, Any]) -> None:
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

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where a mechanism stood that was saved, with the bids that the module holds."""
        bids = _STANDING.get(state["draw_key"], [self.bound] * self.n_providers)
        super().restore({**state, "bids": list(bids)})


def tickets(config: MechanismConfig, rng: np.random.Generator) -> Tickets:
    """Return Algorithm 1 in the ticket form, without `state` and `restore`."""
    return _NotRestartable(config, rng)


class _NotRestartable(Tickets):
    """Algorithm 1 in the ticket form that cannot be started again."""

    state = None  # type: ignore[assignment]
