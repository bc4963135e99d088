"""The rate of the average deviation: derived exponents against numerical slopes at huge horizons."""

import math

import mpmath
import pytest
import sympy
from hypothesis import given, settings, strategies as st

from bounds.formulas import rate as rate_module
from bounds.formulas.payment import AVERAGE_PAYMENT_DEVIATION
from bounds.formulas.rate import growth_exponent, optimal_rate
from bounds.language.quantities import ALPHA, HORIZON, N

ALPHAS = [0.1, 0.3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.9, 0.95]


def deviation(log_horizon: float, alpha: float) -> mpmath.mpf:
    """eq:average-absolute-payment in mpmath, N = 4, k = 2, delta = .05, c_max = 10, c_(2) = 3, M-bar = 1000."""
    horizon, n, k = mpmath.exp(log_horizon), 4, 2
    start = n * mpmath.mpf(500) ** (1 / alpha) / horizon * 10
    exploration = k * (n / horizon) ** (1 - alpha) * 7
    log = mpmath.log(2 * mpmath.pi**2 * n * k**2 / (3 * mpmath.mpf(0.05)) * (horizon / n) ** (2 * alpha))
    radius = 60 / (2 - alpha) * mpmath.sqrt((n / horizon) ** alpha / (2 * k) * log)
    return start + exploration + radius


@pytest.mark.for_each("alpha", ALPHAS)
def test_the_log_log_slope_approaches_the_exponent(alpha: float) -> None:
    """The square root of the logarithm bends the slope by 1 / (2 ln T), so ln T = 10^6 leaves 5e-7."""
    with mpmath.workdps(30):
        low, high = mpmath.log(deviation(1e6, alpha)), mpmath.log(deviation(1.01e6, alpha))
        slope = float(-(high - low) / 1e4)
    assert slope == pytest.approx(min(1 - alpha, alpha / 2), abs=2e-6)
    assert float(optimal_rate().exponent.subs(ALPHA, alpha)) == pytest.approx(slope, abs=2e-6)


@pytest.mark.for_each("alpha", ALPHAS)
def test_the_formula_itself_falls_at_the_rate(alpha: float) -> None:
    values = {
        "n_providers": 4,
        "confidence": 0.05,
        "quality_threshold": 0.5,
        "cost_bound": 10.0,
        "exploration_scale": 2.0,
        "exploration_exponent": alpha,
        "belief_slack": 0.0,
        "underbid": 0.0,
        "overbid": 0.0,
        "second_lowest_cost": 3.0,
        "unqualified_quality": [],
    }
    first, last = (
        AVERAGE_PAYMENT_DEVIATION.value(values, horizon=1e120),
        AVERAGE_PAYMENT_DEVIATION.value(values, horizon=1e150),
    )
    slope = -math.log(last / first) / math.log(1e30)
    assert slope == pytest.approx(min(1 - alpha, alpha / 2), abs=3e-3)


def test_the_derived_rate_is_the_corollary() -> None:
    rate = optimal_rate()
    assert rate.exponent == sympy.Min(1 - ALPHA, ALPHA / 2)
    assert rate.term_exponents == {"start": 1, "exploration": 1 - ALPHA, "radius": ALPHA / 2}
    assert (rate.best_alpha, rate.best_exponent) == (sympy.Rational(2, 3), sympy.Rational(1, 3))
    assert rate.limits == (0, 0)


@settings(deadline=None)
@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_no_other_exponent_is_better(alpha: float) -> None:
    assert float(optimal_rate().exponent.subs(ALPHA, alpha)) <= 1 / 3
    assert min(1 - alpha, alpha / 2) <= 1 / 3


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
