"""A process that ends when the one that started it does; Linux sees to it, others must watch a pipe."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def end_with_parent() -> None:
    """Ask Linux to kill this process when its parent is gone; elsewhere do nothing."""
    parent = os.getppid()
    if _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) and os.getppid() != parent:
        os._exit(1)  # it was gone before the request was made


def adopt_orphans() -> bool:
    """Ask Linux to make orphaned processes below this one its children, and return whether it does."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    return False
