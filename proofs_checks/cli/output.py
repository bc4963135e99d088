"""What a command says: text and JSON on stdout, remarks on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any


def write(text: str) -> None:
    """Write a text to stdout and flush it; once the reader has gone, as with `| head`, write it nowhere."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Point stdout nowhere: what is still written to it, or flushed at exit, cannot fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(data: Any) -> None:
    """Write one JSON document to stdout; NaN and infinities are no JSON and raise."""
    write(json.dumps(data, allow_nan=False, indent=2) + "\n")


def tell(as_json: bool, data: Callable[[], Any], show: Callable[[], None]) -> None:
    """Print what a command found: its data as JSON where that is asked for, else as `show` does."""
    if as_json:
        print_json(data())
    else:
        show()


def remark(text: str) -> None:
    """Write one line to stderr, with the program's name before it."""
    sys.stderr.write(f"costproof: {' '.join(text.split())}\n")
