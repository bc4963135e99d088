"""What the checks know of a factory under test, wherever its mechanisms run: in this process or in a host."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from time import monotonic
from typing import Any, Self

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.any_mechanism import Aftermath, Answer, AnyMechanism, Continued, Told
from proofs_checks.conformance.play.domain import EVERYTHING, Domain
from proofs_checks.conformance.play.errors import COSTLY, MechanismError


class AnySubject(ABC):
    """A factory under test, and how it is played.

    Attributes
    ----------
    domain : Domain
        Scenarios are made to lie inside; steps with too few eligible providers are not played.
    errors_told : bool
        Whether a check has reported an error of its calls: others then look at what was answered before it.
    deadline : float
        When a check has to end, on the clock `time.monotonic`; by default never.
    in_flight : DelayLaw or None
        How late scores and bids reach the mechanism, which then is of the ticket form; by default at once.
    """

    domain: Domain = EVERYTHING
    errors_told: bool = False
    deadline: float = math.inf
    in_flight: DelayLaw | None = None
    #: As reports call it; ``MODULE:OBJECT`` can be imported by a script.
    name: str

    def played(self, **otherwise: Any) -> Self:
        """Return the same factory, played otherwise: `domain`, `errors_told`, `deadline` or `in_flight` is another."""
        other = copy.copy(self)
        vars(other).update(otherwise)
        return other

    @property
    def is_late(self) -> bool:
        """Whether a check has to end now."""
        return monotonic() >= self.deadline

    def with_part(self, parts: int) -> Self:
        """Return the same factory for one of so many parts of the time that is left."""
        now = monotonic()
        return self.played(deadline=now + (self.deadline - now) / parts)

    def is_told(self, error: MechanismError) -> bool:
        """Return whether an error is known already; each that costs a process or the time limit ends a search."""
        return self.errors_told and not error.is_outside and error.kind not in COSTLY

    @property
    @abstractmethod
    def importable_name(self) -> str | None:
        """``MODULE:OBJECT``, or a file, where that leads to the factory in another process too; else None."""

    def start(self, config: MechanismConfig, seed: int) -> AnyMechanism:
        """Return a fresh mechanism with a generator of its own.

        Raises
        ------
        MechanismError
            The factory raised, took too long, or returned no mechanism; of one in another process, when it is asked.
        """
        made = self._started(config, seed)
        if not self.domain.least_eligible:
            return made
        from proofs_checks.conformance.play.watched import Watched  # loads SymPy, which few mechanisms need

        return Watched(made, config, seed, self.in_flight, self.domain.least_eligible)

    @abstractmethod
    def _started(self, config: MechanismConfig, seed: int) -> AnyMechanism:
        """Return a fresh mechanism, which hears of scores and bids as late as `in_flight` says."""

    def answers_after(self, config: MechanismConfig, seed: int, plays: Sequence[Continued], steps: int) -> list[Told]:
        """Return how a fresh mechanism each answers to some histories, and in so many steps more; or its error.

        In another process all are played for one wait.
        """
        found: list[Told] = []
        for play in plays:
            try:
                found.append(follow(self.start(config, seed), play, steps))
            except MechanismError as error:
                found.append(error)
        return found

    @abstractmethod
    def other_global_randomness(self) -> AbstractContextManager[None]:
        """Put the global generators of the mechanism's process elsewhere within, and back afterwards."""

    @abstractmethod
    def aftermath(self) -> Aftermath:
        """Return what was left behind in the process of the mechanism since this was last asked."""


def follow(mechanism: AnyMechanism, play: Continued, steps: int) -> list[Answer]:
    """Replay a history, and assign so many times more; between them each is settled with the next of its yields."""
    past, yields = play
    answers, left = mechanism.replay(past), [iter(own) for own in yields]
    for step in range(steps):
        if step:
            mechanism.settle(*next(left[answers[-1][0]]))
        answers.append(mechanism.assign())
    return answers
