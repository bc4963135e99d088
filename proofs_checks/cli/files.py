"""Files that a command is asked to write beside what it prints."""

from __future__ import annotations

import os
import sys

from bounds.errors import InputError
from mechanism.files import replacing


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
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with replacing(os.path.realpath(path), argument, "name a file you may write to") as new:
            new.write_text(text, encoding="utf-8")
    sys.stderr.write(f"{what} written to {path}\n")
