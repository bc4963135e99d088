"""Every formula of the claims and of the bounds is set, whole, and nothing but mathematics gets through."""

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from bounds.formulas.catalogue import all_formulas
from bounds.language.quantities import QUANTITIES
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.stated import notation, statement
from proofs_checks.pages.mathematics import mathml

LATEX = sorted(
    {formula for claim in all_claims().values() for formula in claim.latex()}
    | {formula.latex() for formula in all_formulas().values()}
    | {formula for claim in all_claims().values() for formula in statement(claim).definitions.values()}
    | {quantity.latex for quantity in QUANTITIES.values()}
    | {each.formula for each in notation(all_claims().values()).values() if each.formula}
)
#: What commands of LaTeX look like; those that only arrange what they hold have no sign of their own.
SIGNS = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "varepsilon": "ε", "pi": "π", "mu": "μ"},
    **{"rho": "ρ", "leq": "≤", "neq": "≠", "notin": "∉", "in": "∈", "setminus": "∖", "sharp": "♯", "sum": "∑"},
    **{"lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "{": "{", "}": "}", "ln": "ln", "log": "log"},
    **{"max": "max", "min": "min", "bar": "¯", "hat": "^", "tilde": "~", "overline": "―", "underline": "―", "geq": "≥"},
    **{"star": "*", "cdot": "·", "emptyset": "∅", "ne": "≠", "tau": "τ", "kappa": "κ"},
}
ARRANGING = {"frac", "sqrt", "left", "right", "mathrm", "mathcal", "exp", ","}
SCRIPT = {"Q": "𝒬"}


def signs_of_latex(latex: str) -> Counter[str]:
    """The signs that a formula has, from its LaTeX: a reading of our own, letter by letter."""
    text = re.sub(r"\\mathcal\{(\w)\}", lambda m: SCRIPT[m[1]], latex)
    found: list[str] = []
    for token in re.findall(r"\\[A-Za-z]+|\\.|\d+|[^\s]", text):
        if token.startswith("\\"):
            if token[1:] not in ARRANGING:
                found.extend(SIGNS[token[1:]])
        elif token not in "{}_^&":
            found.extend(token)
    return Counter(found)


def signs_of_mathml(markup: str) -> Counter[str]:
    text = "".join("".join(ElementTree.fromstring(markup).itertext()).split())
    alike = {"−": "-", "‾": "―", "¯": "¯", "ˆ": "^", "⋆": "*", "∗": "*", "\u2223": "|"}
    return Counter(alike.get(sign, sign) for sign in text)


def test_every_formula_is_set_whole() -> None:
    assert len(LATEX) > 150
    for latex in LATEX:
        found = str(mathml(latex))
        assert found.startswith("<math>"), latex
        assert "\\" not in found, latex
        assert signs_of_mathml(found) == signs_of_latex(latex), latex


@pytest.mark.for_each(
    ("latex", "part"),
    [
        (r"c_{\max}^{2}", "<msubsup><mi>c</mi><mi>max</mi><mn>2</mn></msubsup>"),
        (r"B_{\mathrm{id}}(T)", "<msub><mi>B</mi><mi>id</mi></msub>"),
        (r"\frac{N}{T}", "<mfrac><mi>N</mi><mi>T</mi></mfrac>"),
        (r"\sum_{t \leq T} x", '<munder><mo movablelimits="true">∑</mo>'),
        (r"\lceil g(T) \rceil", '<mo form="prefix" stretchy="false">⌈</mo>'),
        (r"a |\pi_t|", '<mo form="postfix" stretchy="false">|</mo>'),
        (r"\left(\frac{1}{2}\right)", '<mo form="prefix" stretchy="true" symmetric="false">(</mo>'),
        (r"\left(N - 1\right)", '<mo form="prefix" stretchy="false">(</mo>'),
        (r"(x)^+", "<msup><mo"),
    ],
)
def test_how_it_is_set(latex: str, part: str) -> None:
    assert part in str(mathml(latex))


@pytest.mark.for_each(
    "latex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\left( x",
        r"<script>alert(1)</script>",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\style{color:url(http://x)}{x}",
        r"\begin{matrix} a",
        r"\text{&lt;script&gt;}",
    ],
)
def test_nothing_but_mathematics_gets_through(latex: str) -> None:
    found = str(mathml(latex))
    root = ElementTree.fromstring(found)
    assert {e.tag for e in root.iter()} <= {"code"} | {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac"}
    assert not {name for e in root.iter() for name in e.attrib} - {"form", "stretchy", "symmetric", "width"}
    assert "<script" not in found
    assert "<img" not in found
