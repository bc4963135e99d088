"""The evaluator: vectorisation, input errors and the decisions of ceilings; many settings at once as each alone."""

import itertools
import math
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from bounds.errors import InputError
from bounds.formulas.catalogue import all_formulas
from bounds.formulas.radius import EXACT_COUNT, SELECTION_BOUND
from bounds.formulas.regret import RADIUS_SUM_BOUND, TRIVIAL_QUALITY_REGRET
from bounds.formulas.selection import (
    BURN_IN,
    COMPETITOR_CAP,
    ELIMINATION_BOUND,
    EXPLORATION_CAP,
    IDENTIFICATION_BOUND,
    ORDINARY_BOUND,
    SUM_ELIMINATION_BOUNDS,
)
from bounds.formulas.sharp import SHARP_LEAD_BOUND, SHARP_ORDINARY_BOUND
from bounds.grid.columns import SettingColumns
from bounds.grid.evaluate import ManyBounds, evaluate_many
from bounds.guarantees import GUARANTEES
from bounds.language import evaluation
from bounds.language.arithmetic import BeyondError, Enclosure, UndecidedError
from bounds.language.evaluation import formula_of
from bounds.language.formula import Formula
from bounds.language.quantities import COUNT, GAP, Quantity, pure
from bounds.language.reductions import Reduction
from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Provider, Setting
from tests.bounds.by_hand import setting_of
from tests.refusals import assert_refused, refusal

DIGITS = 60
FORMULAS = all_formulas()
every_formula = pytest.mark.for_each("formula", FORMULAS.values(), ids=FORMULAS.keys())


SLACKS = {"belief_slack": 0.5, "underbid": 0.125, "overbid": 0.25}
ROSTER = [(0.9, 1.0), (0.8, 3.0), (0.7, 5.5), (0.2, 0.5), (0.5, 9.0), (0.69, 4.0)]
VALUES = {
    **formula_inputs(setting_of(ROSTER, quality_threshold=0.7, cost_bound=10.0, **SLACKS)),
    "n_providers": 4,
    "horizon": 64,
    "step": 640,
    "count": 17,
    "gap": 0.25,
    "served_cost": 2.0,
    "prior_strength": 20.0,
    "prior_spread": 7.0,
}
HORIZONS = np.array([4.0, 64.0, 65.0, 324.0, 1e6])


def test_horizons_and_providers_make_a_table() -> None:
    table = COMPETITOR_CAP(VALUES, horizon=HORIZONS)
    assert table.shape == (5, 2)
    assert np.array_equal(table[3], COMPETITOR_CAP(VALUES, horizon=324))
    boxes = COMPETITOR_CAP.enclose(VALUES, horizon=HORIZONS)
    assert [[float(box.upper) for box in row] for row in boxes] == table.tolist()
    horizons = np.array([64.0, 1e9])
    leads = SHARP_LEAD_BOUND.enclose(VALUES, horizon=horizons)
    assert [float(box.lower) for box in leads] == SHARP_LEAD_BOUND(VALUES, horizon=horizons).tolist()


def test_no_provider_at_all_counts_zero() -> None:
    empty = {**VALUES, "unqualified_quality": [], "unqualified_cost": []}
    for formula in (SUM_ELIMINATION_BOUNDS, TRIVIAL_QUALITY_REGRET):
        assert formula.value(empty) == 0
        assert formula.enclose(empty) == Enclosure(Fraction(0), Fraction(0))
    assert ELIMINATION_BOUND(empty).shape == (0,)
    assert ELIMINATION_BOUND.enclose(empty) == []


@every_formula
def test_missing_inputs_are_named(formula: Formula) -> None:
    for quantity in formula.inputs:
        rest = {name: value for name, value in VALUES.items() if name != quantity.name}
        with pytest.raises(InputError, match="is missing") as caught:
            formula(rest)
        assert caught.value.argument == quantity.name
        assert_refused("is missing", formula.enclose, rest)


