"""A figure as part of a page: an SVG text that is small and follows the light or dark colours of its reader."""

from __future__ import annotations

import re
from dataclasses import fields

from matplotlib.figure import Figure

from proofs_checks.figures.look import svg_of
from proofs_checks.figures.palette import DARK, LIGHT

#: Numbers in drawings with more places than a reader can see: a hundredth of a point is enough.
_LONG_NUMBERS = re.compile(r'(?<=[ "])-?\d+\.\d{3,}(?=[ "\n])')
_STYLED = re.compile(r'<(\w+)([^<>]*?) style="([^"]*)"')
_COLOURS = {getattr(LIGHT, each.name): getattr(DARK, each.name) for each in fields(LIGHT) if each.name != "map"}


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
    text = _LONG_NUMBERS.sub(_rounded, svg_of(figure, title=title, alt=alt))
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    names: dict[tuple[str, bool], str] = {}

    def classed(found: re.Match[str]) -> str:
        tag, attributes, style = found.groups()
        name = names.setdefault((style, tag in ("text", "tspan")), f"s{len(names)}")
        return f'<{tag} class="{name}"{attributes}'

    text = _STYLED.sub(classed, text)
    light = "".join(f".{name}{{{style}}}" for (style, _), name in names.items())
    dark = "".join(f".{name}{{{_in_the_dark(style, letters)}}}" for (style, letters), name in names.items())
    rules = f"<style>{light}@media (prefers-color-scheme: dark){{{dark}}}</style>"
    return re.sub(r"\n\s*", " ", text.replace("</desc>", f"</desc>{rules}", 1)).strip()


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _in_the_dark(style: str, letters: bool) -> str:
    """Return the colours of a style on a dark page; white letters are on a colour that stays."""
    turned = {light: dark for light, dark in _COLOURS.items() if not (letters and light == LIGHT.background)}
    met = re.findall(r"(fill|stroke): (#\w+)", style)
    return ";".join(f"{key}:{turned[colour]}" for key, colour in met if colour in turned)
