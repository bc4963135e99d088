"""Sums of confidence radii over counts, and largest counts that a radius allows."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.radius import EXACT_COUNT, EXACT_SELECTION_BOUND, RADIUS

Floats = NDArray[np.float64]
#: Radii up to this count are added one by one; an integral bounds the rest.
_ADDED = 1 << 16
#: C_0 m^2 may overflow for smaller delta, and each radius would be computed anew in extended range.
_TINY = 1e-250
#: Far above the rounding error of a sum of so many doubles, relatively.
_UP = 1 + 1e-12


@functools.lru_cache(maxsize=64)
def log_constant(n_providers: float, confidence: float) -> float:
    """Return ln C_0, where C_0 = 2 pi^2 N/(3 delta).

    Examples
    --------
    >>> round(log_constant(9, 0.05), 4)
    7.077
    """
    # 2 m beta(m)^2 = ln(C_0 m^2), at m = 1.
    return 2 * RADIUS.value(count=1, n_providers=n_providers, confidence=confidence) ** 2


def radii(counts: Floats, n_providers: float, confidence: float) -> Floats:
    """Return beta(m) at many counts m >= 1."""
    if confidence < _TINY:
        counts = np.asarray(counts, dtype=float)
        return np.asarray(np.sqrt((log_constant(n_providers, confidence) + 2 * np.log(counts)) / (2 * counts)))
    return np.asarray(RADIUS(count=counts, n_providers=n_providers, confidence=confidence))


def largest_counts(gaps: Any, n_providers: float, confidence: float) -> Floats:
    """Return the largest m with gap <= 2 beta(m), infinite for a gap that is not positive and 0 for one above 2.

    Examples
    --------
    >>> largest_counts([0.25, 0.0], 4, 0.05).tolist()
    [611.0, inf]
    """
    gaps = np.asarray(gaps, dtype=float)
    found = np.full(gaps.shape, math.inf)
    positive = gaps > 0
    if positive.any():
        within = np.minimum(gaps[positive], 1.0)
        found[positive] = EXACT_SELECTION_BOUND(gap=within, n_providers=n_providers, confidence=confidence)
    return found


@functools.lru_cache(maxsize=1 << 14)
def last_count_with_radius(radius: float, n_providers: float, confidence: float) -> float:
    """Return the largest m >= 1 with beta(m) >= radius, infinite for a radius of 0 or less, 0 if there is none.

    Beyond 65,536 it may be off by one, or by a share of 1e-12: next to it beta(m) hardly differs from the radius.

    Examples
    --------
    >>> last_count_with_radius(0.125, 4, 0.05), last_count_with_radius(2, 4, 0.05)
    (611.0, 0.0)
    """
    if radius <= 0:
        return math.inf
    falling = _table(n_providers, confidence)
    if radius > -falling[-1]:
        return float(np.searchsorted(falling, -radius, side="right"))
    return math.floor(EXACT_COUNT.value(gap=2 * radius, n_providers=n_providers, confidence=confidence))


@functools.lru_cache(maxsize=64)
def _table(n_providers: float, confidence: float) -> Floats:
    """Return -beta(1), -beta(2), ..., which rise."""
    found = -radii(np.arange(1.0, _ADDED + 1), n_providers, confidence)
    found.flags.writeable = False
    return found


@functools.lru_cache(maxsize=64)
def _cumulative(n_providers: float, confidence: float) -> Floats:
    found = np.concatenate([[0.0], np.cumsum(-_table(n_providers, confidence))])
    found.flags.writeable = False
    return found


def radius_sum(count: float, n_providers: float, confidence: float) -> float:
    """Return S(D) = beta(1) + ... + beta(D), rounded up; beyond 65,536 terms by less than a millionth.

    beta decreases, so the sum over m = a + 1, ..., D is at most the integral of beta from a to D.

    Examples
    --------
    >>> round(radius_sum(2, 4, 0.05), 6)
    3.153172
    """
    added = _cumulative(n_providers, confidence)
    if count < len(added):
        return float(added[int(count)]) * _UP
    start = len(added) - 1
    more = _antiderivative(count, n_providers, confidence) - _antiderivative(start, n_providers, confidence)
    return (float(added[-1]) + more) * _UP


def _antiderivative(count: float, n_providers: float, confidence: float) -> float:
    """Return an antiderivative of beta at a count: sqrt(2 m L) - 2 sqrt(2 m) D(sqrt(L)/2), where L = ln(C_0 m^2).

    D is Dawson's function, with D' = 1 - 2 x D. With u = sqrt(L)/2 its derivative is
    sqrt(L/(2m)) + sqrt(2/(m L)) - sqrt(2/m) D(u) - 2 sqrt(2m) (1 - 2 u D(u))/(2 m sqrt(L)) = sqrt(L/(2m)) = beta(m).
    """
    from scipy.special import dawsn

    logarithm = log_constant(n_providers, confidence) + 2 * math.log(count)
    root = math.sqrt(2 * count)
    return root * math.sqrt(logarithm) - 2 * root * float(dawsn(math.sqrt(logarithm) / 2))


def balanced_radius_sum(n_shares: float, count: float, n_providers: float, confidence: float) -> float:
    """Return the largest S(D_1) + ... + S(D_n) of whole D_i that add up to `count`: equal shares, for S is concave.

    Examples
    --------
    >>> shares = balanced_radius_sum(2, 3, 4, 0.05)
    >>> shares == radius_sum(2, 4, 0.05) + radius_sum(1, 4, 0.05)
    True
    """
    if n_shares < 1 or count <= 0:
        return 0.0
    share, more = divmod(count, n_shares)
    return more * radius_sum(share + 1, n_providers, confidence) + (n_shares - more) * radius_sum(
        share, n_providers, confidence
    )


def clipped_radius_sum(
    last: float, scale: float, less: float, largest: float, n_providers: float, confidence: float, *, first: int = 1
) -> float:
    """Return the sum of min{largest, (scale beta(m) - less)^+} over m = first, ..., last, rounded up.

    Examples
    --------
    >>> clipped_radius_sum(1, 10.0, 1.0, 2.0, 4, 0.05)
    2.0
    """
    if last < first or largest <= 0:
        return 0.0
    # scale beta(m) - less >= largest up to `flat`, and >= 0 up to `end`.
    flat = last_count_with_radius((largest + less) / scale, n_providers, confidence)
    end = last_count_with_radius(less / scale, n_providers, confidence)
    flat, end = min(max(flat, first - 1), last), min(max(end, first - 1), last)
    if end <= flat:
        return (flat - first + 1) * largest
    between = radius_sum(end, n_providers, confidence) - radius_sum(flat, n_providers, confidence) / _UP
    return (flat - first + 1) * largest + max(0.0, scale * between - less * (end - flat)) * _UP
