"""Written: how a term reads, in LaTeX and by the names that stand in it, with values in place of some quantities."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from bounds.language.quantities import QUANTITIES
from bounds.language.terms import REDUCTIONS

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
    import sympy

    expression = sympy.sympify(term)
    values = {each: sympy.Rational(str(fixed[each.name])) for each in expression.free_symbols if each.name in fixed}
    expression = expression.subs(values) if values else expression
    return Written(to_latex(expression), frozenset(each.name for each in expression.free_symbols))


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
