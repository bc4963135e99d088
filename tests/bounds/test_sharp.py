"""The improved bounds: never above the paper's, and equal to what brute force finds."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sympy import LambertW

from bounds.formulas import payment, regret, selection, sharp
from bounds.language.formula import Formula
from proofs_checks.proofs.kernel.formulas import coq_definitions
from tests.bounds.by_hand import CONFIDENCES, EASY, EXPLORED, beta, explored

UNHURRIED = settings(deadline=None)
PAIRS = [
    (sharp.SHARP_ELIMINATION_BOUND, selection.ELIMINATION_BOUND),
    (sharp.SHARP_UNQUALIFIED_CAP, selection.ELIMINATION_BOUND),
    (sharp.SHARP_ORDINARY_BOUND, selection.ORDINARY_BOUND),
    (sharp.SHARP_COMPETITOR_CAP, selection.COMPETITOR_CAP),
    (sharp.SHARP_IDENTIFICATION_BOUND, selection.IDENTIFICATION_BOUND),
    (sharp.SHARP_EXPLORATION_STEPS_BOUND, selection.EXPLORATION_STEPS_BOUND),
    (sharp.SHARP_LARGEST_ELIMINATION_BOUND, selection.LARGEST_ELIMINATION_BOUND),
    (sharp.SHARP_BURN_IN, selection.BURN_IN),
    (sharp.SHARP_RADIUS_SUM_BOUND, regret.RADIUS_SUM_BOUND),
    (sharp.SHARP_QUALITY_REGRET_ANYTIME, regret.QUALITY_REGRET_ANYTIME),
    (sharp.SHARP_QUALITY_REGRET_BY_QUALITY, regret.QUALITY_REGRET_GAP_DEPENDENT),
    (sharp.SHARP_QUALITY_REGRET_GAP_DEPENDENT, regret.QUALITY_REGRET_GAP_DEPENDENT),
    (sharp.SHARP_QUALITY_REGRET, regret.QUALITY_REGRET),
    (sharp.SHARP_GENERATION_REGRET_ANYTIME, regret.GENERATION_REGRET_ANYTIME),
    (sharp.SHARP_GENERATION_REGRET_GAP_DEPENDENT, regret.GENERATION_REGRET_GAP_DEPENDENT),
    (sharp.SHARP_GENERATION_REGRET, regret.GENERATION_REGRET),
    (sharp.SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION, payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION),
    (sharp.SHARP_EXCESS_PAYMENT, payment.EXCESS_PAYMENT),
    (sharp.SHARP_AVERAGE_PAYMENT_DEVIATION, payment.AVERAGE_PAYMENT_DEVIATION),
]


def test_every_sharp_formula_is_compared() -> None:
    compared = {formula.quantity.name for formula, _ in PAIRS} | {"sharp_lead_bound", "sharp_late_payment_lower"}
    own = {f.quantity.name for f in vars(sharp).values() if isinstance(f, Formula)}
    assert {name for name in own if name.startswith("sharp_")} == compared
    assert len(compared) == 21


@UNHURRIED
@given(EXPLORED)
def test_no_improved_bound_exceeds_the_papers(v: dict[str, Any]) -> None:
    for improved, paper in PAIRS:
        assert (improved(v) <= paper(v) * (1 + 1e-12)).all(), improved.quantity.name


@UNHURRIED
@given(EXPLORED)
def test_the_improved_lower_bound_of_a_payment_is_higher(v: dict[str, Any]) -> None:
    paper, improved = payment.LATE_PAYMENT_LOWER.value(v), sharp.SHARP_LATE_PAYMENT_LOWER.value(v)
    radius = payment.LATE_PAYMENT_UPPER.value(v) - v["second_lowest_cost"] - v["overbid"]
    assert improved - paper == pytest.approx(radius, rel=1e-9, abs=1e-12 * v["cost_bound"])
    assert improved > paper


@UNHURRIED
@given(EXPLORED)
def test_the_lead_bound_never_exceeds_twice_the_identification_bound(v: dict[str, Any]) -> None:
    lead, bound = sharp.SHARP_LEAD_BOUND.value(v), sharp.SHARP_IDENTIFICATION_BOUND.value(v)
    assert bound <= lead <= 2 * bound
    caps = [*sharp.SHARP_UNQUALIFIED_CAP(v), *sharp.SHARP_COMPETITOR_CAP(v)]
    assert lead == sum(caps) + max(caps)


def largest_count(x: float, v: dict[str, Any]) -> float:
    """Return the largest m with x <= 2 beta(m), or infinity for x <= 0."""
    if x <= 0:
        return math.inf

    def reached(m: int) -> bool:
        return x <= 2 * beta(m, v["n_providers"], v["confidence"])

    low, high = 0, 1
    while high < 2**500 and reached(high):  # no double holds a much larger one
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low


def brute_caps(v: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Return the most selections of unqualified providers and of competitors, by what each selection needs.

    A selection at count m needs the quality gap within 2 beta(m), if unqualified; and either m below g(T), in
    an exploration step, or the cost gap within the deviations plus 2 (1 + gamma) c_max beta(m), in an auction.
    """
    wide, reach = (1 + v["belief_slack"]) * v["cost_bound"], v["optimal_cost"] + v["underbid"] + v["overbid"]
    by_exploration = explored(v)

    def by_cost(cost: float) -> float:
        return max(largest_count((cost - reach) / wide, v), by_exploration)

    unqualified = zip(v["unqualified_quality"], v["unqualified_cost"], strict=True)
    first = [min(largest_count(v["quality_threshold"] - q, v), by_cost(c)) for q, c in unqualified]
    return first, [by_cost(c) for c in v["competitor_cost"]]


