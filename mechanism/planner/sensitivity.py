"""What each gap contributes: how the bounds on the goals, and T_id, change where it is a tenth smaller or larger."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.grid.columns import SettingColumns
from bounds.setting.model import Setting
from mechanism.planner.goals import Goal, goal_values

#: By which part a gap shrinks and grows.
CHANGE = 0.1


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """How the goals' bounds depend on one gap.

    Parameters
    ----------
    provider : str
    gap_kind : {"quality", "cost"}
        How far a quality is below the threshold, or a mean cost above that of i*.
    gap : float
    at_hand, smaller, larger : tuple of float or None
        The bound on every goal: with the gap as it is, a tenth smaller, a tenth larger.
    can_grow : bool
        Whether the gap can be a tenth larger: a quality is at least 0, a mean cost at most c_max. `larger` is None
        where it cannot.
    """

    provider: str
    gap_kind: str
    gap: float
    at_hand: tuple[float | None, ...]
    smaller: tuple[float | None, ...]
    larger: tuple[float | None, ...]
    can_grow: bool

    def to_data(self, goals: Sequence[Goal]) -> dict[str, Any]:
        """Return it as plain JSON data."""
        columns = zip(goals, self.at_hand, self.smaller, self.larger, strict=True)
        bounds = [
            {"goal": goal.text, "at_hand": at, "smaller": less, "larger": more} for goal, at, less, more in columns
        ]
        return {"provider": self.provider, "gap_kind": self.gap_kind, "gap": self.gap, "bounds": bounds}


def sensitivities(setting: Setting, goals: Sequence[Goal], method: str) -> tuple[Sensitivity, ...]:
    """Return what every gap of a setting contributes to the goals; none where there is no unique i*.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.planner.goals import goal_of
    >>> setting = published("gpqa-strong").setting
    >>> for each in sensitivities(setting, [goal_of("identify-by=70000", setting, 0)], "sharp"):
    ...     if each.gap_kind == "quality":
    ...         print(each.provider, each.smaller, each.at_hand, each.larger)
    Qwen2-0.5B (89982,) (88614,) (87618,)
    Llama-3.2-1B (108748,) (88614,) (73932,)
    """
    gaps = list(_gaps(setting))
    if not gaps:
        return ()
    rows = 1 + 2 * len(gaps)
    tables = {
        key: np.tile(np.array([getattr(each, key) for each in setting.providers], dtype=float), (rows, 1))
        for key in ("quality", "mean_cost")
    }
    grows = []
    for place, (index, key, base, gap) in enumerate(gaps):
        most = math.inf if key == "quality" else setting.platform.cost_bound
        grows.append(0 <= base + (1 + CHANGE) * gap <= most)
        for row, factor in ((2 * place + 1, 1 - CHANGE), (2 * place + 2, 1 + CHANGE)):
            tables[key][row, index] = min(max(base + factor * gap, 0.0), most)
    columns = SettingColumns(
        base=setting,
        horizon=np.full(rows, setting.n_providers),
        quality=tables["quality"],
        mean_cost=tables["mean_cost"],
    )
    values = goal_values(goals, columns, method)
    told = [tuple(_plain(value) for value in values[:, row]) for row in range(rows)]
    return tuple(
        Sensitivity(
            provider=setting.providers[index].name,
            gap_kind="quality" if key == "quality" else "cost",
            gap=abs(gap),
            at_hand=told[0],
            smaller=told[2 * place + 1],
            larger=told[2 * place + 2] if grows[place] else (None,) * len(goals),
            can_grow=grows[place],
        )
        for place, (index, key, _, gap) in enumerate(gaps)
    )


def _gaps(setting: Setting) -> Iterator[tuple[int, str, float, float]]:
    """Yield index, key, the value it is counted from, and the signed gap, for every gap that is not 0."""
    if setting.optimal is None:
        return
    threshold, best = setting.platform.quality_threshold, setting.providers[setting.optimal].mean_cost
    for index, provider in enumerate(setting.providers):
        if index in setting.unqualified:
            yield index, "quality", threshold, provider.quality - threshold
        if index != setting.optimal and provider.mean_cost > best:
            yield index, "mean_cost", best, provider.mean_cost - best


def _plain(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value)
