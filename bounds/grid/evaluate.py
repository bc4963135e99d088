"""Every guarantee of many settings at once: one evaluation of a formula for all settings of one shape."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.formulas import selection
from bounds.formulas.identification import identification_horizons
from bounds.grid.columns import Floats, SettingColumns
from bounds.guarantees import GUARANTEES
from bounds.language.computed import Stated
from bounds.language.evaluation import KNOWN, Known
from bounds.language.formula import Formula
from bounds.language.quantities import QUANTITIES
from bounds.limits import LARGEST_HORIZON
from bounds.methods import FormulaSet, method_formulas
from bounds.radius_caps import formulas_for
from bounds.setting.formula_inputs import formula_inputs
from bounds.worth.guarantee import guarantees_of

Flags = NDArray[np.bool_]

#: Numbers of providers in one evaluation at most: a million takes a few hundred megabytes.
_MOST_NUMBERS = 1 << 20
#: Doubles decide whether costs are separated unless the two sides are nearer than this, relatively.
_NEAR = 1e-12
#: The other numbers that are found.
COUNTS = ("identification_horizon", "burn_in", "exploration_cap", "exploration_steps", "unqualified_queries")


@dataclass(frozen=True, kw_only=True, eq=False)
class ManyBounds:
    """The guarantees of many settings, as columns; NaN where a report has none.

    Parameters
    ----------
    method : str
    values : mapping of str to array of float
        By the names of `GUARANTEES`: as `bounds.report.BoundsReport.guarantees` has the values.
    applies : mapping of str to array of bool
        Whether the theorem says anything about the setting and horizon.
    informative : mapping of str to array of bool
        Whether the guarantee applies and is below its trivial value; a tie to the last digits counts as none.
    counts : mapping of str to array of float
        T_id, T_0, the most explorations of one provider and of all, and the most queries to unqualified providers.
    optimal : array of int
        Index of i*; -1 where it is not unique.
    second_lowest_cost : array of float
    """

    method: str
    values: Mapping[str, Floats]
    applies: Mapping[str, Flags]
    informative: Mapping[str, Flags]
    counts: Mapping[str, Floats]
    optimal: NDArray[np.int64]
    second_lowest_cost: Floats

    def __len__(self) -> int:
        return len(self.optimal)

    def column(self, name: str) -> Floats:
        """Return a count, or a guarantee, of every setting; NaN where the guarantee does not apply."""
        return self.counts[name] if name in self.counts else np.where(self.applies[name], self.values[name], np.nan)


def evaluate_many(
    columns: SettingColumns,
    method: str = "paper",
    *,
    latest_lead: int = LARGEST_HORIZON,
    only: Collection[str] | None = None,
) -> ManyBounds:
    """Evaluate every guarantee of many settings.

    Settings of one shape (as many qualified, a unique optimum or none) share one evaluation of each formula.
    Ceilings near an integer are decided rigorously, one by one, as for a single setting. So are the parts of the
    sharpest bounds that a search finds: a few milliseconds each.

    Parameters
    ----------
    columns : SettingColumns
    method : str, optional
        As `bounds.report.evaluate_bounds` takes it.
    latest_lead : int, optional
        A T_id that is later is not looked for. Far beyond it whole numbers exceed 5 10^8, which are decided one by one.
    only : collection of str, optional
        Which of `GUARANTEES` and `COUNTS` to find, by default all; the others stay NaN.

    Returns
    -------
    ManyBounds
        What `evaluate_bounds` says of each setting, in their order.

    Examples
    --------
    >>> from bounds.published import published
    >>> base = published("gpqa-strong").setting
    >>> columns = SettingColumns(base=base, horizon=np.array([70_000, 200_000]))
    >>> found = evaluate_many(columns)
    >>> found.values["identification"].tolist(), found.counts["identification_horizon"].tolist()
    ([76846.0, 76874.0], [153697.0, 153697.0])
    """
    method_formulas(method)
    wanted = frozenset((*GUARANTEES, *COUNTS) if only is None else only)
    most = max(1, _MOST_NUMBERS // columns.base.n_providers)
    found = [_part(part, method, latest_lead, wanted) for part in columns.parts(most)]
    return found[0] if len(found) == 1 else _joined(found)


def _joined(parts: list[ManyBounds]) -> ManyBounds:
    def joined(kind: str) -> dict[str, Any]:
        return {name: np.concatenate([getattr(part, kind)[name] for part in parts]) for name in getattr(parts[0], kind)}

    return ManyBounds(
        method=parts[0].method,
        **{kind: joined(kind) for kind in ("values", "applies", "informative", "counts")},
        optimal=np.concatenate([part.optimal for part in parts]),
        second_lowest_cost=np.concatenate([part.second_lowest_cost for part in parts]),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Roles:
    """Who is qualified, who is i*, and whether the theory has what it needs, in every setting."""

    qualified: Flags
    optimal: NDArray[np.int64]
    unseparated: Flags

    @classmethod
    def of(cls, columns: SettingColumns) -> _Roles:
        threshold = np.broadcast_to(columns.of_platform("quality_threshold"), (len(columns),))
        qualified = columns.qualities >= threshold[:, None]
        costs = np.where(qualified, columns.costs, np.inf)
        lowest = costs.min(axis=1)
        unique = ((costs == lowest[:, None]) & qualified).sum(axis=1) == 1
        optimal = np.where(unique, costs.argmin(axis=1), -1)
        return cls(qualified=qualified, optimal=optimal, unseparated=_unseparated(columns, costs, lowest, optimal))

    @property
    def shapes(self) -> NDArray[np.int64]:
        """What formulas must have alike: how many are qualified, whether i* is unique and costs are separated."""
        return np.stack([self.qualified.sum(axis=1), self.optimal >= 0, self.unseparated], axis=1).astype(np.int64)


def _unseparated(columns: SettingColumns, costs: Floats, lowest: Floats, optimal: NDArray[np.int64]) -> Flags:
    """Whether a competitor's cost gap does not exceed d_- + d_+; what rounding could decide is decided exactly."""
    under, over = (np.broadcast_to(columns.of_platform(name), lowest.shape) for name in ("underbid", "overbid"))
    others = costs.copy()
    rows = np.flatnonzero(optimal >= 0)
    others[rows, optimal[rows]] = np.inf
    nearest = others.min(axis=1)
    margin = np.full(lowest.shape, np.inf)
    known = np.isfinite(nearest) & (optimal >= 0)
    margin[known] = nearest[known] - lowest[known] - under[known] - over[known]
    found = margin <= 0
    for row in np.flatnonzero(known & (np.abs(margin) <= _NEAR * (np.abs(nearest) + under + over))):
        reach = sum(map(Fraction, (lowest[row], under[row], over[row])), Fraction(0))
        found[row] = Fraction(nearest[row]) <= reach
    return np.asarray(found)


