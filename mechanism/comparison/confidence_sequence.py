"""A confidence sequence for the mean of bounded numbers: an interval after each of them, all right at the same time.

Why it is right. Let d_1, d_2, ... lie in [-L, L], and let each have the mean mu given those before it; nothing else is
assumed. Put x_t = (d_t + L) / (2 L), in [0, 1], and let m be (mu + L) / (2 L). Somebody who starts with 1 and bets the
share g in (0, 1) of a capital on large x has, after t numbers,

    up_t(m, g) = prod over s <= t of (1 + g (x_s / m - 1)),

and with the share g on small x, down_t(m, g), the same of 1 - x_s and 1 - m. Each factor is at least 1 - g > 0 and has
the mean 1 given the past, so each product is a nonnegative martingale that starts at 1, and so is any average of them
with weights fixed beforehand. By Ville's inequality such an average ever reaches 1 / a with probability at most a. We
average over g with `WEIGHTS`, up and down apart, and reject m once either average reaches 2 / error: at the true m that
ever happens with probability at most error, whenever somebody looks or stops.

What is not rejected is an interval: every factor of `up` falls as m grows, so its average does, and `down` the other
way round. This is the betting of Waudby-Smith and Ramdas (2024, "Estimating means of bounded random variables by
betting") with bets averaged over a grid. The weights sum to less than 1, which only loses capital.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError

Floats = NDArray[np.float64]

_GRID = 12
#: Shares of the capital that are bet: from nearly all of it, for numbers that hardly vary, down by halves.
SHARES: Floats = np.asarray(0.99 * 0.5 ** np.arange(_GRID), dtype=np.float64)
#: How much of the capital bets each share: 1/2, 1/6, 1/12, ...; together 1 - 1/(_GRID + 1).
WEIGHTS: Floats = 1.0 / ((np.arange(_GRID) + 1.0) * (np.arange(_GRID) + 2.0))
#: Rounding must not lift a capital over its threshold.
_ROUNDING = 1e-9
#: Halvings that find an end of an interval: more would not move a double.
_HALVINGS = 60


def decided_after(differences: ArrayLike, *, largest: float, error: float) -> NDArray[np.int64]:
    """Return after how many numbers zero is rejected as their mean; 0 where it is not yet.

    Parameters
    ----------
    differences : array_like of float, shape (..., t)
        In [-largest, largest], in the order in which they came.
    largest : float
        L > 0, known beforehand.
    error : float
        In (0, 1): a mean of zero is ever rejected with at most this probability.

    Returns
    -------
    array of int, shape (...)

    Raises
    ------
    InputError
        A number lies outside the range, or an argument does.

    Examples
    --------
    >>> decided_after([[1.0] * 20, [1.0, -1.0] * 10], largest=2.0, error=0.05).tolist()
    [11, 0]
    """
    scaled = _scaled(differences, largest, error)
    crossed = _up(scaled, 0.5, error) | _up(1.0 - scaled, 0.5, error)
    first = crossed.argmax(axis=-1) + 1 if crossed.shape[-1] else np.zeros(crossed.shape[:-1], dtype=np.int64)
    return np.asarray(np.where(crossed.any(axis=-1), first, 0), dtype=np.int64)


def mean_interval(differences: ArrayLike, *, largest: float, error: float) -> tuple[float, float]:
    """Return the interval in which the mean lies: the intersection of those after each number.

    Arguments as of `decided_after`, of one sequence. With probability 1 - error at least, the mean lies in the
    intervals after 1, 2, 3, ... numbers, all of them.

    Examples
    --------
    >>> low, high = mean_interval([1.0] * 20, largest=2.0, error=0.05)
    >>> 0 < low < 1 < high <= 2
    True
    >>> mean_interval([], largest=2.0, error=0.05)
    (-2.0, 2.0)
    """
    scaled = _scaled(differences, largest, error)
    low, high = _lower_end(scaled, error), 1.0 - _lower_end(1.0 - scaled, error)
    return max(-largest, (2 * low - 1) * largest), min(largest, (2 * high - 1) * largest)


def _lower_end(scaled: Floats, error: float) -> float:
    """Return the largest mean below which all are rejected, found by halving; 0 where none is."""
    rejected, open_ = 0.0, 1.0
    # A mean of zero, 0.5 here, is tried first, so that the interval and the decision say the same.
    for _ in range(_HALVINGS + 1):
        middle = (rejected + open_) / 2
        if bool(_up(scaled, middle, error).any()):
            rejected = middle
        else:
            open_ = middle
    return rejected


def _up(scaled: Floats, mean: float, error: float) -> NDArray[np.bool_]:
    """Return after which numbers the capital that bet on more than a mean has reached 2 / error."""
    logs = np.full(scaled.shape, -np.inf)
    for share, weight in zip(SHARES.tolist(), WEIGHTS.tolist(), strict=True):
        grown = np.log1p(share * (scaled / mean - 1.0)).cumsum(axis=-1)
        logs = np.logaddexp(logs, grown + np.log(weight))
    return np.asarray(logs >= np.log(2.0 / error) + _ROUNDING)


def _scaled(differences: ArrayLike, largest: float, error: float) -> Floats:
    """Return differences as shares of their range, in [0, 1]."""
    values: NDArray[Any] = np.asarray(differences, dtype=np.float64)
    if not 0 < largest < np.inf:
        raise InputError("largest", largest, "must be positive and finite", "it bounds what can differ")
    if not 0 < error < 1:
        raise InputError("error", error, "must lie in (0, 1)", "0.05 is usual")
    beyond = ~(np.abs(values) <= largest * (1 + _ROUNDING))
    if beyond.any():
        rule = f"lies outside [-{largest!r}, {largest!r}]"
        raise InputError("differences", float(values[beyond][0]), rule, "the range must be known beforehand")
    return np.asarray(np.clip((values / largest + 1.0) / 2.0, 0.0, 1.0))
