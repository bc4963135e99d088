"""Every induction assumes its goal one step earlier, and begins with what is true; attacks have those that do not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.inductions import induction_problems, start_questions
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation
from proofs_checks.proofs.language.terms import INT, Term, constant, constants, equal, number
from proofs_checks.proofs.language.vocabulary import STATED, concluded, defining, induction
from proofs_checks.proofs.solvers.solvers import ask_both

OBLIGATIONS = obligations_of(all_proofs())
X, NEXT, CAP, TERM = constants("x next cap term")
COUNT = constant("count", INT)
BASE = Obligation("base", "", defining(first=equal(X, 101)), X > 100)


def step(begins: Mapping[str, Hypothesis], goal: Term = NEXT > 100) -> Obligation:
    return Obligation("step", "", {**begins, **defining(next=equal(NEXT, X + 1))}, goal)


def begins(formula: Term, start: object) -> dict[str, Hypothesis]:
    return {"so-far": Hypothesis(formula, "induction", start=start)}  # type: ignore[arg-type]


def test_the_paper_has_no_problems() -> None:
    ways = [one.start for o in OBLIGATIONS.values() for one in o.hypotheses.values() if one.source == "induction"]
    assert induction_problems(OBLIGATIONS) == ()
    assert [way for way in ways if way == STATED] == [STATED]
    assert len([way for way in ways if isinstance(way, str) and way != STATED]) >= 13
    assert len([way for way in ways if isinstance(way, tuple)]) >= 12


@pytest.mark.long("asks both solvers")
def test_inductions_begin_with_what_is_true() -> None:
    wrong = step(induction(X > 100, start={X: 100}))
    idle = Obligation("idle", "", induction(equal(CAP, CAP), start={CAP: 0}), equal(TERM, TERM))
    questions = [one for obligation in (*OBLIGATIONS.values(), wrong, idle) for one in start_questions(obligation)]
    assert len(questions) >= 24
    for answers in ask_both({question.name: question.text for question in questions}).values():
        differ = [one.name for one in questions if answers[one.name].answer != one.expected]
        assert differ == ["step.start.so-far", "idle.start.so-far.anywhere"]


@pytest.mark.for_each(
    ("obligations", "said"),
    [
        ((step(begins(X > 100, "base")), BASE), ""),
        ((step(begins(X > 100, ((X, number(101)),))),), ""),
        (
            (
                step(begins(X > 100, "base")),
                Obligation("base", "", concluded("between", above=X > 100), X > 100),
                Obligation("between", "", begins(X > 100, "step"), X + 2 > 100),
            ),
            "base base rests on it",
        ),
        ((step(begins(X > 100, ((CAP, number(0)),))),), "no symbol in it"),
        ((step(begins(X > 100, ((number(101), X),))),), "no symbol in it"),
        ((step(begins(X > 100, ((X, number(0)), (X, number(1))))),), "two values of x"),
        ((step(begins(X > 100, ((X, X + 1),))),), "has no value yet"),
        (
            (Obligation("step", "", begins(COUNT < 0, ((COUNT, number(1) / 2),)), COUNT + 1 < 0),),
            "which is of sort Int",
        ),
    ],
)
def test_what_is_no_induction_is_found(obligations: tuple[Obligation, ...], said: str) -> None:
    found = "; ".join(induction_problems({one.name: one for one in obligations}))
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.for_each("ways", [{}, {"base": "base", "stated": True}, {"base": "base", "start": {X: 0}}])
def test_an_induction_begins_in_one_way(ways: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="it needs one"):
        induction(X > 100, **ways)  # type: ignore[arg-type]
