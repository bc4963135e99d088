"""The event on which bounds for any confidence radius are stated, on a trace: the bands of the radius at hand.

`bounds.radii.radius.Radius` has the 4N events that are certified. These bounds use those that are met here:

- the mean score of a qualified provider is never below q_min by more than the quality radius at q_min;
- that of an unqualified provider is never above its quality by more than the quality radius of the scores 1 - s;
- no mean cost is further from its expectation than c_max times the cost radius.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.tables import BAND_TOLERANCE, TabulatedFunction, entries, quality_table
from proofs_checks.claims.model.case import Case, Numbers, PreconditionFailure
from proofs_checks.claims.model.precondition import BELIEFS_AND_DEVIATIONS, SEPARATED, Precondition
from proofs_checks.claims.model.regime import Regime


def upper_quality_table(setting: Setting, quality: float) -> TabulatedFunction:
    """Return the table of how far the mean of so many scores stays above a quality."""
    return quality_table(replace(MechanismConfig.of(setting), quality_threshold=1 - quality))


def _outside_bands(case: Case) -> PreconditionFailure | None:
    replay, setting = case.replay, case.setting
    allowed = setting.platform.cost_bound * replay.relative_cost_radii_after * BAND_TOLERANCE
    means = np.array([p.mean_cost for p in setting.providers])[replay.settlements.rows.provider]
    scores, costs = _scores_outside(case), np.abs(replay.cost_estimates_after - means) > allowed
    rows = np.flatnonzero(scores | costs)
    what = "score" if scores[rows[:1]].any() else "cost"
    return case.failure_after(rows, f"the mean {what} of {{provider}} leaves the band of the radius at m = {{m:,}}")


def _scores_outside(case: Case) -> Numbers:
    """Return after which settlements the mean score of their provider lies outside the band that bounds use."""
    replay, setting = case.replay, case.setting
    provider, estimates = replay.settlements.rows.provider, replay.quality_estimates_after
    below = setting.platform.quality_threshold - estimates > replay.radii_after * BAND_TOLERANCE
    outside = below & np.isin(provider, setting.qualified)
    for i in setting.unqualified:
        rows = np.flatnonzero(provider == i)
        quality = setting.providers[i].quality
        radii = entries(upper_quality_table(setting, quality), replay.counts_after[rows])
        outside[rows] = estimates[rows] - quality > radii * BAND_TOLERANCE
    return np.asarray(outside)


MARKET_OF_ANY_RADIUS = Precondition(
    "at least two qualified providers, unique cheapest, for any radius",
    lambda case: "; ".join(case.setting.unmet_of_market) or None,
)
RADIUS_BANDS = Precondition("means within the bands of the radius at hand", _outside_bands, needs_costs=True)

#: For bounds that concern who is eligible alone.
ANY_RADIUS_ANY_BIDS = Regime("any bids, bands of the radius at hand", (MARKET_OF_ANY_RADIUS, RADIUS_BANDS))
ANY_RADIUS = Regime(
    "Bayesian bids with deviations, bands of the radius at hand",
    (MARKET_OF_ANY_RADIUS, BELIEFS_AND_DEVIATIONS, SEPARATED, RADIUS_BANDS),
)
