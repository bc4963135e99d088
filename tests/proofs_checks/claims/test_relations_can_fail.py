"""Every relation of every claim, tightened by a hair beyond its tightest instance, must report a violation.

A check that compared nothing, or the wrong sides, or forgave too much would stay silent here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import sympy

from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.statements import findings, unwidened

#: Relations that no case of the sample exercises, with the reason.
NEVER_EXERCISED: dict[tuple[str, str], str] = {}

RELATIONS = [(c, r) for c in all_claims().values() for r in c.checks if isinstance(r, Relation)]


@dataclass(frozen=True)
class Tightest:
    case: Case
    found: Tightness


def sample(default_cases: list[Case]) -> list[Case]:
    """The default instances and the small markets built for single claims."""
    of_findings = (findings._underbidding_case, findings._loss_in_mean_case, findings.unwidened_case)
    built = (*of_findings, unwidened.tight_case, unwidened.long_case)
    return [findings.explored_for_ever(240), *(build() for build in built), *default_cases]


def room(tightness: Tightness) -> float:
    """The margin, which is none where the bound is infinite in floats."""
    return math.inf if tightness.margin is None else tightness.margin


def tightest_cases(cases: list[Case]) -> dict[tuple[str, str], Tightest]:
    """For every relation the case of smallest margin among those that meet the claim's preconditions."""
    found: dict[tuple[str, str], Tightest] = {}
    for case in cases:
        for claim, relation in RELATIONS:
            if any(precondition.failure(case) for precondition in claim.preconditions):
                continue
            tightness = relation.check(case, claim.regime.overrides)
            key = (claim.label, relation.name)
            if tightness.checked and (key not in found or room(tightness) < room(found[key].found)):
                found[key] = Tightest(case, tightness)
    return found


def tightened(relation: Relation, margin: float, hair: float) -> Relation:
    return replace(relation, right=relation.right - sympy.Rational(margin + hair))


def test_every_relation_can_fail(default_cases: list[Case]) -> None:
    tightest = tightest_cases(sample(default_cases))
    wanted = {(claim.label, relation.name) for claim, relation in RELATIONS}
    assert wanted - tightest.keys() == NEVER_EXERCISED.keys()
    silent = [name(c, r) for c, r in RELATIONS if not fails(c, r, tightest[name(c, r)])]
    assert silent == []


def name(claim: Claim, relation: Relation) -> tuple[str, str]:
    return claim.label, relation.name


def fails(claim: Claim, relation: Relation, at: Tightest) -> bool:
    """Whether the relation, tightened so that its tightest instance fails by a hair, says so."""
    where = at.found.where or {}
    # Tolerances are 1e-9 of the sides; whole numbers have none.
    hair = 1.0 if relation.exact else 1e-6 * max(abs(where["left"]), abs(where["right"]), 1e-3)
    found = tightened(relation, at.found.margin, hair).check(at.case, claim.regime.overrides)
    as_much = found.margin is not None and math.isclose(found.margin, -hair, rel_tol=1e-3)
    return found.violations >= 1 and found.checked == at.found.checked and as_much
