"""The evaluator: walks an expression in floats, or in balls when certainty is asked for.

Ceilings and floors are where a rounding error becomes a wrong integer. In floats, an argument near an
integer is handed to balls; balls that cannot separate it at any precision are handed to exact algebra.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from bounds.errors import InputError
from bounds.language.arithmetic import Arithmetic, Array, FloatArithmetic, RigorousArithmetic, UndecidedError, rigorous
from bounds.language.quantities import LARGEST, QUANTITIES, REDUCTIONS

if TYPE_CHECKING:
    from bounds.language.formula import Formula

# Far above the rounding error of any formula here (about 1e-13), far below the usual distance to an integer.
NEAR_INTEGER = 1e-9
# Beyond this, doubles are all integers and the enclosure decides.
LARGE = 2.0**50
PRECISIONS = (128, 512, 2048, 8192)
# Sums and differences of doubles, which lie between 2^-1074 and 2^1024, are exact in so many bits.
EXACT_PRECISION = 2200

_ROUNDINGS: dict[Any, Callable[[Any], int]] = {sympy.ceiling: math.ceil, sympy.floor: math.floor}


class Evaluation:
    """Values of formulas at one set of inputs, in one arithmetic; each formula is computed once.

    Parameters
    ----------
    values : mapping of str to number or array
        Inputs by quantity name.
    arithmetic : Arithmetic, optional
        Floats by default.
    backend : str, optional
        Which rigorous arithmetic decides ceilings.
    """

    def __init__(
        self, values: Mapping[str, Any], arithmetic: Arithmetic | None = None, backend: str | None = None
    ) -> None:
        self._values = values
        self._arithmetic: Arithmetic = arithmetic or FloatArithmetic()
        self._backend = backend
        self._inputs: dict[str, Array] = {}
        self._done: dict[sympy.Symbol, Array] = {}

    def formula(self, formula: Formula) -> Array:
        """Return the value of a formula."""
        if formula.symbol not in self._done:
            # An overflow is an infinity here, an impossible value a NaN.
            with np.errstate(all="ignore"):
                self._require(formula)
                self._done[formula.symbol] = self._walk(formula.expression, formula, formula.per_provider)
        return self._done[formula.symbol]

    def _require(self, formula: Formula) -> None:
        for requirement in formula.requires:
            names = _inputs_of(requirement, formula)
            if self._is_positive(requirement, formula, names):
                continue
            shown = ", ".join(f"{name}={self._values[name]!r}" for name in names)
            raise InputError(formula.quantity.name, None, f"needs {requirement} > 0", f"it has no value at {shown}")

    def _is_positive(self, requirement: Any, owner: Formula, names: list[str]) -> bool:
        """Whether an expression is positive everywhere; where rounding could decide, ask exact numbers."""
        spread = is_per_provider(requirement, owner)
        if isinstance(self._arithmetic, FloatArithmetic):
            found = self._walk(requirement, owner, spread)
            scale = max((float(np.max(np.abs(self._input(n)), initial=0.0)) for n in names), default=0.0)
            if np.all(found > NEAR_INTEGER * scale):
                return True
        with rigorous(EXACT_PRECISION, self._backend) as exact:
            items = Evaluation(self._values, exact, self._backend)._walk(requirement, owner, spread).ravel()
            return all(exact.enclosure(item).lower > 0 for item in items)

    def _walk(self, node: Any, owner: Formula, spread: bool) -> Array:
        """Evaluate a node; `spread` says that providers occupy the last axis here."""
        if isinstance(node, sympy.Symbol):
            return self._symbol(node, owner, spread)
        if node.is_Rational:
            return self._arithmetic.array(Fraction(int(node.p), int(node.q)))
        if isinstance(node, tuple(_ROUNDINGS)):
            return self._rounded(node, owner, spread)
        if isinstance(node, REDUCTIONS):
            inside = self._walk(node.args[0], owner, True)
            return _reduce(node, inside, self._arithmetic)
        if node is sympy.pi:
            return self._arithmetic.pi()
        if node is sympy.E:
            return self._arithmetic.euler()
        return self._operation(node, [self._walk(argument, owner, spread) for argument in node.args])

    def _input(self, name: str) -> Array:
        if name not in self._inputs:
            self._inputs[name] = self._arithmetic.array(self._values[name])
        return self._inputs[name]

    def _symbol(self, symbol: sympy.Symbol, owner: Formula, spread: bool) -> Array:
        definition = owner.definition(symbol)
        value = self.formula(definition) if definition else self._input(symbol.name)
        has_axis = (definition or QUANTITIES[symbol]).per_provider
        return value[..., None] if spread and not has_axis and value.ndim else value

    def _operation(self, node: Any, arguments: list[Array]) -> Array:
        call = self._arithmetic.call
        if isinstance(node, sympy.Add):
            return _fold(np.add, arguments)
        if isinstance(node, sympy.Mul):
            return _fold(_times, arguments)
        if isinstance(node, sympy.Pow):
            return self._power(node, *arguments)
        if isinstance(node, sympy.Max):
            return _fold(lambda x, y: call("maximum", x, y), arguments)
        if isinstance(node, sympy.Min):
            return _fold(lambda x, y: call("minimum", x, y), arguments)
        if isinstance(node, sympy.LambertW):
            return call("lambertw_lower", arguments[0])
        if isinstance(node, (sympy.log, sympy.exp)):
            return call(type(node).__name__, *arguments)
        raise TypeError(f"no evaluation for {type(node).__name__}")

    def _power(self, node: Any, base: Array, exponent: Array) -> Array:
        if node.exp == sympy.Rational(1, 2):
            return self._arithmetic.call("sqrt", base)
        if node.exp == -sympy.Rational(1, 2):
            return np.asarray(1 / self._arithmetic.call("sqrt", base))
        if node.exp == -1:
            return np.asarray(1 / base)
        if node.exp.is_Integer:
            return np.asarray(base ** int(node.exp))
        return self._arithmetic.call("power", base, exponent)

    def _rounded(self, node: Any, owner: Formula, spread: bool) -> Array:
        inside = self._walk(node.args[0], owner, spread)
        rounding = _ROUNDINGS[type(node)]
        if isinstance(self._arithmetic, RigorousArithmetic):
            return self._arithmetic.array(self._certain(node, owner, spread, inside, np.ones(inside.shape, bool)))
        result = np.asarray((np.ceil if rounding is math.ceil else np.floor)(inside))
        near = np.abs(inside - np.rint(inside)) <= NEAR_INTEGER * np.maximum(1, np.abs(inside))
        near |= ~(np.abs(inside) < LARGE)  # also where a double over- or underflowed
        if near.any():
            result = np.array(result)
            result[near] = _floats(self._certain(node, owner, spread, inside, near)[near])
        return result

    def _certain(self, node: Any, owner: Formula, spread: bool, inside: Array, where: Array) -> Array:
        """Return the integers of the marked elements, decided one by one."""
        decided = np.zeros(inside.shape, dtype=object)
        names = _inputs_of(node, owner)
        for index in np.argwhere(where):
            values = {n: self._element(n, inside.shape, tuple(index), spread) for n in names}
            decided[tuple(index)] = decide(node, owner, values, self._backend)
        return decided

    def _element(self, name: str, shape: tuple[int, ...], index: tuple[int, ...], spread: bool) -> Any:
        value = np.asarray(self._values[name], dtype=object)
        if not value.ndim:
            return value.item()
        per_provider = any(q.name == name and q.per_provider for q in QUANTITIES.values())
        if spread and not per_provider:
            value = value[..., None]
        return value if per_provider and not spread else np.broadcast_to(value, shape)[index]


def decide(node: Any, owner: Formula, values: Mapping[str, Any], backend: str | None = None) -> int:
    """Return the exact integer value of a ceiling or floor at exact inputs.

    Raises
    ------
    UndecidedError
        No precision and no algebra separates the argument from an integer.
    """
    rounding = _ROUNDINGS[type(node)]
    for attempt, precision in enumerate(PRECISIONS):
        with rigorous(precision, backend) as arithmetic:
            inside = Evaluation(values, arithmetic, backend)._walk(node.args[0], owner, False)
            box = arithmetic.enclosure(inside.item() if inside.ndim == 0 else inside.ravel()[0])
        if rounding(box.lower) == rounding(box.upper):
            return int(rounding(box.lower))
        if attempt == 0 and (exact := _algebraic(node.args[0], owner, values)) is not None:
            return int(rounding(exact))
    raise UndecidedError(f"{node} lies within {float(box.width):.1e} of an integer")


def _algebraic(node: Any, owner: Formula, values: Mapping[str, Any]) -> Fraction | None:
    """Return the exact rational value of an expression (16 for 2 * 16**(3/4)), or None.

    None also for values that are rational but unlikely, and expensive to find: huge powers and roots.
    """
    return _rational(node, owner, values)


def _rational(node: Any, owner: Formula, values: Mapping[str, Any]) -> Fraction | None:
    if isinstance(node, sympy.Symbol):
        definition = owner.definition(node)
        return _rational(definition.expression, definition, values) if definition else Fraction(values[node.name])
    if node.is_Rational:
        return Fraction(int(node.p), int(node.q))
    if not isinstance(node, sympy.Add | sympy.Mul | sympy.Pow):
        return None
    known = [part for argument in node.args if (part := _rational(argument, owner, values)) is not None]
    if len(known) < len(node.args):
        return None
    if isinstance(node, sympy.Pow):
        return _rational_power(*known)
    return sum(known, Fraction(0)) if isinstance(node, sympy.Add) else math.prod(known, start=Fraction(1))


#: Exponents beyond this make a number too large to look at, and roots beyond it are hardly ever whole.
_LARGEST_POWER = 2**12


def _rational_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return a power if it is rational and not too large to look at, else None."""
    if base == 1 or exponent == 0:
        return Fraction(1)
    if base <= 0 or max(abs(exponent.numerator), exponent.denominator) > _LARGEST_POWER:
        return None
    roots = [sympy.integer_nthroot(part, exponent.denominator) for part in (base.numerator, base.denominator)]
    if not all(exact for _, exact in roots):
        return None
    return Fraction(int(roots[0][0]), int(roots[1][0])) ** exponent.numerator


