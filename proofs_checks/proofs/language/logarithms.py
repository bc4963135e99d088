"""Logarithms of products of powers, exactly: sums of exponents times logarithms of atoms.

An atom is a prime number, a symbol, or a term that is no product. Atoms count as independent: what is found equal here
is equal, for all positive values of the atoms; what is not may still be. Exponents are quotients of polynomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from proofs_checks.proofs.language.polynomials import (
    Polynomial,
    added,
    constant_polynomial,
    multiplied,
    variable_polynomial,
)
from proofs_checks.proofs.language.terms import PI, REAL, Term, written

#: Primes up to here are split off; what is left of a number is an atom.
_LARGEST_PRIME = 10_000


@dataclass(frozen=True)
class Quotient:
    """A quotient of polynomials.

    Parameters
    ----------
    above, below : mapping
        Polynomials; the second is not 0.

    Examples
    --------
    >>> x = Quotient(variable_polynomial("x"))
    >>> (x / x - Quotient(constant_polynomial(1))).is_zero
    True
    """

    above: Polynomial
    below: Polynomial = field(default_factory=lambda: constant_polynomial(1))

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 wherever it is defined."""
        return not self.above

    def __add__(self, other: Quotient) -> Quotient:
        if self.below == other.below:
            return Quotient(added(self.above, other.above), self.below)
        above = added(multiplied(self.above, other.below), multiplied(other.above, self.below))
        return Quotient(above, multiplied(self.below, other.below))

    def __sub__(self, other: Quotient) -> Quotient:
        return self + Quotient(constant_polynomial(-1)) * other

    def __mul__(self, other: Quotient) -> Quotient:
        return Quotient(multiplied(self.above, other.above), multiplied(self.below, other.below))

    def __truediv__(self, other: Quotient) -> Quotient:
        if other.is_zero:
            raise ValueError("a division by 0")
        return self * Quotient(other.below, other.above)

    def __str__(self) -> str:
        return f"{sorted(self.above.items())} / {sorted(self.below.items())}"


#: From atoms, as text, to what their logarithms are multiplied with; none is 0.
Logarithm = dict[str, Quotient]
#: From a symbol to what it stands for, where that is known.
Meanings = Mapping[Term, Term]


def rational(value: Fraction | int) -> Quotient:
    """Return a number as a quotient."""
    return Quotient(constant_polynomial(value))


def quotient(term: Term, known: Callable[[Term], Quotient | None] = lambda term: None) -> Quotient:
    """Return a term as a quotient of polynomials in what is no sum, product or quotient."""
    found = known(term)
    if found is not None:
        return found
    if term.number is not None:
        return rational(term.number)
    if term.head in ("+", "-", "*", "/", "to_real"):
        first, *others = (quotient(argument, known) for argument in term.arguments)
        if term.head == "-" and not others:
            return rational(-1) * first
        for other in others:
            first = {"+": first + other, "-": first - other, "*": first * other}.get(term.head) or first / other
        return first
    return Quotient(variable_polynomial(written(term)))


def combined(left: Logarithm, right: Logarithm, factor: Quotient) -> Logarithm:
    """Return left + factor * right."""
    total = dict(left)
    for atom, exponent in right.items():
        total[atom] = total.get(atom, rational(0)) + factor * exponent
        if total[atom].is_zero:
            del total[atom]
    return total


def logarithm(term: Term, meanings: Meanings) -> Logarithm:
    """Return the logarithm of a product of powers; symbols that stand for one are read as it.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constant, power
    >>> x = constant("x")
    >>> logarithm(4 * power(x, 2) / 2, {}) == logarithm(2 * x * x, {})
    True
    """
    if term.number is not None:
        return _of_number(term.number)
    if term.head == "to_real":
        return logarithm(term.arguments[0], meanings)
    if term.head in ("*", "/"):
        left, right = (logarithm(argument, meanings) for argument in term.arguments)
        return combined(left, right, rational(1 if term.head == "*" else -1))
    if term.head == "pow":
        return combined({}, logarithm(term.arguments[0], meanings), quotient(term.arguments[1]))
    if term.head == "sqrt":
        return combined({}, logarithm(term.arguments[0], meanings), rational(Fraction(1, 2)))
    if term in meanings:
        return logarithm(meanings[term], {symbol: one for symbol, one in meanings.items() if symbol != term})
    return {written(term): rational(1)}


def _of_number(value: Fraction) -> Logarithm:
    if value <= 0:
        raise ValueError(f"{value} is not positive")
    above, below = (_of_whole(part) for part in (value.numerator, value.denominator))
    return combined(above, below, rational(-1))


def _of_whole(value: int) -> Logarithm:
    found: Logarithm = {}
    for prime in range(2, _LARGEST_PRIME):
        while value % prime == 0:
            value //= prime
            found = combined(found, {str(prime): rational(1)}, rational(1))
        if prime * prime > value:
            break
    return combined(found, {str(value): rational(1)}, rational(1)) if value > 1 else found


def logarithmic_sum(term: Term, meanings: Meanings) -> Logarithm:
    """Return a sum of multiples of logarithms, where each symbol in it stands for the logarithm of something."""
    total: Logarithm = {}
    for symbol, factor in multiples(term).items():
        if symbol not in meanings:
            raise ValueError(f"{symbol} stands for no logarithm")
        total = combined(total, logarithm(meanings[symbol], {}), rational(factor))
    return total


def multiples(term: Term) -> dict[Term, Fraction]:
    """Return how often each symbol is in a sum of multiples of symbols; those that cancel are left out.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants
    >>> x, y = constants("x y")
    >>> {str(symbol): str(factor) for symbol, factor in multiples(x - 2 * y).items()}
    {'x': '1', 'y': '-2'}
    """
    return {symbol: factor for symbol, factor in _multiples(term).items() if factor}


def _multiples(term: Term) -> dict[Term, Fraction]:
    if term.number == 0:
        return {}
    if term.head in ("+", "-"):
        signs = [-1] if len(term.arguments) == 1 else [1, -1 if term.head == "-" else 1]
        total: dict[Term, Fraction] = {}
        for sign, argument in zip(signs, term.arguments, strict=True):
            for symbol, factor in _multiples(argument).items():
                total[symbol] = total.get(symbol, Fraction(0)) + sign * factor
        return total
    if term.head == "*":
        for scale, other in (term.arguments, term.arguments[::-1]):
            if scale.number is not None:
                return {symbol: scale.number * factor for symbol, factor in _multiples(other).items()}
    if term.number is not None or term.sort != REAL or term.head in ("*", "/", "ite", "to_real"):
        raise ValueError(f"{term} is no sum of multiples of symbols")
    return {term: Fraction(1)}


def positive_atoms(term: Term) -> Iterator[Term]:
    """Yield what must be positive for the logarithm of a product of powers to be the sum of theirs; numbers aside."""
    if term.number is not None:
        return
    if term.head in ("*", "/"):
        for argument in term.arguments:
            yield from positive_atoms(argument)
    elif term.head in ("pow", "sqrt"):
        yield from positive_atoms(term.arguments[0])
    elif term == PI or term.head == "exp":
        return
    else:
        yield term


def divisors(term: Term) -> Iterator[Term]:
    """Yield what the exponents of a product of powers divide by."""
    if term.head == "pow":
        yield from _denominators(term.arguments[1])
    for argument in term.arguments:
        yield from divisors(argument)


def _denominators(term: Term) -> Iterator[Term]:
    if term.head == "/" and term.arguments[1].number is None:
        yield term.arguments[1]
    for argument in term.arguments:
        yield from _denominators(argument)
