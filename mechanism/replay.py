"""Replay: the platform's whole state at every step, recomputed from a trace, vectorised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.radii.names import PAPERS
from mechanism.config import MechanismConfig
from mechanism.running import across, held, least_of_others, of_each_row, tallied, tallied_of_served
from mechanism.tables import TabulatedFunction, cost_table, entries, goal_table, quality_table, target_table, window
from mechanism.trace import Trace

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Entry = TypeVar("Entry", bound=np.generic)
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False, kw_only=True)
class Queries:
    """Queries with their numbers: rows of a trace that need not follow each other.

    Parameters
    ----------
    steps : array of int, shape (A,)
        When each was assigned.
    rows : Trace
        What became of them.
    """

    steps: NDArray[np.int64]
    rows: Trace

    def chosen(self, places: NDArray[Any]) -> Queries:
        """Return some of them, by places or by a mask."""
        return Queries(steps=self.steps[places], rows=self.rows.rows(places))


@dataclass(frozen=True, eq=False)
class ReplayState:
    """What a platform has seen up to a step: where the replay of the rest of a log goes on.

    Parameters
    ----------
    steps : int
        How many steps are behind.
    counts : array of int, shape (N,)
        Selections.
    score_sums, cost_sums : array of float, shape (N,)
        Added step by step; costs are zero where the log does not know them.
    bids : array of float, shape (N,)
        Standing bids; NaN before a provider's first.
    in_flight : Queries, optional
        Those whose score and bid had not arrived yet; default none. The numbers above do not know them.
    """

    steps: int
    counts: NDArray[np.int64]
    score_sums: Floats
    cost_sums: Floats
    bids: Floats
    in_flight: Queries | None = None

    @classmethod
    def initial(cls, n_providers: int) -> ReplayState:
        """Return the state before the first step.

        Examples
        --------
        >>> ReplayState.initial(2).counts.tolist()
        [0, 0]
        """
        zeros = np.zeros(n_providers)
        return cls(0, np.zeros(n_providers, dtype=np.int64), zeros, zeros, np.full(n_providers, np.nan))


@dataclass(frozen=True, eq=False, kw_only=True)
class Readings:
    """How the comparisons at some rows are read, where rounding decides how they turn out.

    Parameters
    ----------
    rows : array of int, shape (R,)
        Counted from 0.
    eligible : array of bool, shape (R, N)
    targets : array of float, shape (R,)
        ceil(g(t)), or one more where a whole g(t) is read as a hair above.
    """

    rows: NDArray[np.int64]
    eligible: Flags
    targets: Floats


#: A part of the rules: a function of a replay.
RulePart = Callable[["Replay"], Any]


@dataclass(frozen=True, kw_only=True)
class RuleTable:
    """Algorithm 1 as a table of parts; ``replace(ALGORITHM_1, estimate=...)`` is a mechanism that differs in one.

    A replay has an attribute for each part. Tables have the shape (T, N), columns (T,).

    Parameters
    ----------
    n : callable
        The N that the confidence radius is taken at.
    radius, estimate, hoped : callable
        beta(m), the mean score, and their sum, which is compared with q_min.
    screened, present : callable
        Who passes the screening of quality; who takes part at all.
    tally, goal, behind : callable
        The count that is compared with g(t); g(t); who is under-sampled.
    bid, width, index : callable
        The standing bid, the cost radius and the adjusted bid.
    ranked : callable
        What the winner has the least of.
    rivals, price_width, price, cap : callable
        Who can set a price; the winner's radius in it; the critical payment; what an auction pays at most.
    flat : callable
        What is paid outside auctions.
    initial : callable
        Which steps initialize.
    logged : callable
        From an amount of money to what the log holds in its place.
    parameters : mapping, optional
        Parameters of the platform that are not those of the setting, by their names in `MechanismConfig`.

    Examples
    --------
    >>> first_price = replace(ALGORITHM_1, price=lambda replay: replay.of_served(replay.bid))
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> replay = Replay(config, Trace([0, 1, 0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.5], [0.2, 0.3, 0.25]))
    >>> replay.under(first_price).price.tolist()[2:], replay.under(first_price).cap
    ([0.2], 1.0)
    """

    n: RulePart = lambda r: r.config.n_providers
    radius: RulePart = lambda r: r.right_radii
    estimate: RulePart = lambda r: r.mean_scores
    hoped: RulePart = lambda r: r.estimate + r.radius
    screened: RulePart = lambda r: r.passing
    present: RulePart = lambda r: np.True_
    tally: RulePart = lambda r: r.counts
    goal: RulePart = lambda r: r.right_goals
    behind: RulePart = lambda r: np.asarray(r.eligible & (r.tally < r.targets[:, None]))
    bid: RulePart = lambda r: r.standing_bids
    width: RulePart = lambda r: (1 + r.config.belief_slack) * r.config.cost_bound * r.relative_cost_radii
    index: RulePart = lambda r: r.bid - r.width
    ranked: RulePart = lambda r: r.index
    rivals: RulePart = lambda r: r.eligible
    price_width: RulePart = lambda r: r.width
    price: RulePart = lambda r: r.critical
    cap: RulePart = lambda r: r.config.cost_bound
    flat: RulePart = lambda r: r.config.cost_bound
    initial: RulePart = lambda r: np.asarray(r.steps <= r.config.n_providers)
    logged: Callable[[Any], Any] = lambda amount: amount
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def keep(self, *parts: str) -> bool:
        """Return whether these parts are those of Algorithm 1."""
        return all(getattr(self, part) is getattr(ALGORITHM_1, part) for part in parts)


ALGORITHM_1 = RuleTable()


class _PartOf:
    """An attribute of a replay that a part of its rules computes, once."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, replay: Replay | None, owner: type | None = None) -> Any:
        if replay is None:
            return self
        with np.errstate(all="ignore"):
            found = vars(replay)[self.name] = getattr(replay.rules, self.name)(replay)
        return found


