"""How fast an expression grows or decays, term by term: products of powers and logarithms of large variables."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy

from bounds.errors import InputError
from bounds.language.evaluation import formula_of
from bounds.language.reductions import Reduction

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
    known : mapping of sympy.Expr to Orders
        The orders of some symbols, for the same variables.
    numbers : mapping of type to Order, optional
        How many terms a kind of reduction adds up, where that grows too.

    Examples
    --------
    >>> from bounds.language.quantities import ALPHA, HORIZON
    >>> growth = Growth({HORIZON.symbol: (((1, 0),),)})
    >>> growth.of(HORIZON**ALPHA + sympy.sqrt(HORIZON * sympy.log(HORIZON)) + 5)
    (((exploration_exponent, 0),), ((1/2, 1/2),))
    """

    known: Mapping[Any, Orders]
    numbers: Mapping[type, Order] = field(default_factory=dict)

    @functools.cached_property
    def constant(self) -> Order:
        """The order of a constant."""
        return tuple(
            (sympy.S.Zero, sympy.S.Zero) for _ in next(order for orders in self.known.values() for order in orders)
        )

    def of(self, expression: Any) -> Orders:
        """Return the orders of an expression.

        Raises
        ------
        InputError
            A negative term may lead, it depends on alpha which term of a minimum is smaller, or a function is unknown.
        """
        if expression in self.known:
            return self.known[expression]
        definition = formula_of(expression) if expression.is_Symbol else None
        if definition is not None:
            if definition.expression == expression:
                raise _no_order(expression, "a search finds its value")
            return self.of(definition.expression)
        if not expression.args:
            return () if expression == 0 else (self.constant,)
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
        if kind is sympy.log or (kind is sympy.LambertW and expression.args[1:] == (-1,)):
            return _largest(itertools.chain(*(self._logarithm(expression, order) for order in parts[0])))
        if kind in (sympy.ceiling, sympy.floor):
            return _largest((*parts[0], self.constant))
        if issubclass(kind, Reduction):
            return _largest(_product((order, self.numbers.get(kind, self.constant))) for order in parts[0])
        raise _no_order(expression, "no rule covers its outermost function")

    def _sum(self, expression: Any, parts: list[Orders]) -> Orders:
        found = _largest(itertools.chain(*parts))
        for term, orders in zip(expression.args, parts, strict=True):
            leads = orders != (self.constant,) and not set(orders).isdisjoint(found)
            if leads and term.could_extract_minus_sign():
                raise _no_order(expression, f"the negative term {term} may lead")
        return found

    def _logarithm(self, expression: Any, order: Order) -> Orders:
        signs = {_sign(power) for power, _ in order} - {0}
        if order != self.constant and (
            len(signs) != 1 or any(logarithm != 0 for power, logarithm in order if power == 0)
        ):
            raise _no_order(expression, "its argument neither grows nor decays like a power")
        one = (sympy.S.Zero, sympy.S.One)
        places = [place for place, (power, _) in enumerate(order) if power != 0]
        return tuple((*self.constant[:at], one, *self.constant[at + 1 :]) for at in places) or (self.constant,)


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
    """Return the orders that are not smaller than another one."""
    found = tuple(dict.fromkeys(orders))
    return tuple(one for one in found if not any(compare(one, other) == -1 for other in found))


def _smallest(expression: Any, parts: list[Orders]) -> Orders:
    for orders in parts:
        if all(dominates(other, orders) for other in parts):
            return orders
    raise _no_order(expression, "none of its terms is always the smallest")


def _power(expression: Any, base: Orders) -> Orders:
    if len(base) > 1 and _sign(expression.exp) != 1:
        raise _no_order(expression, "a sum has a power that may be negative")
    scaled = (
        tuple((power * expression.exp, logarithm * expression.exp) for power, logarithm in order) for order in base
    )
    return _largest(scaled)


def _product(orders: Iterable[Order]) -> Order:
    return tuple(tuple(map(sympy.Add, *pairs)) for pairs in zip(*orders, strict=True))


@functools.cache
def _sign(exponent: Any) -> int | None:
    """Return the sign of an expression in alpha on (0, 1), None where it changes."""
    given = sympy.sympify(exponent)
    odds = sympy.Dummy(positive=True)  # alpha = 1 / (1 + odds)
    shown = sympy.factor(given.subs(dict.fromkeys(given.free_symbols, 1 / (1 + odds))))
    return 0 if shown.is_zero else 1 if shown.is_positive else -1 if shown.is_negative else None


def _no_order(expression: Any, reason: str) -> InputError:
    return InputError("expression", str(expression), "has no order here", reason)
