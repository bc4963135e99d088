"""The trivial values of the regrets, and how their bounds grow; `tests/lemmas` has the theorems."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bounds.errors import InputError
from bounds.formulas.regret import (
    GENERATION_REGRET,
    GENERATION_REGRET_ANYTIME,
    QUALITY_REGRET_ANYTIME,
    RADIUS_SUM_BOUND,
    TRIVIAL_GENERATION_REGRET,
    TRIVIAL_QUALITY_REGRET,
)
from bounds.language.formula import Formula
from tests.bounds.by_hand import MARKETS, market


@given(MARKETS)
def test_trivial_maxima_are_the_worst_provider_at_every_step(v: dict[str, Any]) -> None:
    shortfalls = v["quality_threshold"] - v["unqualified_quality"]
    costs = [*v["unqualified_cost"], *v["competitor_cost"]]
    worst = max(0.0, *(c - v["optimal_cost"] for c in costs))
    assert TRIVIAL_QUALITY_REGRET.value(v) == v["horizon"] * max(shortfalls, default=0.0)
    assert TRIVIAL_GENERATION_REGRET.value(v) == pytest.approx(v["horizon"] * worst, rel=1e-11, abs=1e-300)


@pytest.mark.for_each(
    "formula", [RADIUS_SUM_BOUND, QUALITY_REGRET_ANYTIME, GENERATION_REGRET_ANYTIME, GENERATION_REGRET]
)
def test_bounds_grow_with_the_horizon_and_start_at_n(formula: Formula) -> None:
    values = formula(market(), horizon=np.arange(3, 5000))
    assert (np.diff(values) >= 0).all()
    with pytest.raises(InputError, match="has no value"):
        formula(market(), horizon=2)
