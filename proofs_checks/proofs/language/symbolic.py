"""The rules of `mechanism` run on solver numbers: every path through them, with the condition under which it is taken.

So the code itself is compared with the vocabulary of the proofs, for all bids and radii of a few providers: they cannot
drift apart unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from proofs_checks.proofs.language.terms import Term, all_of, equal

Result = TypeVar("Result")


class _Decisions:
    """Which way each comparison of one run goes; what was not decided before goes one way, and is noted."""

    def __init__(self, decided: tuple[bool, ...]) -> None:
        self.decided = decided
        self.taken: dict[Term, bool] = {}

    def take(self, condition: Term) -> bool:
        if condition not in self.taken:  # else asked before: another answer would be no path
            place = len(self.taken)
            self.taken[condition] = self.decided[place] if place < len(self.decided) else True
        return self.taken[condition]


@dataclass(frozen=True, eq=False)
class SolverNumber:
    """A number of which only a term is known; comparing it asks which way to go."""

    term: Term
    decisions: _Decisions

    def __add__(self, other: SolverNumber) -> SolverNumber:
        return SolverNumber(self.term + other.term, self.decisions)

    def __sub__(self, other: SolverNumber) -> SolverNumber:
        return SolverNumber(self.term - other.term, self.decisions)

    def __lt__(self, other: SolverNumber) -> bool:
        return self.decisions.take(self.term < other.term)

    def __ge__(self, other: SolverNumber) -> bool:
        return self.decisions.take(self.term >= other.term)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SolverNumber):
            return NotImplemented
        return self is other or self.decisions.take(equal(self.term, other.term))

    __hash__ = None  # type: ignore[assignment]


Lift = Callable[[Term], SolverNumber]


def paths(run: Callable[[Lift], Result]) -> Iterator[tuple[Term | None, Result]]:
    """Yield every path through some code, with the condition under which it is taken (None: always).

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants
    >>> x, y = constants("x y")
    >>> for condition, least in paths(lambda lift: min(lift(x), lift(y))):
    ...     print(condition, least.term)
    (< y x) y
    (not (< y x)) x
    """
    todo: list[tuple[bool, ...]] = [()]
    while todo:
        decisions = _Decisions(todo.pop())

        def lift(term: Term, decisions: _Decisions = decisions) -> SolverNumber:
            return SolverNumber(term, decisions)

        result = run(lift)
        conditions = [condition if way else ~condition for condition, way in decisions.taken.items()]
        yield (all_of(*conditions) if conditions else None), result
        ways = tuple(decisions.taken.values())
        todo.extend((*ways[:place], not ways[place]) for place in range(len(decisions.decided), len(ways)))
