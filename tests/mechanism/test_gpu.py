"""A GPU plays the runs that the processor plays; needs one, with the extra `gpu`."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.bidding import truthful_bidders
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.policies import POLICIES
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes, tally_differences
from tests.refusals import assert_refused

pytestmark = pytest.mark.gpu


#: Totals that are the kernel's to the last bit: what counts something, and what both add up step by step. Others are
#: sums of payments, of which the kernel adds up a streak's by itself.
EQUAL_OF_PROVIDERS = tuple(
    field for field in ProviderField if field not in (ProviderField.PAYMENT, ProviderField.ORDINARY_PAYMENT)
)
EQUAL_OF_RUNS = (RunField.EXPLORATION_COST, RunField.ELIGIBLE, RunField.BAND_VIOLATIONS, RunField.PAYMENT_VIOLATIONS)


def launches(episode: CompiledEpisode, **asked: Any) -> list[Tally]:
    from mechanism.compiled.gpu import gpu_totals  # only a machine that has the extra can import it

    return list(gpu_totals(episode, **asked))


def differences(episode: CompiledEpisode, **asked: Any) -> list[str]:
    """Return the totals that differ from the processor's: at all, or money that may be rounded by more than that."""
    kept, launched = episode.totals(**asked), launches(episode, **asked)
    found = [tally for launch in launched for tally in launch.each()]
    wrong = {name for one, other in zip(kept.each(), found, strict=True) for name in tally_differences(one, other)}
    for fields, mine, theirs in (
        (EQUAL_OF_PROVIDERS, kept.by_provider, np.concatenate([launch.by_provider for launch in launched])),
        (EQUAL_OF_RUNS, kept.overall, np.concatenate([launch.overall for launch in launched])),
    ):
        wrong |= {f"bits of {f.name}" for f in fields if mine[:, :, f].tobytes() != theirs[:, :, f].tobytes()}
    return sorted(wrong)


@hypothesis_settings(suppress_health_check=list(HealthCheck))
@given(episodes())
def test_random_runs(one: Episode) -> None:
    one = replace(one, bidders=truthful_bidders)
    asked = {"horizon": one.horizon, "seed": one.seed, "runs": [one.run ^ 1, one.run], "checkpoints": one.checkpoints}
    assert differences(one.compiled(), **asked) == []


@pytest.mark.parametrize("name", NAMED)
def test_runs_that_are_difficult(name: str) -> None:
    one = replace(NAMED[name], bidders=truthful_bidders)
    asked = {"horizon": one.horizon, "seed": 0, "runs": range(100), "checkpoints": one.checkpoints}
    assert differences(one.compiled(), **asked) == []


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_published_settings(name: str, policy: str) -> None:
    asked = {"horizon": 3_000, "seed": 7, "runs": range(500), "checkpoints": (1, 5, 2_000)}
    assert differences(CompiledEpisode(published(name).setting, POLICIES[policy]), **asked) == []


def test_long_runs() -> None:
    asked = {"horizon": 70_000, "seed": 1, "runs": range(20), "checkpoints": (9, 60_000)}
    assert differences(CompiledEpisode(published("gsm8k-full").setting), **asked) == []


def test_several_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """More runs than a launch takes, and than there are lanes."""
    from mechanism.compiled import gpu

    monkeypatch.setattr(gpu, "_LAUNCH_LOOKS", 700 * 50 * 4)
    monkeypatch.setattr(gpu, "_BLOCKS_EACH", 0)  # a single block
    episode = CompiledEpisode(published("gpqa-strong").setting)
    assert len(launches(episode, horizon=50, seed=0, runs=range(2_000))) == 3
    assert differences(episode, horizon=50, seed=0, runs=range(2_000)) == []


SETTINGS: tuple[Setting, ...] = tuple(published(name).setting for name in ("gpqa-strong", "gsm8k-ladder"))
CAMPAIGN = Campaign(SETTINGS, horizon=500, runs=40, seed=3, window=200, policies=("platform", "lowest-price"))


def test_a_campaign_and_its_folder(tmp_path: Any) -> None:
    here = run_campaign(CAMPAIGN, tallies=True)
    there = run_campaign(CAMPAIGN, tallies=True, backend="gpu", out=str(tmp_path), traces=False)
    for key, tallies in here.tallies.items():
        for pair in zip(tallies, there.tallies[key], strict=True):
            assert tally_differences(*pair) == []
        for one, other in zip(here.metrics[key], there.metrics[key], strict=True):
            assert one.selections == other.selections
            assert one.amount_paid == pytest.approx(other.amount_paid, rel=1e-12)
    again = run_campaign(CAMPAIGN, backend="gpu", out=str(tmp_path), traces=False)
    assert again.resumed == 160
    assert again.metrics == there.metrics
    (note,) = run_campaign(CAMPAIGN, out=str(tmp_path), traces=False).notes
    assert "on a GPU" in note


def test_a_gpu_writes_no_traces(tmp_path: Any) -> None:
    assert_refused("traces", run_campaign, CAMPAIGN, backend="gpu", out=str(tmp_path))
