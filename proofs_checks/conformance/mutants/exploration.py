"""Mutants that explore other providers, at other steps, or at another price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mechanism import rules
from mechanism.config import MechanismConfig
from proofs_checks.conformance.mutants.plain import Plain


class ExploresAtTheGoal(Plain, caught_by="exploration-set"):
    """Explores providers with m <= g(t) instead of m < g(t)."""

    def _target(self) -> float:
        return math.floor(self._goal()) + 1


class NeverExplores(Plain, caught_by="exploration-payment exploration-set"):
    """Never explores."""

    def _target(self) -> float:
        return 0


class ExploresTheExcluded(Plain, caught_by="eligibility"):
    """Explores under-sampled providers that are not eligible, too."""

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        return super()._explored(range(self.n_providers))


class ExploresAllEligible(Plain, caught_by="exploration-set"):
    """Draws an exploration among all eligible providers as soon as one is under-sampled."""

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        return tuple(able) if super()._explored(able) else ()


class ExploresUnlessAllAgree(Plain, caught_by="exploration-payment exploration-set"):
    """Explores only while every eligible provider is under-sampled."""

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        explored = super()._explored(able)
        return explored if len(explored) == len(able) else ()


class GoalWithoutN(Plain, caught_by="critical-payment"):
    """Takes g(t) = k t^alpha."""

    def _goal(self) -> float:
        return self._goal_at(self.step * self.n_providers)


class GoalWithoutScale(Plain, caught_by="critical-payment"):
    """Takes g(t) = (t / N)^alpha."""

    def _goal(self) -> float:
        return super()._goal() / self.config.exploration_scale


class GoalOfTheLastStep(Plain, caught_by="exploration-payment"):
    """Explores up to g(t - 1) instead of g(t)."""

    def _goal(self) -> float:
        return self._goal_at(self.step - 1)


class GoalRoundedDown(Plain, caught_by="exploration-payment"):
    """Rounds g(t) down to a whole number."""

    def _goal(self) -> float:
        return float(int(super()._goal()))


class ExponentOfTheComplement(Plain, caught_by="exploration-payment"):
    """Takes 1 - alpha for alpha."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(replace(config, exploration_exponent=1 - config.exploration_exponent), rng)


class ExplorationPaysThePrice(Plain, caught_by="exploration-payment"):
    """Pays the auction's price at exploration steps."""

    def _exploration_payment(self, provider: int, eligible: Sequence[int]) -> float:
        return self._payment(provider, eligible)


class ExplorationPaysLess(Plain, caught_by="exploration-payment"):
    """Pays 0.999 c_max at exploration steps."""

    def _exploration_payment(self, provider: int, eligible: Sequence[int]) -> float:
        return 0.999 * self.bound


class ExplorationPaysTheBid(Plain, caught_by="own-bid-independence exploration-payment"):
    """Pays the explored provider its bid."""

    def _exploration_payment(self, provider: int, eligible: Sequence[int]) -> float:
        return self.bids[provider]


class ExplorationPaysHalf(Plain, caught_by="no-loss exploration-payment"):
    """Pays half of c_max at exploration steps."""

    def _exploration_payment(self, provider: int, eligible: Sequence[int]) -> float:
        return 0.5 * self.bound


class ExploresTheCheapest(Plain, caught_by="no-profitable-misreport"):
    """Gives the well-paid exploration steps to the lowest bid."""

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        explored = super()._explored(able)
        return rules.lowest(explored, self.bids)[:1] if explored else ()
