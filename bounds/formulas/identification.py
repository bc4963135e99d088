"""The identification horizon T_id: from when on the optimal provider must lead, decided exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from bounds.formulas.crossings import Wholes, first_crossing, first_crossings, last_failures
from bounds.formulas.selection import IDENTIFICATION_BOUND, IDENTIFICATION_BOUND_MAIN_TEXT
from bounds.language.arithmetic import Array
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
    return _or_none(identification_horizons(values, 1, needed, twice))


def identification_horizons(
    values: Mapping[str, Any],
    size: int,
    needed: Callable[[Mapping[str, Any]], Array] = IDENTIFICATION_BOUND,
    twice: bool = True,
    latest: int = LARGEST_HORIZON,
) -> Wholes:
    """Return `identification_horizon` of many settings; NaN where there is none.

    Parameters
    ----------
    values : mapping
        Inputs of formulas but for the horizon: one number for all settings, or one for each on the first axis.
    size : int
        How many settings there are.
    needed : callable, optional
        From the inputs, the horizon among them, to the bound of each setting: a formula is one.
    twice : bool, optional
    latest : int, optional
        What comes later is not looked for; nothing at all if it is N.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> values = formula_inputs(published("gpqa-strong").setting) | {"confidence": np.array([0.05, 0.1])}
    >>> identification_horizons(values, 2).tolist()
    [153697.0, 148553.0]
    """
    n = int(values["n_providers"])
    return lasting_horizons(
        lambda horizons: needed({**values, "horizon": horizons}), n, size, twice=twice, latest=latest
    )


def lasting_horizon(needed: Callable[[Wholes], Array], n: int) -> int | None:
    """Return the least T such that T' > N + needed(T') for every T' >= T; None if there is none.

    Parameters
    ----------
    needed : callable
        As `needed` of `identification_horizon`, from any number of T to the value at each.
    n : int
        N.

    Examples
    --------
    >>> lasting_horizon(lambda horizons: 100 + horizons // 1000, 4)
    105
    """
    return _or_none(lasting_horizons(needed, n, 1))


def lasting_horizons(
    needed: Callable[[Wholes], Array], n: int, size: int, *, twice: bool = False, latest: int = LARGEST_HORIZON
) -> Wholes:
    """Return what `lasting_horizon` does for many bounds at once; NaN where there is none.

    Parameters
    ----------
    needed : callable
        From T of shape (K, size) to the bounds there.
    n : int
        N, of all of them.
    size : int
        How many bounds there are.
    twice : bool, optional
    latest : int, optional
        What comes later is not looked for; nothing at all if it is N.
    """
    if latest <= n:
        return np.full(size, np.nan)
    factor = 2 if twice else 1

    def reach(horizons: Wholes) -> Array:
        with np.errstate(over="ignore"):  # infinite is more than any horizon
            return np.broadcast_to(n + factor * needed(horizons), horizons.shape)

    # With the real g(T) in place of its integer cap a crossing is final (see below), and no cap grows by more
    # than one. So a lead of over N caps is final, and all failures lie below it.
    top, crossed = first_crossings(lambda horizons: horizons - reach(horizons) > factor * n, n, size, latest, entries=n)
    last = last_failures(reach, np.where(crossed, top, n))
    return np.where(crossed, last + 1.0, np.nan)


def _or_none(horizons: Wholes) -> int | None:
    [found] = horizons.tolist()
    return None if math.isnan(found) else int(found)


def main_text_identification_horizon(values: Mapping[str, Any]) -> int | None:
    """Return the least T with T > N + 2 B_id(T), with the real-valued B_id of thm:sample-complexity.

    There T > N + 2 B_id(T) implies the slope 2 B_id'(T) < alpha < 1, so the first crossing is final.
    """

    def holds(horizons: list[int]) -> list[bool]:
        return [main_text_condition(values, horizon) for horizon in horizons]

    return first_crossing(holds, int(values["n_providers"]))


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
