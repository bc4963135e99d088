"""The verdict on a claim itself, whichever setting or log is looked at, and where a finding about its wording shows."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from bounds.published import PUBLISHED_NAMES, published
from bounds.words import counted
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import claim
from proofs_checks.proofs.kernel.theorems import LESS, kernel_theorems
from proofs_checks.proofs.prove import verdict_foreseen
from proofs_checks.verdict import PROOFS, WORDS, Verdict

_SHOWN = (Verdict.REFUTED, Verdict.VACUOUS)

_STRONGER_READING = "refuted as a stronger reading"
_OWN_WORDING = "refuted as a wording of the paper"
_NO_FACT = "a definition alone"
_NOT_REACHED = "not reached before the interruption"


def in_words(stated: Claim, verdict: Verdict, *, reached: bool = True) -> str:
    """Return a claim's own verdict in words; `reached` is false where an interruption came first.

    Examples
    --------
    >>> in_words(claim("thm:robust-dominant:best-reply"), Verdict.REFUTED)
    'refuted as a stronger reading'
    """
    if not reached:
        return _NOT_REACHED
    if verdict is Verdict.SKIPPED and stated.kind == "definition":
        return _NO_FACT
    if not stated.finding or verdict is not Verdict.REFUTED:
        return WORDS[verdict]
    return _STRONGER_READING if stated.stronger_reading else _OWN_WORDING


def in_words_exactly(stated: Claim, verdict: Verdict) -> str:
    """Return the same, and what a theorem that is proved says less than the paper.

    Examples
    --------
    >>> in_words_exactly(claim("thm:regret"), Verdict.PROVED)
    'proved up to any horizon, not for endless runs'
    """
    theorem = kernel_theorems().get(stated.label)
    less = verdict is Verdict.PROVED and theorem is not None and LESS in theorem.differs
    return LESS if less else in_words(stated, verdict)


def never_applies(label: str) -> str:
    """Return how far a proof shows a claim to be empty, in words; nothing where none does.

    Examples
    --------
    >>> never_applies("cor:eventual-ordinary-optimality")
    'its condition never holds while a provider is unqualified'
    """
    theorem = kernel_theorems().get(label)
    said = theorem.differs if theorem is not None and theorem.vacuous else ""
    return said[:1].lower() + said[1:].removesuffix(".")


def verdict_of_claim(stated: Claim, certificate: Verdict | None) -> Verdict:
    """Return what is known of a claim for all parameters, given what its proof came to (None: it has none).

    `REFUTED` and `VACUOUS` are about the wording, where that is a documented finding; `EXACT` is computed for each
    setting, `NOT_REFUTED` tested only, and `SKIPPED` neither: a definition states no fact.

    Examples
    --------
    >>> [verdict_of_claim(claim(label), None).value for label in ("claim:T_id:tightened", "eq:payment", "eq:utilities")]
    ['REFUTED', 'NOT_REFUTED', 'SKIPPED']
    """
    if stated.finding and not stated.unproved:
        if not never_applies(stated.label):
            return Verdict.REFUTED
        # That its condition is never met is known from a theorem alone, which must count.
        return Verdict.VACUOUS if certificate is Verdict.VACUOUS else Verdict.SKIPPED
    if certificate in PROOFS:
        return certificate
    if stated.checks:
        return Verdict.NOT_REFUTED
    if stated.on_setting is not None:
        return Verdict.EXACT
    return next((found.verdict for _, found in _computed(stated.label)), Verdict.SKIPPED)


@functools.cache
def _computed(label: str) -> tuple[tuple[str | None, Evidence], ...]:
    """Return what parameters alone say of a claim: those of each published setting, and of none (None)."""
    stated = claim(label)
    on = stated.on_setting
    found = [] if on is None else [(name, on(published(name).setting)) for name in PUBLISHED_NAMES]
    return (*found, *([] if stated.everywhere is None else [(None, stated.everywhere())]))


def stored_verdict(label: str) -> Verdict:
    """Return the same as the theorems in Coq have it, where they count.

    Examples
    --------
    >>> [stored_verdict(label).value for label in ("lem:radius-sum", "eq:payment", "claim:table-numbers")]
    ['PROVED', 'NOT_REFUTED', 'EXACT']
    """
    return verdict_of_claim(claim(label), verdict_foreseen(label))


@functools.cache
def evidence_of_finding(label: str) -> Mapping[str, Evidence]:
    """Return what shows the documented finding about a claim, by published setting or as "a witness".

    Examples
    --------
    >>> list(evidence_of_finding("claim:T_id:tightened")), dict(evidence_of_finding("thm:regret"))
    (['gsm8k-full'], {})
    """
    pieces = _computed(label) if claim(label).finding else ()
    return MappingProxyType({name or "a witness": piece for name, piece in pieces if piece.verdict in _SHOWN})


def finding_shown_on(label: str) -> tuple[str, ...]:
    """Return the published settings, or "a witness", that show the documented finding about a claim.

    Examples
    --------
    >>> finding_shown_on("claim:T_id:tightened"), finding_shown_on("thm:regret")
    (('gsm8k-full',), ())
    """
    return tuple(evidence_of_finding(label))


#: The kinds of numbered statements that the others start from.
_PREMISES = ("algorithm", "assumption")
#: What numbered statements are listed as, by their kind.
_SORTS = {
    "theorem": "theorems and propositions",
    "proposition": "theorems and propositions",
    "corollary": "corollaries",
    "lemma": "lemmas",
    **dict.fromkeys(_PREMISES, "premises"),
}


def by_sort(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """Return claims by what they are listed as: numbered statements by their kind, then the others.

    Examples
    --------
    >>> {sort: len(found) for sort, found in by_sort(map(claim, ("thm:regret", "thm:regret:sharp"))).items()}
    {'theorems and propositions': 1, 'variants and additions of our own': 1}
    """
    found: dict[str, list[Claim]] = {sort: [] for sort in (*_SORTS.values(), _UNNUMBERED, _OURS, FINDINGS)}
    for stated in claims:
        unnumbered = FINDINGS if stated.finding else _UNNUMBERED if stated.is_of_the_paper else _OURS
        found[_SORTS[stated.kind] if stated.number else unnumbered].append(stated)
    return {sort: some for sort, some in found.items() if some}


_UNNUMBERED, _OURS, FINDINGS = "unnumbered statements", "variants and additions of our own", "findings"


def paper_and_ours(claims: Sequence[Claim], verdicts: Mapping[str, Verdict], not_reached: Collection[str] = ()) -> str:
    """Return how many claims are the paper's numbered statements, its other ones and ours, and their verdicts.

    Examples
    --------
    >>> claims = [claim(label) for label in ("thm:regret", "eq:payment", "thm:regret:sharp")]
    >>> text = paper_and_ours(claims, {stated.label: Verdict.NOT_REFUTED for stated in claims})
    >>> first, _, then = text.partition(". ")
    >>> first
    'The paper has 1 numbered statement: 1 tested'
    >>> then
    'All 3 claims (1 numbered and 1 unnumbered statement of the paper, 1 variant or addition): 3 tested.'
    """
    numbered = [stated for stated in claims if stated.number is not None]
    ours = [stated for stated in claims if not stated.is_of_the_paper]

    def said(some: Sequence[Claim]) -> str:
        reached = ((stated, stated.label not in not_reached) for stated in some)
        return counted_in_words([in_words(stated, verdicts[stated.label], reached=known) for stated, known in reached])

    others = len(claims) - len(numbered) - len(ours)
    stated = f"{len(numbered)} numbered and {counted(others, 'unnumbered statement')} of the paper"
    own = f"{len(ours)} {'variant or addition' if len(ours) == 1 else 'variants or additions'}"
    first = f"The paper has {counted(len(numbered), 'numbered statement')}: {said(numbered)}."
    premises = [str(stated.number) for stated in numbered if stated.kind in _PREMISES]
    if premises:
        many = f"{len(premises)} of them ({', '.join(premises)}) are premises: nothing proves"
        first += f" {many} them." if len(premises) > 1 else f" {premises[0]} is a premise: nothing proves it."
    return f"{first} All {counted(len(claims), 'claim')} ({stated}, {own}): {said(claims)}."


def findings_in_words(claims: Sequence[Claim], verdicts: Mapping[str, Verdict]) -> str:
    """Return how many documented findings there are, by what is wrong, so that the numbers can be added up.

    Examples
    --------
    >>> claims = [claim("claim:T_id:tightened"), claim("claim:T_id:main-text"), claim("claim:T_id")]
    >>> findings_in_words(claims, {stated.label: Verdict.REFUTED for stated in claims})
    'wordings of the paper: 1 false; stronger readings: 1 false'
    """
    told = []
    for reading, what in ((False, "wordings of the paper"), (True, "stronger readings")):
        kind = [stated for stated in claims if stated.finding and stated.stronger_reading is reading]
        empty = [each.number or each.label for each in kind if verdicts[each.label] is Verdict.VACUOUS]
        wrong = wrongs_in_words([verdicts[each.label] for each in kind], f" ({', '.join(empty)})")
        told += [f"{what}: {wrong}"] * bool(kind)
    return "; ".join(told)


def wrongs_in_words(verdicts: Sequence[Verdict], which_are_empty: str = "") -> str:
    """Return how many documented findings with these verdicts are false, empty, or asserted without a proof.

    Examples
    --------
    >>> wrongs_in_words([Verdict.REFUTED, Verdict.PROVED, Verdict.REFUTED])
    '2 false, 1 asserted but not derived'
    """
    false, empty = (verdicts.count(verdict) for verdict in _SHOWN)
    parts = {
        "false": false,
        f"empty{which_are_empty}": empty,
        "asserted but not derived": len(verdicts) - false - empty,
    }
    return ", ".join(f"{number} {word}" for word, number in parts.items() if number)


def counted_verdicts(claims: Iterable[Claim], verdicts: Mapping[str, Verdict]) -> str:
    """Return how many claims have each verdict, in words."""
    return counted_in_words([in_words(stated, verdicts[stated.label]) for stated in claims])


def counted_in_words(said: Collection[str]) -> str:
    """Return how many claims there are of each kind, given in the words of `in_words`.

    Examples
    --------
    >>> counted_in_words(["proved", "refuted", "proved"])
    '2 proved, 1 refuted'
    """
    found = Counter(said)
    words = (*WORDS.values(), _OWN_WORDING, _STRONGER_READING, _NO_FACT, _NOT_REACHED)
    never = dict.fromkeys(filter(None, map(never_applies, kernel_theorems())))
    empty = " or ".join(each.removeprefix("its condition never holds ") for each in never)
    when = {WORDS[Verdict.VACUOUS]: f" ({empty})"}
    return ", ".join(f"{found[word]} {word}{when.get(word, '')}" for word in words if found[word])
