"""Replay: the platform's whole state at every step, recomputed from a trace, vectorised."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.tables import radius_table, target_table
from mechanism.trace import Trace

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Entry = TypeVar("Entry", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Replay:
    """What the rules see at every step of a trace.

    Parameters
    ----------
    config : MechanismConfig
    trace : Trace

    Notes
    -----
    Arrays by step have shape (T,), by step and provider (T, N); row t - 1 holds the state *before* step t.
    `final_*` is the state after the last step. Estimates of a provider that has not served are NaN.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> replay = Replay(config, Trace([0, 1, 0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.5], [0.2, 0.3, 0.25]))
    >>> replay.counts.tolist(), replay.final_counts.tolist(), replay.standing_bids[2].tolist()
    ([[0, 0], [1, 0], [1, 1]], [2, 1], [0.2, 0.3])
    """

    config: MechanismConfig
    trace: Trace

    def __post_init__(self) -> None:
        provider, n = self.trace.provider, self.config.n_providers
        strangers = np.flatnonzero((provider < 0) | (provider >= n))
        if len(strangers):
            raise InputError(
                f"provider[{strangers[0]}]",
                int(provider[strangers[0]]),
                f"must lie in 0..{n - 1}",
                "the trace belongs to another setting",
            )

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """1, 2, ..., T."""
        return np.arange(1, len(self.trace) + 1)

    @cached_property
    def served(self) -> Flags:
        """Whether a provider served a step, shape (T, N)."""
        return np.asarray(self.trace.provider[:, None] == np.arange(self.config.n_providers))

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return _before_and_after(np.cumsum(self.served, axis=0, dtype=np.int64))

    @property
    def counts(self) -> NDArray[np.int64]:
        """m_{i,t}, shape (T, N)."""
        return self._counts[:-1]

    @property
    def final_counts(self) -> NDArray[np.int64]:
        """Selections after the last step, shape (N,)."""
        return np.asarray(self._counts[-1])

    @cached_property
    def _quality(self) -> Floats:
        return self._means(self.trace.score)

    @property
    def quality_estimates(self) -> Floats:
        """qhat_{i,t}, shape (T, N)."""
        return self._quality[:-1]

    @property
    def final_quality_estimates(self) -> Floats:
        """qhat after the last step, shape (N,)."""
        return np.asarray(self._quality[-1])

    @cached_property
    def _cost(self) -> Floats:
        if self.trace.cost is None:
            raise InputError("cost", None, "is missing from the trace", "cost estimates need the cost column")
        return self._means(self.trace.cost)

    @property
    def cost_estimates(self) -> Floats:
        """chat_{i,t}, shape (T, N); needs the cost column."""
        return self._cost[:-1]

    @property
    def final_cost_estimates(self) -> Floats:
        """chat after the last step, shape (N,)."""
        return np.asarray(self._cost[-1])

    def _means(self, column: Floats) -> Floats:
        # Sums run down the steps one by one, as the platform adds: the estimates agree to the last bit.
        sums = _before_and_after(np.cumsum(np.where(self.served, column[:, None], 0.0), axis=0))
        return np.asarray(np.divide(sums, self._counts, out=np.full(sums.shape, np.nan), where=self._counts > 0))

    @cached_property
    def standing_bids(self) -> Floats:
        """b_{i,t}, shape (T, N); NaN before a provider's first bid."""
        rows = np.where(self.served, np.arange(len(self.trace))[:, None], -1)
        last = _before_and_after(np.maximum.accumulate(rows, axis=0), fill=-1)[:-1]
        return np.where(last >= 0, self.trace.bid[last], np.nan)

    @cached_property
    def radii(self) -> Floats:
        """beta(m_{i,t}), shape (T, N); NaN at m = 0."""
        table = radius_table(self.config.n_providers, self.config.confidence)
        return np.asarray(table.upto(int(self.final_counts.max(initial=1)))[self.counts])

    @cached_property
    def cost_radii(self) -> Floats:
        """(1 + gamma) c_max beta(m_{i,t}), shape (T, N)."""
        return (1 + self.config.belief_slack) * self.config.cost_bound * self.radii

    @cached_property
    def adjusted_bids(self) -> Floats:
        """b_{i,t} minus the cost radius, shape (T, N)."""
        return self.standing_bids - self.cost_radii

    @cached_property
    def targets(self) -> Floats:
        """ceil(g(t)), shape (T,)."""
        config = self.config
        table = target_table(config.n_providers, config.exploration_scale, config.exploration_exponent)
        return np.asarray(table.upto(len(self.trace))[1:])

    @cached_property
    def initialization(self) -> Flags:
        """Whether t <= N, shape (T,)."""
        return np.asarray(self.steps <= self.config.n_providers)

    @cached_property
    def eligible(self) -> Flags:
        """Whether a provider is in the estimated-qualified set after initialization, shape (T, N)."""
        with np.errstate(invalid="ignore"):
            able = self.quality_estimates + self.radii >= self.config.quality_threshold
        return able & ~self.initialization[:, None]

    @cached_property
    def under_sampled(self) -> Flags:
        """Whether a provider is in S_t, shape (T, N)."""
        return np.asarray(self.eligible & (self.counts < self.targets[:, None]))

    @cached_property
    def exploration(self) -> Flags:
        """Whether a step explores, shape (T,)."""
        return np.asarray(self.under_sampled.any(axis=1))

    @cached_property
    def empty(self) -> Flags:
        """Whether nobody was eligible at a step after initialization, shape (T,)."""
        return ~self.eligible.any(axis=1) & ~self.initialization

    @cached_property
    def auction(self) -> Flags:
        """Whether a step is an auction: a non-exploration step with somebody eligible, shape (T,)."""
        return ~(self.initialization | self.exploration | self.empty)

    @cached_property
    def contenders(self) -> Floats:
        """Adjusted bids of the eligible, shape (T, N); inf where not eligible."""
        return np.where(self.eligible, self.adjusted_bids, np.inf)

    @cached_property
    def critical_payments(self) -> Floats:
        """P_{i,t} for eligible providers, shape (T, N); inf without a rival, NaN where not eligible."""
        others, rows = self.contenders.copy(), np.arange(len(self.trace))
        first = np.argmin(others, axis=1)
        least = others[rows, first]
        others[rows, first] = np.inf
        rival = np.repeat(least[:, None], others.shape[1], axis=1)
        rival[rows, first] = others.min(axis=1)
        return np.where(self.eligible, self.cost_radii + rival, np.nan)

    def of_served(self, table: NDArray[Entry]) -> NDArray[Entry]:
        """Return a (T, N) array's entries of the served providers, shape (T,)."""
        return np.asarray(table[np.arange(len(self.trace)), self.trace.provider])

    @cached_property
    def counts_after(self) -> NDArray[np.int64]:
        """Selection count of the served provider after each step, shape (T,)."""
        return self.of_served(self._counts[1:])

    @cached_property
    def quality_estimates_after(self) -> Floats:
        """Mean score of the served provider after each step, shape (T,): no other estimate changes there."""
        return self.of_served(self._quality[1:])

    @cached_property
    def cost_estimates_after(self) -> Floats:
        """Mean cost of the served provider after each step, shape (T,); needs the cost column."""
        return self.of_served(self._cost[1:])


def _before_and_after(after: NDArray[Entry], fill: float = 0) -> NDArray[Entry]:
    """Return T + 1 rows: a row of `fill`, then the state after each step."""
    first = np.full((1, after.shape[1]), fill, dtype=after.dtype)
    return np.concatenate([first, after])
