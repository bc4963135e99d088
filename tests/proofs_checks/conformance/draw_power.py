"""How likely the test of uniformity finds a biased draw, in exact arithmetic."""

from __future__ import annotations

import math

import numpy as np
import scipy

from proofs_checks.conformance.checks.uniformity import log_return


def power(probability: float, *, size: int, draws: int, among: int, false_alarm: float) -> float:
    """Return at least how likely a test rejects draws that favour, or avoid, one member that a gambler names.

    One gambler's money alone is counted, after the last draw: it is a function of a binomial count, so that the
    bound is exact arithmetic, not a simulation.

    Parameters
    ----------
    probability : float
        With which the member is drawn, in [0, 1].
    size : int
        Members of the set.
    draws : int
    among : int
        Gamblers of the test, see `gamblers`.
    false_alarm : float
        alpha of the test.
    """
    hits = np.arange(draws + 1)[:, None]
    money = hits * log_return(size, 1, True) + (draws - hits) * log_return(size, 1, False)
    found = money.max(axis=1) >= math.log(among / false_alarm)
    return float(scipy.stats.binom.pmf(np.arange(draws + 1), draws, probability)[found].sum())
