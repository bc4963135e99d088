"""Plans: parameters of the mechanism that meet stated goals, with what backs each number; or why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Literal, TypedDict

import numpy as np

from bounds.documents import (
    BY_NAME,
    INLINE,
    INTERNAL,
    Count,
    Document,
    FromOne,
    NonNegative,
    OpenProbability,
    Positive,
    Probability,
    Text,
    key,
    limits,
    named,
)
from bounds.errors import InputError
from bounds.formulas.selection import EXPLORATION_CAP
from bounds.grid.columns import SettingColumns
from bounds.methods import method_formulas
from bounds.proved_as import Backing, ProvedAs, backing_of
from bounds.radii.names import PAPERS, RADII, radius_name
from bounds.ranges import largest_bound, unsettled
from bounds.report import plain_number
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.setting.region import Region, region_of
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted, listed, to_digits
from mechanism.arguments import whole_number
from mechanism.planner.cost import Guaranteed, guaranteed
from mechanism.planner.goals import (
    BEST_METHOD,
    EXPLORATION,
    IDENTIFY,
    KINDS,
    METHODS_FOR_RANGES,
    PAYMENT,
    Floats,
    Goal,
    Horizon,
    goal_values,
    ratios,
)
from mechanism.planner.horizons import RATIO, horizon_of
from mechanism.planner.ranges import INTERIOR, Range, between, corners, corners_of, ranges_of, settings_at
from mechanism.planner.runs import Simulated, simulated
from mechanism.planner.search import (
    SearchResult,
    candidates,
    distance,
    first_candidates,
    least_at_worst,
    search,
    useful,
    with_parameters,
)

#: Simulated runs, unless something else is asked.
RUNS = 200
#: How often lower limits are searched for where the corners of a region meet the goals and the region does not; and
#: by how much they are lowered at least.
_LOWERED, _LOWER = 6, 0.98
#: Ratio of the horizons at which ranges are evaluated over a region of many parts, which takes long.
_IN_PARTS, _MANY_PARTS = 8.0, 4
#: Of the pairs of k and alpha, each of so many is tried at other horizons.
_COARSE = 3
#: A quality nearer to the threshold than this counts as equal to it.
_TINY = 1e-9
#: Providers of a setting that the best bounds are searched for by default: the time grows with their square.
_MOST_COMPARED = 50


@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """What a plan is asked for.

    Parameters
    ----------
    setting : Setting
        Name of the setting.
    goals : tuple of Goal
    confidence : float
        What delta may be at most: the probability with which the guarantees may fail.
    ranges : tuple of Range
        Intervals in which numbers of the setting lie; those of uncertain inputs that are not given are added.
    method : str, optional
        Of the bounds, as `bounds.report.evaluate_bounds` takes it; "" is the best, with ranges the best for ranges.
        That is also taken for more than 50 providers: the best bounds compare every provider with every other.
    radius : str, optional
        The confidence radius of the platform. "" is the setting's, and any other one where that meets the goals and the
        setting's does not; with ranges the setting's alone.
    runs : int
        Simulated runs at the parameters that are found; 0 for none.
    seed : int
        Seed of all randomness.

    Raises
    ------
    InputError
        A goal is missing, the method is unknown, or a number is out of range.
    """

    setting: Setting = field(metadata=BY_NAME)
    goals: tuple[Goal, ...] = field(metadata=INTERNAL)
    confidence: OpenProbability
    ranges: tuple[Range, ...] = ()
    method: str = field(default="", metadata=INTERNAL)
    radius: str = field(default="", metadata=INTERNAL)
    runs: int = field(default=RUNS, metadata=INTERNAL)
    seed: Count = 0
    region: Region | None = field(default=None, init=False, metadata=INTERNAL)

    def __post_init__(self) -> None:
        region = region_of(self.setting)
        object.__setattr__(self, "region", None if self.ranges else region)
        if region is not None:
            given = {each.key for each in self.ranges}
            added = (each for each in ranges_of(region) if each.key not in given)
            object.__setattr__(self, "ranges", (*self.ranges, *added))
        if not self.method:
            many = self.setting.n_providers > _MOST_COMPARED
            at_corners = many or (self.ranges and self.region is None)
            object.__setattr__(self, "method", METHODS_FOR_RANGES[-1] if at_corners else BEST_METHOD)
        if not self.goals:
            raise InputError("goal", [], "is missing", "say what the plan is to achieve, as identify-by=70000")
        method_formulas(self.method)
        if self.ranges and self.region is None and self.method not in METHODS_FOR_RANGES:
            rule = "has bounds that need not be largest at a corner of ranges"
            raise InputError("method", self.method, rule, f"take {METHODS_FOR_RANGES[-1]} where there are ranges")
        radius_name(self.radius or PAPERS)
        if self.ranges and (self.radius or self.setting.platform.radius) != PAPERS:
            rule = "has bounds that need not be largest at a corner of ranges"
            raise InputError("radius", self.radius or self.setting.platform.radius, rule, "take paper with ranges")
        if not 0 < self.confidence < 1:
            remedy = "it is delta, the probability with which the guarantees may fail"
            raise InputError("confidence", self.confidence, "must lie in (0, 1)", remedy)
        whole_number("runs", self.runs, "0 simulates nothing", least=0)

    @key
    def failure_probability(self) -> Probability:
        """The probability with which a guarantee, or an uncertain input, may fail."""
        region = region_of(self.setting)
        return self.confidence if region is None else region.total_failure(self.confidence)

    @property
    def unsettled(self) -> str:
        """What uncertain inputs leave open of who is qualified and who is the optimum; empty if nothing."""
        return "" if self.region is None else "; ".join(unsettled(self.region))

    @property
    def other_radii(self) -> tuple[str, ...]:
        """The radii to try if the setting's meets no plan; payments and ranges have bounds for the paper's alone."""
        if self.radius or self.ranges or any(goal.kind == PAYMENT for goal in self.goals):
            return ()
        return tuple(radius for radius in RADII if radius != self.setting.platform.radius)


@dataclass(frozen=True, kw_only=True)
class GoalAnswer:
    """What a plan says of one goal, and what happened in simulated runs.

    Parameters
    ----------
    goal : Goal
    value : float or None
        What is guaranteed, at the worst corner of the ranges; None where it is unbounded.
    best_value : float or None
        The least that any k and alpha of those that were tried guarantee, over the region of uncertain inputs at its
        worst corners; None if none guarantees anything.
    horizon, best_horizon : int or None
        From which T on the goal is met (identification, payments), or up to which (counts, budgets): with the
        chosen k and alpha, and with any of those that are tried at first; over a region with the chosen ones alone.
    simulated : Simulated or None
        What happened in runs at the choice, everybody truthful; None if none were simulated.
    """

    goal: Goal = field(metadata=INLINE)
    value: NonNegative | None = field(default=None, metadata=named("guaranteed"))
    best_value: NonNegative | None = field(default=None, metadata=named("best_guaranteed"))
    horizon: int | None = field(default=None, metadata=INTERNAL)
    best_horizon: int | None = field(default=None, metadata=INTERNAL)
    simulated: Simulated | None = None

    @key
    def met(self) -> bool:
        """Whether the goal is guaranteed."""
        return self.value is not None and self.value <= self.goal.limit

    @key
    def met_from(self) -> Horizon | None:
        """From which T on the choice guarantees it; None if from none, and of counts and budgets."""
        return self.horizon if self.goal.met_later else None

    @key
    def met_up_to(self) -> Horizon | None:
        """Up to which T the choice guarantees it; None if up to none, and of identification and payments."""
        return None if self.goal.met_later else self.horizon

    @key
    def least_horizon(self) -> Horizon | None:
        """The least T from which on some k and alpha of those that were tried guarantee it; None as of `met_from`."""
        return self.best_horizon if self.goal.met_later else None


@dataclass(frozen=True, kw_only=True)
class BackedNumber:
    """A number of a plan, and what backs it.

    Parameters
    ----------
    goal : str or None
        The goal that it is about; None if about none.
    quantity : str
        What the number is, in words.
    value : float or None
        The number; None where it is unbounded.
    limit : float or None
        The limit of the goal; None where it has none.
    met : bool or None
        Whether the goal is guaranteed; None of other numbers.
    backed_by : {"exact", "proved", "simulated"} or None
        An exact count, a bound proved to hold with probability 1 - delta, or a mean of runs; None where there is none
        of these.
    proved_as : str or None
        Verdict on the claim that bounds it; None where it is not backed by a proof.
    source : str
        The statement and method, or the runs.
    runs : int or None
        Runs; None where none count.
    low : float or None
        The probability of meeting the goal is at least this, with 95% confidence; None without runs.
    high : float or None
        And at most this; None without runs.
    largest : float or None
        The largest of the runs; None where there is none.
    not_proved_because : str or None
        What the claim assumes and the setting lacks, in a sentence; None if nothing.
    """

    goal: str | None = None
    quantity: Text
    value: NonNegative | None
    limit: float | None = None
    met: bool | None = None
    backed_by: Literal["exact", "proved", "simulated"] | None = None
    proved_as: ProvedAs | None = None
    source: Text
    runs: FromOne | None = None
    low: Probability | None = None
    high: Probability | None = None
    largest: float | None = None
    not_proved_because: str | None = None


class PlannedParameters(TypedDict):
    """The parameters; where no plan is feasible, those that come nearest.

    Parameters
    ----------
    exploration_scale : float
        k.
    exploration_exponent : float
        alpha.
    confidence : float
        Probability delta with which the guarantees may fail.
    radius : str
        The confidence radius of the mechanism.
    method : str
        The method of the bounds that guarantee it.
    """

    exploration_scale: Positive
    exploration_exponent: OpenProbability
    confidence: OpenProbability
    radius: Text
    method: Text


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Document, HasSheet):
    """Parameters of the mechanism for stated goals, or why there are none. Money is in the setting's unit.

    Parameters
    ----------
    request : PlanRequest
    chosen : Setting
        The setting with the k, alpha and delta of the plan; where no plan is feasible, with those that come nearest.
    worst : Setting
        The setting of the ranges at which the goals are nearest to their limits.
    feasible : bool
        Whether the choice guarantees every goal.
    reason : str or None
        Why nothing does; None where the choice does.
    answers : tuple of GoalAnswer
        The goals, with what is guaranteed and what happened in simulated runs.
    exploration_cap : int
        ceil(g(T)) - 1 at the longest horizon: an exact count.
    corners : int
        Corners of the ranges that were checked.
    between : int
        Settings between the corners that were checked.
    guarantees : tuple of Guaranteed
        What every guarantee is at the longest horizon, with the parameters as given and as planned.
    """

    request: PlanRequest = field(metadata=INLINE)
    chosen: Setting = field(metadata=INTERNAL)
    worst: Setting = field(metadata=INTERNAL)
    feasible: bool
    reason: str | None
    answers: Annotated[tuple[GoalAnswer, ...], limits(minItems=1)] = field(metadata=named("goal"))
    exploration_cap: int = field(metadata=INTERNAL)
    corners: Count
    between: Count
    guarantees: tuple[Guaranteed, ...]

    def __repr__(self) -> str:
        platform = self.chosen.platform
        told = f"k = {platform.exploration_scale:g}, alpha = {platform.exploration_exponent:g}"
        return f"Plan({self.request.setting.name!r}, {'feasible' if self.feasible else 'impossible'}: {told})"

    @property
    def horizon(self) -> int:
        """The longest horizon of the goals."""
        return max(answer.goal.horizon for answer in self.answers)

    @key
    def choice(self) -> PlannedParameters:
        """The parameters; where no plan is feasible, those that come nearest."""
        platform = self.chosen.platform
        return {
            "exploration_scale": platform.exploration_scale,
            "exploration_exponent": platform.exploration_exponent,
            "confidence": platform.confidence,
            "radius": platform.radius,
            "method": self.request.method,
        }

    @key
    def backing(self) -> Annotated[list[BackedNumber], limits(minItems=1)]:
        """Every number, and what backs it."""
        exact = BackedNumber(
            quantity="explorations of one provider, at most",
            value=self.exploration_cap,
            backed_by="exact",
            source=f"ceil(g({self.horizon})) - 1, decided rigorously (lem:forced-exploration-bound)",
        )
        simulated = [self._simulated(answer, answer.simulated) for answer in self.answers if answer.simulated]
        return [*map(self._proved, self.answers), *simulated, exact]

    def _proved(self, answer: GoalAnswer) -> BackedNumber:
        kind = KINDS[answer.goal.kind]
        platform = self.chosen.platform
        derived = f"{self.request.method} bounds" if platform.papers_radius else f"radius {platform.radius}"
        backing = None if answer.value is None else self.backing_of(answer)
        return BackedNumber(
            goal=answer.goal.text,
            quantity=f"{kind.quantity}, at most",
            value=answer.value,
            limit=answer.goal.limit,
            met=answer.met,
            backed_by="proved" if backing and backing.proved_as else None,
            proved_as=None if backing is None else backing.proved_as,
            source=f"{kind.label} ({derived})",
            not_proved_because=None if backing is None else backing.not_proved_because,
        )

    def backing_of(self, answer: GoalAnswer) -> Backing:
        """Return what the bound of a goal rests on, and whether it is proved for the plan's setting."""
        return backing_of(self.chosen, KINDS[answer.goal.kind].label, self.request.method)

    def _simulated(self, answer: GoalAnswer, runs: Simulated) -> BackedNumber:
        mean, played = runs.mean, f"{runs.met:,} of {counted(runs.runs, 'run')}"
        led = "share of runs in which i* has the most selections at T"
        return BackedNumber(
            goal=answer.goal.text,
            quantity=led if mean is None else f"mean of {KINDS[answer.goal.kind].quantity}",
            value=runs.met / runs.runs if mean is None else mean,
            limit=None if mean is None else answer.goal.limit,
            backed_by="simulated",
            source=f"the goal was met in {played} (seed {self.request.seed})",
            runs=runs.runs,
            low=runs.low,
            high=runs.high,
            largest=runs.largest,
        )

    def sheet(self) -> Sheet:
        """Return what backs each number, a row each."""
        title = f"{self.request.setting.name}: {'a plan' if self.feasible else 'no plan'}; {_told(self.chosen)}"
        return Sheet.of(title, [each.name for each in fields(BackedNumber)], map(vars, self.backing))


