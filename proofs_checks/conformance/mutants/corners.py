"""Mutants that err in the first steps, where nobody is eligible, or where one provider only is."""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.conformance.mutants.plain import Plain


class InitializationPaysLess(Plain, caught_by="initialization-payment"):
    """Pays 0.9 c_max during initialization."""

    def _initial_payment(self) -> float:
        return 0.9 * self.bound


class InitializationSkips(Plain, caught_by="initialization-order"):
    """Serves the first provider twice and the last never."""

    def _initial(self) -> int:
        return (self.step - 1) % (self.n_providers - 1)

    def _is_eligible(self, provider: int) -> bool:
        return provider < self.n_providers - 1 and super()._is_eligible(provider)


class InitializesTwice(Plain, caught_by="index-minimizer"):
    """Serves everybody twice before it decides anything."""

    def _decide(self) -> tuple[int, float]:
        if self.step <= 2 * self.n_providers:
            return (self.step - 1) % self.n_providers, self.bound
        return super()._decide()


class AuctionsTheLastInitialStep(Plain, caught_by="initialization-order initialization-payment"):
    """Holds an auction at step N already: one provider is still unserved."""

    def _initialize(self) -> tuple[int, float]:
        if self.step != self.n_providers:
            return super()._initialize()
        served = list(range(self.n_providers - 1))
        winner = self._winner(served)
        return winner, self._payment(winner, served)


class EmptyPaysNothing(Plain, caught_by="empty-payment"):
    """With nobody eligible pays nothing."""

    def _empty_payment(self, provider: int) -> float:
        return 0.0


class EmptyPaysTheBid(Plain, caught_by="own-bid-independence empty-payment"):
    """With nobody eligible pays the bid of the provider that was drawn."""

    def _empty_payment(self, provider: int) -> float:
        return self.bids[provider]


class EmptyHoldsAnAuction(Plain, caught_by="empty-payment empty-draw"):
    """With nobody eligible holds an auction among all."""

    def _draw_empty(self) -> int:
        return self._winner(list(range(self.n_providers)))

    def _empty_payment(self, provider: int) -> float:
        return self._payment(provider, list(range(self.n_providers)))


class LoneProviderPaidItsBid(Plain, caught_by="own-bid-independence lone-payment"):
    """Pays a lone eligible provider its bid."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return self.bids[winner] if len(eligible) == 1 else super()._payment(winner, eligible)


class LoneProviderPaidHalf(Plain, caught_by="lone-payment"):
    """Pays a lone eligible provider half of c_max."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return self.bound / 2 if len(eligible) == 1 else super()._payment(winner, eligible)


class LoneProviderMeetsTheExcluded(Plain, caught_by="lone-payment"):
    """Lets the excluded set the price of a lone eligible provider."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        rivals = list(range(self.n_providers)) if len(eligible) == 1 else eligible
        return super()._payment(winner, rivals)
