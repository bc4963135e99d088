"""Proving: which claims a theorem in Coq states, which it proves in steps, and what no theorem states of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bounds.errors import InputError, did_you_mean
from bounds.sheet import HasSheet, Sheet
from mechanism.versions import versions
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.claims.registry import all_claims
from proofs_checks.proofs.discharge import Discharged, discharged
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import CoqSaid, KernelRecord, kernel_evidence, kernel_record, kernel_theorems
from proofs_checks.verdict import Verdict

#: What a reader of PROVED must trust.
TRUSTED_BASE = (
    "Coq's kernel; coqchk checks what it compiled a second time",
    "the four axioms of Coq's real numbers, on which the theorems rest and on nothing else",
    "that a theorem says what the paper says: `costproof prove LABEL --all` prints what to read",
    "that Formulas.v is printed rightly from the formulas that the program evaluates",
    "of a stored record, that Coq checked these sources; of a computed number, the enclosure that discharges it",
)


class ProofRow(NamedTuple):
    """A claim in the table of proofs."""

    label: str
    number: str | None
    verdict: Verdict
    theorem: str
    file: str
    #: "checked" by Coq on this machine, "stored", or "none" if the theorem does not count.
    kernel: str
    #: What no theorem states of the claim.
    beyond: str | None
    #: Why the theorem does not count.
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class ClaimProof:
    """The theorem in Coq about a claim, and the verdict that it gives.

    Parameters
    ----------
    record : KernelRecord
    discharged : tuple of Discharged, optional
        The numbers that the theorem takes and whose property the program showed.
    """

    record: KernelRecord
    discharged: tuple[Discharged, ...] = ()

    @property
    def label(self) -> str:
        """The label of the claim."""
        return self.record.theorem.label

    @property
    def beyond(self) -> str:
        """What no theorem states of the claim, and what is not shown of the numbers that it takes; empty if nothing."""
        shown = {one.name for one in self.discharged}
        taken = self.record.theorem.takes.items()
        left = " ".join(f"The program does not show of {name}: {says}" for name, says in taken if name not in shown)
        return " ".join(filter(None, (self.record.theorem.beyond, left)))

    @property
    def verdict(self) -> Verdict:
        """`PROVED`, `PROVED_STEPS`, `VACUOUS` if the claim's condition is never met, or `SKIPPED` with a `reason`."""
        if self.record.status == "none":
            return Verdict.SKIPPED
        if self.record.theorem.vacuous:
            return Verdict.VACUOUS
        return Verdict.PROVED if self.record.proves_claim and not self.beyond else Verdict.PROVED_STEPS

    @property
    def reason(self) -> str:
        """Why the theorem does not count; empty if it does."""
        return self.record.problem

    @property
    def stands(self) -> bool:
        """Whether the theorem counts."""
        return self.record.status != "none"

    @property
    def row(self) -> ProofRow:
        """The claim in the table of proofs."""
        return ProofRow(
            label=self.label,
            number=number_of(self.label),
            verdict=self.verdict,
            theorem=self.record.theorem.name,
            file=self.record.theorem.file,
            kernel=self.record.status,
            beyond=self.beyond or None,
            reason=self.reason or None,
        )

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "label": self.label,
            "number": number_of(self.label),
            "verdict": self.verdict.value,
            "reason": self.reason or None,
            "beyond": self.beyond or None,
            **kernel_evidence(self.record),
            "discharged": [one.to_data() for one in self.discharged],
        }


@dataclass(frozen=True, kw_only=True)
class ProveReport(HasSheet):
    """What is proved.

    Parameters
    ----------
    claims : tuple of ClaimProof
    """

    claims: tuple[ClaimProof, ...]

    def __repr__(self) -> str:
        return f"ProveReport({', '.join(f'{each.label} {each.verdict}' for each in self.claims)})"

    def having(self, verdict: Verdict) -> tuple[ClaimProof, ...]:
        """Return the claims with a verdict."""
        return tuple(claim for claim in self.claims if claim.verdict is verdict)

    def sheet(self) -> Sheet:
        """Return a row for every claim: its verdict, its theorem, and what no theorem states of it."""
        rows = (claim.row._asdict() for claim in self.claims)
        return Sheet.of("Claims proved for all parameters", ProofRow._fields, rows, key="label")

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data (contract, ``prove --json``)."""
        return {
            "totals": {
                "claims": len(self.claims),
                "proved": len(self.having(Verdict.PROVED)),
                "proved_steps": len(self.having(Verdict.PROVED_STEPS)),
            },
            "claims": [claim.to_data() for claim in self.claims],
            "trusted_base": list(TRUSTED_BASE),
            "versions": versions(),
        }


def prove(labels: Sequence[str] = (), *, kernel: CoqSaid | None = None) -> ProveReport:
    """Return what is proved of claims; Coq itself is not asked, see `kernel.check.check_kernel`.

    Parameters
    ----------
    labels : sequence of str, optional
        Of claims about which there is a theorem; all by default.
    kernel : CoqSaid, optional
        What Coq said just now; by default what it said on this machine before, or what is stored.

    Raises
    ------
    InputError
        A label without a proof; the nearest are named. A formula of the program is not the one that the theorems in
        Coq are about.
    """
    check_formulas()
    known = labels_with_proofs()
    for label in labels:
        if label not in known:
            raise InputError("labels", label, "is no claim with a proof", _instead_of(label, known))
    found = (claim_proof(label, kernel) for label in labels or known)
    return ProveReport(claims=tuple(one for one in found if one is not None))


def _instead_of(label: str, known: Sequence[str]) -> str:
    """Return what to prove instead of a claim without a proof: what holds instead, or labels alike."""
    theorem, stated = kernel_theorems().get(label), all_claims().get(label)
    refuted = f"Coq proves it false, see `costproof claims {label}`; " if theorem is not None else ""
    if stated is not None and stated.repaired_by in known:
        return f"{refuted}prove {stated.repaired_by} instead"
    return refuted + did_you_mean(label, known, f"did you mean {', '.join(known[:3])}?", most=3, cutoff=0.4)


def labels_with_proofs() -> tuple[str, ...]:
    """Return the labels of the claims for which there is a theorem that does not refute them.

    Examples
    --------
    >>> "lem:one-step" in labels_with_proofs(), "claim:T_id:tightened" in labels_with_proofs()
    (True, False)
    """
    return tuple(label for label, theorem in kernel_theorems().items() if theorem.states != "refutes")


def claim_proof(label: str, said: CoqSaid | None = None) -> ClaimProof | None:
    """Return the proof of a claim; None where there is no theorem, or one that refutes the claim.

    Examples
    --------
    >>> claim_proof("eq:payment") is None
    True
    """
    record = kernel_record(label, said)
    if record is None or record.theorem.states == "refutes":
        return None
    asked = record.status != "none" and record.theorem.takes
    return ClaimProof(record=record, discharged=discharged(label) if asked else ())


def verdict_foreseen(label: str) -> Verdict | None:
    """Return the verdict that its theorem in Coq gives a claim; None where there is none that counts.

    Examples
    --------
    >>> verdict_foreseen("lem:radius-sum").value, verdict_foreseen("eq:payment") is None
    ('PROVED', True)
    """
    found = claim_proof(label)
    return found.verdict if found is not None and found.stands else None
