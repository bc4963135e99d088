"""Finding certificates with z3: untrusted, since what it finds is checked without it.

A certificate is a tree of cases; at its leaves constraints are combined to "0 > 0" by linear programming.
"""

from __future__ import annotations

import importlib
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs_checks.proofs.checker.checker import Prepared, Scope, ground_facts, prepared
from proofs_checks.proofs.checker.ground import Atom, Constraint, Fact, Grounding, Some, flattened
from proofs_checks.proofs.language.polynomials import Monomial, Polynomial, added, multiplied, product
from proofs_checks.proofs.language.terms import PROVIDER, Term, parts_of, written

#: (most factors of a product of inequalities, degree of the polynomials that multiply equations), in order.
_PLANS = ((1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 1), (3, 2))


class NoCertificateError(Exception):
    """No certificate of the forms that are searched was found."""


class _WhenUsed:
    """z3, which is optional: it is imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("z3"), name)


z3: Any = _WhenUsed()


def find_certificate(
    assertions: Mapping[str, Term], hints: Sequence[Term] = (), signs: Sequence[Term] = ()
) -> dict[str, Any]:
    """Return a certificate that assertions cannot all be true."""
    stated = prepared(assertions)
    chosen = _needed(stated, list(_candidates(stated)))
    facts = ground_facts(stated, chosen)
    grounding = Grounding()
    squares = [grounding.polynomial(hint) for hint in hints]
    distinguished = [grounding.polynomial(term) for term in signs]
    return {"facts": chosen, "tree": _Tree(squares).signs(Scope().extended(facts), distinguished)}


def _candidates(stated: Prepared) -> Iterator[dict[str, Any]]:
    """Yield every instance over the providers that are named, one level of Skolem functions deep, and the axioms."""
    matrices = [found.matrix for found in stated.skolemized.values()]
    variables = {variable for found in stated.skolemized.values() for variable in found.variables}
    seen = {term for matrix in matrices for term in parts_of(matrix)}
    named = sorted({t for t in seen if t.sort == PROVIDER and not t.arguments and t not in variables}, key=str)
    deeper = {
        Term(t.head, arguments, PROVIDER)
        for t in seen
        if t.sort == PROVIDER and t.arguments and all(a.sort == PROVIDER for a in t.arguments)
        for arguments in itertools.product(named, repeat=len(t.arguments))
    }
    ground = [*named, *sorted(deeper, key=str)]
    for name, found in stated.skolemized.items():
        nested = any(t.sort == PROVIDER and t.arguments for t in parts_of(found.matrix))
        pool = named if nested else ground
        # Only providers are tried: an assertion about all numbers is used by no certificate that is searched.
        for terms in itertools.product(*(pool if v.sort == PROVIDER else () for v in found.variables)):
            yield {"assertion": name, "terms": [written(term) for term in terms]}
    for symbol in sorted({t.head for t in seen if _is_symbol_of_provider(t)}):
        for left, right in itertools.combinations(ground, 2):
            yield {"congruence": [symbol, [written(left)], [written(right)]]}
    for first, second, third in itertools.permutations(ground, 3):
        if str(first) < str(third):
            yield {"transitivity": [written(t) for t in (first, second, third)]}


def _is_symbol_of_provider(term: Term) -> bool:
    return len(term.arguments) == 1 and term.arguments[0].sort == PROVIDER and term.sort != PROVIDER


def _needed(stated: Prepared, candidates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a small part of the candidates that cannot all be true."""
    if all("assertion" in one and not one["terms"] for one in candidates):
        return candidates
    translation = _ToZ3()
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.set("core.minimize", True)
    marks = [z3.Bool(f"needed~{number}") for number in range(len(candidates))]
    for number, (mark, one) in enumerate(zip(marks, candidates, strict=True)):
        for fact in ground_facts(stated, [one]):
            solver.add(z3.Implies(mark, translation.fact(fact, f"{number}~")))
    if solver.check(marks) != z3.unsat:
        raise NoCertificateError("the instances that were tried do not contradict each other")
    core = {str(mark) for mark in solver.unsat_core()}
    needed = [one for mark, one in zip(marks, candidates, strict=True) if str(mark) in core]
    return _without_superfluous(stated, needed)


