"""Memory that a host shares with its supervisor, and that outlives it: which call it is at, and what it has answered.

It has no descriptor and no file: a full disk does not matter, and nobody writes into it by accident. Nothing is locked:
the supervisor looks where the host is silent or dead.
"""

from __future__ import annotations

import mmap
import struct
from itertools import takewhile

from proofs_checks.conformance.play.calls import Call, CallFields, Kind

#: Calls made so far, whether one is being made, its kind and step, score, bid and query.
_CALL = struct.Struct("<Q?BIddI")
#: What completes the fields of a call, by how many there are.
_REST = ((), (1, 0.0, 0.0, 0), (0.0, 0.0, 0), (0.0, 0), (0,), ())
#: Which request the answers belong to.
_REQUEST, _REQUEST_AT = struct.Struct("<Q"), 48
#: An answer, and the provider of the next one: -1 as long as there is none.
_ANSWER = struct.Struct("<qdq")
_ANSWERS_AT, _STRIDE = 64, 16
#: Answers to one request that are kept: more than any check asks for at a time.
MOST_ANSWERS = 1 << 16


class SharedPage:
    """Memory that is shared with processes that are forked later.

    Examples
    --------
    >>> page = SharedPage()
    >>> page.enter((Kind.SETTLE, 3, 1.0, 0.25))
    >>> calls, within, call = page.read()
    >>> calls, within, f"{call}"
    (1, True, 'settle(1.0, 0.25) at step 3')
    >>> page.expect(7)
    >>> page.answered(1, 0.5)
    >>> page.answers()
    (7, [(1, 0.5)])
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _ANSWERS_AT + _STRIDE * MOST_ANSWERS + _ANSWER.size)
        self._calls, self._end = 0, _ANSWERS_AT

    def enter(self, call: CallFields) -> None:
        """Note a call that is about to be made."""
        self._calls += 1
        _CALL.pack_into(self._memory, 0, self._calls, True, *call, *_REST[len(call)])

    def rest(self) -> None:
        """Note that the last call has returned, and there is no other one to make."""
        self._memory[8] = 0

    def expect(self, request: int) -> None:
        """Note that the answers from now on are those to a request, by its number."""
        self._end = _ANSWERS_AT
        _ANSWER.pack_into(self._memory, self._end, -1, 0.0, -1)
        _REQUEST.pack_into(self._memory, _REQUEST_AT, request)

    def answered(self, provider: int, payment: float) -> None:
        """Note an answer; those beyond `MOST_ANSWERS` are not noted."""
        if self._end < _ANSWERS_AT + _STRIDE * MOST_ANSWERS:
            _ANSWER.pack_into(self._memory, self._end, provider, payment, -1)
            self._end += _STRIDE

    def read(self) -> tuple[int, bool, Call]:
        """Return how many calls were made, whether the last one is still being made, and that call."""
        calls, within, kind, step, score, bid, query = _CALL.unpack_from(self._memory, 0)
        return calls, within, Call(Kind(kind), step, score, bid, query or None)

    def answers(self) -> tuple[int, list[tuple[int, float]]]:
        """Return the number of the request that was read last, and the answers to it."""
        rows = (_ANSWER.unpack_from(self._memory, _ANSWERS_AT + _STRIDE * row) for row in range(MOST_ANSWERS + 1))
        answers = [(provider, payment) for provider, payment, _ in takewhile(lambda row: row[0] >= 0, rows)]
        return _REQUEST.unpack_from(self._memory, _REQUEST_AT)[0], answers