def _part(columns: SettingColumns, method: str, latest: int, wanted: frozenset[str]) -> ManyBounds:
    size, roles = len(columns), _Roles.of(columns)
    found = ManyBounds(
        method=method,
        values={name: np.full(size, np.nan) for name in GUARANTEES},
        applies={name: np.zeros(size, dtype=bool) for name in GUARANTEES},
        informative={name: np.zeros(size, dtype=bool) for name in GUARANTEES},
        counts={name: np.full(size, np.nan) for name in COUNTS},
        optimal=roles.optimal,
        second_lowest_cost=np.full(size, np.nan),
    )
    shapes, place = np.unique(roles.shapes, axis=0, return_inverse=True)
    for shape in range(len(shapes)):
        rows = np.flatnonzero(place.ravel() == shape)
        whole = len(rows) == size
        _fill(found, rows, columns if whole else columns.rows(rows), roles, method, latest, wanted)
    return found


def _fill(
    found: ManyBounds,
    rows: NDArray[np.int64],
    columns: SettingColumns,
    roles: _Roles,
    method: str,
    latest: int,
    wanted: frozenset[str],
) -> None:
    """Evaluate the formulas for the settings of one shape, and put what they say in their rows."""
    first = columns.setting(0)
    formulas, unmet = formulas_for(first, method), bool(first.unmet_of_market)
    shape = _Shape(columns, _inputs(columns, roles.qualified[rows], roles.optimal[rows]))
    blocked = unmet or bool(first.unseparated)
    for name, guarantee in guarantees_of(first, method).items():
        if not guarantee.branches or name not in wanted:
            continue
        branches = [shape.value(branch.formula) for branch in guarantee.branches if branch.stated]
        value = np.fmin.reduce(branches)
        applies = np.ones(len(rows), dtype=bool)
        if guarantee.largest is not None:
            applies = shape.from_burn_in(guarantee.largest)
        trivial = shape.value(guarantee.trivial)
        found.values[name][rows], found.applies[name][rows] = value, applies
        found.informative[name][rows] = applies & (value < trivial * (1 - _NEAR))
    steps = formulas.exploration_steps_without_optimum if unmet else formulas.exploration_steps
    counts: dict[str, Callable[[], Floats]] = {"exploration_steps": lambda: shape.value(steps)}
    if first.platform.papers_radius:
        counts["burn_in"] = lambda: shape.value(formulas.burn_in)
    counts |= {"exploration_cap": lambda: shape.value(selection.EXPLORATION_CAP)}
    if first.qualified:
        counts["unqualified_queries"] = lambda: shape.unqualified_queries(formulas)
    if not blocked:
        counts["identification_horizon"] = lambda: shape.identification_horizons(formulas, latest)
    for name in counts.keys() & wanted:
        values = counts[name]()
        found.counts[name][rows] = np.where(values < formulas.unbounded_from, values, np.nan)
    found.second_lowest_cost[rows] = shape.values.get("second_lowest_cost", np.nan)


