"""The reference mechanism: Algorithm 1 as an object with `assign` and `settle`, a thin shell over `rules`.

Each rule is a method. Baselines and broken mechanisms are this platform with some of them replaced.
"""

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
        self.config, self._ties = config, ties
        self._order = list(range(n)) if order is None else list(order)
        # A step's draw is a function of this key and the step: replays and compiled runs draw the same.
        self.draw_key = draw_key(rng)
        self._filter, self._explores, self._check_bids = quality_filter, exploration, check_bids
        self._quality_table, self._cost_table = quality_table(config), cost_table(config)
        self._targets = target_table(n, config.exploration_scale, config.exploration_exponent)
        self._width = (1 + config.belief_slack) * config.cost_bound
        self._concurrent = concurrent
        self._know_nothing()

    def _know_nothing(self) -> None:
        """Set what is known before the first query."""
        n = self.config.n_providers
        #: t of the query that is assigned next, from 1.
        self.step = 1
        # From the number of a query to who serves it, until its score and bid arrive.
        self.in_flight: dict[int, int] = {}
        self.counts, self.score_sums = [0] * n, [0.0] * n
        self.bids = [math.nan] * n
        # Nothing has arrived: the radius is infinite, and the provider may still reach any threshold.
        self._estimates, self._radii, self._cost_radii = [0.0] * n, [math.inf] * n, [math.inf] * n
        self._adjusted = [-math.inf] * n
        #: Whose quality may still reach the threshold.
        self._able = tuple(range(n))

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query and what the user pays for it."""
        if self.in_flight and not self._concurrent:
            [served] = self.in_flight.values()
            remedy = "settle the query of the assigned provider first, or make the platform with concurrent=True"
            raise InputError("assign", served, "was called twice", remedy)
        provider, payment = self._initialize() if self.step <= self.config.n_providers else self._decide()
        self.in_flight[self.step] = provider
        self.step += 1
        return provider, payment

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        """Record the score of a served provider and its standing bid from now on.

        `query` is the number of the call of `assign`, counted from 1; it may be left out where one is in flight.
        """
        query = self._only_query(score) if query is None else query
        if query not in self.in_flight:
            rule = "is not a query in flight"
            raise InputError("query", query, rule, "give the number of an `assign` that was not settled yet, from 1")
        if not 0 <= score <= 1:
            raise InputError("score", score, "must lie in [0, 1]", "rescale the grade of the response")
        if not math.isfinite(bid) or (self._check_bids and not 0 <= bid <= self.config.cost_bound):
            rule = f"must lie in [0, {self.config.cost_bound!r}]"
            raise InputError("bid", bid, rule, "the standing bid is a cost per query")
        self._arrive(query, score, bid)

    def _arrive(self, query: int, score: float, bid: float) -> None:
        """Take what came of a query."""
        self._hear(self.in_flight.pop(query), score, bid)

    def _hear(self, provider: int, score: float, bid: float) -> None:
        """Take a score and a standing bid of a provider."""
        self._learn(provider, score)
        self._take(provider, bid)
        self._know(provider)

    def _learn(self, provider: int, score: float) -> None:
        self.counts[provider] += 1
        self.score_sums[provider] += score

    def _take(self, provider: int, bid: float) -> None:
        self.bids[provider] = bid

    def _know(self, provider: int) -> None:
        """Set what follows from the count, the scores and the standing bid of a provider that was heard of."""
        count, threshold = self.counts[provider], self.config.quality_threshold
        self._estimates[provider] = estimate = self.score_sums[provider] / count
        self._radii[provider] = radius = self._quality_table[count]
        self._cost_radii[provider] = cost_radius = self._width * self._cost_table[count]
        self._adjusted[provider] = self.bids[provider] - cost_radius
        if rules.may_reach(estimate, radius, threshold) != (provider in self._able):
            self._able = rules.eligible(self._estimates, self._radii, threshold)

    def _only_query(self, score: float) -> int:
        """Return the number of the one query in flight."""
        if not self.in_flight:
            raise InputError("settle", score, "came without an assigned query", "call assign first")
        if len(self.in_flight) > 1:
            rule = f"must be given: {len(self.in_flight)} queries are in flight"
            raise InputError("query", None, rule, "give the number of the `assign`, counted from 1")
        return next(iter(self.in_flight))

    def state(self) -> dict[str, Any]:
        """Return everything that later answers depend on, as plain JSON data; queries in flight among it."""
        return {
            "step": self.step,
            "order": list(self._order),
            "draw_key": int(self.draw_key),
            "counts": list(self.counts),
            "score_sums": list(self.score_sums),
            "bids": [bid if count else None for bid, count in zip(self.bids, self.counts, strict=True)],
            "in_flight": [[query, provider] for query, provider in self.in_flight.items()],
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
            It is not a state of a platform of so many providers.
        """
        self._check_state(state)
        self._know_nothing()
        self.step, self._order, self.draw_key = state["step"], list(state["order"]), state["draw_key"]
        self.counts, self.score_sums = list(state["counts"]), list(state["score_sums"])
        self.in_flight = dict(state["in_flight"])
        for provider, bid in enumerate(state["bids"]):
            if bid is not None:
                self.bids[provider] = bid
                self._know(provider)

    def _check_state(self, state: Mapping[str, Any]) -> None:
        remedy = "give what `state` returned"
        if missing := [key for key in self.state() if key not in state]:
            raise InputError("state", sorted(state), f"lacks {', '.join(missing)}", remedy)
        n = self.config.n_providers
        for key in ("order", "counts", "score_sums", "bids"):
            if len(state[key]) != n:
                raise InputError(f"state[{key!r}]", state[key], f"must have an entry for each of {n} providers", remedy)

    def knowledge(self) -> PlatformState:
        """Return what the next decision depends on."""
        known = zip(self.score_sums, self.counts, strict=True)
        estimates = tuple(total / count if count else math.nan for total, count in known)
        return PlatformState(self.step, tuple(self.counts), estimates, tuple(self.bids))

    @property
    def eligible(self) -> tuple[int, ...]:
        """The providers that may serve now; all of them during initialization."""
        if not self._filter or self.step <= self.config.n_providers:
            return tuple(range(self.config.n_providers))
        return self._able

    def _initialize(self) -> tuple[int, float]:
        return self._initial(), self._initial_payment()

    def _initial(self) -> int:
        return self._order[self.step - 1]

    def _initial_payment(self) -> float:
        return self.config.cost_bound

    def _decide(self) -> tuple[int, float]:
        allocation = rules.allocate_by(self.config.n_providers, self.eligible, self._explored, self._winners)
        provider = self._choose(allocation)
        return provider, self._price(allocation, provider)

    def _target(self) -> float:
        """Return the count below which an eligible provider is explored."""
        return self._targets[self.step] if self._explores else 0

    def _explored(self, able: Sequence[int]) -> tuple[int, ...]:
        return rules.under_sampled(able, self.counts, self._target())

    def _winners(self, able: Sequence[int]) -> tuple[int, ...]:
        return rules.lowest(able, self._adjusted)

    def _choose(self, allocation: rules.Allocation) -> int:
        if allocation.kind == "auction" and self._ties == "first":
            return allocation.candidates[0]
        return self._draw(allocation.candidates)

    def _price(self, allocation: rules.Allocation, provider: int) -> float:
        if allocation.kind == "auction":
            return self._payment(provider, allocation.eligible)
        return self.config.cost_bound

    def _payment(self, winner: int, able: Sequence[int]) -> float:
        """Return what the winner of an auction is paid."""
        critical = rules.critical_payment(winner, able, self._adjusted, self._cost_radii[winner])
        return float(rules.auction_payment(critical, self.config.cost_bound))

    def _draw(self, candidates: Sequence[int]) -> int:
        """Return one of several at random; the draw of a step is always the same."""
        if len(candidates) == 1:
            return candidates[0]
        return candidates[uniform_index(squares64(self.draw_key, self.step), len(candidates))]


def reference_mechanism(config: MechanismConfig, rng: np.random.Generator) -> Platform:
    """Return the reference mechanism: the factory to name as ``mechanism.platform:reference_mechanism``."""
    return Platform(config, rng)


def concurrent_mechanism(config: MechanismConfig, rng: np.random.Generator) -> Platform:
    """Return the reference mechanism in the ticket form: ``mechanism.platform:concurrent_mechanism``."""
    return Platform(config, rng, concurrent=True)
