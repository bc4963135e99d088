"""T_id as an object: its number, the root of its smooth equation and its closed bound, against formulas typed again."""

import dataclasses
import math
from typing import Any

import mpmath
import pytest
import sympy
from hypothesis import given, settings, strategies as st
from mpmath import mpf

from bounds.errors import InputError
from bounds.formulas.identification import main_text_identification_horizon
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Setting
from bounds.symbolic.enclosing import enclose, substitutions
from bounds.symbolic.horizon import IdentificationHorizon
from bounds.symbolic.symbols import symbols
from bounds.symbolic.verbs import symbolic
from tests.bounds.by_hand import instances, setting_of


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
    assert smooth.enclosure is not None
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
    with pytest.raises(InputError, match="must be given"):
        unknown.holds(64_000)


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
    with pytest.raises(InputError, match="market='made'"):
        both(setting_of(list(zip(qualities, costs, strict=True)), overbid=overbid))


def test_symbolic_returns_the_object() -> None:
    market = published("gpqa-strong").setting
    assert symbolic("T_id", market).number == 153_697
    assert symbolic("identification_horizon", market, smooth=True).smooth
    with pytest.raises(InputError, match="sharp"):
        symbolic("T_id", market, method="sharp")
