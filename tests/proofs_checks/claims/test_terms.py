"""The store of what SymPy makes of claims: what is stored is what it makes, and checking claims needs no more."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from bounds.language import store
from bounds.language.store import stored
from bounds.language.terms import Operation
from bounds.language.trees import fresh_tree, tree_of
from bounds.language.written import fresh_written, written
from proofs_checks.claims.__main__ import made
from proofs_checks.claims.model.relation import STORE, Relation
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.stated import notation_data, statement_data
from proofs_checks.claims.terms import evaluated, printed


def test_the_store_is_what_the_terms_of_claims_make() -> None:
    """If it fails: python -m proofs_checks.claims."""
    assert json.loads(STORE.file.read_text(encoding="utf-8")) == json.loads(made())


def test_what_is_stored_of_a_claim_is_fresh() -> None:
    relations = [check for stated in all_claims().values() for check in stated.checks if isinstance(check, Relation)]
    for term in (*evaluated(), *(side for relation in relations for side in (relation.left, relation.right))):
        assert not isinstance(term, Operation) or stored("trees", str(term)) is not None
        assert tree_of(term) == fresh_tree(term)
    for term, fixed in printed():
        assert written(term, fixed) == fresh_written(term, fixed)


def test_what_reports_say_of_claims_is_the_same_without_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = all_claims().values()
    before = [(each.latex(), statement_data(each)) for each in claims], notation_data(claims)
    monkeypatch.setattr("bounds.language.written.stored", lambda kind, key: None)
    assert ([(each.latex(), statement_data(each)) for each in claims], notation_data(claims)) == before


def test_the_store_depends_on_the_quantities_of_traces() -> None:
    assert store._origin(STORE, {}) != store._origin(store.Store(STORE.file), {})


def test_claims_are_checked_and_printed_without_sympy() -> None:
    code = """
import sys
from bounds.published import published
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.reach import with_horizons, with_trivial
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.stated import notation_data, statement_data

setting = published("gpqa-strong").setting
for variant in ("truthful", "deviating"):
    case = play(setting, variant, horizon=200, seed=0, run=0)
    for stated in all_claims().values():
        found = with_horizons(stated, stated.check(case), setting, 200)
        with_trivial(stated, found, [(setting, 200)])
        stated.of_setting(setting)
        statement_data(stated), stated.latex()
notation_data(all_claims().values())
print("sympy" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout.strip(), run.stderr) == ("False", "")
