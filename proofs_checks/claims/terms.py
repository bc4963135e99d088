"""Every term that claims compare or print besides those of `bounds`, for the store of what SymPy makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bounds.language.formula import Formula
from bounds.language.terms import Operation
from bounds.language.trees import terms_of
from bounds.methods import every_formula
from proofs_checks.claims.model import trace_quantities
from proofs_checks.claims.model.relation import Relation, formulas_in
from proofs_checks.claims.reach import TRIVIAL, TRIVIAL_WITHOUT_UNDERBIDS
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.statements import good_event


def evaluated() -> list[Operation]:
    """Return what is evaluated: sides of relations, trivial values, and right sides of formulas."""
    return [term for term in _evaluated() if isinstance(term, Operation)]


def _evaluated() -> Iterator[Any]:
    for _, relation in _relations():
        yield from (relation.left, relation.right)
    for sides in (*TRIVIAL.values(), *TRIVIAL_WITHOUT_UNDERBIDS.values()):
        yield from sides
    named = (*vars(trace_quantities).values(), *vars(good_event).values())
    yield from terms_of(each for each in named if isinstance(each, Formula))


def printed() -> Iterator[tuple[Any, Mapping[str, float]]]:
    """Yield what is printed: relations and the formulas behind them, with the values that a claim's regime fixes."""
    of_bounds = set(every_formula())
    for fixed, relation in _relations():
        behind = formulas_in(relation.where)
        gone = {name: value for name, value in fixed.items() if not value}
        for term in (*relation.stated, *(formula.right_side for formula in behind.values())):
            yield from ((term, fixed), (term, gone))
        yield from ((formula.right_side, {}) for name, formula in behind.items() if name not in of_bounds)


def _relations() -> Iterator[tuple[Mapping[str, float], Relation]]:
    for stated in all_claims().values():
        yield from ((stated.regime.overrides, check) for check in stated.checks if isinstance(check, Relation))
