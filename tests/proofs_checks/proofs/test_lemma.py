"""A lemma of a user is proved, refuted by numbers that are evaluated exactly, vacuous, left open, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

import costproof
from bounds.errors import InputError
from proofs_checks.proofs import lemma as lemmas
from proofs_checks.proofs.language.axioms import (
    exp_of_minus_log,
    log_monotone,
    log_product,
    log_tangent,
    power_monotone,
    root_non_negative,
    root_positive,
    square_root,
)
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation
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
    ln,
    number,
)
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    Auction,
    assuming,
    every,
    market,
    provider,
    same_others,
    within,
)
from proofs_checks.proofs.lemma import Lemma, prove_lemma
from proofs_checks.proofs.solvers.solvers import Answered
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.formulas import formulas

pytestmark = pytest.mark.usefixtures("shared_solvers")

X, Y, Z = constants("x y z")
M, N = constants("m n", INT)
F, G, H = function("f"), function("g"), function("h", BOOL)
ONE, J = provider("i"), provider("j")
WEIGHT, NEXT = function("weight"), function("next_provider", PROVIDER)
E, D = constants("estimate deviation")


def lemma(goal: Term, hypotheses: Mapping[str, Hypothesis] | None = None, **assumed: Term) -> Obligation:
    return Obligation("asked", "", {**(hypotheses or {}), **assuming(**assumed)}, goal)


def assert_refuted(found: Lemma) -> None:
    """The numbers make the hypotheses true and the goal false."""
    assert found.verdict is Verdict.REFUTED, found.reason
    model = found.counterexample
    assert model is not None
    assert all(model.value(formula) for formula in found.obligation.formulas.values())
    assert not model.value(found.obligation.goal)
    assert json.loads(json.dumps(found.to_data()))["counterexample"] or not model.values


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
    "next of next": lemma(equal(NEXT(NEXT(ONE)), ONE), weights=every(WEIGHT(J) >= 0)),
    "weights of the next": lemma(WEIGHT(NEXT(ONE)) >= WEIGHT(ONE)),
    "guarded division": lemma(either(equal(Y, 0), 0, X / Y) <= 1, positive=X > 0),
    "some provider": lemma(exists([J], WEIGHT(J) > 0), nobody=WEIGHT(ONE) <= 0),
    "no symbol at all": lemma(Term("<", (number(1), number(-1)), BOOL)),
    "whole numbers": lemma(M * M > 2 * N, at_least=M >= N, positive=N > 0),
}


@pytest.mark.for_each("name", ["root of two", "weights of the next"])
def test_false_statements_are_refuted_by_exact_numbers(name: str) -> None:
    assert_refuted(prove_lemma(REFUTED[name]))


@pytest.mark.long("asks both solvers many times")
@pytest.mark.for_each("name", REFUTED)
def test_all_false_statements_are_refuted_by_exact_numbers(name: str) -> None:
    assert_refuted(prove_lemma(REFUTED[name]))


@pytest.mark.long("asks both solvers many times")
@settings(max_examples=40)
@given(st.lists(formulas(), min_size=1, max_size=2))
def test_random_lemmas_are_answered(drawn: list[Term]) -> None:
    goal, *assumed = drawn
    # A model whose values name no provider counts none.
    somebody = {"somebody": equal(ONE, ONE)}
    found = prove_lemma(lemma(goal, **somebody, **{f"h{k}": one for k, one in enumerate(assumed)}), time_limit=1.0)
    assert found.reason
    if found.verdict is Verdict.REFUTED:
        assert_refuted(found)
    else:
        assert found.counterexample is None
        assert found.verdict in (Verdict.PROVED, Verdict.VACUOUS, Verdict.SKIPPED)


@pytest.mark.for_each(
    "stated",
    [
        lemma(Fraction(142, 100) > X, square=equal(X * X, 2), positive=X > 0),
        lemma(equal(X * X * Y * Y, 6), two=equal(X * X, 2), three=equal(Y * Y, 3)),
        lemma(equal(F(X), F(Y)), same=equal(X, Y)),
        lemma(equal(X / Y * Y, X), not_zero=Y > 0),
        lemma(exists([J], WEIGHT(J) >= 0), nobody_below=every(WEIGHT(J) >= 0)),
    ],
)
def test_true_statements_are_proved(stated: Obligation) -> None:
    assert prove_lemma(stated).verdict is Verdict.PROVED


def test_a_lone_provider_is_paid_the_cost_bound() -> None:
    auction = Auction()
    alone = {**market(), **auction.definitions(), **assuming(alone=~HAS_RIVAL(auction.winner))}
    found = prove_lemma(lemma(equal(auction.payment(auction.winner), COST_BOUND), alone))
    assert (found.verdict, found.certified) == (Verdict.PROVED, True)


def test_a_first_price_auction_is_refuted_by_numbers() -> None:
    truthful, other = Auction("_truthful"), Auction("_other")

    def gain(auction: Auction, bid: Term) -> Term:
        return either(equal(auction.winner, ONE), bid - E, 0)

    hypotheses = {
        **market(),
        **truthful.definitions(),
        **other.definitions(),
        **assuming(
            others=same_others(truthful, other, ONE),
            truth=equal(truthful.bid(ONE), E),
            lie=equal(other.bid(ONE), D),
            ranges=all_of(within(0, E, COST_BOUND), within(0, D, COST_BOUND)),
            able=ELIGIBLE(ONE),
        ),
    }
    found = prove_lemma(lemma(gain(truthful, E) >= gain(other, D), hypotheses))
    assert_refuted(found)
    assert found.counterexample is not None
    assert found.counterexample.value(gain(other, D)) > 0


@pytest.mark.for_each(
    ("stated", "verdict", "said"),
    [
        (
            Obligation("idle", "", assuming(a=E > 0, b=D > 0), E > 0, (Mutant("no b", drop=("b",)),)),
            Verdict.VACUOUS,
            "mutant 'no b' is not shown to be false: does it matter?",
        ),
        (lemma(D > 0, a=E > 0, b=E < 0), Verdict.VACUOUS, "not shown to be true together"),
        # The sort of providers is not empty.
        (
            lemma(equal(X, 1), nobody=every(all_of(WEIGHT(J) > 0, WEIGHT(J) < 0))),
            Verdict.VACUOUS,
            "not shown to be true together",
        ),
        (lemma(equal(Y, 0), zero=equal(1 / Y, 0)), Verdict.VACUOUS, "not shown to be true together"),
        (lemma(equal(X / Y, 0), zero=equal(Y, 0)), Verdict.SKIPPED, "they divide by zero"),
        (lemma(F(X) > 1, everywhere=for_all([Z], F(Z) > 0)), Verdict.SKIPPED, ""),
        # That ln 4 < 4/3 does not follow from ln 4 <= 3; numbers for which it is false are no logarithms.
        (lemma(3 * Y < 4, {"tangent": log_tangent(Y, X)}, x=equal(X, 4)), Verdict.SKIPPED, "no numbers refute it"),
    ],
)
def test_what_says_nothing_or_is_left_open(stated: Obligation, verdict: Verdict, said: str) -> None:
    found = prove_lemma(stated)
    assert (found.verdict, found.counterexample) == (verdict, None)
    assert said in found.reason


def test_a_question_that_takes_too_long_is_left_open() -> None:
    found = prove_lemma(lemma(X * X * Y > Z, cubic=X * Y * Z > X + Y, other=X * X * X > Z), time_limit=0.001)
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "timeout" in found.reason


@pytest.mark.long("asks both solvers about many providers")
def test_a_lemma_that_is_false_for_many_providers_only_is_found_or_called_false(monkeypatch) -> None:
    five = [constant(f"p{k}", PROVIDER) for k in range(5)]
    apart = all_of(*(~equal(a, b) for k, a in enumerate(five) for b in five[:k]))
    crowded = lemma(~apart, a=for_all([five[0]], F(five[0]) > 0))
    assert prove_lemma(crowded).verdict is Verdict.REFUTED
    monkeypatch.setattr(lemmas, "_SIZES", (2, 3))
    found = prove_lemma(crowded)
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "sat" in found.reason or found.reason.startswith("both solvers refute it")


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
        (lambda: lemma(ln(X) <= 0), "'ln' of sort Real is no symbol"),
        (lambda: lemma(constant("let") > 0), "'let' of sort Real is no symbol"),
        (lambda: lemma(constant("x y") > 0), "is no symbol"),
        (lambda: lemma(constant("and") > 0), "cannot be applied"),
        (lambda: lemma(equal(function("pick", PROVIDER)(X), ONE)), "is none"),
        (lambda: lemma(all_of()), "and cannot be applied to nothing"),
        (lambda: lemma(Term("<", (X, M), BOOL)), "cannot be applied to Real, Int"),
        (lambda: lemma(F(ONE) > function("f")(ONE, ONE)), "cannot be written as SMT-LIB"),
        (lambda: lemma(sum([X] * 3000, X) > 0), "cannot be written"),
        (lambda: Obligation("two\nlines", "", {}, X > 0), "one line"),
        (lambda: 42, "obligation=42 is no Obligation"),
    ],
)
def test_what_cannot_be_asked_is_bad_input(made: Callable[[], Obligation], said: str) -> None:
    with pytest.raises(InputError, match=said):
        prove_lemma(made())


@pytest.mark.for_each(
    ("make", "said"),
    [
        (lambda: lemma(Auction().winner == ONE), "the goal is False, no formula"),
        (lambda: lemma(E > 0, a=E + 1), "hypothesis 'a' is a term of sort Real"),
        (lambda: lemma(E > 0, {"a": E > 0}), "hypothesis 'a' is no Hypothesis"),
    ],
)
def test_what_is_no_formula_is_named(make, said) -> None:
    with pytest.raises(TypeError, match=said):
        make()


#: What a solver might print instead of a number: none of it may be taken for one that refutes.
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
NOT_THE_ROOT = (
    "((x 3.0))",
    "((x (root-obj (+ (^ x 2) (- 2)) 1)))",  # the other root
    "((x (_ real_algebraic_number <1*x^2 + (-2), (-3/2, -5/4)>)))",
    "((x (/ 141421356237 100000000000)))",  # nearly
)


def test_numbers_that_do_not_refute_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [""]

    def ask(questions: dict[str, str], **_: object) -> object:
        return {solver: {name: Answered("sat", 0.0, said[0]) for name in questions} for solver in ("z3", "cvc5")}

    monkeypatch.setattr(lemmas, "ask_both", ask)
    for said[0] in STRANGE + NOT_THE_ROOT:
        found = prove_lemma(lemma(X > 2, square=equal(X * X, 2), positive=X > 0))
        assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None), said[0]
        assert ("numbers are not evaluated" in found.reason) is (said[0] in STRANGE), said[0]


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


ROOT, LOG, TAIL, SECOND = constants("root log_of_x tail second")
NOT_ZERO = exp_of_minus_log(TAIL, LOG, LOG, X)


@pytest.mark.for_each(
    ("stated", "derived"),
    [
        (lemma(Y >= 0, {"root": square_root(ROOT, Y)}), False),
        (lemma(Y >= 0, {"root": square_root(ROOT, Y)}, y=Y >= 0), True),
        (lemma(~equal(X, 0), {"exp": NOT_ZERO}), False),
        (lemma(TAIL > 0, {"exp": NOT_ZERO}, x=X > 0), True),
        # The root of the root of y: the first derives what the second needs, and not the other way round.
        (lemma(SECOND >= 0, {"root": root_positive(ROOT, Y), "other": square_root(SECOND, ROOT)}, y=Y > 0), True),
        (lemma(X >= 0, {"root": square_root(ROOT, X * X * X), "other": square_root(SECOND, X)}), False),
        (lemma(LOG < TAIL, {"p": power_monotone(X, LOG, Y, TAIL, E)}, x=all_of(X > 0, Y > X)), False),
    ],
)
def test_axioms_hold_only_where_their_conditions_are_derived(stated: Obligation, derived: bool) -> None:
    found = prove_lemma(stated)
    assert found.verdict is (Verdict.PROVED if derived else Verdict.SKIPPED)
    assert found.reason.endswith("is not derived") is not derived


@pytest.mark.for_each(
    "hypotheses",
    [
        {"a": BALL_FACTS["radius-logarithm"].hypothesis, "b": log_tangent(constant("log_of_4_pi_squared_over_3"), X)},
        {"a": square_root(ROOT, Y), "b": square_root(Y, ROOT)},
        {"a": Hypothesis(X > 0, names=((X, ln(Y)),))},
    ],
)
def test_a_symbol_stands_for_one_thing(hypotheses: dict[str, Hypothesis]) -> None:
    with pytest.raises(InputError):
        prove_lemma(lemma(X > 1, hypotheses, positive=all_of(X > 0, Y > 0)))


@pytest.mark.for_each(
    ("axiom", "arguments"),
    [
        (log_product, (X, 2, {})),
        (log_product, (LOG, 2 * SECOND, {LOG: X, SECOND: X})),
        (log_product, (LOG, SECOND, {LOG: X * Y, SECOND: X + Y})),
        (log_product, (LOG, 0, {LOG: -1})),
        (log_tangent, (X, X)),
        (log_tangent, (X * Y, X)),
        (log_tangent, (X - X, Y)),
        (log_tangent, (LOG, ln(X))),
        (log_tangent, ("log", X)),
        (log_tangent, (LOG, X > 0)),
        (log_monotone, (X, LOG, Y, LOG)),
        (square_root, (ROOT, -4)),
        (square_root, (F(ONE), Y)),
    ],
)
def test_no_instance_is_made_of_what_is_none(axiom: Callable[..., Hypothesis], arguments: tuple[object, ...]) -> None:
    with pytest.raises(InputError):
        axiom(*arguments)


def test_a_counterexample_with_a_root_has_the_root() -> None:
    """That the root is at least 0 is all that is stated, and its square is 4 all the same."""
    root = {"root": root_non_negative(ROOT, Y)}
    found = prove_lemma(lemma(ROOT < 2, root, y=equal(Y, 4)))
    assert_refuted(found)
    assert found.counterexample is not None
    assert found.counterexample.value(equal(ROOT, 2))
    assert prove_lemma(lemma(ROOT < 3, root, y=equal(Y, 4))).verdict is Verdict.SKIPPED
