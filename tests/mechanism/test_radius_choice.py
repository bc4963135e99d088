"""A radius by name: platform, compiled runs, replay and campaigns take it from the setting."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.setting.model import Setting
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.metrics.tally import OF_PAPERS_RADIUS, ProviderField, RunField
from mechanism.replay import Replay
from mechanism.tables import cost_table, quality_table, radius_table
from tests.mechanism.random_episodes import Episode, episodes, trace_differences

OTHERS = tuple(name for name in RADII if name != PAPERS)


def with_radius(setting: Setting, name: str) -> Setting:
    return replace(setting, platform=replace(setting.platform, radius=name))


@hypothesis_settings(max_examples=60)
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
    plain = simulate(setting, horizon=6000, seed=3)
    for streaks in (True, False):
        assert trace_differences(plain, CompiledEpisode(setting).trace(horizon=6000, seed=3, streaks=streaks)) == []
    assert not Replay(MechanismConfig.of(setting), plain).eligible[-1].all()
    # With the paper's radius the run is another one.
    papers = CompiledEpisode(with_radius(setting, PAPERS)).trace(horizon=6000, seed=3)
    assert trace_differences(plain, papers) != []


@pytest.mark.for_each("name", RADII)
def test_replay_reads_the_same_tables(name: str) -> None:
    setting = with_radius(published("gsm8k-full").setting, name)
    config = MechanismConfig.of(setting)
    replay = Replay(config, CompiledEpisode(setting).trace(horizon=400, seed=5))
    counts = [int(m) for m in replay.counts[-1]]
    assert replay.radii[-1].tolist() == [quality_table(config)[m] for m in counts]
    assert replay.cost_radii[-1].tolist() == [config.cost_bound * cost_table(config)[m] for m in counts]


def test_the_papers_radius_is_what_it_was() -> None:
    """The same table objects, for configurations that know the attribute and for those that do not."""
    config = MechanismConfig(9, 0.764, 0.05, 102.4, 2.0, 0.75)
    old = SimpleNamespace(**{name: value for name, value in vars(config).items() if name != "radius"})
    for each in (config, old):
        assert quality_table(each) is cost_table(each)
        assert quality_table(each) is radius_table(9, 0.05)
    assert "radius" not in config.to_data()
    assert replace(config, radius="kl").to_data()["radius"] == "kl"


def test_quality_alone_is_tightened_or_both() -> None:
    config = MechanismConfig(9, 0.764, 0.05, 102.4, 2.0, 0.75)
    papers = radius_table(9, 0.05)[2000]
    quality = {name: quality_table(replace(config, radius=name))[2000] for name in OTHERS}
    costs = {name: cost_table(replace(config, radius=name))[2000] for name in OTHERS}
    assert all(value < papers for value in quality.values())
    assert {name for name, value in costs.items() if value < papers} == {"normal-mixture", "stitched"}
    assert costs["kl"] == costs["beta-binomial"] == papers


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


def test_tighter_quality_tests_leave_the_unqualified_less() -> None:
    """Of one seed: each unqualified share is below the paper's, by the ratio of the thresholds of elimination."""
    setting = published("gpqa-strong").setting
    shares = {}
    for name in RADII:
        (tally,) = CompiledEpisode(with_radius(setting, name)).tallies(horizon=70_000, seed=1, runs=[0])
        selections = tally.provider(ProviderField.SELECTIONS)
        shares[name] = selections[list(setting.unqualified)].sum() / 70_000
        assert tally.run(RunField.ELIGIBLE) == 2
    assert max(shares[name] for name in OTHERS) < shares[PAPERS]
    assert 3 * shares["beta-binomial"] < shares[PAPERS]
