"""The language of obligations: what is written is what was meant, and is read back the same."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_checks.proofs.language import terms
from proofs_checks.proofs.language.models import Model, with_providers
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation
from proofs_checks.proofs.language.smtlib import assertions, expressions, logic_of, script, values_of_model
from proofs_checks.proofs.language.sorts import signatures_of
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    REAL,
    Term,
    _Known,
    all_of,
    constant,
    either,
    equal,
    exists,
    for_all,
    function,
    number,
    substituted,
)
from proofs_checks.proofs.solvers.solvers import ask_all, ask_both
from tests.proofs_checks.proofs.formulas import NEXT, ONE, F, G, J, K, M, X, Y, formulas, models

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
        (M + 1, "(+ m 1)"),
        (M + X, "(+ (to_real m) x)"),
        (M <= 3, "(<= m 3)"),
        (equal(ONE, J), "(= i j)"),
        (either(X > 0, X, 0), "(ite (> x 0.0) x 0.0)"),
        (F(ONE) >= Y, "(>= (f i) y)"),
        (for_all([J], F(J) > 0), "(forall ((j Provider)) (> (f j) 0.0))"),
    ],
)
def test_terms_are_written_as_smtlib(term, text):
    assert str(term) == text


def test_a_term_has_no_truth_value():
    with pytest.raises(TypeError, match="no truth value"):
        _ = 0 < X < 1


class TestEqualTermsAreOneObject:
    """They are compared and looked up by what they are, so two that are equal must never be two."""

    def test_however_they_are_made(self):
        made = F(ONE) > X + 1
        assert (F(ONE) > X + 1) is made
        assert copy.deepcopy(made) is made
        assert replace(made) is made
        assert pickle.loads(pickle.dumps(made)) is made
        with pytest.raises(FrozenInstanceError):
            X.head = "y"

    @pytest.mark.for_each(
        "other",
        [
            Term("x", (), INT),
            Term("y", (), REAL),
            Term("x", (), REAL, Fraction(1)),
            Term("x", (X,), REAL),
            Term("x", (), REAL, None, (X,)),
        ],
    )
    def test_one_that_differs_is_another(self, other):
        assert other != X

    @pytest.mark.for_each("value", [0.5, 1, True])
    def test_what_is_equal_to_a_fraction_never_stands_in_its_place(self, value):
        with pytest.raises(TypeError, match="no Fraction"):
            Term("number", (), "never made before", value)
        right = number(Fraction(value))
        assert Term("number", (), REAL, value) is right
        assert type(right.number) is Fraction

    def test_threads_that_make_the_same_ones_get_the_same_ones(self):
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(4) as pool:
                first, *others = pool.map(lambda _: [constant(f"thread_{k}") + k for k in range(2000)], range(4))
        finally:
            sys.setswitchinterval(before)
        assert all(one is two for made in others for one, two in zip(first, made, strict=True))

    def test_those_that_nobody_holds_are_forgotten_and_the_others_never(self, monkeypatch):
        known = _Known(most=1000)
        monkeypatch.setattr(terms, "_known", known)
        held = [X + k for k in range(1500)]
        for round_ in range(20):
            deep = X
            for _ in range(300):
                deep = deep + (2000 + round_)
        assert len(known.places) < 6000
        assert all(X + k is one for k, one in enumerate(held))


def test_a_bound_variable_is_not_replaced():
    formula = all_of(F(J) > 0, for_all([J], F(J) > 1))
    assert str(substituted(formula, {J: ONE})) == "(and (> (f i) 0.0) (forall ((j Provider)) (> (f j) 1.0)))"


@pytest.mark.for_each(
    ("formula", "logic"),
    [
        (X > 0, "QF_LRA"),
        (X * Y > 0, "QF_NRA"),
        (2 * X > 0, "QF_LRA"),
        (X * (2 * Y) > 0, "QF_NRA"),
        ((X + 1) * (2 - 3) > 0, "QF_LRA"),
        (X / Y > 0, "QF_NRA"),
        (X / 2 > 0, "QF_LRA"),
        (X / (Y - Y) > 0, "QF_NRA"),
        (M > 0, "QF_LIA"),
        (M * M > 0, "QF_NIA"),
        (M > X, "QF_LIRA"),
        (M * X > 0, "QF_NIRA"),
        (F(ONE) > 0, "QF_UFLRA"),
        (G(ONE), "QF_UFLRA"),
        (FLAG, "QF_LRA"),
        (for_all([J], F(J) > 0), "UFLRA"),
        (for_all([J], F(J) * X > 0), "UFNRA"),
        (for_all([X], X * X >= 0), "NRA"),
        (for_all([M], M < M + 1), "LIA"),
        (for_all([J], equal(J, J)), "UFLRA"),
        (either(X > 0, X, Y) > M, "QF_LIRA"),
    ],
)
def test_the_logic_is_the_smallest_that_has_everything(formula, logic):
    assert logic_of({"h": formula}) == logic


@pytest.mark.long("starts both solvers")
def test_no_solver_finds_the_logic_too_small():
    stated = (
        F(ONE) * X > 1,
        all_of(M > X, X > 0),
        for_all([J], F(J) * X > 0),
        exists([J], function("count", INT)(J) > X),
        exists([J], all_of(G(J), ~equal(J, NEXT(J)))),
        either(X > 0, 1 / X, Y) > 2,
        all_of(FLAG, M > 2),
    )
    questions = {str(one): script({"h": one}, title="q", satisfiable=True) for one in stated}
    for answers in ask_both(questions).values():
        assert {name: one.text for name, one in answers.items() if one.answer not in ("sat", "unknown")} == {}


@given(st.lists(formulas(), min_size=1, max_size=2))
def test_a_script_is_read_back_as_it_was_written(drawn):
    named = {f"h-{k}": formula for k, formula in enumerate(drawn)}
    assert assertions(script(named, title="any", satisfiable=True)) == named


@pytest.mark.for_each("text", ["(assert (< x 1.0))", "(", ")", "(frobnicate)", "(assert (! (< x 1.0) :named |h:a|))"])
def test_what_is_no_script_of_ours_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        assertions(text)


def test_one_symbol_has_one_signature():
    with pytest.raises(ValueError, match="two signatures"):
        script({"h": F(ONE) > function("f")(ONE, J)}, title="clash", satisfiable=True)


@pytest.mark.parametrize("free_first", [False, True])
def test_a_symbol_is_free_outside_of_the_quantifier_that_binds_its_name(free_first):
    """What was looked at inside says nothing of what stands outside, nor the other way round."""
    free, bound = X > 1, for_all([X], X > 1)
    signatures = signatures_of({"both": all_of(free, bound) if free_first else all_of(bound, free)})
    assert signatures == {"x": ((), "Real")}
    assert signatures_of({"bound": bound}) == {}
    with pytest.raises(ValueError, match="two signatures"):
        signatures_of({"both": all_of(bound, Term("x", (X,), REAL) > 1)})


def test_a_model_is_read_by_term():
    text = "((x (/ 1.0 2.0)) ((f provider_0) (- 3.0)) ((= i provider_0) true))"
    assert values_of_model(text) == {"x": "(/ 1.0 2.0)", "(f provider_0)": "(- 3.0)", "(= i provider_0)": "true"}
    assert expressions("|a b|") == ["|a b|"]


class TestFinitelyManyProviders:
    """A model with so many providers is a model, whatever the formulas are."""

    def test_no_quantifier_over_them_is_left(self):
        finite = with_providers({"all": for_all([J], F(J) > 0), "one": exists([J], equal(J, ONE))}, 3)
        assert logic_of(finite) == "QF_UFLRA"
        assert {"providers-differ", "one-of-them-0"} <= finite.keys()
        assert with_providers({"h": X > 0}, 3) == {"h": X > 0}
        over_numbers = with_providers({"a": for_all([J, X], F(J) > X)}, 1)
        assert str(over_numbers["a"]) == "(forall ((x Real)) (> (f provider_0) x))"

    @given(formulas(), models())
    def test_expanded_formulas_are_true_exactly_where_the_quantified_are(self, formula: Term, model: Model):
        finite = with_providers({"a": formula}, model.providers)
        assert model.value(finite["a"]) == model.value(formula)
        assert all(model.value(added) for name, added in finite.items() if name != "a")

    @pytest.mark.long("asks z3 several times")
    def test_they_differ_and_are_all_that_functions_have_as_values(self):
        differ = {"a": exists([J, K], ~equal(J, K))}
        nobody_else = {"everybody": for_all([J], F(J) > 0), "but": F(NEXT(ONE)) <= 0}
        questions = {f"differ {size}": with_providers(differ, size) for size in (1, 2)}
        questions |= {f"nobody else {size}": with_providers(nobody_else, size) for size in (1, 2, 3)}
        told = ask_all("z3", {name: script(one, title="q", satisfiable=True) for name, one in questions.items()})
        assert {name for name, one in told.items() if one.answer == "sat"} == {"differ 2"}
        assert {one.answer for one in told.values()} == {"sat", "unsat"}

    def test_a_function_of_numbers_with_providers_as_values_is_refused(self):
        for term in (NEXT(X), either(X > 0, ONE, J)):
            with pytest.raises(ValueError, match="depends on what is none"):
                with_providers({"a": for_all([J], F(J) > F(term))}, 2)

    @pytest.mark.for_each("name", ["provider_0", "provider_7"])
    def test_their_names_are_kept_for_them(self, name):
        mine = constant(name, PROVIDER)
        for formula in (F(mine) > 0, for_all([mine], F(mine) > 0), for_all([J], constant(name) > F(J))):
            with pytest.raises(ValueError, match="is kept"):
                with_providers({"a": formula}, 2)

    @pytest.mark.for_each(
        ("name", "size", "said"),
        [("providers-differ", 2, "providers-differ"), ("one-of-them-0", 2, "one-of-them-0"), ("a", 0, "0 providers")],
    )
    def test_no_hypothesis_is_lost_and_somebody_is_there(self, name, size, said):
        with pytest.raises(ValueError, match=said):
            with_providers({name: F(ONE) > 0}, size)


def test_a_mutant_names_hypotheses_that_exist():
    obligation = Obligation("a", "says", {"h": Hypothesis(X > 0)}, X > -1)
    for mutant in (Mutant("m", drop=("other",)), Mutant("m", replace={"other": X > 0})):
        with pytest.raises(ValueError, match="other"):
            obligation.mutated(mutant)
