"""Mutants whose state goes wrong only after hundreds of steps."""

from __future__ import annotations

import numpy as np

from proofs_checks.conformance.mutants.plain import Plain


class CountsWrap(Plain, caught_by="long-run"):
    """Keeps selection counts in one byte: 256 is 0, and then taken for 1."""

    def _count(self, provider: int) -> int:
        count = self.counts[provider]
        return max(count % 256, 1) if count else 0

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / self.counts[provider]


class BidsReset(Plain, caught_by="long-run"):
    """Loses all standing bids at step 700: c_max is put for them."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid)
        if self.step == 700:
            self.bids = [self.bound] * self.n_providers


class SettlementsDropped(Plain, caught_by="long-run"):
    """Loses every 512th settlement."""

    def _hear(self, provider: int, score: float, bid: float) -> None:
        if (self.step - 1) % 512:
            super()._hear(provider, score, bid)


class GoalInPercent(Plain, caught_by="long-run"):
    """Explores up to 100 g(t) from step 900 on."""

    def _goal(self) -> float:
        return (100 if self.step >= 900 else 1) * super()._goal()


class BudgetRunsOut(Plain, caught_by="long-run"):
    """Pays half once it has paid 200 c_max together."""

    def _prepare(self) -> None:
        self.paid = 0.0

    def assign(self) -> tuple[int, float]:
        """Return who serves and what the user pays."""
        provider, payment = super().assign()
        payment *= 0.5 if self.paid > 200 * self.bound else 1.0
        self.paid += payment
        return provider, payment


class CoarseIndices(Plain, caught_by="long-run"):
    """Keeps adjusted bids in half precision from step 300 on."""

    def _adjusted_bid(self, provider: int) -> float:
        adjusted = super()._adjusted_bid(provider)
        return self.bound * float(np.float16(adjusted / self.bound)) if self.step >= 300 else adjusted


class FirstScoresHalved(Plain, caught_by="state-estimates"):
    """Halves the first provider's score sum at step 40."""

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score)
        if self.step == 41:
            self.score_sums[0] /= 2
