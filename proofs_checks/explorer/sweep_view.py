"""The market at one threshold after the other: what every policy ends with as the threshold rises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.policies_view import Outcomes
from proofs_checks.explorer.registry import weight
from proofs_checks.explorer.roster_view import midpoints
from proofs_checks.explorer.simulation import simulated

#: What can be chosen, each with what the page calls it; the first is where the page begins.
MODES: Mapping[str, str] = {"midpoints": "midpoints", "grid": "an even grid"}
POINTS: Mapping[str, str] = {str(number): f"at most {number}" for number in (6, 12, 18, 24)}
RUNS: Mapping[str, str] = {str(number): str(number) for number in (3, 1, 5, 10, 20, 50)}
#: Steps of one sweep, all thresholds, runs and policies together.
MOST_STEPS = 60_000_000
_DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class SweepChoice:
    """What a reader asks a sweep for: keys of `MODES`, `POINTS` and `RUNS`."""

    mode: str = next(iter(MODES))
    points: int = int(next(iter(POINTS)))
    runs: int = int(next(iter(RUNS)))

    @classmethod
    def of(cls, data: Any) -> SweepChoice:
        """Return what plain data choose; whatever is none of the choices is the first of them."""
        given = data if isinstance(data, Mapping) else {}

        def chosen(key: str, known: Mapping[str, str]) -> str:
            value = str(given.get(key))
            return value if value in known else next(iter(known))

        points, runs = int(chosen("points", POINTS)), int(chosen("runs", RUNS))
        return cls(mode=chosen("mode", MODES), points=points, runs=runs)


@dataclass(frozen=True, kw_only=True)
class SweepPlan:
    """What a sweep will do.

    Parameters
    ----------
    markets : tuple of Market
        One for each threshold, from the lowest.
    skipped : int
        Thresholds at which a policy cannot run, as an oracle without a single optimal provider.
    asked_runs : int
        Runs that were asked for; the markets have fewer where all would take long.
    """

    markets: tuple[Market, ...]
    skipped: int
    asked_runs: int

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The thresholds, from the lowest."""
        return tuple(market.setting.platform.quality_threshold for market in self.markets)

    @property
    def runs(self) -> int:
        """Runs at each threshold; 0 without any."""
        return self.markets[0].runs if self.markets else 0


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepPoint:
    """What the runs at a threshold ended with, by policy."""

    threshold: float
    qualified: int
    outcomes: Mapping[str, Outcomes]


def thresholds(setting: Setting, choice: SweepChoice) -> tuple[float, ...]:
    """Return the thresholds of a sweep: some of the midpoints, or an even grid between the extreme qualities.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> thresholds(setting, SweepChoice())
    (0.079413, 0.14509, 0.189751)
    >>> thresholds(setting, SweepChoice(mode="grid", points=2))
    (0.087535, 0.160612)
    """
    if choice.mode == "midpoints":
        found = midpoints(setting)
        if len(found) <= choice.points:
            return found
        return tuple(found[i] for i in np.linspace(0, len(found) - 1, choice.points).round().astype(int))
    qualities = [provider.quality for provider in setting.providers]
    low, high = min(qualities), max(qualities)
    places = (np.arange(choice.points) + 0.5) / choice.points
    return tuple(dict.fromkeys(round(low + (high - low) * place, _DIGITS) for place in places.tolist()))


def sweep_plan(market: Market, choice: SweepChoice) -> SweepPlan:
    """Return the markets that a sweep simulates: fewer runs of them where all would take long.

    Examples
    --------
    >>> from bounds.published import published
    >>> market = Market(setting=published("gpqa-strong").setting, horizon=500)
    >>> plan = sweep_plan(market, SweepChoice())
    >>> plan.runs, len(plan.markets)
    (3, 3)
    """
    places = thresholds(market.setting, choice)
    at_once = MOST_STEPS // (market.horizon * weight(market.policies) * max(1, len(places)))
    runs = max(1, min(choice.runs, at_once))
    markets, skipped = [], 0
    for place in places:
        platform = replace(market.setting.platform, quality_threshold=place)
        try:
            markets.append(replace(market, setting=replace(market.setting, platform=platform), runs=runs))
        except InputError:
            skipped += 1
    return SweepPlan(markets=tuple(markets), skipped=skipped, asked_runs=choice.runs)


@lru_cache(maxsize=256)
def sweep_point(market: Market) -> SweepPoint:
    """Return what the runs of a market ended with.

    Examples
    --------
    >>> from bounds.published import published
    >>> point = sweep_point(Market(setting=published("gpqa-strong").setting, horizon=500, runs=2))
    >>> point.threshold, point.qualified, point.outcomes["platform"].accuracy.shape
    (0.1451107, 2, (2,))
    """
    setting, found = market.prepared, simulated(market)
    return SweepPoint(
        threshold=setting.platform.quality_threshold,
        qualified=len(setting.qualified),
        outcomes={policy: Outcomes.of(setting, curves) for policy, curves in found.items()},
    )