def make_plan(request: PlanRequest) -> Plan:
    """Choose k, alpha, delta and the confidence radius for goals, and say what backs each number.

    delta is the largest that is allowed: every bound falls as delta grows. k and alpha are those nearest to the
    setting's own that meet all goals at every corner of the ranges; settings between the corners are checked as well.
    Over the region of uncertain inputs they are searched at its worst corners, and count if the ranges of
    `bounds.ranges` meet the goals.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.planner.goals import goal_of
    >>> setting = published("gpqa-strong").setting
    >>> goals = (goal_of("identify-by=100k", setting, 0),)
    >>> make_plan(PlanRequest(setting=setting, goals=goals, confidence=0.05, method="sharp", runs=0))
    Plan('gpqa-strong', feasible: k = 2, alpha = 0.75)
    """
    own, region = request.setting.platform, request.region
    first = request.radius or own.radius
    base = with_parameters(request.setting, own.exploration_scale, own.exploration_exponent, request.confidence, first)
    points = corners(base, request.ranges) if region is None else corners_of(region)
    everywhere = settings_at(base, points)
    blocked = _blocked(request, base, everywhere)
    if blocked is not None:
        found = SearchResult(scale=own.exploration_scale, exponent=own.exploration_exponent, feasible=False)
        return _answered(request, base, everywhere, found, blocked=blocked)
    if region is not None:
        return _answered(request, base, everywhere, _searched_in_region(request, base, everywhere))
    inside = INTERIOR if request.ranges else 0
    drawn = between(request.ranges, inside, request.seed)
    checked = settings_at(base, {key: np.append(points[key], drawn[key]) for key in points})
    found = _searched(request, base, checked, request.goals)
    others = None if found.feasible else _with_another_radius(request, base)
    if others is not None:
        base, found = others
        everywhere = settings_at(base, {})
    return _answered(request, base, everywhere, found, between=inside)


