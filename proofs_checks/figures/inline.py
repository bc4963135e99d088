"""A figure as part of a page: an SVG text that is small and follows the light or dark colours of its reader."""

from __future__ import annotations

import re
from dataclasses import fields

from matplotlib.figure import Figure

from proofs_checks.figures.look import svg_of
from proofs_checks.figures.palette import DARK, LIGHT

#: Numbers in drawings with more places than a reader can see: a hundredth of a point is enough.
_LONG_NUMBERS = re.compile(r'(?<=[ "])-?\d+\.\d{3,}(?=[ "\n])')
_COLOURS = tuple(each.name for each in fields(LIGHT) if each.name != "map")


def inline_svg(figure: Figure, *, title: str, alt: str) -> str:
    """Return a figure that was drawn for a light page as an SVG text that turns dark where its page does.

    Examples
    --------
    >>> from proofs_checks.figures.look import look, new_panels
    >>> with look():
    ...     figure, _ = new_panels()
    >>> svg = inline_svg(figure, title="Empty", alt="Nothing is drawn.")
    >>> "@media (prefers-color-scheme: dark)" in svg, len(svg) < len(svg_of(figure, title="Empty", alt=""))
    (True, True)
    """
    whole = svg_of(figure, title=title, alt=alt)
    text = _LONG_NUMBERS.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), whole)
    return re.sub(r"\n\s*", " ", text.replace("</desc>", f"</desc><style>{_dark_rules()}</style>", 1)).strip()


def _dark_rules() -> str:
    """Return the rules that give every colour of the light palette its dark counterpart."""
    rules = []
    for name in _COLOURS:
        light, dark = getattr(LIGHT, name), getattr(DARK, name)
        # White letters stand on a colour that stays.
        what = ":not(text)" if name == "background" else ""
        rules += [f'{what}[style*="{key}: {light}"]{{{key}:{dark}!important}}' for key in ("fill", "stroke")]
    return f"@media (prefers-color-scheme: dark){{{''.join(rules)}}}"
