"""Sentences with mathematics, text from outside, and numbers."""

import math
import re

import pytest
from hypothesis import given, strategies as st

from bounds.published import printed_numbers
from proofs_checks.claims.registry import all_claims
from proofs_checks.conformance.suite import select
from proofs_checks.pages.words import number, set_words, visible
from tests.proofs_checks.pages.parsed import parsed

SENTENCES = sorted(
    {
        text
        for claim in all_claims().values()
        for text in (claim.name, claim.statement, claim.finding, claim.note, *(part.name for part in claim.parts()))
    }
    | {p.name for claim in all_claims().values() for p in claim.preconditions}
    | {check.says for check in select([]).values()}
    | {text for printed in printed_numbers() for text in (printed.row, printed.column)}
)
SPELLED = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "Δ": "Delta", "ε": "eps", "λ": "lambda", "π": "pi"}
SPELLED |= {"q̂": "qhat", "Q̂": "Qhat", "c̄": "cbar", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "−": "-", "√": "sqrt"}
SPELLED |= {"∞": "infinity"}


def letters(text: str) -> str:
    """A text without what only arranges it, so that a sentence before and after can be compared."""
    plain = text.replace("\\mathrm", "").replace("\\quad", "")
    for sign, name in SPELLED.items():
        plain = plain.replace(sign, name)
    return re.sub(r"[\s{}_^\\]", "", plain)


def test_every_sentence_keeps_its_words() -> None:
    assert len(SENTENCES) > 300
    for text in SENTENCES:
        assert letters("".join(parsed(str(set_words(text))).texts())) == letters(text)


def test_no_index_and_no_greek_name_is_left_as_it_is_typed() -> None:
    for text in SENTENCES:
        left = parsed(str(set_words(text))).text(without=("code", "a"))
        assert not re.search(r"(?<!\w)\w_\w|\^|\bbeta\b|\bDelta_|\\", left), text


@pytest.mark.for_each(
    ("text", "told"),
    [
        ("c_max", "<var>c<sub>max</sub></var>"),
        ("m_{i,t}", "<var>m<sub><i>i</i>,<i>t</i></sub></var>"),
        ("T^-(1-alpha)", "<var>T<sup>-(1-<i>α</i>)</sup></var>"),
        ("(t/N)^alpha", "(<var>t</var>/<var>N</var>)<sup><i>α</i></sup>"),
        ("a bid, I think, is fine", "a bid, I think, is fine"),
        ("(i) first; (ii) second", "(i) first; (ii) second"),
        ("see lem:none", "see <code>lem:none</code>"),
        ("<br>", "&lt;br&gt;"),
    ],
)
def test_examples(text: str, told: str) -> None:
    assert str(set_words(text)) == told


@given(st.text())
def test_any_text_is_text(text: str) -> None:
    """Whatever stands in a sentence, only our own elements come of it."""
    tags = {e.tag for e in parsed(str(set_words(text, {"lem:a": "a"}))).all()}
    assert tags <= {"var", "sub", "sup", "i", "a", "code", "span"}
    assert {e.tag for e in parsed(str(visible(text))).all()} <= {"span"}


@given(st.text())
def test_hidden_characters_are_named_and_nothing_else_is_changed(text: str) -> None:
    pieces = parsed(str(visible(text))).inside
    back = [each if isinstance(each, str) else chr(int(each.text().removeprefix("U+"), 16)) for each in pieces]
    assert "".join(back) == text


@given(st.one_of(st.integers(-(10**15), 10**15), st.floats(allow_nan=False, allow_infinity=False)))
def test_a_number_keeps_its_value_and_is_read_rounded(value: float) -> None:
    page = parsed(str(number(value)))
    read = float(page.text().replace(",", "").replace("−", "-"))
    assert math.isclose(read, value, rel_tol=1e-5, abs_tol=0)
    # What is rounded has the whole value; what is not needs none.
    wholes = [float(data.attributes["value"]) for data in page.all("data")]
    assert wholes == ([] if read == value else [value])


@pytest.mark.for_each(
    ("value", "digits", "text"),
    [(0, 6, "0"), (-0.0, 6, "0"), (1e-6, 3, "1e−6"), (-2.5, 3, "−2.5"), (1e20, 3, "1e20"), (1234.5678, 6, "1,234.57")],
)
def test_how_numbers_read(value: float, digits: int, text: str) -> None:
    assert parsed(str(number(value, digits))).text() == text
