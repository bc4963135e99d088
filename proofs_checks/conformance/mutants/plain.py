"""alg:platform written anew from its pseudo-code, rule by rule, without `mechanism.rules`.

Every rule is a method of its own, so that a mutant replaces one and keeps the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.platform import Mechanism
from mechanism.randomness import draw_key, squares64, uniform_index


class Factory(Protocol):
    """What makes a mechanism: a class, or any function of a configuration and a generator."""

    def __call__(self, config: MechanismConfig, rng: np.random.Generator, /) -> Mechanism:
        """Return a fresh mechanism."""


class Plain:
    """Algorithm 1 in lists.

    A mutant of the gallery names the checks of the suite that must catch it: ``class Mutant(Plain, caught_by="...")``.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> plain = Plain(usual_config(n_providers=2), np.random.default_rng(0))
    >>> for bid in (0.25, 0.5):
    ...     provider, payment = plain.assign()
    ...     plain.settle(score=1.0, bid=bid)
    >>> plain.assign()
    (0, 0.5)
    """

    caught_by: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, caught_by: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.caught_by = tuple(caught_by.split())

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.config, self.bound, self.n_providers = config, config.cost_bound, config.n_providers
        self.rng, self.draw_key = rng, draw_key(rng)
        self.counts = [0] * self.n_providers
        self.score_sums = [0.0] * self.n_providers
        self.bids = [math.nan] * self.n_providers
        self.step, self.serving = 1, -1
        self._radii: dict[int, float] = {}
        self._prepare()

    def _prepare(self) -> None:
        """Set up what a subclass keeps besides."""

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays."""
        self.serving, payment = self._decide()
        return self.serving, payment

    def settle(self, score: float, bid: float) -> None:
        """Take the score and the standing bid of the provider that served."""
        self._learn(self.serving, score)
        self._take(self.serving, bid)
        self.step += 1

    # What is known.

    def _learn(self, provider: int, score: float) -> None:
        self.counts[provider] += 1
        self.score_sums[provider] += score

    def _take(self, provider: int, bid: float) -> None:
        self.bids[provider] = bid

    def _count(self, provider: int) -> int:
        return self.counts[provider]

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / self._count(provider)

    # Radii and indices.

    def _beta(self, count: int) -> float:
        return math.sqrt(math.log(self._inside(count)) / (2 * count))

    def _inside(self, count: int) -> float:
        """What beta takes the logarithm of."""
        return 2 * math.pi**2 * self.n_providers * count**2 / (3 * self.config.confidence)

    def _radius(self, provider: int) -> float:
        count = self._count(provider)
        if count not in self._radii:
            self._radii[count] = self._beta(count)
        return self._radii[count]

    def _cost_radius(self, provider: int) -> float:
        return (1 + self.config.belief_slack) * self.bound * self._radius(provider)

    def _adjusted_bid(self, provider: int) -> float:
        return self.bids[provider] - self._cost_radius(provider)

    def _goal(self) -> float:
        return self._goal_at(self.step)

    def _goal_at(self, step: float) -> float:
        return self.config.exploration_scale * math.pow(step / self.n_providers, self.config.exploration_exponent)

    # Who serves.

    def _initial(self) -> int:
        return self.step - 1

    def _is_eligible(self, provider: int) -> bool:
        return self._count(provider) > 0 and self._best_quality(provider) >= self.config.quality_threshold

    def _best_quality(self, provider: int) -> float:
        """Return the upper end of the quality's confidence band."""
        return self._estimate(provider) + self._radius(provider)

    def _is_under_sampled(self, provider: int) -> bool:
        return self._count(provider) < self._goal()

    def _explored(self, eligible: list[int]) -> list[int]:
        return [i for i in eligible if self._is_under_sampled(i)]

    def _draw(self, among: Sequence[int]) -> int:
        return among[uniform_index(squares64(self.draw_key, self.step), len(among))]

    def _draw_empty(self) -> int:
        return self._draw(range(self.n_providers))

    def _winner(self, eligible: list[int]) -> int:
        return min(eligible, key=self._adjusted_bid)

    # What is paid.

    def _initial_payment(self) -> float:
        return self.bound

    def _empty_payment(self, provider: int) -> float:
        return self.bound

    def _exploration_payment(self, provider: int, eligible: list[int]) -> float:
        return self.bound

    def _critical(self, winner: int, eligible: list[int]) -> float:
        rivals = (self._adjusted_bid(j) for j in eligible if j != winner)
        return self._cost_radius(winner) + min(rivals, default=math.inf)

    def _payment(self, winner: int, eligible: list[int]) -> float:
        return min(self._critical(winner, eligible), self.bound)

    # The order of the rules.

    def _decide(self) -> tuple[int, float]:
        if self.step <= self.n_providers:
            return self._initial(), self._initial_payment()
        eligible = [i for i in range(self.n_providers) if self._is_eligible(i)]
        if not eligible:
            drawn = self._draw_empty()
            return drawn, self._empty_payment(drawn)
        if explored := self._explored(eligible):
            drawn = self._draw(explored)
            return drawn, self._exploration_payment(drawn, eligible)
        winner = self._winner(eligible)
        return winner, self._payment(winner, eligible)
