"""Proving: which claims a theorem in Coq states, which it proves in steps, and what no theorem states of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from bounds.documents import INTERNAL, OPTIONAL, Count, Document, inlined, key
from bounds.errors import InputError, did_you_mean
from bounds.sheet import HasSheet, Sheet
from mechanism.versions import versions
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.claims.registry import all_claims
from proofs_checks.proofs.discharge import Discharged, discharged
from proofs_checks.proofs.kernel.check import KernelCheck
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import (
    CoqSaid,
    KernelEvidence,
    KernelRecord,
    kernel_evidence,
    kernel_record,
    kernel_theorems,
)
from proofs_checks.verdict import Verdict

#: What a reader of PROVED must trust.
TRUSTED_BASE = (
    "Coq's kernel; coqchk checks what it compiled a second time",
    "the four axioms of Coq's real numbers: the theorems rest on no other axiom",
    "that a theorem says what the paper says: `costproof prove LABEL --all` prints what to read",
    "that Formulas.v is printed rightly from the formulas that the program evaluates",
    "of a stored record, that Coq checked these sources; of a computed number, the enclosure that discharges it",
)


@dataclass(frozen=True, kw_only=True)
class ClaimProof(Document):
    """What is known of a claim's proof.

    Parameters
    ----------
    record : KernelRecord
    discharged : tuple of Discharged, optional
        Numbers that the theorem takes with a stated property, and how the program showed that they have it.
    """

    record: KernelRecord = field(metadata=INTERNAL)
    discharged: tuple[Discharged, ...] = ()

    @key
    def label(self) -> str:
        """Label of the claim."""
        return self.record.theorem.label

    @key
    def number(self) -> str | None:
        """Number in the paper's PDF, as Theorem 4; None if it has none."""
        return number_of(self.label)

    @key
    def beyond(self) -> str | None:
        """What no theorem in Coq states of the claim, nor the program shows of its numbers; None if nothing."""
        shown = {one.name for one in self.discharged}
        taken = self.record.theorem.takes.items()
        left = " ".join(f"The program does not show of {name}: {says}" for name, says in taken if name not in shown)
        return " ".join(filter(None, (self.record.theorem.beyond, left))) or None

    @key
    def verdict(self) -> Verdict:
        """PROVED if the theorem states the claim, PROVED_STEPS if it leaves something, else VACUOUS or SKIPPED.

        VACUOUS if the condition of the claim is never met, SKIPPED if the theorem does not count.
        """
        if self.record.status == "none":
            return Verdict.SKIPPED
        if self.record.theorem.vacuous:
            return Verdict.VACUOUS
        return Verdict.PROVED if self.record.proves_claim and not self.beyond else Verdict.PROVED_STEPS

    @key
    def reason(self) -> str | None:
        """Why the theorem does not count; None if it does."""
        return self.record.problem or None

    @inlined
    def kernel(self) -> KernelEvidence:
        """What is known of the theorem."""
        return kernel_evidence(self.record)

    @property
    def stands(self) -> bool:
        """Whether the theorem counts."""
        return self.record.status != "none"


class ProofTotals(TypedDict):
    """How much there is.

    Parameters
    ----------
    claims : int
        Claims that were asked for.
    proved : int
        How many are PROVED.
    proved_steps : int
        How many are PROVED_STEPS.
    """

    claims: Count
    proved: Count
    proved_steps: Count


@dataclass(frozen=True, kw_only=True)
class ProveReport(Document, HasSheet):
    """What is proved for all parameters.

    Parameters
    ----------
    claims : tuple of ClaimProof
        What is known of each claim's proof.
    kernel_check : KernelCheck, optional
        What Coq said of the theorems on this machine; with --kernel alone.
    """

    claims: tuple[ClaimProof, ...]
    kernel_check: KernelCheck | None = field(default=None, metadata=OPTIONAL)

    def __repr__(self) -> str:
        return f"ProveReport({', '.join(f'{each.label} {each.verdict}' for each in self.claims)})"

    def having(self, verdict: Verdict) -> tuple[ClaimProof, ...]:
        """Return the claims with a verdict."""
        return tuple(claim for claim in self.claims if claim.verdict is verdict)

    def sheet(self) -> Sheet:
        """Return a row for every claim: its verdict, its theorem, and what no theorem states of it."""
        columns = ("label", "number", "verdict", "theorem", "file", "kernel", "beyond", "reason")
        theorems = ((each, each.record.theorem.name, each.record.theorem.file) for each in self.claims)
        rows = (
            (each.label, each.number, each.verdict, name, file, each.record.status, each.beyond, each.reason)
            for each, name, file in theorems
        )
        found = (dict(zip(columns, row, strict=True)) for row in rows)
        return Sheet.of("Claims proved for all parameters", columns, found, key="label")

    @key
    def totals(self) -> ProofTotals:
        """How much there is."""
        steps = len(self.having(Verdict.PROVED_STEPS))
        return {"claims": len(self.claims), "proved": len(self.having(Verdict.PROVED)), "proved_steps": steps}

    @key
    def trusted_base(self) -> tuple[str, ...]:
        """What a reader must trust, in words."""
        return TRUSTED_BASE

    @key
    def versions(self) -> Mapping[str, str]:
        """Versions by package."""
        return versions()


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
            raise InputError("labels", label, "is not a claim with a proof", _instead_of(label, known))
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
