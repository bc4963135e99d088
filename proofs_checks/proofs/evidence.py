"""What `verify` shows of the proofs: the theorem in Coq about a claim, as one piece of evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from bounds.documents import INTERNAL, Count, inlined, key
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.proofs.discharge import Discharged
from proofs_checks.proofs.kernel.theorems import KernelEvidence
from proofs_checks.proofs.prove import ClaimProof, labels_with_proofs, prove
from proofs_checks.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class CertificateEvidence(Evidence):
    """The theorem in Coq about a claim, as evidence.

    Parameters
    ----------
    proof : ClaimProof
    """

    proof: ClaimProof = field(metadata=INTERNAL)

    @key
    def beyond(self) -> str | None:
        """What no theorem in Coq states of the claim, nor the program shows of its numbers; None if nothing."""
        return self.proof.beyond

    @key
    def discharged(self) -> tuple[Discharged, ...]:
        """Numbers that the theorem takes with a stated property, and how the program showed that they have it."""
        return self.proof.discharged

    @inlined
    def kernel(self) -> KernelEvidence:
        """What is known of the theorem."""
        return self.proof.kernel


@dataclass(frozen=True, kw_only=True)
class ProofsLookedAt:
    """How many proofs were looked at, and how many of their theorems do not count.

    Parameters
    ----------
    proofs : int
        Proofs that were looked at.
    checked : int
        Those of them whose theorem Coq checked on this machine.
    skipped : int
        Those of them whose theorem does not count.
    skipped_beside_others : int
        Those that are SKIPPED in a result with another verdict, since something else was found.
    reason : str or None
        Why the first of them does not count, and the remedy; None if all do.
    """

    proofs: Count
    checked: Count
    skipped: Count
    skipped_beside_others: Count
    reason: str | None

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
            reason=skipped[0][1].proof.reason if skipped else None,
        )


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
