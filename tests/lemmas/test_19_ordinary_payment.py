"""lem:ordinary-payment. An auction pays at most the second-lowest qualified cost and one cost radius.

On the good event, with truthful bids, at every step t > N that explores nobody and that provider i serves,

    pi_t <= min{c_max, c_(2) + c_max beta(m_{i,t})}.
"""

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, dearest_auctions
from tests.lemmas.quantities import ESTIMATE_RUNS, cost_radius, second_lowest_cost
from tests.lemmas.steps import Run, auctions, standing_still


def most(market: Setting, m: int) -> float:
    """Return the most that an auction pays if the winner has been selected m times."""
    radius = cost_radius(market, m)
    return min(market.platform.cost_bound, second_lowest_cost(market) + radius)  # wrong: + radius -> + 0.99 * radius


def shares(case: Run) -> list[float]:
    """Return the payment of each auction as a share of its bound."""
    found = [(step.payment, most(case.setting, step.counts[step.served])) for step in auctions(case)]
    return [payment / bound for payment, bound in found]


@given(ESTIMATE_RUNS)
def test_holds_at_every_auction(case: Run) -> None:
    assert max(shares(case), default=0) <= 1 + 1e-12


def test_is_tight() -> None:
    """The loser's costs lie a radius above their mean: the winner is paid a radius above the second-lowest cost."""
    assert 0.999 < max(shares(dearest_auctions(Slacks()))) <= 1


def test_bids_must_be_truthful() -> None:
    """If both bid c_max at costs of 0 and 1/1000, every payment is c_max."""
    bids = (0.0, 1e-3)  # wrong: (0.0, 1e-3) -> (1.0, 1.0)
    assert max(shares(standing_still(*bids, cost=1e-3, scale=0.03, exponent=0.05))) <= 1
