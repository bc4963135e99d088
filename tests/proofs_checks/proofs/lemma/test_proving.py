"""A lemma is proved, refuted exactly, vacuous, left open, or refused; solvers that stop, break or depend on before."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from proofs_checks.proofs.lemma import (
    BOOL,
    COST_BOUND,
    ELIGIBLE,
    Auction,
    Lemma,
    Term,
    all_of,
    any_of,
    constants,
    either,
    equal,
    every,
    exists,
    for_all,
    function,
    implies,
    market,
    number,
    provider,
    proving,
    same_others,
    solvers as room,
    within,
)
from proofs_checks.proofs.lemma.solvers import Answered, Solvers
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.lemma.formulas import formulas
from tests.refusals import assert_refused

X, Y, Z, E, D = constants("x y z estimate deviation")
F, H, WEIGHT = function("f"), function("h", BOOL), function("weight")
ONE, J = provider("i"), provider("j")

Stated = tuple[Mapping[str, Term], Term]


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """One process of each solver for all tests of this module."""
    with Solvers() as both:
        yield both


def stated(goal: Term, assumptions: Mapping[str, Term] | None = None, **more: Term) -> Stated:
    return {**(assumptions or {}), **more}, goal


def assert_refuted(found: Lemma) -> None:
    """The numbers make the assumptions true and the goal false."""
    assert found.verdict is Verdict.REFUTED, found.reason
    model = found.counterexample
    assert all(map(model.value, found.assumptions.values()))
    assert not model.value(found.goal)


#: False statements: what refutes some of them is no rational number, or the value of a function at a number.
REFUTED: dict[str, Stated] = {
    "root of two": stated(Fraction(141, 100) > X, square=equal(X * X, 2), positive=X > 0),
    "two roots": stated(Fraction(244, 100) > X * Y, two=equal(X * X, 2), three=equal(Y * Y, 3), x=X > 0, y=Y > 0),
    "sum of roots": stated(
        equal(X + Y, 3), two=equal(X * X, 2), three=equal(Y * Y, 3), x=X > 0, y=Y > 0, z=equal(Z, X + Y)
    ),
    "cubic": stated(Fraction(133, 100) < X, cubic=equal(X * X * X - X, 1)),
    "quotient of roots": stated(Y <= 1, two=equal(X * X, 2), positive=X > 0, quotient=equal(Y * X, 2)),
    "negative root": stated(X >= 0, two=equal(X * X + 3 * X, 5)),
    "root beside a threshold": stated(any_of(X < 1, X > 2), two=equal(X * X, 2), positive=X > 0),
    "function of a number": stated(F(X) <= F(Y), less=X < Y),
    "function of a sum": stated(equal(F(X + 1), F(Y)), apart=equal(X + 2, Y)),
    "function of a function": stated(equal(F(F(X)), X), fixed=equal(F(X), Y)),
    "function of a root": stated(F(X) > 0, two=equal(X * X, 2), positive=X > 0),
    "predicate of a number": stated(H(Y), holds=H(X)),
    "function of two numbers": stated(equal(function("k")(X, Y), function("k")(Y, X))),
    "names of solvers": stated(function("exp")(X) > 0, let=~equal(*constants("let select")), pi=constants("pi")[0] > 4),
    "weights of two": stated(WEIGHT(provider("next")) >= WEIGHT(ONE), weights=every(WEIGHT(J) >= 0)),
    "guarded division": stated(either(equal(Y, 0), 0, X / Y) <= 1, positive=X > 0),
    "some provider": stated(exists([J], WEIGHT(J) > 0), nobody=WEIGHT(ONE) <= 0),
    "all costs are equal": stated(equal(WEIGHT(ONE), WEIGHT(J))),
    "swapped quantifiers": stated(exists([J], for_all([ONE], equal(ONE, J)))),
    "no symbol at all": stated(number(1) < number(-1)),
    "a hypothesis called negated-goal": stated(X > 0, {"negated-goal": X > -1, "goal": X < 5}),
    "hypotheses of any names": stated(X > 100, {"a|)) (assert false) (assert (! true :named |b": X > 0, "\n": X > 1}),
    "a numeral of 400 digits": stated(X < 10**400, positive=X > 0),
    "the root of a square": stated(equal(Y, X), square=equal(Y * Y, X * X), y=Y >= 0),
    "a root that is the number": stated(equal(X, Y), square=equal(X * X, Y * Y)),
    "a tenth as a binary fraction": stated(X + Y > 0.3, x=equal(X, 0.1), y=equal(Y, 0.2)),
}


FIRST = ("root of two", "weights of two", "names of solvers", "hypotheses of any names")
LONG = pytest.mark.long("asks both solvers many times")


@pytest.mark.parametrize("name", [name if name in FIRST else pytest.param(name, marks=LONG) for name in REFUTED])
def test_false_statements_are_refuted_by_exact_numbers(name: str, solvers: Solvers) -> None:
    assert_refuted(proving.prove_lemma(*REFUTED[name], solvers=solvers))


@LONG
@settings(max_examples=40)
@given(st.lists(formulas(), min_size=1, max_size=2))
def test_random_lemmas_are_answered(solvers: Solvers, drawn: list[Term]) -> None:
    goal, *assumed = drawn
    assumptions = {f"h{k}": one for k, one in enumerate(assumed)}
    found = proving.prove_lemma(assumptions, goal, time_limit=1.0, solvers=solvers)
    assert found.reason
    if found.verdict is Verdict.REFUTED:
        assert_refuted(found)
    else:
        assert found.counterexample is None
        assert found.verdict in (Verdict.PROVED, Verdict.VACUOUS, Verdict.SKIPPED)


@pytest.mark.for_each(
    "lemma",
    [
        stated(Fraction(142, 100) > X, square=equal(X * X, 2), positive=X > 0),
        stated(equal(X * X * Y * Y, 6), two=equal(X * X, 2), three=equal(Y * Y, 3)),
        stated(equal(F(X), F(Y)), same=equal(X, Y)),
        stated(equal(X / Y * Y, X), not_zero=Y > 0),
        stated(exists([J], WEIGHT(J) >= 0), nobody_below=every(WEIGHT(J) >= 0)),
        stated(equal(X + Y, 0.3), x=equal(X, 0.1), y=equal(Y, 0.2)),
        # The assumption is true of numbers for which nothing is divided by 0.
        stated(X >= 0, guarded=either(equal(X, 0), 0, Y / X) <= 1, zero=equal(X, 0)),
        stated(X < 2, everywhere=for_all([Z], implies(Z * Z < 2, X < Z + 2))),
    ],
)
def test_true_statements_are_proved(lemma: Stated, solvers: Solvers) -> None:
    found = proving.prove_lemma(*lemma, solvers=solvers)
    assert (found.verdict, found.reason) == (Verdict.PROVED, "by z3 and by cvc5")


def test_a_first_price_auction_is_refuted_by_numbers(solvers: Solvers) -> None:
    truthful, other = Auction("_truthful"), Auction("_other")

    def gain(auction: Auction, bid: Term) -> Term:
        return either(equal(auction.winner, ONE), bid - E, 0)

    assumptions = {
        **market(),
        **truthful.definitions(),
        **other.definitions(),
        "others": same_others(truthful, other, ONE),
        "truth": equal(truthful.bid(ONE), E),
        "lie": equal(other.bid(ONE), D),
        "ranges": within(0, E, COST_BOUND) & within(0, D, COST_BOUND),
        "able": ELIGIBLE(ONE),
    }
    found = proving.prove_lemma(assumptions, gain(truthful, E) >= gain(other, D), solvers=solvers)
    assert_refuted(found)
    assert found.counterexample.value(gain(other, D)) > 0


@pytest.mark.for_each(
    ("lemma", "verdict", "said"),
    [
        (stated(D > 0, a=E > 0, b=E < 0), Verdict.VACUOUS, "contradict each other"),
        # The sort of providers is not empty.
        (stated(equal(X, 1), nobody=every(all_of(WEIGHT(J) > 0, WEIGHT(J) < 0))), Verdict.VACUOUS, "contradict"),
        (stated(equal(Y, 0), zero=equal(1 / Y, 0)), Verdict.VACUOUS, "unless something is divided by zero"),
        (stated(equal(X / Y, 0), zero=equal(Y, 0)), Verdict.SKIPPED, "they divide by zero"),
        (stated(F(X) > 1, everywhere=for_all([Z], F(Z) > 0)), Verdict.SKIPPED, ""),
    ],
)
def test_what_says_nothing_or_is_left_open(lemma: Stated, verdict: Verdict, said: str, solvers: Solvers) -> None:
    found = proving.prove_lemma(*lemma, solvers=solvers)
    assert (found.verdict, found.counterexample) == (verdict, None)
    assert said in found.reason


def test_a_question_that_takes_too_long_is_left_open() -> None:
    hard = stated(X * X * Y > Z, cubic=X * Y * Z > X + Y, other=X * X * X > Z)
    found = proving.prove_lemma(*hard, time_limit=0.001)
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "timeout" in found.reason


@pytest.mark.long("asks both solvers about many providers")
def test_a_lemma_that_is_false_for_many_providers_only_is_found_or_called_false(
    monkeypatch: pytest.MonkeyPatch, solvers: Solvers
) -> None:
    five = [provider(f"p{k}") for k in range(5)]
    apart = all_of(*(~equal(a, b) for k, a in enumerate(five) for b in five[:k]))
    crowded = stated(~apart, a=for_all([J], F(J) > 0))
    assert proving.prove_lemma(*crowded, solvers=solvers).verdict is Verdict.REFUTED
    monkeypatch.setattr(proving, "_SIZES", (2, 3))
    found = proving.prove_lemma(*crowded, solvers=solvers)
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "sat" in found.reason or found.reason.startswith("both solvers refute it")


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Lemma]:
    """Ask solvers that answer what they are told to, the last of the answers ever after."""

    def told(*answers: tuple[str, str], text: str) -> Lemma:
        left = [*answers]

        def ask(_: Solvers, scripts: Sequence[str], **more: float) -> list[dict[str, Answered]]:
            pairs = [left.pop(0) if len(left) > 1 else left[0] for _ in scripts]
            return [
                {s: Answered(answer=a, text=text) for s, a in zip(("z3", "cvc5"), pair, strict=True)} for pair in pairs
            ]

        monkeypatch.setattr(Solvers, "ask", ask)
        return proving.prove_lemma(*SQUARE)

    return told


SQUARE = stated(X > 2, square=equal(X * X, 2), positive=X > 0)


@pytest.mark.parametrize("first", [("unsat", "sat"), ("sat", "unsat"), ("unsat", "unknown"), ("error", "unsat")])
def test_one_solver_proves_nothing(first: tuple[str, str], say: Callable[..., Lemma]) -> None:
    assert say(first, ("sat", "sat"), text="((x 3.0))").verdict is Verdict.SKIPPED


@pytest.mark.parametrize("alone", [("sat", "unknown"), ("unsat", "sat"), ("unknown", "unknown")])
def test_one_solver_does_not_say_that_assumptions_are_possible_nor_that_they_are_not(
    alone: tuple[str, str], say: Callable[..., Lemma]
) -> None:
    found = say(("unsat", "unsat"), alone, text="((x 3.0))")
    assert found.verdict is Verdict.SKIPPED
    assert "not shown to be true together" in found.reason


def test_solvers_of_another_class_are_not_asked() -> None:
    class Agreeing(Solvers):
        def ask(self, scripts: Sequence[str], **more: float) -> list[dict[str, Answered]]:
            raise AssertionError

    with Agreeing() as lying, pytest.raises(InputError, match="is not a Solvers"):
        proving.prove_lemma(*SQUARE, solvers=lying)


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
    "((x true))",
    "model is not available",
)
NOT_THE_ROOT = (
    "((x 3.0))",
    "((x (root-obj (+ (^ x 2) (- 2)) 1)))",  # the other root
    "((x (_ real_algebraic_number <1*x^2 + (-2), (-3/2, -5/4)>)))",
    "((x (/ 141421356237 100000000000)))",  # nearly
)


@pytest.mark.parametrize("text", STRANGE + NOT_THE_ROOT)
def test_numbers_that_do_not_refute_are_not_believed(text: str, say: Callable[..., Lemma]) -> None:
    found = say(("sat", "sat"), text=text)
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert ("numbers are not evaluated" in found.reason) is (text in STRANGE and "true" not in text), found.reason


class Shifting(Mapping[str, Term]):
    """Assumptions that hold when they are read first, and contradict each other afterwards."""

    def __init__(self) -> None:
        self._reads = 0

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        self._reads += 1
        return iter(["a"])

    def __getitem__(self, name: str) -> Term:
        return X >= X if self._reads <= 1 else X < X


def test_a_mapping_is_read_once(solvers: Solvers) -> None:
    """Read again, its assumptions would contradict each other, and everything would follow."""
    found = proving.prove_lemma(Shifting(), X > Y, solvers=solvers)
    assert found.verdict is Verdict.REFUTED
    assert type(found.assumptions) is dict


class Text(str):
    __slots__ = ()


def _nested() -> Term:
    return sum([X] * 3000, X) > 0


@pytest.mark.for_each(
    ("assumptions", "goal", "said"),
    [
        ({}, X, "goal="),
        ({}, X == Y, "compare with <= or equal"),
        ({}, 42, "goal=42 is not a formula"),
        ({}, type("Liar", (), {"__class__": Term})(), "goal="),
        ({"a": E + 1}, E > 0, r"assumptions\['a'\]="),
        ({"a": True}, E > 0, r"assumptions\['a'\]=True"),
        ({Text("a"): E > 0}, E > 0, "a name that is not a str"),
        ([("a", E > 0)], E > 0, "are no mapping"),
        (None, E > 0, "are no mapping"),
        ({"a": constants("x)")[0] > 0}, E > 0, "is not a symbol"),
        ({}, equal(provider("provider.0"), ONE), "is not a symbol"),
        ({"a": F(ONE) > 0}, F(X) > 0, "is used as"),
        ({}, _nested(), "nested too deeply"),
        ({"a": _nested()}, X > 0, "nested too deeply"),
    ],
)
def test_what_cannot_be_asked_is_bad_input(assumptions: Any, goal: Any, said: str) -> None:
    assert_refused(said, proving.prove_lemma, assumptions, goal)


@pytest.mark.for_each("limit", ["a", None, 0, -1, True, float("nan"), float("inf"), 1e300])
def test_a_time_limit_is_a_number_of_seconds(limit: Any) -> None:
    with pytest.raises(InputError, match=r"^time_limit=.* must be a positive number of seconds: it is what"):
        proving.prove_lemma({}, X > 0, time_limit=limit)


@pytest.mark.parametrize("make", [lambda: X > 0, lambda: for_all([J], F(J) > 0)])
def test_a_lemma_without_assumptions_is_refuted(make: Callable[[], Term], solvers: Solvers) -> None:
    assert_refuted(proving.prove_lemma({}, make(), solvers=solvers))


SATISFIABLE, FALSE = (f"(set-logic QF_UF)\n{more}(check-sat)\n" for more in ("", "(assert false)\n"))


def answers(solvers: Solvers, *scripts: str, solver: str = "z3", **more: float) -> list[str]:
    return [told[solver].answer for told in solvers.ask(scripts, **more)]


@pytest.fixture
def broken_z3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A z3 before the true one on the path of every process that is started."""
    (tmp_path / "z3.py").write_text(request.param)
    known = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH"), str(Path.cwd())])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(known))


