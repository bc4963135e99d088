"""Numbers of things in words, for messages."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "step"), counted(1200, "step"), counted(2, "query")
    ('1 step', '1,200 steps', '2 queries')
    """
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what[:-1]}ies" if what.endswith("y") else f"{number:,} {what}s"


def part_of(some: int, number: int, what: str) -> str:
    """Return some of a number of things in words.

    Examples
    --------
    >>> part_of(1, 1, "step"), part_of(3, 3, "step"), part_of(2, 1200, "step")
    ('the only step', 'all 3 steps', '2 of the 1,200 steps')
    """
    if some == number:
        return f"the only {what}" if number == 1 else f"all {counted(number, what)}"
    return f"{some:,} of the {counted(number, what)}"
