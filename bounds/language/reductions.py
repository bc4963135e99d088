"""Reductions: sums and maxima over groups of providers, as functions of SymPy. A maximum over no provider is zero."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import sympy

#: The larger and the smaller of some numbers, as they are written. To simplify them SymPy compares every pair, which
#: takes half of the time in which all formulas are made, and changes none.
Max, Min = (functools.partial(function, evaluate=False) for function in (sympy.Max, sympy.Min))


class Reduction(sympy.Function):  # type: ignore[misc]
    """A sum, or a maximum, of an expression over a group of providers."""

    #: How the paper writes it, and whether it is a maximum.
    sign: ClassVar[str]
    is_largest: ClassVar[bool] = False

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"{self.sign} \left({printer._print(self.args[0])}\right){power}"


class OverUnqualified(Reduction):
    """The sum over the unqualified providers."""

    sign = r"\sum_{i \notin \mathcal{Q}}"


class OverCompetitors(Reduction):
    """The sum over the qualified providers but i*."""

    sign = r"\sum_{i \in \mathcal{Q} \setminus \{i^*\}}"


class LargestOverUnqualified(Reduction):
    """The maximum over the unqualified providers."""

    sign, is_largest = r"\max_{i \notin \mathcal{Q}}", True


class LargestOverCompetitors(Reduction):
    """The maximum over the qualified providers but i*."""

    sign, is_largest = r"\max_{i \in \mathcal{Q} \setminus \{i^*\}}", True
