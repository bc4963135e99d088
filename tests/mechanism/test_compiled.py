"""The compiled episode is the plain one: same trace to the last bit, same totals."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.bidding import Bidder, FixedBidder, TruthfulBidder, deviating_bidders
from mechanism.campaign.spec import Campaign
from mechanism.compiled import episode as compiled
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.market.market import market_laws
from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
from mechanism.platform import Platform
from mechanism.policies import POLICIES, Policy
from mechanism.replay import Replay
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes, tally_differences, trace_differences


@hypothesis_settings(max_examples=150)
@given(episodes())
def test_plain_equals_compiled(episode: Episode) -> None:
    assert episode.differences() == []


@pytest.mark.sweep
@hypothesis_settings(max_examples=5000)
@given(episodes(longest=6000))
def test_plain_equals_compiled_in_a_long_search(episode: Episode) -> None:
    assert episode.differences() == []


@pytest.mark.for_each("name", NAMED)
def test_plain_equals_compiled_where_it_is_difficult(name: str) -> None:
    assert NAMED[name].differences() == []


def replayed(name: str) -> Replay:
    return Replay(MechanismConfig.of(NAMED[name].setting), NAMED[name].plain())


def eligible(name: str) -> np.ndarray:
    """Return how many are eligible after initialization, by step."""
    found = replayed(name)
    return found.eligible.sum(axis=1)[~found.initialization]


def test_the_difficult_episodes_are() -> None:
    """Every name keeps its promise, or the test above would not test what it says."""
    for name in ("hopeless", "eligible again", "eligible again tree", "nobody to route to"):
        assert (eligible(name) == 0).any(), name
    for name in ("eligible again", "eligible again tree", "nobody to route to"):
        able = eligible(name)
        assert ((able[:-1] == 0) & (able[1:] > 0)).sum() > 1, name
    assert (eligible("alone") == 1).any()
    able = replayed("screened while explored")
    gone = able.eligible[:-1] & ~able.eligible[1:]
    assert (gone.any(axis=1) & able.exploration[:-1]).sum() > 1
    for name in ("usual", "pool", "ties", "hopeless", "many"):
        found = replayed(name)
        assert found.exploration.any(), name
        assert found.auction.any(), name
    for name in ("ties", "ties tree", "fixed ties"):
        found = replayed(name)
        least = np.where(found.eligible, found.adjusted_bids, np.inf)
        tied = (least == least.min(axis=1, keepdims=True)).sum(axis=1) > 1
        assert (tied & found.auction).sum() > 50, name
    assert replayed("always exploring").exploration[5:].all()
    assert not replayed("hardly exploring").exploration.any()


LONG = 70_000


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_long_runs_of_the_published_settings(name: str, policy: str) -> None:
    check_long(published(name).setting, policy, LONG)


@pytest.mark.sweep
@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_very_long_runs(name: str) -> None:
    check_long(published(name).setting, "platform", 300_000)


def check_long(setting: Setting, policy: str, horizon: int) -> None:
    arguments = {"horizon": horizon, "seed": 7, "run": 3}
    compiled = CompiledEpisode(setting, POLICIES[policy])
    expected = simulate(setting, policy=POLICIES[policy], **arguments)
    for streaks in (True, False):
        assert trace_differences(expected, compiled.trace(**arguments, streaks=streaks)) == []
    checkpoints = (1, setting.n_providers, 5_000, horizon - 546)
    (tally,) = compiled.tallies(horizon=horizon, seed=7, runs=[3], checkpoints=checkpoints)
    assert tally_differences(tally_of(setting, expected, checkpoints, POLICIES[policy]), tally) == []


MANY = ("usual", "pool", "deviating", "many", "eligible again", "cheapest", "no filter")


@pytest.mark.for_each("name", MANY)
def test_runs_in_one_call_or_in_several_in_any_order(name: str) -> None:
    """Runs do not disturb each other, whatever the chunk they are played in."""
    runs = [4, 0, 2, 2**32 - 1, 1]
    together = NAMED[name].compiled_tallies(runs)
    alone = [NAMED[name].compiled_tallies([run])[0] for run in runs]
    assert [bits(tally) for tally in together] == [bits(tally) for tally in alone]
    backwards = NAMED[name].compiled_tallies(runs[::-1])
    assert [bits(tally) for tally in backwards[::-1]] == [bits(tally) for tally in together]
    assert len({bits(tally) for tally in together}) == len(runs)
    halves = NAMED[name].compiled_tallies(runs[:2]) + NAMED[name].compiled_tallies(runs[2:])
    assert [bits(tally) for tally in halves] == [bits(tally) for tally in together]


@pytest.mark.parametrize("name", ["usual", "pool", "deviating", "eligible again", "cheapest"])
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


def bits(tally: Tally) -> bytes:
    return tally.to_bytes()


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


def test_a_list_instead_of_the_tree_changes_nothing() -> None:
    few, many = NAMED["usual"].setting, NAMED["many"].setting
    for setting in (few, many):
        tree, flat = (
            CompiledEpisode(setting, tree=tree).trace(horizon=800, seed=0, streaks=True) for tree in (True, False)
        )
        assert trace_differences(tree, flat) == []


@pytest.mark.parametrize("name", ["usual", "deviating", "other laws than stated", "cheapest"])
def test_what_is_measured_changes_nothing_else(name: str) -> None:
    one = NAMED[name].compiled()
    other = replace(one, measures=False)
    for streaks in (True, False):
        traces = (each.trace(horizon=500, seed=0, streaks=streaks) for each in (one, other))
        assert trace_differences(*traces) == []
    arguments = {"horizon": 500, "seed": 0, "runs": [0, 1], "checkpoints": [250]}
    for full, bare in zip(one.tallies(**arguments), other.tallies(**arguments), strict=True):
        assert full.by_provider.tobytes() == bare.by_provider.tobytes()
        for field in (RunField.EXPLORATION_COST, RunField.ELIGIBLE):
            assert full.overall[:, field].tolist() == bare.overall[:, field].tolist()


def truthful_until_later(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
    """Bidders without a compiled counterpart."""

    class Other(TruthfulBidder):
        strategy = property()  # type: ignore[assignment]

    return [Other() for _ in setting.providers]


def test_what_cannot_be_compiled_is_refused() -> None:
    setting = NAMED["usual"].setting
    deviating = Setting("s", setting.platform, setting.providers)
    for bidders in (truthful_until_later, deviating_bidders(clip=False), deviating_bidders(deviating_bidders())):
        with pytest.raises(InputError, match=r"no compiled counterpart.*plain episode"):
            CompiledEpisode(deviating, bidders=bidders).trace(horizon=10, seed=0)


@pytest.mark.for_each("horizon", [0, -1, 2.5, True, "10", None])
def test_a_horizon_is_a_whole_number_of_queries(horizon: object) -> None:
    one = NAMED["usual"].compiled()
    with pytest.raises(InputError, match=r"horizon=.* must be a whole number from 1"):
        one.trace(horizon=horizon, seed=0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"horizon=.* must be a whole number from 1"):
        one.tallies(horizon=horizon, seed=0, runs=[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("checkpoints", [[0], [101], [-1, 50], [50, 200]])
def test_checkpoints_are_steps_of_the_run(checkpoints: list[int]) -> None:
    with pytest.raises(InputError, match=r"checkpoints=.* must lie in 1\.\.100"):
        NAMED["usual"].compiled().tallies(horizon=100, seed=0, runs=[0], checkpoints=checkpoints)


@pytest.mark.parametrize(("seed", "run", "argument"), [(-1, 0, "seed"), (0, -1, "run"), (0, 2**32, "run")])
def test_seeds_and_runs_are_those_of_the_plain_episode(seed: int, run: int, argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        NAMED["usual"].compiled().trace(horizon=10, seed=seed, run=run)


def test_no_runs_no_tallies() -> None:
    assert NAMED["usual"].compiled_tallies([]) == []


class TestRefusals:
    def test_an_absurd_horizon(self) -> None:
        with pytest.raises(InputError, match=r"horizon=\d+ must not exceed 100,000,000"):
            CompiledEpisode(published("gpqa-strong").setting).tallies(horizon=10**12, seed=0, runs=[])

    def test_an_absurd_horizon_is_refused_before_any_table_is_made(self) -> None:
        setting = published("gpqa-strong").setting
        campaign = Campaign(setting, horizon=10**13, runs=1, seed=0, window=100)
        for attempt in (lambda: campaign.parts, lambda: simulate(setting, horizon=10**13, seed=0)):
            with pytest.raises(InputError, match=r"horizon=\d+ must not exceed 100,000,000 in a simulation"):
                attempt()

    def test_laws_of_another_setting(self) -> None:
        laws = market_laws(published("gpqa-strong").setting)
        with pytest.raises(InputError, match="must be laws of 12 providers"):
            CompiledEpisode(published("gsm8k-ladder").setting, laws=laws).trace(horizon=20, seed=0)

    def test_too_few_bidders(self) -> None:
        setting = published("gpqa-strong").setting
        with pytest.raises(InputError, match="bidders=1 must be 4"):
            CompiledEpisode(setting, bidders=lambda s, rng: [FixedBidder(1.0)]).trace(horizon=20, seed=0)

    @pytest.mark.parametrize(
        "bidder",
        [FixedBidder(-5.0), FixedBidder(76.0), FixedBidder(float("nan")), TruthfulBidder()],
        ids=["below", "above", "nan", "unbounded"],
    )
    def test_bids_out_of_range(self, bidder: Bidder) -> None:
        setting = published("gpqa-strong").setting
        with pytest.raises(InputError, match="may bid outside"):
            CompiledEpisode(setting, bidders=lambda s, rng: [bidder] * 4).trace(horizon=20, seed=0)

    def test_a_mechanism_of_ones_own(self) -> None:
        def make(setting: Setting, rng: np.random.Generator) -> Platform:
            return Platform(MechanismConfig.of(setting), rng, ties="random")

        with pytest.raises(InputError, match="has no compiled counterpart"):
            CompiledEpisode(published("gpqa-strong").setting, Policy(make, explores=True))


def test_traces_wait_for_no_kernel_until_it_is_worth_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step until then, unless the kernel was compiled before."""
    one, played, there = NAMED["usual"].compiled(), list[str](), False
    in_streaks, step_by_step = compiled.run_episodes, compiled.play_steps
    looks = 300 * one.setting.n_providers
    monkeypatch.setattr(compiled, "_TAKEN", compiled._StepByStep())
    monkeypatch.setattr(compiled, "_WORTH_COMPILING", 2 * looks)
    monkeypatch.setattr(compiled, "at_hand", lambda: there)
    monkeypatch.setattr(compiled, "run_episodes", lambda *given: (played.append("streaks"), in_streaks(*given)))
    monkeypatch.setattr(compiled, "play_steps", lambda *given: (played.append("steps"), step_by_step(*given)))
    traces = [one.trace(horizon=300, seed=0) for _ in range(3)]
    assert played == ["steps", "steps", "streaks"]
    monkeypatch.setattr(compiled, "_TAKEN", compiled._StepByStep())
    there = True
    traces.append(one.trace(horizon=300, seed=0))
    traces.append(one.trace(horizon=300, seed=0, streaks=False))
    assert played[3:] == ["streaks", "steps"]
    assert all(trace_differences(traces[0], other) == [] for other in traces)


