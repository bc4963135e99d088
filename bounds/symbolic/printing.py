"""LaTeX of expressions in the paper's symbols, laid out as in its displays."""

from __future__ import annotations

from typing import Any

import sympy

from bounds.language.latex import PaperPrinter
from bounds.symbolic.symbols import LETTERS, SumOverUnqualified, symbols
from bounds.symbolic.unfolding import Unfolding, stated

_LONG = (sympy.log, sympy.Sum, sympy.LambertW, sympy.Max, sympy.Min, sympy.ceiling, sympy.floor)


def latex(expression: Any, *, method: str = "paper", **settings: Any) -> str:
    r"""Return an expression in the paper's symbols as LaTeX in the paper's notation.

    Parameters
    ----------
    expression : sympy.Expr or str
        What `symbolic` returns, or anything made of it. The name of a bound gives the display in which the paper states
        it: an equation whose right side names other quantities.
    method : {"paper", "sharp", "sharpest"}, optional
        For a name.
    **settings
        What SymPy passes to a printer; ignored.

    Returns
    -------
    str
        In a notebook, ``sympy.init_printing(latex_printer=costproof.latex)`` shows every expression so.

    Raises
    ------
    InputError
        There is no such name or method.

    Examples
    --------
    >>> from bounds.symbolic.verbs import symbolic
    >>> print(latex(symbolic("beta")))
    \sqrt{\frac{1}{2 m} \ln{\left(\frac{2 \pi^{2} N m^{2}}{3 \delta} \right)}}
    >>> print(latex("T_0"))
    T_0 = N \max\left\{1, \left(\frac{\bar M}{k}\right)^{\frac{1}{\alpha}}\right\}
    """
    if isinstance(expression, str):
        formula, in_place = stated(expression, method)
        unfolding = Unfolding(market=None, smooth=False, in_place=in_place, letters=True)
        return f"{formula.quantity.latex} = {_PRINTER.doprint(unfolding.formula(formula))}"
    return str(_PRINTER.doprint(sympy.sympify(expression)))


class _DisplayPrinter(PaperPrinter):
    """The printer of formulas, with roots together, long factors behind fractions, and extremes in braces."""

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802
        return LETTERS.get(expr.name) or str(super()._print_Symbol(expr, style))

    def _print_Indexed(self, expr: Any) -> str:  # noqa: N802
        letter = LETTERS.get(str(expr.base), f"{expr.base}_i").removesuffix("_i")
        return f"{letter}_{{{self._print(expr.indices[0])}}}" if expr.indices[0].is_Number else f"{letter}_i"

    def _print_Rational(self, expr: Any) -> str:  # noqa: N802
        return repr(float(expr)) if _is_long_double(expr) else str(super()._print_Rational(expr))

    def _print_Max(self, expr: Any, exp: str | None = None) -> str:  # noqa: N802
        # Numbers first, then what has no sum and what is free of T.
        order = {each: (not each.is_number, each.has(sympy.Sum), each.has(symbols.T), str(each)) for each in expr.args}
        parts = [self._print(each) for each in sorted(expr.args, key=order.__getitem__)]
        if isinstance(expr, sympy.Max) and exp is None and len(parts) == 2 and parts[0] == "0":
            return rf"\left({parts[1]}\right)^+"
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\{expr.func.__name__.lower()}\left\{{{', '.join(parts)}\right\}}{power}"

    _print_Min = _print_Max  # noqa: N815

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return sorted(super()._as_ordered_terms(expr, order=order), key=_place)

    def _print_Mul(self, expr: Any) -> str:  # noqa: N802
        if not expr.is_Mul:
            return str(super()._print_Mul(expr))
        if expr.could_extract_minus_sign():
            return f"- {self._print(-expr)}"
        number, rest = expr.as_coeff_Mul()
        if _is_long_double(number):
            return f"{self._print(number)} {self._simple(rest, alone=False)}"
        factors = [part for factor in expr.as_ordered_factors() for part in _with_content(factor)]
        divided = sympy.fraction(expr)[1] != 1
        roots = [each for each in factors if _is_root(each)]
        long = [each for each in factors if isinstance(each, _LONG) or (divided and _is_power(each))]
        simple = sympy.Mul(*(each for each in factors if each not in roots and each not in long))
        simple, root = _with_number(simple, sympy.Mul(*(each**2 for each in roots)))
        shown = [] if simple == 1 and (long or roots) else [self._simple(simple, alone=not (long or roots))]
        shown += [rf"\sqrt{{{self._print(root)}}}"] if roots else []
        return " ".join(shown + [self._print(each) for each in sorted(long, key=lambda each: each.has(sympy.Sum))])

    def _simple(self, product: Any, *, alone: bool) -> str:
        told = str(super()._print_Mul(product) if product.is_Mul else self._print(product))
        return rf"\left({told}\right)" if product.is_Add and not alone else told


def _is_long_double(number: Any) -> bool:
    """Return whether a fraction is a double that is shorter in decimal."""
    return bool(number.is_Rational and number.q > 2**10 and number.q & (number.q - 1) == 0 and abs(number.p) < 2**53)


def _with_content(factor: Any) -> tuple[Any, ...]:
    """Return a sum without the number that all its terms have, and that number."""
    return factor.primitive() if factor.is_Add else (factor,)


def _with_number(simple: Any, root: Any) -> tuple[Any, Any]:
    """Return a factor and the square of one, with a number below the fraction that the root holds: sqrt(1/(2 k))."""
    number, rest = root.as_coeff_Mul()
    above, below = sympy.fraction(rest)
    plain = any(each.is_Symbol for each in sympy.Mul.make_args(above))
    before = simple.as_coeff_Mul()[0]
    if number.is_Integer and before.is_Rational and (before.q % number == 0 or (below != 1 and not plain)):
        return simple * number, root / number**2
    return simple, root


def _is_root(factor: Any) -> bool:
    return bool(factor.is_Pow and abs(factor.exp) == sympy.S.Half)


def _is_power(factor: Any) -> bool:
    """Return whether it is a power with a symbol in its exponent."""
    return bool(factor.is_Pow and not factor.exp.is_number)


def _place(term: Any) -> tuple[bool, int]:
    """Return where a term of a sum stands: sums over providers, then others, roots, deviations and numbers."""
    if sums := term.atoms(sympy.Sum):
        rank = 0 if isinstance(term, SumOverUnqualified) else len(sums)
    elif term.is_number:
        rank = 9
    elif term.has(symbols.d_minus, symbols.d_plus):
        rank = 8
    else:
        factors = sympy.Mul.make_args(term)
        rank = 7 if any(map(_is_root, factors)) else 6 if any(map(_is_power, factors)) else 5
    return term.could_extract_minus_sign(), rank


_PRINTER = _DisplayPrinter({"ln_notation": True})
