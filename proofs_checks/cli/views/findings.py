"""What `costproof claims --findings` prints: each documented finding with the numbers that show it."""

from __future__ import annotations

from bounds.words import counted
from proofs_checks.cli.prose import wrapped
from proofs_checks.cli.views.claims import closing, in_full
from proofs_checks.cli.views.console import place
from proofs_checks.verify.claim_list import ClaimList
from proofs_checks.verify.claim_verdicts import findings_in_words, foreseen_verdict
from proofs_checks.verify.documented_findings import how_totals_relate
from proofs_checks.verify.finding_numbers import finding_in_numbers


def findings_in_full(claims: ClaimList) -> str:
    """Return claims with a documented finding, each with the numbers that show it, and how many there are of what."""
    verdicts = {stated.label: foreseen_verdict(stated.label) for stated in claims}
    lines = [wrapped(f"{counted(len(claims), 'documented finding')}: {findings_in_words(claims, verdicts)}.")]
    for stated in claims:
        shown = [wrapped(f"Shown on {on}: {place(numbers)}", 4) for on, numbers in finding_in_numbers(stated.label)]
        lines += in_full(stated, shown)
    return "\n".join([*lines, "", wrapped(how_totals_relate()), *closing(claims[0].label)]) + "\n"
