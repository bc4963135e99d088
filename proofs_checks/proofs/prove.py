"""Proving: obligations put to both solvers, with what shows that they say something, and their certificates."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter

from bounds.errors import InputError
from proofs_checks.proofs.catalogue import (
    all_proofs,
    assumed_by,
    checked,
    left_to_english,
    obligations_of,
    proofs_for,
    verdict_if_it_stands,
)
from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.citations import cited_proofs
from proofs_checks.proofs.composition import Composition, Sequent, statements_of, with_models
from proofs_checks.proofs.foundations import check_foundations, condition_questions
from proofs_checks.proofs.inductions import induction_problems, start_questions
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import CoqSaid, kernel_record
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Obligation, Proof, Script, scripts_of
from proofs_checks.proofs.language.smtlib import assertions
from proofs_checks.proofs.results import (
    CertificateStatus,
    ClaimProof,
    ObligationResult,
    ProveReport,
    StatementResult,
    all_say,
    missing_solvers,
    rechecked,
)
from proofs_checks.proofs.solvers.kept_answers import answers_to
from proofs_checks.proofs.solvers.solvers import SOLVERS, TIME_LIMIT, Answered, solver_versions
from proofs_checks.proofs.store import stored_certificate
from proofs_checks.proofs.undecided import why_undecided
from proofs_checks.verdict import Verdict


def prove(
    labels: Sequence[str] = (),
    *,
    mutants: bool = True,
    time_limit: float = TIME_LIMIT,
    proofs: Mapping[str, Proof] | None = None,
    fresh: bool = False,
    stored: bool = False,
    kernel: CoqSaid | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ProveReport:
    """Put the obligations of claims, and of the claims that they use, to both solvers and to the checker.

    What the solvers answered before is kept (`proofs_checks.proofs.kept`). What Coq says of the paper's claims is
    looked up each time.

    Parameters
    ----------
    labels, mutants, time_limit : optional
        As of `costproof.prove`.
    proofs : mapping, optional
        By label; by default those of the paper.
    fresh : bool, optional
        Ask the solvers again, whatever they said before.
    stored : bool, optional
        Whether answers count that the same solvers gave to the same scripts when this package was made.
    kernel : CoqSaid, optional
        What Coq said just now; default what is remembered or stored.
    progress : callable, optional
        Called with (done, total) questions, by each solver.

    Raises
    ------
    InputError
        A label without a proof; the nearest are named. A proof that is none, or cannot be put to the solvers. A
        formula of the program is not the one that the theorems in Coq are about.
    """
    check_formulas()
    known = all_proofs() if proofs is None else checked(proofs)
    needed = proofs_for(labels, known)
    ask = partial(answers_to, fresh=fresh, stored=stored, time_limit=time_limit)
    found = _proved(labels, needed, ask, mutants=mutants, progress=progress)
    return found if proofs is not None else _beside_kernel(found, known, kernel)


def _beside_kernel(report: ProveReport, proofs: Mapping[str, Proof], said: CoqSaid | None) -> ProveReport:
    """Return a report of the paper's claims beside the theorems in Coq, and without what these leave to no English."""
    labels = [claim.proof.label for claim in report.with_dependencies]
    found = report.with_kernel({label: kernel_record(label, said) for label in labels})
    whole = {claim.proof.label for claim in found.with_dependencies if claim.rests_on_kernel}

    def told(claims: Iterable[ClaimProof]) -> tuple[ClaimProof, ...]:
        return tuple(replace(one, left_to_english=left_to_english(one.proof, proofs, whole)) for one in claims)

    return replace(found, claims=told(found.claims), needed=told(found.needed))


