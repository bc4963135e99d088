"""Rounding to printed digits, decided for certain or not at all."""

from __future__ import annotations

from fractions import Fraction

from bounds.language.arithmetic import Enclosure


def written(number: float) -> Fraction:
    """Return the decimal that a number is written as, exactly: 1/10 for 0.1, not the double beside it.

    Examples
    --------
    >>> written(0.1), Fraction(0.1) == written(0.1)
    (Fraction(1, 10), False)
    """
    return Fraction(repr(float(number)))


def exactly(value: Fraction | int) -> Enclosure:
    """Return the enclosure of width zero."""
    return Enclosure(Fraction(value), Fraction(value))


def decimals(printed: str) -> int:
    """Return how many digits a printed number has after its point.

    Examples
    --------
    >>> decimals("0.0650"), decimals("1319")
    (4, 0)
    """
    return len(printed.partition(".")[2])


def rounded(value: Enclosure, digits: int) -> Fraction | None:
    """Return the number to so many decimals, or None where the enclosure does not tell.

    A tie goes to the even digit, as in Python and IEEE 754. Only an exact value can be a tie: an enclosure with a
    tie inside has ends that round differently, and tells nothing.

    Examples
    --------
    >>> rounded(exactly(Fraction("0.125")), 2), rounded(exactly(Fraction("0.375")), 2)
    (Fraction(3, 25), Fraction(19, 50))
    >>> rounded(Enclosure(Fraction("0.1249"), Fraction("0.1251")), 2)  # 0.12 or 0.13
    """
    lower, upper = round(value.lower, digits), round(value.upper, digits)
    return lower if lower == upper else None
