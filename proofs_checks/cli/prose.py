"""Text for a terminal or a pipe: lines no longer than either, never broken inside a word."""

from __future__ import annotations

import shutil
import textwrap

#: No wider than this, however wide the terminal: long lines are hard to read.
_WIDEST = 100


def width() -> int:
    """Return how long a line may be: COLUMNS if it is set, else the terminal's width, else 80."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, _WIDEST))


def wrapped(text: str, indent: int = 0, hanging: int | None = None, columns: int | None = None) -> str:
    """Return a text in lines, each with so many spaces before it; words, labels and numbers stay whole.

    Examples
    --------
    >>> wrapped("all is well", indent=2)
    '  all is well'
    """
    first, after = " " * indent, " " * (indent if hanging is None else hanging)
    return textwrap.fill(
        text,
        columns or width(),
        initial_indent=first,
        subsequent_indent=after,
        break_long_words=False,
        break_on_hyphens=False,
    )


def shortened(text: str, room: int, where: str) -> str:
    """Return the first parts of a text, as many as have room, and where the others are printed.

    Examples
    --------
    >>> shortened("one; two; three", 8, "--all"), shortened("one; two", 8, "--all")
    ('one; two; more with --all', 'one; two')
    """
    parts = text.split("; ")
    kept = next(n for n in range(len(parts), 0, -1) if n == 1 or len("; ".join(parts[:n])) <= room)
    return "; ".join(parts[:kept]) + f"; more with {where}" * (kept < len(parts))
