"""lem:payment-range. No payment is negative, and none exceeds c_max.

For bids in [0, c_max], whatever they are, and every step t >= 1,

    0 <= pi_t <= c_max,    and so    |pi_t - c_(2)| <= c_max.

The second part holds with max{c_(2), c_max - c_(2)} as well. Appendix C says that the lemma holds under
asmp:bounded-deviations "exactly as stated". The assumption does not repeat that bids lie in [0, c_max]; of any bids
that satisfy it, no payment is below -d_-.
"""

import numpy as np
from hypothesis import given

from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions, negative_payments
from tests.lemmas.quantities import second_lowest_cost
from tests.lemmas.steps import Run

MARKETS = settings(assumptions=True)


def least(case: Run) -> float:
    below = case.trace.bid.min() < 0
    return -case.setting.platform.underbid if below else 0.0  # wrong: -case.setting.platform.underbid -> 0.0


def furthest(market: Setting) -> float:
    """Return how far a payment is from c_(2) at most."""
    return max(second_lowest_cost(market), market.platform.cost_bound - second_lowest_cost(market))


@given(traces(MARKETS, bidding=None) | traces(MARKETS, bidding="deviating", clip=False))
def test_holds_at_every_step(case: Run) -> None:
    bound = case.setting.platform.cost_bound  # wrong: cost_bound -> cost_bound * 0.999
    assert least(case) - 1e-9 * bound <= case.trace.payment.min()
    assert case.trace.payment.max() <= bound
    if not least(case):
        distances = np.abs(case.trace.payment - second_lowest_cost(case.setting))
        assert distances.max() <= furthest(case.setting) + 1e-9 * bound


def test_is_tight() -> None:
    """One run pays next to nothing and c_max; free providers that underbid without clipping are paid -d_-."""
    paid = cheapest_auctions(Slacks(), scale=5, horizon=300).trace.payment
    assert 0 <= paid.min() < 1e-4
    assert paid.max() == 1
    unclipped = negative_payments(Slacks(underbid=50.0))
    assert least(unclipped) <= unclipped.trace.payment.min() < -0.999 * 50
