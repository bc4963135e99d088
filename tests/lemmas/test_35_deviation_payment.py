"""lem:deviation-payment. Deviations move the two bounds on what an auction pays by d_+ and d_-.

Under asmp:bounded-deviations, on the good event, at every t > N that explores nobody and that provider i serves,

    pi_t <= min{c_max, c_(2) + c_max beta(m_{i,t}) + d_+},

and if t > T_0 as well,

    pi_t >= c_(2) - 3 c_max beta(g(t)) - d_-.

The proof shows the last inequality with 2 c_max beta(g(t)) before it weakens it.
"""

import pytest
from hypothesis import given

from bounds.formulas.payment import AUCTION_PAYMENT_UPPER, LATE_PAYMENT_LOWER, LATE_PAYMENT_UPPER
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions, dearest_auctions, large_underbids
from tests.lemmas.quantities import SETTLING, burn_in, cost_radius, deviating, second_lowest_cost, target
from tests.lemmas.steps import Run, auctions

DEVIATING = settings(assumptions=True) | deviating(SETTLING)
RUNS = traces(DEVIATING, bidding="deviating") | traces(DEVIATING, bidding="combined")
OF_THE_PAPER = 3.0
ENOUGH = 2.0  # wrong: 2.0 -> 1.9


def above(market: Setting, m: float) -> float:
    """Return how much more than c_(2) an auction pays."""
    return cost_radius(market, m) + market.platform.overbid  # wrong: + market -> + 0.99 * market


def below(market: Setting, t: int, radii: float) -> float:
    """Return how much less than c_(2) an auction pays after T_0."""
    underbid = market.platform.underbid  # wrong: = market -> = 0.9 * market
    return radii * cost_radius(market, target(market, t)) + underbid


def shares(case: Run) -> tuple[float, float]:
    """Return the most that payments use of what is allowed above c_(2), and after T_0 below it."""
    market, high, low = case.setting, [0.0], [0.0]
    for step in auctions(case):
        off = step.payment - second_lowest_cost(market)
        high.append(off / above(market, step.counts[step.served]))
        if step.t > burn_in(market):
            low.append(-off / below(market, step.t, ENOUGH))
    return max(high), max(low)


@given(RUNS)
def test_holds_at_every_auction(case: Run) -> None:
    assert max(shares(case)) <= 1 + 1e-9
    assert case.trace.payment.max() <= case.setting.platform.cost_bound


@given(DEVIATING)
def test_bounds_prints_it(market: Setting) -> None:
    values, second, t = formula_inputs(market), second_lowest_cost(market), 10**6 * market.n_providers
    highest = min(market.platform.cost_bound, second + above(market, 40))
    assert AUCTION_PAYMENT_UPPER.value(values, count=40) == pytest.approx(highest)
    if target(market, t) >= 1:
        assert LATE_PAYMENT_UPPER.value(values, step=t) == pytest.approx(second + above(market, target(market, t)))
        assert LATE_PAYMENT_LOWER.value(values, step=t) == pytest.approx(second - below(market, t, OF_THE_PAPER))


def test_is_tight() -> None:
    """Above c_(2); and below, if i* has next to no radius, and if d_- is many radii."""
    assert 0.999 < shares(dearest_auctions(Slacks(underbid=0.3, overbid=0.3)))[0] <= 1
    few = Slacks(underbid=0.001, overbid=0.001)
    assert 0.95 < shares(cheapest_auctions(few, scale=14, horizon=6000))[1] <= 1
    assert 0.94 < shares(large_underbids(Slacks(underbid=0.9)))[1] <= 1
