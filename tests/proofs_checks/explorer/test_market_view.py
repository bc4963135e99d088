"""The market's view beside direct computation: medians, bounds, who served, and what a drag shows of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import costproof
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.worth.guarantee import guarantees_of
from mechanism.bidding import prepare_bidders
from mechanism.episode import simulate
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.market_view import (
    NOT_MEASURED,
    NOT_PLAYED,
    metric_view,
    promises,
    provider_rows,
    simulated,
    summary,
    values_of,
)
from proofs_checks.explorer.metrics import METRICS
from tests.proofs_checks.explorer.states import hostile_setting, small_state


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "other_selections"])
def test_medians_are_those_of_the_front_door(metric: str) -> None:
    market = small_state().market
    expected = costproof.curves(market.setting, 1500, runs=3, policies="platform", seed=5)["platform"]
    (line,) = metric_view(market, metric).lines
    np.testing.assert_array_equal(line.median, expected.median(metric))
    low, high = expected.band(metric)
    np.testing.assert_array_equal(line.low, low)
    np.testing.assert_array_equal(line.high, high)


@pytest.mark.parametrize("bidders", ["truthful", "deviating", "bayesian", "fixed:10"])
def test_queries_of_others_are_counted_on_the_plain_run(bidders: str) -> None:
    market = small_state(bidders=bidders, horizon=200).market
    setting, factory = prepare_bidders(market.setting, bidders)
    ends = values_of(setting, simulated(market)["platform"], "other_selections")[:, -1]
    laws = market.part.market()
    for run in range(market.runs):
        trace = simulate(setting, horizon=200, seed=market.seed, run=run, bidders=factory, laws=laws)
        assert ends[run] == (trace.provider[setting.n_providers :] != setting.optimal).sum()


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_bounds_over_time_are_the_bounds_one_by_one(name: str) -> None:
    market = Market(setting=published(name).setting, horizon=3000, runs=1)
    for metric, described in METRICS.items():
        view = metric_view(market, metric)
        if described.guarantee is None:
            assert view.bound is None
            continue
        guarantee = guarantees_of(market.prepared)[described.guarantee]
        assert view.bound is not None
        np.testing.assert_allclose(view.bound, [guarantee.value(int(t)) for t in view.steps], rtol=1e-13)


def test_the_bound_of_the_bayesian_market_is_wider() -> None:
    truthful, bayesian = (
        metric_view(small_state(bidders=b).market, "generation_regret").bound for b in ("truthful", "bayesian")
    )
    assert truthful is not None
    assert bayesian is not None
    assert bayesian[-1] > truthful[-1]


def test_without_theory_there_is_no_bound_and_no_optimal_provider() -> None:
    providers = [Provider("a", 0.9, 0.2), Provider("b", 0.1, 0.3)]
    market = Market(
        setting=Setting("lonely", PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75), providers), horizon=200, runs=2
    )
    assert metric_view(market, "generation_regret").bound is None
    nobody = replace(
        market, setting=replace(market.setting, platform=replace(market.setting.platform, quality_threshold=1.0))
    )
    assert np.isnan(metric_view(nobody, "other_selections").lines[0].median).all()
    assert summary(nobody)[0].median is None
    assert [row.optimal for row in provider_rows(nobody)] == [False, False]
    assert [row.cap for row in provider_rows(nobody)] == [None, None]
    assert all(row.bound.reason for row in promises(nobody).rows if not row.bound.applies)


def test_bounds_are_drawn_for_the_platform_alone() -> None:
    market = small_state(policies=("uniform-eligible",)).market
    assert metric_view(market, "quality_regret").bound is None
    assert all(row.cap is None for row in provider_rows(market))
    assert all(row.median is None for row in promises(market).rows)
    assert [row.why_not for row in promises(market).rows] == [NOT_PLAYED] * 4 + [NOT_MEASURED]


def test_who_served_beside_the_report_and_the_runs() -> None:
    market = small_state().market
    report = evaluate_bounds(market.setting, market.horizon)
    traces = [costproof.simulate(market.setting, 1500, seed=5, run=run) for run in range(3)]
    for i, row in enumerate(provider_rows(market)):
        served = sorted(int((trace.provider == i).sum()) for trace in traces)
        assert row.median == served[1]
        assert row.cap == report.providers[i].selection_cap
        assert row.qualified == report.providers[i].qualified


def test_guarantees_are_those_of_the_report() -> None:
    market = small_state().market
    report = evaluate_bounds(market.setting, market.horizon)
    found = promises(market)
    assert {row.name: row.bound for row in found.rows} == report.guarantees
    assert (found.leads_from, found.optimal) == (report.identification_horizon, "Llama-3.1-8B")
    assert [row.why_not for row in found.rows] == [""] * 4 + [NOT_MEASURED]


def test_a_drag_shows_the_first_runs_of_the_whole() -> None:
    market = Market(setting=published("gpqa-strong").setting, horizon=400_000, runs=8)
    dragged = market.while_dragging()
    assert 1 < dragged.runs < 8
    part, whole = (simulated(each)["platform"] for each in (dragged, market))
    np.testing.assert_array_equal(part.quality_regret, whole.quality_regret[: dragged.runs])


def test_several_policies_share_the_picture() -> None:
    view = metric_view(small_state(policies=("platform", "uniform-eligible")).market, "generation_cost")
    assert [line.policy for line in view.lines] == ["platform", "uniform-eligible"]
    assert not np.array_equal(view.lines[0].median, view.lines[1].median)


def test_names_decide_nothing() -> None:
    setting = hostile_setting()
    plain = replace(
        setting, name="plain", providers=tuple(replace(p, name=str(i)) for i, p in enumerate(setting.providers))
    )
    views = [metric_view(Market(setting=each, horizon=500, runs=2), "accuracy") for each in (setting, plain)]
    np.testing.assert_array_equal(views[0].lines[0].median, views[1].lines[0].median)


def test_runs_that_agree_are_said_to_agree() -> None:
    market = small_state().market
    counts = [np.bincount(costproof.simulate(market.setting, 1500, seed=5, run=run).provider) for run in range(3)]
    alike = all((each == counts[0]).all() for each in counts)
    for row in promises(market).rows:
        if row.name not in METRIC_OF:
            assert not row.same
            continue
        assert row.same_selections == alike
        ends = values_of(market.prepared, simulated(market)["platform"], METRIC_OF[row.name])[:, -1]
        assert row.same == (len({f"{end:.9g}" for end in ends}) == 1)
    assert not any(row.same for row in promises(replace(market, runs=1)).rows)


METRIC_OF = {described.guarantee: key for key, described in METRICS.items()}
