"""The formulas of `bounds` as terms of Coq, so that Coq can prove them equal to the sides of its theorems."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from typing import Any

import sympy

from bounds.errors import InputError
from bounds.formulas import belief, identification, payment, radius, regret, selection, sharp
from bounds.language.evaluation import Evaluable, formula_of
from bounds.language.formula import Formula
from bounds.language.quantities import QUANTITIES
from bounds.language.reductions import (
    LargestOverCompetitors,
    LargestOverUnqualified,
    OverCompetitors,
    OverUnqualified,
    Reduction,
)

#: Stands for the Lambert function, which Coq does not have, on the branch below -1; no formula has another one.
_LAMBERT = "lambert"
_BRANCHES = {"(-1)": _LAMBERT}
#: The providers over which a reduction runs, as an argument of the definition, and the reduction in Coq.
_OVER = {
    OverCompetitors: ("competitors", "total_over"),
    OverUnqualified: ("unqualified", "total_over"),
    LargestOverCompetitors: ("competitors", "largest_over"),
    LargestOverUnqualified: ("unqualified", "largest_over"),
}


def printed_formulas() -> str:
    """Return `Formulas.v`: every formula of the paper's bounds and of the improved ones, and those they need."""
    modules = (radius, regret, payment, selection, identification, sharp, belief)
    return coq_definitions(one for module in modules for one in vars(module).values() if isinstance(one, Formula))


def packaged_text(*place: str) -> str:
    """Return the text of a file of the development."""
    try:
        return files("proofs_checks.proofs.kernel").joinpath(*place).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError("file", place[-1], f"cannot be read ({error})", "install costproof again") from error


@functools.cache
def check_formulas() -> None:
    """Check that the formulas that the theorems in Coq are about are those of `bounds`: `Formulas.v`, to the letter.

    A formula that `Formulas.v` does not have is one that no theorem is about.
    """
    proved = packaged_text("theories", "Formulas.v")
    if (printed := printed_formulas()) == proved:
        return
    now, then = ({_defined_in(part): part for part in text.split("\n\n")} for text in (printed, proved))
    if not (changed := [name for name in then if now.get(name) != then[name]]):
        return
    remedy = "install costproof again, or have Coq check them: python -m proofs_checks.proofs.kernel"
    raise InputError("formulas", ", ".join(changed), "differ from those that the theorems in Coq are about", remedy)


def _defined_in(part: str) -> str:
    """Return the name that a part of the file defines."""
    found = re.search(r"^Definition (\w+)", part, re.MULTILINE)
    return found[1] if found else "Formulas.v"


def coq_definitions(formulas: Iterable[Formula]) -> str:
    """Return a file of definitions, one for each formula and for each that it needs.

    Examples
    --------
    >>> from bounds.formulas.regret import QUALITY_GAP
    >>> coq_definitions([QUALITY_GAP]).splitlines()[-2].strip()
    'quality_threshold + ((-1) * (unqualified_quality i)).'
    """
    ordered: dict[str, Evaluable] = {}
    for formula in formulas:
        _collect(formula, ordered)
    return "\n".join([packaged_text("formulas_head.v"), *(_definition(formula) for formula in ordered.values())]) + "\n"


def arguments_of(formula: Evaluable) -> list[str]:
    """Return the arguments of a formula's definition: its inputs, the providers over which it runs, Lambert's function.

    Examples
    --------
    >>> from bounds.formulas.payment import BURN_IN
    >>> arguments_of(BURN_IN)[-2:]
    ['unqualified_quality', 'unqualified']
    """
    function = [_LAMBERT] if _uses(formula, sympy.LambertW) else []
    return [quantity.name for quantity in formula.inputs] + sorted(set(_lists(formula))) + function


def _collect(formula: Evaluable, ordered: dict[str, Evaluable]) -> None:
    for symbol in _symbols(formula.expression):
        defined = formula_of(symbol)
        if defined is not None and symbol.name not in ordered:
            _collect(defined, ordered)
    ordered.setdefault(formula.quantity.name, formula)


