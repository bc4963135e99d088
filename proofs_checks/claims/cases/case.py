"""A case: one replayed trace of a setting, with every named quantity that claims compare."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.metrics.measures import cost_excesses, quality_shortfalls
from mechanism.replay import Replay
from mechanism.tables import BAND_TOLERANCE
from mechanism.trace import Trace

Group = Literal["all", "qualified", "unqualified", "competitors"]
Flags = NDArray[np.bool_]
Numbers = NDArray[Any]
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Case:
    """A setting, a trace of it, and how it came about.

    Parameters
    ----------
    setting : Setting
        Its belief slack, underbid and overbid are those of this trace.
    trace : Trace
    origin : dict
        How to make the trace again (variant, seed, run, horizon), or the trace itself.
    """

    setting: Setting
    trace: Trace
    origin: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def replay(self) -> Replay:
        """The platform's state at every step."""
        return Replay(MechanismConfig.of(self.setting), self.trace)

    @property
    def first_step(self) -> int:
        """Number of the step in the first row: 1, unless this is a part of a log (see `log_case`)."""
        return self.replay.start.steps + 1

    @property
    def ends(self) -> bool:
        """Whether the last row is the end of the log."""
        return True

    @property
    def rounding(self) -> float:
        """How far logged payments, bids and costs may be from the true ones, money, beyond the rounding of floats."""
        return 0.0

    @property
    def knows_costs(self) -> bool:
        """Whether the trace logs costs."""
        return self.trace.cost is not None

    def members(self, group: Group) -> list[int]:
        """Return the indices of a group of providers."""
        setting = self.setting
        return list(
            {
                "all": range(setting.n_providers),
                "qualified": setting.qualified,
                "unqualified": setting.unqualified,
                "competitors": setting.competitors,
            }[group]
        )

    @cached_property
    def constants(self) -> dict[str, Any]:
        """Values of the setting, by quantity name."""
        return formula_inputs(self.setting)

    @cached_property
    def truthful_constants(self) -> dict[str, Any]:
        """The same without slacks, as statements about truthful bids need them."""
        return {**self.constants, "belief_slack": 0.0, "underbid": 0.0, "overbid": 0.0}

    def value(self, name: str, group: Group) -> Any:
        """Return a quantity by name: a number, (T,), (G,) or (T, G) for the G providers of a group."""
        if name in self.constants:
            return self.constants[name]
        column = self._column(name)
        if group == "all" or name not in _PER_PROVIDER:
            return column
        return self.once(name, group, lambda: column[..., self.members(group)])

    def is_constant(self, name: str) -> bool:
        """Whether a quantity is the same at every step."""
        return name in self.constants or name in ("quality", "mean_cost")

    def _column(self, name: str) -> Numbers:
        return self.once(name, None, lambda: np.asarray(_COLUMNS[name](self)))

    def once(self, owner: object, key: Hashable, make: Callable[[], Result]) -> Result:
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

    def marked(self, mask: Callable[[Case], Flags]) -> Flags:
        """Return a mask of this case, computed once."""
        return self.once(mask, "mask", lambda: mask(self))

    def served(self, group: Group) -> Flags:
        """Whether a provider of the group served a step, shape (T, G)."""
        return self.replay.served[:, self.members(group)]

    @cached_property
    def good_event_violation(self) -> str | None:
        """Where the good event fails on this trace, or None if it holds as far as the trace goes."""
        replay, setting = self.replay, self.setting
        qualities = np.array([p.quality for p in setting.providers])
        found = self._outside(replay.quality_estimates_after, qualities, 1.0)
        if found is not None or not self.knows_costs:
            return None if found is None else f"the mean score of {found}"
        found = self._outside(replay.cost_estimates_after, _mean_costs(self), setting.platform.cost_bound)
        return None if found is None else f"the mean cost of {found}"

    def _outside(self, estimates: Numbers, means: Numbers, scale: float) -> str | None:
        """Return who leaves its band first and at which count; only the served provider's mean moves in a step."""
        served = self.trace.provider
        outside = np.abs(estimates - means[served]) > scale * self.replay.radii_after * BAND_TOLERANCE
        if not outside.any():
            return None
        row = int(np.argmax(outside))
        name = self.setting.providers[int(served[row])].name
        return f"{name} leaves its band at m = {self.replay.counts_after[row]}"

    def so_far(self, name: str, amounts: Numbers) -> Numbers:
        """Return the sums of the steps' amounts up to every step; `name` tells the sums of a case apart."""
        return np.cumsum(amounts, axis=0)

    @cached_property
    def largest_bid(self) -> float:
        """The largest bid left up to the last row, at least 0."""
        return float(self.trace.bid.max(initial=0.0))

    @cached_property
    def bid_deviations(self) -> tuple[Numbers, Numbers]:
        """Bid minus running mean cost as each bid was left, and c_max beta(m) at that count; shape (T,)."""
        deviation = self.trace.bid - self.replay.cost_estimates_after
        return deviation, self.setting.platform.cost_bound * self.replay.radii_after


_COLUMNS: dict[str, Callable[[Case], Any]] = {}
_PER_PROVIDER: set[str] = set()


