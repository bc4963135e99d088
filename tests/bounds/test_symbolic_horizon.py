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
from bounds.symbolic.horizon import IdentificationHorizon, _above_root
from bounds.symbolic.symbols import symbols
from bounds.symbolic.verbs import symbolic
from tests.bounds.by_hand import instances, setting_of


def smooth_margin(market: Setting, horizon: mpf) -> mpf:
    """Return T - N - 2 B_id(T) without roundings."""
    p, n, costs = market.platform, len(market.providers), [each.mean_cost for each in market.providers]
    g = p.exploration_scale * (horizon / n) ** mpf(p.exploration_exponent)

    def count(x: mpf) -> mpf:
        return 4 / x**2 * mpmath.log(57 * n / (p.confidence * x**4))

    needed = sum(count(mpf(p.quality_threshold) - market.providers[i].quality) for i in market.unqualified)
    for i in market.competitors:
        gap = mpf(costs[i]) - costs[market.optimal] - p.underbid - p.overbid
        needed += max(count(gap / ((1 + mpf(p.belief_slack)) * p.cost_bound)), g)
    return horizon - n - 2 * needed


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_three_ways_to_the_horizon(name: str) -> None:
    market = published(name).setting
    rounded, smooth = (IdentificationHorizon(market=market, smooth=smooth) for smooth in (False, True))
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


def test_a_first_crossing_is_not_the_horizon() -> None:
    horizon = IdentificationHorizon(market=published("gsm8k-full").setting)
    assert [horizon.holds(step) for step in (63_737, 63_738, 63_739, 63_740, 63_741)] == [
        False,
        True,
        False,
        True,
        True,
    ]
    assert horizon.number == horizon.enclosure.lower == horizon.enclosure.upper == 63_740


def made_from(v: dict[str, Any]) -> Setting:
    """Return the market whose inputs of formulas these are; the quality threshold is 1."""
    qualified = [(1.0, cost) for cost in (v["optimal_cost"], *v["competitor_cost"])]
    platform = {each.name: v[each.name] for each in dataclasses.fields(PlatformParameters) if each.name in v}
    return setting_of([*qualified, *zip(v["unqualified_quality"], v["unqualified_cost"], strict=True)], **platform)


@settings(max_examples=8)
@given(
    instances().filter(lambda v: v["exploration_exponent"] < 0.99).map(made_from),
    st.lists(st.floats(0, 3), min_size=3, max_size=3),
)
def test_the_closed_bound_and_the_root_on_any_market(market: Setting, further: list[float]) -> None:
    rounded, smooth = (IdentificationHorizon(market=market, smooth=smooth) for smooth in (False, True))
    bound = enclose(rounded.upper_bound, market).exact.upper
    start = math.floor(bound) + 1
    assert all(rounded.holds(math.floor(start * 10**power)) for power in (0, *further))
    assert rounded.number is None or rounded.number <= start
    if smooth.enclosure is None:
        assert smooth_margin(market, mpf(2**52)) <= 0
        return
    low, high = (mpf(end) for end in (smooth.enclosure.lower, smooth.enclosure.upper))
    with mpmath.workdps(60):
        assert smooth_margin(market, low) < 0 < smooth_margin(market, high)
        assert all(smooth_margin(market, high * mpf(10) ** power) > 0 for power in further)
    assert smooth.enclosure.upper <= enclose(smooth.upper_bound, market).upper


@pytest.mark.for_each(("a", "b", "alpha"), [(9, 30, 0.75), (1e5, 3, 0.5), (2, 1e-3, 0.95), (3, 200, 0.9), (7, 5, 0.05)])
def test_the_above_root_lies_between_the_root_and_the_tangent_at_its_lower_bound(
    a: float, b: float, alpha: float
) -> None:
    with mpmath.workdps(50):
        a, b, alpha = mpf(a), mpf(b), mpf(alpha)
        corner = b ** (1 / (1 - alpha))
        root = mpmath.findroot(
            lambda t: t - a - b * t**alpha, (a + corner, a / (1 - alpha) + corner), solver="anderson"
        )
        assert a + corner < root < _above_root(a, b).subs("alpha", alpha) < a / (1 - alpha) + corner


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
    [closed] = {enclose(horizon.upper_bound, horizon.market).exact.lower}
    assert (closed, horizon.number, horizon.holds(int(closed))) == (int(closed), closed + 1, False)


def test_markets_without_a_horizon() -> None:
    close = setting_of([(0.9, 0.5), (0.9, 0.5 + 1e-9)])
    assert [IdentificationHorizon(market=close, smooth=smooth).number for smooth in (False, True)] == [None, None]
    assert [IdentificationHorizon(market=close, smooth=smooth).enclosure for smooth in (False, True)] == [None, None]


@pytest.mark.for_each(
    ("pairs", "platform"),
    [
        ([(0.25, 0.5), (0.25, 0.75)], {}),  # none qualified
        ([(0.9, 0.5), (0.9, 0.5)], {}),  # a tie
        ([(0.9, 0.5), (0.9, 0.75)], {"overbid": 0.25}),  # costs not separated
    ],
)
def test_unsuitable_markets_are_refused(pairs: list[tuple[float, float]], platform: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="market='made'"):
        IdentificationHorizon(market=setting_of(pairs, **platform))


def test_symbolic_returns_the_object() -> None:
    market = published("gpqa-strong").setting
    assert symbolic("T_id", market).number == 153_697
    assert symbolic("identification_horizon", market, smooth=True).smooth
    with pytest.raises(InputError, match="sharp"):
        symbolic("T_id", market, method="sharp")


def test_m_star_inverts_the_radius() -> None:
    expression = symbolic("m_star")
    values = {"N": 9, "delta": sympy.Rational(1, 20)}
    numeric = sympy.lambdify([symbols.x], expression.subs(values), "mpmath")
    with mpmath.workdps(60):
        for gap in (mpf(1), mpf("0.3"), mpf("1e-5")):
            count = expression.subs({**values, "x": sympy.Float(gap, 60)}).evalf(50)
            constant = 2 * mpmath.pi**2 * 9 * 20 / 3
            radius = mpmath.sqrt(mpmath.log(constant * mpf(count) ** 2) / (2 * mpf(count)))
            assert abs(2 * radius / gap - 1) < mpf(10) ** -48
            assert abs(numeric(gap) / mpf(count) - 1) < mpf(10) ** -48
