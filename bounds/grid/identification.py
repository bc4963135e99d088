"""T_id of many settings at once: the bisection of `bounds.formulas.identification`, on all of them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.language.formula import Formula
from bounds.limits import LARGEST_HORIZON

Horizons = NDArray[np.int64]


def identification_horizons(
    values: Mapping[str, Any], size: int, needed: Formula, twice: bool, latest: int = LARGEST_HORIZON
) -> NDArray[np.float64]:
    """Return the least T such that T' > N + 2 B_id(T') for every T' >= T, of many settings; NaN where there is none.

    Parameters
    ----------
    values : mapping
        Inputs of formulas but for the horizon: one number for all settings, or one for each on the first axis.
    size : int
        How many settings there are.
    needed : Formula
    twice : bool
        As `bounds.formulas.identification.identification_horizon` takes both; why this is right stands there.
    latest : int, optional
        What comes later is not looked for; nothing at all if it is N.

    Examples
    --------
    >>> from bounds.formulas.selection import IDENTIFICATION_BOUND
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> values = formula_inputs(published("gpqa-strong").setting) | {"confidence": np.array([0.05, 0.1])}
    >>> identification_horizons(values, 2, IDENTIFICATION_BOUND, True).tolist()
    [153697.0, 148553.0]
    """
    n, factor = int(values["n_providers"]), 2 if twice else 1
    if latest <= n:
        return np.full(size, np.nan)

    def reach(horizons: Horizons) -> NDArray[np.float64]:
        found = needed({**values, "horizon": horizons.astype(float)})
        with np.errstate(over="ignore"):  # infinite is more than any horizon
            return np.broadcast_to(n + factor * found, (size,))

    top, crossed = _first_crossings(lambda steps: steps - reach(steps) > factor * n, n, size, latest)
    last = _last_failures(reach, np.where(crossed, top, n))
    return np.where(crossed, last + 1.0, np.nan)


def _first_crossings(
    holds: Callable[[Horizons], NDArray[np.bool_]], start: int, size: int, latest: int = LARGEST_HORIZON
) -> tuple[Horizons, NDArray[np.bool_]]:
    """Return, for each, a T >= start at which a condition holds while it fails just before, and whether there is one.

    Examples
    --------
    >>> limits = np.array([50, 2.0**53])
    >>> found, crossed = _first_crossings(lambda steps: steps.astype(float)**2 > limits**2, 1, 2)
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


def _last_failures(reach: Callable[[Horizons], NDArray[np.float64]], top: Horizons) -> Horizons:
    """Return, for each, the largest T below `top` with T <= reach(T), where reach does not decrease."""
    horizons = top
    while (horizons > (needed := reach(horizons))).any():
        horizons = np.where(horizons > needed, np.minimum(needed, LARGEST_HORIZON), horizons).astype(np.int64)
    return horizons
