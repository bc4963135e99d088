"""beta(m), M(x) and the exact inverse, against their definitions by brute force."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, example, given, settings, strategies as st

from bounds.formulas.radius import EXACT_COUNT, EXACT_SELECTION_BOUND, LOG_CONSTANT, RADIUS, SELECTION_BOUND
from bounds.language.quantities import C_MAX, COUNT, GAP, HORIZON

UNHURRIED = settings(deadline=None)
N_PROVIDERS = st.sampled_from([2, 3, 4, 9, 12, 1000])
CONFIDENCES = st.one_of(st.floats(1e-9, 1 - 2**-53), st.sampled_from([1e-12, 0.05, 1 - 2**-53]))
GAPS = st.one_of(st.floats(1e-6, 1), st.floats(0.05, 1), st.sampled_from([1.0, 1e-6, 2**-10, 1e-4]))


def beta(m: float, n: int, delta: float) -> float:
    """eq:qualified-set, typed from the paper."""
    return math.sqrt(math.log(2 * math.pi**2 * n * m**2 / (3 * delta)) / (2 * m))


def reaches(x: float, m: int, n: int, delta: float) -> bool:
    """Whether x <= 2 beta(m), by enclosures."""
    for precision in (128, 512, 2048):
        box = RADIUS.enclose(count=m, n_providers=n, confidence=delta, precision=precision)
        if 2 * box.lower >= Fraction(x):
            return True
        if 2 * box.upper < Fraction(x):
            return False
    raise AssertionError("undecided")


def largest_count(x: float, n: int, delta: float) -> int:
    """Return the largest m >= 1 with x <= 2 beta(m), by doubling and bisection: beta decreases."""
    low, high = 1, 2
    while reaches(x, high, n, delta):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reaches(x, middle, n, delta) else (low, middle)
    return low


@UNHURRIED
@given(st.floats(1, 1e12), N_PROVIDERS, CONFIDENCES)
def test_radius_is_the_formula_of_the_paper(m: float, n: int, delta: float) -> None:
    assert RADIUS.value(count=m, n_providers=n, confidence=delta) == pytest.approx(beta(m, n, delta), rel=1e-14)


def test_radius_of_one_observation_by_hand() -> None:
    # 2 pi^2 4 / (3 * 0.05) = 526.379..., its logarithm 6.26602..., halved 3.13301...
    assert RADIUS.value(count=1, n_providers=4, confidence=0.05) == pytest.approx(math.sqrt(3.1330106), rel=1e-7)


@UNHURRIED
@given(N_PROVIDERS, CONFIDENCES, st.lists(st.floats(1, 1e9), min_size=2, max_size=30, unique=True))
@example(2, 1 - 2**-53, [1.0, 1.0 + 1e-6, 1.1, 2.0])
def test_radius_decreases_from_one_on(n: int, delta: float, counts: list[float]) -> None:
    boxes = [RADIUS.enclose(count=m, n_providers=n, confidence=delta) for m in sorted(counts)]
    assert all(later.upper < earlier.lower for earlier, later in itertools.pairwise(boxes))


@UNHURRIED
@given(N_PROVIDERS, CONFIDENCES)
def test_radius_decreases_over_all_small_counts(n: int, delta: float) -> None:
    values = RADIUS(count=np.arange(1, 2000), n_providers=n, confidence=delta)
    assert (np.diff(values) < 0).all()


def test_radius_derivative_is_negative_for_two_providers() -> None:
    """h' = (2 - ln(C x^2)) / (2 x^2) for h = beta^2, and C > e^2 for N >= 2 and delta < 1."""
    x = sympy.Symbol("count", positive=True)
    h = RADIUS.expression.subs(COUNT, x) ** 2
    assert sympy.simplify(sympy.diff(h, x) - (2 - sympy.log(LOG_CONSTANT * x**2)) / (2 * x**2)) == 0
    assert 4 * math.pi**2 / 3 > math.e**2


@UNHURRIED
@given(GAPS, N_PROVIDERS, CONFIDENCES)
@example(1.0, 2, 1 - 2**-53)
@example(1e-6, 1000, 1e-12)
def test_exact_inverse_is_the_largest_count(x: float, n: int, delta: float) -> None:
    values = {"gap": x, "n_providers": n, "confidence": delta}
    found = int(EXACT_SELECTION_BOUND.value(values))
    assert reaches(x, found, n, delta)
    assert not reaches(x, found + 1, n, delta)
    assert found == math.floor(EXACT_COUNT.enclose(values).lower)


@settings(deadline=None, max_examples=20)
@given(st.floats(0.01, 1), N_PROVIDERS, CONFIDENCES)
def test_exact_inverse_equals_a_search(x: float, n: int, delta: float) -> None:
    assert EXACT_SELECTION_BOUND.value(gap=x, n_providers=n, confidence=delta) == largest_count(x, n, delta)


@UNHURRIED
@given(st.floats(0.04, 1), N_PROVIDERS, CONFIDENCES)
def test_exact_inverse_equals_a_scan(x: float, n: int, delta: float) -> None:
    bound = SELECTION_BOUND.value(gap=x, n_providers=n, confidence=delta)
    counts = np.arange(1, min(bound, 200_000) + 2)
    reached = x <= 2 * RADIUS(count=counts, n_providers=n, confidence=delta)
    exact = int(EXACT_SELECTION_BOUND.value(gap=x, n_providers=n, confidence=delta))
    assert exact <= 200_000
    assert reached[: exact - 1].all()
    assert not reached[exact + 1 :].any()


