"""One step of Algorithm 1 (alg:platform) read from its pseudo-code, in 80 digits; sums of scores are rounded once.

It imports nothing of the packages.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import mpmath

#: Comparisons that floats may decide otherwise.
HAIR = 1e-11


class Step(NamedTuple):
    """What the pseudo-code permits."""

    kind: str
    eligible: list[int]
    candidates: set[int]
    #: By provider, if it serves.
    payments: list[Any]
    #: Whether a comparison is too close for floats to be sure of it.
    near: bool = False


@functools.cache
def radius(m: int, n: int, delta: float) -> mpmath.mpf:
    """Return beta(m) as the paper prints it (eq:qualified-set); infinite where nothing is known."""
    if m == 0:
        return mpmath.inf
    with mpmath.workdps(80):
        return mpmath.sqrt(mpmath.log(2 * mpmath.pi**2 * n * m**2 / (3 * mpmath.mpf(delta))) / (2 * m))


def prescribed(
    config: Any,
    step: int,
    heard: Sequence[Sequence[tuple[float, float]]],
    served: Collection[int] = (),
    *,
    screens: bool = True,
    explores: bool = True,
) -> Step:
    """Return what is permitted where these scores and bids have been heard of each provider, and these have served."""
    n, everybody, capped = config.n_providers, set(range(config.n_providers)), [config.cost_bound] * config.n_providers
    if step <= n:
        return Step("initialization", [*everybody], everybody - set(served), capped)
    with mpmath.workdps(80):
        count, threshold = [len(each) for each in heard], config.quality_threshold
        beta = [radius(m, n, config.confidence) for m in count]
        high = [mpmath.mpf(math.fsum(r for r, _ in each)) / max(len(each), 1) + beta[i] for i, each in enumerate(heard)]
        near = screens and any(abs(each - threshold) < HAIR for each in high)
        able = [i for i in range(n) if not screens or high[i] >= threshold]
        goal = config.exploration_scale * (mpmath.mpf(step) / n) ** mpmath.mpf(config.exploration_exponent)
        goal = mpmath.nint(goal) if abs(goal - mpmath.nint(goal)) < mpmath.mpf(10) ** -60 else goal
        if not able:
            return Step("empty", able, everybody, capped, near)
        if poor := {i for i in able if explores and count[i] < goal}:
            return Step("exploration", able, poor, capped, near)
        width = [(1 + mpmath.mpf(config.belief_slack)) * config.cost_bound * each for each in beta]
        index = {i: heard[i][-1][1] - width[i] for i in able}
        least = min(index.values())
        paid = [min([config.cost_bound, *(width[i] + index[j] for j in able if j != i)]) for i in range(n)]
        near |= any(least < each < least + HAIR for each in index.values())
        return Step("auction", able, {i for i in able if index[i] == least}, paid, near)
