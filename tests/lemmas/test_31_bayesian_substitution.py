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

from hypothesis import given

from costproof.strategies import traces
from proofs_checks.claims.cases.boundary import Slacks, dear_winner, dearest_auctions
from proofs_checks.claims.cases.variants import with_slacks
from proofs_checks.claims.model.case import Case
from tests.lemmas import test_11_ordinary_selection_threshold as threshold, test_19_ordinary_payment as payment
from tests.lemmas.quantities import SETTLING, believing, burn_in, count_bound
from tests.lemmas.steps import Run, steps
from tests.lemmas.test_09_adjusted_bid_bounds import depths
from tests.lemmas.test_10_ordinary_selection_gap import gaps

BELIEVING = believing(SETTLING)


def believed(case: Run, share: float) -> Case:
    """Return a run of which a share of its gamma is stated."""
    slack = share * case.setting.platform.belief_slack
    return Case(with_slacks(case.setting, belief_slack=slack), case.trace)


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
    stated = believed(case, 1.0)  # wrong: 1.0 -> 0.99
    counts = threshold.shares(believed(case, 1.0))  # wrong: 1.0 -> 0.7
    below = list(depths(stated)) or [1.0]
    found = {"gap": gaps(stated), "count": counts, "payment": payment.shares(stated)}
    return {"low": max(below) - 1, "high": 1 - min(below), **{name: max(of, default=0) for name, of in found.items()}}


@given(traces(BELIEVING, bidding="bayesian"))
def test_holds_for_estimates(case: Run) -> None:
    assert max(shares(case).values()) <= 1 + 1e-9


def test_is_tight() -> None:
    """All is attained but L_i^(gamma), of which 0.76 is used; more than 0.862 of any M(x) cannot be."""
    won = shares(dear_winner(Slacks(belief_slack=1.0), gap=0.9))
    assert min(won["low"], won["high"], won["gap"]) > 0.999
    assert 0.75 < won["count"] < 0.862
    assert 0.999 < shares(dearest_auctions(Slacks(belief_slack=0.5)))["payment"] <= 1
