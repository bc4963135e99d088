"""The paper's symbols, and sums and maxima over a roster that is not known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import sympy
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from bounds.formulas.catalogue import all_formulas
from bounds.formulas.selection import COST_GAP, QUALITY_GAP
from bounds.formulas.sharp import N_QUALIFIED
from bounds.language.evaluation import formula_of
from bounds.language.quantities import QUANTITIES, N, Quantity
from bounds.language.reductions import (
    LargestOverCompetitors,
    LargestOverUnqualified,
    OverCompetitors,
    OverUnqualified,
    Reduction,
)

#: Formulas that stay symbols of providers, as in the paper: eps_i and Delta_i.
GAPS = (QUALITY_GAP, COST_GAP)
#: The index of a provider.
INDEX = sympy.Symbol("i")


def _named() -> dict[str, Any]:
    """Return the symbols by name: numbers as symbols, what each provider has as an indexed base."""
    inputs = [each for each in QUANTITIES.values() if each.ascii and each.name not in all_formulas()]
    bases = {each.ascii for each in inputs if each.per_provider} | {gap.quantity.ascii for gap in GAPS}
    plain = {each.ascii: sympy.Symbol(each.ascii) for each in inputs if not each.per_provider}
    return plain | {name: sympy.IndexedBase(name) for name in bases}


class Symbols:
    """The paper's symbols by name, as attributes.

    They are SymPy's own symbols without assumptions, so that ``symbols.T == sympy.Symbol("T")``. The providers are
    counted 1, ..., N: first the qualified by mean cost, so that 1 is i*, then the unqualified in the order of the
    setting. `eps`, `Delta`, `q` and `c` are indexed by the provider: ``symbols.eps[i]``. As a function it gives the
    symbols of several names, as SymPy's does: ``symbols("T delta")``.

    Raises
    ------
    AttributeError
        There is no such symbol; the message lists them.

    Examples
    --------
    >>> symbols.delta, symbols.eps[symbols.i]
    (delta, eps[i])
    >>> symbols("T delta")
    (T, delta)
    >>> sorted(dir(symbols))[:6]
    ['Delta', 'N', 'T', 'alpha', 'c', 'c_2']
    """

    def __init__(self) -> None:
        vars(self).update(_named(), i=INDEX)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no symbol {name!r}: the symbols are {', '.join(dir(self))}")

    def __call__(self, names: str) -> tuple[Any, ...]:
        """Return the symbols of names, separated by spaces or commas."""
        return tuple(getattr(self, name) for name in names.replace(",", " ").split())

    def __dir__(self) -> list[str]:
        return list(vars(self))


symbols = Symbols()


def symbol_of(quantity: Quantity) -> Any:
    """Return the symbol of a quantity; what the paper has no letter for keeps its name."""
    return vars(symbols).get(quantity.ascii, sympy.Symbol(quantity.ascii or quantity.name))


class _Over(sympy.Sum):  # type: ignore[misc]
    """A sum over providers: SymPy's, but for how it is printed."""

    sign: ClassVar[str]

    def _latex(self, printer: Any) -> str:
        return f"{self.sign} {printer.parenthesize(self.function, PRECEDENCE['Mul'], strict=True)}"


class SumOverUnqualified(_Over):
    """The sum over the unqualified providers."""

    sign = OverUnqualified.sign


class SumOverCompetitors(_Over):
    """The sum over the qualified providers but i*."""

    sign = OverCompetitors.sign


class LargestOf(sympy.Function):  # type: ignore[misc]
    """The maximum of 0 and an expression over an index between two ends; written out once these are numbers."""

    sign: ClassVar[str]

    @classmethod
    def eval(cls, inside: Any, index: Any, first: Any, last: Any) -> Any:
        """Return the maximum of the terms, where it is known how many there are."""
        if not (first.is_Integer and last.is_Integer):
            return None
        return extreme(sympy.Max, [sympy.Integer(0), *(inside.subs(index, at) for at in range(first, last + 1))])

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"{self.sign} {printer._print(self.args[0])}{power}"


class LargestUnqualified(LargestOf):
    """The maximum over the unqualified providers."""

    sign = LargestOverUnqualified.sign


class LargestCompetitor(LargestOf):
    """The maximum over the qualified providers but i*."""

    sign = LargestOverCompetitors.sign


def extreme(function: Any, parts: list[Any]) -> Any:
    """Return a maximum or minimum as it is written: SymPy compares no pair of its parts, but for numbers."""
    flat = [inner for part in parts for inner in (part.args if isinstance(part, function) else [part])]
    numbers = [part for part in flat if part.is_number]
    if len(numbers) > 1:
        flat = [function(*numbers), *(part for part in flat if not part.is_number)]
    return function(*flat, evaluate=False) if len(flat) > 1 else flat[0]


def over_roster(reduction: type[Reduction], inside: Any) -> Any:
    """Return a sum or maximum of an expression in the index, over providers that are not known."""
    n, qualified = symbol_of(N), symbol_of(N_QUALIFIED)
    unqualified, competitors = (qualified + 1, n), (sympy.Integer(2), qualified)
    if reduction.is_largest:
        largest = LargestUnqualified if reduction is LargestOverUnqualified else LargestCompetitor
        ends = unqualified if reduction is LargestOverUnqualified else competitors
        return largest(inside, INDEX, *ends)
    if reduction is OverUnqualified:
        return SumOverUnqualified(inside, (INDEX, *unqualified))
    return SumOverCompetitors(inside, (INDEX, *competitors))


class Found(sympy.Function):  # type: ignore[misc]
    """What a search finds, as a function of its inputs; a number once all of them are numbers.

    The first argument is the name of the quantity, the others follow the order of its inputs.
    """

    is_real = is_commutative = True

    @classmethod
    def eval(cls, name: Str, *inputs: Any) -> Any:
        """Return the number that the search finds, where all inputs are numbers."""
        if any(part.free_symbols for part in inputs):
            return None
        computed: Any = formula_of(QUANTITIES[name.name].symbol)
        values = {quantity.name: _value(part) for quantity, part in zip(computed.inputs, inputs, strict=True)}
        one = computed.per_provider  # asked for one provider at a time
        values |= {each.name: np.array([values[each.name]]) for each in computed.inputs if one and each.per_provider}
        return sympy.Rational(Fraction(float(np.ravel(computed(values))[0])))

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return f"{QUANTITIES[self.args[0].name].latex}{power}"


def _value(given: Any) -> Any:
    """Return a number, or an array of them, as functions of a search take them."""
    return np.array([float(part) for part in given]) if isinstance(given, sympy.Tuple) else float(given)
