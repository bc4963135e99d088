"""What is known of obligations and of claims' proofs, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from bounds.sheet import HasSheet, Sheet
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.proofs.catalogue import verdict_if_it_stands
from proofs_checks.proofs.composition import Premise, Sequent, Statement, unrealizable
from proofs_checks.proofs.inductions import start_questions
from proofs_checks.proofs.kernel.theorems import KernelRecord, kernel_evidence
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Obligation, Proof, Script
from proofs_checks.proofs.language.smtlib import logic_of, values_of_model
from proofs_checks.proofs.solvers.solvers import SOLVERS, Answered
from proofs_checks.verdict import PROOFS, Verdict

CertificateStatus = Literal["rechecked", "none", "failed"]

#: What a reader must trust beside the solvers or the checker.
TRUSTED_BASE = (
    "where a theorem in Coq states the claim, and PROVED rests on it: Coq's kernel and its real numbers, that the "
    "theorem says what the paper says (read it: --kernel prints it), and that Formulas.v is printed rightly; what is "
    "only stored, that Coq checked it where that was written. Everything below is about the steps that solvers prove",
    "that the formulas say what the paper's English says (proofs_checks/proofs/language/vocabulary.py and statements/)",
    "for PROVED_STEPS, how the steps compose: the induction, sum, limit, game or probability that each "
    "proof names; for PROVED without Coq, the program that composes them (composition.py and language/matching.py)",
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
    sequent : Sequent
        The obligation, and what it rests on.
    scripts : tuple of Script
        What the solvers were asked: the obligation, its hypotheses alone, its mutants.
    answers : mapping
        From a solver to its answers by script; those about citations are there as well.
    certificate : {"rechecked", "none", "failed"}
    certificate_error : str
    """

    sequent: Sequent
    scripts: tuple[Script, ...]
    answers: Mapping[str, Mapping[str, Answered]]
    certificate: CertificateStatus
    certificate_error: str = ""

    @property
    def all_answers(self) -> tuple[Answered, ...]:
        """Every answer of a solver: about the obligation, its mutants and how it composes."""
        return tuple(one for said in self.answers.values() for one in said.values())

    @property
    def obligation(self) -> Obligation:
        """The obligation."""
        return self.sequent.obligation

    @property
    def not_following(self) -> tuple[str, ...]:
        """The hypotheses that do not follow from what they cite."""
        asked = ((citation.hypothesis, citation.question) for citation in self.sequent.citations)
        return tuple(name for name, one in asked if one is not None and not self._as_expected(one))

    @property
    def not_begun(self) -> bool:
        """Whether an induction does not begin with what is true, or begins with what says nothing."""
        return not all(map(self._as_expected, start_questions(self.obligation)))

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

    @cached_property
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
            "without_mutant": dict(obligation.redundant),
            "certificate": self.certificate,
            "certificate_error": self.certificate_error or None,
            "hypotheses": {
                name: {"source": hypothesis.source, "of": hypothesis.of or None}
                for name, hypothesis in obligation.hypotheses.items()
            },
            "citations": [
                {
                    "hypothesis": citation.hypothesis,
                    "of": citation.cited,
                    "reading": {str(symbol): str(value) for symbol, value in citation.reading},
                    "follows": "as an instance" if citation.question is None else "by z3 and cvc5",
                    "carries": [premise.place for premise in citation.carried],
                }
                for citation in self.sequent.citations
                if citation.hypothesis not in self.not_following
            ],
        }

    def _model(self, name: str) -> dict[str, str] | None:
        for solver in SOLVERS:
            answered = self.answers[solver][name]
            if answered.answer == "sat" and answered.text.strip():
                return values_of_model(answered.text)
        return None


