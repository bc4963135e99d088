"""Formulas: what is written is what was meant, numbers are exact, and what is no formula cannot be made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bounds.errors import InputError
from proofs_checks.proofs.lemma import (
    BOOL,
    PROVIDER,
    Number,
    Solvers,
    Term,
    all_of,
    at_least,
    constant,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
    number,
)
from proofs_checks.proofs.lemma.scripts import expression_in, logic_of, script
from proofs_checks.proofs.lemma.terms import check_names, signatures_of, substituted
from tests.proofs_checks.proofs.lemma.formulas import ONE, F, G, J, X, Y

FLAG = constant("flag", BOOL)


@pytest.mark.for_each(
    ("term", "text"),
    [
        (X + 1, "(+ x 1.0)"),
        (2 - X, "(- 2.0 x)"),
        (-X, "(- x)"),
        (X * Y / 3, "(/ (* x y) 3.0)"),
        (Fraction(1, 3) > X, "(< x (/ 1.0 3.0))"),
        (number(-2), "(- 2.0)"),
        (equal(ONE, J), "(= i j)"),
        (at_least(X, 0), "(ite (>= x 0.0) x 0.0)"),
        (F(ONE) >= Y, "(>= (f i) y)"),
        (implies(FLAG & ~FLAG, G(ONE) | FLAG), "(=> (and flag (not flag)) (or (g i) flag))"),
        (for_all([J], F(J) > 0), "(forall ((j Provider)) (> (f j) 0.0))"),
    ],
)
def test_terms_are_written_as_smtlib(term: Term, text: str) -> None:
    assert str(term) == text


def test_a_term_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="no truth value"):
        _ = 0 < X < 1


class Text(str):
    __slots__ = ()


class Subclass(Term):
    pass


#: A subclass could say one thing here and another later.
NO_TERMS: dict[str, Callable[[], object]] = {
    "a subclass": lambda: Subclass(head="x"),
    "a head of a subclass": lambda: Term(head=Text("x")),
    "a sort of a subclass": lambda: Term(head="x", sort=Text("Bool")),
    "arguments in a list": lambda: Term(head="f", arguments=[X]),  # type: ignore[arg-type]
    "an argument that is none": lambda: F(1),
    "the value of a float": lambda: Term(head="number", number=0.5),  # type: ignore[arg-type]
    "no value": lambda: Term(head="number"),
    "a symbol with a value": lambda: Term(head="x", number=Fraction(1)),
    "a number of a truth value": lambda: X + (X == Y),
    "a sum of a formula": lambda: X + FLAG,
    "an order of providers": lambda: ONE < J,
    "a choice of providers": lambda: either(FLAG, ONE, J),
    "a choice of two sorts": lambda: either(FLAG, X, FLAG),
    "nothing joined": all_of,
    "a negated number": lambda: ~X,
    "a symbol that binds": lambda: Term(head="x", bound=(J,)),
    "a quantifier that binds nothing": lambda: for_all([], FLAG),
    "a number that holds for all": lambda: for_all([J], X),
    "an operator for a symbol": lambda: constant("and"),
}


@pytest.mark.parametrize("make", NO_TERMS.values(), ids=NO_TERMS)
def test_what_is_no_term_cannot_be_made(make: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=r"^(term|number)="):
        make()


@pytest.mark.parametrize("cast", [float, np.float64, np.float32, lambda value: Fraction(str(value)), Decimal])
def test_a_float_is_the_decimal_that_it_prints_as(cast: Callable[[str], Number]) -> None:
    assert number(cast("0.1")).number == Fraction(1, 10)


@pytest.mark.parametrize("value", [3, np.int64(3), Fraction(1, 3), 1e300, 5e-324])
def test_a_number_is_exact(value: float) -> None:
    found = number(value).number
    assert type(found) is Fraction
    assert float(found) == float(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), np.float64("-inf"), None, "1", "1/0", 1j, True, np.True_, np.array([1, 2])]
)
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="is not a finite real number"):
        number(value)


@pytest.mark.parametrize("given", [2, 0.1, Fraction(1, 10), Decimal("0.1")])
def test_what_a_subclass_says_of_itself_is_not_believed(given: Number) -> None:
    said = {"__str__": lambda self: "3", "__repr__": lambda self: "3", "__int__": lambda self: 3}
    lying = type("Lying", (type(given),), said)
    assert number(lying(given)).number == Fraction(str(given))


@pytest.mark.parametrize(
    "formula",
    [
        constant("x y") > 0,
        constant("x) (assert false") > 0,
        constant("provider.0") > 0,
        constant("") > 0,
        for_all([constant("j) (k", PROVIDER)], FLAG),
        for_all([FLAG], FLAG),
        for_all([X + 1], FLAG),
        for_all([F(J)], FLAG),
        equal(function("next", PROVIDER)(J), J),
        equal(constant("m", "Int"), constant("n", "Int")),
    ],
)
def test_a_name_is_a_word_and_a_symbol_has_a_known_sort(formula: Term) -> None:
    with pytest.raises(ValueError, match=r"is not a symbol|cannot be bound"):
        check_names(formula)


def test_one_symbol_has_one_signature() -> None:
    with pytest.raises(ValueError, match="is used as"):
        signatures_of([F(ONE) > function("f")(ONE, J)])


@pytest.mark.parametrize("free_first", [False, True])
def test_a_symbol_is_free_outside_of_the_quantifier_that_binds_its_name(free_first: bool) -> None:
    free, bound = X > 1, for_all([X], X > 1)
    assert signatures_of([free, bound] if free_first else [bound, free]) == {"x": ((), "Real")}
    assert signatures_of([bound]) == {}
    with pytest.raises(ValueError, match="is used as"):
        signatures_of([for_all([X], equal(constant("x", PROVIDER), ONE))])


def test_a_bound_variable_is_not_replaced() -> None:
    formula = all_of(F(J) > 0, for_all([J], F(J) > 1))
    assert str(substituted(formula, {J: ONE})) == "(and (> (f i) 0.0) (forall ((j Provider)) (> (f j) 1.0)))"


@pytest.mark.for_each(
    ("formula", "logic"),
    [
        (X > 0, "QF_LRA"),
        (X * Y > 0, "QF_NRA"),
        (2 * X > 0, "QF_LRA"),
        (X * (2 * Y) > 0, "QF_NRA"),
        ((X + 1) * (2 - number(3)) > 0, "QF_LRA"),
        (X / Y > 0, "QF_NRA"),
        (X / 2 > 0, "QF_LRA"),
        (X / (Y - Y) > 0, "QF_NRA"),
        (F(ONE) > 0, "QF_UFLRA"),
        (G(ONE), "QF_UFLRA"),
        (FLAG, "QF_LRA"),
        (equal(ONE, J), "QF_UFLRA"),
        (for_all([J], F(J) > 0), "UFLRA"),
        (for_all([J], F(J) * X > 0), "UFNRA"),
        (for_all([X], X * X >= 0), "NRA"),
    ],
)
def test_the_logic_is_the_smallest_that_has_everything(formula: Term, logic: str) -> None:
    assert logic_of([formula]) == logic


@pytest.mark.long("asks both solvers")
def test_no_solver_finds_the_logic_too_small_or_takes_a_symbol_for_its_own() -> None:
    of_solvers = (
        *("exp", "sqrt", "abs", "let", "as", "par", "div", "mod", "is_int", "distinct", "lambda", "select", "store"),
        *("bag", "set", "pi", "true"),
    )
    stated = (
        F(ONE) * X > 1,
        for_all([J], F(J) * X > 0),
        exists([J], G(J) & ~equal(J, ONE)),
        either(X > 0, 1 / X, Y) > 2,
        # Of the exponential this would be false.
        *(all_of(function(name)(X) < 0, function(name)(Y) > 7) for name in of_solvers),
        *(constant(name, BOOL) & ~FLAG for name in of_solvers),
    )
    with Solvers() as solvers:
        told = solvers.ask([script([one]) for one in stated])
    for formula, said in zip(stated, told, strict=True):
        assert {one.answer for one in said.values()} <= {"sat", "unknown"}, formula


def test_an_answer_is_read() -> None:
    assert expression_in("((x (/ 1.0 2.0))\n ((= i p) true))") == [
        ["x", ["/", "1.0", "2.0"]],
        [["=", "i", "p"], "true"],
    ]
    for text in ("", "(", ")", "() ()", "(()", "())"):
        with pytest.raises(ValueError, match=r".+"):
            expression_in(text)


def test_equal_terms_are_equal() -> None:
    made = F(ONE) > X + 1
    assert (F(ONE) > X + 1) == made == replace(made)
    assert len({made, F(ONE) > X + 1, F(ONE) >= X + 1}) == 2
