"""Finitely many providers: formulas about so many, and models, which give every symbol a value on them."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from proofs_checks.proofs.language.smtlib import expressions
from proofs_checks.proofs.language.sorts import BUILT_IN
from proofs_checks.proofs.language.terms import PROVIDER, Term, all_of, any_of, constant, equal, substituted, subterms

#: A value of a term: a number, a truth value, or a provider (its index).
Value = Any


def with_providers(formulas: Mapping[str, Term], size: int) -> dict[str, Term]:
    """Return formulas over exactly `size` providers, without quantifiers over providers.

    Their satisfiability implies that of the original: a model with so many providers is a model.

    Raises
    ------
    ValueError
        A symbol or a formula has a name that is added here, or a function other than of providers has providers as its
        values: they could be others than those that are counted.
    """
    names = tuple(constant(f"provider_{k}", PROVIDER) for k in range(size))
    closed = _closed_providers(formulas, names)
    if not closed and not any(v.sort == PROVIDER for f in formulas.values() for t in subterms(f) for v in t.bound):
        return dict(formulas)
    apart = [~equal(a, b) for k, a in enumerate(names) for b in names[:k]]
    somewhere = [any_of(*(equal(c, name) for name in names)) for c in closed]
    added = {
        **({"providers-differ": all_of(*apart)} if apart else {}),
        **{f"one-of-them-{k}": formula for k, formula in enumerate(somewhere)},
    }
    expanded = {name: _expanded(formula, names) for name, formula in formulas.items()}
    if size < 1 or added.keys() & expanded.keys():
        raise ValueError(f"{size} providers, or a formula named {' or '.join(sorted(added.keys() & expanded.keys()))}")
    return {**expanded, **added}


def _closed_providers(formulas: Mapping[str, Term], names: tuple[Term, ...]) -> list[Term]:
    """Return the terms whose values must be among the counted providers: constants, and functions at all of those."""
    found: set[Term] = set()
    for formula in formulas.values():
        for term in subterms(formula):
            if re.fullmatch(r"provider_[0-9]+", term.head):
                raise ValueError(f"the name {term.head} is kept for the providers of models")
            if term.sort == PROVIDER and term.arguments:
                if term.head in BUILT_IN or any(argument.sort != PROVIDER for argument in term.arguments):
                    raise ValueError(f"{term} is a provider that depends on what is none")
                points = itertools.product(names, repeat=len(term.arguments))
                found |= {Term(term.head, point, PROVIDER) for point in points}
        found |= set(_free_providers(formula, frozenset()))
    return sorted(found, key=str)


def _free_providers(term: Term, bound: frozenset[Term]) -> Iterator[Term]:
    if term.sort == PROVIDER and not term.arguments and term not in bound:
        yield term
    inner = bound.union(term.bound) if term.bound else bound
    for argument in term.arguments:
        yield from _free_providers(argument, inner)


@functools.lru_cache(maxsize=4096)  # mutants share most of their formulas
def _expanded(term: Term, names: tuple[Term, ...]) -> Term:
    providers = [variable for variable in term.bound if variable.sort == PROVIDER]
    if providers:
        others = tuple(variable for variable in term.bound if variable != providers[0])
        body = replace(term, bound=others) if others else term.arguments[0]
        copies = [_expanded(substituted(body, {providers[0]: name}), names) for name in names]
        return all_of(*copies) if term.head == "forall" else any_of(*copies)
    if not term.arguments:
        return term
    return replace(term, arguments=tuple(_expanded(argument, names) for argument in term.arguments))


@dataclass(frozen=True)
class Model:
    """Finitely many providers, and a value for every symbol on them.

    Parameters
    ----------
    providers : int
        How many; they are 0, 1, ...
    values : mapping
        From a symbol's name and its arguments' values, ``("bid", 0)``, to a value; constants have no arguments.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constant
    >>> Model(0, {("x",): Fraction(1, 2)}).value(constant("x") + 1 > 1)
    True
    """

    providers: int
    values: Mapping[tuple[Any, ...], Value]

    def value(self, term: Term, bound: Mapping[Term, int] | None = None) -> Value:
        """Return the value of a term or formula.

        Raises
        ------
        KeyError
            A symbol has no value for some arguments.
        """
        bound = bound or {}
        if term in bound:
            return bound[term]
        if term.number is not None:
            return term.number
        if term.bound:
            return self._quantified(term, bound)
        arguments = [self.value(argument, bound) for argument in term.arguments]
        if term.head in _MEANING:
            return _MEANING[term.head](*arguments)
        return self.values[(term.head, *arguments)]

    def _quantified(self, term: Term, bound: Mapping[Term, int]) -> bool:
        first, *rest = term.bound
        if first.sort != PROVIDER:
            raise ValueError(f"{first} runs over {first.sort}: only providers are finitely many")
        body = Term(term.head, term.arguments, term.sort, None, tuple(rest)) if rest else term.arguments[0]
        values = (self.value(body, {**bound, first: k}) for k in range(self.providers))
        return all(values) if term.head == "forall" else any(values)


_MEANING: Mapping[str, Any] = {
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "not": operator.not_,
    "=>": lambda condition, consequence: not condition or consequence,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "+": lambda *parts: sum(parts, Fraction(0)),
    "-": lambda first, *others: first - sum(others) if others else -first,
    "*": lambda *factors: math.prod(factors, start=Fraction(1)),
    "/": operator.truediv,
    "ite": lambda condition, then, otherwise: then if condition else otherwise,
    "to_real": lambda value: value,
    "true": lambda: True,
    "false": lambda: False,
}


def model_of(values: Mapping[str, str]) -> Model:
    """Return the model that a solver's values say, over providers named ``provider_0``, ``provider_1``, ...

    Parameters
    ----------
    values : mapping
        From `proofs_checks.proofs.language.smtlib.values_of_model`.
    """
    found: dict[tuple[Any, ...], Value] = {}
    names = {word for text in values for word in re.findall(r"provider_\d+", text)}
    places: dict[str, int] = {name: int(name.removeprefix("provider_")) for name in names}
    for text, value in values.items():
        same = re.fullmatch(r"\(= (\S+) provider_(\d+)\)", text)
        if same and value == "true":
            places[same[1]] = int(same[2])
    for name, place in places.items():
        found[(name,)] = place
    for text, value in values.items():
        [term] = expressions(text)
        head, *arguments = [term] if isinstance(term, str) else term
        if head != "=" and all(isinstance(argument, str) and argument in places for argument in arguments):
            found[(head, *(places[argument] for argument in arguments))] = _read_value(value)
    return Model(len(names), found)


def _read_value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    [expression] = expressions(text)
    return _number(expression)


def _number(expression: Any) -> Fraction:
    if isinstance(expression, str):
        return Fraction(expression)
    operator, *parts = expression
    numbers = [_number(part) for part in parts]
    if operator == "/":
        return numbers[0] / numbers[1]
    return -numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]
