"""How numbers of a report are said in a sentence or a narrow column."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal

from bounds.limits import LARGEST_HORIZON

#: Small numbers as words.
SPELLED = ("none", "one", "two", "three", "four", "five")
#: How an infinite bound is said: no formula here is infinite where it applies, but a value may have no double.
BEYOND = "more than 1.8e308"
TOO_LARGE = f"it is {BEYOND}, the largest number that can be printed"


def brief(value: float | None) -> str:
    """Return a number in at most 17 characters: counts in full up to ten digits, a dash for None.

    Examples
    --------
    >>> brief(1116014), brief(0.123456789), brief(4.411936767958216e24), brief(float("inf")), brief(None)
    ('1,116,014', '0.12346', '4.4e24', 'more than 1.8e308', '-')
    """
    if value is None:
        return "-"
    if abs(value) >= 1e10:
        return _with_exponent(value)
    return f"{value:,.0f}" if abs(value) >= 1e4 or float(value).is_integer() else f"{value:,.5g}"


def rounded_up(value: float, digits: int, whole_from: float) -> float:
    """Return a bound rounded up: to a whole number from `whole_from` on, else to so many digits.

    Examples
    --------
    >>> rounded_up(2860.24, 4, 1e3), rounded_up(935.9018, 4, 1e3), rounded_up(0.00123401, 4, 1e3)
    (2861, 936.0, 0.001235)
    """
    if not math.isfinite(value):
        return value
    told = Decimal(f"{value:.12g}")  # what the arithmetic of doubles added is not rounded up
    if abs(told) >= whole_from:
        return int(told.to_integral_value(ROUND_CEILING))
    return float(Context(prec=digits, rounding=ROUND_CEILING).plus(told))


def at_most(value: float | None) -> str:
    """Return an upper bound as `brief` does, rounded up: what it says stays true.

    Examples
    --------
    >>> at_most(84149.45), at_most(5255.85), at_most(76846), at_most(4.411936767958216e24), at_most(None)
    ('84,150', '5,255.9', '76,846', '4.5e24', '-')
    """
    if value is None or not math.isfinite(value):
        return brief(value)
    if abs(value) >= 1e10:
        return brief(float(Context(prec=2, rounding=ROUND_CEILING).create_decimal_from_float(value)))
    return brief(rounded_up(value, 5, 1e4))


def all_but(delta: float) -> str:
    """Return 1 - delta as a probability is said, never rounded up to 1.

    Examples
    --------
    >>> all_but(0.05), all_but(1e-300), all_but(2.5e-7)
    ('0.95', '1 - 1e-300', '1 - 2.5e-07')
    """
    said = f"{1 - delta:.6g}"
    return f"1 - {delta:g}" if said == "1" else said


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
    """Return a share as a percentage.

    Examples
    --------
    >>> share(0.40472), share(0.9999999), share(1.0004), share(6.87), share(36417.4), share(4.4e19), share(None)
    ('40.5%', '> 99.9%', '> 100%', '687%', '3,641,740%', '4.4e21%', '-')
    """
    if part is None:
        return "-"
    if part > 1:
        return "> 100%" if part < 1.005 else f"{100 * part:,.0f}%" if part < 1e6 else f"{_with_exponent(100 * part)}%"
    return f"{100 * part:.3g}%" if part < 0.9995 or part == 1 else "> 99.9%"


def _with_exponent(value: float) -> str:
    if not math.isfinite(value):
        return BEYOND if value > 0 else str(value)
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
