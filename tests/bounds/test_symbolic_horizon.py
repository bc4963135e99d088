"""T_id as an object: its number, smooth equation, closed bound and leading order, against formulas typed again."""

import dataclasses
import itertools
import math
from typing import Any

import mpmath
import pytest
import sympy
from hypothesis import given, settings, strategies as st
from mpmath import log, mpf, sqrt

from bounds.formulas.identification import main_text_identification_horizon
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Setting
from bounds.symbolic.asymptotics import _compared, asymptotics, leading_order
from bounds.symbolic.enclosing import enclose, substitutions
from bounds.symbolic.horizon import IdentificationHorizon
from bounds.symbolic.symbols import symbols
from bounds.symbolic.verbs import symbolic
from proofs_checks.claims.registry import claim
from tests.bounds.by_hand import instances, setting_of
from tests.refusals import assert_refused


def smooth_margin(market: Setting, horizon: mpf) -> mpf:
    """Return T - N - 2 B_id(T) without roundings."""
    p, n, providers = market.platform, len(market.providers), market.providers
    g = p.exploration_scale * (horizon / n) ** mpf(p.exploration_exponent)

    def count(x: mpf) -> mpf:
        return 4 / x**2 * mpmath.log(57 * n / (p.confidence * x**4))

    costs = [mpf(providers[i].mean_cost) - providers[market.optimal].mean_cost for i in market.competitors]
    gaps = [(gap - p.underbid - p.overbid) / ((1 + mpf(p.belief_slack)) * p.cost_bound) for gap in costs]
    unqualified = [count(mpf(p.quality_threshold) - providers[i].quality) for i in market.unqualified]
    return horizon - n - 2 * sum([*unqualified, *(max(count(gap), g) for gap in gaps)])


def both(market: Setting) -> tuple[IdentificationHorizon, IdentificationHorizon]:
    return IdentificationHorizon(market=market), IdentificationHorizon(market=market, smooth=True)


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_three_ways_to_the_horizon(name: str) -> None:
    market = published(name).setting
    rounded, smooth = both(market)
    assert rounded.number == published(name).printed["T_id"]
    equation = smooth.equation.xreplace(substitutions(market))
    root = sympy.nsolve(equation.lhs - equation.rhs, symbols.T, rounded.number, prec=40)
    assert smooth.enclosure.lower < root < smooth.enclosure.upper == math.nextafter(smooth.enclosure.lower, math.inf)
    assert smooth.number == math.floor(root) + 1
    closed, closed_smooth = (enclose(each.upper_bound, market).upper for each in (rounded, smooth))
    main = main_text_identification_horizon(formula_inputs(market))
    assert max(rounded.number, smooth.number) <= main <= math.floor(closed) + 1 < 1.002 * rounded.number
    assert root < closed_smooth < closed


def made_from(v: dict[str, Any]) -> Setting:
    """Return the market whose inputs of formulas these are; the quality threshold is 1."""
    qualified = [(1.0, cost) for cost in (v["optimal_cost"], *v["competitor_cost"])]
    platform = {each.name: v[each.name] for each in dataclasses.fields(PlatformParameters) if each.name in v}
    return setting_of([*qualified, *zip(v["unqualified_quality"], v["unqualified_cost"], strict=True)], **platform)


HARD_MARKETS = instances().filter(lambda v: v["exploration_exponent"] < 0.99).map(made_from)


@settings(max_examples=8)
@given(HARD_MARKETS, st.lists(st.floats(0, 3), min_size=3, max_size=3))
def test_the_closed_bound_and_the_root_on_any_market(market: Setting, further: list[float]) -> None:
    rounded, smooth = both(market)
    start = math.floor(enclose(rounded.upper_bound, market).exact.upper) + 1
    assert all(rounded.holds(math.floor(start * 10**power)) for power in (0, *further))
    assert rounded.number is None or rounded.number <= start
    if smooth.enclosure is None:
        assert smooth_margin(market, mpf(2**52)) <= 0
        return
    low, high = smooth.enclosure.lower, smooth.enclosure.upper
    with mpmath.workdps(60):
        assert smooth_margin(market, mpf(low)) < 0 < smooth_margin(market, mpf(high))
        assert all(smooth_margin(market, high * mpf(10) ** power) > 0 for power in further)
    assert high <= enclose(smooth.upper_bound, market).upper


