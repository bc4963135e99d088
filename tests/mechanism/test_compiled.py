"""Episodes, plain and compiled, of any radius: what is logged, the same trace to the last bit, the same totals."""

import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bounds.published import PUBLISHED_NAMES, published
from bounds.radii.names import PAPERS, RADII
from bounds.setting.model import Setting
from mechanism.bidding import Bidder, FixedBidder, TruthfulBidder, deviating_bidders
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.market.market import market_laws
from mechanism.metrics.tally import OF_PAPERS_RADIUS, ProviderField, RunField, tally_of
from mechanism.platform import Platform
from mechanism.policies import POLICIES, Policy
from mechanism.replay import Replay
from mechanism.tables import cost_table, quality_table, radius_table
from tests.bounds.by_hand import with_radius
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes, tally_differences, trace_differences
from tests.refusals import assert_refused


@settings(max_examples=12)
@given(episodes(longest=100))
def test_plain_equals_compiled(episode: Episode) -> None:
    assert episode.differences() == []


@pytest.mark.long("plays longer episodes in Python")
@given(episodes(longest=300))
def test_plain_equals_compiled_for_longer(episode: Episode) -> None:
    assert episode.differences() == []


@pytest.mark.for_each("name", NAMED)
def test_plain_equals_compiled_where_it_is_difficult(name: str) -> None:
    assert NAMED[name].differences() == []


@pytest.mark.long("plays 70,000 steps in Python")
@pytest.mark.parametrize(
    ("name", "policy", "horizon"),
    [
        *((name, "platform", 70_000) for name in PUBLISHED_NAMES),
        *(("gpqa-strong", policy, 10_000) for policy in POLICIES),
    ],
)
def test_long_runs_of_the_published_settings(name: str, policy: str, horizon: int) -> None:
    setting, arguments = published(name).setting, {"horizon": horizon, "seed": 7, "run": 3}
    compiled = CompiledEpisode(setting, POLICIES[policy])
    expected = simulate(setting, policy=POLICIES[policy], **arguments)
    assert trace_differences(expected, compiled.trace(**arguments)) == []
    checkpoints = (1, setting.n_providers, 5_000, horizon - 546)
    (tally,) = compiled.tallies(horizon=horizon, seed=7, runs=[3], checkpoints=checkpoints)
    assert tally_differences(tally_of(setting, expected, checkpoints, POLICIES[policy]), tally) == []


MANY = ("usual", "pool", "deviating", "many", "eligible again", "cheapest", "no filter")


@pytest.mark.for_each("name", MANY)
def test_runs_in_one_call_or_in_several_in_any_order(name: str) -> None:
    """Runs do not disturb each other, whatever the chunk they are played in."""
    runs = [4, 0, 2, 2**32 - 1, 1]
    bits = [tally.to_bytes() for tally in NAMED[name].compiled_tallies(runs)]
    assert len(set(bits)) == len(runs)
    assert bits == [NAMED[name].compiled_tallies([run])[0].to_bytes() for run in runs]
    backwards = NAMED[name].compiled_tallies(runs[:1:-1]) + NAMED[name].compiled_tallies(runs[1::-1])
    assert sorted(bits) == sorted(tally.to_bytes() for tally in backwards)


@pytest.mark.for_each("name", ["usual", "pool", "deviating", "eligible again", "cheapest"])
def test_checkpoints_read_the_totals_and_change_nothing(name: str) -> None:
    """At every step the counts are those of a run that ends there."""
    one = NAMED[name].compiled()
    every = list(range(1, 301))
    (often,) = one.tallies(horizon=300, seed=0, runs=[9], checkpoints=every)
    trace = one.trace(horizon=300, seed=0, run=9)
    assert often.steps == tuple(every)
    assert tally_differences(tally_of(NAMED[name].setting, trace, every, one.policy), often) == []
    for step in (1, 3, 5, 6, 123, 299):
        (ending,) = one.tallies(horizon=step, seed=0, runs=[9])
        (other,) = one.tallies(horizon=300, seed=0, runs=[9], checkpoints=[step])
        for field in (ProviderField.SELECTIONS, ProviderField.EXPLORATIONS, ProviderField.LAST_SELECTION):
            assert ending.provider(field).tolist() == other.provider(field, step).tolist()


def test_no_run_loops_endlessly() -> None:
    """A kernel of old never left the set of the under-sampled when it screened out one of them: 400 runs at once."""
    one = CompiledEpisode(published("gpqa-strong").setting)
    for tally in one.tallies(horizon=5_000, seed=0, runs=range(400), checkpoints=[2_500]):
        assert tally.provider(ProviderField.SELECTIONS).sum() == 5_000
        assert tally.provider(ProviderField.SELECTIONS, 2_500).sum() == 2_500
        kinds = tally.provider(ProviderField.EXPLORATIONS).sum() + tally.provider(ProviderField.ORDINARY).sum()
        assert kinds == 5_000 - one.setting.n_providers
    screening = NAMED["screened while explored"].compiled()
    for tally in screening.tallies(horizon=5_000, seed=0, runs=range(100)):
        assert tally.provider(ProviderField.SELECTIONS).sum() == 5_000


