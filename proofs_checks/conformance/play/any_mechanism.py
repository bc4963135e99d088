"""What the checks know of a mechanism that plays, wherever it runs: in this process or in a host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.errors import Misbehaviour
from proofs_checks.conformance.play.scenario import Scenario

Answer = tuple[int, float]  # provider, payment
Settlement = tuple[float, float]  # score, standing bid
#: Answers, or the error that came in their place.
Told = list[Answer] | Exception
#: A history, and what the queries of each provider yield from there on.
Continued = tuple[Sequence[Settlement], Sequence[Sequence[Settlement]]]
#: What a mechanism may offer, and how feedback may reach it that arrives together.
Offer = Literal["restart", "threads"]
Arrival = Literal["reversed", "at once"]
#: Told of an answer, it returns how the query is settled.
Settling = Callable[[Answer], Settlement]


@dataclass(frozen=True)
class PlayedInteraction:
    """An interaction as far as it went: what a failure needs to be played again."""

    config: MechanismConfig
    #: Of the generator that the mechanism received.
    seed: int
    #: Score and bid of every step, and who served there.
    settlements: tuple[Settlement, ...] = ()
    providers: tuple[int, ...] = ()
    #: How late scores and bids arrived; None for at once.
    in_flight: DelayLaw | None = None

    def until(self, step: int) -> PlayedInteraction:
        """Return what was played before a step."""
        return replace(self, settlements=self.settlements[: step - 1], providers=self.providers[: step - 1])


@dataclass(frozen=True)
class Saved:
    """A mechanism between two steps: what it saved, the step to come, and the feedback that is still on its way."""

    #: JSON, as a text.
    state: str
    step: int
    #: The number of each query, its score and its bid.
    waiting: tuple[tuple[int, float, float], ...] = ()


@dataclass(frozen=True)
class Aftermath:
    """What a check left behind in the process of the mechanism."""

    #: What Python warned of, each text and place once.
    warned: tuple[str, ...] = ()
    #: How the process ended without failing a call, if it did, and what to say of it.
    misbehaviour: Misbehaviour | None = None
    message: str = ""
    #: The mechanism that was started last; what was played of it is not kept.
    last: PlayedInteraction | None = None


class AnyMechanism(Protocol):
    """A mechanism whose calls are timed and whose answers are checked; every method may raise a `MechanismError`."""

    def assign(self) -> Answer:
        """Return who serves the next query and what the user pays."""

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid; an error may come with the next call, or with `finish`."""

    def replay(self, settlements: Sequence[Settlement]) -> list[Answer]:
        """Assign and settle for every settlement; return the answers."""

    def serve(self, yields: Sequence[Sequence[Settlement]], steps: int) -> list[Answer]:
        """Assign and settle so many times, each with the next of what the provider that serves yields."""

    def play(self, scenario: Scenario, steps: int, settling: Settling) -> None:
        """Assign and settle so many times, from the first step on, each with what `settling` says of the answer.

        `settling` says what the scenario yields: where the mechanism runs in another process, that is known there, too.
        """

    def finish(self) -> None:
        """Wait until everything that was handed over is settled."""

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""

    def offers(self, what: Offer) -> bool:
        """Return whether it has `state` and `restore`, or holds a lock, as one does that several threads call."""

    def handing_over(self, how: Arrival) -> AnyMechanism:
        """Return the mechanism: what arrives together is handed over in reverse, or two at a time by two threads."""

    def restart(self, seed: int) -> None:
        """Save its state as JSON, make the mechanism anew with another generator, and restore the state there."""

    def saved(self) -> Saved:
        """Return its state, and what has not reached it."""


class OneByOne:
    """A mechanism that is asked for one step at a time."""

    def replay(self: AnyMechanism, settlements: Sequence[Settlement]) -> list[Answer]:
        """Assign and settle for every settlement; return the answers."""
        answers = []
        for score, bid in settlements:
            answers.append(self.assign())
            self.settle(score, bid)
        return answers

    def serve(self: AnyMechanism, yields: Sequence[Sequence[Settlement]], steps: int) -> list[Answer]:
        """Assign and settle so many times, each with the next of what the provider that serves yields."""
        left, answers = [iter(own) for own in yields], []
        for _ in range(steps):
            answers.append(self.assign())
            self.settle(*next(left[answers[-1][0]]))
        return answers

    def play(self: AnyMechanism, scenario: Scenario, steps: int, settling: Settling) -> None:
        """Assign and settle so many times, each with what `settling` says of the answer."""
        for _ in range(steps):
            self.settle(*settling(self.assign()))
