"""A lemma of any kind is answered: proved, refuted by numbers evaluated exactly, or left open with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import pytest

import costproof
from bounds.errors import InputError
from proofs_checks.proofs import lemma as lemmas
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    Term,
    all_of,
    any_of,
    constant,
    constants,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
    number,
)
from proofs_checks.proofs.language.vocabulary import assuming, every, provider
from proofs_checks.proofs.lemma import prove_lemma
from proofs_checks.proofs.solvers.solvers import Answered
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.random_lemmas import RandomLemmas

X, Y, Z = constants("x y z")
M, N = constants("m n", INT)
F, G, H = function("f"), function("g"), function("h", BOOL)
ONE, J = provider("i"), provider("j")
WEIGHT, NEXT = function("weight"), function("next_provider", PROVIDER)


def lemma(goal: Term, **assumed: Term) -> Obligation:
    return Obligation("asked", "", assuming(**assumed), goal)


#: False statements: what refutes some of them is no rational number, or the value of a function at a number.
REFUTED: dict[str, Obligation] = {
    "root of two": lemma(Fraction(141, 100) > X, square=equal(X * X, 2), positive=X > 0),
    "two roots": lemma(Fraction(244, 100) > X * Y, two=equal(X * X, 2), three=equal(Y * Y, 3), x=X > 0, y=Y > 0),
    "sum of roots": lemma(
        equal(X + Y, 3), two=equal(X * X, 2), three=equal(Y * Y, 3), x=X > 0, y=Y > 0, z=equal(Z, X + Y)
    ),
    "cubic": lemma(Fraction(133, 100) < X, cubic=equal(X * X * X - X, 1)),
    "quotient of roots": lemma(Y <= 1, two=equal(X * X, 2), positive=X > 0, quotient=equal(Y * X, 2)),
    "negative root": lemma(X >= 0, two=equal(X * X + 3 * X, 5)),
    "root beside a threshold": lemma(any_of(X < 1, X > 2), two=equal(X * X, 2), positive=X > 0),
    "function of a number": lemma(F(X) <= F(Y), less=X < Y),
    "function of a sum": lemma(equal(F(X + 1), F(Y)), apart=equal(X + 2, Y)),
    "function of a function": lemma(equal(F(F(X)), X), fixed=equal(F(X), Y)),
    "function of a root": lemma(F(X) > 0, two=equal(X * X, 2), positive=X > 0),
    "predicate of a number": lemma(H(Y), holds=H(X)),
    "function of two numbers": lemma(equal(function("k")(X, Y), function("k")(Y, X))),
    "function of whole numbers": lemma(function("w", INT)(M) > M, positive=M > 3),
    "next provider": lemma(equal(NEXT(ONE), ONE)),
    "next of next": lemma(equal(NEXT(NEXT(ONE)), ONE), weights=every(WEIGHT(J) >= 0)),
    "weights of the next": lemma(WEIGHT(NEXT(ONE)) >= WEIGHT(ONE)),
    "guarded division": lemma(either(equal(Y, 0), 0, X / Y) <= 1, positive=X > 0),
    "division": lemma(X / Y <= 1, positive=Y > 1),
    "some provider": lemma(exists([J], WEIGHT(J) > 0), nobody=WEIGHT(ONE) <= 0),
    "no symbol at all": lemma(Term("<", (number(1), number(-1)), BOOL)),
    "whole numbers": lemma(M * M > 2 * N, at_least=M >= N, positive=N > 0),
}


@pytest.mark.for_each("name", REFUTED)
def test_false_statements_are_refuted_by_exact_numbers(name: str) -> None:
    found = prove_lemma(REFUTED[name])
    assert found.verdict is Verdict.REFUTED, found.reason
    model = found.counterexample
    assert model is not None
    assert all(model.value(formula) for formula in found.obligation.formulas.values())
    assert not model.value(found.obligation.goal)
    numbers = json.loads(json.dumps(found.to_data()))["counterexample"]
    assert numbers or not model.values


PROVED: dict[str, Obligation] = {
    "root of two": lemma(Fraction(142, 100) > X, square=equal(X * X, 2), positive=X > 0),
    "product of roots": lemma(equal(X * X * Y * Y, 6), two=equal(X * X, 2), three=equal(Y * Y, 3)),
    "congruence": lemma(equal(F(X), F(Y)), same=equal(X, Y)),
    "quotient": lemma(equal(X / Y * Y, X), not_zero=Y > 0),
    "somebody is there": lemma(exists([J], WEIGHT(J) >= 0), nobody_below=every(WEIGHT(J) >= 0)),
}


@pytest.mark.for_each("name", PROVED)
def test_true_statements_are_proved(name: str) -> None:
    assert prove_lemma(PROVED[name]).verdict is Verdict.PROVED


def test_no_provider_is_no_model() -> None:
    """The sort of providers is not empty: a statement about none of them is vacuous, not proved."""
    nobody = lemma(equal(X, 1), nobody=every(all_of(WEIGHT(J) > 0, WEIGHT(J) < 0)))
    assert prove_lemma(nobody).verdict is Verdict.VACUOUS


def test_what_rests_on_a_division_by_zero_is_left_open() -> None:
    found = prove_lemma(lemma(equal(X / Y, 0), zero=equal(Y, 0)))
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "they divide by zero" in found.reason


def test_a_quantifier_over_numbers_is_left_open() -> None:
    found = prove_lemma(lemma(F(X) > 1, everywhere=for_all([Z], F(Z) > 0)))
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "only providers are finitely many" in found.reason or "undecided" in found.reason


def test_a_question_that_takes_too_long_is_left_open() -> None:
    found = prove_lemma(lemma(X * X * Y > Z, cubic=X * Y * Z > X + Y, other=X * X * X > Z), time_limit=0.001)
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "timeout" in found.reason


@pytest.mark.for_each("limit", ["a", None, 0, -1, True, float("nan"), float("inf"), 1e300])
def test_a_time_limit_is_a_number_of_seconds(limit: object) -> None:
    for ask in (lambda: prove_lemma(lemma(X > 0), time_limit=limit), lambda: costproof.prove(time_limit=limit)):
        with pytest.raises(InputError, match=r"^time_limit=.* must be a positive number of seconds: it is what"):
            ask()


@pytest.mark.for_each(
    ("made", "said"),
    [
        (lambda: lemma(equal(constant("provider_0", PROVIDER), ONE)), "kept"),
        (lambda: lemma(function("exp")(X) > 0), "'exp' of sort Real is no symbol"),
        (lambda: lemma(constant("let") > 0), "'let' of sort Real is no symbol"),
        (lambda: lemma(constant("x y") > 0), "is no symbol"),
        (lambda: lemma(constant("and") > 0), "cannot be applied"),
        (lambda: lemma(equal(function("pick", PROVIDER)(X), ONE)), "is none"),
        (lambda: lemma(Term("<", (X, M), BOOL)), "cannot be applied to Real, Int"),
        (lambda: Obligation("two\nlines", "", {}, X > 0), "one line"),
    ],
)
def test_what_cannot_be_asked_is_bad_input(made: Callable[[], Obligation], said: str) -> None:
    with pytest.raises(InputError, match=said):
        prove_lemma(made())


def test_what_is_no_lemma_is_bad_input() -> None:
    with pytest.raises(InputError, match="obligation=42 is no Obligation"):
        prove_lemma(42)  # type: ignore[arg-type]
    deep = X
    for _ in range(3000):
        deep = deep + 1
    with pytest.raises(InputError, match="cannot be written"):
        prove_lemma(lemma(deep > 0))


#: What a solver might print instead of a number: none of it may be taken for one.
STRANGE = (
    "((x (root-obj (+ (^ x 2) 2) 1)))",  # no real root
    "((x (root-obj (+ (^ x 2) (- 2)) 3)))",  # two roots only
    "((x (_ real_algebraic_number <1*x^2 + (-2), (5, 6)>)))",  # no root there
    "((x (_ real_algebraic_number <x?, (5, 6)>)))",
    "((x (_ +oo)))",
    "((x (/ 1.0 0.0)))",
    "((x 1.5?))",
    "((x (lambda y y)))",
    "((x 3.0)",
    "model is not available",
)


@pytest.mark.parametrize("text", STRANGE)
def test_what_cannot_be_read_refutes_nothing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def ask(questions: dict[str, str], **_: object) -> object:
        return {solver: {name: Answered("sat", 0.0, text) for name in questions} for solver in ("z3", "cvc5")}

    monkeypatch.setattr(lemmas, "ask_both", ask)
    found = prove_lemma(lemma(X < 5, square=X > 2))
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "numbers are not evaluated" in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "((x 3.0))",  # not below 2
        "((x (root-obj (+ (^ x 2) (- 2)) 1)))",  # the other root
        "((x (_ real_algebraic_number <1*x^2 + (-2), (-3/2, -5/4)>)))",
        "((x (/ 141421356237 100000000000)))",  # nearly
    ],
)
def test_numbers_that_do_not_refute_are_not_believed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def ask(questions: dict[str, str], **_: object) -> object:
        return {solver: {name: Answered("sat", 0.0, text) for name in questions} for solver in ("z3", "cvc5")}

    monkeypatch.setattr(lemmas, "ask_both", ask)
    found = prove_lemma(lemma(X > 2, square=equal(X * X, 2), positive=X > 0))
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)


def test_a_division_by_zero_that_decides_nothing_is_passed_over() -> None:
    at_zero = Model(2, {("x",): Fraction(0), ("weight", 0): Fraction(0), ("weight", 1): Fraction(2)})
    assert at_zero.value(any_of(1 / X > 0, equal(X, 0)))
    assert not at_zero.value(all_of(1 / X > 0, ~equal(X, 0)))
    assert at_zero.value(implies(~equal(X, 0), 1 / X > 0))
    assert at_zero.value(either(equal(X, 0), 5, 1 / X)) == 5
    assert at_zero.value(exists([J], 1 / WEIGHT(J) > 0))
    for undefined in (all_of(1 / X > 0, equal(X, 0)), every(1 / WEIGHT(J) > 0), ~(1 / X > 0)):
        with pytest.raises(ZeroDivisionError):
            at_zero.value(undefined)


def assert_answered(seed: int, most: int) -> None:
    """Random lemmas are answered; what refutes one makes its hypotheses true and its goal false."""
    source = RandomLemmas(seed)
    for _ in range(most):
        found = prove_lemma(source.lemma(), time_limit=1.0)
        assert found.verdict in (Verdict.PROVED, Verdict.REFUTED, Verdict.VACUOUS, Verdict.SKIPPED)
        assert found.reason
        assert (found.counterexample is not None) == (found.verdict is Verdict.REFUTED)
        if found.counterexample is not None:
            assert all(found.counterexample.value(formula) for formula in found.obligation.formulas.values())
            assert not found.counterexample.value(found.obligation.goal)


def test_random_lemmas_are_answered() -> None:
    assert_answered(seed=0, most=15)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(1, 11))
def test_many_random_lemmas_are_answered(seed: int) -> None:
    assert_answered(seed, most=100)
