"""thm:excess-payment-general. Payments exceed the second-lowest qualified cost by exploration and radii only.

On the good event, with truthful bids and g(T) > 0, for every T >= N

    sum_{t <= T} (pi_t - c_(2))^+ <= [N + N (ceil(g(T)) - 1)] (c_max - c_(2))
                                     + c_max sqrt(2 N (T - N) ln(2 pi^2 N T^2 / (3 delta))).

The paper allows any non-decreasing g. For g(T) = -1/2 the right side would be 0 at T = N, where N (c_max - c_(2)) has
been paid in excess.
"""

import numpy as np
import pytest
from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, boundary_setting, explored_for_ever, shared_auctions
from tests.lemmas.quantities import ESTIMATE_RUNS, cost_width, explored, radius_sum, second_lowest_cost
from tests.lemmas.steps import Run, standing_still


def most(market: Setting, horizon: int) -> float:
    """Return the right side."""
    n, bound = market.n_providers, market.platform.cost_bound
    at_bound = n + n * explored(market, horizon)  # wrong: n + n * -> n + 0.97 * n *
    paid = at_bound * (bound - second_lowest_cost(market))  # wrong: at_bound * -> 0.999 * at_bound *
    return paid + cost_width(market) * radius_sum(market, horizon)  # wrong: + cost -> + 0.82 * cost


def shares(case: Run) -> list[float]:
    """Return the excess as a share of its bound, for every T >= N; with c_(2) = c_max both are 0 at T = N."""
    excess = np.cumsum(np.maximum(case.trace.payment - second_lowest_cost(case.setting), 0))
    horizons = range(case.setting.n_providers, len(case.trace) + 1)
    bounds = [most(case.setting, horizon) for horizon in horizons]
    return [found / bound for found, bound in zip(excess[horizons.start - 1 :], bounds, strict=True) if bound > 0]


@given(ESTIMATE_RUNS)
def test_holds_at_every_horizon(case: Run) -> None:
    assert max(shares(case), default=0) <= 1 + 1e-12


def test_is_tight_for_exploration() -> None:
    """Everybody is explored for ever, as g(T) = T/N allows; initialization alone is T = N."""
    market = boundary_setting("exploration", [0.0, 1e-4], confidence=0.99, exponent=1 - 1e-9)
    case = explored_for_ever(market, np.arange(200_000) % 2)
    excess = (1 - 1e-4) * len(case.trace)
    assert (case.trace.payment == 1).all()
    assert 0.97 < excess / most(market, len(case.trace)) <= 1
    assert most(market, 2) == pytest.approx(2 * (1 - 1e-4))


def test_is_nearly_tight_for_auctions() -> None:
    """Both cost 1/1000, bids lie a radius above: the winner is paid a radius more, and they share the auctions."""
    case = shared_auctions(Slacks())
    assert 0.82 < max(shares(case)) <= 1


def test_bids_must_be_truthful() -> None:
    """If both bid c_max at costs of 0 and 1/1000, every payment is c_max."""
    bids = (0.0, 1e-3)  # wrong: (0.0, 1e-3) -> (1.0, 1.0)
    case = standing_still(*bids, cost=1e-3, horizon=400, scale=0.03, exponent=0.05)
    assert max(shares(case)) <= 1 + 1e-12
