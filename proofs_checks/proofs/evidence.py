"""What `verify` shows of the proofs: one piece of evidence per claim, without the mutants, which `prove` looks at."""

from __future__ import annotations

from collections.abc import Collection

from proofs_checks.claims.implications import ContradictionError
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.results import ClaimProof
from proofs_checks.proofs.solvers.solvers import SOLVERS, installed
from proofs_checks.verdict import Evidence, Verdict


def with_proofs(labels: Collection[str]) -> list[str]:
    """Return those of the labels that have a proof."""
    return [label for label in all_proofs() if label in labels]


def certificate_evidence(labels: Collection[str]) -> dict[str, Evidence]:
    """Return the evidence of those claims that have a proof, by label.

    Parameters
    ----------
    labels : collection of str
        Of claims; those without a proof are left out.

    Notes
    -----
    `PROVED` needs both solvers. Where one is not installed the stored certificates are re-checked all the same, and
    the evidence says so.
    """
    wanted = with_proofs(labels)
    if not wanted:
        return {}
    report = prove(wanted, mutants=False)
    if report.contradictions:
        raise ContradictionError(f"in the proofs: {'; '.join(report.contradictions)}")
    return {claim.proof.label: _evidence(claim) for claim in report.claims}


def _evidence(claim: ClaimProof) -> Evidence:
    results = claim.obligations
    rechecked = sum(result.certificate == "rechecked" for result in results)
    missing = [solver for solver in SOLVERS if solver not in installed()]
    by = f"by {' and by '.join(SOLVERS)}" if not missing else f"not decided: {', '.join(missing)} not installed"
    reasons = [
        claim.reason,
        claim.proof.remark,
        f"left to English: {claim.left_to_english}" if claim.left_to_english else "",
        "pip install 'costproof[prove]' to have them decided" if missing else "",
    ]
    return Evidence(
        kind="certificate",
        tried=f"{len(results)} obligation{'s' * (len(results) > 1)} for all parameters {by}; "
        f"{rechecked} re-checked without a solver",
        verdict=claim.verdict,
        checked=0 if claim.verdict is Verdict.VACUOUS else len(results) if claim.stands else rechecked,
        reason="; ".join(filter(None, reasons)) or None,
    )
