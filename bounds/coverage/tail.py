"""What is left beyond the counts that are followed: a bound for independent observations of any law on [0, 1].

Adding up Hoeffding's bound over all counts m > M costs 1/M. Grouping counts does better. Let X_1, X_2, ... be
independent in [0, 1] with mean q, D_m = X_1 + ... + X_m - m q, and cut the counts from a = M + 1 on into groups
[a, r a), [r a, r^2 a), ... for some r > 1. A mean leaves its band above in a group [s, r s) only if D_m >= m beta(m)
for some m of it. Since m beta(m) = sqrt(m ln(C_0 m^2) / 2) increases, D_m then reaches c = s beta(s) for some m <= r s.
For any h > 0, exp(h D_m) is a submartingale, so Doob's inequality and Hoeffding's lemma bound the probability by
exp(-h c + h^2 r s / 8), which is least at h = 4 c / (r s) and then exp(-2 c^2 / (r s)) = (C_0 s^2)^(-1/r). Over the
groups s = a r^k these are a geometric series:

    (C_0 a^2)^(-1/r) / (1 - r^(-2/r)).

Every r is right. The best is near 1 + 1/ln(C_0 a^2): it leaves about e ln(C_0 a^2) / (2 C_0 a^2), where a union over
all counts would give 1 / (C_0 a). At M = 70,000 that is less by a factor of about 1,700.
"""

from __future__ import annotations

import functools
import math

from bounds.coverage.enclosure import SMALLEST, above

#: How far the computed bound may lie below its value.
_ROUNDING = 1e-9
#: Ratios of neighbouring groups that are tried, as multiples of 1/ln(C_0 a^2).
_TRIED = tuple(0.05 * step for step in range(4, 61))


def union_constant(n_providers: int, confidence: float) -> float:
    """Return C_0 = 2 pi^2 N / (3 delta), so that exp(-2 m beta(m)^2) = 1 / (C_0 m^2).

    Examples
    --------
    >>> round(union_constant(9, 0.05), 2)
    1184.35
    """
    return 2 * math.pi**2 * n_providers / (3 * confidence)


def union_bound(n_providers: int, confidence: float, sides: int = 2) -> float:
    """Return the union bound on the probability that one mean ever leaves its band: delta/(4 N) for each side.

    It is what 1/(C_0 m^2) adds up to over all counts, and holds where rounding hides a smaller probability.

    Examples
    --------
    >>> round(union_bound(4, 0.05), 9)
    0.00625
    """
    return above(sides * (confidence / (4 * n_providers)))


@functools.lru_cache(maxsize=256)
def tail_bound(counts: int, *, n_providers: int, confidence: float, sides: int = 2) -> float:
    """Return a bound on the probability that one mean leaves its band at some count above `counts`.

    Parameters
    ----------
    counts : int
        M >= 0.
    n_providers, confidence
        N and delta of the radius.
    sides : int, optional
        1 or 2 sides of the band.

    Examples
    --------
    >>> 1e-12 < tail_bound(70_000, n_providers=9, confidence=0.05) < 2e-11
    True
    """
    # C_0 delta: C_0 itself exceeds the largest double where delta is tiny.
    constant = union_constant(n_providers, 1.0)
    start = math.log(constant) - math.log(confidence) + 2 * math.log(counts + 1)
    # The series at r = exp(x): x near 1/start is best where start is large.
    grouped = min(_series(start, tried / start) for tried in _TRIED)
    # After few counts the union over all counts is less: 1/m^2 adds up to less than 1/M, or pi^2/6.
    each = confidence / (constant * counts) if counts else math.pi**2 * confidence / (6 * constant)
    return min(1.0, max(sides * min(grouped, each) * (1 + _ROUNDING), SMALLEST))


def _series(start: float, log_ratio: float) -> float:
    share = math.exp(-log_ratio)
    return math.exp(-start * share) / -math.expm1(-2 * log_ratio * share)
