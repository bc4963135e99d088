"""The black box of a host: which call it is at, in memory that outlives it.

A host that dies or hangs cannot say what it was doing. It notes every call here before it makes it; the parent reads
it. Answers that are sent many at a time are noted here, too, until they are. Nothing is locked: the parent looks only
where the host is silent.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from proofs_checks.conformance.play.calls import Call, Kind

#: Calls made so far, whether one is being made, its kind and step, score and bid.
_CALL = struct.Struct("<QBBIdd")
#: Mean seconds of the calls so far.
_PACE = struct.Struct("<d")
#: Which request the answers that follow belong to, and how many there are.
_ANSWERED, _ANSWER = struct.Struct("<II"), struct.Struct("<qd")
_PACE_AT, _LEAVING_AT, _ANSWERED_AT, _ANSWERS_AT = 64, 80, 96, 128
#: Answers to one request that are kept.
MOST_ANSWERS = 1 << 14
SIZE = _ANSWERS_AT + MOST_ANSWERS * _ANSWER.size


class Leaving(IntEnum):
    """Why a host leaves by itself."""

    NOT = 0
    #: Its pipes are closed, or somebody else reads from them.
    CUT_OFF = 1
    #: What it rests on was changed: its own code fails.
    BROKEN = 2


@dataclass(frozen=True)
class Noted:
    """What a black box says."""

    calls: int
    #: Whether the call was still being made; else it was the last one.
    within: bool
    call: Call
    pace: float
    #: Why the host left, if it did so by itself.
    leaving: Leaving


class BlackBox:
    """Memory that a parent and a host share.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.truncate(SIZE)
    ...     box = BlackBox(file.fileno())
    ...     box.enter(Kind.SETTLE, 3, 1.0, 0.25)
    ...     f"{box.read().call}"
    'settle(1.0, 0.25) at step 3'
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.truncate(SIZE)
    ...     box = BlackBox(file.fileno())
    ...     box.expect(7)
    ...     box.answer(1, 0.5)
    ...     box.answers(7), box.answers(6)
    ([(1, 0.5)], [])
    """

    def __init__(self, descriptor: int) -> None:
        # The mapping keeps a descriptor: what somebody writes into all of them must not begin here.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        self._memory = mmap.mmap(descriptor, SIZE)
        self._calls = self._request = self._answered = 0

    def enter(self, kind: int, step: int = 1, score: float = 0.0, bid: float = 0.0) -> None:
        """Note a call that is about to be made."""
        self._calls += 1
        _CALL.pack_into(self._memory, 0, self._calls, 1, kind, step, score, bid)

    def rest(self) -> None:
        """Note that the last call has returned, and there is no other one to make."""
        self._memory[8] = 0

    def pace(self, seconds: float) -> None:
        """Note how long calls take."""
        _PACE.pack_into(self._memory, _PACE_AT, seconds)

    def leave(self, why: Leaving) -> None:
        """Note why the host leaves."""
        self._memory[_LEAVING_AT] = why

    def expect(self, request: int) -> None:
        """Note that the answers from now on are those to a request."""
        self._request, self._answered = request, 0
        _ANSWERED.pack_into(self._memory, _ANSWERED_AT, request, 0)

    def answer(self, provider: int, payment: float) -> None:
        """Note an answer, before the mechanism hears of its score and bid; those beyond `MOST_ANSWERS` are not."""
        if self._answered == MOST_ANSWERS:
            return
        _ANSWER.pack_into(self._memory, _ANSWERS_AT + self._answered * _ANSWER.size, provider, payment)
        self._answered += 1
        _ANSWERED.pack_into(self._memory, _ANSWERED_AT, self._request, self._answered)

    def answers(self, request: int) -> list[tuple[int, float]]:
        """Return the answers to a request that are noted."""
        noted, count = _ANSWERED.unpack_from(self._memory, _ANSWERED_AT)
        if noted != request or count > MOST_ANSWERS:
            return []
        return [_ANSWER.unpack_from(self._memory, _ANSWERS_AT + number * _ANSWER.size) for number in range(count)]

    def read(self) -> Noted:
        """Return what is noted."""
        calls, within, kind, step, score, bid = _CALL.unpack_from(self._memory, 0)
        [pace] = _PACE.unpack_from(self._memory, _PACE_AT)
        return Noted(
            calls,
            bool(within),
            Call(_known(Kind, kind), step, score, bid),
            pace,
            _known(Leaving, self._memory[_LEAVING_AT]),
        )


Number = TypeVar("Number", Kind, Leaving)


def _known(kinds: type[Number], number: int) -> Number:
    """Return a number's name; the first one where somebody wrote another number there."""
    return kinds(number if number <= max(kinds) else 0)
