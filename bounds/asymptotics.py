"""The leading order of each regret and payment bound, derived from its formula, beside what the paper states."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import sympy

from bounds.errors import InputError, did_you_mean
from bounds.formulas.selection import COST_GAP, QUALITY_GAP
from bounds.language.growth import Growth, Orders, dominates
from bounds.language.quantities import ALPHA, D_MINUS, D_PLUS, HORIZON, N as PROVIDERS
from bounds.language.reductions import OverUnqualified
from bounds.methods import every_formula

#: Positive, so that powers of quotients are simplified; what is handed out has symbols without assumptions.
T, N, eps, Delta = sympy.symbols("T N eps Delta", positive=True)
_PLAIN = {symbol: sympy.Symbol(symbol.name) for symbol in (T, N, eps, Delta)}

_NONE, _ONE, _LESS = ((sympy.Integer(power), sympy.S.Zero) for power in (0, 1, -1))
#: Bids are truthful: nothing is under- or overbid.
_TRUTHFUL: dict[Any, Orders] = {D_MINUS.symbol: (), D_PLUS.symbol: ()}
#: The variables that grow, and how fast what depends on them does: T; T/N and N; the inverse of a gap.
_GROWTH: dict[str, tuple[tuple[Any, ...], Growth]] = {
    "T": ((T,), Growth({HORIZON.symbol: ((_ONE,),), _PLAIN[T]: ((_ONE,),), **_TRUTHFUL})),
    "N": (
        (T / N, N),
        Growth(
            {HORIZON.symbol: ((_ONE, _ONE),), PROVIDERS.symbol: ((_NONE, _ONE),), **_TRUTHFUL},
            {OverUnqualified: (_NONE, _ONE)},
        ),
    ),
    "eps": ((1 / eps,), Growth({QUALITY_GAP.symbol: ((_LESS,),), _PLAIN[eps]: ((_LESS,),), **_TRUTHFUL})),
    "Delta": ((1 / Delta,), Growth({COST_GAP.symbol: ((_LESS,),), _PLAIN[Delta]: ((_LESS,),), **_TRUTHFUL})),
}

#: The bounds of the table.
_BOUNDS = (
    *("identification_bound", "unqualified_selections_bound", "burn_in"),
    *("quality_regret_anytime", "quality_regret_gap_dependent", "quality_regret"),
    *("generation_regret_anytime", "generation_regret_gap_dependent", "generation_regret"),
    *("excess_payment", "average_excess_payment", "average_payment_deviation"),
)
#: What the paper states of a bound: the order, multiplied by T where it is stated per query, label and line of its
#: source, and whether it says "up to logarithmic factors".
_STATED: dict[tuple[str, str], tuple[tuple[str, str, int, bool], ...]] = {
    ("identification_bound", "T"): (("T**alpha", "cor:vanishing-nonoptimal-selections", 929, False),),
    ("identification_bound", "eps"): (("1/eps**2", "thm:sample-complexity", 343, True),),
    ("identification_bound", "Delta"): (("1/Delta**2", "thm:sample-complexity", 345, False),),
    ("unqualified_selections_bound", "T"): (("1", "thm:quality-guarantee", 1017, False),),
    ("quality_regret", "T"): (("1", "thm:quality-guarantee", 1017, False),),
    ("generation_regret_anytime", "T"): (
        ("T**alpha + sqrt(T*log(T))", "thm:deviation-generation-regret", 1576, False),
    ),
    ("average_payment_deviation", "T"): (
        ("Max(T**(alpha - 1), T**(-alpha/2))", "claim:rate-after-thm-regret", 364, True),
        ("T**(alpha - 1) + T**(-alpha/2)*sqrt(log(T))", "cor:optimal-alpha", 1360, False),
        ("Max(T**(alpha - 1), T**(-alpha/2))*sqrt(log(T))", "cor:optimal-alpha", 1361, False),
        ("T**(alpha - 1) + T**(-alpha/2)*sqrt(log(T))", "prop:bayesian-substitution", 1498, False),
    ),
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
    return tuple(row for name in _BOUNDS for of in _GROWTH for row in _rows(name, of))


def _rows(name: str, of: str) -> list[Asymptotic]:
    order, (_, growth) = leading_order(name, of), _GROWTH[of]
    rows = []
    for text, label, line, leaves_out in _STATED.get((name, of), ()):
        stated = sympy.sympify(text, locals={symbol.name: symbol for symbol in _PLAIN.values()})
        agreement = _compared(growth.of(stated), growth.of(order))
        told = {"stated": stated, "label": label, "line": line, "up_to_logarithms": leaves_out, "agreement": agreement}
        rows.append(Asymptotic(name=name, of=of, order=order, **told))
    return rows or [Asymptotic(name=name, of=of, order=order)]


def _compared(stated: Orders, derived: Orders) -> Agreement:
    if dominates(stated, derived):
        return "equal" if dominates(derived, stated) else "larger"
    powers = [tuple(tuple((power, 0) for power, _ in order) for order in orders) for orders in (stated, derived)]
    return "equal up to logarithms" if dominates(*powers) and dominates(*powers[::-1]) else "smaller"


def leading_order(name: str, of: str = "T") -> Any:
    """Return the leading order of a bound, derived from its formula, for truthful bids.

    The bound divided by it stays between two positive constants. Sums, products, powers and logarithms are
    followed term by term; terms of which none is the largest for every alpha in (0, 1) stand in a `Max`.

    Parameters
    ----------
    name : str
        A formula by the name of what it computes, as in `bounds.methods.every_formula`.
    of : {"T", "N", "eps", "Delta"}, optional
        What varies while all else is fixed: T tends to infinity; both T/N and N do, and every further provider is
        unqualified, with a gap that is bounded below; the gaps eps_i, or Delta_i, tend to 0.

    Returns
    -------
    sympy.Expr
        In the symbols T, N, alpha, eps and Delta.

    Raises
    ------
    InputError
        There is no such formula or variable, or the order of a part cannot be derived, since a search finds it.

    Examples
    --------
    >>> leading_order("generation_regret_anytime")
    Max(T**alpha, sqrt(T)*sqrt(log(T)))
    >>> leading_order("identification_bound", of="eps"), leading_order("identification_bound", of="N")
    (log(1/eps)/eps**2, Max((T/N)**alpha, N*log(N)))
    """
    formulas = every_formula()
    if name not in formulas:
        raise InputError("name", name, "is no formula", did_you_mean(name, formulas, "try generation_regret"))
    if of not in _GROWTH:
        raise InputError("of", of, f"must be one of {', '.join(_GROWTH)}", "it says what varies")
    variables, growth = _GROWTH[of]
    expression = formulas[name].expression
    if expression.func is not sympy.Min:
        return _shown(variables, growth.of(expression))
    parts = [growth.of(part) for part in expression.args]
    least = [orders for orders in parts if all(dominates(other, orders) for other in parts)]
    return sympy.Min(*(_shown(variables, orders) for orders in least[:1] or parts))


def _shown(variables: tuple[Any, ...], orders: Orders) -> Any:
    """Return the largest of some monomials; the larger of ln(T/N) and ln N, to one power, is of the order of ln T."""
    logarithms: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for order in orders:
        powers, exponents = zip(*order, strict=True)
        logarithms[_product(variables, powers)].append(exponents)

    def monomials(found: list[tuple[Any, ...]]) -> list[Any]:
        one = found[0][0]
        if found == [(one, 0), (0, one)]:
            return [sympy.log(sympy.Mul(*variables)) ** one]
        return [_product(map(sympy.log, variables), exponents) for exponents in found]

    shown = (power * each for power, found in logarithms.items() for each in monomials(found))
    return sympy.Max(*shown).subs({ALPHA.symbol: sympy.Symbol("alpha"), **_PLAIN})


def _product(factors: Iterable[Any], exponents: Iterable[Any]) -> Any:
    return sympy.Mul(*(factor**exponent for factor, exponent in zip(factors, exponents, strict=True)))
