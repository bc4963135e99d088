"""A radius by name: platform, compiled runs, replay and campaigns take it from the setting, and its caps are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.setting.model import Setting
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.metrics.tally import OF_PAPERS_RADIUS
from mechanism.replay import Replay
from mechanism.tables import cost_table, quality_table, radius_table
from tests.bounds.by_hand import with_radius
from tests.mechanism.random_episodes import Episode, episodes, trace_differences

OTHERS = tuple(name for name in RADII if name != PAPERS)


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
