"""Campaigns: resuming, folders, bidders; what is kept is what was run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from mechanism.campaign import Campaign, prepare_bidders, run_campaign
from mechanism.episode import simulate
from mechanism.metrics import Metrics, measure, summarize
from mechanism.trace_files import read_trace

SETTING = published("gpqa-strong").setting
CAMPAIGN = Campaign(SETTING, horizon=200, runs=2, seed=3, window=50, policies=("platform", "lowest-price"))


def test_metrics_are_those_of_the_runs() -> None:
    result = run_campaign(CAMPAIGN)
    trace = simulate(SETTING, horizon=200, seed=3, run=1)
    assert result.metrics["platform"][1] == measure(SETTING, trace, window=50)
    assert result.steps == 4 * 200


def test_progress_counts_every_run() -> None:
    seen: list[tuple[int, int]] = []
    run_campaign(CAMPAIGN, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_kept_traces_read_back(tmp_path: Path) -> None:
    run_campaign(CAMPAIGN, out=str(tmp_path))
    assert read_trace(tmp_path / "platform-0001.csv.gz", SETTING) == simulate(SETTING, horizon=200, seed=3, run=1)


def test_more_runs_extend_a_folder(tmp_path: Path) -> None:
    first = run_campaign(CAMPAIGN, out=str(tmp_path))
    more = run_campaign(replace(CAMPAIGN, runs=3), out=str(tmp_path))
    assert more.resumed == 4
    assert more.metrics["platform"][:2] == first.metrics["platform"]
    assert more.metrics == run_campaign(replace(CAMPAIGN, runs=3)).metrics


def test_a_run_cut_short_is_done_again(tmp_path: Path) -> None:
    whole = run_campaign(CAMPAIGN, out=str(tmp_path))
    (tmp_path / "platform-0000.json").write_text('{"window": 5')
    assert run_campaign(CAMPAIGN, out=str(tmp_path)).metrics == whole.metrics


@pytest.mark.parametrize("change", [{"seed": 4}, {"window": 51}, {"bidders": "bayesian"}])
def test_another_campaign_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    run_campaign(CAMPAIGN, out=str(tmp_path))
    with pytest.raises(InputError, match="another campaign"):
        run_campaign(replace(CAMPAIGN, **change), out=str(tmp_path))


def test_bayesian_bidders_widen_the_platform() -> None:
    prepared, make = prepare_bidders(SETTING, "bayesian")
    assert prepared.platform.belief_slack > 0
    assert len(make(prepared, np.random.default_rng(0))) == 4


def test_metrics_survive_json() -> None:
    metrics = run_campaign(CAMPAIGN).metrics["platform"][0]
    assert Metrics.from_data(json.loads(json.dumps(vars(metrics)))) == metrics


def test_summary_is_mean_and_sample_deviation() -> None:
    runs = run_campaign(replace(CAMPAIGN, runs=3)).metrics["platform"]
    values = [run.amount_paid for run in runs]
    summary = summarize(runs)["amount_paid"]
    assert summary.mean == pytest.approx(np.mean(values))
    assert summary.sd == pytest.approx(np.std(values, ddof=1))
