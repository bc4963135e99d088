"""The evaluator: walks an expression once and for all, then takes its steps in doubles, balls or fractions.

Ceilings and floors are where a rounding error becomes a wrong integer. In doubles, an argument near an integer is
handed to balls; balls that cannot separate it are handed to fractions.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Mapping, Sequence, Set
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from bounds.errors import InputError
from bounds.language.arithmetic import (
    Arithmetic,
    Array,
    BeyondError,
    FloatArithmetic,
    IrrationalError,
    RationalArithmetic,
    UndecidedError,
    rigorous,
)
from bounds.language.quantities import QUANTITIES, Quantity, Symbolic
from bounds.language.reductions import Reduction

# Far above the rounding error of any formula here (about 1e-13), far below the usual distance to an integer.
NEAR_INTEGER = 1e-9
# Beyond this, doubles are all integers and the enclosure decides.
LARGE = 2.0**50
PRECISIONS = (128, 512, 2048, 8192)
# Sums and differences of doubles, which lie between 2^-1074 and 2^1024, are exact in so many bits.
EXACT_PRECISION = 2200
#: Under which name the inputs of formulas hold a `Known`.
KNOWN = "known"
_FLOATS, _FRACTIONS = FloatArithmetic(), RationalArithmetic()


class Known:
    """Values that unchanged inputs give again and again: those of formulas, and the whole numbers of their roundings.

    A search over horizons asks for the same M_i and L_i at each. The inputs hold one of these as `KNOWN`; it serves
    where every input that a value needs is the very object that stood there first.

    Parameters
    ----------
    inputs : mapping of str to number or array
    """

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self._inputs = {name: value for name, value in inputs.items() if name != KNOWN}
        self._found: dict[object, Array] = {}

    def __reduce__(self) -> tuple[type[Known], tuple[dict[str, Any]]]:
        return type(self), (self._inputs,)

    def unchanged(self, values: Mapping[str, Any]) -> frozenset[str]:
        """Return the names of those inputs that are the first ones."""
        first = self._inputs
        return frozenset(name for name, value in values.items() if name in first and value is first[name])

    def get(self, owner: object) -> Array | None:
        """Return the value of a formula, or of a rounding, if it is known."""
        return self._found.get(owner)

    def keep(self, owner: object, value: Array) -> Array:
        """Keep a value, and return it."""
        value.flags.writeable = False
        self._found[owner] = value
        return value


#: What defines a symbol that stands for a formula in others.
_DEFINITIONS: dict[Any, Evaluable] = {}


def formula_of(symbol: Any) -> Evaluable | None:
    """Return the formula that a symbol stands for; None for that of an input."""
    return _DEFINITIONS.get(symbol)


def definitions_in(*expressions: Any) -> tuple[Evaluable, ...]:
    """Return the formulas that expressions name, in the order of their names."""
    symbols = sorted(set().union(*(each.free_symbols for each in expressions)), key=str)
    return tuple(each for each in map(formula_of, symbols) if each is not None)


class Evaluable(Symbolic):
    """What has a value: a formula, or what a function computes. In expressions it stands for its symbol.

    `requires` holds the expressions that must be positive for a value to exist, `inputs` the quantities whose values
    are needed; `per_provider` says whether the value has one entry per provider.
    """

    quantity: Quantity
    expression: Any
    requires: tuple[Any, ...]
    inputs: tuple[Quantity, ...]
    per_provider: bool

    def __str__(self) -> str:
        return self.quantity.name

    __repr__ = __str__

    @functools.cached_property
    def symbol(self) -> Any:
        """The symbol that stands for it.

        Raises
        ------
        ValueError
            Something else has this name in expressions.
        """
        quantity, symbol = self.quantity, self.quantity.symbol
        known = _DEFINITIONS.get(symbol, self)
        if (QUANTITIES[quantity.name], known.statement) != (quantity, self.statement):
            raise ValueError(f"{quantity.name} is the name of something else in expressions: choose another name")
        _DEFINITIONS.setdefault(symbol, self)
        return symbol

    @property
    def statement(self) -> Any:
        """What defines it: two that are stated alike are one."""
        return self.expression

    @functools.cached_property
    def where(self) -> tuple[Evaluable, ...]:
        """The formulas that its expression and what it requires name, in the order of their names."""
        return tuple(each for each in definitions_in(self.expression, *self.requires) if each is not self)

    @functools.cached_property
    def input_names(self) -> frozenset[str]:
        """The names of its inputs."""
        return frozenset(quantity.name for quantity in self.inputs)

    def computed(self, values: Mapping[str, Any]) -> Array | None:
        """Return its value where a function finds it and no expression states it (`bounds.language.computed`)."""
        return None


class Evaluation:
    """Values of formulas at one set of inputs, in one arithmetic; each formula is computed once.

    Parameters
    ----------
    values : mapping of str to number or array
        Inputs by quantity name.
    arithmetic : Arithmetic, optional
        Floats by default.
    known : Known, optional
        Values that need not be computed again.
    """

    #: Whether a value that overflowed is computed anew: element by element, in a millisecond or so each.
    extends = True

    def __init__(self, values: Mapping[str, Any], arithmetic: Arithmetic = _FLOATS, known: Known | None = None) -> None:
        self._known = known
        self._unchanged: frozenset[str] = frozenset() if known is None else known.unchanged(values)
        self._values = values
        self.arithmetic, self.functions = arithmetic, arithmetic.functions
        self.is_float = isinstance(arithmetic, FloatArithmetic)
        self._inputs: dict[str, Array] = {}
        self._done: dict[Evaluable, Array] = {}

    def formula(self, formula: Evaluable) -> Array:
        """Return the value of a formula; a subclass may know it from elsewhere."""
        return self.walked(formula)

    def walked(self, formula: Evaluable) -> Array:
        """Return the value of a formula by taking its steps; the formulas in it come from `formula`."""
        if formula not in self._done:
            known = self._known_for(formula.input_names)
            before = None if known is None else known.get(formula)
            if before is None and formula.requires:
                with np.errstate(all="ignore"):
                    self._require(formula)
            if before is None or not self.is_float:
                found = formula.computed(self._values)
                if found is None:
                    found = self.part(formula.expression, formula.per_provider)
                elif not self.is_float:
                    found = self.arithmetic.array(found)
                before = known.keep(formula, found) if known is not None and self.is_float else found
            self._done[formula] = before
        return self._done[formula]

    def part(self, expression: Any, spread: bool = False) -> Array:
        """Return the value of an expression, in extended range where doubles overflow on the way to it.

        What then still exceeds the largest double is infinite, an impossible value a NaN.

        Parameters
        ----------
        expression : sympy.Expr
        spread : bool, optional
            Whether providers occupy the last axis.
        """
        with np.errstate(all="ignore"):
            found = self.value_of(expression, spread)
        if not (self.extends and self.is_float) or _all_finite(found):
            return found
        result = np.array(found, dtype=float)
        values_at = self._elements(inputs_of(expression), result.shape, spread)
        for index in map(tuple, np.argwhere(~np.isfinite(result))):
            with contextlib.suppress(UndecidedError, ZeroDivisionError):
                result[index] = _nearest_double(expression, values_at(index))
        return result

    def value_of(self, expression: Any, spread: bool = False) -> Array:
        """Return the value of an expression as it comes; see `part`."""
        return np.asarray(_steps(expression, spread)(self))

    def input(self, name: str) -> Array:
        """Return the value of an input."""
        if name not in self._inputs:
            self._inputs[name] = self.arithmetic.array(self._values[name])
        return self._inputs[name]

    def _known_for(self, names: Set[str]) -> Known | None:
        """Return what is known, where it holds for the inputs of these names."""
        return self._known if self._known is not None and names <= self._unchanged else None

    def _require(self, formula: Evaluable) -> None:
        for expression in formula.requires:
            if not self._is_positive(expression):
                shown = ", ".join(f"{name}={self._values[name]!r}" for name in inputs_of(expression))
                name = formula.quantity.name
                raise InputError(name, None, f"needs {expression} > 0", f"it has no value at {shown}")

    def _is_positive(self, expression: Any) -> bool:
        """Whether an expression is positive everywhere; where rounding could decide, exact numbers do."""
        names, spread = inputs_of(expression), is_per_provider(expression)
        doubles = self if self.is_float else Evaluation(self._values)
        found = doubles.value_of(expression, spread)
        scale = max((float(np.max(np.abs(doubles.input(n)), initial=0.0)) for n in names), default=0.0)
        values_at = self._elements(names, found.shape, spread)

        def is_positive_at(index: tuple[int, ...]) -> bool:
            with rigorous(EXACT_PRECISION) as exact:
                item = Evaluation(values_at(index), exact).value_of(expression).ravel()[0]
                return exact.enclosure(item).lower > 0

        return all(map(is_positive_at, map(tuple, np.argwhere(~(found > NEAR_INTEGER * scale)))))

    def rounded(self, expression: Any, spread: bool) -> Array:
        """Return the value of a ceiling or floor, decided by exact numbers near an integer."""
        known = self._known_for(set(inputs_of(expression))) if spread and self._known is not None else None
        found = None if known is None else known.get(expression)
        # Whole numbers that were decided, and that a double holds, are exact in every arithmetic.
        if found is not None and (self.is_float or np.abs(found).max(initial=0) < 2**53):
            return self.arithmetic.array(found)
        inside = self.value_of(expression.args[0], spread)
        if not self.is_float:
            return self.arithmetic.array(self._certain(expression, spread, inside, np.ones(inside.shape, bool)))
        result = np.asarray((np.ceil if expression.func is sympy.ceiling else np.floor)(inside))
        near = np.abs(inside - np.rint(inside)) <= NEAR_INTEGER * np.maximum(1, np.abs(inside))
        near |= ~(np.abs(inside) < LARGE)  # also where a double over- or underflowed
        if near.any():
            result = np.array(result)
            result[near] = _floats(self._certain(expression, spread, inside, near)[near])
        return result if known is None else known.keep(expression, result)

    def _certain(self, expression: Any, spread: bool, inside: Array, where: Array) -> Array:
        """Return the integers of the marked elements: of many decided together, of few or what is left one by one."""
        decided = np.full(inside.shape, None)
        values_at = self._elements(inputs_of(expression), inside.shape, spread)
        marked = np.argwhere(where)
        if len(marked) > _FEW:
            for start in range(0, len(marked), _TOGETHER):
                part = tuple(marked[start : start + _TOGETHER].T)
                decided[part] = _decided_together(expression, spread, values_at(part))
        for index in map(tuple, marked):
            if decided[index] is not None:
                continue
            try:
                decided[index] = decide(expression, values_at(index))
            except BeyondError:
                if not self.is_float:
                    raise
                decided[index] = inside[index]
        return decided

    def _elements(
        self, names: Sequence[str], shape: tuple[int, ...], spread: bool
    ) -> Callable[[tuple[Any, ...]], dict[str, Any]]:
        """Return what gives the inputs of one element of an array, or of several, by index."""
        numbers: dict[str, Any] = dict.fromkeys(names)
        arrays: dict[str, Array] = {}
        for name in names:
            given = self._values[name]
            value = given if isinstance(given, np.ndarray) else np.asarray(given, dtype=object)
            if not value.ndim:
                numbers[name] = value.item()
                continue
            per_provider = QUANTITIES[name].per_provider
            if spread and not per_provider:
                value = value[..., None]
            whole = per_provider and not spread  # all providers of this instance
            arrays[name] = np.broadcast_to(value, (*shape, value.shape[-1]) if whole else shape)
        return lambda index: {**numbers, **{name: array[index] for name, array in arrays.items()}}


#: What computes an expression from inputs: in the arithmetic of the evaluation, numbers and arrays alike.
_Step = Callable[[Evaluation], Any]
#: What takes an argument, two at a time, and constants, by what they are in SymPy.
_APPLIED = {sympy.exp: "exp", sympy.Heaviside: "heaviside", sympy.LambertW: "lambertw_lower"}
_FOLDED = {sympy.Add: "add", sympy.Mul: "multiply", sympy.Max: "maximum", sympy.Min: "minimum"}
_CONSTANTS = {sympy.pi: "pi", sympy.E: "euler"}
_ROUNDINGS: dict[Any, Callable[[Any], int]] = {sympy.ceiling: math.ceil, sympy.floor: math.floor}


@functools.lru_cache(maxsize=1 << 14)
def _steps(expression: Any, spread: bool) -> _Step:
    """Return what computes an expression, made once: formulas are evaluated thousands of times.

    Raises
    ------
    TypeError
        It holds what no arithmetic here computes.
    """
    kind, arguments = expression.func, expression.args
    if expression.is_Symbol:
        return _symbol(expression, spread)
    if expression.is_Rational:
        exact = Fraction(int(expression.p), int(expression.q))
        double = np.float64(_floats(np.asarray(exact)))
        return lambda at: double if at.is_float else at.arithmetic.array(exact)
    if expression in _CONSTANTS:
        return lambda at: at.functions[_CONSTANTS[expression]]()
    if kind in _ROUNDINGS:
        return lambda at: at.rounded(expression, spread)
    if isinstance(expression, Reduction):
        over, inside = ("largest" if expression.is_largest else "total"), _steps(arguments[0], True)
        return lambda at: getattr(at.arithmetic, over)(np.asarray(inside(at)))
    if kind is sympy.Pow:
        return _power(expression.base, expression.exp, spread)
    if kind is sympy.log:
        return _logarithm(arguments[0], spread)
    if kind in _APPLIED and (kind is not sympy.LambertW or arguments[1:] == (-1,)):
        return _applied(_APPLIED[kind], _steps(arguments[0], spread))
    if kind in _FOLDED:
        return _folded(_FOLDED[kind], [_steps(each, spread) for each in arguments])
    raise TypeError(f"no evaluation for {kind.__name__}")


def _symbol(symbol: Any, spread: bool) -> _Step:
    name, formula = symbol.name, formula_of(symbol)
    read: _Step = (lambda at: at.input(name)) if formula is None else (lambda at: at.formula(formula))
    if not spread or is_per_provider(symbol):
        return read

    def beside_providers(at: Evaluation) -> Any:
        value = read(at)
        return value[..., None] if value.ndim else value

    return beside_providers


def _applied(name: str, argument: _Step) -> _Step:
    return lambda at: at.functions[name](argument(at))


def _folded(name: str, parts: list[_Step]) -> _Step:
    first, *others = parts

    def folded(at: Evaluation) -> Any:
        function, value = at.functions[name], first(at)
        for other in others:
            value = function(value, other(at))
        return value

    return folded


def _power(base: Any, exponent: Any, spread: bool) -> _Step:
    inside = _steps(base, spread)
    if exponent == -1:
        return _applied("reciprocal", inside)
    if exponent.is_Integer:
        whole = int(exponent)
        return lambda at: at.arithmetic.whole_power(inside(at), whole)
    if exponent == sympy.S.Half:
        return _applied("sqrt", inside)
    if exponent == -sympy.S.Half:
        return _applied("reciprocal", _applied("sqrt", inside))
    power = _steps(exponent, spread)
    return lambda at: at.functions["power"](inside(at), power(at))


def _logarithm(argument: Any, spread: bool) -> _Step:
    """Return what computes a logarithm: in doubles, of a product that overflows as the sum of those of its factors."""
    plain, factors = _applied("log", _steps(argument, spread)), _log_of_factors(argument, spread)

    def logarithm(at: Evaluation) -> Any:
        found = plain(at)
        return np.where(np.isfinite(found), found, factors(at)) if at.is_float and not _all_finite(found) else found

    return logarithm


def _log_of_factors(expression: Any, spread: bool) -> _Step:
    if expression.is_Mul:
        return _folded("add", [_log_of_factors(part, spread) for part in expression.args])
    if expression.is_Pow and expression.exp.is_Integer:
        base, exponent = _log_of_factors(expression.base, spread), int(expression.exp)
        return lambda at: exponent * base(at)
    return _applied("log", _steps(expression, spread))


@functools.lru_cache(maxsize=1 << 14)
def inputs_of(expression: Any) -> tuple[str, ...]:
    """Return the names of the inputs that an expression needs, in their order."""
    found: set[str] = set()
    for symbol in expression.free_symbols:
        formula = formula_of(symbol)
        found.update((symbol.name,) if formula is None else formula.input_names)
    return tuple(sorted(found))


@functools.lru_cache(maxsize=1 << 14)
def is_per_provider(expression: Any) -> bool:
    """Whether an expression has a provider axis that no reduction has summed away."""
    if expression.is_Symbol:
        return (formula_of(expression) or QUANTITIES[expression.name]).per_provider
    return not isinstance(expression, Reduction) and any(map(is_per_provider, expression.args))


def decide(expression: Any, values: Mapping[str, Any]) -> int:
    """Return the exact integer of a ceiling or floor; numbers that were asked about before get the same answer."""
    plain = not any(isinstance(value, np.ndarray) for value in values.values())
    return (_kept_decision if plain else _decision)(expression, *values.items())


def _decision(expression: Any, *items: tuple[str, Any]) -> int:
    """Return the exact integer of a ceiling or floor at exact inputs.

    Raises
    ------
    UndecidedError
        No precision and no algebra separates the argument from an integer.
    """
    rounding, inside, values = _ROUNDINGS[expression.func], expression.args[0], dict(items)
    for attempt, precision in enumerate(PRECISIONS):
        with rigorous(precision) as arithmetic:
            box = arithmetic.enclosure(Evaluation(values, arithmetic).value_of(inside).ravel()[0])
        if rounding(box.lower) == rounding(box.upper):
            return int(rounding(box.lower))
        if attempt == 0:
            with contextlib.suppress(IrrationalError):
                return int(rounding(Evaluation(values, _FRACTIONS).value_of(inside).ravel()[0]))
    raise UndecidedError(f"{expression}: within {float(box.width):.1e} of an integer")


_kept_decision = functools.lru_cache(maxsize=1 << 14)(_decision)
#: Up to how many elements are decided one by one, and of how many the exact numbers are held at a time.
_FEW, _TOGETHER = 2**10, 2**14


def _decided_together(expression: Any, spread: bool, values: Mapping[str, Any]) -> Array:
    """Return the exact integers of a ceiling or floor at arrays of exact inputs, None where no precision decides."""
    rounding, inside = _ROUNDINGS[expression.func], expression.args[0]

    def integer(item: Any) -> int | None:
        try:
            box = arithmetic.enclosure(item)
        except UndecidedError:
            return None
        low = rounding(box.lower)
        return low if low == rounding(box.upper) else None

    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    decided = np.full(max(map(len, arrays.values())), None)
    left = np.arange(len(decided))
    for precision in PRECISIONS:
        some = {name: value[left] for name, value in arrays.items()}
        if spread:  # of one provider each
            some |= {name: value[:, None] for name, value in some.items() if QUANTITIES[name].per_provider}
        with contextlib.suppress(UndecidedError), rigorous(precision) as arithmetic:
            found = Evaluation({**values, **some}, arithmetic).value_of(inside, spread)
            decided[left] = [integer(item) for item in (found[:, 0] if spread else found)]
        left = np.array([at for at in left if decided[at] is None], dtype=int)
        if not left.size:
            break
    return decided


def _nearest_double(expression: Any, values: Mapping[str, Any]) -> float:
    """Return the double next to the exact value of an expression, infinite beyond the largest.

    Raises
    ------
    UndecidedError
        No precision encloses the value: it does not exist, or is far beyond any double.
    """
    for precision in PRECISIONS:
        with rigorous(precision) as arithmetic:
            box = arithmetic.enclosure(Evaluation(values, arithmetic).value_of(expression).item())
        low, high = (float(_floats(np.asarray(end))) for end in (box.lower, box.upper))
        if high <= math.nextafter(low, math.inf):
            break
    return high


def _all_finite(values: Array) -> bool:
    return math.isfinite(values) if values.ndim == 0 else bool(np.isfinite(values).all())


def _floats(exact: Array) -> Array:
    """Return whole numbers or fractions as doubles, infinite where they exceed the largest double."""

    def rounded(number: int | Fraction) -> float:
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf

    return np.asarray(np.frompyfunc(rounded, 1, 1)(exact), dtype=float)