@dataclass(frozen=True, kw_only=True)
class StatementResult:
    """What an obligation that says a claim says in all, and what the solvers say of it.

    Parameters
    ----------
    statement : Statement
    satisfiable : bool
        Whether a solver gave numbers at which all its assumptions, evaluated exactly, are true.
    underived : tuple of Premise
        What it rests on, states nowhere, and is not derived by both.
    unrealizable : str
        Why no numbers are what its symbols stand for; empty if some are.
    """

    statement: Statement
    satisfiable: bool
    underived: tuple[Premise, ...]
    unrealizable: str

    @classmethod
    def of(
        cls, statement: Statement, answers: Mapping[str, Mapping[str, Answered]], *, satisfiable: bool
    ) -> StatementResult:
        """Return what the answers of the solvers say of a statement."""
        derived = {one.name for one in statement.derivations if all_say(answers, one)}
        open_ones = zip(statement.unstated, statement.derivations, strict=True)
        return cls(
            statement=statement,
            satisfiable=satisfiable,
            underived=tuple(premise for premise, one in open_ones if one.name not in derived),
            unrealizable=unrealizable(statement.names),
        )

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        stated = self.statement
        return {
            "obligation": stated.obligation.name,
            "says": stated.obligation.says,
            "assumes": [{"formula": str(one.formula), "kind": one.kind, "of": one.place} for one in stated.assumptions],
            "names": {str(symbol): str(meaning) for symbol, meaning in (name.named for name in stated.names)},
            "derived": [str(premise.formula) for premise in stated.unstated if premise not in self.underived],
            "concludes": str(stated.obligation.goal),
            "assumptions_satisfiable": self.satisfiable,
        }


def all_say(answers: Mapping[str, Mapping[str, Answered]], one: Script) -> bool:
    """Return whether both solvers answer a script as expected."""
    return all(answers[solver][one.name].answer == one.expected for solver in SOLVERS)


