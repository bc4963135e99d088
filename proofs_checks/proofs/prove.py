"""Proving: obligations put to both solvers, with what shows that they say something, and their certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from proofs_checks.proofs.catalogue import all_proofs, obligations_of, proofs_for
from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Obligation, Proof, Script, scripts_of
from proofs_checks.proofs.language.smtlib import assertions
from proofs_checks.proofs.results import CertificateStatus, ClaimProof, ObligationResult, ProveReport
from proofs_checks.proofs.solvers.solvers import SOLVERS, TIME_LIMIT, Answered, ask_both, solver_versions
from proofs_checks.proofs.store import stored_certificate
from proofs_checks.verdict import Verdict


def prove(
    labels: Sequence[str] = (),
    *,
    mutants: bool = True,
    time_limit: float = TIME_LIMIT,
    proofs: Mapping[str, Proof] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ProveReport:
    """Put the obligations of claims, and of the claims that they use, to both solvers and to the checker.

    Parameters
    ----------
    labels, mutants, time_limit : optional
        As of `costproof.prove`.
    proofs : mapping, optional
        By label; by default those of the paper.
    progress : callable, optional
        Called with (done, total) questions, by each solver.

    Raises
    ------
    InputError
        A label without a proof; the nearest are named.
    """
    start = perf_counter()
    known = all_proofs() if proofs is None else proofs
    needed = proofs_for(labels, known)
    obligations = obligations_of(needed)
    # Written once: putting mutants into finitely many providers is most of the work here that no solver does.
    scripts = {name: scripts_of(one, None if mutants else ()) for name, one in obligations.items()}
    questions = {one.name: one.text for asked in scripts.values() for one in asked}
    answers = ask_both(questions, time_limit=time_limit, progress=progress)
    results = {name: _result(obligation, scripts[name], answers) for name, obligation in obligations.items()}
    balls = {name: fact.holds() and fact.tightened_fails() for name, fact in BALL_FACTS.items()}
    claims: dict[str, ClaimProof] = {}
    for label, proof in needed.items():
        claims[label] = _claim(proof, results, claims, balls)
    shown = tuple(claims[label] for label in needed if not labels or label in labels)
    return ProveReport(
        claims=shown,
        balls=balls,
        seconds=perf_counter() - start,
        versions=solver_versions(),
        needed=tuple(claims.values()),
    )


def _result(
    obligation: Obligation, scripts: tuple[Script, ...], answers: Mapping[str, Mapping[str, Answered]]
) -> ObligationResult:
    mine = {solver: {one.name: answers[solver][one.name] for one in scripts} for solver in SOLVERS}
    status: CertificateStatus = "rechecked"
    problem = ""
    try:
        certificate = stored_certificate(obligation.name)
        if certificate is None:
            status = "none"
        else:
            check_certificate(assertions(scripts[0].text), certificate)
    except CertificateError as error:
        status, problem = "failed", str(error)
    return ObligationResult(
        obligation=obligation, scripts=scripts, answers=mine, certificate=status, certificate_error=problem
    )


def _claim(
    proof: Proof, results: Mapping[str, ObligationResult], earlier: Mapping[str, ClaimProof], balls: Mapping[str, bool]
) -> ClaimProof:
    own = tuple(results[obligation.name] for obligation in proof.obligations)
    verdict, reason = _verdict(proof, own, earlier, balls)
    inherited = _leaving_out(proof, earlier)
    return ClaimProof(proof=proof, verdict=verdict, reason=reason, obligations=own, inherited=inherited)


def _verdict(
    proof: Proof, own: Sequence[ObligationResult], earlier: Mapping[str, ClaimProof], balls: Mapping[str, bool]
) -> tuple[Verdict, str]:
    """Return the verdict on a claim, and why it is not proved."""
    reason = _why_not(own, balls)
    resting = [used for used in proof.uses if not earlier[used].stands]
    if not reason and resting:
        reason = f"rests on {resting[0]}, which is not proved here: {earlier[resting[0]].reason}"
    if reason:
        return Verdict.SKIPPED, reason
    not_telling = [result.obligation.name for result in own if not result.telling]
    if not_telling:
        return Verdict.VACUOUS, f"not shown to say something: {', '.join(not_telling)}"
    return (Verdict.EXACT if proof.instances else Verdict.PROVED), ""


def _leaving_out(proof: Proof, earlier: Mapping[str, ClaimProof]) -> tuple[str, ...]:
    """Return the claims that a proof rests on, near and far, that leave something out."""
    found: dict[str, None] = {}
    for used in proof.uses:
        found |= dict.fromkeys([*([used] if earlier[used].proof.beyond else []), *earlier[used].inherited])
    return tuple(found)


def _why_not(results: Sequence[ObligationResult], balls: Mapping[str, bool]) -> str:
    for result in results:
        if not result.proved:
            said = ", ".join(f"{solver} says {result.said(solver)}" for solver in SOLVERS)
            failed = f"; its certificate fails ({result.certificate_error})" if result.certificate == "failed" else ""
            return f"{result.obligation.name}: {said}{failed}"
        for hypothesis in result.obligation.hypotheses.values():
            if hypothesis.source == "ball" and not balls[hypothesis.of]:
                return f"{result.obligation.name}: the ball fact {hypothesis.of} is not shown"
    return ""
