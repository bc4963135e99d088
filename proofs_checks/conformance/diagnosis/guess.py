"""The rule that a mechanism would obey if one thing were different: what explains every answer, the simplest first."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofs_checks.conformance.diagnosis.fitted import fitted
from proofs_checks.conformance.diagnosis.late_variants import LATE_VARIANTS
from proofs_checks.conformance.diagnosis.near_misses import near_miss
from proofs_checks.conformance.diagnosis.probes import further_probes, probes
from proofs_checks.conformance.diagnosis.recording import History, Recording, recorded
from proofs_checks.conformance.diagnosis.rulebook import PLAIN
from proofs_checks.conformance.diagnosis.slips import SLIPS
from proofs_checks.conformance.diagnosis.variants import DRAWS, VAGUE, VARIANTS, Variant
from proofs_checks.conformance.diagnosis.wrong_winners import what_they_share, who_wins, wrong_winners
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError

#: Draws among several at which a rule of choice must have been right before it is named: two in a million by chance.
_DRAWS = 20
#: A rule that is kept up to a step beyond this may have been changed there.
_LATE = 20
#: Wrong answers without which no such change is named: a few last answers are explained by too much.
_MANY = 12
#: Changes that a first line names, of those that explain everything.
_NAMED = 3

#: How many known mistakes are tried, to the nearest ten.
TRIED = round(len(VARIANTS) + len(SLIPS), -1)

#: A recording, and at which of its steps Algorithm 1 allows what was answered.
Kept = tuple[Recording, tuple[bool, ...]]


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A variant that explains every answer of a mechanism that was looked at, and the others that do."""

    name: str
    #: "it pays ..."; with alternatives, all of them are named.
    sentence: str
    #: The checks that name it, the best first.
    checks: tuple[str, ...]
    #: Answers that it explains, and how many of them Algorithm 1 does not.
    explained: int
    unexplained_before: int
    #: What else explains all of them: "it explores ...".
    alternatives: tuple[str, ...] = ()
    #: What the wrong answers have in common beside it, in sentences; empty without.
    beside: str = ""

    @property
    def told(self) -> str:
        """The sentence, how much it explains, and that another change may."""
        explains = f"A guess: {self.sentence}. This explains all {self.explained:,} answers that were looked at"
        if self.unexplained_before:
            breaks = "breaks" if self.unexplained_before == 1 else "break"
            rule = f", {self.unexplained_before:,} of which {breaks} the paper's rule."
        else:
            rule = ". The paper's rule allows each draw by itself: only how often each provider is drawn is wrong."
        told = f"{explains}{rule} Another change may explain them as well."
        return f"{told} {self.beside}".rstrip()

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "name": self.name,
            "sentence": self.sentence,
            "explained": self.explained,
            "unexplained_before": self.unexplained_before,
            "alternatives": list(self.alternatives),
        }


def guess(subject: AnySubject, histories: Iterable[History]) -> Guess | None:
    """Return the simplest variant that explains all answers to some histories and in all probes, or None.

    While several do, further probes are played: each may tell some of them apart.

    Parameters
    ----------
    subject : AnySubject
    histories : iterable of History
        Of the counterexamples.
    """
    kept = _kept([*_recorded(subject, histories), *probes(subject)])
    found = _explaining(kept)
    more = further_probes(subject)
    while len(found) > 1 and (probe := next(more, None)) is not None:
        kept += _kept([probe])
        found = [variant for variant in found if explains(variant, kept[-1:])]
    return _told(found, kept)


def hint(subject: AnySubject, histories: Iterable[tuple[str, History]]) -> str:
    """Return what would make a wrong answer of a counterexample right, as `near_miss` tells it.

    Parameters
    ----------
    subject : AnySubject
    histories : iterable of (str, History)
        Of the counterexamples, with the names of their checks; the one that is shown first.
    """
    examples = ((name, each) for name, history in histories for each in _recorded(subject, [history]))
    return near_miss(tuple(examples))


def explanation(recordings: Sequence[Recording]) -> Guess | None:
    """Return the simplest variant that explains all recordings, or None; nothing where Algorithm 1 does."""
    kept = _kept(recordings)
    return _told(_explaining(kept), kept)


def _kept(recordings: Iterable[Recording]) -> list[Kept]:
    return [(each, tuple(each.replayed(PLAIN))) for each in recordings]


def _explaining(kept: Sequence[Kept]) -> list[Variant]:
    """Return the variants that explain all recordings, the simplest first."""
    wrong = _wrong(kept)
    if not wrong:
        return list(itertools.islice((each for each in DRAWS if _is_chosen(each, kept)), 1))
    # The shortest recordings on which Algorithm 1 fails tell most variants apart at once.
    ordered = sorted(kept, key=lambda pair: (all(pair[1]), len(pair[1])))
    recordings = [each for each, _ in ordered]
    late = min(steps.index(False) + 1 for _, steps in kept if not all(steps)) if wrong >= _MANY else 0
    for several, variants in _candidates(recordings, late):
        explaining = (variant for variant in variants if explains(variant, ordered))
        if found := list(explaining if several else itertools.islice(explaining, 1)):
            return _tightest(found, recordings)
    return []