def outside(quantity: Quantity) -> list[Any]:
    """Return values just outside the range of a quantity, and things that are no numbers."""
    found: list[Any] = [math.nan, math.inf, -math.inf, None, "much", 1j, 10**400]
    if math.isfinite(quantity.lower):
        found.append(quantity.lower if quantity.lower_open else math.nextafter(quantity.lower, -math.inf))
    if math.isfinite(quantity.upper):
        found.append(quantity.upper if quantity.upper_open else math.nextafter(quantity.upper, math.inf))
    return found


@every_formula
def test_values_out_of_range_are_named(formula: Formula) -> None:
    for quantity in formula.inputs:
        for bad in outside(quantity):
            value = [VALUES[quantity.name][0], bad] if quantity.per_provider else bad
            assert refusal(formula, VALUES, **{quantity.name: value}).argument == quantity.name


def test_errors_find_the_entry_in_an_array() -> None:
    with pytest.raises(InputError, match=r"horizon=-1\.0 must lie in \(0, inf\): it is the number of queries"):
        EXPLORATION_CAP(VALUES, horizon=np.array([1.0, -1.0, 5.0]))
    assert_refused("horizon=nan", EXPLORATION_CAP, VALUES, horizon=np.array([1.0, math.nan]))
    with pytest.raises(InputError, match=r"unqualified_quality=0\.5 must be a sequence"):
        SUM_ELIMINATION_BOUNDS(VALUES, unqualified_quality=0.5)


def test_closed_ends_are_allowed_and_names_that_are_not_needed_ignored() -> None:
    values = {**VALUES, "quality_threshold": 1, "unqualified_quality": [0.0], "nonsense": object()}
    assert ELIMINATION_BOUND(values).tolist() == [math.ceil(4 * math.log(57 * 4 / 0.05))]
    assert ELIMINATION_BOUND(VALUES, unqualified_quality=[0.0], quality_threshold=1).item() == 34


@pytest.mark.parametrize("enclosed", [False, True])
@pytest.mark.for_each(
    ("formula", "changed"),
    [
        (ELIMINATION_BOUND, {"unqualified_quality": [0.2, 0.7]}),
        (ELIMINATION_BOUND, {"unqualified_quality": [0.9]}),
        (SUM_ELIMINATION_BOUNDS, {"unqualified_quality": [math.nextafter(0.7, 1)]}),
        (ORDINARY_BOUND, {"competitor_cost": [1.375]}),
        (IDENTIFICATION_BOUND, {"competitor_cost": [3.0, 0.5]}),
        (SHARP_ORDINARY_BOUND, {"optimal_cost": 3.0}),
        (EXACT_COUNT, {"gap": 2}),
        (EXACT_COUNT, {"gap": [0.5, 2.5]}),
    ],
)
def test_required_signs_are_checked(formula: Formula, changed: dict[str, Any], enclosed: bool) -> None:
    with pytest.raises(InputError, match="> 0: it has no value at"):
        (formula.enclose if enclosed else formula)(VALUES, **changed)


CANCELLING = [
    (cost, best, under, over)
    for cost, best, under, over in itertools.product(range(1, 11), range(6), range(10), range(10))
    if best < cost == best + under + over
]


def test_required_signs_are_exact() -> None:
    """Sums of tenths cancel to a hair above or below zero; doubles guess the sign."""
    outcomes = set()
    for tenths in CANCELLING:
        cost, best, under, over = (x / 10 for x in tenths)
        gap = Fraction(cost) - Fraction(best) - Fraction(under) - Fraction(over)
        values = {
            **VALUES,
            "belief_slack": 0.0,
            "competitor_cost": [cost],
            "optimal_cost": best,
            "underbid": under,
            "overbid": over,
            "cost_bound": 1.0,
        }
        outcomes.add(gap > 0)
        if gap <= 0:
            refusal(ORDINARY_BOUND, values)
            refusal(ORDINARY_BOUND.enclose, values)
            continue
        with mpmath.workdps(DIGITS):
            x = mpmath.mpf(gap.numerator) / gap.denominator
            expected = int(mpmath.ceil(4 / x**2 * mpmath.log(57 * 4 / (mpmath.mpf(0.05) * x**4))))
        assert ORDINARY_BOUND(values).item() == float(expected)
    assert outcomes == {True, False}