class ProofRow(NamedTuple):
    """A claim in the table of proofs: its verdict, and what was found of its steps and of their mutants."""

    label: str
    number: str | None
    verdict: Verdict
    composition: str
    steps: int
    #: How many steps each solver proved, and of how many the certificate was re-checked without one.
    z3: int
    cvc5: int
    certificates: int
    mutants: int
    mutants_refuted: int
    #: What both solvers took for the steps themselves.
    seconds: float
    #: Why it is not proved, or says nothing.
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class ClaimProof:
    """What is known of a claim's proof.

    Parameters
    ----------
    proof : Proof
    verdict : Verdict
        `PROVED`: the statement, by a theorem in Coq or with its composition; `PROVED_STEPS`: its steps, and
        `Proof.beyond` names the rest; `EXACT` for some numbers of providers only; `VACUOUS`, or `SKIPPED`.
    reason : str
        Why it is not proved, or says nothing; of what Coq proves, why its steps are not.
    obligations : tuple of ObligationResult
    statements : tuple of StatementResult, optional
        What it says in all, where the composition is checked.
    left_to_english : str, optional
        What no machine checks of it, what it takes over from the claims that it uses included.
    assumed : mapping, optional
        The named axioms that it assumes, each with what it says.
    cited_proofs : mapping, optional
        The claims whose obligations its own cite, as the machine checked, and which obligations; see `citations`.
    missing : tuple of str, optional
        The solvers for want of which alone it is not decided; of what Coq proves, its steps.
    kernel : KernelRecord, optional
        The theorem in Coq about the claim.
    by_solvers : Verdict, optional
        What the solvers and the checker alone come to, where Coq was looked at as well; else that is `verdict`.
    """

    proof: Proof
    verdict: Verdict
    reason: str
    obligations: tuple[ObligationResult, ...]
    statements: tuple[StatementResult, ...] = ()
    left_to_english: str = ""
    assumed: Mapping[str, str] = field(default_factory=dict)
    cited_proofs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    kernel: KernelRecord | None = None
    by_solvers: Verdict | None = None

    def with_kernel(self, record: KernelRecord | None) -> ClaimProof:
        """Return the same beside the theorem in Coq about the claim: what states the claim proves it.

        It does not where an obligation is found false, or a certificate fails: then something is wrong. Nor where the
        proof is none for all parameters, or its obligations say nothing.
        """
        proved = record is not None and record.proves_claim and not self._spoken_against
        return replace(self, kernel=record, by_solvers=self.verdict, verdict=Verdict.PROVED if proved else self.verdict)

    @property
    def _spoken_against(self) -> bool:
        said = {one.said(solver) for one in self.obligations for solver in SOLVERS}
        failed = any(one.certificate == "failed" for one in self.obligations)
        says_less = self.verdict is Verdict.VACUOUS or verdict_if_it_stands(self.proof) not in PROOFS
        return "sat" in said or failed or says_less

    @property
    def rests_on_kernel(self) -> bool:
        """Whether a theorem in Coq states the claim, and its verdict rests on that."""
        return self.kernel is not None and self.kernel.proves_claim and self.verdict is Verdict.PROVED

    @property
    def beyond(self) -> str:
        """What is left to English: by the theorem in Coq where the verdict rests on it, else by the steps."""
        kernel = self.kernel if self.rests_on_kernel else None
        return self.left_to_english if kernel is None else kernel.theorem.beyond

    @property
    def stands(self) -> bool:
        """Whether it is proved, as far as the verdict says."""
        return self._is_standing(self.verdict)

    @property
    def steps_stand(self) -> bool:
        """Whether every obligation is proved, and composes as far as the proof says, whatever Coq proves."""
        return self._is_standing(self.by_solvers or self.verdict)

    def _is_standing(self, verdict: Verdict) -> bool:
        return verdict in (*PROOFS, Verdict.EXACT) or (verdict is Verdict.VACUOUS and self.proof.vacuous)

    @property
    def row(self) -> ProofRow:
        """The claim in the table of proofs."""
        results = self.obligations
        return ProofRow(
            label=self.proof.label,
            number=number_of(self.proof.label),
            verdict=self.verdict,
            composition=self.composition,
            steps=len(results),
            **{solver: sum(result.said(solver) == "unsat" for result in results) for solver in SOLVERS},
            certificates=rechecked(results),
            mutants=sum(len(result.mutants) for result in results),
            mutants_refuted=sum(result.mutants_refuted for result in results),
            seconds=sum(result.seconds for result in results),
            reason=self.reason or None,
        )

    @property
    def composition(self) -> Literal["checked", "argued"]:
        """Whether a machine checked the whole statement, or English argues how the obligations compose to it."""
        return "checked" if self.stands and (self.rests_on_kernel or not self.proof.beyond) else "argued"

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "label": self.proof.label,
            "number": number_of(self.proof.label),
            "verdict": self.verdict.value,
            "reason": self.reason or None,
            "remark": self.proof.remark or None,
            "composition": self.composition,
            "beyond": self.beyond or None,
            "by_solvers": (self.by_solvers or self.verdict).value,
            **kernel_evidence(self.kernel),
            "assumed": dict(self.assumed),
            "unlike_paper": self.proof.unlike_paper or None,
            "argument": self.proof.argument,
            "uses": list(self.proof.uses),
            "cited_proofs": {label: list(names) for label, names in self.cited_proofs.items()},
            "statements": [one.to_data() for one in self.statements],
            "obligations": [result.to_data() for result in self.obligations],
        }


