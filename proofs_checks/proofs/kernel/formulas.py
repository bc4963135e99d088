"""The formulas of `bounds` as terms of Coq, so that Coq can prove them equal to the sides of its theorems."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files

from bounds.errors import InputError
from bounds.formulas import identification, payment, radius, regret, selection
from bounds.language.evaluation import Evaluable, is_per_provider
from bounds.language.formula import Formula
from bounds.language.quantities import QUANTITIES
from bounds.language.terms import REDUCTIONS
from bounds.language.trees import Tree

#: The providers over which a reduction runs, as an argument of the definition, and the reduction in Coq.
_OVER = {
    "OverCompetitors": ("competitors", "total_over"),
    "OverUnqualified": ("unqualified", "total_over"),
    "LargestOverCompetitors": ("competitors", "largest_over"),
    "LargestOverUnqualified": ("unqualified", "largest_over"),
}
#: Operations for which Coq's library has no function.
_WITHOUT_TERM = "lambertw_lower"
_HEAD = """(* Made by `python -m proofs_checks.proofs.kernel` from the formulas of the package `bounds`: do not edit.
   A quantity of a provider is a function of its number, a sum over providers is over a list of their numbers. *)
Require Import Reals List.
Open Scope R_scope.

Definition floor (x : R) : R := IZR (Int_part x).
Definition ceiling (x : R) : R := - floor (- x).
Definition total_over (providers : list nat) (value : nat -> R) : R :=
  fold_right (fun i total => value i + total) 0 providers.
Definition largest_over (providers : list nat) (value : nat -> R) : R :=
  fold_right (fun i most => Rmax (value i) most) 0 providers.
"""


def printed_formulas() -> str:
    """Return `Formulas.v`: every formula of the paper's bounds that Coq has terms for, and those it needs."""
    modules = (radius, regret, payment, selection, identification)
    formulas = [one for module in modules for one in vars(module).values() if isinstance(one, Formula)]
    return coq_definitions(formula for formula in formulas if not _uses(formula.tree, formula, _WITHOUT_TERM))


def packaged_text(*place: str) -> str:
    """Return the text of a file of the development.

    Raises
    ------
    InputError
        It is missing, or is no text.
    """
    try:
        return files("proofs_checks.proofs.kernel").joinpath(*place).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError("file", place[-1], f"cannot be read ({error})", "install costproof again") from error


@functools.cache
def check_formulas() -> None:
    """Check that the formulas of `bounds` are those that the theorems in Coq are about: `Formulas.v`, to the letter.

    Raises
    ------
    InputError
        One is another, or the file cannot be read.
    """
    proved = packaged_text("theories", "Formulas.v")
    if (printed := printed_formulas()) == proved:
        return
    now, then = ({_defined_in(part): part for part in text.split("\n\n")} for text in (printed, proved))
    changed = [name for name in {**now, **then} if now.get(name) != then.get(name)]
    remedy = "install costproof again, or have Coq check them: python -m proofs_checks.proofs.kernel"
    raise InputError("formulas", ", ".join(changed), "differ from those that the theorems in Coq are about", remedy)


def _defined_in(part: str) -> str:
    """Return the name that a part of the file defines."""
    found = re.search(r"^Definition (\w+)", part, re.MULTILINE)
    return found[1] if found else "Formulas.v"


def coq_definitions(formulas: Iterable[Formula]) -> str:
    """Return a file of definitions, one for each formula and for each that it needs.

    Raises
    ------
    KeyError
        A formula holds an operation for which Coq has no term here.

    Examples
    --------
    >>> from bounds.formulas.regret import QUALITY_GAP
    >>> coq_definitions([QUALITY_GAP]).splitlines()[-2].strip()
    'quality_threshold + ((-1) * (unqualified_quality i)).'
    """
    ordered: dict[str, Evaluable] = {}
    for formula in formulas:
        _collect(formula, ordered)
    return "\n".join([_HEAD, *(_definition(formula) for formula in ordered.values())]) + "\n"


def arguments_of(formula: Evaluable) -> list[str]:
    """Return the arguments of a formula's definition: its inputs, then the providers over which it runs.

    Examples
    --------
    >>> from bounds.formulas.payment import BURN_IN
    >>> arguments_of(BURN_IN)[-2:]
    ['unqualified_quality', 'unqualified']
    """
    return [quantity.name for quantity in formula.inputs] + sorted(set(_lists(formula.tree, formula)))