def _answered(
    request: PlanRequest,
    base: Setting,
    everywhere: SettingColumns,
    found: SearchResult,
    *,
    between: int = 0,
    blocked: Setting | None = None,
) -> Plan:
    """Return a plan with what a search found, or what comes nearest to one; `blocked` is what allows none."""
    goals, method, in_region = request.goals, request.method, request.region is not None
    chosen = with_parameters(base, found.scale, found.exponent, request.confidence)
    one = np.array([found.scale]), np.array([found.exponent])
    tried = useful(*first_candidates(base), max(goal.horizon for goal in goals), base.n_providers)
    coarse = tried[0][::_COARSE], tried[1][::_COARSE]
    ratio = _IN_PARTS if request.region is not None and len(request.region.parts) > _MANY_PARTS else RATIO
    over, rows = candidates(goals, everywhere, method, *one), [0]
    planned = Region(setting=chosen)
    values = _over_region(goals, planned, method) if in_region else over.values[:, 0]
    place = int(over.worst[int(ratios(goals, over.values)[:, 0].argmax()), 0])
    at_worst = blocked or everywhere.setting(place)
    worst_setting = with_parameters(at_worst, found.scale, found.exponent, request.confidence)
    runs = simulated(worst_setting, request.setting, goals, runs=request.runs, seed=request.seed)

    def least(goal: Goal, scale: Floats, exponent: Floats) -> tuple[float, int]:
        return least_at_worst(goal, everywhere, method, scale, exponent, rows)

    def at_choice(goal: Goal, scale: Floats, exponent: Floats) -> tuple[float, int]:
        return (float(_over_region([goal], planned, method)[0]), 0) if in_region else least(goal, scale, exponent)

    answers = tuple(
        _answer(
            goal,
            value=float(values[index]),
            best=min(least(goal, *tried)[0], float(over.values[index, 0])),
            at_choice=horizon_of(goal, base.n_providers, at_choice, *one, ratio=ratio),
            at_any=horizon_of(goal, base.n_providers, least, *coarse) if goal.met_later and not in_region else None,
            runs=runs[index] if runs else None,
        )
        for index, goal in enumerate(goals)
    )
    reason = None
    if not found.feasible:
        at_corners = bool((over.values[:, 0] <= [goal.limit for goal in goals]).all())
        reason = (blocked and request.unsettled) or _reason(request, at_worst, answers, at_corners)
    return _plan(
        request,
        chosen,
        worst_setting,
        reason,
        answers,
        corners=len(everywhere) if request.ranges else 0,
        between=between,
    )


