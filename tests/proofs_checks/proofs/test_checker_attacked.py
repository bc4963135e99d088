"""Attempts to get something false certified: every one of them is refused, without a traceback."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings, strategies as st

from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.smtlib import assertions, script
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    REAL,
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
from proofs_checks.proofs.search import NoCertificateError, find_certificate

X, Y = constants("x y")
M, N = constants("m n", INT)
_I, J, K = constants("i j k", PROVIDER)
F, G = function("f"), function("g", BOOL)

HEAD = "(set-logic ALL)\n(declare-sort Provider 0)\n(declare-fun x () Real)\n(declare-fun m () Int)\n"
HEAD += "(declare-fun f (Provider) Real)\n(declare-fun i () Provider)\n(declare-fun b () Bool)\n"


def asserted(body: str, name: str = "|h:a|") -> str:
    return f"(assert (! {body} :named {name}))\n"


REFUSED_SCRIPTS = {
    "text in quotes hides an assertion": '(set-info :x ")' + asserted("false") + '(set-info :y ")',
    "a quoted symbol with a semicolon": asserted("(< x 0.0)", "|h:a;|"),
    "a quoted symbol is the plain one": "(declare-fun |x| () Real)" + asserted("(forall ((x Real)) (> |x| 0.0))"),
    "an assertion after the question": "(check-sat)" + asserted("false"),
    "a symbol is declared twice": "(declare-fun x () Int)" + asserted("(< x 1)"),
    "an assertion is named twice": asserted("(< x 0.0)") + asserted("(> x 0.0)"),
    "a name under two spellings": asserted("(< x 0.0)", "|h:a|") + asserted("(> x 0.0)", "a"),
    "no name": "(assert (< x 0.0))",
    "a name that cannot be written": asserted("(< x 0.0)", "|h:a b|"),
    "a chain of comparisons": asserted("(not (< 0.0 x 1.0))"),
    "a chain of equalities": asserted("(not (= x x 1.0))"),
    "a chain of implications": asserted("(not (=> b b false))"),
    "a division by two divisors": asserted("(= x (/ 6.0 2.0 3.0))"),
    "a division of whole numbers": asserted("(= x (/ m m))"),
    "a product of three": asserted("(= x (* x x x))"),
    "a whole number beside a real one": asserted("(< m x)"),
    "a sum of both": asserted("(< (+ m x) m)"),
    "a choice between both": asserted("(< (ite b m x) 1)"),
    "a provider is compared": asserted("(< i i)"),
    "a provider equals a number": asserted("(= i x)"),
    "a function of a number": asserted("(< (f x) 0.0)"),
    "a function of two": asserted("(< (f i i) 0.0)"),
    "a function of nothing": asserted("(< f 0.0)"),
    "a constant is applied": asserted("(< (x i) 0.0)"),
    "a variable is applied": asserted("(forall ((f Provider)) (< (f i) 0.0))"),
    "a variable of an unknown sort": asserted("(forall ((z Thing)) (= z z))"),
    "a symbol of an unknown sort": "(declare-fun z () Thing)" + asserted("(= z z)"),
    "a variable twice": asserted("(forall ((z Real) (z Int)) (< z 0.0))"),
    "a quantifier without variables": asserted("(forall () b)"),
    "a quantifier over a number": asserted("(= x (forall ((z Real)) z))"),
    "a number is asserted": asserted("x"),
    "not two": asserted("(not b b)"),
    "nothing": asserted("(and)"),
    "a witness's name": "(declare-fun j~a~0 () Provider)" + asserted("(= j~a~0 i)"),
    "a quotient's name": "(declare-fun #0 () Real)" + asserted("(< #0 0.0)"),
    "a built-in is declared": "(declare-fun and () Bool)" + asserted("and"),
    "a built-in is a variable": asserted("(forall ((number Real)) (< number 0.0))"),
    "an undeclared symbol": asserted("(< z 0.0)"),
    "digits of another alphabet": asserted("(< x ١.0)"),
    "a blank of another alphabet": asserted("(<\u00a0x 0.0)"),
    "an unknown command": "(define-fun z () Real 1.0)" + asserted("(< x 0.0)"),
    "a definition in place": asserted("(let ((z 1.0)) (< z 0.0))"),
    "an empty command": "()",
    "a word": "assert",
    "a word as a name": asserted("(< x 0.0)", "(a)"),
    "deep": asserted("(not " * 50_000 + "b" + ")" * 50_000),
    "a list as a symbol": "(declare-fun (x) () Real)" + asserted("b"),
}


@pytest.mark.for_each("name", REFUSED_SCRIPTS)
def test_a_script_that_solvers_may_read_in_another_way_is_refused(name):
    with pytest.raises(ValueError, match=r".+"):
        assertions(HEAD + REFUSED_SCRIPTS[name])


def test_the_script_around_the_attacks_is_fine():
    assert assertions(HEAD + asserted("(< x 0.0)")) == {"a": X < 0}
    assert assertions(HEAD + '; ≥ "quoted" |bar (assert\n' + asserted("(and b (< (f i) (to_real m)))"))


def test_a_title_cannot_smuggle_in_a_command():
    with pytest.raises(ValueError, match="one line"):
        script({"a": X < 0}, title="harmless\n(assert (! false :named |h:b|))", satisfiable=True)


ILL_SORTED = {
    "a real choice that calls itself whole": {"a": Term("ite", (X > 0, X, X), INT) > 0, "b": Term("x", (), REAL) < 1},
    "half as a whole number": {"a": equal(M, number(1, INT) * Term("number", (), INT, number(1).number / 2))},
    "a number with arguments": {"a": Term("number", (X,), REAL) < 0},
    "a symbol of two sorts": {"a": Term("x", (), INT) > 0, "b": X < 1},
    "a quantifier without a variable": {"a": Term("forall", (X > 0,), BOOL)},
    "variables of a sum": {"a": Term("+", (X, X), REAL, None, (X,)) > 0},
    "a witness that is a symbol": {"a": exists([J], F(J) > 0), "b": F(constant("j~a~0", PROVIDER)) <= 0},
    "a quotient that is a symbol": {"a": constant("#0") > 0, "b": X / Y < 0},
    "a name": {"a) (b": X > 0, "c": X < 0},
}


@pytest.mark.for_each("name", ILL_SORTED)
def test_ill_sorted_assertions_are_refused(name):
    stated = ILL_SORTED[name]
    chosen = [{"assertion": key, "terms": []} for key in stated]
    with pytest.raises(CertificateError):
        check_certificate(stated, {"facts": chosen, "tree": {"sum": [[[0], "1"], [[1], "1"]]}})


SATISFIABLE = {"a": X > 0, "b": Y > 0, "c": for_all([J], F(J) > X), "d": exists([J], G(J)), "e": M > 0, "f": M + N < 5}
SATISFIABLE |= {"g": any_of(X > 1, Y > 1), "h": equal(X / Y, 2), "l": ~equal(_I, K), "o": G(_I)}
USUAL = [{"assertion": name, "terms": []} for name in "abefghlo"]

BAD_FACTS = {
    "the variable itself": [{"assertion": "c", "terms": ["j~c~0"]}],
    "an instance at a number": [{"assertion": "c", "terms": ["x"]}],
    "an instance at a formula": [{"assertion": "c", "terms": ["(> x 0.0)"]}],
    "too few terms": [{"assertion": "c", "terms": []}],
    "too many terms": [{"assertion": "a", "terms": ["i"]}],
    "two terms in one": [{"assertion": "c", "terms": ["i k"]}],
    "an unknown symbol": [{"assertion": "c", "terms": ["stranger"]}],
    "another's witness": [{"assertion": "c", "terms": ["j~e~0"]}],
    "a witness with arguments": [{"assertion": "c", "terms": ["(j~d~0 i)"]}],
    "a quantified term": [{"congruence": ["g", ["(forall ((q Real)) (< q q))"], ["i"]]}],
    "an unknown assertion": [{"assertion": "z", "terms": []}],
    "no assertion": [{"terms": []}],
    "congruence of another arity": [{"congruence": ["f", [], []]}],
    "congruence of two and one": [{"congruence": ["f", ["i", "k"], ["k"]]}],
    "congruence of numbers": [{"congruence": ["f", ["x"], ["y"]]}],
    "congruence of a built-in": [{"congruence": ["ite", ["(> x 0.0)", "x", "x"], ["(> x 0.0)", "x", "x"]]}],
    "congruence of an order": [{"congruence": ["<", ["x", "y"], ["y", "x"]]}],
    "transitivity across sorts": [{"transitivity": ["x", "m", "x"]}],
    "transitivity of two": [{"transitivity": ["i", "k"]}],
    "text": "assertion",
    "a number": 3,
    "a text among them": ["assertion"],
}
BAD_TREES = {
    "nan": {"sum": [[[0], "nan"]]},
    "not a number": {"sum": [[[0], math.nan]]},
    "infinity": {"sum": [[[0], math.inf]]},
    "text of infinity": {"sum": [[[0], "inf"]]},
    "a float": {"sum": [[[0], 1.0]]},
    "true": {"sum": [[[0], True]]},
    "a huge exponent": {"sum": [[[0], "1e999999999"]]},
    "underscores": {"sum": [[[0], "1_0"]]},
    "other digits": {"sum": [[[0], "١"]]},
    "a zero below": {"sum": [[[0], "1/0"]]},
    "blanks": {"sum": [[[0], " 1 "]]},
    "negative": {"sum": [[[0], "-1"]]},
    "a negative denominator": {"sum": [[[0], "1/-1"]]},
    "a huge index": {"sum": [[[10**30], "1"]]},
    "an index from the end": {"sum": [[[-1], "1"]]},
    "an index that is true": {"sum": [[[True], "1"]]},
    "an index as text": {"sum": [["0", "1"]]},
    "one, of nothing": {"sum": [[[], "1"]]},
    "none of one": {"sum": [[[], "0"]]},
    "nothing": {"sum": []},
    "a negative square": {"sum": [[[], "1"]], "squares": [[[[[], "1"]], "-1"]]},
    "an inequality as an equation": {"sum": [[[0], "1"]], "equations": [[0, [[[], "-1"]]]]},
    "an equation as an inequality": {"sum": [[[], "1"], [[8], "1"]]},
    "a negative power": {"sum": [[[], "1"]], "squares": [[[[[["x", -1]], "1"]], "1"]]},
    "the power 0": {"sum": [[[], "1"]], "squares": [[[[[["x", 0]], "1"]], "1"]]},
    "a huge power": {"sum": [[[], "1"]], "squares": [[[[[["x", 10**9]], "1"]], "1"]]},
    "a broken power": {"sum": [[[], "1"]], "squares": [[[[[["x", 1.5]], "1"]], "1"]]},
    "a variable twice": {"sum": [[[], "1"]], "squares": [[[[[["x", 1], ["x", 1]], "1"]], "1"]]},
    "a variable that is a list": {"sum": [[[], "1"]], "squares": [[[[[[["x"], 1]], "1"]], "1"]]},
    "one sign of two": {"sign": [[[["x", 1]], "1"]], "cases": [{"sum": [[[0], "1"]]}]},
    "no sign": {"sign": [[[["x", 1]], "1"]], "cases": []},
    "no cases": {"split": 0, "cases": []},
    "one case": {"split": 0, "cases": [{"clash": True}]},
    "cases by name": {"split": 0, "cases": {"a": 1, "b": 2}},
    "an alternative that is not there": {"split": 7, "cases": []},
    "deep": json.loads('{"sign": [], "cases": [' * 400 + "{}" + "]}" * 400),
    "a text": "sum",
    "a list": [],
    "null": None,
    "a claim": {"clash": True},
    "another": {"absurd": True},
    "true alone": True,
}


@pytest.mark.for_each("name", BAD_FACTS)
def test_no_fact_makes_what_is_satisfiable_a_contradiction(name):
    for tree in ({"clash": True}, {"sum": [[[0], "1"]]}):
        with pytest.raises(CertificateError):
            check_certificate(SATISFIABLE, {"facts": BAD_FACTS[name], "tree": tree})


@pytest.mark.for_each("name", BAD_TREES)
def test_no_tree_makes_what_is_satisfiable_a_contradiction(name):
    with pytest.raises(CertificateError):
        check_certificate(SATISFIABLE, {"facts": USUAL, "tree": BAD_TREES[name]})


@pytest.mark.for_each("certificate", [{}, {"facts": []}, {"tree": {}}, [], None, "facts", {"facts": None, "tree": {}}])
def test_what_is_no_certificate_is_refused(certificate):
    with pytest.raises(CertificateError):
        check_certificate(SATISFIABLE, certificate)


def test_a_tree_too_deep_to_walk_is_refused():
    tree: object = {}
    for _ in range(20_000):
        tree = {"sign": [], "cases": [tree, tree]}
    with pytest.raises(CertificateError, match="RecursionError"):
        check_certificate(SATISFIABLE, {"facts": USUAL, "tree": tree})


def test_a_multiplier_of_thousands_of_digits_costs_nothing():
    with pytest.raises(CertificateError, match="no fraction"):
        check_certificate(SATISFIABLE, {"facts": USUAL, "tree": {"sum": [[[0], "9" * 100_000]]}})


@pytest.mark.parametrize(
    "inside", [lambda q: equal(q, X > 0), lambda q: either(q, X, Y) > 0, lambda q: equal(X > 0, q)]
)
def test_a_quantifier_without_polarity_is_refused(inside):
    stated = {"a": inside(for_all([J], G(J)))}
    with pytest.raises(CertificateError, match="neither positive nor negative"):
        check_certificate(stated, {"facts": [{"assertion": "a", "terms": []}], "tree": {"clash": True}})


NO_CONTRADICTIONS = {
    "an existential witness is not everybody": {"a": exists([J], F(J) > 0), "b": F(_I) <= 0},
    "two witnesses differ": {"a": exists([J], G(J)), "b": exists([J], ~G(J))},
    "two witnesses of one assertion differ": {"a": all_of(exists([J], G(J)), exists([J], ~G(J)))},
    "a witness depends on its variable": {"a": for_all([J], exists([K], F(K) > F(J))), "b": F(_I) > 0},
    "an inner variable hides the outer": {"a": for_all([J], implies(G(J), exists([J], ~G(J)))), "b": G(_I)},
    "a variable hides a constant": {"a": G(J), "b": exists([J], ~G(J))},
    "a variable of another sort hides": {
        "a": for_all([X], exists([Term("x", (), PROVIDER)], F(Term("x", (), PROVIDER)) > X)),
        "b": F(_I) <= 0,
    },
    "a division by zero": {"a": equal(X / Y, 1), "b": equal(Y, 0), "c": equal(X, 1)},
    "a division by zero, twice": {"a": equal(X / 0, 1), "b": equal(Y / 0, 2)},
    "a real between whole numbers": {"a": X > 0, "b": X < 1, "c": equal(Y, X * 2)},
    "a half of a whole number": {"a": M / number(2) > 0, "b": M / number(2) < 1},
    "the larger of two": {"a": either(X > Y, X, Y) >= X, "b": either(X > Y, X, Y) > Y},
    "no congruence without equality": {"a": F(_I) > F(K), "b": ~equal(_I, K)},
    "no symmetry of order": {"a": M >= N, "b": N >= M},
    "an equivalence": {"a": equal(G(_I), G(K)), "b": ~G(_I)},
    "a denied equivalence": {"a": ~equal(G(_I), X > 0), "b": ~G(_I), "c": X > 0},
}


@pytest.mark.for_each("name", NO_CONTRADICTIONS)
def test_the_search_finds_no_contradiction_where_there_is_none(name):
    with pytest.raises((NoCertificateError, CertificateError)):
        check_certificate(NO_CONTRADICTIONS[name], find_certificate(NO_CONTRADICTIONS[name], hints=[X]))


_OPERATORS = [Term.__add__, Term.__sub__, Term.__mul__]


def _ground_formulas() -> st.SearchStrategy[Term]:
    numbers = st.integers(-2, 2).map(number)
    reals = st.recursive(
        st.sampled_from([X, Y, F(_I), F(K), F(J)]) | numbers,
        lambda inner: (
            st.builds(lambda op, a, b: op(a, b), st.sampled_from(_OPERATORS), inner, inner)
            | st.builds(lambda a, b, c, d: either(a < b, c, d), inner, inner, inner, inner)
        ),
        max_leaves=3,
    )
    wholes = st.sampled_from([M, N, M + N, M - 2 * N, number(1, INT)])
    orders = st.sampled_from([Term.__lt__, Term.__le__, Term.__gt__, Term.__ge__, equal])
    atoms = st.builds(lambda op, a, b: op(a, b), orders, reals, reals) | st.builds(
        lambda op, a, b: op(a, b), orders, wholes, wholes
    )
    return st.recursive(
        atoms | st.sampled_from([G(_I), G(K), G(J), equal(_I, K), equal(_I, J)]),
        lambda inner: (
            st.builds(all_of, inner, inner)
            | st.builds(any_of, inner, inner)
            | st.builds(implies, inner, inner)
            | inner.map(Term.__invert__)
            | inner.map(lambda f: for_all([J], f))
            | inner.map(lambda f: exists([J], f))
        ),
        max_leaves=3,
    )


@given(st.lists(_ground_formulas(), min_size=1, max_size=4), st.data())
@settings(max_examples=120, deadline=None)
def test_what_is_true_somewhere_is_never_refuted(drawn, data):
    """Formulas that some model makes true: were the facts or the checker wrong, the search would find a certificate."""
    few = st.integers(-2, 2)
    size = data.draw(st.integers(1, 3))
    values = {(name,): data.draw(few) for name in "xymn"}
    values |= {(name,): data.draw(st.integers(0, size - 1)) for name in "ikj"}
    values |= {("f", k): data.draw(few) for k in range(size)} | {
        ("g", k): data.draw(st.booleans()) for k in range(size)
    }
    model = Model(size, values)
    stated = {f"h{k}": formula if model.value(formula) else ~formula for k, formula in enumerate(drawn)}
    with pytest.raises((NoCertificateError, CertificateError)):
        check_certificate(stated, find_certificate(stated))
