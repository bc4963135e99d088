"""The calls of a mechanism, and how messages name them: the same words in process and in a host."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple


class Kind(IntEnum):
    """What is called; the numbers are what a host notes in its black box."""

    NOTHING = 0
    IMPORT = 1
    FACTORY = 2
    ASSIGN = 3
    SETTLE = 4
    #: What the host does about a mechanism between its calls: reading the configuration, dropping an instance.
    UPKEEP = 5
    STATE = 6
    RESTORE = 7
    #: Telling a mechanism that left a payment open what the user was invoiced; the score of the call is the amount.
    INVOICE = 8


class Call(NamedTuple):
    """One call of a mechanism; its text is made only where it is needed.

    Of a settlement with queries in flight, `query` is its third argument.

    Examples
    --------
    >>> str(Call(Kind.ASSIGN, 3)), str(Call(Kind.SETTLE, 3, 1.0, 0.25))
    ('assign() at step 3', 'settle(1.0, 0.25) at step 3')
    >>> str(Call(Kind.SETTLE, 3, 1.0, 0.25, query=3))
    'settle(1.0, 0.25, 3) at step 3'
    """

    kind: Kind
    step: int = 1
    score: float = 0.0
    bid: float = 0.0
    query: int | None = None

    def __str__(self) -> str:
        if self.kind == Kind.ASSIGN:
            return f"assign() at step {self.step}"
        if self.kind == Kind.SETTLE:
            third = "" if self.query is None else f", {self.query}"
            return f"settle({float(self.score)!r}, {float(self.bid)!r}{third}) at step {self.step}"
        if self.kind in _RESTARTING:
            return f"{_RESTARTING[self.kind]} before step {self.step}"
        if self.kind == Kind.INVOICE:
            return f"invoice({self.score!r}) at step {self.step}"
        return _NAMES[self.kind]


#: The fields of a `Call`, which is made of them only where its text is needed: there are a million calls.
CallFields = tuple[Any, ...]

#: What is wrong with a mechanism whose `settle` takes score and bid alone.
NO_TICKETS = "with queries in flight settle takes (score, bid, query): `costproof docs queries-in-flight`"
_RESTARTING = {Kind.STATE: "state()", Kind.RESTORE: "restore(state)"}
_NAMES = {
    Kind.NOTHING: "the mechanism, between its calls,",
    Kind.IMPORT: "importing the mechanism",
    Kind.FACTORY: "factory(config, rng)",
    Kind.UPKEEP: "the mechanism, between its calls,",
}
