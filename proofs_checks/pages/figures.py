"""The figures of a page, each as the address of a picture."""

from __future__ import annotations

import re
from urllib.parse import quote

#: The width of a drawing, in points.
_WIDTH = re.compile(r'<svg\b[^>]*\sviewBox="[-\d.]+ [-\d.]+ (\d+(?:\.\d+)?) ')
_PIXELS_OF_A_POINT = 4 / 3
#: Characters of an address of a picture that are not quoted.
_PLAIN = " ,.:;=/()-_"


def pixels_across(svg: str) -> int:
    """Return the width at which letters have the size that they were drawn with, in pixels; 0 if the picture has none.

    Examples
    --------
    >>> pixels_across('<svg viewBox="0 0 360 90"/>')
    480
    """
    found = _WIDTH.search(svg)
    return round(float(found[1]) * _PIXELS_OF_A_POINT) if found else 0


def picture_address(svg: str) -> str:
    """Return a picture as an address: an image runs nothing, and its names are its own.

    Examples
    --------
    >>> picture_address("<svg/>")
    'data:image/svg+xml,%3Csvg/%3E'
    """
    # Mostly numbers and spaces, which base64 would make a third longer.
    return f"data:image/svg+xml,{quote(re.sub(r'[ ]{2,}', ' ', svg), safe=_PLAIN)}"
