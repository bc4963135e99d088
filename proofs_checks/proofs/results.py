"""What is known of obligations and of claims' proofs, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Obligation, Proof, Script
from proofs_checks.proofs.language.smtlib import logic_of, values_of_model
from proofs_checks.proofs.lemma import Refuted
from proofs_checks.proofs.solvers.solvers import SOLVERS, Answered
from proofs_checks.verdict import Verdict

CertificateStatus = Literal["rechecked", "none", "failed"]

#: What a reader must trust beside the solvers or the checker.
TRUSTED_BASE = (
    "that the formulas say what the paper's English says (proofs_checks/proofs/language/vocabulary.py and statements/)",
    "how obligations compose to a statement: the induction, the sum over steps or providers, the case distinction that "
    "each proof names",
    "the named axioms of analysis and probability (proofs_checks/proofs/language/axioms.py): their instances are used",
    "ball arithmetic for numbers such as pi and e (mpmath's intervals)",
    "z3 and cvc5 where both decide; where a certificate was re-checked, instead of them the checker "
    "(checker/, sorts.py, and the reader of smtlib.py)",
)


@dataclass(frozen=True, kw_only=True)
class MutantResult:
    """What the solvers say of a mutant of an obligation.

    Parameters
    ----------
    name : str
    answers : mapping
        From a solver to what it says; "sat" is that the mutant is false.
    counterexample : mapping or None
        Terms and their values, where a solver gave some.
    """

    name: str
    answers: Mapping[str, str]
    counterexample: Mapping[str, str] | None

    @property
    def refuted(self) -> bool:
        """Whether both find it false."""
        return all(self.answers[solver] == "sat" for solver in SOLVERS)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {"name": self.name, **self.answers, "counterexample": self.counterexample}


@dataclass(frozen=True, kw_only=True)
class ObligationResult:
    """What is known of an obligation.

    Parameters
    ----------
    obligation : Obligation
    scripts : tuple of Script
        What the solvers were asked: the obligation, its hypotheses alone, its mutants.
    answers : mapping
        From a solver to its answers by script.
    certificate : {"rechecked", "none", "failed"}
    certificate_error : str
    """

    obligation: Obligation
    scripts: tuple[Script, ...]
    answers: Mapping[str, Mapping[str, Answered]]
    certificate: CertificateStatus
    certificate_error: str = ""

    def said(self, solver: str) -> str:
        """Return a solver's answer to the obligation itself."""
        return self.answers[solver][self.obligation.name].answer

    def _as_expected(self, one: Script) -> bool:
        return all(self.answers[solver][one.name].answer == one.expected for solver in SOLVERS)

    @property
    def proved(self) -> bool:
        """Whether both solvers say that it follows."""
        return self._as_expected(self.scripts[0]) and self.certificate != "failed"

    @property
    def hypotheses_satisfiable(self) -> bool:
        """Whether both say that the hypotheses can be true together."""
        return self._as_expected(self.scripts[1])

    @property
    def mutants(self) -> tuple[MutantResult, ...]:
        """What the solvers say of every mutant that they were asked about."""
        return tuple(
            MutantResult(
                name=one.mutant,
                answers={solver: self.answers[solver][one.name].answer for solver in SOLVERS},
                counterexample=self._model(one.name),
            )
            for one in self.scripts[2:]
        )

    @property
    def mutants_refuted(self) -> int:
        """How many mutants both find false."""
        return sum(map(self._as_expected, self.scripts[2:]))

    @property
    def telling(self) -> bool:
        """Whether it is not vacuous: the hypotheses can be true, and every mutant is false."""
        return self.hypotheses_satisfiable and self.mutants_refuted == len(self.scripts[2:])

    @property
    def disagreement(self) -> tuple[str, ...]:
        """The scripts on which one solver says sat and the other unsat."""
        first, second = (self.answers[solver] for solver in SOLVERS)
        return tuple(name for name in first if {first[name].answer, second[name].answer} == {"sat", "unsat"})

    @property
    def logic(self) -> str:
        """The SMT-LIB logic in which the solvers were asked."""
        return logic_of(self.obligation.refutation)

    @property
    def seconds(self) -> float:
        """What both solvers took for the obligation itself."""
        return sum(self.answers[solver][self.obligation.name].seconds for solver in SOLVERS)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        obligation = self.obligation
        return {
            "name": obligation.name,
            "says": obligation.says,
            "logic": self.logic,
            **{solver: self.said(solver) for solver in SOLVERS},
            "seconds": round(self.seconds, 4),
            "hypotheses_satisfiable": self.hypotheses_satisfiable,
            "mutants": [mutant.to_data() for mutant in self.mutants],
            "mutants_refuted": self.mutants_refuted,
            "certificate": self.certificate,
            "certificate_error": self.certificate_error or None,
            "hypotheses": {
                name: {"source": hypothesis.source, "of": hypothesis.of or None}
                for name, hypothesis in obligation.hypotheses.items()
            },
        }

    def _model(self, name: str) -> dict[str, str] | None:
        for solver in SOLVERS:
            answered = self.answers[solver][name]
            if answered.answer == "sat" and answered.text.strip():
                return values_of_model(answered.text)
        return None


