"""Text for a terminal or a pipe: lines no longer than either, never broken inside a word."""

from __future__ import annotations

import shutil
import textwrap

#: No wider than this, however wide the terminal: long lines are hard to read.
_WIDEST = 100


def width() -> int:
    """Return how long a line may be: COLUMNS if it is set, else the terminal's width, else 80."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, _WIDEST))


def wrapped(text: str, indent: int = 0) -> str:
    """Return a text in lines, each with so many spaces before it; words, labels and numbers stay whole.

    Examples
    --------
    >>> wrapped("all is well", indent=2)
    '  all is well'
    """
    before = " " * indent
    return textwrap.fill(
        text, width(), initial_indent=before, subsequent_indent=before, break_long_words=False, break_on_hyphens=False
    )
