"""Real algebraic numbers, exactly: roots of polynomials as solvers print them, and what arithmetic makes of them.

A number is a tree of operations on roots. It is enclosed by rational numbers, as narrowly as one likes; whether it is
zero is decided by a bound below which no number of its kind lies. Nothing is taken on trust, and nothing is rounded.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from bounds.language.arithmetic import RigorousArithmetic, rigorous

Interval = tuple[Fraction, Fraction]
_Rational = int | Fraction

#: Binary digits beyond which a sign is not looked for.
MOST_BITS = 1 << 15
#: Binary digits with which roots are counted.
_PRECISION = 64


class UndecidedSignError(ArithmeticError):
    """A number is so close to zero, for its size, that its sign would take too long to find."""


@dataclass(frozen=True)
class Root:
    """A real root of a polynomial.

    Parameters
    ----------
    polynomial : tuple of int
        Its coefficients, that of the highest power first.
    place : int
        Of its real roots in ascending order, each once, counted from 0.
    """

    polynomial: tuple[int, ...]
    place: int

    @property
    def degree(self) -> int:
        """The polynomial's degree: at least that of the number."""
        return len(self.polynomial) - 1

    def __str__(self) -> str:
        powers = ((c, self.degree - k) for k, c in enumerate(self.polynomial) if c)
        return " + ".join(f"{c}*x^{power}" if power else str(c) for c, power in powers)


@functools.lru_cache(maxsize=1024)
def _real_roots(polynomial: tuple[int, ...], precision: int) -> list[Any]:
    """Return balls around the real roots, which do not meet, at the precision that is set."""
    roots: Any = flint.fmpz_poly([*reversed(polynomial)]).complex_roots()
    return sorted((root.real for root, _ in roots if root.imag == 0), key=lambda ball: ball.mid())


def root_of(coefficients: Sequence[Any], *, place: int | None = None, between: Interval | None = None) -> Any:
    """Return a real root of a polynomial, exactly.

    Examples
    --------
    >>> root = root_of([1, 0, -2], place=2)
    >>> root * root == 2, root > Fraction(141, 100), str(root)
    (True, True, '1.414213562... (a root of 1*x^2 + -2)')
    """
    given = flint.fmpq_poly([_exact(each) for each in reversed(coefficients)])
    if given.degree() < 1:
        raise ValueError("a number has no roots")
    polynomial = tuple(map(int, reversed(given.numer().coeffs())))
    with rigorous(_PRECISION):
        known = [Algebraic.of_root(Root(polynomial, k)) for k in range(len(_real_roots(polynomial, _PRECISION)))]
    if between is not None:
        inside = [root for root in known if between[0] <= root <= between[1]]
        if len(inside) != 1:
            raise ValueError(f"no single root lies between {between[0]} and {between[1]}")
        return inside[0]
    if place is None or not 1 <= place <= len(known):
        raise ValueError(f"no root number {place}: there are {len(known)}")
    return known[place - 1]