def test_impossible_values_are_errors_not_nan() -> None:
    with pytest.raises(InputError, match="radius_sum_bound=nan has no value at these inputs: valid: T >= N"):
        RADIUS_SUM_BOUND(VALUES, horizon=3)


def test_overflow_is_infinite_without_a_warning() -> None:
    assert BURN_IN.value(VALUES, exploration_exponent=1e-3) == math.inf
    assert SELECTION_BOUND.value(VALUES, gap=1e-200) == math.inf
    assert EXPLORATION_CAP.value(VALUES, exploration_scale=1.7e308, horizon=1e9) == math.inf
    with mpmath.workdps(DIGITS):
        x = mpmath.mpf(1e-100)
        expected = 4 / x**2 * mpmath.log(57 * 4 / (mpmath.mpf(0.05) * x**4))
    assert SELECTION_BOUND.value(VALUES, gap=1e-100) == pytest.approx(float(expected), rel=1e-15)


#: Inputs whose squares, reciprocals or powers no double holds.
EXTREME = {
    "confidence": (1e-300, 5e-324, 1e-16),
    "cost_bound": (1.7e308, 1e160, 1e-300),
    "exploration_scale": (1e-300, 1e200, 1e300),
    "exploration_exponent": (1e-9, 1e-3, 1 - 2**-53),
    "gap": (5e-324, 1e-160, 1e200),
    "count": (2.0**52, 1.0),
    "horizon": (2.0**52, 4.0),
    "step": (2.0**52, 4.0),
    "prior_strength": (1e200, 1e-200),
    "prior_spread": (1e200, 1e-200),
}


def exactly(formula: Formula, values: dict[str, Any]) -> Any:
    """SymPy's expression in mpmath's numbers, whose exponents have no limit; None for sums over providers."""
    known: dict[Any, Any] = {}
    for symbol in formula.expression.free_symbols:
        inner = formula_of(symbol)
        found = exactly(inner, values) if inner else None if np.ndim(values[symbol.name]) else values[symbol.name]
        if found is None:
            return None
        known[symbol] = mpmath.mpmathify(found)
    if formula.expression.has(Reduction):
        return None
    return sympy.lambdify(list(known), formula.expression, modules="mpmath")(*known.values())


@pytest.mark.parametrize(
    "name",
    [
        *("cost_bound", "exploration_scale", "horizon"),
        *(
            pytest.param(name, marks=pytest.mark.long("400 digits"))
            for name in sorted(EXTREME.keys() - {"cost_bound", "exploration_scale", "horizon"})
        ),
    ],
)
def test_what_overflows_on_the_way_only_has_its_value(name: str) -> None:
    compared = 0
    for formula in FORMULAS.values():
        for extreme in EXTREME[name]:
            values = {**VALUES, name: extreme}
            if name not in {quantity.name for quantity in formula.inputs} or any(
                (quantity.name == name and not quantity.contains(extreme)) for quantity in formula.inputs
            ):
                continue
            with mpmath.workdps(400):
                try:
                    expected = exactly(formula, values)
                except (ValueError, ZeroDivisionError, OverflowError, MemoryError):
                    continue
                if expected is None or mpmath.im(expected):
                    continue
                try:
                    found = formula.value(values)
                except InputError:
                    continue  # no value there, as g(T) < 1
                if abs(expected) > 2 * mpmath.mpf(sys.float_info.max):
                    assert math.isinf(found), formula
                elif abs(expected) < mpmath.mpf(sys.float_info.max) * (1 - mpmath.mpf(2) ** -50):
                    assert abs(found - expected) <= abs(expected) * mpmath.mpf(1e-11) + 1e-300, formula
                    compared += 1
    assert compared > 0


