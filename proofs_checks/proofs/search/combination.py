"""Combinations of constraints that add up to "0 > 0", found by linear programming: untrusted, for they are checked."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from proofs_checks.proofs.checker.ground import Constraint
from proofs_checks.proofs.checker.polynomials import Monomial, Polynomial, monomial_product, multiplied, product


def combination(
    constraints: Sequence[Constraint], factors: int, degree: int, squares: Sequence[Polynomial] = ()
) -> dict[str, Any] | None:
    """Return multipliers that make constraints add up to 0 > 0, or None."""
    import z3

    inequalities = [k for k, constraint in enumerate(constraints) if constraint.sign != "="]
    products = [
        indices
        for size in range(1, factors + 1)
        for indices in itertools.combinations_with_replacement(inequalities, size)
    ]
    equations = [k for k, constraint in enumerate(constraints) if constraint.sign == "="]
    monomials = _monomials(constraints, degree)
    # The empty product is the constant 1 > 0.
    columns: list[tuple[Any, Polynomial, bool, bool]] = [((), product(()), True, True)]
    for indices in products:
        of = [constraints[k] for k in indices]
        columns.append((indices, product(c.polynomial for c in of), all(c.sign == ">" for c in of), True))
    columns += [(("square", k), multiplied(root, root), False, True) for k, root in enumerate(squares)]
    columns += [
        ((k, monomial), multiplied(constraints[k].polynomial, {monomial: Fraction(1)}), False, False)
        for k in equations
        for monomial in monomials
    ]
    unknowns = [z3.Real(f"multiplier~{number}") for number in range(len(columns))]
    solver = z3.SolverFor("QF_LRA")
    solver.set("timeout", 20_000)
    coefficients: dict[Monomial, list[Any]] = {}
    for unknown, (_, polynomial, _, signed) in zip(unknowns, columns, strict=True):
        if signed:
            solver.add(unknown >= 0)
        for monomial, coefficient in polynomial.items():
            coefficients.setdefault(monomial, []).append(z3.RealVal(str(coefficient)) * unknown)
    for terms in coefficients.values():
        solver.add(z3.Sum(terms) == 0)
    solver.add(z3.Sum([u for u, (_, _, strict, _) in zip(unknowns, columns, strict=True) if strict]) == 1)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    values = [Fraction(str(model.eval(unknown, model_completion=True))) for unknown in unknowns]
    return _leaf_data(columns, values, squares)


def _leaf_data(
    columns: Sequence[tuple[Any, Polynomial, bool, bool]], values: Sequence[Fraction], squares: Sequence[Polynomial]
) -> dict[str, Any]:
    sums: list[Any] = []
    used: list[Any] = []
    equations: dict[int, list[Any]] = {}
    for (key, _, _, signed), value in zip(columns, values, strict=True):
        if not value:
            continue
        if not signed:
            index, monomial = key
            equations.setdefault(index, []).append([[list(power) for power in monomial], str(value)])
        elif key and key[0] == "square":
            used.append([polynomial_data(squares[key[1]]), str(value)])
        else:
            sums.append([list(key), str(value)])
    data: dict[str, Any] = {"sum": sums}
    if used:
        data["squares"] = used
    if equations:
        data["equations"] = [[index, polynomial] for index, polynomial in equations.items()]
    return data


def polynomial_data(polynomial: Polynomial) -> list[Any]:
    """Return a polynomial as the checker reads it."""
    return [[[list(power) for power in monomial], str(coefficient)] for monomial, coefficient in polynomial.items()]


def _monomials(constraints: Sequence[Constraint], degree: int) -> list[Monomial]:
    variables = sorted({v for c in constraints for monomial in c.polynomial for v, _ in monomial})
    found: list[Monomial] = [()]
    for size in range(1, degree + 1):
        for chosen in itertools.combinations_with_replacement(variables, size):
            monomial: Monomial = ()
            for variable in chosen:
                monomial = monomial_product(monomial, ((variable, 1),))
            found.append(monomial)
    return found


class LinearConstraints:
    """Whether constraints can be met where every product of variables is a number of its own: then no sum refutes them.

    One solver for a whole tree: it keeps what it learned, so that most nodes cost nothing.
    """

    def __init__(self) -> None:
        import z3

        self._solver = z3.SolverFor("QF_LRA")
        self._marks: dict[Any, Any] = {}

    def possible(self, constraints: Sequence[Constraint]) -> bool:
        """Return whether they can be met."""
        import z3

        return bool(self._solver.check([self._mark(constraint) for constraint in constraints]) == z3.sat)

    def _mark(self, constraint: Constraint) -> Any:
        import z3

        key = frozenset(constraint.polynomial.items()), constraint.sign
        if key not in self._marks:
            mark = self._marks[key] = z3.Bool(f"mark~{len(self._marks)}")
            total = z3.Sum([z3.Q(0, 1), *(z3.RealVal(str(c)) * _product(m) for m, c in constraint.polynomial.items())])
            self._solver.add(z3.Implies(mark, {">=": total >= 0, ">": total > 0, "=": total == 0}[constraint.sign]))
        return self._marks[key]


def _product(monomial: Monomial) -> Any:
    import z3

    return z3.Real(str(monomial)) if monomial else z3.RealVal(1)
