"""Terms, their trees, computed quantities, and the store: it holds what SymPy makes, or it is not used."""

from __future__ import annotations

import json
import operator
import pickle
import subprocess
import sys
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
from bounds.__main__ import made
from bounds.formulas.radius import RADIUS
from bounds.language import store, trees
from bounds.language.computed import Computed
from bounds.language.formula import Formula
from bounds.language.quantities import COUNT, GAP, Q_UNQUALIFIED, QUANTITIES, N, Quantity, pure, queries
from bounds.language.terms import Max, Operation, OverUnqualified, Term, log, pi, sqrt
from bounds.language.written import fresh_written, written
from bounds.methods import METHODS, every_formula
from bounds.published import published
from bounds.setting.formula_inputs import formula_inputs
from proofs_checks.claims.model.relation import STORE

FORMULAS = {**every_formula(), **{formula.quantity.name: formula for formula in radius_caps.FORMULAS}}


@pytest.fixture(autouse=True)
def _read_the_store_afresh() -> Any:
    store.entries.cache_clear()
    yield
    store.entries.cache_clear()


def test_the_store_is_what_the_formulas_make() -> None:
    """If it fails: python -m bounds."""
    assert json.loads(store.FORMULAS.file.read_text(encoding="utf-8")) == json.loads(made())


@pytest.mark.for_each("formula", FORMULAS.values(), ids=FORMULAS.keys())
def test_a_stored_tree_is_the_fresh_one(formula: Formula) -> None:
    for term in (formula.right_side, *formula.requires):
        assert store.stored("trees", str(term)) == trees.tree_of(term) == trees.fresh_tree(term)
    assert store.stored("written", str(formula.right_side)) is not None or not isinstance(formula.right_side, Operation)
    assert written(formula.right_side) == fresh_written(formula.right_side, {})


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"made_from": "other sources", "trees": {"count": 7}}'])
def test_a_store_of_other_sources_is_not_used(text: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trees.json"
    path.write_text(text)
    monkeypatch.setattr(store, "FORMULAS", store.Store(path))
    assert store.entries(store.FORMULAS) == {}
    assert trees.tree_of(COUNT) == "count"
    assert trees.tree_of(RADIUS.right_side) == RADIUS.tree


@pytest.mark.parametrize("held", [store.FORMULAS, STORE], ids=["bounds", "claims"])
def test_a_store_of_which_an_entry_was_changed_is_not_used(held: store.Store, tmp_path: Any) -> None:
    text = held.file.read_text(encoding="utf-8")
    path = tmp_path / "trees.json"
    changed = text.replace('["add", ', '["mul", ', 1)
    assert changed != text
    for written_text in (text, changed):
        path.write_text(written_text, encoding="utf-8")
        entries = store.entries.__wrapped__(store.Store(path, declared_in=held.declared_in))
        assert (entries == {}) is (written_text == changed)


@pytest.mark.long("starts a process")
def test_a_report_needs_no_sympy() -> None:
    code = (
        "import sys; from bounds.published import published; from bounds.report import evaluate_bounds; "
        "import mechanism.tables; setting = published('gsm8k-full').setting; "
        "[evaluate_bounds(setting, 70_000, method) for method in ('paper', 'sharp')]; "
        "from bounds.methods import every_formula; [each.latex() for each in every_formula().values()]; "
        "print('sympy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout.strip(), run.stderr) == ("False", "")


def test_a_formula_of_somebody_else_does_not_take_a_stored_tree() -> None:
    other = Formula(pure("radius", r"\beta", "another radius"), 2 * COUNT, "none")
    assert other.value(count=3) == 6
    assert other.tree == ["mul", 2, "count"]


def test_an_expression_is_built_once_by_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[Any] = []
    real = trees.fresh_tree
    monkeypatch.setattr(trees, "fresh_tree", lambda term: built.append(term) or real(term))
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
