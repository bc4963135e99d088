"""Store the trees of all terms of claims, so that checking them needs no SymPy: ``python -m proofs_checks.claims``."""

from bounds.language.trees import stored_text
from proofs_checks.claims.model.relation import STORE
from proofs_checks.claims.terms import all_terms

if __name__ == "__main__":
    STORE.file.write_text(stored_text(STORE, all_terms()), encoding="utf-8")
