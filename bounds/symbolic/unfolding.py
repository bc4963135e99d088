"""A formula by its name, as an ordinary SymPy expression in the paper's symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import sympy
from sympy.core.symbol import Str

from bounds.errors import InputError, did_you_mean
from bounds.formulas.selection import COST_GAP, EXPLORATION_CAP, EXPLORATION_TARGET, IDENTIFICATION_BOUND_MAIN_TEXT
from bounds.language.computed import Computed, Stated
from bounds.language.evaluation import Evaluable, formula_of
from bounds.language.quantities import C_2, C_STAR, C_UNQUALIFIED, HORIZON, Q_UNQUALIFIED, QUANTITIES, QUERIES, Quantity
from bounds.language.reductions import LargestOverUnqualified, OverUnqualified, Reduction
from bounds.loading import AnySetting, load_setting
from bounds.methods import METHODS, every_formula, method_formulas
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Provider, Setting
from bounds.symbolic.symbols import GAPS, INDEX, Found, extreme, over_roster, symbol_of

#: What must exceed the deviations of bids.
_GAP = COST_GAP.symbol
#: Keys of the JSON and letters of the paper that are not names of formulas.
_ALIASES = {
    "identification": "identification_bound",
    "excess_payment_average_polynomial": "average_excess_payment",
    "main_text_identification_bound": "identification_bound_main_text",
}


#: Names of the identification horizon.
T_ID = ("T_id", "identification_horizon")


def market_of(market: AnySetting) -> Setting:
    """Return the setting that a market is given by.

    Raises
    ------
    InputError
        There is no such setting, or it has another radius than the formulas.
    """
    setting = load_setting(market, argument="market")
    if not setting.platform.papers_radius:
        raise InputError("market", setting.name, "has another radius", "; ".join(setting.unmet_assumptions))
    return setting


def formula_names() -> dict[str, str]:
    """Return the name of a formula by every name that it goes by: its own, the paper's letter, the key of the JSON."""
    letters = {f.quantity.ascii: name for name, f in every_formula().items() if f.quantity.ascii}
    return {**{name: name for name in every_formula()}, **letters, **_ALIASES}


def stated(name: str, method: str, market: Setting | None = None) -> tuple[Stated, Mapping[str, Stated]]:
    """Return the formula of a name, as a method has it, and what else the method puts in place of the paper's.

    Raises
    ------
    InputError
        There is no such method or name.
    """
    known, in_place = formula_names(), _in_place(method, market)
    found = known.get(name.replace(".", "_")) if isinstance(name, str) else None
    if name in T_ID:
        raise InputError("name", name, "is stated by no expression", 'take symbolic("T_id"): it has an equation')
    if found is None:
        remedy = did_you_mean(name, known, "see the keys of `costproof bounds --json`, or take M, B_id, T_0")
        raise InputError("name", name, "is not the name of a formula", remedy)
    printed = every_formula()[found]
    if printed is IDENTIFICATION_BOUND_MAIN_TEXT or in_place.get(found) is printed:
        in_place = {}  # the method has it as the paper does
    elif found == "generation_regret" and market is not None and market.unseparated:
        found = "generation_regret_anytime"  # the gaps promise nothing, as in a report
    return in_place.get(found, every_formula()[found]), in_place


def _in_place(method: str, market: Setting | None) -> Mapping[str, Stated]:
    """Return what a method puts in place of the paper's formulas, by their names."""
    sets = METHODS["paper"], method_formulas(method)
    roles = [
        [found for role in fields(each) for found in _formulas_of(role.name, getattr(each, role.name))] for each in sets
    ]
    pairs = list(zip(*roles, strict=True))
    if market is not None and market.unmet_of_market:
        pairs.reverse()  # where a formula has two roles, the later one needs no unique i*
    found: dict[str, Stated] = {}
    for old, new in pairs:
        if isinstance(old, Stated) and isinstance(new, Stated):
            found.setdefault(old.quantity.name, new)
    return found


def _formulas_of(role: str, value: Any) -> list[Any]:
    """Return what plays a role: one formula, those of all guarantees, or nothing that stands for another one."""
    if role in ("unqualified_cap", "lead", "settling"):
        return []
    if role == "without_optimum":
        return list(value.values())
    if role == "branches":
        return [formula for branches in value.values() for formula in branches]
    if role == "variants":
        return [formula for variants in value.values() for formula in variants.values()]
    return [value]


def unfolded(name: str, given: AnySetting | None = None, *, method: str = "paper", smooth: bool = False) -> Any:
    """Return the expression of a formula; a dictionary by the names of providers where each of a market has its own."""
    market = None if given is None else market_of(given)
    formula, in_place = stated(name, method, market)
    unfolding = Unfolding(market=market, smooth=smooth, in_place=in_place)
    if market is None or not formula.per_provider:
        return unfolding.formula(formula)
    unqualified = {each.name for each in formula.inputs} & {Q_UNQUALIFIED.name, C_UNQUALIFIED.name}
    group = unfolding.group(market, unqualified=bool(unqualified))
    return {each.name: replace(unfolding, provider=each).formula(formula) for each in group}


