"""A test of the premise that every observation has its mean whatever came before, right whenever one looks or stops.

Let x_1, x_2, ... have the means m_1, m_2, ... given all that came before, and nothing else be assumed. Somebody who
starts with 1 and bets b_t, chosen before x_t is seen, has after t of them

    capital_t = prod over s <= t of (1 + b_s (x_s - m_s)),

a nonnegative martingale as long as no factor can be negative, and so is an average of several of them. By Ville's
inequality it ever reaches 1/error with probability at most `error`. So a capital that has reached it is a witness that
the premise fails, however often somebody has looked.

What it bets on is that the questions of a pass are asked once each. Whoever has seen more correct answers than expected
in a pass will see fewer in the rest of it. Say that questions account for a share r of the variance, and that the n
first of a pass of K exceeded their means by Z together. Of Z, the part Z r (1 - n/K) / (1 - r n/K) is expected to be
due to their questions, and the K - n questions that are left fall short of their means by as much. So the next one is
expected to be off by -Z r / (K - r n); with r = 1 this is drawing without replacement. Kelly's bet on a shift is the
shift over the variance. The share r is not known, so `SHARES` of it share the capital. Where several providers serve,
the excess of all of them is summed, each in units of its own spread: hard questions are hard for all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError

Floats = NDArray[np.float64]

#: Shares of the variance that questions may account for, each with an equal part of the capital.
SHARES: tuple[float, ...] = (1.0, 0.9, 0.75, 0.5, 0.25)
#: No bet risks more than this share of the capital.
_MOST = 0.9
#: Rounding must not lift a capital over its threshold.
_ROUNDING = 1e-9


def log_capital(values: ArrayLike, means: ArrayLike, spreads: ArrayLike, *, largest: float, questions: int) -> Floats:
    """Return the logarithm of the capital after each observation.

    Parameters
    ----------
    values, means : array_like of float, shape (t,)
        What was observed, in [0, largest], and the mean that it has by the premise.
    spreads : array_like of float, shape (t,)
        About the standard deviation; any number above 0 that was known beforehand is right, a good one bets better.
    largest : float
        No observation is larger.
    questions : int
        K: passes of so many observations, each a fresh order of the same questions.

    Raises
    ------
    InputError
        A value lies outside the range, or an argument does.

    Examples
    --------
    >>> alternating = [1.0, 0.0] * 50  # two questions, one of them right: the second of each pass is known
    >>> capital = log_capital(alternating, [0.5] * 100, [0.5] * 100, largest=1.0, questions=2)
    >>> bool(capital[-1] > 13.8)
    True
    """
    x, mean, spread = (np.asarray(each, dtype=np.float64) for each in (values, means, spreads))
    if not 0 < largest < np.inf:
        raise InputError("largest", largest, "must be positive and finite", "it bounds what is observed")
    if questions < 1:
        raise InputError("questions", questions, "must be 1 or more", "it is the number of questions of a pass")
    outside = ~((x >= 0) & (x <= largest * (1 + _ROUNDING)))
    if outside.any():
        remedy = "the range must be known beforehand"
        raise InputError("values", float(x[outside][0]), f"lies outside [0, {largest!r}]", remedy)
    place = np.arange(len(x)) % questions
    excess = np.divide(x - mean, spread, out=np.zeros(len(x)), where=spread > 0)
    total = np.cumsum(excess)
    # What the pass had exceeded its means by before this observation.
    before = total - excess
    seen = before - before[np.arange(len(x)) - place]
    # A factor is least at 0 or at the largest value.
    low = -_MOST / np.maximum(largest - mean, 1e-300)
    high = _MOST / np.maximum(mean, 1e-300)
    logs = np.full(len(x), -np.inf)
    for share in SHARES:
        shift = -seen * share / (questions - share * place)
        bets = np.clip(np.divide(shift, spread, out=np.zeros(len(x)), where=spread > 0), low, high)
        grown = np.cumsum(np.log1p(bets * (np.minimum(x, largest) - mean)))
        logs = np.logaddexp(logs, grown - np.log(len(SHARES)))
    return logs


def rejected_after(logs: Floats, error: float) -> int | None:
    """Return after how many observations the premise is rejected; None if it is not.

    Parameters
    ----------
    logs : array of float
        Of `log_capital`.
    error : float
        In (0, 1): a premise that is right is ever rejected with at most this probability.

    Examples
    --------
    >>> rejected_after(np.array([0.0, 3.1, 1.0]), 0.05), rejected_after(np.array([0.0]), 0.05)
    (2, None)
    """
    if not 0 < error < 1:
        raise InputError("error", error, "must lie in (0, 1)", "1e-6 is a false alarm in a million")
    reached = np.flatnonzero(logs >= -np.log(error) + _ROUNDING)
    return int(reached[0]) + 1 if len(reached) else None
