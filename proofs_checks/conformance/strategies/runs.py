"""Strategies for histories on a market, which any mechanism can play, and for runs of the reference platform."""

from __future__ import annotations

import functools
from typing import Literal, get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.bidding import Bidder, TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from proofs_checks.claims.cases.constructed import EdgeBidder
from proofs_checks.claims.cases.variants import VARIANTS
from proofs_checks.conformance.play.played import Played, played_by
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.strategies.edges import markets
from proofs_checks.conformance.strategies.kept import between, kept, one_of
from proofs_checks.conformance.strategies.sequences import MOVING, SequenceKind, sequence, shapes

Bidding = Literal["truthful", "bayesian", "deviating", "combined", "arbitrary"]
#: Kinds of sequences, on the first of which the good event holds by construction.
_WITHIN: tuple[SequenceKind, ...] = ("constant", "band edge", "band edge")
_ANY: tuple[SequenceKind, ...] = ("constant", *MOVING)


class GridBidder:
    """Bids 0, c_max/4, c_max/2 or c_max at random, independently of the cost: ties are frequent.

    Examples
    --------
    >>> GridBidder(1.0, np.random.default_rng(0)).observe(0.3, 1.0) in (0.0, 0.25, 0.5, 1.0)
    True
    """

    def __init__(self, cost_bound: float, rng: np.random.Generator) -> None:
        self._grid, self._rng = (cost_bound / 2, 0.0, cost_bound / 4, cost_bound), rng

    def observe(self, cost: float, score: float) -> float:
        """Return a bid of the grid."""
        return self._grid[int(self._rng.integers(4))]


def _bidder(bidding: Bidding, setting: Setting, sign: float, seed: int, clip: bool) -> Bidder:
    platform = setting.platform
    if bidding == "truthful":
        return TruthfulBidder(platform.cost_bound)
    if bidding == "arbitrary":
        return GridBidder(platform.cost_bound, np.random.default_rng(seed))
    return EdgeBidder(setting, platform.belief_slack, sign, clip)


@st.composite
def histories(
    draw: st.DrawFn,
    market: Setting | SearchStrategy[Setting] | None = None,
    *,
    horizon: int | tuple[int, int] = (1, 150),
    bidding: Bidding | None = "truthful",
    within_good_event: Literal[True] | None = None,
    clip: bool = True,
) -> Scenario:
    """Return a strategy for histories on a market: what each provider's queries yield, whoever serves.

    Parameters
    ----------
    market : Setting or strategy, optional
        Default `markets()`.
    horizon : int or (int, int), optional
        T, or the least and the largest; never less than N. By default half of the draws are N, N + 1, N + 2, 3 N or
        the largest, the others uniform.
    bidding : {"truthful", "bayesian", "deviating", "combined", "arbitrary"}, optional
        How providers bid: their mean cost; the mean cost plus or minus the largest gamma radii, deviations, or both
        that the setting allows, in a direction of their own; or 0, c_max/4, c_max/2 or c_max at random. The setting of
        the history has the slacks that these bids need, as the variants of `verify` do: those of the market, where
        they are positive. None draws one of them.
    within_good_event : True, optional
        Every running mean stays in its confidence band: scores and costs are constant in a third of the draws, else
        their means run along an edge of the band. By default they are constant, random, adversarial (long runs of 0
        and of the largest) or run along the edges, equally often, each provider's scores and costs on their own.
    clip : bool, optional
        Whether bids are kept in [0, c_max] (default).

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(histories(), lambda history: True)
    >>> found.horizon, [(own[0].score, own[0].cost, own[0].bid) for own in found.queries]
    (2, [(0.75, 0.25, 0.25), (0.75, 0.5, 0.5)])
    """
    if bidding not in (None, *get_args(Bidding)):
        raise InputError("bidding", bidding, f"must be one of {', '.join(get_args(Bidding))}", "None draws one of them")
    setting = market if isinstance(market, Setting) else draw(markets() if market is None else market)
    bids = draw(one_of(*get_args(Bidding))) if bidding is None else bidding
    if bids != "arbitrary":
        setting = VARIANTS[bids].prepare(setting)
    n, platform = setting.n_providers, setting.platform
    steps = draw(_horizons(n, *(horizon if isinstance(horizon, tuple) else (horizon, horizon))))
    shape = shapes(_WITHIN if within_good_event else _ANY)
    made = functools.partial(sequence, length=steps, n_providers=n, confidence=platform.confidence)
    queries = []
    for provider in setting.providers:
        scores = made(draw(shape), provider.quality, 1.0)
        costs = made(draw(shape), provider.mean_cost, platform.cost_bound)
        bidder = _bidder(bids, setting, draw(one_of(1.0, -1.0)), draw(between(0, 2**16)), clip)
        left = map(bidder.observe, costs, scores)
        queries.append(tuple(map(Query, scores, costs, left)))
    return Scenario(MechanismConfig.of(setting), draw(between(0, 2**16)), tuple(queries), steps, setting)


@kept
def _horizons(n: int, least: int, most: int) -> SearchStrategy[int]:
    least, most = max(least, n), max(most, n)
    edges = [steps for steps in (n, n + 1, n + 2, 3 * n, most, most, most) if least <= steps <= most]
    return st.integers(least, most) | st.sampled_from(edges)


def traces(
    market: Setting | SearchStrategy[Setting] | None = None,
    *,
    horizon: int | tuple[int, int] = (1, 150),
    bidding: Bidding | None = "truthful",
    within_good_event: Literal[True] | None = True,
    clip: bool = True,
) -> SearchStrategy[Played]:
    """Return a strategy for runs of the reference platform: `histories` that it plays.

    Ties go to the first provider, or to a random one in a third of the draws. Parameters are those of `histories`, but
    the good event holds by default.

    Examples
    --------
    >>> from hypothesis import find
    >>> played = find(traces(), lambda played: played.replay.auction.any())
    >>> played.horizon, played.trace.provider.tolist()
    (3, [0, 1, 0])
    """
    return _played(histories(market, horizon=horizon, bidding=bidding, within_good_event=within_good_event, clip=clip))


@st.composite
def _played(draw: st.DrawFn, of: SearchStrategy[Scenario]) -> Played:
    history, ties = draw(of), draw(one_of("first", "first", "random"))
    rng = np.random.default_rng(history.seed)
    return played_by(Platform(history.config, rng, ties=ties, check_bids=False), history)
