"""First crossings and last failures of many conditions on T at once, by bisection on all of them together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bounds.limits import LARGEST_HORIZON

Horizons = NDArray[np.int64]


def first_crossings(
    holds: Callable[[Horizons], NDArray[np.bool_]], start: int, size: int, latest: int = LARGEST_HORIZON
) -> tuple[Horizons, NDArray[np.bool_]]:
    """Return, for each, a T >= start at which a condition holds while it fails just before, and whether there is one.

    `bounds.formulas.identification.first_crossing` does it for one.

    Examples
    --------
    >>> limits = np.array([50, 2.0**53])
    >>> found, crossed = first_crossings(lambda steps: steps.astype(float)**2 > limits**2, 1, 2)
    >>> found[0], crossed.tolist()
    (np.int64(51), [True, False])
    """
    low, high = np.full(size, start - 1), np.full(size, start)
    held = holds(high)
    while (going := ~held & (high < latest)).any():
        low, high = np.where(going, high, low), np.where(going, np.minimum(2 * high, latest), high)
        held = holds(high)
    while ((high - low > 1) & held).any():
        middle = (low + high) // 2
        right = holds(middle)
        low, high = np.where(right, low, middle), np.where(right, middle, high)
    return high, held


def last_failures(reach: Callable[[Horizons], NDArray[np.float64]], top: Horizons) -> Horizons:
    """Return, for each, the largest T below `top` with T <= reach(T), where reach does not decrease.

    Examples
    --------
    >>> last_failures(lambda horizons: 10.0 + horizons // 4, np.array([1000])).tolist()
    [13]
    """
    horizons = top
    while (horizons > (needed := reach(horizons))).any():
        horizons = np.where(horizons > needed, np.minimum(needed, LARGEST_HORIZON), horizons).astype(np.int64)
    return horizons
