"""Payments against the theorems typed in plain floats, and the rate of the average deviation."""

import math
from typing import Any

import pytest
import sympy
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from bounds.formulas import rate as rate_module
from bounds.formulas.payment import (
    AUCTION_PAYMENT_LOWER_SERVED,
    AUCTION_PAYMENT_UPPER,
    AVERAGE_EXCESS_PAYMENT,
    AVERAGE_PAYMENT_DEVIATION,
    EXCESS_PAYMENT,
    EXCESS_PAYMENT_WITHOUT_EXPLORATION,
    LATE_PAYMENT_LOWER,
    LATE_PAYMENT_UPPER,
    TRIVIAL_EXCESS_PAYMENT,
    TRIVIAL_PAYMENT_DEVIATION,
)
from bounds.formulas.rate import growth_exponent, optimal_rate
from bounds.formulas.selection import BURN_IN
from bounds.language.quantities import ALPHA, HORIZON, N
from tests.bounds.by_hand import ANY_SCALE, beta, count_bound, explored, market, markets as usual_markets, radius_sum

UNHURRIED = settings(deadline=None)


def close(value: float, scale: float) -> Any:
    return pytest.approx(value, rel=1e-11, abs=1e-12 * scale)


@st.composite
def markets(draw: st.DrawFn) -> dict[str, Any]:
    """Draw values for every payment formula: costs, deviations and counts do not depend on each other."""
    v = draw(usual_markets(scales=ANY_SCALE))
    bound = v["cost_bound"]
    deviations = st.sampled_from([0.0, 0.01, 0.125, 2.0])
    return {
        **v,
        "underbid": draw(deviations) * bound,
        "overbid": draw(deviations) * bound,
        "second_lowest_cost": draw(st.sampled_from([0.0, 0.2, 0.9, 1.0])) * bound,
        "served_cost": draw(st.floats(0, 1)) * bound,
        "count": draw(st.sampled_from([1, 2, 17, 10**6])),
    }


def radius(m: float, v: dict[str, Any]) -> float:
    return (1 + v["belief_slack"]) * v["cost_bound"] * beta(m, v["n_providers"], v["confidence"])


@UNHURRIED
@given(markets())
def test_auctions_pay_within_the_band_of_the_lemmas(v: dict[str, Any]) -> None:
    """lem:ordinary-payment with eq:deviation-payment-upper, and the lower bound of appendix D."""
    width = radius(v["count"], v)
    upper = min(v["cost_bound"], v["second_lowest_cost"] + width + v["overbid"])
    lower = max(0, v["served_cost"] - width - v["underbid"])
    assert AUCTION_PAYMENT_UPPER.value(v) == close(upper, width)
    assert AUCTION_PAYMENT_LOWER_SERVED.value(v) == close(lower, width)


@UNHURRIED
@given(markets())
def test_late_auctions_pay_within_the_band_of_the_theorem(v: dict[str, Any]) -> None:
    """eq:two-sided-payment with eq:deviation-payment-lower; no value while g(t) is too small for a radius."""
    target = v["exploration_scale"] * (v["step"] / v["n_providers"]) ** v["exploration_exponent"]
    width = radius(target, v)
    if math.isnan(width):
        for formula in (LATE_PAYMENT_UPPER, LATE_PAYMENT_LOWER):
            with pytest.raises(InputError, match="has no value at these inputs"):
                formula(v)
        return
    c2 = v["second_lowest_cost"]
    assert LATE_PAYMENT_UPPER.value(v) == close(c2 + width + v["overbid"], width)
    assert LATE_PAYMENT_LOWER.value(v) == close(c2 - 3 * width - v["underbid"], width)


@UNHURRIED
@given(markets())
def test_excess_payment_is_the_theorem(v: dict[str, Any]) -> None:
    """eq:excess-payment-general; the deviations add d_+ (T - N)."""
    n, bound, margin = v["n_providers"], v["cost_bound"], v["cost_bound"] - v["second_lowest_cost"]
    rest = (
        n * margin
        + (1 + v["belief_slack"]) * bound * radius_sum(n, v["confidence"], v["horizon"])
        + v["overbid"] * (v["horizon"] - n)
    )
    assert EXCESS_PAYMENT_WITHOUT_EXPLORATION.value(v) == close(rest, bound)
    assert EXCESS_PAYMENT.value(v) == close(n * explored(v) * margin + rest, bound)
    assert TRIVIAL_EXCESS_PAYMENT.value(v) == close(v["horizon"] * margin, bound)


@UNHURRIED
@given(markets())
def test_average_excess_payment_is_the_corollary_and_no_smaller(v: dict[str, Any]) -> None:
    """eq:average-excess-payment, a relaxation of the theorem over T."""
    n, bound, horizon, alpha = v["n_providers"], v["cost_bound"], v["horizon"], v["exploration_exponent"]
    first = (n / horizon + v["exploration_scale"] * (n / horizon) ** (1 - alpha)) * (bound - v["second_lowest_cost"])
    log = math.log(2 * math.pi**2 * n * horizon**2 / (3 * v["confidence"]))
    second = (1 + v["belief_slack"]) * bound * math.sqrt(2 * n / horizon * log)
    found = AVERAGE_EXCESS_PAYMENT.value(v)
    assert found == close(first + second + v["overbid"], bound)
    assert EXCESS_PAYMENT.value(v) / horizon <= found * (1 + 1e-12)


