"""The search for k and alpha: those nearest to the setting's own that meet every goal at every corner."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bounds.grid.columns import SettingColumns
from bounds.limits import LARGEST_HORIZON
from bounds.setting.model import PlatformParameters, Setting
from mechanism.planner.goals import Floats, Goal, goal_values, ratios
from mechanism.planner.ranges import repeated

#: The k and alpha that are tried at first; without exploration up to any horizon at one end.
_SCALES = tuple(float(f"{value:.3g}") for value in np.geomspace(1e-3, 1e6, 61))
_EXPONENTS = (*(round(0.05 * step, 2) for step in range(1, 20)), 0.6667)
#: Rounds of refining, and steps to each side in a round.
_ROUNDS, _STEPS = 4, 5
#: g(T) of what is tried, at least and at most.
_LEAST_TARGET, _LARGEST_TARGET = 0.1, 1e8
#: A T_id of so many longest horizons is not looked for, unless it is before this one.
_LATE, _SOON = 64, 1 << 24
#: How far k and alpha move for one unit of distance: a doubling, a tenth.
_OF_SCALE, _OF_EXPONENT = math.log(2), 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Pairs of k and alpha, with the bound of every goal, at its worst over some settings.

    Parameters
    ----------
    scale, exponent : array of float, shape (P,)
    values : array of float, shape (G, P)
    worst : array of int, shape (G, P)
        Which setting each value is of.
    """

    scale: Floats
    exponent: Floats
    values: Floats
    worst: np.ndarray

    def largest_ratios(self, goals: Sequence[Goal]) -> Floats:
        """Return value over limit of the goal that is furthest from its limit, or least below it."""
        return np.asarray(ratios(goals, self.values).max(axis=0))


def candidates(
    goals: Sequence[Goal], settings: SettingColumns, method: str, scale: Floats, exponent: Floats
) -> Candidates:
    """Evaluate the goals for pairs of k and alpha, each at the setting that is worst for it.

    Of several pairs, a T_id of more than 64 times the longest horizon, and 2^24, counts as none.
    """
    latest = LARGEST_HORIZON if len(scale) == 1 else max(_LATE * max(goal.horizon for goal in goals), _SOON)
    values = goal_values(goals, repeated(settings, scale, exponent), method, min(latest, LARGEST_HORIZON))
    table = values.reshape(len(goals), len(settings), len(scale))
    worst = table.argmax(axis=1)
    return Candidates(scale=scale, exponent=exponent, values=table.max(axis=1), worst=worst)


def least_at_worst(
    goal: Goal, settings: SettingColumns, method: str, scale: Floats, exponent: Floats, rows: list[int]
) -> tuple[float, int]:
    """Return the least bound of a goal over pairs of k and alpha, each at the worst of all settings, and which pair.

    Only the settings in `rows` are evaluated for every pair. The setting that is worst for the best pair joins them,
    until none is worse than those in `rows`: then no pair does better in all settings.
    """
    while True:
        found = candidates([goal], settings.rows(rows), method, scale, exponent).values[0]
        place = int(found.argmin())
        there = candidates([goal], settings, method, scale[[place]], exponent[[place]])
        if not there.values[0, 0] > found[place]:
            return float(found[place]), place
        rows.append(int(there.worst[0, 0]))


def useful(scale: Floats, exponent: Floats, horizon: int, n_providers: int) -> tuple[Floats, Floats]:
    """Return the pairs of k and alpha with g(T) of 0.1 at least, and of T and 10^8 at most.

    With a smaller g(T) nobody is explored either, and with a larger one hardly anything else happens. Whole numbers
    above 5 10^8 are decided one by one, which would take minutes.

    Examples
    --------
    >>> useful(np.array([1.0, 1e6]), np.array([0.5, 0.75]), 10_000, 4)[0].tolist()
    [1.0]
    """
    target = scale * (horizon / n_providers) ** exponent
    kept = (target >= _LEAST_TARGET) & (target <= min(horizon, _LARGEST_TARGET))
    return scale[kept], exponent[kept]


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """What a search came to: k and alpha, and whether they meet every goal; else those that come nearest to it."""

    scale: float
    exponent: float
    feasible: bool


