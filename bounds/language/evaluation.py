"""The evaluator: takes the steps of an expression in floats, or walks it in balls when certainty is asked for.

Ceilings and floors are where a rounding error becomes a wrong integer. In floats, an argument near an
integer is handed to balls; balls that cannot separate it at any precision are handed to exact algebra.
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator
from collections.abc import Callable, Mapping, Set
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
#: Under which name the inputs of formulas hold a `Known`.
KNOWN = "known"


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
        # The owner of a key lives as long as the entry, so that no other object takes its place.
        self._found: dict[int, tuple[object, Array]] = {}
        self._in_range: dict[str, Quantity] = {}

    def __reduce__(self) -> tuple[type[Known], tuple[dict[str, Any]]]:
        return type(self), (self._inputs,)

    def unchanged(self, values: Mapping[str, Any]) -> frozenset[str]:
        """Return the names of those inputs that are the first ones."""
        first = self._inputs
        return frozenset(name for name, value in values.items() if name in first and value is first[name])

    def is_in_range(self, quantity: Quantity, value: Any) -> bool:
        """Whether the value of a quantity is the first one, and was found to lie in its range."""
        return self._in_range.get(quantity.name) is quantity and self._inputs[quantity.name] is value

    def keep_range(self, quantity: Quantity, value: Any) -> None:
        """Keep that a value lies in the range of its quantity, if it is the first one."""
        if self._inputs.get(quantity.name) is value:
            self._in_range[quantity.name] = quantity

    def get(self, owner: object) -> Array | None:
        """Return the value of a formula, or of a rounding by its tree, if it is known."""
        entry = self._found.get(id(owner))
        return None if entry is None else entry[1]

    def keep(self, owner: object, value: Array) -> Array:
        """Keep a value, and return it."""
        value.flags.writeable = False
        self._found[id(owner)] = owner, value
        return value


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
    where: tuple[Evaluable, ...] = ()
    expression: Any

    @functools.cached_property
    def input_names(self) -> frozenset[str]:
        """The names of its inputs."""
        return frozenset(quantity.name for quantity in self.inputs)

    @functools.cached_property
    def made(self) -> dict[tuple[int, object], tuple[Tree, Any]]:
        """What was made of parts of its tree, by the place of the part: the part, and what was made of it."""
        return {}

    def made_of(self, part: Tree, what: object, make: Callable[[], Any]) -> Any:
        """Return what is made of a part of its tree, made when it is first asked for."""
        found = self.made.get((id(part), what))
        if found is None or found[0] is not part:
            found = self.made[id(part), what] = (part, make())
        return found[1]

    def definition(self, name: Any) -> Evaluable | None:
        """Return the formula that a name or symbol in the tree stands for, if it is not an input."""
        raise NotImplementedError

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
    backend : str, optional
        Which rigorous arithmetic decides ceilings.
    known : Known, optional
        Values that need not be computed again.
    """

    #: Whether a value that overflowed is computed anew: element by element, in a millisecond or so each.
    extends = True

    def __init__(
        self,
        values: Mapping[str, Any],
        arithmetic: Arithmetic | None = None,
        backend: str | None = None,
        known: Known | None = None,
    ) -> None:
        self._known = known
        self._unchanged: frozenset[str] = frozenset() if known is None else known.unchanged(values)
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
            known = self._known_for(formula.input_names)
            found = None if known is None or self._is_rigorous else known.get(formula)
            if found is None:
                if formula.positive and (known is None or known.get(formula) is None):
                    with np.errstate(all="ignore"):
                        self._require(formula)
                found = formula.computed(self._values)
                if found is None:
                    found = self.part(formula.tree, formula, formula.per_provider)
                elif self._is_rigorous:
                    found = self._arithmetic.array(found)
                if known is not None and not self._is_rigorous:
                    found = known.keep(formula, found)
            self._done[formula] = found
        return self._done[formula]

    def part(self, tree: Tree, owner: Evaluable, spread: bool = False) -> Array:
        """Return the value of a part of a formula, in extended range where doubles overflow on the way to it.

        What then still exceeds the largest double is infinite, an impossible value a NaN.
        """
        with np.errstate(all="ignore"):
            found = self.value_of(tree, owner, spread)
        if not (self.extends and isinstance(self._arithmetic, FloatArithmetic)) or _all_finite(found):
            return found
        result = np.array(found, dtype=float)
        values_at = self._elements(_inputs_of(tree, owner), result.shape, spread)
        for index in map(tuple, np.argwhere(~np.isfinite(result))):
            with contextlib.suppress(UndecidedError, ZeroDivisionError):
                result[index] = _nearest_double(tree, owner, values_at(index), self._backend)
        return result

    @property
    def _is_rigorous(self) -> bool:
        return isinstance(self._arithmetic, RigorousArithmetic)

    def _known_for(self, names: Set[str]) -> Known | None:
        """Return what is known, where it holds for the inputs of these names."""
        return self._known if self._known is not None and names <= self._unchanged else None

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
            scale = max((float(np.max(np.abs(self.input(n)), initial=0.0)) for n in names), default=0.0)
            doubtful = np.argwhere(~(found > NEAR_INTEGER * scale))
            return all(self._is_positive_at(tuple(index), found.shape, tree, owner, names) for index in doubtful)
        with rigorous(EXACT_PRECISION, self._backend) as exact:
            items = Evaluation(self._values, exact, self._backend).value_of(tree, owner, spread).ravel()
            return all(exact.enclosure(item).lower > 0 for item in items)

    def _is_positive_at(
        self, index: tuple[int, ...], shape: tuple[int, ...], tree: Tree, owner: Evaluable, names: list[str]
    ) -> bool:
        """Whether one element of an expression is positive, by exact numbers."""
        values = self._elements(names, shape, is_per_provider(tree, owner))(index)
        with rigorous(EXACT_PRECISION, self._backend) as exact:
            item = Evaluation(values, exact, self._backend).value_of(tree, owner).ravel()[0]
            return exact.enclosure(item).lower > 0

    def value_of(self, tree: Tree, owner: Evaluable, spread: bool = False) -> Array:
        """Return the value of a part of a formula; `spread` says that providers occupy the last axis here."""
        if isinstance(self._arithmetic, FloatArithmetic):
            return np.asarray(_steps_of(tree, owner, spread)(self))
        if isinstance(tree, str):
            return np.asarray(_step_named(tree, owner, spread)(self))
        if isinstance(tree, int):
            return self._arithmetic.array(tree)
        operation, *parts = tree
        if operation == "rational":
            return self._arithmetic.array(Fraction(*parts))
        if operation in _ROUNDINGS:
            return self.rounded(tree, owner, spread)
        if operation in REDUCTIONS:
            if (total := self._sum_of_whole_numbers(operation, parts[0], owner)) is not None:
                return total
            return _reduce(operation, self.value_of(parts[0], owner, True), self._arithmetic)
        if operation == "integer_power":
            return np.asarray(self.value_of(parts[0], owner, spread) ** parts[1])
        return self._operation(operation, [self.value_of(part, owner, spread) for part in parts])

    def _sum_of_whole_numbers(self, operation: str, tree: Tree, owner: Evaluable) -> Array | None:
        """Return the sum of known whole numbers, or of the larger of each and one number, None if it is no such sum.

        Rigorous numbers are objects: adding a million of them takes seconds. Whole numbers add up exactly without.
        """
        if self._known is None or operation in LARGEST or not isinstance(self._arithmetic, RigorousArithmetic):
            return None
        parts = tree[1:] if isinstance(tree, list) and tree[0] == "maximum" else [tree]
        spread = [part for part in parts if is_per_provider(part, owner)]
        others = [part for part in parts if part not in spread]
        whole = self._known_whole(spread[0], owner) if len(spread) == 1 else None
        if whole is None or len(others) > 1:
            return None
        if not others:
            return self._arithmetic.array(_exact_sum(whole))
        least = self.value_of(others[0], owner)
        if least.ndim:
            return None
        box = self._arithmetic.enclosure(least.item())
        low, high = math.floor(box.lower), math.floor(box.upper)
        if ((whole > low) & (whole <= high)).any():  # which of the two is larger is open
            return None
        above = self._arithmetic.array(_exact_sum(whole[whole > low]))
        return np.asarray(above + self._arithmetic.array(int((whole <= low).sum())) * least)

    def _known_whole(self, tree: Tree, owner: Evaluable) -> Array | None:
        """Return the values of a formula that is a rounding, where they are known and doubles hold them."""
        formula = owner.definition(tree) if isinstance(tree, str) else None
        if formula is None or not isinstance(formula.tree, list) or formula.tree[0] not in _ROUNDINGS:
            return None
        known = self._known_for(formula.input_names)
        found = None if known is None else known.get(formula)
        return found if found is not None and found.ndim == 1 and np.abs(found).max(initial=0) < 2**53 else None

    def input(self, name: str) -> Array:
        """Return the value of an input."""
        if name not in self._inputs:
            self._inputs[name] = self._arithmetic.array(self._values[name])
        return self._inputs[name]

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

    def rounded(self, tree: Any, owner: Evaluable, spread: bool) -> Array:
        """Return the value of a ceiling or floor, decided by exact numbers near an integer."""
        known = self._known_for(set(_inputs_of(tree, owner))) if spread and self._known is not None else None
        found = None if known is None else known.get(tree)
        # Whole numbers that were decided, and that a double holds, are exact in every arithmetic.
        if known is not None and found is not None and (not self._is_rigorous or np.abs(found).max(initial=0) < 2**53):
            return self._arithmetic.array(found)
        inside = self.value_of(tree[1], owner, spread)
        if isinstance(self._arithmetic, RigorousArithmetic):
            return self._arithmetic.array(self._certain(tree, owner, spread, inside, np.ones(inside.shape, bool)))
        result = np.asarray((np.ceil if tree[0] == "ceiling" else np.floor)(inside))
        near = np.abs(inside - np.rint(inside)) <= NEAR_INTEGER * np.maximum(1, np.abs(inside))
        near |= ~(np.abs(inside) < LARGE)  # also where a double over- or underflowed
        if near.any():
            result = np.array(result)
            result[near] = _floats(self._certain(tree, owner, spread, inside, near)[near])
        return result if known is None else known.keep(tree, result)

    def _certain(self, tree: Tree, owner: Evaluable, spread: bool, inside: Array, where: Array) -> Array:
        """Return the integers of the marked elements: of many decided together, of few or what is left one by one."""
        decided = np.full(inside.shape, None)
        integer_at = _decisions(tree, owner, self._backend)
        values_at = self._elements(_inputs_of(tree, owner), inside.shape, spread)
        marked = np.argwhere(where)
        if len(marked) > _KEPT_DECISIONS:
            for start in range(0, len(marked), _TOGETHER):
                part = tuple(marked[start : start + _TOGETHER].T)
                decided[part] = _decide_together(tree, owner, spread, values_at(part), self._backend)
        for index in map(tuple, marked):
            if decided[index] is not None:
                continue
            try:
                decided[index] = integer_at(values_at(index))
            except BeyondError:
                if isinstance(self._arithmetic, RigorousArithmetic):
                    raise
                decided[index] = inside[index]
        return decided

    def _elements(
        self, names: list[str], shape: tuple[int, ...], spread: bool
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


_ROUNDINGS: dict[str, Callable[[Any], int]] = {"ceiling": math.ceil, "floor": math.floor}

_DOUBLES = FloatArithmetic()
#: What computes a part of a formula in doubles: numbers and arrays alike, without a look at the tree.
_Step = Callable[[Evaluation], Any]


def _steps_of(tree: Tree, owner: Evaluable, spread: bool) -> _Step:
    """Return what computes a part of a formula in doubles, made once: formulas are evaluated thousands of times."""
    step: _Step = owner.made_of(tree, spread, lambda: _step(tree, owner, spread))
    return step


def _step(tree: Tree, owner: Evaluable, spread: bool) -> _Step:
    if isinstance(tree, str):
        return _step_named(tree, owner, spread)
    if isinstance(tree, int):
        return _step_constant(tree)
    operation, *parts = tree
    if operation == "rational":
        return _step_constant(Fraction(*parts))
    if operation in _ROUNDINGS:
        return lambda at: at.rounded(tree, owner, spread)
    if operation in REDUCTIONS:
        inside = _step(parts[0], owner, True)
        return lambda at: _reduce(operation, np.asarray(inside(at)), _DOUBLES)
    if operation == "integer_power":
        base, exponent = _step(parts[0], owner, spread), parts[1]
        return lambda at: np.asarray(base(at)) ** exponent
    if operation == "log":
        return _step_log(parts[0], owner, spread)
    return _step_operation(operation, [_step(part, owner, spread) for part in parts])


def _step_log(tree: Tree, owner: Evaluable, spread: bool) -> _Step:
    """Return what computes a logarithm: of a product that overflows as the sum of the logarithms of its factors."""
    inside, factors = _step(tree, owner, spread), _log_of_factors(tree, owner, spread)

    def logarithm(at: Evaluation) -> Any:
        found = np.log(inside(at))
        return found if _all_finite(found) else np.where(np.isfinite(found), found, factors(at))

    return logarithm


def _log_of_factors(tree: Tree, owner: Evaluable, spread: bool) -> _Step:
    operation, *parts = tree if isinstance(tree, list) else (None,)
    if operation == "mul":
        logs = [_log_of_factors(part, owner, spread) for part in parts]
        return lambda at: functools.reduce(operator.add, [log(at) for log in logs])
    if operation in ("reciprocal", "integer_power"):
        base, exponent = _log_of_factors(parts[0], owner, spread), -1 if operation == "reciprocal" else parts[1]
        return lambda at: exponent * base(at)
    value = _step(tree, owner, spread)
    return lambda at: np.log(value(at))


def _step_named(name: str, owner: Evaluable, spread: bool) -> _Step:
    definition = owner.definition(name)
    read: _Step = (lambda at: at.formula(definition)) if definition else (lambda at: at.input(name))
    if not spread or (definition or QUANTITIES[name]).per_provider:
        return read

    def beside_providers(at: Evaluation) -> Any:
        value = read(at)
        return value[..., None] if value.ndim else value

    return beside_providers


def _step_constant(value: int | Fraction) -> _Step:
    constant = _DOUBLES.array(value)[()]
    return lambda at: constant


def _step_operation(operation: str, parts: list[_Step]) -> _Step:
    if operation in ("add", "mul", "maximum", "minimum"):
        function = {"add": operator.add, "mul": _times}.get(operation) or getattr(np, operation)
        first, *others = parts

        def folded(at: Evaluation) -> Any:
            value = first(at)
            for other in others:
                value = function(value, other(at))
            return value

        return folded
    if operation == "reciprocal":
        [divisor] = parts
        return lambda at: 1 / divisor(at)
    if len(parts) == 1 and operation != "lambertw_lower":
        function, [argument] = getattr(np, operation), parts
        return lambda at: function(argument(at))
    return lambda at: _DOUBLES.call(operation, *[part(at) for part in parts])


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


def _decide_together(
    tree: Any, owner: Evaluable, spread: bool, values: Mapping[str, Any], backend: str | None
) -> Array:
    """Return the exact integers of a ceiling or floor at arrays of exact inputs, None where no precision decides."""
    rounding, inside = _ROUNDINGS[tree[0]], tree[1]

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
        with contextlib.suppress(UndecidedError), rigorous(precision, backend) as arithmetic:
            found = Evaluation({**values, **some}, arithmetic, backend).value_of(inside, owner, spread)
            decided[left] = [integer(item) for item in (found[:, 0] if spread else found)]
        left = np.array([at for at in left if decided[at] is None], dtype=int)
        if not left.size:
            break
    return decided


#: Of how many elements the exact numbers are held at a time.
_TOGETHER = 2**14
#: Decisions that are kept of a rounding, the least recently asked for dropped first.
_KEPT_DECISIONS = 1024


def _decisions(tree: Tree, owner: Evaluable, backend: str | None) -> Callable[[Mapping[str, Any]], int]:
    """Return what decides a ceiling or floor: for numbers that it was asked about before, as it did then."""
    integer_at: Callable[[Mapping[str, Any]], int] = owner.made_of(
        tree, f"decided by {backend}", lambda: _remembering(functools.partial(decide, tree, owner), backend)
    )
    return integer_at


def _remembering(decide_at: Callable[..., int], backend: str | None) -> Callable[[Mapping[str, Any]], int]:
    @functools.lru_cache(maxsize=_KEPT_DECISIONS)
    def of_numbers(*values: tuple[str, Any]) -> int:
        return decide_at(dict(values), backend)

    def integer_at(values: Mapping[str, Any]) -> int:
        arrays = any(isinstance(value, np.ndarray) for value in values.values())
        return decide_at(values, backend) if arrays else of_numbers(*values.items())

    return integer_at


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
            if definition is owner:  # computed: no expression to look at
                return None
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
    """Return the names of the inputs that a part of a formula needs, found once."""

    def names() -> list[str]:
        found: set[str] = set()
        for name in names_in(tree):
            definition = owner.definition(name)
            found.update(definition.input_names if definition else (name,))
        return sorted(found)

    needed: list[str] = owner.made_of(tree, "inputs", names)
    return needed


def _all_finite(values: Array) -> bool:
    return math.isfinite(values) if values.ndim == 0 else bool(np.isfinite(values).all())


def is_per_provider(tree: Tree, owner: Evaluable) -> bool:
    """Whether an expression has a provider axis that no reduction has summed away."""
    if isinstance(tree, str):
        return (owner.definition(tree) or QUANTITIES[tree]).per_provider
    if isinstance(tree, int) or tree[0] in REDUCTIONS:
        return False
    return any(is_per_provider(part, owner) for part in tree[1:])


def _times(left: Array, right: Array) -> Array:
    """Return the product; zero times a count that overflowed is zero, not NaN."""
    product = left * right
    if isinstance(product, float) and product and product == product:  # a single number, neither 0 nor NaN
        return product
    product = np.asarray(product)
    if product.dtype == object:
        return product
    product = product.astype(np.float64, copy=False)
    # A least entry is a NaN where one is. The sum has no negative zeros; of positive entries none is needed.
    least = np.minimum.reduce(product, axis=None, initial=math.inf)
    if least > 0:
        return product
    if math.isnan(least):
        return np.where((left == 0) | (right == 0), 0.0, product)
    return np.asarray(np.add(product, 0.0, out=product if product.ndim else None))


def _fold(function: Callable[[Array, Array], Array], arguments: list[Array]) -> Array:
    return functools.reduce(lambda left, right: np.asarray(function(left, right)), arguments)


def _reduce(operation: str, inside: Array, arithmetic: Arithmetic) -> Array:
    """Sum or maximise over the last axis; over no provider at all, both are zero."""
    if isinstance(arithmetic, FloatArithmetic):
        return np.asarray(inside.max(axis=-1, initial=0.0) if operation in LARGEST else inside.sum(axis=-1))
    if isinstance(arithmetic, RigorousArithmetic) and inside.ndim == 1:  # without NumPy for each of many numbers
        larger = arithmetic.functions["maximum"] if operation in LARGEST else operator.add
        return np.asarray(functools.reduce(larger, inside.tolist(), arithmetic.double(0.0)), dtype=object)
    result = arithmetic.array(np.zeros(inside.shape[:-1]))
    for column in np.moveaxis(inside, -1, 0):
        result = arithmetic.call("maximum", result, column) if operation in LARGEST else result + column
    return np.asarray(result)


def _exact_sum(whole: Array) -> int:
    """Return the sum of whole numbers below 2^53.

    Examples
    --------
    >>> _exact_sum(np.array([2.0**52, 1.0, -3.0])) - 2**52
    -2
    """
    numbers = whole.astype(np.int64)
    return (int((numbers >> 26).sum()) << 26) + int((numbers & (1 << 26) - 1).sum())


def _floats(exact: Array) -> Array:
    """Return whole numbers or fractions as doubles, infinite where they exceed the largest double."""

    def rounded(number: int | Fraction) -> float:
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf

    return np.asarray(np.frompyfunc(rounded, 1, 1)(exact), dtype=float)
