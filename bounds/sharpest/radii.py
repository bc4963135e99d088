"""Sums of confidence radii over counts, and largest counts that a radius allows."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.radius import EXACT_COUNT, EXACT_SELECTION_BOUND, RADIUS
from bounds.limits import LARGEST_HORIZON

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
    """Return the largest m with gap <= 2 beta(m); infinite for a gap of 0 or less, and that of 1 for a larger gap.

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


def last_counts_with_radius(radius: Any, n_providers: float, confidence: float) -> Floats:
    """Return the largest m >= 1 with beta(m) >= radius, infinite for a radius of 0 or less, 0 if there is none.

    Beyond 65,536 it may be off by one, or by a share of 1e-12: next to it beta(m) hardly differs from the radius.

    Examples
    --------
    >>> last_counts_with_radius([0.125, 2.0, 0.0], 4, 0.05).tolist()
    [611.0, 0.0, inf]
    """
    wanted = np.asarray(radius, dtype=float)
    falling = _table(n_providers, confidence)
    found = np.array(np.searchsorted(falling, -wanted, side="right"), dtype=float)
    small = (wanted <= -falling[-1]) & (wanted > 0)
    if small.any():
        gaps = 2 * wanted[small]
        found[small] = np.floor(EXACT_COUNT(gap=gaps, n_providers=n_providers, confidence=confidence))
    return np.where(wanted > 0, found, math.inf)


@functools.lru_cache(maxsize=8)
def block_starts(first: int, singles: int, ratio: float) -> Floats:
    """Return where blocks of whole numbers begin, up to 2^52: so many of one number, then each longer by a ratio.

    Examples
    --------
    >>> block_starts(1, 4, 1.5)[:8].tolist()
    [1.0, 2.0, 3.0, 4.0, 7.0, 11.0, 17.0, 26.0]
    """
    starts = [float(number) for number in range(first, first + singles)]
    while starts[-1] < LARGEST_HORIZON:
        starts.append(math.floor(starts[-1] * ratio) + 1.0)
    found = np.array(starts)
    found.flags.writeable = False
    return found


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


def radius_sums(count: Any, n_providers: float, confidence: float) -> Floats:
    """Return S(D) = beta(1) + ... + beta(D), rounded up; beyond 65,536 terms by less than a millionth.

    beta decreases, so the sum over m = a + 1, ..., D is at most the integral of beta from a to D.

    Examples
    --------
    >>> radius_sums([0, 2], 4, 0.05).round(6).tolist()
    [0.0, 3.153172]
    """
    counts = np.asarray(count, dtype=float)
    added = _cumulative(n_providers, confidence)
    start = len(added) - 1
    found = np.asarray(added[np.minimum(counts, start).astype(int)])
    beyond = counts > start
    if beyond.any():
        more = _antiderivative(np.where(beyond, counts, start), n_providers, confidence)
        found = found + (more - _antiderivative(np.array(float(start)), n_providers, confidence))
    return found * _UP


def _antiderivative(count: Floats, n_providers: float, confidence: float) -> Floats:
    """Return an antiderivative of beta at counts: sqrt(2 m L) - 2 sqrt(2 m) D(sqrt(L)/2), where L = ln(C_0 m^2).

    D is Dawson's function, with D' = 1 - 2 x D. With u = sqrt(L)/2 its derivative is
    sqrt(L/(2m)) + sqrt(2/(m L)) - sqrt(2/m) D(u) - 2 sqrt(2m) (1 - 2 u D(u))/(2 m sqrt(L)) = sqrt(L/(2m)) = beta(m).
    """
    from scipy.special import dawsn

    logarithm = log_constant(n_providers, confidence) + 2 * np.log(count)
    root = np.sqrt(2 * count)
    return np.asarray(root * np.sqrt(logarithm) - 2 * root * dawsn(np.sqrt(logarithm) / 2))


def balanced_radius_sums(n_shares: float, count: Any, n_providers: float, confidence: float) -> Floats:
    """Return the largest S(D_1) + ... + S(D_n) of whole D_i that add up to `count`: equal shares, for S is concave.

    Examples
    --------
    >>> shares = balanced_radius_sums(2, 3, 4, 0.05)
    >>> bool(shares == radius_sums([2, 1], 4, 0.05).sum())
    True
    """
    counts = np.maximum(np.asarray(count, dtype=float), 0.0)
    if n_shares < 1:
        return np.zeros(counts.shape)
    share, more = np.divmod(counts, n_shares)
    larger, smaller = (radius_sums(each, n_providers, confidence) for each in (share + 1, share))
    return np.asarray(more * larger + (n_shares - more) * smaller)


def clipped_radius_sums(
    last: Any, scale: float, less: Any, largest: float, n_providers: float, confidence: float, *, first: Any = 1
) -> Floats:
    """Return the sum of min{largest, (scale beta(m) - less)^+} over m = first, ..., last, rounded up.

    Examples
    --------
    >>> clipped_radius_sums([0, 1], 10.0, 1.0, 2.0, 4, 0.05).tolist()
    [0.0, 2.0]
    """
    end, taken, before = np.broadcast_arrays(
        np.asarray(last, dtype=float), np.asarray(less, dtype=float), np.asarray(first, dtype=float) - 1
    )
    if largest <= 0:
        return np.zeros(end.shape)
    # scale beta(m) - less >= largest up to `flat`, and >= 0 up to `falls`.
    flat = last_counts_with_radius((largest + taken) / scale, n_providers, confidence)
    falls = last_counts_with_radius(taken / scale, n_providers, confidence)
    flat, falls = (np.minimum(np.maximum(each, before), end) for each in (flat, falls))
    falls = np.maximum(falls, flat)
    between = radius_sums(falls, n_providers, confidence) - radius_sums(flat, n_providers, confidence) / _UP
    beyond = np.where(falls > flat, np.maximum(0.0, scale * between - taken * (falls - flat)) * _UP, 0.0)
    return np.where(end > before, (flat - before) * largest + beyond, 0.0)
