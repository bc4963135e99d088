"""How a mechanism under test fails to answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

#: What a mechanism does to the process that runs it. Each costs the time limit or a process, whatever the size of the
#: example: no smaller one is looked for.
Costly = Literal[
    "too slow", "ended its process", "too much memory", "too many processes", "returned twice", "broke its host"
]
COSTLY: tuple[Costly, ...] = get_args(Costly)
#: How a mechanism fails to answer.
Misbehaviour = Literal["raised", "wrong type", "not finite", "no such provider", Costly]
#: What an error of the mechanism's own says that is no misbehaviour: it raised `NotImplementedError`.
Outside = Literal["outside domain"]
OUTSIDE: Outside = "outside domain"


class MechanismError(Exception):
    """A mechanism did not answer as the contract says; `message` says what was called and what came of it.

    `answers` are those to the same request before it failed, where many steps are asked of another process at a time.
    """

    def __init__(self, kind: Misbehaviour | Outside, message: str, answers: Sequence[tuple[int, float]] = ()) -> None:
        super().__init__(message)
        self.kind, self.message, self.answers = kind, message, answers

    @property
    def is_outside(self) -> bool:
        """Whether it says that the scenario lies outside its domain: that is not a failure."""
        return self.kind == OUTSIDE