def _proved(
    labels: Sequence[str],
    needed: Mapping[str, Proof],
    ask: Callable[..., dict[str, dict[str, Answered]]],
    *,
    mutants: bool,
    progress: Callable[[int, int], None],
) -> ProveReport:
    start = perf_counter()
    obligations = obligations_of(needed)
    unfounded = _unfounded(obligations)
    with _putting(needed):
        conditions = [one for each in obligations.values() for one in condition_questions(each).values()]
    derived = ask(_texts(conditions))
    conditions = [one for one in conditions if all_say(derived, one)]
    with _putting(needed):
        composition = Composition(obligations, [one.name for one in conditions])
        sequents = {name: composition.sequent(name) for name in obligations}
        statements = {label: statements_of(proof, composition) for label, proof in needed.items() if proof.composes}
        # Written once: putting mutants into finitely many providers is most of the work here that no solver does.
        scripts = {name: scripts_of(one, None if mutants else ()) for name, one in obligations.items()}
        asked = itertools.chain(
            itertools.chain.from_iterable(scripts.values()),
            itertools.chain.from_iterable(sequent.questions for sequent in sequents.values()),
            itertools.chain.from_iterable(one.derivations for found in statements.values() for one in found),
            itertools.chain.from_iterable(start_questions(obligation) for obligation in obligations.values()),
        )
        questions = _texts(asked)
    answers = ask(questions, progress=progress)
    results = {name: _result(sequents[name], scripts[name], answers) for name in obligations}
    possible = with_models(
        _texts(one.satisfiable for found in statements.values() for one in found),
        lambda solver, questions: ask(questions, solvers=[solver])[solver],
    )
    balls = {name: fact.holds() and fact.tightened_fails() for name, fact in BALL_FACTS.items()}
    claims: dict[str, ClaimProof] = {}
    for label, proof in needed.items():
        own = tuple(results[obligation.name] for obligation in proof.obligations)
        found = tuple(
            StatementResult.of(one, answers, satisfiable=one.satisfiable.name in possible)
            for one in statements.get(label, ())
        )
        broken = next((unfounded[one.obligation.name] for one in own if one.obligation.name in unfounded), "")
        broken = broken or _ball_not_shown(own, balls)
        missing = () if broken else missing_solvers(own)
        undecided = why_undecided(missing, len(own), rechecked(own)) if missing else ""
        reason = broken or undecided or _why_not(own) or _resting(proof, claims) or _open(proof, own, found)
        verdict = Verdict.SKIPPED if reason else _verdict(proof, own, found)
        claims[label] = ClaimProof(
            proof=proof,
            verdict=verdict,
            reason=reason or _remark(proof, verdict, own),
            obligations=own,
            statements=found,
            left_to_english=left_to_english(proof, needed),
            assumed=assumed_by(proof, needed),
            cited_proofs=cited_proofs(proof, own, needed),
            missing=missing,
        )
    shown = tuple(claims[label] for label in needed if not labels or label in labels)
    return ProveReport(
        claims=shown,
        balls=balls,
        seconds=perf_counter() - start,
        versions=solver_versions(),
        conditions=tuple(conditions),
        needed=tuple(claims.values()),
    )


