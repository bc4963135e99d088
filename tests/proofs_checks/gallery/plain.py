"""alg:platform written anew from its pseudo-code, rule by rule, and the freedoms it leaves.

Each rule is a method, so that a broken variant replaces one and keeps the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.randomness import draw_key, squares64, uniform_index


class Plain:
    """alg:platform in lists; each rule is a method that a broken variant replaces."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.c, self.n, self.key = config, config.n_providers, draw_key(rng)
        self.scores: list[list[float]] = [[] for _ in range(self.n)]
        self.bids = [math.nan] * self.n
        self.t, self.serving = 1, -1

    # Estimates and radii.
    def count(self, i: int) -> int:
        return len(self.scores[i])

    def estimate(self, i: int) -> float:
        return sum(self.scores[i]) / self.count(i)

    def beta(self, m: int) -> float:
        return math.sqrt(math.log(2 * math.pi**2 * self.n * m**2 / (3 * self.c.confidence)) / (2 * m))

    def width(self, i: int) -> float:
        return (1 + self.c.belief_slack) * self.c.cost_bound * self.beta(self.count(i))

    def index(self, i: int) -> float:
        return self.bids[i] - self.width(i)

    def goal(self) -> float:
        return self.c.exploration_scale * (self.t / self.n) ** self.c.exploration_exponent

    # Who serves.
    def initial(self) -> int:
        return self.t - 1

    def is_able(self, i: int) -> bool:
        return self.count(i) > 0 and self.estimate(i) + self.beta(self.count(i)) >= self.c.quality_threshold

    def is_poor(self, i: int) -> bool:
        return self.count(i) < self.goal()

    def poor(self, able: list[int]) -> list[int]:
        return [i for i in able if self.is_poor(i)]

    def draw(self, among: Sequence[int]) -> int:
        return among[uniform_index(squares64(self.key, self.t), len(among))]

    def winner(self, able: list[int]) -> int:
        return min(able, key=self.index)

    # What is paid.
    def initial_price(self) -> float:
        return self.c.cost_bound

    def empty_price(self) -> float:
        return self.c.cost_bound

    def exploration_price(self, winner: int, able: list[int]) -> float:
        return self.c.cost_bound

    def critical(self, winner: int, able: list[int]) -> float:
        return self.width(winner) + min((self.index(j) for j in able if j != winner), default=math.inf)

    def price(self, winner: int, able: list[int]) -> float:
        return min(self.critical(winner, able), self.c.cost_bound)

    # The platform.
    def decide(self) -> tuple[int, float]:
        if self.t <= self.n:
            return self.initial(), self.initial_price()
        able = [i for i in range(self.n) if self.is_able(i)]
        if not able:
            return self.draw(range(self.n)), self.empty_price()
        if poor := self.poor(able):
            explored = self.draw(poor)
            return explored, self.exploration_price(explored, able)
        winner = self.winner(able)
        return winner, self.price(winner, able)

    def assign(self) -> tuple[int, float]:
        self.serving, payment = self.decide()
        return self.serving, payment

    def settle(self, score: float, bid: float) -> None:
        self.scores[self.serving].append(score)
        self.bids[self.serving] = bid
        self.t += 1


# Right variants: whatever the paper leaves open.


class LastOfTies(Plain):
    def winner(self, able):
        return min(reversed(able), key=self.index)


class InitializesBackwards(Plain):
    def initial(self):
        return self.n - self.t
