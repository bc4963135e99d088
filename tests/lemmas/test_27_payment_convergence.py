"""thm:payment-convergence. Payments converge to c_(2), one by one at auctions and all of them on average.

With truthful bids, with probability at least 1 - delta (on the good event), lem:two-sided-payment holds for every
t > T_0 that explores nobody, and for every T > T_0

    (1/T) sum_t |pi_t - c_(2)| <= (T_0/T) c_max + k (N/T)^(1-alpha) (c_max - c_(2))
        + 6 c_max/(2 - alpha) ((1/(2k)) (N/T)^alpha ln(2 pi^2 N k^2/(3 delta) (T/N)^(2 alpha)))^(1/2).

thm:regret (Theorem 4) is this second part. Since two radii are enough at auctions, so is 4 in the place of 6.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from bounds.formulas.payment import AVERAGE_PAYMENT_DEVIATION
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import (
    Slacks,
    _played as played,
    boundary_setting,
    cheapest_auctions,
    exploration_alone,
)
from tests.lemmas.quantities import SETTLING, burn_in, cost_width, estimate_runs, second_lowest_cost
from tests.lemmas.steps import Run

OF_THE_PAPER = 6.0
ENOUGH = 4.0  # wrong: 4.0 -> 3.6


def start_and_radii(market: Setting, horizon: int, factor: float) -> float:
    """Return the first and the last term of the right side."""
    p, share = market.platform, market.n_providers / horizon
    k, alpha = p.exploration_scale, p.exploration_exponent
    start = burn_in(market) / horizon * p.cost_bound  # wrong: burn_in(market) -> market.n_providers
    log = math.log(2 * math.pi**2 * market.n_providers * k**2 / (3 * p.confidence) * share ** (-2 * alpha))
    return start + factor * cost_width(market) / (2 - alpha) * math.sqrt(share**alpha / (2 * k) * log)


def most(market: Setting, horizon: int, factor: float) -> float:
    """Return the right side."""
    p, share = market.platform, market.n_providers / horizon
    explored = p.exploration_scale * share ** (1 - p.exploration_exponent)  # wrong: = -> = 0.9 *
    return start_and_radii(market, horizon, factor) + explored * (p.cost_bound - second_lowest_cost(market))


def average(case: Run) -> float:
    """Return the left side."""
    return float(np.abs(case.trace.payment - second_lowest_cost(case.setting)).mean())


@given(estimate_runs(SETTLING))
def test_holds_after_the_burn_in(case: Run) -> None:
    if len(case.trace) > burn_in(case.setting):
        assert average(case) <= most(case.setting, len(case.trace), ENOUGH)


def test_holds_where_an_unqualified_provider_lingers() -> None:
    """It keeps payments low for long, though c_(2) = c_max; T is the first horizon after T_0 = 20,506.4."""
    market = boundary_setting("lingers", [0, 1, 1e-3], [1, 1, 0.8], threshold=1, exponent=0.8)
    case = played(market, ["down", "down", "up"], 20_507, scores=["down", "down", "up"])
    assert burn_in(market) < len(case.trace)
    assert 0.58 < average(case) <= most(market, len(case.trace), ENOUGH)


@given(SETTLING)
def test_bounds_prints_it(market: Setting) -> None:
    late = math.ceil(2 * burn_in(market)) if burn_in(market) < 1e12 else 0
    if late:
        found = AVERAGE_PAYMENT_DEVIATION.value(formula_inputs(market), horizon=late)
        assert found == pytest.approx(most(market, late, OF_THE_PAPER))


def test_is_tight() -> None:
    """In the second term if all queries explore; in the third if payments lie two radii below c_(2)."""
    explored = exploration_alone(Slacks())
    assert 0.9 < average(explored) / most(explored.setting, len(explored.trace), ENOUGH) <= 1
    cheap = cheapest_auctions(Slacks(), scale=14, horizon=6000)
    assert 0.9 < average(cheap) / most(cheap.setting, len(cheap.trace), ENOUGH) <= 1
