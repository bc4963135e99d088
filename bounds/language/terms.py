"""Terms: what formulas are written in. They record the operations; SymPy performs them when first asked for.

``2 * COUNT`` and ``sqrt(N)`` are terms, so that a module of formulas loads without SymPy. SymPy reads a term wherever
it takes an expression, as in ``sympy.limit(1 / HORIZON, HORIZON, sympy.oo)``.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

TYPE_CHECKING = False  # to load `typing` takes a tenth of `costproof settings`
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: Sums and maxima over groups of providers, with their LaTeX. A maximum over no provider is zero.
REDUCTIONS = {
    "OverUnqualified": r"\sum_{i \notin \mathcal{Q}}",
    "OverCompetitors": r"\sum_{i \in \mathcal{Q} \setminus \{i^*\}}",
    "LargestOverUnqualified": r"\max_{i \notin \mathcal{Q}}",
    "LargestOverCompetitors": r"\max_{i \in \mathcal{Q} \setminus \{i^*\}}",
}
#: How operators are written, and how strongly they bind.
_INFIX = {"add": (" + ", 1), "sub": (" - ", 1), "mul": (" * ", 2), "truediv": (" / ", 2), "pow": ("**", 4)}
_NEGATION, _ATOM = 3, 5


def _operators(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return an operator of a term with something on its right, and with something on its left."""
    return (lambda self, other: _recorded(name, self, other)), (lambda self, other: _recorded(name, other, self))


class Term:
    """A quantity, a formula, or an operation on terms and whole or rational numbers.

    An operation with anything else (a SymPy expression, a float) is done at once, by SymPy.

    Examples
    --------
    >>> from bounds.language.quantities import COUNT, GAP
    >>> str(4 / GAP**2 * log(COUNT + 1))
    '4 / gap**2 * log(count + 1)'
    """

    strength = _ATOM

    def _sympy_(self) -> Any:
        """Return the SymPy expression; SymPy's own way to read other objects."""
        raise NotImplementedError

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the same in IPython and Hypothesis, which would unfold a dataclass."""
        printer.text(repr(self))

    def leaves(self) -> Iterator[Term]:
        """Yield the quantities and formulas in the order in which they stand."""
        yield self

    def __neg__(self) -> Any:
        return _recorded("neg", self)

    def __pow__(self, other: Any) -> Any:
        return _recorded("pow", self, other)

    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("sub")
    __mul__, __rmul__ = _operators("mul")
    __truediv__, __rtruediv__ = _operators("truediv")


@dataclass(frozen=True, eq=False, repr=False)
class Operation(Term):
    """An operation by its name in `operator`, in SymPy or in `REDUCTIONS`; a constant has no operands."""

    name: str
    operands: tuple[Any, ...]

    @property
    def strength(self) -> int:  # type: ignore[override]
        """How strongly it binds."""
        return _NEGATION if self.name == "neg" else _INFIX.get(self.name, ("", _ATOM))[1]

    _repr_pretty_ = Term._repr_pretty_

    def _sympy_(self) -> Any:
        return _performed(self.name, self.operands)

    def leaves(self) -> Iterator[Term]:
        """Yield the quantities and formulas in the order in which they stand."""
        for operand in self.operands:
            if isinstance(operand, Term):
                yield from operand.leaves()

    def __repr__(self) -> str:
        if self.name == "neg":
            return f"-{_bracketed(self.operands[0], _NEGATION)}"
        if self.name in _INFIX:
            sign, strength = _INFIX[self.name]
            left, right = self.operands
            return f"{_bracketed(left, strength + (self.name == 'pow'))}{sign}{_bracketed(right, strength + 1)}"
        return f"{self.name}({', '.join(map(str, self.operands))})" if self.operands else self.name


def _bracketed(operand: Any, least: int) -> str:
    """Return an operand as text, in brackets where it binds less than its surroundings."""
    strength = operand.strength if isinstance(operand, Term) else _ATOM if type(operand) is int else 0
    return str(operand) if strength >= least else f"({operand})"


def _recorded(name: str, *operands: Any) -> Any:
    from fractions import Fraction  # the settings are listed without

    known = all(isinstance(operand, (Term, int, Fraction)) for operand in operands)
    return Operation(name, operands) if known else _performed(name, operands)


def _performed(name: str, operands: tuple[Any, ...]) -> Any:
    """Return what SymPy makes of an operation."""
    import sympy

    arguments = [sympy.sympify(operand) for operand in operands]
    if name in REDUCTIONS:
        return sympy.Function(name)(*arguments)
    if name == "subs":
        return arguments[0].subs(*arguments[1:])
    found = getattr(operator, name, None) or getattr(sympy, name)
    return found(*arguments) if arguments else found


def _function(name: str) -> Callable[..., Any]:
    return lambda *operands: _recorded(name, *operands)


def substituted(term: Any, quantity: Term, value: Any) -> Any:
    """Return a term with a value in place of a quantity, by SymPy's substitution."""
    return _recorded("subs", term, quantity, value)


pi = Operation("pi", ())
sqrt, log, exp, ceiling, floor = map(_function, ("sqrt", "log", "exp", "ceiling", "floor"))
Max, Min, LambertW = map(_function, ("Max", "Min", "LambertW"))
OverUnqualified, OverCompetitors, LargestOverUnqualified, LargestOverCompetitors = map(_function, REDUCTIONS)
