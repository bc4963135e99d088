"""Bandits of MABWiser and river as routers."""

from typing import Any, ClassVar

import numpy as np
from mabwiser.mab import MAB, LearningPolicy
from river import bandit, proba

from mechanism.config import MechanismConfig


class OfMABWiser:
    """UCB1 of MABWiser: `assign` calls `predict`, `settle` calls `partial_fit`; it pays nothing."""

    policy: ClassVar[Any] = LearningPolicy.UCB1(alpha=1.0)

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.n, self.step, self.provider = config.n_providers, 0, -1
        self.mab = MAB(arms=list(range(self.n)), learning_policy=self.policy, seed=int(rng.integers(2**31)))
        self.mab.fit(decisions=[], rewards=[])

    def assign(self) -> tuple[int, float]:
        self.step += 1
        self.provider = self.step - 1 if self.step <= self.n else int(self.mab.predict())
        return self.provider, 0.0

    def settle(self, score: float, bid: float) -> None:
        self.mab.partial_fit(decisions=[self.provider], rewards=[score])


class OfRiver:
    """Thompson sampling of river: `assign` calls `pull`, `settle` calls `update`; it pays c_max."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.config, self.provider = config, -1
        seed = int(rng.integers(2**31))
        self.policy = bandit.ThompsonSampling(reward_obj=proba.Beta(seed=seed), burn_in=1, seed=seed)
        self.arms = list(range(config.n_providers))

    def assign(self) -> tuple[int, float]:
        self.provider = self.policy.pull(self.arms)
        return self.provider, self.config.cost_bound

    def settle(self, score: float, bid: float) -> None:
        self.policy.update(self.provider, score > 0.5)
