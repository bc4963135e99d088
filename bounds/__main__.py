"""Store the trees of all formulas, so that evaluating them needs no SymPy: ``python -m bounds``."""

from bounds.language.trees import STORE, store_of
from bounds.methods import every_formula

if __name__ == "__main__":
    STORE.write_text(store_of(every_formula().values()), encoding="utf-8")
