"""A proof of your own: a lemma on auctions, proved for any number of providers, or refuted by numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bounds.errors import InputError
from proofs_checks.certificates.certificate_search import NoCertificateError, find_certificate
from proofs_checks.certificates.checker import check_certificate
from proofs_checks.certificates.models import Model, model_of
from proofs_checks.certificates.obligation import Obligation, with_providers
from proofs_checks.certificates.scripts import scripts_of
from proofs_checks.certificates.smtlib import assertions, script, values_of_model
from proofs_checks.certificates.solvers import SOLVERS, TIME_LIMIT, Answered, ask_both, installed
from proofs_checks.verdict import Verdict

#: Providers of the counterexamples that are looked for: the fewer, the better to read.
_SIZES = (2, 3, 4)


@dataclass(frozen=True)
class Lemma:
    """What became of a lemma.

    Parameters
    ----------
    obligation : Obligation
    verdict : Verdict
        `PROVED`, `REFUTED` with a counterexample, `VACUOUS` if the hypotheses contradict each other, or `SKIPPED`.
    reason : str
    certified : bool
        Whether a certificate was found and checked without a solver.
    counterexample : Model or None
        Numbers for which the hypotheses are true and the goal is not.
    """

    obligation: Obligation
    verdict: Verdict
    reason: str
    certified: bool = False
    counterexample: Model | None = None

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data; fractions as text."""
        model = self.counterexample
        values = {} if model is None else {" ".join(map(str, key)): str(value) for key, value in model.values.items()}
        return {
            "name": self.obligation.name, "says": self.obligation.says, "verdict": self.verdict.value,
            "reason": self.reason, "certified": self.certified, "counterexample": values or None,
        }  # fmt: skip


def prove_lemma(obligation: Obligation, *, time_limit: float = TIME_LIMIT) -> Lemma:
    """Prove a lemma for any number of providers, or find numbers that refute it.

    Parameters
    ----------
    obligation : Obligation
        Made of the vocabulary in `proofs_checks.certificates.vocabulary`.
    time_limit : float, optional
        Seconds that a solver may take for one question.

    Raises
    ------
    InputError
        A solver is not installed.
    """
    missing = [solver for solver in SOLVERS if solver not in installed()]
    if missing:
        raise InputError("solver", missing[0], "is not installed", "pip install 'costproof[prove]'")
    main, alone, *_ = scripts_of(obligation)
    answers = ask_both({s.name: s.text for s in (main, alone)}, time_limit=time_limit)
    said = {solver: answers[solver][main.name].answer for solver in SOLVERS}
    if any(answer != "unsat" for answer in said.values()):
        return _refuted(obligation, time_limit) or Lemma(obligation, Verdict.SKIPPED, f"undecided: {said}")
    if any(answers[solver][alone.name].answer != "sat" for solver in SOLVERS):
        return Lemma(obligation, Verdict.VACUOUS, "the hypotheses are not shown to be true together of any numbers")
    return Lemma(obligation, Verdict.PROVED, "by z3 and by cvc5", _certified(obligation, main.text))


def _certified(obligation: Obligation, text: str) -> bool:
    try:
        found = find_certificate(obligation.refutation, obligation.hints, obligation.signs)
    except NoCertificateError:
        return False
    check_certificate(assertions(text), found)
    return True


def _refuted(obligation: Obligation, time_limit: float) -> Lemma | None:
    for size in _SIZES:
        formulas = with_providers(obligation.refutation, size)
        question = script(formulas, title=obligation.name, satisfiable=True, model=True)
        answers = ask_both({"counterexample": question}, time_limit=time_limit)
        for solver in SOLVERS:
            model = _model(answers[solver]["counterexample"])
            # What a solver says is not believed: the formulas are evaluated at its numbers, exactly.
            if model is not None and all(model.value(formula) for formula in formulas.values()):
                return Lemma(obligation, Verdict.REFUTED, f"{size} providers, found by {solver}", False, model)
    return None


def _model(answered: Answered) -> Model | None:
    return model_of(values_of_model(answered.text)) if answered.answer == "sat" else None
