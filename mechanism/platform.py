"""The reference mechanism: Algorithm 1 as an object with `assign` and `settle`, a thin shell over `rules`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from bounds.errors import InputError
from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.randomness import draw_key, squares64, uniform_index
from mechanism.tables import radius_table, target_table

Ties = Literal["first", "random"]


class Mechanism(Protocol):
    """What the contract asks of a mechanism; it never sees a cost."""

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query (0-based index) and what the user pays."""

    def settle(self, score: float, bid: float) -> None:
        """Take the served provider's score in [0, 1] and its standing bid from now on."""


@dataclass(frozen=True)
class PlatformState:
    """What a platform knows before a step: everything its next decision depends on.

    Parameters
    ----------
    step : int
        t, from 1.
    counts : tuple of int
        m_{i,t}.
    quality_estimates, standing_bids : tuple of float
        NaN for a provider that has not served yet.
    """

    step: int
    counts: tuple[int, ...]
    quality_estimates: tuple[float, ...]
    standing_bids: tuple[float, ...]


class Platform:
    """Algorithm 1 of the paper.

    Parameters
    ----------
    config : MechanismConfig
        Or any object with its attributes.
    rng : numpy.random.Generator
        For exploration draws, the empty case and random ties.
    ties : {"first", "random"}, optional
        Who wins among equal adjusted bids: the lowest index (default) or a uniform draw.
    order : sequence of int, optional
        In which order initialization serves the providers (default: by index).
    quality_filter, exploration : bool, optional
        False for the paper's ablation, which keeps index and payment but screens and explores nobody.
    check_bids : bool, optional
        Whether bids outside [0, c_max] are rejected (default). The theory needs them inside.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> platform = Platform(config, np.random.default_rng(0))
    >>> platform.assign()
    (0, 1.0)
    >>> platform.settle(score=1.0, bid=0.25)
    >>> platform.state().standing_bids
    (0.25, nan)
    """

    def __init__(
        self,
        config: MechanismConfig,
        rng: np.random.Generator,
        *,
        ties: Ties = "first",
        order: Sequence[int] | None = None,
        quality_filter: bool = True,
        exploration: bool = True,
        check_bids: bool = True,
    ) -> None:
        n = config.n_providers
        if ties not in ("first", "random"):
            raise InputError("ties", ties, "must be 'first' or 'random'", "it says who wins among equal adjusted bids")
        if order is not None and sorted(order) != list(range(n)):
            rule = f"must be a permutation of 0..{n - 1}"
            raise InputError("order", order, rule, "initialization serves each provider once")
        self._config, self._ties = config, ties
        self._order = list(range(n)) if order is None else list(order)
        # A step's draw is a function of this key and the step: replays and compiled runs draw the same.
        self._draw_key = draw_key(rng)
        self._filter, self._explores, self._check_bids = quality_filter, exploration, check_bids
        self._radius = radius_table(n, config.confidence)
        self._target = target_table(n, config.exploration_scale, config.exploration_exponent)
        self._width = (1 + config.belief_slack) * config.cost_bound
        self._step, self._served = 1, -1
        self._counts, self._score_sums = [0] * n, [0.0] * n
        self._estimates, self._bids = [math.nan] * n, [math.nan] * n
        self._radii, self._cost_radii = [math.nan] * n, [math.nan] * n
        self._adjusted = [math.nan] * n

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays for it."""
        if self._served >= 0:
            remedy = "settle the query of the assigned provider first"
            raise InputError("assign", self._served, "was called twice", remedy)
        provider, payment = self._initialize() if self._step <= self._config.n_providers else self._decide()
        self._served = provider
        return provider, payment

    def settle(self, score: float, bid: float) -> None:
        """Record the score of the served provider and its standing bid from now on."""
        provider = self._served
        if provider < 0:
            raise InputError("settle", score, "came without an assigned query", "call assign first")
        if not 0 <= score <= 1:
            raise InputError("score", score, "must lie in [0, 1]", "rescale the grade of the response")
        if not math.isfinite(bid) or (self._check_bids and not 0 <= bid <= self._config.cost_bound):
            rule = f"must lie in [0, {self._config.cost_bound!r}]"
            raise InputError("bid", bid, rule, "the standing bid is a cost per query")
        self._counts[provider] += 1
        self._score_sums[provider] += score
        self._estimates[provider] = self._score_sums[provider] / self._counts[provider]
        self._bids[provider] = bid
        self._radii[provider] = self._radius[self._counts[provider]]
        self._cost_radii[provider] = self._width * self._radii[provider]
        self._adjusted[provider] = bid - self._cost_radii[provider]
        self._step += 1
        self._served = -1

    def state(self) -> PlatformState:
        """Return what the next decision depends on."""
        return PlatformState(self._step, tuple(self._counts), tuple(self._estimates), tuple(self._bids))

    @property
    def eligible(self) -> tuple[int, ...]:
        """The providers that may serve now; all of them during initialization."""
        if not self._filter or self._step <= self._config.n_providers:
            return tuple(range(self._config.n_providers))
        return rules.eligible(self._estimates, self._radii, self._config.quality_threshold)

    def _initialize(self) -> tuple[int, float]:
        return self._order[self._step - 1], self._config.cost_bound

    def _decide(self) -> tuple[int, float]:
        target = self._target[self._step] if self._explores else 0
        allocation = rules.allocate(self.eligible, self._counts, target, self._adjusted)
        provider = self._choose(allocation)
        if allocation.kind != "auction":
            return provider, self._config.cost_bound
        critical = rules.critical_payment(provider, allocation.eligible, self._adjusted, self._cost_radii[provider])
        return provider, rules.auction_payment(critical, self._config.cost_bound)

    def _choose(self, allocation: rules.Allocation) -> int:
        candidates = allocation.candidates
        if len(candidates) == 1 or (allocation.kind == "auction" and self._ties == "first"):
            return candidates[0]
        return candidates[uniform_index(squares64(self._draw_key, self._step), len(candidates))]


def reference_mechanism(config: MechanismConfig, rng: np.random.Generator) -> Platform:
    """Return the reference mechanism: the factory to name as ``mechanism.platform:reference_mechanism``."""
    return Platform(config, rng)
