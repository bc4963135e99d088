"""Mutants that let a provider's own bids, present or past, move what it is paid."""

from __future__ import annotations

import math
from collections.abc import Sequence

from proofs_checks.conformance.mutants.plain import Plain


class OwnBidLeak(Plain, caught_by="own-bid-independence critical-payment"):
    """Mixes 1% of the winner's own bid into its payment."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return 0.99 * super()._payment(winner, eligible) + 0.01 * self.bids[winner]


class SmallOwnBidLeak(Plain, caught_by="own-bid-independence critical-payment"):
    """Mixes 0.01% of the winner's own bid into its payment."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return 0.9999 * super()._payment(winner, eligible) + 0.0001 * self.bids[winner]


class LowBidsPaidLess(Plain, caught_by="own-bid-independence critical-payment"):
    """Pays 1% less to a winner that bids below half of c_max."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return (0.99 if self.bids[winner] < self.bound / 2 else 1.0) * super()._payment(winner, eligible)


class ExplorationLeak(Plain, caught_by="own-bid-independence exploration-payment"):
    """Mixes 1% of the explored provider's bid into its payment."""

    def _exploration_payment(self, provider: int, eligible: Sequence[int]) -> float:
        return 0.99 * self.bound + 0.01 * self.bids[provider]


class Remembering(Plain):
    """Keeps what the providers bid before; it errs in nothing yet."""

    def _prepare(self) -> None:
        self.earlier: list[list[float]] = [[] for _ in range(self.n_providers)]

    def _take(self, provider: int, bid: float) -> None:
        if not math.isnan(self.bids[provider]):
            self.earlier[provider].append(self.bids[provider])
        super()._take(provider, bid)

    def _leak(self, winner: int, eligible: Sequence[int], remembered: float) -> float:
        return 0.99 * super()._payment(winner, eligible) + 0.01 * remembered


class PreviousBidLeak(Remembering, caught_by="past-bids critical-payment"):
    """Mixes 1% of the bid that the winner left before its present one into its payment."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        earlier = self.earlier[winner]
        return self._leak(winner, eligible, earlier[-1] if earlier else self.bound)


class FirstBidLeak(Remembering, caught_by="past-bids critical-payment"):
    """Mixes 1% of the winner's first bid into its payment once it has left others."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        earlier = self.earlier[winner]
        return self._leak(winner, eligible, earlier[0] if earlier else self.bound)


class MovingAverageLeak(Remembering, caught_by="past-bids critical-payment"):
    """Mixes 1% of a moving average of the winner's earlier bids into its payment."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        average = self.bound
        for bid in self.earlier[winner]:
            average += 0.3 * (bid - average)
        return self._leak(winner, eligible, average)


class PastBidsCount(Remembering, caught_by="past-bids critical-payment"):
    """Adds 5% of the bid that a provider left before its present one to its index."""

    def _adjusted_bid(self, provider: int) -> float:
        earlier = self.earlier[provider]
        return super()._adjusted_bid(provider) + (0.05 * earlier[-1] if earlier else 0.0)


class TurnsAtTheBound(Plain, caught_by="strict-misreport robust-strict critical-payment"):
    """Lets the eligible win in turn and pays each c_max: bids move nothing."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return eligible[self.step % len(eligible)]

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return self.bound


#: The step from which the following mutants err.
_LATE = 45


class LateClawback(Plain, caught_by="robust-no-loss"):
    """Pays a tenth less after step 45: whoever believed the first payments loses."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return (0.9 if self.step > _LATE else 1.0) * super()._payment(winner, eligible)


class LateFirstPrice(Plain, caught_by="robust-worst-case"):
    """Turns into a first-price auction after step 45."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return self.bids[winner] if self.step > _LATE else super()._payment(winner, eligible)


class LateTurns(Plain, caught_by="robust-strict"):
    """Stops listening to bids after step 45: the eligible win in turn and are paid c_max."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return eligible[self.step % len(eligible)] if self.step > _LATE else super()._winner(eligible)

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return self.bound if self.step > _LATE else super()._payment(winner, eligible)
