"""Plans and markets over the region of uncertain inputs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bounds.grid.columns import SettingColumns
from bounds.ranges import bound_ranges
from bounds.setting.model import PlatformParameters, Provider, Setting, StatedInputs
from bounds.setting.region import Region
from mechanism.planner.goals import goal_of, goal_values, ratios
from mechanism.planner.plan import Plan, PlanRequest, make_plan
from mechanism.planner.runs import simulated
from mechanism.planner.search import with_parameters

PLATFORM = PlatformParameters(0.6, 0.05, 1.0, 2.0, 0.75)
SETTING = Setting(
    "estimated",
    PLATFORM,
    (
        Provider("best", {"correct": 900, "of": 1000}, {"mean": 0.2, "standard_error": 0.005}),
        Provider("second", {"correct": 860, "of": 1000}, {"low": 0.58, "high": 0.64}),
        Provider("bad", {"correct": 200, "of": 1000}, 0.1),
    ),
)


def plan(setting: Setting, *goals: str, runs: int = 0) -> Plan:
    wanted = tuple(goal_of(goal, setting, 70_000) for goal in goals)
    return make_plan(PlanRequest(setting=setting, goals=wanted, confidence=0.05, runs=runs))


@pytest.mark.long("searches plans")
@pytest.mark.for_each(
    "goals",
    (
        ("identify-by=3000",),
        ("payment-within=0.3@100k",),
        ("unqualified-at-most=450@20k", "exploration-budget=9000@20k"),
    ),
)
def test_a_plan_holds_in_every_market_of_the_region(goals: tuple[str, ...]) -> None:
    found, region, rng = plan(SETTING, *goals), Region(setting=SETTING), np.random.default_rng(1)
    assert found.feasible
    assert found.corners == 2
    drawn = [region.drawn(rng=rng) for _ in range(40)]
    columns = SettingColumns(
        base=replace(found.chosen.point, name="planned"),
        horizon=np.full(40, 70_000),
        quality=np.array([[each.quality for each in setting.providers] for setting in drawn]),
        mean_cost=np.array([[each.mean_cost for each in setting.providers] for setting in drawn]),
    )
    wanted = [answer.goal for answer in found.answers]
    values = goal_values(wanted, columns, found.request.method)
    assert ratios(wanted, values).max() <= 1
    stated = np.array([answer.value for answer in found.answers])
    assert (values <= stated[:, None]).all()


def test_what_may_fail_is_delta_and_the_inputs() -> None:
    for setting, failure in ((replace(SETTING, inputs=StatedInputs(0.9)), 0.15), (SETTING.point, 0.05)):
        goals = (goal_of("identify-by=5000", setting, 70_000),)
        assert PlanRequest(setting=setting, goals=goals, confidence=0.05).failure_probability == failure


def test_an_unsettled_setting_has_no_plan_but_a_number_of_questions() -> None:
    close = Provider("best", {"correct": 131, "of": 200}, {"mean": 0.2, "standard_error": 0.005})
    found = plan(replace(SETTING, providers=(close, *SETTING.providers[1:])), "identify-by=5000")
    assert not found.feasible
    more = Region(setting=found.request.setting).questions_to_settle(0)
    assert found.reason is not None
    assert f"if its estimate stays 0.655, {more} more questions just settle it" in found.reason


def test_drawn_markets_lie_in_the_region_and_are_exact() -> None:
    region, rng = Region(setting=SETTING), np.random.default_rng(2)
    drawn = [region.drawn(rng=rng) for _ in range(200)]
    assert not any(setting.is_uncertain for setting in drawn)
    for i, ((low, high), (cheap, dear)) in enumerate(zip(region.quality, region.mean_cost, strict=True)):
        qualities, costs = zip(*((s.providers[i].quality, s.providers[i].mean_cost) for s in drawn), strict=True)
        assert low <= min(qualities) <= max(qualities) <= high
        assert cheap <= min(costs) <= max(costs) <= dear
        # Uniform: with 200 draws an end is missed by a tenth of the interval with a probability of 1e-9.
        assert max(qualities) - min(qualities) >= 0.8 * (high - low)


@pytest.mark.long("plays plans in markets that differ from their estimates")
def test_plans_meet_their_goals_in_the_true_market() -> None:
    """Of 30 plans each meets its goals in a run of the true market with probability 0.9 or more.

    More misses than `most` have a probability below 1e-6 then, and of 0.97 or more if 70% of the plans failed.
    """
    rng, met = np.random.default_rng(3), []
    while len(met) < 30:
        costs = sorted(rng.uniform(0.05, 0.9, 2))
        exact = [(0.9, costs[0]), (0.85, costs[1]), (float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.05, 0.9)))]
        true = Setting("true", PLATFORM, [Provider(f"p{i}", *pair) for i, pair in enumerate(exact)])
        questions = int(rng.integers(100, 2000))
        roster = []
        for i, (quality, cost) in enumerate(exact):
            score = {"correct": int(rng.binomial(questions, quality)), "of": questions}
            error = 0.3 * cost / questions**0.5
            roster.append(
                Provider(f"p{i}", score, {"mean": max(0.0, rng.normal(cost, error)), "standard_error": error})
            )
        stated = Setting("stated", PLATFORM, roster)
        lead = bound_ranges(Region(setting=stated), 70_000, "sharp")["identification_horizon"]
        if lead is None or lead[1] > 200_000:
            continue
        found = plan(stated, f"identify-by={int(lead[1])}", f"unqualified-at-most=0.9M@{int(lead[1])}")
        assert found.feasible
        chosen = found.chosen.platform
        played = with_parameters(true, chosen.exploration_scale, chosen.exploration_exponent, chosen.confidence)
        runs = simulated(played, played, found.request.goals, runs=1, seed=len(met))
        met.append(all(each is not None and each.met == 1 for each in runs))
    most = stats.binom.isf(1e-6, 30, 0.1)
    assert stats.binom.sf(most, 30, 0.7) > 0.97
    assert met.count(False) <= most
