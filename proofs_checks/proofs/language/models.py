"""Finitely many providers: formulas about so many, and models, which give every symbol a value on them."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from proofs_checks.proofs.language.algebraic import Algebraic, read_cvc5_root, read_z3_root
from proofs_checks.proofs.language.smtlib import expressions
from proofs_checks.proofs.language.sorts import BUILT_IN
from proofs_checks.proofs.language.terms import (
    PROVIDER,
    REAL,
    Term,
    all_of,
    any_of,
    constant,
    equal,
    open_subterms,
    parts_of,
    substituted,
    subterms,
)

#: A value of a term: a number (a Fraction or an Algebraic), a truth value, or a provider (its index).
Value = Any


class NoValueError(LookupError):
    """A model, or what a solver says of one, gives no value to a term."""


def with_providers(formulas: Mapping[str, Term], size: int) -> dict[str, Term]:
    """Return formulas over exactly `size` providers, without quantifiers over providers.

    Their satisfiability implies that of the original: a model with so many providers is a model.
    """
    names = tuple(constant(f"provider_{k}", PROVIDER) for k in range(size))
    # Terms whose values must be among the counted providers: constants, and functions at all of those.
    closed = sorted(frozenset().union(*(_closed_in(formula, names) for formula in formulas.values())), key=str)
    if not closed and not any(v.sort == PROVIDER for f in formulas.values() for t in parts_of(f) for v in t.bound):
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


def no_divisor_zero(formulas: Mapping[str, Term]) -> dict[str, Term]:
    """Return, by name, that nothing by which some formulas divide is 0.

    Solvers may give x / 0 any value: numbers that rest on that show nothing. What a formula divides by inside a
    quantifier, with its variable, is left out.

    Examples
    --------
    >>> x = constant("x")
    >>> {name: str(formula) for name, formula in no_divisor_zero({"a": 1 / x > 0, "b": x / 2 > 0}).items()}
    {'divisor-0': '(not (= x 0.0))'}
    """
    parts = {part for formula in formulas.values() for part in open_subterms(formula) if part.head == "/"}
    divisors = {part.arguments[1] for part in parts if not part.arguments[1].number}
    return {f"divisor-{k}": ~equal(divisor, 0) for k, divisor in enumerate(sorted(divisors, key=str))}


@functools.lru_cache(maxsize=4096)  # mutants share most of their formulas
def _closed_in(formula: Term, names: tuple[Term, ...]) -> frozenset[Term]:
    found = set(_free_providers(formula, frozenset()))
    for term in parts_of(formula):
        if re.fullmatch(r"provider_[0-9]+", term.head):
            raise ValueError(f"the name {term.head} is kept for the providers of models")
        if term.sort == PROVIDER and term.arguments:
            if term.head in BUILT_IN or any(argument.sort != PROVIDER for argument in term.arguments):
                raise ValueError(f"{term} is a provider that depends on what is none")
            points = itertools.product(names, repeat=len(term.arguments))
            found |= {Term(term.head, point, PROVIDER) for point in points}
    return frozenset(found)


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
        From a symbol's name and its arguments' values, ``("bid", 0)``, to a value; constants have no arguments. Numbers
        are exact: fractions, or algebraic numbers (`proofs_checks.proofs.language.algebraic`).

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
        if term.head in _MEANING:
            return _MEANING[term.head](*arguments)
        return self._looked_up(term.head, arguments)

    def _looked_up(self, head: str, arguments: list[Value]) -> Value:
        key = (head, *arguments)
        if key in self.values:
            return self.values[key]
        # Equal numbers may be written in different ways: as a fraction, and by polynomials.
        same_head = (known for known in self.values if known[0] == head and len(known) == len(key))
        if any(isinstance(argument, Algebraic) for known in self.values for argument in (*known, *key)):
            for known in same_head:
                if all(a == b for a, b in zip(known, key, strict=True)):
                    return self.values[known]
        raise NoValueError(f"the model gives no value to {' '.join(map(str, key))}")

    def _quantified(self, term: Term, bound: Mapping[Term, int]) -> bool:
        first, *rest = term.bound
        if first.sort != PROVIDER:
            raise NoValueError(f"{first} runs over {first.sort}: only providers are finitely many")
        body = Term(term.head, term.arguments, term.sort, None, tuple(rest)) if rest else term.arguments[0]
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
    "+": lambda *parts: sum(parts, Fraction(0)),
    "-": lambda first, *others: first - sum(others) if others else -first,
    "*": lambda *factors: math.prod(factors, start=Fraction(1)),
    "/": operator.truediv,
    "to_real": lambda value: value,
    "true": lambda: True,
    "false": lambda: False,
}


def model_of(values: Mapping[str, str]) -> Model:
    """Return the model that a solver's values say, over providers named ``provider_0``, ``provider_1``, ...

    Examples
    --------
    >>> model = model_of({"x": "(- 2.0)", "(f (* x x))": "(/ 1.0 3.0)"})
    >>> {key: str(value) for key, value in model.values.items()}
    {('x',): '-2', ('f', Fraction(4, 1)): '1/3'}
    """
    names = {word for text in values for word in re.findall(r"provider_\d+", text)}
    found: dict[tuple[Any, ...], Value] = {(name,): int(name.removeprefix("provider_")) for name in names}
    model = Model(len(names), found)
    stated = [(_ground_term(text), value) for text, value in values.items()]
    # Which provider is which first, and shorter terms before longer ones: they may be arguments of those.
    for term, value in sorted(stated, key=lambda one: (one[0].head != "=", sum(1 for _ in subterms(one[0])))):
        if term.head == "=" and re.fullmatch(r"provider_\d+", term.arguments[1].head):
            if value == "true":
                _note(model, found, term.arguments[0], model.value(term.arguments[1]))
        elif term.head != "=":
            _note(model, found, term, read_value(value))
    return model


def _note(model: Model, found: dict[tuple[Any, ...], Value], term: Term, value: Value) -> None:
    key = (term.head, *(model.value(argument) for argument in term.arguments))
    if found.setdefault(key, value) != value:
        raise NoValueError(f"the model gives two values to {' '.join(map(str, key))}")


def _ground_term(text: str) -> Term:
    try:
        [expression] = expressions(text)
        return _ground(_without_lets(expression, {}))
    except (ValueError, TypeError, IndexError) as error:
        raise NoValueError(f"the term {text} of a model cannot be read ({error})") from error


def _without_lets(expression: Any, named: Mapping[str, Any]) -> Any:
    """Return an S-expression with its abbreviations written out: cvc5 abbreviates what occurs twice."""
    if isinstance(expression, str):
        return named.get(expression, expression)
    if expression and expression[0] == "let":
        _, abbreviations, body = expression
        return _without_lets(body, {**named, **{name: _without_lets(what, named) for name, what in abbreviations}})
    return [_without_lets(part, named) for part in expression]


def _ground(expression: Any) -> Term:
    """Return a term without quantifiers for evaluation; sorts play no part in it."""
    if isinstance(expression, str):
        literal = re.fullmatch(r"[0-9]+(\.[0-9]+)?", expression)
        return Term("number", (), REAL, Fraction(expression)) if literal else Term(expression)
    head, *arguments = expression
    return Term(head, tuple(map(_ground, arguments)))


def read_value(text: str) -> Value:
    """Return the value that a solver writes.

    Examples
    --------
    >>> str(read_value("(- (/ 1.0 2.0))")), read_value("true")
    ('-1/2', True)
    """
    if text in ("true", "false"):
        return text == "true"
    try:
        if text.startswith("(_ real_algebraic_number"):
            return read_cvc5_root(text)
        [expression] = expressions(text)
        return _number(expression)
    except (ValueError, TypeError, IndexError, ZeroDivisionError) as error:
        raise NoValueError(f"the value {text} of a model cannot be read ({error})") from error


def _number(expression: Any) -> Value:
    if isinstance(expression, str):
        return Fraction(expression)
    head, *parts = expression
    if head == "root-obj":
        return read_z3_root(expression)
    numbers = [_number(part) for part in parts]
    if head not in ("/", "-"):
        raise ValueError(f"{head} makes no number")
    if head == "/":
        return numbers[0] / numbers[1]
    return -numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]
