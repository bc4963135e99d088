"""Terms, their trees, and computed quantities."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, strategies as st

from bounds import radius_caps
from bounds.formulas.radius import RADIUS
from bounds.language import formula as formulas, trees
from bounds.language.computed import Computed
from bounds.language.formula import Formula
from bounds.language.quantities import COUNT, GAP, Q_UNQUALIFIED, QUANTITIES, N, Quantity, pure, queries
from bounds.language.terms import Max, OverUnqualified, Term, log, pi, sqrt
from bounds.methods import METHODS, every_formula
from bounds.published import published
from bounds.setting.formula_inputs import formula_inputs

FORMULAS = {**every_formula(), **{formula.quantity.name: formula for formula in radius_caps.FORMULAS}}


def test_a_formula_of_somebody_else_has_its_own_tree() -> None:
    other = Formula(pure("radius", r"\beta", "another radius"), 2 * COUNT, "none")
    assert other.value(count=3) == 6
    assert other.tree == ["mul", 2, "count"]


def test_an_expression_is_built_once_by_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[Any] = []
    real = trees.tree_of
    monkeypatch.setattr(formulas, "tree_of", lambda term: built.append(term) or real(term))
    formula = Formula(pure("threaded", "t", "built by the first thread"), sqrt(log(COUNT + 3) + pi), "none")
    start = Barrier(8)

    def evaluate(count: int) -> float:
        start.wait()
        return formula.value(count=count)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(evaluate, range(1, 9)))
    assert built == [formula.right_side]
    assert found == [float(sympy.sqrt(sympy.log(count + 3) + sympy.pi)) for count in range(1, 9)]
    assert formula.expression is formula.expression


def test_formulas_travel_between_processes() -> None:
    for formula in FORMULAS.values():
        again = pickle.loads(pickle.dumps(formula))
        assert (repr(again), again.tree, again.inputs) == (repr(formula), formula.tree, formula.inputs)
        assert [f.quantity for f in again.where] == [f.quantity for f in formula.where]


LEAVES = st.sampled_from([COUNT, GAP, N, RADIUS, pi]) | st.integers(1, 9) | st.fractions(1, 9, max_denominator=9)


@st.composite
def pairs(draw: st.DrawFn, depth: int = 4) -> tuple[Any, Any]:
    """Return a term and what SymPy makes of the same operations."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        leaf = draw(LEAVES)
        return leaf, sympy.sympify(leaf)
    left, right = draw(pairs(depth - 1)), draw(pairs(depth - 1))
    assume(isinstance(left[0], Term))  # operations on two numbers are Python's
    if draw(st.booleans()):
        name = draw(st.sampled_from(["add", "sub", "mul", "truediv"]))
        return getattr(operator, name)(left[0], right[0]), getattr(operator, name)(left[1], right[1])
    name = draw(st.sampled_from(["neg", "pow", "log", "sqrt", "Max"]))
    match name:
        case "neg":
            return -left[0], -left[1]
        case "pow":
            return left[0] ** 2, left[1] ** 2
        case "Max":
            assume(left[1].is_positive and right[1].is_positive)  # SymPy compares no complex numbers
            return Max(left[0], right[0]), sympy.Max(left[1], right[1])
    function = {"log": log, "sqrt": sqrt}[name]
    return function(left[0]), getattr(sympy, name)(left[1])


@given(pairs())
def test_a_term_is_sympys_expression_and_its_text_says_which(pair: tuple[Any, Any]) -> None:
    term, expression = pair
    assert sympy.sympify(term) == expression
    names = {name: quantity.symbol for name, quantity in QUANTITIES.items()} | {"radius": RADIUS.symbol}
    if isinstance(term, Term):
        assert sympy.sympify(str(term), locals=names) == expression


@pytest.mark.for_each(
    ("term", "text"),
    [
        (COUNT - (GAP - 1), "count - (gap - 1)"),
        (COUNT - GAP - 1, "count - gap - 1"),
        (COUNT / (GAP * N), "count / (gap * n_providers)"),
        ((COUNT**2) ** GAP, "(count**2)**gap"),
        (-(GAP**2) * (COUNT + 1), "-gap**2 * (count + 1)"),
        (Fraction(2, 3) * COUNT, "(2/3) * count"),
        (RADIUS * 2, "radius * 2"),
        (RADIUS.at(count=N), f"subs({RADIUS.right_side}, count, n_providers)"),
    ],
)
def test_terms_read_as_they_are_written(term: Any, text: str) -> None:
    assert str(term) == text


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
    for formula in (formulas.identification, formulas.excess, formulas.average_deviation, *formulas.quality_branches):
        box = formula.enclose(values)
        assert abs(float(box.lower) - formula.value(values)) <= 1e-9 * formula.value(values)
