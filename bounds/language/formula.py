"""Formula: one SymPy expression, from which its numbers, enclosures and LaTeX all come."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from bounds.errors import InputError
from bounds.language.arithmetic import Array, rigorous
from bounds.language.evaluation import KNOWN, PRECISIONS, Evaluable, Evaluation, inputs_of, is_per_provider
from bounds.language.latex import to_latex
from bounds.language.quantities import QUANTITIES, Quantity


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Evaluable):
    """A bound or definition of the paper.

    Parameters
    ----------
    quantity : Quantity
        What it computes: name, LaTeX, meaning, unit.
    expression : sympy.Expr
        The right side, in symbols of quantities, and of formulas that define what it needs.
    source : str
        Label in the paper.
    valid : str
        Range of validity, in words.
    requires : tuple of sympy.Expr
        Expressions that must be positive for a value to exist.

    Examples
    --------
    >>> from bounds.formulas.radius import RADIUS
    >>> RADIUS
    radius = sqrt(2)*sqrt(log(2*pi**2*count**2*n_providers/(3*confidence)))/(2*sqrt(count))
    >>> round(RADIUS.value(count=1, n_providers=4, confidence=0.05), 6)
    1.770031
    """

    quantity: Quantity
    expression: Any
    source: str
    valid: str = "always"
    requires: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        QUANTITIES.setdefault(self.quantity.name, self.quantity)
        object.__setattr__(self, "expression", sympy.sympify(self.expression))
        object.__setattr__(self, "requires", tuple(map(sympy.sympify, self.requires)))
        unknown = [symbol for symbol in self.expression.free_symbols if symbol.name not in QUANTITIES]
        if unknown:
            raise ValueError(f"{self.quantity.name}: undeclared symbols {unknown}")

    def __repr__(self) -> str:
        return f"{self.quantity.name} = {self.expression}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process may not have loaded the modules that define its symbols: it takes the formulas along.
        fields = self.quantity, self.expression, self.source, self.valid, self.requires
        return _with_definitions, (self.where, *fields)

    @functools.cached_property
    def inputs(self) -> tuple[Quantity, ...]:  # type: ignore[override]
        """The quantities whose values are needed, in the order of their names."""
        return tuple(QUANTITIES[name] for name in inputs_of(self.expression))

    @functools.cached_property
    def per_provider(self) -> bool:  # type: ignore[override]
        """Whether its value has one entry per provider, on the last axis."""
        return is_per_provider(self.expression)

    def at(self, **changes: Any) -> Any:
        """Return the right side with an expression in place of a quantity, by the quantity's name.

        Examples
        --------
        >>> from bounds.formulas.selection import EXPLORATION_TARGET
        >>> EXPLORATION_TARGET.at(step=4)
        exploration_scale*(4/n_providers)**exploration_exponent
        """
        return self.expression.subs({QUANTITIES[name].symbol: term for name, term in changes.items()})

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
        found = self.with_gaps({**(values or {}), **more} if more else values or {})
        if math.isnan(found) if found.ndim == 0 else np.isnan(found).any():
            raise InputError(self.quantity.name, math.nan, "has no value at these inputs", f"valid: {self.valid}")
        return found

    def with_gaps(self, values: Mapping[str, Any]) -> Array:
        """Evaluate as `__call__` does, but return NaN where an element alone has no value."""
        return Evaluation(self._checked(values), known=values.get(KNOWN)).formula(self)

    def value(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> float:
        """Evaluate to one number; see `__call__`."""
        return float(self(values, **more))

    def enclose(self, values: Mapping[str, Any] | None = None, /, *, precision: int = 128, **more: Any) -> Any:
        """Return a rigorous enclosure of the exact value at the given (exact binary) inputs.

        Parameters
        ----------
        values, **more
            As in `__call__`; Fractions are taken exactly.
        precision : int
            Binary precision to start from; raised where a ceiling needs it.

        Returns
        -------
        Enclosure or list of Enclosure
            A (nested) list where the value is an array.
        """
        given = {**(values or {}), **more}
        checked = self._checked(given)
        with rigorous(next((each for each in PRECISIONS if each >= precision), precision)) as arithmetic:
            result = Evaluation(checked, arithmetic, given.get(KNOWN)).formula(self)
            return np.asarray(np.frompyfunc(arithmetic.enclosure, 1, 1)(result), dtype=object).tolist()

    def latex(self) -> str:
        """Return ``symbol = expression`` in the notation of the paper; the symbol alone where it is the expression."""
        symbol, right = self.quantity.latex, to_latex(self.expression)
        return symbol if _bare(symbol) == _bare(right) else f"{symbol} = {right}"

    def _checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        checked = {}
        for quantity in self.inputs:
            name = quantity.name
            if name not in values:
                raise InputError(name, None, "is missing", f"{self} needs it: {quantity.meaning}")
            checked[name] = values[name]
            _check(quantity, values[name])
        return checked


def _with_definitions(where: tuple[Evaluable, ...], *fields: Any) -> Formula:
    """Return a formula from another process, once what its symbols stand for is known here."""
    for formula in where:
        formula.symbol  # noqa: B018
    return Formula(*fields)


def _check(quantity: Quantity, value: Any) -> None:
    name = quantity.name
    for item in _deciding(value):
        if not quantity.contains(_number(name, item)):
            raise InputError(name, item, f"must lie in {quantity.range}", f"it is the {quantity.meaning}")
    if quantity.per_provider and not np.ndim(value):
        raise InputError(name, value, "must be a sequence", "give one entry per provider")


def _deciding(value: Any) -> Any:
    """Return the entries that decide whether all lie in a range: smallest and largest of an array (NaN wins)."""
    if isinstance(value, float | int):
        return (value,)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return [float(value.min()), float(value.max())] if value.size else []
    return np.asarray(value, dtype=object).ravel()


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(name, value, "must be a finite number", "give a number or an array of them") from None


def _bare(latex: str) -> str:
    """Return LaTeX without spaces and without the sizes of brackets."""
    return re.sub(r"\\left|\\right|\s", "", latex)
