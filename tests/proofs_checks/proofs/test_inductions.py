"""Every induction assumes its goal one step earlier, and begins with what is true; what does not is found."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.inductions import induction_problems, start_questions
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation
from proofs_checks.proofs.language.terms import INT, Term, all_of, constant, constants, equal, number
from proofs_checks.proofs.language.vocabulary import STATED, assuming, concluded, defining, induction
from proofs_checks.proofs.solvers.solvers import ask_both

OBLIGATIONS = obligations_of(all_proofs())
X, NEXT, CAP, TERM = constants("x next cap term")
COUNT = constant("count", INT)
BASE = Obligation("base", "", defining(first=equal(X, 101)), X > 100)


def step(begins: Mapping[str, Hypothesis], goal: Term = NEXT > 100) -> Obligation:
    return Obligation("step", "", {**begins, **defining(next=equal(NEXT, X + 1))}, goal)


def begins(formula: Term, start: object) -> dict[str, Hypothesis]:
    return {"so-far": Hypothesis(formula, "induction", start=start)}  # type: ignore[arg-type]


def problems(*obligations: Obligation) -> str:
    return "; ".join(induction_problems({one.name: one for one in obligations}))


def test_the_paper_has_no_problems() -> None:
    ways = [one.start for o in OBLIGATIONS.values() for one in o.hypotheses.values() if one.source == "induction"]
    assert induction_problems(OBLIGATIONS) == ()
    assert [way for way in ways if way == STATED] == [STATED]
    assert len([way for way in ways if isinstance(way, str) and way != STATED]) >= 13
    assert len([way for way in ways if isinstance(way, tuple)]) >= 12


def test_inductions_without_a_base_begin_with_what_is_true() -> None:
    questions = [question for obligation in OBLIGATIONS.values() for question in start_questions(obligation)]
    found = ask_both({question.name: question.text for question in questions})
    assert len(questions) >= 24
    for solver in found:
        answers = {question.name: found[solver][question.name].answer for question in questions}
        assert answers == {question.name: question.expected for question in questions}


@pytest.mark.parametrize(
    ("obligations", "said"),
    [
        pytest.param((step(begins(X > 100, "base")), BASE), "", id="a base"),
        pytest.param((step(begins(X > 100, ((X, number(101)),))),), "", id="a start"),
        pytest.param((step(begins(X > 100, ())),), "does not begin with anything", id="no base"),
        pytest.param((step(begins(X > 100, "base")),), "base 'base' is not there", id="a base elsewhere"),
        pytest.param((step(begins(X > 101, "base")), BASE), "not the goal one step earlier", id="a stronger one"),
        pytest.param((step(begins(X < 100, "base")), BASE), "not the goal one step earlier", id="another one"),
        pytest.param((step(begins(X > 100, "base"), X > 100), BASE), "assumes the goal itself", id="the goal"),
        pytest.param(
            (step(begins(X > 100, "base")), Obligation("base", "", defining(first=equal(X, 100)), X >= 100)),
            "base base says something else",
            id="a weaker base",
        ),
        pytest.param(
            (step(begins(X > 100, "base")), Obligation("base", "", concluded("step", above=X > 100), X > 100)),
            "base base rests on it",
            id="a circle",
        ),
        pytest.param(
            (
                step(begins(X > 100, "base")),
                Obligation("base", "", concluded("between", above=X > 100), X > 100),
                Obligation("between", "", begins(X > 100, "step"), X + 2 > 100),
            ),
            "base base rests on it",
            id="a long circle",
        ),
        pytest.param((step(begins(X > 100, ((CAP, number(0)),))),), "no symbol in it", id="something else"),
        pytest.param((step(begins(X > 100, ((number(101), X),))),), "no symbol in it", id="a number"),
        pytest.param(
            (step(begins(X > 100, ((X, number(0)), (X, number(1))))),), "two values of x", id="two values at once"
        ),
        pytest.param((step(begins(X > 100, ((X, X + 1),))),), "has no value yet", id="by itself"),
        pytest.param(
            (Obligation("step", "", begins(COUNT < 0, ((COUNT, number(1) / 2),)), COUNT + 1 < 0),),
            "which is of sort Int",
            id="half a count",
        ),
    ],
)
def test_what_is_no_induction_is_found(obligations: tuple[Obligation, ...], said: str) -> None:
    assert said in problems(*obligations)
    assert bool(said) == bool(problems(*obligations))


def test_a_false_start_is_no_start() -> None:
    wrong = step(induction(X > 100, start={X: 100}))
    idle = Obligation("idle", "", induction(equal(CAP, CAP), start={CAP: 0}), equal(TERM, TERM))
    questions = [*start_questions(wrong), *start_questions(idle)]
    found = ask_both({question.name: question.text for question in questions})
    for solver in found:
        differ = [one.name for one in questions if found[solver][one.name].answer != one.expected]
        assert differ == ["step.start.so-far", "idle.start.so-far.anywhere"]


@pytest.mark.parametrize("ways", [{}, {"base": "base", "stated": True}, {"base": "base", "start": {X: 0}}])
def test_an_induction_begins_in_one_way(ways: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="it needs one"):
        induction(X > 100, **ways)  # type: ignore[arg-type]


def test_a_part_of_a_step_is_no_induction() -> None:
    part = OBLIGATIONS["cauchy-schwarz-mixed-term-squared"]
    assert {one.source for one in part.hypotheses.values()} == {"assumption"}
    assert assuming(so_far=all_of(X > 0))["so-far"].start == ()
