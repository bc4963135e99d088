"""Markets at the boundary of the event of the sharpest bounds (`proofs_checks.claims.model.sharpest_event`).

Means lie at the edges of their bands, as on other constructed markets. But an unqualified provider's scores are as
high as they can be up to the one count at which it is excluded, and there just low enough; and the costs of the
cheapest competitor stay at the stitched radius.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bounds.setting.model import Setting
from bounds.sharpest.probability import spare_probability, stitched_radii
from mechanism.platform import Ties
from mechanism.tables import radius_table
from mechanism.trace import Trace
from proofs_checks.claims.cases.constructed import EdgeBidder, WalkedMarket, trace_on
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


def played(setting: Setting, horizon: int, rng: np.random.Generator) -> Case:
    """Play a setting on such a market, with edges drawn at random and bids at the edge of the setting's slacks."""
    trace = trace_at_edges(setting, horizon, rng, lambda edges: sharpest_market(setting, edges, horizon, rng))
    return Case(setting, trace, {"kind": "steered", "market": "at the boundary of the sharpest event"})


def trace_at_edges(
    setting: Setting, horizon: int, rng: np.random.Generator, market_of_edges: Callable[[Edges], WalkedMarket]
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
    bidders = [EdgeBidder(setting, setting.platform.belief_slack, sign) for sign in signs]
    market = market_of_edges(edges)
    ties: Ties = "first" if rng.random() < 0.5 else "random"
    return trace_on(market, setting, bidders, horizon, rng, ties=ties, check_bids=False)