@pytest.mark.for_each("name", ["usual", "other laws than stated"])
def test_what_is_measured_changes_nothing_else(name: str) -> None:
    one = NAMED[name].compiled()
    other = replace(one, measures=False)
    assert trace_differences(*(each.trace(horizon=500, seed=0) for each in (one, other))) == []
    arguments = {"horizon": 500, "seed": 0, "runs": [0, 1], "checkpoints": [250]}
    for full, bare in zip(one.tallies(**arguments), other.tallies(**arguments), strict=True):
        assert full.by_provider.tobytes() == bare.by_provider.tobytes()
        for field in (RunField.EXPLORATION_COST, RunField.ELIGIBLE):
            assert full.overall[:, field].tolist() == bare.overall[:, field].tolist()
        assert math.isnan(bare.run(RunField.ORDINARY_EXCESS))


class OwnBidder(TruthfulBidder):
    """A bidder without a compiled counterpart."""

    strategy = property()  # type: ignore[assignment]


def own_mechanism(setting: Setting, rng: np.random.Generator) -> Platform:
    return Platform(MechanismConfig.of(setting), rng, ties="random")


STRONG = published("gpqa-strong").setting


def refused() -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    """Yield how an episode is made, what is asked of it, and what is said."""
    for horizon in (0, 2.5, True, "10", None):
        yield {}, {"horizon": horizon}, r"^horizon=.* must be a whole number from 1"
    yield {}, {"horizon": 10**12}, r"^horizon=\d+ must not exceed 100,000,000"
    for steps in ([0], [21], [-1, 5]):
        yield {}, {"checkpoints": steps}, r"^checkpoints=.* must lie in 1\.\.20"
    yield {}, {"seed": -1}, "^seed="
    for run in (-1, 2**32):
        yield {}, {"runs": [run]}, "^run="
    yield {"laws": market_laws(published("gsm8k-ladder").setting)}, {}, "must be laws of 4 providers"
    yield {"bidders": lambda setting, rng: [FixedBidder(1.0)]}, {}, "bidders=1 must be 4"
    for bidder in (FixedBidder(-5.0), FixedBidder(76.0), FixedBidder(math.nan), TruthfulBidder()):
        yield {"bidders": lambda setting, rng, bidder=bidder: [bidder] * 4}, {}, "may bid outside"
    own = [OwnBidder()] * 4
    for bidders in (lambda setting, rng: own, deviating_bidders(clip=False), deviating_bidders(deviating_bidders())):
        yield {"bidders": bidders}, {}, r"no compiled counterpart.*plain episode"
    yield {"policy": Policy(own_mechanism, explores=True)}, {}, "has no compiled counterpart"


@pytest.mark.for_each(("made", "asked", "words"), refused)
def test_what_is_not_compiled_is_refused(made: dict[str, Any], asked: dict[str, Any], words: str) -> None:
    request = {"horizon": 20, "seed": 0, "runs": [0], **asked}
    assert_refused(words, lambda: CompiledEpisode(STRONG, **made).tallies(**request))


def test_an_absurd_horizon_is_refused_before_any_table_is_made() -> None:
    campaign = Campaign(STRONG, horizon=10**13, runs=1, seed=0, window=100)
    for attempt in (lambda: campaign.parts, lambda: simulate(STRONG, horizon=10**13, seed=0)):
        assert_refused(r"horizon=\d+ must not exceed 100,000,000 in a simulation", attempt)


def test_bidders_may_differ_from_run_to_run() -> None:
    setting = published("gpqa-strong").setting

    def random_bids(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        return [FixedBidder(rng.random() * setting.platform.cost_bound) for _ in setting.providers]

    episode = CompiledEpisode(setting, bidders=random_bids)
    together = episode.tallies(horizon=500, seed=0, runs=[0, 1])
    assert together == [episode.tallies(horizon=500, seed=0, runs=[run])[0] for run in (0, 1)]
    plain = simulate(setting, horizon=500, seed=0, run=1, bidders=random_bids)
    assert episode.trace(horizon=500, seed=0, run=1) == plain


def test_hundreds_of_providers() -> None:
    """Sets of several words, tournaments of several levels."""
    base = published("gsm8k-full").setting
    providers = [replace(base.providers[i % 9], name=str(i)) for i in range(600)]
    setting = Setting("many", replace(base.platform, exploration_scale=0.5), providers)
    laws = market_laws(setting, questions=0)
    plain = simulate(setting, horizon=2_400, seed=0, laws=laws)
    assert CompiledEpisode(setting, laws=laws).trace(horizon=2_400, seed=0) == plain


@pytest.mark.long("starts a process")
def test_without_a_place_for_the_cache_every_process_compiles(tmp_path: Path) -> None:
    """A kernel that cannot be cached must still be importable: Numba refuses at decoration."""
    code = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "from mechanism.compiled import kernel\n"
        "print(type(kernel.run_episodes).__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "CPUDispatcher", done.stderr


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
    assert_refused("past bids", MechanismConfig, 2, 0.5, 0.05, 1.0, 2.0, 0.75, radius="empirical-bernstein")
