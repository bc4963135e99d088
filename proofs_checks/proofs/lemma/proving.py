"""A statement by itself: proved for any number of providers, or refuted by numbers that are evaluated exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from bounds.errors import InputError
from mechanism.arguments import seconds
from proofs_checks.proofs.lemma import models
from proofs_checks.proofs.lemma.scripts import script
from proofs_checks.proofs.lemma.solvers import SOLVERS, Answered, Solvers
from proofs_checks.proofs.lemma.terms import BOOL, Term, check_names, signatures_of
from proofs_checks.verdict import Verdict

#: Providers of the models that are looked for: the fewer, the better to read.
_SIZES = (2, 3, 4, 1, 5, 6)
_BOTH = " and by ".join(SOLVERS)


@dataclass(frozen=True, kw_only=True)
class Lemma:
    """What became of a lemma.

    Parameters
    ----------
    assumptions : dict
        From names to formulas.
    goal : Term
    verdict : Verdict
        `PROVED`; `REFUTED` with a counterexample; `VACUOUS` if the assumptions contradict each other; or `SKIPPED`.
    reason : str
    counterexample : Model or None
        Numbers for which the assumptions are true and the goal is not.
    """

    assumptions: dict[str, Term]
    goal: Term
    verdict: Verdict
    reason: str
    counterexample: models.Model | None = None

    @property
    def numbers(self) -> dict[str, str]:
        """The numbers of the counterexample by what they are of, exact and as text; empty if there is none."""
        values = {} if self.counterexample is None else self.counterexample.values
        return {" ".join(map(str, key)): str(value) for key, value in values.items() if "." not in key[0]}


def prove_lemma(
    assumptions: Mapping[str, Term], goal: Term, *, time_limit: float = 10.0, solvers: Solvers | None = None
) -> Lemma:
    """Prove a lemma for any number of providers, or find numbers that refute it.

    Parameters
    ----------
    assumptions : mapping
        From names, which are yours to choose, to formulas.
    goal : Term
    time_limit : float, optional
        Seconds that a solver may take for one question.
    solvers : Solvers, optional
        Processes to ask, for many lemmas; by default new ones.

    Returns
    -------
    Lemma
        Always: what is neither decided nor refuted by numbers that are evaluated exactly is `SKIPPED`, with the
        reason. `PROVED` says that both solvers find no case in which the goal fails, and that the assumptions are true
        of some numbers: of such that were evaluated exactly, or by the word of both solvers.

    Raises
    ------
    InputError
        A part is not a formula, the time limit is not a number of seconds, or solvers are none or not installed.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from proofs_checks.proofs.lemma import constant, equal
    >>> x = constant("x")
    >>> lemma = prove_lemma({"square": equal(x * x, 2), "positive": x > 0}, x < Fraction(141, 100))
    >>> print(lemma.verdict, lemma.numbers)
    REFUTED {'x': '1.414213562... (a root of 1*x^2 + -2)'}
    """
    stated = _checked(assumptions, goal)
    time_limit = seconds("time_limit", time_limit, "it is what a solver may take for one question")
    if solvers is not None and type(solvers) is not Solvers:
        raise InputError("solvers", type(solvers).__name__, "is not a Solvers", "make them with Solvers() itself")
    with nullcontext(solvers) if solvers is not None else Solvers() as asked:
        found = _Search(asked, time_limit).verdict([*stated.values()], goal)
    verdict, reason, model = found
    return Lemma(assumptions=stated, goal=goal, verdict=verdict, reason=reason, counterexample=model)


def _checked(assumptions: Mapping[str, Term], goal: Term) -> dict[str, Term]:
    """Return a copy of assumptions, made of exact types: somebody's mapping could say one thing here, another later."""
    remedy = "give a mapping from names to formulas"
    if not isinstance(assumptions, Mapping):
        raise InputError("assumptions", type(assumptions).__name__, "are no mapping", remedy)
    pairs = [*assumptions.items()]
    if not all(type(name) is str for name, _ in pairs):
        raise InputError("assumptions", [name for name, _ in pairs], "have a name that is not a str", remedy)
    copied = dict(pairs)
    try:
        for place, formula in (*((f"assumptions[{name!r}]", one) for name, one in copied.items()), ("goal", goal)):
            if type(formula) is not Term or formula.sort != BOOL:
                raise InputError(place, formula, "is not a formula", "compare with <= or equal(a, b), not ==")
            check_names(formula)
        signatures_of([*copied.values(), goal])
        str(goal), [*map(str, copied.values())]
    except RecursionError:
        raise InputError("lemma", "a formula", "is nested too deeply", "name a part of it by a constant") from None
    return copied