def _plan(
    request: PlanRequest,
    chosen: Setting,
    worst: Setting,
    reason: str | None,
    answers: tuple[GoalAnswer, ...],
    **tried: int,
) -> Plan:
    longest, own = max(goal.horizon for goal in request.goals), request.setting.platform
    given = with_parameters(worst, own.exploration_scale, own.exploration_exponent, own.confidence, own.radius)
    return Plan(
        request=request,
        chosen=chosen,
        worst=worst,
        feasible=reason is None,
        reason=reason,
        answers=answers,
        exploration_cap=int(EXPLORATION_CAP.value(formula_inputs(chosen), horizon=longest)),
        guarantees=guaranteed(given, worst, longest, request.method),
        **tried,
    )


def _with_another_radius(request: PlanRequest, base: Setting) -> tuple[Setting, SearchResult] | None:
    """Return a setting with another radius and what meets the goals there, nearest to its own k and alpha, if any."""
    own = base.platform
    others = [replace(base, platform=replace(own, radius=radius)) for radius in request.other_radii]
    found = [(other, search(request.goals, other, settings_at(other, {}), request.method)) for other in others]
    feasible = [each for each in found if each[1].feasible]
    return min(feasible, key=lambda each: distance(each[1].scale, each[1].exponent, own), default=None)


