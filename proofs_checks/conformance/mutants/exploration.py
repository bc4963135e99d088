"""Mutants that explore other providers, at other steps, or at another price."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechanism.config import MechanismConfig
from proofs_checks.conformance.mutants.plain import Plain


class ExploresAtTheGoal(Plain):
    """Explores providers with m <= g(t) instead of m < g(t)."""

    def _is_under_sampled(self, provider: int) -> bool:
        return self._count(provider) <= self._goal()


class NeverExplores(Plain):
    """Never explores."""

    def _is_under_sampled(self, provider: int) -> bool:
        return False


class ExploresTheExcluded(Plain):
    """Explores under-sampled providers that are not eligible, too."""

    def _explored(self, eligible: list[int]) -> list[int]:
        return [i for i in range(self.n_providers) if self._is_under_sampled(i)]


class ExploresAllEligible(Plain):
    """Draws an exploration among all eligible providers as soon as one is under-sampled."""

    def _explored(self, eligible: list[int]) -> list[int]:
        return eligible if super()._explored(eligible) else []


class ExploresUnlessAllAgree(Plain):
    """Explores only while every eligible provider is under-sampled."""

    def _explored(self, eligible: list[int]) -> list[int]:
        explored = super()._explored(eligible)
        return explored if len(explored) == len(eligible) else []


class GoalWithoutN(Plain):
    """Takes g(t) = k t^alpha."""

    def _goal(self) -> float:
        return self._goal_at(self.step * self.n_providers)


class GoalWithoutScale(Plain):
    """Takes g(t) = (t / N)^alpha."""

    def _goal(self) -> float:
        return super()._goal() / self.config.exploration_scale


class GoalOfTheLastStep(Plain):
    """Explores up to g(t - 1) instead of g(t)."""

    def _goal(self) -> float:
        return self._goal_at(self.step - 1)


class GoalOfTheNextStep(Plain):
    """Explores up to g(t + 1) instead of g(t)."""

    def _goal(self) -> float:
        return self._goal_at(self.step + 1)


class GoalRoundedDown(Plain):
    """Rounds g(t) down to a whole number."""

    def _goal(self) -> float:
        return float(int(super()._goal()))


class ExponentOfTheComplement(Plain):
    """Takes 1 - alpha for alpha."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(replace(config, exploration_exponent=1 - config.exploration_exponent), rng)


class ExplorationPaysThePrice(Plain):
    """Pays the auction's price at exploration steps."""

    def _exploration_payment(self, provider: int, eligible: list[int]) -> float:
        return self._payment(provider, eligible)


class ExplorationPaysLess(Plain):
    """Pays 0.999 c_max at exploration steps."""

    def _exploration_payment(self, provider: int, eligible: list[int]) -> float:
        return 0.999 * self.bound


class ExplorationPaysTheBid(Plain):
    """Pays the explored provider its bid."""

    def _exploration_payment(self, provider: int, eligible: list[int]) -> float:
        return self.bids[provider]


class ExplorationPaysHalf(Plain):
    """Pays half of c_max at exploration steps."""

    def _exploration_payment(self, provider: int, eligible: list[int]) -> float:
        return 0.5 * self.bound


class ExploresTheCheapest(Plain):
    """Gives the well-paid exploration steps to the lowest bid."""

    def _explored(self, eligible: list[int]) -> list[int]:
        explored = super()._explored(eligible)
        return [min(explored, key=lambda i: self.bids[i])] if explored else []
