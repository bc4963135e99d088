"""Bandits of MABWiser and river as routers, right and wrong: what an adapter of theirs may get wrong."""

from typing import Any, ClassVar

import numpy as np
from mabwiser.mab import MAB, LearningPolicy
from river import bandit, proba, stats

from mechanism.config import MechanismConfig


class OfMABWiser:
    """UCB1 of MABWiser: `assign` calls `predict`, `settle` calls `partial_fit`; it pays nothing."""

    policy: ClassVar[Any] = LearningPolicy.UCB1(alpha=1.0)

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.n, self.step, self.provider = config.n_providers, 0, -1
        self.mab = MAB(arms=list(range(self.n)), learning_policy=self.policy, seed=self.seed(rng))
        self.mab.fit(decisions=[], rewards=[])

    def seed(self, rng: np.random.Generator) -> int:
        return int(rng.integers(2**31))

    def assign(self) -> tuple[int, float]:
        self.step += 1
        self.provider = self.step - 1 if self.step <= self.n else int(self.mab.predict())
        return self.provider, 0.0

    def settle(self, score: float, bid: float) -> None:
        self.mab.partial_fit(decisions=[self.provider], rewards=[score])


class EpsilonGreedyOfMABWiser(OfMABWiser):
    """Its epsilon-greedy policy."""

    policy = LearningPolicy.EpsilonGreedy(epsilon=0.1)


class GreedyOfMABWiser(OfMABWiser):
    """Its epsilon-greedy policy without exploration."""

    caught_by = "continued-exploration"
    policy = LearningPolicy.EpsilonGreedy(epsilon=0.0)


class SeedsByTheClock(OfMABWiser):
    """Seeds it anew, not from `rng`."""

    caught_by = "reproducible"
    policy = LearningPolicy.EpsilonGreedy(epsilon=0.3)

    def seed(self, rng: np.random.Generator) -> int:
        return int(np.random.SeedSequence().generate_state(1)[0] // 2)


class RewardsCheapness(OfMABWiser):
    """Rewards low bids instead of scores."""

    caught_by = "quality-threshold"

    def settle(self, score: float, bid: float) -> None:
        super().settle(1.0 - bid, bid)


class OneForAll(OfMABWiser):
    """Keeps one bandit for all instances with so many arms."""

    caught_by = "independent-instances"
    made: ClassVar[dict[int, MAB]] = {}

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.mab = self.made.setdefault(self.n, self.mab)


class OfRiver:
    """Thompson sampling of river: `assign` calls `pull`, `settle` calls `update`; it pays c_max."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.config, self.provider = config, -1
        self.policy = self.made(int(rng.integers(2**31)))
        self.arms = list(range(config.n_providers))

    def made(self, seed: int) -> Any:
        return bandit.ThompsonSampling(reward_obj=proba.Beta(seed=seed), burn_in=1, seed=seed)

    def assign(self) -> tuple[int, float]:
        self.provider = self.policy.pull(self.arms)
        return self.provider, self.config.cost_bound

    def settle(self, score: float, bid: float) -> None:
        self.policy.update(self.provider, score > 0.5)


class RoundsScores(OfRiver):
    """Counts a score as a success from 0 on: every answer is one."""

    caught_by = "quality-threshold"

    def settle(self, score: float, bid: float) -> None:
        self.policy.update(self.provider, score >= 0.0)


class ForgetsToUpdate(OfRiver):
    """Updates the policy with the first scores only."""

    caught_by = "best-provider"

    def made(self, seed: int) -> Any:
        self.left = 20
        return bandit.EpsilonGreedy(epsilon=0.1, reward_obj=stats.Mean(), burn_in=1, seed=seed)

    def settle(self, score: float, bid: float) -> None:
        self.left -= 1
        self.policy.update(self.provider, score if self.left > 0 else 0.0)


RIGHT = (OfMABWiser, EpsilonGreedyOfMABWiser, OfRiver)
WRONG = (GreedyOfMABWiser, SeedsByTheClock, RewardsCheapness, OneForAll, RoundsScores, ForgetsToUpdate)
