"""Small markets on which the good event holds exactly, each made for some broken rules."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.platform import Mechanism
from mechanism.tables import radius_table
from proofs_checks.claims.model.case import Case
from proofs_checks.conformance.play.played import played_by
from proofs_checks.conformance.play.scenario import Query, Scenario
from tests.bounds.by_hand import LITTLE, setting_of

Outcome = tuple[float, float]  # score, cost


def stage(outcomes: tuple[tuple[Outcome, ...], ...], horizon: int, **platform: float) -> Scenario:
    """Return a market of truthful providers that repeat their outcomes in turn: quality and mean cost are the means."""
    setting = setting_of([np.mean(cycle, axis=0).tolist() for cycle in outcomes], **{**LITTLE, **platform})
    queries = tuple(tuple(Query(score, cost) for score, cost in cycle) for cycle in outcomes)
    return Scenario(MechanismConfig.of(setting), 0, queries, horizon, setting)


def play(mechanism: Callable[..., Mechanism], stage: Scenario, seed: int = 0, **options: Any) -> Case:
    return played_by(mechanism(stage.config, np.random.default_rng(seed), **options), stage).case


def always(*outcomes: Outcome) -> tuple[tuple[Outcome, ...], ...]:
    return tuple((outcome,) for outcome in outcomes)


LATE = {"quality_threshold": 1.0, "exploration_scale": 4.0}
LONG = always((1, 0.5), (1, 0.9))
FADING = (((1, 0.5),), ((1, 0.9),), ((1, 0.1), *[(0, 0.1)] * 4))
NOISY = (((1, 0.5), (1, 0.1)), ((1, 0.2), (1, 0.6)), ((1, 0.9), (0, 0.7)))
SLACKS = {"underbid": 0.02, "overbid": 0.02}

STAGES = {
    "auctions": stage(always((1, 0.3), (1, 0.4), (1, 0.6), (1, 0.9)), 250),
    "noisy": stage(NOISY, 250),
    "screening": stage(always((1, 0.5), (1, 0.9), (0, 0.1)), 1500, **LATE),
    "fading": stage(FADING, 400, quality_threshold=0.9, exploration_scale=1.0),
    "long": stage(LONG, 2500, **LATE),
    "lone": stage(always((1, 0.3), (0, 0.4)), 200, quality_threshold=1.0, exploration_scale=0.2),
    "empty": stage(always((0, 0.3), (0, 0.4)), 60, quality_threshold=1.0),
    "exploring": stage(always((1, 0.3), (1, 0.4)), 600, exploration_scale=8.0, exploration_exponent=0.9),
    "integer": stage(always((1, 0.3), (1, 0.4)), 200, exploration_scale=1.0),
    "widened": stage(always((1, 0.3), (1, 0.4), (1, 0.9)), 250, belief_slack=1.0),
    "ties": stage(always((1, 0.25), (1, 0.25), (1, 0.5)), 200, exploration_scale=1.0),
    # Truthful bids lie within every slack: the same market for appendices B and C.
    "bayesian": stage(LONG, 2500, **LATE, belief_slack=0.1),
    "deviating": stage(LONG, 2500, **LATE, **SLACKS),
    "far": stage(always((1, 0.0), (1, 1.0)), 1500, **LATE, **SLACKS),
    "combined": stage(LONG, 2500, **LATE, **SLACKS, belief_slack=0.1),
}

#: Provider 1 scores 0 and is eligible at m = 20 by equality: q_min is beta(20), to the last bit.
EDGE = stage(always((1, 0.3), (0, 0.1)), 200, quality_threshold=radius_table(2, 0.05)[20], exploration_scale=1.0)
