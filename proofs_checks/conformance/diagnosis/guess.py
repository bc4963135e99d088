"""The rule that a mechanism would obey if one thing were different: the simplest that explains every answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from proofs_checks.conformance.diagnosis.fitted import fitted
from proofs_checks.conformance.diagnosis.probes import probes
from proofs_checks.conformance.diagnosis.recording import History, Recording, recorded
from proofs_checks.conformance.diagnosis.rulebook import PLAIN
from proofs_checks.conformance.diagnosis.variants import DRAWS, VARIANTS, Variant
from proofs_checks.conformance.play.subject import MechanismError, Subject

#: Draws among several at which a rule of choice must have been right before it is named: two in a million by chance.
_DRAWS = 20


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A variant that explains every answer of a mechanism that was looked at."""

    name: str
    #: "it pays ...".
    sentence: str
    #: The checks that name it, the best first.
    checks: tuple[str, ...]
    #: Answers that it explains, and how many of them Algorithm 1 does not.
    explained: int
    unexplained_before: int

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "name": self.name,
            "sentence": self.sentence,
            "explained": self.explained,
            "unexplained_before": self.unexplained_before,
        }


def guess(subject: Subject, histories: Iterable[History]) -> Guess | None:
    """Return the simplest variant that explains all answers to some histories and in all probes, or None.

    Parameters
    ----------
    subject : Subject
    histories : iterable of History
        Of the counterexamples.
    """
    recordings = [*_recorded(subject, histories), *probes(subject)]
    return explanation(recordings)


def explanation(recordings: Sequence[Recording]) -> Guess | None:
    """Return the simplest variant that explains all recordings, or None; nothing where Algorithm 1 does."""
    wrong = sum(not fine for each in recordings for fine in each.replayed(PLAIN))
    # The recordings on which Algorithm 1 fails tell most variants apart at once.
    ordered = sorted(recordings, key=lambda each: all(each.replayed(PLAIN)))
    steps = sum(len(each.answers) for each in recordings)
    for variant in _candidates(ordered) if wrong else _choices(ordered):
        if explains(variant, ordered):
            return Guess(
                name=variant.name,
                sentence=variant.sentence,
                checks=variant.checks,
                explained=steps,
                unexplained_before=wrong,
            )
    return None


def explains(variant: Variant, recordings: Iterable[Recording]) -> bool:
    """Return whether a variant allows every answer."""
    return all(all(each.replayed(variant.book)) for each in recordings)


def _candidates(recordings: Sequence[Recording]) -> Iterator[Variant]:
    yield from VARIANTS
    yield from fitted(recordings)


def _choices(recordings: Sequence[Recording]) -> Iterator[Variant]:
    """Yield the rules of choice that say something at enough draws."""
    for variant in DRAWS:
        if _restricted(variant, recordings) >= _DRAWS:
            yield variant


def _restricted(variant: Variant, recordings: Sequence[Recording]) -> int:
    """Return at how many steps a variant forbids somebody whom Algorithm 1 allows."""
    found = 0
    for each in recordings:
        for log, _ in each.walked():
            told = [(PLAIN.prescribed(log, i), variant.book.prescribed(log, i)) for i in log.providers]
            found += any(a is not None and b is not None and a.may_serve and not b.may_serve for a, b in told)
    return found


def _recorded(subject: Subject, histories: Iterable[History]) -> Iterator[Recording]:
    for history in dict.fromkeys(histories):
        try:
            yield recorded(subject, history)
        except MechanismError:
            continue  # the checks tell of it
