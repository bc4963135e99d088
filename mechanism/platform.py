"""The reference mechanism: Algorithm 1 as an object with `assign` and `settle`, a thin shell over `rules`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from bounds.errors import InputError
from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.randomness import draw_key, squares64, uniform_index
from mechanism.tables import cost_table, quality_table, target_table

Ties = Literal["first", "random"]


class Mechanism(Protocol):
    """What the contract asks of a mechanism; it never sees a cost."""

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query (0-based index) and what the user pays."""

    def settle(self, score: float, bid: float) -> None:
        """Take the served provider's score in [0, 1] and its standing bid from now on."""


class ConcurrentMechanism(Protocol):
    """The ticket form: `assign` may be called again before `settle`, and feedback names its query.

    A mechanism that outlives its process also offers ``state()``, which returns JSON data, and ``restore(state)``.
    """

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query (0-based index) and what the user pays, from what has arrived so far."""

    def settle(self, score: float, bid: float, query: int) -> None:
        """Take what came of the query that the `query`-th call of `assign` assigned, counted from 1."""


@dataclass(frozen=True)
class PlatformState:
    """What a platform knows before a step: everything its next decision depends on.

    Parameters
    ----------
    step : int
        t, from 1.
    counts : tuple of int
        m_{i,t}; of queries in flight, those that have arrived.
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
    concurrent : bool, optional
        Whether further queries may be assigned before earlier ones are settled. Every decision then rests on what has
        arrived. A provider of which nothing has arrived after initialization is explored: its radius is infinite.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> platform = Platform(config, np.random.default_rng(0))
    >>> platform.assign()
    (0, 1.0)
    >>> platform.settle(score=1.0, bid=0.25)
    >>> platform.knowledge().standing_bids
    (0.25, nan)

    Two queries at once; feedback names the query:

    >>> platform = Platform(config, np.random.default_rng(0), concurrent=True)
    >>> platform.assign(), platform.assign()
    ((0, 1.0), (1, 1.0))
    >>> platform.settle(score=1.0, bid=0.5, query=2)
    >>> platform.knowledge().counts
    (0, 1)

    After a restart a platform made anew goes on where the saved one stood:

    >>> import json
    >>> saved = json.dumps(platform.state())
    >>> restarted = Platform(config, np.random.default_rng(7), concurrent=True)
    >>> restarted.restore(json.loads(saved))
    >>> restarted.settle(score=1.0, bid=0.5, query=1)
    >>> restarted.knowledge().counts
    (1, 1)
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
        concurrent: bool = False,
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
        self._radius, self._cost_radius = quality_table(config), cost_table(config)
        self._target = target_table(n, config.exploration_scale, config.exploration_exponent)
        self._width = (1 + config.belief_slack) * config.cost_bound
        self._concurrent = concurrent
        self._know_nothing()

    def _know_nothing(self) -> None:
        """Set what is known before the first query."""
        n = self._config.n_providers
        self._step = 1
        # From the number of a query to who serves it, until its score and bid arrive.
        self._in_flight: dict[int, int] = {}
        self._counts, self._score_sums = [0] * n, [0.0] * n
        self._bids = [math.nan] * n
        # Nothing has arrived: the radius is infinite, and the provider may still reach any threshold.
        self._estimates, self._radii, self._cost_radii = [0.0] * n, [math.inf] * n, [math.inf] * n
        self._adjusted = [-math.inf] * n
        #: Whose quality may still reach the threshold.
        self._able = tuple(range(n))

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays for it."""
        if self._in_flight and not self._concurrent:
            [served] = self._in_flight.values()
            remedy = "settle the query of the assigned provider first, or make the platform with concurrent=True"
            raise InputError("assign", served, "was called twice", remedy)
        provider, payment = self._initialize() if self._step <= self._config.n_providers else self._decide()
        self._in_flight[self._step] = provider
        self._step += 1
        return provider, payment

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        """Record the score of a served provider and its standing bid from now on.

        `query` is the number of the call of `assign`, counted from 1; it may be left out where one is in flight.
        """
        query = self._only_query(score) if query is None else query
        if query not in self._in_flight:
            rule = "is no query in flight"
            raise InputError("query", query, rule, "give the number of an `assign` that was not settled yet, from 1")
        if not 0 <= score <= 1:
            raise InputError("score", score, "must lie in [0, 1]", "rescale the grade of the response")
        if not math.isfinite(bid) or (self._check_bids and not 0 <= bid <= self._config.cost_bound):
            rule = f"must lie in [0, {self._config.cost_bound!r}]"
            raise InputError("bid", bid, rule, "the standing bid is a cost per query")
        provider = self._in_flight.pop(query)
        self._counts[provider] += 1
        self._score_sums[provider] += score
        self._know(provider, bid)

    def _know(self, provider: int, bid: float) -> None:
        """Set what follows from the count, the scores and the standing bid of a provider that was heard of."""
        count, threshold = self._counts[provider], self._config.quality_threshold
        self._estimates[provider] = estimate = self._score_sums[provider] / count
        self._bids[provider] = bid
        self._radii[provider] = radius = self._radius[count]
        self._cost_radii[provider] = cost_radius = self._width * self._cost_radius[count]
        self._adjusted[provider] = bid - cost_radius
        if rules.may_reach(estimate, radius, threshold) != (provider in self._able):
            self._able = rules.eligible(self._estimates, self._radii, threshold)

    def _only_query(self, score: float) -> int:
        """Return the number of the one query in flight."""
        if not self._in_flight:
            raise InputError("settle", score, "came without an assigned query", "call assign first")
        if len(self._in_flight) > 1:
            rule = f"must be given: {len(self._in_flight)} queries are in flight"
            raise InputError("query", None, rule, "give the number of the `assign`, counted from 1")
        return next(iter(self._in_flight))

    def state(self) -> dict[str, Any]:
        """Return everything that later answers depend on, as plain JSON data; queries in flight among it."""
        return {
            "step": self._step,
            "order": list(self._order),
            "draw_key": int(self._draw_key),
            "counts": list(self._counts),
            "score_sums": list(self._score_sums),
            "bids": [bid if count else None for bid, count in zip(self._bids, self._counts, strict=True)],
            "in_flight": [[query, provider] for query, provider in self._in_flight.items()],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where the platform stood whose `state` this is; it had the same configuration and options.

        Parameters
        ----------
        state : mapping
            As `state` returned it, perhaps through JSON.

        Raises
        ------
        InputError
            It is no state of a platform of so many providers.
        """
        self._check_state(state)
        self._know_nothing()
        self._step, self._order, self._draw_key = state["step"], list(state["order"]), state["draw_key"]
        self._counts, self._score_sums = list(state["counts"]), list(state["score_sums"])
        self._in_flight = dict(state["in_flight"])
        for provider, bid in enumerate(state["bids"]):
            if bid is not None:
                self._know(provider, bid)

    def _check_state(self, state: Mapping[str, Any]) -> None:
        remedy = "give what `state` returned"
        if missing := [key for key in self.state() if key not in state]:
            raise InputError("state", sorted(state), f"lacks {', '.join(missing)}", remedy)
        n = self._config.n_providers
        for key in ("order", "counts", "score_sums", "bids"):
            if len(state[key]) != n:
                raise InputError(f"state[{key!r}]", state[key], f"must have an entry for each of {n} providers", remedy)

    def knowledge(self) -> PlatformState:
        """Return what the next decision depends on."""
        known = zip(self._estimates, self._counts, strict=True)
        estimates = tuple(estimate if count else math.nan for estimate, count in known)
        return PlatformState(self._step, tuple(self._counts), estimates, tuple(self._bids))

    @property
    def eligible(self) -> tuple[int, ...]:
        """The providers that may serve now; all of them during initialization."""
        if not self._filter or self._step <= self._config.n_providers:
            return tuple(range(self._config.n_providers))
        return self._able

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
        if allocation.kind == "auction" and self._ties == "first":
            return allocation.candidates[0]
        return self._draw(allocation.candidates)

    def _draw(self, candidates: Sequence[int]) -> int:
        """Return one of several at random; the draw of a step is always the same."""
        if len(candidates) == 1:
            return candidates[0]
        return candidates[uniform_index(squares64(self._draw_key, self._step), len(candidates))]


def reference_mechanism(config: MechanismConfig, rng: np.random.Generator) -> Platform:
    """Return the reference mechanism: the factory to name as ``mechanism.platform:reference_mechanism``."""
    return Platform(config, rng)


def concurrent_mechanism(config: MechanismConfig, rng: np.random.Generator) -> Platform:
    """Return the reference mechanism in the ticket form: ``mechanism.platform:concurrent_mechanism``."""
    return Platform(config, rng, concurrent=True)
