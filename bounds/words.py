"""Words and numbers for people: lists, plurals, numbers, shares and ratios, alike in every command, page and figure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import TypeVar

from bounds.limits import LARGEST_HORIZON

Rounded = TypeVar("Rounded", str, float)

#: Digits of a computed value that are its own, and below what the whole numbers are doubles.
_DIGITS, _WHOLE = 12, 2.0**53
#: By what part a left side may exceed its right side before a comparison counts a violation: both are computed.
ROUNDING = 1e-9
#: Digits of a ratio, and how many it may take to tell it from 1.
_RATIO_DIGITS, _MOST_RATIO_DIGITS = 3, 6
_SPELLED = ("none", "one", "two", "three", "four", "five")
#: How an infinite bound is said: no formula here is infinite where it applies, but a value may have no double.
BEYOND = "more than 1.8e308"
TOO_LARGE = f"it is {BEYOND}, the largest number that can be printed"


def spelled(count: int) -> str:
    """Return a small number as a word.

    Examples
    --------
    >>> spelled(0), spelled(5), spelled(6)
    ('none', 'five', '6')
    """
    return _SPELLED[count] if count < len(_SPELLED) else f"{count}"


def brief(value: float | None, digits: int = 5) -> str:
    """Return a number in at most 17 characters: counts in full up to ten digits, a dash for None.

    More digits than the usual five are for numbers that would look alike (`until_distinct`).

    Examples
    --------
    >>> brief(1116014), brief(0.123456789), brief(4.411936767958216e24), brief(float("inf")), brief(None)
    ('1,116,014', '0.12346', '4.4e24', 'more than 1.8e308', '-')
    """
    if value is None:
        return "-"
    if abs(value) >= 1e10:
        return _with_exponent(value, digits - 3)
    whole = abs(value) >= 10.0 ** (digits - 1) or float(value).is_integer()
    return f"{value:,.0f}" if whole else f"{value:,.{digits}g}"


def rounded_up(value: float, digits: int, *, keep_whole: bool = True) -> float:
    """Return a bound rounded up to so many digits; what has more before the point, to a whole number if those are kept.

    Examples
    --------
    >>> rounded_up(2860.24, 4), rounded_up(935.9018, 4), rounded_up(0.00123401, 4), rounded_up(2.0**52 - 1, 4)
    (2861, 936.0, 0.001235, 4503599627370495)
    >>> rounded_up(2860.24, 2, keep_whole=False)
    2900.0
    """
    if not math.isfinite(value):
        return value
    whole = keep_whole and abs(value) >= 10.0 ** (digits - 1)
    if whole and abs(value) < _WHOLE and float(value).is_integer():
        return int(value)
    exact = Decimal(f"{value:.{_DIGITS}g}")  # what the arithmetic of doubles added is not rounded up
    if whole:
        return int(exact.to_integral_value(ROUND_CEILING))
    return float(Context(prec=digits, rounding=ROUND_CEILING).plus(exact))


def at_most(value: float | None, digits: int = 5) -> str:
    """Return an upper bound as `brief` does, rounded up: what it says stays true.

    Examples
    --------
    >>> at_most(84149.45), at_most(5255.85), at_most(76846), at_most(4.411936767958216e24), at_most(None)
    ('84,150', '5,255.9', '76,846', '4.5e24', '-')
    """
    if value is None or not math.isfinite(value):
        return brief(value)
    if abs(value) >= 1e10:
        up = Context(prec=digits - 3, rounding=ROUND_CEILING)
        return brief(float(up.create_decimal_from_float(value)), digits)
    return brief(rounded_up(value, digits), digits)


def until_distinct(rounded: Callable[[int], tuple[Rounded, Rounded]], digits: int) -> tuple[Rounded, Rounded]:
    """Return two numbers with as few digits as show which is smaller; if they are equal, with so many.

    Parameters
    ----------
    rounded : callable
        The two rounded alike, to the digits it is given.
    digits : int
        The fewest to take.

    Examples
    --------
    >>> until_distinct(lambda digits: (rounded_up(129.99961, digits), rounded_up(130.0, digits)), 4)
    (129.9997, 130.0)
    >>> until_distinct(lambda digits: (rounded_up(2.5, digits), rounded_up(2.5, digits)), 4)
    (2.5, 2.5)
    """
    pairs = [rounded(each) for each in range(digits, _DIGITS + 1)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def both_at_most(value: float | None, other: float | None) -> tuple[str, str]:
    """Return an upper bound and the number it is held against, both as `at_most` does, and never alike if they differ.

    Examples
    --------
    >>> both_at_most(2011.54, 68.0278067), both_at_most(68.02779338, 68.0278067), both_at_most(130.0, 130.0)
    (('2,011.6', '68.028'), ('68.0278', '68.0279'), ('130', '130'))
    """
    return until_distinct(lambda digits: (at_most(value, digits), at_most(other, digits)), 5)


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names with commas, and with "and" or another word before the last.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or"), listed(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def first_of(names: Sequence[str], most: int = 6, *, where: str = "", least: int = 1) -> str:
    """Return the first names, how many more there are, and where those are printed; all if fewer than `least` are more.

    Examples
    --------
    >>> first_of(["a", "b", "c"], 2), first_of(["a", "b"], 2), first_of(["a", "b"], 1, where="--json")
    ('a, b and 1 more', 'a, b', 'a and 1 more (--json)')
    """
    more = len(names) - most
    rest = f" and {more:,} more{f' ({where})' * bool(where)}"
    return ", ".join(names) if more < least else ", ".join(names[:most]) + rest


def counted(count: int, noun: str) -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "step"), counted(1200, "step"), counted(2, "query")
    ('1 step', '1,200 steps', '2 queries')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def is_or_are(count: int) -> str:
    """Return the verb of a number of things.

    Examples
    --------
    >>> is_or_are(1), is_or_are(0)
    ('is', 'are')
    """
    return "is" if count == 1 else "are"


def capital(text: str) -> str:
    """Return a text with a capital letter first, and the rest as it is.

    Examples
    --------
    >>> capital("excess payment"), capital("T_id"), capital("")
    ('Excess payment', 'T_id', '')
    """
    return text[:1].upper() + text[1:]


def number(value: float | None, rounded: bool = False, *, digits: int = 6) -> str:
    """Return a number for reading: whole ones in full, others to six digits or so many; a dash for None.

    One that is rounded already has every digit, up to what a double has of its own below 10^15.

    Examples
    --------
    >>> number(31977), number(0.123456789), number(0.123456789, rounded=True), number(None)
    ('31,977', '0.123457', '0.123456789', '-')
    """
    if value is None:
        return "-"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if rounded and abs(value) < 1e15:
        return f"{value:,.15g}"
    return f"{value:,.1f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.{digits}g}"


def rounded_to_read(value: float, digits: int) -> float:
    """Return a number as a paper shows it: whole from 1,000 on, else to so many digits, below 0.001 to three of four.

    More than four digits also keep some of them behind the point of a larger number.

    Examples
    --------
    >>> rounded_to_read(47.907512, 4), rounded_to_read(249900.4, 4), rounded_to_read(1 / 30_000, 4)
    (47.91, 249900, 3.33e-05)
    """
    if abs(value) >= 10 ** max(3, digits - 1):
        return round(value)
    return float(f"{value:.{digits if abs(value) >= 1e-3 else max(digits - 1, min(digits, 3))}g}")


def to_digits(value: float | None, digits: int = 6, *, keep_whole: bool = False) -> str:
    """Return a number to so many digits, or from 1,000 on to a whole one; a dash for None and for NaN.

    Examples
    --------
    >>> to_digits(47.907512, 4), to_digits(249905.4, 4), to_digits(249905.4, 4, keep_whole=True), to_digits(math.nan)
    ('47.91', '249,900', '249,905', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return number(float(round(value)) if keep_whole and abs(value) >= 1000 else float(f"{value:.{digits}g}"))


def with_sd(mean: float | None, sd: float | None, digits: int = 4) -> str:
    """Return a mean to so many digits and its standard deviation to two; a mean alone where there is none.

    Examples
    --------
    >>> with_sd(0.172071, 0.0020049), with_sd(83.2, 1e-15), with_sd(95170.4, 2043.0), with_sd(0.5, None)
    ('0.1721 ± 0.002', '83.2 ± 0', '95,170 ± 2,000', '0.5')
    """
    if mean is None or sd is None:
        return to_digits(mean, digits)
    # Rounding noise of equal runs is not a spread.
    return f"{to_digits(mean, digits)} ± {to_digits(0.0 if sd <= 1e-12 * abs(mean) else sd, 2)}"


def all_but(delta: float, digits: int = 6) -> str:
    """Return 1 - delta as a probability is said, never rounded up to 1.

    Examples
    --------
    >>> all_but(0.05), all_but(1e-300), all_but(2.5e-7), all_but(3e-4, 3)
    ('0.95', '1 - 1e-300', '1 - 2.5e-07', '1 - 0.0003')
    """
    said = f"{1 - delta:.{digits}g}"
    return f"1 - {delta:g}" if said == "1" else said


def rough(value: float, digits: int = 3) -> str:
    """Return a number to three digits or so many, or to the next whole one.

    Examples
    --------
    >>> rough(707.614), rough(11737.08), rough(0.0012899), rough(4.411936767958216e24)
    ('708', '11,737', '0.00129', '4.4e24')
    """
    if abs(value) >= 1e4:
        return brief(value, max(5, digits))
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:,.{digits}g}"


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