def _answer(
    goal: Goal, *, value: float, best: float, at_choice: int | None, at_any: int | None, runs: Simulated | None
) -> GoalAnswer:
    """Return what a plan says of a goal; that it is met at its own horizon is known exactly, other horizons roughly."""
    later = goal.met_later
    known = [each for each in (at_choice, goal.horizon if value <= goal.limit else None) if each is not None]
    if goal.kind == IDENTIFY:
        known = known[:1]
    horizon = (min if later else max)(known, default=None)
    least = [each for each in (at_any, horizon) if each is not None]
    return GoalAnswer(
        goal=goal,
        value=plain_number(value),
        best_value=plain_number(best),
        horizon=horizon,
        best_horizon=min(least, default=None) if later else None,
        simulated=runs,
    )


def _blocked(request: PlanRequest, base: Setting, everywhere: SettingColumns) -> Setting | None:
    """Return a setting of the ranges at which no k and alpha bound some goal; None if there is none."""
    if request.region is not None and not request.region.parts:
        return base
    if request.region is None:
        values = goal_values(request.goals, everywhere, request.method)
    else:
        anywhere = _over_region(request.goals, Region(setting=base), request.method)
        values = np.repeat(anywhere[:, None], len(everywhere), axis=1)
    for place, row in np.argwhere(np.isinf(values)):
        setting = everywhere.setting(int(row))
        undefined = setting.unseparated and request.goals[place].kind == IDENTIFY
        if setting.unmet_of_market or undefined or _near(setting):
            return setting
    return None


