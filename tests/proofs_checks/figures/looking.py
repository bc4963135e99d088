"""What a figure looks like, as numbers: which texts are drawn where, and which colours can be told apart."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from proofs_checks.figures.look import SMALLEST_TEXT, look, measuring

Floats = NDArray[np.float64]

#: How much of two boxes may overlap, in pixels of 100 per inch: boxes of texts have room above and below the letters.
_SLACK = 1.5


def drawn_texts(figure: Figure) -> list[tuple[Text, Bbox]]:
    """Texts that are drawn, with their boxes: ticks outside the axes have texts too, which are not."""
    found: list[Text] = []
    plain = Text.draw

    def recorded(self: Text, renderer: object, *args: object, **kwargs: object) -> None:
        if self.get_visible() and self.get_text().strip():
            found.append(self)
        plain(self, renderer, *args, **kwargs)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch, look():
        patch.setattr(Text, "draw", recorded)
        # Laid out once, as files are, and measured by what it is drawn with, which remembers formulas.
        renderer = measuring(figure)
        figure.draw(renderer)
        return [(text, Text.get_window_extent(text, renderer)) for text in dict.fromkeys(found)]


def faults(figure: Figure) -> list[str]:
    """What is wrong with the texts of a figure: too small, outside, or over each other."""
    texts, inside = drawn_texts(figure), figure.bbox
    wrong = [f"small: {text.get_text()!r}" for text, _ in texts if text.get_fontsize() < SMALLEST_TEXT]
    wrong += [
        f"outside: {text.get_text()!r}"
        for text, box in texts
        if box.x0 < inside.x0 - 1 or box.y0 < inside.y0 - 1 or box.x1 > inside.x1 + 1 or box.y1 > inside.y1 + 1
    ]
    for (one, first), (other, second) in combinations(texts, 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        up = min(first.y1, second.y1) - max(first.y0, second.y0)
        if across > _SLACK and up > _SLACK:
            wrong.append(f"over each other: {one.get_text()!r} and {other.get_text()!r}")
    return wrong


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, from 1 to 21, as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = np.array(to_rgb(colour))
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
