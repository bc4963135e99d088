"""lem:radius-inversion. A confidence radius of a/2 or more allows only so many selections.

For any a > 0 and m >= 1,

    a <= 2 beta(m)  implies  m <= (4/a^2) ln(57 N / (delta a^4)).

M(x) of thm:sample-complexity is the right side at a = x, rounded up. The proof rounds 128 pi^2 / (3 e^2) = 56.99 up to
57. It is attained for certain a only, all of them above 1.98; gaps are at most 1, for which 30 suffices.
"""

import math

import mpmath
from hypothesis import given, strategies as st

from bounds.formulas.radius import EXACT_COUNT, RADIUS, SELECTION_BOUND
from tests.bounds.by_hand import CONFIDENCES

GAPS = st.sampled_from([1.0, 0.5, 0.1, 1e-3, 1e-9]) | st.floats(1e-6, 1)
COUNTS = st.sampled_from([1.0, 2.0, 8.0]) | st.floats(1, 1e12)
PROVIDERS = st.integers(2, 1000)
ENOUGH_FOR_GAPS = 30  # wrong: 30 -> 29


def most(a: float | mpmath.mpf, n: int, delta: float, constant: int = 57) -> mpmath.mpf:  # wrong: 57 -> 56.97
    """Return the right side, in the precision at hand."""
    return 4 / mpmath.mpf(a) ** 2 * mpmath.log(constant * n / (delta * mpmath.mpf(a) ** 4))


def beta(m: float, n: int, delta: float) -> mpmath.mpf:
    """Return the confidence radius of eq:qualified-set."""
    return mpmath.sqrt(mpmath.log(2 * mpmath.pi**2 * n * mpmath.mpf(m) ** 2 / (3 * mpmath.mpf(delta))) / (2 * m))


@given(m=COUNTS, n=PROVIDERS, delta=CONFIDENCES)
def test_holds_where_the_radius_equals_half_the_gap(m: float, n: int, delta: float) -> None:
    """The right side decreases in a, so the largest a that m allows decides."""
    with mpmath.workdps(50):
        a = 2 * beta(m, n, delta)
        assert m <= most(a, n, delta)
        assert a > 1 or m <= most(a, n, delta, ENOUGH_FOR_GAPS)


@given(a=GAPS, m=COUNTS, n=PROVIDERS, delta=CONFIDENCES)
def test_bounds_prints_it(a: float, m: float, n: int, delta: float) -> None:
    values = {"gap": a, "n_providers": n, "confidence": delta}
    with mpmath.workdps(50):
        assert SELECTION_BOUND.value(values) == float(mpmath.ceil(most(a, n, delta)))
        assert math.isclose(RADIUS.value(values, count=m), beta(m, n, delta), rel_tol=1e-14)
    count = EXACT_COUNT.value(values)
    assert count >= 1
    assert math.isclose(2 * RADIUS.value(values, count=count), a, rel_tol=1e-12)


def test_is_tight() -> None:
    """At m = 8/a^2, where the proof linearises ln m, 128 pi^2 / (3 e^2) = 56.99 is attained; at a = 1, 29.6."""
    n, delta = 2, 0.999
    a = (64 / math.exp(4) * 2 * math.pi**2 * n / (3 * delta)) ** 0.25
    m = 8 / a**2
    assert math.isclose(2 * beta(m, n, delta), a)
    assert 0.9998 < m / most(a, n, delta) <= 1
    of_1 = EXACT_COUNT.value({"gap": 1.0, "n_providers": n, "confidence": delta})
    assert 0.99 < of_1 / most(1, n, delta, ENOUGH_FOR_GAPS) <= 1