def test_what_no_memory_holds_is_infinite() -> None:
    """10^(10^9) has three billion bits, and its reciprocal as many."""
    large = Formula(pure("large", "x", "too large to be written"), sympy.ceiling(GAP ** (GAP**9)), "none")
    assert large.value(gap=10) == math.inf
    with pytest.raises(BeyondError, match="exceeds"):
        large.enclose(gap=10)
    small = Formula(pure("small", "x", "too small to be written"), GAP ** -(GAP**9), "none")
    assert small.value(gap=10) == 0
    box = small.enclose(gap=10)
    assert box.lower == 0 < box.upper < Fraction(1, 2**1_000_000)
    below = Formula(pure("below", "x", "its negative"), -small.expression, "none").enclose(gap=10)
    assert below.lower < 0 == below.upper


def test_ceilings_that_nothing_decides_are_reported() -> None:
    always_one = sympy.log(GAP * COUNT) - sympy.log(GAP) - sympy.log(COUNT) + 1
    formula = Formula(pure("undecidable", "u", "one, in disguise"), sympy.ceiling(always_one), "none")
    with pytest.raises(UndecidedError, match="within"):
        formula(gap=3, count=2)
    with pytest.raises(UndecidedError, match="within"):
        formula.enclose(gap=3, count=2)
    assert formula.value(gap=1, count=1) == 1, "algebra knows that log(1) = 0"


def test_what_is_decided_for_some_numbers_is_not_told_of_their_neighbours() -> None:
    """2 * 16^(3/4) = 16: a hair more or less in the scale, the exponent or the horizon, and the cap is another."""
    numbers = {"exploration_scale": 2.0, "exploration_exponent": 0.75, "n_providers": 9, "horizon": 144.0}
    for name in ("exploration_scale", "exploration_exponent", "horizon"):
        value = numbers[name]
        near = (value, math.nextafter(value, 0), value, math.nextafter(value, math.inf))
        assert [EXPLORATION_CAP.value({**numbers, name: each}) for each in near] == [15, 15, 15, 16], name


def test_operations_without_a_rule_are_refused() -> None:
    formula = Formula(pure("wave", "w", "no formula of ours"), sympy.sin(GAP), "none")
    with pytest.raises(TypeError, match="no evaluation for sin"):
        formula(gap=1)


def test_euler_and_rationals_evaluate() -> None:
    formula = Formula(
        pure("mix", "x", "constants"), sympy.E * GAP + sympy.Rational(1, 3) + sympy.exp(GAP) ** -2, "none"
    )
    expected = math.e * 0.5 + 1 / 3 + math.exp(-1)
    assert formula.value(gap=0.5) == pytest.approx(expected, rel=1e-15)
    box = formula.enclose(gap=0.5)
    assert float(box.lower) == pytest.approx(expected, rel=1e-15)
    assert 0 < box.width < Fraction(2) ** -120


FULL = published("gsm8k-full").setting
#: Both sides sum over providers, in one order or another.
SUMMED = 1e-13


def drawn(rng: np.random.Generator, size: int, base: Setting = FULL) -> SettingColumns:
    """Return settings with ties of costs and of qualities with the threshold, equal costs, few or none qualified."""
    n, largest = base.n_providers, base.platform.cost_bound
    threshold = rng.choice([0.0, 0.5, 0.764, 0.9, 1.0], size)
    quality = rng.choice([0.0, 0.3, 0.499, 0.5, 0.764, 0.8, 1.0], (size, n))
    near = rng.random((size, n)) < 0.3
    quality = np.where(near, np.clip(rng.uniform(-1, 1, (size, n)) * 0.1 + threshold[:, None], 0, 1), quality)
    cost = np.where(rng.random((size, n)) < 0.3, rng.choice([0.0, 1.0, 1.5, largest], (size, n)), 0)
    cost = np.where(cost > 0, cost, rng.uniform(0, largest, (size, n)))
    return SettingColumns(
        base=base,
        horizon=rng.choice([n, n + 1, 1000, 70_000, 10**9], size),
        platform={
            "quality_threshold": threshold,
            "confidence": rng.uniform(1e-3, 0.99, size),
            "exploration_scale": rng.choice([1e-3, 0.5, 2.0, 30.0], size),
            "exploration_exponent": rng.choice([0.05, 0.5, 2 / 3, 0.75, 0.95], size),
            "belief_slack": rng.choice([0.0, 0.5], size),
            "underbid": rng.choice([0.0, 0.5, 1.0], size),
            "overbid": rng.choice([0.0, 0.0, 0.5], size),
        },
        quality=quality,
        mean_cost=cost,
    )


