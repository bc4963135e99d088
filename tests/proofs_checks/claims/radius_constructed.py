"""Markets at the edges of the bands of any confidence radius that a setting has.

The mean score of a qualified provider moves within the quality radius about the threshold, that of an unqualified one
within the radius of its own scores about its quality, mean costs within the cost radius. So the event of
`proofs_checks.claims.model.radius_event` is met, near its boundary.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.tables import cost_table, quality_table
from proofs_checks.claims.cases.constructed import WalkedMarket
from proofs_checks.claims.cases.edge_walk import BandWalk
from proofs_checks.claims.cases.sharpest_constructed import Edges, sharpest_setting, trace_at_edges
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.radius_event import upper_quality_table


def radius_market(setting: Setting, edges: Edges, horizon: int, rng: np.random.Generator) -> WalkedMarket:
    """Return a market on which the bands of the radius at hand hold, near their edges."""
    platform, config = setting.platform, MechanismConfig.of(setting)
    tested, cost_radii = quality_table(config).upto(horizon), cost_table(config).upto(horizon)
    scores = []
    for provider, (score, _) in zip(setting.providers, edges, strict=True):
        if provider.quality >= platform.quality_threshold:
            scores.append(BandWalk(platform.quality_threshold, 1.0, score, tested, rng))
        else:
            radii = upper_quality_table(setting, provider.quality).upto(horizon)
            scores.append(BandWalk(provider.quality, 1.0, score, radii, rng))
    costs = [
        BandWalk(provider.mean_cost, platform.cost_bound, cost, cost_radii, rng)
        for provider, (_, cost) in zip(setting.providers, edges, strict=True)
    ]
    return WalkedMarket(scores=tuple(scores), costs=tuple(costs))


def played_at_edges(setting: Setting, horizon: int, rng: np.random.Generator) -> Case:
    """Play a setting on such a market, with edges drawn at random and bids at the edge of the setting's slacks."""
    trace = trace_at_edges(setting, horizon, rng, lambda edges: radius_market(setting, edges, horizon, rng))
    return Case(setting, trace, {"kind": "steered", "market": "at the edges of the bands of the radius at hand"})


def radius_case(radius: str, seed: int, instance: int, *, runs: int = 25) -> Case:
    """Return one instance with the radius of a name, a pure function of the arguments; `runs` numbers share a setting.

    Examples
    --------
    >>> from proofs_checks.claims.model.radius_event import RADIUS_BANDS
    >>> RADIUS_BANDS.found_failure(radius_case("normal-mixture", 0, 3)) is None
    True
    """
    setting, horizon = sharpest_setting(np.random.default_rng([seed, 2, instance // runs]))
    setting = replace(setting, platform=replace(setting.platform, radius=radius))
    return played_at_edges(setting, horizon, np.random.default_rng([seed, 2, instance // runs, instance]))
