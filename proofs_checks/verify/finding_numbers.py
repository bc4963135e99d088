"""The numbers that show a documented finding, on the published settings or on a small instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from proofs_checks.claims.witness import numbers_in
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import evidence_of_finding


class FindingShown(NamedTuple):
    """Where a documented finding shows itself, and the numbers that show it; none for what is empty."""

    place: str
    numbers: Mapping[str, Any]


def finding_in_numbers(label: str) -> tuple[FindingShown, ...]:
    """Return the numbers that show the documented finding about a claim, on each published setting or a small one.

    Examples
    --------
    >>> [shown] = finding_in_numbers("claim:T_id:tightened")
    >>> shown.place, shown.numbers["literal_minimum"], shown.numbers["threshold"]
    ('gsm8k-full', 63738, 63740)
    >>> finding_in_numbers("thm:regret")
    ()
    """
    return tuple(
        # Of a trace, the step at which a comparison fails.
        FindingShown(place, piece.where or numbers_in(piece.witness or {}))
        for place, piece in evidence_of_finding(label).items()
        if piece.verdict is Verdict.REFUTED
    )
