"""What a bound is worth: trivial values by hand, thresholds by trying every horizon, advice that does what it says."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.formulas import payment, regret, selection
from bounds.methods import METHODS
from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.report import Bound, BoundsReport, evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.worth import threshold
from bounds.worth.advice import Help
from bounds.worth.contributor import largest_contributor
from bounds.worth.guarantee import guarantees_of
from bounds.worth.threshold import informative_from
from tests.bounds.by_hand import setting_of

#: (quality, mean cost): the optimum at 1, a competitor at 4, and two that do not reach 0.7.
PROVIDERS = ((0.9, 1.0), (0.8, 4.0), (0.3, 6.0), (0.1, 0.5))


LONG = pytest.mark.long("evaluates many settings")


def make(providers: Any = PROVIDERS, **platform: Any) -> Setting:
    return setting_of(providers, **{"quality_threshold": 0.7, "cost_bound": 10.0, **platform})


def test_trivial_values_by_hand() -> None:
    report = evaluate_bounds(make(), 1000)
    by_hand = {
        "identification": 996,
        "quality_regret": pytest.approx(600),  # 0.7 - 0.1, always
        "generation_regret": 5000,  # 6 - 1
        "excess_payment": 6000,  # 10 - 4
        "average_payment_deviation": 6,  # max(4, 10 - 4)
    }
    assert {name: report.guarantees[name].worth.trivial for name in by_hand} == by_hand
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
    of: dict[str, Any] = {
        "identification": selection.TRIVIAL_IDENTIFICATION_BOUND,
        "quality_regret": regret.TRIVIAL_QUALITY_REGRET,
        "generation_regret": regret.TRIVIAL_GENERATION_REGRET,
        "excess_payment": payment.TRIVIAL_EXCESS_PAYMENT,
    }
    branches, trivial = formulas.branches[name], of[name]
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
    assert found >= burn_in
    assert guarantee.says_something(found)
    assert not guarantee.says_something(found - 1)
    assert all(guarantee.says_something(found * 3**i) for i in range(12))


@pytest.mark.for_each("market", ["usual", "deviating", "many"])
def test_the_parts_of_a_bound_add_up(market: str) -> None:
    setting = MARKETS[market]
    for method in ("paper", "sharp"):
        for guarantee in guarantees_of(setting, method).values():
            driver = largest_contributor(setting, guarantee, 100_000, method)
            assert driver.total == guarantee.value(100_000)
            assert 0 < driver.share <= 1
            assert driver.value == pytest.approx(driver.share * driver.total)


def test_the_driver_by_hand() -> None:
    """M = ceil(4/x^2 ln(57 N / (delta x^4))): 0.4 counts more than 0.6, by more selections and less regret."""
    report = evaluate_bounds(make(), 10**6)
    bounds = {provider.name: provider.selection_bound for provider in report.providers}
    driver = report.bounds["quality_regret"].worth.contributor
    assert (driver.kind, driver.name, driver.gap_kind) == ("provider", "p2", "quality")
    assert driver.value == pytest.approx((bounds["p2"] + 1) * 0.4)
    assert driver.total == pytest.approx((bounds["p2"] + 1) * 0.4 + (bounds["p3"] + 1) * 0.6)
    explored = report.bounds["excess_payment"]
    part = explored.value - explored.parts["without_exploration"]
    assert explored.worth.contributor.name == "exploration"
    assert explored.worth.contributor.value == pytest.approx(part)


def worth_having(bound: Bound) -> bool:
    """Informative, and at most nine tenths of the trivial value: what leaves more of it is no help."""
    share = bound.worth.share_of_trivial
    return bound.worth.informative and share is not None and share <= 0.9


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
    assert "50,876 (T_id = 101,816)" in up.effect
    assert (down.value, down.keeps_market) == (0.69, False)
    assert "p2 would be the optimum" in down.effect
    for each in (up, down):
        report = evaluate_bounds(seven(quality_threshold=each.value), 100_000)
        said = f"{report.identification_bound:,} of 99,993 (T_id = {report.identification_horizon:,})"
        assert said in each.effect
    highest = evaluate_bounds(seven(quality_threshold=0.74), 100_000)
    assert (highest.identification_bound, highest.identification_horizon) == (50_876, 101_816)


def test_the_smallest_threshold_that_helps_is_found() -> None:
    """By trying all of three digits."""
    tried = [i / 1000 for i in range(701, 741, 3)]
    works = [worth_having(evaluate_bounds(seven(quality_threshold=q), 100_000).identification) for q in tried]
    up = next(each for each in helps(seven(), "identification") if each.parameter == "quality_threshold")
    assert -0.003 < up.value - tried[works.index(True)] < 0.01  # two digits where they are enough


@pytest.mark.long("tries a grid of settings")
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
        assert (sooner.value, sooner.informative_from) == (best, starts[best])
    # One rule for all: also what is little sooner is told, with the improved bounds and the roster.
    starts = {
        delta: from_when(seven(quality_threshold=0.74, confidence=delta), name) for delta in (0.1, 0.2, 0.3, 0.4, 0.5)
    }
    sooner = told["confidence"].sooner
    assert (sooner.value, sooner.informative_from) == (0.5, min(starts.values()))
    roster_without = told["provider"].sooner
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
    return informative_from(guarantees_of(setting, method)[name])


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


@pytest.mark.parametrize(
    ("horizon", "method"),
    [(250_000, "paper"), *(pytest.param(60_000, name, marks=LONG) for name in ("paper", "sharp"))],
)
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
                ranks[f"p{index}"] = (not lost, index >= 4, len(saying), -share)
        told = leaving_out(roster(), name, horizon, method)
        assert told.without == max(ranks, key=lambda each: ranks[each], default=None)
        assert told.found == bool(ranks)
        assert told.keeps_market == (not ranks or told.without in ("p4", "p5", "p6"))


@pytest.mark.long("thirty providers")
def test_of_many_providers_those_with_the_largest_counts_are_left_out() -> None:
    many = make([(0.9, 1.0), (0.9, 9.0), (0.69, 0.5), *((0.1 + i / 1000, 6.0) for i in range(30))])
    assert leaving_out(many, "identification", 1_000_000).without == "p2"


def test_no_exploration_can_help_where_the_selection_bounds_alone_are_too_many() -> None:
    told = {each.parameter: each for each in helps(roster(), "identification", 60_000)}
    for parameter in ("exploration_scale", "exploration_exponent"):
        assert (told[parameter].value, told[parameter].tried) == (None, None)
        assert "77,000" in told[parameter].effect
    for k, alpha in ((1e-12, 0.5), (1.0, 1e-6)):
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
    assert "76,846" in html
    assert html.count("<tr>") == 1 + len(rows)


#: One of the seven is qualified by a hair.
BY_A_HAIR = make(
    [(0.6000001, 40.0), (0.72, 130.0), (0.81, 210.0), (0.9, 500.0), (0.55, 12.0), (0.3, 3.0), (0.1, 1.0)],
    quality_threshold=0.6,
    cost_bound=900.0,
    exploration_exponent=0.7,
)


@pytest.mark.parametrize(
    ("market", "horizon"),
    [
        (BY_A_HAIR, 30_000),
        pytest.param(BY_A_HAIR, 700, marks=LONG),
        pytest.param(published("gpqa-strong").setting, 70_000, marks=LONG),
    ],
)
def test_what_is_advised_does_what_it_says(market: Setting, horizon: int) -> None:
    def changed(horizon: int, help: Help, to: Any) -> Bound:
        changes = {} if to.value is None else {help.parameter: to.value}
        kept = tuple(each for each in market.providers if each.name != to.without)
        setting = Setting("changed", replace(market.platform, **changes), kept)
        return evaluate_bounds(setting, horizon, to.method or "paper").guarantees[name]

    applied = 0
    for name, now in evaluate_bounds(market, horizon, advice=True).guarantees.items():
        of_market = [help.parameter in ("quality_threshold", "provider") for help in now.worth.helps]
        assert of_market == sorted(of_market), "changes of the mechanism come first"
        for help in now.worth.helps:
            if help.parameter == "horizon":
                assert evaluate_bounds(market, int(help.value)).guarantees[name].worth.informative
            elif help.parameter != "radius" and help.found:
                assert worth_having(changed(horizon, help, help))
                applied += 1
            if help.parameter != "radius" and (sooner := help.sooner) is not None:
                assert horizon < sooner.informative_from < (now.worth.informative_from or 2**52)
                assert changed(sooner.informative_from, help, sooner).worth.informative
                assert not changed(sooner.informative_from - 1, help, sooner).worth.informative
                applied += 1
    assert applied > 3


OTHERS = [name for name in RADII if name != PAPERS]


def with_radius(setting: Setting, radius: str, horizon: int) -> BoundsReport:
    return evaluate_bounds(replace(setting, platform=replace(setting.platform, radius=radius)), horizon)


def advised(setting: Setting, horizon: int) -> list[Help]:
    helps = evaluate_bounds(setting, horizon, advice=True).identification.worth.helps
    return [help for help in helps if help.parameter == "radius"]


@pytest.mark.parametrize("name", ["gpqa-strong", pytest.param("gpqa-full", marks=pytest.mark.long("five radii"))])
def test_the_radius_with_the_least_bound_is_told_with_its_numbers(name: str) -> None:
    setting = published(name).setting
    reports = {radius: with_radius(setting, radius, 70_000) for radius in OTHERS}
    bounds = {radius: report.identification_bound for radius, report in reports.items()}
    (help,) = advised(setting, 70_000)
    assert help.found
    assert bounds[help.radius] == min(bounds.values(), key=lambda bound: bound or 0) < 70_000 - setting.n_providers
    assert f"{bounds[help.radius]:,} of {70_000 - setting.n_providers:,} " in help.effect
    assert f"(T_id = {reports[help.radius].identification_horizon:,})" in help.effect
    assert not any(bound.applies for bound in reports[help.radius].bounds.values())


def test_where_none_is_enough_the_earliest_is_told_with_its_horizon() -> None:
    setting = published("gpqa-ladder").setting
    (help,) = advised(setting, 20_000)
    assert not help.found
    start = help.sooner.informative_from

    def says_something(radius: str, horizon: int) -> bool:
        bound = with_radius(setting, radius, horizon).identification_bound
        return bound is not None and bound < horizon - setting.n_providers

    assert says_something(help.sooner.radius, start)
    assert not any(says_something(radius, start - 1) for radius in OTHERS)


def test_nothing_is_advised_where_the_bound_speaks_or_the_radius_is_another() -> None:
    assert advised(published("gsm8k-full").setting, 70_000) == []
    setting = published("gpqa-strong").setting
    other = replace(setting, platform=replace(setting.platform, radius="beta-binomial"))
    assert advised(other, 70_000) == []
    unheard = evaluate_bounds(setting, 70_000).identification.worth
    assert unheard.helps == ()