@contextmanager
def _putting(proofs: Mapping[str, Proof]) -> Iterator[None]:
    """Make bad input of what cannot be put to the solvers: what cites another obligation is known only now."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        remedy = "correct what is cited, and what symbols stand for"
        raise InputError("proofs", list(proofs), f"do not hold together ({error})", remedy) from error


def _texts(questions: Iterable[Script]) -> dict[str, str]:
    """Return questions by their names; two of one name would get one answer."""
    found: dict[str, str] = {}
    for one in questions:
        if found.setdefault(one.name, one.text) != one.text:
            raise ValueError(f"two questions are named {one.name}")
    return found


def labels_with_proofs() -> tuple[str, ...]:
    """Return the labels that can be proved, in the order of the proofs.

    Examples
    --------
    >>> "lem:one-step" in labels_with_proofs()
    True
    """
    return tuple(all_proofs())


def _unfounded(obligations: Mapping[str, Obligation]) -> dict[str, str]:
    """Return what is wrong with axioms, ball facts and inductions, by obligation, that no solver need be asked."""
    found: dict[str, str] = {}
    for name, obligation in obligations.items():
        try:
            check_foundations(obligation)
        except InputError as error:
            found[name] = str(error)
    for problem in induction_problems(obligations):
        found.setdefault(problem.partition(":")[0], problem)
    return found


def _result(
    sequent: Sequent, scripts: tuple[Script, ...], answers: Mapping[str, Mapping[str, Answered]]
) -> ObligationResult:
    asked = (*scripts, *sequent.questions, *start_questions(sequent.obligation))
    mine = {solver: {one.name: answers[solver][one.name] for one in asked} for solver in SOLVERS}
    status: CertificateStatus = "rechecked"
    problem = ""
    try:
        certificate = stored_certificate(sequent.obligation.name)
        if certificate is None:
            status = "none"
        else:
            check_certificate(assertions(scripts[0].text), certificate)
    except CertificateError as error:
        status, problem = "failed", str(error)
    return ObligationResult(
        sequent=sequent, scripts=scripts, answers=mine, certificate=status, certificate_error=problem
    )


def _verdict(proof: Proof, own: Sequence[ObligationResult], statements: Sequence[StatementResult]) -> Verdict:
    """Return the verdict on a claim whose obligations are proved, and compose."""
    telling = all(result.telling for result in own) and all(one.satisfiable for one in statements)
    return verdict_if_it_stands(proof) if telling else Verdict.VACUOUS


def _remark(proof: Proof, verdict: Verdict, own: Sequence[ObligationResult]) -> str:
    """Return why a claim is vacuous."""
    if verdict is not Verdict.VACUOUS:
        return ""
    not_telling = [result.obligation.name for result in own if not result.telling]
    if not_telling:
        return f"not shown to say something: {', '.join(not_telling)}"
    return proof.never_applies or "what it assumes is not shown to be possible"


def _resting(proof: Proof, earlier: Mapping[str, ClaimProof]) -> str:
    """Return which claim that a proof uses is not proved, if one is not."""
    resting = [used for used in proof.uses if not earlier[used].stands]
    return f"rests on {resting[0]}, which is not proved here: {earlier[resting[0]].reason}" if resting else ""


def _open(proof: Proof, own: Sequence[ObligationResult], statements: Sequence[StatementResult]) -> str:
    """Return what a proof leaves open that claims to be whole."""
    if not proof.composes:
        return ""
    argued = dict.fromkeys(part for result in own for part in result.sequent.argued)
    if argued:
        return f"rests on what no solver composes ({', '.join(argued)}), and does not say so"
    left = [premise for one in statements for premise in one.underived]
    if left:
        return f"leaves unstated what it rests on: {'; '.join(f'{one.place}: {one.formula}' for one in left)}"
    hidden = [premise for one in statements for premise in one.statement.hidden]
    if hidden:
        return f"leaves unstated what symbols stand for: {'; '.join(f'{one.place}: {one.formula}' for one in hidden)}"
    unnamed = [problem for one in statements if (problem := one.unrealizable)]
    return f"no numbers are what its symbols stand for: {unnamed[0]}" if unnamed else ""


def _ball_not_shown(results: Sequence[ObligationResult], balls: Mapping[str, bool]) -> str:
    for result in results:
        for hypothesis in result.obligation.hypotheses.values():
            if hypothesis.source == "ball" and not balls[hypothesis.of]:
                return f"{result.obligation.name}: the ball fact {hypothesis.of} is not shown"
    return ""


def _why_not(results: Sequence[ObligationResult]) -> str:
    for result in results:
        if not result.proved:
            said = ", ".join(f"{solver} says {result.said(solver)}" for solver in SOLVERS)
            failed = f"; its certificate fails ({result.certificate_error})" if result.certificate == "failed" else ""
            return f"{result.obligation.name}: {said}{failed}"
        if result.not_following:
            cited = result.obligation.hypotheses[result.not_following[0]].of
            return f"{result.obligation.name}: {result.not_following[0]} does not follow from {cited}, which it cites"
        if result.not_begun:
            return f"{result.obligation.name}: its induction does not begin with what is true"
    return ""
