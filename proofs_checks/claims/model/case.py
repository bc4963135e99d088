"""A case: a replayed trace of a setting, or a part of one, with every named quantity that claims compare."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.metrics.measures import cost_excesses, quality_shortfalls, weighted_sum
from mechanism.replay import Replay, ReplayState
from mechanism.running import across, columns_of, running, tallied
from mechanism.tables import BAND_TOLERANCE
from mechanism.trace import Trace
from proofs_checks.claims.model.trace_quantities import IN_FLIGHT
from proofs_checks.oracle.step_audit import StepAudit

Group = Literal["all", "qualified", "unqualified", "competitors"]
Flags = NDArray[np.bool_]
Numbers = NDArray[Any]
Result = TypeVar("Result")
State = TypeVar("State")


@dataclass(frozen=True, eq=False, kw_only=True)
class Carry(Generic[State]):
    """What a check must know of the steps before the part of a trace that it looks at.

    Parameters
    ----------
    start : callable
        From a setting to the state before the first step.
    after : callable
        From the state before a case and the case to the state after it.
    """

    start: Callable[[Setting], State]
    after: Callable[[State, Case], State]


@dataclass(frozen=True, eq=False)
class Case:
    """A setting, a trace of it or a part of one, and how it came about.

    Parameters
    ----------
    setting : Setting
        Its belief slack, underbid and overbid are those of this trace.
    trace : Trace
        All of it, or a part.
    origin : dict
        How to make the trace again (variant, seed, run, horizon), or the trace itself.
    before : ReplayState, optional
        What the platform has seen before a part; default nothing: the trace begins with step 1.
    carried : mapping
        By what is carried (see `Carry`): the state before a part.
    ends : bool
        Whether the trace ends with the last row.
    rounding : float
        How far logged payments, bids and costs may be from the true ones, money, beyond the rounding of floats.
    lenient : bool
        Whether comparisons that rounding could turn are read in favour of the trace, as an audit reads them.
    audited : StepAudit, optional
        The audit of the same rows, where somebody has made it: its replay is not computed again.
    """

    setting: Setting
    trace: Trace
    origin: Mapping[str, Any] = field(default_factory=dict)
    _: KW_ONLY
    before: ReplayState | None = None
    carried: Mapping[Carry[Any], Any] = field(default_factory=dict)
    ends: bool = True
    rounding: float = 0.0
    lenient: bool = False
    audited: StepAudit | None = None

    @cached_property
    def replay(self) -> Replay:
        """The platform's state at every step."""
        if self.audited is not None:
            return self.audited.read if self.lenient else self.audited.replay
        plain = Replay(MechanismConfig.of(self.setting), self.trace, self.before)
        return StepAudit(self.setting, plain, self.rounding).read if self.lenient else plain

    @property
    def is_drawn(self) -> bool:
        """Whether scores and costs may have been drawn: those of built and constructed traces were chosen."""
        return self.origin.get("kind") != "steered" and "built" not in self.origin

    @property
    def first_step(self) -> int:
        """Number of the step in the first row: 1, unless this is a part of a trace."""
        return self.replay.start.steps + 1

    @property
    def last_step(self) -> int:
        """Number of the step in the last row."""
        return self.replay.start.steps + len(self.trace)

    def upto(self, step: int) -> Case | None:
        """Return the case up to a step, as a part that others follow; None if its first row comes later."""
        rows = step - self.first_step + 1
        if rows <= 0:
            return None
        return self.cached("up to", rows, lambda: replace(self, trace=self.trace.head(rows), ends=False, audited=None))

    def before_part(self, carry: Carry[State]) -> State:
        """Return what is carried into this case."""
        found: State = self.carried[carry] if carry in self.carried else carry.start(self.setting)
        return found

    def after_part(self, carry: Carry[State]) -> State:
        """Return what is carried on from this case."""
        return self.cached(carry, "after", lambda: carry.after(self.before_part(carry), self))

    @property
    def knows_costs(self) -> bool:
        """Whether the trace logs costs."""
        return self.trace.cost is not None

    def members(self, group: Group) -> list[int]:
        """Return the indices of a group of providers."""
        return list(range(self.setting.n_providers) if group == "all" else getattr(self.setting, group))

    @cached_property
    def constants(self) -> dict[str, Any]:
        """Values of the setting, by quantity name."""
        return formula_inputs(self.setting)

    @cached_property
    def truthful_constants(self) -> dict[str, Any]:
        """The same without slacks, as statements about truthful bids need them."""
        return {**self.constants, "belief_slack": 0.0, "underbid": 0.0, "overbid": 0.0}

    def value(self, name: str, group: Group) -> Any:
        """Return a quantity by name: a number, (T,), (G,) or (T, G) for the G providers of a group.

        One number also for a quantity by provider that is the same for all.
        """
        if name in self.constants:
            return self.constants[name]
        if name in _IN_FLIGHT and not self.replay.delayed:
            return 0
        column = self._column(name)
        if group == "all" or not COLUMNS[name].per_provider:
            return column
        return self.cached(name, group, lambda: self.of_group(column, group))

    def of_group(self, values: NDArray[Any], group: Group) -> NDArray[Any]:
        """Return the entries of a group of providers, which occupy the last axis."""
        return values if group == "all" else columns_of(values, self.members(group))

    def is_constant(self, name: str) -> bool:
        """Whether a quantity is the same at every step."""
        if name in _IN_FLIGHT:
            return not self.replay.delayed
        return name in self.constants or name in ("quality", "mean_cost")

    def _column(self, name: str) -> Numbers:
        return self.cached(name, None, lambda: np.asarray(COLUMNS[name].values(self)))

    def cached(self, owner: object, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return what `make` returns, computed once for this case, an owner (by identity) and a key.

        Claims share relations, relations share masks and quantities: on long traces each is computed once.
        """
        place = (owner if isinstance(owner, str) else id(owner), key)
        if place not in self._made:
            self._made[place] = (owner, make())  # the owner is kept: its identity must not pass to another object
        found: Result = self._made[place][1]
        return found

    @cached_property
    def _made(self) -> dict[Hashable, tuple[object, Any]]:
        return {}

    def where(self, condition: Callable[[Case], Flags]) -> Flags:
        """Return where a condition holds on this case, computed once."""
        return self.cached(condition, "condition", lambda: condition(self))

    def served(self, group: Group) -> Flags:
        """Whether a provider of the group served a step, shape (T, G)."""
        return self.of_group(self.replay.served, group)

    @cached_property
    def band_exit(self) -> PreconditionFailure | None:
        """The first mean that leaves its band, if one does."""
        first = min(self.outside_bands, key=lambda found: int(found.rows[0]), default=None)
        if first is None:
            return None
        return self.failure_after(first.rows, f"the mean {first.what} of {{provider}} leaves its band at m = {{m}}")

    def failure_after(self, settlements: NDArray[np.int64], reason: str) -> PreconditionFailure | None:
        """Return the first of some settlements, counted from 0, as a failure; None if there are none.

        In the reason stand ``{step}``, ``{provider}`` and ``{m}`` for the step of the query, who served it, and its
        selection count then. It is seen when the settlement arrives.
        """
        if not len(settlements):
            return None
        row, settled = int(settlements[0]), self.replay.settlements
        step, name = int(settled.steps[row]), self.setting.providers[int(settled.rows.provider[row])].name
        text = reason.format(step=step, provider=name, m=int(self.replay.counts_after[row]))
        return PreconditionFailure(step, text, self.first_step + int(self.replay.settled_rows[row]))

    @cached_property
    def outside_bands(self) -> tuple[OutsideBands, ...]:
        """Where mean scores, or mean costs, lie outside their bands; nothing for those that never do."""
        replay, setting = self.replay, self.setting
        qualities = np.array([p.quality for p in setting.providers])
        found = [self._outside("score", replay.quality_estimates_after, qualities, 1.0)]
        if self.knows_costs:
            bound = setting.platform.cost_bound
            found.append(self._outside("cost", replay.cost_estimates_after, _mean_costs(self), bound))
        return tuple(outside for outside in found if len(outside.rows))

    def _outside(self, what: str, estimates: Numbers, means: Numbers, scale: float) -> OutsideBands:
        """Return the settlements after which their provider's mean, the only one that moves, lies outside its band."""
        off = np.abs(estimates - means[self.replay.settlements.rows.provider])
        rows = np.flatnonzero(off > scale * self.replay.radii_after * BAND_TOLERANCE)
        # Logged costs may be off by the rounding, and so may their means.
        slack = self.rounding if what == "cost" else 0.0
        return OutsideBands(what=what, rows=rows, distances=np.maximum(off[rows] - slack, 0.0) / scale)

    @cached_property
    def bid_deviations(self) -> tuple[Numbers, Numbers]:
        """Bid minus running mean cost as each bid was left, and c_max times the cost radius there; shape (A,)."""
        deviation = self.replay.settlements.rows.bid - self.replay.cost_estimates_after
        return deviation, self.setting.platform.cost_bound * self.replay.relative_cost_radii_after


@dataclass(frozen=True, eq=False, kw_only=True)
class OutsideBands:
    """Where running means of a kind lie outside their bands.

    Parameters
    ----------
    what : str
        ``"score"`` or ``"cost"``.
    rows : array of int
        Of the settlements; of a trace without queries in flight, the rows of the steps.
    distances : array of float
        How far the means lie from the true ones there, at least, in units of the range of what is observed.
    """

    what: str
    rows: NDArray[np.int64]
    distances: Numbers


class PreconditionFailure(NamedTuple):
    """The first step at which a precondition fails, why, in words, and when that is seen, if not at the step itself.

    Nothing before the step `known` depends on the failure: up to there a trace satisfies the precondition.
    """

    step: int
    reason: str
    seen: int | None = None

    @property
    def known(self) -> int:
        """At which step the failure is known: later than its own where the query was in flight."""
        return self.step if self.seen is None else self.seen


@dataclass(frozen=True, eq=False, kw_only=True)
class CaseColumn:
    """How a quantity of a trace is computed.

    Parameters
    ----------
    values : callable
        From a case to an array of shape (T,) or (T, N).
    per_provider : bool
    summed : bool
        Whether it is a sum over the steps so far.
    carries : tuple of Carry
        What it needs to know of the steps before a part.
    """

    values: Callable[[Case], Any]
    per_provider: bool = False
    summed: bool = False
    carries: tuple[Carry[Any], ...] = ()


#: Where nothing is in flight a bound that adds these is the bound without: a table that all runs share.
_IN_FLIGHT = frozenset(symbol.name for symbol in IN_FLIGHT)
#: Every quantity of a trace by its name.
COLUMNS: dict[str, CaseColumn] = {}


def _column(
    name: str, *carries: Carry[Any], per_provider: bool = False, summed: bool = False
) -> Callable[[Callable[[Case], Any]], Callable[[Case], Any]]:
    def register(function: Callable[[Case], Any]) -> Callable[[Case], Any]:
        COLUMNS[name] = CaseColumn(values=function, per_provider=per_provider, summed=summed, carries=carries)
        return function

    return register


@dataclass(frozen=True, eq=False)
class Running:
    """Sums, or maxima, of amounts up to every step; a part goes on where the one before ended.

    Parameters
    ----------
    amounts : callable
        From a case to an array of shape (T,) or (T, N).
    fold : numpy.ufunc, optional
        `numpy.add` (default) or `numpy.maximum`.
    of_served : bool, optional
        Whether the amounts, one a step, are added to the provider that serves.
    none : callable, optional
        From a case to whether all its amounts are 0; then a part leaves what came before it as it is.
    as_type : type, optional
        Of the sums by provider, if not that of the amounts: doubles, which hold whole numbers and are compared.
    """

    amounts: Callable[[Case], Numbers]
    fold: np.ufunc = np.add
    of_served: bool = False
    none: Callable[[Case], bool] = lambda case: False
    as_type: type[np.generic] | None = None

    @cached_property
    def carry(self) -> Carry[Numbers | None]:
        """The last row."""

        def after(before: Numbers | None, case: Case) -> Numbers | None:
            return before if self.none(case) else self.upto(case)[-1].copy()

        return Carry(start=lambda setting: None, after=after)

    def upto(self, case: Case) -> Numbers:
        """Return what it is at every step, added one by one as over the whole trace."""
        return case.cached(self, "upto", lambda: self._upto(case))

    def _upto(self, case: Case) -> Numbers:
        amounts, before = np.asarray(self.amounts(case)), case.before_part(self.carry)
        if amounts.dtype == bool:
            amounts = amounts.astype(np.int64)
        if self.of_served:
            first = np.zeros(case.setting.n_providers, self.as_type or amounts.dtype) if before is None else before
            return tallied(first, case.trace.provider, amounts)[1:]
        if before is None:
            return running(self.fold, amounts)
        joined = np.concatenate([before[None], amounts])
        return running(self.fold, joined, out=joined)[1:]


def _running(
    name: str,
    amounts: Callable[[Case], Numbers],
    read: Callable[[Numbers], Numbers] = lambda sums: sums,
    *,
    per_provider: bool = False,
    of_served: bool = False,
) -> None:
    sums = Running(amounts, of_served=of_served, as_type=np.float64 if of_served and per_provider else None)
    _column(name, sums.carry, per_provider=per_provider, summed=True)(lambda case: read(sums.upto(case)))


_column("step")(lambda case: case.replay.steps)
_column("horizon")(lambda case: case.replay.steps)
_column("payment")(lambda case: case.trace.payment)
_column("target")(lambda case: case.replay.targets)
_column("winner_count")(lambda case: case.replay.of_served(case.replay.counts))
_column("count")(lambda case: case.replay.of_served(case.replay.counts))
_column("winner_cost_estimate")(lambda case: case.replay.of_served(case.replay.cost_estimates))
_column("served_cost")(lambda case: _mean_costs(case)[case.trace.provider])
_column("selection_count", per_provider=True)(lambda case: case.replay.counts)
_column("quality_estimate", per_provider=True)(lambda case: case.replay.quality_estimates)
_column("cost_estimate", per_provider=True)(lambda case: case.replay.cost_estimates)
_column("standing_bid", per_provider=True)(lambda case: case.replay.standing_bids)
_column("adjusted_bid", per_provider=True)(lambda case: case.replay.adjusted_bids)
_column("quality", per_provider=True)(lambda case: np.array([p.quality for p in case.setting.providers]))
_column("mean_cost", per_provider=True)(lambda case: _mean_costs(case))
_running("non_optimal_steps", lambda case: case.trace.provider != case.setting.optimal)
_running("optimal_count", lambda case: case.trace.provider == case.setting.optimal)
_running("unqualified_steps", lambda case: np.isin(case.trace.provider, case.setting.unqualified))
_running("realized_quality_regret", lambda case: quality_shortfalls(case.setting)[case.trace.provider])
_running("realized_excess", lambda case: np.maximum(case.trace.payment - case.constants["second_lowest_cost"], 0))
_running(
    "realized_auction_excess",
    lambda case: np.where(
        case.replay.exploration, 0.0, np.maximum(case.trace.payment - case.constants["second_lowest_cost"], 0)
    ),
)
_running("realized_deviation", lambda case: np.abs(case.trace.payment - case.constants["second_lowest_cost"]))
_running("all_explorations", lambda case: case.replay.exploration)
_running("draws", lambda case: case.replay.under_sampled, per_provider=True)
_running("explorations", lambda case: case.replay.exploration, per_provider=True, of_served=True)
_running("selections", lambda case: ~case.replay.initialization, per_provider=True, of_served=True)


def _found_in_flight(case: Case) -> Numbers:
    """How many queries of the serving provider were in flight when it got another after initialization, (T, N)."""
    return np.where(case.replay.served & ~case.replay.initialization[:, None], case.replay.in_flight, 0)


def _others_in_flight(case: Case) -> Numbers:
    others = [i for i in range(case.setting.n_providers) if i != case.setting.optimal]
    return np.asarray(columns_of(_MOST_IN_FLIGHT.upto(case), others).sum(axis=1))


_MOST_IN_FLIGHT = Running(_found_in_flight, np.maximum, none=lambda case: not case.replay.delayed)
_column("most_in_flight", _MOST_IN_FLIGHT.carry, per_provider=True)(_MOST_IN_FLIGHT.upto)
_column("all_in_flight", _MOST_IN_FLIGHT.carry)(lambda case: _MOST_IN_FLIGHT.upto(case).sum(axis=1))
_column("others_in_flight", _MOST_IN_FLIGHT.carry)(_others_in_flight)
_column("unqualified_in_flight", _MOST_IN_FLIGHT.carry)(
    lambda case: case.of_group(_MOST_IN_FLIGHT.upto(case), "unqualified").sum(axis=1)
)
_column("quality_in_flight", _MOST_IN_FLIGHT.carry)(
    lambda case: weighted_sum(_MOST_IN_FLIGHT.upto(case), quality_shortfalls(case.setting))
)
_column("cost_in_flight", _MOST_IN_FLIGHT.carry)(
    lambda case: weighted_sum(_MOST_IN_FLIGHT.upto(case), _cost_excesses(case.setting))
)


def _mean_costs(case: Case) -> Numbers:
    return np.array([p.mean_cost for p in case.setting.providers])


def _cost_excesses(setting: Setting) -> Numbers:
    excesses = cost_excesses(setting)
    return np.zeros(setting.n_providers) if excesses is None else excesses


_running("realized_generation_regret", lambda case: _cost_excesses(case.setting)[case.trace.provider])


_LARGEST_BID = Running(lambda case: np.maximum(case.trace.bid, 0), np.maximum)


@_column("critical_payment", _LARGEST_BID.carry, per_provider=True)
def _critical(case: Case) -> Numbers:
    """Infinite where there is no rival; the cap lies above every bid so far and c_max: it changes no comparison."""
    platform = case.setting.platform
    widest = np.maximum(4 * (1 + platform.belief_slack) * platform.cost_bound, 2 * _LARGEST_BID.upto(case))[:, None]
    critical = case.replay.critical_payments
    return np.asarray(np.minimum(np.where(np.isnan(critical), 0.0, critical), widest))


@_column("rule_payment")
def _rule_payment(case: Case) -> Numbers:
    """What the rules prescribe at every step: c_max outside auctions."""
    bound = case.setting.platform.cost_bound
    critical = np.minimum(case.replay.of_served(case.replay.critical_payments), bound)
    return np.where(case.replay.auction, critical, bound)


@_column("least_adjusted_bid")
def _least_adjusted(case: Case) -> Numbers:
    return _numbers(across(np.minimum, case.replay.contenders))


def _numbers(values: Numbers) -> Numbers:
    """Write 0 in place of what is undefined or +inf, the least double in place of -inf."""
    odd = ~np.isfinite(values)
    values[odd] = np.nan_to_num(values[odd], posinf=0.0)
    return values


def _imbalance(case: Case) -> Numbers:
    """A martingale if the draws are uniform: each exploration adds served minus 1/|S_t|, shape (E, N)."""
    rows = np.flatnonzero(case.replay.exploration)
    taking_part = case.replay.under_sampled[rows]
    return np.asarray(taking_part * (case.replay.served[rows] - 1 / taking_part.sum(axis=1, keepdims=True)))


_IMBALANCE = Running(_imbalance, none=lambda case: not case.replay.exploration.any())


@_column("draw_imbalance", _IMBALANCE.carry, per_provider=True, summed=True)
def _draw_imbalance(case: Case) -> Numbers:
    before = case.before_part(_IMBALANCE.carry)
    first = np.zeros(case.setting.n_providers) if before is None else before
    sums = np.concatenate([first[None], _IMBALANCE.upto(case)])
    return np.asarray(np.abs(sums[np.cumsum(case.replay.exploration)]))


_running(
    "realized_radius_sum",
    lambda case: np.where(case.replay.initialization, 0.0, np.nan_to_num(case.replay.of_served(case.replay.radii))),
)
_running(
    "largest_rival_count",
    lambda case: case.trace.provider != case.setting.optimal,
    lambda sums: across(np.maximum, sums),
    of_served=True,
)
