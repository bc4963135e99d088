"""Whether this process is within a host, and can start one; nothing else is loaded for it."""

from __future__ import annotations

import os

#: Set in a host and all below it, to know them by; a module that checks a mechanism when it is imported must not start
#: hosts there without end.
WITHIN = "COSTPROOF_HOST"


def can_host() -> bool:
    """Whether mechanisms can be hosted here: on Unix, and not within a host."""
    return os.name == "posix" and WITHIN not in os.environ
