"""One run over time, against the replay of the whole trace and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.explorer import run_view
from proofs_checks.explorer.roster_view import roster_view
from proofs_checks.explorer.run_pictures import (
    band_picture,
    optimistic_picture,
    payoff_picture,
    payoffs_of_picture,
    shares_picture,
    slack_picture,
)
from proofs_checks.explorer.run_view import beliefs, payoffs, payoffs_of
from proofs_checks.explorer.runs import run_trace
from tests.proofs_checks.explorer.states import small_state


@pytest.mark.for_each("policy", ["platform", "lowest-price", "no-quality-filter"])
@pytest.mark.parametrize("bidders", ["truthful", "bayesian", "deviating"])
def test_beliefs_are_those_of_the_replay(policy: str, bidders: str) -> None:
    market = small_state(bidders=bidders, policies=(policy,)).market
    found, trace = beliefs(market, policy, 1), run_trace(market, 1, policy)
    # The state after t queries is that before the next one.
    longer = Trace.joined([trace, trace.head(1)])
    replay = Replay(MechanismConfig.of(market.prepared), longer)
    after = found.steps
    np.testing.assert_array_equal(found.counts, replay.counts[after])
    np.testing.assert_allclose(found.optimistic, replay.quality_estimates[after] + replay.radii[after], rtol=1e-12)
    bound = market.setting.platform.cost_bound
    gaps = found.slack * bound * replay.radii[after]
    costs = np.array(
        [
            [trace.cost[:t][trace.provider[:t] == i].mean() for i in range(market.setting.n_providers)]  # type: ignore[index]
            for t in after
        ]
    )
    np.testing.assert_allclose(gaps, replay.standing_bids[after] - costs, atol=1e-7 * bound)


def test_slack_is_what_each_kind_of_bidder_allows() -> None:
    assert not beliefs(small_state().market, "platform", 0).slack.any()
    bayesian = beliefs(small_state(bidders="bayesian").market, "platform", 0)
    assert 0 < np.abs(bayesian.slack).max() <= bayesian.gamma
    deviating = small_state(bidders="deviating").market
    assert np.abs(beliefs(deviating, "platform", 0).slack).max() > 0


@pytest.mark.parametrize("policy", ["platform", "lowest-price"])
def test_payoffs_are_sums_of_payments_less_costs(policy: str) -> None:
    market = small_state(policies=(policy,)).market
    found, trace = payoffs(market, policy, 2), run_trace(market, 2, policy)
    n = market.setting.n_providers
    gain, loss, by = 0.0, 0.0, [[0.0, 0.0] for _ in range(n)]
    losing, ends = [], {}
    for step, (who, paid, cost) in enumerate(zip(trace.provider, trace.payment, trace.cost, strict=True), 1):  # type: ignore[arg-type]
        earned = float(paid) - float(cost)
        gain, loss = gain + max(earned, 0.0), loss + min(earned, 0.0)
        by[who][earned < 0] += earned
        losing += [step] if earned < 0 else []
        ends[step] = (gain, loss)
    for step, gains, losses in zip(found.steps, found.gains, found.losses, strict=True):
        assert (gains, losses) == pytest.approx(ends[step])
    assert found.gains_of.tolist() == pytest.approx([each[0] for each in by])
    assert found.losses_of.tolist() == pytest.approx([each[1] for each in by])
    assert (found.losing, found.losing_later) == (len(losing), sum(step > n for step in losing))
    assert found.queries == len(trace)


def test_of_a_long_run_only_the_first_steps_are_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    market = small_state().market
    monkeypatch.setattr(run_view, "MOST_REPLAYED", 800)
    found = payoffs_of(market.prepared, run_trace(market, 0))
    assert found.band_steps == 200
    assert found.band.steps[-1] == 200


def test_pictures_of_every_run_can_be_drawn_and_show_the_view() -> None:
    market = small_state(bidders="bayesian").market
    roster = roster_view(market).rows
    seen, earned = beliefs(market, "platform", 0), payoffs(market, "platform", 0)
    shares = shares_picture(seen, roster, "light")["data"]
    assert [line["y"][-1] for line in shares] == pytest.approx((seen.counts[-1] / market.horizon).tolist())
    assert sum(line["y"][-1] for line in shares) == pytest.approx(1)
    assert optimistic_picture(seen, roster, "dark")["data"][-1]["y"] == [seen.threshold] * 2
    assert slack_picture(seen, roster, "dark")["data"][-1]["y"] == [-seen.gamma] * 2
    net = payoff_picture(earned, "light")["data"][0]
    assert net["y"][-1] == pytest.approx(earned.gains[-1] + earned.losses[-1])
    bars = payoffs_of_picture(earned, roster, "light")["data"]
    assert sum(bars[0]["x"]) + sum(bars[1]["x"]) == pytest.approx(sum(bars[2]["x"])) == pytest.approx(net["y"][-1])
    band = band_picture(earned, "light")["data"][1]
    assert all(low <= paid <= high for paid, (low, high) in zip(band["y"], band["customdata"], strict=True))
