"""Ground facts: assertions without quantifiers, in negation normal form, over polynomials and Boolean atoms.

Quantifiers go by Skolem functions and chosen instances; ``ite`` and division by a defining fact of a new variable.
Everything here is part of the trusted base: a certificate is checked against these facts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from proofs_checks.proofs.language.polynomials import (
    Polynomial,
    added,
    constant_polynomial,
    multiplied,
    value_of_constant,
    variable_polynomial,
)
from proofs_checks.proofs.language.terms import BOOL, INT, PROVIDER, Term, parts_of, substituted, written

Sign = Literal[">=", ">", "="]


@dataclass(frozen=True)
class Constraint:
    """A polynomial compared with 0."""

    polynomial: Polynomial
    sign: Sign


@dataclass(frozen=True)
class Atom:
    """A Boolean atom, or an equality of providers, with its sign."""

    atom: str
    positive: bool


@dataclass(frozen=True)
class All:
    """Every part is true."""

    parts: tuple[Fact, ...]


@dataclass(frozen=True)
class Some:
    """Some part is true."""

    parts: tuple[Fact, ...]


Fact = Constraint | Atom | All | Some


@dataclass
class Skolemized:
    """An assertion as universal variables and a quantifier-free matrix."""

    variables: list[Term]
    matrix: Term


def skolemized(name: str, assertion: Term) -> Skolemized:
    """Return an assertion without existential quantifiers: each names its witness by a function of its own."""
    counter = itertools.count()
    variables: list[Term] = []

    def walk(term: Term, positive: bool, scope: tuple[Term, ...]) -> Term:
        if term.bound:
            universal = (term.head == "forall") == positive
            values: dict[Term, Term] = {}
            for variable in term.bound:
                fresh = f"{variable.head}~{name}~{next(counter)}"
                if universal:
                    values[variable] = Term(fresh, (), variable.sort)
                    variables.append(values[variable])
                    scope = (*scope, values[variable])
                else:
                    values[variable] = Term(fresh, scope, variable.sort)
            return walk(substituted(term.arguments[0], values), positive, scope)
        if term.head == "not":
            return replace(term, arguments=(walk(term.arguments[0], not positive, scope),))
        if term.head in ("and", "or"):
            return replace(term, arguments=tuple(walk(part, positive, scope) for part in term.arguments))
        if term.head == "=>":
            condition, consequence = term.arguments
            return replace(term, arguments=(walk(condition, not positive, scope), walk(consequence, positive, scope)))
        if any(part.bound for part in parts_of(term)):
            raise ValueError(
                f"assertion {name}: a quantifier under {term.head}, which is neither positive nor negative"
            )
        return term

    return Skolemized(variables, walk(assertion, True, ()))


@dataclass
class Grounding:
    """Turns ground formulas into facts; remembers the variables that stand for ``ite`` and quotients.

    Parameters
    ----------
    whole : set of str
        Names of variables that are whole numbers.
    defining : list of Fact
        What defines the new variables.
    """

    whole: set[str] = field(default_factory=set)
    defining: list[Fact] = field(default_factory=list)
    _new: dict[Term, str] = field(default_factory=dict)

    def fact(self, formula: Term, positive: bool = True) -> Fact:
        """Return a ground formula, or its negation, as a fact."""
        head, parts = formula.head, formula.arguments
        if head == "not":
            return self.fact(parts[0], not positive)
        if head in ("and", "or"):
            joined = All if (head == "and") == positive else Some
            return joined(tuple(self.fact(part, positive) for part in parts))
        if head == "=>":
            joined = Some if positive else All
            return joined((self.fact(parts[0], not positive), self.fact(parts[1], positive)))
        if head in ("true", "false"):
            return All(()) if (head == "true") == positive else Some(())
        if head in ("<", "<=", ">", ">="):
            return self._compared(head, parts[0], parts[1], positive)
        if head == "=":
            return self._equal(parts[0], parts[1], positive)
        if head == "ite":
            condition, *values = parts
            cases = zip((True, False), values, strict=True)
            return Some(tuple(All((self.fact(condition, sign), self.fact(value, positive))) for sign, value in cases))
        return Atom(written(formula), positive)

    def _compared(self, sign: str, left: Term, right: Term, positive: bool) -> Constraint:
        greater = sign in (">", ">=")
        difference = self._difference(left, right) if greater else self._difference(right, left)
        strict = sign in ("<", ">")
        if not positive:
            difference, strict = added({}, difference, -1), not strict
        return self._tightened(Constraint(difference, ">" if strict else ">="))

    def _equal(self, left: Term, right: Term, positive: bool) -> Fact:
        if left.sort == PROVIDER:
            first, second = sorted((written(left), written(right)))
            if first == second:
                return All(()) if positive else Some(())
            return Atom(f"(= {first} {second})", positive)
        if left.sort == BOOL:
            same = [All((self.fact(left, sign), self.fact(right, sign == positive))) for sign in (True, False)]
            return Some(tuple(same))
        difference = self._difference(left, right)
        if positive:
            return Constraint(difference, "=")
        above_or_below = (difference, added({}, difference, -1))
        return Some(tuple(self._tightened(Constraint(one, ">")) for one in above_or_below))

    def _difference(self, left: Term, right: Term) -> Polynomial:
        return added(self.polynomial(left), self.polynomial(right), -1)

    def _tightened(self, constraint: Constraint) -> Constraint:
        """Return p >= 1 instead of p > 0 where p takes whole values only."""
        polynomial = constraint.polynomial
        variables = {variable for monomial in polynomial for variable, _ in monomial}
        whole = all(coefficient.denominator == 1 for coefficient in polynomial.values()) and variables <= self.whole
        if constraint.sign == ">" and whole:
            return Constraint(added(polynomial, constant_polynomial(1), -1), ">=")
        return constraint

    def polynomial(self, term: Term) -> Polynomial:
        """Return a ground term of sort Real or Int as a polynomial."""
        head, parts = term.head, term.arguments
        if term.number is not None:
            return constant_polynomial(term.number)
        if head == "+":
            return _summed([self.polynomial(part) for part in parts])
        if head == "-":
            first, *rest = [self.polynomial(part) for part in parts]
            return added({}, first, -1) if not rest else added(first, _summed(rest), -1)
        if head == "*":
            left, right = (self.polynomial(part) for part in parts)
            return multiplied(left, right)
        if head == "to_real":
            return self.polynomial(parts[0])
        if head == "/":
            divisor = value_of_constant(self.polynomial(parts[1]))
            if divisor:
                return added({}, self.polynomial(parts[0]), 1 / divisor)
        if head in ("ite", "/"):
            return variable_polynomial(self._defined(term))
        name = written(term)
        if term.sort == INT:
            self.whole.add(name)
        return variable_polynomial(name)

    def _defined(self, term: Term) -> str:
        """Return the variable that stands for an ``ite`` or a quotient, with the facts that define it."""
        if term in self._new:
            return self._new[term]
        name = f"#{len(self._new)}"
        self._new[term] = name
        if term.sort == INT:
            self.whole.add(name)
        variable = variable_polynomial(name)
        if term.head == "/":
            numerator, divisor = (self.polynomial(part) for part in term.arguments)
            product = added(multiplied(variable, divisor), numerator, -1)
            self.defining.append(Some((Constraint(divisor, "="), Constraint(product, "="))))
            return name
        condition, *values = term.arguments
        cases = [
            All((self.fact(condition, sign), Constraint(added(variable, self.polynomial(value), -1), "=")))
            for sign, value in zip((True, False), values, strict=True)
        ]
        self.defining.append(Some(tuple(cases)))
        return name


def _summed(polynomials: Sequence[Polynomial]) -> Polynomial:
    total: Polynomial = {}
    for polynomial in polynomials:
        total = added(total, polynomial)
    return total


def congruence(symbol: str, sort: str, left: Sequence[Term], right: Sequence[Term]) -> Term:
    """Return the axiom that equal arguments give equal values."""
    applied = [Term(symbol, tuple(arguments), sort) for arguments in (left, right)]
    same = tuple(Term("=", pair, BOOL) for pair in zip(left, right, strict=True))
    return Term("=>", (Term("and", same, BOOL), Term("=", tuple(applied), BOOL)), BOOL)


def transitivity(first: Term, second: Term, third: Term) -> Term:
    """Return the axiom that providers equal to one are equal."""
    links = tuple(Term("=", pair, BOOL) for pair in ((first, second), (second, third)))
    return Term("=>", (Term("and", links, BOOL), Term("=", (first, third), BOOL)), BOOL)


def instance(found: Skolemized, terms: Sequence[Term]) -> Term:
    """Return the matrix of an assertion for chosen terms instead of its universal variables."""
    if [t.sort for t in terms] != [v.sort for v in found.variables]:
        raise ValueError("an instance has the wrong number or sorts of terms")
    return substituted(found.matrix, dict(zip(found.variables, terms, strict=True)))


def flattened(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield facts with conjunctions taken apart."""
    for fact in facts:
        if isinstance(fact, All):
            yield from flattened(fact.parts)
        else:
            yield fact


def trivially_true(constraint: Constraint) -> bool | None:
    """Return whether a constraint without variables is true, or None if it has variables."""
    value = value_of_constant(constraint.polynomial)
    if value is None:
        return None
    return {">=": value >= 0, ">": value > 0, "=": value == Fraction(0)}[constraint.sign]
