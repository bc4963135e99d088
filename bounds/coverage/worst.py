"""At which quality a mean of binary scores leaves its band most probably: found, with a bound for every other quality.

The probability jumps as the quality moves, wherever a sum enters or leaves the band, so no climbing finds its largest
value. Cutting [0, 1] into cells does. Scores of a higher quality can be drawn so that none is lower than one of a lower
quality. So for every q in [a, b] the mean lies below q - r(m) at some m no more probably than scores of quality a lie
below b - r(m), and above q + r(m) no more probably than scores of quality b lie above a + r(m). Two walks bound a cell.
The cell of the largest bound is halved, and its middle tried, until no bound is much above the best that was found.
Scores of quality 1 - q mirror those of q, so half of the cells tell all.
"""

from __future__ import annotations

import functools
import heapq
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from bounds.coverage.enclosure import Bracket, above
from bounds.coverage.limits import RADIUS_ROUNDING, Floats, band_limits, paper_radii
from bounds.coverage.tail import tail_bound, union_bound
from bounds.coverage.walk import TRIM, exit_probability, walk
from bounds.documents import INTERNAL, OpenProbability, Probability, named

#: Counts that are followed here, by default; the tail beyond is about a hundredth of the whole.
WORST_COUNTS = 2000
#: The bound for all qualities is this close to the probability at the worst one found, if so many cells suffice.
_CLOSE, _MOST_CELLS = 1.01, 400
_FIRST_CELLS = 32
#: Mass that is dropped in a cell at a time, as a share of delta: counted, and far below what is bounded.
_DROPPED_SHARE = 1e-30


@dataclass(frozen=True, kw_only=True)
class WorstQuality:
    """The quality at which binary scores leave their band most probably; 1 minus it is as bad.

    Parameters
    ----------
    quality : float
        The quality that was found.
    failure : float
        The probability there, at least, of leaving the band.
    at_most : float
        No quality leaves its band more probably, at any count.
    counts : int
        How many counts were followed.
    budget : float
        What delta sets aside for the scores of a provider, and again for its costs: delta/(2N).
    """

    quality: Probability
    failure: Probability = field(metadata=named("failure_at_least"))
    at_most: Probability = field(metadata=named("failure_at_most"))
    counts: int = field(metadata=INTERNAL)
    budget: OpenProbability


@functools.lru_cache(maxsize=64)
def worst_quality(*, n_providers: int, confidence: float, counts: int = WORST_COUNTS) -> WorstQuality:
    """Search all qualities for the one at which binary scores leave the paper's band most probably.

    Parameters
    ----------
    n_providers, confidence
        N and delta of the radius beta(m).
    counts : int, optional
        Counts that are followed; beyond, `bounds.coverage.tail` holds for all qualities.

    Examples
    --------
    >>> worst = worst_quality(n_providers=4, confidence=0.05, counts=200)
    >>> 1e-6 < worst.failure < worst.at_most < 1e-5
    True
    """
    radii = paper_radii(counts, n_providers=n_providers, confidence=confidence)
    edges = np.linspace(0.0, 0.5, _FIRST_CELLS + 1).tolist()
    trim = max(TRIM, confidence * _DROPPED_SHARE)
    cells = [(-_bound(*pair, radii, trim), *pair) for pair in pairwise(edges)]
    heapq.heapify(cells)
    failure, found = 0.0, 0.5
    for _ in range(_MOST_CELLS):
        negative, low, high = cells[0]
        if -negative <= failure * _CLOSE:
            break
        middle = (low + high) / 2
        here = exit_probability(middle, radii, radius_rounding=RADIUS_ROUNDING).lower
        if here > failure:
            failure, found = here, middle
        heapq.heapreplace(cells, (-_bound(low, middle, radii, trim), low, middle))
        heapq.heappush(cells, (-_bound(middle, high, radii, trim), middle, high))
    rest = tail_bound(counts, n_providers=n_providers, confidence=confidence)
    enclosed = Bracket(lower=failure, upper=min(1.0, above(-cells[0][0] + rest)))
    at_most = enclosed.at_most(union_bound(n_providers, confidence)).upper
    budget = confidence / (2 * n_providers)
    return WorstQuality(quality=found, failure=failure, at_most=at_most, counts=counts, budget=budget)


def _bound(low: float, high: float, radii: Floats, trim: float) -> float:
    """Return a bound on the probability that scores of any quality in low..high leave their band."""
    downwards = band_limits(high, radii, above=False, radius_rounding=RADIUS_ROUNDING).narrowest
    upwards = band_limits(low, radii, below=False, radius_rounding=RADIUS_ROUNDING).narrowest
    falls = walk(low, downwards, trim=trim).left("below").upper
    return above(falls + walk(high, upwards, trim=trim).left("above").upper)
