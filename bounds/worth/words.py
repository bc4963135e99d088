"""How numbers of a report are said in a sentence or a narrow column."""

from __future__ import annotations

import math

from bounds.limits import LARGEST_HORIZON

#: Small numbers as words.
SPELLED = ("none", "one", "two", "three", "four", "five")


def brief(value: float | None) -> str:
    """Return a number in at most 13 characters: counts in full up to ten digits, a dash for None.

    Examples
    --------
    >>> brief(1116014), brief(0.123456789), brief(4.411936767958216e24), brief(float("inf")), brief(None)
    ('1,116,014', '0.12346', '4.4e24', 'inf', '-')
    """
    if value is None:
        return "-"
    if abs(value) >= 1e10:
        return _with_exponent(value)
    return f"{value:,.0f}" if abs(value) >= 1e4 or float(value).is_integer() else f"{value:,.5g}"


def rough(value: float) -> str:
    """Return a number to three digits, or to the next whole one.

    Examples
    --------
    >>> rough(707.614), rough(11737.08), rough(0.0012899), rough(4.411936767958216e24)
    ('708', '11,737', '0.00129', '4.4e24')
    """
    return brief(value) if abs(value) >= 1e4 else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def as_horizon(value: float) -> str:
    """Return a horizon as a sentence names it: T_id is whole, T_0 is not.

    Examples
    --------
    >>> as_horizon(63_740), as_horizon(3_904_780.3), as_horizon(4.411936767958216e24)
    ('63,740', '3,904,780.3', '4.4e24')
    """
    if value >= LARGEST_HORIZON:
        return brief(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def share(part: float | None) -> str:
    """Return a share as a percentage, or as a multiple where it is above 1.

    Examples
    --------
    >>> share(0.40472), share(0.9999999), share(6.87), share(36417.4), share(4.4e19), share(None)
    ('40.5%', '> 99.9%', '6.87 x', '36,417 x', '4.4e19 x', '-')
    """
    if part is None:
        return "-"
    if part > 1:
        return f"{part:,.0f} x" if 10 <= part < 1e6 else f"{_with_exponent(part) if part >= 10 else f'{part:.3g}'} x"
    return f"{100 * part:.3g}%" if part < 0.9995 or part == 1 else "> 99.9%"


def _with_exponent(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
