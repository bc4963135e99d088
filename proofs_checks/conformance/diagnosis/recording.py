"""What a mechanism answered in an interaction, and which of its steps a rulebook allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw, Waiting
from mechanism.trace import NEVER_SETTLED
from proofs_checks.conformance.diagnosis.rulebook import PLAIN, Feedback, Log, Rulebook
from proofs_checks.conformance.play.any_mechanism import Answer
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import answers_to
from proofs_checks.conformance.play.late_feedback import arrival_list


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Every answer of a mechanism, and how each was settled; the last one may not be settled."""

    config: MechanismConfig
    answers: tuple[Answer, ...]
    settlements: tuple[tuple[float, float], ...]
    #: Of each settlement, the last step assigned before it arrived, None for never; None where all came at once.
    arrivals: tuple[int | None, ...] | None = None

    def replayed(self, book: Rulebook, since: int = 1) -> Iterator[bool]:
        """Yield for every step from `since` on whether a rulebook allows what was answered."""
        return (verdict is not False for verdict in self.judged(book, since))

    def judged(self, book: Rulebook, since: int = 1) -> Iterator[bool | None]:
        """Yield for every step from `since` on whether an answer keeps the rules; None where rounding decides it."""
        for log, (provider, payment) in self.walked(book):
            if log.step >= since:
                yield book.judged(log, provider, payment)

    def choices(self, book: Rulebook) -> int:
        """Return how many providers a rulebook lets serve, over all steps together."""
        told = ((book.prescribed(log, i) for i in log.providers) for log, _ in self.walked(book))
        return sum(found is None or found.may_serve for step in told for found in step)

    def walked(self, book: Rulebook = PLAIN) -> Iterator[tuple[Log, Answer]]:
        """Yield the log before every step (one object, which goes on) and the answer at the step.

        A log holds what has arrived, as a rulebook takes it.
        """
        log = Log(self.config)
        settled = (*self.settlements, None)
        if self.arrivals is not None:
            yield from self._walked_late(book, log, self.arrivals)
            return
        for answer, settlement in zip(self.answers, settled, strict=False):
            yield log, answer
            if settlement is not None:
                log.settle(answer[0], *settlement)

    def _walked_late(self, book: Rulebook, log: Log, arrivals: tuple[int | None, ...]) -> Iterator[tuple[Log, Answer]]:
        hears = book.hearing()
        waiting = Waiting[Feedback](lambda step: NEVER_SETTLED if (at := arrivals[step - 1]) is None else at)
        for step, answer in enumerate(self.answers, 1):
            yield log, answer
            if step <= len(self.settlements):
                waiting.add(step, log.assign(answer[0], *self.settlements[step - 1]))
                for _, feedback in waiting.arrived(step):
                    hears(log, feedback)


class History(NamedTuple):
    """A history to be played again: a configuration, a generator's seed, and scores and bids step by step.

    `in_flight` is how late these arrive; None for at once.
    """

    config: MechanismConfig
    seed: int
    settlements: tuple[tuple[float, float], ...]
    in_flight: DelayLaw | None = None


def recorded(subject: AnySubject, history: History) -> Recording:
    """Play a history again and record the answers.

    Raises
    ------
    MechanismError
        The mechanism did not answer.
    """
    config, seed, settlements, law = history
    answers = tuple(answers_to(subject, config, seed, settlements, law))
    arrivals = recorded_arrivals(law, seed, len(settlements))
    return Recording(config=config, answers=answers, settlements=settlements, arrivals=arrivals)


def recorded_arrivals(law: DelayLaw | None, seed: int, steps: int) -> tuple[int | None, ...] | None:
    """Return when the feedback of the first steps arrives, as a recording has it."""
    return None if law is None else tuple(arrival_list(law, seed, steps))
