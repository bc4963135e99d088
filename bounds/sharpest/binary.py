"""For scores of 0 and 1 alone: the exact law of an elimination, and of the sum of several."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.coverage.elimination import EliminationLaw, elimination_law
from bounds.sharpest.elimination import chernoff_counts
from bounds.sharpest.probability import FIRST_COUNT

Floats = NDArray[np.float64]
#: Providers that may have to be followed for more counts have those of Chernoff's bound: their laws take too long.
_MOST_COUNTS = 1 << 18
#: Nor is a law followed to a smaller probability.
_LEAST_FAILURE = 1e-200
#: Values of a law are rounded up to a grid of at most so many points: laws are added up quickly.
_POINTS = 1024
#: Rounds sums of products of probabilities up.
_UP = 1 + 1e-10


def exact_counts(values: Mapping[str, Any]) -> Floats:
    """Return, per unqualified provider, a count of selections that is exceeded with probability 6 delta/(pi^2 n).

    It is the exact quantile, for n unqualified providers. A provider that would have to be followed too long has the
    count of Chernoff's bound.
    """
    names = ("quality_threshold", "n_providers", "n_qualified", "confidence")
    given = {name: np.asarray(values[name], dtype=float) for name in names}
    qualities, found = np.broadcast_arrays(np.asarray(values["unqualified_quality"], float), chernoff_counts(values))
    found = found.copy()
    for at in np.ndindex(found.shape):
        own = {name: np.broadcast_to(array, found.shape[:-1])[at[:-1]].item() for name, array in given.items()}
        count = float(found[at])
        law = law_of(float(qualities[at]), count, own)
        exact = None if law is None else law.quantile(_failure(own))
        found[at] = count if exact is None else min(count, exact)
    return found


def law_of(quality: float, count: float, values: Mapping[str, Any]) -> EliminationLaw | None:
    """Return the law of an elimination, followed to its quantile; None if `count`, which bounds it, is too large."""
    if count > _MOST_COUNTS or _failure(values) < _LEAST_FAILURE:
        return None
    threshold, n, confidence = (float(values[name]) for name in ("quality_threshold", "n_providers", "confidence"))
    return _law(quality, threshold, int(n), confidence, _failure(values))


def _failure(values: Mapping[str, Any]) -> float:
    return FIRST_COUNT * float(values["confidence"]) / (float(values["n_providers"]) - float(values["n_qualified"]))


@functools.lru_cache(maxsize=1024)
def _law(quality: float, threshold: float, n_providers: int, confidence: float, failure: float) -> EliminationLaw:
    return elimination_law(
        quality, quality_threshold=threshold, n_providers=n_providers, confidence=confidence, failure=failure
    )


def joint_quantile(laws: Sequence[EliminationLaw], caps: Sequence[float], failure: float) -> float:
    """Return a number that the sum of min{cap_i, tau_i - 1} exceeds with probability at most `failure`.

    Providers draw their scores independently, so the law of the sum is that of independent summands. Each is rounded up
    to a grid, and probabilities are rounded up; so the number is never too small.

    Examples
    --------
    >>> law = elimination_law(0.5, quality_threshold=0.75, n_providers=4, confidence=0.05, failure=1e-4)
    >>> alone, both = joint_quantile([law], [1000], 0.01), joint_quantile([law, law], [1000, 1000], 0.01)
    >>> law.quantile(0.01) <= alone < both < 2 * alone
    True
    """
    tails = [law.survival_upper[1:] for law in laws]
    reach = [min(cap, len(tail) - 1) for cap, tail in zip(caps, tails, strict=True)]
    width = max(1, math.ceil(max(reach, default=0) / _POINTS))
    total, missing = np.ones(1), 0.0
    for tail, cap, last in zip(tails, caps, reach, strict=True):
        points = math.ceil(last / width)
        survival = np.append(1.0, tail[np.minimum(np.arange(points + 1) * width, len(tail) - 1)])
        mass = -np.diff(survival)  # at 0, width, 2 width, ...: of values rounded up
        if cap <= len(tail) - 1:
            mass[-1] += survival[-1]  # the cap takes what lies beyond
        else:
            missing += float(survival[-1])
        total = np.convolve(total, np.maximum(mass, 0.0))
    beyond = (total[::-1].cumsum()[::-1] - total) * _UP + missing
    enough = np.flatnonzero(beyond <= failure)
    return float(enough[0] * width) if len(enough) else math.inf
