"""Every term whose value claims need besides those of `bounds`, for the store of their trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bounds.language.formula import Formula
from bounds.language.terms import Operation
from bounds.language.trees import terms_of
from proofs_checks.claims.model import trace_quantities
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.reach import TRIVIAL, TRIVIAL_WITHOUT_UNDERBIDS
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.statements import good_event


def all_terms() -> list[Operation]:
    """Return them: sides of relations, trivial values, and right sides of formulas."""
    return [term for term in _evaluated() if isinstance(term, Operation)]


def _evaluated() -> Iterator[Any]:
    relations = [check for stated in all_claims().values() for check in stated.checks if isinstance(check, Relation)]
    trivial = (*TRIVIAL.values(), *TRIVIAL_WITHOUT_UNDERBIDS.values())
    for sides in (*((relation.left, relation.right) for relation in relations), *trivial):
        yield from sides
    named = (*vars(trace_quantities).values(), *vars(good_event).values())
    yield from terms_of(each for each in named if isinstance(each, Formula))