def _inputs_of(node: Any, owner: Formula) -> list[str]:
    names: set[str] = set()
    for symbol in node.free_symbols:
        definition = owner.definition(symbol)
        names.update(q.name for q in definition.inputs) if definition else names.add(symbol.name)
    return sorted(names)


def is_per_provider(node: Any, owner: Formula) -> bool:
    """Whether a node has a provider axis that no reduction has summed away."""
    if isinstance(node, REDUCTIONS):
        return False
    if isinstance(node, sympy.Symbol):
        return (owner.definition(node) or QUANTITIES[node]).per_provider
    return any(is_per_provider(argument, owner) for argument in node.args)


def _times(left: Array, right: Array) -> Array:
    """Return the product; zero times a count that overflowed is zero, not NaN."""
    if left.dtype == object or right.dtype == object:
        return np.asarray(left * right)
    product = np.asarray(left * right)
    if not product.ndim:
        return product if left and right else np.asarray(0.0)
    if product.all() and not np.isnan(product).any():
        return product
    return np.where((left == 0) | (right == 0), 0.0, product)


def _fold(function: Callable[[Array, Array], Array], arguments: list[Array]) -> Array:
    result = arguments[0]
    for argument in arguments[1:]:
        result = np.asarray(function(result, argument))
    return result


def _reduce(node: Any, inside: Array, arithmetic: Arithmetic) -> Array:
    """Sum or maximise over the last axis; over no provider at all, both are zero."""
    if isinstance(arithmetic, FloatArithmetic) and not isinstance(node, LARGEST):
        return np.asarray(inside.sum(axis=-1))
    result = arithmetic.array(np.zeros(inside.shape[:-1]))
    for column in np.moveaxis(inside, -1, 0):
        result = arithmetic.call("maximum", result, column) if isinstance(node, LARGEST) else result + column
    return np.asarray(result)


def _floats(integers: Array) -> Array:
    """Return integers as doubles, infinite where they exceed the largest double."""

    def rounded(integer: int) -> float:
        try:
            return float(integer)
        except OverflowError:
            return math.inf if integer > 0 else -math.inf

    return np.asarray(np.frompyfunc(rounded, 1, 1)(integers), dtype=float)
