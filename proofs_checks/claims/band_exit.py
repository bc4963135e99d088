"""Exact probability that a mean score leaves its confidence band, by dynamic programming."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from bounds.setting.model import Setting
from mechanism.tables import radius_table
from proofs_checks.claims.model.evidence import exact_evidence
from proofs_checks.verdict import Evidence, Verdict

Side = Literal["both", "below"]

#: Counts followed exactly; Hoeffding bounds the rest.
EXACT_COUNTS = 1000


def band_exit_probability(
    quality: float, *, n_providers: int, confidence: float, counts: int = EXACT_COUNTS, side: Side = "both"
) -> float:
    """Return the probability that the mean of i.i.d. Bernoulli scores leaves its band within `counts` draws.

    Parameters
    ----------
    quality : float
        q_i in [0, 1].
    n_providers, confidence
        N and delta of the radius beta(m).
    counts : int
        Largest m.
    side : {"both", "below"}
        Whether leaving upwards counts.

    Returns
    -------
    float
        Exact up to the rounding of `counts` sums of doubles (below 1e-12).

    Examples
    --------
    >>> band_exit_probability(0.5, n_providers=4, confidence=0.05, counts=4)
    0.0
    """
    radii = radius_table(n_providers, confidence).upto(counts)
    # inside[s] is the probability of s successes so far without having left the band.
    inside, left = np.zeros(counts + 2), 0.0
    inside[0] = 1.0
    successes = np.arange(counts + 2)
    for m in range(1, counts + 1):
        inside[1 : m + 1] = inside[1 : m + 1] * (1 - quality) + inside[:m] * quality
        inside[0] *= 1 - quality
        gap = successes[: m + 1] / m - quality
        out = (np.abs(gap) if side == "both" else -gap) > radii[m]
        left += float(inside[: m + 1][out].sum())
        inside[: m + 1][out] = 0.0
    return left


def hoeffding_tail(n_providers: int, confidence: float, counts: int, sides: int) -> float:
    """Return a bound on leaving one side (or two) of the band at some count above `counts`.

    Each side fails at count m with probability at most exp(-2 m beta(m)^2) = 3 delta/(2 pi^2 N m^2), and the sum
    of 1/m^2 over m > M is below 1/M.

    Examples
    --------
    >>> hoeffding_tail(4, 0.05, 1000, 2) < 1e-5
    True
    """
    return sides * 3 * confidence / (2 * math.pi**2 * n_providers * counts)


def good_event_probability(setting: Setting) -> Evidence:
    """Bound the probability that the good event fails in a setting with Bernoulli scores.

    Scores are followed exactly up to `EXACT_COUNTS`; the rest and all costs are bounded by Hoeffding. A mean of
    one draw cannot leave its band (beta(1) >= 1), so costs fail with probability at most (1 - 6/pi^2) delta/2.
    """
    n, delta = setting.n_providers, setting.platform.confidence
    exits = [band_exit_probability(p.quality, n_providers=n, confidence=delta) for p in setting.providers]
    scores = sum(exits) + n * hoeffding_tail(n, delta, EXACT_COUNTS, 2)
    costs = (1 - 6 / math.pi**2) * delta / 2
    return _bounded(
        f"Bernoulli scores exactly up to m = {EXACT_COUNTS}, the rest and all costs by Hoeffding",
        scores + costs,
        delta,
        2 * n,
        {"scores_fail_at_most": scores, "costs_fail_at_most": costs, "delta": delta, "largest_exact_exit": max(exits)},
    )


def qualified_never_excluded(setting: Setting) -> Evidence:
    """Bound the probability that some qualified provider is ever excluded: only downward exits matter."""
    n, delta = setting.n_providers, setting.platform.confidence
    exits = [
        band_exit_probability(setting.providers[i].quality, n_providers=n, confidence=delta, side="below")
        for i in setting.qualified
    ]
    total = sum(exits) + len(exits) * hoeffding_tail(n, delta, EXACT_COUNTS, 1)
    return _bounded(
        f"downward exits of qualified Bernoulli scores, exactly up to m = {EXACT_COUNTS}, the rest by Hoeffding",
        total,
        delta,
        len(exits),
        {"fails_at_most": total, "delta": delta},
    )


def _bounded(tried: str, failure: float, delta: float, checked: int, parameters: dict[str, float]) -> Evidence:
    """Return evidence of a bound on a failure probability, for one law of the scores: never more than NOT_REFUTED."""
    found = exact_evidence(
        tried, failure <= delta, checked=checked, ratio=failure / delta, margin=delta - failure, parameters=parameters
    )
    return replace(found, verdict=Verdict.NOT_REFUTED) if found.verdict is Verdict.EXACT else found
