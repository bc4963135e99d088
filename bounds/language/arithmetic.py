"""Number systems in which a formula is evaluated: floats, balls of python-flint, fractions.

All three work on NumPy arrays (of floats, or of balls as objects), so that one evaluator serves them.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
_PRECISION = threading.RLock()


class UndecidedError(ArithmeticError):
    """A ceiling or floor could not be decided at this precision."""


class BeyondError(UndecidedError):
    """A number is too large to be written out."""


def double_above(exact: Fraction) -> float:
    """Return the least double that is not below a number.

    Examples
    --------
    >>> double_above(Fraction(2**53 + 1)) == 2**53 + 2
    True
    """
    try:
        near = float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -sys.float_info.max
    return near if near >= exact else math.nextafter(near, math.inf)


@dataclass(frozen=True)
class Enclosure:
    """An interval that contains the true value, with exact rational ends.

    Examples
    --------
    >>> float(Enclosure(Fraction(1, 3), Fraction(1, 2)).upper)
    0.5
    """

    lower: Fraction
    upper: Fraction

    def __contains__(self, value: float | Fraction) -> bool:
        return self.lower <= Fraction(value) <= self.upper

    @property
    def width(self) -> Fraction:
        """Upper minus lower end."""
        return self.upper - self.lower


class Arithmetic:
    """A number system. Numbers, scalar or nested, become an ``array``; functions are found by name.

    Names are ``add``, ``multiply``, ``reciprocal``, ``sqrt``, ``power``, ``log``, ``exp``, ``maximum``, ``minimum``,
    ``lambertw_lower`` and ``heaviside``; and the constants ``pi`` and ``euler``, which take no arguments.
    """

    functions: Mapping[str, Callable[..., Any]]
    zero: Any = 0.0
    maximum: Any = np.maximum

    def array(self, value: Any) -> Array:
        """Return numbers of this system."""
        raise NotImplementedError

    def whole_power(self, base: Any, exponent: int) -> Any:
        """Return a power with a whole exponent."""
        return np.asarray(np.asarray(base) ** exponent)

    def total(self, values: Array) -> Array:
        """Return the sum over the last axis."""
        return np.asarray(np.add.reduce(values, axis=-1, initial=self.zero))

    def largest(self, values: Array) -> Array:
        """Return the maximum over the last axis and 0."""
        return np.asarray(self.maximum.reduce(values, axis=-1, initial=self.zero))


class FloatArithmetic(Arithmetic):
    """IEEE doubles by NumPy."""

    def __init__(self) -> None:
        self.functions = {
            **{name: getattr(np, name) for name in ("sqrt", "power", "log", "exp", "maximum", "minimum")},
            "add": operator.add,
            "multiply": _float_product,
            "reciprocal": lambda number: 1 / number,
            "lambertw_lower": _float_lambertw,
            "heaviside": lambda number: np.heaviside(number, 0.5),
            "pi": lambda: np.float64(math.pi),
            "euler": lambda: np.float64(math.e),
        }

    def array(self, value: Any) -> Array:
        """Return float64 values; Fractions are rounded."""
        return np.asarray(value, dtype=float)


def _float_product(left: Any, right: Any) -> Any:
    """Return the product; zero times a count that overflowed is zero, not NaN."""
    product = left * right
    if isinstance(product, float) and product and product == product:  # a single number, neither 0 nor NaN
        return product
    product = np.asarray(product)
    # A least entry is a NaN where one is. The sum has no negative zeros; of positive entries none is needed.
    least = np.minimum.reduce(product, axis=None, initial=math.inf)
    if least > 0:
        return product
    if math.isnan(least):
        return np.where((left == 0) | (right == 0), 0.0, product)
    return np.asarray(np.add(product, 0.0, out=product if product.ndim else None))


#: Far more steps of Newton's than any double needs: the digits that are right double with each.
_STEPS = 12


def _float_lambertw(argument: Array) -> Array:
    """Return W_{-1} on [-1/e, 0), minus infinity at 0, NaN elsewhere. SciPy has it, but takes 0.2 s to load.

    With -W = u >= 1 and s = -1 - ln(-x) >= 0, u - 1 - ln u = s. The left side is convex, and 1 + sqrt(2 s) + s is not
    below its solution (Chatzigeorgiou 2013): from there Newton's steps only fall, until rounding ends them.
    """
    with np.errstate(all="ignore"):
        beyond = np.asarray(-1 - np.log(-argument))
        found = 1 + np.sqrt(2 * beyond) + beyond
        for _ in range(_STEPS):
            before = found
            found = np.fmin(before, before * (np.log(before) + beyond) / (before - 1))
            if (found == before).all():
                break
    return np.asarray(-found)


class RigorousArithmetic(Arithmetic):
    """Real balls of python-flint (Arb), of the precision at hand, held in object arrays; see `rigorous`."""

    zero = flint.arb(0)
    maximum = np.frompyfunc(flint.arb.max, 2, 1)

    def __init__(self) -> None:
        self.functions = _elementwise(_BALL_FUNCTIONS)

    def array(self, value: Any) -> Array:
        """Return an object array of enclosing balls; floats are taken at their exact binary value."""
        if isinstance(value, np.ndarray) and value.dtype == np.float64 and np.isfinite(value).all():
            return _objects(flint.arb, value.astype(object))
        plain, items = (int, float, Fraction, np.number), np.asarray(value, dtype=object)
        return _objects(lambda item: _ball(_exact(item)) if isinstance(item, plain) else item, items)

    def enclosure(self, item: Any) -> Enclosure:
        """Return the exact ends of one number."""
        return Enclosure(_end(item.lower(), -1), _end(item.upper(), 1))


class IrrationalError(ArithmeticError):
    """A number is irrational, or unlikely to be rational and expensive to find: a huge power or root."""


class RationalArithmetic(Arithmetic):
    """Exact fractions, which know that 2 * 16**(3/4) is 16."""

    zero = Fraction(0)

    def __init__(self) -> None:
        functions: dict[str, Callable[..., Any]] = {
            **dict.fromkeys(("log", "exp", "pi", "euler", "lambertw_lower"), _irrational),
            "reciprocal": lambda number: _rational_power(number, Fraction(-1)),
            "sqrt": lambda number: _rational_power(number, Fraction(1, 2)),
            "heaviside": lambda number: Fraction((number > 0) + (number >= 0), 2),
            "power": _rational_power,
            "maximum": max,
            "minimum": min,
        }
        self.functions = _elementwise(functions)

    def array(self, value: Any) -> Array:
        """Return Fractions; floats are taken at their exact binary value."""
        return _objects(_exact, np.asarray(value, dtype=object))

    def whole_power(self, base: Any, exponent: int) -> Any:
        """Return a power with a whole exponent."""
        return _objects(lambda number: _rational_power(number, Fraction(exponent)), base)


def _irrational(*_: Any) -> Any:
    raise IrrationalError


#: Exponents beyond this make a number too large to look at, and roots beyond it are hardly ever whole.
_LARGEST_POWER = 2**12


def _rational_power(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 1 or exponent == 0:
        return Fraction(1)
    if base <= 0 or max(abs(exponent.numerator), exponent.denominator) > _LARGEST_POWER:
        raise IrrationalError
    root = Fraction(*(_whole_root(part, exponent.denominator) for part in (base.numerator, base.denominator)))
    if root**exponent.denominator != base:
        raise IrrationalError
    return Fraction(root**exponent.numerator)


def _whole_root(number: int, degree: int) -> int:
    """Return the root of a positive whole number, rounded down."""
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle)
    return low


def _elementwise(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return functions of numbers as functions of arrays of them, with those that all such numbers have."""
    alike: dict[str, Callable[..., Any]] = {
        "add": operator.add,
        "multiply": operator.mul,
        "reciprocal": lambda number: 1 / number,
    }
    return {name: functools.partial(_objects, function) for name, function in {**alike, **functions}.items()}


