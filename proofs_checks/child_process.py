"""The command that starts Python for a part of this package, with modules from where this process has them."""

from __future__ import annotations

import sys


def python_running(code: str, *options: str) -> list[str]:
    """Return the command of an interpreter that runs code; the current folder is searched only if it is here.

    Parameters
    ----------
    code : str
        Run once `sys.path` is that of this process.
    *options : str
        Further options of the interpreter.

    Examples
    --------
    >>> python_running("print(1)", "-u")[1:4]
    ['-P', '-u', '-c']
    """
    return [sys.executable, "-P", *options, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"]
