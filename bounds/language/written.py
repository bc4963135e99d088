"""Written: how a term reads, in LaTeX and by the names that stand in it, with values in place of some quantities.

How the terms of this toolkit read is stored (`bounds.language.store`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from bounds.language.quantities import QUANTITIES
from bounds.language.store import stored
from bounds.language.terms import REDUCTIONS, Operation, Term
from bounds.language.trees import names_in, tree_of

_NOTHING: Mapping[str, float] = MappingProxyType({})


class Written(NamedTuple):
    """How a term reads: its LaTeX in the paper's notation, and the quantities and formulas in it by name."""

    latex: str
    names: frozenset[str]


def written(term: Any, fixed: Mapping[str, float] = _NOTHING) -> Written:
    """Return how a term or a SymPy expression reads with values, by name, in place of quantities.

    Examples
    --------
    >>> from bounds.language.quantities import D_MINUS, D_PLUS
    >>> written(D_MINUS + D_PLUS, {"overbid": 0.0})
    Written(latex='d_-', names=frozenset({'underbid'}))
    """
    if not isinstance(term, Term):
        return fresh_written(term, fixed)
    if not isinstance(term, Operation) and str(term) not in fixed:
        return Written(QUANTITIES[str(term)].latex, frozenset({str(term)}))
    known = stored("written", _key(term, fixed))
    return fresh_written(term, fixed) if known is None else Written(known[0], frozenset(known[1]))


def fresh_written(term: Any, fixed: Mapping[str, float]) -> Written:
    """Return how a term reads as SymPy makes it, whatever is stored."""
    import sympy

    expression = sympy.sympify(term)
    values = {each: sympy.Rational(str(fixed[each.name])) for each in expression.free_symbols if each.name in fixed}
    expression = expression.subs(values) if values else expression
    return Written(to_latex(expression), frozenset(each.name for each in expression.free_symbols))


def fresh_forms(terms: Iterable[tuple[Any, Mapping[str, float]]]) -> dict[str, list[Any]]:
    """Return how operations read with values, as a store holds it."""
    asked = {_key(term, fixed): (term, fixed) for term, fixed in terms if isinstance(term, Operation)}
    found = {key: fresh_written(*each) for key, each in asked.items()}
    return {key: [each.latex, sorted(each.names)] for key, each in found.items()}


def _key(term: Term, fixed: Mapping[str, float]) -> str:
    names = sorted(fixed.keys() & set(names_in(tree_of(term)))) if fixed else []
    return ", ".join([str(term), *(f"{name} = {fixed[name]}" for name in names)])


def to_latex(expression: Any) -> str:
    """Return a term, an expression or a relation as LaTeX in the paper's notation."""
    import sympy

    return _printed(sympy.sympify(expression))


@functools.lru_cache(maxsize=4096)
def _printed(expression: Any) -> str:
    return str(_printer().doprint(expression))


@functools.cache
def _printer() -> Any:
    """Return SymPy's LaTeX printer with the paper's symbols and reductions."""
    from sympy.printing.latex import LatexPrinter

    class PaperPrinter(LatexPrinter):  # type: ignore[misc]
        def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802
            known = QUANTITIES.get(expr.name)
            return known.latex if known else str(super()._print_Symbol(expr, style))

        def _print_Function(self, expr: Any, exp: Any = None) -> str:  # noqa: N802
            operator = REDUCTIONS.get(type(expr).__name__)
            if operator:
                return rf"{operator} \left({self._print(expr.args[0])}\right)"
            return str(super()._print_Function(expr, exp))

    return PaperPrinter({"ln_notation": True})