def _symbols(expression: Any) -> Iterator[Any]:
    """Yield the symbols of an expression in the order in which they stand."""
    yield from [expression] if expression.is_Symbol else itertools.chain.from_iterable(map(_symbols, expression.args))


def _uses(formula: Evaluable, function: Any) -> bool:
    """Whether a formula, or one that it needs, holds a function."""
    return formula.expression.has(function) or any(_uses(each, function) for each in formula.where)


def _lists(formula: Evaluable) -> Iterator[str]:
    """Yield the lists of providers over which a formula runs, those of the formulas in it included."""
    yield from (_OVER[each.func][0] for each in formula.expression.atoms(Reduction))
    for defined in formula.where:
        yield from _lists(defined)


def _definition(formula: Evaluable) -> str:
    binders = [_binder(name) for name in arguments_of(formula)]
    if formula.per_provider:
        binders.append("(i : nat)")
    source = f"(* {formula.source} *)\n" if isinstance(formula, Formula) else ""
    # What is not one word stands in parentheses, which the whole does not need.
    term = _printed(formula.expression).removeprefix("(").removesuffix(")")
    return f"{source}Definition {formula.quantity.name} {' '.join(binders)} : R :=\n  {term}.\n"


def _binder(name: str) -> str:
    if name == _LAMBERT:
        return f"({name} : R -> R)"
    if name in {each for each, _ in _OVER.values()}:
        return f"({name} : list nat)"
    return f"({name} : {'nat -> R' if QUANTITIES[name].per_provider else 'R'})"


def _printed(expression: Any) -> str:
    kind, arguments = expression.func, expression.args
    if expression.is_Symbol:
        return _named(expression)
    if expression.is_Rational:
        over = f"({_whole(expression.p)} / {expression.q})"
        return _whole(expression.p) if expression.is_Integer else over
    if expression == sympy.pi:
        return "PI"
    if kind in _OVER:
        over, reduction = _OVER[kind]
        return f"({reduction} {over} (fun i => {_printed(arguments[0])}))"
    if kind is sympy.Pow:
        return _power(*arguments)
    return _APPLIED[kind]([_printed(each) for each in arguments])


def _whole(number: int) -> str:
    return str(number) if number >= 0 else f"({number})"


def _power(base: Any, exponent: Any) -> str:
    if exponent.is_negative and (exponent == -sympy.S.Half or exponent.is_Integer):
        return f"(/ {_power(base, -exponent) if exponent != -1 else _printed(base)})"
    if exponent.is_Integer:
        return f"({_printed(base)} ^ {exponent})"
    if exponent == sympy.S.Half:
        return f"(sqrt {_printed(base)})"
    return f"(Rpower {_printed(base)} {_printed(exponent)})"


#: Functions, given their arguments in Coq.
_APPLIED: dict[Any, Callable[[list[str]], str]] = {
    sympy.Add: lambda parts: f"({' + '.join(parts)})",
    sympy.Mul: lambda parts: f"({' * '.join(parts)})",
    sympy.log: lambda parts: f"(ln {parts[0]})",
    sympy.Max: lambda parts: f"(Rmax {parts[0]} {parts[1]})",
    sympy.Min: lambda parts: f"(Rmin {parts[0]} {parts[1]})",
    sympy.ceiling: lambda parts: f"(ceiling {parts[0]})",
    sympy.floor: lambda parts: f"(floor {parts[0]})",
    sympy.LambertW: lambda parts: f"({_BRANCHES[parts[-1]]} {parts[0]})",
}


def _named(symbol: Any) -> str:
    """Return a quantity, or the formula that a symbol stands for, applied to what it needs."""
    defined = formula_of(symbol)
    if defined is None:
        return f"({symbol.name} i)" if QUANTITIES[symbol.name].per_provider else str(symbol.name)
    given = [*arguments_of(defined), *(["i"] if defined.per_provider else [])]
    return f"({symbol.name} {' '.join(given)})"
