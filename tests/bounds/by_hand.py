"""The paper's formulas typed again in plain floats, and markets to compare them on."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mpmath
from hypothesis import strategies as st

from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Provider, Setting
from costproof import strategies

CONFIDENCES = st.one_of(st.floats(1e-6, 0.999), st.sampled_from([1e-12, 0.05, 1 - 2**-53]))


def beta(m: float, n: int, delta: float) -> float:
    """eq:qualified-set; NaN where its logarithm is negative."""
    square = (math.log(2 * math.pi**2 * n / (3 * delta)) + 2 * math.log(m)) / (2 * m)
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
        return int(near if near and abs(g - near) < mpmath.mpf(10) ** -30 else mpmath.ceil(g)) - 1


#: Little exploration.
LITTLE = {"exploration_scale": 0.5, "exploration_exponent": 0.5}


def platform_of(**changes: Any) -> PlatformParameters:
    return replace(PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75), **changes)


def setting_of(pairs: Sequence[tuple[float, float]], **platform: Any) -> Setting:
    providers = [Provider(f"p{i}", quality, cost) for i, (quality, cost) in enumerate(pairs)]
    return Setting("made", platform_of(**platform), providers)


def with_radius(setting: Setting, radius: str) -> Setting:
    return replace(setting, platform=replace(setting.platform, radius=radius))


def market(**changes: Any) -> dict[str, Any]:
    """Return the inputs of formulas for three providers, two of them qualified."""
    return {**formula_inputs(setting_of([(0.9, 0.1), (0.8, 0.3), (0.25, 0.5)])), "horizon": 1000, **changes}


COUNTS = st.sampled_from([1, 2, 3, 17, 1000, 10**6, 10**9, 1.5])


@st.composite
def inputs(draw: st.DrawFn, settings: st.SearchStrategy[Setting]) -> dict[str, Any]:
    """Draw the inputs of formulas: those of a setting, a horizon, and a step with the count and cost of who serves."""
    setting = draw(settings)
    n, times = setting.n_providers, st.sampled_from([1, 2, 16, 81, 7777, 10**6])
    steps = {"horizon": n * draw(times) + draw(st.integers(0, 3)), "step": n * draw(times)}
    served = {"served_cost": draw(st.floats(0, 1)) * setting.platform.cost_bound, "count": draw(COUNTS)}
    return {**formula_inputs(setting), **steps, **served}


#: Markets to which the theory applies; with any k, and with one at which g(T) >= 1. All gaps of `EASY` are wide.
MARKETS = inputs(strategies.settings(assumptions=True) | strategies.markets("no-exploration", slacks=True))
EXPLORING = strategies.platform_parameters().map(lambda p: replace(p, exploration_scale=max(p.exploration_scale, 1.0)))
EXPLORED = inputs(strategies.settings(assumptions=True, platform=EXPLORING))
EASY = strategies.settings(assumptions=True, platform=EXPLORING, least_gap=0.05)


#: Little exploration, and the widest quality gaps.
WIDE = strategies.platform_parameters().map(
    lambda p: replace(p, quality_threshold=1.0, exploration_scale=min(p.exploration_scale, 3.0))
)


def instances(least_gap: float = 0.01) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for small markets."""
    return inputs(strategies.settings(n_providers=(2, 5), assumptions=True, platform=WIDE, least_gap=least_gap))
