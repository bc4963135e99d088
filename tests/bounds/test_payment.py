"""Of payments what no lemma says: a lower bound of appendix D, where bounds have values, and the shape of the rate."""

import math
from typing import Any

import pytest
import sympy
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from bounds.formulas import rate as rate_module
from bounds.formulas.payment import (
    AUCTION_PAYMENT_LOWER_SERVED,
    AVERAGE_PAYMENT_DEVIATION,
    LATE_PAYMENT_LOWER,
    LATE_PAYMENT_UPPER,
)
from bounds.formulas.rate import growth_exponent, optimal_rate
from bounds.formulas.selection import BURN_IN
from bounds.language.quantities import ALPHA, HORIZON, N
from bounds.symbolic.growth import Growth
from tests.bounds.by_hand import MARKETS, beta

UNHURRIED = settings(deadline=None)


@UNHURRIED
@given(MARKETS, st.floats(0, 1), st.sampled_from([1, 2, 17, 10**6]))
def test_auctions_pay_no_less_than_the_winners_cost_and_its_radius(v: dict[str, Any], share: float, m: int) -> None:
    """The lower bound of appendix D; the others are among the lemmas."""
    cost = share * v["cost_bound"]
    radius = (1 + v["belief_slack"]) * v["cost_bound"] * beta(m, v["n_providers"], v["confidence"])
    found = AUCTION_PAYMENT_LOWER_SERVED.value({**v, "served_cost": cost, "count": m})
    assert found == pytest.approx(max(0, cost - radius - v["underbid"]), rel=1e-11, abs=1e-12 * radius)


@UNHURRIED
@given(MARKETS)
def test_there_is_no_value_where_a_logarithm_is_negative(v: dict[str, Any]) -> None:
    """While g(t) is too small for a radius, and for T < T_0."""
    g = v["exploration_scale"] * (v["step"] / v["n_providers"]) ** v["exploration_exponent"]
    if math.isnan(beta(g, v["n_providers"], v["confidence"])):
        for formula in (LATE_PAYMENT_UPPER, LATE_PAYMENT_LOWER):
            with pytest.raises(InputError, match="has no value at these inputs"):
                formula(v)
        early = {**v, "horizon": v["step"]}
        with pytest.raises(InputError, match="valid: on the good event; T >= T_0"):
            AVERAGE_PAYMENT_DEVIATION(early)
        assert early["horizon"] < BURN_IN.value(v)
    if (burn_in := BURN_IN.value(v)) < 1e15:
        assert AVERAGE_PAYMENT_DEVIATION.value(v, horizon=math.ceil(burn_in)) > 0


@pytest.mark.for_each(
    ("term", "exponent"),
    [
        (1 / HORIZON, 1),
        (7 * (N / HORIZON) ** (1 - ALPHA), 1 - ALPHA),
        (sympy.sqrt(HORIZON), sympy.Rational(-1, 2)),
        (sympy.log(HORIZON**2 + 1) / HORIZON**2, 2),
        (sympy.Integer(5), 0),
    ],
)
def test_growth_exponents(term: sympy.Expr, exponent: sympy.Expr) -> None:
    assert growth_exponent(term) == exponent
    [[(power, _)]] = Growth((HORIZON.symbol,), {HORIZON.symbol: (1,)}).of(sympy.sympify(term))
    assert sympy.expand(power + exponent) == 0


@pytest.mark.parametrize(
    ("name", "term", "complaint"),
    [
        ("DEVIATION_START", sympy.Integer(1), "not dominated"),
        ("DEVIATION_EXPLORATION", HORIZON ** (-ALPHA), "not dominated|not monotone"),
        ("DEVIATION_RADIUS", HORIZON ** (ALPHA - 1), "not monotone"),
    ],
)
def test_a_bound_of_another_shape_is_not_called_optimal(
    name: str, term: sympy.Expr, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_module, name, term)
    with pytest.raises(ArithmeticError, match=complaint):
        optimal_rate.__wrapped__()