def _near(setting: Setting) -> list[str]:
    """Return the unqualified providers whose quality is too near to the threshold to tell them from qualified ones."""
    threshold = setting.platform.quality_threshold
    return [setting.providers[i].name for i in setting.unqualified if threshold - setting.providers[i].quality < _TINY]


def _over_region(goals: Sequence[Goal], region: Region, method: str) -> Floats:
    """Return the bound of every goal in all markets of a region; infinite where it is unbounded."""
    found = [largest_bound(region, goal.horizon, method, KINDS[goal.kind].answered_by) for goal in goals]
    each = [region.setting.platform.cost_bound if goal.kind == EXPLORATION else 1.0 for goal in goals]
    return np.array([np.inf if value is None else value for value in found]) * each


def _searched_in_region(request: PlanRequest, base: Setting, corners: SettingColumns) -> SearchResult:
    """Return what meets the goals in every market of the region, or comes nearest to it.

    What meets them at the corners may fail by a little elsewhere. Then lower limits are searched for.
    """
    goals, limits = request.goals, np.array([goal.limit for goal in request.goals])
    lower = limits.copy()
    for _ in range(_LOWERED):
        lowered = tuple(replace(goal, limit=float(limit)) for goal, limit in zip(goals, lower, strict=True))
        found = _searched(request, base, corners, lowered)
        pair = with_parameters(base, found.scale, found.exponent, request.confidence)
        values = _over_region(goals, Region(setting=pair), request.method)
        over = values > limits
        if not found.feasible or not over.any():
            return replace(found, feasible=not over.any())
        lower[over] *= _LOWER * limits[over] / values[over]
    return replace(found, feasible=False)


