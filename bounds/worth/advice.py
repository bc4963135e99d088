"""What would help: the smallest change of each parameter that makes a guarantee say something."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bounds.errors import InputError
from bounds.formulas.catalogue import METHODS
from bounds.setting.model import Setting
from bounds.worth.guarantee import Guarantee, guarantees_of, number


@dataclass(frozen=True, kw_only=True)
class Help:
    """The smallest change of one parameter that makes a guarantee say something.

    Parameters
    ----------
    parameter : str
        A parameter of the platform, or "horizon".
    value : float or None
        The new value; None if no change of this parameter alone was found to help.
    effect : str
        What else the change does, or why it does not help.
    """

    parameter: str
    value: float | None
    effect: str

    def to_data(self) -> dict[str, Any]:
        """Return it as plain JSON data."""
        return asdict(self)


#: k is tried up to so many doublings away.
_DOUBLINGS = 16
_EXPONENTS = (*(i / 20 for i in range(1, 20)), 0.99)
_CONFIDENCES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99)


@dataclass(frozen=True, kw_only=True)
class _Question:
    """Which guarantee should say something, of which setting, at which horizon."""

    setting: Setting
    name: str
    horizon: int
    method: str

    def changed(self, parameter: str, value: float) -> Setting:
        platform = replace(self.setting.platform, **{parameter: value})
        return replace(self.setting, platform=platform)

    def solved(self, parameter: str, value: float) -> bool:
        try:
            guarantee = guarantees_of(self.changed(parameter, value), self.method)[self.name]
        except InputError:
            return False
        return guarantee.says_something(self.horizon)


def helps_of(setting: Setting, guarantee: Guarantee, horizon: int, method: str, starts: int | None) -> tuple[Help, ...]:
    """Return what would make a guarantee say something at a horizon, one item for each parameter.

    Parameters
    ----------
    setting : Setting
    guarantee : Guarantee
        One that says nothing yet.
    horizon : int
    method : {"paper", "sharp"}
    starts : int or None
        From which horizon it says something; see `bounds.worth.threshold.informative_from`.

    Notes
    -----
    k is tried up to a factor of 65,536 in both directions, alpha from 0.05 to 0.99, delta up to 0.99, c_max down to the
    dearest mean cost, q_min at every quality of a provider and between them. A value between two that were tried is
    the edge up to three digits.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> found = helps_of(setting, guarantees_of(setting)["identification"], 70_000, "paper", 76_851)
    >>> [(help.parameter, help.value) for help in found if help.value is not None]
    [('horizon', 76851), ('quality_threshold', 0.15), ('confidence', 0.32)]
    """
    question = _Question(setting=setting, name=guarantee.name, horizon=horizon, method=method)
    return (_longer(horizon, starts), *(_help(question, each, ways) for each, ways in _ways(setting).items()))


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
            [k * 2.0 ** (i / 2) for i in range(1, 2 * _DOUBLINGS + 1)],
            [k / 2.0 ** (i / 2) for i in range(1, 2 * _DOUBLINGS + 1)],
        ),
        "exploration_exponent": (
            [value for value in _EXPONENTS if value > alpha],
            [value for value in reversed(_EXPONENTS) if value < alpha],
        ),
        "confidence": ([value for value in _CONFIDENCES if value > delta],),
        "cost_bound": ([dearest] if 0 < dearest < platform.cost_bound else [],),
    }


_WITHOUT = {
    "quality_threshold": "no quality of a provider as the threshold helps",
    "exploration_scale": "no k tried helps, from k / 65,536 to 65,536 k",
    "exploration_exponent": "no alpha tried helps, from 0.05 to 0.99",
    "confidence": "a larger delta does not help, up to 0.99",
    "cost_bound": "a smaller c_max does not help, down to the dearest mean cost",
}


def _help(question: _Question, parameter: str, ways: Iterable[Sequence[float]]) -> Help:
    now = float(getattr(question.setting.platform, parameter))
    found = [value for way in ways if (value := _nearest(question, parameter, now, way)) is not None]
    if not found:
        return Help(parameter=parameter, value=None, effect=_WITHOUT[parameter])
    by_factor = parameter == "exploration_scale"
    value = min(found, key=lambda each: abs(math.log(each / now) if by_factor else each - now))
    return Help(parameter=parameter, value=value, effect=_effect(question, parameter, value))


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
        scale = 10.0 ** (digits - 1 - math.floor(math.log10(abs(helps)))) if helps else 1.0
        short = (math.ceil if helps > fails else math.floor)(helps * scale) / scale
        if min(helps, last) <= short <= max(helps, last) and question.solved(parameter, short):
            return short
    return helps


def _longer(horizon: int, starts: int | None) -> Help:
    if starts is None:
        return Help(parameter="horizon", value=None, effect="no horizon helps")
    effect = f"{starts / horizon:,.3g} times as many queries" if starts > horizon else "it says something there"
    return Help(parameter="horizon", value=starts, effect=effect)


def _effect(question: _Question, parameter: str, value: float) -> str:
    """Say what else a change does: to who is qualified, to the exploration, to the other guarantees."""
    old, new = question.setting, question.changed(parameter, value)
    said = [*_of_parameter(question, new, parameter), *_of_market(old, new), *_of_others(question, new)]
    return "; ".join(said) or "nothing else changes"


def _of_parameter(question: _Question, new: Setting, parameter: str) -> list[str]:
    if parameter == "confidence":
        return [f"everything then holds with probability {1 - new.platform.confidence:.3g} only"]
    if parameter == "cost_bound":
        return ["no cost, bid or payment may then exceed it"]
    if parameter not in ("exploration_scale", "exploration_exponent"):
        return []
    formula = METHODS[question.method].exploration_steps
    old, now = (
        number(formula, guarantees_of(each)["quality_regret"].values, question.horizon)
        for each in (question.setting, new)
    )
    shown = [f"{100 * min(1.0, steps / question.horizon):.3g}%" for steps in (old, now)]
    return [f"exploration may take {shown[1]} of the queries, now {shown[0]}"]


def _of_market(old: Setting, new: Setting) -> list[str]:
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
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _of_others(question: _Question, new: Setting) -> list[str]:
    before, after = (guarantees_of(each, question.method) for each in (question.setting, new))
    said = {
        name: (before[name].says_something(question.horizon), after[name].says_something(question.horizon))
        for name in before
        if name != question.name
    }
    gained, lost = (
        [name.replace("_", " ") for name, pair in said.items() if pair == wanted]
        for wanted in ((False, True), (True, False))
    )
    return [
        f"{told}: {', '.join(names)}"
        for told, names in (("says something too", gained), ("says nothing any more", lost))
        if names
    ]
