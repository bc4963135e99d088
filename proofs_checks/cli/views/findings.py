"""What `costproof claims --findings` prints: each documented finding with the numbers that show it, and the totals."""

from __future__ import annotations

from bounds.words import counted
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.witness import numbers_in
from proofs_checks.cli.prose import wrapped
from proofs_checks.cli.views.claims import closing, in_full
from proofs_checks.cli.views.console import place
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_list import ClaimList
from proofs_checks.verify.claim_verdicts import evidence_of_finding, findings_in_words, stored_verdict


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
        lines += in_full(stated, shown)
    return "\n".join([*lines, "", wrapped(totals_of_findings()), *closing(claims[0].label)]) + "\n"


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
        f"with a witness for `costproof replay`, {empty} {_are(empty)} empty, and {unproved} {_are(unproved)} asserted "
        "in the paper without a proof."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
