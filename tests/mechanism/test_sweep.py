"""Sweeps: grids of settings, their bounds, runs that are kept and resumed."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import costproof
from bounds.errors import InputError
from bounds.grid.axes import Axis, axis_of, grid_columns, resized
from bounds.published import published
from bounds.report import evaluate_bounds
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.sweep import SIMULATED, Sweep, run_sweep

NAME = "gpqa-strong"
SETTING = published(NAME).setting


class TestAxes:
    def test_equal_steps_equal_ratios_and_lists(self) -> None:
        assert axis_of("q_min=0.1:0.2:3", SETTING).values == (0.1, 0.15, 0.2)
        assert axis_of("log:k=0.1:10:3", SETTING).values == (0.1, 1.0, 10.0)
        assert axis_of("T=1k,70k,1M", SETTING).values == (1000, 70_000, 1_000_000)
        assert axis_of("N=2:4:9", SETTING).values == (2, 3, 4)
        assert axis_of("gamma=0:0:5", SETTING).values == (0.0,)

    def test_a_provider_s_name_may_have_dots(self) -> None:
        axis = axis_of("provider.Qwen2-0.5B.quality=0.1,0.2", SETTING)
        ((_, columns),) = grid_columns(SETTING, [axis], 100)
        assert columns.qualities[:, 0].tolist() == [0.1, 0.2]
        assert columns.qualities[0, 1:].tolist() == [provider.quality for provider in SETTING.providers[1:]]

    @pytest.mark.for_each(
        ("text", "rule"),
        [
            ("k", "KEY=LO:HI:COUNT"),
            ("k=1:2", "KEY=LO:HI:COUNT"),
            ("k=1:2:0", "COUNT"),
            ("k=1:2:2.5", "COUNT"),
            ("k=a:2:2", "numbers"),
            ("k=nan:2:2", "numbers"),
            ("k=,", "numbers"),
            ("N=2.5,3", "whole numbers"),
            ("horizon=1000.7,70000", "whole numbers"),
            ("log:k=0:2:2", "above 0"),
            ("speed=1:2:2", "one of"),
            ("provider.Nobody.quality=0:1:2", "names no provider"),
            ("provider.Qwen2-0.5B.speed=0:1:2", "must end in"),
        ],
    )
    def test_what_is_no_axis_is_refused(self, text: str, rule: str) -> None:
        with pytest.raises(InputError, match=rule) as error:
            axis_of(text, SETTING)
        assert error.value.argument == "over"

    def test_margins_multiply_distances_to_the_threshold(self) -> None:
        axes = [Axis(key="quality_threshold", values=(0.1, 0.15)), Axis(key="margin", values=(0.0, 0.5, 1.0, 100.0))]
        ((_, columns),) = grid_columns(SETTING, axes, 100)
        threshold = np.repeat([0.1, 0.15], 4)[:, None]
        mine = np.array([provider.quality for provider in SETTING.providers])
        factor = np.tile([0.0, 0.5, 1.0, 100.0], 2)[:, None]
        np.testing.assert_allclose(columns.qualities, np.clip(threshold + factor * (mine - threshold), 0, 1))
        assert (columns.qualities[2] == mine).all()

    def test_more_providers_are_copies_of_those_that_are_not_optimal(self) -> None:
        large = resized(SETTING, 9)
        assert large.n_providers == 9
        assert large.optimal == SETTING.optimal
        assert len({provider.name for provider in large.providers}) == 9
        assert resized(SETTING, 3).providers == SETTING.providers[:3]
        with pytest.raises(InputError, match="at least 2"):
            resized(SETTING, 1)

    def test_a_provider_that_is_not_on_the_shortened_roster_is_refused(self) -> None:
        with pytest.raises(InputError, match="not among the first 2"):
            costproof.sweep(NAME, ["N=2,4", "provider.Qwen2.5-7B.quality=0.2,0.3"])


def test_every_row_is_what_bounds_says() -> None:
    found = costproof.sweep(NAME, ["delta=0.01,0.2", "N=4,6", "T=70000,10M"], method="sharp")
    rows = found.rows()
    assert len(rows) == len(found) == 8
    for place, row in enumerate(rows):
        setting, horizon = found.sweep.at(place)
        assert (setting.platform.confidence, setting.n_providers, horizon) == (
            row["confidence"],
            row["N"],
            row["horizon"],
        )
        report = evaluate_bounds(setting, horizon, "sharp")
        for name, bound in report.guarantees.items():
            assert (row[name] is None) == (not bound.applies)
            assert row[name] is None or row[name] == pytest.approx(bound.value, rel=1e-13)
        assert row["identification_horizon"] == report.identification_horizon


def test_runs_are_those_of_a_campaign_in_the_market_of_the_paper() -> None:
    """A quality that changes leaves the spread of the costs and the questions of the published market as they are."""
    found = costproof.sweep(NAME, "provider.Qwen2.5-7B.quality=0.197151,0.5", horizon=400, runs=3, seed=5)
    campaign = Campaign(SETTING, horizon=400, runs=3, seed=5, window=400, policies=("platform",))
    told = run_campaign(campaign).summaries(campaign.parts[0])["platform"]
    for metric in SIMULATED:
        assert found.simulated[0][metric] == told[metric]
    assert found.simulated[1]["quality_regret"] != told["quality_regret"] or found.simulated[1] != found.simulated[0]


def test_a_folder_resumes_and_is_of_one_sweep(tmp_path: Path) -> None:
    axis = axis_of("k=1,2,4", SETTING)

    def swept(runs: int, out: Path | None, **changes: object) -> object:
        given = {"setting": SETTING, "axes": (axis,), "horizon": 300, "runs": runs, **changes}
        return run_sweep(Sweep(**given), out=None if out is None else str(out))

    folder = tmp_path / "kept"
    first, more = swept(2, folder), swept(5, folder)
    assert (first.resumed, more.resumed, more.steps) == (0, 6, 3 * 3 * 300)
    alone = swept(5, None)
    assert more.rows() == alone.rows()
    with open(folder / "sweep.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [float(row["simulated.amount_paid"]) for row in table] == alone.column("simulated.amount_paid").tolist()
    for changes in ({"horizon": 301}, {"seed": 1}, {"method": "sharp"}, {"axes": (axis_of("k=1,2", SETTING),)}):
        with pytest.raises(InputError, match="another sweep"):
            swept(2, folder, **changes)
    (folder / "sweep.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        swept(2, folder)


def test_a_frame_has_a_row_for_every_setting() -> None:
    frame = costproof.sweep(NAME, "k=1:4:4").to_frame()
    assert frame["identification_horizon"].tolist() == [153697, 153697, 157119, 163361]
    assert frame["exploration_scale"].tolist() == [1, 2, 3, 4]


@pytest.mark.for_each(
    ("given", "argument"),
    [
        ({"over": []}, "over"),
        ({"over": ["k=1,2", "exploration_scale=3"]}, "over"),
        ({"over": ["k=1:2:1000", "delta=0.1:0.2:1001"]}, "over"),
        ({"over": "k=1:2:10001", "runs": 1}, "over"),
        ({"over": "k=0:2:2"}, "exploration_scale"),
        ({"over": "provider.Qwen2.5-7B.mean_cost=1,1000"}, "provider.Qwen2.5-7B.mean_cost"),
        ({"over": "T=3"}, "horizon"),
        ({"over": "margin=-1"}, "margin"),
        ({"over": "k=1,2", "method": "best"}, "method"),
        ({"over": "k=1,2", "runs": -1}, "runs"),
    ],
)
def test_what_is_no_sweep_is_refused(given: dict[str, object], argument: str) -> None:
    with pytest.raises(InputError) as error:
        costproof.sweep(NAME, **given)
    assert error.value.argument == argument