def _collect(formula: Evaluable, ordered: dict[str, Evaluable]) -> None:
    for name in _names(formula.tree):
        defined = formula.definition(name)
        if defined is not None and name not in ordered:
            _collect(defined, ordered)
    ordered.setdefault(formula.quantity.name, formula)


def _names(tree: Tree) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list):
        for part in tree[1:]:
            yield from _names(part)


def _uses(tree: Tree, owner: Evaluable, operation: str) -> bool:
    """Whether a formula, or one that it needs, holds an operation."""
    if isinstance(tree, str):
        defined = owner.definition(tree)
        return defined is not None and _uses(defined.tree, defined, operation)
    return isinstance(tree, list) and (tree[0] == operation or any(_uses(part, owner, operation) for part in tree[1:]))


def _lists(tree: Tree, owner: Evaluable) -> Iterator[str]:
    """Yield the lists of providers over which a formula runs, those of the formulas in it included."""
    if isinstance(tree, str):
        defined = owner.definition(tree)
        if defined is not None:
            yield from _lists(defined.tree, defined)
    elif isinstance(tree, list):
        if tree[0] in REDUCTIONS:
            yield _OVER[tree[0]][0]
        for part in tree[1:]:
            yield from _lists(part, owner)


def _definition(formula: Evaluable) -> str:
    binders = [_binder(name) for name in arguments_of(formula)]
    if is_per_provider(formula.tree, formula):
        binders.append("(i : nat)")
    source = f"(* {formula.source} *)\n" if isinstance(formula, Formula) else ""
    return f"{source}Definition {formula.quantity.name} {' '.join(binders)} : R :=\n  {_term(formula)}.\n"


def _binder(name: str) -> str:
    if name in {each for each, _ in _OVER.values()}:
        return f"({name} : list nat)"
    return f"({name} : {'nat -> R' if QUANTITIES[name].per_provider else 'R'})"


def _term(formula: Evaluable) -> str:
    text = _printed(formula.tree, formula)
    return text[1:-1] if text.startswith("(") and _closes_last(text) else text


def _closes_last(text: str) -> bool:
    """Whether the first parenthesis is closed by the last one."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def _printed(tree: Tree, owner: Evaluable) -> str:
    if isinstance(tree, int):
        return str(tree) if tree >= 0 else f"({tree})"
    if isinstance(tree, str):
        return _named(tree, owner)
    operation, *parts = tree
    if operation in _OVER:
        over, reduction = _OVER[operation]
        return f"({reduction} {over} (fun i => {_printed(parts[0], owner)}))"
    if operation == "rational":
        return f"({parts[0]} / {parts[1]})" if parts[0] >= 0 else f"(({parts[0]}) / {parts[1]})"
    if operation == "integer_power":
        base, exponent = _printed(parts[0], owner), parts[1]
        return f"({base} ^ {exponent})" if exponent >= 0 else f"(/ ({base} ^ {-exponent}))"
    return _APPLIED[operation]([_printed(part, owner) for part in parts])


#: Operations, given their arguments in Coq.
_APPLIED: dict[str, Callable[[list[str]], str]] = {
    "add": lambda parts: f"({' + '.join(parts)})",
    "mul": lambda parts: f"({' * '.join(parts)})",
    "pi": lambda parts: "PI",
    "reciprocal": lambda parts: f"(/ {parts[0]})",
    "sqrt": lambda parts: f"(sqrt {parts[0]})",
    "log": lambda parts: f"(ln {parts[0]})",
    "power": lambda parts: f"(Rpower {parts[0]} {parts[1]})",
    "maximum": lambda parts: f"(Rmax {parts[0]} {parts[1]})",
    "minimum": lambda parts: f"(Rmin {parts[0]} {parts[1]})",
    "ceiling": lambda parts: f"(ceiling {parts[0]})",
    "floor": lambda parts: f"(floor {parts[0]})",
}


def _named(name: str, owner: Evaluable) -> str:
    """Return a quantity, or the formula that a name stands for, applied to what it needs."""
    defined = owner.definition(name)
    if defined is None:
        return f"({name} i)" if QUANTITIES[name].per_provider else name
    given = [*arguments_of(defined), *(["i"] if is_per_provider(defined.tree, defined) else [])]
    return f"({name} {' '.join(given)})"
