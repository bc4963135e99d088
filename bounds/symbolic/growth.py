"""How fast an expression grows or decays, term by term: products of powers and logarithms of large variables."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from bounds.errors import InputError
from bounds.symbolic.symbols import LargestOf, symbols

#: The exponents of s and ln s, for each variable s that tends to infinity.
Order = tuple[tuple[Any, Any], ...]
#: Orders of which the largest counts, none of them always smaller than another; zero has none.
Orders = tuple[Order, ...]


@dataclass(frozen=True, eq=False)
class Growth:
    """The orders of expressions, from those of their symbols; any other symbol is a positive constant.

    An expression of orders ``r, s, ...`` lies between positive multiples of the largest of these monomials once all
    variables are large, whichever grows faster.

    Parameters
    ----------
    variables : tuple of sympy.Expr
        What tends to infinity.
    known : mapping of sympy.Expr to tuple of int
        Some symbols as products of powers of the variables, by their exponents; none for a symbol that is zero.

    Examples
    --------
    >>> T, alpha = sympy.symbols("T alpha")
    >>> Growth((T,), {T: (1,)}).of(T**alpha + sympy.sqrt(T * sympy.log(T)) + 5)
    (((alpha, 0),), ((1/2, 1/2),))
    """

    variables: tuple[Any, ...]
    known: Mapping[Any, tuple[int, ...]]

    @property
    def constant(self) -> Order:
        """The order of a constant."""
        return _powers(0 for _ in self.variables)

    def of(self, expression: Any) -> Orders:
        """Return the orders of an expression.

        Raises
        ------
        InputError
            A negative term may lead, it depends on alpha which term of a minimum is smaller, or a function is unknown.
        """
        letter = expression.base if isinstance(expression, sympy.Indexed) else expression
        if letter in self.known:
            return (_powers(self.known[letter]),) if self.known[letter] else ()
        if isinstance(expression, sympy.Indexed) or not expression.args:
            return () if expression == 0 else (self.constant,)
        if isinstance(expression, LargestOf):
            return self.of(expression.args[0])
        if isinstance(expression, sympy.Sum):  # as often as its index has values
            return self.of(expression.function * expression.limits[0][2])
        kind, parts = expression.func, [self.of(part) for part in expression.args]
        if kind is sympy.Add:
            return self._sum(expression, parts)
        if kind is sympy.Max:
            return _largest(itertools.chain(*parts))
        if kind is sympy.Min:
            return _smallest(expression, parts)
        if kind is sympy.Mul:
            return _largest(map(_product, itertools.product(*parts)))
        if kind is sympy.Pow and parts[1] in ((), (self.constant,)):
            return _power(expression, parts[0])
        if kind is sympy.log:
            return self._logarithms(expression, parts[0], of=1)
        if kind is sympy.LambertW and expression.args[1:] == (-1,):
            return self._logarithms(expression, parts[0], of=-1)
        if kind in (sympy.ceiling, sympy.floor):
            return _largest((*parts[0], self.constant))
        raise _no_order(expression, f"there is no rule for {kind.__name__}")

    def _sum(self, expression: Any, parts: list[Orders]) -> Orders:
        found = _largest(itertools.chain(*parts))
        for term, orders in zip(expression.args, parts, strict=True):
            leads = any(compare(one, other) == 0 for one in orders for other in found) and orders != (self.constant,)
            if leads and term.as_coeff_Mul()[0].is_negative:
                raise _no_order(expression, f"the negative term {term} may lead")
        return found

    def _logarithms(self, expression: Any, orders: Orders, of: int) -> Orders:
        """Return the orders of a logarithm of what grows (1) or decays (-1) like a power, or is constant."""
        found = []
        for order in orders:
            places = [place for place, (power, _) in enumerate(order) if _sign(power) == of]
            if any(pair != (0, 0) for place, pair in enumerate(order) if place not in places):
                raise _no_order(expression, "its argument is not known to grow or to decay like a power")
            one = (sympy.S.Zero, sympy.S.One)
            found += [(*self.constant[:place], one, *self.constant[place + 1 :]) for place in places] or [order]
        return _largest(found)

    def monomials(self, orders: Orders) -> Iterator[Any]:
        """Yield the monomials of some orders, with ln(s_1 s_2) in place of two that differ in ln s_1 and ln s_2."""
        logarithms: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
        for order in orders:
            powers, exponents = zip(*order, strict=True)
            logarithms[_monomial(self.variables, powers)].append(exponents)
        for power, found in logarithms.items():
            if found == [(q := found[0][0], 0), (0, q)]:
                yield power * sympy.log(sympy.Mul(*self.variables)) ** q
            else:
                yield from (power * _monomial(map(sympy.log, self.variables), exponents) for exponents in found)


def compare(left: Order, right: Order) -> int | None:
    """Return 1 or -1 for the larger or smaller of two orders and 0 for equal ones; None if neither is always larger.

    Examples
    --------
    >>> compare(((1, 0),), ((1, 2),)), compare(((1, 0), (0, 0)), ((0, 0), (1, 0)))
    (-1, None)
    """
    signs = {
        next((sign for one, other in zip(*pairs, strict=True) if (sign := _sign(one - other)) != 0), 0)
        for pairs in zip(left, right, strict=True)
    }
    return next((sign for sign in (0, 1, -1) if signs <= {0, sign}), None)


def dominates(larger: Orders, smaller: Orders) -> bool:
    """Return whether what has the first orders is at least a positive multiple of what has the second ones."""
    return all(any(compare(one, other) in (0, 1) for one in larger) for other in smaller)


def _largest(orders: Iterable[Order]) -> Orders:
    """Return the orders that are not smaller than another one, nor equal to one before."""
    found: list[Order] = []
    for one in orders:
        if not any(compare(one, other) in (0, -1) for other in found):
            found = [other for other in found if compare(other, one) != -1] + [one]
    return tuple(found)


def _smallest(expression: Any, parts: list[Orders]) -> Orders:
    for orders in parts:
        if all(dominates(other, orders) for other in parts):
            return orders
    raise _no_order(expression, "none of its terms is always the smallest")


def _power(expression: Any, base: Orders) -> Orders:
    if len(base) > 1 and _sign(expression.exp) != 1:
        raise _no_order(expression, "a sum has a power that may be negative")
    return _largest(tuple((p * expression.exp, q * expression.exp) for p, q in order) for order in base)


def _product(orders: Iterable[Order]) -> Order:
    return tuple(tuple(map(sympy.Add, *pairs)) for pairs in zip(*orders, strict=True))


def _powers(exponents: Iterable[int]) -> Order:
    return tuple((sympy.Integer(exponent), sympy.S.Zero) for exponent in exponents)


def _monomial(factors: Iterable[Any], exponents: Iterable[Any]) -> Any:
    return sympy.Mul(*map(sympy.Pow, factors, exponents))


@functools.cache
def _sign(exponent: Any) -> int | None:
    """Return the sign of an expression in alpha on (0, 1), None where it changes."""
    odds = sympy.Dummy(positive=True)  # alpha = 1 / (1 + odds)
    shown = sympy.factor(sympy.sympify(exponent).subs(symbols.alpha, 1 / (1 + odds)))
    return 0 if shown.is_zero else 1 if shown.is_positive else -1 if shown.is_negative else None


def _no_order(expression: Any, reason: str) -> InputError:
    return InputError("expression", str(expression), "has no order here", reason)
