"""Formulas for a page: the LaTeX of a report as MathML, which browsers set and screen readers speak."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterator
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element
from markupsafe import Markup

#: What MathML of ours is made of: anything else, as a link in a hostile report, is not let through.
_TOKENS = frozenset(("mi", "mn", "mo", "mtext", "mspace"))
_LAYOUT = frozenset(
    ("math", "mrow", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover")
)
_ATTRIBUTES = frozenset(("display", "stretchy", "form", "accent", "movablelimits", "mathvariant", "width"))
_UPRIGHT = ("mathvariant", "normal")
_OPENING, _CLOSING, _BAR = "([{⌈⌊", ")]}⌉⌋", "|"
#: Operators whose subscript stands below them where there is room.
_WITH_LIMITS = ("∑", "max", "min")
_BELOW = {"msub": "munder", "msubsup": "munderover"}
#: What makes a bracket around it grow.
_TALL = frozenset(("mfrac", "munder", "munderover"))
_SPACED, _THIN_SPACE = ("ln", "max", "min"), "0.17em"
#: A sign that many fonts lack, and one of the same meaning that they have.
_SHOWN = {"\N{REVERSE SOLIDUS OPERATOR}": "\N{SET MINUS}"}


class UnreadableFormulaError(ValueError):
    """A formula that this page cannot set."""


@functools.cache
def mathml(latex: str) -> Markup:
    r"""Return a formula as MathML, or its LaTeX as code if it is none that can be set.

    Examples
    --------
    >>> print(mathml(r"\pi_t \leq c_{\max}"))
    <math><mrow><msub><mi>π</mi><mi>t</mi></msub><mo>≤</mo><msub><mi>c</mi><mi>max</mi></msub></mrow></math>
    >>> print(mathml(r"\href{javascript:alert(1)}{x} \unknown"))
    <code>\href{javascript:alert(1)}{x} \unknown</code>
    """
    try:
        found = _tidy(convert_to_element(latex))
        return Markup(tostring(found, encoding="unicode"))
    except Exception:  # noqa: BLE001 the library raises errors of many kinds on what is no LaTeX
        return Markup("<code>{}</code>").format(latex)


def _tidy(tree: Element) -> Element:
    """Return a tree of the library with plain text, our elements alone, and brackets no larger than they must be."""
    for element in tree.iter():
        element.text = _SHOWN.get(text := html.unescape(element.text or ""), text) or None
        if element.tag not in _TOKENS | _LAYOUT or "\\" in (element.text or ""):
            raise UnreadableFormulaError(element.tag)
    tree.attrib = {}
    for element in list(tree.iter()):
        element.attrib = {name: value for name, value in element.attrib.items() if name in _ATTRIBUTES}
        _join_letters(element)
        _mark_brackets(element)
        _mark_names(element)
    for element in list(tree.iter()):
        _set_limits(element)
    for element in list(tree.iter()):
        _fit_brackets(element)
    for element in list(tree.iter()):
        _unwrap(element)
    return tree


def _unwrap(parent: Element) -> None:
    """Leave out each row of one element."""
    for place, child in enumerate(parent):
        inner = child
        while inner.tag == "mrow" and len(inner) == 1:
            inner = inner[0]
        parent[place] = inner


def _join_letters(parent: Element) -> None:
    """Make one upright word of letters that LaTeX sets upright one by one."""
    word: Element | None = None
    for child in list(parent):
        if child.tag == "mi" and _UPRIGHT in child.attrib.items():
            if word is not None:
                word.text = f"{word.text}{child.text}"
                word.attrib = {}
                parent.remove(child)
                continue
            word = child
        else:
            word = None


def _mark_brackets(parent: Element) -> None:
    """Say of every bracket on which side it stands; of two bars, which look alike, the first opens."""
    open_bar = False
    for child in _with_bases(parent):
        if child.text and len(child.text) == 1 and child.text in _OPENING + _CLOSING + _BAR:
            child.tag = "mo"
            opens = not open_bar if child.text == _BAR else child.text in _OPENING
            open_bar = opens if child.text == _BAR else open_bar
            child.attrib = {"form": "prefix" if opens else "postfix", "stretchy": child.get("stretchy", "false")}


def _with_bases(parent: Element) -> Iterator[Element]:
    """Yield children, and the base of one with an exponent, as the last bracket in (x)^+."""
    for child in parent:
        yield child[0] if child.tag in ("msup", "msub", "msubsup") else child


def _mark_names(parent: Element) -> None:
    """Write functions as names: a name is spoken as one word, and nothing is set around it that its place needs not."""
    for place, child in reversed(list(enumerate(parent))):
        if child.tag == "mo" and (child.text or "").isalpha() and child.text not in _WITH_LIMITS:
            child.tag, child.attrib = "mi", {}
        if child.text in ("max", "min") and parent.tag == "mrow":
            child.tag = "mi"  # without anything below it, as in c_max
        if child.text in _SPACED and place and parent.tag == "mrow" and parent[place - 1].tag != "mo":
            parent.insert(place, Element("mspace", {"width": _THIN_SPACE}))


def _set_limits(element: Element) -> None:
    if element.tag in _BELOW and element[0].tag == "mo" and element[0].text in _WITH_LIMITS:
        element.tag = _BELOW[element.tag]
        element[0].set("movablelimits", "true")


def _fit_brackets(parent: Element) -> None:
    """Let brackets grow around tall contents alone: where a browser has no font for mathematics, they grow too much."""
    tall = any(inner.tag in _TALL for child in parent for inner in child.iter())
    for child in _with_bases(parent):
        if child.tag == "mo" and child.get("stretchy") == "true" and child.get("form") and not tall:
            child.set("stretchy", "false")
        elif child.tag == "mo" and child.get("stretchy") == "true" and child.get("form"):
            child.set("symmetric", "false")
