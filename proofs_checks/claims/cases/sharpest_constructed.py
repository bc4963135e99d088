"""Markets at the boundary of the event of the sharpest bounds (`proofs_checks.claims.model.sharpest_event`).

Means lie at the edges of their bands, as on other constructed markets. But an unqualified provider's scores are as
high as they can be up to the one count at which it is excluded, and there just low enough; and the costs of the
cheapest competitor stay at the stitched radius.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.sharpest.probability import spare_probability, stitched_radii
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform, Ties
from mechanism.tables import radius_table
from mechanism.trace import Trace
from proofs_checks.claims.cases.constructed import EdgeBidder, WalkedMarket
from proofs_checks.claims.cases.edge_walk import BandWalk, Direction
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.sharpest_event import market_of

#: Edge of the score and of the cost of every provider.
Edges = Sequence[tuple[Direction, Direction]]
_EDGES: tuple[Direction, ...] = ("up", "down", "random", "alternate")
#: So far below the test of the platform the mean of a provider lies where it is excluded.
_BELOW = 1e-8
_HAIR = 1e-9


class CappedWalk(BandWalk):
    """A band walk whose sums, besides, stay at or below given ones.

    Parameters
    ----------
    walk : tuple
        Those of `BandWalk`: mean, upper, direction, radii, rng.
    most : array of float
        Largest sum at each count.
    """

    def __init__(self, *walk: Any, most: np.ndarray) -> None:
        super().__init__(*walk)
        self._most = most

    def _choose(self, low: float, high: float) -> float:
        high = min(high, float(self._most[self._count]) - self._sum)
        return super()._choose(low, high) if low <= high else max(high, 0.0)


def sharpest_market(setting: Setting, directions: Edges, horizon: int, rng: np.random.Generator) -> WalkedMarket:
    """Return a market on which the event holds, near its boundary."""
    bound = setting.platform.cost_bound
    radii = radius_table(setting.n_providers, setting.platform.confidence).upto(horizon)
    counts = np.arange(horizon + 1.0)
    free = np.full(horizon + 1, np.inf)
    score_tops, cost_tops = [free] * setting.n_providers, [free] * setting.n_providers
    exclusions = market_of(setting).elimination[: len(setting.unqualified)].tolist()
    for i, last in zip(setting.unqualified, exclusions, strict=True):
        if last < horizon:
            at = int(last) + 1
            tested = at * (setting.platform.quality_threshold - radii[at] - _BELOW)
            score_tops[i] = np.where(counts <= at, max(tested, 0.0), np.inf)
    rival = min(setting.competitors, key=lambda i: setting.providers[i].mean_cost)
    spare = spare_probability(setting.n_providers, setting.platform.confidence) / 2
    stitched = stitched_radii(np.maximum(counts, 1), spare) * (1 - _HAIR)
    # At count 0 there is no sum; where nothing is to spare, the radius is infinite.
    cost_tops[rival] = np.maximum(counts, 1) * (setting.providers[rival].mean_cost + bound * stitched)
    walks = zip(setting.providers, directions, score_tops, cost_tops, strict=True)
    pairs = [
        (
            CappedWalk(p.quality, 1.0, score, radii, rng, most=top),
            CappedWalk(p.mean_cost, bound, cost, radii, rng, most=most),
        )
        for p, (score, cost), top, most in walks
    ]
    return WalkedMarket(scores=tuple(pair[0] for pair in pairs), costs=tuple(pair[1] for pair in pairs))


def played(setting: Setting, horizon: int, rng: np.random.Generator, *, clip: bool = True) -> Case:
    """Play a setting on such a market, with edges drawn at random and bids at the edge of the setting's slacks."""

    def market(edges: Edges) -> WalkedMarket:
        return sharpest_market(setting, edges, horizon, rng)

    origin = {"kind": "steered", "market": "at the boundary of the sharpest event"}
    return Case(setting, trace_at_edges(setting, horizon, rng, market, clip=clip), origin)


