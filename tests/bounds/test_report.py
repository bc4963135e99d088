"""The report: every printed number of the paper, unmet assumptions, and JSON for any setting."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bounds.errors import InputError
from bounds.report import BoundsReport, evaluate_bounds
from bounds.setting.model import Setting
from costproof import strategies
from tests.bounds.by_hand import setting_of as make
from tests.refusals import assert_refused, refusal

METHOD_NAMES = ["paper", "sharp", "sharpest"]
CONTRACT = [
    *("setting", "horizon", "method", "optimal_provider", "second_lowest_cost", "providers"),
    *("sum_quality_selection_bounds", "sum_cost_selection_bounds", "exploration_cap", "identification_bound"),
    *("identification_horizon", "burn_in", "bounds"),
]
GUARANTEES = ("quality_regret", "generation_regret", "excess_payment", "average_payment_deviation")


ORDINARY = [(0.9, 0.1), (0.8, 0.3), (0.2, 0.05)]


def texts(report: BoundsReport) -> dict[str, str | None]:
    return {name: bound.reason for name, bound in report.bounds.items()}


def applying(report: BoundsReport) -> set[str]:
    return {name for name, bound in report.bounds.items() if bound.applies}


@pytest.mark.for_each("method", METHOD_NAMES)
def test_one_qualified_provider(method: str) -> None:
    """The quality guarantee needs one only; everything else says why not."""
    report = evaluate_bounds(make([(0.9, 0.1), (0.3, 0.3), (0.2, 0.05)]), 10_000, method)
    assert applying(report) & {*GUARANTEES, "identification"} == {"quality_regret"}
    assert report.bounds["quality_regret"].value is not None
    for name in GUARANTEES[1:]:
        assert report.bounds[name].value is None
        assert "1 provider reaches the quality threshold" in str(texts(report)[name])
    assert (report.identification_bound, report.identification_horizon) == (None, None)
    assert report.main_text == {"identification_bound": None, "identification_horizon": None}
    assert "quality_threshold at most 0.3" in report.reasons["identification_bound"]
    assert "1 provider" in report.reasons["identification_horizon"]
    assert report.optimal_provider == "p0"
    assert report.second_lowest_cost is None
    assert report.sum_cost_selection_bounds is None
    assert report.burn_in is not None


@pytest.mark.for_each("method", METHOD_NAMES)
def test_no_qualified_provider(method: str) -> None:
    report = evaluate_bounds(make([(0.1, 0.1), (0.3, 0.3), (0.2, 0.05)]), 10_000, method)
    assert applying(report) == set()
    assert all("no provider reaches" in str(reason) for reason in texts(report).values())
    assert all(bound.value is None and not any(bound.parts.values()) for bound in report.bounds.values())
    assert report.optimal_provider is None
    assert [p.gap_kind for p in report.providers] == ["quality"] * 3
    assert [(p.selection_bound, p.selection_cap) for p in report.providers] == [(None, None)] * 3
    assert report.sum_quality_selection_bounds is None


@pytest.mark.for_each("method", METHOD_NAMES)
def test_a_tie_for_the_cheapest(method: str) -> None:
    report = evaluate_bounds(make([(0.9, 0.1), (0.8, 0.1), (0.2, 0.05)]), 10_000, method)
    assert applying(report) & {*GUARANTEES, "identification"} == {"quality_regret"}
    quality = report.bounds["quality_regret"]
    assert quality.value == min(quality.parts.values())  # type: ignore[type-var]
    assert quality.reason is None
    assert "not unique" in str(texts(report)["excess_payment"])
    assert report.optimal_provider is None
    assert [p.gap_kind for p in report.providers] == [None, None, "quality"]
    bound = report.providers[2].selection_bound
    assert quality.parts["gap_dependent"] == pytest.approx((bound + 1) * 0.3)


@pytest.mark.for_each("method", METHOD_NAMES)
@pytest.mark.parametrize(("underbid", "overbid"), [(0.15, 0.1), (0.1, 0.25), (0.0, 5.0)])
def test_deviations_larger_than_a_gap(method: str, underbid: float, overbid: float) -> None:
    setting = make([*ORDINARY, (0.9, 0.9)], underbid=underbid, overbid=overbid)
    report = evaluate_bounds(setting, 10_000, method)
    close = ["p1"] if overbid < 1 else ["p1", "p3"]
    expected = f"the cost gap of {', '.join(close)} does not exceed underbid + overbid"
    generation = report.bounds["generation_regret"]
    assert generation.applies
    assert generation.value == generation.parts["anytime"]
    assert generation.parts["gap_dependent"] is None
    assert expected in str(generation.reason)
    assert report.identification_bound is None
    assert report.reasons["identification_bound"].startswith(expected)
    assert [p.name for p in report.providers if p.gap_kind == "cost" and p.selection_bound is None] == close
    assert report.sum_cost_selection_bounds is None
    assert report.bounds["excess_payment"].applies
    assert report.bounds["quality_regret"].value is not None


def test_average_deviation_applies_from_the_burn_in_on() -> None:
    setting = make(ORDINARY)
    burn_in = evaluate_bounds(setting, 10).burn_in
    before = evaluate_bounds(setting, math.ceil(burn_in) - 1).bounds["average_payment_deviation"]
    after = evaluate_bounds(setting, math.ceil(burn_in)).bounds["average_payment_deviation"]
    assert (before.applies, after.applies) == (False, True)
    assert "; until T_0 the bound is above its trivial value" in str(before.reason)
    assert "0.7, its trivial value" in str(after.reason)
    much_later = evaluate_bounds(setting, 10**9).bounds["average_payment_deviation"]
    assert (much_later.applies, much_later.reason) == (True, None)


def test_a_burn_in_beyond_all_doubles_is_never_reached() -> None:
    report = evaluate_bounds(make(ORDINARY, exploration_exponent=1e-3), 10**6)
    deviation = report.bounds["average_payment_deviation"]
    assert report.burn_in is None
    assert (deviation.value, deviation.applies) == (None, False)
    assert "more than 1.8e308" in str(deviation.reason)
    # k (T/N)^alpha below 1 leaves no radius; T_0 lies far beyond.
    none = evaluate_bounds(make(ORDINARY, exploration_scale=1e-3), 100).bounds["average_payment_deviation"]
    assert (none.value, none.applies) == (None, False)


@pytest.mark.for_each("method", METHOD_NAMES)
def test_bounds_above_the_trivial_maximum_are_vacuous(method: str) -> None:
    short, long = (evaluate_bounds(make(ORDINARY), horizon, method).bounds for horizon in (10, 10**7))
    for name, trivial in (("quality_regret", 3), ("generation_regret", 2), ("excess_payment", 7)):
        assert short[name].applies
        assert f"; {trivial}, its trivial value" in str(short[name].reason)
        assert short[name].value > trivial  # type: ignore[operator]
        assert long[name].reason is None


def test_no_unqualified_provider() -> None:
    report = evaluate_bounds(make([(0.9, 0.1), (0.8, 0.3)]), 10_000)
    assert (report.sum_quality_selection_bounds, report.burn_in) == (0, 2)
    data = report.bounds["quality_regret"].to_data()
    assert (data["value"], data["gap_dependent"], data["applies"], data["reason"]) == (0, 0, True, None)
    assert data["anytime"] == pytest.approx(2 + 2 * math.sqrt(4 * 9998 * math.log(4 * math.pi**2 * 1e8 / 0.15)))


@pytest.mark.for_each("horizon", [2, 1, 0, -5, True, 10.0, "10", None, 2**52 + 1, math.inf])
def test_bad_horizons_are_named(horizon: Any) -> None:
    assert refusal(evaluate_bounds, make(ORDINARY), horizon).argument == "horizon"


@pytest.mark.for_each("method", METHOD_NAMES)
@pytest.mark.parametrize("horizon", [3, 4, 2**52])
def test_the_ends_of_the_range_of_horizons(method: str, horizon: int) -> None:
    report = evaluate_bounds(make(ORDINARY), horizon, method)
    data = report.to_data()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["horizon"] == horizon
    # ceil(g(T)) by whole numbers: g(T)^4 = 2^4 (T/3)^3.
    assert 27 * report.exploration_cap**4 < 16 * horizon**3 <= 27 * (report.exploration_cap + 1) ** 4
    explored = report.bounds["excess_payment"].value - report.bounds["excess_payment"].parts["without_exploration"]
    if method.startswith("sharpest"):  # counts nothing twice, neither an exploration nor an auction
        assert explored <= report.exploration_steps_bound * 0.7 * (1 + 1e-9)
    else:
        assert explored == pytest.approx(report.exploration_steps_bound * 0.7, rel=1e-9)
    if horizon == 3:
        assert report.bounds["excess_payment"].parts["without_exploration"] == pytest.approx(3 * 0.7)
    assert report.identification_horizon == evaluate_bounds(make(ORDINARY), 70_000, method).identification_horizon
    assert repr(report).startswith(f"BoundsReport('made', T = {horizon:,}, {method}: quality_regret <= ")


def test_bad_methods_are_named() -> None:
    assert_refused("method='exact' must be one of paper, sharp", evaluate_bounds, make(ORDINARY), 100, "exact")
    with pytest.raises(InputError, match="method='sharpest-binary' was removed: take sharpest"):
        evaluate_bounds(make(ORDINARY), 100, "sharpest-binary")


EXTREME = strategies.platform_parameters(extreme=True)
#: The least k and alpha, beside these.
LEAST = EXTREME.map(lambda platform: replace(platform, exploration_scale=1e-300, exploration_exponent=1e-300))
ANY_SETTING = strategies.settings(n_providers=(2, 5), platform=EXTREME | LEAST) | strategies.markets(slacks=True)


@pytest.mark.long("makes whole reports of random settings")
@pytest.mark.parametrize("method", METHOD_NAMES)
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(setting=ANY_SETTING, extra=st.sampled_from([0, 1, 2, 1000, 70_000, 10**9]))
def test_any_setting_gives_json_and_keeps_its_own_rules(method: str, setting: Setting, extra: int) -> None:
    report = evaluate_bounds(setting, setting.n_providers + extra, method)
    data = report.to_data()
    back = json.loads(json.dumps(data, allow_nan=False))
    assert back == data
    assert set(CONTRACT) <= set(data)
    for provider in data["providers"]:
        assert set(provider) == {"name", "qualified", "gap", "gap_kind", "selection_bound", "selection_cap"}
    assert data["bounds"].keys() >= set(GUARANTEES)
    for name in ("quality_regret", "generation_regret"):
        assert {"value", "applies", "reason", "anytime", "gap_dependent"} <= set(data["bounds"][name])
    assert "without_exploration" in data["bounds"]["excess_payment"]
    for bound in report.bounds.values():
        assert bound.reason is not None or (bound.applies and bound.value is not None)
        assert not (bound.applies and bound.value is None) or "more than 1.8e308" in str(bound.reason)
    if report.identification_bound is None:
        assert report.reasons["identification_bound"]
    if setting.unmet_assumptions:
        assert applying(report) <= {"quality_regret"}
        assert report.identification_horizon is None
    if report.identification_horizon is None:
        assert report.reasons["identification_horizon"]
    caps = [p.selection_cap for p in report.providers if p.gap_kind]
    if report.identification_bound is not None:
        assert report.identification_bound == pytest.approx(sum(caps), rel=1e-15)  # type: ignore[arg-type]


@pytest.mark.for_each("exponent", [7.0, 8.5, 9.3, 11.0, 13.9])
def test_counts_beyond_doubles_are_rounded_up(exponent: float) -> None:
    """M_i, L_i, their sum and T_0 against 120 digits: no number is below, and none is more than a double above."""
    gap = 10.0**-exponent
    pairs = [(0.9, 0.5), (0.5 - gap, 0.3), (0.9, 0.5 + gap), (0.5 - 3 * gap, 0.2)]
    setting = make(pairs)
    report = evaluate_bounds(setting, 100_000)
    with mpmath.workdps(120):

        def bound(gap: Fraction) -> int:
            x = mpmath.mpf(gap.numerator) / gap.denominator
            return int(mpmath.ceil(4 / x**2 * mpmath.log(57 * 4 / (mpmath.mpf(0.05) * x**4))))

        exact = {i: bound(Fraction(0.5) - Fraction(pairs[i][0])) for i in (1, 3)}
        exact[2] = bound(Fraction(pairs[2][1]) - Fraction(0.5))
        for i, expected in exact.items():
            found = report.providers[i].selection_bound
            assert math.nextafter(found, 0) < expected <= Fraction(found)
        total, burn_in = report.sum_quality_selection_bounds, report.burn_in
        assert exact[1] + exact[3] <= Fraction(total) <= (exact[1] + exact[3]) * (1 + Fraction(2) ** -50)
        expected = 4 * (mpmath.mpf(exact[1]) / 2) ** (1 / mpmath.mpf(0.75))
        assert expected <= burn_in <= expected * (1 + mpmath.mpf(2) ** -50)