@pytest.mark.parametrize("broken_z3", ["raise ImportError('libz3.so: cannot open')\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_what_is_wrong_is_told_with_its_remedy() -> None:
    with (
        Solvers() as solvers,
        pytest.raises(InputError, match=r"'z3' cannot be started.*libz3.so.*reinstall z3-solver"),
    ):
        solvers.ask([SATISFIABLE])


@pytest.mark.parametrize("broken_z3", ["import os\nos._exit(3)\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_a_solver_that_dies_says_nothing() -> None:
    with Solvers() as solvers:
        assert answers(solvers, SATISFIABLE, FALSE) == ["error", "error"]
        assert answers(solvers, SATISFIABLE, FALSE, solver="cvc5") == ["sat", "unsat"]


@pytest.mark.parametrize("broken_z3", ["import time\ntime.sleep(1000)\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_a_solver_that_never_reads_is_stopped_though_the_script_does_not_fit_into_the_pipe() -> None:
    with Solvers() as solvers:
        assert answers(solvers, f"; {'x' * 1_000_000}\n(check-sat)\n", time_limit=0.2) == ["timeout"]


def test_a_solver_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    assert_refused(r"solver='z3 and cvc5' is not installed: pip install", Solvers)


class TestProcesses:
    """One of each solver serves all questions, and ends with the block."""

    @pytest.fixture
    def processes(self, monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
        begun: list[subprocess.Popen[str]] = []

        class Noted(subprocess.Popen[str]):
            def __init__(self, *arguments: object, **more: object) -> None:
                super().__init__(*arguments, **more)  # type: ignore[arg-type]
                begun.append(self)

        monkeypatch.setattr(room.subprocess, "Popen", Noted)
        return begun

    def test_one_of_each_serves_all_questions(self, processes: list[subprocess.Popen[str]]) -> None:
        with Solvers() as solvers:
            assert [answers(solvers, one) for one in (FALSE, SATISFIABLE)] == [["unsat"], ["sat"]]
            assert [one.poll() for one in processes] == [None, None]
        assert all(one.poll() is not None for one in processes)
        assert answers(solvers, SATISFIABLE) == ["error"]
        assert len(processes) == 2

    def test_one_that_ran_out_of_time_is_replaced(self, processes: list[subprocess.Popen[str]]) -> None:
        with Solvers() as solvers:
            assert answers(solvers, SATISFIABLE, time_limit=1e-6) == ["timeout"]
            assert answers(solvers, SATISFIABLE) == ["sat"]
        assert len(processes) == 4
        assert all(one.poll() is not None for one in processes)

    def test_they_are_stopped_while_at_work(self, processes: list[subprocess.Popen[str]]) -> None:
        with Solvers() as solvers:
            Timer(0.05, solvers.__exit__).start()
            assert "error" in answers(solvers, *[SATISFIABLE] * 100_000)
        assert all(one.poll() is not None for one in processes)


#: What could stay behind in a solver that went on with the next script.
LASTING = (
    "(set-option :produce-models true)\n(set-logic QF_LRA)\n(declare-fun x () Real)\n"
    "(assert (> x 1.0))\n(check-sat)\n(get-value (x))\n",
    "(set-logic QF_LRA)\n(declare-fun x () Real)\n(assert (> x x))\n(check-sat)\n",
    "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 1))\n(check-sat)\n",
    "(set-logic QF_LRA)\n(define-fun x () Real 0.0)\n(assert (= x 0.0))\n(check-sat)\n",
    "(set-option :print-success true)\n(set-logic QF_LRA)\n(check-sat)\n",
    "(set-logic QF_LRA)\n(assert unknown)\n(assert false)\n(check-sat)\n",
    "(set-logic QF_LRA)\n(check-sat)\n(exit)\n",
    "(declare-fun x () Real)\n(assert (> (* x x) 2.0))\n(check-sat)\n",
)


@pytest.mark.long("starts many processes")
def test_an_answer_depends_on_no_script_that_came_before_in_the_process() -> None:
    alone = []
    for script in LASTING:
        with Solvers() as solvers:
            alone += solvers.ask([script])
    assert {told["z3"].answer for told in alone} == {"sat", "unsat", "error"}
    with Solvers() as solvers:
        assert solvers.ask(LASTING) == alone
        assert solvers.ask(LASTING[::-1]) == alone[::-1]
