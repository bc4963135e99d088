"""lem:ordinary-qualified-set. Nobody eligible at an auction lacks selections; after T_0 exactly Q is eligible.

At every step t > N that explores nobody, m_{j,t} >= g(t) for every j in the optimistic qualified set. If, moreover,
the good event holds and t > T_0, the optimistic qualified set is Q, for any bids. Here

    T_0 = N max{1, (Mbar / k)^(1/alpha)},   where Mbar = max{1, max_{i not in Q} M_i},

so that g(T_0) >= Mbar.
"""

import numpy as np
from hypothesis import given

from bounds.setting.model import Setting
from mechanism.bidding import TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform
from proofs_checks.claims.cases.boundary import boundary_setting
from proofs_checks.claims.cases.constructed import WalkedMarket
from proofs_checks.claims.model.case import Case
from tests.lemmas.quantities import RUNS, burn_in, target
from tests.lemmas.steps import Run, auctions


def least_count(market: Setting, t: int) -> float:
    return target(market, t)  # wrong: target(market, t) -> 1.001 * target(market, t)


def start(market: Setting) -> float:
    """Return the step after which auctions are among the qualified."""
    return burn_in(market)  # wrong: burn_in(market) -> 0.82 * burn_in(market)


def holds(case: Run) -> bool:
    market, enough, settled = case.setting, True, True
    for step in auctions(case):
        least = least_count(market, step.t) * (1 - 1e-12)
        enough &= all(step.counts[j] >= least for j in step.eligible)
        settled &= step.t <= start(market) or step.eligible == list(market.qualified)
    return enough and settled


@given(RUNS)
def test_holds_at_every_auction(case: Run) -> None:
    assert holds(case)


def test_is_nearly_tight() -> None:
    """An unqualified provider scores high: it is eligible up to m = g(70) = 20, while Mbar = 24 and T_0 = 85."""
    qualities = [1.0, 1.0, 1 - 0.954]
    market = boundary_setting("late", [0.0, 0.9, 1.0], qualities, threshold=1.0, confidence=0.88, exponent=0.95)
    rng = np.random.default_rng(0)
    walks = WalkedMarket.constructed(market, [("down", "down"), ("down", "up"), ("up", "up")], 200, rng)
    bidders = [TruthfulBidder(1.0) for _ in qualities]
    case = Case(market, run_episode(Platform(MechanismConfig.of(market), rng), bidders, walks, 200))
    assert holds(case)
    last = max(step.t for step in auctions(case) if 2 in step.eligible)
    assert 0.82 < last / burn_in(market) <= 1
    nearest = min(step.counts[j] / target(market, step.t) for step in auctions(case) for j in step.eligible)
    assert 1 <= nearest < 1.001
