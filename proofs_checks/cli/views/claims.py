"""What `costproof claims` prints: the list of claims, or those that were searched for, or findings."""

from __future__ import annotations

from bounds.words import capital, counted
from proofs_checks.claims.hypotheses import STATED_UNDER, stated_under
from proofs_checks.claims.model.claim import COMMENTED_OUT, Claim
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.witness import numbers_in
from proofs_checks.cli.prose import wrapped
from proofs_checks.cli.views.console import LINES, place
from proofs_checks.proofs.kernel.theorems import LESS, kernel_record
from proofs_checks.verdict import PROOFS, WORDS, Verdict
from proofs_checks.verify.claim_list import ClaimList, refuted_variants
from proofs_checks.verify.claim_verdicts import (
    FINDINGS,
    by_sort,
    counted_verdicts,
    evidence_of_finding,
    findings_in_words,
    in_words_exactly,
    paper_and_ours,
    stored_verdict,
)

_NUMBERS = (
    "Numbers are those of the PDF if it counts theorems, lemmas, propositions and corollaries together; the paper's "
    "source does not say so itself (`costproof docs claims`)."
)


def claims_listed(claims: ClaimList, *, everything: bool = False) -> str:
    """Return the paper's numbered statements by kind, the others counted; with `everything`, also all with names."""
    verdicts = {stated.label: stored_verdict(stated.label) for stated in claims}
    lines = []
    for sort, some in by_sort(claims).items():
        counts = findings_in_words(claims, verdicts) if sort == FINDINGS else counted_verdicts(some, verdicts)
        labels = [_numbered(stated, verdicts[stated.label]) for stated in some]
        if some[0].kind in ("theorem", "proposition") and some[0].number:
            lines.append(f"{capital(sort)}: {counts}")
            rows = (f"{f'{each.number}{_star(each)}':<16}{each.label:<35}" for each in some)
            lines += [wrapped(row + stated.name, 2, 53) for row, stated in zip(rows, some, strict=True)]
        elif some[0].number:
            lines.append(wrapped(f"{capital(sort)}: {counts}: {', '.join(labels)}", hanging=2).replace("\xa0", " "))
        else:
            option = "--findings" if sort == FINDINGS else "--all"
            lines.append(wrapped(f"{capital(sort)} ({option}): {counts}", hanging=2))
    if everything:
        lines += ["", wrapped(paper_and_ours(claims, verdicts)), wrapped(totals_of_findings()), ""]
        for stated in claims:
            lines += [_head(stated), wrapped(stated.name, 4)]
        lines += ["", wrapped(_NUMBERS)]
    lines += [f"*: {LESS}."] * any(map(_star, claims))
    return "\n".join([*lines, "Next: costproof claims thm:regret (--findings: what is wrong with wordings)"]) + "\n"


def _star(stated: Claim) -> str:
    """Return the mark of what is proved, but less than the paper says."""
    return "*" * (in_words_exactly(stated, stored_verdict(stated.label)) == LESS)


def _numbered(stated: Claim, verdict: Verdict) -> str:
    empty = f" ({WORDS[verdict]})" * (verdict is Verdict.VACUOUS)
    number = stated.number or ""
    shown = number if stated.kind in ("algorithm", "assumption") else number.rpartition(" ")[2]
    return f"{shown}{_star(stated)} {stated.label}{empty}".replace(" ", "\xa0")


def claims_found(claims: ClaimList, *, everything: bool = False) -> str:
    """Return the first claim with its statement, and the others by label; with `everything`, each in full."""
    first, *others = claims
    lines = [f"{counted(len(claims), 'claim')} found."] * bool(others) + _in_full(first, everything=everything)
    if everything:
        lines += [line for stated in others for line in ("", *_in_full(stated, everything=True))]
        lines += ["", wrapped(_NUMBERS)]
    elif others:
        shown = max(0, LINES - 4 - len("\n".join(lines).splitlines()))
        lines += ["The others:", *(_head(stated, 2) for stated in others[:shown])]
        lines += [f"  and {len(others) - shown} more (--all)"] * (len(others) > shown)
    return "\n".join([*lines, f"Next: costproof verify --claim {first.label}"]) + "\n"


