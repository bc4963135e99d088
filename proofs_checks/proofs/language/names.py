"""Whether symbols can stand for what they are said to stand for, all at once.

Two logarithms of one symbol, or a symbol that stands for something made of itself, would be a contradiction from which
everything follows. Equations of logarithms are linear: they are solved over the rationals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from proofs_checks.proofs.language.logarithms import (
    Logarithm,
    Quotient,
    combined,
    logarithm,
    multiples,
    quotient,
    rational,
)
from proofs_checks.proofs.language.polynomials import variable_polynomial
from proofs_checks.proofs.language.terms import Term, subterms

#: A symbol, or a sum of multiples of symbols, and what it stands for.
Name = tuple[Term, Term]


@dataclass(frozen=True)
class _Equation:
    """A sum of multiples of symbols is the logarithm of a product of powers; which name says so."""

    multiples: dict[Term, Fraction]
    logarithm: Logarithm
    name: Name

    def minus(self, factor: Fraction, other: _Equation) -> _Equation:
        left = {
            symbol: value
            for symbol in self.multiples | other.multiples
            if (value := self.multiples.get(symbol, Fraction(0)) - factor * other.multiples.get(symbol, Fraction(0)))
        }
        return _Equation(left, combined(self.logarithm, other.logarithm, rational(-factor)), self.name)


def names_realizable(names: Iterable[Name]) -> str:
    """Return why symbols cannot stand for what they are said to stand for; "" if they can.

    They can if real values of the symbols make all names true, whatever positive values everything else has.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants, ln
    >>> x, y, a, b = constants("x y a b")
    >>> names_realizable([(x - y, ln(a / b)), (x, ln(a))])
    ''
    >>> names_realizable([(x, ln(a)), (x, ln(2 * a))])
    'x cannot stand for (ln (* 2.0 a)) beside the other names'
    """
    every = list(dict.fromkeys(names))
    try:
        return _problem(every)
    except ValueError as error:
        return str(error)


def _problem(names: list[Name]) -> str:
    logarithms = [name for name in names if name[1].head == "ln"]
    others = [name for name in names if name[1].head != "ln"]
    values: dict[Term, Term] = {}
    for symbol, meaning in others:
        if multiples(symbol) != {symbol: Fraction(1)}:
            return f"{symbol} cannot stand for {meaning}: it is no symbol"
        values.setdefault(symbol, meaning)
    circle = _circle(names)
    if circle:
        return circle
    solved = _Solved(values)
    for name in logarithms:
        problem = solved.add(name)
        if problem:
            return problem
    for symbol, meaning in others:
        if symbol in solved.symbols:
            return f"{symbol} cannot stand for {meaning}: it stands for a logarithm as well"
        if solved.differ(meaning, values[symbol]):
            return f"{symbol} cannot stand for {meaning} and for {values[symbol]}"
    return ""


class _Solved:
    """The equations of logarithms, solved one by one."""

    def __init__(self, values: dict[Term, Term]) -> None:
        self._values = values
        #: By the symbol that each gives, which no other has.
        self._rows: dict[Term, _Equation] = {}
        self.symbols: set[Term] = set()

    def add(self, name: Name) -> str:
        """Solve for a symbol of one more name; return what is wrong with it."""
        symbol, meaning = name
        row = _Equation(multiples(symbol), logarithm(meaning.arguments[0], self._values), name)
        self.symbols |= row.multiples.keys()
        for pivot, known in self._rows.items():
            row = row.minus(row.multiples.get(pivot, Fraction(0)), known)
        if not row.multiples:
            return f"{symbol} cannot stand for {meaning} beside the other names" if row.logarithm else ""
        pivot, factor = next(iter(row.multiples.items()))
        scaled = {one: value / factor for one, value in row.multiples.items()}
        row = _Equation(scaled, combined({}, row.logarithm, rational(1 / factor)), name)
        self._rows = {
            one: other.minus(other.multiples.get(pivot, Fraction(0)), row) for one, other in self._rows.items()
        }
        self._rows[pivot] = row
        return ""

    def differ(self, first: Term, second: Term) -> bool:
        """Whether two meanings are not seen to be the same."""
        if first == second:
            return False
        heads = {first.head, second.head}
        if heads <= {"pow", "*", "/", "sqrt"} and not self._same(first, second):
            return bool(combined(logarithm(first, self._values), logarithm(second, self._values), rational(-1)))
        return not self._same(first, second)

    def _same(self, first: Term, second: Term) -> bool:
        """Whether both apply one function to the same."""
        if first.head != second.head or len(first.arguments) != len(second.arguments):
            return False
        pairs = zip(first.arguments, second.arguments, strict=True)
        return all((quotient(a, self._known) - quotient(b, self._known)).is_zero for a, b in pairs)

    def _known(self, term: Term) -> Quotient | None:
        """Return what a symbol is that stands for a logarithm: the other symbols, and logarithms of atoms."""
        row = self._rows.get(term)
        if row is None:
            return None
        total = rational(0)
        for symbol, factor in row.multiples.items():
            if symbol != term:
                total = total - rational(factor) * quotient(symbol)
        for atom, exponent in row.logarithm.items():
            total = total + exponent * Quotient(variable_polynomial(f"ln {atom}"))
        return total


def _circle(names: list[Name]) -> str:
    """Return which name is made of itself, near or far; symbols of one equation are chosen together."""
    group: dict[Term, Term] = {}

    def leader(symbol: Term) -> Term:
        while group.setdefault(symbol, symbol) != symbol:
            symbol = group[symbol]
        return symbol

    for symbol, _ in names:
        first, *others = multiples(symbol) or [symbol]
        for other in others:
            group[leader(other)] = leader(first)
        leader(first)
    needs: dict[Term, set[Term]] = {}
    for symbol, meaning in names:
        own = leader(next(iter(multiples(symbol) or [symbol])))
        needs.setdefault(own, set()).update(leader(part) for part in subterms(meaning) if part in group)
    for symbol, meaning in names:
        own = leader(next(iter(multiples(symbol) or [symbol])))
        if own in _reached(needs, own):
            return f"{symbol} cannot stand for {meaning}, which is made of it"
    return ""


def _reached(needs: dict[Term, set[Term]], start: Term) -> set[Term]:
    found: set[Term] = set()
    left = [start]
    while left:
        for one in needs.get(left.pop(), set()) - found:
            found.add(one)
            left.append(one)
    return found