def compare(found: ManyBounds, columns: SettingColumns, rows: np.ndarray) -> None:
    """Hold rows to what `evaluate_bounds` says of each setting."""
    for row in rows:
        setting = columns.setting(row)
        report = evaluate_bounds(setting, int(columns.horizon[row]), found.method)
        for name, bound in report.guarantees.items():
            assert same(found.values[name][row], bound.value), (row, name)
            assert found.applies[name][row] == bound.applies, (row, name)
            assert found.informative[name][row] == bool(bound.worth.informative), (row, name)
        assert same(found.counts["identification_horizon"][row], report.identification_horizon), row
        # T_0 is a power, rounded in one way or another; a report shows it as a whole number where it is one.
        early = math.nan if report.burn_in is None else float(report.burn_in)
        assert same(found.counts["burn_in"][row], None if math.isnan(early) else early), row
        assert found.counts["exploration_cap"][row] == report.exploration_cap
        assert found.counts["exploration_steps"][row] == report.exploration_steps_bound
        caps = [each.selection_cap for each in report.providers if not each.qualified]
        total = None if None in caps else sum(caps) + len(caps)
        assert same(found.counts["unqualified_queries"][row], total), row
        assert same(found.second_lowest_cost[row], report.second_lowest_cost)
        assert found.optimal[row] == (-1 if setting.optimal is None else setting.optimal)


def same(value: float, told: float | None) -> bool:
    """Say whether a column's number is that of a report; whole numbers are equal to the last digit."""
    if told is None:
        return math.isnan(value)
    return value == told if isinstance(told, int) else math.isclose(value, told, rel_tol=SUMMED)


@pytest.mark.parametrize(("method", "size"), [("paper", 1000), ("sharp", 1000), ("sharpest", 60)])
def test_random_settings_equal_their_reports(method: str, size: int) -> None:
    columns = drawn(np.random.default_rng(17), size)
    found = evaluate_many(columns, method)
    compare(found, columns, np.random.default_rng(5).choice(len(columns), 6, replace=False))
    # Every shape that a setting can have is among them.
    few = columns.qualities >= columns.of_platform("quality_threshold")[:, None]
    assert size < 1000 or {0, 1, 2, 9} <= set(few.sum(axis=1).tolist())
    assert (found.optimal < 0).any()


@pytest.mark.for_each("radius", [name for name in RADII if name != PAPERS])
def test_counts_of_another_radius_equal_their_reports(radius: str) -> None:
    base = replace(FULL, platform=replace(FULL.platform, radius=radius))
    platform = {"exploration_scale": np.array([0.5, 2.0, 40.0]), "exploration_exponent": np.array([0.3, 0.75, 0.9])}
    quality = np.array([provider.quality for provider in FULL.providers])
    qualities = np.stack([quality, np.clip(quality + 0.02, 0, 1), np.where(quality > 0.9, quality, 0.0)])
    for columns in (
        SettingColumns(base=base, horizon=np.array([9, 5_000, 70_000]), platform=platform),
        SettingColumns(base=base, horizon=np.array([9, 5_000, 70_000]), platform=platform, quality=qualities),
    ):
        compare(evaluate_many(columns), columns, np.arange(3))


