"""How probable it is that the mean of observations on a lattice ever leaves its band: of costs, mostly.

The sum of m observations is followed as that of scores is, each step a convolution with the law of one of them, term
by term, so that everything added up is nonnegative and the relative error known. That takes long for a law of many
points, so it ends where a budget of products is spent. The counts beyond are bounded in groups, as in `tail`, with the
law's own moment generating function in place of Hoeffding's lemma: for any h > 0, exp(h D_m) with
D_m = X_1 + ... + X_m - m mean is a submartingale, so in a group of counts that ends at b

    P(D_m >= c for some m <= b) <= exp(-(h (b mean + c) - b ln E exp(h X))).

Every h is right, so the best of a grid is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bounds.coverage.enclosure import Bracket, above, around
from bounds.coverage.limits import RADIUS_ROUNDING, Limits, TwoLimits, band_limits, paper_radii, paper_radii_at
from bounds.coverage.tail import tail_bound

Floats = NDArray[np.float64]

#: Counts that are followed at most, and products that may be spent on it: about a twentieth of a second.
LATTICE_COUNTS, BUDGET = 2000, 1.5e8
#: Masses at the ends that are below this are dropped, and counted: far less than what is left to bounds.
_TRIM = 1e-45
#: From this count on, one bound serves all laws; groups before it grow by this ratio.
_LAST_GROUP, _RATIO = 10**8, 1.02
#: Exponents h that are tried, in units of the inverse standard deviation.
_EXPONENTS = np.geomspace(1e-3, 1e4, 240)
#: Rounding of an exponent h x - ln E exp(h X), absolute and relative to h x.
_SLACK, _RELATIVE_SLACK = 1e-11, 1e-13


@dataclass(frozen=True, kw_only=True)
class LatticeLaw:
    """The law of one observation on the multiples of a unit.

    Parameters
    ----------
    masses : array of float
        Probabilities of 0, 1, 2, ... units.
    mean : Fraction
        In units, exactly.
    bound : Fraction
        The largest value that an observation might have, in units: the scale of its band.
    rounding : int
        Rounded operations that made a mass, at most.
    """

    masses: Floats
    mean: Fraction
    bound: Fraction
    rounding: int = 1


@dataclass(frozen=True, kw_only=True)
class LatticeExit:
    """How probable it is that the mean of observations ever leaves its band, at any count.

    Parameters
    ----------
    followed : Bracket
        Of leaving it at a count that was followed.
    counts : int
        How many were.
    beyond : float
        Of leaving it at a later count, at most.
    """

    followed: Bracket
    counts: int
    beyond: float

    @property
    def failure(self) -> Bracket:
        """The probability of leaving the band at any count."""
        return Bracket(lower=self.followed.lower, upper=min(1.0, above(self.followed.upper + self.beyond)))


def lattice_exit(
    law: LatticeLaw, *, n_providers: int, confidence: float, counts: int = LATTICE_COUNTS, budget: float = BUDGET
) -> LatticeExit:
    """Enclose the probability that the mean of independent observations ever leaves the paper's band.

    Parameters
    ----------
    law : LatticeLaw
    n_providers, confidence
        N and delta of the radius beta(m); the band of a law is `bound` times as wide.
    counts : int, optional
        Counts that are followed at most.
    budget : float, optional
        Products that may be spent on following them.

    Examples
    --------
    >>> coin = LatticeLaw(masses=np.array([0.5, 0.5]), mean=Fraction(1, 2), bound=Fraction(1))
    >>> found = lattice_exit(coin, n_providers=4, confidence=0.05)
    >>> found.counts, 1e-8 < found.failure.lower < found.failure.upper < 1e-5
    (2000, True)
    """
    radii = paper_radii(counts, n_providers=n_providers, confidence=confidence)
    limits = _limits(law, radii)
    (least, done), (most, done_too) = limits.both(lambda each: _followed(law, each, budget))
    followed, done = Bracket(lower=least.lower, upper=most.upper), min(done, done_too)
    beyond = beyond_counts(law, done, n_providers=n_providers, confidence=confidence)
    return LatticeExit(followed=followed, counts=done, beyond=beyond)


def _limits(law: LatticeLaw, radii: Floats) -> TwoLimits:
    centre, scaled = float(law.mean), float(law.bound) * np.minimum(radii, 2.0)
    # The mean and the bound are rounded to doubles, and the product is.
    rounding = RADIUS_ROUNDING + 2.0**-51 + 2.0**-52 * centre / float(scaled.min())
    return band_limits(centre, scaled, radius_rounding=rounding, largest=len(law.masses) - 1)


def _followed(law: LatticeLaw, limits: Limits, budget: float) -> tuple[Bracket, int]:
    from bounds.coverage.kernel import spread  # Numba takes a quarter of a second

    counts, most = len(limits.low), len(law.masses) - 1
    # A law of many points is never followed far: no more room than the budget can fill.
    room = min(int((limits.high - limits.low).max(initial=0)), int(budget)) + 2 * most + 8
    here, there = np.zeros(room), np.zeros(room)
    left_below, left_above = np.zeros(counts), np.zeros(counts)
    followed, _, dropped, products = spread(
        law.masses, limits.low, limits.high, _TRIM, budget, here, there, left_below, left_above
    )
    left = math.fsum((*left_below[:followed].tolist(), *left_above[:followed].tolist()))
    # A product and at most one sum for each point at each count, those of the masses themselves, and what left at once.
    operations = followed * (most + 2 + law.rounding) + room
    return around(left, operations=operations, products=int(products), missing=dropped), followed


def beyond_counts(law: LatticeLaw, counts: int, *, n_providers: int, confidence: float) -> float:
    """Return a bound on the probability that a mean leaves its band at some count above `counts`.

    Arguments as of `lattice_exit`.

    Examples
    --------
    >>> coin = LatticeLaw(masses=np.array([0.5, 0.5]), mean=Fraction(1, 2), bound=Fraction(1))
    >>> beyond_counts(coin, 2000, n_providers=4, confidence=0.05) < 1e-7
    True
    """
    starts = [counts + 1]
    while starts[-1] < _LAST_GROUP:
        starts.append(max(starts[-1] + 1, math.floor(starts[-1] * _RATIO)))
    first = np.array(starts[:-1], dtype=np.float64)
    last = np.array(starts[1:], dtype=np.float64) - 1
    radii = paper_radii_at(first, n_providers=n_providers, confidence=confidence)
    # m beta(m) increases, so in a group the sum is off by what its first count asks for, at least.
    off = float(law.bound) * first * radii * (1 - 1e-12)
    exponents = np.array([_exponent(law, sign, off, last) for sign in (1, -1)])
    total = math.fsum(np.exp(-exponents).ravel().tolist()) * (1 + 1e-9)
    return min(1.0, total + tail_bound(starts[-1] - 1, n_providers=n_providers, confidence=confidence))


def _exponent(law: LatticeLaw, sign: int, off: Floats, last: Floats) -> Floats:
    """Return the best exponent for being off upwards (1) or downwards (-1) by so much within so many counts."""
    points = sign * (np.arange(len(law.masses)) - float(law.mean))
    kept = law.masses > 0
    points, masses = points[kept], law.masses[kept]
    most = float(points.max())
    # No sum is off by more than each observation can be.
    impossible = off > last * most * (1 + 1e-12) + 1e-300
    spread_ = math.sqrt(float(masses @ points**2))
    if spread_ == 0 or most <= 0:
        return np.full(len(off), np.inf)
    tried = _EXPONENTS / spread_
    cumulants = tried * most + np.log(np.exp(tried[:, None] * (points - most)) @ masses)
    slack = _SLACK + _RELATIVE_SLACK * tried * (most + float(law.mean))
    best = np.max(tried[:, None] * off - (cumulants + slack)[:, None] * last, axis=0)
    return np.where(impossible, np.inf, np.maximum(best, 0.0))
