"""lem:radius-inversion. A confidence radius of a/2 or more allows only so many selections.

For any a > 0 and m >= 1,

    a <= 2 beta(m)  implies  m <= (4/a^2) ln(57 N / (delta a^4)).

M(x) of thm:sample-complexity is the right side at a = x, rounded up. The proof rounds 128 pi^2 / (3 e^2) = 56.99 up to
57.
"""

from __future__ import annotations

import math

import mpmath
from hypothesis import given, strategies as st

from bounds.formulas.radius import EXACT_COUNT, RADIUS, SELECTION_BOUND

GAPS = st.sampled_from([1.0, 0.5, 0.1, 1e-3, 1e-9]) | st.floats(1e-4, 1)
CONFIDENCES = st.sampled_from([0.05, 0.999, 1e-12]) | st.floats(1e-6, 0.999)
PROVIDERS = st.integers(2, 1000)


def most(a: float, n: int, delta: float) -> mpmath.mpf:
    """Return the right side, in the precision at hand."""
    return 4 / mpmath.mpf(a) ** 2 * mpmath.log(57 * n / (delta * mpmath.mpf(a) ** 4))  # wrong: 57 -> 56


def beta(m: mpmath.mpf, n: int, delta: float) -> mpmath.mpf:
    """Return the confidence radius of eq:qualified-set."""
    return mpmath.sqrt(mpmath.log(2 * mpmath.pi**2 * n * m**2 / (3 * mpmath.mpf(delta))) / (2 * m))


@given(a=GAPS, n=PROVIDERS, delta=CONFIDENCES)
def test_holds_where_the_radius_equals_half_the_gap(a: float, n: int, delta: float) -> None:
    """beta decreases, so the largest m with a <= 2 beta(m) decides; Lambert's W gives it."""
    with mpmath.workdps(50):
        constant = 2 * mpmath.pi**2 * n / (3 * mpmath.mpf(delta))
        root = mpmath.lambertw(-(mpmath.mpf(a) ** 2) / (4 * mpmath.sqrt(constant)), -1).real * -4 / mpmath.mpf(a) ** 2
        assert abs(2 * beta(root, n, delta) / a - 1) < 1e-40
        assert root <= most(a, n, delta)


@given(a=GAPS, n=PROVIDERS, delta=CONFIDENCES)
def test_bounds_prints_it(a: float, n: int, delta: float) -> None:
    values = {"gap": a, "n_providers": n, "confidence": delta}
    with mpmath.workdps(50):
        assert SELECTION_BOUND.value(values) == math.ceil(most(a, n, delta))
    count = EXACT_COUNT.value(values)
    assert math.isclose(2 * RADIUS.value(values, count=count), a, rel_tol=1e-9)


def test_is_tight() -> None:
    """At m = 8/a^2, where the proof linearises ln m, the constant 128 pi^2 / (3 e^2) = 56.99 is attained."""
    n, delta = 2, 0.999
    a = (64 / math.exp(4) * 2 * math.pi**2 * n / (3 * delta)) ** 0.25
    m = 8 / a**2
    assert math.isclose(2 * float(beta(mpmath.mpf(m), n, delta)), a)
    assert 0.9998 < m / most(a, n, delta) <= 1
