"""Stitched Hoeffding radius, for scores and costs: one maximal inequality for each epoch of counts.

Epoch k = 0, 1, ... holds the counts with 1.2^k <= m < 1.2^(k+1). The deviation S_m of a sum of numbers in [0, 1] from
its expectation has P(S_m >= x for some m <= n) <= exp(-2 x^2/n) (Doob for exp(l S_m), and Hoeffding's lemma). With

    r(m) = sqrt(1.2 ln(A_k)/(2m)),    A_k = 4N zeta(1.4) (k + 1)^1.4 / delta,

S_m >= m r(m) in epoch k means S_m >= sqrt(1.2^(k+1) ln(A_k)/2), since m >= 1.2^k; and the n of the epoch is below
1.2^(k+1). So each side fails in epoch k with probability 1/A_k at most, and these add up to delta/(4N).

Within an epoch r decreases; from one to the next it rises a little, since k does. A larger radius keeps the coverage,
so the radius is the largest r(m') of all m' >= m: it never increases.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bounds.language.arithmetic import Array
from bounds.radii.radius import Radius, log_budget

_RATIO, _POWER = Fraction(6, 5), 1.4
#: zeta(1.4) rounded up: a share of the budget too small is on the safe side.
_ZETA = 3.10554727797759
#: First whole count of every epoch up to 2^53, exactly; an epoch without one begins where the next does.
_STARTS = np.array([float(-(-(_RATIO**k).numerator // (_RATIO**k).denominator)) for k in range(202)])


def _plain(counts: Array, epochs: Array, n_providers: int, confidence: float) -> Array:
    logarithm = log_budget(n_providers, confidence) + np.log(_ZETA) + _POWER * np.log(epochs + 1)
    return np.asarray(np.sqrt(float(_RATIO) * logarithm / (2 * counts)))


def stitched(counts: Array, n_providers: int, confidence: float) -> Array:
    """Return the largest r(m') of all m' >= m.

    Examples
    --------
    >>> stitched(np.array([1.0, 1000.0]), 4, 0.05).round(4)
    array([2.0349, 0.0848])
    """
    epochs = np.searchsorted(_STARTS, counts, side="right") - 1
    # r falls within an epoch, so that the largest one later on stands at the start of some epoch.
    last = np.append(_STARTS[1:] != _STARTS[:-1], True)
    of_starts = np.where(last, _plain(_STARTS, np.arange(len(_STARTS)), n_providers, confidence), 0.0)
    later = np.append(np.maximum.accumulate(of_starts[::-1])[::-1], 0.0)
    return np.asarray(np.maximum(_plain(counts, epochs, n_providers, confidence), later[epochs + 1]))


def _whatever_the_mean(counts: Array, mean: float, n_providers: int, confidence: float) -> Array:
    return stitched(counts, n_providers, confidence)


STITCHED = Radius(name="stitched", quality=_whatever_the_mean, cost=stitched)
