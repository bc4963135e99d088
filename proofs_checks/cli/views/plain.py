"""Sentences and tables that need no more than lines as they are, as `console` would print them, without loading rich.

To load rich takes as long as the rest of `costproof settings`. It is needed where output is laid out anew: where a
line is longer than the screen, or a character may be wider than others. `lines` then says so, and `console` prints.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # to load `typing` takes longer than this module
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Width where output is no terminal and COLUMNS is not set.
PIPE_WIDTH = 80
#: What else than the output itself can tell rich what it is written to.
_TELLS_RICH = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JUPYTER_COLUMNS", "JUPYTER_LINES")


def plain_width() -> int | None:
    """Return how many characters a line may have, where output is a pipe or a file; None for anything else."""
    if sys.stdout.isatty() or "IPython" in sys.modules or any(name in os.environ for name in _TELLS_RICH):
        return None
    told = os.environ.get("COLUMNS", "")
    return int(told) if told.isdigit() else PIPE_WIDTH


def lines(width: int, before: Sequence[str], rows: Sequence[Sequence[str]], after: Sequence[str]) -> list[str] | None:
    """Return sentences, a table with its head first, and sentences; None where they have to be laid out.

    Examples
    --------
    >>> lines(80, ["Two:"], [["name", "N"], ["gsm8k", "9"]], [])
    ['Two:', 'name   N', 'gsm8k  9']
    >>> lines(6, ["Two:"], [["name", "N"], ["gsm8k", "9"]], [])
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(cell.ljust(room) for cell, room in zip(row, widths, strict=True)) for row in rows]
    found = [*before, *table, *after]
    fit = all(len(line) <= width and line.isascii() and line.isprintable() for line in found)
    return found if fit else None
