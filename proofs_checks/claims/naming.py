"""Claims by the names that people have for them: a label, a number of the paper's PDF, words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bounds.errors import InputError, did_you_mean
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.numbers.stored import WAYS_IN_WORDS, labels_numbered, numbers_of_kind, read_number

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
    """Return the claims that words fit, those first whose number, label or name they fit, else in the paper's order.

    Parameters
    ----------
    words : sequence of str
        Each must stand somewhere in a claim's label, number, name or statement, a number as a whole; "Theorem 3" is
        one word or two.
    claims : mapping
        Every claim by its label.
    """
    wanted = _words(" ".join(words))
    if number := read_number(" ".join(words)):
        # What another way of counting means by it is no hit: the remark of `meant` names it.
        return [claims[label] for label in list(labels_numbered(*number).values())[:1] if label in claims]
    named = [stated for stated in claims.values() if _fits(wanted, _named_text(stated))]
    told = [stated for stated in claims.values() if _fits(wanted, _whole_text(stated))]
    return list({stated.label: stated for stated in (*named, *told)}.values())


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
    wanted = _words(text)
    hits = [stated for stated in claims.values() if _words(stated.name) == wanted]
    hits = hits or [stated for stated in claims.values() if _fits(wanted, _named_text(stated))]
    hits = _without_variants(hits) or [stated for stated in claims.values() if _fits(wanted, _whole_text(stated))]
    if len(hits := _without_variants(hits)) == 1:
        return Meant(hits[0], f"{text!r} is read as {hits[0].label} ({hits[0].name})")
    if hits:
        near = _by_name(wanted, hits, claims)
        shown = ", ".join(_told(stated) for stated in near[:_NAMED]) + (", ..." if len(near) > _NAMED else "")
        remedy = f"name one of {shown}; `costproof claims WORDS` searches"
        raise InputError("label", text, f"fits {len(near)} claims", remedy)
    raise _unknown(text, "is no label, number or name of a claim", claims)


def _by_name(wanted: frozenset[str], hits: Sequence[Claim], claims: Mapping[str, Claim]) -> list[Claim]:
    """Return what words may mean, the likeliest first: those that are called by most of them, theorems before others.

    A theorem on regret is meant by "regret bound" though its statement has no word "bound".
    """

    def called(stated: Claim) -> int:
        return sum(_fits(frozenset({word}), _named_text(stated)) for word in wanted)

    known = _without_variants([stated for stated in claims.values() if called(stated) or stated in hits])
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


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.lower()))


def _fits(wanted: frozenset[str], text: str) -> bool:
    """Whether every word begins a word of the text; a number is one of them as a whole."""
    known = _words(text)
    return bool(wanted) and all(
        start in known or (not start.isdigit() and any(word.startswith(start) for word in known)) for start in wanted
    )


def _named_text(stated: Claim) -> str:
    return f"{stated.label} {stated.number or ''} {stated.name}"


def _whole_text(stated: Claim) -> str:
    return f"{_named_text(stated)} {stated.statement} {stated.kind} {stated.finding}"
