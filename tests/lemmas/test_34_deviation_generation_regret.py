"""thm:deviation-generation-regret. Deviating bids add at most d_- + d_+ a query to the bound on the regret.

Let R be the sum of (cbar_{I_t} - cbar_{i*})^+ over t <= T. Under asmp:bounded-deviations, on the good event and
if g(T) > 0, for every T >= N

    R <= (N-1) ceil(g(T)) c_max + 2 c_max (2N (T-N) ln(2 pi^2 N T^2/(3 delta)))^(1/2) + (d_- + d_+) (T-N),

and if Delta_i > d_- + d_+ for every i in Q \\ {i*}, with L_i^(d) of prop:deviation-selection,

    R <= sum_{i not in Q} (M_i + 1) (cbar_i - cbar_{i*})^+
        + sum_{i in Q \\ {i*}} (max{L_i^(d), ceil(g(T)) - 1} + 1) Delta_i.

One such root is enough in place of two, as for truthful bids (thm:generation-regret).
"""

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, _played as played, boundary_setting, start_alone
from tests.lemmas.quantities import count_bound, excesses, quality_gaps
from tests.lemmas.steps import Run, on_fixed_market
from tests.lemmas.test_18_generation_regret import ENOUGH, anytime
from tests.lemmas.test_33_deviation_selection import RUNS, most_served


def whatever_the_gaps(market: Setting, horizon: int, sums: float = ENOUGH) -> float:
    """Return the first right side."""
    p, n = market.platform, market.n_providers
    deviations = (p.underbid + p.overbid) * (horizon - n)  # wrong: = ( -> = 0.85 * (
    return anytime(market, horizon, sums) + deviations


def of_the_gaps(market: Setting, horizon: int) -> float:
    """Return the second right side, infinite where some gap is no larger than d_- + d_+."""
    unqualified = {i: count_bound(gap, market) for i, gap in quality_gaps(market).items()}
    served = {**most_served(market, horizon), **unqualified}
    return sum((served[i] + 1) * excess for i, excess in enumerate(excesses(market)) if excess)  # wrong: + 1 -> + 0.99


def regret(case: Run) -> float:
    return sum(excesses(case.setting)[i] for i in case.trace.provider.tolist())


@given(RUNS)
def test_holds(case: Run) -> None:
    for right in (whatever_the_gaps, of_the_gaps):
        assert regret(case) <= right(case.setting, len(case.trace)) * (1 + 1e-12)


def test_is_tight() -> None:
    """At T = N, at Delta_i = d_- + d_+, and where all explore."""
    start = start_alone(Slacks(underbid=0.1, overbid=0.1))
    assert regret(start) == whatever_the_gaps(start.setting, len(start.trace)) == 31
    lost = played(
        Slacks(underbid=0.5, overbid=0.5).on(boundary_setting("lost", [0.0, 1.0], scale=0.03)), ["up", "down"], 6000
    )
    assert 0.89 < regret(lost) / whatever_the_gaps(lost.setting, 6000) <= 1
    explores = on_fixed_market([(1.0, 0.0), (1.0, 1.0)], 2000, exploration_scale=10, exploration_exponent=0.5)
    assert regret(explores) == of_the_gaps(explores.setting, 2000) == 317
