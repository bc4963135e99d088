"""Formulas and quantities in SymPy's expressions, and computed quantities."""

import itertools
import operator
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from bounds import radius_caps
from bounds.formulas.radius import RADIUS
from bounds.language.computed import Computed
from bounds.language.formula import Formula
from bounds.language.quantities import COUNT, GAP, Q_UNQUALIFIED, N, Quantity, pure, queries
from bounds.language.reductions import Max, Min, OverUnqualified
from bounds.methods import METHODS, every_formula
from bounds.published import published
from bounds.setting.formula_inputs import formula_inputs

FORMULAS = {**every_formula(), **{f.quantity.name: f for f in vars(radius_caps).values() if isinstance(f, Formula)}}


def test_a_formula_of_somebody_else_may_share_a_name_but_not_in_expressions() -> None:
    other = Formula(pure("radius", r"\beta", "another radius"), 2 * COUNT, "none")
    assert other.value(count=3) == 6
    for same in (other, replace(RADIUS, expression=2 * COUNT)):
        with pytest.raises(ValueError, match="the name of something else"):
            1 + same
    assert Formula(pure("twice", "x", "the paper's"), 2 * RADIUS, "none").where == (RADIUS,)


def test_a_formula_stated_again_is_the_same() -> None:
    again = Formula(RADIUS.quantity, RADIUS.expression, RADIUS.source)
    assert again - RADIUS == 0


def test_an_extreme_is_what_sympy_makes_of_it() -> None:
    assert (Max(COUNT, GAP), Min(1, RADIUS)) == (sympy.Max(COUNT, GAP), sympy.Min(1, RADIUS))
    assert Max(GAP, GAP) == GAP.symbol


def test_formulas_travel_between_processes() -> None:
    for formula in FORMULAS.values():
        again = pickle.loads(pickle.dumps(formula))
        assert (repr(again), again.expression, again.inputs) == (repr(formula), formula.expression, formula.inputs)
        assert again.where == formula.where


def test_formulas_take_their_definitions_to_a_process_that_has_not_loaded_them() -> None:
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).value(count=3, n_providers=4, confidence=0.05))"
    formula = Formula(pure("travelling", "x", "twice the radius"), 2 * RADIUS, "none")
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(formula), capture_output=True, check=True)
    assert float(run.stdout) == formula.value(count=3, n_providers=4, confidence=0.05)


OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)


@pytest.mark.for_each(
    ("operation", "named", "other"), list(itertools.product(OPERATIONS, [COUNT, RADIUS], [2, GAP, N, sympy.sqrt(2)]))
)
def test_quantities_and_formulas_stand_for_their_symbols(operation: Any, named: Any, other: Any) -> None:
    assert operation(named, other) == operation(named.symbol, sympy.sympify(other))
    assert operation(other, named) == operation(sympy.sympify(other), named.symbol)
    assert -named == -named.symbol
    assert Fraction(2, 3) * named == sympy.Rational(2, 3) * named.symbol == named * Fraction(2, 3)


def halved(values: Mapping[str, Any]) -> np.ndarray:
    return np.floor(np.asarray(values["count"], dtype=float) / 2)


HALF = Computed(queries("test_half", "h", "half a count"), halved, (COUNT,), r"\lfloor m/2 \rfloor", "a test")
EACH = Computed(
    Quantity("test_each", "e_i", "a number per provider", "1", per_provider=True),
    lambda values: np.asarray(values["unqualified_quality"]) * 2,
    (Q_UNQUALIFIED,),
    "2 q_i",
    "a test",
)


def test_it_is_evaluated_inside_a_formula() -> None:
    found = Formula(pure("test_sum", "s", "a sum"), 1 + 3 * HALF, "a test")
    assert found.inputs == (COUNT,)
    assert found(count=[4, 7]).tolist() == [7.0, 10.0]
    assert found.enclose(count=7).lower == found.enclose(count=7).upper == 10
    assert "h" in found.latex()
    assert HALF.latex() == r"h = \lfloor m/2 \rfloor"


def test_it_is_summed_over_providers() -> None:
    total = Formula(pure("test_total", "t", "a total"), OverUnqualified(EACH + 1), "a test")
    assert EACH.per_provider
    assert not total.per_provider
    assert total.value(unqualified_quality=np.array([0.25, 0.5])) == 3.5


def test_balls_and_floats_agree_on_the_sharpest_bounds() -> None:
    values = {**formula_inputs(published("gpqa-strong").setting), "horizon": 70_000}
    formulas = METHODS["sharpest"]
    for formula in itertools.chain(*formulas.branches.values()):
        box = formula.enclose(values)
        assert abs(float(box.lower) - formula.value(values)) <= 1e-9 * formula.value(values)
