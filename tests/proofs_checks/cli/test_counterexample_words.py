"""The numbers of a counterexample, as `prove` writes them."""

from __future__ import annotations

import re

import pytest

from proofs_checks.cli.views.counterexamples import counterexample_in_words
from proofs_checks.proofs.prove import prove


@pytest.mark.for_each(
    ("term", "value", "told"),
    [
        ("x", "0.0", "x = 0"),
        ("x", "(- 3.0)", "x = -3"),
        ("(f provider_1 (* x x))", "(/ 1.0 3.0)", "f of provider 1 and (x * x) = 1/3"),
        ("(- x)", "1.0", "-x = 1"),
        ("x", "(root-obj (+ (^ x 2) (- 2)) 2)", "x = 1.414213562... (a root of 1*x^2 + -2)"),
        ("x", "(what is this)", "x = (what is this)"),
    ],
)
def test_terms_and_values_are_words(term: str, value: str, told: str) -> None:
    assert counterexample_in_words({term: value}) == f"as at {told}"


def test_truth_values_are_left_out_and_long_lists_end() -> None:
    many = {f"x{k}": "1.0" for k in range(9)}
    assert counterexample_in_words({"p": "true"} | many).endswith("x7 = 1, ...")
    assert counterexample_in_words(None) == "no counterexample shown"


@pytest.mark.long("proves a theorem")
def test_the_individuals_of_a_worst_case_are_scenarios() -> None:
    [claim] = prove(["thm:robust-dominant"]).claims
    for result in claim.obligations:
        for mutant in result.mutants:
            told = counterexample_in_words(mutant.counterexample, result.obligation.individuals)
            assert "provider" not in told
            assert re.search(r"\((utility|deviant_utility|/|-) ", told) is None
