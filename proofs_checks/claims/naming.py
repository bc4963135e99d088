"""Claims by the names that people have for them: a label, a number of the paper's PDF, words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bounds.errors import InputError, did_you_mean
from proofs_checks.claims.labels import REPLACED_BY
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.numbers.stored import WAYS_IN_WORDS, labels_numbered, numbers_of_kind, read_number

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
        A label, whole or without its kind ("T_id"), a number ("Theorem 3", "lem 12"), a name, or words that stand
        in the name of one claim and its variants. Capitals do not matter.
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
            raise _unknown(text, "is not a label of the paper", claims)
        return Meant(found, "")
    if number := read_number(plain):
        return _numbered(text, *number, claims)
    endings = {label.partition(":")[2].lower(): stated for label, stated in claims.items()}
    # One plain word may mean many claims; "T_id" and "radius-monotone" are no words.
    if (ending := endings.get(plain)) and not plain.isalpha():
        return Meant(ending, f"{text!r} is read as {ending.label} ({ending.name})")
    return _worded(text, claims)


def search(words: Sequence[str], claims: Mapping[str, Claim]) -> list[Claim]:
    """Return the claims that words fit: first those in whose label, number and name all stand, then in whose text.

    Of each, claims of the paper come before variants and claims of ours, and else in the paper's order.

    Parameters
    ----------
    words : sequence of str
        Each must stand somewhere in a claim's label, number, name or statement, in any capitals; "Theorem 3" is
        one word or two.
    claims : mapping
        Every claim by its label.
    """
    if number := read_number(" ".join(words)):
        # What another way of counting means by it is no hit: the remark of `meant` names it.
        return [claims[label] for label in list(labels_numbered(*number).values())[:1] if label in claims]
    ordered = sorted(claims.values(), key=lambda stated: not stated.is_of_the_paper)
    named = [stated for stated in ordered if _stand(words, _called(stated))]
    return named + [stated for stated in ordered if stated not in named and _stand(words, _whole_text(stated))]


def _stand(words: Sequence[str], text: str) -> bool:
    return all(word.lower() in text.lower() for word in words)


def _is_label(plain: str) -> bool:
    return ":" in plain and " " not in plain


def _numbered(text: str, kind: str, number: int, claims: Mapping[str, Claim]) -> Meant:
    found = labels_numbered(kind, number)
    if not found:
        known = ", ".join(str(n) for n in numbers_of_kind(kind))
        raise InputError(
            "label", text, f"is not a {kind} of the paper", f"each {kind} of it has one of the numbers {known}"
        )
    way, label = next(iter(found.items()))
    others = [f"{other} ({WAYS_IN_WORDS[name]})" for name, other in found.items() if other != label]
    aside = f"; in a PDF that counts otherwise it may be {' or '.join(others)}" if others else ""
    if way != next(iter(WAYS_IN_WORDS)):
        aside = f", {WAYS_IN_WORDS[way]}; this paper's PDF most likely calls it {claims[label].number}"
    return Meant(claims[label], f"{text!r} is read as {label} ({claims[label].name}){aside}")


def _worded(text: str, claims: Mapping[str, Claim]) -> Meant:
    named = [stated for stated in claims.values() if stated.name.lower() == text.strip().lower()]
    fitting = [stated for stated in claims.values() if _stand(text.split(), _called(stated))]
    hits = named[:1] or _without_variants(fitting)
    if len(hits) == 1:
        return Meant(hits[0], f"{text!r} is read as {hits[0].label} ({hits[0].name})")
    if hits:
        shown = ", ".join(f"{stated.label} ({stated.name})" for stated in hits[:_NAMED])
        more = ", ..." if len(hits) > _NAMED else ""
        remedy = f"name one of {shown}{more}; `costproof claims WORDS` searches"
        raise InputError("label", text, f"fits {len(hits)} claims", remedy)
    raise _unknown(text, "is not a label, number or name of a claim", claims)


def _without_variants(hits: Sequence[Claim]) -> list[Claim]:
    """Leave out variants of a claim that is there itself."""
    labels = {stated.label for stated in hits}
    return [stated for stated in hits if stated.varied == stated.label or stated.varied not in labels]


def _unknown(text: object, rule: str, claims: Mapping[str, Claim]) -> InputError:
    otherwise = f"did you mean {', '.join(list(claims)[:3])}?"
    remedy = did_you_mean(text, claims, otherwise, most=3, cutoff=0.4)
    if remedy == otherwise and isinstance(text, str) and text.strip():
        names = {stated.name.lower(): stated for stated in claims.values()}
        remedy = did_you_mean(
            text.lower(), names, "`costproof claims` lists all, `costproof claims WORDS` searches", most=2
        )
    return InputError("label", text, rule, remedy)


def _called(stated: Claim) -> str:
    return f"{stated.label} {stated.number or ''} {stated.name}"


def _whole_text(stated: Claim) -> str:
    return f"{_called(stated)} {stated.statement} {stated.kind} {stated.finding}"