def test_a_provider_that_nothing_excludes_is_counted_all_the_same() -> None:
    """Its quality cannot be told from the threshold within 2^52 queries, so its cost alone bounds its selections."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75, radius="beta-binomial")
    providers = (Provider("best", 0.9, 0.2), Provider("second", 0.8, 0.6), Provider("near", 0.5 - 2**-40, 0.7))
    columns = SettingColumns(base=Setting("near", platform, providers), horizon=np.array([10_000]))
    found = evaluate_many(columns)
    compare(found, columns, np.arange(1))
    assert found.counts["unqualified_queries"][0] > 1


def test_what_is_not_asked_for_is_not_found() -> None:
    columns = drawn(np.random.default_rng(17), 40)
    whole, part = evaluate_many(columns, "sharp"), evaluate_many(columns, "sharp", only=["excess_payment", "burn_in"])
    np.testing.assert_array_equal(part.values["excess_payment"], whole.values["excess_payment"])
    np.testing.assert_array_equal(part.counts["burn_in"], whole.counts["burn_in"])
    assert np.isnan(part.values["identification"]).all()
    assert np.isnan(part.counts["identification_horizon"]).all()


def test_numbers_that_do_not_vary_may_be_left_out() -> None:
    columns = SettingColumns(base=FULL, horizon=np.array([9, 1000, 70_000]))
    compare(evaluate_many(columns, "sharp"), columns, np.arange(3))


def test_parts_join_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = drawn(np.random.default_rng(3), 50)
    whole = evaluate_many(columns)
    monkeypatch.setattr("bounds.grid.evaluate._MOST_NUMBERS", 9 * 7)
    parts = evaluate_many(columns)
    for name in GUARANTEES:
        np.testing.assert_array_equal(whole.values[name], parts.values[name])
        np.testing.assert_array_equal(whole.applies[name], parts.applies[name])


def test_a_target_that_is_a_whole_number_is_decided_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """k (T/N)^alpha = 2 * 16^(3/4) is exactly 16, which doubles may miss: ceil(g) - 1 is 15."""
    decided = []
    original = evaluation.decide
    monkeypatch.setattr(evaluation, "decide", lambda *given: decided.append(1) or original(*given))
    horizon = FULL.n_providers * 16
    platform = {"exploration_scale": np.array([2.0, 2.0, np.nextafter(2.0, 3)])}
    columns = SettingColumns(base=FULL, horizon=np.full(3, horizon), platform=platform)
    assert evaluate_many(columns).counts["exploration_cap"].tolist() == [15, 15, 16]
    assert decided


def test_costs_within_a_rounding_of_the_deviation_are_decided_exactly() -> None:
    """0.1 + 0.2 rounds up to above 0.3, and exactly the sum lies between: one cost is separated, the other is not."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75, underbid=0.1, overbid=0.2)
    base = Setting("near", platform, (Provider("a", 0.9, 0.0), Provider("b", 0.9, 0.1 + 0.2)))
    cost = np.array([[0.0, 0.1 + 0.2], [0.0, 0.3], [0.0, np.nextafter(0.3, 1)], [0.0, 0.5]])
    columns = SettingColumns(base=base, horizon=np.full(4, 1000), mean_cost=cost)
    found = evaluate_many(columns, "sharp")
    compare(found, columns, np.arange(4))
    assert len(set(found.applies["identification"].tolist())) == 2


@pytest.mark.for_each(
    ("given", "argument"),
    [
        ({"platform": {"confidence": np.array([0.5, 1.0])}}, "confidence"),
        ({"platform": {"quality_threshold": np.array([0.5, np.nan])}}, "quality_threshold"),
        ({"quality": np.full((2, 9), 1.5)}, "quality"),
        ({"mean_cost": np.full((2, 9), 103.0)}, "provider."),
        ({"horizon": np.array([8, 9])}, "horizon"),
        ({"horizon": np.array([9, 2**53])}, "horizon"),
    ],
)
def test_a_number_out_of_its_range_is_refused(given: dict[str, object], argument: str) -> None:
    assert refusal(SettingColumns, **{"base": FULL, "horizon": np.array([9, 9]), **given}).argument.startswith(argument)
