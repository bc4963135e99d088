"""The platform with all its rules as methods that ask each other anew at every step: a mutant replaces one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.platform import Mechanism, Platform
from mechanism.tables import goal_table, quality_table


class Factory(Protocol):
    """What makes a mechanism: a class, or any function of a configuration and a generator."""

    def __call__(self, config: MechanismConfig, rng: np.random.Generator, /) -> Mechanism:
        """Return a fresh mechanism."""


class Plain(Platform):
    """Algorithm 1, of which a mutant replaces a rule, and `mechanism.rules` decides the rest.

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
    #: Whether feedback names its query and may be late.
    concurrent: ClassVar[bool] = False
    #: What a subclass keeps is not in the state of a platform.
    state: Any = None

    def __init_subclass__(cls, *, caught_by: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.caught_by = tuple(caught_by.split())

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng, check_bids=False, concurrent=self.concurrent)
        self.bound, self.n_providers, self.rng = config.cost_bound, config.n_providers, rng
        #: Who served last.
        self.serving = -1
        self._prepare()

    def _prepare(self) -> None:
        """Set up what a subclass keeps besides."""

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays."""
        self.serving, payment = super().assign()
        return self.serving, payment

    def _know(self, provider: int) -> None:
        """Keep nothing: every rule is asked anew."""

    # Of one provider.

    def _count(self, provider: int) -> int:
        return self.counts[provider]

    def _estimate(self, provider: int) -> float:
        return self.score_sums[provider] / max(self._count(provider), 1)

    def _beta(self, count: int) -> float:
        return quality_table(self.config)[count]

    def _radius(self, provider: int) -> float:
        count = self._count(provider)
        return self._beta(count) if count else math.inf

    def _cost_radius(self, provider: int) -> float:
        return (1 + self.config.belief_slack) * self.bound * self._radius(provider)

    def _adjusted_bid(self, provider: int) -> float:
        return self.bids[provider] - self._cost_radius(provider) if self.counts[provider] else -math.inf

    def _adjusted_bids(self) -> list[float]:
        return [self._adjusted_bid(i) for i in range(self.n_providers)]

    def _best_quality(self, provider: int) -> float:
        """Return the upper end of the quality's confidence band."""
        return self._estimate(provider) + self._radius(provider)

    def _is_eligible(self, provider: int) -> bool:
        return rules.may_reach(self._best_quality(provider), 0.0, self.config.quality_threshold)

    # Who serves.

    @property
    def eligible(self) -> tuple[int, ...]:
        """The providers that may serve now."""
        return tuple(i for i in range(self.n_providers) if self._is_eligible(i))

    def _goal(self) -> float:
        return self._goal_at(self.step)

    def _goal_at(self, step: int) -> float:
        return goal_table(self.n_providers, self.config.exploration_scale, self.config.exploration_exponent)[step]

    def _target(self) -> float:
        return self._goal()

    def _winners(self, able: Sequence[int]) -> tuple[int, ...]:
        return (self._winner(able),)

    def _winner(self, eligible: Sequence[int]) -> int:
        return rules.lowest(eligible, self._adjusted_bids())[0]

    def _choose(self, allocation: rules.Allocation) -> int:
        return self._draw_empty() if allocation.kind == "empty" else super()._choose(allocation)

    def _draw_empty(self) -> int:
        return self._draw(range(self.n_providers))

    # What is paid.

    def _price(self, allocation: rules.Allocation, provider: int) -> float:
        if allocation.kind == "empty":
            return self._empty_payment(provider)
        if allocation.kind == "exploration":
            return self._exploration_payment(provider, allocation.eligible)
        return self._payment(provider, allocation.eligible)

    def _empty_payment(self, provider: int) -> float:
        return self.bound

    def _exploration_payment(self, provider: int, eligible: Sequence[int]) -> float:
        return self.bound

    def _critical(self, winner: int, eligible: Sequence[int]) -> float:
        found = rules.critical_payment(winner, eligible, self._adjusted_bids(), self._cost_radius(winner))
        return math.inf if found is None else float(found)

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        return float(rules.auction_payment(self._critical(winner, eligible), self.bound))