def of_the_whole(function: Callable[[Any], Result]) -> cached_property[Result]:
    """Return a cached property that no rule changes: a replay of the same trace under other rules has it, too."""
    return _shared(function, lambda replay: replay.whole)


def of_the_configuration(function: Callable[[Any], Result]) -> cached_property[Result]:
    """Return one that only parameters change."""
    return _shared(function, lambda replay: replay.alike)


def _shared(function: Callable[[Any], Result], of: Callable[[Any], Replay | None]) -> cached_property[Result]:
    name = function.__name__

    def found(replay: Replay) -> Result:
        whole = of(replay)
        return function(replay) if whole is None else getattr(whole, name)

    found.__doc__ = function.__doc__
    return cached_property(found)


def beta(count: Any, n: Any, confidence: float) -> Any:
    """Return the paper's confidence radius at any numbers, where `mechanism.tables` has it at whole ones.

    Examples
    --------
    >>> round(float(beta(1, 4, 0.05)), 6)
    1.770031
    """
    with np.errstate(all="ignore"):
        logarithm = np.log(2 * np.pi**2 * n * count**2 / (3 * confidence))
        return np.sqrt(np.maximum(logarithm, 0.0) / (2 * count))


@dataclass(frozen=True, eq=False)
class Replay:
    """What the rules see at every step of a trace, or of a part of one.

    Parameters
    ----------
    config : MechanismConfig
    trace : Trace
    before : ReplayState, optional
        What came before the trace's first row; default nothing: the row is step 1.
    readings : Readings, optional
        Rows at which who is eligible and under-sampled is not what the replayed floats say.
    rules : RuleTable, optional
        Those of the mechanism, if it has others than Algorithm 1.
    rows : array of int, shape (R,), optional
        The rows at which the rules are computed, counted from 0; then R stands for T below. Default all.
    whole : Replay, optional
        A replay of the same trace that has computed what no rule changes.

    Notes
    -----
    Arrays by step have shape (T,), by step and provider (T, N); row t - 1 (of a whole trace) holds the state
    *before* step t. `final_*` is the state after the last step. Estimates of a provider that has not served are NaN.
    A log that is replayed part by part, each from what `after` says of the one before, gives the same numbers to the
    last bit as all of it at once.

    Where the trace says when scores and bids arrived (`Trace.settled`), counts, estimates and bids are those of the
    queries that had arrived. A provider of which nothing has arrived after initialization counts as eligible and
    under-sampled: its radius is infinite. `*_after` then have one entry for each query that arrives during these
    steps, in the order of `settlements`.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> replay = Replay(config, Trace([0, 1, 0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.5], [0.2, 0.3, 0.25]))
    >>> replay.counts.tolist(), replay.final_counts.tolist(), replay.standing_bids[2].tolist()
    ([[0, 0], [1, 0], [1, 1]], [2, 1], [0.2, 0.3])
    >>> from dataclasses import replace
    >>> read = Readings(rows=np.array([2]), eligible=np.array([[True, True]]), targets=np.array([1.0]))
    >>> replay.exploration.tolist(), replace(replay, readings=read).exploration.tolist()
    ([False, False, True], [False, False, False])
    """

    config: MechanismConfig
    trace: Trace
    before: ReplayState | None = None
    readings: Readings | None = None
    rules: RuleTable = ALGORITHM_1
    rows: NDArray[np.int64] | None = None
    whole: Replay | None = None

    def under(
        self, rules: RuleTable, rows: NDArray[np.int64] | None = None, readings: Readings | None = None
    ) -> Replay:
        """Return the replay under rules, at all rows or at some; what no rule changes is computed once."""
        whole = self.whole or self
        if rules is whole.rules and rows is None and readings is whole.readings:
            return whole
        config = replace(whole.config, **rules.parameters) if rules.parameters else whole.config
        return replace(whole, config=config, rules=rules, rows=rows, readings=readings, whole=whole)

    @property
    def alike(self) -> Replay | None:
        """The replay of the same trace under Algorithm 1, if that has the same parameters."""
        whole = self.whole
        return whole if whole is not None and whole.config is self.config and whole.rules is ALGORITHM_1 else None

    def at(self, rows: NDArray[np.int64]) -> Replay:
        """Return the replay at some of its rows."""
        return self.under(self.rules, rows if self.rows is None else self.rows[rows])

    def with_answers(self, provider: NDArray[np.int64], payment: Floats) -> Replay:
        """Return the replay with other answers in the place of its rows; what came before them stays."""
        found = replace(self)
        vars(found).update(provider=provider, payment=payment)
        return found

    def __post_init__(self) -> None:
        if self.whole is not None:
            return
        provider, n = self.trace.provider, self.config.n_providers
        strangers = np.flatnonzero((provider < 0) | (provider >= n))
        if len(strangers):
            row, remedy = strangers[0], "the trace belongs to another setting"
            raise InputError(f"provider[{row}]", int(provider[row]), f"must lie in 0..{n - 1}", remedy)
        if self.trace.settled is not None:
            early = np.flatnonzero(self.trace.settled < self.steps)
            if len(early):
                row = early[0]
                rule = f"must be at least {self.steps[row]}, the row's own step"
                remedy = "it is the number of the last query assigned before score and bid arrived"
                raise InputError(f"settled at step {self.steps[row]:,}", self.trace.settled[row].item(), rule, remedy)

    @cached_property
    def start(self) -> ReplayState:
        """What came before the first row."""
        return self.before or ReplayState.initial(self.config.n_providers)

    @cached_property
    def after(self) -> ReplayState:
        """What the platform has seen after the last row: the `before` of what follows."""
        served, costs = self.settlements.rows.provider, self.start.cost_sums
        return ReplayState(
            steps=self.start.steps + len(self.trace),
            counts=self._settled_counts[-1].copy(),
            score_sums=_last(self.start.score_sums, served, self._score_sums_after),
            cost_sums=costs if self.trace.cost is None else _last(costs, served, self._cost_sums_after),
            bids=self._settled_bids[-1].copy(),
            in_flight=self._arrivals.later,
        )

    n: ClassVar[Any] = _PartOf()
    radius: ClassVar[Any] = _PartOf()
    estimate: ClassVar[Any] = _PartOf()
    hoped: ClassVar[Any] = _PartOf()
    screened: ClassVar[Any] = _PartOf()
    present: ClassVar[Any] = _PartOf()
    tally: ClassVar[Any] = _PartOf()
    goal: ClassVar[Any] = _PartOf()
    behind: ClassVar[Any] = _PartOf()
    bid: ClassVar[Any] = _PartOf()
    width: ClassVar[Any] = _PartOf()
    index: ClassVar[Any] = _PartOf()
    ranked: ClassVar[Any] = _PartOf()
    rivals: ClassVar[Any] = _PartOf()
    price_width: ClassVar[Any] = _PartOf()
    price: ClassVar[Any] = _PartOf()
    cap: ClassVar[Any] = _PartOf()
    flat: ClassVar[Any] = _PartOf()
    initial: ClassVar[Any] = _PartOf()

    def _of_rows(self, column: NDArray[Entry]) -> NDArray[Entry]:
        return column if self.rows is None else np.asarray(column[self.rows])

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """1, 2, ..., T; of a part, the numbers of its steps."""
        return self._of_rows(self.start.steps + np.arange(1, len(self.trace) + 1))

    @cached_property
    def provider(self) -> NDArray[np.int64]:
        """Who served, shape (T,)."""
        return self._of_rows(self.trace.provider)

    @cached_property
    def payment(self) -> Floats:
        """What was paid, shape (T,)."""
        return self._of_rows(self.trace.payment)

    @cached_property
    def served(self) -> Flags:
        """Whether a provider served a step, shape (T, N)."""
        return np.asarray(self.provider[:, None] == np.arange(self.config.n_providers))

    @of_the_whole
    def _arrivals(self) -> _Arrivals:
        return _Arrivals.of(self.start, self.trace, self.steps)

    @of_the_whole
    def last_heard(self) -> NDArray[np.int64]:
        """Which holds for each provider before every step, of N first values and A by settlement, shape (T, N)."""
        n = self.config.n_providers
        return self._before_and_after(
            held(np.arange(n), self.settlements.rows.provider, n + np.arange(len(self.settlements.rows)))
        )[:-1]

    @property
    def delayed(self) -> bool:
        """Whether some score and bid come later than before the next query, as far as the trace says."""
        return self._arrivals.known is not None

    @property
    def settlements(self) -> Queries:
        """The queries whose score and bid arrive during these steps, in the order of arrival."""
        return self._arrivals.now

    @property
    def settled_rows(self) -> NDArray[np.int64]:
        """The row after which each settlement comes, shape (A,), counted from 0."""
        if not self.delayed:
            return np.arange(len(self.trace))
        return _arrival_times(self.settlements) - self.start.steps - 1

    def _before_and_after(self, settled: NDArray[Entry]) -> NDArray[Entry]:
        """Return the rows, of A + 1, that were known before each step and after the last, shape (T + 1, ...)."""
        known = self._arrivals.known
        return settled if known is None else np.asarray(settled[known])

    @of_the_whole
    def _settled_counts(self) -> NDArray[np.int64]:
        served = self.settlements.rows.provider
        return tallied(self.start.counts, served, np.ones(len(served), dtype=np.int64))

    @of_the_whole
    def _counts(self) -> NDArray[np.int64]:
        return self._before_and_after(self._settled_counts)

    @property
    def counts(self) -> NDArray[np.int64]:
        """m_{i,t}, shape (T, N)."""
        return self._of_rows(self._counts[:-1])

    @property
    def final_counts(self) -> NDArray[np.int64]:
        """Selections after the last step, shape (N,)."""
        return np.asarray(self._counts[-1])

    @property
    def assigned(self) -> NDArray[np.int64]:
        """How many queries each provider had been assigned before every step, shape (T, N); arrived or not."""
        return self._of_rows(self._assigned)

    @of_the_whole
    def _assigned(self) -> NDArray[np.int64]:
        if not self.delayed:
            return self.counts
        waiting = self.start.in_flight
        behind = self.start.counts.copy()
        if waiting is not None:
            behind += np.bincount(waiting.rows.provider, minlength=len(behind))
        return tallied(behind, self.trace.provider, np.ones(len(self.trace), dtype=np.int64))[:-1]

    @property
    def in_flight(self) -> NDArray[np.int64]:
        """How many queries of each provider were assigned and had not arrived before every step, shape (T, N)."""
        return np.asarray(self.assigned - self.counts)

    @of_the_whole
    def _settled_quality(self) -> Floats:
        return self._means(self.start.score_sums, self.quality_estimates_after)

    @of_the_whole
    def _quality(self) -> Floats:
        return self._before_and_after(self._settled_quality)

    @of_the_whole
    def _score_sums_after(self) -> Floats:
        return self._sums(self.settlements.rows.score, self.start.score_sums)

    @property
    def quality_estimates(self) -> Floats:
        """qhat_{i,t}, shape (T, N)."""
        return np.asarray(self.estimate)

    @property
    def mean_scores(self) -> Floats:
        """The same by Algorithm 1, for any rules."""
        return self._of_rows(self._quality[:-1])

    @property
    def final_quality_estimates(self) -> Floats:
        """qhat after the last step, shape (N,)."""
        return np.asarray(self._quality[-1])

    @cached_property
    def _settled_cost(self) -> Floats:
        return self._means(self.start.cost_sums, self.cost_estimates_after)

    @cached_property
    def _cost(self) -> Floats:
        return self._before_and_after(self._settled_cost)

    @cached_property
    def _cost_sums_after(self) -> Floats:
        costs = self.settlements.rows.cost
        if costs is None:
            raise InputError("cost", None, "is missing from the trace", "cost estimates need the cost column")
        return self._sums(costs, self.start.cost_sums)

    @property
    def cost_estimates(self) -> Floats:
        """chat_{i,t}, shape (T, N); needs the cost column."""
        return self._cost[:-1]

    def _sums(self, column: Floats, before: Floats) -> Floats:
        # The sums run down the settlements one by one, as the platform adds: estimates agree to the last bit.
        return tallied_of_served(before, self.settlements.rows.provider, column)

    def _means(self, sums: Floats, after: Floats) -> Floats:
        """Return the means before and after every settlement, given the first sums and its provider's mean after it."""
        return held(self._first_means(sums), self.settlements.rows.provider, after)

    def _first_means(self, sums: Floats) -> Floats:
        counts = self.start.counts
        return np.asarray(np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0))

    @property
    def standing_bids(self) -> Floats:
        """b_{i,t}, shape (T, N); NaN before a provider's first bid."""
        return self._of_rows(self._standing_bids)

    @of_the_whole
    def _standing_bids(self) -> Floats:
        return self._before_and_after(self._settled_bids)[:-1]

    @of_the_whole
    def _settled_bids(self) -> Floats:
        return held(self.start.bids, self.settlements.rows.provider, self.settlements.rows.bid)

    @property
    def radii(self) -> Floats:
        """beta(m_{i,t}), or the quality radius that stands in its place, shape (T, N); NaN at m = 0."""
        return np.asarray(self.radius)

    @property
    def right_radii(self) -> Floats:
        """The same by Algorithm 1, but for the N of the rules."""
        if self.rules.keep("n"):
            return self.by_settlement(entries(quality_table(self.config), self.start.counts), self.radii_after)
        return np.asarray(beta(self.counts, self.n, self.config.confidence))

    @of_the_configuration
    def radii_after(self) -> Floats:
        """The same at the count of the served provider after each settlement, shape (A,)."""
        return entries(quality_table(self.config), self.counts_after)

    @of_the_configuration
    def relative_cost_radii_after(self) -> Floats:
        """The cost radius, over c_max and not widened, at that count, shape (A,)."""
        return self.radii_after if self.config.radius == PAPERS else entries(cost_table(self.config), self.counts_after)

    @cached_property
    def relative_cost_radii(self) -> Floats:
        """beta(m_{i,t}) of costs, over c_max and not widened, shape (T, N); other than `radii` for some radii."""
        if self.config.radius == PAPERS or not self.rules.keep("n", "radius"):
            return self.radii
        first = entries(cost_table(self.config), self.start.counts)
        return self.by_settlement(first, self.relative_cost_radii_after)

    def by_settlement(self, first: NDArray[Entry], after: NDArray[Entry]) -> NDArray[Entry]:
        """Return what is so of each provider before every step, shape (T, N): a settlement changes it for one.

        Parameters
        ----------
        first : array, shape (N,)
            Of each provider before the first of these steps.
        after : array, shape (A,)
            Of the provider that served, after each settlement.
        """
        if self.rows is not None:
            return np.asarray(np.concatenate([first, after])[self.last_heard[self.rows]])
        return self._before_and_after(held(first, self.settlements.rows.provider, after))[:-1]

    @property
    def cost_radii(self) -> Floats:
        """(1 + gamma) c_max beta(m_{i,t}), or the cost radius that stands in its place, shape (T, N)."""
        return np.asarray(self.width)

    @property
    def adjusted_bids(self) -> Floats:
        """b_{i,t} minus the cost radius, shape (T, N)."""
        return np.asarray(self.index)

    @property
    def goals(self) -> Floats:
        """g(t), not rounded up, shape (T,); beyond all counts where it overflows."""
        return np.asarray(self.goal)

    @property
    def right_goals(self) -> Floats:
        """The same by Algorithm 1, for any rules."""
        return np.minimum(self._by_step(goal_table), np.finfo(float).max / 4)

    @cached_property
    def targets(self) -> Floats:
        """ceil(g(t)) as it is read, shape (T,)."""
        if self.rules.keep("goal"):
            targets = self._by_step(target_table)
        else:
            nearest = np.rint(self.goals)
            whole = np.abs(self.goals - nearest) <= 1e-9 * np.maximum(1, self.goals)
            targets = np.where(whole, nearest, np.ceil(self.goals))
        if self.readings is None:
            return targets
        targets = targets.copy()
        targets[self.readings.rows] = self.readings.targets
        return targets

    def _by_step(self, table: Callable[[int, float, float], TabulatedFunction]) -> Floats:
        config = self.config
        whole = table(config.n_providers, config.exploration_scale, config.exploration_exponent)
        return self._of_rows(window(whole, self.start.steps + 1, self.start.steps + len(self.trace)))

    @property
    def initialization(self) -> Flags:
        """Whether t <= N, shape (T,)."""
        return np.asarray(self.initial)

    @of_the_configuration
    def quality_edges(self) -> tuple[Floats, Floats]:
        """Upper ends of the bands of quality, as `by_settlement` takes them; NaN of who has not served."""
        with np.errstate(invalid="ignore"):
            first = self._first_means(self.start.score_sums) + entries(quality_table(self.config), self.start.counts)
            return first, self.quality_estimates_after + self.radii_after

    def by_quality_edge(self, test: Callable[[Floats], Flags], rows: NDArray[np.int64] | None = None) -> Flags:
        """Return where the upper end of a provider's band of quality passes a test, shape (T, N), or (R, N) at rows."""
        with np.errstate(invalid="ignore"):
            if self.rules.keep("n", "radius", "estimate", "hoped"):
                part = self if rows is None else self.at(rows)
                return part.by_settlement(*map(test, part.quality_edges))
            return np.asarray(test(self.hoped if rows is None else self.hoped[rows]))

    @cached_property
    def passing(self) -> Flags:
        """Whether the upper end of a provider's band of quality reaches q_min, shape (T, N)."""
        whole = self.alike if self.rules.keep("n", "radius", "estimate", "hoped") else None
        if whole is not None and (self.rows is None or "passing" in vars(whole)):
            return self._of_rows(whole.passing)
        able = self.by_quality_edge(lambda edges: edges >= self.config.quality_threshold)
        return able | np.isnan(self.radii) if self.delayed else able

    @cached_property
    def eligible(self) -> Flags:
        """Whether a provider is in the estimated-qualified set after initialization, shape (T, N)."""
        able = np.asarray(self.screened & self.present)
        able[self.initialization] = False
        if self.readings is not None:
            able[self.readings.rows] = self.readings.eligible
        return able

    @property
    def under_sampled(self) -> Flags:
        """Whether a provider is in S_t, shape (T, N)."""
        return np.asarray(self.behind)

    @cached_property
    def exploration(self) -> Flags:
        """Whether a step explores, shape (T,)."""
        return across(np.logical_or, self.under_sampled)

    @cached_property
    def empty(self) -> Flags:
        """Whether nobody was eligible at a step after initialization, shape (T,)."""
        return ~across(np.logical_or, self.eligible) & ~self.initialization

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
        rival = least_of_others(self.contenders)
        return np.where(self.eligible, self.cost_radii + rival, np.nan)

    def of_served(self, table: NDArray[Entry]) -> NDArray[Entry]:
        """Return a (T, N) array's entries of the served providers, shape (T,)."""
        return of_each_row(table, self.provider)

    def of_rivals(self, values: Floats) -> Floats:
        """Return the values of those, but who served, that can set prices, shape (T, N); inf elsewhere."""
        others = np.where(self.rivals, values, np.inf)
        others[np.arange(len(others)), self.provider] = np.inf
        return others

    @cached_property
    def critical(self) -> Floats:
        """P of who served, also where it is not eligible, shape (T,); inf without a rival."""
        return np.asarray(self.of_served(self.price_width) + across(np.minimum, self.of_rivals(self.index)))

    @of_the_whole
    def counts_after(self) -> NDArray[np.int64]:
        """Selection count of the served provider after each settlement, shape (A,)."""
        return of_each_row(self._settled_counts[1:], self.settlements.rows.provider)

    @of_the_whole
    def quality_estimates_after(self) -> Floats:
        """Mean score of the served provider after each settlement, shape (A,): no other estimate changes there."""
        return np.asarray(self._score_sums_after / self.counts_after)

    @cached_property
    def cost_estimates_after(self) -> Floats:
        """Mean cost of the served provider after each settlement, shape (A,); needs the cost column."""
        return np.asarray(self._cost_sums_after / self.counts_after)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Arrivals:
    """When scores and bids come, relative to the steps of a part of a trace.

    Parameters
    ----------
    now : Queries
        Those that arrive during these steps, in the order of arrival.
    known : array of int, shape (T + 1,), or None
        How many of them had arrived before each step, and after the last; None where each arrives before the next.
    later : Queries or None
        Those that are still in flight after the last step.
    """

    now: Queries
    known: NDArray[np.int64] | None
    later: Queries | None

    @classmethod
    def of(cls, start: ReplayState, trace: Trace, steps: NDArray[np.int64]) -> _Arrivals:
        if trace.settled is None:
            return cls(now=Queries(steps=steps, rows=trace), known=None, later=None)
        open_now = Queries(steps=steps, rows=trace)
        if start.in_flight is not None:
            waiting = start.in_flight
            numbers = np.concatenate([waiting.steps, steps])
            open_now = Queries(steps=numbers, rows=Trace.joined([waiting.rows, trace]))
        times = _arrival_times(open_now)
        following = start.steps + 1 + np.arange(len(trace) + 1)  # each step, and the one after the last
        order = np.lexsort((open_now.steps, times))
        arriving = order[times[order] < following[-1]]
        known = np.searchsorted(times[arriving], following, side="left")
        return cls(now=open_now.chosen(arriving), known=known, later=open_now.chosen(times >= following[-1]))


def _last(before: NDArray[Entry], served: NDArray[np.int64], after: NDArray[Entry]) -> NDArray[Entry]:
    """Return the last value of each provider, given what it was before and after each settlement."""
    found = before.copy()
    found[served] = after  # of several for one provider the last stays
    return found


def _arrival_times(queries: Queries) -> NDArray[Any]:
    settled = queries.rows.settled
    return queries.steps if settled is None else settled