def _objects(function: Callable[..., Any], *arrays: Array) -> Array:
    if not any(array.ndim for array in arrays):  # most are numbers: to make an elementwise function takes longer
        return np.asarray(function(*[array.item() for array in arrays]), dtype=object)
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype=object)


def _exact(item: Any) -> Fraction:
    return Fraction(item) if isinstance(item, (int, Fraction)) else Fraction(float(item))


def _ball(exact: Fraction) -> Any:
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def _step(ball: Any) -> Any:
    """Return 1 above 0 and 0 below; the ball from 0 to 1 where the sign is open."""
    return flint.arb(1) if ball > 0 else flint.arb(0) if ball < 0 else flint.arb(0.5, 0.5)


_BALL_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(flint.arb, name) for name in ("log", "exp", "sqrt", "pi")},
    "euler": lambda: flint.arb(1).exp(),
    "power": operator.pow,
    "maximum": flint.arb.max,
    "minimum": flint.arb.min,
    "lambertw_lower": lambda ball: ball.lambertw(-1),
    "heaviside": _step,
}
#: Ends of balls are written out between these powers of two: beyond them, a fraction could fill the memory.
_LARGEST_EXPONENT = 1 << 20


def _end(ball: Any, outward: int) -> Fraction:
    """Return the value of a ball of radius zero; a tiny one becomes the next that can be written, down (-1) or up (1).

    Raises
    ------
    BeyondError
        It is too large to be written.
    """
    if not ball.is_finite():
        raise UndecidedError("the ball is not finite")
    mantissa, exponent = (int(part) for part in ball.man_exp())
    magnitude = exponent + mantissa.bit_length()
    if magnitude > _LARGEST_EXPONENT:
        raise BeyondError(f"the value exceeds 2^{_LARGEST_EXPONENT:,}")
    if mantissa and magnitude < -_LARGEST_EXPONENT:
        return Fraction(outward, 1 << _LARGEST_EXPONENT) if (mantissa > 0) == (outward > 0) else Fraction(0)
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


@contextmanager
def rigorous(precision: int) -> Iterator[RigorousArithmetic]:
    """Yield balls of a binary precision, which is the process's: one thread has it at a time."""
    with _PRECISION, flint.ctx.workprec(precision):
        yield RigorousArithmetic()
