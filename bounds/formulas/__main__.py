"""Store the trees of all formulas, so that evaluating them needs no SymPy: ``python -m bounds.formulas``."""

from bounds.formulas.catalogue import all_formulas
from bounds.language.trees import STORE, store_of

if __name__ == "__main__":
    STORE.write_text(store_of(all_formulas().values()), encoding="utf-8")
