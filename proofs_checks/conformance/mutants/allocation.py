"""Mutants that let another provider win an auction."""

from __future__ import annotations

from collections.abc import Sequence

from mechanism.randomness import squares64, uniform_index
from proofs_checks.conformance.mutants.plain import Plain


class LargestIndexWins(Plain, caught_by="monotone-allocation index-minimizer"):
    """Takes the largest adjusted bid."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return max(eligible, key=self._adjusted_bid)


class LowestBidWins(Plain, caught_by="index-minimizer"):
    """Takes the lowest bid, without radius."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return min(eligible, key=lambda i: self.bids[i])


class RoundRobin(Plain, caught_by="index-minimizer"):
    """Lets the eligible providers win in turn."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return eligible[self.step % len(eligible)]


class RandomWinner(Plain, caught_by="index-minimizer"):
    """Draws the winner among the eligible providers."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return eligible[uniform_index(squares64(self.draw_key, self.step), len(eligible))]


class ShunsTheCheapest(Plain, caught_by="index-minimizer"):
    """Never lets the first provider, be it the cheapest, win against another."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return min((i for i in eligible if i > 0), key=self._adjusted_bid, default=0)


class AlwaysSecond(Plain, caught_by="index-minimizer"):
    """Lets provider 1 serve everything after initialization, at c_max."""

    def _decide(self) -> tuple[int, float]:
        return 1, self.bound


class AlwaysLast(Plain, caught_by="eligibility index-minimizer"):
    """Lets the last provider serve everything after initialization, at c_max."""

    def _decide(self) -> tuple[int, float]:
        return self.n_providers - 1, self.bound


class QualityWeighted(Plain, caught_by="index-minimizer"):
    """Weighs the index by quality: subtracts c_max times the estimate, less 1, from it."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return min(eligible, key=lambda i: self._adjusted_bid(i) + self.bound * (1 - self._estimate(i)))


class OneRadiusForAll(Plain, caught_by="index-minimizer"):
    """Subtracts the radius of the least served provider from every bid."""

    def _radius(self, provider: int) -> float:
        return self._beta(max(min(self.counts), 1))

    def _best_quality(self, provider: int) -> float:
        return self._estimate(provider) + self._beta(self._count(provider))


class IncumbentBonus(Plain, caught_by="index-minimizer"):
    """Prefers the provider that served last by 2% of c_max."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return min(eligible, key=lambda i: self._adjusted_bid(i) - 0.02 * self.bound * (i == self.serving))


class NeverTwiceRunning(Plain, caught_by="index-minimizer"):
    """Lets nobody win twice running."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return min((i for i in eligible if i != self.serving), key=self._adjusted_bid, default=eligible[0])


class NearTiesToTheDearest(Plain, caught_by="index-minimizer"):
    """Counts indices within 1% of c_max as a tie and gives it to the dearest bid."""

    def _winner(self, eligible: Sequence[int]) -> int:
        least = min(map(self._adjusted_bid, eligible))
        tied = [i for i in eligible if self._adjusted_bid(i) <= least + 0.01 * self.bound]
        return max(tied, key=lambda i: self.bids[i])


class ShunsLowBids(Plain, caught_by="monotone-allocation index-minimizer"):
    """Takes bids below a tenth of c_max for mistakes."""

    def _winner(self, eligible: Sequence[int]) -> int:
        sound = [i for i in eligible if self.bids[i] >= 0.1 * self.bound]
        return super()._winner(sound or eligible)


class FiveLowestBids(Plain, caught_by="index-minimizer"):
    """Holds auctions among the five lowest standing bids."""

    def _shortlist(self, eligible: Sequence[int]) -> Sequence[int]:
        return sorted(eligible, key=lambda i: self.bids[i])[:5]

    def _winner(self, eligible: Sequence[int]) -> int:
        return super()._winner(self._shortlist(eligible))

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        return super()._critical(winner, self._shortlist(eligible))
