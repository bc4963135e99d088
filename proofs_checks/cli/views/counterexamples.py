"""How the numbers of a counterexample are written for readers: terms and values of the solvers in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from proofs_checks.proofs.language.models import NoValueError, read_value
from proofs_checks.proofs.language.smtlib import Expression, expressions

#: Terms that are shown of a counterexample; the rest is in ``--json``.
_SHOWN = 8
_OPERATORS = ("+", "-", "*", "/")
_INDIVIDUAL = re.compile(r"provider_(\d+)")


def counterexample_in_words(values: Mapping[str, str] | None, individuals: str = "provider") -> str:
    """Return a counterexample as a reader takes it in, numbers alone.

    Examples
    --------
    >>> counterexample_in_words({"(utility provider_0)": "(- (/ 1.0 2.0))", "gain": "0.0"}, "scenario")
    'as at utility of scenario 0 = -1/2, gain = 0'
    """
    if not values:
        return "no counterexample shown"
    shown = [
        f"{_term_in_words(term, individuals)} = {_value_in_words(value)}"
        for term, value in values.items()
        if value not in ("true", "false")
    ]
    return "as at " + ", ".join(shown[:_SHOWN]) + (", ..." if len(shown) > _SHOWN else "")


def _term_in_words(text: str, individuals: str) -> str:
    [expression] = expressions(text)
    return _said(expression, individuals)


def _said(expression: Expression, individuals: str) -> str:
    if isinstance(expression, str):
        return _INDIVIDUAL.sub(rf"{individuals} \1", expression)
    head, *arguments = expression
    said = [_said(argument, individuals) for argument in arguments]
    if head in _OPERATORS:
        return f"({f' {head} '.join(said)})" if len(said) > 1 else f"{head}{said[0]}"
    return f"{_said(head, individuals)} of {' and '.join(said)}"


def _value_in_words(text: str) -> str:
    """Return an exact number as ``-1/2`` or, of a root, its first digits; what cannot be read, as it stands."""
    try:
        return str(read_value(text))
    except NoValueError:
        return text
