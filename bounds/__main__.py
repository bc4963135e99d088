"""Store the trees of all formulas, so that evaluating them needs no SymPy: ``python -m bounds``."""

from bounds import radius_caps
from bounds.language.trees import STORE, stored_text, terms_of
from bounds.methods import every_formula

if __name__ == "__main__":
    formulas = (*every_formula().values(), *radius_caps.FORMULAS)
    STORE.file.write_text(stored_text(STORE, terms_of(formulas)), encoding="utf-8")
