"""How a ratio of realised over bound is written, on pages and in figures alike."""

from __future__ import annotations

import math
import re

#: Digits of a ratio, and how many it may take to tell it from 1.
_DIGITS, _MOST_DIGITS = 3, 6


def ratio_text(ratio: float) -> str:
    """Return a ratio rounded to three digits; what is not 1 never reads as 1, for above 1 a bound is violated.

    Examples
    --------
    >>> [ratio_text(ratio) for ratio in (0.0, 0.0000123, 0.1236, 0.99996, 1.0, 1.0004, 1.0000000001, 1234.5)]
    ['0', '1.23e-5', '0.124', '0.99996', '1', '1.0004', '>1', '1,234']
    """
    if ratio == 1 or not math.isfinite(ratio):
        return f"{ratio:.0f}"
    if ratio >= 1000:
        return f"{ratio:,.0f}"
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        text = f"{ratio:.{digits}g}"
        if float(text) != 1:
            return re.sub(r"e([+-])0*", r"e\1", text).replace("e+", "e")
    return ">1" if ratio > 1 else "<1"
