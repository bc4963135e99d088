"""How a host ended, in words that follow the name of the mechanism's last call."""

from __future__ import annotations

import os
import signal

#: The mechanism may have done it; so does the system where memory runs out.
KILLED = "lost its process, which was killed by signal 9 (SIGKILL)"
#: So it does to the process that watches over the mechanism's.
LOST = "the mechanism ended the process that watches over its own, or took its pipes"
#: Exit codes of a host that leaves by itself: its pipes lead elsewhere, or what Python rests on was changed.
CUT_OFF, BROKEN = 82, 83
_LEFT = {
    CUT_OFF: "(or an earlier call) closed, redirected or read descriptors that are not its own",
    BROKEN: "changed what Python rests on: its process could not go on",
}
#: A kind of misbehaviour, and what is said of it.
Verdict = tuple[str, str]


def was_killed(told: str) -> bool:
    """Return whether somebody else may have ended a process, by what is said of its end."""
    return KILLED in told or LOST in told


def how_ended(status: int) -> Verdict:
    """Return what a wait status says of a host that its supervisor did not kill.

    Examples
    --------
    >>> how_ended(0), how_ended(15)[1]
    (('ended its process', 'ended its process (exit code 0)'), 'ended its process (signal SIGTERM)')
    """
    if os.WIFSTOPPED(status):
        return "broke its host", "stopped its process (SIGSTOP)"
    code = os.waitstatus_to_exitcode(status)
    if code in _LEFT:
        return "broke its host", _LEFT[code]
    if code == -signal.SIGKILL:
        return "ended its process", KILLED
    told = f"exit code {code}"
    if code < 0:
        told = f"signal {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"signal {-code}"
    return "ended its process", f"ended its process ({told})"
