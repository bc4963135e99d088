"""T_id of many settings at once: the bisection of `bounds.formulas.identification`, on all of them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.crossings import Horizons, first_crossings, last_failures
from bounds.limits import LARGEST_HORIZON


def identification_horizons(
    values: Mapping[str, Any],
    size: int,
    needed: Callable[[Mapping[str, Any]], Any],
    twice: bool,
    latest: int = LARGEST_HORIZON,
) -> NDArray[np.float64]:
    """Return the least T such that T' > N + 2 B_id(T') for every T' >= T, of many settings; NaN where there is none.

    Parameters
    ----------
    values : mapping
        Inputs of formulas but for the horizon: one number for all settings, or one for each on the first axis.
    size : int
        How many settings there are.
    needed : callable
        From the inputs, the horizon among them, to the bound of each setting: a formula is one.
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

    top, crossed = first_crossings(lambda steps: steps - reach(steps) > factor * n, n, size, latest)
    last = last_failures(reach, np.where(crossed, top, n))
    return np.where(crossed, last + 1.0, np.nan)
