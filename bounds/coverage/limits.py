"""Which sums of m scores lie within a band: decided exactly or, where rounding leaves it open, both ways.

A sum j is within the band of q at m scores if |j/m - q| <= r(m), so for whole j between ceil(m (q - r)) and
floor(m (q + r)). Doubles give these ends unless m (q +- r) is within rounding of a whole number; there fractions
decide. A radius that is itself a rounded number leaves a rounding error open. Then one pair of limits keeps all that
may be inside, and another keeps only what certainly is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.radius import RADIUS

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Followed = TypeVar("Followed")

#: The doubles of beta(m) lie within this share of beta(m): a logarithm, a product, a quotient and a root.
RADIUS_ROUNDING = 2.0**-48
#: Roundings of m (q +- r) in doubles, generously: 8 units in the last place.
_UNITS = 8 * 2.0**-53


def paper_radii(counts: int, *, n_providers: int, confidence: float) -> Floats:
    """Return beta(1), ..., beta(counts), each within `RADIUS_ROUNDING` of its value.

    Examples
    --------
    >>> paper_radii(2, n_providers=4, confidence=0.05).round(4).tolist()
    [1.77, 1.3831]
    """
    each = np.arange(1, counts + 1, dtype=np.float64)
    return paper_radii_at(each, n_providers=n_providers, confidence=confidence)


def paper_radii_at(counts: Floats, *, n_providers: int, confidence: float) -> Floats:
    """Return beta at counts, as `paper_radii` does at 1, 2, ...."""
    return np.asarray(RADIUS(count=counts, n_providers=n_providers, confidence=confidence), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Between which sums a walk goes on, after 1, 2, ... scores.

    Parameters
    ----------
    low, high : array of int
        Both ends included.
    """

    low: Counts
    high: Counts


@dataclass(frozen=True, kw_only=True)
class TwoLimits:
    """Limits that keep all that may be inside, and limits that keep only what is inside for certain.

    Parameters
    ----------
    widest, narrowest : Limits
        Equal but where a sum lies on the edge of a band as closely as its radius is known.
    """

    widest: Limits
    narrowest: Limits

    @property
    def agree(self) -> bool:
        """Whether both are equal at all counts."""
        widest, narrowest = self.widest, self.narrowest
        return bool((widest.low == narrowest.low).all() and (widest.high == narrowest.high).all())

    def both(self, follow: Callable[[Limits], Followed]) -> tuple[Followed, Followed]:
        """Return what comes of the widest and of the narrowest limits; the second is not followed if they agree."""
        found = follow(self.widest)
        return found, found if self.agree else follow(self.narrowest)


def band_limits(
    quality: float,
    radii: Floats,
    *,
    below: bool = True,
    above: bool = True,
    radius_rounding: float = 0.0,
    largest: int = 1,
) -> TwoLimits:
    """Return between which sums of m scores the mean lies within r(m) of the quality, for m = 1, 2, ....

    Parameters
    ----------
    quality : float
        q, taken exactly; the mean of scores, or of whole numbers up to `largest`.
    radii : array of float
        r(1), r(2), ..., not negative.
    below, above : bool, optional
        Whether the band ends there.
    radius_rounding : float, optional
        Share of a radius by which the given one may be off; default 0, taken exactly.
    largest : int, optional
        The largest value of one observation; default 1, that of a score.

    Examples
    --------
    >>> limits = band_limits(0.25, np.array([1.0, 0.75, 0.5]))
    >>> limits.widest.low.tolist(), limits.widest.high.tolist(), limits.agree
    ([0, 0, 0], [1, 2, 2], True)
    """
    counts = np.arange(1, len(radii) + 1)
    none, every = np.zeros(len(radii), dtype=np.int64), largest * counts.astype(np.int64)
    lows = _ends(-quality, radii, radius_rounding) if below else (none, none)
    highs = _ends(quality, radii, radius_rounding) if above else (every, every)
    sign = -1 if below else 1
    wide_low, narrow_low = (np.maximum(sign * ends, 0) for ends in lows)
    wide_high, narrow_high = (np.minimum(ends, every) for ends in highs)
    return TwoLimits(widest=Limits(low=wide_low, high=wide_high), narrowest=Limits(low=narrow_low, high=narrow_high))


def _ends(centre: float, radii: Floats, rounding: float) -> tuple[Counts, Counts]:
    """Return floor(m (centre + r(m))) for the largest and for the least radius that may be meant."""
    counts = np.arange(1, len(radii) + 1, dtype=np.float64)
    ends = counts * (centre + radii)
    doubt = counts * (abs(centre) + radii) * _UNITS + counts * radii * rounding
    largest = np.floor(ends + doubt).astype(np.int64)
    least = np.floor(ends - doubt).astype(np.int64)
    for place in np.flatnonzero(largest != least).tolist():
        exact, radius = Fraction(centre), Fraction(float(radii[place]))
        off = radius * Fraction(rounding)
        largest[place] = math.floor((place + 1) * (exact + radius + off))
        least[place] = math.floor((place + 1) * (exact + radius - off))
    return largest, least
