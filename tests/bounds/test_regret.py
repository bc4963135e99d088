"""Both regrets, both branches, against the theorems typed in plain floats."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

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

UNHURRIED = settings(deadline=None)
CLOSE = {"rel": 1e-11, "abs": 1e-300}
CONFIDENCES = st.one_of(st.floats(1e-6, 0.999), st.sampled_from([1e-12, 0.05, 1 - 2**-53]))
GAPS = st.one_of(st.floats(1e-3, 1), st.sampled_from([1.0, 1e-6, 0.5]))


@st.composite
def markets(draw: st.DrawFn, deviations: bool = True) -> dict[str, Any]:
    """Draw a market and a horizon from N on, with the edges of every range."""
    bound = draw(st.sampled_from([1.0, 102.4, 300.032]))
    shortfalls = draw(st.lists(GAPS, max_size=3))
    under, over = (draw(st.sampled_from([0.0, 0.01, 0.125])) * bound if deviations else 0.0 for _ in "-+")
    optimal = draw(st.sampled_from([0.0, 0.1, 0.3])) * bound
    gaps = draw(st.lists(st.floats(2**-20, 0.4), min_size=1, max_size=3))
    n = 1 + len(shortfalls) + len(gaps)
    horizon = n * draw(st.sampled_from([1, 2, 16, 81, 7777, 10**6])) + draw(st.integers(0, 3))
    return {
        "n_providers": n,
        "confidence": draw(CONFIDENCES),
        "quality_threshold": 1.0,
        "cost_bound": bound,
        "exploration_scale": draw(st.one_of(st.floats(0.03, 10), st.sampled_from([1e-9, 1.0, 2.0]))),
        "exploration_exponent": draw(st.one_of(st.floats(0.05, 0.95), st.sampled_from([0.75, 1e-3, 0.999]))),
        "belief_slack": draw(st.sampled_from([0.0, 0.28, 5.0])) if deviations else 0.0,
        "underbid": under,
        "overbid": over,
        "optimal_cost": optimal,
        "unqualified_quality": np.array([1.0 - g for g in shortfalls]),
        "unqualified_cost": np.array([draw(st.floats(0, 1)) * bound for _ in shortfalls]),
        "competitor_cost": np.array([optimal + under + over + gap * bound for gap in gaps]),
        "horizon": horizon,
    }


def m_bound(x: float, n: int, delta: float) -> int:
    """M(x) of thm:sample-complexity."""
    return math.ceil(4 / x**2 * math.log(57 * n / (delta * x**4)))


def radius_sum(n: int, delta: float, horizon: int) -> float:
    """eq:radius-sum with kappa = 1."""
    return math.sqrt(2 * n * (horizon - n) * math.log(2 * math.pi**2 * n * horizon**2 / (3 * delta)))


def explored(v: dict[str, Any]) -> int:
    """eq:provider-forced-bound."""
    target = v["exploration_scale"] * (v["horizon"] / v["n_providers"]) ** v["exploration_exponent"]
    near = round(target)
    return (near if abs(target - near) < 1e-9 * max(1, target) else math.ceil(target)) - 1


def quality_branches(v: dict[str, Any]) -> tuple[float, float]:
    """eq:quality-regret-bound."""
    n, delta = v["n_providers"], v["confidence"]
    gaps = [v["quality_threshold"] - q for q in v["unqualified_quality"]]
    return n + 2 * radius_sum(n, delta, v["horizon"]), math.fsum((m_bound(e, n, delta) + 1) * e for e in gaps)


def generation_branches(v: dict[str, Any]) -> tuple[float, float]:
    """eq:generation-regret-bound with eq:deviation-generation-regret and L_i of appendices B and C."""
    n, delta, bound, best = v["n_providers"], v["confidence"], v["cost_bound"], v["optimal_cost"]
    deviation, wide = v["underbid"] + v["overbid"], (1 + v["belief_slack"]) * bound
    anytime = (n - 1) * (explored(v) + 1) * bound + 2 * wide * radius_sum(n, delta, v["horizon"])
    anytime += deviation * (v["horizon"] - n)
    unqualified = zip(v["unqualified_quality"], v["unqualified_cost"], strict=True)
    first = [(m_bound(v["quality_threshold"] - q, n, delta) + 1) * max(c - best, 0) for q, c in unqualified]
    second = [
        (max(m_bound((c - best - deviation) / wide, n, delta), explored(v)) + 1) * (c - best)
        for c in v["competitor_cost"]
    ]
    return anytime, math.fsum(first) + math.fsum(second)


@UNHURRIED
@given(markets())
def test_quality_regret_is_the_theorem(v: dict[str, Any]) -> None:
    anytime, gap_dependent = quality_branches(v)
    assert QUALITY_REGRET_ANYTIME.value(v) == pytest.approx(anytime, **CLOSE)
    assert QUALITY_REGRET_GAP_DEPENDENT.value(v) == pytest.approx(gap_dependent, **CLOSE)
    assert QUALITY_REGRET.value(v) == pytest.approx(min(anytime, gap_dependent), **CLOSE)


@UNHURRIED
@given(markets())
def test_generation_regret_is_the_theorem(v: dict[str, Any]) -> None:
    anytime, gap_dependent = generation_branches(v)
    # The plain relative gap loses digits that the bound squares: 1e-16 over a gap of 1e-6.
    assert GENERATION_REGRET_ANYTIME.value(v) == pytest.approx(anytime, **CLOSE)
    assert GENERATION_REGRET_GAP_DEPENDENT.value(v) == pytest.approx(gap_dependent, rel=1e-8)
    assert GENERATION_REGRET.value(v) == pytest.approx(min(anytime, gap_dependent), rel=1e-8)


@UNHURRIED
@given(markets(deviations=False))
def test_without_slack_and_deviations_it_is_the_main_theorem(v: dict[str, Any]) -> None:
    """thm:generation-regret, typed without gamma, d_- and d_+."""
    n, bound, best = v["n_providers"], v["cost_bound"], v["optimal_cost"]
    anytime = (n - 1) * (explored(v) + 1) * bound + 2 * bound * radius_sum(n, v["confidence"], v["horizon"])
    assert GENERATION_REGRET_ANYTIME.value(v) == pytest.approx(anytime, **CLOSE)
    gaps = v["competitor_cost"] - best
    caps = [max(m_bound(gap / bound, n, v["confidence"]), explored(v)) for gap in gaps]
    without_unqualified = {**v, "unqualified_quality": [], "unqualified_cost": []}
    expected = math.fsum((cap + 1) * gap for cap, gap in zip(caps, gaps, strict=True))
    assert GENERATION_REGRET_GAP_DEPENDENT.value(without_unqualified) == pytest.approx(expected, rel=1e-8)


@UNHURRIED
@given(markets())
def test_trivial_maxima_are_the_worst_provider_at_every_step(v: dict[str, Any]) -> None:
    shortfalls = 1.0 - v["unqualified_quality"]
    costs = [*v["unqualified_cost"], *v["competitor_cost"]]
    worst = max(0.0, *(c - v["optimal_cost"] for c in costs))
    assert TRIVIAL_QUALITY_REGRET.value(v) == v["horizon"] * max(shortfalls, default=0.0)
    assert TRIVIAL_GENERATION_REGRET.value(v) == pytest.approx(v["horizon"] * worst, **CLOSE)


@UNHURRIED
@given(markets())
def test_a_horizon_of_n_pays_for_initialization_only(v: dict[str, Any]) -> None:
    n = v["n_providers"]
    v["horizon"] = n
    assert RADIUS_SUM_BOUND.value(v) == 0
    assert QUALITY_REGRET_ANYTIME.value(v) == n
    assert GENERATION_REGRET_ANYTIME.value(v) == pytest.approx(
        (n - 1) * max(1, math.ceil(v["exploration_scale"])) * v["cost_bound"], **CLOSE
    )


def test_no_unqualified_provider_means_no_quality_regret() -> None:
    v = market(unqualified_quality=[], unqualified_cost=[], n_providers=2)
    assert QUALITY_REGRET_GAP_DEPENDENT.value(v) == 0
    assert QUALITY_REGRET.value(v) == 0
    assert TRIVIAL_QUALITY_REGRET.value(v) == 0


def test_cheap_unqualified_providers_cost_no_generation_regret() -> None:
    cheap, none = market(unqualified_cost=[0.05]), market(unqualified_quality=[], unqualified_cost=[])
    assert GENERATION_REGRET_GAP_DEPENDENT.value(cheap) == GENERATION_REGRET_GAP_DEPENDENT.value(none)
    assert TRIVIAL_GENERATION_REGRET.value(cheap) == pytest.approx(1000 * 0.2)


def market(**changes: Any) -> dict[str, Any]:
    return {
        "n_providers": 3,
        "confidence": 0.05,
        "quality_threshold": 0.5,
        "cost_bound": 1.0,
        "exploration_scale": 2.0,
        "exploration_exponent": 0.75,
        "belief_slack": 0.0,
        "underbid": 0.0,
        "overbid": 0.0,
        "optimal_cost": 0.1,
        "unqualified_quality": [0.25],
        "unqualified_cost": [0.5],
        "competitor_cost": [0.3],
        "horizon": 1000,
        **changes,
    }


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


@UNHURRIED
@given(n=st.integers(2, 4), delta=CONFIDENCES, picks=st.lists(st.integers(0, 3), max_size=60))
def test_radius_sum_bounds_every_order_of_selections(n: int, delta: float, picks: list[int]) -> None:
    """lem:radius-sum, along a sequence of selections: at its m-th selection a provider has count m."""
    counts, total = [1] * n, 0.0
    for i in (pick % n for pick in picks):
        total += math.sqrt(math.log(2 * math.pi**2 * n * counts[i] ** 2 / (3 * delta)) / (2 * counts[i]))
        counts[i] += 1
    horizon = n + len(picks)
    assert total <= RADIUS_SUM_BOUND.value(n_providers=n, confidence=delta, horizon=horizon) + 1e-12


def test_radius_sum_bounds_every_split() -> None:
    for delta, extra in itertools.product([1e-6, 0.05, 0.999], range(30)):
        beta = [math.sqrt(math.log(4 * math.pi**2 * m**2 / (3 * delta)) / (2 * m)) for m in range(1, 40)]
        worst = max(sum(beta[:a]) + sum(beta[: extra - a]) for a in range(extra + 1))
        found = RADIUS_SUM_BOUND.value(n_providers=2, confidence=delta, horizon=2 + extra)
        assert worst <= found + 1e-12
