"""Markets that are constructed instead of drawn: fixed outcomes, or outcomes at the edge of the confidence bands.

On a constructed market the good event holds by construction and its bounds are nearly tight, which random draws
almost never achieve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import Bidder
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.episode import run_concurrent_episode, run_episode
from mechanism.platform import Platform, Ties
from mechanism.tables import cost_table, radius_table
from mechanism.trace import Trace
from proofs_checks.claims.cases.edge_walk import BandWalk, Direction
from proofs_checks.claims.model.case import Case


class FixedMarket:
    """Every query of a provider has the same score and cost.

    Parameters
    ----------
    scores, costs : sequence of float
        One a provider.
    """

    def __init__(self, scores: Sequence[float], costs: Sequence[float]) -> None:
        self._scores, self._costs = list(scores), list(costs)

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return the provider's score and cost."""
        return self._scores[provider], self._costs[provider]

    def query_price(self, cost: float) -> float:
        """Return the cost: nothing is invoiced here."""
        return cost


@dataclass(frozen=True, kw_only=True)
class WalkedMarket:
    """Scores and costs that follow given walks.

    Parameters
    ----------
    scores, costs : tuple of BandWalk
        One a provider.
    """

    scores: tuple[BandWalk, ...]
    costs: tuple[BandWalk, ...]

    @classmethod
    def constructed(
        cls, setting: Setting, directions: Sequence[tuple[Direction, Direction]], horizon: int, rng: np.random.Generator
    ) -> WalkedMarket:
        """Return scores and costs at edges of the good event's bands, for at most so many queries of one provider."""
        radii = radius_table(setting.n_providers, setting.platform.confidence).upto(horizon)
        bound = setting.platform.cost_bound
        pairs = list(zip(setting.providers, directions, strict=True))
        return cls(
            scores=tuple(BandWalk(p.quality, 1.0, score, radii, rng) for p, (score, _) in pairs),
            costs=tuple(BandWalk(p.mean_cost, bound, cost, radii, rng) for p, (_, cost) in pairs),
        )

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return the next score and cost of a provider."""
        return min(self.scores[provider].next(), 1.0), self.costs[provider].next()

    def query_price(self, cost: float) -> float:
        """Return the cost: nothing is invoiced here."""
        return cost


class EdgeBidder:
    """Bids the running mean plus as much as gamma radii and the deviations allow, clipped to [0, c_max] or not."""

    def __init__(self, setting: Setting, slack: float, sign: float, clip: bool = True) -> None:
        platform = setting.platform
        self._radii = cost_table(MechanismConfig.of(setting))
        self._width, self._sign = slack * platform.cost_bound, sign
        self._shift = platform.overbid if sign > 0 else -platform.underbid
        self._bound, self._clip = platform.cost_bound, clip
        self._sum, self._count = 0.0, 0

    def observe(self, cost: float, score: float) -> float:
        """Return the bid at the edge of what asmp:beliefs and asmp:bounded-deviations allow."""
        self._sum += cost
        self._count += 1
        # An estimate lies in [0, c_max] before the deviation is added to it.
        estimate = self._sum / self._count + self._sign * self._width * self._radii[self._count] * (1 - 1e-9)
        bid = min(max(estimate, 0.0), self._bound) + self._shift * (1 - 1e-9)
        return min(max(bid, 0.0), self._bound) if self._clip else bid


@dataclass(frozen=True)
class SmallMarket:
    """A setting of a few providers with fixed scores (their qualities) and costs (their means).

    Used for witnesses: the whole trace fits on a page.
    """

    costs: tuple[float, ...]
    qualities: tuple[float, ...]
    horizon: int
    platform: PlatformParameters

    @property
    def setting(self) -> Setting:
        """The setting."""
        providers = [
            Provider(f"provider-{i}", q, c) for i, (q, c) in enumerate(zip(self.qualities, self.costs, strict=True))
        ]
        return Setting("witness", self.platform, tuple(providers))

    def run(self, bidders: Sequence[Bidder], *, costs: Sequence[float] | None = None, check_bids: bool = True) -> Trace:
        """Play the reference platform; `costs` replace the mean costs."""
        market = FixedMarket(self.qualities, self.costs if costs is None else costs)
        return trace_on(market, self.setting, bidders, self.horizon, np.random.default_rng(0), check_bids=check_bids)


def trace_on(
    market: FixedMarket | WalkedMarket,
    setting: Setting,
    bidders: Sequence[Bidder],
    horizon: int,
    rng: np.random.Generator,
    *,
    ties: Ties = "first",
    check_bids: bool = True,
) -> Trace:
    """Return a run of the reference platform of a setting on a constructed market."""
    platform = Platform(MechanismConfig.of(setting), rng, ties=ties, check_bids=check_bids)
    return run_episode(platform, bidders, market, horizon)


def constructed_case(
    setting: Setting,
    bidders: Sequence[Bidder],
    *,
    horizon: int,
    rng: np.random.Generator,
    ties: Ties,
    delay: DelayLaw | None = None,
) -> Case:
    """Return a case of a setting on a constructed market, with random edges.

    With a delay the steps of a provider's walk must arrive in their order: the law has a fixed number, or `in_order`.
    """
    edges: list[Direction] = ["up", "down", "random", "alternate"]
    directions = [(edges[int(rng.integers(4))], edges[int(rng.integers(4))]) for _ in setting.providers]
    market = WalkedMarket.constructed(setting, directions, horizon, rng)
    if delay is None:
        trace = trace_on(market, setting, bidders, horizon, rng, ties=ties, check_bids=False)
    else:
        platform = Platform(MechanismConfig.of(setting), rng, ties=ties, check_bids=False, concurrent=True)
        trace = run_concurrent_episode(platform, bidders, market, delay.settled(horizon, rng))
    return Case(setting, trace, {"market": "at the band edges"})