def trace_at_edges(
    setting: Setting,
    horizon: int,
    rng: np.random.Generator,
    market_of_edges: Callable[[Edges], WalkedMarket],
    *,
    clip: bool = True,
) -> Trace:
    """Return a trace with edges drawn at random, and bids at the edge of the setting's slacks."""
    unqualified = set(setting.unqualified)
    drawn = [(_EDGES[int(rng.integers(4))], _EDGES[int(rng.integers(4))]) for _ in setting.providers]
    edges: Edges = [
        ("up" if i in unqualified and rng.random() < 0.9 else score, cost) for i, (score, cost) in enumerate(drawn)
    ]
    signs = [
        float(rng.choice([-1.0, 1.0])) if cost in ("random", "alternate") else (1.0 if cost == "up" else -1.0)
        for _, cost in edges
    ]
    bidders = [EdgeBidder(setting, setting.platform.belief_slack, sign, clip) for sign in signs]
    market = market_of_edges(edges)
    ties: Ties = "first" if rng.random() < 0.5 else "random"
    platform = Platform(MechanismConfig.of(setting), rng, ties=ties, check_bids=False)
    return run_episode(platform, bidders, market, horizon)


def sharpest_setting(rng: np.random.Generator) -> tuple[Setting, int]:
    """Draw a setting in which the sharpest bounds are near, and a horizon: few providers, a large delta, wide gaps."""
    n = int(rng.integers(2, 6))
    unqualified = int(rng.integers(0, n - 1)) if rng.random() < 0.7 else n - 2
    threshold = float(rng.choice([1.0, 1.0, 0.9, 0.5, rng.uniform(0.3, 1)]))
    scale = float(np.exp(rng.uniform(np.log(0.03), np.log(24))))
    exponent = float(rng.choice([0.001, 0.05, rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.95)]))
    mode = rng.choice(["truthful", "bayesian", "deviating", "combined"], p=[0.55, 0.1, 0.2, 0.15])
    slack = float(rng.uniform(0, 0.5)) if mode in ("bayesian", "combined") else 0.0
    under, over = (
        float(rng.choice([0.0, rng.uniform(0, 0.1)])) * (mode in ("deviating", "combined")) for _ in range(2)
    )
    bound = float(rng.choice([1.0, 1.0, 100.0]))
    confidence = float(rng.choice([0.05, 0.5, 0.9, 0.99, rng.uniform(1e-3, 0.99)]))
    platform = PlatformParameters(threshold, confidence, bound, scale, exponent, slack, under * bound, over * bound)
    low = [threshold * float(rng.choice([0.0, 0.0, 0.1, rng.uniform(0, 0.6)])) for _ in range(unqualified)]
    high = [float(rng.choice([threshold, 1.0, rng.uniform(threshold, 1.0)])) for _ in range(n - unqualified)]
    optimal = float(rng.choice([0.0, 0.05, 0.3]))
    dear = [
        min(1.0, optimal + under + over + float(rng.choice([1.0, 0.01, 1e-3, rng.uniform(0.01, 0.7)])))
        for _ in range(n - unqualified - 1)
    ]
    cheap = [float(rng.choice([0.0, 0.0, 1.0, optimal, rng.uniform(0, 1)])) for _ in range(unqualified)]
    costs = np.array([*cheap, optimal, *dear]) * bound
    providers = [Provider(f"p{i}", q, c) for i, (q, c) in enumerate(zip([*low, *high], costs.tolist(), strict=True))]
    order = rng.permutation(n)
    horizon = int(rng.choice([n, n + 1, 3 * n, 40, 100, 200, 300]))
    return Setting("sharpest", platform, tuple(providers[int(i)] for i in order)), horizon


def sharpest_case(seed: int, instance: int, *, runs: int = 25) -> Case:
    """Return one instance, a pure function of the arguments; `runs` neighbouring numbers share a setting.

    Examples
    --------
    >>> sharpest_case(0, 3).band_exit is None
    True
    """
    setting, horizon = sharpest_setting(np.random.default_rng([seed, 0, instance // runs]))
    return played(setting, horizon, np.random.default_rng([seed, 0, instance // runs, instance]))