def _inputs(columns: SettingColumns, qualified: Flags, optimal: NDArray[np.int64]) -> dict[str, Any]:
    """Return the inputs of formulas: those of the first setting, with columns in place of what varies."""
    values = formula_inputs(columns.setting(0))
    del values[KNOWN]
    values |= columns.platform
    varies = columns.quality is not None or columns.mean_cost is not None or "quality_threshold" in columns.platform
    if varies:
        size, costs = len(columns), columns.costs
        competing = qualified.copy()
        known = np.flatnonzero(optimal >= 0)
        competing[known, optimal[known]] = False
        competing[optimal < 0] = False
        values["unqualified_quality"] = columns.qualities[~qualified].reshape(size, -1)
        values["unqualified_cost"] = costs[~qualified].reshape(size, -1)
        values["competitor_cost"] = costs[competing].reshape(size, -1)
        if "optimal_cost" in values:
            values["optimal_cost"] = costs[np.arange(size), optimal]
        if "second_lowest_cost" in values:
            values["second_lowest_cost"] = values["competitor_cost"].min(axis=1)
    return values | {KNOWN: Known(values)}


class _Shape:
    """Settings of one shape, with the inputs of their formulas."""

    def __init__(self, columns: SettingColumns, values: Mapping[str, Any]) -> None:
        self.values, self._size = values, len(columns)
        self._steps = columns.horizon.astype(float)
        if (self._steps == self._steps[0]).all():
            self._steps = self._steps[0]

    def value(self, formula: Stated) -> Floats:
        """Return a formula's value for every setting, NaN where it has none or exceeds the largest double."""
        inputs = {**self.values, "horizon": self._steps}
        if any(quantity.name not in inputs for quantity in formula.inputs):
            return np.full(self._size, np.nan)
        return _finite(_evaluated(formula, inputs, self._size))

    def from_burn_in(self, largest: Formula) -> Flags:
        """Return whether T >= T_0."""
        return np.broadcast_to(selection.from_burn_in(self.values, self._steps, largest), (self._size,))

    def unqualified_queries(self, formulas: FormulaSet) -> Floats:
        """Return the most queries to unqualified providers, the first one to each included."""
        inputs = {**self.values, "horizon": self._steps}
        n_unqualified = inputs["unqualified_quality"].shape[-1]
        for formula in (formulas.unqualified_cap, formulas.unqualified_bound):
            if all(quantity.name in inputs for quantity in formula.inputs):
                caps = np.asarray(formula(inputs)).sum(axis=-1)
                return _finite(np.broadcast_to(caps + n_unqualified, (self._size,)))
        return np.full(self._size, np.nan)

    def identification_horizons(self, formulas: FormulaSet, latest: int) -> Floats:
        """Return T_id of every setting, NaN where there is none."""
        return identification_horizons(self.values, self._size, formulas.lead, formulas.lead_counts_twice, latest)


def _evaluated(formula: Stated, inputs: Mapping[str, Any], size: int) -> Floats:
    """Return a formula's value for every setting; of those that have none NaN, found by halving."""
    try:
        return np.broadcast_to(formula.with_gaps(inputs), (size,))
    except InputError:
        if size == 1:
            return np.full(1, np.nan)
    middle = size // 2
    halves = [(slice(0, middle), middle), (slice(middle, size), size - middle)]
    return np.concatenate([_evaluated(formula, _rows(inputs, rows), length) for rows, length in halves])


def _rows(inputs: Mapping[str, Any], rows: slice) -> dict[str, Any]:
    """Return the inputs of some settings."""

    def chosen(name: str, value: Any) -> Any:
        has_rows = np.ndim(value) == 1 + QUANTITIES[name].per_provider
        return value[rows] if has_rows else value

    return {name: chosen(name, value) for name, value in inputs.items() if name != KNOWN}


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
