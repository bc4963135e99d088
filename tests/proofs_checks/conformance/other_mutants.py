"""Ten broken mechanisms beside the gallery, made for the diagnosis alone, and words that its first line must have."""

from __future__ import annotations

import math
from collections.abc import Mapping

from proofs_checks.conformance.mutants.plain import Plain


class ThirdPrice(Plain):
    """Pays by the second-best rival."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        rivals = sorted(self._adjusted_bid(j) for j in eligible if j != winner)
        return self._cost_radius(winner) + rivals[min(1, len(rivals) - 1)] if rivals else math.inf


class MeanOfRivals(Plain):
    """Pays by the mean rival."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        rivals = [self._adjusted_bid(j) for j in eligible if j != winner]
        return self._cost_radius(winner) + sum(rivals) / len(rivals) if rivals else math.inf


class AlwaysTheBound(Plain):
    """Pays every winner c_max."""

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return self.bound


class Taxed(Plain):
    """Keeps three percent of an auction's payment."""

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return 0.97 * super()._payment(winner, eligible)


class HighestBidSoFar(Plain):
    """Keeps a provider's highest bid."""

    def _take(self, provider: int, bid: float) -> None:
        known = self.bids[provider]
        self.bids[provider] = bid if math.isnan(known) else max(known, bid)


class BestScore(Plain):
    """Takes the best score for the quality estimate."""

    def _prepare(self) -> None:
        self.best = [0.0] * self.n_providers

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score)
        self.best[provider] = max(self.best[provider], score)

    def _estimate(self, provider: int) -> float:
        return self.best[provider]


class TwiceTheGoal(Plain):
    """Explores up to 2 g(t)."""

    def _goal(self) -> float:
        return 2 * super()._goal()


class HalfTheRadius(Plain):
    """Divides by 8 m in beta: half the radius."""

    def _beta(self, count: int) -> float:
        return super()._beta(count) / 2


class PaidLate(Plain):
    """Takes the winner's radius one query later, in the price alone."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        later = (1 + self.config.belief_slack) * self.bound * self._beta(self.counts[winner] + 1)
        return super()._critical(winner, eligible) - self._cost_radius(winner) + later


class BestQualityWins(Plain):
    """Lets the best quality estimate win."""

    def _winner(self, eligible: list[int]) -> int:
        return max(eligible, key=self._estimate)


#: From a mechanism to words that name its defect.
NAMED: Mapping[type[Plain], str] = {
    ThirdPrice: "second smallest adjusted bid of the rivals",
    MeanOfRivals: "mean adjusted bid of the rivals",
    AlwaysTheBound: "pays c_max in every auction",
    Taxed: "pays 0.97 times the right payment",
    HighestBidSoFar: "highest bid so far",
    BestScore: "best score for the estimate",
    TwiceTheGoal: "explores up to 2 g(t)",
    HalfTheRadius: "halves the radius",
    PaidLate: "pays by count + 1",
    BestQualityWins: "best quality estimate win",
}
