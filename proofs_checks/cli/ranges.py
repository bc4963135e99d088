"""Texts that differ in their numbers alone, as one text with ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?")
#: "T_0 = 5 to 7" would be no sentence: "T_0 from 5 to 7" is.
_EQUALS = "= "


def besides_numbers(text: str) -> tuple[str, ...]:
    """Return what a text says besides its numbers: texts of which that is the same can be joined by `with_ranges`.

    Examples
    --------
    >>> besides_numbers("needs T >= T_0 = 1,337.5; here T = 10")
    ('needs T >= T_', ' = ', '; here T = ', '')
    """
    return tuple(_NUMBER.split(text))


def with_ranges(texts: Sequence[str]) -> str:
    """Return texts that differ in their numbers alone as one; where a number differs, from the least to the largest.

    Examples
    --------
    >>> with_ranges(["needs T_0 = 1,337.5; here T = 10", "needs T_0 = 652; here T = 10"])
    'needs T_0 from 652 to 1,337.5; here T = 10'
    >>> with_ranges(["9 comparisons, ratio 0.5", "12 comparisons, ratio 0.5"])
    '9 to 12 comparisons, ratio 0.5'
    """
    first, *others = besides_numbers(texts[0])
    told = first
    for numbers, after in zip(zip(*map(_NUMBER.findall, texts), strict=True), others, strict=True):
        least, largest = (pick(numbers, key=_value) for pick in (min, max))
        if least == largest:
            told += least
        elif told.endswith(_EQUALS):
            told = f"{told.removesuffix(_EQUALS)}from {least} to {largest}"
        else:
            told += f"{least} to {largest}"
        told += after
    return told


def _value(text: str) -> float:
    return float(text.replace(",", ""))
