"""After how many selections an unqualified provider is found out: one count decides, so one deviation is paid for.

The elimination of provider i needs its mean score to be low at *one* count only, the first at which it is excluded for
sure: what is excluded is not selected, and what is not selected stays excluded. lem:unqualified-elimination pays for
all counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.coverage.elimination import relative_entropy
from bounds.formulas.crossings import neighbours
from bounds.formulas.radius import EXACT_SELECTION_BOUND, RADIUS

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
#: A test must be passed by so much, relatively, that rounding cannot be the reason.
_CLEARLY = 1 + 1e-12
#: More than a number is rounded by, relatively; a radius, which takes several operations, by fewer than eight.
_ROUNDING = 3e-16


def chernoff_counts(values: Mapping[str, Any]) -> Floats:
    """Return, per unqualified provider, the last m at which m kl(q_min - beta(m), q_i) >= budget fails.

    At the next count m its mean score reaches q_min - beta(m) with probability at most e^-budget. That is Chernoff's
    bound. It serves for every law of scores in [0, 1], since e^(s x) <= 1 - x + x e^s there (Hoeffding 1963).
    """
    quality, threshold, budget = _shaped(values)
    gap = threshold - quality

    def passed(radius: Floats, counts: Floats) -> Flags:
        # How far the tested mean is above the quality, not rounded at the size of either, and at the least.
        excess = np.maximum(gap * (1 - _ROUNDING) - radius * (1 + 8 * _ROUNDING), 0.0)
        evidence = counts * relative_entropy(np.minimum(quality + excess, 1.0), quality, excess)
        return np.asarray(evidence >= budget * _CLEARLY)

    return _last_failures(values, passed)


def _shaped(values: Mapping[str, Any]) -> tuple[Floats, Floats, Floats]:
    """Return quality, threshold and budget with the providers on the last axis.

    The budget is ln(n pi^2/(6 delta)) for n unqualified providers: they share the failure probability 6 delta/pi^2.
    """
    quality = np.asarray(values["unqualified_quality"], dtype=float)
    threshold = np.asarray(values["quality_threshold"], dtype=float)[..., None]
    confidence = np.asarray(values["confidence"], dtype=float)[..., None]
    unqualified = np.asarray(values["n_providers"], float) - np.asarray(values["n_qualified"], float)
    budget = np.log(np.maximum(unqualified[..., None], 1)) + math.log(math.pi**2 / 6) - np.log(confidence)
    return quality, threshold, budget


def _last_failures(values: Mapping[str, Any], passed: Callable[[Floats, Floats], Flags]) -> Floats:
    """Return the last count at which a test fails that, once passed, stays passed.

    The test is passed beyond floor(m*(eps)): there eps > 2 beta(m), and the test asks for less.
    """
    quality, threshold, _ = _shaped(values)
    n_providers = np.asarray(values["n_providers"], dtype=float)[..., None]
    confidence = np.asarray(values["confidence"], dtype=float)[..., None]
    gap = np.minimum(threshold - quality, 1.0)
    if not gap.size:
        return np.zeros(gap.shape)

    def holds(counts: Floats) -> Flags:
        return passed(np.asarray(RADIUS(count=counts, n_providers=n_providers, confidence=confidence)), counts)

    high = np.asarray(EXACT_SELECTION_BOUND(gap=gap, n_providers=n_providers, confidence=confidence)) + 1
    # beta(1) >= 1: nobody is excluded at count 1.
    return neighbours(holds, np.ones_like(high), high)[0]