def first_candidates(setting: Setting) -> tuple[Floats, Floats]:
    """Return all pairs of k and alpha that are tried at first, those with the setting's own k or alpha among them."""
    platform = setting.platform
    return _pairs({*_SCALES, platform.exploration_scale}, {*_EXPONENTS, platform.exploration_exponent})


def _pairs(scales: Iterable[float], exponents: Iterable[float]) -> tuple[Floats, Floats]:
    mesh = np.meshgrid(sorted(scales), sorted(exponents), indexing="ij")
    return mesh[0].ravel(), mesh[1].ravel()


def search(goals: Sequence[Goal], setting: Setting, settings: SettingColumns, method: str) -> SearchResult:
    """Return the k and alpha nearest to the setting's own that meet every goal in all settings.

    The distance counts doublings of k and tenths of alpha. Where no pair meets the goals, the one with the least
    largest ratio of value over limit is returned. Values are rounded to four digits before they are tried.
    """
    own = setting.platform
    mine = np.array([own.exploration_scale]), np.array([own.exploration_exponent])
    if candidates(goals, settings, method, *mine).largest_ratios(goals)[0] <= 1:
        return SearchResult(scale=own.exploration_scale, exponent=own.exploration_exponent, feasible=True)
    n, horizon = setting.n_providers, max(goal.horizon for goal in goals)
    tried = candidates(goals, settings, method, *useful(*first_candidates(setting), horizon, n))
    best = _best(tried, goals, own)
    reach, room = math.log(_SCALES[1] / _SCALES[0]), 0.05
    for _ in range(_ROUNDS):
        offsets = np.linspace(-1, 1, 2 * _STEPS + 1)
        scales = {float(f"{best.scale * math.exp(reach * step):.4g}") for step in offsets}
        exponents = {round(best.exponent + room * step, 4) for step in offsets}
        scales |= {best.scale, own.exploration_scale}
        exponents |= {best.exponent, own.exploration_exponent}
        kept = (
            value
            for value in exponents
            if _EXPONENTS[0] <= value <= _EXPONENTS[-2] or value == own.exploration_exponent
        )
        tried = candidates(goals, settings, method, *useful(*_pairs(scales, kept), horizon, n))
        best = _best(tried, goals, own)
        reach, room = reach / _STEPS * 1.5, room / _STEPS * 1.5
    return best


def _best(tried: Candidates, goals: Sequence[Goal], own: PlatformParameters) -> SearchResult:
    largest = tried.largest_ratios(goals)
    feasible = bool((largest <= 1).any())
    most = 1.0 if feasible else largest.min() * (1 + 1e-9)
    place = int(np.where(largest <= most, distance(tried.scale, tried.exponent, own), np.inf).argmin())
    return SearchResult(scale=float(tried.scale[place]), exponent=float(tried.exponent[place]), feasible=feasible)


def with_parameters(
    setting: Setting, scale: float, exponent: float, confidence: float, radius: str | None = None
) -> Setting:
    """Return a setting with other k, alpha and delta, and with another radius if one is named."""
    platform = replace(setting.platform, exploration_scale=scale, exploration_exponent=exponent, confidence=confidence)
    return replace(setting, platform=platform if radius is None else replace(platform, radius=radius))


def distance(scale: ArrayLike, exponent: ArrayLike, own: PlatformParameters) -> Floats:
    """Return how far k and alpha are from a platform's own, in doublings and tenths.

    Examples
    --------
    >>> distance([4.0, 2.0], [0.5, 0.7], PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.5)).round(6).tolist()
    [1.0, 2.0]
    """
    doublings = np.abs(np.log(np.divide(scale, own.exploration_scale))) / _OF_SCALE
    return np.asarray(doublings + np.abs(np.subtract(exponent, own.exploration_exponent)) / _OF_EXPONENT)
