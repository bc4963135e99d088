"""Runs whose means are steered to the edges of their bands: the caps of every radius are kept, and nearly used up."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.radii.catalogue import radius_named
from bounds.radii.names import RADII
from bounds.radius_caps import RadiusCaps
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.config import MechanismConfig
from mechanism.platform import Platform

HORIZON = 6000
INSIDE = 1 - 1e-9


class Steered:
    """Scores or costs in [0, top] whose running mean keeps as near to the edge of its band as it can."""

    def __init__(self, edge: np.ndarray, top: float) -> None:
        self.edge, self.top, self.sum, self.count = edge, top, 0.0, 0

    def next(self) -> float:
        self.count += 1
        drawn = float(np.clip(self.count * self.edge[self.count] - self.sum, 0, self.top))
        self.sum += drawn
        return drawn


def steered_run(setting: Setting) -> list[int]:
    """Return the selections after initialization: rivals look as good as their bands allow, i* as bad."""
    platform, n = setting.platform, setting.n_providers
    radius, counts = radius_named(platform.radius), np.arange(1.0, HORIZON + 2)
    known = {"n_providers": n, "confidence": platform.confidence}
    width = platform.cost_bound * radius.cost_radius(counts, **known) * INSIDE
    walks = []
    for i, provider in enumerate(setting.providers):
        up = radius.quality_radius(counts, mean=1 - provider.quality, **known) * INSIDE
        quality = provider.quality if i == setting.optimal else provider.quality + up
        cost = provider.mean_cost + (width if i == setting.optimal else -width)
        edges = [np.append(np.nan, np.broadcast_to(edge, counts.shape)) for edge in (quality, cost)]
        walks.append((Steered(edges[0], 1.0), Steered(edges[1], platform.cost_bound)))
    mechanism = Platform(MechanismConfig.of(setting), np.random.default_rng(0))
    selections = [-1] * n
    for _ in range(HORIZON):
        served, _ = mechanism.assign()
        scores, costs = walks[served]
        score = scores.next()
        costs.next()
        mechanism.settle(score, min(costs.sum / costs.count, platform.cost_bound))
        selections[served] += 1
    return selections


def market(name: str, seed: int) -> Setting:
    rng = np.random.default_rng(seed)
    threshold = float(rng.uniform(0.3, 0.8))
    poor, poorer = threshold - rng.uniform(0.15, 0.28, size=2)
    rows = [(min(threshold + 0.1, 1.0), 0.3), (0.95, float(rng.uniform(0.6, 0.9))), (poor, 0.05), (poorer, 0.9)]
    platform = PlatformParameters(threshold, 0.5, 1.0, float(rng.uniform(0.2, 1.0)), 0.6, radius=name)
    return Setting("steered", platform, [Provider(f"p{i}", *row) for i, row in enumerate(rows)])


@pytest.mark.parametrize("name", RADII)
def test_caps_are_kept_and_nearly_used_up(name: str) -> None:
    used = []
    for seed in range(4):
        setting = market(name, seed)
        caps, selections = RadiusCaps(setting), steered_run(setting)
        for i in (1, 2, 3):
            assert selections[i] <= caps.cap(i, HORIZON)
            used.append(selections[i] / caps.cap(i, HORIZON))
        assert sum(selections[1:]) <= caps.identification_bound(HORIZON)
    # Caps that are one smaller would be broken.
    assert max(used) == 1
