"""cor:vanishing-nonoptimal-selections. The share of queries that i* does not serve vanishes.

With truthful bids, with probability at least 1 - delta,

    (1/T) sum_{t <= T} 1{I_t != i*} -> 0   as T -> infinity.

Its proof bounds the share on the good event, for every T >= N, by

    (N - 1 + sum_{i not in Q} M_i + sum_{i in Q, i != i*} max{L_i, k (T/N)^alpha}) / T,

which vanishes since alpha < 1. For alpha = 1 at least k/N of this bound remains.
"""

from hypothesis import given

from bounds.setting.model import Setting
from tests.lemmas.quantities import ESTIMATE_RUNS, TRUTHFUL, cost_gaps, cost_width, count_bound, quality_gaps
from tests.lemmas.steps import Run, standing_still, steps


def most(market: Setting, horizon: float) -> float:
    """Return the right side of the proof."""
    platform, n = market.platform, market.n_providers
    alpha = platform.exploration_exponent  # wrong: platform.exploration_exponent -> 1
    explored = platform.exploration_scale * (horizon / n) ** alpha
    unqualified = sum(count_bound(gap, market) for gap in quality_gaps(market).values())
    last_wins = [count_bound(gap / cost_width(market), market) for gap in cost_gaps(market).values()]
    return (n - 1 + unqualified + sum(max(wins, explored) for wins in last_wins)) / horizon  # wrong: n - 1 -> n - 2


def shares(case: Run) -> list[float]:
    """Return the share of queries not served by i* as a share of its bound, for every T >= N."""
    others, found = 0, []
    for step in steps(case):
        others += step.served != case.setting.optimal
        if step.t >= case.setting.n_providers:
            found.append(others / step.t / most(case.setting, step.t))
    return found


@given(ESTIMATE_RUNS)
def test_holds_at_every_horizon(case: Run) -> None:
    assert max(shares(case)) <= 1


@given(TRUTHFUL)
def test_holds_in_the_limit(market: Setting) -> None:
    at = [most(market, 10.0**exponent) for exponent in (50, 150, 300)]
    assert at[2] < at[1] / 1000 < at[0] / 10**6
    assert at[2] < 1e-12


def test_is_tight() -> None:
    """i* wins every auction, and one of two providers is explored 130 times where g(T) = 130.003."""
    assert 0.99 < max(shares(standing_still(0.0, 0.9, horizon=382, scale=100.0, exponent=0.05))) <= 1
