"""Mutants that err where nobody is eligible, or one provider only."""

from __future__ import annotations

from proofs_checks.conformance.mutants.plain import Plain


class EmptyPaysNothing(Plain):
    """With nobody eligible pays nothing."""

    def _empty_payment(self, provider: int) -> float:
        return 0.0


class EmptyPaysTheBid(Plain):
    """With nobody eligible pays the bid of the provider that was drawn."""

    def _empty_payment(self, provider: int) -> float:
        return self.bids[provider]


class EmptyHoldsAnAuction(Plain):
    """With nobody eligible holds an auction among all."""

    def _draw_empty(self) -> int:
        return self._winner(list(range(self.n_providers)))

    def _empty_payment(self, provider: int) -> float:
        return self._payment(provider, list(range(self.n_providers)))


class LoneProviderPaidItsBid(Plain):
    """Pays a lone eligible provider its bid."""

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return self.bids[winner] if eligible == [winner] else super()._payment(winner, eligible)


class LoneProviderPaidHalf(Plain):
    """Pays a lone eligible provider half of c_max."""

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return self.bound / 2 if eligible == [winner] else super()._payment(winner, eligible)


class LoneProviderMeetsTheExcluded(Plain):
    """Lets the excluded set the price of a lone eligible provider."""

    def _payment(self, winner: int, eligible: list[int]) -> float:
        rivals = list(range(self.n_providers)) if len(eligible) == 1 else eligible
        return super()._payment(winner, rivals)
