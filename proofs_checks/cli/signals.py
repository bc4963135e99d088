"""SIGINT and SIGTERM: one line and an exit code, at any moment.

The program turns to this module before it imports anything that takes time.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeAlias

_Handler: TypeAlias = Callable[[int, Any], None]

#: What is said of each signal; the exit code is 128 and its number, as shells have it: 130 and 143.
_SAID: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
#: Which have come, in order.
_come: list[int] = []
#: The exit code of a process that was interrupted.
_last: list[int] = []


def exit_code() -> int:
    """Return the exit code of the signal that came first; without one, somebody raised `KeyboardInterrupt`: 130."""
    return 128 + (_come[0] if _come else signal.SIGINT)


def said() -> str:
    """Return what is said of the signal that came first."""
    return _SAID[exit_code() - 128]


def leave_at_once() -> None:
    """While nothing has been done: from now on a signal ends the process with its line."""

    atexit.register(_end)  # the first to be registered, so the last to be called

    def leave(number: int, _: object) -> None:
        os.write(2, f"costproof: {_SAID[number]}\n".encode())
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
        elif not _come:  # what an interruption leaves half made may complain while it is taken apart
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


class noted:  # noqa: N801
    """A block that learns whether a signal has come, which is not to interrupt the midst of a part.

    A second one does, and the first one itself where the part goes on for more than five seconds.
    """

    def __init__(self) -> None:
        self._cancel: list[Callable[[], None]] = []
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Callable[[], bool]:
        try:
            self._before = _handle(self._note)
        except ValueError:  # not in the main thread: whoever runs it there handles signals
            return lambda: False
        return lambda: bool(self._cancel)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for cancel in self._cancel:
            cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: object) -> None:
        _come.append(number)
        if self._cancel:  # asked again: at once
            raise KeyboardInterrupt
        self._cancel.append(_send_again(number, _PATIENCE))


def _within_an_import(frame: FrameType | None) -> bool:
    """Whether code that imports is among the calls that lead to a frame."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _send_again(number: int, seconds: float) -> Callable[[], None]:
    return _later(seconds, os.kill, os.getpid(), number)


def _later(seconds: float, function: Callable[..., None], *arguments: int) -> Callable[[], None]:
    """Call a function after some seconds, unless what is returned is called before.

    It may be called by the handler of a signal, during any import: so it imports nothing itself.
    """
    cancelled = _thread.allocate_lock()
    cancelled.acquire()

    def wait() -> None:
        if not cancelled.acquire(timeout=seconds):
            function(*arguments)

    _thread.start_new_thread(wait, ())
    return cancelled.release


def _handle(handler: _Handler) -> dict[int, Any]:
    """Set a handler of both signals and return those before; who started us may have had us ignore one."""
    before: dict[int, Any] = {number: signal.getsignal(number) for number in _SAID}
    found = {number: old for number, old in before.items() if old != signal.SIG_IGN}
    for number in found:
        signal.signal(number, handler)
    return found