@UNHURRIED
@given(EASY)
def test_caps_equal_brute_force(v: dict[str, Any]) -> None:
    unqualified, competitors = brute_caps(v)
    assert sharp.SHARP_UNQUALIFIED_CAP(v).tolist() == unqualified
    assert sharp.SHARP_COMPETITOR_CAP(v).tolist() == competitors
    assert sharp.SHARP_IDENTIFICATION_BOUND.value(v) == sum(unqualified) + sum(competitors)
    elimination = [largest_count(v["quality_threshold"] - q, v) for q in v["unqualified_quality"]]
    assert sharp.SHARP_ELIMINATION_BOUND(v).tolist() == elimination
    steps = len(competitors) + 1
    expected = steps * explored(v) + sum(min(bound, explored(v)) for bound in elimination)
    assert sharp.SHARP_EXPLORATION_STEPS_BOUND.value(v) == expected
    burn_in = v["n_providers"] * max(
        1, (max([1, *elimination]) / v["exploration_scale"]) ** (1 / v["exploration_exponent"])
    )
    assert sharp.SHARP_BURN_IN.value(v) == pytest.approx(burn_in, rel=1e-12)


@UNHURRIED
@given(EASY)
def test_regrets_equal_brute_force(v: dict[str, Any]) -> None:
    unqualified, competitors = brute_caps(v)
    gaps, best = v["quality_threshold"] - v["unqualified_quality"], v["optimal_cost"]
    quality = math.fsum((cap + 1) * gap for cap, gap in zip(unqualified, gaps, strict=True))
    pairs = [
        *zip(unqualified, v["unqualified_cost"], strict=True),
        *zip(competitors, v["competitor_cost"], strict=True),
    ]
    generation = math.fsum((cap + 1) * max(cost - best, 0) for cap, cost in pairs)
    assert sharp.SHARP_QUALITY_REGRET_GAP_DEPENDENT.value(v) == pytest.approx(quality, rel=1e-12)
    assert sharp.SHARP_GENERATION_REGRET_GAP_DEPENDENT.value(v) == pytest.approx(generation, rel=1e-12)
    by_quality = math.fsum((largest_count(gap, v) + 1) * gap for gap in gaps)
    assert sharp.SHARP_QUALITY_REGRET_BY_QUALITY.value(v) == pytest.approx(by_quality, rel=1e-12)
    assert sharp.SHARP_QUALITY_REGRET.value(v) == min(
        sharp.SHARP_QUALITY_REGRET_ANYTIME.value(v), sharp.SHARP_QUALITY_REGRET_GAP_DEPENDENT.value(v)
    )


