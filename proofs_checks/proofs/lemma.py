"""A statement on auctions by itself: proved for any number of providers, or refuted by numbers that can be replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bounds.errors import InputError
from mechanism.arguments import seconds
from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.foundations import check_foundations, meanings_in_numbers, not_derived
from proofs_checks.proofs.language.axioms import OPAQUE
from proofs_checks.proofs.language.models import Model, NoValueError, model_of, with_providers
from proofs_checks.proofs.language.obligation import Obligation, Script, scripts_of
from proofs_checks.proofs.language.smtlib import assertions, script, values_of_model
from proofs_checks.proofs.language.terms import Term
from proofs_checks.proofs.language.well_formed import check_sources, plain
from proofs_checks.proofs.search import NoCertificateError, find_certificate
from proofs_checks.proofs.solvers.solvers import SOLVERS, TIME_LIMIT, Answered, ask_both, installed
from proofs_checks.verdict import Verdict

#: Providers of the counterexamples that are looked for: the fewer, the better to read.
_SIZES = (2, 3, 4, 1, 5, 6)
_REMEDY = "make one with proofs_checks.proofs.language.obligation.Obligation, no subclass"


@dataclass(frozen=True, kw_only=True)
class Lemma:
    """What became of a lemma.

    Parameters
    ----------
    obligation : Obligation
    verdict : Verdict
        `PROVED`; `REFUTED` with a counterexample; `VACUOUS` if the hypotheses contradict each other, or a mutant is not
        shown to be false; or `SKIPPED`, also if it follows from what it cites, which nothing here proves.
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

    @property
    def numbers(self) -> dict[str, str]:
        """The numbers of the counterexample by what they are of, exact and as text; empty if there is none."""
        values = {} if self.counterexample is None else self.counterexample.values
        return {" ".join(map(str, key)): str(value) for key, value in values.items()}

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data; fractions as text."""
        return {
            "name": self.obligation.name,
            "says": self.obligation.says,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "certified": self.certified,
            "counterexample": self.numbers or None,
        }


def prove_lemma(obligation: Obligation, *, time_limit: float = TIME_LIMIT) -> Lemma:
    """Prove a lemma for any number of providers, or find numbers that refute it.

    Parameters
    ----------
    obligation : Obligation
        Made of the vocabulary in `proofs_checks.proofs.language.vocabulary`.
    time_limit : float, optional
        Seconds that a solver may take for one question.

    Returns
    -------
    Lemma
        Always: what is neither decided nor refuted by numbers that are evaluated exactly is `SKIPPED`, with the
        reason.

    Raises
    ------
    InputError
        The lemma cannot be written as SMT-LIB, the time limit is no number of seconds, a solver is not installed, or
        an axiom or ball fact is not what it says.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from proofs_checks.proofs.language.terms import constant, equal
    >>> from proofs_checks.proofs.language.vocabulary import assuming
    >>> x = constant("x")
    >>> root = assuming(square=equal(x * x, 2), positive=x > 0)
    >>> lemma = prove_lemma(Obligation("root", "the root of 2 is below 1.41", root, x < Fraction(141, 100)))
    >>> print(lemma.verdict, lemma.numbers)
    REFUTED {'x': '1.414213562... (a root of 1*x^2 + -2)'}
    """
    try:
        obligation = plain(obligation)
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        raise InputError(
            "obligation", type(obligation).__name__, f"is no plain Obligation ({error})", _REMEDY
        ) from error
    if type(obligation) is not Obligation:
        raise InputError("obligation", obligation, "is no Obligation", _REMEDY)
    time_limit = seconds("time_limit", time_limit, "it is what a solver may take for one question")
    missing = [solver for solver in SOLVERS if solver not in installed()]
    if missing:
        raise InputError("solver", " and ".join(missing), "is not installed", "pip install 'costproof[prove]'")
    scripts = _scripts(obligation)
    check_sources(obligation)
    check_foundations(obligation)
    open_condition = not_derived(obligation, time_limit=time_limit)
    if open_condition:
        return Lemma(obligation=obligation, verdict=Verdict.SKIPPED, reason=open_condition)
    main, *others = scripts
    answers = ask_both({one.name: one.text for one in scripts}, time_limit=time_limit)
    told = {solver: answers[solver][main.name] for solver in SOLVERS}
    if any(one.answer != "unsat" for one in told.values()):
        return _refuted(obligation, time_limit, told)
    for asked in others:
        if any(answers[solver][asked.name].answer != "sat" for solver in SOLVERS):
            return Lemma(obligation=obligation, verdict=Verdict.VACUOUS, reason=_not_telling(asked))
    resting = _resting(obligation)
    if resting:
        return Lemma(obligation=obligation, verdict=Verdict.SKIPPED, reason=resting)
    certified = _certified(obligation, main.text)
    return Lemma(obligation=obligation, verdict=Verdict.PROVED, reason="by z3 and by cvc5", certified=certified)


def _resting(obligation: Obligation) -> str:
    """Return what a lemma takes from elsewhere, which nothing here checks; "" if it stands by itself."""
    for name, hypothesis in obligation.hypotheses.items():
        if hypothesis.source in ("obligation", "induction"):
            remedy = "make it an assumption, or put what it cites beside it: prove(proofs=...)"
            return f"follows if {name} is true, which cites {hypothesis.of or 'an earlier step'}: {remedy}"
        if hypothesis.source == "axiom" and hypothesis.of in OPAQUE:
            return (
                f"follows from the axiom {hypothesis.of}, of probability: that it applies is no question for a solver"
            )
    return ""


def _not_telling(asked: Script) -> str:
    if asked.mutant:
        return f"mutant {asked.mutant!r} is not shown to be false: does it matter?"
    return "the hypotheses are not shown to be true together of any numbers"


def _scripts(obligation: Obligation) -> tuple[Script, ...]:
    """Return the scripts of a lemma; what cannot be written is bad input.

    Of the mutants those that are written out: a lemma may assume more than it needs.
    """
    try:
        with_providers(obligation.refutation, _SIZES[0])
        return scripts_of(obligation, obligation.further_mutants)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        remedy = "formulas are made of terms, compared by <, <=, >, >= and equal(a, b), and joined by all_of and any_of"
        raise InputError("obligation", obligation.name, f"cannot be written as SMT-LIB ({error})", remedy) from error


def _certified(obligation: Obligation, text: str) -> bool:
    try:
        found = find_certificate(obligation.refutation, obligation.hints, obligation.signs)
        check_certificate(assertions(text), found)
    except (NoCertificateError, CertificateError):
        return False
    return True


def _refuted(obligation: Obligation, time_limit: float, told: Mapping[str, Answered]) -> Lemma:
    """Return a lemma that is not proved: with numbers that refute it, or why there are none."""
    problems: dict[str, None] = {}
    asked: list[Mapping[str, Term]] = []
    meanings = meanings_in_numbers(obligation)
    if meanings is None:
        reason = "not proved; no numbers refute it, since no logarithm, power or probability is evaluated exactly"
        return Lemma(obligation=obligation, verdict=Verdict.SKIPPED, reason=reason)
    for size in _SIZES:
        formulas = with_providers({**obligation.refutation, **meanings}, size)
        if formulas in asked:
            continue  # it speaks of no providers
        asked.append(formulas)
        question = script(formulas, title=obligation.name, satisfiable=True, model=True)
        answers = ask_both({"counterexample": question}, time_limit=time_limit)
        for solver in SOLVERS:
            try:
                model = _model(answers[solver]["counterexample"])
                # What a solver says is not believed: the formulas are evaluated at its numbers, exactly.
                if model is not None and all(model.value(formula) for formula in formulas.values()):
                    reason = f"{size} providers, found by {solver}" if model.providers else f"found by {solver}"
                    return Lemma(obligation=obligation, verdict=Verdict.REFUTED, reason=reason, counterexample=model)
            except _NOT_EVALUATED as error:
                problems.setdefault(f"{solver}'s numbers are not evaluated: {_why(error)}")
    return Lemma(obligation=obligation, verdict=Verdict.SKIPPED, reason=_undecided(told, list(problems)))


#: What may stand in the way of evaluating a formula at a solver's numbers; they refute nothing then. A solver may give
#: x / 0 any value, so what rests on it is no number of the paper's.
_NOT_EVALUATED = (NoValueError, ArithmeticError, RecursionError)


def _why(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError):
        return "they divide by zero"
    return "the formulas are nested too deeply" if isinstance(error, RecursionError) else str(error)


def _undecided(told: Mapping[str, Answered], problems: Sequence[str]) -> str:
    said = {solver: one.answer for solver, one in told.items()}
    errors = [f"{solver} says {one.text.strip()[:200]!r}" for solver, one in told.items() if one.answer == "error"]
    refuted = "both solvers refute it, but no counterexample with 1 to 6 providers was found"
    first = refuted if set(said.values()) == {"sat"} else f"undecided: {said}"
    return "; ".join([first, *errors, *problems[:1]])


def _model(answered: Answered) -> Model | None:
    if answered.answer != "sat":
        return None
    try:
        # A lemma without symbols has a model without values.
        values = values_of_model(answered.text) if answered.text.strip() else {}
    except (ValueError, TypeError) as error:
        raise NoValueError(f"the model cannot be read ({error})") from error
    return model_of(values)
