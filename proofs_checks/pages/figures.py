"""The figures of a page: by setting, and each as the address of a picture."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

#: The width of a drawing, in points.
_WIDTH = re.compile(r'<svg\b[^>]*\sviewBox="[-\d.]+ [-\d.]+ (\d+(?:\.\d+)?) ')
_PIXELS_OF_A_POINT = 4 / 3
#: What may stand in an address of a picture, and in an attribute, as it is.
_PLAIN = " ,.:;=/()-_"


def pixels_across(svg: str) -> int:
    """Return the width at which letters have the size that they were drawn with, in pixels; 0 if it is not said.

    Examples
    --------
    >>> pixels_across('<svg viewBox="0 0 360 90"/>')
    480
    """
    found = _WIDTH.search(svg)
    return round(float(found[1]) * _PIXELS_OF_A_POINT) if found else 0


def picture_address(svg: str) -> str:
    """Return a picture as an address: in an image nothing of it can run, and its names meet no others.

    Examples
    --------
    >>> picture_address("<svg/>")
    'data:image/svg+xml,%3Csvg/%3E'
    """
    # Mostly numbers and spaces, which base64 would make a third longer.
    return f"data:image/svg+xml,{quote(re.sub(r'[ ]{2,}', ' ', svg), safe=_PLAIN)}"


def figure_groups(found: Mapping[str, Any] | None) -> list[tuple[str | None, list[Any]]]:
    """Return the figures of a report by setting, in their order; none where the report has none.

    Where there is one setting alone, the figures of all settings are figures of it.
    """
    drawn = [] if found is None else found["drawn"]
    settings = {each["setting"] for each in drawn} - {None}
    only = settings.pop() if len(settings) == 1 else None
    return [
        (setting, list(figures)) for setting, figures in itertools.groupby(drawn, lambda each: each["setting"] or only)
    ]
