"""thm:regret. The average payment converges to the second-lowest mean cost of a qualified provider.

With probability at least 1 - delta, on the good event, for truthful bids and every T >= T_0,

    (1/T) sum_{t <= T} |pi_t - c_(2)| <= (T_0/T) c_max + k (N/T)^(1 - alpha) (c_max - c_(2))
        + (6 c_max / (2 - alpha)) sqrt((1/(2k)) (N/T)^alpha ln((2 pi^2 N k^2 / (3 delta)) (T/N)^(2 alpha))),

where T_0 = N max{1, (Mbar/k)^(1/alpha)} and Mbar = max{1, max over i not in Q of M(eps_i)}. So the average payment
tends to c_(2).

It says nothing at the horizons of the experiments, where T_0 exceeds T. 4 in place of 6 holds as well.
"""

import math

import numpy as np
from hypothesis import given, strategies as st

from bounds.setting.model import PlatformParameters, Setting
from costproof.strategies import settings
from proofs_checks.claims.cases.boundary import (
    Slacks,
    _played as played,
    boundary_setting,
    cheapest_auctions,
    exploration_alone,
)
from tests.lemmas.quantities import TRUTHFUL, burn_in, cost_width, estimate_runs, second_lowest_cost
from tests.lemmas.steps import Run

#: Settings with a T_0 of 3 to about 100 although somebody is unqualified.
SOON = settings(assumptions=True, platform=st.just(PlatformParameters(1.0, 0.9, 1.0, 10.0, 0.9)))


def start_and_radii(market: Setting, horizon: int, factor: float) -> float:
    """Return the first and the last term of the right side."""
    n, p, ratio = market.n_providers, market.platform, market.n_providers / horizon
    k, alpha = p.exploration_scale, p.exploration_exponent
    start = burn_in(market) / horizon * p.cost_bound  # wrong: burn_in(market) -> n
    logarithm = math.log(2 * math.pi**2 * n * k**2 / (3 * p.confidence) * ratio ** (-2 * alpha))
    return start + factor * cost_width(market) / (2 - alpha) * math.sqrt(ratio**alpha * logarithm / (2 * k))


def most(market: Setting, horizon: int, factor: float = 6.0) -> float:  # wrong: 6.0 -> 3.4
    """Return the right side."""
    p, ratio = market.platform, market.n_providers / horizon
    explored = p.exploration_scale * ratio ** (1 - p.exploration_exponent)  # wrong: = -> = 0.91 *
    return start_and_radii(market, horizon, factor) + explored * (p.cost_bound - second_lowest_cost(market))


def averages(case: Run) -> np.ndarray:
    """Return the left side, by horizon."""
    deviations = np.abs(case.trace.payment - second_lowest_cost(case.setting))
    return np.asarray(np.cumsum(deviations) / np.arange(1, len(deviations) + 1))


@given(estimate_runs(TRUTHFUL | SOON))
def test_holds_from_t_0_on(case: Run) -> None:
    first = burn_in(case.setting)
    for t, average in enumerate(averages(case).tolist(), start=1):
        assert t < first or average <= most(case.setting, t) * (1 + 1e-12)


def test_holds_where_an_unqualified_provider_lingers() -> None:
    """It keeps payments low for long, though c_(2) = c_max; T is the first horizon after T_0 = 20,506.4."""
    market = boundary_setting("lingers", [0, 1, 1e-3], [1, 1, 0.8], threshold=1, exponent=0.8)
    case = played(market, ["down", "down", "up"], 20_507, scores=["down", "down", "up"])
    assert burn_in(market) < len(case.trace)
    assert 0.58 < averages(case)[-1] <= most(market, len(case.trace))


def test_is_tight_where_all_explore() -> None:
    """alpha is next to 1 and c_(2) next to 0: every payment is c_max. The radius term is what is left over."""
    case = exploration_alone(Slacks())
    start = case.upto(1000)
    assert start.replay.exploration[2:].all()
    assert 0.91 < averages(case)[-1] / most(case.setting, len(case.trace)) <= 1


def test_is_nearly_tight_where_all_auction() -> None:
    """The competitor has no more than g(t) selections and looks cheap: payments lie up to two radii below c_(2)."""
    case = cheapest_auctions(Slacks(), scale=20, horizon=3000)
    assert 0.57 < averages(case)[-1] / most(case.setting, 3000) <= 1
