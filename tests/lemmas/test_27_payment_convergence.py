"""thm:payment-convergence. Payments converge to c_(2), one by one at auctions and all of them on average.

With truthful bids, with probability at least 1 - delta (on the good event), lem:two-sided-payment holds for every
t > T_0 that explores nobody, and for every T > T_0

    (1/T) sum_t |pi_t - c_(2)| <= (T_0/T) c_max + k (N/T)^(1-alpha) (c_max - c_(2))
        + 6 c_max/(2 - alpha) ((1/(2k)) (N/T)^alpha ln(2 pi^2 N k^2/(3 delta) (T/N)^(2 alpha)))^(1/2).

thm:regret (Theorem 4) is this second part. Since two radii are enough at auctions, so is 4 in the place of 6.
"""

from hypothesis import given

from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions, exploration_alone
from tests.lemmas.quantities import SETTLING, burn_in, estimate_runs
from tests.lemmas.steps import Run
from tests.lemmas.test_05_regret import averages, most

ENOUGH = 4.0  # wrong: 4.0 -> 3.6


@given(estimate_runs(SETTLING))
def test_holds_after_the_burn_in(case: Run) -> None:
    if len(case.trace) > burn_in(case.setting):
        assert averages(case)[-1] <= most(case.setting, len(case.trace), ENOUGH)


def test_is_tight() -> None:
    """In the second term if all queries explore; in the third if payments lie two radii below c_(2)."""
    explored = exploration_alone(Slacks())
    assert 0.9 < averages(explored)[-1] / most(explored.setting, len(explored.trace), ENOUGH) <= 1
    cheap = cheapest_auctions(Slacks(), scale=14, horizon=6000)
    assert 0.9 < averages(cheap)[-1] / most(cheap.setting, len(cheap.trace), ENOUGH) <= 1
