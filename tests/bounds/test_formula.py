"""Every formula: its value against SymPy at 60 digits, what it says about itself, and its use in expressions."""

import itertools
import math
import operator
import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, given, settings, strategies as st

from bounds import radius_caps
from bounds.errors import InputError
from bounds.formulas import belief, payment, radius, regret, selection, sharp
from bounds.formulas.catalogue import all_formulas
from bounds.formulas.radius import EXACT_COUNT, RADIUS, SELECTION_BOUND
from bounds.language import quantities
from bounds.language.arithmetic import Enclosure, UndecidedError
from bounds.language.computed import Computed
from bounds.language.evaluation import KNOWN, formula_of
from bounds.language.formula import Formula
from bounds.language.latex import to_latex
from bounds.language.quantities import COUNT, GAP, Q_UNQUALIFIED, QUANTITIES, N, Quantity, pure, queries
from bounds.language.reductions import Max, Min, OverUnqualified, Reduction
from bounds.methods import METHODS, every_formula
from bounds.published import published
from bounds.setting.formula_inputs import formula_inputs
from costproof import strategies
from tests.bounds.by_hand import inputs
from tests.refusals import assert_refused

# How many formulas each module defines; a module that loses one, or that is not collected, fails.
EXPECTED = {radius: 4, selection: 17, regret: 9, payment: 10, belief: 1, sharp: 21}
FEW = settings(deadline=None, max_examples=5, suppress_health_check=[HealthCheck.too_slow])
DIGITS = 60
FORMULAS = all_formulas()
with_every_formula = pytest.mark.parametrize("name", FORMULAS)


def test_every_formula_is_collected() -> None:
    imported: set[Formula] = set()
    for module, count in EXPECTED.items():
        found = {value for value in vars(module).values() if isinstance(value, Formula)}
        assert len(found - imported) >= count, (
            f"{module.__name__} defines {len(found - imported)} formulas, not {count}"
        )
        imported |= found
    assert len(FORMULAS) >= sum(EXPECTED.values()) == 62
    assert imported == set(FORMULAS.values())
    assert len({formula.quantity.name for formula in imported}) == len(imported), "two formulas share a name"
    assert len(INTEGERS) >= 20


REDUCTIONS = {
    "OverUnqualified": ("unqualified_quality", lambda terms: mpmath.fsum(terms)),
    "OverCompetitors": ("competitor_cost", lambda terms: mpmath.fsum(terms)),
    "LargestOverUnqualified": ("unqualified_quality", lambda terms: max(terms, default=mpmath.mpf(0))),
    "LargestOverCompetitors": ("competitor_cost", lambda terms: max(terms, default=mpmath.mpf(0))),
}


def rounded(direction: Any) -> Any:
    def apply(x: Any) -> Any:
        if mpmath.im(x) != 0:
            return mpmath.mpc(x)
        near = mpmath.nint(x)
        return near if abs(x - near) < mpmath.mpf(10) ** (15 - DIGITS) * max(1, abs(x)) else direction(x)

    return apply


NAMESPACE = [
    {
        "ceiling": rounded(mpmath.ceil),
        "floor": rounded(mpmath.floor),
        "LambertW": lambda x, k: mpmath.lambertw(x, k).real,
        "Max": max,
        "Min": min,
    },
    "mpmath",
]


def reference(expression: Any, owner: Formula, values: Mapping[str, Any], provider: int = 0) -> Any:
    symbols: list[Any] = []
    numbers: list[Any] = []
    stand_ins: dict[Any, Any] = {}
    for reduction in expression.atoms(Reduction):
        over, combine = REDUCTIONS[type(reduction).__name__]
        inside = [reference(reduction.args[0], owner, values, i) for i in range(len(values[over]))]
        stand_ins[reduction] = sympy.Dummy()
        symbols.append(stand_ins[reduction])
        numbers.append(combine(inside))
    expression = expression.xreplace(stand_ins)
    for symbol in expression.free_symbols - set(symbols):
        definition = next((f for f in owner.where if f.symbol == symbol), None)
        symbols.append(symbol)
        if definition is not None:
            numbers.append(reference(definition.expression, definition, values, provider))
        else:
            value = values[symbol.name]
            numbers.append(mpmath.mpf(value[provider] if np.ndim(value) else value))
    return sympy.lambdify(symbols, expression, NAMESPACE)(*numbers)


def references(formula: Formula, values: Mapping[str, Any]) -> list[Any]:
    if not formula.per_provider:
        return [reference(formula.expression, formula, values)]
    (axis,) = {len(values[q.name]) for q in formula.inputs if q.per_provider}
    return [reference(formula.expression, formula, values, i) for i in range(axis)]