@dataclass(frozen=True, kw_only=True)
class ClaimProof:
    """What is known of a claim's proof.

    Parameters
    ----------
    proof : Proof
    verdict : Verdict
        `PROVED`; `EXACT` for some numbers of providers only; `VACUOUS`, or `SKIPPED`.
    reason : str
        Why it is not proved.
    obligations : tuple of ObligationResult
    inherited : tuple of str
        Labels of the claims it rests on, near and far, that leave something out.
    """

    proof: Proof
    verdict: Verdict
    reason: str
    obligations: tuple[ObligationResult, ...]
    inherited: tuple[str, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether every obligation is proved and says something."""
        return self.verdict in (Verdict.PROVED, Verdict.EXACT)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "label": self.proof.label,
            "verdict": self.verdict.value,
            "reason": self.reason or None,
            "qualifier": self.proof.qualifier or None,
            "composition": self.proof.composition,
            "uses": list(self.proof.uses),
            "beyond": self.proof.beyond or None,
            "inherits_from": list(self.inherited),
            "obligations": [result.to_data() for result in self.obligations],
        }


@dataclass(frozen=True, kw_only=True)
class ProveReport:
    """What was proved.

    Parameters
    ----------
    claims : tuple of ClaimProof
    balls : mapping
        From a ball fact to whether it holds and its tightened form fails.
    seconds : float
    versions : mapping
    refuted : tuple of Refuted, optional
        What became of the false statements that concern the claims, if they were asked for.
    needed : tuple of ClaimProof, optional
        The claims asked for and those they rest on.
    """

    claims: tuple[ClaimProof, ...]
    balls: Mapping[str, bool]
    seconds: float
    versions: Mapping[str, str] = field(default_factory=dict)
    refuted: tuple[Refuted, ...] = ()
    needed: tuple[ClaimProof, ...] = ()

    def __repr__(self) -> str:
        return f"ProveReport({', '.join(f'{each.proof.label} {each.verdict}' for each in self.claims)})"

    @property
    def with_dependencies(self) -> tuple[ClaimProof, ...]:
        """The claims and those they rest on: without these, they would be supported by nothing."""
        return self.needed or self.claims

    @property
    def obligations_with_dependencies(self) -> tuple[ObligationResult, ...]:
        """Every obligation of the claims, and of those they rest on, once."""
        return _each_once(self.with_dependencies)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """What must never happen: solvers disagree; a certificate, a ball fact or a counterexample does not hold."""
        results = self.obligations_with_dependencies
        disagreeing = {f"{name}: z3 and cvc5 disagree" for result in results for name in result.disagreement}
        failed = {
            f"{r.obligation.name}: its certificate fails ({r.certificate_error})"
            for r in results
            if r.certificate == "failed"
        }
        balls = {f"{name}: not shown by ball arithmetic" for name, holds in self.balls.items() if not holds}
        unreplayed = {
            f"{refuted.lemma.obligation.name}: no counterexample that the rules replay ({refuted.lemma.reason})"
            for refuted in self.refuted
            if not refuted.replayed and refuted.lemma.verdict is not Verdict.SKIPPED
        }
        return tuple(sorted(disagreeing | failed | balls | unreplayed))

    @property
    def proved(self) -> tuple[ClaimProof, ...]:
        """The claims that are proved, in part or whole."""
        return tuple(claim for claim in self.claims if claim.verdict is Verdict.PROVED)

    @property
    def proved_in_part(self) -> tuple[ClaimProof, ...]:
        """The claims that are proved, and leave something out."""
        return tuple(claim for claim in self.proved if claim.proof.beyond)

    @property
    def obligations(self) -> tuple[ObligationResult, ...]:
        """Every obligation of the claims once."""
        return _each_once(self.claims)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data (contract, ``prove --json``)."""
        return {
            "totals": {
                "claims": len(self.claims),
                "proved": len(self.proved),
                "in_part": len(self.proved_in_part),
                "obligations": len(self.obligations),
                "mutants": sum(len(result.mutants) for result in self.obligations),
            },
            "claims": [claim.to_data() for claim in self.claims],
            "trusted_base": list(TRUSTED_BASE),
            "ball_facts": {name: {"says": BALL_FACTS[name].says, "holds": holds} for name, holds in self.balls.items()},
            "refuted": [refuted.to_data() for refuted in self.refuted],
            "contradictions": list(self.contradictions),
            "seconds": round(self.seconds, 2),
            "versions": dict(self.versions),
        }


def _each_once(claims: Sequence[ClaimProof]) -> tuple[ObligationResult, ...]:
    return tuple({result.obligation.name: result for claim in claims for result in claim.obligations}.values())