_Found = tuple[Verdict, str, models.Model | None]
#: What may stand in the way of evaluating a formula at a solver's numbers; they show nothing then. A solver may give
#: x / 0 any value.
_NOT_EVALUATED = (models.NoValueError, ArithmeticError, RecursionError)


class _Search:
    """The questions about one lemma."""

    def __init__(self, solvers: Solvers, time_limit: float) -> None:
        self._solvers, self._time_limit = solvers, time_limit
        self._problems: dict[str, None] = {}

    def verdict(self, assumptions: Sequence[Term], goal: Term) -> _Found:
        refutation = [*assumptions, ~goal]
        answers, alone = self._ask(script(refutation), script(assumptions))
        if _all_say("unsat", answers):
            return self._not_vacuous(assumptions, alone)
        for size, formulas in _finite(refutation):
            for solver, model in self._models(formulas, size):
                by = f"found by {solver}"
                return Verdict.REFUTED, f"{size} providers, {by}" if model.providers else by, model
        return Verdict.SKIPPED, "; ".join([_undecided(answers), *[*self._problems][:1]]), None

    def _not_vacuous(self, assumptions: Sequence[Term], alone: Mapping[str, Answered]) -> _Found:
        """Return PROVED if the assumptions of what follows are true of something."""
        if _all_say("unsat", alone):
            return Verdict.VACUOUS, "the assumptions contradict each other", None
        if any(self._true_of(assumptions)):
            return Verdict.PROVED, f"by {_BOTH}", None
        divided = models.no_divisor_zero(assumptions)
        if divided and _all_say("unsat", *self._ask(script([*assumptions, *divided]))):
            return Verdict.VACUOUS, "the assumptions contradict each other, unless something is divided by zero", None
        return Verdict.SKIPPED, "it follows, but the assumptions are not shown to be true together of any numbers", None

    def _true_of(self, assumptions: Sequence[Term]) -> Iterator[bool]:
        """Yield, for some numbers of providers, whether the assumptions are true of so many."""
        for size, formulas in _finite(assumptions):
            yield any(True for _ in self._models(formulas, size))
            yield _all_say("sat", *self._ask(script([*formulas, *models.no_divisor_zero(formulas)])))

    def _ask(self, *scripts: str) -> list[dict[str, Answered]]:
        return self._solvers.ask(scripts, time_limit=self._time_limit)

    def _models(self, formulas: Sequence[Term], size: int) -> Iterator[tuple[str, models.Model]]:
        """Yield the models that solvers find, and of which the formulas are true, evaluated exactly."""
        asked = models.asked_of(formulas, size)
        for solver, answered in self._ask(script(formulas, asked))[0].items():
            try:
                model = models.model_of(asked, answered.text, size) if answered.answer == "sat" else None
                # What a solver says is not believed.
                if model is not None and all(model.value(formula) is True for formula in formulas):
                    yield solver, model
            except _NOT_EVALUATED as error:
                self._problems.setdefault(f"{solver}'s numbers are not evaluated: {_why(error)}")


def _finite(formulas: Sequence[Term]) -> Iterator[tuple[int, list[Term]]]:
    """Yield formulas about so many providers; once if they speak of none."""
    for size in _SIZES if models.speak_of_providers(formulas) else (0,):
        yield size, models.with_providers(formulas, size)


def _all_say(answer: str, answers: Mapping[str, Answered]) -> bool:
    return all(answers[solver].answer == answer for solver in SOLVERS)


def _why(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError):
        return "they divide by zero"
    return "the formulas are nested too deeply" if isinstance(error, RecursionError) else str(error)


def _undecided(answers: Mapping[str, Answered]) -> str:
    said = {solver: one.answer for solver, one in answers.items()}
    errors = [f"{solver} says {one.text.strip()[:200]!r}" for solver, one in answers.items() if one.answer == "error"]
    refuted = "both solvers refute it, but no counterexample with 1 to 6 providers was found"
    return "; ".join([refuted if _all_say("sat", answers) else f"undecided: {said}", *errors])
