"""Standard output whose reader may go away: with `| head` behind it, a command answers with the same exit code."""

from __future__ import annotations

import os
import sys


def write(text: str) -> None:
    """Write a text and flush it; once the reader has gone, write it nowhere.

    Parameters
    ----------
    text : str
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Point stdout nowhere: what is still written to it, or flushed at exit, cannot fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
