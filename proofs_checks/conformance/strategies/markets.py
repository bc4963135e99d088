"""Strategies for platform parameters, settings and whole cases on them; the corners are the ordinary draws.

Two providers, equal qualities and costs, a quality at the threshold or a hair below it, g(T) < 1, one provider
qualified or none. On whole cases the good event holds by construction (see `proofs_checks.claims.cases.steered`), so
that every claim must hold wherever its other preconditions do.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import Bidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform
from proofs_checks.claims.cases.edge_walk import Direction
from proofs_checks.claims.cases.steered import EdgeBidder, WalkedMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.conformance.strategies.kept import between, kept, one_of


def platform_parameters(*, slacks: bool = True) -> SearchStrategy[PlatformParameters]:
    """Return a strategy for platform parameters.

    Parameters
    ----------
    slacks : bool, optional
        Whether belief slack, underbid and overbid may be positive (default).

    Examples
    --------
    >>> from hypothesis import find
    >>> find(platform_parameters(slacks=False), lambda platform: platform.exploration_scale < 1).belief_slack
    0.0
    """
    return _platforms(slacks)


@functools.cache
def _platforms(slacks: bool) -> SearchStrategy[PlatformParameters]:
    modes = [(False, False), (True, False), (False, True), (True, True)] if slacks else [(False, False)]
    # Truthful bids in half of the draws: most of the paper is about them.
    mode = st.sampled_from([modes[0], modes[0], *modes])
    return st.tuples(st.sampled_from([1.0, 100.0, 1e-3, 102.4]), mode).flatmap(lambda drawn: _platform(*drawn))


@functools.cache
def _platform(bound: float, mode: tuple[bool, bool]) -> SearchStrategy[PlatformParameters]:
    none = st.just(0.0)
    shift = st.sampled_from([0.1 * bound, 0.25 * bound]) | st.floats(0, 0.3 * bound)
    bayesian, deviating = mode
    return st.builds(
        PlatformParameters,
        # Below 1e-3 a threshold would allow gaps whose bounds overflow.
        quality_threshold=_fractions([0.0, 0.5, 1.0], 1e-3),
        confidence=_fractions([1e-6, 0.05, 0.5, 0.99], 1e-6, 0.999),
        cost_bound=st.just(bound),
        exploration_scale=_fractions([0.03, 0.25, 1.0, 2.0, 8.0], 0.01, 10.0),
        exploration_exponent=_fractions([0.05, 0.5, 0.75, 0.95], 0.05, 0.95),
        belief_slack=_fractions([1.0], 0.0, 2.0) if bayesian else none,
        underbid=none | shift if deviating else none,
        overbid=none | shift if deviating else none,
    )


def _fractions(edges: list[float], low: float = 0.0, high: float = 1.0) -> SearchStrategy[float]:
    return st.sampled_from(edges) | st.floats(low, high)


@st.composite
def settings(
    draw: st.DrawFn, *, max_providers: int = 4, slacks: bool = True, assumptions: bool | None = None
) -> Setting:
    """Return a strategy for settings of 2 to `max_providers` providers.

    Parameters
    ----------
    max_providers : int, optional
    slacks : bool, optional
        As for `platform_parameters`.
    assumptions : bool, optional
        Whether two providers must be qualified and the cheapest of them unique (True), or may be so (None,
        default: mostly), or need not be aimed at (False).

    Examples
    --------
    >>> from hypothesis import find
    >>> find(settings(assumptions=True), lambda setting: True).unmet_assumptions
    ()
    """
    platform = draw(platform_parameters(slacks=slacks))
    n = draw(between(2, max_providers))
    aim = draw(one_of(True, True, True, False)) if assumptions is None else assumptions
    qualities = [draw(_qualities(platform.quality_threshold, aim and i < 2)) for i in range(n)]
    costs = [draw(_costs(platform.cost_bound)) for _ in range(n)]
    order = draw(st.permutations(range(n)))
    if aim:
        costs = _with_unique_cheapest(costs, [q >= platform.quality_threshold for q in qualities])
    providers = [Provider(f"p{i}", qualities[j], costs[j]) for i, j in enumerate(order)]
    return Setting("drawn", platform, tuple(providers))


@st.composite
def gapped_settings(
    draw: st.DrawFn,
    quality_gaps: tuple[float, ...],
    cost_gaps: tuple[float, ...],
    *,
    platform: PlatformParameters | None = None,
) -> Setting:
    """Return a strategy for settings with chosen gaps: one unqualified provider or competitor a gap, in any order.

    Parameters
    ----------
    quality_gaps : tuple of float
        eps_i = q_min - q_i of every unqualified provider, in (0, q_min].
    cost_gaps : tuple of float
        Delta_i of every qualified provider but the optimal one, in (0, c_max]; one or more.
    platform : PlatformParameters, optional
        Default: any without slacks whose threshold and cost bound leave room for the gaps.

    Raises
    ------
    InputError
        Gaps that no setting can have.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(gapped_settings((0.25,), (0.5,)), lambda setting: True)
    >>> len(found.qualified), len(found.unqualified)
    (2, 1)
    """
    if not cost_gaps or min((*cost_gaps, *quality_gaps)) <= 0:
        rule, remedy = "must be positive, with a cost gap or more", "give eps_i and Delta_i of the providers wanted"
        raise InputError("gaps", (quality_gaps, cost_gaps), rule, remedy)
    widest_quality, widest_cost = max(quality_gaps, default=0.0), max(cost_gaps)

    def roomy(drawn: PlatformParameters) -> bool:
        return drawn.quality_threshold >= widest_quality and drawn.cost_bound >= widest_cost

    platform = platform or draw(platform_parameters(slacks=False).filter(roomy))
    threshold, bound = platform.quality_threshold, platform.cost_bound
    if not roomy(platform):
        rule = f"exceed q_min = {threshold!r} or c_max = {bound!r}"
        raise InputError("gaps", (quality_gaps, cost_gaps), rule, "choose smaller gaps or another platform")
    least = draw(one_of(0.0, (bound - widest_cost) / 2, bound - widest_cost))
    providers = [
        (draw(_qualities(threshold, True)), least),
        *((draw(_qualities(threshold, True)), least + gap) for gap in cost_gaps),
        *((threshold - gap, draw(_costs(bound))) for gap in quality_gaps),
    ]
    shuffled = draw(st.permutations(providers))
    return Setting("drawn", platform, tuple(Provider(f"p{i}", q, min(c, bound)) for i, (q, c) in enumerate(shuffled)))


@kept
def _qualities(threshold: float, qualified: bool) -> SearchStrategy[float]:
    above = st.sampled_from([threshold, 1.0, min(threshold + 0.2, 1.0)]) | st.floats(threshold, 1.0)
    if qualified or threshold == 0:
        return above
    below = st.sampled_from([0.0, max(threshold - 0.3, 0.0), math.nextafter(threshold, 0.0)])
    return above | below | st.floats(0.0, threshold, exclude_max=True)


@kept
def _costs(bound: float) -> SearchStrategy[float]:
    return st.sampled_from([0.0, bound, bound / 2, bound / 4, math.nextafter(bound, 0.0)]) | st.floats(0.0, bound)


def _with_unique_cheapest(costs: list[float], qualified: list[bool]) -> list[float]:
    """Swap the cheapest qualified cost to the front and part it from ties that it has."""
    first, *others = (i for i, able in enumerate(qualified) if able)
    least = min((first, *others), key=lambda i: costs[i])
    costs[first], costs[least] = costs[least], costs[first]
    for i in others:
        if costs[i] == costs[first] > 0:
            costs[first] /= 2
        elif costs[i] == costs[first]:
            costs[i] = 1e-4
    return costs


@kept
def _signs(n: int) -> SearchStrategy[list[float]]:
    return st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)


@kept
def _horizons(n: int, longest: int) -> SearchStrategy[int]:
    return st.sampled_from([n, n + 1, n + 2, 3 * n, longest, longest, longest]) | st.integers(n, longest)


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
    horizon = draw(_horizons(n, longest))
    rng = np.random.default_rng(draw(between(0, 2**16)))
    edges = one_of(*get_args(Direction))
    directions = [(draw(edges), draw(edges)) for _ in range(n)]
    bidder = draw(one_of(*(_BIDDERS if arbitrary_bids else _BIDDERS[:-1])))
    signs = draw(_signs(n))
    bidders = [bidder(setting, sign, rng) for sign in signs]
    config = MechanismConfig.of(setting)
    platform = Platform(config, rng, ties=draw(one_of("first", "random")), check_bids=False)
    trace = run_episode(platform, bidders, WalkedMarket.steered(setting, directions, horizon, rng), horizon)
    return Case(setting, trace, {"market": "steered to the band edges"})
