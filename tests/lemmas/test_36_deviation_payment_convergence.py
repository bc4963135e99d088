"""thm:deviation-payment-convergence. In the limit, bids move the average payment by no more than they deviate.

Under asmp:bounded-deviations, with probability at least 1 - delta (on the good event), for every T >= T_0

    (1/T) sum_t |pi_t - c_(2)| <= (T_0/T) c_max + k (N/T)^(1-alpha) (c_max - c_(2)) + max{d_-, d_+}
        + 6 c_max/(2 - alpha) ((1/(2k)) (N/T)^alpha ln(2 pi^2 N k^2/(3 delta) (T/N)^(2 alpha)))^(1/2),

so that the average payment has its limits within [c_(2) - d_-, c_(2) + d_+]: it is below c_(2) by the first term, the
last and d_- at most. The average of (pi_t - c_(2))^+ is at most the right side of cor:excess-payment-polynomial plus
d_+. As in lem:deviation-payment, 4 is enough in the place of 6.
"""

import numpy as np
from hypothesis import given

from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions, exploration_alone, large_overbids
from tests.lemmas import test_05_regret as regret, test_21_excess_payment_polynomial as excess
from tests.lemmas.quantities import SETTLING, burn_in, deviating, second_lowest_cost
from tests.lemmas.steps import Run

DEVIATING = settings(assumptions=True) | deviating(SETTLING)
RUNS = traces(DEVIATING, bidding="deviating") | traces(DEVIATING, bidding="combined")
ENOUGH = 4.0  # wrong: 4.0 -> 3.6


def most(market: Setting, horizon: int, factor: float) -> float:
    """Return the right side."""
    p = market.platform
    deviations = max(p.underbid, p.overbid)  # wrong: max(p.underbid, p.overbid) -> p.overbid
    return regret.most(market, horizon, factor) + deviations


def most_below(market: Setting, horizon: int) -> float:
    """Return the most by which an average payment is below c_(2); explorations pay c_max, which is no less."""
    underbid = market.platform.underbid  # wrong: = market -> = 0.5 * market
    return regret.start_and_radii(market, horizon, ENOUGH) + underbid


def most_excess(market: Setting, horizon: int) -> float:
    """Return the right side of cor:excess-payment-polynomial plus d_+."""
    return excess.most(market, horizon) + market.platform.overbid  # wrong: + market -> + 0.9 * market


def averages(case: Run) -> tuple[float, float]:
    """Return both left sides."""
    off = case.trace.payment - second_lowest_cost(case.setting)
    return float(np.abs(off).mean()), float(np.maximum(off, 0).mean())


def below(case: Run) -> float:
    return second_lowest_cost(case.setting) - float(case.trace.payment.mean())


@given(RUNS)
def test_holds(case: Run) -> None:
    distance, above = averages(case)
    assert above <= most_excess(case.setting, len(case.trace))
    if len(case.trace) >= burn_in(case.setting):
        assert distance <= most(case.setting, len(case.trace), ENOUGH)
        assert below(case) <= most_below(case.setting, len(case.trace))


def test_is_tight() -> None:
    """If nearly all of the bound is exploration, or the radii, or radii and d_-; the excess if nearly all is d_+."""

    def used(case: Run) -> float:
        return averages(case)[0] / most(case.setting, len(case.trace), ENOUGH)

    assert 0.94 < used(exploration_alone(Slacks(underbid=1e-6, overbid=1e-6))) <= 1
    assert 0.9 < used(cheapest_auctions(Slacks(), scale=14, horizon=6000)) <= 1
    low = cheapest_auctions(Slacks(underbid=0.3), scale=60, horizon=3000)
    assert 0.83 < used(low) <= 1
    assert 0.83 < below(low) / most_below(low.setting, 3000) <= 1
    over = large_overbids(Slacks(overbid=0.95))
    assert 0.95 < averages(over)[1] / most_excess(over.setting, len(over.trace)) <= 1
