"""Store what SymPy makes of all formulas, so that evaluating and printing them needs no SymPy: ``python -m bounds``."""

from bounds import radius_caps
from bounds.language.store import FORMULAS, text_of
from bounds.language.trees import fresh_trees, terms_of
from bounds.language.written import fresh_forms
from bounds.methods import every_formula


def made() -> str:
    """Return the text of the store."""
    formulas = (*every_formula().values(), *radius_caps.FORMULAS)
    forms = fresh_forms((formula.right_side, {}) for formula in formulas)
    return text_of(FORMULAS, {"trees": fresh_trees(terms_of(formulas)), "written": forms})


if __name__ == "__main__":
    FORMULAS.file.write_text(made(), encoding="utf-8")