@UNHURRIED
@given(EXPLORED)
def test_payments_equal_the_improved_theorems(v: dict[str, Any]) -> None:
    bound, c2, n, horizon = v["cost_bound"], v["second_lowest_cost"], v["n_providers"], v["horizon"]
    share = max(1, (horizon - n) / n)
    log = math.log(2 * math.pi**2 * n * share**2 / (3 * v["confidence"]))
    total = math.sqrt(2 * n * (horizon - n) * log)
    wide = (1 + v["belief_slack"]) * bound
    rest = n * (bound - c2) + wide * total + v["overbid"] * (horizon - n)
    steps = sharp.SHARP_EXPLORATION_STEPS_BOUND.value(v)
    close = {"rel": 1e-11, "abs": 1e-12 * bound}
    assert sharp.SHARP_RADIUS_SUM_BOUND.value(v) == pytest.approx(total, **close)
    assert sharp.SHARP_QUALITY_REGRET_ANYTIME.value(v) == pytest.approx(n + 2 * total, **close)
    assert sharp.SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION.value(v) == pytest.approx(rest, **close)
    assert sharp.SHARP_EXCESS_PAYMENT.value(v) == pytest.approx(steps * (bound - c2) + rest, **close)
    anytime = (n - 1) * (explored(v) + 1) * bound + 2 * wide * total
    anytime += (v["underbid"] + v["overbid"]) * (horizon - n)
    assert sharp.SHARP_GENERATION_REGRET_ANYTIME.value(v) == pytest.approx(anytime, **close)


@UNHURRIED
@given(EXPLORED)
def test_average_deviation_charges_two_thirds_of_the_radius(v: dict[str, Any]) -> None:
    """Against the paper's bound with its start term taken away."""
    bound, c2, horizon = v["cost_bound"], v["second_lowest_cost"], v["horizon"]
    alpha, k, n = v["exploration_exponent"], v["exploration_scale"], v["n_providers"]
    log = math.log(2 * math.pi**2 * n * k**2 / (3 * v["confidence"]) * (horizon / n) ** (2 * alpha))
    wide = (1 + v["belief_slack"]) * bound
    radius = 4 * wide / (2 - alpha) * math.sqrt((n / horizon) ** alpha / (2 * k) * log)
    start = sharp.SHARP_BURN_IN.value(v) / horizon * max(c2, bound - c2)
    expected = start + k * (n / horizon) ** (1 - alpha) * (bound - c2) + radius + max(v["underbid"], v["overbid"])
    assert sharp.SHARP_AVERAGE_PAYMENT_DEVIATION.value(v) == pytest.approx(expected, rel=1e-11)


@UNHURRIED
@given(n=st.integers(2, 5), delta=CONFIDENCES, extra=st.integers(0, 400))
def test_radius_sum_bounds_the_worst_split(n: int, delta: float, extra: int) -> None:
    """The partial sums of beta are concave, so the even split is the worst."""
    sums = np.concatenate([[0.0], np.cumsum([beta(m, n, delta) for m in range(1, extra + 2)])])
    even = (n - extra % n) * sums[extra // n] + (extra % n) * sums[extra // n + 1]
    found = sharp.SHARP_RADIUS_SUM_BOUND.value(n_providers=n, confidence=delta, horizon=n + extra)
    assert even <= found + 1e-12


def test_another_branch_of_the_lambert_function_is_not_printed_as_the_one_below_minus_1() -> None:
    below = sharp.SHARP_ELIMINATION_BOUND
    above = replace(below, expression=below.expression.replace(LambertW, lambda z, _: LambertW(z)))
    assert "(lambert " in coq_definitions([below])
    with pytest.raises((KeyError, IndexError)):
        coq_definitions([above])