@functools.total_ordering
@dataclass(frozen=True, eq=False)
class Algebraic:
    """A real algebraic number: a root, or a sum, product or quotient of numbers.

    It is U/L for algebraic integers U and L of the field that its roots generate, and no conjugate of U or L is larger
    than `size` or `scale`. The norm of U is a whole number: if U is not 0, then |U| >= size^-(d - 1), where d is at
    most the product of the roots' degrees, and so the number is at least size^-(d - 1) / scale away from 0.

    Parameters
    ----------
    head : str
        "root", "number", "+", "*" or "/".
    parts : tuple
        The root, the number, or both operands.
    roots : frozenset of Root
    size, scale : int
    """

    head: str
    parts: tuple[Any, ...]
    roots: frozenset[Root]
    size: int
    scale: int

    @staticmethod
    def of_root(root: Root) -> Algebraic:
        """Return a root as a number: its leading coefficient makes an algebraic integer of it."""
        leading = abs(root.polynomial[0])
        largest = max(map(abs, root.polynomial))  # |root| <= 1 + largest / leading
        return Algebraic("root", (root,), frozenset({root}), leading + largest, leading)

    @staticmethod
    def of_number(value: _Rational) -> Algebraic:
        """Return a rational number as one."""
        exact = Fraction(value)
        size = max(1, abs(exact.numerator))
        return Algebraic("number", (exact,), frozenset(), size, exact.denominator)

    def enclosure(self, bits: int) -> Interval:
        """Return rational ends at most 2^-bits apart."""
        precision = bits + 32
        while True:
            with rigorous(precision) as numbers:
                ball = self._ball(numbers, precision)
                # A divisor, which is not 0, may not be told from 0 yet.
                found = numbers.enclosure(ball) if ball.is_finite() else None
            if found is not None and found.width <= Fraction(1, 1 << bits):
                return found.lower, found.upper
            precision *= 2

    def _ball(self, numbers: RigorousArithmetic, precision: int) -> Any:
        if self.head == "root":
            return _real_roots(self.parts[0].polynomial, precision)[self.parts[0].place]
        if self.head == "number":
            return numbers.array(self.parts[0]).item()
        return _OPERATIONS[self.head](*(part._ball(numbers, precision) for part in self.parts))

    def sign(self) -> int:
        """Return -1, 0 or 1."""
        degree = functools.reduce(operator.mul, (root.degree for root in self.roots), 1)
        digits_of_bound = (degree - 1) * self.size.bit_length() + self.scale.bit_length() + 1
        bits = 32
        while True:
            low, high = self.enclosure(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            if max(-low, high) < Fraction(1, 1 << digits_of_bound):
                return 0
            if bits > MOST_BITS:
                raise UndecidedSignError(f"the sign of a number of degree {degree} takes over {MOST_BITS} digits")
            bits *= 2

    def __neg__(self) -> Algebraic:
        return _combined("*", self, Algebraic.of_number(-1))

    def __add__(self, other: Any) -> Any:
        return _with(other, lambda value: _combined("+", self, value))

    def __mul__(self, other: Any) -> Any:
        return _with(other, lambda value: _combined("*", self, value))

    def __sub__(self, other: Any) -> Any:
        return _with(other, lambda value: _combined("+", self, -value))

    def __rsub__(self, other: Any) -> Any:
        return _with(other, lambda value: _combined("+", value, -self))

    def __truediv__(self, other: Any) -> Any:
        return _with(other, lambda value: _divided(self, value))

    def __rtruediv__(self, other: Any) -> Any:
        return _with(other, lambda value: _divided(value, self))

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> Any:
        return _with(other, lambda value: (self - value).sign() == 0)

    def __lt__(self, other: Any) -> Any:
        return _with(other, lambda value: (self - value).sign() < 0)

    def __hash__(self) -> int:
        return hash(Algebraic)  # equal numbers may be made in many ways

    def __str__(self) -> str:
        low, high = self.enclosure(40)
        origin = f" (a root of {self.parts[0]})" if self.head == "root" else ""
        return f"{float((low + high) / 2):.10g}...{origin}"


def _with(other: Any, apply: Callable[[Algebraic], Any]) -> Any:
    """Apply to a number; of anything else Python asks the other operand."""
    if isinstance(other, Algebraic):
        return apply(other)
    if isinstance(other, int | Fraction) and not isinstance(other, bool):
        return apply(Algebraic.of_number(other))
    return NotImplemented


def _combined(head: str, left: Algebraic, right: Algebraic) -> Algebraic:
    size, scale = left.size * right.size, left.scale * right.scale
    if head == "+":
        size = left.size * right.scale + right.size * left.scale
    return Algebraic(head, (left, right), left.roots | right.roots, size, scale)


def _divided(left: Algebraic, right: Algebraic) -> Algebraic:
    if right.sign() == 0:
        raise ZeroDivisionError(f"{left} / {right}")
    # left / right = (U_left L_right) / (L_left U_right).
    size, scale = left.size * right.scale, left.scale * right.size
    return Algebraic("/", (left, right), left.roots | right.roots, size, scale)


_MONOMIAL = re.compile(r"(-?\d+)?(?:\*?x(?:\^(\d+))?)?")


def read_cvc5_root(text: str) -> Any:
    """Return the number that cvc5 writes by a polynomial and an interval.

    Examples
    --------
    >>> str(read_cvc5_root("(_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)"))
    '1.414213562... (a root of 1*x^2 + -2)'
    """
    found = re.fullmatch(r"_real_algebraic_number<(.+),([-\d/]+),([-\d/]+)>", re.sub(r"[\s()]", "", text))
    if not found:
        raise ValueError(f"{text} is not an algebraic number")
    powers: dict[int, Fraction] = {}
    for part in found[1].split("+"):
        monomial = _MONOMIAL.fullmatch(part)
        if not monomial or not part:
            raise ValueError(f"{part} is not a monomial")
        power = int(monomial[2] or 1) if "x" in part else 0
        powers[power] = powers.get(power, Fraction(0)) + Fraction(monomial[1] or 1)
    coefficients = [powers.get(power, Fraction(0)) for power in range(max(powers), -1, -1)]
    return root_of(coefficients, between=(Fraction(found[2]), Fraction(found[3])))


def read_z3_root(expression: Any) -> Any:
    """Return the number that z3 writes by a polynomial and which of its roots, as an S-expression.

    Examples
    --------
    >>> str(read_z3_root(["root-obj", ["+", ["^", "x", "2"], ["-", "2"]], "1"]))
    '-1.414213562... (a root of 1*x^2 + -2)'
    """
    try:
        _, polynomial, place = expression
        return root_of(_polynomial_of(polynomial).coeffs()[::-1], place=int(place))
    except (TypeError, IndexError) as error:
        raise ValueError(f"{expression} is not an algebraic number") from error


def _polynomial_of(expression: Any) -> Any:
    """Return an S-expression in x as a polynomial of FLINT."""
    if isinstance(expression, str):
        return flint.fmpq_poly([0, 1] if expression == "x" else [_exact(expression)])
    head, *rest = expression
    if head == "^":
        return _polynomial_of(rest[0]) ** int(rest[1])
    if head not in ("+", "-", "*"):
        raise ValueError(f"{head} is not an operation of polynomials")
    parts = [_polynomial_of(part) for part in rest]
    return -parts[0] if head == "-" and len(parts) == 1 else functools.reduce(_OPERATIONS[head], parts)


def _exact(number: Any) -> Any:
    return number if isinstance(number, flint.fmpq) else flint.fmpq(*Fraction(number).as_integer_ratio())


_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
