"""Suggested changes for a guarantee: the smallest one of each parameter, and the provider to leave out."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from bounds.documents import FromOne, one_of
from bounds.errors import InputError
from bounds.formulas import selection
from bounds.formulas.identification import identification_horizon
from bounds.glossary import name_of
from bounds.limits import LARGEST_HORIZON
from bounds.methods import METHODS
from bounds.radii.names import OtherRadius
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import LARGEST_NUMBER, SMALLEST_POSITIVE, Setting
from bounds.words import all_but, at_most, both_at_most, brief, listed, rough, share, spelled
from bounds.worth.guarantee import Guarantee, guarantees_of, number
from bounds.worth.threshold import informative_from

_Improved = Annotated[str, one_of(method for method in METHODS if method != "paper")]


@dataclass(frozen=True, kw_only=True)
class Sooner:
    """A change with which it is informative sooner, and every other guarantee still is: the earliest found.

    Parameters
    ----------
    value : float or None
        Its new value; None for a provider to leave out, and for the improved bounds.
    informative_from : int
        From which horizon on the bound is then informative.
    effect : str
        What else the change does: its price.
    without : str or None
        Name of the provider to leave out; None of any other change.
    method : str or None
        The improved bounds that are informative sooner; None of any other change.
    radius : str or None
        The confidence radius with which it is informative sooner; None of any other change.
    """

    value: float | None
    informative_from: FromOne
    effect: str
    without: str | None = None
    method: _Improved | None = None
    radius: OtherRadius | None = None


@dataclass(frozen=True, kw_only=True)
class Help:
    """The smallest change of one parameter, or the provider to leave out, that leaves at most 0.9 of the trivial value.

    Parameters
    ----------
    parameter : str
        The parameter that is changed; of `provider`, who is left out; of `method`, which bounds; of `radius`, which
        radius.
    value : float or None
        Its new value; None if no value was found to help, and always of `provider`, `method` and `radius`.
    effect : str
        What else the change does, or why none helps.
    keeps_market : bool
        Whether the qualified providers and the optimum stay the same.
    sooner : Sooner or None
        A change with which it is informative sooner; None if none was found or is needed.
    without : str or None
        Name of the provider that is best left out; None if no provider is left out.
    method : str or None
        The improved bounds that are enough at this horizon; else None.
    tried : str or None
        Which values were tried where none helps; None where one does, or where certainly none can.
    radius : str or None
        The confidence radius with which it is informative at this horizon; else None.
    """

    parameter: Annotated[str, one_of(("horizon", *_TRIED, "method", "radius"))]
    value: float | None
    effect: str
    keeps_market: bool = True
    sooner: Sooner | None = None
    without: str | None = None
    method: _Improved | None = None
    tried: str | None = None
    radius: OtherRadius | None = None

    @property
    def found(self) -> bool:
        """Whether a change was found that helps at this horizon."""
        return any(each is not None for each in (self.value, self.without, self.method, self.radius))


#: k is tried up to so many doublings away.
_DOUBLINGS = 16
_FURTHEST = 2.0**_DOUBLINGS
_EXPONENTS = (*(i / 20 for i in range(1, 20)), 0.99)
#: A larger delta is not tried: such a bound would fail more often than it holds.
_CONFIDENCES = (0.1, 0.2, 0.3, 0.4, 0.5)
#: What k is multiplied and divided by in the search for a sooner horizon.
_FACTORS = tuple(step * 10**power for power in range(3) for step in (1.5, 2, 3, 5, 7, 10))
#: A bound that a change makes larger by less than this factor is not worth a word.
_WORSE = 1.05
_Change = TypeVar("_Change")
#: For more providers no change is searched for: every change means the bounds of a setting of that size, and the
#: sharpest bounds of a setting follow the law of every provider.
MOST_ADVISED = {"paper": 500, "sharp": 500, "sharpest": 50}
#: So many providers are left out at most, one at a time: those with the largest M_i or L_i.
_MOST_LEFT_OUT = 24


@functools.lru_cache(maxsize=128)
def _guarantees(setting: Setting, method: str = "paper") -> dict[str, Guarantee]:
    """Return the guarantees of a setting, which most questions about a change ask for again."""
    return guarantees_of(setting, method)


@dataclass(frozen=True, kw_only=True)
class _Question:
    """Which guarantee should be informative, of which setting, at which horizon."""

    setting: Setting
    name: str
    horizon: int
    method: str

    def asked(self, setting: Setting) -> Guarantee:
        """Return the guarantee for a setting."""
        return _guarantees(setting, self.method)[self.name]

    def changed(self, parameter: str, value: float) -> Setting:
        platform = replace(self.setting.platform, **dict[str, Any]({parameter: value}))
        return replace(self.setting, platform=platform)

    def solved(self, parameter: str, value: float) -> bool:
        try:
            found = _guarantees(self.changed(parameter, value), self.method)
        except InputError:  # the value is not allowed
            return False
        return found[self.name].is_worth_having(self.horizon)

    def saying(self, guarantees: Mapping[str, Guarantee]) -> set[str]:
        """Return the other guarantees that are informative at the horizon."""
        return {name for name, each in guarantees.items() if name != self.name and each.says_something(self.horizon)}


def helps_of(setting: Setting, guarantee: Guarantee, horizon: int, method: str, starts: int | None) -> tuple[Help, ...]:
    """Return what would make a guarantee informative at a horizon.

    There is an item for each parameter, two where changes in both directions help, one for the provider that is
    best left out, and one for the improved bounds where they help or help sooner. Changes of the mechanism come before
    those of the market: of the threshold, and of who is on the roster. Of each, those that are enough at this horizon
    come first, then the others by the horizon from which they are; and of the market, those that leave the other
    providers, qualified or not, and the optimum as they are.

    Parameters
    ----------
    setting : Setting
    guarantee : Guarantee
        One that is not informative at the horizon.
    horizon : int
    method : {"paper", "sharp", "sharpest"}
    starts : int or None
        From which horizon it is informative; see `bounds.worth.threshold.informative_from`.

    Notes
    -----
    k is tried up to a factor of 65,536 in both directions, alpha from 0.05 to 0.99, delta up to 0.5, c_max down to the
    dearest mean cost, q_min at every quality of a provider and between them. A value between two that were tried is
    the edge up to three digits. Every provider but the optimum is left out, one at a time; of more than 24, those with
    the largest M_i or L_i. The best one leaves every other guarantee informative, then keeps the market, then makes
    most guarantees informative, then has the smallest share of the trivial value.

    For a horizon that is sooner, k is tried at the factors 1.5, 2, 3, 5, 7, 10, 15, ..., 1,000 and their inverses,
    q_min at the qualities up to which the market stays the same, the others as above. One rule serves
    all: of what was tried, the change with the earliest horizon that leaves every other guarantee informative.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> found = helps_of(setting, guarantees_of(setting)["identification"], 70_000, "paper", 76_851)
    >>> [(help.parameter, help.value) for help in found if help.value is not None and help.keeps_market]
    [('horizon', 76851), ('quality_threshold', 0.15)]
    """
    question = _Question(setting=setting, name=guarantee.name, horizon=horizon, method=method)
    found = [help for each, ways in _ways(setting).items() for help in _helps(question, each, ways, starts)]
    found.append(_leaving_out(question, starts))
    return (_longer(horizon, starts), *sorted((*_improved(question, starts), *found), key=rank))


#: What belongs to the market; all else is of the mechanism, or of the theory.
OF_MARKET = ("quality_threshold", "provider")


def rank(help: Help) -> tuple[float, ...]:
    """Return where a help stands: changes of the mechanism first; of each kind, the earlier the better."""
    enough = help.found and help.keeps_market
    start = 0 if enough else help.sooner.informative_from if help.sooner else math.inf
    return (help.parameter in OF_MARKET, help.found and not help.keeps_market and help.sooner is None, start)


#: Bounds from simple to involved, each of which holds wherever the one before does.
_BOUNDS = ("paper", "sharp", "sharpest")


def _improved(question: _Question, starts: int | None) -> tuple[Help, ...]:
    """Return the best of the improved bounds, or those that are informative soonest: nothing else has to change."""
    better = _BOUNDS[_BOUNDS.index(question.method) + 1 :] if question.method in _BOUNDS else ()
    same, sooner = "market, mechanism and delta stay the same", None
    guarantees = {method: _guarantees(question.setting, method)[question.name] for method in better}
    enough = [method for method, each in guarantees.items() if each.is_worth_having(question.horizon)]
    if enough:
        best = min(reversed(enough), key=lambda method: guarantees[method].value(question.horizon))
        improved = replace(question, method=best)
        effect = f"{_of_trivial(improved, question.setting)}{_leads(improved, question.setting)}; {same}"
        return (Help(parameter="method", value=None, effect=effect, method=best),)
    for method, guarantee in guarantees.items():
        new = informative_from(guarantee)
        if new is not None and (starts is None or new < starts):
            sooner, starts = Sooner(value=None, informative_from=new, effect=same, method=method), new
    if sooner is None or sooner.informative_from <= question.horizon:
        return ()
    return (Help(parameter="method", value=None, effect="the improved bounds are not enough", sooner=sooner),)


def _scales(tried: Iterable[float]) -> list[float]:
    """Return the values of k that a setting may have."""
    return [scale for scale in tried if SMALLEST_POSITIVE <= scale <= LARGEST_NUMBER]


def _ways(setting: Setting) -> dict[str, tuple[Sequence[float], ...]]:
    """Return the values to try for each parameter, outwards, one sequence for each direction."""
    platform = setting.platform
    k, alpha, delta, q_min = (
        platform.exploration_scale,
        platform.exploration_exponent,
        platform.confidence,
        platform.quality_threshold,
    )
    qualities = sorted({provider.quality for provider in setting.providers})
    dearest = max(provider.mean_cost for provider in setting.providers)
    return {
        "quality_threshold": (
            [quality for quality in qualities if quality > q_min],
            [quality for quality in reversed(qualities) if quality < q_min],
        ),
        "exploration_scale": (
            _scales(k * 2.0 ** (i / 2) for i in range(1, 2 * _DOUBLINGS + 1)),
            _scales(k / 2.0 ** (i / 2) for i in range(1, 2 * _DOUBLINGS + 1)),
        ),
        "exploration_exponent": (
            [value for value in _EXPONENTS if value > alpha],
            [value for value in reversed(_EXPONENTS) if value < alpha],
        ),
        "confidence": ([value for value in _CONFIDENCES if value > delta],),
        "cost_bound": ([dearest] if 0 < dearest < platform.cost_bound else [],),
    }


#: Of a parameter of which nothing that was tried helps.
_NOTHING_HELPS = "nothing that was tried helps"
#: Which values `_ways` has, in words.
_TRIED = {
    "quality_threshold": "at the quality of a provider",
    "exploration_scale": "from {low} to {high}",
    "exploration_exponent": "from 0.05 to 0.99",
    "confidence": "up to 0.5",
    "cost_bound": "down to the highest mean cost",
    "provider": "left out",
}


def _helps(
    question: _Question, parameter: str, ways: Iterable[Sequence[float]], starts: int | None
) -> tuple[Help, ...]:
    now = float(getattr(question.setting.platform, parameter))
    certain = _certainly_useless(question, parameter)
    tried = () if certain else ways
    values = [value for way in tried if (value := _nearest(question, parameter, now, way)) is not None]
    by_factor = parameter == "exploration_scale"
    values.sort(key=lambda each: abs(math.log(each / now) if by_factor else each - now))
    found = [
        Help(
            parameter=parameter,
            value=value,
            effect=_effect(question, parameter, value),
            keeps_market=_same_market(question.setting, question.changed(parameter, value)),
        )
        for value in values
    ]
    if any(help.keeps_market for help in found):
        return tuple(found)
    sooner = _sooner(question, parameter, starts)
    low, high = max(now / _FURTHEST, SMALLEST_POSITIVE), min(now * _FURTHEST, LARGEST_NUMBER)
    useless = Help(
        parameter=parameter,
        value=None,
        effect=certain or _NOTHING_HELPS,
        tried=None if certain else _TRIED[parameter].format(low=rough(low), high=rough(high)),
    )
    first = found[0] if found else useless
    return (replace(first, sooner=sooner), *found[1:])


def _certainly_useless(question: _Question, parameter: str) -> str | None:
    """Return why no k or alpha can help, where that is certain: B_id(T) is at least the sum of all M_i and L_i."""
    exploring = parameter in ("exploration_scale", "exploration_exponent")
    if not exploring or question.name != "identification" or question.method != "paper":
        return None
    guarantee = question.asked(question.setting)
    least = sum(
        number(formula, guarantee.values, question.horizon)
        for formula in (selection.SUM_ELIMINATION_BOUNDS, selection.SUM_ORDINARY_BOUNDS)
    )
    trivial = guarantee.trivial_value(question.horizon)
    if trivial is None or least < trivial:
        return None
    return f"no value can help: the M_i and L_i alone add up to {brief(least)}"


def _leaving_out(question: _Question, starts: int | None) -> Help:
    """Return which provider is best left out, if that helps or helps sooner; see `helps_of`."""
    providers = question.setting.providers
    markets = {
        index: replace(question.setting, providers=(*providers[:index], *providers[index + 1 :]))
        for index in _to_leave_out(question)
    }

    def rank(index: int) -> tuple[Any, ...]:
        guarantees = _guarantees(markets[index], question.method)
        asked = guarantees[question.name]
        share = asked.value(question.horizon) / number(asked.trivial, asked.values, question.horizon)
        _, lost = _of_others(question, markets[index])
        return not lost, index in question.setting.unqualified, len(question.saying(guarantees)), -share

    if helping := [i for i, new in markets.items() if question.asked(new).is_worth_having(question.horizon)]:
        best = max(helping, key=rank)
        return _left_out(question, markets[best], best)
    useless = Help(parameter="provider", value=None, effect=_NOTHING_HELPS, tried=_TRIED["provider"])
    found = _earliest(question, starts, markets, markets.__getitem__)
    if found is None:
        return useless
    index, start = found
    effect = _price_of(question, markets[index], _of_payment(question, markets[index]))
    name = question.setting.providers[index].name
    sooner = Sooner(value=None, informative_from=start, effect=effect, without=name)
    return replace(useless, keeps_market=index in question.setting.unqualified, sooner=sooner)


def _to_leave_out(question: _Question) -> list[int]:
    """Return the indices of the providers that are left out, one at a time; the market keeps at least two."""
    setting, method = question.setting, question.method
    others = [i for i in range(setting.n_providers) if i != setting.optimal]
    if setting.n_providers <= 2 or len(others) <= _MOST_LEFT_OUT:
        return others if setting.n_providers > 2 else []
    formulas, unqualified = METHODS[method], set(setting.unqualified)

    def selections(index: int) -> float:
        formula = formulas.unqualified_bound if index in unqualified else formulas.competitor_bound
        return number(formula, formula_inputs(setting, among=(index,)), setting.n_providers)

    return sorted(others, key=selections, reverse=True)[:_MOST_LEFT_OUT]


def _left_out(question: _Question, new: Setting, index: int) -> Help:
    """Return the help that leaves out a provider, with what that does to the bound, the payments and the others."""
    setting, others = question.setting, _guarantees(new, question.method)
    said = [f"the bound is {_of_trivial(question, new)}{_leads(question, new)}"]
    if new.optimal is not None and setting.optimal is None:
        said.append(f"{new.providers[new.optimal].name} would be the optimum")
    said += _of_payment(question, new)
    if len(question.saying(others)) == len(others) - 1:
        said.append(f"all {spelled(len(others))} guarantees are then informative")
    else:
        said += _told(question, new)
    return Help(
        parameter="provider",
        value=None,
        effect="; ".join(said),
        keeps_market=index in setting.unqualified,
        without=setting.providers[index].name,
    )


def _sooner(question: _Question, parameter: str, starts: int | None) -> Sooner | None:
    """Return the value of a grid with the least horizon, if it is sooner; see `helps_of` for the grid."""
    grid = _grid(question.setting, parameter)
    found = _earliest(question, starts, grid, lambda value: question.changed(parameter, value))
    if found is None:
        return None
    value, start = found
    effect = _price_of(question, question.changed(parameter, value), _changes(question, parameter, value))
    return Sooner(value=value, informative_from=start, effect=effect)


def _earliest(
    question: _Question, starts: int | None, changes: Iterable[_Change], changed: Callable[[_Change], Setting]
) -> tuple[_Change, int] | None:
    """Return the change with the least horizon, of those that are sooner and leave the others informative."""
    saying, best = question.saying(_guarantees(question.setting, question.method)), None
    limit = LARGEST_HORIZON if starts is None else starts - 1
    for change in changes:
        try:
            found = _guarantees(changed(change), question.method)
        except InputError:  # the value is not allowed
            continue
        # What is not informative at the limit does not start before it: this spares most searches.
        if not found[question.name].says_something(limit) or not saying <= question.saying(found):
            continue
        new = informative_from(found[question.name])
        if new is not None and new <= limit:
            best, limit = (change, new), new - 1
    # What is informative at this horizon already, but hardly better than the trivial value, does not help.
    return None if best is None or best[1] <= question.horizon else best


def _price_of(question: _Question, new: Setting, said: Sequence[str]) -> str:
    """Say what else a change does that helps sooner only, after what was said of it already."""
    price = [*_price(question, new), *said, *_told(question, new)]
    return "; ".join(price) or "no other bound becomes larger by 5% or more"


def _grid(setting: Setting, parameter: str) -> Sequence[float]:
    """Return the values that are tried for a sooner horizon."""
    now = float(getattr(setting.platform, parameter))
    if parameter == "exploration_scale":
        return _scales([*(now * factor for factor in _FACTORS), *(now / factor for factor in _FACTORS)])
    if parameter == "quality_threshold":
        top = _highest_threshold(setting)
        return [] if top is None else [top]
    return [value for way in _ways(setting)[parameter] for value in way]


def _highest_threshold(setting: Setting) -> float | None:
    """Return the highest threshold with the same qualified providers, if it is above the present one."""
    lowest = min((setting.providers[i].quality for i in setting.qualified), default=0.0)
    return lowest if lowest > setting.platform.quality_threshold else None


def _same_market(old: Setting, new: Setting) -> bool:
    return set(old.qualified) == set(new.qualified) and old.optimal == new.optimal


def _nearest(question: _Question, parameter: str, now: float, way: Sequence[float]) -> float | None:
    """Return the value nearest to the present one, in one direction, that was found to help."""
    before = now
    for value in way:
        if question.solved(parameter, value):
            return _edge(question, parameter, before, value)
        before = value
    return None


def _edge(question: _Question, parameter: str, fails: float, helps: float) -> float:
    """Return a value between one that fails and one that helps, near where it starts to help, in few digits."""
    last = helps
    for _ in range(10):
        middle = (fails + helps) / 2
        if question.solved(parameter, middle):
            helps = middle
        else:
            fails = middle
    for digits in range(2, 5):
        scale = 10.0 ** min(300, digits - 1 - math.floor(math.log10(abs(helps)))) if helps else 1.0
        short = (math.ceil if helps > fails else math.floor)(helps * scale) / scale
        if min(helps, last) <= short <= max(helps, last) and question.solved(parameter, short):
            return short
    return helps


def _longer(horizon: int, starts: int | None) -> Help:
    if starts is None:
        return Help(parameter="horizon", value=None, effect="no horizon helps")
    effect = f"{rough(starts / horizon)} times as many queries" if starts > horizon else "it is informative there"
    return Help(parameter="horizon", value=starts, effect=effect)


def _effect(question: _Question, parameter: str, value: float) -> str:
    """Say what else a change does: to who is qualified, to the exploration, to the bound, to the other guarantees."""
    new = question.changed(parameter, value)
    said = [*_changes(question, parameter, value), _bound(question, new, _highest(question, parameter, new))]
    price = [*_of_payment(question, new), *_price(question, new)]
    return "; ".join([*said, *price, *_told(question, new)])


def _highest(question: _Question, parameter: str, new: Setting) -> Setting | None:
    """Return the setting with the highest threshold that keeps the market, where a lower one that does helps."""
    top = _highest_threshold(question.setting) if parameter == "quality_threshold" else None
    if top is None or not question.setting.platform.quality_threshold < new.platform.quality_threshold < top:
        return None
    return question.changed(parameter, top)


def _bound(question: _Question, new: Setting, highest: Setting | None) -> str:
    """Say what the bound becomes, and at the highest threshold that keeps the market."""
    said = f"the bound is then {_of_trivial(question, new)}{_leads(question, new)}"
    if highest is None:
        return said
    top = highest.platform.quality_threshold
    at_top = f"{_value(question, highest)}{_leads(question, highest)}"
    return "; ".join([said, f"at {top!r}, the highest that keeps them, {at_top}", *_nothing_to_spare(highest)])


def _value(question: _Question, setting: Setting) -> str:
    return at_most(question.asked(setting).value(question.horizon))


def _of_trivial(question: _Question, setting: Setting) -> str:
    """Say the bound beside its trivial value."""
    guarantee = question.asked(setting)
    value, trivial = both_at_most(guarantee.value(question.horizon), guarantee.trivial_value(question.horizon))
    return f"{value} of {trivial}"


def _leads(question: _Question, setting: Setting) -> str:
    """Say T_id, where the identification bound is the question."""
    found = lead_from(setting, question.method) if question.name == "identification" else None
    return "" if found is None else f" (T_id = {found:,})"


@functools.lru_cache(maxsize=128)
def lead_from(setting: Setting, method: str) -> int | None:
    """Return T_id; None where it is undefined or beyond all horizons."""
    if setting.unmet_assumptions or setting.unseparated:
        return None
    formulas = METHODS[method]
    return identification_horizon(formula_inputs(setting), formulas.lead, formulas.lead_counts_twice)


def _changes(question: _Question, parameter: str, value: float) -> list[str]:
    new = question.changed(parameter, value)
    spare = _nothing_to_spare(new) if parameter == "quality_threshold" else []
    return [*_of_parameter(question, new, parameter), *_of_market(question.setting, new, parameter), *spare]


def _nothing_to_spare(setting: Setting) -> list[str]:
    """Say whose quality the threshold is, to the last digit, if it is somebody's."""
    threshold = setting.platform.quality_threshold
    met = [i for i, provider in enumerate(setting.providers) if provider.quality == threshold]
    if not met:
        return []
    names = _named(setting, met)
    if len(met) > 1:
        whose, fate = f"the quality of {names}", "they are not qualified"
    elif met[0] == setting.optimal:
        whose, fate = f"the quality of {names}, the optimum", f"{names} is not qualified"
    else:
        whose, fate = f"{names}'s own quality", f"{names} is not qualified"
    return [f"{threshold!r} is {whose}, so no margin is left: just above it {fate}"]


