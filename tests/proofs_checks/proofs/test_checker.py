"""The checker of certificates: it accepts what the search finds, and nothing else."""

from __future__ import annotations

import copy
import json
import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.language.obligation import scripts_of
from proofs_checks.proofs.language.smtlib import assertions
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    all_of,
    any_of,
    constants,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
)
from proofs_checks.proofs.search import NoCertificateError, find_certificate
from proofs_checks.proofs.statements.incentives import BELOW_WINS, NO_LOSS, WORST_CASE_OPTIMAL

X, Y, Z = constants("x y z")
M, N = constants("m n", INT)
_I, J, K = constants("i j k", PROVIDER)
F, G = function("f"), function("g", BOOL)

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
    "quantifier": {"a": for_all([J], F(J) > 0), "b": F(_I) <= 0},
    "witness": {"a": exists([J], F(J) > 0), "b": for_all([K], F(K) <= 0)},
    "witness of a function": {"a": for_all([J], exists([K], F(K) > F(J))), "b": for_all([K], F(K) <= F(_I))},
    "congruence": {"a": equal(_I, J), "b": F(_I) > F(J)},
    "congruence of truth": {"a": equal(_I, J), "b": G(_I), "c": ~G(J)},
    "transitivity": {"a": equal(_I, J), "b": equal(J, K), "c": F(_I) > 0, "d": F(K) <= 0},
    "negated quantifier": {"a": ~exists([J], G(J)), "b": G(_I)},
    "implication": {"a": implies(X > 0, Y > 0), "b": X > 1, "c": Y < 0},
    "equivalence": {"a": equal(G(_I), X > 0), "b": G(_I), "c": X < 0},
    "itself": {"a": ~equal(_I, _I)},
}


@pytest.mark.for_each("name", CONTRADICTIONS)
def test_a_contradiction_has_a_certificate_that_checks(name):
    stated = CONTRADICTIONS[name]
    found = find_certificate(stated, hints=[X], signs=[])
    check_certificate(stated, json.loads(json.dumps(found)))


@pytest.mark.for_each("name", CONTRADICTIONS)
def test_without_one_of_its_parts_a_contradiction_has_none(name):
    stated = CONTRADICTIONS[name]
    found = find_certificate(stated, hints=[X])
    for left_out in stated:
        rest = {key: formula for key, formula in stated.items() if key != left_out}
        with pytest.raises(CertificateError):
            check_certificate(rest, found)
        with pytest.raises(NoCertificateError):
            find_certificate(rest, hints=[X])


def leaves(node):
    if "cases" in node:
        for case in node["cases"]:
            yield from leaves(case)
    else:
        yield node


def tampered(certificate):
    """Every certificate with one number of one leaf changed, a case left out, or a fact left out."""
    for number in range(len(list(leaves(certificate["tree"])))):
        for change in (_other_multiplier, _other_constraint, _claims_a_clash, _nothing):
            broken = copy.deepcopy(certificate)
            leaf = list(leaves(broken["tree"]))[number]
            if "sum" in leaf and change(leaf):
                yield broken
    for number in range(len(certificate["facts"])):
        broken = copy.deepcopy(certificate)
        del broken["facts"][number]
        yield broken
    if "cases" in certificate["tree"]:
        broken = copy.deepcopy(certificate)
        broken["tree"]["cases"].pop()
        yield broken


def _other_multiplier(leaf):
    leaf["sum"][0][1] = str(1 + 2 * int(leaf["sum"][0][1].split("/")[0]))
    return len(leaf["sum"]) > 1


def _other_constraint(leaf):
    leaf["sum"][0][0] = [99]
    return True


def _claims_a_clash(leaf):
    leaf.clear()
    leaf["clash"] = True
    return True


def _nothing(leaf):
    leaf["sum"] = []
    return True


@pytest.mark.parametrize("obligation", [BELOW_WINS, NO_LOSS, WORST_CASE_OPTIMAL], ids=lambda o: o.name)
def test_a_tampered_certificate_is_refused(obligation):
    stated = assertions(scripts_of(obligation)[0].text)
    found = find_certificate(stated)
    check_certificate(stated, found)
    broken = list(tampered(found))
    assert len(broken) > 5
    for certificate in broken:
        with pytest.raises(CertificateError):
            check_certificate(stated, certificate)


@pytest.mark.for_each(
    "node",
    [
        {"sum": [[[0], "-1"], [[1], "1"]]},
        {"sum": [[["0"], "1"]]},
        {"sum": [[[-1], "1"]]},
        {"sum": [[[0], "nan"]]},
        {"split": 0, "cases": []},
        {"split": True, "cases": []},
        {},
        {"clash": True},
        {"sum": [[[0], "1"]], "squares": [[[], "-1"]]},
        {"sum": [[[], "1"]], "equations": [[0, [[[], "1"]]]]},
        {"sum": [[[0], "0"]]},
        [],
    ],
)
def test_nonsense_is_refused_without_a_traceback(node):
    with pytest.raises(CertificateError):
        check_certificate({"a": X > 0, "b": Y > 0}, {"facts": [{"assertion": "a", "terms": []}], "tree": node})


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3, st.sampled_from(["<", "<=", "="])), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
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