SETTINGS = strategies.settings(
    n_providers=(2, 9), assumptions=True, platform=strategies.platform_parameters(extreme=True)
)


@st.composite
def values_at(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a value for every quantity, and often an empty set of providers."""
    values = draw(inputs(SETTINGS))
    return {
        **{name: value for name, value in values.items() if name != KNOWN},
        "gap": draw(st.floats(1e-3, 1) | st.sampled_from([1.0, 1e-6, 0.5, 1e-12])),
        "prior_strength": draw(st.sampled_from([0.0, 1.0, 20.0, 1000.0])),
        "prior_spread": draw(st.floats(0.5, 1)) * values["cost_bound"],
    }


def scale_of(values: Mapping[str, Any]) -> float:
    """Return the size of the largest summand that a formula may cancel: its rounding counts."""
    return max(float(values["cost_bound"]), 1e-300)


def agrees(found: float, expected: Any, scale: float) -> bool:
    """Whether a double is the expected value up to rounding, or infinite where a step of it may overflow."""
    if abs(expected) > mpmath.mpf("1e290") and math.isinf(found):
        return (found > 0) == (expected > 0)
    return bool(abs(found - expected) <= 1e-10 * (abs(expected) + scale))


REAL_COUNTS = (
    *("exploration_target", "exact_count", "identification_bound_main_text"),
    *("burn_in", "sharp_burn_in", "last_unwidened_win"),
)
INTEGERS = [
    name
    for name, formula in FORMULAS.items()
    if formula.quantity.unit == quantities.QUERIES and name not in REAL_COUNTS
]


def flat(boxes: Any) -> list[Enclosure]:
    return [boxes] if isinstance(boxes, Enclosure) else list(boxes)


@with_every_formula
@FEW
@given(values=values_at(), precision=st.sampled_from([128, 512]))
def test_floats_and_enclosures_agree_with_sympy(name: str, values: dict[str, Any], precision: int) -> None:
    formula = FORMULAS[name]
    with mpmath.workdps(DIGITS):
        expected = references(formula, values)
        if any(mpmath.im(x) != 0 for x in expected):
            assert_refused("has no value", formula, values)
            with pytest.raises(UndecidedError):
                formula.enclose(values, precision=precision)
            return
        found = np.atleast_1d(formula(values)).tolist()
        assert len(found) == len(expected)
        assert all(agrees(f, e, scale_of(values)) for f, e in zip(found, expected, strict=True))
        if name in INTEGERS:
            for double, integer in zip(found, map(int, expected), strict=True):
                assert double == integer if abs(integer) < 2**53 else double == pytest.approx(integer, rel=1e-15)
        for number, box in zip(expected, flat(formula.enclose(values, precision=precision)), strict=True):
            slack = mpmath.mpf(10) ** -45 * (abs(number) + scale_of(values))
            assert mpmath.mpf(box.lower.numerator) / box.lower.denominator <= number + slack
            assert mpmath.mpf(box.upper.numerator) / box.upper.denominator >= number - slack
            assert box.width <= Fraction(2) ** -60 * (1 + abs(box.upper) + Fraction(scale_of(values)))


def test_enclosures_of_integers_are_points() -> None:
    values = {"confidence": 0.05, "n_providers": 4, "gap": 1e-6}
    box = SELECTION_BOUND.enclose(values)
    assert box.width == 0
    assert box.lower.denominator == 1
    assert EXACT_COUNT.enclose(values, precision=1024).width < Fraction(2) ** -900
    # Fractions are taken exactly.
    third = {"n_providers": 3, "confidence": Fraction(1, 3), "count": Fraction(7, 3)}
    with mpmath.workdps(DIGITS):
        expected = mpmath.sqrt(mpmath.log(2 * mpmath.pi**2 * 3 * mpmath.mpf(7) ** 2 / 9) * 3 / 14)
        lower = RADIUS.enclose(third).lower
        assert abs(mpmath.mpf(lower.numerator) / lower.denominator - expected) < mpmath.mpf(10) ** -35


@with_every_formula
@FEW
@given(data=st.data())
def test_stacked_instances_equal_one_at_a_time(name: str, data: Any) -> None:
    formula = FORMULAS[name]
    rows = data.draw(st.lists(values_at(), min_size=2, max_size=3))
    cut = [{k: np.resize(v, 2) if np.ndim(v) else v for k, v in row.items()} for row in rows]
    try:
        alone = [formula(row) for row in cut]
    except InputError:
        return
    together = formula({name: np.array([row[name] for row in cut], dtype=float) for name in cut[0]})
    for row, expected in zip(together, alone, strict=True):
        np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-12)


for_each_formula = pytest.mark.for_each("formula", FORMULAS.values(), ids=FORMULAS.keys())


WORDS = {"gen", "any", "qual", "gap", "pay", "cap"}


def check_latex(text: str) -> None:
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right") - text.count(r"\rightarrow")
    bare = re.sub(r"\\[a-zA-Z]+", " ", text)
    leaked = {word for word in re.findall(r"[A-Za-z]{3,}", bare) if word not in WORDS}
    assert not leaked, f"{leaked} in {text}"


#: Symbols that are the expression they stand for: "T - N = T - N" would say nothing.
SAYS_ITSELF = {"trivial_identification_bound", "trivial_excess_payment", "unqualified_selections_bound"}


@for_each_formula
def test_latex_has_no_python_names(formula: Formula) -> None:
    text = formula.latex()
    check_latex(text)
    alone = formula.quantity.name in SAYS_ITSELF
    assert text == formula.quantity.latex if alone else text.startswith(f"{formula.quantity.latex} = ")
    for symbol in formula.expression.free_symbols:
        assert QUANTITIES[symbol.name].latex in text


USED = {q.name: q for formula in FORMULAS.values() for q in (*formula.inputs, formula.quantity)}


@pytest.mark.for_each("quantity", USED.values(), ids=USED.keys())
def test_quantities_say_what_they_are(quantity: Quantity) -> None:
    check_latex(quantity.latex)
    assert quantity.name.isidentifier()
    assert quantity.meaning
    assert quantity.unit in (quantities.MONEY, quantities.QUERIES, quantities.PURE)
    assert quantity.symbol.name == quantity.name


def without_groups(latex: str) -> str:
    """Drop everything in brackets of any kind, innermost first."""
    before = ""
    text = re.sub(r"\\(?:left|right|[lr]floor|[lr]ceil)\b", lambda m: {"l": "(", "r": ")"}.get(m[0][1], ""), latex)
    text = text.replace(r"\{", "(").replace(r"\}", ")")
    while before != text:
        before, text = text, re.sub(r"\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]", "", text)
    return text


@for_each_formula
def test_latex_of_a_factor_is_no_bare_sum(formula: Formula) -> None:
    for product in formula.expression.atoms(sympy.Mul):
        for factor in product.args:
            if definition := formula_of(factor):
                assert not re.search(r"[+]| - ", without_groups(definition.quantity.latex)), product


@for_each_formula
def test_formulas_state_their_source_and_use_their_definitions(formula: Formula) -> None:
    assert re.search(r"eq:|thm:|lem:|prop:|cor:|alg:|asmp:|claim:|appendix|definition", formula.source)
    assert formula.valid
    symbols = {symbol for each in (formula.expression, *formula.requires) for symbol in each.free_symbols}
    assert {f.symbol for f in formula.where} == {symbol for symbol in symbols if formula_of(symbol) is not None}
    assert {q.symbol for q in formula.inputs} >= symbols - {f.symbol for f in formula.where}
    assert [q.name for q in formula.inputs] == sorted({q.name for q in formula.inputs})
    assert QUANTITIES[formula.quantity.name] == formula.quantity
    assert hash(formula) == hash(FORMULAS[formula.quantity.name])


def test_latex_of_reductions_and_numbers() -> None:
    assert to_latex(GAP.symbol <= 2 * COUNT) == r"x \leq 2 m"
    assert to_latex(OverUnqualified(quantities.Q_UNQUALIFIED)) == r"\sum_{i \notin \mathcal{Q}} \left(q_i\right)"
    assert to_latex(OverUnqualified(GAP) ** 2) == r"\sum_{i \notin \mathcal{Q}} \left(x\right)^{2}"
    assert to_latex(sympy.Symbol("free")) == "free"
    assert RADIUS.latex().startswith(r"\beta(m) = ")


def test_no_two_quantities_share_a_symbol() -> None:
    shared = Counter(formula.quantity.latex for formula in FORMULAS.values())
    assert [symbol for symbol, times in shared.items() if times > 1] == []


def test_undeclared_symbols_are_refused() -> None:
    with pytest.raises(ValueError, match="undeclared"):
        Formula(pure("loose", "l", "uses a stranger"), sympy.Symbol("stranger") + 1, "none")


# ----------------------------------------------------------------------------------------------------
# Formulas and quantities in expressions, and computed quantities.


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
    caps = [value for value in vars(radius_caps).values() if isinstance(value, Formula)]
    for formula in (*every_formula().values(), *caps):
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
