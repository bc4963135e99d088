"""What a figure looks like, as numbers: which texts are drawn where, and which colours can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
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


#: Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def least_difference(colours: Sequence[str], vision: str) -> float:
    """The least CIE 1976 difference between two colours, as somebody with this vision sees them."""
    lab = [_lab(colour, VISION[vision]) for colour in colours]
    return min(float(np.linalg.norm(one - other)) for one, other in combinations(lab, 2))


def _lab(colour: str, seen: Floats) -> Floats:
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    linear = (seen @ linear).clip(0, 1)
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    x, y, z = (to_xyz @ linear) / [0.95047, 1.0, 1.08883]
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])
