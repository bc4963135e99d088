"""What a mechanism answered in an interaction, and which of its steps a rulebook allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mechanism.config import MechanismConfig
from proofs_checks.conformance.diagnosis.rulebook import Log, Rulebook
from proofs_checks.conformance.play.any_subject import Answer, AnySubject
from proofs_checks.conformance.play.interaction import answers_to


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Every answer of a mechanism, and how each was settled; the last one may not be settled."""

    config: MechanismConfig
    answers: tuple[Answer, ...]
    settlements: tuple[tuple[float, float], ...]

    def replayed(self, book: Rulebook, since: int = 1) -> Iterator[bool]:
        """Yield for every step from `since` on whether a rulebook allows what was answered."""
        return (verdict is not False for verdict in self.judged(book, since))

    def judged(self, book: Rulebook, since: int = 1) -> Iterator[bool | None]:
        """Yield for every step from `since` on whether an answer keeps the rules; None where rounding decides it."""
        for log, (provider, payment) in self.walked():
            if log.step >= since:
                yield book.judged(log, provider, payment)

    def choices(self, book: Rulebook) -> int:
        """Return how many providers a rulebook lets serve, over all steps together."""
        told = ((book.prescribed(log, i) for i in log.providers) for log, _ in self.walked())
        return sum(found is None or found.may_serve for step in told for found in step)

    def walked(self) -> Iterator[tuple[Log, Answer]]:
        """Yield the log before every step (one object, which goes on) and the answer at the step."""
        log = Log(self.config)
        settled = (*self.settlements, None)
        for answer, settlement in zip(self.answers, settled, strict=False):
            yield log, answer
            if settlement is not None:
                log.settle(answer[0], *settlement)


class History(NamedTuple):
    """A history to be played again: a configuration, a generator's seed, and scores and bids step by step."""

    config: MechanismConfig
    seed: int
    settlements: tuple[tuple[float, float], ...]


def recorded(subject: AnySubject, history: History) -> Recording:
    """Play a history again and record the answers.

    Raises
    ------
    MechanismError
        The mechanism did not answer.
    """
    answers = answers_to(subject, *history)
    return Recording(config=history.config, answers=tuple(answers), settlements=history.settlements)
