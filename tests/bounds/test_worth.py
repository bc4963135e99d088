"""What a bound is worth: trivial values by hand, thresholds by trying every horizon, drivers that add up."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.formulas import payment, regret, selection
from bounds.methods import METHODS
from bounds.published import published
from bounds.report import Bound, evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.worth import threshold
from bounds.worth.advice import Help
from bounds.worth.driver import driver_of
from bounds.worth.guarantee import guarantees_of
from bounds.worth.threshold import informative_from

#: (quality, mean cost): the optimum at 1, a competitor at 4, and two that do not reach 0.7.
PROVIDERS = ((0.9, 1.0), (0.8, 4.0), (0.3, 6.0), (0.1, 0.5))


def make(providers: Any = PROVIDERS, **platform: float) -> Setting:
    given = {
        "quality_threshold": 0.7,
        "confidence": 0.05,
        "cost_bound": 10.0,
        "exploration_scale": 2.0,
        "exploration_exponent": 0.75,
    }
    named = [Provider(f"p{i}", *pair) for i, pair in enumerate(providers)]
    return Setting("made", PlatformParameters(**{**given, **platform}), named)


def test_trivial_values_by_hand() -> None:
    report = evaluate_bounds(make(), 1000)
    trivial = {name: bound.worth.trivial for name, bound in report.guarantees.items()}
    assert trivial == {
        "identification": 996,
        "quality_regret": pytest.approx(600),  # 0.7 - 0.1, always
        "generation_regret": 5000,  # 6 - 1
        "excess_payment": 6000,  # 10 - 4
        "average_payment_deviation": 6,  # max(4, 10 - 4)
    }
    for bound in report.guarantees.values():
        assert bound.worth.share_of_trivial == pytest.approx(bound.value / bound.worth.trivial)
        assert bound.worth.informative == (bound.applies and bound.value < bound.worth.trivial)


MARKETS = {
    "usual": make(),
    "large k": make(exploration_scale=50.0),
    "small alpha": make(exploration_exponent=0.3),
    "large alpha": make(exploration_exponent=0.95, exploration_scale=0.5),
    "deviating": make(underbid=0.3, overbid=0.8),
    "unseparated": make(underbid=2.0, overbid=1.5),
    "two qualified": make(PROVIDERS[:2]),
    "many": make((*PROVIDERS, (0.75, 5.0), (0.8, 9.0), (0.9, 2.0), (0.65, 3.0)), confidence=0.5),
}


def brute_force(setting: Setting, method: str, name: str, most: int) -> int | None:
    """Return the horizon after the last one, of all up to `most`, at which the bound is not below its trivial value."""
    formulas, values = METHODS[method], formula_inputs(setting)
    horizons = np.arange(setting.n_providers, most + 1, dtype=float)
    of: dict[str, tuple[Any, Any]] = {
        "identification": ((formulas.identification,), selection.TRIVIAL_IDENTIFICATION_BOUND),
        "quality_regret": (formulas.quality_branches, regret.TRIVIAL_QUALITY_REGRET),
        "generation_regret": (formulas.generation_branches, regret.TRIVIAL_GENERATION_REGRET),
        "excess_payment": ((formulas.excess,), payment.TRIVIAL_EXCESS_PAYMENT),
    }
    branches, trivial = of[name]
    below = np.zeros(len(horizons), dtype=bool)
    for branch in branches:
        try:
            below |= branch(values, horizon=horizons) < trivial(values, horizon=horizons)
        except InputError:
            assert setting.unseparated
    return int(horizons[np.flatnonzero(~below)[-1]]) + 1 if not below[-1000:].all() or not below.all() else 0


@pytest.mark.parametrize("method", ["paper", "sharp"])
@pytest.mark.for_each("market", MARKETS)
@pytest.mark.parametrize("name", ["identification", "quality_regret", "generation_regret", "excess_payment"])
def test_the_threshold_is_what_trying_every_horizon_finds(market: str, name: str, method: str) -> None:
    setting, most = MARKETS[market], 200_000
    found = informative_from(guarantees_of(setting, method)[name])
    if (market, name) in {("unseparated", "identification"), ("two qualified", "quality_regret")}:
        assert found is None
        return
    expected = brute_force(setting, method, name, most)
    if found is None or found > most:
        assert expected == most + 1
    else:
        assert found == expected


def test_the_average_deviation_starts_at_the_burn_in_at_the_earliest() -> None:
    setting = make(quality_threshold=0.7, exploration_scale=20.0)
    guarantee = guarantees_of(setting)["average_payment_deviation"]
    found = informative_from(guarantee)
    burn_in = METHODS["paper"].burn_in.value(formula_inputs(setting))
    assert found is not None
    assert found >= burn_in
    assert guarantee.says_something(found)
    assert not guarantee.says_something(found - 1)
    assert all(guarantee.says_something(found * 3**i) for i in range(12))


@pytest.mark.parametrize("market", ["usual", "deviating", "many"])
def test_the_parts_of_a_bound_add_up(market: str) -> None:
    setting = MARKETS[market]
    for method in ("paper", "sharp"):
        for guarantee in guarantees_of(setting, method).values():
            driver = driver_of(setting, guarantee, 100_000, method)
            assert driver is not None
            assert driver.total == guarantee.value(100_000)
            assert 0 < driver.share <= 1
            assert driver.value == pytest.approx(driver.share * driver.total)


def test_the_driver_by_hand() -> None:
    """M = ceil(4/x^2 ln(57 N / (delta x^4))): 0.4 counts more than 0.6, by more selections and less regret."""
    report = evaluate_bounds(make(), 10**6)
    bounds = {provider.name: provider.selection_bound for provider in report.providers}
    driver = report.bounds["quality_regret"].worth.driver
    assert driver is not None
    assert (driver.kind, driver.name, driver.gap_kind) == ("provider", "p2", "quality")
    assert driver.value == pytest.approx((bounds["p2"] + 1) * 0.4)
    assert driver.total == pytest.approx((bounds["p2"] + 1) * 0.4 + (bounds["p3"] + 1) * 0.6)
    explored = report.bounds["excess_payment"]
    part = explored.value - explored.parts["without_exploration"]
    assert explored.worth.driver is not None
    assert explored.worth.driver.name == "exploration"
    assert explored.worth.driver.value == pytest.approx(part)


def worth_having(bound: Bound) -> bool:
    """Informative, and at most nine tenths of the trivial value: what leaves more of it is no help."""
    share = bound.worth.share_of_trivial
    return bound.worth.informative and share is not None and share <= 0.9


@pytest.mark.parametrize("name", ["gpqa-strong", "gpqa-full"])
@pytest.mark.parametrize("method", ["paper", "sharp"])
def test_what_is_said_to_help_does(name: str, method: str) -> None:
    setting = published(name).setting
    report = evaluate_bounds(setting, 70_000, method, advice=True)
    helped = 0
    for guarantee, bound in report.guarantees.items():
        assert bool(bound.worth.helps) != bound.worth.informative
        for advice in bound.worth.helps:
            if advice.value is None:
                continue
            helped += 1
            horizon, platform = 70_000, dict(vars(setting.platform))
            if advice.parameter == "horizon":
                horizon = int(advice.value)
            else:
                platform[advice.parameter] = advice.value
            changed = Setting(name, PlatformParameters(**platform), setting.providers)
            after = evaluate_bounds(changed, horizon, method).guarantees[guarantee]
            assert after.worth.informative if advice.parameter == "horizon" else worth_having(after)
    assert helped >= 2


#: Seven providers; the quality of one lies 0.01 below the threshold.
SEVEN = (
    *((0.41, 0.0002), (0.58, 0.0005), (0.69, 0.0009), (0.74, 0.0014)),
    *((0.79, 0.0022), (0.86, 0.0041), (0.93, 0.0085)),
)


def seven(**platform: float) -> Setting:
    return make(SEVEN, **{"cost_bound": 0.01, "exploration_exponent": 2 / 3, **platform})


def helps(setting: Setting, guarantee: str, horizon: int = 100_000) -> list[Help]:
    return list(evaluate_bounds(setting, horizon, advice=True).guarantees[guarantee].worth.helps)


def test_thresholds_are_offered_in_both_directions_first_the_one_that_keeps_the_market() -> None:
    up, down = (each for each in helps(seven(), "identification") if each.parameter == "quality_threshold")
    assert (up.value, up.keeps_market) == (0.73, True)
    assert "the qualified providers and the optimum stay the same" in up.effect
    assert "at 0.74, the highest that keeps them, 50,876 (T_id = 101,816)" in up.effect
    assert (down.value, down.keeps_market) == (0.69, False)
    assert down.effect.startswith("p2 would be qualified; p2 would be the optimum")
    for each in (up, down):
        report = evaluate_bounds(seven(quality_threshold=each.value), 100_000)
        said = f"the bound is then {report.identification_bound:,} of 99,993 (T_id = {report.identification_horizon:,})"
        assert said in each.effect
    highest = evaluate_bounds(seven(quality_threshold=0.74), 100_000)
    assert (highest.identification_bound, highest.identification_horizon) == (50_876, 101_816)


def test_the_smallest_threshold_that_helps_is_found() -> None:
    """By trying all of three digits."""
    tried = [i / 1000 for i in range(701, 741)]
    works = [worth_having(evaluate_bounds(seven(quality_threshold=q), 100_000).identification) for q in tried]
    up = next(each for each in helps(seven(), "identification") if each.parameter == "quality_threshold")
    assert up.value is not None
    assert 0 <= up.value - tried[works.index(True)] < 0.01  # two digits where they are enough


def test_what_brings_a_guarantee_forward_is_the_best_of_the_grid() -> None:
    setting, name = seven(quality_threshold=0.74), "average_payment_deviation"
    factors = [step * 10**power for power in range(3) for step in (1.5, 2, 3, 5, 7, 10)]
    tried = {
        "exploration_scale": [2 * f for f in factors] + [2 / f for f in factors],
        "exploration_exponent": [*(i / 20 for i in range(1, 20)), 0.99],
    }
    before = evaluate_bounds(setting, 100_000)
    saying = {each for each, bound in before.guarantees.items() if bound.worth.informative}
    told = {each.parameter: each for each in helps(setting, name)}
    for parameter, values in tried.items():
        starts = {}
        for value in values:
            report = evaluate_bounds(seven(quality_threshold=0.74, **{parameter: value}), 100_000)
            start = report.bounds[name].worth.informative_from
            if start is not None and all(report.guarantees[each].worth.informative for each in saying):
                starts[value] = start
        best = min(starts, key=lambda value: starts[value])
        sooner = told[parameter].sooner
        assert sooner is not None
        assert (sooner.value, sooner.informative_from) == (best, starts[best])
    sooner = told["exploration_scale"].sooner
    assert sooner is not None
    assert (sooner.value, sooner.informative_from) == (20, 1_134_663)
    assert sooner.effect == (
        "exploration may take 82.4% of the first 100,000 queries (now 8.24%); larger bounds at T = 100,000: "
        "identification bound 72,072 (now 50,876), generation regret 124.95 (now 21.09), "
        "excess payment 707.62 (now 128.97)"
    )
    # One step further on the grid starts earlier still, but silences the excess payment.
    further = evaluate_bounds(seven(quality_threshold=0.74, exploration_scale=30.0), 100_000)
    assert further.bounds[name].worth.informative_from == 976_562
    assert not further.bounds["excess_payment"].worth.informative
    # One rule for all: also what is little sooner is told, with the improved bounds and the roster.
    starts = {
        delta: from_when(seven(quality_threshold=0.74, confidence=delta), name) for delta in (0.1, 0.2, 0.3, 0.4, 0.5)
    }
    sooner = told["confidence"].sooner
    assert sooner is not None
    assert (sooner.value, sooner.informative_from) == (0.5, min(starts.values()))
    roster_without = told["provider"].sooner
    assert roster_without is not None
    # The sharp bounds would say something later; the sharpest ones do at once.
    assert (told["method"].method, told["method"].sooner) == ("sharpest", None)
    assert from_when(seven(quality_threshold=0.74), name, "sharpest") <= 100_000
    starts = {}
    for index, pair in enumerate(SEVEN):
        if pair[1] != 0.0014:
            market = make(SEVEN[:index] + SEVEN[index + 1 :], **vars(seven(quality_threshold=0.74).platform))
            report = evaluate_bounds(market, 100_000)
            if all(report.guarantees[each].worth.informative for each in saying):
                starts[index] = from_when(market, name)
    best = min(starts, key=lambda index: starts[index])
    assert (roster_without.without, roster_without.informative_from) == (f"p{best}", starts[best])


def from_when(setting: Setting, name: str, method: str = "paper") -> int:
    found = informative_from(guarantees_of(setting, method)[name])
    assert found is not None
    return found


def test_changes_of_the_mechanism_come_before_those_of_the_market_and_the_earlier_first() -> None:
    told = helps(seven(), "average_payment_deviation")
    of_market = [help.parameter in ("quality_threshold", "provider") for help in told]
    assert of_market == sorted(of_market)
    starts = [help.sooner.informative_from for help in told if help.sooner and not of_market[told.index(help)]]
    assert len(starts) >= 3
    assert starts == sorted(starts)


#: The market of a researcher: at T = 30,000 the payments have not settled, and small takes longest to be ruled out.
RESEARCHER = ((0.35, 10.0), (0.55, 22.0), (0.78, 40.0), (0.82, 70.0), (0.90, 110.0), (0.95, 150.0))


def test_what_a_change_takes_away_is_told() -> None:
    """At a threshold of 0.35 everybody is qualified: T_id is beyond the horizon, and no quality can be missed."""
    market = make(RESEARCHER, cost_bound=200.0)
    down = next(h for h in helps(market, "average_payment_deviation", 30_000) if h.value == 0.35)
    moved = evaluate_bounds(make(RESEARCHER, cost_bound=200.0, quality_threshold=0.35), 30_000)
    before = evaluate_bounds(market, 30_000)
    assert (before.identification_horizon, moved.identification_horizon) == (15_419, 62_909)
    assert moved.bounds["quality_regret"].worth.trivial == 0
    assert "the optimum would be guaranteed to lead from T_id = 62,909 on only (now from 15,419 on)" in down.effect
    assert "not informative any more: quality regret (nothing can go wrong: its trivial value is 0)" in down.effect


def test_a_threshold_that_keeps_the_market_is_told_beside_one_that_does_not() -> None:
    (only,) = (each for each in helps(seven(), "average_payment_deviation") if each.parameter == "quality_threshold")
    assert (only.value, only.keeps_market) == (0.41, False)
    assert only.sooner is not None
    assert (only.sooner.value, only.sooner.informative_from) == (0.74, 22_105_442)


def test_a_threshold_at_a_quality_names_who_becomes_qualified() -> None:
    told = helps(make((*PROVIDERS, (0.69, 0.2))), "identification", 70_000)
    down = next(each for each in told if each.parameter == "quality_threshold" and each.value == 0.69)
    assert "p4 would be qualified" in down.effect
    assert "p4 would be the optimum" in down.effect


#: A market whose payments settle late because of E, 0.04 below the threshold; D is the optimum.
ROSTER = ((0.93, 12.0), (0.90, 7.0), (0.86, 6.5), (0.85, 3.0), (0.80, 2.2), (0.70, 1.9), (0.55, 0.6))


def roster(*left_out: int, **platform: float) -> Setting:
    kept = [pair for i, pair in enumerate(ROSTER) if i not in left_out]
    return make(kept, **{"quality_threshold": 0.84, "cost_bound": 40.0, **platform})


def leaving_out(setting: Setting, guarantee: str, horizon: int, method: str = "paper") -> Help:
    told = evaluate_bounds(setting, horizon, method, advice=True).guarantees[guarantee].worth.helps
    (only,) = (each for each in told if each.parameter == "provider")
    assert only.value is None
    return only


@pytest.mark.parametrize("method", ["paper", "sharp"])
@pytest.mark.parametrize("horizon", [60_000, 250_000])
def test_the_provider_to_leave_out_is_the_best_of_all(horizon: int, method: str) -> None:
    before = evaluate_bounds(roster(), horizon, method).guarantees
    for name, bound in before.items():
        if bound.worth.informative:
            continue
        ranks = {}
        for index in (0, 1, 2, 4, 5, 6):
            after = evaluate_bounds(roster(index), horizon, method).guarantees
            if worth_having(after[name]):
                saying = {each for each, found in after.items() if found.worth.informative}
                lost = {each for each, found in before.items() if found.worth.informative} - saying
                share = after[name].worth.share_of_trivial
                assert share is not None
                ranks[f"p{index}"] = (not lost, index >= 4, len(saying), -share)
        told = leaving_out(roster(), name, horizon, method)
        assert told.without == max(ranks, key=lambda each: ranks[each], default=None)
        assert told.found == bool(ranks)
        assert told.keeps_market == (not ranks or told.without in ("p4", "p5", "p6"))


def test_what_leaving_out_a_provider_does_is_told() -> None:
    told = leaving_out(roster(), "average_payment_deviation", 300_000)
    assert (told.without, told.keeps_market) == ("p4", True)
    assert told.effect == "the bound is 28.945 of 33.5; all five guarantees are then informative"
    report = evaluate_bounds(roster(4), 300_000)
    assert report.bounds["average_payment_deviation"].value == pytest.approx(28.945, abs=0.0005)
    assert all(bound.worth.informative for bound in report.guarantees.values())
    # At 250,000 it leaves 98.3% of the trivial value: no help, and not "from T = 240,000" either.
    hardly = evaluate_bounds(roster(4), 250_000).bounds["average_payment_deviation"].worth
    assert (hardly.informative, round(hardly.share_of_trivial or 0, 3)) == (True, 0.983)
    for_little = leaving_out(roster(), "average_payment_deviation", 250_000)
    assert for_little.without is None
    assert for_little.sooner is None
    none = leaving_out(roster(), "average_payment_deviation", 60_000)
    assert (none.without, none.found, none.tried) == (None, False, "left out")


def test_leaving_out_a_competitor_tells_what_it_does_to_payments() -> None:
    """p1 costs hardly more than the optimum; without it the payments tend to 9."""
    market = make(((0.9, 1.0), (0.9, 1.05), (0.9, 9.0), (0.1, 0.5)))
    told = leaving_out(market, "identification", 100_000)
    assert (told.without, told.keeps_market) == ("p1", False)
    assert "the second-lowest cost would be 9, now 1.05" in told.effect
    assert evaluate_bounds(make(((0.9, 1.0), (0.9, 9.0), (0.1, 0.5))), 100_000).identification.worth.informative


def test_where_nothing_can_go_wrong_any_more_that_is_told_and_no_reason_against_it() -> None:
    """Without the only unqualified provider there is no quality regret: its bound says nothing, and need not."""
    market = make(((0.9, 1.0), (0.9, 9.0), (0.6, 0.5)))
    told = leaving_out(make(((0.9, 1.0), (0.9, 9.0), (0.69, 0.5))), "identification", 100_000)
    assert told.without == "p2"
    assert "any more" not in told.effect  # it was not informative before
    told = leaving_out(market, "average_payment_deviation", 30_000)
    assert evaluate_bounds(market, 30_000).bounds["quality_regret"].worth.informative
    assert told.without == "p2"
    assert told.effect.endswith(
        "not informative any more: quality regret (nothing can go wrong: its trivial value is 0)"
    )
    pair = make(((0.9, 1.0), (0.9, 1.05)))
    assert leaving_out(pair, "identification", 1_000).without is None


def test_of_many_providers_those_with_the_largest_counts_are_left_out() -> None:
    many = make([(0.9, 1.0), (0.9, 9.0), (0.69, 0.5), *((0.1 + i / 1000, 6.0) for i in range(30))])
    assert leaving_out(many, "identification", 1_000_000).without == "p2"


def test_a_threshold_that_is_somebody_s_quality_says_so() -> None:
    told = {(help.value, help.keeps_market): help for help in helps(roster(), "identification", 70_000)}
    spare = "so there is no margin: just above it"
    assert f"; 0.85 is the quality of p3, the optimum, {spare} p3 is not qualified;" in told[0.85, True].effect
    # The dearest of the qualified has the lowest quality, so the threshold meets a competitor's.
    low = make(((0.9, 1.0), (0.84, 12.0), (0.79, 6.0), (0.1, 0.5)), quality_threshold=0.8, cost_bound=20.0)
    (up,) = (h for h in helps(low, "identification", 80_000) if h.parameter == "quality_threshold" and h.value > 0.8)
    assert up.effect.endswith(f"0.84 is p1's own quality, {spare} p1 is not qualified")
    twins = make(((0.9, 1.0), (0.84, 12.0), (0.84, 13.0), (0.79, 6.0)), quality_threshold=0.8, cost_bound=20.0)
    (up,) = (h for h in helps(twins, "identification", 60_000) if h.parameter == "quality_threshold" and h.value > 0.8)
    assert f"; 0.84 is the quality of p1 and p2, {spare} they are not qualified; " in up.effect


def test_no_exploration_can_help_where_the_selection_bounds_alone_are_too_many() -> None:
    told = {each.parameter: each for each in helps(roster(), "identification", 60_000)}
    for parameter in ("exploration_scale", "exploration_exponent"):
        assert (told[parameter].value, told[parameter].tried) == (None, None)
        assert told[parameter].effect == "no value can help: the M_i and L_i alone add up to 77,000"
    for k in (1e-12, 1e-3, 1.0, 1e6):
        for alpha in (1e-6, 0.5, 0.999):
            report = evaluate_bounds(roster(exploration_scale=k, exploration_exponent=alpha), 60_000)
            assert report.identification_bound >= 77_000
    # Above their sum it is exploration that is in the way, and a smaller k helps.
    slow = roster(exploration_scale=20.0)
    assert not evaluate_bounds(slow, 100_000).identification.worth.informative
    found = {each.parameter: each for each in helps(slow, "identification", 100_000)}
    assert found["exploration_scale"].found


def test_why_there_is_no_threshold() -> None:
    none_unqualified = evaluate_bounds(make(PROVIDERS[:2]), 1000).bounds["quality_regret"].worth
    assert (none_unqualified.trivial, none_unqualified.informative_from) == (0, None)
    assert none_unqualified.why_never == "nothing can go wrong: its trivial value is 0"
    lone = evaluate_bounds(make(quality_threshold=0.85), 1000, advice=True)
    assert lone.identification.worth.why_never == "it is undefined here"
    assert lone.identification.worth.helps == ()
    hopeless = evaluate_bounds(make(overbid=8.0), 1000).bounds["excess_payment"].worth
    assert (hopeless.informative_from, hopeless.why_never) == (None, threshold.NO_HORIZON)


def test_rows_json_and_html_say_the_same() -> None:
    report = evaluate_bounds(published("gpqa-strong").setting, 70_000, advice=True)
    data = json.loads(json.dumps(report.to_data(), allow_nan=False))
    rows = {row["guarantee"]: row for row in report.rows()}
    assert list(rows) == ["identification", *data["bounds"]]
    for name, row in rows.items():
        told = data["identification"] if name == "identification" else data["bounds"][name]
        for key in ("applies", "trivial", "informative", "informative_from"):
            assert told[key] == row[key]
        for key in ("value", "share_of_trivial"):
            assert row[key] == (told[key] if told["applies"] else None)
        assert told["driver"]["name"] == row["driver"]
        assert isinstance(told["helps"], list)
    html = report._repr_html_()
    assert html.startswith("<table>")
    assert "76,846" in html
    assert html.count("<tr>") == 6


def test_a_missing_pandas_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"costproof\[frames\]"):
        evaluate_bounds(published("gpqa-strong").setting, 70_000).to_frame()
