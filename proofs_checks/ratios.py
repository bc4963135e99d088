"""How a ratio of realised over bound is written: on the terminal, on pages and in figures alike."""

from __future__ import annotations

import math
import re

#: By what part a left side may exceed its right side before a comparison counts a violation: both are computed.
ROUNDING = 1e-9
#: Digits of a ratio, and how many it may take to tell it from 1.
_DIGITS, _MOST_DIGITS = 3, 6


def ratio_text(ratio: float, *, room: int | None = None) -> str:
    """Return a ratio rounded to three digits; what is not 1 never reads as 1, for above 1 a bound is violated.

    What differs from 1 by the rounding of its own computation alone is 1: no comparison counts that as a violation.

    Parameters
    ----------
    ratio : float
    room : int, optional
        Characters that a narrow column has, at least 4: what is longer has fewer digits after the point.

    Examples
    --------
    >>> ratios = (0.0, 0.0000123, 0.1236, 0.99996, 1.0004, 1.0000001, 1 + 1e-15, 1234.5)
    >>> [ratio_text(ratio) for ratio in ratios]
    ['0', '1.23e-5', '0.124', '0.99996', '1.0004', '>1', '1', '1,234']
    >>> [ratio_text(ratio, room=5) for ratio in ratios]
    ['0', '0.000', '0.124', '<1', '>1', '>1', '1', '1,234']
    """
    text = _in_full(ratio)
    if room is None or len(text) <= room or abs(ratio) >= 1000:
        return text
    short = f"{ratio:.{room - 2}f}"
    return _side(ratio) if float(short) == 1 else short


def _in_full(ratio: float) -> str:
    if abs(ratio - 1) <= ROUNDING or not math.isfinite(ratio):
        return f"{ratio:.0f}"
    if ratio >= 1000:
        return f"{ratio:,.0f}"
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        text = f"{ratio:.{digits}g}"
        if float(text) != 1:
            return re.sub(r"e([+-])0*", r"e\1", text).replace("e+", "e")
    return _side(ratio)


def _side(ratio: float) -> str:
    return ">1" if ratio > 1 else "<1"
