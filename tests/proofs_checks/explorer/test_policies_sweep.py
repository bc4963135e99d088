"""Policies and thresholds beside each other, against plain loops over traces."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from mechanism import rules
from mechanism.trace import Trace
from proofs_checks.explorer import controls
from proofs_checks.explorer.comparison_pictures import SWEPT, accuracy_picture, sweep_picture, where_picture
from proofs_checks.explorer.policies_view import below_bids, policy_rows
from proofs_checks.explorer.registry import POLICIES, meaning
from proofs_checks.explorer.roster_view import roster_view
from proofs_checks.explorer.runs import run_trace
from proofs_checks.explorer.sweep_view import SweepChoice, sweep_plan, sweep_point, thresholds
from tests.proofs_checks.explorer.states import small_state

POLICY_NAMES = ("platform", "lowest-price", "no-quality-filter")
MARKET = small_state(policies=POLICY_NAMES).market


def test_outcomes_are_those_of_the_traces() -> None:
    setting = MARKET.setting
    for row in policy_rows(MARKET, 0):
        for run in range(MARKET.runs):
            trace = run_trace(MARKET, run, row.policy)
            counts = np.bincount(trace.provider, minlength=setting.n_providers)
            assert row.outcomes.accuracy[run] == pytest.approx(trace.score.mean())
            assert row.outcomes.cost[run] == pytest.approx(math.fsum(trace.cost))  # type: ignore[arg-type]
            assert row.outcomes.paid[run] == pytest.approx(math.fsum(trace.payment))
            assert row.outcomes.shares[run].tolist() == pytest.approx((counts / len(trace)).tolist())
            worst = max(counts[i] for i in setting.unqualified)
            assert row.outcomes.collapsed[run] == (2 * worst > len(trace))
    assert [row.policy for row in policy_rows(MARKET, 0)] == list(POLICY_NAMES)


def plainly_below(trace: Trace, *, explores: bool) -> tuple[int, int]:
    """Count, step by step with the rules, where the critical payment of who served is below its standing bid."""
    setting = MARKET.prepared
    platform, n = setting.platform, setting.n_providers

    def beta(m: int) -> float:
        return math.sqrt(math.log(2 * math.pi**2 * n * m**2 / (3 * platform.confidence)) / (2 * m))

    counts, scores, bids = [0] * n, [0.0] * n, [0.0] * n
    judged = below = 0
    for step in range(1, len(trace) + 1):
        who = int(trace.provider[step - 1])
        if step > n:
            radii = [beta(m) for m in counts]
            eligible = [i for i in range(n) if scores[i] / counts[i] + radii[i] >= platform.quality_threshold]
            target = math.ceil(platform.exploration_scale * (step / n) ** platform.exploration_exponent)
            exploring = explores and any(counts[i] < target for i in eligible)
            if who in eligible and len(eligible) > 1 and not exploring:
                adjusted = [bids[i] - platform.cost_bound * radii[i] for i in range(n)]
                critical = rules.critical_payment(who, eligible, adjusted, platform.cost_bound * radii[who])
                judged, below = judged + 1, below + (critical < bids[who] - 1e-9 * platform.cost_bound)
        counts[who], scores[who] = counts[who] + 1, scores[who] + float(trace.score[step - 1])
        bids[who] = float(trace.bid[step - 1])
    return judged, below


@pytest.mark.parametrize("policy", ["platform", "uniform-eligible", "lowest-price"])
def test_critical_payments_below_bids_are_those_of_the_rules(policy: str) -> None:
    explores = POLICIES[policy].explores
    trace = run_trace(replace(MARKET, policies=(policy,)), 0, policy).head(700)
    found = below_bids(MARKET.prepared, trace, explores=explores)
    assert found == plainly_below(trace, explores=explores)
    if policy == "platform":
        assert found[1] == 0
    if policy == "uniform-eligible":
        assert found[1] > 0  # who does not ask for bids serves providers that no critical payment would satisfy


def test_the_pictures_of_policies_show_their_rows() -> None:
    rows, roster = policy_rows(MARKET, 0), roster_view(MARKET)
    marks = accuracy_picture(rows, 0.5, "light")["data"]
    assert [mark["name"] for mark in marks] == [*POLICY_NAMES, "quality threshold"]
    assert marks[0]["x"] == [np.median(rows[0].outcomes.cost)]
    bars = where_picture(rows, roster.rows, "dark")["data"]
    assert np.sum([bar["x"] for bar in bars], axis=0) == pytest.approx(np.ones(3))
    assert bars[0]["name"].startswith("Qwen2.5-7B")


class TestSweeps:
    def test_a_point_is_the_market_at_that_threshold(self) -> None:
        plan = sweep_plan(MARKET, SweepChoice(runs=3))
        for market in plan.markets:
            point = sweep_point(market)
            alone = {row.policy: row.outcomes for row in policy_rows(market, 0)}
            assert point.qualified == sum(each.quality >= point.threshold for each in MARKET.setting.providers)
            for policy, outcomes in point.outcomes.items():
                assert outcomes.cost.tolist() == alone[policy].cost.tolist()

    def test_thresholds_are_spread_over_the_midpoints_or_an_even_grid(self) -> None:
        setting = published("gsm8k-ladder").setting
        six = thresholds(setting, SweepChoice(points=6))
        every = thresholds(setting, SweepChoice(points=24))
        assert len(six) == 6
        assert set(six) <= set(every)
        assert (six[0], six[-1]) == (every[0], every[-1])
        grid = thresholds(setting, SweepChoice(mode="grid", points=4))
        qualities = [each.quality for each in setting.providers]
        eighth = (max(qualities) - min(qualities)) / 8
        assert grid == pytest.approx([min(qualities) + eighth * odd for odd in (1, 3, 5, 7)], abs=1e-6)

    @pytest.mark.parametrize("given", [None, 5, {}, {"mode": "<b>", "points": "10000", "runs": None}])
    def test_what_is_no_choice_is_the_first(self, given: object) -> None:
        assert SweepChoice.of(given) == SweepChoice()

    def test_the_pictures_show_means_and_runs(self) -> None:
        points = [sweep_point(market) for market in sweep_plan(MARKET, SweepChoice()).markets]
        for measure in SWEPT:
            data = sweep_picture(points, measure, "light")["data"]
            means = [float(np.mean(getattr(point.outcomes["platform"], measure))) for point in points]
            assert data[0]["y"] == [pytest.approx(mean) if mean == mean else None for mean in means]
            assert (len(data) == len(POLICY_NAMES)) == (measure == "collapsed")


class TestPoliciesInPlainPython:
    """They take some hundred times as long as compiled ones."""

    def test_they_have_fewer_runs_and_the_rest_have_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(controls, "PLAIN_STEPS", 3200)
        market = replace(MARKET, policies=("cheapest-bid", "platform"))
        found = {row.policy: len(row.outcomes.accuracy) for row in policy_rows(market, 0)}
        assert found == {"cheapest-bid": 2, "platform": 3}
        assert list(found) == ["cheapest-bid", "platform"]

    def test_a_run_of_theirs_is_not_too_long(self) -> None:
        with pytest.raises(InputError, match="steps in plain Python"):
            replace(MARKET, policies=("platform", "cheapest-bid"), horizon=700_000)

    def test_while_somebody_drags_they_are_left_out(self) -> None:
        assert replace(MARKET, policies=("cheapest-bid", "platform")).while_dragging().policies == ("platform",)
        assert replace(MARKET, policies=("cheapest-bid",)).while_dragging().policies == ("cheapest-bid",)

    @pytest.mark.parametrize("policy", list(POLICIES))
    def test_every_policy_of_the_market_is_explained_and_can_be_compared(self, policy: str) -> None:
        (row,) = policy_rows(replace(MARKET, policies=(policy,), runs=1), 0)
        assert row.outcomes.shares.sum() == pytest.approx(1)
        assert meaning(policy)

    def test_paying_the_bid_routes_as_the_platform_does_and_pays_less(self) -> None:
        both = policy_rows(replace(MARKET, policies=("platform", "pay-your-bid"), runs=1), 0)
        platform, bid = (row.outcomes for row in both)
        assert bid.shares.tolist() == platform.shares.tolist()
        assert bid.paid < platform.paid
