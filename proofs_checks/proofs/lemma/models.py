"""Finitely many providers: formulas about so many, and models, which give every symbol a value on them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from proofs_checks.proofs.lemma.algebraic import read_cvc5_root, read_z3_root
from proofs_checks.proofs.lemma.scripts import Expression, expression_in
from proofs_checks.proofs.lemma.terms import (
    BUILT_IN,
    PROVIDER,
    Term,
    all_of,
    any_of,
    constant,
    equal,
    free_subterms,
    substituted,
    subterms,
)

#: A value of a term: a number (a Fraction or an Algebraic), a truth value, or a provider (its index).
Value = Any


class NoValueError(LookupError):
    """A model, or what a solver says of one, gives no value to a term."""


def with_providers(formulas: Sequence[Term], size: int) -> list[Term]:
    """Return formulas over exactly `size` providers, without quantifiers over providers.

    Their satisfiability implies that of the original: a model with so many providers is a model.
    """
    if not speak_of_providers(formulas):
        return list(formulas)
    names = _names(size)
    somebody = [any_of(*(equal(one, name) for name in names)) for one in _free_providers(formulas)]
    apart = [~equal(a, b) for k, a in enumerate(names) for b in names[:k]]
    return [*(_expanded(formula, names) for formula in formulas), *apart, *somebody]


def speak_of_providers(formulas: Sequence[Term]) -> bool:
    """Return whether anything in some formulas is a provider."""
    return any(part.sort == PROVIDER for formula in formulas for part in subterms(formula))


def _names(size: int) -> tuple[Term, ...]:
    # No name that somebody may choose has a dot in it.
    return tuple(constant(f"provider.{k}", PROVIDER) for k in range(size))


def _free_providers(formulas: Sequence[Term]) -> list[Term]:
    free = {part: None for formula in formulas for part in free_subterms(formula) if part.sort == PROVIDER}
    return [one for one in free if not one.head.startswith("provider.")]


def _expanded(term: Term, names: tuple[Term, ...]) -> Term:
    providers = [variable for variable in term.bound if variable.sort == PROVIDER]
    if providers:
        others = tuple(variable for variable in term.bound if variable != providers[0])
        body = replace(term, bound=others) if others else term.arguments[0]
        copies = [_expanded(substituted(body, {providers[0]: name}), names) for name in names]
        return all_of(*copies) if term.head == "forall" else any_of(*copies)
    return replace(term, arguments=tuple(_expanded(argument, names) for argument in term.arguments))


def no_divisor_zero(formulas: Sequence[Term]) -> list[Term]:
    """Return that nothing by which some formulas divide is 0.

    Solvers may give x / 0 any value: numbers that rest on that show nothing. What a formula divides by inside a
    quantifier, with its variable, is left out.

    Examples
    --------
    >>> x = constant("x")
    >>> [str(formula) for formula in no_divisor_zero([1 / x > 0, x / 2 > 0])]
    ['(not (= x 0.0))']
    """
    divisions = (part for formula in formulas for part in free_subterms(formula) if part.head == "/")
    divisors = dict.fromkeys(part.arguments[1] for part in divisions)
    return [~equal(divisor, 0) for divisor in divisors if not divisor.number]


@dataclass(frozen=True, kw_only=True)
class Model:
    """Finitely many providers, and a value for every symbol on them.

    Parameters
    ----------
    providers : int
        How many; they are 0, 1, ...
    values : mapping
        From a symbol's name and its arguments' values, ``("bid", 0)``, to a value; constants have no arguments. Numbers
        are exact: fractions, or algebraic numbers (`proofs_checks.proofs.lemma.algebraic`).

    Examples
    --------
    >>> Model(providers=0, values={("x",): Fraction(1, 2)}).value(constant("x") + 1 > 1)
    True
    """

    providers: int
    values: Mapping[tuple[Any, ...], Value]

    def value(self, term: Term, bound: Mapping[Term, int] | None = None) -> Value:
        """Return the value of a term or formula.

        A division by zero has no value; a formula that is decided without it has one.
        """
        bound = bound or {}
        if term in bound:
            return bound[term]
        if term.number is not None:
            return term.number
        if term.bound:
            return self._quantified(term, bound)
        if term.head in _DECIDED_EARLY:
            parts = [functools.partial(self.value, argument, bound) for argument in term.arguments]
            return _DECIDED_EARLY[term.head](*parts)
        arguments = [self.value(argument, bound) for argument in term.arguments]
        return _MEANING[term.head](*arguments) if term.head in _MEANING else self._looked_up(term.head, arguments)

    def _looked_up(self, head: str, arguments: list[Value]) -> Value:
        key = (head, *arguments)
        for known, value in self.values.items():
            # Equal numbers may be written in different ways: as a fraction, and by polynomials.
            if known[0] == head and len(known) == len(key) and all(a == b for a, b in zip(known, key, strict=True)):
                return value
        raise NoValueError(f"the model gives no value to {' '.join(map(str, key))}")

    def _quantified(self, term: Term, bound: Mapping[Term, int]) -> bool:
        first, *rest = term.bound
        if first.sort != PROVIDER:
            raise NoValueError(f"{first} runs over {first.sort}: only providers are finitely many")
        body = replace(term, bound=tuple(rest)) if rest else term.arguments[0]
        parts = [functools.partial(self.value, body, {**bound, first: k}) for k in range(self.providers)]
        return _decided(parts, by=term.head == "exists")


def _decided(parts: Iterable[Callable[[], bool]], *, by: bool) -> bool:
    """Return `by` if a part is: what the others are does not matter, even where they divide by zero."""
    undefined = None
    for part in parts:
        try:
            if part() is by:
                return by
        except ZeroDivisionError as error:
            undefined = error
    if undefined is not None:
        raise undefined
    return not by


#: Operations that some of their parts may decide alone; the parts are functions without arguments.
_DECIDED_EARLY: Mapping[str, Callable[..., Any]] = {
    "and": lambda *parts: _decided(parts, by=False),
    "or": lambda *parts: _decided(parts, by=True),
    "=>": lambda condition, consequence: _decided((lambda: not condition(), consequence), by=True),
    "ite": lambda condition, then, otherwise: then() if condition() else otherwise(),
}
_MEANING: Mapping[str, Callable[..., Any]] = {
    "not": operator.not_,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "+": operator.add,
    "-": lambda first, *other: first - other[0] if other else -first,
    "*": operator.mul,
    "/": operator.truediv,
}


def asked_of(formulas: Sequence[Term], size: int) -> list[Term]:
    """Return the terms whose values say what a model of formulas without quantifiers over providers is.

    Which provider a constant is comes first, then terms of numbers, each after those in it.
    """
    same = [equal(one, name) for one in _free_providers(formulas) for name in _names(size)]
    parts = {part: None for formula in formulas for part in free_subterms(formula)}
    symbols = [part for part in parts if part.head not in BUILT_IN and part.sort != PROVIDER]
    return same + sorted(symbols, key=lambda term: sum(1 for _ in subterms(term)))


def model_of(asked: Sequence[Term], answer: str, size: int) -> Model:
    """Return the model that a solver's values of `asked_of` say.

    Raises
    ------
    NoValueError
        The answer cannot be read, or gives two values to one thing.

    Examples
    --------
    >>> x = constant("x")
    >>> model_of([x], "((x (- (/ 1.0 3.0))))", 0).values
    {('x',): Fraction(-1, 3)}
    """
    found: dict[tuple[Any, ...], Value] = {(name.head,): k for k, name in enumerate(_names(size))}
    model = Model(providers=size, values=found)
    try:
        pairs = expression_in(answer) if asked else []
        values = [value for _, value in pairs]
        for term, value in zip(asked, map(_read, values), strict=True):
            if term.head != "=":
                _note(model, found, term, value)
            elif value is True:
                _note(model, found, term.arguments[0], model.value(term.arguments[1]))
    except (ValueError, TypeError, IndexError, ZeroDivisionError) as error:
        raise NoValueError(f"the model cannot be read ({error})") from error
    return model


def _note(model: Model, found: dict[tuple[Any, ...], Value], term: Term, value: Value) -> None:
    try:
        known = model.value(term)
    except NoValueError:
        known = found[(term.head, *(model.value(argument) for argument in term.arguments))] = value
    if known != value:
        raise NoValueError(f"the model gives two values to {term}")


def _read(expression: Expression) -> Value:
    """Return the value that a solver writes."""
    if isinstance(expression, str):
        return expression == "true" if expression in ("true", "false") else Fraction(expression)
    head, *parts = expression
    if head == "root-obj":
        return read_z3_root(expression)
    if head == "_":
        return read_cvc5_root(_words(expression))
    numbers = [_read(part) for part in parts]
    if head not in ("/", "-") or not all(type(value) is Fraction for value in numbers):
        raise ValueError(f"{head} makes no number")
    if head == "/":
        return numbers[0] / numbers[1]
    return -numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]


def _words(expression: Expression) -> str:
    return expression if isinstance(expression, str) else "".join(map(_words, expression))