@dataclass(frozen=True, kw_only=True)
class ProveReport(HasSheet):
    """What was proved.

    Parameters
    ----------
    claims : tuple of ClaimProof
    balls : mapping
        From a ball fact to whether it holds and its tightened form fails.
    seconds : float
    versions : mapping
    conditions : tuple of Script, optional
        What derives where axioms hold, where they are used.
    needed : tuple of ClaimProof, optional
        The claims asked for and those they rest on.
    """

    claims: tuple[ClaimProof, ...]
    balls: Mapping[str, bool]
    seconds: float
    versions: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[Script, ...] = ()
    needed: tuple[ClaimProof, ...] = ()

    def __repr__(self) -> str:
        return f"ProveReport({', '.join(f'{each.proof.label} {each.verdict}' for each in self.claims)})"

    def with_kernel(self, records: Mapping[str, KernelRecord | None]) -> ProveReport:
        """Return the same beside the theorems in Coq about the claims, by label."""
        claims, needed = (
            tuple(claim.with_kernel(records[claim.proof.label]) for claim in those)
            for those in (self.claims, self.needed)
        )
        return replace(self, claims=claims, needed=needed)

    @property
    def with_dependencies(self) -> tuple[ClaimProof, ...]:
        """The claims and those they rest on: without these, they would be supported by nothing."""
        return self.needed or self.claims

    @property
    def obligations_with_dependencies(self) -> tuple[ObligationResult, ...]:
        """Every obligation of the claims, and of those they rest on, once."""
        return _each_once(self.with_dependencies)

    @property
    def composition_scripts(self) -> tuple[Script, ...]:
        """What the solvers were asked about how the obligations compose."""
        results = self.obligations_with_dependencies
        statements = [one.statement for claim in self.with_dependencies for one in claim.statements]
        return (
            *self.conditions,
            *(one for result in results for one in result.sequent.questions),
            *(one for result in results for one in start_questions(result.obligation)),
            *(one for statement in statements for one in statement.derivations),
        )

    @property
    def answers(self) -> tuple[Answered, ...]:
        """Every answer of a solver about the obligations, their mutants and how they compose.

        A solver that is not installed answers nothing.
        """
        said = (one for result in self.obligations_with_dependencies for one in result.all_answers)
        return tuple(one for one in said if one.answer != "missing")

    @property
    def answers_kept(self) -> int:
        """How many of the answers were given before, and not asked for again."""
        return sum(one.kept for one in self.answers)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """What must never happen: solvers disagree, or a certificate or a ball fact does not hold."""
        results = self.obligations_with_dependencies
        disagreeing = {f"{name}: z3 and cvc5 disagree" for result in results for name in result.disagreement}
        failed = {
            f"{r.obligation.name}: its certificate fails ({r.certificate_error})"
            for r in results
            if r.certificate == "failed"
        }
        balls = {f"{name}: not shown by ball arithmetic" for name, holds in self.balls.items() if not holds}
        return tuple(sorted(disagreeing | failed | balls))

    def having(self, verdict: Verdict) -> tuple[ClaimProof, ...]:
        """Return the claims with a verdict."""
        return tuple(claim for claim in self.claims if claim.verdict is verdict)

    @property
    def obligations(self) -> tuple[ObligationResult, ...]:
        """Every obligation of the claims once."""
        return _each_once(self.claims)

    def sheet(self) -> Sheet:
        """Return a row for every claim: its verdict, and how many of its steps each solver and the checker accept."""
        rows = (claim.row._asdict() for claim in self.claims)
        return Sheet.of("Claims proved for all parameters", ProofRow._fields, rows, key="label")

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data (contract, ``prove --json``)."""
        return {
            "totals": {
                "claims": len(self.claims),
                "proved": len(self.having(Verdict.PROVED)),
                "proved_steps": len(self.having(Verdict.PROVED_STEPS)),
                "obligations": len(self.obligations),
                "mutants": sum(len(result.mutants) for result in self.obligations),
            },
            "claims": [claim.to_data() for claim in self.claims],
            "trusted_base": list(TRUSTED_BASE),
            "ball_facts": {name: {"says": BALL_FACTS[name].says, "holds": holds} for name, holds in self.balls.items()},
            "contradictions": list(self.contradictions),
            "seconds": round(self.seconds, 2),
            "answers": {"asked": len(self.answers) - self.answers_kept, "kept": self.answers_kept},
            "versions": dict(self.versions),
        }


def missing_solvers(results: Sequence[ObligationResult]) -> tuple[str, ...]:
    """Return the solvers for want of which obligations are not decided; none if anything else speaks against one."""
    said = {solver: {result.said(solver) for result in results} for solver in SOLVERS}
    missing = tuple(solver for solver in SOLVERS if said[solver] == {"missing"})
    fails = any(result.certificate == "failed" for result in results)
    return () if fails or any(said[solver] - {"unsat", "missing"} for solver in SOLVERS) else missing


def rechecked(results: Sequence[ObligationResult]) -> int:
    """Return how many certificates were re-checked without a solver."""
    return sum(result.certificate == "rechecked" for result in results)


def _each_once(claims: Sequence[ClaimProof]) -> tuple[ObligationResult, ...]:
    return tuple({result.obligation.name: result for claim in claims for result in claim.obligations}.values())
