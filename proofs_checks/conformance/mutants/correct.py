"""Correct mechanisms in other styles: in all that the paper and the contract leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from mechanism import rules
from mechanism.config import MechanismConfig
from proofs_checks.conformance.mutants.plain import Plain


class LastOfTies(Plain):
    """Gives ties to the last provider."""

    def _winner(self, eligible: Sequence[int]) -> int:
        return min(reversed(eligible), key=self._adjusted_bid)


class RandomOfTies(Plain):
    """Draws everything, ties too, from `rng` when it is needed."""

    def _draw(self, among: Sequence[int]) -> int:
        return int(self.rng.choice(np.array(among)))

    def _winner(self, eligible: Sequence[int]) -> int:
        tied = rules.lowest(eligible, self._adjusted_bids())
        return tied[0] if len(tied) == 1 else self._draw(tied)


class InitializesBackwards(Plain):
    """Initializes from the last provider to the first."""

    def _initial(self) -> int:
        return self.n_providers - self.step


class InitializesAtRandom(Plain):
    """Initializes in a random order."""

    def _prepare(self) -> None:
        self.order = self.rng.permutation(self.n_providers).tolist()

    def _initial(self) -> int:
        return int(self.order[self.step - 1])


class RunningMeans(Plain):
    """Updates qhat <- (m qhat + r) / (m + 1), as the pseudo-code writes it."""

    def _prepare(self) -> None:
        self.means = [0.0] * self.n_providers

    def _learn(self, provider: int, score: float) -> None:
        known = self.counts[provider]
        self.means[provider] = (known * self.means[provider] + score) / (known + 1)
        self.counts[provider] = known + 1

    def _estimate(self, provider: int) -> float:
        return self.means[provider]


class Logarithms(Plain):
    """Computes beta(m) and g(t) from sums of logarithms."""

    def _beta(self, count: int) -> float:
        parts = (math.log(2 / 3), 2 * math.log(math.pi), math.log(self.n_providers), 2 * math.log(count))
        return math.exp(0.5 * (math.log(sum(parts) - math.log(self.config.confidence)) - math.log(2 * count)))

    def _goal(self) -> float:
        ratio = math.log(self.step) - math.log(self.n_providers)
        return math.exp(math.log(self.config.exploration_scale) + self.config.exploration_exponent * ratio)

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        return tuple(i for i in able if math.log(self.counts[i]) < math.log(self._goal()) - 1e-12)


class ExactFractions(Plain):
    """Adds, compares and pays in exact fractions; only beta(m) and g(t) are rounded."""

    def _prepare(self) -> None:
        self.exact_sums, self.exact_bids = [Fraction(0)] * self.n_providers, [Fraction(0)] * self.n_providers
        self.width = (1 + Fraction(self.config.belief_slack)) * Fraction(self.config.cost_bound)

    def _learn(self, provider: int, score: float) -> None:
        self.counts[provider] += 1
        self.exact_sums[provider] += Fraction(score)

    def _take(self, provider: int, bid: float) -> None:
        self.exact_bids[provider] = Fraction(bid) - self.width * Fraction(self._radius(provider))

    def _is_eligible(self, provider: int) -> bool:
        reached = self.exact_sums[provider] / self.counts[provider] + Fraction(self._radius(provider))
        return reached >= Fraction(self.config.quality_threshold)

    def _winner(self, eligible: Sequence[int]) -> int:
        return min(eligible, key=lambda i: self.exact_bids[i])

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        bound = Fraction(self.bound)
        rivals = [self.exact_bids[j] for j in eligible if j != winner]
        return float(min(self.width * Fraction(self._radius(winner)) + min(rivals), bound) if rivals else bound)


class DecimalMoney(Plain):
    """Computes money in decimals of 40 digits, and pays the nearest float."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        with localcontext() as context:
            context.prec = 40
            width = (1 + Decimal(self.config.belief_slack)) * Decimal(self.bound)
            rivals = [Decimal(self.bids[j]) - width * Decimal(self._radius(j)) for j in eligible if j != winner]
            if not rivals:
                return self.bound
            return float(min(width * Decimal(self._radius(winner)) + min(rivals), Decimal(self.bound)))


class Arrays:
    """Keeps its state in NumPy arrays and decides with masks."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.config, self.rng, self.step, self.serving = config, rng, 0, -1
        self.state = np.zeros((3, config.n_providers))  # counts, score sums, standing bids

    def assign(self) -> tuple[int, float]:
        """Return who serves and what the user pays."""
        self.step += 1
        self.serving, payment = self._decide()
        return self.serving, float(payment)

    def settle(self, score: float, bid: float) -> None:
        """Take the score and the standing bid."""
        self.state[:2, self.serving] += 1, score
        self.state[2, self.serving] = bid

    def _decide(self) -> tuple[int, float]:
        config, n = self.config, self.config.n_providers
        if self.step <= n:
            return self.step - 1, config.cost_bound
        counts, sums, bids = self.state
        radii = np.sqrt(np.log(2 * np.pi**2 * n * counts**2 / (3 * config.confidence)) / (2 * counts))
        eligible = sums / counts + radii >= config.quality_threshold
        explored = eligible & (counts < config.exploration_scale * (self.step / n) ** config.exploration_exponent)
        if not eligible.any() or explored.any():
            among = np.flatnonzero(explored if eligible.any() else ~eligible)
            return int(self.rng.choice(among)), config.cost_bound
        width = (1 + config.belief_slack) * config.cost_bound * radii
        adjusted = np.where(eligible, bids - width, np.inf)
        winner = int(np.argmin(adjusted))
        rivals = np.delete(adjusted, winner).min()
        return winner, min(width[winner] + rivals, config.cost_bound)
