"""The evaluator: walks an expression in floats, or in balls when certainty is asked for.

Ceilings and floors are where a rounding error becomes a wrong integer. In floats, an argument near an
integer is handed to balls; balls that cannot separate it at any precision are handed to exact algebra.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.language.arithmetic import (
    Arithmetic,
    Array,
    BeyondError,
    FloatArithmetic,
    RigorousArithmetic,
    UndecidedError,
    rigorous,
)
from bounds.language.quantities import QUANTITIES, Quantity
from bounds.language.terms import REDUCTIONS, Term
from bounds.language.trees import Tree, names_in

# Far above the rounding error of any formula here (about 1e-13), far below the usual distance to an integer.
NEAR_INTEGER = 1e-9
# Beyond this, doubles are all integers and the enclosure decides.
LARGE = 2.0**50
PRECISIONS = (128, 512, 2048, 8192)
# Sums and differences of doubles, which lie between 2^-1074 and 2^1024, are exact in so many bits.
EXACT_PRECISION = 2200
LARGEST = ("LargestOverUnqualified", "LargestOverCompetitors")


class Evaluable(Term):
    """What the evaluator needs of a formula.

    `positive` holds what must be positive for a value to exist, as text and as tree; `inputs` the quantities whose
    values are needed; `per_provider` says whether the value has one entry per provider.
    """

    quantity: Quantity
    tree: Tree
    positive: tuple[tuple[str, Tree], ...]
    inputs: tuple[Quantity, ...]
    per_provider: bool

    def definition(self, name: Any) -> Evaluable | None:
        """Return the formula that a name or symbol in the tree stands for, if it is not an input."""
        raise NotImplementedError


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

    #: Whether a value that overflowed is computed anew: element by element, in a millisecond or so each.
    extends = True

    def __init__(
        self, values: Mapping[str, Any], arithmetic: Arithmetic | None = None, backend: str | None = None
    ) -> None:
        self._values = values
        self._arithmetic: Arithmetic = arithmetic or FloatArithmetic()
        self._backend = backend
        self._inputs: dict[str, Array] = {}
        self._done: dict[Evaluable, Array] = {}

    def formula(self, formula: Evaluable) -> Array:
        """Return the value of a formula; a subclass may know it from elsewhere."""
        return self.walked(formula)

    def walked(self, formula: Evaluable) -> Array:
        """Return the value of a formula by walking its tree; the formulas in it come from `formula`."""
        if formula not in self._done:
            with np.errstate(all="ignore"):
                self._require(formula)
            self._done[formula] = self.part(formula.tree, formula, formula.per_provider)
        return self._done[formula]

    def part(self, tree: Tree, owner: Evaluable, spread: bool = False) -> Array:
        """Return the value of a part of a formula, in extended range where doubles overflow on the way to it.

        What then still exceeds the largest double is infinite, an impossible value a NaN.
        """
        with np.errstate(all="ignore"):
            found = self.value_of(tree, owner, spread)
        if not (self.extends and isinstance(self._arithmetic, FloatArithmetic)) or np.isfinite(found).all():
            return found
        result = np.array(found, dtype=float)
        names = _inputs_of(tree, owner)
        for index in map(tuple, np.argwhere(~np.isfinite(result))):
            values = {name: self._element(name, result.shape, index, spread) for name in names}
            with contextlib.suppress(UndecidedError, ZeroDivisionError):
                result[index] = _nearest_double(tree, owner, values, self._backend)
        return result

    def _require(self, formula: Evaluable) -> None:
        for text, tree in formula.positive:
            names = _inputs_of(tree, formula)
            if self._is_positive(tree, formula, names):
                continue
            shown = ", ".join(f"{name}={self._values[name]!r}" for name in names)
            raise InputError(formula.quantity.name, None, f"needs {text} > 0", f"it has no value at {shown}")

    def _is_positive(self, tree: Tree, owner: Evaluable, names: list[str]) -> bool:
        """Whether an expression is positive everywhere; where rounding could decide, ask exact numbers."""
        spread = is_per_provider(tree, owner)
        if isinstance(self._arithmetic, FloatArithmetic):
            found = self.value_of(tree, owner, spread)
            scale = max((float(np.max(np.abs(self._input(n)), initial=0.0)) for n in names), default=0.0)
            if np.all(found > NEAR_INTEGER * scale):
                return True
        with rigorous(EXACT_PRECISION, self._backend) as exact:
            items = Evaluation(self._values, exact, self._backend).value_of(tree, owner, spread).ravel()
            return all(exact.enclosure(item).lower > 0 for item in items)

    def value_of(self, tree: Tree, owner: Evaluable, spread: bool = False) -> Array:
        """Return the value of a part of a formula; `spread` says that providers occupy the last axis here."""
        if isinstance(tree, str):
            return self._named(tree, owner, spread)
        if isinstance(tree, int):
            return self._arithmetic.array(tree)
        operation, *parts = tree
        if operation == "rational":
            return self._arithmetic.array(Fraction(*parts))
        if operation in _ROUNDINGS:
            return self._rounded(tree, owner, spread)
        if operation in REDUCTIONS:
            return _reduce(operation, self.value_of(parts[0], owner, True), self._arithmetic)
        if operation == "integer_power":
            return np.asarray(self.value_of(parts[0], owner, spread) ** parts[1])
        return self._operation(operation, [self.value_of(part, owner, spread) for part in parts])

    def _input(self, name: str) -> Array:
        if name not in self._inputs:
            self._inputs[name] = self._arithmetic.array(self._values[name])
        return self._inputs[name]

    def _named(self, name: str, owner: Evaluable, spread: bool) -> Array:
        definition = owner.definition(name)
        value = self.formula(definition) if definition else self._input(name)
        has_axis = (definition or QUANTITIES[name]).per_provider
        return value[..., None] if spread and not has_axis and value.ndim else value

    def _operation(self, operation: str, arguments: list[Array]) -> Array:
        if operation == "add":
            return _fold(np.add, arguments)
        if operation == "mul":
            return _fold(_times, arguments)
        if operation == "reciprocal":
            return np.asarray(1 / arguments[0])
        if operation in ("maximum", "minimum"):
            return _fold(lambda x, y: self._arithmetic.call(operation, x, y), arguments)
        return self._arithmetic.call(operation, *arguments)

    def _rounded(self, tree: Any, owner: Evaluable, spread: bool) -> Array:
        inside = self.value_of(tree[1], owner, spread)
        if isinstance(self._arithmetic, RigorousArithmetic):
            return self._arithmetic.array(self._certain(tree, owner, spread, inside, np.ones(inside.shape, bool)))
        result = np.asarray((np.ceil if tree[0] == "ceiling" else np.floor)(inside))
        near = np.abs(inside - np.rint(inside)) <= NEAR_INTEGER * np.maximum(1, np.abs(inside))
        near |= ~(np.abs(inside) < LARGE)  # also where a double over- or underflowed
        if near.any():
            result = np.array(result)
            result[near] = _floats(self._certain(tree, owner, spread, inside, near)[near])
        return result

    def _certain(self, tree: Tree, owner: Evaluable, spread: bool, inside: Array, where: Array) -> Array:
        """Return the integers of the marked elements, decided one by one."""
        decided = np.zeros(inside.shape, dtype=object)
        names = _inputs_of(tree, owner)
        for index in np.argwhere(where):
            values = {n: self._element(n, inside.shape, tuple(index), spread) for n in names}
            try:
                decided[tuple(index)] = decide(tree, owner, values, self._backend)
            except BeyondError:
                if isinstance(self._arithmetic, RigorousArithmetic):
                    raise
                decided[tuple(index)] = inside[tuple(index)]
        return decided

    def _element(self, name: str, shape: tuple[int, ...], index: tuple[int, ...], spread: bool) -> Any:
        value = np.asarray(self._values[name], dtype=object)
        if not value.ndim:
            return value.item()
        per_provider = QUANTITIES[name].per_provider
        if spread and not per_provider:
            value = value[..., None]
        if per_provider and not spread:  # all providers of this instance
            return np.broadcast_to(value, (*shape, value.shape[-1]))[index]
        return np.broadcast_to(value, shape)[index]


_ROUNDINGS: dict[str, Callable[[Any], int]] = {"ceiling": math.ceil, "floor": math.floor}


def decide(tree: Any, owner: Evaluable, values: Mapping[str, Any], backend: str | None = None) -> int:
    """Return the exact integer value of a ceiling or floor at exact inputs.

    Raises
    ------
    UndecidedError
        No precision and no algebra separates the argument from an integer.
    """
    rounding, inside = _ROUNDINGS[tree[0]], tree[1]
    for attempt, precision in enumerate(PRECISIONS):
        with rigorous(precision, backend) as arithmetic:
            found = Evaluation(values, arithmetic, backend).value_of(inside, owner)
            box = arithmetic.enclosure(found.item() if found.ndim == 0 else found.ravel()[0])
        if rounding(box.lower) == rounding(box.upper):
            return int(rounding(box.lower))
        if attempt == 0 and (exact := _algebraic(inside, owner, values)) is not None:
            return int(rounding(exact))
    raise UndecidedError(f"a {tree[0]} in {owner.quantity.name}: within {float(box.width):.1e} of an integer")


def _nearest_double(tree: Tree, owner: Evaluable, values: Mapping[str, Any], backend: str | None = None) -> float:
    """Return the double next to the exact value of a part of a formula, infinite beyond the largest.

    Raises
    ------
    UndecidedError
        No precision encloses the value: it does not exist, or is far beyond any double.
    """
    for precision in PRECISIONS:
        with rigorous(precision, backend) as arithmetic:
            box = arithmetic.enclosure(Evaluation(values, arithmetic, backend).value_of(tree, owner).item())
        low, high = (float(_floats(np.asarray(end))) for end in (box.lower, box.upper))
        if high <= math.nextafter(low, math.inf):
            break
    return high


def _algebraic(tree: Tree, owner: Evaluable, values: Mapping[str, Any]) -> Fraction | None:
    """Return the exact rational value of an expression (16 for 2 * 16**(3/4)), or None.

    None also for values that are rational but unlikely, and expensive to find: huge powers and roots.
    """
    return _rational(tree, owner, values)


def _rational(tree: Tree, owner: Evaluable, values: Mapping[str, Any]) -> Fraction | None:
    if isinstance(tree, str):
        if definition := owner.definition(tree):
            return _rational(definition.tree, definition, values)
        value = values[tree]
        return Fraction(value.item() if isinstance(value, np.generic) else value)
    if isinstance(tree, int):
        return Fraction(tree)
    operation, *parts = tree
    if operation == "rational":
        return Fraction(*parts)
    if operation not in _RATIONAL:
        return None
    known = [found for part in parts if (found := _rational(part, owner, values)) is not None]
    return _RATIONAL[operation](*known) if len(known) == len(parts) else None


#: Exponents beyond this make a number too large to look at, and roots beyond it are hardly ever whole.
_LARGEST_POWER = 2**12


def _rational_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return a power if it is rational and not too large to look at, else None."""
    if base == 1 or exponent == 0:
        return Fraction(1)
    if base <= 0 or max(abs(exponent.numerator), exponent.denominator) > _LARGEST_POWER:
        return None
    root = Fraction(*(_whole_root(part, exponent.denominator) for part in (base.numerator, base.denominator)))
    return root**exponent.numerator if root**exponent.denominator == base else None


