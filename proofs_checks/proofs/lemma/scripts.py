"""SMT-LIB 2 scripts: formulas written out for solvers, and the values in their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from proofs_checks.proofs.lemma.terms import BUILT_IN, PROVIDER, QUANTIFIERS, Term, signatures_of, subterms, written

#: An S-expression: a word or a list of S-expressions.
Expression = Any


def script(formulas: Sequence[Term], values_of: Sequence[Term] = ()) -> str:
    """Return a script that asks whether formulas can all be true, and for the values of some terms if they can.

    Examples
    --------
    >>> from proofs_checks.proofs.lemma.terms import constant
    >>> print(script([constant("x") > 1]))
    (set-logic QF_LRA)
    (declare-fun $x () Real)
    (assert (> $x 1.0))
    (check-sat)
    """
    signatures = signatures_of(formulas)
    logic = logic_of(formulas)
    lines = [
        *(["(set-option :produce-models true)"] if values_of else []),
        f"(set-logic {logic})",
        *([f"(declare-sort {PROVIDER} 0)"] if "UF" in logic else []),
        *(f"(declare-fun ${name} ({' '.join(sorts)}) {result})" for name, (sorts, result) in signatures.items()),
        *(f"(assert {written(formula)})" for formula in formulas),
        "(check-sat)",
        *([f"(get-value ({' '.join(map(written, values_of))}))"] if values_of else []),
    ]
    return "\n".join(lines)


def logic_of(formulas: Sequence[Term]) -> str:
    """Return the smallest SMT-LIB logic that has all that some formulas need: solvers are quickest in it.

    Examples
    --------
    >>> from proofs_checks.proofs.lemma.terms import constants
    >>> x, y = constants("x y")
    >>> logic_of([x * y > 0]), logic_of([x + 2 * y > 0])
    ('QF_NRA', 'QF_LRA')
    """
    parts = [part for formula in formulas for part in subterms(formula)]
    quantifiers = "" if any(part.head in QUANTIFIERS for part in parts) else "QF_"
    symbols = any(part.sort == PROVIDER or (part.arguments and part.head not in BUILT_IN) for part in parts)
    return f"{quantifiers}{'UF' if symbols else ''}{'L' if all(map(_is_linear, parts)) else 'N'}RA"


def _is_linear(term: Term) -> bool:
    if term.head == "*":
        return any(map(_is_number, term.arguments))
    return term.head != "/" or _is_number(term.arguments[1])


def _is_number(term: Term) -> bool:
    return all(part.head in ("number", "-", "+", "*", "/") for part in subterms(term))


def expression_in(text: str) -> Expression:
    """Return the one S-expression of a text.

    Examples
    --------
    >>> expression_in("((x (/ 1.0 2.0)))")
    [['x', ['/', '1.0', '2.0']]]
    """
    words = iter([*re.findall(r"[()]|[^\s()]+", text), ")"])
    found = _expressions(words)
    if len(found) != 1 or next(words, None):
        raise ValueError("parentheses do not enclose one expression")
    return found[0]


def _expressions(words: Iterator[str]) -> list[Expression]:
    """Return the S-expressions up to the parenthesis that closes what holds them."""
    found: list[Expression] = []
    for word in words:
        if word == ")":
            return found
        found.append(_expressions(words) if word == "(" else word)
    raise ValueError("a parenthesis is open")
