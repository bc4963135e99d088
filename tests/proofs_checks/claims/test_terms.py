"""The store of what SymPy makes of claims: what is stored is what it makes, and checking claims needs no more."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from proofs_checks.claims.__main__ import made
from proofs_checks.claims.model.relation import STORE
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.stated import notation_data, statement_data


def test_the_store_is_what_the_terms_of_claims_make() -> None:
    """If it fails: python -m proofs_checks.claims."""
    assert json.loads(STORE.file.read_text(encoding="utf-8")) == json.loads(made())


@pytest.mark.long("prints every claim twice")
def test_what_reports_say_of_claims_is_the_same_without_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = all_claims().values()
    before = [(each.latex(), statement_data(each)) for each in claims], notation_data(claims)
    monkeypatch.setattr("bounds.language.written.stored", lambda kind, key: None)
    assert ([(each.latex(), statement_data(each)) for each in claims], notation_data(claims)) == before


@pytest.mark.long("starts a process")
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