#: A share from which on its percentage, as a whole number, is more than 100; and one too long to write out.
_BEYOND_ALL, _LONG_SHARE = 1.005, 1e4


def share(part: float | None) -> str:
    """Return a share as a percentage.

    Examples
    --------
    >>> share(0.40472), share(0.9999999), share(1.0004), share(6.87), share(4417.4), share(4.4e19), share(None)
    ('40.5%', '> 99.9%', '> 100%', '687%', '441,740%', '4.4e21%', '-')
    """
    if part is None:
        return "-"
    if part > 1:
        whole = f"{100 * part:,.0f}%" if part < _LONG_SHARE else f"{_with_exponent(100 * part)}%"
        return "> 100%" if part < _BEYOND_ALL else whole
    return f"{100 * part:.3g}%" if part < 0.9995 or part == 1 else "> 99.9%"


def in_percent(part: float) -> float:
    """Return a share in percent, rounded as `share` says it, with as many digits as show whether it is all.

    Examples
    --------
    >>> in_percent(0.40472), in_percent(0.99996), in_percent(1.00004), in_percent(179.2204)
    (40.5, 99.996, 100.004, 17922.0)
    """
    if part >= _BEYOND_ALL:
        return float(f"{100 * part:.0f}" if part < _LONG_SHARE else f"{100 * part:.1e}")
    return until_distinct(lambda digits: (float(f"{100 * part:.{digits}g}"), 100.0), 3)[0]


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
    text = _whole_ratio(ratio)
    if room is None or len(text) <= room or abs(ratio) >= 1000:
        return text
    short = f"{ratio:.{room - 2}f}"
    return _side(ratio) if float(short) == 1 else short


def _whole_ratio(ratio: float) -> str:
    if abs(ratio - 1) <= ROUNDING or not math.isfinite(ratio):
        return f"{ratio:.0f}"
    if ratio >= 1000:
        return f"{ratio:,.0f}"
    for digits in range(_RATIO_DIGITS, _MOST_RATIO_DIGITS + 1):
        text = f"{ratio:.{digits}g}"
        if float(text) != 1:
            return short_exponent(text)
    return _side(ratio)


def _side(ratio: float) -> str:
    return ">1" if ratio > 1 else "<1"


def short_exponent(text: str) -> str:
    """Return a number as Python writes it with a short exponent.

    Examples
    --------
    >>> short_exponent("1.2e-05"), short_exponent("4e+24"), short_exponent("0.5")
    ('1.2e-5', '4e24', '0.5')
    """
    return re.sub(r"e\+?(-?)0*", r"e\1", text)


def _with_exponent(value: float, digits: int = 2) -> str:
    if not math.isfinite(value):
        return BEYOND if value > 0 else str(value)
    return short_exponent(f"{value:.{digits - 1}e}")
