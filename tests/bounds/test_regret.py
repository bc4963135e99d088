"""Both regrets, both branches, against the theorems typed in plain floats."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from bounds.errors import InputError
from bounds.formulas.regret import (
    GENERATION_REGRET,
    GENERATION_REGRET_ANYTIME,
    GENERATION_REGRET_GAP_DEPENDENT,
    QUALITY_REGRET,
    QUALITY_REGRET_ANYTIME,
    QUALITY_REGRET_GAP_DEPENDENT,
    RADIUS_SUM_BOUND,
    TRIVIAL_GENERATION_REGRET,
    TRIVIAL_QUALITY_REGRET,
)
from bounds.language.formula import Formula
from tests.bounds.by_hand import ANY_SCALE, beta, count_bound, explored, market, markets, radius_sum

UNHURRIED = settings(deadline=None)
CLOSE = {"rel": 1e-11, "abs": 1e-300}


def quality_branches(v: dict[str, Any]) -> tuple[float, float]:
    """eq:quality-regret-bound."""
    n, delta = v["n_providers"], v["confidence"]
    gaps = [v["quality_threshold"] - q for q in v["unqualified_quality"]]
    return n + 2 * radius_sum(n, delta, v["horizon"]), math.fsum((count_bound(e, n, delta) + 1) * e for e in gaps)


def generation_branches(v: dict[str, Any]) -> tuple[float, float]:
    """eq:generation-regret-bound with eq:deviation-generation-regret and L_i of appendices B and C."""
    n, delta, bound, best = v["n_providers"], v["confidence"], v["cost_bound"], v["optimal_cost"]
    deviation, wide = v["underbid"] + v["overbid"], (1 + v["belief_slack"]) * bound
    anytime = (n - 1) * (explored(v) + 1) * bound + 2 * wide * radius_sum(n, delta, v["horizon"])
    anytime += deviation * (v["horizon"] - n)
    unqualified = zip(v["unqualified_quality"], v["unqualified_cost"], strict=True)
    first = [(count_bound(v["quality_threshold"] - q, n, delta) + 1) * max(c - best, 0) for q, c in unqualified]
    second = [
        (max(count_bound((c - best - deviation) / wide, n, delta), explored(v)) + 1) * (c - best)
        for c in v["competitor_cost"]
    ]
    return anytime, math.fsum(first) + math.fsum(second)


@UNHURRIED
@given(markets(scales=ANY_SCALE))
def test_quality_regret_is_the_theorem(v: dict[str, Any]) -> None:
    anytime, gap_dependent = quality_branches(v)
    assert QUALITY_REGRET_ANYTIME.value(v) == pytest.approx(anytime, **CLOSE)
    assert QUALITY_REGRET_GAP_DEPENDENT.value(v) == pytest.approx(gap_dependent, **CLOSE)
    assert QUALITY_REGRET.value(v) == pytest.approx(min(anytime, gap_dependent), **CLOSE)


@UNHURRIED
@given(markets(scales=ANY_SCALE))
def test_generation_regret_is_the_theorem(v: dict[str, Any]) -> None:
    anytime, gap_dependent = generation_branches(v)
    # The plain relative gap loses digits that the bound squares: 1e-16 over a gap of 1e-6.
    assert GENERATION_REGRET_ANYTIME.value(v) == pytest.approx(anytime, **CLOSE)
    assert GENERATION_REGRET_GAP_DEPENDENT.value(v) == pytest.approx(gap_dependent, rel=1e-8)
    assert GENERATION_REGRET.value(v) == pytest.approx(min(anytime, gap_dependent), rel=1e-8)


@UNHURRIED
@given(markets(scales=ANY_SCALE))
def test_trivial_maxima_are_the_worst_provider_at_every_step(v: dict[str, Any]) -> None:
    shortfalls = 1.0 - v["unqualified_quality"]
    costs = [*v["unqualified_cost"], *v["competitor_cost"]]
    worst = max(0.0, *(c - v["optimal_cost"] for c in costs))
    assert TRIVIAL_QUALITY_REGRET.value(v) == v["horizon"] * max(shortfalls, default=0.0)
    assert TRIVIAL_GENERATION_REGRET.value(v) == pytest.approx(v["horizon"] * worst, **CLOSE)


@UNHURRIED
@given(markets(scales=ANY_SCALE))
def test_a_horizon_of_n_pays_for_initialization_only(v: dict[str, Any]) -> None:
    n = v["n_providers"]
    v["horizon"] = n
    assert RADIUS_SUM_BOUND.value(v) == 0
    assert QUALITY_REGRET_ANYTIME.value(v) == n
    assert GENERATION_REGRET_ANYTIME.value(v) == pytest.approx(
        (n - 1) * max(1, math.ceil(v["exploration_scale"])) * v["cost_bound"], **CLOSE
    )


def test_cheap_unqualified_providers_cost_no_generation_regret() -> None:
    cheap, none = market(unqualified_cost=[0.05]), market(unqualified_quality=[], unqualified_cost=[])
    assert GENERATION_REGRET_GAP_DEPENDENT.value(cheap) == GENERATION_REGRET_GAP_DEPENDENT.value(none)
    assert TRIVIAL_GENERATION_REGRET.value(cheap) == pytest.approx(1000 * 0.2)


def test_one_competitor_and_one_unqualified_by_hand() -> None:
    # M(1/4) = ceil(64 ln(57 3 256 / .05)), L = ceil(100 ln(57 3 625 / .05)), g(1000) = 2 (1000/3)^.75 = 156.03.
    assert QUALITY_REGRET_GAP_DEPENDENT.value(market()) == (math.ceil(64 * math.log(875_520)) + 1) / 4
    expected = 877 * 0.4 + (math.ceil(100 * math.log(2_137_500)) + 1) * 0.2
    assert math.ceil(64 * math.log(875_520)) == 876
    assert GENERATION_REGRET_GAP_DEPENDENT.value(market()) == pytest.approx(expected, rel=1e-12)
    assert GENERATION_REGRET_ANYTIME.value(market(horizon=3)) == 2 * 2


@pytest.mark.for_each(
    "formula", [RADIUS_SUM_BOUND, QUALITY_REGRET_ANYTIME, GENERATION_REGRET_ANYTIME, GENERATION_REGRET]
)
def test_bounds_grow_with_the_horizon_and_start_at_n(formula: Formula) -> None:
    values = formula(market(), horizon=np.arange(3, 5000))
    assert (np.diff(values) >= 0).all()
    with pytest.raises(InputError, match="has no value"):
        formula(market(), horizon=2)


def test_radius_sum_bounds_every_split() -> None:
    for delta, extra in itertools.product([1e-6, 0.05, 0.999], range(30)):
        radii = [beta(m, 2, delta) for m in range(1, 40)]
        worst = max(sum(radii[:a]) + sum(radii[: extra - a]) for a in range(extra + 1))
        found = RADIUS_SUM_BOUND.value(n_providers=2, confidence=delta, horizon=2 + extra)
        assert worst <= found + 1e-12