def average_deviation(v: dict[str, Any]) -> float:
    """eq:average-absolute-payment with appendices B and C; NaN where its logarithm is negative."""
    n, bound, horizon, alpha = v["n_providers"], v["cost_bound"], v["horizon"], v["exploration_exponent"]
    k, delta = v["exploration_scale"], v["confidence"]
    gaps = [1.0 - q for q in v["unqualified_quality"]]
    largest = max([1, *(count_bound(x, n, delta) for x in gaps)])
    try:
        burn_in = n * max(1, (largest / k) ** (1 / alpha))
    except OverflowError:
        burn_in = math.inf
    log = math.log(2 * math.pi**2 * n * k**2 / (3 * delta) * (horizon / n) ** (2 * alpha))
    if log < 0:
        return math.nan
    exploration = k * (n / horizon) ** (1 - alpha) * (bound - v["second_lowest_cost"])
    radius = 6 * (1 + v["belief_slack"]) * bound / (2 - alpha) * math.sqrt((n / horizon) ** alpha / (2 * k) * log)
    return burn_in / horizon * bound + exploration + radius + max(v["underbid"], v["overbid"])


@UNHURRIED
@given(markets())
def test_average_deviation_is_the_theorem(v: dict[str, Any]) -> None:
    expected = average_deviation(v)
    if math.isnan(expected):
        with pytest.raises(InputError, match="valid: on the good event; T >= T_0"):
            AVERAGE_PAYMENT_DEVIATION(v)
        assert v["horizon"] < BURN_IN.value(v)
        return
    assert AVERAGE_PAYMENT_DEVIATION.value(v) == close(expected, v["cost_bound"])


@UNHURRIED
@given(markets())
def test_average_deviation_exists_from_the_burn_in_on(v: dict[str, Any]) -> None:
    burn_in = BURN_IN.value(v)
    if burn_in < 1e15:
        assert AVERAGE_PAYMENT_DEVIATION.value(v, horizon=math.ceil(burn_in)) > 0


def auctions(**changes: Any) -> dict[str, Any]:
    """Return a market of four providers, c_max = 10 and c_(2) = 3, at T = t = 64 = 4 * 16."""
    usual = {"n_providers": 4, "cost_bound": 10.0, "second_lowest_cost": 3.0, "served_cost": 3.0}
    return market(**{**usual, "horizon": 64, "step": 64, "count": 9, **changes})


def test_by_hand() -> None:
    """g(64) = 2 * 16^(3/4) = 16, so 4 * 15 exploration steps, each 7 above the second cost."""
    v = auctions()
    assert EXCESS_PAYMENT.value(v) - EXCESS_PAYMENT_WITHOUT_EXPLORATION.value(v) == pytest.approx(420)
    assert EXCESS_PAYMENT_WITHOUT_EXPLORATION.value(v, horizon=4) == 28
    assert EXCESS_PAYMENT.value(v, horizon=4) == 28 + 28
    assert LATE_PAYMENT_UPPER.value(v) - 3 == pytest.approx((3 - LATE_PAYMENT_LOWER.value(v)) / 3)
    assert LATE_PAYMENT_UPPER.value(v) - 3 == pytest.approx(10 * beta(16, 4, 0.05))
    assert TRIVIAL_PAYMENT_DEVIATION.value(v) == 7
    assert TRIVIAL_PAYMENT_DEVIATION.value(v, second_lowest_cost=8) == 8
    assert (AUCTION_PAYMENT_UPPER.value(v, count=1), AUCTION_PAYMENT_LOWER_SERVED.value(v, count=1)) == (10, 0)
    for formula in (AUCTION_PAYMENT_UPPER, AUCTION_PAYMENT_LOWER_SERVED):
        assert formula.value(v, count=10**9) == pytest.approx(3, abs=0.01)


def test_no_unqualified_provider_leaves_the_shortest_burn_in() -> None:
    v = auctions(unqualified_quality=[])
    assert BURN_IN.value(v) == 4
    assert BURN_IN.value(v, exploration_scale=0.5) == pytest.approx(4 * 2 ** (4 / 3))
    assert AVERAGE_PAYMENT_DEVIATION.value(v) == pytest.approx(average_deviation(v))


ALPHAS = [0.1, 0.3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.9, 0.95]


@pytest.mark.for_each("alpha", ALPHAS)
def test_the_formula_itself_falls_at_the_rate(alpha: float) -> None:
    values = market(n_providers=4, cost_bound=10.0, second_lowest_cost=3.0, unqualified_quality=[])
    values["exploration_exponent"] = alpha
    first, last = (AVERAGE_PAYMENT_DEVIATION.value(values, horizon=horizon) for horizon in (1e120, 1e150))
    slope = -math.log(last / first) / math.log(1e30)
    assert slope == pytest.approx(min(1 - alpha, alpha / 2), abs=3e-3)
    assert float(optimal_rate().exponent.subs(ALPHA, alpha)) == pytest.approx(slope, abs=3e-3)


def test_the_derived_rate_is_the_corollary() -> None:
    rate = optimal_rate()
    assert rate.exponent == sympy.Min(1 - ALPHA, ALPHA / 2)
    assert rate.term_exponents == {"start": 1, "exploration": 1 - ALPHA, "radius": ALPHA / 2}
    assert (rate.best_alpha, rate.best_exponent) == (sympy.Rational(2, 3), sympy.Rational(1, 3))
    assert rate.limits == (0, 0)


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
