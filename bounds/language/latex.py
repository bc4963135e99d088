"""LaTeX of expressions in the paper's notation."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter

from bounds.language.quantities import QUANTITIES


def with_values(expression: Any, fixed: Mapping[str, float]) -> Any:
    """Return an expression with values, by name, in place of quantities.

    Examples
    --------
    >>> from bounds.language.quantities import D_MINUS, D_PLUS
    >>> with_values(D_MINUS + D_PLUS, {"overbid": 0.0})
    underbid
    """
    return _with_values(expression, frozenset(fixed.items()))


@functools.lru_cache(maxsize=4096)
def _with_values(expression: Any, fixed: frozenset[tuple[str, float]]) -> Any:
    numbers = dict(fixed)
    values = {each: sympy.Rational(str(numbers[each.name])) for each in expression.free_symbols if each.name in numbers}
    return expression.subs(values) if values else expression


def to_latex(expression: Any) -> str:
    """Return a quantity, a formula, an expression or a relation as LaTeX in the paper's notation."""
    return _printed(sympy.sympify(expression))


@functools.lru_cache(maxsize=4096)
def _printed(expression: Any) -> str:
    return str(_PRINTER.doprint(expression))


class PaperPrinter(LatexPrinter):  # type: ignore[misc]
    """SymPy's printer with the paper's symbols."""

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802
        known = QUANTITIES.get(expr.name)
        return known.latex if known else str(super()._print_Symbol(expr, style))


_PRINTER = PaperPrinter({"ln_notation": True})
