"""Mutants that pay the winner of an auction something else than min{P, c_max}."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np

from proofs_checks.conformance.mutants.plain import Plain


class OnePercentHigh(Plain, caught_by="payment-range selection-threshold critical-payment"):
    """Pays 1.01 min{P, c_max}."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return 1.01 * super()._payment(winner, eligible)


class OnePercentLow(Plain, caught_by="selection-threshold critical-payment"):
    """Pays 0.99 min{P, c_max}."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return 0.99 * super()._payment(winner, eligible)


class FirstPrice(Plain, caught_by="own-bid-independence no-profitable-misreport critical-payment"):
    """Pays the winner its own bid."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return self.bids[winner]


class OwnIndexAmongRivals(Plain, caught_by="own-bid-independence critical-payment"):
    """Takes the minimum in P over the winner, too: it is paid its bid in disguise."""

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        return self._cost_radius(winner) + min(self._adjusted_bid(j) for j in eligible)


class NoCap(Plain, caught_by="payment-range critical-payment"):
    """Pays P even above c_max."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        critical = self._critical(winner, eligible)
        return critical if math.isfinite(critical) else self.bound


class LowCap(Plain, caught_by="lone-payment critical-payment"):
    """Pays at most 0.99 c_max in an auction."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return min(super()._payment(winner, eligible), 0.99 * self.bound)


class Fee(Plain, caught_by="payment-range no-loss robust-no-loss critical-payment"):
    """Keeps a fee of c_max of every auction's payment."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return super()._payment(winner, eligible) - self.bound


class RivalsAreAll(Plain, caught_by="critical-payment"):
    """Takes the minimum in P over all providers instead of the eligible ones."""

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        return super()._critical(winner, list(range(self.n_providers)))


class DearestRival(Plain, caught_by="selection-threshold critical-payment"):
    """Takes the largest adjusted bid of a rival in P instead of the smallest."""

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        rivals = (self._adjusted_bid(j) for j in eligible if j != winner)
        return self._cost_radius(winner) + max(rivals, default=math.inf)


class MedianRival(Plain, caught_by="selection-threshold critical-payment"):
    """Takes the median adjusted bid of the rivals in P instead of the smallest."""

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        rivals = [self._adjusted_bid(j) for j in eligible if j != winner]
        return self._cost_radius(winner) + statistics.median(rivals) if rivals else math.inf


class PlainSecondPrice(Plain, caught_by="selection-threshold critical-payment"):
    """Pays the lowest bid of a rival, without radii."""

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        return min((self.bids[j] for j in eligible if j != winner), default=math.inf)


class RivalsRadius(Plain, caught_by="selection-threshold critical-payment"):
    """Adds the best rival's cost radius in P instead of the winner's."""

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        rivals = [j for j in eligible if j != winner]
        return self.bids[min(rivals, key=self._adjusted_bid)] if rivals else math.inf


class RoundedPayments(Plain, caught_by="critical-payment"):
    """Rounds payments to two decimals."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return round(super()._payment(winner, eligible), 2)


class SinglePrecision(Plain, caught_by="critical-payment"):
    """Pays in single precision."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return float(np.float32(super()._payment(winner, eligible)))
