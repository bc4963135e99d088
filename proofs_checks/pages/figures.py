"""The figures of a page, by setting."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

#: The width of a drawing, in points.
_WIDTH = re.compile(r'<svg\b[^>]*\sviewBox="[-\d.]+ [-\d.]+ (\d+(?:\.\d+)?) ')
_PIXELS_OF_A_POINT = 4 / 3
_SVG = "data:image/svg+xml,"
#: What may stand in an address of a picture, and in an attribute, as it is.
_PLAIN = " ,.:;=/()-_"


@dataclass(frozen=True, kw_only=True)
class FigureView:
    """A figure as a page shows it: its title, what it shows in words, and the picture as an address.

    Examples
    --------
    >>> FigureView(title="A square", alternative="Four equal sides.", svg="<svg/>").address
    'data:image/svg+xml,%3Csvg/%3E'
    """

    title: str
    alternative: str
    svg: str

    @property
    def across(self) -> int:
        """The width at which its letters have the size that they were drawn with, in pixels; 0 if it does not say.

        Examples
        --------
        >>> FigureView(title="", alternative="", svg='<svg viewBox="0 0 360 90"/>').across
        480
        """
        found = _WIDTH.search(self.svg)
        return round(float(found[1]) * _PIXELS_OF_A_POINT) if found else 0

    @property
    def address(self) -> str:
        """The picture as an address: in an image nothing of it can run, and its names meet no others."""
        # Mostly numbers and spaces, which base64 would make a third longer.
        return f"{_SVG}{quote(re.sub(r'[ ]{2,}', ' ', self.svg), safe=_PLAIN)}"


@dataclass(frozen=True, kw_only=True)
class FigureGroup:
    """The figures of one setting, or of all (None)."""

    setting: str | None
    figures: tuple[FigureView, ...]


def figure_groups(found: Mapping[str, Any] | None) -> tuple[FigureGroup, ...]:
    """Return the figures of a report by setting, in their order; none where the report has none.

    Where there is one setting alone, the figures of all settings are figures of it.
    """
    drawn = [] if found is None else found["drawn"]
    settings = {each["setting"] for each in drawn} - {None}
    only = settings.pop() if len(settings) == 1 else None
    return tuple(
        FigureGroup(
            setting=setting,
            figures=tuple(
                FigureView(title=each["title"], alternative=each["alternative_text"], svg=each["svg"])
                for each in figures
            ),
        )
        for setting, figures in itertools.groupby(drawn, key=lambda each: each["setting"] or only)
    )
