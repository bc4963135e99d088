"""cor:excess-payment-polynomial. The average excess payment falls as T^(alpha - 1) and (ln T / T)^(1/2).

On the good event, with truthful bids and g(t) = k (t/N)^alpha, k > 0, alpha in (0, 1), for every T >= N

    (1/T) sum_{t <= T} (pi_t - c_(2))^+ <= (N/T + k (N/T)^(1 - alpha)) (c_max - c_(2))
                                           + c_max sqrt((2 N / T) ln(2 pi^2 N T^2 / (3 delta))).
"""

import math

import numpy as np
from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, boundary_setting, explored_for_ever, shared_auctions
from tests.lemmas.quantities import ESTIMATE_RUNS, cost_width, second_lowest_cost
from tests.lemmas.steps import Run


def most(market: Setting, horizon: int) -> float:
    """Return the right side."""
    platform, share = market.platform, market.n_providers / horizon
    explored = platform.exploration_scale * share ** (1 - platform.exploration_exponent)  # wrong: = -> = 0.97 *
    logarithm = math.log(2 * math.pi**2 * market.n_providers * horizon**2 / (3 * platform.confidence))
    radii = cost_width(market) * math.sqrt(2 * share * logarithm)  # wrong: 2 * share -> 1.36 * share
    return (share + explored) * (platform.cost_bound - second_lowest_cost(market)) + radii


def shares(case: Run) -> list[float]:
    """Return the average excess as a share of its bound, for every T >= N."""
    n, length = case.setting.n_providers, len(case.trace)
    excess = np.cumsum(np.maximum(case.trace.payment - second_lowest_cost(case.setting), 0))[n - 1 :]
    return [found / t / most(case.setting, t) for t, found in zip(range(n, length + 1), excess.tolist(), strict=True)]


@given(ESTIMATE_RUNS)
def test_holds_at_every_horizon(case: Run) -> None:
    assert max(shares(case)) <= 1


def test_is_tight_for_exploration() -> None:
    """Everybody is explored for ever, as g(T) = T/N allows: all payments are c_max = 1, and c_(2) is 1/10000."""
    market = boundary_setting("exploration", [0.0, 1e-4], confidence=0.99, exponent=1 - 1e-9)
    case = explored_for_ever(market, np.arange(200_000) % 2)
    assert (case.trace.payment == 1).all()
    assert 0.97 < (1 - 1e-4) / most(market, len(case.trace)) <= 1


def test_is_nearly_tight_for_auctions() -> None:
    """Both cost 1/1000, bids lie a radius above: the winner is paid a radius more, and they share the auctions."""
    assert 0.81 < max(shares(shared_auctions(Slacks()))) <= 1
