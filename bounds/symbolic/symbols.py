"""The paper's symbols, and sums and maxima over a roster that is not known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from bounds.formulas.catalogue import all_formulas
from bounds.formulas.selection import COST_GAP, QUALITY_GAP
from bounds.language.evaluation import formula_of
from bounds.language.quantities import QUANTITIES, Quantity
from bounds.language.reductions import LargestOverCompetitors, LargestOverUnqualified, OverCompetitors, OverUnqualified

#: Formulas that stay symbols of providers, as in the paper: eps_i and Delta_i.
GAPS = (QUALITY_GAP, COST_GAP)
#: The index of a provider.
INDEX = sympy.Symbol("i")
#: How the paper writes each symbol, by the name as which it is typed: what each provider has ends in _i.
LETTERS = {
    each.ascii: each.latex
    for each in [*(gap.quantity for gap in GAPS), *QUANTITIES.values()]
    if each.ascii and (each.name not in all_formulas() or each.name in map(str, GAPS))
}


class Symbols:
    """The paper's symbols by name, as attributes.

    They are SymPy's own symbols without assumptions, so that ``symbols.T == sympy.Symbol("T")``. The providers are
    counted 1, ..., N: first the qualified by mean cost, so that 1 is i*, then the unqualified in the order of the
    setting. `eps`, `Delta`, `q` and `c` are indexed by the provider: ``symbols.eps[i]``.

    Raises
    ------
    AttributeError
        There is no such symbol; the message lists them.

    Examples
    --------
    >>> symbols.delta, symbols.eps[symbols.i]
    (delta, eps[i])
    >>> sorted(dir(symbols))[:6]
    ['Delta', 'N', 'T', 'alpha', 'c', 'c_2']
    """

    def __init__(self) -> None:
        for name, latex in LETTERS.items():
            vars(self)[name] = sympy.IndexedBase(name) if latex.endswith("_i") else sympy.Symbol(name)
        vars(self)["i"] = INDEX

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no symbol {name!r}: the symbols are {', '.join(dir(self))}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"symbols.{name} cannot be set: keep what you make under a name of your own")

    def __dir__(self) -> list[str]:
        return list(vars(self))


symbols = Symbols()


def symbol_of(quantity: Quantity) -> Any:
    """Return the symbol of a quantity; what the paper has no letter for keeps its name."""
    return vars(symbols).get(quantity.ascii, sympy.Symbol(quantity.ascii or quantity.name))


class _OverProviders:
    """What is printed as the paper prints it: a sum or maximum of its first argument, over a group of providers."""

    sign: str
    args: tuple[Any, ...]

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        level = PRECEDENCE["Atom" if self.args[0].could_extract_minus_sign() else "Mul"]
        return f"{self.sign} {printer.parenthesize(self.args[0], level, strict=True)}{power}"


class SumOverUnqualified(_OverProviders, sympy.Sum):  # type: ignore[misc]
    """SymPy's sum, over the unqualified providers."""

    sign = OverUnqualified.sign


class SumOverCompetitors(_OverProviders, sympy.Sum):  # type: ignore[misc]
    """SymPy's sum, over the qualified providers but i*."""

    sign = OverCompetitors.sign


class LargestOf(_OverProviders, sympy.Function):  # type: ignore[misc]
    """The maximum of 0 and an expression over an index with its ends; written out once these are numbers."""

    @classmethod
    def eval(cls, inside: Any, limits: Any) -> Any:
        """Return the maximum of the terms, where it is known how many there are."""
        index, first, last = limits
        if not (first.is_Integer and last.is_Integer):
            return None
        return extreme(sympy.Max, [sympy.S.Zero, *(inside.xreplace({index: at}) for at in places(first, last))])

    @property
    def sign(self) -> str:  # type: ignore[override]
        """How the paper writes it."""
        return (LargestOverCompetitors if self.args[1][2] == symbols.n_Q else LargestOverUnqualified).sign


def over_roster(inside: Any, *, unqualified: bool, largest: bool) -> Any:
    """Return a sum or maximum over the unqualified, or the qualified but i*, of a roster that is not known."""
    first, last = (symbols.n_Q + 1, symbols.N) if unqualified else (sympy.Integer(2), symbols.n_Q)
    over = LargestOf if largest else SumOverUnqualified if unqualified else SumOverCompetitors
    return over(inside, (INDEX, first, last))


def places(first: Any, last: Any) -> list[Any]:
    """Return the whole numbers from one to another, as SymPy has them."""
    return [sympy.Integer(place) for place in range(first, last + 1)]


def extreme(function: Any, parts: list[Any]) -> Any:
    """Return a maximum or minimum as it is written: SymPy compares no pair of its parts, but for numbers."""
    flat = [inner for part in parts for inner in (part.args if isinstance(part, function) else [part])]
    numbers = [part for part in flat if part.is_number]
    if len(numbers) > 1:
        flat = [function(*numbers), *(part for part in flat if not part.is_number)]
    return function(*flat, evaluate=False) if len(flat) > 1 else flat[0]


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
        # What each provider has is a tuple, or one number where one provider is asked about.
        values = {
            quantity.name: np.array(part, dtype=float, ndmin=int(quantity.per_provider))
            for quantity, part in zip(computed.inputs, inputs, strict=True)
        }
        return sympy.Rational(Fraction(computed(values).item()))

    def _eval_derivative(self, symbol: Any) -> Any:
        return sympy.Derivative(self, symbol, evaluate=False)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return f"{QUANTITIES[self.args[0].name].latex}{power}"
