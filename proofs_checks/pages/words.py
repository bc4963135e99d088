"""Words for a page: mathematics in sentences, hidden characters made visible, numbers with all digits."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from bounds.characters import is_hidden
from bounds.words import ratio_text, short_exponent
from proofs_checks.verdict import UNDEFINED

_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "eps": "ε", "lambda": "λ", "pi": "π"}
_HATS = {
    "qhat": "q\N{COMBINING CIRCUMFLEX ACCENT}",
    "Qhat": "Q\N{COMBINING CIRCUMFLEX ACCENT}",
    "cbar": "c\N{COMBINING MACRON}",
}
_NAMES = _GREEK | _HATS
_SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", " - ": " − ", "sqrt": "√", "infinity": "∞"}
_KNOWN = "|".join(sorted(_NAMES, key=len, reverse=True))
_START, _END = r"(?<![\w'.-])", r"(?![\w'])(?!\.\w)"
#: A label of the paper, or of ours.
_LABEL = r"(?<![\w:/])(?:thm|lem|prop|cor|eq|alg|asmp|claim):\w[\w:-]*\w"
_INDEX = r"(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|-?\([^()]*\)|-?m(?:in|ax)\{[^{}]*\}|[A-Za-z0-9]+|[*+-](?![\w.(]))"
#: Not what numbers a part: "part b", or b) where a text begins.
_NO_PART = r"(?<!appendix )(?<!part )(?!(?<![\s\S])[a-z]\) )"
#: A letter that stands alone and is no word: "a", "A" and "I" are, and (i), (ii) number parts.
_LETTER = rf"(?<!\(){_NO_PART}{_START}[B-HJ-Zb-z]'?{_END}|(?<=\()[B-HJ-Zb-hj-z]'?{_END}"
_TOKEN = re.compile(
    rf"(?P<label>{_LABEL})"
    rf"|(?P<sign><=|>=|!=|->|\ -\ (?=\S)|(?<!\w)sqrt(?=\()|(?<=[+, ])infinity(?=[),. ]))"
    rf"|(?P<name>(?<![\w'.])\\?(?:{_KNOWN}|max|min|cap|[A-Za-z])|\))(?P<index>(?:[_^]{_INDEX})+)"
    rf"|(?P<letter>{_START}(?:{_KNOWN}){_END}|{_LETTER})"
)
_MARK = re.compile(rf"([_^])({_INDEX})")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
#: A character that may be hidden; ends of lines and tabs stay.
_NOT_PLAIN = re.compile(r"[^ -~\n\t]")


def set_words(text: str, anchors: Mapping[str, str] | None = None) -> Markup:
    """Return a sentence of ours with indices, Greek letters and signs as they are printed, and labels as links.

    Examples
    --------
    >>> print(set_words("c_max beta(m_i) <= 1, see lem:gap", {"lem:gap": "a"}))
    <var>c<sub>max</sub></var> <var>β</var>(<var>m<sub><i>i</i></sub></var>) ≤ 1, see <a href="#a">lem:gap</a>
    """
    known = anchors or {}
    return Markup("").join(part if isinstance(part, Markup) else _reference(part, known) for part in _parts(text))


@functools.lru_cache(maxsize=8192, typed=True)  # what is markup already is not escaped
def _parts(text: str) -> tuple[str, ...]:
    """Return a sentence as markup, and its labels as plain text; a page says most of its sentences several times."""
    parts: list[str] = []
    end, text = 0, _without_commands(text)
    for found in _TOKEN.finditer(text):
        parts += [visible(text[end : found.start()]), found[0] if found.lastgroup == "label" else _set(found)]
        end = found.end()
    return (*parts, visible(text[end:]))


def _without_commands(text: str) -> str:
    """Return a text without the LaTeX of the names of the paper's tables: upright letters, spaces."""
    return re.sub(r"\\mathrm\{(\w+)\}|\\quad\s*|\{(,)\}", lambda found: found[1] or found[2] or "", text)


def _reference(label: str, anchors: Mapping[str, str]) -> Markup:
    where = anchors.get(label)
    return Markup('<a href="#{}">{}</a>').format(where, label) if where else Markup("<code>{}</code>").format(label)


