"""What the checks know of a mechanism under test, wherever it runs: in this process or in a host."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.domain import Domain
from proofs_checks.conformance.play.scenario import Scenario

Answer = tuple[int, float]  # provider, payment
Settlement = tuple[float, float]  # score, standing bid
#: Waits for answers that were asked for before, and returns them.
Later = Callable[[], list[Answer]]
#: Told of an answer, it returns how the query is settled.
Settling = Callable[[Answer], Settlement]


@dataclass(frozen=True)
class Played:
    """An interaction as far as it went: what a failure needs to be played again."""

    config: MechanismConfig
    seed: int
    settlements: tuple[Settlement, ...]
    providers: tuple[int, ...]
    #: How late scores and bids arrived; None for at once.
    in_flight: DelayLaw | None = None


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
    #: How the mechanism harmed its process without failing a call, if it did (`Misbehaviour`), and what to say of it.
    misbehaviour: str = ""
    message: str = ""
    #: The interaction that was played last.
    last: Played | None = None


class AnyMechanism(Protocol):
    """A mechanism whose calls are timed and whose answers are checked; every method may raise a `MechanismError`."""

    def assign(self) -> Answer:
        """Return who serves the next query and what the user pays."""

    def ask(self) -> None:
        """Ask for the next answer already; the next call must be `assign`, which returns it."""

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid; an error may come with the next call, or with `finish`."""

    def proceed(self, score: float, bid: float) -> None:
        """Settle, and ask for the next answer already: the next call must be `assign`, which returns it."""

    def go_on(self, settlement: Settlement, by_provider: Sequence[Settlement], times: int) -> Iterator[Answer]:
        """Settle and assign so many times, first as is said, then as is said of the provider that serves.

        The answers before an error come before it.
        """

    def replay(self, settlements: Sequence[Settlement], *, then_assign: bool = False) -> list[Answer]:
        """Assign and settle for every settlement, and assign once more if so asked; return the answers."""

    def replaying(self, settlements: Sequence[Settlement], *, then_assign: bool = False) -> Later:
        """Ask for a replay: what is returned waits for it, and must be called before anything else is asked."""

    def serve(
        self, yields: Sequence[Sequence[Settlement]], steps: int, *, after: Sequence[Settlement] = ()
    ) -> list[Answer]:
        """Assign and settle so many times, each with the next of what the provider that serves yields.

        A history that is to be played `after` is replayed first, for the same wait.
        """

    def serving(self, yields: Sequence[Sequence[Settlement]], steps: int, *, after: Sequence[Settlement] = ()) -> Later:
        """Ask for steps to be served, as `replaying` asks for a replay."""

    def play(self, scenario: Scenario, steps: int, settling: Settling) -> None:
        """Assign and settle so many times, from the first step on, each with what `settling` says of the answer.

        `settling` says what the scenario yields: where the mechanism runs in another process, that is known there, too.
        """

    def finish(self) -> None:
        """Wait until whatever was handed over is settled."""

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""

    def restartable(self) -> bool:
        """Return whether it offers `state` and `restore`."""

    def restart(self, seed: int) -> None:
        """Save its state as JSON, make the mechanism anew with another generator, and restore the state there."""

    def saved(self) -> Saved:
        """Return its state, and what has not reached it."""


class OneByOne(ABC):
    """A mechanism that is asked and told one step at a time: there is nothing to be gained by asking early."""

    @abstractmethod
    def assign(self) -> Answer:
        """Return who serves the next query and what the user pays."""

    def ask(self) -> None:  # noqa: B027 - there is nothing to be gained
        """Do nothing."""

    @abstractmethod
    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid."""

    def proceed(self, score: float, bid: float) -> None:
        """Settle."""
        self.settle(score, bid)

    def go_on(self, settlement: Settlement, by_provider: Sequence[Settlement], times: int) -> Iterator[Answer]:
        """Settle and assign so many times, first as is said, then as is said of the provider that serves."""
        for _ in range(times):
            self.settle(*settlement)
            answer = self.assign()
            yield answer
            settlement = by_provider[answer[0]]

    def replay(self, settlements: Sequence[Settlement], *, then_assign: bool = False) -> list[Answer]:
        """Assign and settle for every settlement, and assign once more if so asked; return the answers."""
        answers = []
        for score, bid in settlements:
            answers.append(self.assign())
            self.settle(score, bid)
        return [*answers, self.assign()] if then_assign else answers

    def replaying(self, settlements: Sequence[Settlement], *, then_assign: bool = False) -> Later:
        """Return a function that replays."""
        return partial(self.replay, settlements, then_assign=then_assign)

    def serve(
        self, yields: Sequence[Sequence[Settlement]], steps: int, *, after: Sequence[Settlement] = ()
    ) -> list[Answer]:
        """Assign and settle so many times, each with the next of what the provider that serves yields."""
        self.replay(after)
        left, answers = [iter(own) for own in yields], []
        for _ in range(steps):
            answers.append(self.assign())
            self.settle(*next(left[answers[-1][0]]))
        return answers

    def serving(self, yields: Sequence[Sequence[Settlement]], steps: int, *, after: Sequence[Settlement] = ()) -> Later:
        """Return a function that serves."""
        return partial(self.serve, yields, steps, after=after)

    def play(self, scenario: Scenario, steps: int, settling: Settling) -> None:
        """Assign and settle so many times, each with what `settling` says of the answer."""
        for _ in range(steps):
            self.settle(*settling(self.assign()))


class AnySubject(Protocol):
    """A factory under test."""

    @property
    def domain(self) -> Domain:
        """What it is played with; scenarios are made to lie inside."""

    @property
    def errors_told(self) -> bool:
        """Whether a check has told an error of its calls: others then look at what was answered before it."""

    @property
    def plays_beside(self) -> bool:
        """Whether it plays in another process: several plays can be asked for before the first is waited for."""

    @property
    def in_flight(self) -> DelayLaw | None:
        """How late scores and bids reach the mechanism, which then is of the ticket form; None for at once."""

    @property
    def name(self) -> str:
        """As reports call it; ``MODULE:OBJECT`` can be imported by a script."""

    @property
    def importable_name(self) -> str | None:
        """``MODULE:OBJECT``, or a file, where that leads to the factory in another process too; else None."""

    def start(self, config: MechanismConfig, seed: int, in_flight: DelayLaw | None = None) -> AnyMechanism:
        """Return a fresh mechanism with a generator of its own; `in_flight` stands for the subject's own law."""

    def other_global_randomness(self) -> AbstractContextManager[None]:
        """Put the global generators of the mechanism's process elsewhere within, and back afterwards."""

    def fixed_global_randomness(self) -> AbstractContextManager[None]:
        """Put the global generators where they always begin within, if the mechanism runs in this process."""

    def aftermath(self) -> Aftermath:
        """Return what was left behind in the process of the mechanism since this was last asked."""
