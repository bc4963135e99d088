"""Store what SymPy makes of the terms of claims, so that checking and printing them needs no SymPy.

``python -m proofs_checks.claims``
"""

from bounds.language.store import text_of
from bounds.language.trees import fresh_trees
from bounds.language.written import fresh_forms
from proofs_checks.claims.model.relation import STORE
from proofs_checks.claims.terms import evaluated, printed


def made() -> str:
    """Return the text of the store."""
    return text_of(STORE, {"trees": fresh_trees(evaluated()), "written": fresh_forms(printed())})


if __name__ == "__main__":
    STORE.file.write_text(made(), encoding="utf-8")
