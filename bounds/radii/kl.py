"""KL-Chernoff radius of scores, with the union over counts of the paper.

For a law in [0, 1] of mean q, exp(l x) <= 1 - x + x exp(l) by convexity, so its moment generating function is at most
that of a binary law of mean q (Hoeffding 1963): P(mean <= x) <= exp(-m kl(x, q)) for x <= q, whatever the law. With
kl(x, q) = ln(C_0 m^2)/m the right side is 1/(C_0 m^2) = 3 delta/(2 pi^2 N m^2), and these add up to delta/(4N), as for
the paper's radius. Where q > mean, kl(x, q) >= kl(x, mean): a threshold below the true mean is undercut even less.

It is beta(m) or less, since kl(x, q) >= 2 (q - x)^2. It decreases: ln(C_0 m^2)/m does from m = 1 on, as C_0 >= e^2 for
N >= 2. Costs keep the paper's radius: kl of a mean cost would need the costs themselves, which the platform never sees.
"""

from __future__ import annotations

import numpy as np

from bounds.language.arithmetic import Array
from bounds.radii.paper import hoeffding
from bounds.radii.radius import Radius, sure
from bounds.radii.root import root_from_above


def divergence(below: Array, mean: float) -> Array:
    """Return kl(mean - d, mean) of binary laws for 0 <= d <= mean < 1.

    Examples
    --------
    >>> divergence(np.array([0.25]), 0.5).round(6)
    array([0.130812])
    """
    return mean * _bregman(-below / mean) + (1 - mean) * _bregman(below / (1 - mean))


def _bregman(u: Array) -> Array:
    """Return (1 + u) ln(1 + u) - u, by its series near 0: there the difference would be all rounding."""
    near = np.abs(u) < 1e-3
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.where(u <= -1, 1.0, (1 + u) * np.log1p(u) - u)
    return np.asarray(np.where(near, u * u * (1 / 2 - u / 6 + u**2 / 12 - u**3 / 20 + u**4 / 30), plain))


def kl_radius(counts: Array, mean: float, n_providers: int, confidence: float) -> Array:
    """Return the largest d with m kl(mean - d, mean) <= ln(C_0 m^2); `mean` itself where even d = mean is.

    Examples
    --------
    >>> kl_radius(np.array([10.0, 1000.0]), 0.1, 4, 0.05).round(6)
    array([0.1     , 0.054255])
    """
    known = sure(counts, mean)
    if known is not None:
        return known
    # 2 m beta(m)^2 = ln(C_0 m^2).
    allowed = 2 * hoeffding(counts, n_providers, confidence) ** 2
    # kl(mean - d, mean) >= 2 d^2: beta(m) is enough. It is convex in d; at d = mean its slope is infinite.
    reached = divergence(np.full_like(counts, mean), mean) > allowed
    of, limit = np.flatnonzero(reached), mean * (1 - 1e-12)
    start = np.minimum(np.sqrt(allowed[of] / 2), limit)
    found = np.full_like(counts, mean)

    def step(below: Array, at: Array) -> Array:
        slope = np.log1p(below / (1 - mean)) - np.log1p(-below / mean)
        return np.asarray((divergence(below, mean) - allowed[of][at]) / slope)

    found[of] = np.minimum(root_from_above(step, start), mean)
    return found


KL = Radius(name="kl", quality=kl_radius, cost=hoeffding)
