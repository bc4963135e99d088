"""The rule that a mechanism would obey if one thing were different: the simplest that explains every answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofs_checks.conformance.diagnosis.fitted import fitted
from proofs_checks.conformance.diagnosis.probes import probes
from proofs_checks.conformance.diagnosis.recording import History, Recording, recorded
from proofs_checks.conformance.diagnosis.rulebook import PLAIN
from proofs_checks.conformance.diagnosis.variants import DRAWS, VAGUE, VARIANTS, Variant
from proofs_checks.conformance.play.subject import MechanismError, Subject

#: Draws among several at which a rule of choice must have been right before it is named: two in a million by chance.
_DRAWS = 20
#: A rule that is kept up to a step beyond this may have been changed there.
_LATE = 20
#: Wrong answers without which no such change is named: a few last answers are explained by too much.
_MANY = 12


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
    fine = {id(each): tuple(each.replayed(PLAIN)) for each in recordings}
    wrong = sum(not kept for kept_ones in fine.values() for kept in kept_ones)
    # The shortest recordings on which Algorithm 1 fails tell most variants apart at once.
    ordered = sorted(recordings, key=lambda each: (all(fine[id(each)]), len(each.answers)))
    late = min((kept.index(False) + 1 for kept in fine.values() if not all(kept)), default=0) if wrong >= _MANY else 0
    steps = sum(len(each.answers) for each in recordings)
    for variant in _candidates(ordered, late) if wrong else _choices(ordered):
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
    """Return whether a variant allows every answer; one that begins late, every answer from then on."""
    return all(all(each.replayed(variant.book, variant.since)) for each in recordings)


def _candidates(recordings: Sequence[Recording], late: int) -> Iterator[Variant]:
    """Yield variants from the simple to the vague; `late` is the first step at which Algorithm 1 is broken."""
    found = (*VARIANTS, *fitted(recordings))
    yield from found
    if late > _LATE:
        for each in found:
            says = f"{each.says}, from step {late:,} on"
            yield replace(each, name=f"{each.name}, late", says=says, checks=("long-run", *each.checks), since=late)
    yield from VAGUE


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
