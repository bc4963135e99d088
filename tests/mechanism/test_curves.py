"""Curves against the metrics of a log cut off at every step, against loops, and as campaigns keep them."""

from __future__ import annotations

import csv
import functools
from dataclasses import fields, replace
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.campaign.export import export_curves
from mechanism.campaign.records import CampaignResult
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.episode import simulate
from mechanism.metrics.curves import CURVE_NAMES, Curves, curve_steps, curves_of, totals_steps, trace_curves
from mechanism.metrics.measures import Metrics, measure
from mechanism.policies import POLICIES
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes
from tests.mechanism.test_metrics import USUAL, naive, random_trace
from tests.mechanism.trace_samples import standing_bids
from tests.proofs_checks.claims.test_case import Naive

STRONG = published("gpqa-strong").setting
COUNTS = ("eligible", "exploration_steps", "selections", "identified")
#: Of metrics, what a curve has under the same name.
SHARED = tuple(f.name for f in fields(Metrics) if f.name in (*CURVE_NAMES, "selections"))


def assert_metrics(found: Curves, column: int, expected: Metrics) -> None:
    for name in SHARED:
        wanted = getattr(expected, name)
        value = found[name][0, column]
        if name in COUNTS and wanted is not None:
            assert np.array_equal(value, wanted), name
        else:
            assert value == pytest.approx(np.nan if wanted is None else wanted, rel=1e-12, nan_ok=True), name


class TestSteps:
    @given(st.integers(2, 3000), st.integers(0, 10**6), st.lists(st.integers(0, 10**6)))
    def test_they_begin_with_n_end_with_t_and_hold_what_is_asked_for(self, n: int, more: int, also: list[int]) -> None:
        steps = curve_steps(n, n + more, also)
        assert (steps[0], steps[-1]) == (n, n + more)
        assert list(steps) == sorted(set(steps))
        assert {step for step in also if n <= step <= n + more} <= set(steps)

    def test_they_are_about_a_hundred_and_evenly_spaced_on_a_logarithmic_axis(self) -> None:
        steps = np.array(curve_steps(9, 70_000))
        late = steps[steps > 1000]
        assert 80 <= len(steps) <= 102
        assert np.ptp(late[1:] / late[:-1]) < 0.003

    def test_a_run_shorter_than_initialization_is_refused(self) -> None:
        with pytest.raises(InputError, match="horizon=3 must be a whole number from 4"):
            curve_steps(4, 3)


class TestOfATrace:
    @pytest.mark.for_each(("length", "seed"), [(3, 0), (4, 1), (8, 2), (8, 3), (60, 4), (60, 5)])
    def test_every_step_has_the_metrics_of_the_log_until_then(self, seed: int, length: int) -> None:
        trace = random_trace(USUAL, length, seed)
        found = trace_curves(USUAL, trace, window=7, margin=0.25, also=range(3, 60))
        assert found.steps.tolist() == list(range(3, length + 1))
        for column, step in enumerate(found.steps.tolist()):
            head = trace.head(step)
            assert_metrics(found, column, measure(USUAL, head, window=7))
            if step > USUAL.n_providers:  # the loops know nobody who is eligible before
                assert_metrics(found, column, naive(USUAL, head, 7))

    @pytest.mark.for_each("seed", range(5))
    def test_what_metrics_lack_against_loops(self, seed: int) -> None:
        window, trace = 11, random_trace(USUAL, 50, seed)
        model = Naive(USUAL, trace)
        explored = [bool(model.poor(t)) for t in range(1, 51)]
        rows = list(zip(*(c.tolist() for c in trace.columns().values()), explored, standing_bids(trace), strict=True))
        found = trace_curves(USUAL, trace, window=window, margin=0.5, also=range(3, 50))
        quality, costs = (0.0, 0.0, 0.2), (2.0, 0.0, 0.0)  # shortfalls of 0.5, and excesses over the cost of i*, 2
        for column, step in enumerate(found.steps.tolist()):
            recent = rows[max(0, step - window) : step]
            later = rows[max(3, step - window) : step]
            ordinary = [row for row in later if not row[5]]
            without = [row for row in rows[:step] if not row[5]]
            expected = {
                "moving_unqualified_share": mean(row[0] == 2 for row in recent),
                "quality_regret_without_exploration": sum(quality[row[0]] for row in without),
                "generation_regret_without_exploration": sum(costs[row[0]] for row in without),
                "amount_paid_moving": mean(row[1] for row in later) if later else np.nan,
                "generation_cost_moving": mean(row[4] for row in later) if later else np.nan,
                "query_price_moving": mean(1.5 * row[4] for row in later) if later else np.nan,
                "winning_bid_moving": mean(row[6] for row in ordinary) if ordinary else np.nan,
            }
            for name, value in expected.items():
                assert found[name][0, column] == pytest.approx(value, rel=1e-12, nan_ok=True), (name, step)

    def test_totals_at_other_steps_do_not_do(self) -> None:
        episode = NAMED["usual"]
        (tally,) = episode.compiled_tallies([0])
        with pytest.raises(InputError, match="step=7 is none of the totals' checkpoints"):
            curves_of(episode.setting, tally, steps=(7,), window=3, margin=0.25, policy=POLICIES["platform"])


