"""Mutants whose confidence radius beta(m), or its widening by the belief slack gamma, is another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from proofs_checks.conformance.mutants.plain import Plain


class RadiusWithoutTheTwo(Plain, caught_by="index-minimizer critical-payment"):
    """Divides by m instead of 2 m in beta."""

    def _beta(self, count: int) -> float:
        return math.sqrt(2) * super()._beta(count)


class OtherLogarithm(Plain):
    """Takes the logarithm of `_inside` in beta; it errs in nothing yet."""

    def _inside(self, count: int) -> float:
        return math.exp(2 * count * super()._beta(count) ** 2)

    def _beta(self, count: int) -> float:
        return math.sqrt(math.log(self._inside(count)) / (2 * count))


class LogarithmOfM(OtherLogarithm, caught_by="index-minimizer critical-payment"):
    """Takes ln(... m ...) instead of ln(... m^2 ...) in beta."""

    def _inside(self, count: int) -> float:
        return super()._inside(count) / count


class OneSided(OtherLogarithm, caught_by="critical-payment"):
    """Forgets the factor 2 inside the logarithm of beta."""

    def _inside(self, count: int) -> float:
        return super()._inside(count) / 2


class OneProviderMore(OtherLogarithm, caught_by="critical-payment"):
    """Takes N + 1 instead of N in beta."""

    def _inside(self, count: int) -> float:
        return super()._inside(count) * (self.n_providers + 1) / self.n_providers


class WithoutN(OtherLogarithm, caught_by="critical-payment"):
    """Forgets N in beta: no union over the providers."""

    def _inside(self, count: int) -> float:
        return super()._inside(count) / self.n_providers


class ConfidenceForFailure(OtherLogarithm, caught_by="critical-payment"):
    """Takes 1 - delta for delta in beta."""

    def _inside(self, count: int) -> float:
        delta = self.config.confidence
        return super()._inside(count) * delta / (1 - delta)


class CountsOneMore(Plain, caught_by="critical-payment"):
    """Takes the radius at m + 1."""

    def _beta(self, count: int) -> float:
        return super()._beta(count + 1)


class RadiusOfSteps(OtherLogarithm, caught_by="critical-payment"):
    """Takes the step t instead of m inside the logarithm of beta."""

    def _radius(self, provider: int) -> float:
        return math.sqrt(math.log(self._inside(self.step)) / (2 * self._count(provider)))


class SlackIgnored(Plain, caught_by="widened-radius"):
    """Ignores gamma."""

    def _cost_radius(self, provider: int) -> float:
        return self.bound * self._radius(provider)


class SlackInAllocationOnly(Plain, caught_by="widened-radius"):
    """Widens the cost radii for the allocation, not for P."""

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        rivals = (self.bids[j] - self.bound * self._radius(j) for j in eligible if j != winner)
        return self.bound * self._radius(winner) + min(rivals, default=math.inf)


class SlackInPaymentOnly(Plain, caught_by="widened-radius"):
    """Widens the cost radii for P, not for the allocation."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return min(eligible, key=lambda i: self.bids[i] - self.bound * self._radius(i))


class SlackAdded(Plain, caught_by="widened-radius"):
    """Adds gamma to the radius instead of widening it by 1 + gamma."""

    def _cost_radius(self, provider: int) -> float:
        return self.bound * (self._radius(provider) + self.config.belief_slack)


class SlackInQuality(Plain, caught_by="widened-radius"):
    """Widens the radius of the quality estimate, too."""

    def _best_quality(self, provider: int) -> float:
        return self._estimate(provider) + (1 + self.config.belief_slack) * self._radius(provider)
