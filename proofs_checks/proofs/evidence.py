"""What `verify` shows of the proofs: one piece of evidence per claim, without the mutants, which `prove` looks at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from proofs_checks.claims.implications import ContradictionError
from proofs_checks.plurals import counted
from proofs_checks.proofs.catalogue import LeftToEnglish, all_proofs, english_of, proved_whole_in_coq
from proofs_checks.proofs.kernel.theorems import KernelRecord, kernel_evidence
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.results import ClaimProof, ProveReport
from proofs_checks.proofs.solvers.solvers import SOLVERS
from proofs_checks.proofs.undecided import why_undecided
from proofs_checks.verdict import Evidence, Verdict


@dataclass(frozen=True, kw_only=True)
class CertificateEvidence(Evidence):
    """What the proof of a claim says, with what it rests on.

    Parameters
    ----------
    missing : tuple of str
        The solvers for want of which its obligations were not decided; none if they were.
    obligations, rechecked : tuple of str
        Its obligations, and those whose stored certificate the checker accepts.
    cited : mapping
        As `ClaimProof.cited_proofs`.
    remark : str
        What is to be known of it besides, or why it is not decided.
    english : LeftToEnglish or None
        What it leaves to English.
    assumed : mapping
        The named axioms that it assumes, each with what it says.
    unlike_paper : str
        Where it goes another way than the paper's proof; empty if nowhere.
    hypotheses, without_mutant : int
        The hypotheses of its obligations, and how many of them no mutant leaves out.
    kept : bool
        Whether no solver was asked: all their answers were given before, to the same scripts.
    stored : bool
        Whether some of these answers were given when this package was made, and not here.
    kernel : KernelRecord or None
        The theorem in Coq about the claim.
    """

    missing: tuple[str, ...] = ()
    obligations: tuple[str, ...] = ()
    rechecked: tuple[str, ...] = ()
    cited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remark: str = ""
    english: LeftToEnglish | None = None
    assumed: Mapping[str, str] = field(default_factory=dict)
    unlike_paper: str = ""
    hypotheses: int = 0
    without_mutant: int = 0
    kept: bool = False
    stored: bool = False
    kernel: KernelRecord | None = None

    @property
    def undecided(self) -> bool:
        """Whether it was not decided for want of a solver: what Coq proves was."""
        return bool(self.missing) and self.verdict is Verdict.SKIPPED

    @property
    def rests_on_kernel(self) -> bool:
        """Whether a theorem in Coq states the claim, and its verdict rests on that."""
        return self.kernel is not None and self.kernel.proves_claim and self.verdict is Verdict.PROVED

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data: the keys of every evidence, and the parts of its reason, each by itself."""
        plain = Evidence(**{each.name: getattr(self, each.name) for each in fields(Evidence)}).to_data()
        left = {} if self.english is None else {name: _plain(part) for name, part in vars(self.english).items()}
        return plain | {
            "remark": self.remark or None,
            "left_to_english": left or None,
            "assumed": dict(self.assumed),
            "unlike_paper": self.unlike_paper or None,
            "hypotheses": self.hypotheses,
            "without_mutant": self.without_mutant,
            "kept": self.kept,
            "stored": self.stored,
            **kernel_evidence(self.kernel),
        }


def _plain(part: str | tuple[str, ...]) -> str | list[str]:
    return part if isinstance(part, str) else list(part)


