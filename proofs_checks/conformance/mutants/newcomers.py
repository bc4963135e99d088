"""Ten broken mechanisms in a third style, by somebody who knew the paper alone, before the list of slips was measured.

They measure what a newcomer may expect of the first line of `costproof check`: docs/first-lines.md. A defect that the
diagnosis has learnt to name since (`first_lines.LEARNT`) counts as not named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Provider:
    """What the platform knows of a provider."""

    served: int = 0
    quality: float = 0.0
    bid: float = math.inf


class Base:
    """A right mechanism; those below break one thing of it."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.cfg = config
        self.rng = rng
        self.n = int(config.n_providers)
        self.providers = [Provider() for _ in range(self.n)]
        self.step = 1
        self.current = -1
        self.phase = "init"  # or "fallback", "explore", "auction"

    def radius(self, i: int) -> float:
        """Return the confidence radius."""
        m = self.providers[i].served
        inside = 2.0 * math.pi**2 * self.n * m**2 / (3.0 * self.cfg.confidence)
        return math.sqrt(math.log(inside) / (2.0 * m))

    def cost_radius(self, i: int) -> float:
        """Return the radius in money."""
        return float((1.0 + self.cfg.belief_slack) * self.cfg.cost_bound * self.radius(i))

    def adjusted_bid(self, i: int) -> float:
        """Return the bid less the radius in money."""
        return self.providers[i].bid - self.cost_radius(i)

    def is_eligible(self, i: int) -> bool:
        """Return whether a provider may still be good enough."""
        return bool(self.providers[i].quality + self.radius(i) >= self.cfg.quality_threshold)

    def target(self) -> float:
        """Return the count below which a provider is explored."""
        ratio = self.step / self.n
        return float(self.cfg.exploration_scale * ratio**self.cfg.exploration_exponent)

    def under_sampled(self, eligible: Sequence[int]) -> list[int]:
        """Return who is to be explored."""
        goal = self.target()
        return [i for i in eligible if self.providers[i].served < goal]

    def pick_winner(self, eligible: Sequence[int]) -> int:
        """Return who wins the auction."""
        return min(eligible, key=self.adjusted_bid)

    def rival_level(self, winner: int, eligible: Sequence[int]) -> float:
        """Return the adjusted bid that the winner must not exceed."""
        return min((self.adjusted_bid(j) for j in eligible if j != winner), default=math.inf)

    def critical_payment(self, winner: int, eligible: Sequence[int]) -> float:
        """Return what the winner is paid."""
        price = self.cost_radius(winner) + self.rival_level(winner, eligible)
        return float(min(price, self.cfg.cost_bound))

    def draw(self, pool: Sequence[int]) -> int:
        """Return one of several, drawn."""
        return int(pool[int(self.rng.integers(len(pool)))])

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query, and what the user pays."""
        cap = float(self.cfg.cost_bound)
        if self.step <= self.n:
            self.phase, self.current = "init", self.step - 1
            return self.current, cap
        eligible = [i for i in range(self.n) if self.is_eligible(i)]
        if not eligible:
            self.phase, self.current = "fallback", self.draw(range(self.n))
            return self.current, cap
        pool = self.under_sampled(eligible)
        if pool:
            self.phase, self.current = "explore", self.draw(pool)
            return self.current, cap
        self.phase, self.current = "auction", self.pick_winner(eligible)
        return self.current, float(self.critical_payment(self.current, eligible))

    def record_score(self, provider: Provider, score: float) -> None:
        """Take a score into the mean, and count it."""
        m = provider.served
        provider.quality = (m * provider.quality + score) / (m + 1)
        provider.served = m + 1

    def record_bid(self, provider: Provider, bid: float) -> None:
        """Let a bid stand."""
        provider.bid = float(bid)

    def settle(self, score: float, bid: float) -> None:
        """Take score and bid of the query that was assigned."""
        provider = self.providers[self.current]
        self.record_score(provider, float(score))
        self.record_bid(provider, bid)
        self.step += 1


class ClockRestartsAfterInit(Base):
    """The exploration target counts steps from the end of initialization: g = k((t-N)/N)^alpha."""

    def target(self) -> float:
        """Return the count below which a provider is explored."""
        ratio = (self.step - self.n) / self.n
        return float(self.cfg.exploration_scale * ratio**self.cfg.exploration_exponent)


class RunningMeanAfterIncrement(Base):
    """The running mean uses the count after it was raised, so the first score weighs double for ever."""

    def record_score(self, provider: Provider, score: float) -> None:
        """Take a score into the mean, and count it."""
        provider.served += 1
        m = provider.served
        if m == 1:
            provider.quality = score
        else:
            provider.quality = (m * provider.quality + score) / (m + 1)


class RadiusLogUsesStep(Base):
    """The logarithm in the confidence radius contains t^2 (UCB habit) in place of m_i^2."""

    def radius(self, i: int) -> float:
        """Return the confidence radius."""
        m = self.providers[i].served
        inside = 2.0 * math.pi**2 * self.n * self.step**2 / (3.0 * self.cfg.confidence)
        return math.sqrt(math.log(inside) / (2.0 * m))


class EligibilityWidenedToo(Base):
    """The factor (1+gamma), meant for the cost radius only, also widens the eligibility test."""

    def is_eligible(self, i: int) -> bool:
        """Return whether a provider may still be good enough."""
        widened = (1.0 + self.cfg.belief_slack) * self.radius(i)
        return bool(self.providers[i].quality + widened >= self.cfg.quality_threshold)


class EliminationIsFinal(Base):
    """A provider found ineligible once is struck off for good, even if its bound rises again later."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.struck_off = set[int]()

    def is_eligible(self, i: int) -> bool:
        """Return whether a provider may still be good enough."""
        if not super().is_eligible(i):
            self.struck_off.add(i)
        return i not in self.struck_off


class ExplorationInclusive(Base):
    """A provider whose count equals the target exactly is still explored (m <= g instead of m < g)."""

    def under_sampled(self, eligible: Sequence[int]) -> list[int]:
        """Return who is to be explored."""
        goal = self.target()
        return [i for i in eligible if self.providers[i].served <= goal]


class WinnerIndexInEligibleList(Base):
    """The argmin over the eligible list is used as provider number without mapping it back."""

    def pick_winner(self, eligible: Sequence[int]) -> int:
        """Return who wins the auction."""
        return int(np.argmin([self.adjusted_bid(i) for i in eligible]))


class RivalByRawBid(Base):
    """The payment takes the rival with the lowest raw bid instead of the lowest adjusted bid."""

    def rival_level(self, winner: int, eligible: Sequence[int]) -> float:
        """Return the adjusted bid that the winner must not exceed."""
        rivals = [j for j in eligible if j != winner]
        if not rivals:
            return math.inf
        return self.adjusted_bid(min(rivals, key=lambda j: self.providers[j].bid))


class LoneProviderZeroDefault(Base):
    """With no eligible rival the minimum defaults to 0, so a lone provider gets min(its cost radius, c_max)."""

    def rival_level(self, winner: int, eligible: Sequence[int]) -> float:
        """Return the adjusted bid that the winner must not exceed."""
        return min((self.adjusted_bid(j) for j in eligible if j != winner), default=0.0)


class ExplorationBidIgnored(Base):
    """A bid handed in after an exploration step is not stored; the old standing bid stays."""

    def record_bid(self, provider: Provider, bid: float) -> None:
        """Let a bid stand."""
        if self.phase != "explore":
            provider.bid = float(bid)


NEWCOMERS: dict[str, type[Base]] = {each.__name__: each for each in Base.__subclasses__()}
