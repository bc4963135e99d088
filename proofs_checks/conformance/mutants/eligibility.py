"""Mutants that judge quality by other estimates, or screen by another rule.

`>` instead of `>=` at q_min is not a mutant: beta(m) is irrational, so that no score sum makes the two differ except by
rounding, which a mechanism may do as it likes.
"""

from __future__ import annotations

from proofs_checks.conformance.mutants.plain import Plain


class NobodyIsExcluded(Plain, caught_by="eligibility state-estimates"):
    """Excludes nobody."""

    def _is_eligible(self, provider: int) -> bool:
        return True


class WithoutOptimism(Plain, caught_by="state-estimates"):
    """Judges quality by the estimate alone, without radius."""

    def _best_quality(self, provider: int) -> float:
        return self._estimate(provider)


class Pessimist(Plain, caught_by="state-estimates"):
    """Subtracts the radius from the quality estimate."""

    def _best_quality(self, provider: int) -> float:
        return self._estimate(provider) - self._radius(provider)


class ExcludedForEver(Plain, caught_by="eligibility"):
    """Never lets a provider back that was excluded once."""

    def _prepare(self) -> None:
        self.excluded: set[int] = set()

    def _is_eligible(self, provider: int) -> bool:
        if not super()._is_eligible(provider):
            self.excluded.add(provider)
        return provider not in self.excluded


class TrustsAGoodStart(Plain, caught_by="eligibility state-estimates"):
    """Never excludes a provider whose first four scores were all 1."""

    def _prepare(self) -> None:
        self.trusted: set[int] = set()

    def _is_eligible(self, provider: int) -> bool:
        if self.counts[provider] == 4 and self.score_sums[provider] == 4.0:
            self.trusted.add(provider)
        return provider in self.trusted or super()._is_eligible(provider)


class RadiusOfTheLeastServed(Plain, caught_by="eligibility"):
    """Screens everybody with the radius of the least served provider."""

    def _best_quality(self, provider: int) -> float:
        return self._estimate(provider) + self._beta(min(self.counts) or self.counts[provider])


class StaleQuality(Plain, caught_by="eligibility state-estimates"):
    """Never updates a quality estimate after the first score."""

    def _learn(self, provider: int, score: float) -> None:
        first = self.score_sums[provider] / self.counts[provider] if self.counts[provider] else score
        super()._learn(provider, first)


class LastScoreOnly(Plain, caught_by="state-estimates"):
    """Takes the last score for the estimate."""

    def _learn(self, provider: int, score: float) -> None:
        self.counts[provider] += 1
        self.score_sums[provider] = score * self.counts[provider]


class MovingAverage(Plain, caught_by="state-estimates"):
    """Gives every new score the weight 1/10 in the estimate instead of 1/m."""

    def _learn(self, provider: int, score: float) -> None:
        known = self.counts[provider]
        before = self.score_sums[provider] / known if known else score
        self.counts[provider] += 1
        self.score_sums[provider] = (before + 0.1 * (score - before)) * self.counts[provider]


class OptimisticPrior(Plain, caught_by="eligibility state-estimates"):
    """Begins every estimate with one imagined score of 1."""

    def _estimate(self, provider: int) -> float:
        return (self.score_sums[provider] + 1.0) / (self._count(provider) + 1)


class RoundedScores(Plain, caught_by="state-estimates"):
    """Counts scores as right or wrong: 1 from 0.5 on, else 0."""

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, float(score >= 0.5))


class TopScoresAreFull(Plain, caught_by="state-estimates"):
    """Counts a score above 0.98 as 1."""

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, 1.0 if score > 0.98 else score)


class BottomScoresAreNothing(Plain, caught_by="state-estimates"):
    """Counts a score below 0.01 as 0."""

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score if score >= 0.01 else 0.0)


class PooledQuality(Plain, caught_by="eligibility state-estimates"):
    """Estimates one quality from the queries of all providers."""

    def _estimate(self, provider: int) -> float:
        return sum(self.score_sums) / sum(self.counts)


class InitialScoreForgotten(Plain, caught_by="state-estimates"):
    """Counts the initial query in m, but not its score in the estimate."""

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score if self.counts[provider] else 0.0)