def _price(question: _Question, new: Setting) -> list[str]:
    """Say which other bounds a change makes larger, and by how much, but for those that are then not informative."""
    before, after = (_guarantees(each, question.method) for each in (question.setting, new))
    _, lost = _of_others(question, new)
    worse = []
    for name in (
        name for name in before if name not in (question.name, *lost) and before[name].applies(question.horizon)
    ):
        old, now = (each[name].value(question.horizon) for each in (before, after))
        if math.isfinite(now) and now > old * _WORSE:
            worse.append(f"{name_of(name)} {at_most(now)} (now {at_most(old)})")
    said = [f"larger bounds at T = {question.horizon:,}: {', '.join(worse)}"] if worse else []
    return said + _lead_lost(question, new)


def _lead_lost(question: _Question, new: Setting) -> list[str]:
    """Say what T_id becomes, where it is then beyond the horizon and now is not."""
    before, after = (lead_from(each, question.method) for each in (question.setting, new))
    if before is None or before > question.horizon or (after is not None and after <= question.horizon):
        return []
    return [f"T_id {'undefined' if after is None else f'= {after:,}'} (now {before:,})"]


def _of_payment(question: _Question, new: Setting) -> list[str]:
    """Say what the second-lowest qualified cost, to which payments converge, becomes."""
    before, after = question.setting.second_lowest_cost, new.second_lowest_cost
    if after is None or before is None or after == before:
        return []
    return [f"the second-lowest cost would be {brief(after)}, now {brief(before)}"]


