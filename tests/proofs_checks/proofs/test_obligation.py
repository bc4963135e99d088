"""Finite instances of obligations: a model with so many providers is a model, whatever the formulas are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from proofs_checks.proofs.language.models import Model, with_providers
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation
from proofs_checks.proofs.language.smtlib import logic_of, script
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
)
from proofs_checks.proofs.solvers.solvers import ask_all

X, Y = constants("x y")
M = constant("m", INT)
_I, J, K = constants("i j k", PROVIDER)
F, G, NEXT = function("f"), function("g", BOOL), function("next", PROVIDER)


def answered(formulas):
    return ask_all("z3", {"q": script(formulas, title="q", satisfiable=True)})["q"].answer


def test_one_provider_needs_no_word_on_differences():
    finite = with_providers({"a": for_all([J], F(J) > 0), "b": F(_I) < 1}, 1)
    assert "providers-differ" not in finite
    assert answered(finite) == "sat"
    assert answered(with_providers({"a": exists([J, K], ~equal(J, K))}, 1)) == "unsat"
    assert answered(with_providers({"a": exists([J, K], ~equal(J, K))}, 2)) == "sat"


def test_the_values_of_a_function_are_among_the_providers():
    """`next(i)` could be a further provider, of which "everybody" would not speak."""
    stated = {"everybody": for_all([J], F(J) > 0), "but": F(NEXT(_I)) <= 0}
    assert answered(stated) == "unsat"
    assert all(answered(with_providers(stated, size)) == "unsat" for size in (1, 2, 3))


def test_a_function_of_numbers_with_providers_as_values_is_refused():
    for term in (NEXT(X), either(X > 0, _I, J)):
        with pytest.raises(ValueError, match="depends on what is none"):
            with_providers({"a": for_all([J], F(J) > F(term))}, 2)


@pytest.mark.parametrize("name", ["provider_0", "provider_7"])
def test_the_names_of_the_counted_providers_are_kept_for_them(name):
    mine = constant(name, PROVIDER)
    for formula in (F(mine) > 0, for_all([mine], F(mine) > 0), for_all([J], constant(name) > F(J))):
        with pytest.raises(ValueError, match="is kept"):
            with_providers({"a": formula}, 2)


@pytest.mark.parametrize("name", ["providers-differ", "one-of-them-0"])
def test_no_hypothesis_is_lost_to_a_name(name):
    with pytest.raises(ValueError, match=name):
        with_providers({name: F(_I) > 0}, 2)


def test_there_is_somebody():
    with pytest.raises(ValueError, match="0 providers"):
        with_providers({"a": F(_I) > 0}, 0)


def test_quantifiers_over_numbers_stay():
    finite = with_providers({"a": for_all([J, X], F(J) > X)}, 2)
    assert str(finite["a"]) == "(and (forall ((x Real)) (> (f provider_0) x)) (forall ((x Real)) (> (f provider_1) x)))"


def _formulas() -> st.SearchStrategy[Term]:
    people = st.sampled_from([_I, J, K])
    atoms = st.one_of(
        st.builds(lambda a, b: F(a) < F(b), people, people),
        st.builds(equal, people, people),
        people.map(G),
        people.map(lambda a: F(a) >= 1),
        people.map(lambda a: G(NEXT(a))),
    )
    return st.recursive(
        atoms,
        lambda inner: (
            st.builds(all_of, inner, inner)
            | st.builds(any_of, inner, inner)
            | st.builds(implies, inner, inner)
            | inner.map(Term.__invert__)
            | inner.map(lambda f: for_all([J], f))
            | inner.map(lambda f: exists([J, K], f))
        ),
        max_leaves=4,
    )


@given(_formulas(), st.integers(1, 3), st.data())
@settings(max_examples=150, deadline=None)
def test_expanded_formulas_are_true_exactly_where_the_quantified_are(formula, size, data):
    """The evaluator knows what quantifiers mean; the expansion must agree at every point."""
    index = st.integers(0, size - 1)
    values = {(name,): data.draw(index) for name in "ijk"}
    values |= {(f"provider_{k}",): k for k in range(size)}
    for k in range(size):
        values |= {("f", k): data.draw(st.integers(0, 2)), ("g", k): data.draw(st.booleans())}
        values[("next", k)] = data.draw(index)
    model = Model(size, values)
    finite = with_providers({"a": formula}, size)
    assert model.value(finite["a"]) == model.value(formula)
    assert all(model.value(added) for name, added in finite.items() if name != "a")


@pytest.mark.for_each(
    ("formula", "logic"),
    [
        (function("odd-name")(_I) > 0, "QF_UFLRA"),
        (X * (2 * Y) > 0, "QF_NRA"),
        ((X + 1) * (2 - 3) > 0, "QF_LRA"),
        (1 / X > 0, "QF_NRA"),
        (X / (Y - Y) > 0, "QF_NRA"),
        (for_all([X], X * X >= 0), "NRA"),
        (for_all([M], M < M + 1), "LIA"),
        (for_all([J], equal(J, J)), "UFLRA"),
        (G(_I), "QF_UFLRA"),
        (either(X > 0, X, Y) > M, "QF_LIRA"),
        (constant("flag", BOOL), "QF_LRA"),
        (M * X > 0, "QF_NIRA"),
    ],
)
def test_no_logic_is_too_small(formula, logic):
    assert logic_of({"h": formula}) == logic


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.for_each(
    "formula",
    [
        F(_I) * X > 1,
        all_of(M > X, X > 0),
        for_all([J], F(J) * X > 0),
        exists([J], function("count", INT)(J) > X),
        exists([J], all_of(G(J), ~equal(J, NEXT(J)))),
        either(X > 0, 1 / X, Y) > 2,
        all_of(constant("flag", BOOL), M > 2),
    ],
)
def test_no_solver_finds_the_logic_too_small(formula, solver):
    said = ask_all(solver, {"q": script({"h": formula}, title="q", satisfiable=True)})["q"]
    assert said.answer in ("sat", "unknown"), said.text


def test_a_mutant_names_hypotheses_that_exist():
    obligation = Obligation("a", "says", {"h": Hypothesis(X > 0)}, X > -1)
    for mutant in (Mutant("m", drop=("other",)), Mutant("m", replace={"other": X > 0})):
        with pytest.raises(ValueError, match="other"):
            obligation.mutated(mutant)
