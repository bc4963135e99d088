"""Claims by the names that people have for them: a label, a number of the paper's PDF, words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bounds.errors import InputError, did_you_mean
from proofs_checks.claims.labels import REPLACED_BY
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.numbers.stored import WAYS_IN_WORDS, labels_numbered, numbers_of_kind, read_number
from proofs_checks.claims.synonyms import ALSO_CALLED
from proofs_checks.claims.words import fits, stems, telling, words_of

_REPLACED_BY = {label.lower(): replacement for label, replacement in REPLACED_BY.items()}
#: How many claims an error names at most.
_NAMED = 5


class Meant(NamedTuple):
    """The claim that a text means, and what a reader should know of how it was read; nothing for a label."""

    claim: Claim
    remark: str


def meant(text: str, claims: Mapping[str, Claim]) -> Meant:
    """Return the claim that a text means.

    Parameters
    ----------
    text : str
        A label, whole or without its kind ("T_id"), a number ("Theorem 3", "lem twelve"), a name, or words that fit
        the name of one claim and its variants, or else the statement of one claim. Capitals do not matter.
    claims : mapping
        Every claim by its label.

    Raises
    ------
    InputError
        It means no claim, or several; the nearest are named.
    """
    by_small_label = {label.lower(): stated for label, stated in claims.items()}
    if not isinstance(text, str) or (plain := text.strip().lower()) == "" or _is_label(plain):
        found = by_small_label.get(plain) if isinstance(text, str) else None
        if found is None:
            if isinstance(text, str) and (replacement := _REPLACED_BY.get(plain)):
                raise InputError("label", text, "was removed", f"ask for {replacement}, which replaces it")
            raise _unknown(text, "is no label of the paper", claims)
        return Meant(found, "")
    if number := read_number(plain):
        return _numbered(text, *number, claims)
    endings = {label.partition(":")[2].lower(): stated for label, stated in claims.items()}
    # One plain word may mean many claims; "T_id" and "radius-monotone" are no words.
    if (ending := endings.get(plain)) and not plain.isalpha():
        return Meant(ending, f"{text!r} is read as {ending.label} ({ending.name})")
    return _worded(text, claims)


def search(words: Sequence[str], claims: Mapping[str, Claim]) -> list[Claim]:
    """Return the claims that words fit, the likeliest first.

    First come those that are called by the words, then those whose label or name they fit, then those whose statement
    they fit; of each, claims of the paper before variants and claims of ours, and else in the paper's order.

    Parameters
    ----------
    words : sequence of str
        Each must stand somewhere in a claim's label, number, name or statement, in any form ("converges" is
        "convergence"), a number as a whole; "Theorem 3" is one word or two. Small words as "of" do not count.
    claims : mapping
        Every claim by its label.
    """
    text = " ".join(words)
    if number := read_number(text):
        # What another way of counting means by it is no hit: the remark of `meant` names it.
        return [claims[label] for label in list(labels_numbered(*number).values())[:1] if label in claims]
    return [
        stated for ranked in _ranked(text, claims) for stated in sorted(ranked, key=lambda hit: not hit.is_of_the_paper)
    ]


def _ranked(text: str, claims: Mapping[str, Claim]) -> list[list[Claim]]:
    """Return the claims that words fit, each once: those called so, those named so, and those that say so."""
    wanted = telling(text)
    forms = stems(wanted)
    called, named, told = [], [], []
    for stated in claims.values():
        if stems(telling(stated.name)) == forms:
            called.append(stated)
        elif any(fits(wanted, name) for name in _names(stated)):
            named.append(stated)
        elif fits(wanted, _whole_text(stated)):
            told.append(stated)
    return [called, named, told]


def _is_label(plain: str) -> bool:
    return ":" in plain and " " not in plain


def _numbered(text: str, kind: str, number: int, claims: Mapping[str, Claim]) -> Meant:
    found = labels_numbered(kind, number)
    if not found:
        known = ", ".join(str(n) for n in numbers_of_kind(kind))
        raise InputError(
            "label", text, f"is no {kind} of the paper", f"each {kind} of it has one of the numbers {known}"
        )
    way, label = next(iter(found.items()))
    others = [f"{other} ({WAYS_IN_WORDS[name]})" for name, other in found.items() if other != label]
    aside = f"; in a PDF that counts otherwise it may be {' or '.join(others)}" if others else ""
    if way != next(iter(WAYS_IN_WORDS)):
        aside = f", {WAYS_IN_WORDS[way]}; this paper's PDF most likely calls it {claims[label].number}"
    return Meant(claims[label], f"{text!r} is read as {label} ({claims[label].name}){aside}")


def _worded(text: str, claims: Mapping[str, Claim]) -> Meant:
    exact = [stated for stated in claims.values() if words_of(stated.name) == words_of(text)]
    hits = exact[:1] or _likeliest(_ranked(text, claims))
    if len(hits) == 1:
        return Meant(hits[0], f"{text!r} is read as {hits[0].label} ({hits[0].name})")
    if hits:
        near = _by_name(telling(text), hits, claims)
        shown = ", ".join(_told(stated) for stated in near[:_NAMED]) + (", ..." if len(near) > _NAMED else "")
        remedy = f"name one of {shown}; `costproof claims WORDS` searches"
        raise InputError("label", text, f"fits {len(near)} claims", remedy)
    raise _unknown(text, "is no label, number or name of a claim", claims)


def _likeliest(ranked: Sequence[Sequence[Claim]]) -> list[Claim]:
    """Return the claims that words may mean, of those that they fit, the best fits first.

    A variant, or a claim with a finding, is not what words mean while a claim of the paper fits as well. If such a
    claim fits less well, both may be meant.
    """
    best: list[Claim] = next((list(hits) for hits in ranked if hits), [])
    if sound := [stated for stated in best if _is_sound(stated)]:
        return sound
    best = [stated for stated in best if stated.is_of_the_paper] or _without_variants(best)
    return best + [stated for hits in ranked for stated in hits if _is_sound(stated)]


def _is_sound(stated: Claim) -> bool:
    return stated.is_of_the_paper and not stated.finding


def _by_name(wanted: frozenset[str], hits: Sequence[Claim], claims: Mapping[str, Claim]) -> list[Claim]:
    """Return what words may mean, the likeliest first: those that are called by most of them, theorems before others.

    A theorem on regret is meant by "regret bound" though its statement has no word "bound".
    """

    def called(stated: Claim) -> int:
        return sum(any(fits([word], name) for name in _names(stated)) for word in wanted)

    known = [stated for stated in claims.values() if stated in hits or (stated.is_of_the_paper and called(stated))]
    return sorted(known, key=lambda stated: (-called(stated), stated.kind != "theorem", stated not in hits))


def _told(stated: Claim) -> str:
    return f"{stated.label} ({stated.name})"


def _without_variants(hits: Sequence[Claim]) -> list[Claim]:
    """Leave out variants of a claim that is there itself."""
    labels = {stated.label for stated in hits}
    return [stated for stated in hits if not (stated.label.count(":") > 1 and _base(stated.label) in labels)]


def _base(label: str) -> str:
    return ":".join(label.split(":")[:2])


def _unknown(text: object, rule: str, claims: Mapping[str, Claim]) -> InputError:
    otherwise = f"did you mean {', '.join(list(claims)[:3])}?"
    remedy = did_you_mean(text, claims, otherwise, most=3, cutoff=0.4)
    if remedy == otherwise and isinstance(text, str) and text.strip():
        names = {stated.name.lower(): stated for stated in claims.values()}
        remedy = did_you_mean(
            text.lower(), names, "`costproof claims` lists all, `costproof claims WORDS` searches", most=2
        )
    return InputError("label", text, rule, remedy)


def _names(stated: Claim) -> tuple[str, ...]:
    """Return what a claim is called, each name by itself."""
    return (f"{stated.label} {stated.number or ''} {stated.name}", *ALSO_CALLED.get(stated.label, ()))


def _whole_text(stated: Claim) -> str:
    return f"{' '.join(_names(stated))} {stated.statement} {stated.kind} {stated.finding}"
