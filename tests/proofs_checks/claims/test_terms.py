"""The store of the trees of claims: what is stored is what SymPy makes, and checking claims needs no more."""

from __future__ import annotations

import json
import subprocess
import sys

from bounds.language import trees
from bounds.language.terms import Operation
from proofs_checks.claims.model.relation import STORE, Relation
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.terms import all_terms


def test_the_store_is_what_the_terms_of_claims_make() -> None:
    """If it fails: python -m proofs_checks.claims."""
    assert json.loads(STORE.file.read_text(encoding="utf-8")) == json.loads(trees.stored_text(STORE, all_terms()))


def test_a_stored_tree_of_a_claim_is_the_fresh_one() -> None:
    stored = trees._stored(STORE)
    relations = [check for stated in all_claims().values() for check in stated.checks if isinstance(check, Relation)]
    sides = [side for relation in relations for side in (relation.left, relation.right)]
    assert {str(side) for side in sides if isinstance(side, Operation)} <= stored.keys()
    for term in (*sides, *all_terms()):
        assert trees.tree_of(term) == trees.fresh_tree(term)
        assert not isinstance(term, Operation) or stored[str(term)] == trees.fresh_tree(term)


def test_claims_are_checked_without_sympy() -> None:
    code = """
import sys
from bounds.published import published
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.reach import with_horizons, with_trivial
from proofs_checks.claims.registry import all_claims

setting = published("gpqa-strong").setting
for variant in ("truthful", "deviating"):
    case = play(setting, variant, horizon=200, seed=0, run=0)
    for stated in all_claims().values():
        found = with_horizons(stated, stated.check(case), setting, 200)
        with_trivial(stated, found, [(setting, 200)])
        stated.of_setting(setting)
print("sympy" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout.strip(), run.stderr) == ("False", "")
