"""lem:two-sided-payment. After T_0 auctions pay c_(2), give or take a few radii at g(t).

On the good event, with truthful bids, at every step t > T_0 that explores nobody,

    c_(2) - 3 c_max beta(g(t)) <= pi_t <= c_(2) + c_max beta(g(t)).

On the left two radii are enough, as the proof of lem:deviation-payment shows: a winner other than i* is paid at least
its bid, which is at most one radius below c_(2).
"""

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions, dearest_auctions
from tests.lemmas.quantities import SETTLING, burn_in, cost_radius, estimate_runs, second_lowest_cost, target
from tests.lemmas.steps import Run, auctions, on_fixed_market

OF_THE_PAPER = 3.0
ENOUGH = 2.0  # wrong: 2.0 -> 1.9


def band(market: Setting, t: int, below: float) -> tuple[float, float]:
    """Return the least and the most that an auction pays at t."""
    second, radius = second_lowest_cost(market), cost_radius(market, target(market, t))
    return second - below * radius, second + radius  # wrong: + radius -> + 0.98 * radius


def uses_of_the_band(case: Run) -> list[float]:
    """Return where payments after T_0 lie, from -1 at the lower end over 0 at c_(2) to 1 at the upper end."""
    second, found = second_lowest_cost(case.setting), []
    for step in auctions(case):
        if step.t > burn_in(case.setting):  # wrong: burn_in(case.setting) -> case.setting.n_providers
            low, high = band(case.setting, step.t, ENOUGH)
            off = step.payment - second
            found.append(off / (high - second) if off > 0 else off / (second - low))
    return found


@given(estimate_runs(SETTLING))
def test_holds_after_the_burn_in(case: Run) -> None:
    assert all(abs(used) <= 1 + 1e-9 for used in uses_of_the_band(case))


def test_holds_not_before() -> None:
    """While an unqualified provider that is as cheap as i* is eligible, auctions pay nothing, though c_(2) = c_max."""
    usual = {"quality_threshold": 1.0, "confidence": 0.9, "exploration_scale": 150, "exploration_exponent": 0.05}
    case = on_fixed_market([(1.0, 0.0), (1.0, 1.0), (0.9, 0.0)], 1000, **usual)
    assert {step.payment < band(case.setting, step.t, OF_THE_PAPER)[0] for step in auctions(case)} == {True}
    assert all(abs(used) <= 1 for used in uses_of_the_band(case))


def test_is_tight() -> None:
    """On the left if the competitor's bids are low and i* has next to no radius; on the right if they are high."""
    assert -1 <= min(uses_of_the_band(cheapest_auctions(Slacks(), scale=14, horizon=6000))) < -0.95
    assert 0.99 < max(uses_of_the_band(dearest_auctions(Slacks()))) <= 1
