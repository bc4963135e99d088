"""Where somebody's code raised an error: file and line of their own statement, not of a library that it called."""

from __future__ import annotations

import os
import sysconfig
import traceback
from pathlib import Path

#: Where Python and what is installed beside it stand.
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def raised_at(error: BaseException, caller: str) -> str | None:
    """Return ``FILE:LINE`` of the innermost statement of a mechanism's own; None where no Python of it was running.

    Parameters
    ----------
    error : BaseException
    caller : str
        The file that called the mechanism: its frames are left out.
    """
    walked = traceback.walk_tb(error.__traceback__)
    frames = [
        (frame.f_code.co_filename, line, f"{frame.f_globals.get('__name__')}".partition(".")[0])
        for frame, line in walked
        if frame.f_code.co_filename != caller
    ]
    if not frames:
        return None
    package = frames[0][2]  # an installed mechanism stands among the libraries: what it called first is its own
    own = [(file, line) for file, line, top in frames if top == package or not _is_library(file)]
    file, line = own[-1]
    return f"{_short(file)}:{line}"


def _is_library(file: str) -> bool:
    return file.startswith("<") or any(file.startswith(f"{folder}{os.sep}") for folder in _LIBRARIES)


def _short(file: str) -> str:
    """Return a path as seen from the current folder, if it is below it."""
    try:
        return str(Path(file).resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file
