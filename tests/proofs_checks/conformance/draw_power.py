"""How likely the test of uniformity finds a biased draw, in exact arithmetic."""

from __future__ import annotations

import math

import numpy as np
import scipy

from proofs_checks.conformance.checks.uniformity import log_return


def power(probability: float, *, size: int, draws: int, among: int, false_alarm: float) -> float:
    """Return a lower bound on how likely a test rejects `draws` that favour or avoid one of `size` members.

    The member is drawn with `probability`; the test has `among` gamblers (see `gamblers`) and the level `false_alarm`.
    The money of one gambler after the last draw is a function of a binomial count: the bound is exact arithmetic.
    """
    hits = np.arange(draws + 1)[:, None]
    money = hits * log_return(size, 1, True) + (draws - hits) * log_return(size, 1, False)
    found = money.max(axis=1) >= math.log(among / false_alarm)
    return float(scipy.stats.binom.pmf(np.arange(draws + 1), draws, probability)[found].sum())