def _wrong(kept: Iterable[Kept]) -> int:
    """Return how many answers Algorithm 1 does not allow."""
    return sum(not fine for _, steps in kept for fine in steps)


def _tightest(found: list[Variant], recordings: Sequence[Recording]) -> list[Variant]:
    """Return the variants that leave about as few answers open as any: a rule that allows nearly all says little."""
    if len(found) == 1:
        return found
    freedom = [sum(each.choices(variant.book) for each in recordings) for variant in found]
    most = min(freedom) + _DRAWS
    return [variant for variant, free in zip(found, freedom, strict=True) if free < most]


def _told(found: Sequence[Variant], kept: Sequence[Kept]) -> Guess | None:
    """Return the guess that names the first of some variants, and the others beside it; None without any."""
    if not found:
        return None
    says = list(dict.fromkeys(variant.says for variant in found))
    beside = ""
    if (paid := found[0].any_winner_is_paid) and (wrong := tuple(wrong_winners(each for each, _ in kept))):
        says[0], beside = f"{who_wins(wrong)}, and pays it {paid}", what_they_share(wrong)
    return Guess(
        name=found[0].name,
        sentence=_either(says),
        checks=tuple(dict.fromkeys(name for variant in found[:_NAMED] for name in variant.checks)),
        explained=sum(len(steps) for _, steps in kept),
        unexplained_before=_wrong(kept),
        alternatives=tuple(f"it {other}" for other in says[1:]),
        beside=beside,
    )


def _either(says: Sequence[str]) -> str:
    """Return what a mechanism does, as one of several things.

    Examples
    --------
    >>> _either(["pays twice", "pays late"])
    'it pays twice, or it pays late: these answers do not tell them apart'
    """
    if len(says) == 1:
        return f"it {says[0]}"
    named = [f"it {each}" for each in says[:_NAMED]]
    if len(says) > _NAMED:
        named.append(f"one of {len(says) - _NAMED} more changes")
    return f"{', '.join(named[:-1])}, or {named[-1]}: these answers do not tell them apart"


def explains(variant: Variant, kept: Iterable[Kept]) -> bool:
    """Return whether a variant allows every answer; one that begins late, every answer from then on.

    Of the answers that Algorithm 1 does not allow, it must prescribe at least half, or as many as it says: a variant
    that has no opinion there explains nothing.
    """
    said = silent = 0
    for each, fine in kept:
        verdicts = each.judged(variant.book, variant.since)
        for verdict, right in zip(verdicts, fine[variant.since - 1 :], strict=False):
            if verdict is False:
                return False
            said += not right and verdict is not None
            silent += not right and verdict is None
    return said >= (silent if variant.enough is None else variant.enough)


def _candidates(recordings: Sequence[Recording], late: int) -> Iterator[tuple[bool, Iterable[Variant]]]:
    """Yield variants from the simple to the vague, in groups, and whether to name all of a group that explain.

    `late` is the first step at which Algorithm 1 is broken. A number that was read off the answers explains what many
    a rule would: of those, and of what is vague, one is named.
    """
    late_ones = LATE_VARIANTS if any(each.arrivals is not None for each in recordings) else ()
    yield True, (*late_ones, *VARIANTS)
    yield True, SLIPS
    read_off = tuple(fitted(recordings))
    yield False, read_off
    if late > _LATE:
        yield False, (_from(late, each) for each in (*VARIANTS, *SLIPS, *read_off))
    yield False, VAGUE


def _from(late: int, variant: Variant) -> Variant:
    """Return a variant that begins late."""
    says = f"{variant.says}, from step {late:,} on"
    checks = ("long-run", *variant.checks)
    return replace(variant, name=f"{variant.name}, late", says=says, checks=checks, since=late)


def _is_chosen(variant: Variant, kept: Sequence[Kept]) -> bool:
    """Return whether a rule of choice explains everything, and says something at enough draws."""
    return explains(variant, kept) and _restricted(variant, [each for each, _ in kept]) >= _DRAWS


def _restricted(variant: Variant, recordings: Sequence[Recording]) -> int:
    """Return at how many steps a variant forbids somebody whom Algorithm 1 allows."""
    found = 0
    for each in recordings:
        for log, _ in each.walked():
            told = [(PLAIN.prescribed(log, i), variant.book.prescribed(log, i)) for i in log.providers]
            found += any(a is not None and b is not None and a.may_serve and not b.may_serve for a, b in told)
    return found


def _recorded(subject: AnySubject, histories: Iterable[History]) -> Iterator[Recording]:
    for history in dict.fromkeys(histories):
        try:
            yield recorded(subject, history)
        except MechanismError:
            continue  # the checks tell of it
