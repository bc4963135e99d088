"""lem:qualified-suboptimal-selection. Until T a competitor is selected at most max{L_i, ceil(g(T)) - 1} times.

On the good event, with truthful bids, for every provider i != i* in Q and every T > N, the number of steps
N < t <= T with I_t = i is at most

    max{L_i, ceil(g(T)) - 1},   where L_i = M(Delta_i / c_max).
"""

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, dear_winner
from tests.lemmas.quantities import ESTIMATE_RUNS, cost_gaps, cost_width, count_bound, explored
from tests.lemmas.steps import Run, standing_still, steps


def most(market: Setting, gap: float, horizon: int) -> float:
    """Return the most selections, after initialization, of a competitor with a given Delta_i."""
    explorations = explored(market, horizon)  # wrong: horizon) -> horizon) - 1
    last_win = count_bound(gap / cost_width(market), market)  # wrong: = count -> = 0.84 * count
    return max(last_win, explorations)


def shares(case: Run) -> list[float]:
    """Return the number of selections as a share of its bound, whenever a competitor is selected."""
    gaps = cost_gaps(case.setting)
    found = [step for step in steps(case) if step.kind != "initialization" and step.served in gaps]
    # A selection at the count m is the m-th after initialization.
    return [step.counts[step.served] / most(case.setting, gaps[step.served], step.t) for step in found]


@given(ESTIMATE_RUNS)
def test_holds_at_every_horizon(case: Run) -> None:
    assert max(shares(case), default=0) <= 1


def test_is_tight_where_exploration_decides() -> None:
    """With costs of 0 and 0.9, L_i = 26; i* wins every auction, and exploration attains ceil(g(400)) - 1 = 130."""
    bids = (0.0, 0.9)  # wrong: 0.0 -> 1.0
    assert max(shares(standing_still(*bids, horizon=400, scale=100.0, exponent=0.05))) == 1


def test_is_nearly_tight_where_auctions_decide() -> None:
    """Scores and costs at the edges of their bands: 17 of L_i = 20, and no gap up to c_max has a larger share."""
    assert max(shares(dear_winner(Slacks(), gap=0.99))) == 17 / 20
