"""Store the trees of all formulas, so that evaluating them needs no SymPy: ``python -m bounds.formulas``."""

from bounds.formulas.catalogue import all_formulas
from bounds.language.trees import write_store

if __name__ == "__main__":
    write_store(all_formulas().values())