def _without_superfluous(stated: Prepared, needed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for one in list(needed):
        fewer = [other for other in needed if other is not one]
        solver = z3.Solver()
        translation = _ToZ3()
        for fact in ground_facts(stated, fewer):
            solver.add(translation.fact(fact, ""))
        if solver.check() == z3.unsat:
            needed = fewer
    return needed


class _ToZ3:
    """Facts as z3 expressions; variables that a fact defines for itself get a prefix."""

    def fact(self, fact: Fact, prefix: str) -> Any:
        if isinstance(fact, Atom):
            atom = z3.Bool(fact.atom)
            return atom if fact.positive else z3.Not(atom)
        if isinstance(fact, Constraint):
            value = self.polynomial(fact.polynomial, prefix)
            return {">=": value >= 0, ">": value > 0, "=": value == 0}[fact.sign]
        parts = [self.fact(part, prefix) for part in fact.parts]
        return z3.Or(*parts) if isinstance(fact, Some) else z3.And(*parts)

    def polynomial(self, polynomial: Polynomial, prefix: str) -> Any:
        total = z3.RealVal(0)
        for monomial, coefficient in polynomial.items():
            term = z3.RealVal(str(coefficient))
            for variable, exponent in monomial:
                name = prefix + variable if variable.startswith("#") else variable
                for _ in range(exponent):
                    term = term * z3.Real(name)
            total = total + term
        return total


class _Tree:
    """Builds the tree: propagate what follows, close a leaf, or split where the fewest cases are left."""

    def __init__(self, squares: Sequence[Polynomial]) -> None:
        self._squares = squares
        self._leaves = 0
        self._linear = _LinearConstraints()

    def signs(self, scope: Scope, distinguished: Sequence[Polynomial]) -> dict[str, Any]:
        """Return the tree after distinguishing signs of polynomials."""
        if not distinguished:
            return self.node(scope)
        first, *others = distinguished
        cases = [Constraint(first, ">="), Constraint(added({}, first, -1), ">")]
        return {
            "sign": _polynomial_data(first),
            "cases": [self.signs(scope.extended([case]), others) for case in cases],
        }

    def node(self, scope: Scope, done: frozenset[int] = frozenset()) -> dict[str, Any]:
        if scope.absurd:
            return {"clash": True}
        open_ = [(k, fact) for k, fact in enumerate(scope.alternatives) if k not in done and not _met(fact, scope)]
        if not open_ or all(self._alive(fact, scope) > 1 for _, fact in open_):
            # Linear reasoning alone, first: a leaf that closes here spares all further cases.
            leaf = self._leaf(scope, _PLANS[:1] if open_ else _PLANS)
            if leaf is not None:
                return leaf
        if not open_:
            raise NoCertificateError("a case is left that no combination refutes")
        k, fact = min(open_, key=lambda pair: (self._alive(pair[1], scope), len(pair[1].parts), pair[0]))
        cases = [self.node(scope.extended([part]), done | {k}) for part in fact.parts]
        return {"split": k, "cases": cases}

    @staticmethod
    def _alive(fact: Some, scope: Scope) -> int:
        return sum(not scope.extended([part]).absurd for part in fact.parts)

    def _leaf(self, scope: Scope, plans: Sequence[tuple[int, int]]) -> dict[str, Any] | None:
        self._leaves += 1
        if self._leaves > 4000:
            raise NoCertificateError("too many cases")
        for factors, degree in plans:
            if (factors, degree) == _PLANS[0] and self._linear.possible(scope.constraints):
                continue
            found = _combination(scope.constraints, factors, degree, self._squares if factors > 1 or degree else ())
            if found is not None:
                return found
        return None


def _met(fact: Some, scope: Scope) -> bool:
    """Whether an alternative is already assumed: splitting it would say nothing."""
    known: list[Fact] = [*scope.atoms, *scope.constraints]
    return any(all(part in known for part in flattened([case])) for case in fact.parts)


@dataclass(frozen=True, kw_only=True)
class _Column:
    """What may be added with a multiplier: where it stands in the data of a leaf, its polynomial, and its sign.

    Parameters
    ----------
    part : {"sum", "squares", "equations"}
    key : object
        The inequalities that are multiplied, the square root, or the equation and the monomial that multiplies it.
    polynomial : Polynomial
    strict : bool, optional
        Whether it is positive; else it is at least 0, or 0 for an equation.
    """

    part: str
    key: Any
    polynomial: Polynomial
    strict: bool = False


def _combination(
    constraints: Sequence[Constraint], factors: int, degree: int, squares: Sequence[Polynomial] = ()
) -> dict[str, Any] | None:
    """Return multipliers that make constraints add up to 0 > 0, or None."""
    columns = list(_columns(constraints, factors, degree, squares))
    unknowns = [z3.Real(f"multiplier~{number}") for number in range(len(columns))]
    solver = z3.SolverFor("QF_LRA")
    solver.set("timeout", 20_000)
    coefficients: dict[Monomial, list[Any]] = {}
    for unknown, column in zip(unknowns, columns, strict=True):
        if column.part != "equations":
            solver.add(unknown >= 0)
        for monomial, coefficient in column.polynomial.items():
            coefficients.setdefault(monomial, []).append(z3.RealVal(str(coefficient)) * unknown)
    for terms in coefficients.values():
        solver.add(z3.Sum(terms) == 0)
    solver.add(z3.Sum([unknown for unknown, column in zip(unknowns, columns, strict=True) if column.strict]) == 1)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    values = [Fraction(str(model.eval(unknown, model_completion=True))) for unknown in unknowns]
    return _leaf_data([(column, value) for column, value in zip(columns, values, strict=True) if value])


def _columns(
    constraints: Sequence[Constraint], factors: int, degree: int, squares: Sequence[Polynomial]
) -> Iterator[_Column]:
    """Yield products of inequalities (the empty one is 1 > 0), squares, and equations times monomials."""
    yield _Column(part="sum", key=(), polynomial=product(()), strict=True)
    inequalities = [k for k, constraint in enumerate(constraints) if constraint.sign != "="]
    for size in range(1, factors + 1):
        for indices in itertools.combinations_with_replacement(inequalities, size):
            of = [constraints[k] for k in indices]
            strict = all(c.sign == ">" for c in of)
            yield _Column(part="sum", key=indices, polynomial=product(c.polynomial for c in of), strict=strict)
    for root in squares:
        yield _Column(part="squares", key=root, polynomial=multiplied(root, root))
    monomials = _monomials(constraints, degree)
    for k, constraint in enumerate(constraints):
        for monomial in monomials if constraint.sign == "=" else ():
            scaled = multiplied(constraint.polynomial, {monomial: Fraction(1)})
            yield _Column(part="equations", key=(k, monomial), polynomial=scaled)


def _leaf_data(used: Sequence[tuple[_Column, Fraction]]) -> dict[str, Any]:
    """Return a leaf as the checker reads it: sums, and squares and equations where there are some."""
    data: dict[str, Any] = {"sum": []}
    equations: dict[int, Any] = {}
    for column, value in used:
        if column.part == "sum":
            data["sum"].append([list(column.key), str(value)])
        elif column.part == "squares":
            data.setdefault("squares", []).append([_polynomial_data(column.key), str(value)])
        else:
            index, monomial = column.key
            equations.setdefault(index, {})[monomial] = value
    if equations:
        data["equations"] = [[index, _polynomial_data(polynomial)] for index, polynomial in equations.items()]
    return data


def _polynomial_data(polynomial: Polynomial) -> list[Any]:
    """Return a polynomial as the checker reads it."""
    return [[[list(power) for power in monomial], str(coefficient)] for monomial, coefficient in polynomial.items()]


def _monomials(constraints: Sequence[Constraint], degree: int) -> list[Monomial]:
    variables = sorted({v for c in constraints for monomial in c.polynomial for v, _ in monomial})
    return [
        tuple(Counter(chosen).items())
        for size in range(degree + 1)
        for chosen in itertools.combinations_with_replacement(variables, size)
    ]


class _LinearConstraints:
    """Whether constraints can be met where every product of variables is a number of its own: then no sum refutes them.

    One solver for a whole tree: it keeps what it learned, so that most nodes cost nothing.
    """

    def __init__(self) -> None:
        self._solver = z3.SolverFor("QF_LRA")
        self._marks: dict[Any, Any] = {}

    def possible(self, constraints: Sequence[Constraint]) -> bool:
        """Return whether they can be met."""
        return bool(self._solver.check([self._mark(constraint) for constraint in constraints]) == z3.sat)

    def _mark(self, constraint: Constraint) -> Any:
        key = frozenset(constraint.polynomial.items()), constraint.sign
        if key not in self._marks:
            mark = self._marks[key] = z3.Bool(f"mark~{len(self._marks)}")
            total = z3.Sum([z3.Q(0, 1), *(z3.RealVal(str(c)) * _product(m) for m, c in constraint.polynomial.items())])
            self._solver.add(z3.Implies(mark, {">=": total >= 0, ">": total > 0, "=": total == 0}[constraint.sign]))
        return self._marks[key]


def _product(monomial: Monomial) -> Any:
    return z3.Real(str(monomial)) if monomial else z3.RealVal(1)
