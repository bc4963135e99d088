"""What bounds the selections of each provider, for the confidence radius that the setting has (`bounds.radius_caps`).

With the paper's radius these are the bounds of `--method sharp`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bounds.coverage.enclosure import Bracket
from bounds.coverage.walk import Side, exit_probability
from bounds.radii.catalogue import radius_named
from bounds.radius_caps import (
    RADIUS_COMPETITOR_CAP,
    RADIUS_ELIMINATION,
    RADIUS_IDENTIFICATION,
    RADIUS_LEAD,
    RADIUS_UNQUALIFIED_CAP,
)
from bounds.setting.model import Setting
from proofs_checks.claims.band_exit import followed_counts, hidden_by_rounding
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, exact_evidence, not_applicable
from proofs_checks.claims.model.lead import leads, misses
from proofs_checks.claims.model.radius_event import ANY_RADIUS, ANY_RADIUS_ANY_BIDS
from proofs_checks.claims.statements.eligibility import selected_at_most
from proofs_checks.verdict import Verdict

#: Counts up to which means are followed, less far where there are many.
FOLLOWED = 1000
#: What rounding may do to a radius, relatively; those found by Newton's steps are made larger by 1e-11 already.
_ROUNDING = 1e-10


class Band(NamedTuple):
    """One side of the band of a mean of scores, or of costs over c_max, that are 0 or 1."""

    mean: float
    #: The radius is that of scores with this mean; None of costs.
    radius_at: float | None
    #: How far the mean lies beyond the place that the band is about.
    beyond: float
    side: Side


def bands(setting: Setting) -> Iterator[Band]:
    """Yield the bands that bounds for any radius use: one of each provider's scores, and both of its costs."""
    platform = setting.platform
    for provider in setting.providers:
        quality, threshold = provider.quality, platform.quality_threshold
        if quality >= threshold:
            yield Band(quality, threshold, quality - threshold, "below")
        else:
            yield Band(quality, 1 - quality, 0.0, "above")
        for side in _COST_SIDES:
            yield Band(provider.mean_cost / platform.cost_bound, None, 0.0, side)


_COST_SIDES: tuple[Side, ...] = ("below", "above")


@functools.lru_cache(maxsize=1024)
def _failure(band: Band, name: str, n_providers: int, confidence: float, most: int) -> Bracket:
    """Enclose how probable it is that a mean leaves its band up to a count."""
    counts, radius = np.arange(1.0, most + 1), radius_named(name)
    if band.radius_at is None:
        radii = radius.cost_radius(counts, n_providers=n_providers, confidence=confidence)
    else:
        radii = radius.quality_radius(counts, mean=band.radius_at, n_providers=n_providers, confidence=confidence)
        # A radius of the whole mean lets everything pass, whatever the rounding.
        radii = np.where(radii >= band.radius_at, np.inf, radii)
    reach = np.minimum(radii + band.beyond, 2.0)
    return exit_probability(min(band.mean, 1.0), reach, band.side, radius_rounding=_ROUNDING)


def each_band_is_paid_for(setting: Setting) -> Evidence:
    """Compare the probability that each band fails with delta/(4N), for scores and costs that are 0 or their most."""
    n, delta, name = setting.n_providers, setting.platform.confidence, setting.platform.radius
    most = followed_counts(setting, FOLLOWED)
    failures = [_failure(band, name, n, delta, most) for band in bands(setting)]
    allowed, largest = delta / (4 * n), max(each.upper for each in failures)
    tried = (
        f"the probability that a mean leaves its band up to m = {most:,}, for each of {len(failures)} bands, "
        f"against delta/(4N): exactly, for scores of 0 and 1 and costs of 0 and c_max, with the radius {name!r}"
    )
    if max(each.lower for each in failures) <= allowed < largest:
        return not_applicable(tried, hidden_by_rounding(largest, allowed), Verdict.SKIPPED)
    return exact_evidence(
        tried,
        largest <= allowed,
        checked=len(failures),
        ratio=largest / allowed,
        margin=allowed - largest,
        parameters={
            "delta": delta,
            "followed": most,
            "largest_failure": largest,
            "total": sum(each.upper for each in failures),
        },
    )


EVENT = Claim(
    label="lem:good-event:any-radius",
    any_radius=True,
    name="Bands of any radius",
    statement="with probability 1 - delta all means stay within the bands of the confidence radius at hand: each of "
    "4N sides fails with probability delta/(4N) at most, or the two of one mean together with delta/(2N)",
    on_setting=each_band_is_paid_for,
    note="The modules of bounds.radii have the proof of each radius. Compared here: exact probabilities up to a count.",
)
UNQUALIFIED = Claim(
    label="lem:unqualified-elimination:any-radius",
    any_radius=True,
    name="Unqualified elimination, any radius",
    statement="an unqualified provider is selected at most as often as its gap is within the radius of the test and "
    "that of its own scores, for any bids",
    checks=(
        selected_at_most(RADIUS_ELIMINATION, "unqualified", "selections of an unqualified provider, radius at hand"),
    ),
    regime=ANY_RADIUS_ANY_BIDS,
    implies=("lem:unqualified-elimination",),
)
_MISSES = misses(RADIUS_IDENTIFICATION, "queries that miss i*, radius at hand")
SAMPLE_COMPLEXITY = Claim(
    label="thm:sample-complexity:any-radius",
    any_radius=True,
    name="Number of non-optimal steps, any radius",
    statement="at most N - 1 plus the sum of caps: max{L_i, ceil(g(T)) - 1} of a provider other than i*, L_i the "
    "largest count at which its cost gap is within two cost radii, and of an unqualified one M_i at most besides",
    checks=(
        _MISSES,
        selected_at_most(RADIUS_COMPETITOR_CAP, "competitors", "selections of a competitor, radius at hand"),
        selected_at_most(
            RADIUS_UNQUALIFIED_CAP, "unqualified", "selections of an unqualified provider by both gaps, radius at hand"
        ),
    ),
    headline=(_MISSES,),
    regime=ANY_RADIUS,
)
IDENTIFICATION = Claim(
    label="claim:T_id:any-radius",
    any_radius=True,
    name="Identification horizon, any radius",
    statement="i* leads from the least T with T' > N + B(T') + max_i cap_i(T') for every T' >= T on, with the caps of "
    "the radius at hand",
    checks=(
        leads(
            RADIUS_LEAD,
            "i* has more selections than any rival, from the T_id of the radius at hand on",
            "the T_id of its radius",
        ),
    ),
    regime=ANY_RADIUS,
)
