"""SIGINT and SIGTERM: one line and an exit code, at whatever moment they come.

The program turns to this module before it imports anything that takes time.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

#: What is said of each signal; the exit code is 128 and its number, as shells have it: 130 and 143.
_SAID = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
#: Which have come, in order.
_come: list[int] = []
#: The exit code of a process that was interrupted.
_last: list[int] = []

_Handler = Callable[[int, Any], None]


def exit_code() -> int:
    """Return the exit code of the signal that came first; without one, somebody raised `KeyboardInterrupt`: 130."""
    return 128 + (_come[0] if _come else signal.SIGINT)


def said() -> str:
    """Return what is said of the signal that came first."""
    return _SAID[signal.Signals(exit_code() - 128)]


def leave_at_once() -> None:
    """While nothing has been done: from now on a signal ends the process with its line."""

    atexit.register(_end)  # the first to be registered, so the last to be called

    def leave(number: int, _: object) -> None:
        os.write(2, f"costproof: {_SAID[signal.Signals(number)]}\n".encode())
        os._exit(128 + number)

    _handle(leave)


def interrupt_work() -> None:
    """While a command works: from now on a signal raises `KeyboardInterrupt`, for what is finished to be kept.

    One that comes during an import waits for its end, at most five seconds: extension modules turn the exception
    into others, as NumPy into an `ImportError`.
    """
    began: list[float] = []
    sent_again: list[bool] = []

    def send_again(number: int) -> None:
        sent_again.append(True)
        os.kill(os.getpid(), number)

    def interrupt(number: int, frame: FrameType | None) -> None:
        waits = bool(began) and not sent_again
        sent_again.clear()
        began.append(time.monotonic())
        if _within_an_import(frame) and began[-1] < began[0] + _PATIENCE:
            if not waits:
                _later(0.01, send_again, number)
            return
        _come.append(number)
        raise KeyboardInterrupt

    def unraisable(what: Any) -> None:
        if isinstance(what.exc_value, KeyboardInterrupt) and _come:
            # It met code that lets nothing through, as a callback of the import system: it comes again.
            _send_again(_come.pop(), 0.01)
        else:
            sys.__unraisablehook__(what)

    sys.unraisablehook = unraisable
    _handle(interrupt)


def leave_silently(code: int) -> None:
    """When everything has been said: a signal ends the process, and workers that are still joined, with this code.

    A process that was interrupted ends with it, too: Python would at the very end kill itself by a SIGINT that was
    raised within some extension modules, although the exception was caught.
    """

    def leave(*_: object) -> None:
        os._exit(code)

    _handle(leave)
    if _come:
        _last.append(code)


def _end() -> None:
    """Last of all: Python would now set both signals back, and one of them would kill a process that has finished."""
    if _last:
        os._exit(_last[0])
    for number in _SAID:
        signal.signal(number, signal.SIG_IGN)


#: Seconds that the part at hand may take to end once a signal has come.
_PATIENCE = 5.0


@contextmanager
def noted() -> Iterator[Callable[[], bool]]:
    """Yield whether a signal has come, which is not to interrupt the midst of a part.

    A second one does, and the first one itself where the part goes on for more than five seconds.
    """
    seen: list[threading.Timer] = []

    def note(number: int, _: object) -> None:
        _come.append(number)
        if seen:  # asked again: at once
            raise KeyboardInterrupt
        seen.append(_send_again(number, _PATIENCE))

    try:
        before = _handle(note)
    except ValueError:  # not in the main thread: whoever runs it there handles signals
        yield lambda: False
        return
    try:
        yield lambda: bool(seen)
    finally:
        for timer in seen:
            timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def _within_an_import(frame: FrameType | None) -> bool:
    """Whether code that imports is among the calls that lead to a frame."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _send_again(number: int, seconds: float) -> threading.Timer:
    return _later(seconds, os.kill, os.getpid(), number)


def _later(seconds: float, function: Callable[..., None], *arguments: int) -> threading.Timer:
    timer = threading.Timer(seconds, function, arguments)
    timer.daemon = True
    timer.start()
    return timer


def _handle(handler: _Handler) -> dict[int, Any]:
    """Set a handler of both signals and return those before; who started us may have told us to ignore one."""
    before: dict[int, Any] = {number: signal.getsignal(number) for number in _SAID}
    found = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    for number in found:
        signal.signal(number, handler)
    return found
