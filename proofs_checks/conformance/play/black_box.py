"""The black box of a host: which call it is at, in memory that outlives it.

A host that dies or hangs cannot say what it was doing. It notes every call here before it makes it; the parent reads
it. Nothing is locked: the parent looks only where the host is silent.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass

from proofs_checks.conformance.play.calls import Call, Kind

#: Calls made so far, whether one is being made, its kind and step, score and bid.
_CALL = struct.Struct("<QBBIdd")
#: Mean seconds of the calls so far.
_PACE = struct.Struct("<d")
_PACE_AT, _CUT_OFF_AT, SIZE = 64, 80, 128


@dataclass(frozen=True)
class Noted:
    """What a black box says."""

    calls: int
    #: Whether the call was still being made; else it was the last one.
    within: bool
    call: Call
    pace: float
    #: Whether the host found its pipes closed.
    cut_off: bool


class BlackBox:
    """A page of memory that a parent and a host share.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.truncate(SIZE)
    ...     box = BlackBox(file.fileno())
    ...     box.enter(Kind.SETTLE, 3, 1.0, 0.25)
    ...     f"{box.read().call}"
    'settle(1.0, 0.25) at step 3'
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, SIZE)
        self._calls = 0

    def enter(self, kind: Kind, step: int = 1, score: float = 0.0, bid: float = 0.0) -> None:
        """Note a call that is about to be made."""
        self._calls += 1
        _CALL.pack_into(self._memory, 0, self._calls, 1, kind, step, score, bid)

    def rest(self) -> None:
        """Note that the last call has returned, and there is no other one to make."""
        self._memory[8] = 0

    def pace(self, seconds: float) -> None:
        """Note how long calls take."""
        _PACE.pack_into(self._memory, _PACE_AT, seconds)

    def cut_off(self) -> None:
        """Note that the parent cannot be reached by the pipes."""
        self._memory[_CUT_OFF_AT] = 1

    def read(self) -> Noted:
        """Return what is noted."""
        calls, within, kind, step, score, bid = _CALL.unpack_from(self._memory, 0)
        [pace] = _PACE.unpack_from(self._memory, _PACE_AT)
        known = Kind(kind) if kind <= max(Kind) else Kind.NOTHING
        return Noted(calls, bool(within), Call(known, step, score, bid), pace, bool(self._memory[_CUT_OFF_AT]))