@dataclass(frozen=True, kw_only=True)
class ProofsLookedAt:
    """How many proofs were looked at, how many are SKIPPED, and how many were not decided for want of a solver.

    Parameters
    ----------
    proofs, undecided : int
    skipped, skipped_beside_others : int
        Those with the verdict SKIPPED, and how many of them stand in a result with another verdict.
    missing_solvers : tuple of str
        The solvers that are not installed, where that left a proof undecided.
    kept : int
        Those for which no solver was asked: all their answers were given before, to the same scripts.
    stored : int
        Those of them for which answers count that were given when this package was made.
    steps, rechecked : int
        The steps of those undecided proofs, a shared one once, and of how many the certificate was re-checked.
    """

    proofs: int
    skipped: int
    skipped_beside_others: int
    undecided: int
    missing_solvers: tuple[str, ...]
    kept: int
    stored: int
    steps: int
    rechecked: int

    @classmethod
    def of(cls, found: Iterable[tuple[Verdict, CertificateEvidence]]) -> ProofsLookedAt:
        """Return the counts over some proofs, each with the verdict of the result in which it stands."""
        results = list(found)
        looked_at = [piece for _, piece in results]
        skipped = [verdict for verdict, piece in results if piece.verdict is Verdict.SKIPPED]
        undecided = [piece for piece in looked_at if piece.undecided]
        steps = {name for piece in undecided for name in piece.obligations}
        missing = {name for piece in undecided for name in piece.missing}
        return cls(
            proofs=len(looked_at),
            skipped=len(skipped),
            skipped_beside_others=sum(verdict is not Verdict.SKIPPED for verdict in skipped),
            undecided=len(undecided),
            missing_solvers=tuple(solver for solver in SOLVERS if solver in missing),
            kept=sum(piece.kept for piece in looked_at),
            stored=sum(piece.stored for piece in looked_at),
            steps=len(steps),
            rechecked=len(steps & {name for piece in undecided for name in piece.rechecked}),
        )

    @property
    def why_undecided(self) -> str:
        """Why proofs were not decided, what was re-checked all the same, and the remedy; empty if all were decided."""
        return why_undecided(self.missing_solvers, self.steps, self.rechecked) if self.undecided else ""

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {**vars(self), "missing_solvers": list(self.missing_solvers), "reason": self.why_undecided or None}


def with_proofs(labels: Collection[str]) -> list[str]:
    """Return those of the labels that have a proof."""
    return [label for label in all_proofs() if label in labels]


def certificate_evidence(labels: Collection[str]) -> dict[str, CertificateEvidence]:
    """Return the evidence of those claims that have a proof, by label.

    Parameters
    ----------
    labels : collection of str
        Of claims; those without a proof are left out.

    Notes
    -----
    `PROVED` rests on a theorem in Coq that states the claim; where there is none it needs both solvers. Where one is
    not installed the stored certificates are re-checked all the same, and the evidence says so. Answers count that the
    installed versions of the solvers gave to the same scripts when this package was made; the evidence says that, too.
    """
    wanted = with_proofs(labels)
    if not wanted:
        return {}
    report = prove(wanted, mutants=False, stored=True)
    if report.contradictions:
        raise ContradictionError(f"in the proofs: {'; '.join(report.contradictions)}")
    whole = proved_whole_in_coq()
    return {claim.proof.label: _evidence(claim, report, whole) for claim in report.claims}


def _evidence(claim: ClaimProof, report: ProveReport, whole: Collection[str]) -> CertificateEvidence:
    results = claim.obligations
    answers = [one for result in results for one in result.all_answers]
    kept = not claim.missing and all(one.kept for one in answers)
    by_kernel = claim.kernel if claim.rests_on_kernel else None
    rechecked = [result.obligation.name for result in results if result.certificate == "rechecked"]
    scope = "for the instances that are named" if claim.proof.instances else "for all parameters"
    steps = f"{counted(len(results), 'obligation')} {scope}"
    by = f"by {' and by '.join(SOLVERS)}; {len(rechecked)} re-checked without a solver"
    tried = f"{steps}, not decided here" if claim.missing else f"{steps} {by}"
    remark = "; ".join(filter(None, (claim.reason, claim.proof.remark)))
    reasons = [remark, f"left to English: {claim.beyond}" if claim.beyond else ""]
    return CertificateEvidence(
        kind="certificate",
        tried=f"the theorem {by_kernel.place}, {by_kernel.how_checked}; {tried}" if by_kernel else tried,
        verdict=claim.verdict,
        checked=len(results) if claim.steps_stand and claim.verdict is not Verdict.VACUOUS else 0,
        reason="; ".join(filter(None, reasons)) or None,
        missing=claim.missing,
        obligations=tuple(result.obligation.name for result in results),
        rechecked=tuple(rechecked),
        cited=claim.cited_proofs,
        remark=remark,
        english=_english(claim, whole),
        assumed=claim.assumed,
        unlike_paper=claim.proof.unlike_paper,
        hypotheses=sum(len(result.obligation.hypotheses) for result in results),
        without_mutant=sum(len(result.obligation.redundant) for result in results),
        kept=kept,
        stored=kept and any(one.stored for one in answers),
        kernel=claim.kernel,
    )


def _english(claim: ClaimProof, whole: Collection[str]) -> LeftToEnglish | None:
    if claim.rests_on_kernel:
        return LeftToEnglish(argument=claim.beyond) if claim.beyond else None
    return english_of(claim.proof, all_proofs(), whole)
