"""The leading order of each regret and payment bound, derived from its formula, beside what the paper states."""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

import sympy

from bounds.errors import InputError
from bounds.symbolic.growth import Growth, Orders, dominates
from bounds.symbolic.symbols import symbols
from bounds.symbolic.unfolding import unfolded

#: Positive, so that powers of quotients are simplified; what is handed out has symbols without assumptions.
T, N, eps, Delta = sympy.symbols("T N eps Delta", positive=True)
_PLAIN = {symbol: sympy.Symbol(symbol.name) for symbol in (T, N, eps, Delta)}

#: What tends to infinity, and how symbols depend on it; bids are truthful.
_GROWTH = {
    of: Growth(variables, {**known, symbols.d_minus: (), symbols.d_plus: ()})
    for of, variables, known in (
        ("T", (T,), {symbols.T: (1,)}),
        ("N", (T / N, N), {symbols.T: (1, 1), symbols.N: (0, 1)}),
        ("eps", (1 / eps,), {symbols.eps: (-1,), _PLAIN[eps]: (-1,)}),
        ("Delta", (1 / Delta,), {symbols.Delta: (-1,), _PLAIN[Delta]: (-1,)}),
    )
}

Agreement = Literal["equal", "larger", "equal up to logarithms", "smaller"]


@dataclass(frozen=True, kw_only=True)
class Asymptotic:
    """The leading order of a bound, and a statement of the paper on it.

    Parameters
    ----------
    name : str
        What the bound is on, as `leading_order` takes it.
    of : {"T", "N", "eps", "Delta"}
        What varies.
    order : sympy.Expr
        The leading order, derived from the formula.
    stated : sympy.Expr or None
        The order that the paper states, multiplied by T where it is stated per query; None if it states none.
    label, line : str and int, or None
        Where the paper states it.
    up_to_logarithms : bool
        Whether the paper says that it leaves out logarithmic factors.
    agreement : str or None
        How the stated order compares with the derived one. A larger one is a valid bound that is not tight.
    """

    name: str
    of: str
    order: Any
    stated: Any = None
    label: str | None = None
    line: int | None = None
    up_to_logarithms: bool = False
    agreement: Agreement | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether what the paper states is right; None if it states nothing."""
        if self.agreement is None:
            return None
        return self.agreement in ("equal", "larger", *(["equal up to logarithms"] if self.up_to_logarithms else []))


@functools.cache
def asymptotics() -> tuple[Asymptotic, ...]:
    """Return the leading order of each bound in T, N and the gaps, with each statement of the paper on it.

    Examples
    --------
    >>> import costproof
    >>> [row.label for row in costproof.asymptotics() if row.agrees is False]
    ['thm:sample-complexity']
    >>> row = next(row for row in costproof.asymptotics() if row.line == 1361)
    >>> row.order, row.stated, row.agreement
    (Max(T**(alpha - 1), sqrt(log(T))/T**(alpha/2)), sqrt(log(T))*Max(T**(-alpha/2), T**(alpha - 1)), 'larger')
    """
    text = files("bounds.symbolic").joinpath("asymptotics.csv").read_text(encoding="utf-8")
    return tuple(_compared(**row) for row in csv.DictReader(text.splitlines()))


def _compared(name: str, of: str, stated: str, label: str, line: str, up_to_logarithms: str) -> Asymptotic:
    """Return a row of the table; what the paper states per query is stated there multiplied by T."""
    order = leading_order(name, of)
    if not stated:
        return Asymptotic(name=name, of=of, order=order)
    expression = sympy.sympify(stated, locals={symbol.name: symbol for symbol in _PLAIN.values()})
    agreement = _agreement(*(_GROWTH[of].of(each) for each in (expression, order)))
    compared = functools.partial(Asymptotic, name=name, of=of, order=order, stated=expression, agreement=agreement)
    return compared(label=label, line=int(line), up_to_logarithms=bool(up_to_logarithms))


def _agreement(stated: Orders, derived: Orders) -> Agreement:
    if dominates(stated, derived):
        return "equal" if dominates(derived, stated) else "larger"
    powers = [tuple(tuple((power, 0) for power, _ in order) for order in orders) for orders in (stated, derived)]
    return "equal up to logarithms" if dominates(*powers) and dominates(*powers[::-1]) else "smaller"


def leading_order(bound: Any, of: str = "T", *, method: str = "paper") -> Any:
    """Return the leading order of a bound, derived from its expression, for truthful bids.

    The bound divided by it stays between two positive constants. Sums, products, powers and logarithms are
    followed term by term; terms of which none is the largest for every alpha in (0, 1) stand in a `Max`.

    Parameters
    ----------
    bound : str or sympy.Expr
        A name as `symbolic` takes it, or an expression in the paper's symbols.
    of : {"T", "N", "eps", "Delta"}, optional
        What varies while all else is fixed: T tends to infinity; both T/N and N do, and every further provider is
        unqualified, with a gap that is bounded below; the gaps eps_i, or Delta_i, tend to 0.
    method : {"paper", "sharp", "sharpest"}, optional
        For a name.

    Returns
    -------
    sympy.Expr
        In the symbols T, N, alpha, eps and Delta.

    Raises
    ------
    InputError
        There is no such name or variable, or the order of a part cannot be derived: a search finds it, say.

    Examples
    --------
    >>> leading_order("generation_regret_anytime")
    Max(T**alpha, sqrt(T)*sqrt(log(T)))
    >>> leading_order("B_id", of="eps"), leading_order("B_id", of="N")
    (log(1/eps)/eps**2, Max((T/N)**alpha, N*log(N)))
    """
    if of not in _GROWTH:
        raise InputError("of", of, f"must be one of {', '.join(_GROWTH)}", "it says what varies")
    growth = _GROWTH[of]
    expression = unfolded(bound, method=method) if isinstance(bound, str) else sympy.sympify(bound)
    try:
        return sympy.Max(*growth.monomials(growth.of(expression))).subs(_PLAIN)
    except InputError:
        if expression.func is not sympy.Min:
            raise
        return sympy.Min(*(leading_order(part, of) for part in expression.args))
