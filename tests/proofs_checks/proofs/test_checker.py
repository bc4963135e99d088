"""The checker of certificates: it accepts what the search finds, and nothing else, without a traceback."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.smtlib import assertions
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    REAL,
    Term,
    all_of,
    any_of,
    constant,
    either,
    equal,
    exists,
    for_all,
    implies,
    number,
)
from proofs_checks.proofs.search import NoCertificateError, find_certificate
from tests.proofs_checks.proofs.formulas import ONE, F, G, J, K, M, N, X, Y, formulas, models

Z = constant("z")

CONTRADICTIONS = {
    "linear": {"a": X < Y, "b": Y < Z, "c": Z <= X},
    "equation": {"a": equal(X, Y), "b": equal(Y, Z), "c": X > Z},
    "cases": {"a": any_of(X > 1, X < -1), "b": all_of(X <= 1, X >= -1)},
    "product": {"a": X > 0, "b": Y > 0, "c": X * Y <= 0},
    "square": {"a": X * X + 1 <= 0},
    "whole numbers": {"a": M < N, "b": N < M + 1},
    "ite": {"a": either(X > 0, X, -X) < 0},
    "ite twice": {"a": either(X > 0, X, -X) < either(X > 0, X, -X)},
    "division": {"a": Y > 0, "b": X / Y > 1, "c": X < Y},
    "quantifier": {"a": for_all([J], F(J) > 0), "b": F(ONE) <= 0},
    "witness": {"a": exists([J], F(J) > 0), "b": for_all([K], F(K) <= 0)},
    "witness of a function": {"a": for_all([J], exists([K], F(K) > F(J))), "b": for_all([K], F(K) <= F(ONE))},
    "congruence": {"a": equal(ONE, J), "b": F(ONE) > F(J)},
    "congruence of truth": {"a": equal(ONE, J), "b": G(ONE), "c": ~G(J)},
    "transitivity": {"a": equal(ONE, J), "b": equal(J, K), "c": F(ONE) > 0, "d": F(K) <= 0},
    "negated quantifier": {"a": ~exists([J], G(J)), "b": G(ONE)},
    "implication": {"a": implies(X > 0, Y > 0), "b": X > 1, "c": Y < 0},
    "equivalence": {"a": equal(G(ONE), X > 0), "b": G(ONE), "c": X < 0},
    "itself": {"a": ~equal(ONE, ONE)},
}


@pytest.mark.for_each("name", CONTRADICTIONS)
def test_a_contradiction_has_a_certificate_and_without_one_of_its_parts_it_has_none(name):
    stated = CONTRADICTIONS[name]
    found = find_certificate(stated, hints=[X], signs=[])
    check_certificate(stated, json.loads(json.dumps(found)))
    for left_out in stated:
        rest = {key: formula for key, formula in stated.items() if key != left_out}
        with pytest.raises(CertificateError):
            check_certificate(rest, found)
        with pytest.raises(NoCertificateError):
            find_certificate(rest, hints=[X])


@pytest.mark.long("solves 100 linear programs")
@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3, st.sampled_from(["<", "<=", "="])), min_size=1, max_size=5))
def test_linear_systems_are_decided_as_by_linear_programming(rows):
    """A certificate exists exactly if no rational point meets all constraints, which scipy decides for whole bounds."""
    from scipy.optimize import linprog

    stated = {}
    upper, equal_rows, upper_bounds, equal_bounds = [], [], [], []
    strict = False
    for k, (a, b, c, sign) in enumerate(rows):
        left = a * X + b * Y
        stated[f"h{k}"] = {"<": left < c, "<=": left <= c, "=": equal(left, c)}[sign]
        strict |= sign == "<"
        (equal_rows if sign == "=" else upper).append([a, b, float(sign == "<")])
        (equal_bounds if sign == "=" else upper_bounds).append(c)
    # The third variable is the slack of the strict ones: feasible if it can be positive.
    found = linprog(
        [0, 0, -1],
        A_ub=upper or None,
        b_ub=upper_bounds or None,
        A_eq=equal_rows or None,
        b_eq=equal_bounds or None,
        bounds=[(None, None), (None, None), (0, 1)],
    )
    feasible = found.status == 0 and (not strict or -found.fun > 1e-9)
    try:
        check_certificate(stated, find_certificate(stated))
        assert not feasible
    except NoCertificateError:
        assert feasible


def test_the_checker_imports_no_solver():
    code = (
        "import sys, proofs_checks.proofs.checker.checker as c; sys.exit(any(m in sys.modules for m in ('z3', 'cvc5')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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
    "a name that cannot be written": asserted("(< x 0.0)", "|h:a b|"),
    "a chain of comparisons": asserted("(not (< 0.0 x 1.0))"),
    "a chain of equalities": asserted("(not (= x x 1.0))"),
    "a division by two divisors": asserted("(= x (/ 6.0 2.0 3.0))"),
    "a division of whole numbers": asserted("(= x (/ m m))"),
    "a whole number beside a real one": asserted("(< m x)"),
    "a choice between both": asserted("(< (ite b m x) 1)"),
    "a provider is compared": asserted("(< i i)"),
    "a function of a number": asserted("(< (f x) 0.0)"),
    "a constant is applied": asserted("(< (x i) 0.0)"),
    "a variable is applied": asserted("(forall ((f Provider)) (< (f i) 0.0))"),
    "a variable of an unknown sort": asserted("(forall ((z Thing)) (= z z))"),
    "a symbol of an unknown sort": "(declare-fun z () Thing)" + asserted("(= z z)"),
    "a variable twice": asserted("(forall ((z Real) (z Int)) (< z 0.0))"),
    "a quantifier over a number": asserted("(= x (forall ((z Real)) z))"),
    "a number is asserted": asserted("x"),
    "nothing": asserted("(and)"),
    "a witness's name": "(declare-fun j~a~0 () Provider)" + asserted("(= j~a~0 i)"),
    "a built-in is declared": "(declare-fun and () Bool)" + asserted("and"),
    "a built-in is a variable": asserted("(forall ((number Real)) (< number 0.0))"),
    "an undeclared symbol": asserted("(< z 0.0)"),
    "a blank of another alphabet": asserted("(<\u00a0x 0.0)"),
    "an unknown command": "(define-fun z () Real 1.0)" + asserted("(< x 0.0)"),
    "a definition in place": asserted("(let ((z 1.0)) (< z 0.0))"),
    "a word": "assert",
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
SATISFIABLE |= {"g": any_of(X > 1, Y > 1), "h": equal(X / Y, 2), "l": ~equal(ONE, K), "o": G(ONE)}
USUAL = [{"assertion": name, "terms": []} for name in "abefghlo"]

BAD_FACTS = {
    "the variable itself": [{"assertion": "c", "terms": ["j~c~0"]}],
    "an instance at a number": [{"assertion": "c", "terms": ["x"]}],
    "an instance at a formula": [{"assertion": "c", "terms": ["(> x 0.0)"]}],
    "too many terms": [{"assertion": "a", "terms": ["i"]}],
    "two terms in one": [{"assertion": "c", "terms": ["i k"]}],
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
    "text": "assertion",
    "a text among them": ["assertion"],
}
BAD_TREES = {
    "nan": {"sum": [[[0], "nan"]]},
    "not a number": {"sum": [[[0], math.nan]]},
    "infinity": {"sum": [[[0], math.inf]]},
    "true": {"sum": [[[0], True]]},
    "a huge exponent": {"sum": [[[0], "1e999999999"]]},
    "other digits": {"sum": [[[0], "١"]]},
    "a zero below": {"sum": [[[0], "1/0"]]},
    "negative": {"sum": [[[0], "-1"]]},
    "a huge index": {"sum": [[[10**30], "1"]]},
    "an index from the end": {"sum": [[[-1], "1"]]},
    "an index that is true": {"sum": [[[True], "1"]]},
    "one, of nothing": {"sum": [[[], "1"]]},
    "nothing": {"sum": []},
    "a negative square": {"sum": [[[], "1"]], "squares": [[[[[], "1"]], "-1"]]},
    "an inequality as an equation": {"sum": [[[0], "1"]], "equations": [[0, [[[], "-1"]]]]},
    "an equation as an inequality": {"sum": [[[], "1"], [[8], "1"]]},
    "a negative power": {"sum": [[[], "1"]], "squares": [[[[[["x", -1]], "1"]], "1"]]},
    "a huge power": {"sum": [[[], "1"]], "squares": [[[[[["x", 10**9]], "1"]], "1"]]},
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
    "a claim": {"clash": True},
    "another": {"absurd": True},
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


def test_deep_trees_and_long_numbers_are_refused():
    tree: object = {}
    for _ in range(20_000):
        tree = {"sign": [], "cases": [tree, tree]}
    for nonsense, said in ((tree, "RecursionError"), ({"sum": [[[0], "9" * 100_000]]}, "no fraction")):
        with pytest.raises(CertificateError, match=said):
            check_certificate(SATISFIABLE, {"facts": USUAL, "tree": nonsense})


@pytest.mark.parametrize(
    "inside", [lambda q: equal(q, X > 0), lambda q: either(q, X, Y) > 0, lambda q: equal(X > 0, q)]
)
def test_a_quantifier_without_polarity_is_refused(inside):
    stated = {"a": inside(for_all([J], G(J)))}
    with pytest.raises(CertificateError, match="neither positive nor negative"):
        check_certificate(stated, {"facts": [{"assertion": "a", "terms": []}], "tree": {"clash": True}})


NO_CONTRADICTIONS = {
    "an existential witness is not everybody": {"a": exists([J], F(J) > 0), "b": F(ONE) <= 0},
    "two witnesses differ": {"a": exists([J], G(J)), "b": exists([J], ~G(J))},
    "two witnesses of one assertion differ": {"a": all_of(exists([J], G(J)), exists([J], ~G(J)))},
    "a witness depends on its variable": {"a": for_all([J], exists([K], F(K) > F(J))), "b": F(ONE) > 0},
    "an inner variable hides the outer": {"a": for_all([J], implies(G(J), exists([J], ~G(J)))), "b": G(ONE)},
    "a variable hides a constant": {"a": G(J), "b": exists([J], ~G(J))},
    "a variable of another sort hides": {
        "a": for_all([X], exists([Term("x", (), PROVIDER)], F(Term("x", (), PROVIDER)) > X)),
        "b": F(ONE) <= 0,
    },
    "a division by zero": {"a": equal(X / Y, 1), "b": equal(Y, 0), "c": equal(X, 1)},
    "a division by zero, twice": {"a": equal(X / 0, 1), "b": equal(Y / 0, 2)},
    "a real between whole numbers": {"a": X > 0, "b": X < 1, "c": equal(Y, X * 2)},
    "a half of a whole number": {"a": M / number(2) > 0, "b": M / number(2) < 1},
    "the larger of two": {"a": either(X > Y, X, Y) >= X, "b": either(X > Y, X, Y) > Y},
    "no congruence without equality": {"a": F(ONE) > F(K), "b": ~equal(ONE, K)},
    "no symmetry of order": {"a": M >= N, "b": N >= M},
    "an equivalence": {"a": equal(G(ONE), G(K)), "b": ~G(ONE)},
    "a denied equivalence": {"a": ~equal(G(ONE), X > 0), "b": ~G(ONE), "c": X > 0},
}


@pytest.mark.for_each("name", NO_CONTRADICTIONS)
def test_the_search_finds_no_contradiction_where_there_is_none(name):
    with pytest.raises((NoCertificateError, CertificateError)):
        check_certificate(NO_CONTRADICTIONS[name], find_certificate(NO_CONTRADICTIONS[name], hints=[X]))


@pytest.mark.long("searches 100 certificates")
@given(st.lists(formulas(), min_size=1, max_size=3), models())
def test_what_is_true_somewhere_is_never_refuted(drawn: list[Term], model: Model):
    """Formulas that some model makes true: were the facts or the checker wrong, the search would find a certificate."""
    stated = {f"h{k}": formula if model.value(formula) else ~formula for k, formula in enumerate(drawn)}
    with pytest.raises((NoCertificateError, CertificateError)):
        check_certificate(stated, find_certificate(stated))
