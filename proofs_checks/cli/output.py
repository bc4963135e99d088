"""What a command says: text and JSON on stdout, remarks on stderr, and files that it is asked to write.

Text on its way to a terminal or a pipe passes `shown`: names, values and messages from outside steer no terminal.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from bounds.characters import escaped, shortened
from bounds.errors import InputError
from bounds.sheet import Sheet

#: Characters of a line on stderr, of a sentence or of a cell of a table at most, and of one word of it: a name from
#: outside may be of any length.
_LONGEST, _LONGEST_WORD = 4000, 1000


def shown(text: str) -> str:
    r"""Return a text as a terminal may have it: hidden characters as escapes, save the ends of lines.

    Examples
    --------
    >>> print(shown("a\x1b[2J\nb\u202e"))
    a\x1b[2J
    b\u202e
    """
    return escaped(text, keep="\n")


def brief(text: str) -> str:
    """Return a sentence or a cell as a terminal may have it, of bounded length.

    Examples
    --------
    >>> len(brief("x" * 10_000_000)), len(brief("x " * 10_000_000))
    (1000, 4000)
    """
    cut = shown(shortened(text, _LONGEST))
    if len(cut) > _LONGEST_WORD:
        cut = re.sub(r"\S+", lambda word: shortened(word[0], _LONGEST_WORD), cut)
    return shortened(cut, _LONGEST)


def write(text: str) -> None:
    """Write a text to stdout and flush it; once the reader has gone, as with `| head`, write it nowhere."""
    try:
        sys.stdout.write(shown(text))
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Point stdout nowhere: what is still written to it, or flushed at exit, cannot fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


#: A longer document is one line: indenting that of a million providers takes minutes and gigabytes.
_LONGEST_INDENTED = 2**24


def json_text(data: Any) -> str:
    """Return one JSON document as text; NaN and infinities are no JSON and raise."""
    text = json.dumps(data, allow_nan=False)
    if len(text) < _LONGEST_INDENTED:
        text = json.dumps(data, allow_nan=False, indent=2)
    # Of the characters that are hidden, only this one is left by JSON as it is.
    return text.replace("\x7f", "\\u007f") + "\n"


def print_json(data: Any) -> None:
    """Write one JSON document to stdout."""
    write(json_text(data))


def tell(
    arguments: argparse.Namespace,
    data: Callable[[], Any],
    show: Callable[[], None],
    sheet: Callable[[], Sheet] | None = None,
) -> None:
    """Print what a command found: as JSON or as a table where that is asked for, else as `show` does.

    A command that takes the flags of `Options.tables` has a sheet to give.
    """
    if arguments.json:
        print_json(data())
    elif sheet is not None and arguments.table is not None:
        write(getattr(sheet(), arguments.table)())
    else:
        show()


def remark(text: str) -> None:
    """Write one line to stderr, with the program's name before it."""
    tell_aside(f"costproof: {brief(' '.join(text.split()))}")


def tell_aside(text: str) -> None:
    """Write a line or a few to stderr; where nobody reads it, nowhere."""
    try:
        sys.stderr.write(f"{shown(text)}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        pass


def check_writable(argument: str, path: str | None) -> None:
    """Raise an `InputError` now, rather than after minutes of work, if a file cannot be written; leave no empty one."""
    if path is None:
        return
    existed = os.path.exists(path)
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as error:
        rule = f"cannot be written ({error.strerror or 'no reason given'})"
        raise InputError(argument, path, rule, "name a file in a folder that exists") from None
    if not existed:
        os.remove(path)


def write_file(argument: str, path: str, text: str, what: str) -> None:
    """Write a file that an argument names, whole or not at all, and say on stderr what was written where."""
    from mechanism.files import replacing  # few commands write one

    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with replacing(os.path.realpath(path), argument, "name a file you may write to") as new:
            new.write_text(text, encoding="utf-8")
    tell_aside(f"{what} written to {path}")
