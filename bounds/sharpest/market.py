"""The market as searches see it: who keeps whom from winning, and for how long."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.selection import EXPLORATION_CAP
from bounds.sharpest.elimination import chernoff_counts
from bounds.sharpest.radii import largest_counts

Floats = NDArray[np.float64]
_NUMBERS = (
    "n_providers",
    "n_qualified",
    "confidence",
    "cost_bound",
    "quality_threshold",
    "exploration_scale",
    "exploration_exponent",
    "belief_slack",
    "underbid",
    "overbid",
    "optimal_cost",
    "second_lowest_cost",
)
_ARRAYS = ("unqualified_quality", "unqualified_cost", "competitor_cost")
#: Names of the inputs that make a market.
MARKET_INPUTS = (*_NUMBERS, *_ARRAYS)


@dataclass(frozen=True)
class MarketInstance:
    """One market with a unique optimal provider i*; providers are in the order unqualified, i*, competitors.

    Parameters
    ----------
    numbers : tuple of float
        The platform's parameters, the cost of i* and the second-lowest qualified cost.
    arrays : tuple of tuple of float
        Qualities and costs of the unqualified providers, costs of the competitors.
    """

    numbers: tuple[float, ...]
    arrays: tuple[tuple[float, ...], ...]

    @staticmethod
    def of(values: Mapping[str, Any]) -> MarketInstance:
        """Return the market of the inputs of formulas, the same object for the same numbers."""
        numbers = tuple(np.asarray(values[name], float).item() for name in _NUMBERS)
        return _kept(numbers, tuple(tuple(np.ravel(values[name]).astype(float).tolist()) for name in _ARRAYS))

    def __getattr__(self, name: str) -> float:
        if name in _NUMBERS:
            return self.numbers[_NUMBERS.index(name)]
        raise AttributeError(name)

    @property
    def n_unqualified(self) -> int:
        """The number of unqualified providers, which come first."""
        return len(self.arrays[0])

    @property
    def optimal(self) -> int:
        """The place of i*."""
        return self.n_unqualified

    @cached_property
    def values(self) -> dict[str, Any]:
        """The inputs of formulas."""
        given: dict[str, Any] = dict(zip(_NUMBERS, self.numbers, strict=True))
        return given | {name: np.array(array) for name, array in zip(_ARRAYS, self.arrays, strict=True)}

    @cached_property
    def found(self) -> dict[str, Any]:
        """What searches found for it, by name."""
        return {}

    @cached_property
    def cost_scale(self) -> float:
        """(1 + gamma) c_max, what a radius is multiplied by in an auction."""
        return (1 + self.belief_slack) * self.cost_bound

    @cached_property
    def costs(self) -> Floats:
        """Mean costs of all providers."""
        return np.array([*self.arrays[1], self.optimal_cost, *self.arrays[2]])

    @cached_property
    def elimination(self) -> Floats:
        """Post-initialization selections after which an unqualified provider is excluded; infinite for a qualified."""
        found = np.full(len(self.costs), math.inf)
        found[: self.n_unqualified] = _eliminations(self.arrays[0], self.numbers[:5])
        return found

    @cached_property
    def by_cost(self) -> Floats:
        """At [i, j]: the largest count at which i can win an auction while j is eligible; infinite if i costs no more.

        The winner's adjusted bid is at least its mean cost less two radii and d_-, that of j at most its mean cost and
        d_+ (lem:adjusted-bid-bounds): so the gap of the costs is at most two radii at the winner's count.
        """
        if self is not self._unexplored:
            return self._unexplored.by_cost
        apart = self.costs[:, None] - self.costs[None, :] - self.underbid - self.overbid
        return largest_counts(apart / self.cost_scale, self.n_providers, self.confidence)

    @cached_property
    def selections_by_cost(self) -> Floats:
        """As `by_cost` with i* for j, by the elimination too: most auctions that each provider but i* wins."""
        return np.minimum(self.elimination, self.by_cost[:, self.optimal])

    @cached_property
    def _unexplored(self) -> MarketInstance:
        """The market with k = alpha = 1/2: what does not depend on them is found once for all k and alpha."""
        fixed = {"exploration_scale": 0.5, "exploration_exponent": 0.5}
        numbers = tuple(fixed.get(*named) for named in zip(_NUMBERS, self.numbers, strict=True))
        return self if numbers == self.numbers else _kept(numbers, self.arrays)

    def exploration_caps(self, horizon: Any) -> Floats:
        """Return ceil(g(T)) - 1, at each of many horizons."""
        return np.asarray(EXPLORATION_CAP(self.values, horizon=horizon))


def for_each_market(
    values: Mapping[str, Any],
    function: Callable[[MarketInstance, Floats], Any],
    prepare: Callable[[Sequence[MarketInstance], Floats], None] = lambda markets, horizons: None,
) -> NDArray[np.float64]:
    """Return what a function of a market and horizons finds, for the inputs of one setting or of many.

    Parameters
    ----------
    values : mapping
        Inputs by name, the horizon among them; each number may be an array over settings or over horizons.
    function : callable
        From a market and an array of horizons to as many numbers. It is called once for a market at all its horizons.
    prepare : callable, optional
        Called before with all markets, and the horizon of each: what it finds for many at once is kept in them.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> values = formula_inputs(published("gpqa-strong").setting)
    >>> many = values | {"confidence": np.array([0.05, 0.1]), "horizon": 70_000.0}
    >>> for_each_market(many, lambda market, horizons: market.confidence * horizons).tolist()
    [3500.0, 7000.0]
    """
    horizons = np.asarray(values["horizon"], dtype=float)
    settings = _settings_shape(values)
    if not math.prod(settings):
        return np.zeros(np.broadcast_shapes(settings, horizons.shape))
    if math.prod(settings) == 1:
        found = function(MarketInstance.of(values), horizons.ravel())
        return np.reshape(found, np.broadcast_shapes(settings, horizons.shape))
    shape = np.broadcast_shapes(settings, horizons.shape)
    size = math.prod(shape)
    numbers = [np.broadcast_to(values[name], shape).ravel().tolist() for name in _NUMBERS]
    arrays = [np.asarray(values[name], dtype=float) for name in _ARRAYS]
    spread = [np.broadcast_to(each, (*shape, each.shape[-1])).reshape(size, each.shape[-1]).tolist() for each in arrays]
    rows = zip(zip(*numbers, strict=True), zip(*spread, strict=True), strict=True)
    markets = [_kept(tuple(map(float, own)), tuple(map(tuple, kinds))) for own, kinds in rows]
    steps = np.broadcast_to(horizons, shape).reshape(-1, 1)
    prepare(markets, steps.ravel())
    found = [np.asarray(function(market, horizon))[0] for market, horizon in zip(markets, steps, strict=True)]
    return np.reshape(found, shape)


def _settings_shape(values: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the shape of the settings among the inputs: () for one setting, (S,) for many."""
    numbers = [np.shape(values[name]) for name in _NUMBERS]
    return np.broadcast_shapes(*numbers, *(np.shape(values[name])[:-1] for name in _ARRAYS))


@functools.lru_cache(maxsize=1 << 12)
def _eliminations(quality: tuple[float, ...], platform: tuple[float, ...]) -> Floats:
    return chernoff_counts({"unqualified_quality": quality, **dict(zip(_NUMBERS, platform, strict=False))})


#: So many markets of a grid keep what one bound found for the next.
@functools.lru_cache(maxsize=1 << 12)
def _kept(numbers: tuple[float, ...], arrays: tuple[tuple[float, ...], ...]) -> MarketInstance:
    return MarketInstance(numbers, arrays)
