"""The keeper of a host: a small process between the parent and the host, above everything that the mechanism starts.

``python -c "... main()" CONTROL STATUS KEPT COMMAND...``: it starts the command as the host, tells the parent by which
process id, and how the host ended. When the parent closes the other end of CONTROL, or is gone however it ended, the
keeper kills the host and all processes below, and leaves. On Linux those that left their parents behind (daemons)
become the keeper's children; elsewhere they are found as long as their parents live.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys
import time

from proofs_checks.conformance.hosting.death import adopt_orphans

#: What is told: "started", with the process id, or "ended", with the exit code, below 0 for a signal.
STATUS = struct.Struct("<Bi")
STARTED, ENDED = 1, 2
#: Looks at what is still alive, and seconds between two of them.
_ROUNDS, _PAUSE = 100, 0.02
#: The same of those that have been killed with the host's group.
_MOMENTS, _MOMENT = 10, 0.001


def main() -> None:
    """Keep a host until the parent lets go."""
    control, status = int(sys.argv[1]), int(sys.argv[2])
    kept = [int(text) for text in sys.argv[3].split(",")]
    adopts = adopt_orphans()
    for descriptor in (control, status):
        os.set_inheritable(descriptor, False)
    host = _started(sys.argv[4:])
    for descriptor in kept:
        os.close(descriptor)  # the host alone holds them: its end is seen by the parent
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    _tell(status, STARTED, host)
    _keep(control, status, host)
    with contextlib.suppress(OSError):
        os.killpg(host, signal.SIGKILL)  # in one stroke, as a fork bomb needs
    # Whoever adopts all orphans below and has no child, has nobody below, as nearly always.
    if not (adopts and _is_childless_soon()):
        _end_all()
    os._exit(0)


def _started(command: list[str]) -> int:
    """Start a command as a session of its own, and return its process id; `subprocess` takes longer to load."""
    host = os.fork()
    if host == 0:
        try:
            os.setsid()
            os.execv(command[0], command)
        finally:
            os._exit(127)
    return host


def _tell(status: int, what: int, number: int) -> None:
    with contextlib.suppress(OSError):  # nobody may listen any more
        os.write(status, STATUS.pack(what, number))


def _keep(control: int, status: int, host: int) -> None:
    """Wait until the parent lets go; tell it how the host ended, and bury whoever ends."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    waiting = select.poll()
    waiting.register(control, select.POLLIN | select.POLLHUP)
    waiting.register(woken, select.POLLIN)
    while True:
        for pid, ended in _buried():
            if pid == host:
                _tell(status, ENDED, os.waitstatus_to_exitcode(ended))
        if any(descriptor == control for descriptor, _ in waiting.poll()):
            return
        with contextlib.suppress(BlockingIOError):
            os.read(woken, 4096)


def _buried() -> list[tuple[int, int]]:
    """Take note of children that have ended: process id and status of each."""
    found = []
    with contextlib.suppress(ChildProcessError):
        while (child := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(child)
    return found


def _is_childless_soon() -> bool:
    """Return whether no child is left, after the moment that it takes to die."""
    for _ in range(_MOMENTS):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass  # buried
        except ChildProcessError:
            return True
        time.sleep(_MOMENT)
    return False


def _end_all() -> None:
    """Kill whatever is below."""
    import psutil  # only now: the host must not wait for it, and it takes longer to load than all else

    for _ in range(_ROUNDS):
        _buried()
        below = [each for each in psutil.Process().children(recursive=True) if _alive(each)]
        if not below:
            _buried()
            return
        for each in below:
            with contextlib.suppress(psutil.Error):
                each.kill()
        time.sleep(_PAUSE)


def _alive(process: object) -> bool:
    import psutil

    with contextlib.suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)  # type: ignore[attr-defined]
    return False
