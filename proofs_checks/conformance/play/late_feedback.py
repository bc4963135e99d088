"""Queries in flight: feedback that reaches a mechanism of the ticket form when it arrives, and the rules beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from mechanism.delays import DelayLaw, Waiting, arrivals
from mechanism.trace import NEVER_SETTLED
from proofs_checks.conformance.play.any_subject import Answer, OneByOne, Saved, Settlement

#: Feedback overtakes by this much at least.
_OVERTAKES = 4
#: The share of feedback that never arrives.
_LOST = 0.2


class TicketMechanism(Protocol):
    """A guarded mechanism of the ticket form."""

    def assign(self) -> Answer:
        """Return who serves the next query and what the user pays."""

    def settle(self, score: float, bid: float, query: int) -> None:
        """Hand over what came of a query."""

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""

    def restartable(self) -> bool:
        """Return whether it offers `state` and `restore`."""

    def restart(self, seed: int) -> None:
        """Save its state, make it anew, and restore the state."""

    def saved_state(self) -> str:
        """Return its state as JSON."""

    def restore_state(self, state: str, assigned: int) -> None:
        """Let it go on from a state that was saved when so many queries had been assigned."""


class LateFeedback(OneByOne):
    """A mechanism of the ticket form, asked and told one step at a time: it hears of a step when feedback arrives.

    Parameters
    ----------
    mechanism : TicketMechanism
    settled : callable
        From a step to the last one assigned before its score and bid arrive.
    since : Saved, optional
        Goes on from there: the mechanism takes back this state, and what was in flight reaches it.
    """

    def __init__(self, mechanism: TicketMechanism, settled: Callable[[int], int], since: Saved | None = None) -> None:
        self._mechanism = mechanism
        self._waiting = Waiting[Settlement](settled)
        self.step = 1
        if since is not None:
            self.step = since.step
            for query, score, bid in since.waiting:
                self._waiting.add(query, (score, bid))
            mechanism.restore_state(since.state, since.step - 1)

    def assign(self) -> Answer:
        """Hand over what has arrived; return who serves the next query and what the user pays."""
        for query, (score, bid) in self._waiting.arrived(self.step - 1):
            self._mechanism.settle(score, bid, query)
        return self._mechanism.assign()

    def settle(self, score: float, bid: float) -> None:
        """Take what came of the step that was assigned last; the mechanism hears of it later."""
        self._waiting.add(self.step, (score, bid))
        self.step += 1

    def finish(self) -> None:
        """Return: what has not arrived after the last step never does."""

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""
        return self._mechanism.configuration_change()

    def restartable(self) -> bool:
        """Return whether it offers `state` and `restore`."""
        return self._mechanism.restartable()

    def restart(self, seed: int) -> None:
        """Save its state, make it anew, and restore the state; what is in flight arrives at the new one."""
        self._mechanism.restart(seed)

    def saved(self) -> Saved:
        """Return its state, and what has not reached it."""
        waiting = tuple((query, score, bid) for query, (score, bid) in self._waiting.left())
        return Saved(self._mechanism.saved_state(), self.step, waiting)


def arrival_list(in_flight: DelayLaw | None, seed: int, steps: int) -> list[int | None]:
    """Return, of the first steps, the last one assigned before score and bid arrived; None if they never did.

    Examples
    --------
    >>> arrival_list(DelayLaw(most=2), 0, 3), arrival_list(None, 0, 3)
    ([3, 4, 5], [1, 2, 3])
    """
    if in_flight is None:
        return list(range(1, steps + 1))
    settled = map(arrivals(in_flight, seed), range(1, steps + 1))
    return [None if step == NEVER_SETTLED else step for step in settled]


def overtaking(law: DelayLaw) -> DelayLaw:
    """Return the law under which some feedback comes at once and some later than a law has it.

    Examples
    --------
    >>> overtaking(DelayLaw(most=3))
    DelayLaw(most=6, least=0, in_order=False, lost=0.0)
    """
    return DelayLaw(most=max(2 * law.most, _OVERTAKES), least=0, lost=law.lost)


def losing(law: DelayLaw) -> DelayLaw:
    """Return a law under which some feedback never arrives.

    Examples
    --------
    >>> losing(DelayLaw(most=3)).lost
    0.2
    """
    return replace(law, lost=max(law.lost, _LOST))
