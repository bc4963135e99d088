"""Tabulated sides against the same formulas evaluated step by step, and tables that stay within their bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal

from bounds.formulas.payment import (
    AUCTION_PAYMENT_LOWER_SERVED,
    AUCTION_PAYMENT_UPPER,
    EXCESS_PAYMENT,
    LATE_PAYMENT_LOWER,
)
from bounds.formulas.regret import GENERATION_REGRET_GAP_DEPENDENT, RADIUS_SUM_BOUND
from bounds.formulas.selection import COMPETITOR_CAP, NON_OPTIMAL_STEPS_BOUND
from bounds.language.evaluation import Evaluation
from bounds.language.formula import Formula
from bounds.language.quantities import pure
from bounds.published import published
from bounds.setting.formula_inputs import formula_inputs
from proofs_checks.claims.model.trace_evaluation import TraceEvaluation
from proofs_checks.claims.model.trace_quantities import EACH_RADIUS, QUALITY_ESTIMATE

BY_STEP = (
    EXCESS_PAYMENT,
    LATE_PAYMENT_LOWER,
    GENERATION_REGRET_GAP_DEPENDENT,
    RADIUS_SUM_BOUND,
    COMPETITOR_CAP,
    NON_OPTIMAL_STEPS_BOUND,
)
LENGTH = 300


def constants_of(name: str) -> dict[str, object]:
    return formula_inputs(published(name).setting)


def evaluated(formula: Formula, constants: dict[str, object], columns: dict[str, np.ndarray]) -> np.ndarray:
    """One number after the other, by the evaluator that knows no tables."""
    rows = [
        Evaluation({**constants, **{name: column[row] for name, column in columns.items()}}).formula(formula)
        for row in range(len(next(iter(columns.values()))))
    ]
    return np.array(rows)


@pytest.mark.for_each("formula", BY_STEP, ids=lambda formula: formula.quantity.name)
@given(st.integers(20, LENGTH - 1), st.integers(1, 5))
@settings(deadline=None, max_examples=4)
def test_functions_of_the_step(formula: Formula, first: int, many: int) -> None:
    rows = slice(first, min(first + many, LENGTH))
    steps = np.arange(1, LENGTH + 1)[rows]
    columns = {"step": steps, "horizon": steps}
    constants = constants_of("gsm8k-ladder")
    found = TraceEvaluation(constants, columns, rows, LENGTH).formula(formula)
    np.testing.assert_allclose(found, evaluated(formula, constants, columns), rtol=1e-13)


#: Bounds that know the horizon through ceil(g(T)) - 1 alone, and two that know it otherwise.
BY_CAP = (COMPETITOR_CAP, NON_OPTIMAL_STEPS_BOUND, GENERATION_REGRET_GAP_DEPENDENT)
NOT_BY_CAP = (EXCESS_PAYMENT, RADIUS_SUM_BOUND)


def far_out(formula: Formula) -> np.ndarray:
    """A part in which ceil(g(T)) grows now and then."""
    first, length = 1_000_001, 2_000
    horizons = {"horizon": first + np.arange(length)}
    return TraceEvaluation(constants_of("gsm8k-full"), horizons, slice(None), length, first=first).formula(formula)


@pytest.mark.for_each("formula", BY_CAP + NOT_BY_CAP, ids=lambda formula: formula.quantity.name)
def test_what_is_looked_up_where_the_cap_grows_is_the_bound_everywhere(formula: Formula) -> None:
    expected = Evaluation({**constants_of("gsm8k-full"), "horizon": 1_000_001 + np.arange(2_000)}).formula(formula)
    assert_array_equal(far_out(formula), expected)
    assert len(np.unique(expected)) > 1


@given(st.lists(st.integers(1, LENGTH), min_size=1, max_size=6))
@settings(deadline=None, max_examples=20)
def test_functions_of_a_count(counts: list[int]) -> None:
    columns = {"count": np.array(counts), "served_cost": np.linspace(3.0, 5.0, len(counts))}
    constants = constants_of("gpqa-full")
    for formula in (AUCTION_PAYMENT_UPPER, AUCTION_PAYMENT_LOWER_SERVED):
        found = TraceEvaluation(constants, columns, slice(0, len(counts)), LENGTH).formula(formula)
        np.testing.assert_allclose(found, evaluated(formula, constants, columns), rtol=1e-13)


def test_a_count_of_every_provider_inside_another_formula() -> None:
    counts = np.array([[1, 2], [4, 300], [7, 9]])
    estimates = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    side = Formula(pure("upper_edge_for_test", "u", "upper edge of a band"), QUALITY_ESTIMATE + EACH_RADIUS, "test")
    constants = constants_of("gpqa-strong")
    columns = {"selection_count": counts, "quality_estimate": estimates}
    found = TraceEvaluation(constants, columns, slice(5, 8), LENGTH).formula(side)
    np.testing.assert_allclose(found, Evaluation({**constants, **columns}).formula(side), rtol=1e-15)
    assert found.shape == (3, 2)


def test_before_the_first_selection_there_is_no_radius() -> None:
    counts = np.array([[0, 1]])
    constants = constants_of("gpqa-strong")
    found = TraceEvaluation(constants, {"selection_count": counts}, slice(0, 1), 10).formula(EACH_RADIUS)
    assert not np.isfinite(found[0, 0])
    assert np.isfinite(found[0, 1])


def test_settings_do_not_share_tables_and_slacks_count() -> None:
    steps = np.arange(1, LENGTH + 1)
    found = [
        TraceEvaluation(constants, {"horizon": steps}, slice(0, LENGTH), LENGTH).formula(EXCESS_PAYMENT)
        for constants in (
            constants_of("gpqa-strong"),
            constants_of("gpqa-full"),
            {**constants_of("gpqa-full"), "overbid": 1.0},
        )
    ]
    assert not np.allclose(found[0][50:], found[1][50:])
    n = constants_of("gpqa-full")["n_providers"]
    np.testing.assert_allclose((found[2] - found[1])[50:], (steps - n)[50:], rtol=1e-9)