def _whole_root(number: int, degree: int) -> int:
    """Return the root of a positive whole number, rounded down."""
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle)
    return low


_RATIONAL: dict[str, Callable[..., Fraction | None]] = {
    "add": lambda *parts: sum(parts, Fraction(0)),
    "mul": lambda *parts: math.prod(parts, start=Fraction(1)),
    "sqrt": lambda base: _rational_power(base, Fraction(1, 2)),
    "reciprocal": lambda base: _rational_power(base, Fraction(-1)),
    "integer_power": _rational_power,
    "power": _rational_power,
}


def _inputs_of(tree: Tree, owner: Evaluable) -> list[str]:
    names: set[str] = set()
    for name in names_in(tree):
        definition = owner.definition(name)
        names.update(q.name for q in definition.inputs) if definition else names.add(name)
    return sorted(names)


def is_per_provider(tree: Tree, owner: Evaluable) -> bool:
    """Whether an expression has a provider axis that no reduction has summed away."""
    if isinstance(tree, str):
        return (owner.definition(tree) or QUANTITIES[tree]).per_provider
    if isinstance(tree, int) or tree[0] in REDUCTIONS:
        return False
    return any(is_per_provider(part, owner) for part in tree[1:])


def _times(left: Array, right: Array) -> Array:
    """Return the product; zero times a count that overflowed is zero, not NaN."""
    product = np.asarray(left * right)
    if product.dtype == object or (product.all() and not np.isnan(product).any()):
        return product
    return np.where((left == 0) | (right == 0), 0.0, product)


def _fold(function: Callable[[Array, Array], Array], arguments: list[Array]) -> Array:
    return functools.reduce(lambda left, right: np.asarray(function(left, right)), arguments)


def _reduce(operation: str, inside: Array, arithmetic: Arithmetic) -> Array:
    """Sum or maximise over the last axis; over no provider at all, both are zero."""
    if isinstance(arithmetic, FloatArithmetic) and operation not in LARGEST:
        return np.asarray(inside.sum(axis=-1))
    result = arithmetic.array(np.zeros(inside.shape[:-1]))
    for column in np.moveaxis(inside, -1, 0):
        result = arithmetic.call("maximum", result, column) if operation in LARGEST else result + column
    return np.asarray(result)


def _floats(exact: Array) -> Array:
    """Return whole numbers or fractions as doubles, infinite where they exceed the largest double."""

    def rounded(number: int | Fraction) -> float:
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf

    return np.asarray(np.frompyfunc(rounded, 1, 1)(exact), dtype=float)
