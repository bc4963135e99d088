"""Polynomials with rational coefficients, as the checker of certificates adds and multiplies them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

#: A product of powers: pairs (variable, exponent), sorted by variable. The empty one is 1.
Monomial = tuple[tuple[str, int], ...]
#: Coefficients by monomial, without zeros.
Polynomial = Mapping[Monomial, Fraction]

ZERO: Polynomial = MappingProxyType({})


def monomial_product(left: Monomial, right: Monomial) -> Monomial:
    """Return the product of two monomials.

    Examples
    --------
    >>> monomial_product((("x", 1),), (("x", 1), ("y", 2)))
    (('x', 2), ('y', 2))
    """
    exponents = dict(left)
    for variable, exponent in right:
        exponents[variable] = exponents.get(variable, 0) + exponent
    return tuple(sorted(exponents.items()))


def constant_polynomial(value: Fraction | int) -> Polynomial:
    """Return a number as a polynomial."""
    return {(): Fraction(value)} if value else ZERO


def variable_polynomial(name: str) -> Polynomial:
    """Return a variable as a polynomial."""
    return {((name, 1),): Fraction(1)}


def added(left: Polynomial, right: Polynomial, factor: Fraction | int = 1) -> Polynomial:
    """Return left + factor * right."""
    total = dict(left)
    for monomial, coefficient in right.items():
        change = _times(factor, coefficient)
        total[monomial] = total[monomial] + change if monomial in total else change
        if not total[monomial]:
            del total[monomial]
    return total


def _times(factor: Fraction | int, coefficient: Fraction) -> Fraction:
    # Mostly nothing has to be multiplied, which fractions do slowly.
    return coefficient if factor == 1 else -coefficient if factor == -1 else factor * coefficient


def multiplied(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the product of two polynomials."""
    total: dict[Monomial, Fraction] = {}
    for first, a in left.items():
        for second, b in right.items():
            monomial = monomial_product(first, second)
            total[monomial] = total[monomial] + a * b if monomial in total else a * b
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def product(factors: Iterable[Polynomial]) -> Polynomial:
    """Return the product of polynomials; 1 of none."""
    result = constant_polynomial(1)
    for factor in factors:
        result = multiplied(result, factor)
    return result


def value_of_constant(polynomial: Polynomial) -> Fraction | None:
    """Return the number that a polynomial is, or None if it has variables."""
    if any(monomial for monomial in polynomial):
        return None
    return polynomial.get((), Fraction(0))
