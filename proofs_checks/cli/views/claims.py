"""What `costproof claims` prints: the list of claims, or those that were searched for, or findings, each in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bounds.words import counted, is_or_are
from proofs_checks.claims.hypotheses import STATED_UNDER, stated_under
from proofs_checks.claims.model.claim import COMMENTED_OUT, Claim
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.witness import numbers_in
from proofs_checks.cli.prose import side_by_side, wrapped
from proofs_checks.cli.views.console import place
from proofs_checks.proofs.kernel.theorems import kernel_record
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_list import ClaimList, refuted_variants
from proofs_checks.verify.claim_verdicts import (
    evidence_of_finding,
    findings_in_words,
    in_words,
    paper_and_ours,
    stored_verdict,
)

_NUMBERS = (
    "Numbers are those of the PDF if it counts theorems, lemmas, propositions and corollaries together; the paper's "
    "source does not say so itself (`costproof docs claims`)."
)


def claims_listed(claims: ClaimList, shown: ClaimList) -> str:
    """Return the claims that are shown, two lines each, and how many variants of each are not."""
    hidden = Counter(stated.varied for stated in claims if stated not in shown)
    lines = [*_headline(claims), ""]
    for stated in shown:
        more = f"({counted(hidden[stated.label], 'variant')})" if hidden[stated.label] else ""
        lines += [_head(stated, more), wrapped(stated.name, 4)]
    return "\n".join([*lines, "", *_closing()]) + "\n"


def claims_in_full(claims: ClaimList) -> str:
    """Return claims with their statements, and what is wrong with their wording."""
    lines = [f"{counted(len(claims), 'claim')} found."]
    for stated in claims:
        lines += _in_full(stated)
    return "\n".join([*lines, "", *_closing(claims[0].label)]) + "\n"


def findings_in_full(claims: ClaimList) -> str:
    """Return claims with a documented finding, each with the numbers that show it, and how many there are of what."""
    verdicts = {stated.label: stored_verdict(stated.label) for stated in claims}
    lines = [wrapped(f"{counted(len(claims), 'documented finding')}: {findings_in_words(claims, verdicts)}.")]
    for stated in claims:
        shown = [
            # Of a trace, the step at which a comparison fails.
            wrapped(f"Shown on {on}: {place(found.where or numbers_in(found.witness or {}))}", 4)
            for on, found in evidence_of_finding(stated.label).items()
            if found.verdict is Verdict.REFUTED
        ]
        lines += _in_full(stated, shown)
    return "\n".join([*lines, "", wrapped(totals_of_findings()), *_closing(claims[0].label)]) + "\n"


def totals_of_findings() -> str:
    """Return how many findings are documented, and how many of them have a witness.

    Examples
    --------
    >>> totals_of_findings().split(":")[0]
    '18 findings are documented (`costproof claims --findings`)'
    """
    verdicts = [stored_verdict(label) for label, stated in all_claims().items() if stated.finding]
    false, empty = verdicts.count(Verdict.REFUTED), verdicts.count(Verdict.VACUOUS)
    unproved = len(verdicts) - false - empty
    return (
        f"{counted(len(verdicts), 'finding')} are documented (`costproof claims --findings`): {false} are false, each "
        f"with a witness for `costproof replay`, {empty} {is_or_are(empty)} empty, and {unproved} "
        f"{is_or_are(unproved)} asserted in the paper without a proof."
    )


def _in_full(stated: Claim, shown: Sequence[str] = ()) -> list[str]:
    """Return a claim with its statement, and what is wrong with it, followed by what shows that."""
    lines = ["", _head(stated), wrapped(stated.name, 4), wrapped(_sentence(stated.wording), 4)]
    if hypotheses := stated_under(stated):
        lines += [wrapped(f"{STATED_UNDER.capitalize()}: {'; '.join(hypotheses)}", 4)]
    if (record := kernel_record(stated.label)) is not None:
        lines += [wrapped(f"Theorem in Coq: {record}", 4)]
    if stated.finding:
        lines += [wrapped(_sentence(f"Finding: {stated.finding}"), 4), *shown]
    if stated.repaired_by:
        lines += [wrapped(f"See instead: {stated.repaired_by}", 4)]
    if refuted := refuted_variants(stated.label):
        named = "; ".join(f"{each.label} ({each.name})" for each in refuted)
        lines += [wrapped(f"Refuted variants, each a wording or a reading of it: {named}.", 4)]
    return lines


def _headline(claims: ClaimList) -> list[str]:
    verdicts = {stated.label: stored_verdict(stated.label) for stated in claims}
    return [
        wrapped(paper_and_ours(claims, verdicts)),
        wrapped(f"Documented findings: {findings_in_words(claims, verdicts)}."),
        wrapped(
            "After each label stands the claim's own verdict. REFUTED and VACUOUS are about the claim as it is listed: "
            "the wording of the paper, or a stronger reading of it. What is NOT_REFUTED or EXACT has no proof "
            "for all parameters: `costproof verify` tests or computes it."
        ),
    ]


def _head(stated: Claim, more: str = "") -> str:
    verdict = stored_verdict(stated.label)
    said = in_words(stated, verdict) if verdict is Verdict.SKIPPED else verdict.value
    marks = {
        "finding": bool(stated.finding) and not stated.stronger_reading,
        "finding on a reading": stated.stronger_reading,
        COMMENTED_OUT: stated.commented_out,
    }
    parts = (stated.label, stated.number, said, *(mark for mark, told in marks.items() if told), more)
    return side_by_side((part for part in parts if part), hanging=6)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _closing(example: str = "thm:regret") -> list[str]:
    """Return what the numbers are those of, and what to try next."""
    return [wrapped(_NUMBERS), f"Next: costproof verify --quick --claim {example}"]