def _column(name: str, *, per_provider: bool = False) -> Callable[[Callable[[Case], Any]], Callable[[Case], Any]]:
    def register(function: Callable[[Case], Any]) -> Callable[[Case], Any]:
        _COLUMNS[name] = function
        if per_provider:
            _PER_PROVIDER.add(name)
        return function

    return register


#: Columns that are sums up to a step: where a log is taken in parts, each goes on from the part before.
CUMULATIVE: set[str] = set()


def _cumulative(
    name: str,
    amounts: Callable[[Case], Numbers],
    of_sums: Callable[[Numbers], Numbers] = lambda sums: sums,
    *,
    per_provider: bool = False,
) -> None:
    CUMULATIVE.add(name)
    _column(name, per_provider=per_provider)(lambda case: of_sums(case.so_far(name, amounts(case))))


_column("step")(lambda case: case.replay.steps)
_column("horizon")(lambda case: case.replay.steps)
_column("payment")(lambda case: case.trace.payment)
_column("target")(lambda case: case.replay.targets)
_column("winner_count")(lambda case: case.replay.of_served(case.replay.counts))
_column("count")(lambda case: case.replay.of_served(case.replay.counts))
_column("winner_bid")(lambda case: case.replay.of_served(case.replay.standing_bids))
_column("winner_cost_estimate")(lambda case: case.replay.of_served(case.replay.cost_estimates))
_column("served_cost")(lambda case: _mean_costs(case)[case.trace.provider])
_column("selection_count", per_provider=True)(lambda case: case.replay.counts)
_column("quality_estimate", per_provider=True)(lambda case: case.replay.quality_estimates)
_column("cost_estimate", per_provider=True)(lambda case: case.replay.cost_estimates)
_column("standing_bid", per_provider=True)(lambda case: case.replay.standing_bids)
_column("adjusted_bid", per_provider=True)(lambda case: case.replay.adjusted_bids)
_column("quality", per_provider=True)(lambda case: np.array([p.quality for p in case.setting.providers]))
_column("mean_cost", per_provider=True)(lambda case: _mean_costs(case))
_cumulative("non_optimal_steps", lambda case: case.trace.provider != case.setting.optimal)
_cumulative("optimal_count", lambda case: case.trace.provider == case.setting.optimal)
_cumulative("unqualified_steps", lambda case: np.isin(case.trace.provider, case.setting.unqualified))
_cumulative("realized_quality_regret", lambda case: quality_shortfalls(case.setting)[case.trace.provider])
_cumulative("realized_excess", lambda case: np.maximum(case.trace.payment - case.constants["second_lowest_cost"], 0))
_cumulative("realized_deviation", lambda case: np.abs(case.trace.payment - case.constants["second_lowest_cost"]))
_cumulative("all_explorations", lambda case: case.replay.exploration)
_cumulative("draws", lambda case: case.replay.under_sampled, per_provider=True)
_cumulative("explorations", lambda case: case.replay.served & case.replay.exploration[:, None], per_provider=True)
_cumulative("selections", lambda case: case.replay.served & ~case.replay.initialization[:, None], per_provider=True)


def _mean_costs(case: Case) -> Numbers:
    return np.array([p.mean_cost for p in case.setting.providers])


def _generation(case: Case) -> Numbers:
    excesses = cost_excesses(case.setting)
    return (np.zeros(case.setting.n_providers) if excesses is None else excesses)[case.trace.provider]


_cumulative("realized_generation_regret", _generation)


@_column("winner_critical_payment")
def _winner_critical(case: Case) -> Numbers:
    return np.minimum(case.replay.of_served(case.replay.critical_payments), case.setting.platform.cost_bound)


@_column("critical_payment", per_provider=True)
def _critical(case: Case) -> Numbers:
    """Infinite where there is no rival; the cap lies above every bid and c_max, so it changes no comparison."""
    platform = case.setting.platform
    widest = max(4 * (1 + platform.belief_slack) * platform.cost_bound, 2 * case.largest_bid)
    return np.minimum(np.nan_to_num(case.replay.critical_payments, nan=0.0, posinf=widest), widest)


@_column("rule_payment")
def _rule_payment(case: Case) -> Numbers:
    """What the rules prescribe at every step: c_max outside auctions."""
    return np.where(case.replay.auction, _winner_critical(case), case.setting.platform.cost_bound)


@_column("least_adjusted_bid")
def _least_adjusted(case: Case) -> Numbers:
    return np.asarray(np.nan_to_num(case.replay.contenders.min(axis=1), posinf=0.0))


def _radii_of_served(case: Case) -> Numbers:
    return np.where(case.replay.initialization, 0.0, np.nan_to_num(case.replay.of_served(case.replay.radii)))


def _of_rivals(case: Case) -> Numbers:
    rivals = [i for i in range(case.setting.n_providers) if i != case.setting.optimal]
    return case.replay.served[:, rivals]


def _imbalance(case: Case) -> Numbers:
    """A martingale if the draws are uniform: each step adds served minus 1/|S_t|."""
    taking_part = case.replay.under_sampled
    size = np.maximum(taking_part.sum(axis=1, keepdims=True), 1)
    return np.asarray(taking_part * (case.replay.served - 1 / size))


_cumulative("realized_radius_sum", _radii_of_served)
_cumulative("largest_rival_count", _of_rivals, lambda sums: np.asarray(sums.max(axis=1)))
_cumulative("draw_imbalance", _imbalance, np.abs, per_provider=True)