def _set(found: re.Match[str]) -> Markup:
    kind, text = found.lastgroup, found[0]
    if kind == "sign":
        return escape(_SIGNS[text])
    if kind == "letter":
        return Markup("<var>{}</var>").format(_NAMES.get(text, text))
    name, marks = found["name"].removeprefix("\\"), _marks(found["index"])
    return escape(name) + marks if name == ")" else Markup("<var>{}{}</var>").format(_NAMES.get(name, name), marks)


def _marks(text: str) -> Markup:
    """Return indices and exponents, ``_{i,t}^2``, as such."""
    marks = []
    for sign, inner in _MARK.findall(text):
        tag = Markup("sub" if sign == "_" else "sup")
        plain = inner[1:-1] if inner.startswith("{") else inner
        marks.append(Markup("<{0}>{1}</{0}>").format(tag, _inner(plain)))
    return Markup("").join(marks)


def _inner(text: str) -> Markup:
    """Return what stands in an index: its own indices, Greek letters, and letters that stand alone in italics."""
    parts = []
    for part in re.split(rf"([_^][A-Za-z0-9*]+|\b(?:{_KNOWN})\b|\b[A-Za-z]\b|[A-Z](?=_))", text):
        if part[:1] in ("_", "^"):
            parts.append(_marks(part))
        elif part in _NAMES or (len(part) == 1 and part.isalpha()):
            parts.append(Markup("<i>{}</i>").format(_NAMES.get(part, part)))
        else:
            parts.append(visible(part))
    return Markup("").join(parts)


def visible(text: object) -> Markup:
    """Return a text from outside as it is, with every character that could hide or turn round others made visible.

    Examples
    --------
    >>> print(visible("a<b"), visible("a\\u202eb"))
    a&lt;b a<span class="hidden">U+202E</span>b
    """
    # What is escaped is ASCII; of ASCII nothing is hidden but what stands before the space or after the tilde.
    return Markup(_NOT_PLAIN.sub(_shown, escape(f"{text}")))


def _shown(found: re.Match[str]) -> str:
    character = found[0]
    return f'<span class="hidden">U+{ord(character):04X}</span>' if is_hidden(character) else character


def number(value: Any, digits: int = 6) -> Markup:
    """Return a number for reading, with its whole value for programs unless that is shown; a dash for None.

    Examples
    --------
    >>> print(number(31977), number(0.123456789), number(0.25), number(None))
    31,977 <data value="0.123456789">0.123457</data> 0.25 –
    >>> print(number(1216615.25))
    <data value="1216615.25">1,216,615</data>
    """
    return number_as(value, "" if value is None else _rounded(value, digits))


def number_as(value: Any, text: str) -> Markup:
    """Return a number in words of its own, with its whole value for programs unless that is shown; a dash for None.

    Examples
    --------
    >>> print(number_as(2924.13, "2,924.2"), number_as(None, ""))
    <data value="2924.13">2,924.2</data> –
    """
    if value is None:
        return Markup("–")
    digits = text.replace(",", "").replace("−", "-")
    if _NUMBER.fullmatch(digits) and float(digits) == value:
        return escape(text)
    return Markup('<data value="{}">{}</data>').format(repr(value), text)


def side(value: float | None) -> Markup:
    """Return one side of a comparison, as `number` does; where it is not a finite number, that.

    Examples
    --------
    >>> print(side(0.5), side(None))
    0.5 without a finite value
    """
    return Markup(UNDEFINED) if value is None else number(value)


def ratio(value: float | None) -> Markup:
    """Return a ratio of realised over bound as every figure writes it, with its whole value; a dash for None.

    Examples
    --------
    >>> print(ratio(0.99996), ratio(0.12345), ratio(None))
    0.99996 <data value="0.12345">0.123</data> –
    """
    return number_as(value, "" if value is None else ratio_text(value))


def counted_number(value: int, what: str) -> Markup:
    """Return a number of things, as `number` does.

    Examples
    --------
    >>> print(counted_number(1, "violation"))
    1 violation
    """
    return Markup("{} {}{}").format(number(value), what, "" if value == 1 else "s")


def _rounded(value: int | float, digits: int) -> str:
    """Return a number to so many digits, whole ones in full."""
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{int(value):,}".replace("-", "−")
    if 10**digits <= abs(value) < 1e12:  # written out, so that it can be read beside whole ones
        return f"{value:,.0f}".replace("-", "−")
    return short_exponent(f"{value:,.{digits}g}").replace("-", "−")
