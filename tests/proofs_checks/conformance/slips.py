"""Slips that a first version is likely to have, each a mechanism, and words that its first line must have."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from proofs_checks.conformance.mutants.plain import Plain


class GoalOfTheStepBefore(Plain):
    """Explores up to g(t - 1)."""

    def _goal(self) -> float:
        return self._goal_at(self.step - 1)


class GoalOfWholeRounds(Plain):
    """Divides t by N as whole numbers."""

    def _goal(self) -> float:
        return self._goal_at(self.step // self.n_providers * self.n_providers)


class GoalToTheNearest(Plain):
    """Rounds g(t)."""

    def _goal(self) -> float:
        return float(round(super()._goal()))


class GoalCutOff(Plain):
    """Takes the whole part of g(t)."""

    def _goal(self) -> float:
        return float(int(super()._goal()))


class DecimalLogarithm(Plain):
    """Takes log10 in the radius."""

    def _beta(self, count: int) -> float:
        return math.sqrt(math.log10(self._inside(count)) / (2 * count))


class BinaryLogarithm(Plain):
    """Takes log2 in the radius."""

    def _beta(self, count: int) -> float:
        return math.sqrt(math.log2(self._inside(count)) / (2 * count))


class SingleScores(Plain):
    """Stores scores as float32."""

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, float(np.float32(score)))


class LastFifty(Plain):
    """Keeps a mean over the last fifty scores."""

    def _prepare(self) -> None:
        self.last: list[list[float]] = [[] for _ in range(self.n_providers)]

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score)
        self.last[provider] = [*self.last[provider][-49:], score]

    def _estimate(self, provider: int) -> float:
        return sum(self.last[provider]) / len(self.last[provider])


class ZeroIsNoScore(Plain):
    """Takes a score of 0 for a missing one in the mean."""

    def _prepare(self) -> None:
        self.graded = [0] * self.n_providers

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score)
        self.graded[provider] += bool(score)

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / max(self.graded[provider], 1)


class EligibleAStepAgo(Plain):
    """Decides with the eligibility of the step before."""

    def _prepare(self) -> None:
        self.fresh: dict[int, bool] = {}
        self.stale: dict[int, bool] = {}

    def _is_eligible(self, provider: int) -> bool:
        return self.stale.get(provider, super()._is_eligible(provider))

    def settle(self, score: float, bid: float) -> None:
        """Keep who is eligible before the score is entered."""
        if all(self.counts):
            self.stale = {i: Plain._is_eligible(self, i) for i in range(self.n_providers)}
        super().settle(score, bid)


class CappedAtTheHighestBid(Plain):
    """Caps what it pays at the highest standing bid."""

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return min(self._critical(winner, eligible), max(self.bids))


class BidsAtMostNineTenths(Plain):
    """Cuts bids to 0.9 c_max."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, min(bid, 0.9 * self.bound))


class BidsAtLeastATenth(Plain):
    """Raises bids to 0.1 c_max."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, max(bid, 0.1 * self.bound))


class LonePaidItsBid(Plain):
    """Takes the winner for its own rival where it has none."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        rivals = [self._adjusted_bid(j) for j in eligible if j != winner] or [self._adjusted_bid(winner)]
        return self._cost_radius(winner) + min(rivals)


class ThirdOfTheConstant(Plain):
    """Forgets a factor inside the logarithm of the radius."""

    def _inside(self, count: int) -> float:
        return max(super()._inside(count) * 3 / math.pi**2, 1.0)


class GoalFromTheFirstDecision(Plain):
    """Counts the steps of g from the end of initialization."""

    def _goal(self) -> float:
        return self._goal_at(self.step - self.n_providers)


class MeanInWholeNumbers(Plain):
    """Divides the sum of the scores by // for /."""

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] // self.counts[provider]


class BidsInWholeNumbers(Plain):
    """Stores bids as int."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, int(bid))


class ExplorationsUncounted(Plain):
    """Counts queries of auctions alone; the mean is of all scores."""

    def _prepare(self) -> None:
        self.scored = [0] * self.n_providers
        self.explores = False

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / self.scored[provider]

    def _exploration_payment(self, provider: int, eligible: list[int]) -> float:
        self.explores = True
        return self.bound

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score)
        self.scored[provider] += 1
        self.counts[provider] -= self.explores
        self.explores = False


class RivalsByValue(Plain):
    """Tells the rivals from the winner by their adjusted bids: one that ties with it is lost."""

    def _critical(self, winner: int, eligible: list[int]) -> float:
        bids = [self._adjusted_bid(j) for j in eligible]
        rivals = (bid for bid in bids if bid != self._adjusted_bid(winner))
        return self._cost_radius(winner) + min(rivals, default=math.inf)


#: From a mechanism to words that name its defect, and the check that is asked.
SLIPS: Mapping[type[Plain], tuple[str, str]] = {
    GoalOfTheStepBefore: ("up to g(t - 1), not g(t)", "exploration-set"),
    GoalOfWholeRounds: ("t // N for t/N", "exploration-payment"),
    GoalToTheNearest: ("rounds g(t) to the nearest", "exploration-payment"),
    GoalCutOff: ("rounds g(t) down", "exploration-payment"),
    DecimalLogarithm: ("log10 for ln", "critical-payment"),
    BinaryLogarithm: ("log2 for ln", "critical-payment"),
    SingleScores: ("scores in single precision", "state-estimates"),
    LastFifty: ("mean of the last 50 scores", "state-estimates"),
    ZeroIsNoScore: ("scores of 0 out of the mean", "eligibility"),
    EligibleAStepAgo: ("one step before (stale eligibility)", "eligibility"),
    CappedAtTheHighestBid: ("at the highest standing bid", "critical-payment"),
    BidsAtMostNineTenths: ("at most 0.9 c_max", "standing-bids"),
    BidsAtLeastATenth: ("at least 0.1 c_max", "standing-bids"),
    LonePaidItsBid: ("lone eligible provider its own bid", "lone-payment"),
    ThirdOfTheConstant: ("0.304 times the right constant inside the radius's logarithm", "critical-payment"),
    GoalFromTheFirstDecision: ("up to g(t - N), not g(t)", "exploration-set"),
    MeanInWholeNumbers: ("rounds the mean score down", "eligibility"),
    BidsInWholeNumbers: ("rounds bids down to whole numbers", "standing-bids"),
}
#: The same, where some changes cannot be told apart: the defect is among them.
AMBIGUOUS_SLIPS: Mapping[type[Plain], tuple[str, str]] = {
    ExplorationsUncounted: ("leaves explorations out of the selection counts", "exploration-set"),
    RivalsByValue: ("a rival with the winner's own adjusted bid out of P", "critical-payment"),
}
