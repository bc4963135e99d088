"""What `verify` shows of the proofs: the theorem in Coq about a claim, as one piece of evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.proofs.kernel.theorems import kernel_evidence
from proofs_checks.proofs.prove import ClaimProof, labels_with_proofs, prove
from proofs_checks.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class CertificateEvidence(Evidence):
    """The theorem in Coq about a claim.

    Parameters
    ----------
    proof : ClaimProof
    """

    proof: ClaimProof

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data: the keys of every evidence, and what is known of the theorem."""
        return super().to_data() | {
            "beyond": self.proof.beyond or None,
            "discharged": [one.to_data() for one in self.proof.discharged],
            **kernel_evidence(self.proof.record),
        }


@dataclass(frozen=True, kw_only=True)
class ProofsLookedAt:
    """How many proofs were looked at, and how many do not count.

    Parameters
    ----------
    proofs : int
    checked : int
        Those whose theorem Coq checked on this machine.
    skipped, skipped_beside_others : int
        Those whose theorem does not count, and how many of them stand in a result with another verdict.
    reason : str
        Why the first of them does not count; empty if all do.
    """

    proofs: int
    checked: int
    skipped: int
    skipped_beside_others: int
    reason: str

    @classmethod
    def of(cls, found: Iterable[tuple[Verdict, CertificateEvidence]]) -> ProofsLookedAt:
        """Return the counts over some proofs, each with the verdict of the result in which it stands."""
        results = list(found)
        skipped = [(verdict, piece) for verdict, piece in results if not piece.proof.stands]
        return cls(
            proofs=len(results),
            checked=sum(piece.proof.record.status == "checked" for _, piece in results),
            skipped=len(skipped),
            skipped_beside_others=sum(verdict is not Verdict.SKIPPED for verdict, _ in skipped),
            reason=skipped[0][1].proof.reason if skipped else "",
        )

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {**vars(self), "reason": self.reason or None}


def with_proofs(labels: Collection[str]) -> list[str]:
    """Return those of the labels that have a proof."""
    return [label for label in labels_with_proofs() if label in labels]


def certificate_evidence(labels: Collection[str]) -> dict[str, CertificateEvidence]:
    """Return the evidence of those claims that have a proof, by label.

    Examples
    --------
    >>> list(certificate_evidence(["lem:payment-range", "eq:payment"]))
    ['lem:payment-range']
    """
    wanted = with_proofs(labels)
    return {proof.label: _evidence(proof) for proof in prove(wanted).claims} if wanted else {}


def _evidence(proof: ClaimProof) -> CertificateEvidence:
    record = proof.record
    beyond = f"no theorem states: {proof.beyond}" if proof.beyond else None
    vacuous = f"{record.theorem.vacuous}: {record.theorem.differs}" if record.theorem.vacuous else None
    checked = len(record.theorem.cited) if proof.stands and proof.verdict is not Verdict.VACUOUS else 0
    return CertificateEvidence(
        kind="certificate",
        tried=f"the theorem {record.place}, {record.how_checked}" if proof.stands else f"the theorem {record.place}",
        verdict=proof.verdict,
        tightness=Tightness(checked, 0),
        reason=proof.reason or vacuous or beyond,
        proof=proof,
    )
