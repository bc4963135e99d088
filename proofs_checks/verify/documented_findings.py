"""How many documented findings there are."""

from __future__ import annotations

from collections import Counter

from bounds.words import counted
from proofs_checks.claims.registry import all_claims
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import foreseen_verdict


def how_totals_relate() -> str:
    """Return how many findings there are, and how many of them have a witness.

    Examples
    --------
    >>> how_totals_relate().split(":")[0]
    '18 findings are documented (`costproof claims --findings`)'
    """
    found = [label for label, stated in all_claims().items() if stated.finding]
    verdicts = Counter(foreseen_verdict(label) for label in found)
    false, empty = verdicts[Verdict.REFUTED], verdicts[Verdict.VACUOUS]
    unproved = len(found) - false - empty
    return (
        f"{counted(len(found), 'finding')} are documented (`costproof claims --findings`): {false} are false, each "
        f"with a witness for `costproof replay`, {empty} {_are(empty)} empty, and {unproved} {_are(unproved)} asserted "
        "in the paper without a proof."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
