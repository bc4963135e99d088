"""Whether a report of `verify` agrees with itself, and with the proofs of this version: what a replay cannot show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from proofs_checks.claims.registry import all_claims
from proofs_checks.proofs.prove import verdict_foreseen
from proofs_checks.verdict import PROOFS, Verdict


def contradictions(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where a report contradicts itself or the stored proofs, a sentence each; nothing is computed anew.

    Looked at are the counts, a proof verdict without the evidence of a proof or beyond what the proof comes to, and a
    witness with a verdict that is not a refutation.

    Examples
    --------
    >>> piece = {"kind": "certificate", "verdict": "PROVED", "witness": None}
    >>> row = {"label": "eq:payment", "verdict": "PROVED", "evidence": [piece]}
    >>> contradictions({"claims": [row]})
    ('eq:payment: a proof is PROVED in the report; the proof of this version comes to no proof',)
    """
    rows = [row for row in report.get("claims", ()) if isinstance(row, Mapping)]
    found = [said for row in rows for said in _in_row(row)]
    return tuple(dict.fromkeys([*found, *_in_counts(report, rows)]))


def _in_row(row: Mapping[str, Any]) -> Iterator[str]:
    label = str(row.get("label"))
    if label not in all_claims():
        yield f"{label}: this version knows no such claim"
        return
    pieces = [piece for piece in row.get("evidence", ()) if isinstance(piece, Mapping)]
    proofs = [f"{piece.get('verdict')}" for piece in pieces if piece.get("kind") == "certificate"]
    for said in (verdict for verdict in proofs if verdict in PROOFS):
        stored = verdict_foreseen(label)
        comes_to = "no proof" if stored is None else stored.value
        # A report may say less: where it was made, no theorem in Coq may have counted.
        if said != comes_to and not (said == Verdict.PROVED_STEPS and comes_to == Verdict.PROVED):
            yield f"{label}: a proof is {said} in the report; the proof of this version comes to {comes_to}"
    for key in ("verdict", "verdict_of_claim"):
        if row.get(key) in PROOFS and row[key] not in proofs and (key == "verdict" or _holds_proofs(row)):
            yield f"{label}: {key} is {row[key]}, and no proof beside it says so"
    for piece in pieces:
        if piece.get("witness") is not None and piece.get("verdict") != Verdict.REFUTED:
            yield f"{label}: a witness of a violation is listed with the verdict {piece.get('verdict')}"


def _holds_proofs(row: Mapping[str, Any]) -> bool:
    """Return whether a row is that of a claim for any setting: proofs stand there alone."""
    return row.get("setting") is None


def _in_counts(report: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> Iterator[str]:
    by_claim = {f"{row.get('label')}": f"{row.get('verdict_of_claim')}" for row in rows}
    for key, verdicts in (
        ("counts", [f"{row.get('verdict')}" for row in rows]),
        ("counts_of_claims", by_claim.values()),
    ):
        told = report.get(key)
        if not isinstance(told, Mapping):
            continue
        counted = Counter(verdicts)
        for verdict in dict.fromkeys([*told, *counted]):
            if told.get(verdict, 0) != counted[verdict]:
                yield f"{key} has {verdict} {told.get(verdict, 0)} times, the rows below {counted[verdict]} times"