def test_an_unknown_roster_has_a_looser_bound_and_the_same_equation() -> None:
    market, unknown = published("gsm8k-full").setting, IdentificationHorizon()
    known = IdentificationHorizon(market=market)
    for step in (63_737, 63_738, 63_739, 63_740):
        margin = enclose(unknown.equation.lhs - unknown.equation.rhs, market, T=step).exact
        assert (margin.lower > 0) == known.holds(step)
    loose, tight = (enclose(each.upper_bound, market).upper for each in (unknown, known))
    assert 63_739 < tight < loose < 1.15 * tight
    assert_refused("must be given", unknown.holds, 64_000)


def test_without_competitors_the_bound_is_the_condition() -> None:
    horizon = IdentificationHorizon(market=setting_of([(0.9, 0.5), (0.25, 0.0)]))
    closed = int(enclose(horizon.upper_bound, horizon.market).lower)
    assert (horizon.holds(closed), horizon.holds(closed + 1), horizon.number) == (False, True, closed + 1)
    assert horizon.equation.xreplace(substitutions(horizon.market, closed)) == sympy.false  # both sides are equal


def test_a_market_with_a_tiny_gap_has_no_horizon() -> None:
    for horizon in both(setting_of([(0.9, 0.5), (0.9, 0.5 + 1e-9)])):
        assert (horizon.number, horizon.enclosure) == (None, None)


#: None is qualified, the optimal provider is not unique, costs are not separated.
UNSUITABLE = [([0.25, 0.25], [0.5, 0.75], 0.0), ([0.9, 0.9], [0.5, 0.5], 0.0), ([0.9, 0.9], [0.5, 0.75], 0.25)]


@pytest.mark.for_each(("qualities", "costs", "overbid"), UNSUITABLE)
def test_unsuitable_markets_are_refused(qualities: list[float], costs: list[float], overbid: float) -> None:
    assert_refused("market='made'", both, setting_of(list(zip(qualities, costs, strict=True)), overbid=overbid))


def test_symbolic_returns_the_object() -> None:
    market = published("gpqa-strong").setting
    assert symbolic("T_id", market).number == 153_697
    assert symbolic("identification_horizon", market, smooth=True).smooth
    assert_refused("sharp", symbolic, "T_id", market, method="sharp")


T, ALPHA = symbols.T, symbols.alpha
ALPHAS = [mpf(share) for share in ("0.3", "0.5", "0.6", "0.75", "0.9")]


def by_hand(T: mpf, N: mpf, eps: mpf, Delta: mpf, alpha: mpf) -> dict[str, mpf]:  # noqa: N803
    """Return the paper's bounds where roundings do not matter: two competitors, and N - 3 unqualified providers."""
    k, delta, c_max, c_2, extra = 2, mpf("0.05"), 3, mpf("0.5"), mpf("0.25")
    constant = 2 * mpmath.pi**2 * N / (3 * delta)

    def count(x: mpf) -> mpf:
        return 4 / x**2 * log(57 * N / (delta * x**4))

    g = k * (T / N) ** alpha
    most, competitor = count(eps), max(count(Delta / c_max), g)
    radii = sqrt(2 * N * (T - N) * log(constant * T**2))
    start = N * max(1, (max(1, most) / k) ** (1 / alpha))
    last = 6 * c_max / (2 - alpha) * sqrt(log(constant * g**2) / (2 * g))
    quality = N + 2 * radii, (N - 3) * (most + 1) * eps
    by_gap = (N - 3) * (most + 1) * extra + 2 * (competitor + 1) * Delta
    generation = (N - 1) * g * c_max + 2 * c_max * radii, by_gap
    return {
        "identification_bound": (N - 3) * most + 2 * competitor,
        "unqualified_selections_bound": (N - 3) * (most + 1),
        "burn_in": start,
        "quality_regret_anytime": quality[0],
        "quality_regret_gap_dependent": quality[1],
        "quality_regret": min(quality),
        "generation_regret_anytime": generation[0],
        "generation_regret_gap_dependent": generation[1],
        "generation_regret": min(generation),
        "excess_payment": N * g * (c_max - c_2) + c_max * radii,
        "average_excess_payment": N / T * (1 + g) * (c_max - c_2) + c_max * sqrt(2 * N / T * log(constant * T**2)),
        "average_payment_deviation": start / T * c_max + N / T * g * (c_max - c_2) + last,
    }


