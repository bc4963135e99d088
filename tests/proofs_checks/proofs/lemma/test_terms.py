"""Formulas, their numbers and models: what is written is what was meant, exactly, and what is none cannot be made."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mechanism import rules
from proofs_checks.proofs.lemma import (
    BOOL,
    PROVIDER,
    Auction,
    Model,
    Number,
    Term,
    algebraic,
    all_of,
    any_of,
    at_least,
    constant,
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
)
from proofs_checks.proofs.lemma.algebraic import Algebraic, UndecidedSignError, read_cvc5_root, read_z3_root, root_of
from proofs_checks.proofs.lemma.models import NoValueError, asked_of, model_of, with_providers
from proofs_checks.proofs.lemma.scripts import expression_in, logic_of, script
from proofs_checks.proofs.lemma.solvers import Solvers
from proofs_checks.proofs.lemma.terms import check_names, signatures_of, substituted
from tests.proofs_checks.proofs.lemma.formulas import ONE, F, G, J, K, X, Y, formulas, models
from tests.refusals import assert_refused

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
    assert_refused(r"^(term|number)=", make)


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
    assert_refused("is not a finite real number", number, value)


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


TWO, THREE = root_of([1, 0, -2], place=2), root_of([1, 0, -3], place=2)
CUBE = root_of([1, 0, 0, -2], place=1)
HAIR = Fraction(1, 10**60)


def test_identities() -> None:
    assert TWO * TWO == 2
    assert root_of([1, 0, -6], place=2) == TWO * THREE
    assert TWO + THREE == root_of([1, 0, -10, 0, 1], place=4) == 1 / (THREE - TWO)
    rest = TWO + THREE + CUBE - TWO - THREE
    assert rest * rest * rest == 2
    assert root_of([1, -4, 5, -2], place=2) == 2
    assert root_of([1, 0, -4, 0, 4], place=2) == TWO, "a double root counts once"
    assert root_of([2, -1], place=1) == Fraction(1, 2)
    assert root_of([6, -5, 1], place=1) == Fraction(1, 3), "the next root, 1/2, ends its interval"
    assert root_of([1, 0, 0], place=1) == 0
    assert root_of([1, 0, -2], between=(Fraction(5, 4), Fraction(3, 2))) == TWO


def test_near_misses() -> None:
    assert root_of([1, 0, -6], place=2) + HAIR != TWO * THREE
    assert TWO + THREE - root_of([1, 0, -10, 0, 1], place=4) < HAIR
    assert TWO * TWO - 2 < HAIR
    assert TWO * TWO + HAIR > 2
    assert 2 > TWO > 1
    assert Fraction(3, 2) >= TWO
    assert not Fraction(3, 2) <= TWO
    assert root_of([1, 0, -2], place=1) == -TWO
    assert 1 - TWO < 0


def test_no_number_is_divided_by_zero_in_disguise() -> None:
    with pytest.raises(ZeroDivisionError):
        1 / (TWO * THREE - root_of([1, 0, -6], place=2))
    assert 1 / (TWO * THREE - root_of([1, 0, -6], place=2) + HAIR) == 1 / HAIR


def test_a_sign_that_would_take_too_long_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    near = TWO * THREE - root_of([1, 0, -6], place=2) + HAIR
    assert near.sign() == 1
    monkeypatch.setattr(algebraic, "MOST_BITS", 64)
    with pytest.raises(UndecidedSignError):
        near.sign()


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=6).filter(lambda c: c[0] != 0))
def test_roots_are_where_the_polynomial_is_zero(coefficients: list[int]) -> None:
    found = []
    while True:
        try:
            found.append(root_of(coefficients, place=len(found) + 1))
        except ValueError:
            break
    assert all(a < b for a, b in itertools.pairwise(found))
    for root in found:
        value = Fraction(0)
        for coefficient in coefficients:
            value = value * root + coefficient
        assert value == 0
    roots = np.roots(coefficients)
    simple = [z.real for z in roots if abs(z.imag) < 1e-9 and np.sum(np.abs(roots - z) < 1e-2) == 1]
    ends = [root.enclosure(50) if isinstance(root, Algebraic) else (root, root) for root in found]
    for value in simple:
        assert any(float(low) - 1e-6 <= value <= float(high) + 1e-6 for low, high in ends)


def test_solvers_write_the_same_numbers_differently() -> None:
    of_z3 = read_z3_root(["root-obj", ["+", ["*", "4", ["^", "x", "2"]], ["*", ["-", "4"], "x"], ["-", "7"]], "2"])
    assert of_z3 == TWO + Fraction(1, 2)
    assert of_z3 == read_cvc5_root("(_ real_algebraic_number <4*x^2 + (-4*x) + (-7), (7/4, 2)>)")
    assert str(of_z3) == "1.914213562... (a root of 4*x^2 + -4*x^1 + -7)"


@pytest.mark.for_each(
    "expression",
    [["root-obj", "x"], ["root-obj", ["+", "1"], "1"], ["root-obj", ["sin", "x"], "1"], ["root-obj", "x", "0"]],
)
def test_what_is_no_root_is_refused(expression: object) -> None:
    with pytest.raises(ValueError, match=r"no|invalid"):
        read_z3_root(expression)


@pytest.mark.for_each("bits", [1, 10, 100, 1000])
def test_enclosures_hold_the_number(bits: int) -> None:
    low, high = TWO.enclosure(bits)
    assert low * low <= 2 <= high * high
    assert high - low <= Fraction(1, 1 << bits)
    low, high = (TWO * THREE - CUBE / TWO).enclosure(bits)
    exact = 6**0.5 - 2 ** (1 / 3) / 2**0.5
    assert float(low) - 1e-12 <= exact <= float(high) + 1e-12
    assert high - low <= Fraction(8, 1 << bits)


AMOUNTS = st.sampled_from([Fraction(k, 4) for k in range(-2, 9)])


@st.composite
def auctions(draw: st.DrawFn) -> tuple[list[Fraction], list[Fraction], tuple[int, ...], Fraction]:
    n = draw(st.integers(1, 5))
    bids = draw(st.lists(AMOUNTS, min_size=n, max_size=n))
    radii = draw(st.lists(AMOUNTS.filter(lambda amount: amount >= 0), min_size=n, max_size=n))
    able = draw(st.sets(st.integers(0, n - 1), min_size=1))
    return bids, radii, tuple(sorted(able)), draw(AMOUNTS.filter(lambda amount: amount > 0))


def model_of_auction(
    bids: Sequence[Fraction], radii: Sequence[Fraction], able: Sequence[int], bound: Fraction, winner: int | None = None
) -> Model:
    """Return the model of an auction that `mechanism.rules` holds; by default the first of those that tie wins."""
    adjusted = rules.adjusted_bids(bids, radii)
    found: dict[tuple[Any, ...], Any] = {("cost_bound",): bound}
    found["winner",] = rules.lowest(able, adjusted)[0] if winner is None else winner
    for k, (bid, radius) in enumerate(zip(bids, radii, strict=True)):
        critical = rules.critical_payment(k, able, adjusted, radius)
        # Without a rival the least one may be anything: the vocabulary does not read it then.
        least = Fraction(0) if critical is None else critical - radius
        found |= {("bid", k): bid, ("cost_radius", k): radius, ("eligible", k): k in able}
        found |= {("has_rival", k): critical is not None, ("least_rival", k): least}
    return Model(providers=len(bids), values=found)


@given(auctions(), st.data())
def test_an_auction_of_the_rules_is_one_of_the_vocabulary(drawn: Any, data: st.DataObject) -> None:
    bids, radii, able, bound = drawn
    adjusted = rules.adjusted_bids(bids, radii)
    winner = data.draw(st.sampled_from(rules.lowest(able, adjusted)))
    model, auction = model_of_auction(bids, radii, able, bound, winner=winner), Auction()
    for name, formula in {**market(), **auction.definitions()}.items():
        assert model.value(formula), name
    critical = rules.critical_payment(winner, able, adjusted, radii[winner])
    assert model.value(auction.payment(auction.winner)) == rules.auction_payment(critical, bound)


@given(auctions(), st.data())
def test_a_wrong_winner_or_a_wrong_rival_is_none_of_the_vocabulary(drawn: Any, data: st.DataObject) -> None:
    bids, radii, able, bound = drawn
    adjusted = rules.adjusted_bids(bids, radii)
    losers = [k for k in range(len(bids)) if k not in rules.lowest(able, adjusted)]
    auction = Auction()
    if losers:
        model = model_of_auction(bids, radii, able, bound, winner=data.draw(st.sampled_from(losers)))
        assert not all(map(model.value, auction.definitions().values()))
    if len(able) > 1:
        right = model_of_auction(bids, radii, able, bound)
        shifted = {**right.values, ("least_rival", able[0]): right.values["least_rival", able[0]] + 1}
        assert not all(map(Model(providers=len(bids), values=shifted).value, auction.definitions().values()))


class TestFinitelyManyProviders:
    """A model with so many providers is a model, whatever the formulas are."""

    def test_no_quantifier_over_them_is_left(self) -> None:
        finite = with_providers([for_all([J], F(J) > 0), exists([J], equal(J, ONE))], 3)
        assert logic_of(finite) == "QF_UFLRA"
        assert with_providers([X > 0], 3) == [X > 0]
        [over_numbers] = with_providers([for_all([J, X], F(J) > X)], 1)
        assert str(over_numbers) == "(forall ((x Real)) (> (f provider.0) x))"

    @given(formulas(), models())
    def test_expanded_formulas_are_true_exactly_where_the_quantified_are(self, formula: Term, model: Model) -> None:
        expanded, *added = with_providers([formula], model.providers)
        assert model.value(expanded) == model.value(formula)
        assert all(map(model.value, added))

    @pytest.mark.long("asks both solvers")
    def test_they_differ_and_are_all_that_there_is(self) -> None:
        differ, nobody_else = exists([J, K], ~equal(J, K)), for_all([J], F(J) > 0) & (F(ONE) <= 0)
        alike = for_all([J, K], equal(J, K))
        asked = [with_providers([one], size) for one in (differ, alike, nobody_else) for size in (1, 2, 3)]
        with Solvers() as solvers:
            told = solvers.ask([script(one) for one in asked])
        for solver in ("z3", "cvc5"):
            assert [one[solver].answer for one in told] == ["unsat", "sat", "sat", "sat", *["unsat"] * 5]


def test_a_division_by_zero_that_decides_nothing_is_passed_over() -> None:
    weight = F
    at_zero = Model(providers=2, values={("x",): Fraction(0), ("f", 0): Fraction(0), ("f", 1): Fraction(2)})
    assert at_zero.value(any_of(1 / X > 0, equal(X, 0)))
    assert not at_zero.value(all_of(1 / X > 0, ~equal(X, 0)))
    assert at_zero.value(implies(~equal(X, 0), 1 / X > 0))
    assert at_zero.value(either(equal(X, 0), 5, 1 / X)) == 5
    assert at_zero.value(exists([J], 1 / weight(J) > 0))
    for undefined in (all_of(1 / X > 0, equal(X, 0)), every(1 / weight(J) > 0), ~(1 / X > 0)):
        with pytest.raises(ZeroDivisionError):
            at_zero.value(undefined)


class TestAnswers:
    """A solver's values are read in the order in which they were asked for."""

    def test_what_is_asked_says_all_of_a_model(self) -> None:
        asked = asked_of(with_providers([F(ONE) > F(J) + X], 2), 2)
        assert {str(one) for one in asked} >= {"x", "(f i)", "(f j)", "(= i provider.0)", "(= j provider.1)"}
        answer = "((a true) (b false) (c false) (d true) (x 1.5) (e (- 2.0)) (f (/ 1.0 3.0)))"
        model = model_of(asked, answer, 2)
        assert (model.providers, model.value(ONE), model.value(provider("j"))) == (2, 0, 1)
        assert model.value(F(ONE) + F(J)) == Fraction(-5, 3)
        with pytest.raises(NoValueError, match="no value to y"):
            model.value(Y)

    def test_values_of_functions_at_functions(self) -> None:
        asked = asked_of([equal(F(F(X)), X + 1)], 0)
        assert model_of(asked, "((x 1.0) (y 3.0) (z 2.0))", 0).values == {("x",): 1, ("f", 1): 3, ("f", 3): 2}

    @pytest.mark.for_each(
        "answer",
        [
            "((x 1.0))",
            "((x 1.0) (y 2.0) (z 3.0) (w 4.0))",
            "((x 3.0) (y 3.0) (z 2.0))",  # f(3) is 3, and f(f(3)) is 2
            "((x 1.0 2.0) (y 1.0) (z 1.0))",
        ],
    )
    def test_too_few_or_too_many_values_are_none(self, answer: str) -> None:
        with pytest.raises(NoValueError):
            model_of(asked_of([equal(F(F(X)), X + 1)], 0), answer, 0)
