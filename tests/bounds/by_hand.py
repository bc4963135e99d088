"""The paper's formulas typed again in plain floats, and markets to compare them on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
from hypothesis import strategies as st

from bounds.setting.model import PlatformParameters, Provider, Setting

CONFIDENCES = st.one_of(st.floats(1e-6, 0.999), st.sampled_from([1e-12, 0.05, 1 - 2**-53]))
#: Values of k at which g(T) >= 1, and any.
SCALES = st.one_of(st.floats(1, 10), st.sampled_from([1.0, 2.0]))
ANY_SCALE = st.one_of(st.floats(0.03, 10), st.sampled_from([1e-9, 1e-6, 1.0, 2.0]))


def beta(m: float, n: int, delta: float) -> float:
    """eq:qualified-set; NaN where its logarithm is negative."""
    square = math.log(2 * math.pi**2 * n * m**2 / (3 * delta)) / (2 * m)
    return math.sqrt(square) if square >= 0 else math.nan


def count_bound(x: float, n: int, delta: float) -> int:
    """M(x) of thm:sample-complexity."""
    return math.ceil(4 / x**2 * math.log(57 * n / (delta * x**4)))


def radius_sum(n: int, delta: float, horizon: int) -> float:
    """eq:radius-sum with kappa = 1."""
    return math.sqrt(2 * n * (horizon - n) * math.log(2 * math.pi**2 * n * horizon**2 / (3 * delta)))


def explored(v: dict[str, Any]) -> int:
    """eq:provider-forced-bound: ceil(g(T)) - 1."""
    with mpmath.workdps(50):  # a g(T) within 1e-30 of a whole number is that number
        ratio = mpmath.mpf(int(v["horizon"])) / v["n_providers"]
        g = mpmath.mpf(v["exploration_scale"]) * ratio ** mpmath.mpf(v["exploration_exponent"])
        near = mpmath.nint(g)
        return int(near if abs(g - near) < mpmath.mpf(10) ** -30 else mpmath.ceil(g)) - 1


def setting_of(pairs: Sequence[tuple[float, float]], **platform: Any) -> Setting:
    """Return a setting from pairs (quality, mean cost)."""
    usual = {
        "quality_threshold": 0.5,
        "confidence": 0.05,
        "cost_bound": 1.0,
        "exploration_scale": 2.0,
        "exploration_exponent": 0.75,
    }
    providers = [Provider(f"p{i}", quality, cost) for i, (quality, cost) in enumerate(pairs)]
    return Setting("made", PlatformParameters(**{**usual, **platform}), providers)


def market(**changes: Any) -> dict[str, Any]:
    """Return a market of three providers, two of them qualified."""
    return {
        "n_providers": 3,
        "n_qualified": 2,
        "confidence": 0.05,
        "quality_threshold": 0.5,
        "cost_bound": 1.0,
        "exploration_scale": 2.0,
        "exploration_exponent": 0.75,
        "belief_slack": 0.0,
        "underbid": 0.0,
        "overbid": 0.0,
        "optimal_cost": 0.1,
        "second_lowest_cost": 0.3,
        "unqualified_quality": [0.25],
        "unqualified_cost": [0.5],
        "competitor_cost": [0.3],
        "horizon": 1000,
        **changes,
    }


@st.composite
def markets(draw: st.DrawFn, *, easy: bool = False, scales: st.SearchStrategy[float] = SCALES) -> dict[str, Any]:
    """Draw a market and a horizon from N on, with the edges of every range; an easy one has no small gap."""
    bound = draw(st.sampled_from([1.0, 102.4, 300.032]))
    gaps = st.floats(0.05, 1) if easy else st.one_of(st.floats(1e-3, 1), st.sampled_from([1.0, 1e-6, 0.5]))
    shortfalls = draw(st.lists(gaps, max_size=3))
    under, over = (draw(st.sampled_from([0.0, 0.01, 0.125])) * bound for _ in "-+")
    optimal = draw(st.sampled_from([0.0, 0.1, 0.3])) * bound
    shares = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0]))
    expensive = draw(st.lists(st.floats(0.05 if easy else 2**-20, 0.4), min_size=1, max_size=3))
    costs = [optimal + under + over + gap * bound for gap in expensive]
    n = 1 + len(shortfalls) + len(expensive)
    times = st.sampled_from([1, 2, 16, 81, 7777, 10**6])
    return {
        "n_providers": n,
        "n_qualified": 1 + len(expensive),
        "confidence": draw(CONFIDENCES),
        "quality_threshold": 1.0,
        "cost_bound": bound,
        "exploration_scale": draw(scales),
        "exploration_exponent": draw(st.one_of(st.floats(0.05, 0.95), st.sampled_from([0.75, 0.999]))),
        "belief_slack": draw(st.sampled_from([0.0, 0.28, 5.0])),
        "underbid": under,
        "overbid": over,
        "optimal_cost": optimal,
        "second_lowest_cost": min(costs),
        "unqualified_quality": np.array([1.0 - gap for gap in shortfalls]),
        "unqualified_cost": np.array([draw(shares) * bound for _ in shortfalls]),
        "competitor_cost": np.array(costs),
        "horizon": n * draw(times) + draw(st.integers(0, 3)),
        "step": n * draw(times),
    }


@st.composite
def instances(draw: st.DrawFn, gaps: tuple[float, float] = (0.01, 1.0)) -> dict[str, Any]:
    """Draw a small market."""
    gap = st.floats(*gaps)
    optimal = draw(st.sampled_from([0.0, 0.0625]))
    deviation = draw(st.sampled_from([0.0, 0.0, 0.03125]))
    shortfalls = draw(st.lists(gap, max_size=2))
    expensive = draw(st.lists(gap.map(lambda g: min(optimal + g + 2 * deviation, 1.0)), min_size=1, max_size=2))
    return {
        "n_providers": 1 + len(shortfalls) + len(expensive),
        "n_qualified": 1 + len(expensive),
        "confidence": draw(st.sampled_from([0.05, 0.5, 1 - 2**-53, 1e-6])),
        "quality_threshold": 1.0,
        "cost_bound": 1.0,
        "exploration_scale": draw(st.one_of(st.floats(0.01, 3), st.sampled_from([1e-9, 1.0, 2.0, 0.5]))),
        "exploration_exponent": draw(st.sampled_from([0.05, 0.5, 2 / 3, 0.75, 0.95, 1 - 2**-53])),
        "belief_slack": draw(st.sampled_from([0.0, 0.0, 0.25])),
        "underbid": deviation,
        "overbid": deviation,
        "optimal_cost": optimal,
        "unqualified_quality": np.array([1.0 - g for g in shortfalls]),
        "unqualified_cost": np.array([draw(st.floats(0, 1)) for _ in shortfalls]),
        "competitor_cost": np.array(expensive),
    }
