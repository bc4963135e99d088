"""Sentences with mathematics as parts of the page: what a report sets as HTML, read into Dash's components."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

from dash import html
from dash.development.base_component import Component

from proofs_checks.pages.words import set_words

_PARTS = {"var": html.Var, "sub": html.Sub, "sup": html.Sup, "i": html.I, "code": html.Code, "span": html.Span}


def set_text(text: str) -> list[str | Component]:
    """Return a sentence of a claim as a report prints it: indices, Greek letters and signs.

    Examples
    --------
    >>> set_text("at most c_max")
    ['at most ', Var(['c', Sub(['max'])])]
    """
    return _inside(fromstring(f"<p>{set_words(text)}</p>"))


def _inside(element: Element) -> list[str | Component]:
    parts: list[str | Component] = [element.text] if element.text else []
    for child in element:
        parts.append(_PARTS[child.tag](_inside(child)))
        if child.tail:
            parts.append(child.tail)
    return parts