@dataclass(frozen=True, kw_only=True)
class Unfolding:
    """How formulas are written out.

    Parameters
    ----------
    market : Setting, optional
        Whose providers are written out.
    smooth : bool
        Whether roundings are left out.
    in_place : mapping of str to formula
        What a method puts in place of formulas, by their names.
    provider : Provider, optional
        Of which one speaks, in a market.
    letters : bool
        Whether counts of selections stay symbols, as in the displays of the paper.
    """

    market: Setting | None
    smooth: bool
    in_place: Mapping[str, Stated]
    provider: Provider | None = None
    letters: bool = False

    def of(self, expression: Any) -> Any:
        """Return an expression in quantities and formulas as one in the paper's symbols."""
        if expression.is_Symbol:
            return self._symbol(expression)
        if isinstance(expression, Reduction):
            return self._reduced(type(expression), expression.args[0])
        if not expression.args:
            return expression
        if self.smooth and isinstance(expression, (sympy.ceiling, sympy.floor)):
            return self.of(expression.args[0])
        parts = [self.of(part) for part in expression.args]
        if isinstance(expression, (sympy.Max, sympy.Min)):
            return extreme(expression.func, parts)
        return expression.func(*parts)

    def _symbol(self, symbol: Any) -> Any:
        formula = formula_of(symbol)
        if formula in GAPS and self.market is None:
            return symbol_of(formula.quantity)[INDEX]
        if self.smooth and formula is EXPLORATION_CAP:
            return self.of(EXPLORATION_TARGET.at(step=HORIZON))
        if formula is None:
            return self._input(QUANTITIES[symbol.name])
        formula = self.in_place.get(formula.quantity.name, formula)
        if self.letters and formula.quantity.unit == QUERIES and formula is not EXPLORATION_CAP:
            return symbol.func(formula.quantity.name)
        return self.formula(formula)

    def formula(self, formula: Evaluable) -> Any:
        """Return a formula as an expression in the paper's symbols."""
        if self.market is not None and self.market.unseparated and any(each.has(_GAP) for each in formula.requires):
            raise InputError("market", self.market.name, "has no such bound", self.market.unseparated_told)
        if isinstance(formula, Computed):
            arguments = [self._input(each, whole=not formula.per_provider) for each in formula.inputs]
            return Found(Str(formula.quantity.name), *arguments)
        return self.of(formula.expression)

    def _input(self, quantity: Quantity, *, whole: bool = False) -> Any:
        """Return the symbol of an input, or its number in a market; `whole` asks for those of all providers."""
        letter = symbol_of(quantity)
        if whole and quantity.per_provider and self.market is None:
            raise InputError("market", None, "must be given", "a search among its providers finds a part of the bound")
        if self.market is None:
            return letter[INDEX] if quantity.per_provider else letter
        if quantity.per_provider and not whole and self.provider is not None:
            return exact(self.provider.quality if quantity == Q_UNQUALIFIED else self.provider.mean_cost)
        if not quantity.per_provider and quantity not in (C_STAR, C_2):
            return letter
        values = formula_inputs(self.market)
        if quantity.name not in values:
            raise _lacking(self.market, f"has no {quantity.meaning}")
        found = values[quantity.name]
        return sympy.Tuple(*map(exact, found)) if quantity.per_provider else exact(found)

    def _reduced(self, reduction: type[Reduction], inside: Any) -> Any:
        unqualified = reduction in (OverUnqualified, LargestOverUnqualified)
        if self.market is None:
            return over_roster(self.of(inside), unqualified=unqualified, largest=reduction.is_largest)
        group = self.group(self.market, unqualified=unqualified, counts=not reduction.is_largest)
        terms = [replace(self, provider=each).of(inside) for each in group]
        return extreme(sympy.Max, [sympy.S.Zero, *terms]) if reduction.is_largest else sympy.Add(*terms)

    @staticmethod
    def group(market: Setting, *, unqualified: bool, counts: bool = True) -> list[Provider]:
        """Return the unqualified providers, or the competitors of i*; nothing bounds counts if nobody is qualified."""
        if counts and not market.qualified:
            raise _lacking(market, "leaves this bound undefined")
        if not unqualified and market.optimal is None:
            raise _lacking(market, "has no unique optimal provider")
        return [market.providers[i] for i in (market.unqualified if unqualified else market.competitors)]


def _lacking(market: Setting, rule: str) -> InputError:
    return InputError("market", market.name, rule, "; ".join(market.unmet_of_market))


def exact(value: float) -> Any:
    """Return a double as the rational number that it is."""
    return sympy.Rational(*float(value).as_integer_ratio())
