"""lem:ordinary-payment. An auction pays at most the second-lowest qualified cost and one cost radius.

On the good event, with truthful bids, at every step t > N that explores nobody and that provider i serves,

    pi_t <= min{c_max, c_(2) + c_max beta(m_{i,t})}.
"""

from __future__ import annotations

import pytest
from hypothesis import given

from bounds.formulas.payment import AUCTION_PAYMENT_UPPER
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from costproof.testing import Played
from proofs_checks.claims.cases.boundary import Slacks, dearest_auctions
from tests.bounds.by_hand import beta
from tests.lemmas.steps import auctions

TRUTHFUL = settings(slacks=False, assumptions=True)


def second_lowest_cost(market: Setting) -> float:
    """Return the second-lowest mean cost of a qualified provider."""
    able = [p.mean_cost for p in market.providers if p.quality >= market.platform.quality_threshold]
    return sorted(able)[1]


def most(market: Setting, m: int) -> float:
    """Return the most that an auction pays if the winner has been selected m times."""
    bound = market.platform.cost_bound
    radius = bound * beta(m, market.n_providers, market.platform.confidence)
    return min(bound, second_lowest_cost(market) + radius)  # wrong: + radius -> + 0.9 * radius


@given(traces(TRUTHFUL))
def test_holds_at_every_auction(played: Played) -> None:
    for step in auctions(played):
        assert step.payment <= most(played.setting, step.counts[step.served]) * (1 + 1e-12)


@given(TRUTHFUL)
def test_bounds_prints_it(market: Setting) -> None:
    for m in (1, 7, 1000):
        assert AUCTION_PAYMENT_UPPER.value(formula_inputs(market), count=m) == pytest.approx(most(market, m))


def test_is_tight() -> None:
    """The loser's costs lie a radius above their mean: the winner is paid a radius above the second-lowest cost."""
    case = dearest_auctions(Slacks())
    shares = [step.payment / most(case.setting, step.counts[step.served]) for step in auctions(case)]
    assert 0.999 < max(shares) <= 1
