"""The formulas as SymPy expressions: their values, enclosures and derivatives, and what SymPy does with them."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, given, settings, strategies as st

import costproof
from bounds.errors import InputError
from bounds.language.computed import rests_on_search
from bounds.methods import METHODS, every_formula
from bounds.published import published
from bounds.report import BoundsReport, evaluate_bounds
from bounds.setting.model import Setting
from bounds.symbolic.enclosing import Interval, enclose, substitutions
from bounds.symbolic.printing import latex
from bounds.symbolic.symbols import Found, symbols
from bounds.symbolic.unfolding import formula_names
from bounds.symbolic.verbs import derivatives, symbolic
from tests.bounds.test_grid_evaluate import drawn

STRONG = published("gpqa-strong").setting
T, N, delta, alpha, x, m = sympy.symbols("T N delta alpha x m")
MAIN_TEXT = {symbols.gamma: 0, symbols.d_minus: 0, symbols.d_plus: 0}


def numbers_of(report: BoundsReport) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a report that formulas state, by the keys of the JSON."""
    named: dict[str, Any] = {name: getattr(report, name) for name in ("identification_bound", "burn_in")}
    named |= {"exploration_cap": report.exploration_cap, "exploration_steps_bound": report.exploration_steps_bound}
    named |= {name: getattr(report, name) for name in ("sum_quality_selection_bounds", "sum_cost_selection_bounds")}
    named["main_text.identification_bound"] = report.main_text["identification_bound"]
    for name, bound in report.bounds.items():
        named |= {name: bound.value, **{f"{name}.{part}": value for part, value in bound.parts.items()}}
    yield from ((name, value) for name, value in named.items() if value is not None)


#: Numbers that no rounding of doubles touches.
COUNTS = {"identification_bound", "exploration_cap", "sum_quality_selection_bounds", "sum_cost_selection_bounds"}


def check_numbers(setting: Setting, horizon: int, method: str) -> int:
    """Hold substituted expressions and enclosures to a report: exactly where it counts, else to 1e-12."""
    known, compared, rounding = substitutions(setting, horizon), 0, Fraction(1, 10**12)
    for name, printed in numbers_of(evaluate_bounds(setting, horizon, method)):
        if not setting.qualified and method != "paper" and name == "exploration_steps_bound":
            continue  # a sum over the unqualified, whose counts nothing bounds here
        expression = symbolic(name, setting, method=method)
        found = expression.xreplace(known)
        box = enclose(expression, setting, horizon=horizon)
        if name in COUNTS and printed < 2**53:
            assert found == printed, (name, found, printed)
            assert (box.lower, box.upper, box.exact.width) == (printed, printed, 0)
        assert math.isclose(float(found), printed, rel_tol=1e-12), (name, found, printed)
        assert box.exact.lower <= Fraction(printed) * (1 + rounding), (name, box, printed)
        assert box.exact.upper >= Fraction(printed) * (1 - rounding), (name, box, printed)
        assert box.upper <= math.nextafter(math.nextafter(box.lower, math.inf), math.inf)
        compared += 1
    return compared


@pytest.mark.for_each("method", METHODS)
def test_numbers_of_a_published_market(method: str) -> None:
    assert check_numbers(STRONG, 70_000, method) >= 13


@pytest.mark.long("makes 200 reports for each method")
@pytest.mark.for_each("method", METHODS)
def test_numbers_of_random_settings(method: str) -> None:
    columns = drawn(np.random.default_rng(11), 200)
    assert sum(check_numbers(columns.setting(row), int(columns.horizon[row]), method) for row in range(200)) > 2000


#: Of these a bound depends on smoothly, at almost all values.
PARAMETERS = ("T", "N", "delta", "k", "alpha", "gamma", "c_max", "q_min", "d_minus", "d_plus")


def check_derivatives(setting: Setting, horizon: int, name: str, method: str) -> int:
    """Hold derivatives to central differences of 50 digits; return how many."""
    expression = symbolic(name, setting, method=method, smooth=True)
    if rests_on_search_parts := expression.atoms(Found):
        raise AssertionError(f"{name} has no derivative: {rests_on_search_parts}")
    known = {str(key): value for key, value in substitutions(setting, horizon).items() if key.is_Symbol}
    function = sympy.lambdify(list(map(sympy.Symbol, known)), expression, "mpmath")
    found = derivatives(name, market=setting, horizon=horizon, method=method)
    for by, box in found.items():
        with mpmath.workdps(50):
            at = {each: mpmath.mpf(int(v.p)) / int(v.q) if v.is_Rational else mpmath.mpf(v) for each, v in known.items()}
            step = mpmath.mpf(10) ** -16 * (at[by] or 1)
            ends = [function(*{**at, by: at[by] + move}.values()) for move in (-step, step)]
            slope = mpmath.re(ends[1] - ends[0]) / (2 * step)
            near = mpmath.mpf(10) ** -12 * max(abs(slope), abs(ends[0] / (at[by] or 1)))
            assert box.lower - near <= slope <= box.upper + near, (name, by, box, slope)
    return len(found)


@pytest.mark.for_each(("name", "method"), [("B_id", "paper"), ("generation_regret", "sharp")])
def test_derivatives_of_a_published_market(name: str, method: str) -> None:
    assert check_derivatives(STRONG, 70_000, name, method) == 10
