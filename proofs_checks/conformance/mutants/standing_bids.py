"""Mutants that decide by other bids than those that stand."""

from __future__ import annotations

import math

from proofs_checks.conformance.mutants.plain import Plain


class FirstBidStands(Plain, caught_by="standing-bids"):
    """Ignores every bid of a provider but its first."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid if math.isnan(self.bids[provider]) else self.bids[provider])


class BidsOneServiceLate(Plain, caught_by="standing-bids"):
    """Lets a bid stand only after the provider's next service."""

    def _prepare(self) -> None:
        self.latest = [math.nan] * self.n_providers

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid if math.isnan(self.latest[provider]) else self.latest[provider])
        self.latest[provider] = bid


class AveragedBids(Plain, caught_by="past-bids standing-bids"):
    """Lets the mean of the last two bids stand."""

    def _prepare(self) -> None:
        self.latest = [math.nan] * self.n_providers

    def _take(self, provider: int, bid: float) -> None:
        before = self.latest[provider]
        super()._take(provider, bid if math.isnan(before) else (before + bid) / 2)
        self.latest[provider] = bid


class LosersBidMoves(Plain, caught_by="standing-bids"):
    """Raises the standing bid of somebody who did not serve."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid)
        other = (provider + 1) % self.n_providers
        self.bids[other] = min(self.bids[other] + 0.05 * self.bound, self.bound)


class BidsFade(Plain, caught_by="standing-bids"):
    """Lowers every standing bid by 1% per step."""

    def _take(self, provider: int, bid: float) -> None:
        self.bids = [0.99 * other for other in self.bids]
        super()._take(provider, bid)


class BidsClipped(Plain, caught_by="standing-bids"):
    """Cuts bids to half of c_max."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, min(bid, 0.5 * self.bound))


class InitialBidIgnored(Plain, caught_by="standing-bids"):
    """Puts c_max for a provider's first bid."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, self.bound if math.isnan(self.bids[provider]) else bid)


class MeanOfAllBids(Plain, caught_by="past-bids standing-bids"):
    """Lets the mean of all bids of a provider stand."""

    def _prepare(self) -> None:
        self.left: list[list[float]] = [[] for _ in range(self.n_providers)]

    def _take(self, provider: int, bid: float) -> None:
        self.left[provider].append(bid)
        super()._take(provider, sum(self.left[provider]) / len(self.left[provider]))
