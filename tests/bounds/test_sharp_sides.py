"""The improved bounds, against the right sides of the theorems in Coq, typed again from their definitions.

`Sharp.v` states them, and `Links.v` proves that the printed formulas are these sides; the names are those of `Sharp.v`.
m* is found by search here, not by the Lambert function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from sympy import LambertW

from bounds.formulas import sharp
from bounds.language.formula import Formula
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from proofs_checks.proofs.kernel.formulas import coq_definitions
from tests.bounds.sharpest.test_payments import ODD

SETTINGS: dict[str, Setting] = {
    **{name: published(name).setting for name in PUBLISHED_NAMES},
    **{name: setting for name, setting in ODD.items() if name != "deviations beyond a gap"},
}


@dataclass(frozen=True, kw_only=True)
class RightSides:
    """The definitions of `Sharp.v` for one market and T."""

    v: dict[str, Any]

    @property
    def n(self) -> int:
        return int(self.v["n_providers"])

    @property
    def competitors(self) -> list[float]:
        return [cost - self.v["optimal_cost"] for cost in self.v["competitor_cost"].tolist()]

    @property
    def unqualified(self) -> list[tuple[float, float]]:
        costs = (self.v["unqualified_cost"] - self.v["optimal_cost"]).tolist()
        return list(zip((self.v["quality_threshold"] - self.v["unqualified_quality"]).tolist(), costs, strict=True))

    def m_star(self, gap: float) -> int:
        """The largest m with gap <= 2 beta(m), or 0."""

        def allowed(m: int) -> bool:
            return m == 0 or bool(
                gap**2 <= 2 * math.log(2 * math.pi**2 * self.n * m**2 / (3 * self.v["confidence"])) / m
            )

        low, high = 0, 1
        while allowed(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if allowed(middle) else (low, middle)
        return low

    def relative(self, gap: float) -> float:
        """relative_gap."""
        apart = gap - self.v["underbid"] - self.v["overbid"]
        return float(apart / ((1 + self.v["belief_slack"]) * self.v["cost_bound"]))

    @property
    def explored(self) -> int:
        """ceil(g(T)) - 1."""
        scale, exponent = self.v["exploration_scale"], self.v["exploration_exponent"]
        return math.ceil(float(scale * (self.v["horizon"] / self.n) ** exponent)) - 1

    @property
    def unqualified_caps(self) -> list[int]:
        return [
            min(self.m_star(quality), max(self.m_star(max(self.relative(cost), quality)), self.explored))
            for quality, cost in self.unqualified
        ]

    @property
    def competitor_caps(self) -> list[int]:
        return [max(self.m_star(self.relative(gap)), self.explored) for gap in self.competitors]

    @property
    def identification(self) -> int:
        return sum(self.unqualified_caps) + sum(self.competitor_caps)

    @property
    def exploration_steps(self) -> int:
        qualified = len(self.competitors) + 1
        return qualified * self.explored + sum(
            min(self.m_star(quality), self.explored) for quality, _ in self.unqualified
        )

    @property
    def radius_sum(self) -> float:
        steps = self.v["horizon"] - self.n
        share = max(1.0, steps / self.n)
        logarithm = math.log(2 * math.pi**2 * self.n / (3 * self.v["confidence"]) * share**2)
        return math.sqrt(2 * self.n * steps * logarithm)

    @property
    def quality_regret(self) -> float:
        gaps = [quality for quality, _ in self.unqualified]
        by_gap = sum(gap * (1 + cap) for gap, cap in zip(gaps, self.unqualified_caps, strict=True))
        return min(self.n + 2 * self.radius_sum, by_gap)

    @property
    def generation_regret(self) -> float:
        slack, largest = (1 + self.v["belief_slack"]) * self.v["cost_bound"], self.v["cost_bound"]
        deviations = (self.v["underbid"] + self.v["overbid"]) * (self.v["horizon"] - self.n)
        anytime = (self.n - 1) * (self.explored + 1) * largest + 2 * slack * self.radius_sum + deviations
        competitors = sum(gap * (1 + cap) for gap, cap in zip(self.competitors, self.competitor_caps, strict=True))
        others = zip(self.unqualified, self.unqualified_caps, strict=True)
        return float(min(anytime, competitors + sum((1 + cap) * max(0.0, cost) for (_, cost), cap in others)))

    @property
    def excess_payment(self) -> float:
        clip = self.v["cost_bound"] - self.v["second_lowest_cost"]
        slack = (1 + self.v["belief_slack"]) * self.v["cost_bound"]
        deviations = self.v["overbid"] * (self.v["horizon"] - self.n)
        return float((self.n + self.exploration_steps) * clip + slack * self.radius_sum + deviations)

    @property
    def start(self) -> float:
        """sharp_T0."""
        largest = max([1, *(self.m_star(quality) for quality, _ in self.unqualified)])
        ratio = (largest / self.v["exploration_scale"]) ** (1 / self.v["exploration_exponent"])
        return float(self.n * max(1.0, ratio))

    @property
    def average_deviation(self) -> float:
        k, alpha, largest = (self.v[name] for name in ("exploration_scale", "exploration_exponent", "cost_bound"))
        second, share = self.v["second_lowest_cost"], self.n / self.v["horizon"]
        constant = 2 * math.pi**2 * self.n * k**2 / (3 * self.v["confidence"])
        root = math.sqrt(share**alpha * math.log(constant * share ** (-2 * alpha)) / (2 * k))
        early = self.start / self.v["horizon"] * max(second, largest - second)
        explored = k * share ** (1 - alpha) * (largest - second)
        slack = (1 + self.v["belief_slack"]) * largest
        widest = max(self.v["underbid"], self.v["overbid"])
        return float(early + explored + 4 * slack / (2 - alpha) * root + widest)


SIDES: dict[Formula, str] = {
    sharp.SHARP_IDENTIFICATION_BOUND: "identification",
    sharp.SHARP_EXPLORATION_STEPS_BOUND: "exploration_steps",
    sharp.SHARP_RADIUS_SUM_BOUND: "radius_sum",
    sharp.SHARP_QUALITY_REGRET: "quality_regret",
    sharp.SHARP_GENERATION_REGRET: "generation_regret",
    sharp.SHARP_EXCESS_PAYMENT: "excess_payment",
    sharp.SHARP_BURN_IN: "start",
    sharp.SHARP_AVERAGE_PAYMENT_DEVIATION: "average_deviation",
}


def sides_that_differ(setting: Setting, horizon: int) -> list[str]:
    values = {**formula_inputs(setting), "horizon": horizon}
    sides = RightSides(v=values)
    return [
        side for bound, side in SIDES.items() if float(bound(values)) != pytest.approx(getattr(sides, side), rel=1e-12)
    ]


@pytest.mark.parametrize("name", SETTINGS)
def test_the_printed_bounds_are_the_right_sides_of_the_theorems(name: str) -> None:
    assert len(SETTINGS) >= 10
    for horizon in (1_000, 70_000):
        assert sides_that_differ(SETTINGS[name], horizon) == []


def test_a_right_side_with_another_constant_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RightSides, "explored", property(lambda self: 10))
    found = sides_that_differ(SETTINGS["gsm8k-full"], 70_000)
    assert {"identification", "exploration_steps", "excess_payment"} <= set(found)
    monkeypatch.setattr(RightSides, "m_star", lambda self, gap: 5)
    assert "start" in sides_that_differ(SETTINGS["gsm8k-full"], 70_000)


def test_the_exact_inverse_is_that_of_the_lambert_function() -> None:
    values = {**formula_inputs(SETTINGS["gsm8k-full"]), "horizon": 70_000}
    sides = RightSides(v=values)
    expected = [sides.m_star(quality) for quality, _ in sides.unqualified]
    assert np.ravel(sharp.SHARP_ELIMINATION_BOUND(values)).tolist() == expected


def test_another_branch_of_the_lambert_function_is_not_printed_as_the_one_below_minus_1() -> None:
    below = sharp.SHARP_ELIMINATION_BOUND
    above = replace(below, expression=below.expression.replace(LambertW, lambda z, _: LambertW(z)))
    assert "(lambert " in coq_definitions([below])
    with pytest.raises((KeyError, IndexError)):
        coq_definitions([above])
