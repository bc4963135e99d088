"""lem:ordinary-selection-threshold. A competitor wins auctions only while it was selected at most L_i times.

On the good event, with truthful bids, if a provider i != i* of Q serves a step t > N that explores nobody, then

    m_{i,t} <= L_i = ceil((4 c_max^2 / Delta_i^2) ln(57 N c_max^4 / (delta Delta_i^4))),   that is M(Delta_i / c_max).

A gap is at most c_max, for which lem:radius-inversion, and so this lemma, holds with 30 in place of 57 as well.
"""

import math

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, dear_winner
from tests.lemmas.quantities import ESTIMATE_RUNS, cost_gaps, cost_width
from tests.lemmas.steps import Run, auctions, standing_still


def most(market: Setting, gap: float) -> int:
    """Return L_i of a competitor with a given Delta_i."""
    bound, n, delta = cost_width(market), market.n_providers, market.platform.confidence
    logarithm = math.log(57 * n * bound**4 / (delta * gap**4))  # wrong: 57 -> 21
    return math.ceil(4 * bound**2 / gap**2 * logarithm)  # wrong: 4 * -> 3.2 *


def shares(case: Run) -> list[float]:
    """Return m_{i,t} as a share of L_i, of every auction that a competitor wins."""
    gaps = cost_gaps(case.setting)
    won = [step for step in auctions(case) if step.served in gaps]
    return [step.counts[step.served] / most(case.setting, gaps[step.served]) for step in won]


@given(ESTIMATE_RUNS)
def test_holds_at_every_auction(case: Run) -> None:
    assert max(shares(case), default=0) <= 1


def test_holds_for_truthful_bids_alone() -> None:
    """If i* bids c_max, its competitor wins for ever."""
    case = standing_still(0.0, 0.9)  # wrong: (0.0 -> (1.0
    assert max(shares(case)) <= 1


def test_is_tight() -> None:
    """17 of 20: the largest share there is, since the gap is next to c_max, N = 2 and delta = 0.9."""
    assert 0.84 < max(shares(dear_winner(Slacks(), gap=0.99))) <= 1
