"""Mechanisms to compare the platform with that the paper has not: greedy and optimistic routers, other explorations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bounds.errors import InputError
from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.platform import Platform

#: Paid after service, by the invoice: a routing baseline pays the realised query price.
INVOICED = math.nan


class Router(Platform):
    """Serves whoever has least of something, ties at random; users pay the invoice."""

    def _initial_payment(self) -> float:
        return INVOICED

    def _decide(self) -> tuple[int, float]:
        index = [self._index(provider) for provider in range(self.config.n_providers)]
        return self._draw(rules.lowest(self._among(), index)), INVOICED

    def _among(self) -> tuple[int, ...]:
        return self.eligible or tuple(range(self.config.n_providers))

    def _index(self, provider: int) -> float:
        return 0.0


class CheapestBid(Router):
    """Serves the lowest standing bid, and pays it: no screening, no exploration, no second price.

    A provider whose first bid is still in flight is served for the cost bound, before the others.

    Examples
    --------
    >>> mechanism = CheapestBid(MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75), np.random.default_rng(0))
    >>> for bid in (0.5, 0.25):
    ...     _ = mechanism.assign()
    ...     mechanism.settle(score=0.0, bid=bid)
    >>> mechanism.assign()
    (1, 0.25)
    """

    def _initial_payment(self) -> float:
        return self.config.cost_bound

    def _decide(self) -> tuple[int, float]:
        provider, _ = super()._decide()
        return provider, self.bids[provider] if self.counts[provider] else self.config.cost_bound

    def _among(self) -> tuple[int, ...]:
        return tuple(range(self.config.n_providers))

    def _index(self, provider: int) -> float:
        return self.bids[provider] if self.counts[provider] else -math.inf


class PayYourBid(Platform):
    """The platform, but for one thing: the winner of an auction is paid its own standing bid."""

    def _payment(self, winner: int, able: Sequence[int]) -> float:
        return self.bids[winner]


class QualityGreedy(Router):
    """Serves the highest mean score so far, ties at random; users pay the invoice."""

    def _among(self) -> tuple[int, ...]:
        return tuple(range(self.config.n_providers))

    def _index(self, provider: int) -> float:
        return -self._estimates[provider]


class InvoiceRouter(Router):
    """Serves the eligible provider whose invoices are lowest, from what it was invoiced so far.

    Parameters
    ----------
    config, rng, order, concurrent
        As for `Platform`.
    optimistic : bool, optional
        Whether a confidence radius times the cost bound is taken off the mean invoice (a lower confidence bound), so
        that those who served seldom are tried again. Without (default), the means themselves decide.

    Notes
    -----
    Invoices may exceed the cost bound by the providers' margin; the radius is that of costs.
    """

    def __init__(
        self,
        config: MechanismConfig,
        rng: np.random.Generator,
        *,
        order: Sequence[int] | None = None,
        optimistic: bool = False,
        concurrent: bool = False,
    ) -> None:
        super().__init__(config, rng, order=order, exploration=False, concurrent=concurrent)
        self._optimistic = optimistic
        self._invoices, self._invoiced = [0.0] * config.n_providers, [0] * config.n_providers

    def invoice(self, amount: float, query: int | None = None) -> None:
        """Take what the user was invoiced for a query, before it is settled."""
        query = self._only_query(amount) if query is None else query
        if query not in self.in_flight:
            raise InputError("query", query, "is not a query in flight", "hand over the invoice before it is settled")
        provider = self.in_flight[query]
        self._invoices[provider] += amount
        self._invoiced[provider] += 1

    def _index(self, provider: int) -> float:
        if not self._invoiced[provider]:
            return -math.inf
        mean = self._invoices[provider] / self._invoiced[provider]
        return mean - self._cost_radii[provider] if self._optimistic else mean


class RunnerUpExploration(Platform):
    """The platform, but exploration serves the runner-up of the auction alone, while it was selected too seldom."""

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        if len(able) == 1:
            return ()
        winner, *_ = self._winners(able)
        runner_up, *_ = self._winners([provider for provider in able if provider != winner])
        return rules.under_sampled([runner_up], self.counts, self._target())


class AdditiveExploration(Platform):
    """The platform, but auctions won do not count: each eligible provider is explored g(t) times beside them."""

    def __init__(
        self,
        config: MechanismConfig,
        rng: np.random.Generator,
        *,
        order: Sequence[int] | None = None,
        concurrent: bool = False,
    ) -> None:
        super().__init__(config, rng, order=order, concurrent=concurrent)
        # Initialization is the first exploration.
        self._explorations = [1] * config.n_providers

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        return rules.under_sampled(able, self._explorations, self._target())

    def _choose(self, allocation: rules.Allocation) -> int:
        provider = super()._choose(allocation)
        self._explorations[provider] += allocation.kind == "exploration"
        return provider
