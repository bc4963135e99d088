"""The program `costproof`: signals are seen to before anything else is imported, and to the very end."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from proofs_checks.cli.signals import exit_code, interrupt_work, leave_at_once, leave_silently

TYPE_CHECKING = False  # to load `typing` takes longer than this module
if TYPE_CHECKING:
    from typing import NoReturn


#: What must have been made since before objects are looked through for those that keep each other alive; all objects
#: after so many times. A command makes few of these, and by default looks for them for a tenth of its time.
_LOOKED_THROUGH = (10_000, 10, 100)


def program() -> NoReturn:
    """Run the command of this process, and leave."""
    leave_at_once()
    gc.set_threshold(*_LOOKED_THROUGH)
    import argparse  # takes a while, as does the next line: a signal is to find its handler

    from proofs_checks.cli.main import main

    # For each of its texts argparse looks for a file of translations, and loads `locale` to know of which language.
    # There is none, and to look takes a tenth of `costproof --help`.
    argparse._ = str  # type: ignore[attr-defined]
    try:
        interrupt_work()
        code = main()
        leave_silently(code)
    except KeyboardInterrupt:  # while the command was on its way out
        code = exit_code()
        leave_silently(code)
    if _nothing_runs():
        _end(code)
    raise SystemExit(code)


def _nothing_runs() -> bool:
    """Whether this thread is the only one that Python knows of."""
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


def _end(code: int) -> None:
    """End the process, once whatever asked for it was called and all is written; return if something cannot be written.

    Python would take every module apart first, which takes as long as a fifth of `costproof --help`.
    """
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)