def _of_parameter(question: _Question, new: Setting, parameter: str) -> list[str]:
    if parameter == "confidence":
        return [f"everything then holds with probability {all_but(new.platform.confidence, 3)} only"]
    if parameter == "cost_bound":
        return ["no cost, bid or payment may then exceed it"]
    if parameter not in ("exploration_scale", "exploration_exponent"):
        return []
    formula = METHODS[question.method].exploration_steps
    old, now = (
        number(formula, _guarantees(each)["quality_regret"].values, question.horizon)
        for each in (question.setting, new)
    )
    shown = [share(min(1.0, steps / question.horizon)) for steps in (old, now)]
    if shown[0] == shown[1]:
        return []
    return [f"exploration may take {shown[1]} of the first {question.horizon:,} queries (now {shown[0]})"]


def _of_market(old: Setting, new: Setting, parameter: str) -> list[str]:
    if parameter == "quality_threshold" and _same_market(old, new):
        return ["the qualified providers and the optimum stay the same"]
    said = []
    for chosen, told in (
        (set(new.qualified) - set(old.qualified), "qualified"),
        (set(old.qualified) - set(new.qualified), "unqualified"),
    ):
        if chosen:
            said.append(f"{_named(new, sorted(chosen))} would be {told}")
    if new.optimal != old.optimal and new.optimal is not None:
        said.append(f"{new.providers[new.optimal].name} would be the optimum")
    return said


