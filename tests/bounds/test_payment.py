"""Payment bands, excess payment and average deviation, against the theorems typed in plain floats."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
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
from bounds.formulas.selection import BURN_IN

UNHURRIED = settings(deadline=None)


def close(value: float, scale: float) -> Any:
    return pytest.approx(value, rel=1e-11, abs=1e-12 * scale)


@st.composite
def markets(draw: st.DrawFn) -> dict[str, Any]:
    """Draw values for every payment formula, with the edges of every range."""
    bound, n = draw(st.sampled_from([1.0, 102.4, 300.032])), draw(st.sampled_from([2, 3, 4, 9, 12]))
    gaps = st.one_of(st.floats(0.01, 1), st.sampled_from([1.0, 1e-6]))
    return {
        "n_providers": n,
        "confidence": draw(st.one_of(st.floats(1e-6, 0.999), st.sampled_from([1e-12, 0.05, 1 - 2**-53]))),
        "quality_threshold": 1.0,
        "cost_bound": bound,
        "exploration_scale": draw(st.one_of(st.floats(0.03, 10), st.sampled_from([1.0, 2.0, 1e-6]))),
        "exploration_exponent": draw(st.one_of(st.floats(0.05, 0.95), st.sampled_from([0.75, 0.999]))),
        "belief_slack": draw(st.sampled_from([0.0, 0.28, 5.0])),
        "underbid": draw(st.sampled_from([0.0, 0.01, 0.125, 2.0])) * bound,
        "overbid": draw(st.sampled_from([0.0, 0.01, 0.125, 2.0])) * bound,
        "second_lowest_cost": draw(st.sampled_from([0.0, 0.2, 0.9, 1.0])) * bound,
        "served_cost": draw(st.floats(0, 1)) * bound,
        "unqualified_quality": [1.0 - g for g in draw(st.lists(gaps, max_size=3))],
        "horizon": n * draw(st.sampled_from([1, 2, 16, 81, 7777, 10**6])) + draw(st.integers(0, 3)),
        "step": n * draw(st.sampled_from([1, 2, 16, 81, 7777, 10**6])),
        "count": draw(st.sampled_from([1, 2, 17, 10**6])),
    }


def beta(x: float, v: dict[str, Any]) -> float:
    """Return beta(x) of lem:radius-monotone; NaN where its logarithm is negative."""
    inside = math.log(2 * math.pi**2 * v["n_providers"] * x**2 / (3 * v["confidence"])) / (2 * x)
    return math.sqrt(inside) if inside >= 0 else math.nan


def target(t: float, v: dict[str, Any]) -> float:
    return v["exploration_scale"] * (t / v["n_providers"]) ** v["exploration_exponent"]


def radius_sum(v: dict[str, Any]) -> float:
    n, horizon = v["n_providers"], v["horizon"]
    return math.sqrt(2 * n * (horizon - n) * math.log(2 * math.pi**2 * n * horizon**2 / (3 * v["confidence"])))


def explored(v: dict[str, Any]) -> int:
    with mpmath.workdps(50):  # what lies so near a whole number is that number, and nothing further off is
        ratio = mpmath.mpf(int(v["horizon"])) / v["n_providers"]
        g = mpmath.mpf(v["exploration_scale"]) * ratio ** mpmath.mpf(v["exploration_exponent"])
        near = mpmath.nint(g)
        return int(near if abs(g - near) < mpmath.mpf(10) ** -30 else mpmath.ceil(g)) - 1


@UNHURRIED
@given(markets())
def test_auctions_pay_within_the_band_of_the_lemmas(v: dict[str, Any]) -> None:
    """lem:ordinary-payment with eq:deviation-payment-upper, and the lower bound of appendix D."""
    width = (1 + v["belief_slack"]) * v["cost_bound"] * beta(v["count"], v)
    upper = min(v["cost_bound"], v["second_lowest_cost"] + width + v["overbid"])
    lower = max(0, v["served_cost"] - width - v["underbid"])
    assert AUCTION_PAYMENT_UPPER.value(v) == close(upper, width)
    assert AUCTION_PAYMENT_LOWER_SERVED.value(v) == close(lower, width)


@UNHURRIED
@given(markets())
def test_late_auctions_pay_within_the_band_of_the_theorem(v: dict[str, Any]) -> None:
    """eq:two-sided-payment with eq:deviation-payment-lower; no value while g(t) is too small for a radius."""
    width = (1 + v["belief_slack"]) * v["cost_bound"] * beta(target(v["step"], v), v)
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
    rest = n * margin + (1 + v["belief_slack"]) * bound * radius_sum(v) + v["overbid"] * (v["horizon"] - n)
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
    largest = max([1, *(math.ceil(4 / x**2 * math.log(57 * n / (delta * x**4))) for x in gaps)])
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


def market(**changes: Any) -> dict[str, Any]:
    return {
        "n_providers": 4,
        "confidence": 0.05,
        "quality_threshold": 0.5,
        "cost_bound": 10.0,
        "exploration_scale": 2.0,
        "exploration_exponent": 0.75,
        "belief_slack": 0.0,
        "underbid": 0.0,
        "overbid": 0.0,
        "second_lowest_cost": 3.0,
        "unqualified_quality": [0.25],
        "served_cost": 3.0,
        "horizon": 64,
        "step": 64,
        "count": 9,
        **changes,
    }


def test_by_hand() -> None:
    """g(64) = 2 * 16^(3/4) = 16, so 4 * 15 exploration steps, each 7 above the second cost."""
    v = market()
    assert EXCESS_PAYMENT.value(v) - EXCESS_PAYMENT_WITHOUT_EXPLORATION.value(v) == pytest.approx(420)
    assert EXCESS_PAYMENT_WITHOUT_EXPLORATION.value(v, horizon=4) == 28
    assert EXCESS_PAYMENT.value(v, horizon=4) == 28 + 28
    assert LATE_PAYMENT_UPPER.value(v) - 3 == pytest.approx((3 - LATE_PAYMENT_LOWER.value(v)) / 3)
    assert LATE_PAYMENT_UPPER.value(v) - 3 == pytest.approx(10 * beta(16, v))
    assert TRIVIAL_PAYMENT_DEVIATION.value(v) == 7
    assert TRIVIAL_PAYMENT_DEVIATION.value(v, second_lowest_cost=8) == 8


def test_payments_of_the_auction_are_clipped_to_the_range() -> None:
    assert AUCTION_PAYMENT_UPPER.value(market(count=1)) == 10
    assert AUCTION_PAYMENT_LOWER_SERVED.value(market(count=1)) == 0
    assert AUCTION_PAYMENT_UPPER.value(market(count=10**9)) == pytest.approx(3, abs=0.01)
    assert AUCTION_PAYMENT_LOWER_SERVED.value(market(count=10**9)) == pytest.approx(3, abs=0.01)


def test_no_unqualified_provider_leaves_the_shortest_burn_in() -> None:
    v = market(unqualified_quality=[])
    assert BURN_IN.value(v) == 4
    assert BURN_IN.value(v, exploration_scale=0.5) == pytest.approx(4 * 2 ** (4 / 3))
    assert AVERAGE_PAYMENT_DEVIATION.value(v) == pytest.approx(average_deviation(v))


def test_each_deviation_acts_on_its_own_side() -> None:
    base, under, over = market(), market(underbid=1.0), market(overbid=1.0)
    assert LATE_PAYMENT_LOWER.value(base) - LATE_PAYMENT_LOWER.value(under) == pytest.approx(1)
    assert LATE_PAYMENT_LOWER.value(base) == LATE_PAYMENT_LOWER.value(over)
    assert LATE_PAYMENT_UPPER.value(over) - LATE_PAYMENT_UPPER.value(base) == pytest.approx(1)
    assert LATE_PAYMENT_UPPER.value(base) == LATE_PAYMENT_UPPER.value(under)
    assert EXCESS_PAYMENT.value(base) == EXCESS_PAYMENT.value(under)
    assert EXCESS_PAYMENT.value(over) - EXCESS_PAYMENT.value(base) == pytest.approx(60)
    for deviating in (under, over):
        gain = AVERAGE_PAYMENT_DEVIATION.value(deviating) - AVERAGE_PAYMENT_DEVIATION.value(base)
        assert gain == pytest.approx(1)


def test_averages_vanish() -> None:
    horizons = np.array([1e6, 1e9, 1e12, 1e15])
    for formula in (AVERAGE_EXCESS_PAYMENT, AVERAGE_PAYMENT_DEVIATION):
        values = formula(market(), horizon=horizons)
        assert (np.diff(values) < 0).all()
        assert values[-1] < 0.05
