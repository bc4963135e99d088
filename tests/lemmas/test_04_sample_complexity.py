"""thm:sample-complexity. All but at most N - 1 + B_id(T) queries are served by i*.

With probability at least 1 - delta, on the good event, for truthful bids and every T >= N: at most N - 1 + B_id(T)
steps t <= T have I_t != i*, where

    B_id(T) = sum over i not in Q of M(eps_i) + sum over i != i* of Q of max{M(Delta_i / c_max), k (T/N)^alpha},
    M(x)    = ceil((4 / x^2) ln(57 N / (delta x^4))).

ceil(k (T/N)^alpha) - 1 in place of k (T/N)^alpha holds as well (appendix D), and that is what `bounds` prints.
"""

import math

import numpy as np
from hypothesis import given

from bounds.setting.model import Setting
from costproof.testing import Played
from proofs_checks.claims.cases.boundary import Slacks, boundary_setting, dear_winner, explored_for_ever
from tests.lemmas.quantities import ESTIMATE_RUNS, cost_gaps, cost_width, quality_gaps, target
from tests.lemmas.steps import standing_still, steps


def most(market: Setting, explorations: float) -> float:
    """Return N - 1 + B_id(T), where each competitor is explored at most so many times."""
    n, delta = market.n_providers, market.platform.confidence

    def count(x: float) -> int:
        return math.ceil(4 / x**2 * math.log(57 * n / (delta * x**4)))  # wrong: 4 / -> 3.2 /

    unqualified = sum(count(gap) for gap in quality_gaps(market).values())
    return (
        n
        - 1
        + unqualified
        + sum(max(count(gap / cost_width(market)), explorations) for gap in cost_gaps(market).values())
    )


def most_at(market: Setting, horizon: int) -> float:
    """Return the right side."""
    return most(market, target(market, horizon))  # wrong: target -> 0.999 * target


@given(ESTIMATE_RUNS)
def test_holds_at_every_horizon(played: Played) -> None:
    others = 0
    for step in steps(played):
        others += step.served != played.setting.optimal
        assert step.t < played.setting.n_providers or others <= most_at(played.setting, step.t)


def test_holds_for_truthful_bids_alone() -> None:
    """If i* bids c_max, its competitor wins for ever."""
    case = standing_still(0.0, 0.9)  # wrong: (0.0 -> (1.0
    assert sum(step.served == 1 for step in steps(case)) <= most_at(case.setting, 100)


def test_is_tight_where_exploration_dominates() -> None:
    """Half of all queries explore the competitor: 1501 of the 1502 allowed, and all that appendix D allows."""
    market = boundary_setting("explored", [0.0, 1.0], exponent=1 - 1e-12)
    case = explored_for_ever(market, np.arange(1500) % 2)
    assert all(step.kind == "exploration" for step in steps(case)[2:])
    others = sum(step.served != market.optimal for step in steps(case))
    assert 0.999 < others / most_at(market, len(case.trace)) <= 1
    assert others == most(market, math.ceil(target(market, len(case.trace))) - 1)


def test_is_nearly_tight_where_auctions_dominate() -> None:
    """M(Delta_i / c_max) is not attained, as lem:radius-inversion is loose for gaps of at most 1: 18 of 21."""
    case = dear_winner(Slacks(), gap=0.99)
    assert 0.85 < sum(step.served == 1 for step in steps(case)) / most(case.setting, 0) <= 1
