"""Ranges of bounds over the region of uncertain inputs.

What is used, within a part of the region where the qualified providers and the optimum i* stay who they are:

* **Counts** (unit queries: caps, B_id(T), T_0, explorations, and T_id) rise with the quality of unqualified providers
  and with the cost of i*, and fall in all other costs. For they bound the number of selections while a gap is at most
  two radii, a radius decreases, and maxima, minima and sums keep the order. So each is largest at one corner of the
  box and smallest at the opposite one.
* **Payments** are convex in c_(2) and linear up to c_max/2 and beyond; they rise with the counts in them. So they are
  largest at an end of the interval of c_(2), and smallest at an end or at c_max/2.
* **Regrets** are sums of (count + 1) gap. A count falls where its gap rises: their product is enclosed. The box is cut
  into cells; in each the counts are taken from one corner and the gaps from the opposite one.

A range is the union of those of all parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bounds.documents import FromOne, OpenProbability, Probability, limits
from bounds.errors import InputError
from bounds.formulas.identification import identification_horizon
from bounds.formulas.selection import COST_GAP
from bounds.guarantees import GUARANTEES, GuaranteeKind
from bounds.language.arithmetic import Array, FloatArithmetic
from bounds.language.evaluation import KNOWN, Evaluable, Evaluation
from bounds.language.quantities import QUERIES
from bounds.limits import LARGEST_HORIZON
from bounds.radius_caps import formulas_for
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.setting.region import Ends, Region, RegionPart, Settled
from bounds.sharpest.envelope import Envelopes
from bounds.words import as_horizon, counted, listed
from bounds.worth.guarantee import branches_of

Floats = NDArray[np.float64]
#: Cells of each provider's interval, and of the interval of c*, at most; and of all providers together.
_CELLS, _MOST_CELLS = 64, 1 << 18
#: Providers that a warning names, at most.
_NAMED = 4
#: More than the rounding error of a sum, relatively.
_OUTWARD = 1e-12


def bound_ranges(region: Region, horizon: int, method: str) -> dict[str, Ends | None]:
    """Return the range of every bound over a region, None where the region leaves no finite bound.

    They are those of `GUARANTEES`; `identification_horizon`, T_id; and `burn_in`, T_0, None where no bound needs it.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider, Setting
    >>> platform = PlatformParameters(0.6, 0.05, 100.0, 2.0, 0.75)
    >>> roster = [Provider("a", 0.9, {"low": 2, "high": 3}), Provider("b", 0.9, 10)]
    >>> bound_ranges(Region(setting=Setting("toy", platform, roster)), 70_000, "paper")["identification"]
    (11147.0, 14996.0)
    """
    parts = _parts(region, horizon, method)
    return {
        name: _union([part.of(name) for part in parts]) for name in (*GUARANTEES, "identification_horizon", "burn_in")
    }


def largest_bound(region: Region, horizon: int, method: str, name: str) -> float | None:
    """Return what a guarantee or count is at most in every market of a region, None where it has no finite bound.

    A guarantee that applies from T_0 on has none before the latest T_0 of the region.
    Counts are ``identification_horizon``, ``burn_in``, ``exploration_steps`` and ``unqualified_queries``.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider, Setting
    >>> platform = PlatformParameters(0.6, 0.05, 100.0, 2.0, 0.75)
    >>> roster = [Provider("a", 0.9, {"low": 2, "high": 3}), Provider("b", 0.9, 10)]
    >>> largest_bound(Region(setting=Setting("toy", platform, roster)), 70_000, "paper", "exploration_steps")
    10234.0
    """
    parts = _parts(region, horizon, method)
    ends = _union([part.of(name) for part in parts])
    starts = [part.burn_in() for part in parts] if name in GUARANTEES and GUARANTEES[name].from_burn_in else []
    return None if ends is None or any(start and horizon < start[1] for start in starts) else ends[1]


def _parts(region: Region, horizon: int, method: str) -> list[_Part]:
    return [_Part(region.setting, part, horizon, method) for part in region.parts]


def _union(ranges: list[Ends | None]) -> Ends | None:
    """Return the least interval that contains all; None if one is missing, or none is there."""
    known = [each for each in ranges if each is not None]
    if not known or len(known) < len(ranges):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


class _Part:
    """The bounds in one part of a region."""

    def __init__(self, setting: Setting, part: RegionPart, horizon: int, method: str) -> None:
        self.part, self.n = part, setting.n_providers
        self.setting = _setting_at(setting, part)
        self.formulas = formulas_for(setting, method)
        values = formula_inputs(self.setting)
        del values[KNOWN]
        self.values = {**values, "horizon": horizon}

    def of(self, name: str) -> Ends | None:
        """Return the range of a guarantee or a count."""
        if name in GUARANTEES:
            return self.guarantee(GUARANTEES[name])
        counts = {
            "identification_horizon": self.identification_horizon,
            "burn_in": self.burn_in,
            "exploration_steps": self.exploration_steps,
            "unqualified_queries": self.unqualified_queries,
        }
        return counts[name]()

    def exploration_steps(self) -> Ends | None:
        """Return the range of the most explorations of all providers."""
        if self.setting.unmet_of_market:
            return None
        if self.formulas.exploration_steps.quantity.name != _STEPS:
            return self._whole.range(self.formulas.exploration_steps)
        low, high = (float(self._envelopes.explorations(largest=largest).sum()) for largest in (False, True))
        return low, high

    def unqualified_queries(self) -> Ends | None:
        """Return the range of the most queries to unqualified providers, the first one to each included."""
        if self.setting.unmet_of_market:
            return None
        caps, first = self.formulas.unqualified_cap, len(self.setting.unqualified)
        low, high = (first + float(self._whole.evaluated(caps, largest=end).sum()) for end in (False, True))
        # Next to the threshold an unqualified provider is excluded ever later.
        return (low, high) if high < min(LARGEST_HORIZON, self.formulas.unbounded_from) else None

    def guarantee(self, kind: GuaranteeKind) -> Ends | None:
        """Return the range of a guarantee: of the smallest of its branches."""
        branches = branches_of(kind, self.setting, self.formulas)
        if not self.setting.platform.papers_radius and kind.name == "identification":
            branches = (self.formulas.identification,) * (not self.setting.unmet_of_market)
        if not branches:
            return None
        ranges = [self._branch(kind, each) for each in branches]
        low, high = (min(each[end] for each in ranges) for end in (0, 1))
        # Next to the threshold an unqualified provider is excluded ever later: M_i and T_0 have no largest value.
        endless = (kind.whole and high >= LARGEST_HORIZON) or (kind.from_burn_in and self.burn_in() is not None)
        unbounded = high >= self.formulas.unbounded_from or math.isinf(high)
        return None if unbounded or (endless and self._reaches_threshold) else (low, high)

    @property
    def _reaches_threshold(self) -> bool:
        nearest = math.nextafter(self.setting.platform.quality_threshold, -1.0)
        return any(self.part.quality[i][1] >= nearest for i in self.setting.unqualified)

    def burn_in(self) -> Ends | None:
        """Return the range of T_0, from which on the average payment deviation applies; None if it always does."""
        if self.formulas.largest_elimination is None or not self.setting.platform.papers_radius:
            return None
        return self._whole.range(self.formulas.burn_in)

    def identification_horizon(self) -> Ends | None:
        """Return the range of T_id."""
        if self.setting.unmet_of_market or self.setting.unseparated:
            return None
        lead, twice = self.formulas.lead, self.formulas.lead_counts_twice
        try:
            least, most = (identification_horizon(at, lead, twice) for at in (self._whole.least, self._whole.most))
        except InputError:  # a gap may be 0
            return None
        return None if least is None or most is None else (float(least), float(most))

    @cached_property
    def _whole(self) -> _Cells:
        """The part as one cell."""
        return self._cells(1, "mean_cost")

    @cached_property
    def _envelopes(self) -> Envelopes:
        """The envelopes of the part."""
        [found] = Envelopes.of(float(self.values["horizon"]), (self._whole.least, self._whole.most))
        return found

    def _branch(self, kind: GuaranteeKind, formula: Evaluable) -> Ends:
        """Return the range of a branch of a guarantee; infinite where it has no value in some of the markets."""
        if any(each.quantity.name == _STEPS for each in formula.where):
            return self._searched(kind, formula)
        if kind.name in _CELLS_OF:
            low, high = self._cells(_CELLS, _CELLS_OF[kind.name]).range(formula)
        else:
            low, high = self._whole.with_second_cost(self._second_costs).range(formula)
        if low == high or kind.whole:
            return low, high
        return low * (1 - _OUTWARD), high * (1 + _OUTWARD)

    def _searched(self, kind: GuaranteeKind, formula: Evaluable) -> Ends:
        """Return the range of a payment of the sharpest bounds: between envelopes, of an average in cells of c_(2).

        Within a cell, counts at their extremes, all terms are linear in c_(2), but the radii at the target are concave.
        So the sum is smallest at an end, and exceeds the larger end by no more than the radii exceed their chord.
        """
        whole = self._envelopes
        boxes = whole.cells() if kind.average else [whole]
        costs = np.array([box.second for box in boxes])
        found = []
        for largest in (False, True):
            given = {
                _STEPS: np.repeat([box.explorations(largest=largest).sum() for box in boxes], 2),
                "sharpest_auction_excess": np.asarray(whole.auction_excess(largest=largest)),
                "sharpest_radii_at_target": whole.radii_at_target(costs, largest=largest).ravel(),
                "sharpest_disturbance": np.ravel([box.disturbance(largest=largest) for box in boxes]),
            }
            values = self._whole.with_second_cost(costs.ravel()).evaluated(formula, largest=largest, given=given)
            found.append(float(values.max() if largest else values.min()))
        return found[0] * (1 - _OUTWARD), found[1] * (1 + _OUTWARD)

    @property
    def _second_costs(self) -> Floats:
        """Where payments are largest and smallest: the ends of the interval of c_(2), and c_max/2 if it is inside."""
        if not self.setting.competitors:
            return np.array([])
        low, high = self._second
        return np.unique([low, np.clip(self.setting.platform.cost_bound / 2, low, high), high])

    @property
    def _second(self) -> Ends:
        """The interval of c_(2), the cheapest competitor's cost."""
        low, high = (min(self.part.mean_cost[i][end] for i in self.setting.competitors) for end in (0, 1))
        return low, high

    def _cells(self, most: int, cut: str) -> _Cells:
        """Return the part cut into cells, by costs or by the qualities of unqualified providers."""
        part, setting = self.part, self.setting
        number = min(most, max(1, math.isqrt(_MOST_CELLS // self.n)))
        by_quality, by_cost = (number if cut == name else 1 for name in ("quality", "mean_cost"))
        threshold, competitors = setting.platform.quality_threshold, setting.competitors
        few, many = dict(self.values), dict(self.values)
        quality = [_toward(threshold, *part.quality[i], by_quality) for i in setting.unqualified]
        cost = [np.linspace(*part.mean_cost[i], by_cost + 1) for i in setting.unqualified]
        _put(few, many, "unqualified_quality", quality, number)
        _put(many, few, "unqualified_cost", cost, number)
        if part.optimal is not None:
            low, high = part.mean_cost[part.optimal]
            nearest = min((part.mean_cost[i][0] for i in competitors), default=high)
            own = _toward(nearest, low, high, by_cost)
            few["optimal_cost"], many["optimal_cost"] = (own[:-1], own[1:]) if by_cost > 1 else (low, high)
            falling = [_toward(-high, -part.mean_cost[i][1], -part.mean_cost[i][0], by_cost) for i in competitors]
            _put(many, few, "competitor_cost", [-each[::-1] for each in falling], number)
            if competitors:
                many["second_lowest_cost"], few["second_lowest_cost"] = self._second
        return _Cells(least=few, most=many, number=number)


#: The exploration steps of the sharpest bounds, a search in the whole market.
_STEPS = "sharpest_exploration_steps_bound"
#: Which inputs are cut into cells for a regret: the one whose gap it multiplies counts with.
_CELLS_OF = {"quality_regret": "quality", "generation_regret": "mean_cost"}


def _setting_at(setting: Setting, part: RegionPart) -> Setting:
    """Return the setting at the corner of a part with the smallest counts."""

    def provider(index: int) -> Any:
        quality = part.quality[index][index in part.qualified]
        cost = part.mean_cost[index][index != part.optimal]
        return replace(setting.providers[index], quality=quality, mean_cost=cost)

    return replace(setting, providers=tuple(map(provider, range(setting.n_providers))))


def _toward(limit: float, low: float, high: float, number: int) -> Floats:
    """Return the edges of cells from low up to high, over which the distance to a limit above falls by one ratio."""
    if limit - high <= 0 or low == high:
        return np.linspace(low, high, number + 1)
    edges = limit - np.geomspace(limit - low, limit - high, number + 1)
    edges[[0, -1]] = low, high
    return edges


def _put(lower: dict[str, Any], upper: dict[str, Any], name: str, edges: list[Floats], number: int) -> None:
    """Put the lower and the upper ends of all cells of each provider beside one another; an uncut one repeats."""
    for values, rows in ((lower, [each[:-1] for each in edges]), (upper, [each[1:] for each in edges])):
        spread = [np.broadcast_to(row, (number,)) if len(row) == 1 else row for row in rows]
        values[name] = np.concatenate(spread) if spread else np.array([])


@dataclass(frozen=True, kw_only=True, eq=False)
class _Cells:
    """Inputs of formulas at two corners of cells: with the smallest counts and with the largest.

    The entries per provider are those of each cell of each provider, `number` a provider.
    """

    least: dict[str, Any]
    most: dict[str, Any]
    number: int

    def with_second_cost(self, costs: Floats) -> _Cells:
        """Return the same with several values of c_(2), if there is one."""
        if not costs.size:
            return self
        both = ({**each, "second_lowest_cost": costs} for each in (self.least, self.most))
        return _Cells(least=next(both), most=next(both), number=self.number)

    def range(self, formula: Evaluable) -> Ends:
        """Return what a formula is at least and at most in all cells; infinite where it has no value."""
        found = []
        for largest in (False, True):
            try:
                values = self.evaluated(formula, largest=largest)
                found.append(float(values.max() if largest else np.fmin.reduce(values, axis=None)))
            except InputError:
                found.append(math.inf)
        low, high = (math.inf if math.isnan(each) else each for each in found)
        return low, high

    def evaluated(self, formula: Evaluable, *, largest: bool, given: Mapping[str, Array] | None = None) -> Array:
        """Return what a formula is at most, or at least, for each of the shared inputs; some formulas may be given."""
        arithmetic = _CellArithmetic(self.number, upper=largest)
        gaps, counts = (self.least, self.most) if largest else (self.most, self.least)
        return _CellEvaluation(gaps, arithmetic, _CellEvaluation(counts, arithmetic), given).formula(formula)


class _CellArithmetic(FloatArithmetic):
    """Doubles, with sums and maxima over providers of the extreme over the cells of each."""

    def __init__(self, number: int, *, upper: bool) -> None:
        super().__init__()
        self.number, self.upper = number, upper

    def _of_providers(self, values: Array) -> Array:
        shape = (*values.shape[:-1], values.shape[-1] // self.number, self.number)
        reduce = np.max if self.upper else np.fmin.reduce
        return np.asarray(reduce(values.reshape(shape), axis=-1))

    def total(self, values: Array) -> Array:
        return super().total(self._of_providers(values))

    def largest(self, values: Array) -> Array:
        return super().largest(self._of_providers(values))


class _CellEvaluation(Evaluation):
    """Takes counts from another corner than everything else."""

    extends = False

    def __init__(
        self,
        values: Mapping[str, Any],
        arithmetic: _CellArithmetic,
        counts: _CellEvaluation | None = None,
        given: Mapping[str, Array] | None = None,
    ) -> None:
        super().__init__(values, arithmetic)
        self._counts, self._given, self._upper = counts, given or {}, arithmetic.upper

    def formula(self, formula: Evaluable) -> Array:
        """Return the value of a formula."""
        if formula.quantity.name in self._given:
            return self._given[formula.quantity.name]
        if self._counts is not None and formula.quantity.unit == QUERIES:
            return self._counts.formula(formula)
        found = self.walked(formula)
        if not self._upper:  # the least value is that of a market that has one
            for required in formula.requires:
                found = np.where(self.value_of(required, formula.per_provider) > 0, found, math.inf)
        # At a corner of a box i* may look dearer than a competitor; in its markets it is not.
        return np.maximum(found, 0.0) if formula is COST_GAP and self._counts is not None else found

    def _require(self, formula: Evaluable) -> None:
        if self._upper:
            super()._require(formula)

    def _certain(self, expression: Any, spread: bool, inside: Array, where: Array) -> Array:
        known = where & (self._upper | np.isfinite(inside))
        return np.where(known, super()._certain(expression, spread, inside, known), inside)


@dataclass(frozen=True, kw_only=True)
class ProviderInputs:
    """What the region says of one provider.

    Parameters
    ----------
    name : str
        Name of the provider.
    quality : tuple of float
        Ends of the interval of its quality.
    mean_cost : tuple of float
        Ends of the interval of its mean cost, money.
    qualified : {"yes", "no", "unsettled"}
        Whether it is qualified in all markets of the region, in none, or in some.
    optimal : {"yes", "no", "unsettled"}
        Whether it is the cheapest qualified provider in all markets of the region, in none, or in some.
    more_questions : int or None
        How many more questions would settle whether it is qualified, if its share of correct answers stays what it is;
        None where that is settled, or where no number of questions is stated.
    """

    name: str
    quality: tuple[float, float]
    mean_cost: tuple[float, float]
    qualified: Settled
    optimal: Settled
    more_questions: FromOne | None


@dataclass(frozen=True, kw_only=True)
class InputsReport:
    """What uncertain inputs leave open.

    Parameters
    ----------
    confidence : float
        The level at which all stated inputs hold together.
    failure_probability : float
        The probability with which the inputs or the guarantees may fail: delta and that of the inputs.
    providers : tuple of ProviderInputs
        The providers, in the order of the setting.
    warnings : tuple of str
        What is unsettled, and what would settle it, in sentences.
    """

    confidence: OpenProbability
    failure_probability: Probability
    providers: Annotated[tuple[ProviderInputs, ...], limits(minItems=2)]
    warnings: tuple[str, ...]

    @staticmethod
    def of(region: Region, horizon: int, burn_in: Ends | None) -> InputsReport:
        """Return the report of a region at a horizon, given the range of T_0 if there is one."""
        setting, each = region.setting, range(region.setting.n_providers)
        return InputsReport(
            confidence=setting.inputs.confidence,
            failure_probability=region.total_failure(setting.platform.confidence),
            providers=tuple(
                ProviderInputs(
                    name=setting.providers[i].name,
                    quality=region.quality[i],
                    mean_cost=region.mean_cost[i],
                    qualified=region.qualified[i],
                    optimal=region.optimal[i],
                    more_questions=region.questions_to_settle(i),
                )
                for i in each
            ),
            warnings=tuple(_warnings(region, horizon, burn_in)),
        )


def _warnings(region: Region, horizon: int, burn_in: Ends | None) -> Iterator[str]:
    """Yield what is unsettled, and whether T_0 has passed in a part of the region only."""
    yield from unsettled(region)
    if burn_in and not region.setting.unmet_of_market and burn_in[0] <= horizon < burn_in[1] < LARGEST_HORIZON:
        yield (
            "in a part of the region the theorem on the average payment deviation does not apply yet: T_0 is "
            f"{as_horizon(burn_in[0])} to {as_horizon(burn_in[1])}"
        )


def unsettled(region: Region) -> Iterator[str]:
    """Yield in sentences what a region leaves open: the optimum, and who is qualified.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider, Setting
    >>> platform = PlatformParameters(0.6, 0.05, 100.0, 2.0, 0.75)
    >>> roster = [Provider("a", 0.9, {"low": 2, "high": 4}), Provider("b", 0.9, {"low": 3, "high": 5})]
    >>> list(unsettled(Region(setting=Setting("toy", platform, roster))))
    ['the optimum is unsettled: it may be a or b']
    """
    setting = region.setting
    optima = [p.name for p, kind in zip(setting.providers, region.optimal, strict=True) if kind == "unsettled"]
    if optima:
        times = region.times_to_separate()
        more = "" if times is None else f"; {times:.2g} times as many questions would separate their mean costs"
        named = optima if len(optima) <= _NAMED else [*optima[: _NAMED - 1], f"{len(optima) - _NAMED + 1} others"]
        yield f"the optimum is unsettled: it may be {listed(named, 'or')}{more}"
    for i, kind in enumerate(region.qualified):
        if kind == "unsettled":
            low, high = region.quality[i]
            contains = f"{low:.4g} to {high:.4g} contains {setting.platform.quality_threshold:.4g}"
            yield f"it is open whether {setting.providers[i].name} is qualified: {contains}{_remedy(region, i)}"


def _remedy(region: Region, index: int) -> str:
    """Return what just settles whether a provider is qualified, if its estimate stays what it is."""
    questions, times = region.questions_to_settle(index), region.times_to_settle(index)
    if questions is None and times is None:
        return ""
    more = f"{times:.2g} times as many questions" if questions is None else counted(questions, "more question")
    return f"; if its estimate stays {region.setting.providers[index].quality:.4g}, {more} just settle it"
