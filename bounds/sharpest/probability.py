"""How the failure probability delta is spent by the sharpest bounds: what the paper leaves unused pays for the rest.

The good event costs (6/pi^2) delta sum 1/m^2 over the counts m with beta(m) < 1 only: no mean of scores in [0, 1] is
further than 1 from its expectation. lem:good-event pays for all m. Of what remains, (6/pi^2) delta, the price of m = 1,
goes to single-time elimination. The rest is the price of 2, ..., m_0, where m_0 is the last m with beta(m) >= 1. Half
of it is for the deviations of one provider's mean cost (`stitched_radii`); the other half is left unspent.
lem:good-event:sharpest has its proof in Coq, with this radius.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from bounds.sharpest.radii import radii

#: Share of delta that lem:good-event pays for the count 1.
FIRST_COUNT = 6 / math.pi**2
#: beta(m) < 1 from far below this count on, whatever N and delta of a setting.
_MOST = 4096
#: The stitched radius: epochs that double, weights 1/(k^s zeta(s)).
_EPOCH, _EXPONENT = 2.0, 1.4
#: Rounds radii up, and a comparison with one to the safe side.
_CLEARLY = 1 + 1e-12


@functools.lru_cache(maxsize=256)
def impossible_counts(n_providers: float, confidence: float) -> int:
    """Return m_0, the largest m with beta(m) >= 1: up to there no mean leaves its band.

    Examples
    --------
    >>> impossible_counts(4, 0.05), impossible_counts(9, 0.05)
    (4, 5)
    """
    counts = np.arange(1.0, _MOST + 1)
    return int((radii(counts, n_providers, confidence) >= _CLEARLY).sum())


def spare_probability(n_providers: float, confidence: float) -> float:
    """Return what remains of delta beside the good event and the elimination: the price of the counts 2, ..., m_0.

    Examples
    --------
    >>> round(spare_probability(4, 0.05) / 0.05, 4)
    0.2575
    """
    last = impossible_counts(n_providers, confidence)
    return FIRST_COUNT * confidence * sum(1 / count**2 for count in range(2, last + 1))


def stitched_radii(counts: NDArray[np.float64], failure: float) -> NDArray[np.float64]:
    """Return r(m): a mean of scores in [0, 1] ever exceeds its expectation by r(m) with probability at most `failure`.

    Epoch k = 0, 1, ... has the counts from 2^k to 2^(k+1). There exp(s S_m - m s^2/8), for S_m the sum of the scores
    less their means, is a supermartingale that starts at 1 (Hoeffding's lemma). It ever reaches e^L with probability at
    most e^-L (Ville). With s^2 = 8 L/(2^k sqrt 2), no S_m exceeds L/s + m s/8 then, which is at most
    sqrt(m L/8) (2^(1/4) + 2^(-1/4)) for the m of the epoch. With L = ln(zeta(1.4) (k + 1)^1.4/failure) the epochs fail
    with probability `failure` together. Here k is log_2 m, not rounded down, which makes the radius no smaller.

    Examples
    --------
    >>> stitched_radii(np.array([1.0, 100.0]), 0.01).round(4).tolist()
    [1.7194, 0.2103]
    """
    if failure <= 0:
        return np.full(np.shape(counts), math.inf)
    from scipy.special import zeta

    epochs = np.log(counts) / math.log(_EPOCH) + 1
    evidence = math.log(zeta(_EXPONENT)) - math.log(failure) + _EXPONENT * np.log(epochs)
    spread = (_EPOCH**0.25 + _EPOCH**-0.25) / 2
    return np.asarray(spread * np.sqrt(evidence / (2 * counts)) * _CLEARLY)
