"""thm:generation-regret. The queries cost little more to serve than if i* had served them all.

On the good event, with truthful bids and g(T) > 0, the generation regret R = sum_{t <= T} (cbar_{I_t} - cbar_{i*})^+
satisfies for every T >= N

    R <= min{(N - 1) ceil(g(T)) c_max + 2 c_max sqrt(2 N (T - N) ln(2 pi^2 N T^2 / (3 delta))),
             sum_{i not in Q} (M_i + 1) (cbar_i - cbar_{i*})^+
             + sum_{i in Q, i != i*} (max{L_i, ceil(g(T)) - 1} + 1) Delta_i}.

The paper allows any non-decreasing g. For g(T) <= 0 the first bound would be 0 or less at T = N. One such root is
enough in place of two: i wins its last auction at a count m >= n, where n is how many it wins, so that these cost at
most 2 n c_max beta(n) = c_max sqrt(2 n ln(2 pi^2 N n^2 / (3 delta))).
"""

from itertools import accumulate

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, _played as played, boundary_setting, start_alone
from tests.lemmas.quantities import (
    ESTIMATE_RUNS,
    cost_gaps,
    cost_width,
    count_bound,
    excesses,
    explored,
    quality_gaps,
    radius_sum,
)
from tests.lemmas.steps import Run, standing_still, steps

ENOUGH = 1.0  # wrong: 1.0 -> 0.66


def anytime(market: Setting, horizon: int, sums: float = ENOUGH) -> float:
    """Return the first bound."""
    n, bound = market.n_providers, market.platform.cost_bound
    start_and_exploration = (n - 1) * (explored(market, horizon) + 1) * bound  # wrong: (n - 1) -> 0.999 * (n - 1)
    return start_and_exploration + sums * cost_width(market) * radius_sum(market, horizon)


def by_gaps(market: Setting, horizon: int) -> float:
    """Return the second bound."""
    exploration = explored(market, horizon)
    most = {i: count_bound(gap, market) for i, gap in quality_gaps(market).items()}
    most |= {i: max(count_bound(gap / cost_width(market), market), exploration) for i, gap in cost_gaps(market).items()}
    each = [(most[i] + 1) * excess for i, excess in enumerate(excesses(market)) if excess]  # wrong: + 1 -> + 0.99
    return sum(each)


def shares(case: Run) -> list[tuple[float, float]]:
    """Return the regret as a share of both bounds, for every T >= N."""
    market = case.setting
    regrets = enumerate(accumulate(excesses(market)[step.served] for step in steps(case)), start=1)
    return [(r / anytime(market, t), r / by_gaps(market, t)) for t, r in regrets if t >= market.n_providers]


@given(ESTIMATE_RUNS)
def test_holds_at_every_horizon(case: Run) -> None:
    assert max(map(max, shares(case))) <= 1 + 1e-12


def test_is_tight_at_the_start() -> None:
    """T = N, g(T) <= 1, and everybody but i* costs c_max: initialization costs (N - 1) c_max more."""
    assert shares(start_alone(Slacks()))[-1][0] == 1


def test_needs_a_sum_of_radii() -> None:
    """i* looks dear and its competitor cheap, which wins 68 of 100 queries."""
    case = played(boundary_setting("wins", [0.0, 0.5], scale=0.03), ["up", "down"], 100)
    assert 0.68 < shares(case)[-1][0] <= 1


def test_is_tight_for_given_gaps() -> None:
    """i* wins every auction, and exploration alone selects the competitor, ceil(g(T)) - 1 times in the end."""
    bids = (0.0, 0.875)  # wrong: 0.0 -> 1.0
    case = standing_still(*bids, cost=0.875, horizon=381, scale=100.0, exponent=0.05)
    assert max(second for _, second in shares(case)) == 1
