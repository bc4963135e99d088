"""The program of a child: a supervisor, and below it the host; what either needs is loaded after they have parted.

``python -c "... main()" LIMITS``, with requests on stdin and replies on stdout.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys

from proofs_checks.conformance.hosting.shared_page import SharedPage

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def main() -> None:
    """Be the supervisor, and fork the host."""
    page, supervisor = SharedPage(), os.getpid()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)  # daemons, which leave their parents behind, become children of the supervisor
    host = os.fork()
    if host:
        from proofs_checks.conformance.hosting.supervisor import supervise

        supervise(host, page, **json.loads(sys.argv[1]))
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(1)  # it was gone before the request was made
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")  # where memory runs out, Linux ends this process rather than another one
    # Private descriptors; what the mechanism prints goes to stderr, and it has nothing to read.
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    from proofs_checks.conformance.hosting.host import Host

    Host(requests, replies, page).serve()


def _prctl(option: int, value: int) -> None:
    """Ask Linux for something; elsewhere do nothing."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
