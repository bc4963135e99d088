"""Computed: a quantity that a search or a sum finds, where no expression states it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.language.arithmetic import Array
from bounds.language.evaluation import KNOWN, Evaluable, Evaluation, formula_of
from bounds.language.formula import Formula
from bounds.language.quantities import QUANTITIES, Quantity


@dataclass(frozen=True, eq=False, repr=False)
class Computed(Evaluable):
    """A quantity with its definition in words and LaTeX, and the function that finds it.

    In the right side of a formula it stands for its symbol, as a formula does.

    Parameters
    ----------
    quantity : Quantity
        What it computes; `per_provider` of the quantity says whether it has an entry per provider.
    function : callable
        From the values of `inputs` by name to a float64 array. It rounds to the safe side: an upper bound upwards.
    inputs : tuple of Quantity
        Whose values it needs.
    defined_as : str
        The definition, in LaTeX.
    source : str
        The label of the statement that it stands in.
    valid : str
        Range of validity, in words.
    home : str
        The module that makes it, so that another process finds it; by default that of the function.

    Examples
    --------
    >>> from bounds.language.quantities import COUNT, queries
    >>> halvings = Computed(
    ...     queries("halvings", "h(m)", "how often m can be halved"),
    ...     lambda values: np.floor(np.log2(values["count"])),
    ...     (COUNT,),
    ...     r"\\lfloor \\log_2 m \\rfloor",
    ...     "an example",
    ... )
    >>> halvings.value(count=9)
    3.0
    """

    quantity: Quantity
    function: Callable[[Mapping[str, Any]], Array]
    inputs: tuple[Quantity, ...]
    defined_as: str
    source: str
    valid: str = "always"
    home: str = ""
    requires = ()

    def __post_init__(self) -> None:
        QUANTITIES.setdefault(self.quantity.name, self.quantity)
        self.symbol  # noqa: B018  # from here on it stands for this

    def __reduce__(self) -> tuple[Any, ...]:
        # Functions made in functions do not travel: another process has the same one from the same module.
        return _made_in, (self.home or self.function.__module__, self.quantity.name)

    @property
    def expression(self) -> Any:
        """Its symbol: no expression states it."""
        return self.symbol

    @property
    def statement(self) -> Any:
        """What defines it."""
        return self.defined_as

    @property
    def per_provider(self) -> bool:  # type: ignore[override]
        """Whether its value has one entry per provider, on the last axis."""
        return self.quantity.per_provider

    def computed(self, values: Mapping[str, Any]) -> Array:
        """Return its value, by the function."""
        return np.asarray(self.function(values), dtype=float)

    def __call__(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Array:
        """Return its value at the inputs; see `bounds.language.formula.Formula.__call__`."""
        return self.with_gaps({**(values or {}), **more})

    def with_gaps(self, values: Mapping[str, Any]) -> Array:
        """Return its value at the inputs; see `bounds.language.formula.Formula.with_gaps`."""
        return Evaluation(values, known=values.get(KNOWN)).formula(self)

    def value(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> float:
        """Return its value as one number."""
        return float(self(values, **more))

    def latex(self) -> str:
        """Return ``symbol = definition`` in the notation of the paper."""
        return f"{self.quantity.latex} = {self.defined_as}"


def _made_in(module: str, name: str) -> Evaluable | None:
    """Return a computed quantity that a module makes when it is loaded."""
    importlib.import_module(module)
    return formula_of(QUANTITIES[name].symbol)


#: What a bound is stated by: an expression, or a search.
Stated = Formula | Computed


def rests_on_search(formula: Evaluable) -> bool:
    """Return whether a search finds a part of a formula: such a part is rounded, and known no better than a double.

    Examples
    --------
    >>> from bounds.formulas.selection import BURN_IN
    >>> rests_on_search(BURN_IN)
    False
    """
    return not isinstance(formula, Formula) or any(map(rests_on_search, formula.where))
