"""Formula: one SymPy expression, from which its numbers, enclosures and LaTeX all come."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.printing.latex import LatexPrinter

from bounds.errors import InputError
from bounds.language.arithmetic import Array, Enclosure, rigorous
from bounds.language.evaluation import PRECISIONS, Evaluation, is_per_provider
from bounds.language.quantities import QUANTITIES, REDUCTIONS, Quantity


@dataclass(frozen=True)
class Formula:
    """A bound or definition of the paper, written once.

    Parameters
    ----------
    quantity : Quantity
        What it computes: name, LaTeX, meaning, unit.
    expression : sympy.Expr
        In the symbols of `bounds.language.quantities` and of the formulas in `where`.
    source : str
        Label in the paper.
    where : tuple of Formula
        Definitions of symbols in the expression that are formulas themselves.
    valid : str
        Range of validity, in words.
    requires : tuple of sympy.Expr
        Expressions that must be positive for a value to exist.

    Examples
    --------
    >>> from bounds.formulas.radius import RADIUS
    >>> round(RADIUS.value(count=1, n_providers=4, confidence=0.05), 6)
    1.770031
    """

    quantity: Quantity
    expression: sympy.Expr
    source: str
    where: tuple[Formula, ...] = ()
    valid: str = "always"
    requires: tuple[sympy.Expr, ...] = ()
    _definitions: dict[sympy.Symbol, Formula] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        QUANTITIES.setdefault(self.symbol, self.quantity)
        object.__setattr__(self, "_definitions", {f.symbol: f for f in self.where})
        unknown = [s for s in self.expression.free_symbols if s not in QUANTITIES]
        if unknown:
            raise ValueError(f"{self.quantity.name}: undeclared symbols {unknown}")

    @property
    def symbol(self) -> sympy.Symbol:
        """The symbol that stands for this formula in others."""
        return self.quantity.symbol

    def definition(self, symbol: sympy.Symbol) -> Formula | None:
        """The formula that defines a symbol of this expression, if it is not an input."""
        return self._definitions.get(symbol)

    @functools.cached_property
    def inputs(self) -> tuple[Quantity, ...]:
        """The quantities whose values are needed, in the order of their names."""
        needed: dict[str, Quantity] = {}
        for symbol in self.expression.free_symbols:
            defined = self.definition(symbol)
            found = defined.inputs if defined else (QUANTITIES[symbol],)
            needed.update({quantity.name: quantity for quantity in found})
        return tuple(needed[name] for name in sorted(needed))

    @functools.cached_property
    def per_provider(self) -> bool:
        """Whether its value has one entry a provider, on the last axis."""
        return is_per_provider(self.expression, self)

    def __call__(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Array:
        """Evaluate with floats, vectorised; ceilings near an integer are decided rigorously.

        Parameters
        ----------
        values : mapping, optional
            Values by quantity name; names this formula does not use are ignored.
        **more
            Further values, which win over `values`. Scalars or arrays that broadcast; quantities per provider
            have the providers on their last axis.

        Returns
        -------
        ndarray of float
            Broadcast shape of the inputs; providers on the last axis where the result is per provider.

        Raises
        ------
        InputError
            A value is missing, not a number or out of the range of its quantity, or the formula has no value
            there.
        """
        found = Evaluation(self._checked({**(values or {}), **more})).formula(self)
        if np.isnan(found).any():
            raise InputError(self.quantity.name, math.nan, "has no value at these inputs", f"valid: {self.valid}")
        return found

    def value(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> float:
        """Evaluate to one number; see `__call__`."""
        return float(self(values, **more))

    def enclose(
        self,
        values: Mapping[str, Any] | None = None,
        /,
        *,
        precision: int = 128,
        backend: str | None = None,
        **more: Any,
    ) -> Any:
        """Return a rigorous enclosure of the exact value at the given (exact binary) inputs.

        Parameters
        ----------
        values, **more
            As in `__call__`; Fractions are taken exactly.
        precision : int
            Binary precision to start from; raised where a ceiling needs it.
        backend : {"flint", "mpmath"}, optional
            Balls or intervals; default flint where installed.

        Returns
        -------
        Enclosure or list of Enclosure
            A (nested) list where the value is an array.
        """
        checked = self._checked({**(values or {}), **more})
        start = [p for p in PRECISIONS if p >= precision] or [precision]
        with rigorous(start[0], backend) as arithmetic:
            result = Evaluation(checked, arithmetic, backend).formula(self)
            flat = [arithmetic.enclosure(item) for item in result.ravel()]
        return flat[0] if result.ndim == 0 else _nested(flat, result.shape)

    def latex(self) -> str:
        """Return ``symbol = expression`` in the notation of the paper."""
        return f"{self.quantity.latex} = {to_latex(self.expression)}"

    def _checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        chosen = {}
        for quantity in self.inputs:
            if quantity.name not in values:
                raise InputError(
                    quantity.name, None, "is missing", f"{self.quantity.name} needs it: {quantity.meaning}"
                )
            value = chosen[quantity.name] = values[quantity.name]
            items = _ends(value) if _is_float_array(value) else np.asarray(value, dtype=object).ravel()
            for item in items:
                if not quantity.contains(_number(quantity.name, item)):
                    raise InputError(
                        quantity.name, item, f"must lie in {quantity.range}", f"it is the {quantity.meaning}"
                    )
            if quantity.per_provider and not np.ndim(value):
                raise InputError(quantity.name, value, "must be a sequence", "give one entry a provider")
        return chosen


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(name, value, "must be a finite number", "give a number or an array of them") from None


def _is_float_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiu"


def _ends(value: Array) -> list[float]:
    """Smallest and largest entry (NaN wins), which decide whether all lie in a range."""
    return [float(np.min(value)), float(np.max(value))] if value.size else []


def _nested(flat: list[Enclosure], shape: tuple[int, ...]) -> Any:
    boxes = np.empty(len(flat), dtype=object)
    boxes[:] = flat
    return boxes.reshape(shape).tolist()


def define(
    name: str,
    latex: str,
    meaning: str,
    unit: str,
    expression: Any,
    source: str,
    *,
    where: tuple[Formula, ...] = (),
    valid: str = "always",
    requires: tuple[sympy.Expr, ...] = (),
) -> Formula:
    """Return the formula that computes a new quantity (see `Formula` and `Quantity`)."""
    return Formula(Quantity(name, latex, meaning, unit), sympy.sympify(expression), source, where, valid, requires)


class _PaperPrinter(LatexPrinter):  # type: ignore[misc]
    """LaTeX in the paper's notation."""

    def _print_Symbol(self, expr: sympy.Symbol, style: str = "plain") -> str:  # noqa: N802
        return QUANTITIES[expr].latex if expr in QUANTITIES else str(super()._print_Symbol(expr, style))

    def _print_Function(self, expr: Any, exp: Any = None) -> str:  # noqa: N802
        if isinstance(expr, REDUCTIONS):
            return rf"{expr.latex_operator} \left({self._print(expr.args[0])}\right)"
        return str(super()._print_Function(expr, exp))


def to_latex(expression: Any) -> str:
    """Return an expression or relation as LaTeX in the paper's notation."""
    return str(_PaperPrinter({"ln_notation": True}).doprint(expression))


def exact(value: float | Fraction) -> sympy.Rational:
    """Return a float or Fraction as an exact SymPy rational."""
    fraction = Fraction(value)
    return sympy.Rational(fraction.numerator, fraction.denominator)
