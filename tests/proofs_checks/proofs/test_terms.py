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
from proofs_checks.proofs.language.models import with_providers
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
    substituted,
)

X, Y = constants("x y")
M = constant("m", INT)
_I, J = constant("i", PROVIDER), constant("j", PROVIDER)
BID = function("bid")


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
        (equal(_I, J), "(= i j)"),
        (either(X > 0, X, 0), "(ite (> x 0.0) x 0.0)"),
        (BID(_I) >= Y, "(>= (bid i) y)"),
        (for_all([J], BID(J) > 0), "(forall ((j Provider)) (> (bid j) 0.0))"),
    ],
)
def test_terms_are_written_as_smtlib(term, text):
    assert str(term) == text


def test_a_term_has_no_truth_value():
    with pytest.raises(TypeError, match="no truth value"):
        bool(X < Y)
    with pytest.raises(TypeError, match="no truth value"):
        _ = 0 < X < 1


class TestEqualTermsAreOneObject:
    """They are compared and looked up by what they are, so two that are equal must never be two."""

    def test_however_they_are_made(self):
        made = BID(_I) > X + 1
        assert (BID(_I) > X + 1) is made
        assert copy.deepcopy(made) is made
        assert replace(made) is made
        assert pickle.loads(pickle.dumps(made)) is made

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

    @pytest.mark.parametrize("value", [0.5, 1, True])
    def test_what_is_equal_to_a_fraction_never_stands_in_its_place(self, value):
        with pytest.raises(TypeError, match="no Fraction"):
            Term("number", (), "never made before", value)
        right = number(Fraction(value))
        assert Term("number", (), REAL, value) is right
        assert type(right.number) is Fraction

    def test_none_changes(self):
        with pytest.raises(FrozenInstanceError):
            X.head = "y"

    def test_threads_that_make_the_same_ones_get_the_same_ones(self):
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(4) as pool:
                first, *others = pool.map(lambda _: [constant(f"thread_{k}") + k for k in range(2000)], range(4))
        finally:
            sys.setswitchinterval(before)
        assert all(one is two for made in others for one, two in zip(first, made, strict=True))

    def test_those_that_nobody_holds_are_forgotten_however_deep_and_the_others_never(self, monkeypatch):
        known = _Known(most=1000)
        monkeypatch.setattr(terms, "_known", known)
        held = [X + k for k in range(400)]
        for round_ in range(20):
            deep = X
            for _ in range(300):
                deep = deep + (1000 + round_)
        assert len(known.places) < 2000
        assert all(X + k is one for k, one in enumerate(held))

    def test_as_many_are_known_as_are_held(self, monkeypatch):
        monkeypatch.setattr(terms, "_known", _Known(most=10))
        held = [X + k for k in range(1000)]
        assert all(X + k is one for k, one in enumerate(held))


def test_a_bound_variable_is_not_replaced():
    formula = all_of(BID(J) > 0, for_all([J], BID(J) > 1))
    assert str(substituted(formula, {J: _I})) == "(and (> (bid i) 0.0) (forall ((j Provider)) (> (bid j) 1.0)))"


@pytest.mark.for_each(
    ("formula", "logic"),
    [
        (X > 0, "QF_LRA"),
        (X * Y > 0, "QF_NRA"),
        (2 * X > 0, "QF_LRA"),
        (X / Y > 0, "QF_NRA"),
        (X / 2 > 0, "QF_LRA"),
        (M > 0, "QF_LIA"),
        (M * M > 0, "QF_NIA"),
        (M > X, "QF_LIRA"),
        (BID(_I) > 0, "QF_UFLRA"),
        (for_all([J], BID(J) > 0), "UFLRA"),
        (for_all([J], BID(J) * X > 0), "UFNRA"),
    ],
)
def test_the_logic_is_the_smallest_that_has_everything(formula, logic):
    assert logic_of({"h": formula}) == logic


def formulas() -> st.SearchStrategy[Term]:
    numbers = st.fractions(-5, 5, max_denominator=7).map(number)
    reals = st.recursive(
        st.sampled_from([X, Y, BID(_I), BID(J)]) | numbers,
        lambda inner: st.builds(
            lambda op, a, b: op(a, b), st.sampled_from([Term.__add__, Term.__sub__, Term.__mul__]), inner, inner
        ),
        max_leaves=4,
    )
    atoms = st.builds(lambda op, a, b: op(a, b), st.sampled_from([Term.__lt__, Term.__le__, equal]), reals, reals)
    return st.recursive(
        atoms | st.just(equal(_I, J)) | st.just(constant("flag", BOOL)),
        lambda inner: (
            st.builds(all_of, inner, inner)
            | st.builds(any_of, inner, inner)
            | st.builds(implies, inner, inner)
            | inner.map(Term.__invert__)
            | inner.map(lambda f: for_all([J], f))
            | inner.map(lambda f: exists([J], f))
        ),
        max_leaves=5,
    )


@given(st.lists(formulas(), min_size=1, max_size=3))
def test_a_script_is_read_back_as_it_was_written(drawn):
    named = {f"h-{k}": formula for k, formula in enumerate(drawn)}
    assert assertions(script(named, title="any", satisfiable=True)) == named


@pytest.mark.for_each("text", ["(assert (< x 1.0))", "(", ")", "(frobnicate)", "(assert (! (< x 1.0) :named |h:a|))"])
def test_what_is_no_script_of_ours_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        assertions(text)


def test_one_symbol_has_one_signature():
    with pytest.raises(ValueError, match="two signatures"):
        script({"h": BID(_I) > function("bid")(_I, J)}, title="clash", satisfiable=True)


@pytest.mark.parametrize("free_first", [False, True])
def test_a_symbol_is_free_outside_of_the_quantifier_that_binds_its_name(free_first):
    """What was looked at inside says nothing of what stands outside, nor the other way round."""
    free, bound = X > 1, for_all([X], X > 1)
    signatures = signatures_of({"both": all_of(free, bound) if free_first else all_of(bound, free)})
    assert signatures == {"x": ((), "Real")}
    assert signatures_of({"bound": bound}) == {}
    applied = Term("x", (X,), REAL)
    with pytest.raises(ValueError, match="two signatures"):
        signatures_of({"both": all_of(bound, applied > 1)})


def test_finitely_many_providers_need_no_quantifier():
    finite = with_providers({"all": for_all([J], BID(J) > 0), "one": exists([J], equal(J, _I))}, 3)
    assert logic_of(finite) == "QF_UFLRA"
    assert "provider_2" in str(finite["all"])
    assert {"providers-differ", "one-of-them-0"} <= finite.keys()
    assert with_providers({"h": X > 0}, 3) == {"h": X > 0}


def test_a_model_is_read_by_term():
    text = "((x (/ 1.0 2.0)) ((bid provider_0) (- 3.0)) ((= i provider_0) true))"
    assert values_of_model(text) == {"x": "(/ 1.0 2.0)", "(bid provider_0)": "(- 3.0)", "(= i provider_0)": "true"}
    assert expressions("|a b|") == ["|a b|"]
