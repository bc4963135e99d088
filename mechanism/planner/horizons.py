"""From which horizon on a goal can be met, or up to which: at one choice of k and alpha, or by any that are tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bounds.limits import LARGEST_HORIZON
from mechanism.planner.goals import IDENTIFY, PAYMENT, Floats, Goal
from mechanism.planner.search import useful

#: Returns the least bound of a goal over pairs of k and alpha, and which pair.
Least = Callable[[Goal, Floats, Floats], tuple[float, int]]
#: Ratio of neighbouring horizons on the first grid, and the relative width at which the search between two ends.
RATIO, _WIDTH = 1.5, 1e-3


def horizon_of(
    goal: Goal, n_providers: int, least: Least, scale: Floats, exponent: Floats, *, ratio: float = RATIO
) -> int | None:
    """Return from which horizon on one of the pairs of k and alpha meets a goal, or up to which.

    `least` returns the least bound of a goal over pairs, and which pair.

    Identification and payments have a least horizon, from which on the goal is met up to 2^52 (payments: at each of a
    grid of horizons, `ratio` times as long each time); counts and budgets a largest one. None where there is none.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.planner.goals import goal_of
    >>> from mechanism.planner.ranges import settings_at
    >>> from mechanism.planner.search import least_at_worst
    >>> setting = published("gpqa-strong").setting
    >>> own = np.array([2.0]), np.array([0.75])
    >>> def least(goal, scale, exponent):
    ...     return least_at_worst(goal, settings_at(setting, {}), "sharp", scale, exponent, [0])
    >>> horizon_of(goal_of("identify-by=70000", setting, 0), setting.n_providers, least, *own)
    88614
    """
    best = np.full((2, 1), np.nan)

    def met(horizon: int) -> bool:
        nonlocal best
        asked = replace(goal, horizon=horizon)
        pairs = np.stack(useful(scale, exponent, horizon, n_providers) if len(scale) > 1 else (scale, exponent))
        # The best pair of another horizon mostly meets it here, too: then no other is looked at.
        again = (pairs == best).all(axis=0)
        for part in (again, ~again):
            if part.any():
                scales, exponents = tried = pairs[:, part]
                value, place = least(asked, scales, exponents)
                if value <= asked.limit:
                    best = tried[:, [place]]
                    return True
        return False

    if goal.kind == IDENTIFY:
        value, _ = least(goal, scale, exponent)
        return int(value) if np.isfinite(value) else None
    grid = [n_providers]
    while grid[-1] < LARGEST_HORIZON:
        grid.append(min(int(grid[-1] * ratio) + 1, LARGEST_HORIZON))
    if goal.kind == PAYMENT:  # met from a horizon on: the least is looked for from the largest down
        grid.reverse()
    place = next((at for at, horizon in enumerate(grid) if not met(horizon)), len(grid))
    if place in (0, len(grid)):
        return grid[-1] if place else None
    return _narrowed(grid[place - 1], grid[place], met)


def _narrowed(inside: int, outside: int, met: Callable[[int], bool]) -> int:
    """Return a horizon at which a goal is met, within a thousandth of one at which it is not."""
    while abs(outside - inside) > max(1, _WIDTH * min(inside, outside)):
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if met(middle) else (inside, middle)
    return inside