@UNHURRIED
@given(st.integers(1, 10**6), N_PROVIDERS, CONFIDENCES)
def test_exact_inverse_one_ulp_around_a_count(m: int, n: int, delta: float) -> None:
    """At the doubles next to 2 beta(m) the floor turns from m to m - 1, and doubles alone would guess."""
    with mpmath.workdps(50):
        two_beta = 2 * mpmath.sqrt(mpmath.log(2 * mpmath.pi**2 * n * m**2 / (3 * mpmath.mpf(delta))) / (2 * m))
        nearest = float(two_beta)
        below = nearest if nearest <= two_beta else math.nextafter(nearest, 0)
    above = math.nextafter(below, 2)
    values = {"n_providers": n, "confidence": delta}
    assume(above < 2)
    assert EXACT_SELECTION_BOUND.value(values, gap=below) == m
    assert EXACT_SELECTION_BOUND.value(values, gap=above) == m - 1


@UNHURRIED
@given(st.floats(1e-6, 1), N_PROVIDERS, CONFIDENCES)
def test_exact_count_solves_its_equation(x: float, n: int, delta: float) -> None:
    m = EXACT_COUNT.value(gap=x, n_providers=n, confidence=delta)
    assert m >= 1
    assert 2 * RADIUS.value(count=m, n_providers=n, confidence=delta) == pytest.approx(x, rel=1e-12)


@UNHURRIED
@given(st.one_of(GAPS, st.floats(1, 4)), N_PROVIDERS, CONFIDENCES, st.data())
def test_a_radius_that_reaches_a_gap_bounds_the_count(x: float, n: int, delta: float, data: st.DataObject) -> None:
    """lem:radius-inversion: a <= 2 beta(m) implies m <= M(a), for every a > 0."""
    bound = SELECTION_BOUND.value(gap=x, n_providers=n, confidence=delta)
    m = data.draw(st.integers(1, max(2, int(min(2 * bound, 10**15)))))
    if reaches(x, m, n, delta):
        assert m <= bound


@UNHURRIED
@given(N_PROVIDERS, CONFIDENCES)
def test_the_implication_holds_over_a_grid(n: int, delta: float) -> None:
    gaps, counts = np.linspace(0.04, 2.5, 200)[:, None], np.arange(1, 3000)
    reached = gaps <= 2 * RADIUS(count=counts, n_providers=n, confidence=delta)
    bound = SELECTION_BOUND(gap=gaps, n_providers=n, confidence=delta)
    assert (counts <= bound)[reached].all()
    assert reached.any(axis=0)[:3].all(), "the grid must try the implication"


def test_57_cannot_be_56() -> None:
    """The constant is tight for a up to 2: at N = 2, delta = .964, a = 2, m = 2 reaches the gap."""
    assert 2 * beta(2, 2, 0.964) >= 2
    assert 4 / 2**2 * math.log(56 * 2 / (0.964 * 2**4)) < 2 <= 4 / 2**2 * math.log(57 * 2 / (0.964 * 2**4))


@UNHURRIED
@given(GAPS, N_PROVIDERS, CONFIDENCES)
def test_the_exact_inverse_improves_on_the_paper(x: float, n: int, delta: float) -> None:
    values = {"gap": x, "n_providers": n, "confidence": delta}
    exact, paper = EXACT_SELECTION_BOUND.value(values), SELECTION_BOUND.value(values)
    assert 1 <= exact <= paper
    assert exact < EXACT_COUNT.value(values) + 1


@UNHURRIED
@given(st.floats(1e-3, 1), N_PROVIDERS, CONFIDENCES)
def test_selection_bound_is_the_formula_of_the_paper(x: float, n: int, delta: float) -> None:
    plain = 4 / x**2 * math.log(57 * n / (delta * x**4))
    found = SELECTION_BOUND.value(gap=x, n_providers=n, confidence=delta)
    assert plain * (1 - 1e-13) <= found < plain * (1 + 1e-13) + 1
    assert found == int(found)


@UNHURRIED
@given(st.floats(1e-5, 1), st.floats(1e-5, 1), N_PROVIDERS, CONFIDENCES)
def test_bounds_fall_with_the_gap(x: float, y: float, n: int, delta: float) -> None:
    for formula in (SELECTION_BOUND, EXACT_SELECTION_BOUND, EXACT_COUNT):
        small, large = formula(gap=np.array([min(x, y), max(x, y)]), n_providers=n, confidence=delta)
        assert small >= large


def test_substitutions_reach_the_expression() -> None:
    assert sympy.sympify(SELECTION_BOUND.at(gap=GAP)) == SELECTION_BOUND.expression
    assert GAP not in sympy.sympify(SELECTION_BOUND.at(gap=1 / C_MAX)).free_symbols
    assert sympy.sympify(RADIUS.at(count=HORIZON)).free_symbols == (RADIUS.expression.free_symbols - {COUNT.symbol}) | {
        HORIZON.symbol
    }
