"""The market's view beside direct computation: medians, bounds, who served, and what a drag shows of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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
    summary,
    values_of,
)
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.simulation import simulated
from tests.proofs_checks.explorer.states import small_state


@pytest.mark.for_each("metric", [name for name in METRICS if name != "other_selections"])
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


@pytest.mark.parametrize(
    "turned", [{"bidders": "bayesian", "keep_gamma": True}, {"bidders": "independent"}, {"bidders": "biased:0.1"}]
)
def test_what_is_not_promised_of_these_bids_is_not_shown(turned: dict[str, Any]) -> None:
    """Quality is: it is learned from scores alone."""
    market, truthful = (replace(small_state().market, **each) for each in (turned, {}))
    assert (market.covered, truthful.covered) == (False, True)
    for metric, described in METRICS.items():
        bounds = [metric_view(each, metric).bound is not None for each in (market, truthful)]
        assert bounds == [described.guarantee == "quality_regret", described.guarantee is not None]
    assert [row.promised for row in promises(market, None).rows].count(True) == 1
    assert all(row.promised for row in promises(truthful, None).rows)
    capped = [(row.cap is not None, row.qualified) for row in provider_rows(market)]
    assert capped == [(True, False), (True, False), (False, True), (False, True)]


def test_a_gamma_that_is_kept_is_played() -> None:
    market = replace(small_state(bidders="bayesian:0.1:20", horizon=200).market, keep_gamma=True)
    assert market.prepared == market.setting
    _, factory = prepare_bidders(market.setting, market.bidders)
    laws, ends = market.part.market(), simulated(market)["platform"].selections[:, -1]
    for run in range(market.runs):
        trace = simulate(market.setting, horizon=200, seed=market.seed, run=run, bidders=factory, laws=laws)
        assert ends[run].tolist() == np.bincount(trace.provider, minlength=4).tolist()
    assert not np.array_equal(simulated(replace(market, keep_gamma=False))["platform"].selections[:, -1], ends)


def test_more_runs_are_added_to_those_that_are_there() -> None:
    market = replace(small_state(horizon=900, policies=("platform", "lowest-price")).market, seed=77)
    parts = [simulated(replace(market, runs=runs)) for runs in (2, 5, 3)]
    whole = costproof.curves(market.setting, 900, runs=5, policies=market.policies, seed=77)
    for found, runs in zip(parts, (2, 5, 3), strict=True):
        for policy in market.policies:
            assert found[policy] == whole[policy].first(runs)


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
    assert all(row.bound.reason for row in promises(nobody, simulated(nobody)).rows if not row.bound.applies)


def test_bounds_are_drawn_for_the_platform_alone() -> None:
    market = small_state(policies=("uniform-eligible",)).market
    assert metric_view(market, "quality_regret").bound is None
    assert all(row.cap is None for row in provider_rows(market))
    rows = promises(market, simulated(market)).rows
    assert all(row.median is None for row in rows)
    assert [row.why_not for row in rows] == [NOT_PLAYED] * 4 + [NOT_MEASURED]


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
    found = promises(market, simulated(market))
    assert {row.name: row.bound for row in found.rows} == report.guarantees
    assert (found.leads_from, found.optimal) == (report.identification_horizon, "Llama-3.1-8B")
    assert [row.why_not for row in found.rows] == [""] * 4 + [NOT_MEASURED]
    curves = costproof.curves(market.setting, 1500, runs=3, policies="platform", seed=5)["platform"]
    assert found.rows[0].high == curves["quality_regret"][:, -1].max()