def _searched(request: PlanRequest, base: Setting, everywhere: SettingColumns, goals: Sequence[Goal]) -> SearchResult:
    """Return what meets goals in all settings, or comes nearest to it."""
    method, few = request.method, [0]
    # The search looks at a few settings. Those that are worst for the goals at what it finds join them.
    while True:
        found = search(goals, base, everywhere.rows(few), method)
        pair = with_parameters(base, found.scale, found.exponent, request.confidence)
        over = ratios(goals, goal_values(goals, replace(everywhere, base=pair), method))
        worst = {int(over[goal].argmax()) for goal in np.flatnonzero(over.max(axis=1) > 1)}
        more = sorted(worst - {*few})
        if not more:
            return found
        few += more


def _reason(request: PlanRequest, worst: Setting, answers: Sequence[GoalAnswer], at_corners: bool) -> str:
    """Return why no k and alpha meet the goals: an assumption, a goal that none meets alone, or all at once."""
    where = " somewhere in the ranges" if request.ranges else ""
    if worst.unmet_of_market:
        return f"{'; '.join(worst.unmet_of_market)}{where}"
    if worst.unseparated and any(answer.goal.kind == IDENTIFY for answer in answers):
        return f"a cost gap does not exceed underbid + overbid{where}, so T_id is undefined"
    near = _near(worst) if request.ranges and not request.unsettled else ()
    if near:
        return (
            f"the ranges let the quality of {', '.join(near)} be just below the threshold, where no number of queries "
            "distinguishes it from a qualified one: end the range before the threshold, or begin it there"
        )
    of = "ranges" if request.region is None else "region of the inputs"
    where = f", at the worst corner of the {of}" if request.ranges else ""
    alone = [answer for answer in answers if answer.best_value is None or answer.best_value > answer.goal.limit]
    if request.other_radii:
        where = f"; no other radius meets {'this goal' if len(answers) == 1 else 'all goals'}"
    texts = listed([answer.goal.text for answer in answers])
    if at_corners:
        return f"some k and alpha guarantee {texts} at the corners of the {of}, but none were found for all of it"
    if not alone:
        return f"each goal can be guaranteed alone, but no k and alpha guarantee {texts} together{where}"
    reasons = (f"{answer.goal.text}: {_why(answer, request, where)}" for answer in alone)
    return "; ".join([*reasons, *[request.unsettled] * bool(request.unsettled)])


def _why(answer: GoalAnswer, request: PlanRequest, where: str) -> str:
    goal, radius = answer.goal, request.radius or request.setting.platform.radius
    method = request.method if radius == PAPERS else radius
    quantity = KINDS[goal.kind].quantity
    if goal.kind == PAYMENT and radius != PAPERS:
        return "payments are bounded for the paper's radius alone: plan with --radius paper"
    if answer.best_value is None:
        nothing = f"the {method} bounds guarantee nothing about the {quantity} for any k and alpha{where}"
        start = answer.best_horizon
        return (
            nothing
            if start is None
            else f"{nothing} at T = {goal.horizon:,}; the goal can be met from T = {start:,} on"
        )
    best = f"{answer.best_value:,.6g}"
    if goal.kind == PAYMENT:
        about = "" if answer.best_horizon is None else to_digits(float(answer.best_horizon), 3)
        later = f"; some meet the goal from about T = {about} on" * bool(about)
        tried = "no k and alpha that were tried (alpha from 0.05 to 0.95) guarantee"
        return f"{tried} less than {best} at T = {goal.horizon:,}{where}{later}"
    which = "for any k and alpha" if goal.kind != EXPLORATION else "even for the least k"
    return f"{which} the {method} bounds give {best} at best ({quantity}){where}"


def _told(setting: Setting) -> str:
    platform = setting.platform
    return (
        f"k = {platform.exploration_scale:g}, alpha = {platform.exploration_exponent:g}, "
        f"delta = {platform.confidence:g}, radius {platform.radius}"
    )
