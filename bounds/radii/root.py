"""Where convex functions that increase from below 0 cross it, many at once, from above."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bounds.language.arithmetic import Array

#: Most steps, and when they end, relative to where they are.
_STEPS, CLOSE = 100, 1e-11


def root_from_above(step: Callable[[Array, Array], Array], start: Array, least: float = 1 / 8) -> Array:
    """Return the roots of convex increasing functions by Newton's steps, which come from above and never pass them.

    Parameters
    ----------
    step : callable
        From points and the indices of their functions to value over slope there.
    start : array
        At the roots or above.
    least : float, optional
        No step goes below this share of where it starts.

    Returns
    -------
    array
        Each is a hair more than the last point, to make up for rounding.

    Examples
    --------
    >>> root_from_above(lambda x, at: (x**2 - 2) / (2 * x), np.array([2.0])).round(6)
    array([1.414214])
    """
    found = start.copy()
    going_on = np.arange(len(start))
    for _ in range(_STEPS):
        if not len(going_on):
            break
        point = found[going_on]
        next_point = np.maximum(point - step(point, going_on), least * point)
        found[going_on] = next_point
        going_on = going_on[np.abs(next_point - point) > CLOSE * point]
    return np.asarray(found * (1 + CLOSE))