def test_bidders_may_differ_from_run_to_run() -> None:
    setting = published("gpqa-strong").setting

    def random_bids(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        return [FixedBidder(rng.random() * setting.platform.cost_bound) for _ in setting.providers]

    episode = CompiledEpisode(setting, bidders=random_bids)
    together = episode.tallies(horizon=500, seed=0, runs=[0, 1])
    assert together == [episode.tallies(horizon=500, seed=0, runs=[run])[0] for run in (0, 1)]
    plain = simulate(setting, horizon=500, seed=0, run=1, bidders=random_bids)
    for streaks in (True, False):
        assert episode.trace(horizon=500, seed=0, run=1, streaks=streaks) == plain


@pytest.mark.parametrize("tree", [False, True])
def test_hundreds_of_providers(tree: bool) -> None:
    """Sets of several words, tournaments of several levels."""
    base = published("gsm8k-full").setting
    providers = [replace(base.providers[i % 9], name=str(i)) for i in range(600)]
    setting = Setting("many", replace(base.platform, exploration_scale=0.5), providers)
    laws = market_laws(setting, questions=0)
    plain = simulate(setting, horizon=2_400, seed=0, laws=laws)
    assert CompiledEpisode(setting, laws=laws, tree=tree).trace(horizon=2_400, seed=0, streaks=True) == plain


def test_what_is_not_measured_is_no_number() -> None:
    (tally,) = CompiledEpisode(published("gpqa-strong").setting, measures=False).tallies(horizon=900, seed=0, runs=[0])
    assert math.isnan(tally.run(RunField.ORDINARY_EXCESS))


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
