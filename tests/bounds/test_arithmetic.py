"""Number systems: what an enclosure encloses, checked against mpmath at far higher precision."""

import contextlib
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import assume, given, settings, strategies as st

from bounds.language.arithmetic import (
    Enclosure,
    FloatArithmetic,
    IrrationalError,
    RationalArithmetic,
    UndecidedError,
    rigorous,
)

UNHURRIED = settings(deadline=None, max_examples=20)
PRECISIONS = [64, 128, 512, 2048]
DIGITS = 1200

POSITIVE = st.one_of(
    st.fractions(Fraction(1, 10**9), 10**9, max_denominator=10**9),
    st.floats(1e-12, 1e12).map(Fraction),
    st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5e-324), Fraction(1.7e308), 1 - Fraction(2) ** -53]),
)
REAL = st.one_of(POSITIVE, POSITIVE.map(lambda x: -x), st.just(Fraction(0)))


def as_mpf(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def encloses(box: Enclosure, exact: Any) -> bool:
    """Whether an interval holds a number known to DIGITS digits, with that error granted."""
    slack = abs(exact) * mpmath.mpf(10) ** (10 - DIGITS)
    return bool(as_mpf(box.lower) - slack <= exact <= as_mpf(box.upper) + slack)


def enclosure(name: str, precision: int, *arguments: Fraction) -> Enclosure:
    with rigorous(precision) as system:
        found = system.functions[name](*(system.array(x) for x in arguments))
        return system.enclosure(found.item())


def check(name: str, precision: int, exact: Callable[..., Any], *arguments: Fraction) -> Enclosure:
    """Check that the enclosure holds the exact value and is as narrow as the precision promises."""
    box = enclosure(name, precision, *arguments)
    with mpmath.workdps(DIGITS):
        value = exact(*(as_mpf(x) for x in arguments))
        assert encloses(box, value)
        assert as_mpf(box.width) <= max(abs(value), 1) * mpmath.mpf(2) ** (20 - precision)
    return box


UNARY = {
    "log": (mpmath.log, POSITIVE),
    "exp": (mpmath.exp, st.fractions(-50, 50, max_denominator=10**6)),
    "sqrt": (mpmath.sqrt, POSITIVE),
}
BINARY = {
    "maximum": (max, REAL),
    "minimum": (min, REAL),
    "power": (lambda x, y: x**y, st.fractions(Fraction(1, 100), 100, max_denominator=10**6)),
}


@pytest.mark.for_each("name", [*UNARY])
@UNHURRIED
@given(data=st.data(), precision=st.sampled_from(PRECISIONS))
def test_unary_functions_enclose(name: str, data: Any, precision: int) -> None:
    exact, arguments = UNARY[name]
    check(name, precision, exact, data.draw(arguments))


@pytest.mark.for_each("name", [*BINARY])
@UNHURRIED
@given(data=st.data(), precision=st.sampled_from(PRECISIONS))
def test_binary_functions_enclose(name: str, data: Any, precision: int) -> None:
    exact, arguments = BINARY[name]
    left, right = data.draw(arguments), data.draw(arguments)
    assume(name != "power" or right <= 20)
    if name == "power":
        with mpmath.workdps(DIGITS):
            box = enclosure(name, precision, left, right)
            assert encloses(box, as_mpf(left) ** as_mpf(right))
            assert box.width <= box.upper / 2 ** (precision - 20)
        return
    check(name, precision, exact, left, right)


@UNHURRIED
@given(
    argument=st.one_of(
        st.floats(1e-300, 0.3).map(Fraction),
        st.sampled_from([Fraction(5e-324), Fraction(1, 10**500), Fraction(36, 100), Fraction(1, 10)]),
    ),
    precision=st.sampled_from(PRECISIONS),
)
def test_lower_lambert_branch_encloses_its_defining_equation(argument: Fraction, precision: int) -> None:
    box = enclosure("lambertw_lower", precision, -argument)
    assert box.upper < -1
    with mpmath.workdps(DIGITS):
        # w e^w decreases on (-inf, -1], so the ends straddle the argument.
        low, high = as_mpf(box.lower), as_mpf(box.upper)
        assert high * mpmath.exp(high) <= -as_mpf(argument) * (1 - mpmath.mpf(10) ** (10 - DIGITS))
        assert low * mpmath.exp(low) >= -as_mpf(argument) * (1 + mpmath.mpf(10) ** (10 - DIGITS))
    assert box.width <= abs(box.lower) / Fraction(2) ** (precision - 24)


@pytest.mark.parametrize("argument", [Fraction(-37, 100), Fraction(-1), Fraction(-10)])
def test_lower_lambert_branch_has_no_value_below_its_domain(argument: Fraction) -> None:
    with pytest.raises(UndecidedError):
        enclosure("lambertw_lower", 128, argument)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_constants_are_enclosed(precision: int) -> None:
    with rigorous(precision) as system, mpmath.workdps(DIGITS):
        for box, value in ((system.functions["pi"](), +mpmath.pi), (system.functions["euler"](), mpmath.exp(1))):
            found = system.enclosure(box.item())
            assert encloses(found, value)
            assert 0 < found.width < Fraction(2) ** (8 - precision)


def test_floats_are_taken_at_their_exact_binary_value() -> None:
    with rigorous(128) as system:
        found = system.enclosure(system.array(0.1).item())
        third = system.enclosure(system.array(Fraction(1, 3)).item())
    assert found == Enclosure(Fraction(0.1), Fraction(0.1))
    assert 0.1 in found
    assert Fraction(1, 10) not in found
    assert Fraction(1, 3) in third
    assert 0 < third.width < Fraction(2) ** -120


def test_arrays_keep_their_shape_and_mix_kinds() -> None:
    with rigorous(128) as system:
        found = system.array([[1, 0.5], [Fraction(1, 4), np.float64(2)]])
        assert found.shape == (2, 2)
        total = system.enclosure((found + found).sum())
        assert system.array([]).shape == (0,)
        assert system.functions["sqrt"](system.array(np.zeros((0, 3)))).shape == (0, 3)
    assert total == Enclosure(Fraction(15, 2), Fraction(15, 2))


def wide(low: int, high: int) -> Any:
    """Return an array with one ball that covers [low, high]."""
    return np.array(flint.arb(flint.arb(low + high) / 2, flint.arb(high - low) / 2), dtype=object)


def test_extremes_of_overlapping_numbers_cover_both_outcomes() -> None:
    with rigorous(128) as system:
        left, right = wide(0, 10), wide(4, 6)
        largest = system.enclosure(system.functions["maximum"](left, right).item())
        smallest = system.enclosure(system.functions["minimum"](left, right).item())
    assert largest.lower <= 4
    assert largest.upper >= 10
    assert smallest.lower <= 0
    assert smallest.upper >= 6


def test_the_caller_finds_the_precision_as_it_was() -> None:
    before = flint.ctx.prec
    with rigorous(333):
        with contextlib.suppress(ZeroDivisionError), rigorous(999):
            raise ZeroDivisionError
        assert flint.ctx.prec == 333
    assert flint.ctx.prec == before


@UNHURRIED
@given(st.lists(st.floats(5e-324, 0.3678794411714423), min_size=1, max_size=20))
def test_float_lambert_is_that_of_scipy(numbers: list[float]) -> None:
    """Also next to -1/e, where the last digits of x change many of W."""
    found = FloatArithmetic().functions["lambertw_lower"](-np.array(numbers))
    for x, ours in zip(numbers, found.tolist(), strict=True):
        rest = math.sqrt(max(0.0, 1 - math.e * x))  # of the order of -1 - W near -1/e
        expected = scipy.special.lambertw(-x, -1).real if x > 1e-300 else ours  # SciPy has none for the least of them
        assert ours == pytest.approx(expected, rel=1e-14 + min(1e-7, 1e-15 / max(rest, 1e-8)))
        if x > 1e-300:
            assert ours * math.exp(ours) == pytest.approx(-x, rel=1e-12)


def test_float_lambert_at_its_ends_and_beyond() -> None:
    lambertw = FloatArithmetic().functions["lambertw_lower"]
    found = lambertw(np.array([-0.0, -1 / math.e, -0.37, 0.1, math.nan, -math.inf]))
    assert found[:2].tolist() == [-math.inf, -1.0]
    assert np.isnan(found[2:]).all()
    assert lambertw(np.asarray(-0.25)).ndim == 0


@pytest.mark.for_each(
    ("name", "numbers", "exact"),
    [
        ("power", (16, Fraction(3, 4)), 8),
        ("power", (Fraction(4, 9), Fraction(-3, 2)), Fraction(27, 8)),
        ("sqrt", (Fraction(1, 4),), Fraction(1, 2)),
        ("reciprocal", (3,), Fraction(1, 3)),
        ("maximum", (Fraction(1, 3), Fraction(1, 2)), Fraction(1, 2)),
        ("sqrt", (2,), None),
        ("power", (2, Fraction(1, 8192)), None),
        ("log", (1,), None),
        ("reciprocal", (0,), None),
    ],
)
def test_fractions_are_exact_or_have_no_value(name: str, numbers: Any, exact: Fraction | None) -> None:
    fractions = RationalArithmetic()
    arguments = [fractions.array(number) for number in numbers]
    if exact is not None:
        assert fractions.functions[name](*arguments).item() == exact
        return
    with pytest.raises(IrrationalError):
        fractions.functions[name](*arguments)


def test_fractions_add_up_over_providers() -> None:
    fractions = RationalArithmetic()
    values = fractions.array([[0.5, Fraction(1, 3)], [-1, -2]])
    assert fractions.total(values).tolist() == [Fraction(5, 6), -3]
    assert fractions.largest(values).tolist() == [Fraction(1, 2), 0]
    assert fractions.whole_power(values[0], 2).tolist() == [Fraction(1, 4), Fraction(1, 9)]
