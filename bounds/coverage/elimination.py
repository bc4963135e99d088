"""When an unqualified provider is eliminated: the exact law of the count at which its mean first falls too low.

A provider whose scores are 0 or 1 with mean q < q_min is eligible after m selections while mean + r(m) >= q_min. The
first count at which it is not, tau, depends on its own scores alone. From then on it is never selected, so its count
stays and it is excluded for good. Initialization gives the first selection, so there are at most tau - 1 afterwards,
for any behaviour of the other providers; a provider that is always selected while it is eligible has exactly tau - 1.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.coverage.enclosure import Bracket, above, growth
from bounds.coverage.limits import RADIUS_ROUNDING, band_limits, paper_radii, paper_radii_at
from bounds.coverage.walk import Walk, checked_quality, walk
from bounds.errors import InputError

Floats = NDArray[np.float64]

#: No law is followed further: memory and time would grow beyond what a command may take.
MOST_COUNTS = 2**22
#: Dropped mass, over all counts, as a share of the least probability that is asked for.
_DROPPED_SHARE = 1e-13


# Arrays have no one answer to whether they are equal: a law is equal to itself alone.
@dataclass(frozen=True, kw_only=True, eq=False)
class EliminationLaw:
    """The law of tau, the selection count at which a provider is first ineligible.

    Parameters
    ----------
    longest, shortest : Walk
        The same walk with limits that keep all that may be eligible, and only what is for certain.
    quality, last_mean : float
        q, and the mean q_min - r(m) that keeps a provider eligible at the last count that was followed.
    """

    longest: Walk
    shortest: Walk
    quality: float
    last_mean: float

    @property
    def counts(self) -> int:
        """How many counts were followed."""
        return min(len(self.longest.left_below), len(self.shortest.left_below))

    @cached_property
    def survival_upper(self) -> Floats:
        """P(tau > m) for m = 0, 1, 2, ..., at most."""
        found = self.longest
        share = growth(found.operations + 4)
        return np.minimum((found.survival + found.dropped) * (1 + 2 * share) + found.products * 2.0**-1074, 1.0)

    @cached_property
    def survival_lower(self) -> Floats:
        """P(tau > m) for m = 0, 1, 2, ..., at least."""
        found = self.shortest
        share = growth(found.operations + 4)
        return np.maximum(found.survival * (1 - 2 * share) - found.products * 2.0**-1074, 0.0)

    def quantile(self, failure: float) -> int | None:
        """Return the least x with P(tau - 1 > x) <= failure, never too small; None if it lies beyond what was followed.

        Parameters
        ----------
        failure : float
            In (0, 1).
        """
        enough = np.flatnonzero(self.survival_upper[1:] <= failure)
        return int(enough[0]) if len(enough) else None

    @cached_property
    def mean(self) -> Bracket:
        """The mean of tau - 1: the sum of P(tau > m) over m >= 1, what was not followed bounded by Chernoff."""
        rest = self._beyond()
        lower = math.fsum(self.survival_lower[1:])
        upper = math.fsum(self.survival_upper[1:])
        return Bracket(lower=lower * (1 - 1e-12), upper=above((upper + rest) * (1 + 1e-12)))

    def _beyond(self) -> float:
        """Return a bound on the sum of P(tau > m) over the m that were not followed."""
        if self.last_mean <= self.quality:
            return math.inf
        # The radius falls, so at each m > M the mean must lie as high as at M: exp(-m kl), a geometric series.
        rate = float(relative_entropy(self.last_mean, self.quality)) * (1 - 1e-9)
        return math.exp(-rate * (self.counts + 1)) / -math.expm1(-rate)


def relative_entropy(mean: Any, other: Any, difference: Any = None) -> Floats:
    """Return kl(p, q) = p ln(p/q) + (1 - p) ln((1 - p)/(1 - q)) of the laws of scores 0 and 1 with means p and q.

    It is 0 ln 0 = 0 at the ends, and infinite where q is 0 or 1 and p is not. Near p = q its relative error is that of
    p - q, twice.

    Parameters
    ----------
    mean, other : array_like
        p and q, in [0, 1].
    difference : array_like, optional
        p - q where it is known more closely than p and q say: they are rounded at their own size.

    Examples
    --------
    >>> relative_entropy([0.75, 0.5], [0.5, 0.0]).round(6).tolist()
    [0.130812, inf]
    >>> round(1e18 * float(relative_entropy(0.5, 0.5 - 1e-9, 1e-9)), 6)
    2.0
    """
    p, q = np.asarray(mean, dtype=float), np.asarray(other, dtype=float)
    d = p - q if difference is None else np.asarray(difference, dtype=float)
    # 1 - p is rounded at the size of 1; where the difference is known, what is left of 1 - q is not.
    rest = 1 - p if difference is None else np.clip((1 - q) - d, 0.0, 1.0)
    return np.asarray(np.maximum(_divergence(p, q, d) + _divergence(rest, 1 - q, -d), 0.0))


def _divergence(p: Floats, q: Floats, difference: Floats) -> Floats:
    """Return p ln(p/q) - (p - q) >= 0 in [0, 1]: what is taken away cancels with that of 1 - p and 1 - q."""
    with np.errstate(all="ignore"):
        share, ratio = difference / q, p / q
        # A tiny q makes the ratio infinite. Near 1 its logarithm would show its rounding alone.
        logarithm = np.where(np.isinf(ratio), np.log(p) - np.log(q), np.log(ratio))
        logarithm = np.where((ratio > 0.5) & (ratio < 2), np.log1p(share), logarithm)
        far = np.where(p > 0, p * logarithm, 0.0) - difference
        if not (is_near := np.abs(share) < _NEAR).any():
            return np.asarray(far)
        near, series = np.where(is_near, share, 0.0), np.zeros(share.shape)
        for coefficient in reversed(_SERIES):
            series = series * near + coefficient
        return np.asarray(np.where(is_near, q * near * near * series, far))


#: The coefficients of ((1 + x) ln(1 + x) - x)/x^2 = 1/2 - x/6 + x^2/12 - ...; below 0.1 so many give all digits.
_NEAR = 0.1
_SERIES = tuple((-1) ** k / (k * (k - 1)) for k in range(2, 19))


def elimination_law(
    quality: float, *, quality_threshold: float, n_providers: int, confidence: float, failure: float = 1e-6
) -> EliminationLaw:
    """Follow an unqualified provider until it is eliminated but for a probability of at most `failure`.

    Parameters
    ----------
    quality : float
        q_i in [0, q_min).
    quality_threshold : float
        q_min.
    n_providers, confidence
        N and delta of the radius beta(m).
    failure : float, optional
        In (0, 1); quantiles down to it are known.

    Raises
    ------
    InputError
        An argument is out of range, the provider is qualified, or it is eliminated too late to be followed.

    Examples
    --------
    >>> law = elimination_law(0.5, quality_threshold=0.75, n_providers=4, confidence=0.05)
    >>> 100 < law.mean.lower < law.mean.upper < law.quantile(0.01) < 1000
    True
    """
    checked_quality(quality)
    checked_quality(quality_threshold)
    if not quality < quality_threshold:
        rule = f"must lie below quality_threshold={quality_threshold!r}"
        raise InputError("quality", quality, rule, "a qualified provider need never be eliminated")
    if not 0 < failure < 1:
        raise InputError("failure", failure, "must lie in (0, 1)", "it is a probability, 0.001 say")
    counts = _counts_needed(quality, quality_threshold, n_providers, confidence, failure)
    if counts is None:
        rule = f"is too close to quality_threshold={quality_threshold!r}"
        raise InputError("quality", quality, rule, f"more than {MOST_COUNTS:,} selections may be needed")
    radii = paper_radii(counts, n_providers=n_providers, confidence=confidence)
    return law_for_radii(quality, quality_threshold, radii, failure, RADIUS_ROUNDING)


def _counts_needed(quality: float, threshold: float, n_providers: int, confidence: float, failure: float) -> int | None:
    """Return a count at which the provider is eligible with half of `failure` at most; None if too large."""

    def enough(count: int) -> bool:
        radius = float(paper_radii_at(np.array([float(count)]), n_providers=n_providers, confidence=confidence)[0])
        mean = threshold - radius
        return mean > quality and count * float(relative_entropy(mean, quality)) >= math.log(2 / failure)

    if not enough(MOST_COUNTS):
        return None
    # By Chernoff. The radius falls, so once it is enough it stays enough.
    return bisect.bisect_left(range(MOST_COUNTS), True, lo=1, key=enough) + 1


def law_for_radii(quality: float, threshold: float, radii: Floats, failure: float, rounding: float) -> EliminationLaw:
    """Follow a provider with the radii at counts 1, 2, ..., each known but for so large a share of itself."""
    # Eligible as long as mean + r(m) >= threshold.
    limits = band_limits(threshold, radii, above=False, radius_rounding=rounding)
    options = {"trim": failure * _DROPPED_SHARE / (2 * len(radii)), "stop": failure * 0.5}
    longest, shortest = limits.both(lambda each: walk(quality, each, **options))
    followed = min(len(longest.left_below), len(shortest.left_below))
    last_mean = threshold - float(radii[followed - 1])
    return EliminationLaw(longest=longest, shortest=shortest, quality=quality, last_mean=last_mean)
