"""lem:radius-monotone. The confidence radius decreases.

For N >= 2 and 0 < delta < 1,

    beta(x) = sqrt(ln(2 pi^2 N x^2 / (3 delta)) / (2 x))

decreases for real x >= 1; hence beta(m) <= beta(x) for m >= x >= 1.

The proof needs C = 2 pi^2 N / (3 delta) > e^2. For N = 1, which the paper excludes, it fails for
delta > 2 pi^2 / (3 e^2) = 0.8904..., and beta increases on [1, e / sqrt(C)].
"""

import mpmath
from hypothesis import given, strategies as st

from tests.bounds.by_hand import CONFIDENCES

LEAST_PROVIDERS = 2  # wrong: = 2 -> = 1
PROVIDERS = st.integers(LEAST_PROVIDERS, 1000)
COUNTS = st.sampled_from([1.0, 1 + 2**-40, 2.0]) | st.floats(1, 1e9)


def constant(n: int, delta: float) -> mpmath.mpf:
    """Return C."""
    return 2 * mpmath.pi**2 * n / (3 * mpmath.mpf(delta))


def beta(x: float | mpmath.mpf, n: int, delta: float) -> mpmath.mpf:
    """Return the confidence radius."""
    return mpmath.sqrt(mpmath.log(constant(n, delta) * mpmath.mpf(x) ** 2) / (2 * x))


@given(x=COUNTS, n=PROVIDERS, delta=CONFIDENCES, longer=st.sampled_from([1e-9, 0.1, 1.0, 1e6]))
def test_holds(x: float, n: int, delta: float, longer: float) -> None:
    with mpmath.workdps(40):
        assert beta(x * (1 + mpmath.mpf(longer)), n, delta) < beta(x, n, delta)


def test_is_tight() -> None:
    """C is smallest for N = 2 and delta -> 1, 1.78 e^2. It would fall to e^2 for N = 1 and delta = 0.8904..."""
    with mpmath.workdps(40):
        delta = 1 - 2**-53
        assert 1 < constant(LEAST_PROVIDERS, delta) / mpmath.e**2 < 1.79
        assert beta(1 + mpmath.mpf("1e-9"), LEAST_PROVIDERS, delta) < beta(1, LEAST_PROVIDERS, delta)


def test_two_providers_are_needed() -> None:
    with mpmath.workdps(40):
        for delta, increases in ((0.8904, False), (0.8905, True)):
            assert (beta(1 + mpmath.mpf("1e-9"), 1, delta) > beta(1, 1, delta)) == increases
        top = mpmath.e / mpmath.sqrt(constant(1, 0.99))
        assert top > 1.05
        assert beta(1, 1, 0.99) < beta(top, 1, 0.99) > beta(1.1 * top, 1, 0.99)
