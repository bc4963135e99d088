"""Small markets on which the good event holds exactly, each made for some broken rules."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import TruthfulBidder
from mechanism.episode import run_episode
from mechanism.platform import Mechanism
from mechanism.tables import radius_table
from proofs_checks.claims.model.case import Case

Outcome = tuple[float, float]  # score, cost


@dataclass(frozen=True)
class Stage:
    """A market on which every provider repeats its outcomes in turn; its quality and mean cost are their means."""

    outcomes: tuple[tuple[Outcome, ...], ...]
    horizon: int
    platform: dict[str, float] = field(default_factory=dict)

    @functools.cached_property
    def setting(self) -> Setting:
        usual = {
            "quality_threshold": 0.5,
            "confidence": 0.05,
            "cost_bound": 1.0,
            "exploration_scale": 0.5,
            "exploration_exponent": 0.5,
        }
        means = [tuple(float(x) for x in np.mean(cycle, axis=0)) for cycle in self.outcomes]
        providers = [Provider(f"p{i}", score, cost) for i, (score, cost) in enumerate(means)]
        return Setting("stage", PlatformParameters(**{**usual, **self.platform}), tuple(providers))

    def play(self, mechanism: Mechanism) -> Case:
        bidders = [TruthfulBidder(self.setting.platform.cost_bound) for _ in self.outcomes]
        return Case(self.setting, run_episode(mechanism, bidders, Repeating(self.outcomes), self.horizon), {})


class Repeating:
    def __init__(self, outcomes: Sequence[Sequence[Outcome]]) -> None:
        self.outcomes, self.served = outcomes, [0] * len(outcomes)

    def outcome(self, step: int, provider: int) -> Outcome:
        cycle, position = self.outcomes[provider], self.served[provider]
        self.served[provider] += 1
        return cycle[position % len(cycle)]

    def query_price(self, cost: float) -> float:
        return cost


def always(*outcomes: Outcome) -> tuple[tuple[Outcome, ...], ...]:
    return tuple((outcome,) for outcome in outcomes)


LATE = {"quality_threshold": 1.0, "exploration_scale": 4.0}
LONG = always((1, 0.5), (1, 0.9))
FADING = (((1, 0.5),), ((1, 0.9),), ((1, 0.1), *[(0, 0.1)] * 4))
SLACKS = {"underbid": 0.02, "overbid": 0.02}

STAGES = {
    "auctions": Stage(always((1, 0.3), (1, 0.4), (1, 0.6), (1, 0.9)), 250),
    "noisy": Stage((((1, 0.5), (1, 0.1)), ((1, 0.2), (1, 0.6)), ((1, 0.9), (0, 0.7))), 250),
    "screening": Stage(always((1, 0.5), (1, 0.9), (0, 0.1)), 1500, LATE),
    "fading": Stage(FADING, 400, {"quality_threshold": 0.9, "exploration_scale": 1.0}),
    "long": Stage(LONG, 2500, LATE),
    "lone": Stage(always((1, 0.3), (0, 0.4)), 200, {"quality_threshold": 1.0, "exploration_scale": 0.2}),
    "empty": Stage(always((0, 0.3), (0, 0.4)), 60, {"quality_threshold": 1.0}),
    "exploring": Stage(always((1, 0.3), (1, 0.4)), 600, {"exploration_scale": 8.0, "exploration_exponent": 0.9}),
    "integer": Stage(always((1, 0.3), (1, 0.4)), 200, {"exploration_scale": 1.0}),
    "widened": Stage(always((1, 0.3), (1, 0.4), (1, 0.9)), 250, {"belief_slack": 1.0}),
    "ties": Stage(always((1, 0.25), (1, 0.25), (1, 0.5)), 200, {"exploration_scale": 1.0}),
    # Truthful bids lie within every slack: the same market for appendices B and C.
    "bayesian": Stage(LONG, 2500, {**LATE, "belief_slack": 0.1}),
    "deviating": Stage(LONG, 2500, {**LATE, **SLACKS}),
    "far": Stage(always((1, 0.0), (1, 1.0)), 1500, {**LATE, **SLACKS}),
    "combined": Stage(LONG, 2500, {**LATE, **SLACKS, "belief_slack": 0.1}),
}

#: Provider 1 scores 0 and is eligible at m = 20 by equality: q_min is beta(20), to the last bit.
EDGE = Stage(
    always((1, 0.3), (0, 0.1)), 200, {"quality_threshold": radius_table(2, 0.05)[20], "exploration_scale": 1.0}
)
