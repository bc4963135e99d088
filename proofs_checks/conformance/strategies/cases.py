"""Strategies for whole cases of the reference platform on markets steered to the edges of the confidence bands.

On these cases the good event holds by construction (see `proofs_checks.claims.cases.steered`), so that every claim
must hold wherever its other preconditions do. Equal bids and horizons just above N are ordinary draws.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bounds.setting.model import Setting
from mechanism.bidding import Bidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform
from proofs_checks.claims.cases.steered import Direction, EdgeBidder, SteeredMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.conformance.strategies.platforms import settings

_EDGES: tuple[Direction, ...] = ("up", "down", "random", "alternate")


class GridBidder:
    """Bids 0, c_max/4, c_max/2 or c_max at random, whatever the query cost: ties are frequent.

    Examples
    --------
    >>> GridBidder(1.0, np.random.default_rng(0)).observe(0.3, 1.0) in (0.0, 0.25, 0.5, 1.0)
    True
    """

    def __init__(self, cost_bound: float, rng: np.random.Generator) -> None:
        self._grid, self._rng = (0.0, cost_bound / 4, cost_bound / 2, cost_bound), rng

    def observe(self, cost: float, score: float) -> float:
        """Return a bid of the grid."""
        return self._grid[int(self._rng.integers(4))]


BidderMaker = Callable[[Setting, float, np.random.Generator], Bidder]


def _edge(clip: bool) -> BidderMaker:
    return lambda setting, sign, rng: EdgeBidder(setting, setting.platform.belief_slack, sign, clip)


def _grid(setting: Setting, sign: float, rng: np.random.Generator) -> Bidder:
    return GridBidder(setting.platform.cost_bound, rng)


_BIDDERS = (_edge(True), _edge(True), _edge(True), _edge(False), _grid)


@st.composite
def steered_cases(
    draw: st.DrawFn, *, max_horizon: int = 150, arbitrary_bids: bool = True, of: SearchStrategy[Setting] | None = None
) -> Case:
    """Return a strategy for cases of the reference platform on markets at the edges of the confidence bands.

    Parameters
    ----------
    max_horizon : int, optional
        T is N, N + 1, N + 2, 3 N, this, or anything between.
    arbitrary_bids : bool, optional
        Whether bids may break the setting's assumptions (default), in one case of five.
    of : strategy, optional
        Of the settings; default `settings()`.

    Notes
    -----
    Bids lie at the edge of what the setting's slacks allow, clipped to [0, c_max] or not; arbitrary bids lie on
    the grid 0, c_max/4, c_max/2, c_max.
    """
    setting = draw(settings() if of is None else of)
    n = setting.n_providers
    longest = max(3 * n, max_horizon)
    horizon = draw(st.sampled_from([n, n + 1, n + 2, 3 * n, longest, longest, longest]) | st.integers(n, longest))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    directions = [(draw(st.sampled_from(_EDGES)), draw(st.sampled_from(_EDGES))) for _ in range(n)]
    bidder = draw(st.sampled_from(_BIDDERS if arbitrary_bids else _BIDDERS[:-1]))
    bidders = [
        bidder(setting, sign, rng) for sign in draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n))
    ]
    platform = Platform(
        MechanismConfig.of(setting), rng, ties=draw(st.sampled_from(["first", "random"])), check_bids=False
    )
    trace = run_episode(platform, bidders, SteeredMarket(setting, directions, horizon, rng), horizon)
    return Case(setting, trace, {"market": "steered to the band edges"})