def assert_fast_is_plain(episode: Episode, window: int) -> None:
    policy, n = POLICIES[episode.policy], episode.setting.n_providers
    if episode.horizon < n:
        return
    margin = episode.laws.tables().margin
    trace = episode.plain()
    plain = trace_curves(episode.setting, trace, window=window, margin=margin, policy=policy)
    steps = tuple(plain.steps.tolist())
    totals = replace(episode, checkpoints=totals_steps(steps, window, n))
    (tally,) = totals.compiled_tallies([episode.run])
    fast = curves_of(episode.setting, tally, steps=steps, window=window, margin=margin, policy=policy)
    bound = episode.setting.platform.cost_bound
    for name in (*CURVE_NAMES, "selections"):
        if name in COUNTS:
            assert np.array_equal(fast[name], plain[name], equal_nan=True), name
        else:
            # Sums are added up in another order. A moving average is a difference of sums, so its rounding is that of
            # the sums: relative to the largest amounts, not to itself.
            np.testing.assert_allclose(fast[name], plain[name], rtol=1e-12, atol=1e-12 * bound, err_msg=name)
    assert_metrics(plain, -1, measure(episode.setting, trace, window=window, policy=policy))


@pytest.mark.long("plays 100 episodes in Python")
@given(episodes(longest=400), st.integers(1, 500))
def test_the_fast_path_has_the_curves_of_the_plain_one(episode: Episode, window: int) -> None:
    assert_fast_is_plain(episode, window)


@pytest.mark.for_each("name", NAMED)
def test_the_fast_path_on_episodes_made_for_the_edges(name: str) -> None:
    assert_fast_is_plain(NAMED[name], 60)


@pytest.mark.for_each("policy", POLICIES)
@pytest.mark.parametrize(("threshold", "qualities"), [(0.5, (0.9, 0.8)), (1.0, (0.0, 0.0)), (1.0, (1.0, 0.0))])
def test_the_fast_path_with_two_providers(policy: str, threshold: float, qualities: tuple[float, float]) -> None:
    usual = NAMED["usual"]
    platform = replace(usual.setting.platform, quality_threshold=threshold)
    two = [replace(provider, quality=q) for provider, q in zip(usual.setting.providers[:2], qualities, strict=True)]
    market = Setting("two", platform, two)
    for horizon in (2, 3, 40):
        assert_fast_is_plain(replace(usual, setting=market, horizon=horizon, policy=policy, checkpoints=()), 5)


CAMPAIGN = Campaign(STRONG, horizon=700, runs=4, seed=3, window=120, policies=("platform", "lowest-price"))


def kept(campaign: Campaign, folder: Path | None, **options: bool) -> CampaignResult:
    return run_campaign(campaign, out=None if folder is None else str(folder), traces=False, **options)


@functools.cache
def result() -> CampaignResult:
    return run_campaign(CAMPAIGN, curves=True)


