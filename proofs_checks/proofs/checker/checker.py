"""The checker of certificates: exact rational arithmetic, no solver. Small, since it is trusted.

A certificate says which instances of the assertions are needed, and gives a tree of case distinctions over them: over
the alternatives of an assertion, or over the sign of a polynomial. Each leaf shows two literals that contradict each
other, or a combination of the constraints that cannot be: with non-negative multipliers (of products of constraints,
and of squares) it adds up to "0 > 0", coefficient by coefficient.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs_checks.proofs.checker.ground import (
    Atom,
    Constraint,
    Fact,
    Grounding,
    Skolemized,
    Some,
    congruence,
    flattened,
    instance,
    skolemized,
    transitivity,
    trivially_true,
)
from proofs_checks.proofs.language.polynomials import Polynomial, added, multiplied, product
from proofs_checks.proofs.language.smtlib import read_term
from proofs_checks.proofs.language.sorts import Signature, check_ground, signatures_of
from proofs_checks.proofs.language.terms import Term, subterms

Certificate = Mapping[str, Any]
_HIGHEST_POWER = 1000


class CertificateError(ValueError):
    """A certificate does not show what it claims."""


def check_certificate(assertions: Mapping[str, Term], certificate: Certificate) -> None:
    """Check that a certificate shows that assertions cannot all be true."""
    try:
        signatures_of(assertions)
        facts = ground_facts(prepared(assertions), certificate["facts"])
        _check(Scope().extended(facts), certificate["tree"])
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        raise CertificateError(f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class Prepared:
    """Assertions without existential quantifiers, and the signatures of all symbols, witnesses included."""

    skolemized: Mapping[str, Skolemized]
    signatures: Mapping[str, Signature]


def prepared(assertions: Mapping[str, Term]) -> Prepared:
    """Return assertions ready to be instantiated."""
    found = {name: skolemized(name, formula) for name, formula in assertions.items()}
    matrices = {name: one.matrix for name, one in found.items()}
    return Prepared(found, signatures_of(matrices, witnesses=True))


def ground_facts(stated: Prepared, chosen: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """Return the facts that chosen instances of assertions and of the axioms of equality state."""
    signatures = stated.signatures
    sorts = {symbol: sort for symbol, (_, sort) in signatures.items()}
    grounding = Grounding()
    facts: list[Fact] = []

    def terms(texts: Sequence[str]) -> list[Term]:
        found = [read_term(text, sorts) for text in texts]
        for term in found:
            check_ground(term, signatures)
            if any(part in variables for part in subterms(term)):
                raise CertificateError(f"{term} is not ground")
        return found

    variables = {variable for found in stated.skolemized.values() for variable in found.variables}
    for one in chosen:
        if "assertion" in one:
            formula = instance(stated.skolemized[one["assertion"]], terms(one["terms"]))
        elif "congruence" in one:
            symbol, left, right = one["congruence"]
            formula = congruence(symbol, sorts[symbol], terms(left), terms(right))
            check_ground(formula, signatures)
        else:
            formula = transitivity(*terms(one["transitivity"]))
            check_ground(formula, signatures)
        facts.append(grounding.fact(formula))
    return [*facts, *grounding.defining]


@dataclass(frozen=True)
class Scope:
    """What is assumed at a node of the tree.

    Parameters
    ----------
    constraints, atoms, alternatives : tuple
        In the order in which they were assumed.
    absurd : bool
        Whether something that is false by itself was assumed.
    """

    constraints: tuple[Constraint, ...] = ()
    atoms: tuple[Atom, ...] = ()
    alternatives: tuple[Some, ...] = ()
    absurd: bool = False

    def extended(self, facts: Sequence[Fact]) -> Scope:
        """Return the scope with more facts."""
        constraints, atoms, alternatives, absurd = [*self.constraints], [*self.atoms], [*self.alternatives], self.absurd
        for fact in flattened(facts):
            if isinstance(fact, Constraint):
                known = trivially_true(fact)
                absurd |= known is False
                if known is None:
                    constraints.append(fact)
            elif isinstance(fact, Atom):
                atoms.append(fact)
                absurd |= Atom(fact.atom, not fact.positive) in atoms
            elif isinstance(fact, Some):
                alternatives.append(fact)
                absurd |= not fact.parts
        return Scope(tuple(constraints), tuple(atoms), tuple(alternatives), absurd)


def _check(scope: Scope, node: Mapping[str, Any]) -> None:
    if "split" in node:
        parts = scope.alternatives[_index(node["split"])].parts
        if len(parts) != len(node["cases"]):
            raise CertificateError(f"{len(node['cases'])} cases for {len(parts)} alternatives")
        for part, case in zip(parts, node["cases"], strict=True):
            _check(scope.extended([part]), case)
    elif "sign" in node:
        polynomial = _polynomial(node["sign"])
        negative = Constraint(added({}, polynomial, -1), ">")
        for assumed, case in zip((Constraint(polynomial, ">="), negative), node["cases"], strict=True):
            _check(scope.extended([assumed]), case)
    elif "sum" in node:
        _check_sum(scope.constraints, node)
    elif not scope.absurd:
        raise CertificateError("nothing contradicts itself at a leaf that says so")


def _check_sum(constraints: Sequence[Constraint], node: Mapping[str, Any]) -> None:
    """Check that non-negative multiples of what is >= 0, and one of what is > 0, add up to 0."""
    total: Polynomial = {}
    strict = False
    for indices, text in node["sum"]:
        factors, multiplier = [constraints[_index(i)] for i in indices], _rational(text)
        if multiplier < 0 or any(factor.sign == "=" for factor in factors):
            raise CertificateError("a negative multiplier, or an equation among the inequalities")
        strict |= multiplier > 0 and all(factor.sign == ">" for factor in factors)
        total = added(total, product(factor.polynomial for factor in factors), multiplier)
    for polynomial, text in node.get("squares", ()):
        root, multiplier = _polynomial(polynomial), _rational(text)
        if multiplier < 0:
            raise CertificateError("a negative multiplier of a square")
        total = added(total, multiplied(root, root), multiplier)
    for index, polynomial in node.get("equations", ()):
        equation = constraints[_index(index)]
        if equation.sign != "=":
            raise CertificateError("an inequality among the equations")
        total = added(total, multiplied(equation.polynomial, _polynomial(polynomial)))
    if total or not strict:
        raise CertificateError("the combination does not add up to 0 > 0")


def _index(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise CertificateError(f"{value!r} is no index")
    return value


def _rational(text: Any) -> Fraction:
    # Decimal points and exponents are not needed: "1e999999999" would take all memory.
    if type(text) is not str or not re.fullmatch(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?", text):
        raise CertificateError(f"{str(text)[:40]!r} is no fraction")
    return _fraction(text)


#: Mostly of 1, of -1 and of a few others.
_fraction = functools.lru_cache(maxsize=1024)(Fraction)


def _power(variable: Any, exponent: Any) -> tuple[str, int]:
    if type(variable) is not str or type(exponent) is not int or not 1 <= exponent <= _HIGHEST_POWER:
        raise CertificateError(f"{variable!r} to the {exponent!r} is no power")
    return variable, exponent


def _polynomial(data: Sequence[Any]) -> Polynomial:
    """Return a polynomial from pairs of [[variable, exponent], ...] and a coefficient."""
    total: Polynomial = {}
    for monomial, coefficient in data:
        key = tuple(sorted(_power(variable, exponent) for variable, exponent in monomial))
        if len({variable for variable, _ in key}) != len(key):
            raise CertificateError("a monomial names a variable twice")
        total = added(total, {key: _rational(coefficient)})
    return total
