"""A radius by name: platform, compiled runs, replay and campaigns take it from the setting, and its caps are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.radii.catalogue import radius_named
from bounds.radii.names import PAPERS, RADII
from bounds.radius_caps import RadiusCaps
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.metrics.tally import OF_PAPERS_RADIUS
from mechanism.platform import Platform
from mechanism.replay import Replay
from mechanism.tables import cost_table, quality_table, radius_table
from tests.mechanism.random_episodes import Episode, episodes, trace_differences

OTHERS = tuple(name for name in RADII if name != PAPERS)


def with_radius(setting: Setting, name: str) -> Setting:
    return replace(setting, platform=replace(setting.platform, radius=name))


@pytest.mark.long("plays 100 episodes in Python")
@given(episodes(), st.sampled_from(OTHERS))
def test_plain_equals_compiled_with_every_radius(episode: Episode, name: str) -> None:
    """Decision by decision, to the last bit; totals as `tally_of` recomputes them from the trace."""
    other = replace(episode, setting=with_radius(episode.setting, name))
    unmeasured = {field.name for field in OF_PAPERS_RADIUS}
    assert set(other.differences()) <= unmeasured
    (tally,) = other.compiled_tallies([other.run])
    assert np.isnan(tally.overall[:, OF_PAPERS_RADIUS]).all()


@pytest.mark.for_each("name", OTHERS)
def test_plain_equals_compiled_where_providers_are_excluded(name: str) -> None:
    setting = with_radius(published("gpqa-strong").setting, name)
    plain = simulate(setting, horizon=3000, seed=3)
    assert trace_differences(plain, CompiledEpisode(setting).trace(horizon=3000, seed=3)) == []
    assert not Replay(MechanismConfig.of(setting), plain).eligible[-1].all()
    # With the paper's radius the run is another one.
    papers = CompiledEpisode(with_radius(setting, PAPERS)).trace(horizon=3000, seed=3)
    assert trace_differences(plain, papers) != []


def test_quality_alone_is_tightened_or_both() -> None:
    config = MechanismConfig(9, 0.764, 0.05, 102.4, 2.0, 0.75)
    papers = radius_table(9, 0.05)[2000]
    quality = {name: quality_table(replace(config, radius=name))[2000] for name in OTHERS}
    costs = {name: cost_table(replace(config, radius=name))[2000] for name in OTHERS}
    assert all(value < papers for value in quality.values())
    assert {name for name, value in costs.items() if value < papers} == {"normal-mixture"}
    assert costs["beta-binomial"] == papers


def test_a_campaign_knows_its_radius() -> None:
    setting = published("gpqa-strong").setting

    def identity(given: Setting) -> object:
        return Campaign(given, horizon=300, runs=1, seed=0, window=100).parts[0].identity()

    assert "radius" not in identity(setting)["setting"]["platform"]  # type: ignore[index]
    different = [identity(with_radius(setting, name)) for name in RADII]
    assert all(one != other for i, one in enumerate(different) for other in different[:i])


def test_configurations_refuse_what_settings_refuse() -> None:
    with pytest.raises(InputError, match="past bids"):
        MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75, radius="empirical-bernstein")


LONG = pytest.mark.long("steers four runs")
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


@pytest.mark.parametrize("name", [PAPERS, *(pytest.param(name, marks=LONG) for name in RADII if name != PAPERS)])
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
