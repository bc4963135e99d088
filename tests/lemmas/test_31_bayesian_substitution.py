"""prop:bayesian-substitution. The guarantees hold for Bayesian estimates if the radius is widened by 1 + gamma.

The platform puts (1 + gamma) c_max beta in the place of c_max beta in allocation and payment, and bids are estimates.

i) Whatever is bid in [0, c_max], what is stated about eligibility, exploration and quality holds as it stands: a
   qualified provider stays eligible, an unqualified one at most up to m = M_i, g(t) and T_0 are what they were.
   prop:selection-threshold, lem:one-step and thm:robust-dominant hold with any estimates e_{i,t} in [0, c_max] in the
   place of chat_{i,t}.
ii) Under asmp:beliefs, on the good event, what is stated about truthful bids holds with (1 + gamma) c_max beta(m) in
   the place of c_max beta(m), and L_i^(gamma) = M(Delta_i/((1 + gamma) c_max)) in that of L_i. Thus

    cbar_i - 2 (1 + gamma) c_max beta(m_{i,t}) <= b_{i,t} - (1 + gamma) c_max beta(m_{i,t}) <= cbar_i;
    Delta_i <= 2 (1 + gamma) c_max beta(m_{i,t}) and m_{i,t} <= L_i^(gamma) where i in Q \\ {i*} wins an auction;
    pi_t <= min{c_max, c_(2) + (1 + gamma) c_max beta(m_{i,t})} there.

Among ii) cor:eventual-ordinary-optimality is as empty as it is for truthful bids. Of i) and ii) all results that speak
of a run are tested in their own modules too: i) for any bids (`RUNS`), ii) for such estimates (`ESTIMATE_RUNS`).
"""

from __future__ import annotations

import pytest
from hypothesis import given

from bounds.formulas.payment import AUCTION_PAYMENT_UPPER
from bounds.formulas.selection import ORDINARY_BOUND
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from costproof.strategies import traces
from proofs_checks.claims.cases.boundary import Slacks, dear_winner, dearest_auctions
from tests.bounds.by_hand import beta
from tests.lemmas.quantities import TRUTHFUL, believing, burn_in, count_bound, second_lowest_cost, soon_settled
from tests.lemmas.steps import Run, auctions, steps

BELIEVING = believing(TRUTHFUL | soon_settled())


def radius(market: Setting, m: int) -> float:
    """Return the widened cost radius."""
    platform = market.platform
    widening = 1 + platform.belief_slack  # wrong: 1 + -> 1 + 0.99 *
    return widening * platform.cost_bound * beta(m, market.n_providers, platform.confidence)


def last_win(market: Setting, gap: float) -> float:
    """Return L_i^(gamma)."""
    platform = market.platform
    widening = 1 + platform.belief_slack  # wrong: 1 + -> 1 + 0.7 *
    return count_bound(gap / (widening * platform.cost_bound), market)


@given(traces(BELIEVING, bidding="arbitrary"))
def test_holds_for_any_bids(case: Run) -> None:
    market, threshold = case.setting, case.setting.platform.quality_threshold
    able = {i for i, p in enumerate(market.providers) if p.quality >= threshold}
    for step in steps(case)[market.n_providers :]:
        assert able <= {*step.eligible}
        for i in {*step.eligible} - able:
            gap = threshold - market.providers[i].quality
            assert step.counts[i] <= count_bound(gap, market)
        if step.kind == "auction" and step.t > burn_in(market):
            assert {*step.eligible} == able


def shares(case: Run) -> dict[str, float]:
    """Return the most that adjusted bids, gaps of winners, their counts and payments use of what is stated."""
    market, best = case.setting, min(case.setting.providers[i].mean_cost for i in case.setting.qualified)
    found = {"low": [0.0], "high": [0.0], "gap": [0.0], "count": [0.0], "payment": [0.0]}
    for step in auctions(case):
        for p, m, bid in zip(market.providers, step.counts, step.bids, strict=True):
            found["high"].append((bid - p.mean_cost) / radius(market, m))
            found["low"].append((p.mean_cost - bid) / radius(market, m))
        m, gap = step.counts[step.served], market.providers[step.served].mean_cost - best
        if step.served in market.competitors:
            found["gap"].append(gap / (2 * radius(market, m)))
            found["count"].append(m / last_win(market, gap))
        found["payment"].append((step.payment - second_lowest_cost(market)) / radius(market, m))
    return {what: max(used) for what, used in found.items()}


@given(traces(BELIEVING, bidding="bayesian"))
def test_holds_for_estimates(case: Run) -> None:
    assert max(shares(case).values()) <= 1 + 1e-9


@given(BELIEVING)
def test_bounds_prints_it(market: Setting) -> None:
    costs = [market.providers[i].mean_cost for i in market.competitors]
    values = formula_inputs(market)
    expected = [last_win(market, cost - values["optimal_cost"]) for cost in costs]
    assert ORDINARY_BOUND(values).tolist() == pytest.approx(expected, rel=1e-12)
    highest = min(market.platform.cost_bound, second_lowest_cost(market) + radius(market, 40))
    assert AUCTION_PAYMENT_UPPER.value(values, count=40) == pytest.approx(highest)


def test_is_tight() -> None:
    """All is attained but L_i^(gamma), of which 0.76 is used; more than 0.862 of any M(x) cannot be."""
    won = shares(dear_winner(Slacks(belief_slack=1.0), gap=0.9))
    assert min(won["low"], won["high"], won["gap"]) > 0.999
    assert 0.75 < won["count"] < 0.862
    assert 0.999 < shares(dearest_auctions(Slacks(belief_slack=0.5)))["payment"] <= 1
