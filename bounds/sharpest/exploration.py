"""How often providers are explored, which ends for those that win auctions: i*, and cheap unqualified providers.

A provider j is explored at time t only if it is eligible and was selected less than g(t) times. While j is eligible,
others are selected at most B_j(t) times after initialization: each by exploration, by auctions that it can win against
j, or until it is excluded. So m_j >= t - N - B_j(t - 1), and j is no longer explored once that reaches g(t).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.crossings import Wholes, first_crossings
from bounds.formulas.selection import EXPLORATION_CAP, EXPLORATION_TARGET
from bounds.language.evaluation import KNOWN, Known
from bounds.sharpest.market import Floats, MarketInstance

#: With an exponent next to 1 an end is approached step by step; every step on the way there is one, too.
_MOST_ROUNDS = 256
#: Pairs of providers that are looked at together at most: a million take some tens of megabytes.
_MOST_PAIRS = 1 << 20


def exploration_counts(market: MarketInstance, horizon: float | Floats) -> Floats:
    """Return the most exploration steps per provider, on the last axis, up to a horizon or to each of many."""
    horizons = np.asarray(horizon, dtype=float)
    if _is_known(market, horizons):
        known: Floats = market.found["exploration_counts"][1]
        return known
    until = np.minimum(horizons[..., None], exploration_ends(market))
    return np.minimum(market.exploration_caps(until), market.elimination)


def _is_known(market: MarketInstance, horizons: Floats) -> bool:
    """Whether `find_explorations` has found the counts at just these horizons, and at no others since."""
    return "exploration_counts" in market.found and np.array_equal(market.found["exploration_counts"][0], horizons)


def exploration_steps(market: MarketInstance, horizon: float | Floats) -> Floats:
    """Return the most exploration steps of all providers together up to a horizon, or to each of many.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> values = formula_inputs(published("gpqa-strong").setting)
    >>> exploration_steps(MarketInstance.of(values), 70_000).item()
    4833.0
    """
    return np.asarray(exploration_counts(market, horizon).sum(axis=-1))


def exploration_ends(market: MarketInstance) -> Floats:
    """Return, per provider, a time after which it is not explored; infinite where there is none."""
    find_exploration_ends([market])
    ends: Floats = market.found["exploration_ends"]
    return ends


def find_explorations(markets: Sequence[MarketInstance], horizons: Floats) -> None:
    """Find `exploration_counts` for many markets at once, each at a horizon of its own, and keep them there."""
    find_exploration_ends(markets)
    each = zip(markets, horizons.reshape(-1, 1), strict=True)
    asked = {market: horizon for market, horizon in each if not _is_known(market, horizon)}
    for part in _parts_alike(asked):
        at = np.array([asked[market] for market in part])
        until = np.minimum(at, [exploration_ends(market) for market in part])
        caps = np.asarray(EXPLORATION_CAP(_target_inputs(part), horizon=until))
        counts = np.minimum(caps, [market.elimination for market in part])[:, None]
        counts.flags.writeable = False
        for market, horizon, found in zip(part, at, counts, strict=True):
            market.found["exploration_counts"] = (horizon, found)


def find_exploration_ends(markets: Sequence[MarketInstance]) -> None:
    """Find `exploration_ends` for many markets at once, and keep them there."""
    unknown = [market for market in dict.fromkeys(markets) if "exploration_ends" not in market.found]
    for part in _parts_alike(unknown):
        for market, ends in zip(part, _ends(part), strict=True):
            market.found["exploration_ends"] = ends


def _parts_alike(markets: Iterable[MarketInstance]) -> Iterator[list[MarketInstance]]:
    """Yield markets of one size, as many as are looked at together."""
    sizes: dict[tuple[int, float], list[MarketInstance]] = {}
    for market in markets:
        sizes.setdefault((len(market.costs), market.n_providers), []).append(market)
    for (size, _), alike in sizes.items():
        most = max(1, _MOST_PAIRS // size**2)
        yield from (alike[first : first + most] for first in range(0, len(alike), most))


def _target_inputs(markets: Sequence[MarketInstance]) -> dict[str, Any]:
    """Return what g(t) depends on but for t, a row for each market."""
    names = ("n_providers", "exploration_scale", "exploration_exponent")
    given: dict[str, Any] = {name: np.array([[getattr(market, name)] for market in markets]) for name in names}
    given[KNOWN] = Known(given)
    return given


def _ends(markets: Sequence[MarketInstance]) -> Floats:
    """Return the ends for markets of one size, shape (S, N)."""
    size, n = len(markets[0].costs), markets[0].n_providers
    shape = (len(markets), size)
    by_cost = np.array([market.by_cost for market in markets])
    # At [s, i, j]: the elimination of i, which is selected at most so often; none of j itself while j is eligible.
    caps = np.array([market.elimination for market in markets])[:, :, None] * np.ones(size)
    caps[:, np.eye(size, dtype=bool)] = 0.0
    finite = np.isfinite(np.minimum(caps, by_cost)).all(axis=1)
    given = _target_inputs(markets)

    def selections(cap: Floats) -> Floats:
        return np.asarray(np.minimum(caps, np.maximum(by_cost, cap[..., None, :])).sum(axis=-2))

    def explored(horizon: Floats) -> Floats:
        return np.asarray(EXPLORATION_CAP(given, horizon=horizon))

    def final(steps: Wholes) -> NDArray[np.bool_]:
        target = np.asarray(EXPLORATION_TARGET(given, step=steps.reshape(-1, *shape)))
        return np.asarray(steps - n >= (selections(target) + target).reshape(steps.shape))

    # With the real g(t) for its integer cap, t - N - B_j(t) >= g(t) is final: then t exceeds g(t) once for j and once
    # for each other whose cap is still growing, and g(t)/t falls.
    top, crossed = first_crossings(final, int(n), math.prod(shape), entries=size)
    ends = np.where(crossed.reshape(shape) & finite, top.reshape(shape), math.inf)
    for _ in range(_MOST_ROUNDS):
        # t - N - B_j(t - 1) < g(t), in whole numbers: both caps decide ceil(g) without rounding. Above what is needed
        # at the end nothing up to the end is explored: what is needed in between is at most that.
        until = np.where(np.isfinite(ends), ends, n)
        before, at_end = explored(np.stack([np.maximum(until - 1, 1), until]))
        needed = n + selections(before) + at_end
        sooner = np.isfinite(ends) & (needed < ends)
        if not sooner.any():
            break
        ends = np.where(sooner, needed, ends)
    ends.flags.writeable = False
    return ends