#: Powers of ten in T/N and N.
CORNERS = [(4000, 400), (400, 4000), (900, 900), (3, 10**7)]
#: Pairs of points: one and the same part of a bound leads at both.
PAIRS = {
    "T": [[{"T": 400}, {"T": 800}]],
    "N": [[{"T": part * (r + n), "N": part * n} for part in (1, 2)] for r, n in CORNERS],
    "eps": [[{"eps": -400}, {"eps": -800}]],
    "Delta": [[{"Delta": -400}, {"Delta": -800}]],
}
USUAL = {"T": 5, "N": 1, "eps": -1, "Delta": -1}


@pytest.mark.parametrize("of", PAIRS)
def test_bounds_grow_by_their_leading_order(of: str) -> None:
    for row in (row for row in asymptotics() if row.of == of):
        order = sympy.lambdify(sympy.symbols("T N eps Delta alpha"), row.order, "mpmath")
        for pair, alpha in itertools.product(PAIRS[of], ALPHAS):
            points = [{name: mpf(10) ** power for name, power in {**USUAL, **point}.items()} for point in pair]
            first, last = (log(by_hand(**at, alpha=alpha)[row.name] / order(**at, alpha=alpha)) for at in points)
            assert abs(last - first) < 0.05, (row, alpha, pair)


def test_the_statements_of_the_paper_are_compared() -> None:
    stated = [row for row in asymptotics() if row.stated is not None]
    assert {row.line: row.agreement for row in stated if row.agreement != "equal"} == {
        **dict.fromkeys((343, 345, 364), "equal up to logarithms"),
        1361: "larger",
    }
    assert [row.line for row in stated if not row.agrees] == [345]
    assert all(claim(row.label).source_line <= row.line for row in stated)
    rows = {(row.name, row.of) for row in asymptotics()}
    assert all(leading_order(name, of) == 1 for name, _ in rows for of in PAIRS if (name, of) not in rows)


@pytest.mark.for_each(
    ("stated", "agreement"),
    [("T**alpha", "smaller"), ("sqrt(T*log(T))", "smaller"), ("sqrt(T)", "smaller"), ("T", "larger")],
)
def test_a_wrong_statement_disagrees(stated: str, agreement: str) -> None:
    row = _compared("generation_regret_anytime", "T", stated, "", "1", "yes")
    assert (row.agreement, row.agrees) == (agreement, agreement == "larger")


def test_orders_of_expressions_of_ones_own() -> None:
    regret = symbolic("generation_regret_anytime", smooth=True)
    assert leading_order(regret / T) == sympy.Max(T ** (ALPHA - 1), sympy.sqrt(sympy.log(T)) / sympy.sqrt(T))
    assert leading_order(regret.diff("c_max")) == leading_order(regret)
    assert leading_order("quality_regret_anytime", "N") == sympy.sqrt(symbols.N) * sympy.sqrt(T) * sympy.sqrt(
        sympy.log(T)
    )
    assert leading_order("excess_payment", method="sharp") == leading_order("excess_payment")


@pytest.mark.for_each(
    ("bound", "of", "complaint"),
    [
        ("generation_regrets", "T", "did you mean generation_regret"),
        ("generation_regret", "t", "must be one of T, N, eps, Delta"),
        ("sharpest_burn_in", "T", "has no order here: there is no rule for Found"),
        (sympy.sqrt(T) - T, "T", "the negative term -T may lead"),
        (2 * T - sympy.ceiling(2 * T), "T", "the negative term .* may lead"),
        (sympy.Min(T**ALPHA, sympy.sqrt(T)) + 1, "T", "none of its terms is always the smallest"),
        (1 / (T**ALPHA + sympy.sqrt(T)), "T", "a power that may be negative"),
        (sympy.log(sympy.log(T)), "T", "not known to grow or to decay like a power"),
        (T**T, "T", "there is no rule for Pow"),
    ],
)
def test_what_has_no_order(bound: str | sympy.Expr, of: str, complaint: str) -> None:
    assert_refused(complaint, leading_order, bound, of)
