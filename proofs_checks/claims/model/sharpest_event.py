"""The event on which the sharpest bounds are stated, on a trace: the paper's good event, and two parts more.

- Each unqualified provider i is excluded at count M_i + 1 at the latest, for one M_i (single-time elimination).
- The mean cost of the cheapest competitor is never above its expectation by its stitched radius.

`bounds.sharpest.probability` says how delta pays for each. A trace off the event is none that the bounds speak of.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.elimination import chernoff_counts
from bounds.sharpest.market import MarketInstance
from bounds.sharpest.probability import spare_probability, stitched_radii
from mechanism.tables import BAND_TOLERANCE
from proofs_checks.claims.model.case import Case, PreconditionFailure
from proofs_checks.claims.model.precondition import BELIEFS_AND_DEVIATIONS, GOOD_EVENT, MARKET, SEPARATED, Precondition
from proofs_checks.claims.model.regime import Regime

#: An eligibility by so little may be rounding: where it matters, it counts as one.
_HAIR = 1e-9


def market_of(setting: Setting) -> MarketInstance:
    """Return a setting as searches see it; it has a unique optimal provider and a competitor."""
    return MarketInstance.of(formula_inputs(setting))


def _excluded_in_time(case: Case) -> PreconditionFailure | None:
    if not case.setting.unqualified:
        return None
    replay, last = case.replay, _last_counts(case.setting)[case.replay.settlements.rows.provider]
    tested = np.flatnonzero((last > 0) & (replay.counts_after == last + 1))
    reached = replay.quality_estimates_after[tested] + replay.radii_after[tested]
    high = tested[reached >= case.setting.platform.quality_threshold - _HAIR]
    return case.failure_after(high, "{provider} at m = {m:,}: still eligible, or within a hair of it")


@functools.lru_cache(maxsize=64)
def _last_counts(setting: Setting) -> NDArray[np.float64]:
    """Return the count up to which each unqualified provider may be eligible; 0 for the qualified."""
    last = np.zeros(setting.n_providers)
    last[list(setting.unqualified)] = chernoff_counts(formula_inputs(setting))
    return last


def _below_the_stitched_radius(case: Case) -> PreconditionFailure | None:
    if case.setting.unmet_assumptions:
        return None  # then there is no market to speak of
    setting, replay = case.setting, case.replay
    rival = min(setting.competitors, key=lambda i: setting.providers[i].mean_cost)
    mine = np.flatnonzero(replay.settlements.rows.provider == rival)
    failure = spare_probability(setting.n_providers, setting.platform.confidence) / 2
    radii = setting.platform.cost_bound * stitched_radii(np.maximum(replay.counts_after[mine], 1.0), failure)
    off = replay.cost_estimates_after[mine] - setting.providers[rival].mean_cost
    above = mine[off > radii * BAND_TOLERANCE + case.rounding]
    return case.failure_after(above, "{provider} at m = {m:,}: its mean cost is above the stitched radius")


EXCLUDED_IN_TIME = Precondition("each unqualified provider excluded at one count (Chernoff)", _excluded_in_time)
STITCHED_COST = Precondition(
    "mean cost of the cheapest competitor below its stitched radius", _below_the_stitched_radius, needs_costs=True
)
SHARPEST_EVENT = Regime("sharpest event", (MARKET, BELIEFS_AND_DEVIATIONS, SEPARATED, GOOD_EVENT, EXCLUDED_IN_TIME))
