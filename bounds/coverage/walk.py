"""How probable it is that the mean of scores of 0 and 1 ever leaves its confidence band, enclosed between two doubles.

A dynamic programme follows the sum of the scores from one count to the next and takes out what has left the band.
At each count a mass goes through two rounded operations, a product and a sum; the probability 1 - q is rounded once and
then counts once more. So after m counts a mass is off by a factor of (1 +- 2^-53)^(3 m) at most, 2.4e-11 at m = 70,000,
and the sum over those that leave at one count by their number. Which sums leave is decided in `limits`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.coverage.enclosure import Bracket, around
from bounds.coverage.limits import RADIUS_ROUNDING, Limits, TwoLimits, band_limits, paper_radii
from bounds.coverage.tail import union_bound
from bounds.errors import InputError

Side = Literal["both", "below", "above"]
Floats = NDArray[np.float64]

#: Counts that are followed by default: the paper's horizon.
FOLLOWED_COUNTS = 70_000
#: Rounded operations per count: a product, a sum, and the one that made 1 - q.
_PER_COUNT = 3
#: Masses below this are dropped and counted in the upper end: the smallest doubles are slow. Where the band is open on
#: one side, far more of them would be followed there.
TRIM, _OPEN_TRIM = 1e-290, 1e-60


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A walk of sums within limits, as it was computed.

    Parameters
    ----------
    left_below, left_above : array of float
        Probability of leaving at count 1, 2, ..., up to the last that was followed.
    remaining : float
        What is still within the limits after it.
    dropped : float
        Mass that was left out because it was next to nothing.
    operations, products : int
        Rounded operations on the path of a mass, at most, and products that were computed.
    """

    left_below: Floats
    left_above: Floats
    remaining: float
    dropped: float
    operations: int
    products: int

    def enclosed(self, value: float) -> Bracket:
        """Return the enclosure of a sum of some of the masses."""
        return around(value, operations=self.operations, products=self.products, missing=self.dropped)

    def left(self, side: Side = "both") -> Bracket:
        """Return the probability of having left, on either side or on one."""
        wanted = {"both": (self.left_below, self.left_above), "below": (self.left_below,), "above": (self.left_above,)}
        # At many counts nothing leaves.
        return self.enclosed(math.fsum(math.fsum(left[left > 0].tolist()) for left in wanted[side]))

    @property
    def survival(self) -> Floats:
        """What is within the limits after 0, 1, 2, ... counts, added up from the end so that nothing cancels."""
        leaving = (self.left_below + self.left_above)[::-1]
        return np.concatenate([[self.remaining], self.remaining + np.cumsum(leaving)])[::-1]


def walk(quality: float, limits: Limits, *, trim: float = TRIM, stop: float = 0.0) -> Walk:
    """Follow the sum of scores that are 1 with probability `quality`, as long as it lies within limits.

    Parameters
    ----------
    quality : float
        q in [0, 1], taken exactly.
    limits : Limits
    trim : float, optional
        Masses at the ends of what is followed that are below this are dropped.
    stop : float, optional
        Stop once what is within the limits is at most this.

    Examples
    --------
    >>> found = walk(0.25, Limits(low=np.array([0, 0]), high=np.array([1, 1])))
    >>> found.left("above").contains(0.0625), found.remaining
    (True, 0.9375)
    """
    from bounds.coverage.kernel import follow  # Numba takes a quarter of a second

    checked_quality(quality)
    counts = len(limits.low)
    widest = int((limits.high - limits.low).max(initial=0)) + 4
    here, there = np.zeros(widest + 2), np.zeros(widest + 2)
    left_below, left_above = np.zeros(counts), np.zeros(counts)
    followed, remaining, dropped, computed, most = follow(
        float(quality), 1.0 - quality, limits.low, limits.high, trim, stop, here, there, left_below, left_above
    )
    return Walk(
        left_below=left_below[:followed],
        left_above=left_above[:followed],
        remaining=remaining,
        dropped=dropped,
        # A sum of the masses that leave at one count, or are left, and one over counts.
        operations=_PER_COUNT * followed + most + followed,
        products=2 * computed,
    )


def exit_probability(quality: float, radii: ArrayLike, side: Side = "both", *, radius_rounding: float = 0.0) -> Bracket:
    """Enclose the probability that the mean of independent scores of 0 and 1 is ever further from q than a radius.

    Parameters
    ----------
    quality : float
        q in [0, 1].
    radii : array_like of float
        That of the mean of 1, 2, ... scores.
    side : {"both", "below", "above"}
        On which side leaving counts.
    radius_rounding : float, optional
        Share by which a given radius may be off; default 0, taken exactly.

    Returns
    -------
    Bracket

    Raises
    ------
    InputError
        The quality lies outside [0, 1], or a radius is negative or no number.

    Examples
    --------
    >>> exit_probability(0.25, [1.0, 0.5]).contains(0.0625)  # two scores of 1
    True
    """
    checked_quality(quality)
    bands = band_limits(
        quality, _checked_radii(radii), below=side != "above", above=side != "below", radius_rounding=radius_rounding
    )
    return exit_within(quality, bands, side)


def exit_within(quality: float, bands: TwoLimits, side: Side = "both") -> Bracket:
    """Enclose the probability of leaving limits of which two versions enclose the right one."""
    trim = TRIM if side == "both" else _OPEN_TRIM
    least, most = bands.both(lambda limits: walk(quality, limits, trim=trim).left(side))
    return Bracket(lower=least.lower, upper=most.upper)


@functools.lru_cache(maxsize=256)
def band_exit(
    quality: float, *, n_providers: int, confidence: float, counts: int = FOLLOWED_COUNTS, side: Side = "both"
) -> Bracket:
    """Enclose the probability that the mean of independent scores of 0 and 1 leaves the paper's band within `counts`.

    Parameters
    ----------
    quality : float
        q_i in [0, 1].
    n_providers, confidence
        N and delta of the radius beta(m).
    counts : int, optional
        Largest m; default 70,000.
    side : {"both", "below", "above"}, optional

    Examples
    --------
    >>> band_exit(0.5, n_providers=4, confidence=0.05, counts=4).upper < 1e-300
    True
    >>> 1e-7 < band_exit(0.839, n_providers=9, confidence=0.05, counts=1000).upper < 1e-5
    True
    """
    radii = paper_radii(counts, n_providers=n_providers, confidence=confidence)
    found = exit_probability(quality, radii, side, radius_rounding=RADIUS_ROUNDING)
    return found.at_most(union_bound(n_providers, confidence, sides=2 if side == "both" else 1))


def checked_quality(quality: float) -> None:
    """Raise an `InputError` if a number is not a mean of scores."""
    if not 0 <= quality <= 1:
        raise InputError("quality", quality, "must lie in [0, 1]", "it is a mean score")


def _checked_radii(radii: ArrayLike) -> Floats:
    found = np.asarray(radii, dtype=np.float64)
    wrong = ~(found >= 0)
    if found.ndim != 1 or wrong.any():
        value = found.shape if found.ndim != 1 else float(found[wrong][0])
        raise InputError("radii", value, "must be a list of numbers from 0", "give the radius at counts 1, 2, ...")
    # A radius of more than 2 is as good as 2: no mean of scores is further from another.
    return np.minimum(found, 2.0)