class TestCampaigns:
    def test_they_are_those_of_the_plain_runs(self) -> None:
        for (_, policy), found in result().curves.items():
            assert found.runs == 4
            for run in range(4):
                trace = simulate(STRONG, horizon=700, seed=3, run=run, policy=POLICIES[policy])
                also = CAMPAIGN.parts[0].curve_steps
                plain = trace_curves(STRONG, trace, window=120, margin=0.25, policy=POLICIES[policy], also=also)
                assert found.steps.tolist() == plain.steps.tolist()
                for name in (*CURVE_NAMES, "selections"):
                    np.testing.assert_allclose(found[name][run], plain[name][0], rtol=1e-12, atol=0, err_msg=name)

    def test_the_last_step_has_the_metrics_also_once_kept(self) -> None:
        for key, found in result().curves.items():
            assert {120, 546, 700} <= set(found.steps.tolist())
            runs = [Curves.from_bytes(one_run(found, run).to_bytes(), 120, 4) for run in range(4)]
            assert Curves.joined(runs) == found != Curves.joined(runs[::-1])
            for run, metrics in zip(runs, result().metrics[key], strict=True):
                assert_metrics(run, -1, metrics)

    def test_to_ask_for_them_changes_nothing_else(self, tmp_path: Path) -> None:
        assert run_campaign(CAMPAIGN).metrics == result().metrics == kept(CAMPAIGN, tmp_path).metrics
        assert run_campaign(CAMPAIGN).curves == {}

    def test_a_folder_gives_them_without_simulating_again(self, tmp_path: Path) -> None:
        kept(replace(CAMPAIGN, runs=3), tmp_path)
        whole = kept(CAMPAIGN, tmp_path, curves=True)
        assert whole.curves == result().curves
        assert whole.resumed == 2 * 3
        again = kept(CAMPAIGN, tmp_path, curves=True)
        assert (again.steps, again.curves) == (0, result().curves)

    def test_the_table_holds_every_band(self, tmp_path: Path) -> None:
        names = [provider.name for provider in STRONG.providers]
        export_curves(result().curves, {"gpqa-strong": names}, str(tmp_path / "c.csv"))
        with open(tmp_path / "c.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        found = result().curves["gpqa-strong", "platform"]
        assert len(rows) == 2 * len(found.steps) * (len(CURVE_NAMES) + 4)
        wanted = {"policy": "platform", "metric": "amount_paid", "step": "700"}
        (row,) = [row for row in rows if wanted.items() <= row.items()]
        values = np.sort(found.amount_paid[:, -1])
        assert float(row["median"]) == pytest.approx((values[1] + values[2]) / 2)
        wanted |= {"metric": f"selections[{names[2]}]"}
        (row,) = [row for row in rows if wanted.items() <= row.items()]
        assert float(row["q90"]) == np.quantile(found.selections[:, -1, 2], 0.9)
        wanted |= {"metric": "amount_paid_moving", "step": "4"}
        (row,) = [row for row in rows if wanted.items() <= row.items()]
        assert (row["q10"], row["median"], row["q90"]) == ("", "", "")


def one_run(found: Curves, run: int) -> Curves:
    return replace(found, **{name: found[name][[run]] for name in (*CURVE_NAMES, "selections")})


class TestBands:
    @property
    def found(self) -> Curves:
        return result().curves["gpqa-strong", "platform"]

    def test_a_median_and_a_band_are_numpys(self) -> None:
        for name in ("quality_regret", "eligible", "selections"):
            low, high = self.found.band(name, 0.25, 1.0)
            assert np.array_equal(self.found.median(name), np.median(self.found[name], axis=0))
            assert np.array_equal(low, np.quantile(self.found[name], 0.25, axis=0))
            assert np.array_equal(high, self.found[name].max(axis=0))
            assert self.found.mean(name) == pytest.approx(self.found[name].mean(axis=0))

    def test_runs_without_a_value_are_left_out(self) -> None:
        values = np.array([[np.nan, np.nan, 1.0], [np.nan, 4.0, 2.0], [np.nan, 6.0, 6.0]])
        runs = replace(self.found, winning_bid_moving=values)
        assert runs.median("winning_bid_moving").tolist() == pytest.approx([np.nan, 5.0, 2.0], nan_ok=True)
        assert runs.mean("winning_bid_moving").tolist() == pytest.approx([np.nan, 5.0, 3.0], nan_ok=True)

    def test_wrong_questions_are_refused(self) -> None:
        with pytest.raises(InputError, match="name='amount_payed' must be one of"):
            self.found.median("amount_payed")
        with pytest.raises(InputError, match=r"levels=1.5 must lie in \[0, 1\]"):
            self.found.quantiles("accuracy", 1.5)
        with pytest.raises(InputError, match="bytes are no curves of 5 providers"):
            Curves.from_bytes(one_run(self.found, 0).to_bytes(), 120, 5)