def _named(setting: Setting, indices: Sequence[int]) -> str:
    names = [setting.providers[i].name for i in indices]
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2} more"]
    return listed(names)


def _of_others(question: _Question, new: Setting) -> tuple[list[str], list[str]]:
    """Return which other guarantees are informative after a change only, and which before it only."""
    before, after = (_guarantees(each, question.method) for each in (question.setting, new))
    gained, lost = [], []
    for name in before.keys() - {question.name}:
        old, now = (each[name].says_something(question.horizon) for each in (before, after))
        if now and not old:
            gained.append(name)
        if old and not now and after[name].trivial_value(question.horizon) != 0:
            lost.append(name)
    return [name for name in before if name in gained], [name for name in before if name in lost]


def _told(question: _Question, new: Setting) -> list[str]:
    """Say which other guarantees are informative after a change only, and which before it only."""
    gained, lost = _of_others(question, new)
    before, after = (_guarantees(each, question.method) for each in (question.setting, new))
    empty = [
        f"{name} (nothing can go wrong: its trivial value is 0)"
        for name in before
        if name in question.saying(before) and after[name].trivial_value(question.horizon) == 0
    ]
    return [
        f"{told}: {', '.join(map(name_of, names))}"
        for told, names in (("informative too", gained), ("not informative any more", [*lost, *empty]))
        if names
    ]
