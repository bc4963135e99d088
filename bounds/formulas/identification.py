"""The identification horizon T_id: from when on the optimal provider must lead, decided exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from bounds.formulas.selection import IDENTIFICATION_BOUND, IDENTIFICATION_BOUND_MAIN_TEXT
from bounds.language.computed import Stated
from bounds.limits import LARGEST_HORIZON


def identification_horizon(
    values: Mapping[str, Any], needed: Stated = IDENTIFICATION_BOUND, twice: bool = True
) -> int | None:
    """Return the least T such that T' > N + 2 B_id(T') for every T' >= T (claim:T_id).

    With the integer exploration cap the condition can hold at T and fail at T + 1, so the first crossing is
    no threshold; the last failure is.

    Parameters
    ----------
    values : mapping
        See `bounds.setting.formula_inputs.formula_inputs`.
    needed : Formula, optional
        The integer-valued bound, nondecreasing in T: a sum of caps (and perhaps one cap more), each of which
        grows with T through ceil(g(T)) - 1 only.
    twice : bool, optional
        Whether it counts twice (2 B_id) or, for a bound on B + max cap, once.

    Returns
    -------
    int or None
        None if there is no such horizon below 2^52.
    """
    return lasting_horizon(lambda horizon: needed.value(values, horizon=horizon), int(values["n_providers"]), twice)


def lasting_horizon(needed: Callable[[int], float], n: int, twice: bool = False) -> int | None:
    """Return the least T such that T' > N + needed(T') for every T' >= T, or with `needed` counted twice.

    Parameters
    ----------
    needed : callable
        As `needed` of `identification_horizon`, from T to its value.
    n : int
        N.
    twice : bool, optional
        As there.

    Examples
    --------
    >>> lasting_horizon(lambda horizon: 100 + horizon // 1000, 4)
    105
    """
    factor = 2 if twice else 1

    def reach(horizon: int) -> float:
        return n + factor * needed(horizon)

    # With the real g(T) in place of its integer cap a crossing is final (see below), and no cap grows by more
    # than one. So a lead of over N caps is final, and all failures lie below it.
    top = first_crossing(lambda horizon: horizon - reach(horizon) > factor * n, n)
    return None if top is None else last_failure(reach, top) + 1


def main_text_identification_horizon(values: Mapping[str, Any]) -> int | None:
    """Return the least T with T > N + 2 B_id(T), with the real-valued B_id of thm:sample-complexity.

    There T > N + 2 B_id(T) implies the slope 2 B_id'(T) < alpha < 1, so the first crossing is final.
    """
    return first_crossing(lambda horizon: main_text_condition(values, horizon), int(values["n_providers"]))


def first_crossing_of_tightened_bound(values: Mapping[str, Any]) -> int | None:
    """Return the literal min{T : T > N + 2 B_id(T)} of the tightened bound, which need not be a threshold."""
    if identification_horizon(values) is None:
        return None
    size, start = 1, int(values["n_providers"])
    while True:
        horizons = np.arange(start, start + size, dtype=float)
        needed = values["n_providers"] + 2 * IDENTIFICATION_BOUND(values, horizon=horizons)
        if (horizons > needed).any():
            return int(horizons[np.argmax(horizons > needed)])
        # The bound only grows: no later horizon holds before it exceeds what the last one needed. Blocks serve
        # where these jumps are short.
        jump = int(needed[-1]) - int(horizons[-1])
        start += size + jump
        size = min(4 * size, _BLOCK) if jump < size else 1


_BLOCK = 1 << 16
#: Doubles decide a comparison unless the two sides are nearer than this, relatively; then enclosures do. Sums over a
#: million providers, which NumPy adds in pairs, err by less than 1e-14.
NEAR = 1e-12


def main_text_condition(values: Mapping[str, Any], horizon: int) -> bool:
    """Return whether T > N + 2 B_id(T), with the real-valued B_id of thm:sample-complexity; never wrong by rounding."""
    bound = IDENTIFICATION_BOUND_MAIN_TEXT.value(values, horizon=horizon)
    margin = horizon - values["n_providers"] - 2 * bound
    if abs(margin) > NEAR * horizon:
        return bool(margin > 0)
    box = IDENTIFICATION_BOUND_MAIN_TEXT.enclose(values, horizon=horizon, precision=512)
    return bool(Fraction(horizon - values["n_providers"]) > 2 * box.upper)


def first_crossing(holds: Callable[[int], bool], start: int) -> int | None:
    """Return a T >= start at which a condition holds while it fails just before; None if it fails at 2^52.

    Where the condition stays true once it is true, this is the first crossing.

    Examples
    --------
    >>> first_crossing(lambda horizon: horizon**2 > 50, 1)
    8
    """
    low, high = start - 1, start
    while not holds(high):
        if high == LARGEST_HORIZON:
            return None
        low, high = high, min(2 * high, LARGEST_HORIZON)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def last_failure(reach: Callable[[int], float], top: int) -> int:
    """Return the largest T below `top` with T <= reach(T), where reach does not decrease and is at least the least T.

    Above reach(T) nothing up to T fails: what T' in between needs is at most reach(T), which is less than T'.

    Examples
    --------
    >>> last_failure(lambda horizon: 10 + horizon // 4, 1000)
    13
    """
    horizon = top
    while horizon > (needed := reach(horizon)):
        horizon = int(needed)
    return horizon