def findings_listed(claims: ClaimList, *, everything: bool = False) -> str:
    """Return the claims with a documented finding, the paper's own wordings first; with `everything`, each in full."""
    verdicts = {stated.label: stored_verdict(stated.label) for stated in claims}
    lines = [wrapped(f"{counted(len(claims), 'documented finding')}: {findings_in_words(claims, verdicts)}.")]
    if wordings := [stated for stated in claims if not stated.stronger_reading]:
        lines.append("Wordings of the paper, and what is wrong with each (-):")
    for stated in wordings:
        lines.append(wrapped(f"{stated.label} ({_wrong(stated, verdicts[stated.label])}): {stated.statement}", 2, 4))
        lines.append(wrapped(f"- {stated.finding.partition('. ')[0]}", 4, 6))
    if readings := [stated.label for stated in claims if stated.stronger_reading]:
        lines.append(wrapped(f"False readings that the paper does not state (--all): {', '.join(readings)}", 0, 2))
    if everything:
        for stated in claims:
            lines += ["", *_in_full(stated, everything=True)]
        lines += ["", wrapped(totals_of_findings()), wrapped(_NUMBERS)]
    return "\n".join([*lines, f"Next: costproof claims {next(iter(wordings or claims)).label}"]) + "\n"


def totals_of_findings() -> str:
    """Return how many findings are documented, and which of them have a witness.

    Examples
    --------
    >>> totals_of_findings().split(":")[0]
    'Findings (`costproof claims --findings`)'
    """
    counts = findings_in_words([*all_claims().values()], {label: stored_verdict(label) for label in all_claims()})
    return f"Findings (`costproof claims --findings`): {counts}. Each false one has a witness for `costproof replay`."


def _in_full(stated: Claim, *, everything: bool) -> list[str]:
    """Return a claim with its statement, and what is wrong with it; with `everything`, what its theorem says, too."""
    lines = [_head(stated), wrapped(stated.name, 4), wrapped(_sentence(stated.wording), 4)]
    if hypotheses := stated_under(stated):
        lines.append(wrapped(f"{capital(STATED_UNDER)}: {'; '.join(hypotheses)}", 4))
    if (record := kernel_record(stated.label)) is not None:
        theorem = (
            str(record) if everything else f"{record.place}, {record.how_checked} (`costproof prove {stated.label}`)"
        )
        lines.append(wrapped(f"Theorem in Coq: {theorem}", 4))
    if stated.finding:
        lines.append(wrapped(_sentence(f"Finding: {stated.finding}"), 4))
    lines += [
        # Of a trace, the step at which a comparison fails.
        wrapped(f"Shown on {on}: {place(found.where or numbers_in(found.witness or {}))}", 4)
        for on, found in evidence_of_finding(stated.label).items()
        if found.verdict is Verdict.REFUTED
    ]
    if stated.repaired_by:
        lines.append(wrapped(f"See instead: {stated.repaired_by}", 4))
    if refuted := refuted_variants(stated.label):
        named = "; ".join(f"{each.label} ({each.name}), {_SORTS[each.stronger_reading]}" for each in refuted)
        lines.append(wrapped(f"Refuted, without effect on this verdict: {named}.", 4))
    return lines


#: What a refuted variant of a statement is, by whether it says more than the paper does.
_SORTS = {False: "another wording in the paper", True: "a stronger reading"}


def _wrong(stated: Claim, verdict: Verdict) -> str:
    """Return what is wrong with a wording of the paper, in a word or two."""
    if stated.unproved:
        return "not derived, but proved here"
    return "empty" if verdict is Verdict.VACUOUS else "false"


def _head(stated: Claim, indent: int = 0) -> str:
    verdict = stored_verdict(stated.label)
    said = in_words_exactly(stated, verdict)
    said = f"asserted in the paper, {said} by Coq here" if stated.unproved and verdict in PROOFS else said
    parts = (stated.label, stated.number, said, COMMENTED_OUT if stated.commented_out else None)
    beside = "  ".join(part.replace(" ", "\xa0") for part in parts if part)  # none is broken
    return wrapped(beside, indent, hanging=6).replace("\xa0", " ")


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
