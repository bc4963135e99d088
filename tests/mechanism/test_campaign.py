"""Campaigns: what is kept is what was run; chunks, workers and interruptions change nothing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import LARGEST_NUMBER
from mechanism.campaign import chunks as campaign_chunks, run as campaign_run, store as campaign_store
from mechanism.campaign.chunks import split_runs
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import simulate
from mechanism.metrics.measures import measure
from mechanism.policies import POLICIES
from mechanism.tabular.traces import read_trace
from tests.refusals import assert_refused

SETTING = published("gpqa-strong").setting
OTHER = published("gpqa-ladder").setting
CAMPAIGN = Campaign(SETTING, horizon=200, runs=2, seed=3, window=50, policies=("platform", "lowest-price"))
SEVERAL = Campaign(
    (SETTING, OTHER),
    horizon={"gpqa-strong": 300, "gpqa-ladder": 400},
    runs=3,
    seed=5,
    window={"gpqa-strong": 100, "gpqa-ladder": 1000},
    checkpoints={"gpqa-strong": (20, 150)},
)
KEY = ("gpqa-strong", "platform")


def _about(value: object) -> object:
    """Sums over steps may be added up in another order."""
    return value if value is None else pytest.approx(value, rel=1e-12)


def test_metrics_are_those_of_the_plain_episode() -> None:
    result = run_campaign(CAMPAIGN)
    for policy in CAMPAIGN.policies:
        trace = simulate(SETTING, horizon=200, seed=3, run=1, policy=POLICIES[policy])
        plain = measure(SETTING, trace, window=50, policy=POLICIES[policy])
        found = result.metrics["gpqa-strong", policy][1]
        assert found.selections == plain.selections
        assert vars(found) == {name: _about(value) for name, value in vars(plain).items()}
    assert result.steps == 4 * 200
    assert result.tallies == {}


def test_several_settings_with_their_own_horizons_and_checkpoints() -> None:
    result = run_campaign(SEVERAL, jobs=2, tallies=True)
    assert list(result.metrics) == [(s, p) for s in ("gpqa-strong", "gpqa-ladder") for p in POLICIES]
    assert [t.steps for t in result.tallies[KEY]] == [(20, 150, 200, 300)] * 3
    assert result.tallies["gpqa-ladder", "platform"][0].steps == (400,)
    assert (result.steps, result.work["gpqa-strong"].steps) == (5 * 3 * 700, 5 * 3 * 300)
    (alone,) = CompiledEpisode(OTHER, POLICIES["no-quality-filter"]).tallies(horizon=400, seed=5, runs=[2])
    assert result.tallies["gpqa-ladder", "no-quality-filter"][2] == alone
    data = result.to_data("gpqa-ladder")
    assert (data["setting"], data["horizon"], data["steps"]) == ("gpqa-ladder", 400, 5 * 3 * 400)


def test_progress_counts_every_run() -> None:
    seen: list[tuple[int, int]] = []
    run_campaign(CAMPAIGN, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 4)
    assert seen[-1] == (4, 4)
    assert seen == sorted(set(seen))


@given(
    missing=st.sets(st.integers(0, 500), min_size=1).map(sorted),
    horizon=st.integers(4, 10**8),
    checkpoints=st.integers(0, 10_000),
    traces=st.booleans(),
    at_least=st.integers(1, 40),
)
def test_chunks_partition_the_runs(
    missing: list[int], horizon: int, checkpoints: int, traces: bool, at_least: int
) -> None:
    (part,) = replace(CAMPAIGN, horizon=horizon, checkpoints=range(1, min(checkpoints, horizon) + 1)).parts
    chunks = list(split_runs(part, missing, traces, at_least))
    assert [run for chunk in chunks for run in chunk] == missing
    assert all(0 < len(chunk) <= 64 for chunk in chunks)
    assert len(chunks) >= min(at_least, len(missing))
    for chunk in chunks:
        assert len(chunk) == 1 or len(chunk) * horizon <= (50_000 if traces else 10_000_000)
        assert len(chunk) == 1 or len(chunk) * len(part.steps) * (8 * 4 + 8) <= 4_000_000


@given(most=st.integers(1, 7), jobs=st.integers(1, 3))
@settings(max_examples=12)
def test_chunks_and_workers_change_nothing(most: int, jobs: int) -> None:
    campaign = replace(CAMPAIGN, runs=7, policies=("platform", "no-quality-filter"))
    whole = run_campaign(campaign, tallies=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(campaign_chunks, "_CHUNK_RUNS", most)
        cut_up = run_campaign(campaign, jobs=jobs, tallies=True)
    assert cut_up.metrics == whole.metrics
    assert cut_up.tallies == whole.tallies


@pytest.mark.long("starts processes")
def test_processes_change_nothing() -> None:
    campaign = replace(SEVERAL, bidders="bayesian")
    here, there = (
        run_campaign(campaign, jobs=2, backend=name, tallies=True, curves=True) for name in ("threads", "processes")
    )
    assert (here.metrics, here.tallies, here.curves) == (there.metrics, there.tallies, there.curves)


def test_kept_traces_read_back(tmp_path: Path) -> None:
    run_campaign(CAMPAIGN, out=str(tmp_path))
    assert read_trace(tmp_path / "platform-0001.csv.gz", SETTING) == simulate(SETTING, horizon=200, seed=3, run=1)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "campaign.sqlite",
        *(f"{policy}-000{run}.csv.gz" for policy in ("lowest-price", "platform") for run in (0, 1)),
    ]


def test_several_settings_have_a_trace_folder_each(tmp_path: Path) -> None:
    odd = replace(OTHER, name="../a b")
    campaign = Campaign((SETTING, odd), horizon=100, runs=1, seed=3, window=50, policies=("platform",))
    run_campaign(campaign, out=str(tmp_path / "o"))
    files = [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.gz")]
    assert len(files) == 2
    assert all(name.startswith(("o/gpqa-strong/", "o/___a_b-")) for name in files)


def test_traces_can_be_left_out_and_added(tmp_path: Path) -> None:
    bare = run_campaign(CAMPAIGN, out=str(tmp_path), traces=False)
    assert [file.name for file in tmp_path.iterdir()] == ["campaign.sqlite"]
    assert run_campaign(CAMPAIGN, out=str(tmp_path), traces=False).resumed == 4
    again = run_campaign(CAMPAIGN, out=str(tmp_path))
    assert (again.resumed, again.metrics) == (0, bare.metrics)
    assert len(list(tmp_path.glob("*.gz"))) == 4


def test_more_runs_and_policies_extend_a_folder(tmp_path: Path) -> None:
    first = run_campaign(CAMPAIGN, out=str(tmp_path), traces=False)
    larger = replace(CAMPAIGN, runs=3, policies=("platform", "lowest-price", "uniform-eligible"))
    more = run_campaign(larger, out=str(tmp_path), traces=False, tallies=True)
    assert more.resumed == 4
    assert more.steps == 5 * 200
    assert more.metrics[KEY][:2] == first.metrics[KEY]
    fresh = run_campaign(larger, tallies=True)
    assert more.metrics == fresh.metrics
    assert more.tallies == fresh.tallies
    fewer = run_campaign(replace(CAMPAIGN, runs=1), out=str(tmp_path), traces=False)
    assert fewer.metrics[KEY] == first.metrics[KEY][:1]


ANOTHER = "bidders: 'truthful' in the folder, 'bayesian' asked; settings.gpqa-strong.setting.platform"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 4}, "seed: 3 in the folder, 4 asked"),
        ({"window": 51}, "settings.gpqa-strong.window"),
        ({"horizon": 201}, "settings.gpqa-strong.horizon"),
        ({"checkpoints": (7,)}, "settings.gpqa-strong.checkpoints differs"),
        ({"bidders": "bayesian"}, ANOTHER),
        ({"laws": {"cost_variation": 0.2}}, "settings.gpqa-strong.market.options.cost_variation"),
        ({"settings": OTHER}, "settings.gpqa-ladder asked only; settings.gpqa-strong in the folder only"),
    ],
)
def test_another_campaign_is_refused(tmp_path: Path, change: dict[str, object], named: str) -> None:
    run_campaign(CAMPAIGN, out=str(tmp_path), traces=False)
    with pytest.raises(InputError, match="holds another campaign") as caught:
        run_campaign(replace(CAMPAIGN, **change), out=str(tmp_path))
    assert named in caught.value.rule


@pytest.mark.parametrize("large", [False, True])
def test_damaged_traces_are_written_again(tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr(campaign_store, "_SMALL_TRACE", 0)
    run_campaign(CAMPAIGN, out=str(tmp_path))
    file = tmp_path / "platform-0001.csv.gz"
    whole = file.read_bytes()
    assert run_campaign(CAMPAIGN, out=str(tmp_path)).resumed == 4
    half = len(whole) // 2
    cut_off, altered = [b"", whole[:-40], whole[:half]], [whole[:half] + b"\xff\x00" + whole[half + 2 :]]
    for damaged in cut_off if large else cut_off + altered:
        file.write_bytes(damaged)
        assert run_campaign(CAMPAIGN, out=str(tmp_path)).resumed == 3
        assert read_trace(file, SETTING) == simulate(SETTING, horizon=200, seed=3, run=1)


def test_other_versions_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = dict(campaign_chunks.result_versions())
    with monkeypatch.context() as patch:
        patch.setattr(campaign_run, "_versions", lambda backend: {**now, "numpy": "0.1"})
        run_campaign(replace(CAMPAIGN, runs=1), out=str(tmp_path), traces=False)
    (note,) = run_campaign(CAMPAIGN, out=str(tmp_path), traces=False).notes
    assert f"numpy 0.1 (now {now['numpy']})" in note
    assert run_campaign(CAMPAIGN, out=str(tmp_path / "fresh")).notes == ()


@pytest.mark.for_each(
    ("change", "words"),
    [
        ({"horizon": 3}, "horizon=3 must be a whole number from 4"),
        ({"window": 0}, "window=0"),
        ({"checkpoints": (0,)}, r"checkpoints=.* must lie in 1\.\.200"),
        ({"checkpoints": (201,)}, r"checkpoints=.* must lie in 1\.\.200"),
        ({"horizon": {"gpqa-full": 200}}, "horizon=None"),
        ({"settings": (SETTING, SETTING)}, "different names"),
        ({"settings": ()}, "different names"),
        ({"policies": ("cheapest",)}, "cheapest"),
        ({"bidders": "honest"}, "bidders='honest'"),
        ({"laws": {"cost_law": "gamma"}}, "gamma"),
        *(({"runs": runs}, r"runs=.* must be a whole number from 1") for runs in (0, -3, 2.5, True)),
    ],
)
def test_campaigns_that_make_no_sense(change: dict[str, object], words: str) -> None:
    assert_refused(words, run_campaign, replace(CAMPAIGN, **change))
    assert_refused("jobs=0 must be", run_campaign, CAMPAIGN, jobs=0)


def test_totals_of_the_largest_costs_are_finite() -> None:
    providers = tuple(
        replace(provider, mean_cost=LARGEST_NUMBER * share)
        for provider, share in zip(SETTING.providers, (0.1, 0.2, 0.3, 0.4), strict=True)
    )
    platform = replace(SETTING.platform, cost_bound=LARGEST_NUMBER)
    costly = replace(SETTING, platform=platform, providers=providers)
    json.dumps(run_campaign(replace(CAMPAIGN, settings=costly)).to_data(), allow_nan=False)
