"""What formulas and quantities say about themselves: names, ranges, sources, LaTeX."""

import re
from collections import Counter

import pytest
import sympy

from bounds.formulas.catalogue import all_formulas
from bounds.formulas.radius import RADIUS
from bounds.language import quantities
from bounds.language.evaluation import formula_of
from bounds.language.formula import Formula
from bounds.language.latex import to_latex
from bounds.language.quantities import COUNT, GAP, QUANTITIES, Quantity, pure
from bounds.language.reductions import OverUnqualified

FORMULAS = all_formulas()
every_formula = pytest.mark.for_each("formula", FORMULAS.values(), ids=FORMULAS.keys())


WORDS = {"gen", "any", "qual", "gap", "pay", "cap"}


def check_latex(text: str) -> None:
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right") - text.count(r"\rightarrow")
    bare = re.sub(r"\\[a-zA-Z]+", " ", text)
    leaked = {word for word in re.findall(r"[A-Za-z]{3,}", bare) if word not in WORDS}
    assert not leaked, f"{leaked} in {text}"


#: Symbols that are the expression they stand for: "T - N = T - N" would say nothing.
SAYS_ITSELF = {"trivial_identification_bound", "trivial_excess_payment", "unqualified_selections_bound"}


@every_formula
def test_latex_has_no_python_names(formula: Formula) -> None:
    text = formula.latex()
    check_latex(text)
    alone = formula.quantity.name in SAYS_ITSELF
    assert text == formula.quantity.latex if alone else text.startswith(f"{formula.quantity.latex} = ")
    for symbol in formula.expression.free_symbols:
        assert QUANTITIES[symbol.name].latex in text


USED = {q.name: q for formula in FORMULAS.values() for q in (*formula.inputs, formula.quantity)}


@pytest.mark.for_each("quantity", USED.values(), ids=USED.keys())
def test_quantities_say_what_they_are(quantity: Quantity) -> None:
    check_latex(quantity.latex)
    assert quantity.name.isidentifier()
    assert quantity.meaning
    assert quantity.unit in (quantities.MONEY, quantities.QUERIES, quantities.PURE)
    assert quantity.symbol.name == quantity.name


def without_groups(latex: str) -> str:
    """Drop everything in brackets of any kind, innermost first."""
    before = ""
    text = re.sub(r"\\(?:left|right|[lr]floor|[lr]ceil)\b", lambda m: {"l": "(", "r": ")"}.get(m[0][1], ""), latex)
    text = text.replace(r"\{", "(").replace(r"\}", ")")
    while before != text:
        before, text = text, re.sub(r"\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]", "", text)
    return text


@every_formula
def test_latex_of_a_factor_is_no_bare_sum(formula: Formula) -> None:
    for product in formula.expression.atoms(sympy.Mul):
        for factor in product.args:
            if definition := formula_of(factor):
                assert not re.search(r"[+]| - ", without_groups(definition.quantity.latex)), product


@every_formula
def test_formulas_state_their_source_and_use_their_definitions(formula: Formula) -> None:
    assert re.search(r"eq:|thm:|lem:|prop:|cor:|alg:|asmp:|claim:|appendix|definition", formula.source)
    assert formula.valid
    symbols = {symbol for each in (formula.expression, *formula.requires) for symbol in each.free_symbols}
    assert {f.symbol for f in formula.where} == {symbol for symbol in symbols if formula_of(symbol) is not None}
    assert {q.symbol for q in formula.inputs} >= symbols - {f.symbol for f in formula.where}
    assert [q.name for q in formula.inputs] == sorted({q.name for q in formula.inputs})
    assert QUANTITIES[formula.quantity.name] == formula.quantity
    assert hash(formula) == hash(FORMULAS[formula.quantity.name])


def test_latex_of_reductions_and_numbers() -> None:
    assert to_latex(GAP.symbol <= 2 * COUNT) == r"x \leq 2 m"
    assert to_latex(OverUnqualified(quantities.Q_UNQUALIFIED)) == r"\sum_{i \notin \mathcal{Q}} \left(q_i\right)"
    assert to_latex(OverUnqualified(GAP) ** 2) == r"\sum_{i \notin \mathcal{Q}} \left(x\right)^{2}"
    assert to_latex(sympy.Symbol("free")) == "free"
    assert RADIUS.latex().startswith(r"\beta(m) = ")


def test_no_two_quantities_share_a_symbol() -> None:
    shared = Counter(formula.quantity.latex for formula in FORMULAS.values())
    assert [symbol for symbol, times in shared.items() if times > 1] == []


def test_undeclared_symbols_are_refused() -> None:
    with pytest.raises(ValueError, match="undeclared"):
        Formula(pure("loose", "l", "uses a stranger"), sympy.Symbol("stranger") + 1, "none")
