"""Plans: what they promise is met in runs, what is impossible is said to be; sweeps: bounds and runs over grids.

Plans of uncertain inputs hold in every market of their region.
"""

import csv
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy

import costproof
from bounds.errors import InputError
from bounds.grid.axes import Axis, axis_of, columns_at, grid_columns, resized
from bounds.methods import METHODS
from bounds.published import published
from bounds.ranges import bound_ranges
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting, StatedInputs
from bounds.setting.region import Region
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.planner.goals import BEST_METHOD, IDENTIFY, KINDS, goal_of, goal_values, ratios
from mechanism.planner.plan import Plan, PlanRequest, make_plan
from mechanism.planner.ranges import between, corners, range_of, settings_at
from mechanism.planner.runs import simulated
from mechanism.planner.search import with_parameters
from mechanism.sweep import SIMULATED, Sweep, run_sweep
from tests.refusals import assert_refused, refusal

NAME = "gpqa-strong"
SETTING = published(NAME).setting
#: Costs far apart, and one cheap provider below the threshold.
EASY = Setting(
    "easy",
    PlatformParameters(0.6, 0.05, 1.0, 2.0, 0.75),
    (Provider("best", 0.9, 0.2), Provider("second", 0.85, 0.6), Provider("bad", 0.2, 0.1)),
)
#: Ten plans: the setting, the goals, and delta.
PLANS: tuple[tuple[Setting | str, tuple[str, ...], float], ...] = (
    (EASY, ("identify-by=3000",), 0.05),
    (EASY, ("payment-within=30%@100k",), 0.05),
    (EASY, ("payment-within=0.25@30k", "exploration-budget=6000@30k"), 0.1),
    (EASY, ("unqualified-at-most=300@20k", "identify-by=2000"), 0.2),
    (EASY, ("exploration-budget=50@20k", "identify-by=20k"), 0.05),
    ("gsm8k-full", ("identify-by=40k",), 0.05),
    ("gsm8k-ladder", ("identify-by=30k", "unqualified-at-most=30k@30k"), 0.1),
    ("gpqa-strong", ("identify-by=35k",), 0.05),
    # Only with a radius other than the paper's.
    ("gpqa-strong", ("unqualified-at-most=6000@70k", "exploration-budget=1M@70k"), 0.05),
    ("gpqa-ladder", ("identify-by=130k",), 0.05),
)
#: A plan that meets its goals with probability 1 - delta exactly fails this often.
FALSE_ALARM = 1e-7


LONG = pytest.mark.long("plays plans")


@pytest.mark.parametrize("place", [4, *(pytest.param(place, marks=LONG) for place in range(len(PLANS)) if place != 4)])
def test_plans_meet_their_goals_in_runs(place: int) -> None:
    """All goals are met at once with probability 1 - delta, so each is met in nearly as many runs as that.

    At delta 0.05, a plan that misses a goal in half of the runs is found out with probability 0.99.
    """
    setting, goals, confidence = PLANS[place]
    found = costproof.plan(setting, goals, confidence=confidence, runs=60, seed=place)
    assert found.feasible, found.reason
    least = scipy.stats.binom.ppf(FALSE_ALARM, 60, 1 - found.chosen.platform.confidence)
    for answer in found.answers:
        assert answer.met
        assert answer.simulated.runs == 60
        assert answer.simulated.met >= least, answer.goal.text
        if answer.simulated.mean is not None:
            assert answer.simulated.mean <= answer.value


#: By the argument that is refused: what reads its texts, and texts of which one rule is broken.
NOT_READ: dict[str, tuple[Callable[[str], object], list[tuple[str, str]]]] = {
    "goal": (
        lambda text: goal_of(text, SETTING, 70_000),
        [
            ("identify-by", "must begin with"),
            ("identify-by=x", "number must stand"),
            ("identify-by=100@200", "two horizons"),
            ("identify-by=3", "at least N = 4"),
            ("identify-by=70000.5", "whole number"),
            ("payment-within=-1@100", "0 or more"),
            ("payment-within=nan@100", "number must stand"),
            ("exploration-budget=5%@100", "a share where none"),
        ],
    ),
    "range": (
        lambda text: range_of(text, SETTING),
        [
            ("q_min=1", "KEY=LO:HI"),
            ("q_min=2:1", "LO at most HI"),
            ("k=1:2", "the plan chooses"),
            ("T=10:20", "must be one of"),
        ],
    ),
    "over": (
        lambda text: axis_of(text, SETTING),
        [
            ("k", "KEY=LO:HI:COUNT"),
            ("k=1:2:0", "COUNT"),
            ("k=nan:2:2", "numbers"),
            ("horizon=1000.7,70000", "whole numbers"),
            ("log:k=0:2:2", "above 0"),
            ("speed=1:2:2", "one of"),
            ("provider.Nobody.quality=0:1:2", "names no provider"),
            ("provider.Qwen2-0.5B.speed=0:1:2", "must end in"),
        ],
    ),
}


@pytest.mark.for_each(
    ("argument", "text", "rule"), [(name, *row) for name, (_, rows) in NOT_READ.items() for row in rows]
)
def test_what_cannot_be_read_is_refused(argument: str, text: str, rule: str) -> None:
    error = refusal(NOT_READ[argument][0], text)
    assert error.argument == argument
    assert rule in str(error)


class TestGoals:
    def test_horizons_have_a_default_and_numbers_suffixes(self) -> None:
        assert goal_of("unqualified-at-most=2k", SETTING, 500).horizon == 500
        assert goal_of("exploration-budget=250,000@1M", SETTING, 0).limit == 250_000

    @pytest.mark.for_each("method", METHODS)
    def test_values_are_those_of_the_report(self, method: str) -> None:
        kinds = ("payment-within=5", "unqualified-at-most=1", "exploration-budget=1")
        goals = [goal_of(text, SETTING, 300_000_000) for text in ("identify-by=70000", *kinds)]
        found = goal_values(goals, settings_at(SETTING, {}), method)[:, 0].tolist()
        report = evaluate_bounds(SETTING, 300_000_000, method)
        caps = [each.selection_cap + 1 for each in report.providers if not each.qualified]
        deviation = report.bounds["average_payment_deviation"].value
        paid = report.exploration_steps_bound * SETTING.platform.cost_bound
        assert found == pytest.approx([report.identification_horizon, deviation, sum(caps), paid], rel=1e-13)

    def test_ratios_say_exactly_whether_a_goal_is_met(self) -> None:
        goals = [replace(goal_of("unqualified-at-most=0@9", SETTING, 9), limit=limit) for limit in (0.0, 0.1)]
        found = ratios(goals, np.array([[0.0, 1.0], [0.1, math.nextafter(0.1, 1)]]))
        assert ((found <= 1) == [[True, False], [True, False]]).all()


class TestRadius:
    def test_another_radius_is_taken_where_only_that_meets_the_goals(self) -> None:
        found = costproof.plan(NAME, "unqualified-at-most=10k@70k", runs=0)
        assert found.feasible
        assert found.chosen.platform.radius == found.to_data()["choice"]["radius"] == "beta-binomial"
        assert found.answers[0].value == 5122
        report = evaluate_bounds(found.chosen, 70_000)
        caps = [each.selection_cap for each in report.providers if not each.qualified]
        assert sum(cap + 1 for cap in caps if cap is not None) == 5122

    def test_the_radius_that_is_asked_for_is_kept(self) -> None:
        other = costproof.plan(NAME, "identify-by=40k", radius="beta-binomial", runs=0)
        assert other.feasible
        assert other.chosen.platform.radius == "beta-binomial"
        assert other.answers[0].value == 14_099
        papers = costproof.plan(NAME, "unqualified-at-most=10k@70k", radius="paper", runs=0)
        assert not papers.feasible
        assert "other radius" not in str(papers.reason)

    def test_payments_are_not_promised_with_another_radius(self) -> None:
        found = costproof.plan(NAME, "payment-within=20%@2M", radius="beta-binomial", runs=0)
        assert not found.feasible
        assert str(found.reason).endswith("for the paper's radius alone: plan with --radius paper")

    @pytest.mark.parametrize("given", [{"radius": "beta-binomial"}, {"method": "sharpest"}])
    def test_ranges_take_bounds_that_are_largest_at_corners(self, given: dict[str, str]) -> None:
        with pytest.raises(InputError, match="largest at a corner"):
            costproof.plan(NAME, "identify-by=200k", ranges="q_min=0.14:0.15", runs=0, **given)
        assert costproof.plan(NAME, "identify-by=200k", ranges="q_min=0.14:0.15", runs=0).request.method == "sharp"


def assert_met_within_ranges(found: Plan, size: int) -> None:
    """Compare a plan with the bounds of settings that are drawn from its ranges: none is worse than it states."""
    goals = [answer.goal for answer in found.answers]
    columns = columns_at(found.chosen.point, between(found.request.ranges, size, seed=99), found.chosen.n_providers)
    values = goal_values(goals, columns, found.request.method)
    assert ratios(goals, values).max() <= 1
    assert (values <= np.array([[answer.value] for answer in found.answers]) * (1 + 1e-12)).all()
    for answer, each in zip(found.answers, values, strict=True):
        assert answer.goal.kind != IDENTIFY or each.max() <= answer.horizon == answer.value
    then = [replace(answer.goal, horizon=answer.horizon) for answer in found.answers]
    assert ratios(then, goal_values(then, columns, found.request.method)).max() <= 1


class TestImpossible:
    def test_too_early(self) -> None:
        found = costproof.plan(NAME, "identify-by=1000", runs=0)
        assert not found.feasible
        assert "for any k and alpha" in str(found.reason)
        assert str(found.reason).endswith("no other radius meets this goal")
        answer = found.answers[0]
        assert answer.horizon > 1000
        # It is the bound's own answer: from there on it is possible.
        assert costproof.plan(NAME, f"identify-by={answer.best_horizon}", runs=0).feasible

    @LONG
    def test_together_and_not_alone(self) -> None:
        goals = ("payment-within=20%@1M", "exploration-budget=300k@1M")
        assert costproof.plan(NAME, goals[1], runs=0).feasible
        found = costproof.plan(NAME, goals, runs=0)
        assert not found.feasible
        assert "together" in str(found.reason)

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"quality_threshold": 0.19}, "at least two"),
            ({"quality_threshold": 0.99}, "at least two"),
            ({"underbid": 5.0, "overbid": 5.0}, "underbid"),
        ],
    )
    def test_assumptions_that_are_not_met(self, changes: dict[str, float], said: str) -> None:
        setting = replace(SETTING, platform=replace(SETTING.platform, **changes))
        found = costproof.plan(setting, "identify-by=1M", runs=0)
        assert not found.feasible
        assert said in str(found.reason)

    def test_what_is_no_request_is_refused(self) -> None:
        for given in ({"goals": []}, {"confidence": 1.0}, {"method": "x"}):
            refusal(costproof.plan, NAME, **{"goals": "identify-by=9k", **given})


class TestRanges:
    def test_corners_cut_where_classes_change(self) -> None:
        threshold = SETTING.platform.quality_threshold
        found = corners(SETTING, [range_of("provider.Llama-3.2-1B.quality=0.1:0.2", SETTING)])
        assert found["provider.Llama-3.2-1B.quality"].tolist() == [0.1, math.nextafter(threshold, 0), threshold, 0.2]
        costs = corners(SETTING, [range_of("provider.Llama-3.1-8B.mean_cost=40:60", SETTING)])
        assert 50.7290355 in costs["provider.Llama-3.1-8B.mean_cost"]

    @LONG
    def test_a_plan_holds_for_all_settings_of_its_ranges(self) -> None:
        ranges = ("provider.Llama-3.2-1B.quality=0.1:0.11", "provider.Qwen2.5-7B.mean_cost=48:52", "q_min=0.144:0.146")
        found = costproof.plan(NAME, ("identify-by=150k", "payment-within=50%@3M"), ranges=ranges, runs=0)
        assert found.feasible, found.reason
        assert_met_within_ranges(found, 2000)

    def test_a_quality_that_may_be_just_below_the_threshold(self) -> None:
        found = costproof.plan(NAME, "identify-by=1M", ranges="provider.Llama-3.2-1B.quality=0.1:0.15", runs=0)
        assert not found.feasible
        assert "just below the threshold" in str(found.reason)


class TestBacking:
    @LONG
    def test_every_number_says_what_backs_it(self) -> None:
        found = costproof.plan(EASY, ("identify-by=3000", "payment-within=0.5@3000"), runs=20)
        rows = found.backing
        assert {row.backed_by for row in rows} == {"proved", "simulated", "exact"}
        assert [row.goal for row in rows if row.backed_by == "proved"] == [a.goal.text for a in found.answers]
        assert all(KINDS[a.goal.kind].label in row.source for a, row in zip(found.answers, rows, strict=False))
        assert len(found.to_frame()) == len(rows)

    @LONG
    def test_horizons_say_from_when_on_and_up_to_when(self) -> None:
        goals = ("payment-within=20%@5M", "unqualified-at-most=50k@1k", "exploration-budget=1M@1k")
        found = costproof.plan(NAME, goals, runs=0)
        for answer, text in zip(found.answers, goals, strict=True):
            kind, limit = text.partition("@")[0], answer.goal.limit
            # Where nothing limits it, it is 2^52, or within a thousandth of it.
            later = goal_of(f"{kind}@{min(int(answer.horizon * 1.01) + 2, 2**52)}", SETTING, 0)
            sooner = goal_of(f"{kind}@{int(answer.horizon * 0.99)}", SETTING, 0)
            values = goal_values([later, sooner], settings_at(found.chosen, {}), BEST_METHOD)[:, 0]
            met_later, met_sooner = (values <= limit).tolist()
            if later.kind == "payment-within":
                assert (met_later, met_sooner) == (True, False)
            else:
                assert met_sooner
                assert not met_later or later.horizon == 2**52


class TestAxes:
    def test_equal_steps_equal_ratios_and_lists(self) -> None:
        assert axis_of("q_min=0.1:0.2:3", SETTING).values == (0.1, 0.15, 0.2)
        assert axis_of("log:k=0.1:10:3", SETTING).values == (0.1, 1.0, 10.0)
        assert axis_of("T=1k,70k,1M", SETTING).values == (1000, 70_000, 1_000_000)
        assert axis_of("N=2:4:9", SETTING).values == (2, 3, 4)
        assert axis_of("gamma=0:0:5", SETTING).values == (0.0,)

    def test_a_provider_s_name_may_have_dots(self) -> None:
        axis = axis_of("provider.Qwen2-0.5B.quality=0.1,0.2", SETTING)
        ((_, columns),) = grid_columns(SETTING, [axis], 100)
        assert columns.qualities[:, 0].tolist() == [0.1, 0.2]
        assert columns.qualities[0, 1:].tolist() == [provider.quality for provider in SETTING.providers[1:]]

    def test_margins_multiply_distances_to_the_threshold(self) -> None:
        axes = [Axis(key="quality_threshold", values=(0.1, 0.15)), Axis(key="margin", values=(0.0, 0.5, 1.0, 100.0))]
        ((_, columns),) = grid_columns(SETTING, axes, 100)
        threshold = np.repeat([0.1, 0.15], 4)[:, None]
        mine = np.array([provider.quality for provider in SETTING.providers])
        factor = np.tile([0.0, 0.5, 1.0, 100.0], 2)[:, None]
        np.testing.assert_allclose(columns.qualities, np.clip(threshold + factor * (mine - threshold), 0, 1))
        assert (columns.qualities[2] == mine).all()

    def test_more_providers_are_copies_of_those_that_are_not_optimal(self) -> None:
        large = resized(SETTING, 9)
        assert large.n_providers == 9
        assert large.optimal == SETTING.optimal
        assert len({provider.name for provider in large.providers}) == 9
        assert resized(SETTING, 3).providers == SETTING.providers[:3]
        assert_refused("at least 2", resized, SETTING, 1)

    def test_a_provider_that_is_not_on_the_shortened_roster_is_refused(self) -> None:
        assert_refused("not among the first 2", costproof.sweep, NAME, ["N=2,4", "provider.Qwen2.5-7B.quality=0.2,0.3"])


def test_every_row_is_what_bounds_says() -> None:
    found = costproof.sweep(NAME, ["delta=0.01,0.2", "N=4,6", "T=70000,10M"], method="sharp")
    rows = found.rows()
    assert len(rows) == len(found) == 8
    for place, row in enumerate(rows):
        setting, horizon = found.sweep.at(place)
        assert (setting.platform.confidence, setting.n_providers, horizon) == (
            row["confidence"],
            row["N"],
            row["horizon"],
        )
        report = evaluate_bounds(setting, horizon, "sharp")
        for name, bound in report.guarantees.items():
            assert (row[name] is None) == (not bound.applies)
            assert row[name] is None or row[name] == pytest.approx(bound.value, rel=1e-13)
        assert row["identification_horizon"] == report.identification_horizon


def test_runs_are_those_of_a_campaign_in_the_market_of_the_paper() -> None:
    """A quality that changes leaves the spread of the costs and the questions of the published market as they are."""
    found = costproof.sweep(NAME, "provider.Qwen2.5-7B.quality=0.197151,0.5", horizon=400, runs=3, seed=5)
    campaign = Campaign(SETTING, horizon=400, runs=3, seed=5, window=400, policies=("platform",))
    told = run_campaign(campaign).summaries(campaign.parts[0])["platform"]
    for metric in SIMULATED:
        assert found.simulated[0][metric] == told[metric]
    assert found.simulated[1]["quality_regret"] != told["quality_regret"] or found.simulated[1] != found.simulated[0]


def test_a_folder_resumes_and_is_of_one_sweep(tmp_path: Path) -> None:
    axis = axis_of("k=1,2,4", SETTING)

    def swept(runs: int, out: Path | None, **changes: object) -> object:
        given = {"setting": SETTING, "axes": (axis,), "horizon": 300, "runs": runs, **changes}
        return run_sweep(Sweep(**given), out=None if out is None else str(out))

    folder = tmp_path / "kept"
    first, more = swept(2, folder), swept(5, folder)
    assert (first.resumed, more.resumed, more.steps) == (0, 6, 3 * 3 * 300)
    alone = swept(5, None)
    assert more.rows() == alone.rows()
    with open(folder / "sweep.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [float(row["simulated.amount_paid"]) for row in table] == alone.column("simulated.amount_paid").tolist()
    for changes in ({"horizon": 301}, {"seed": 1}, {"method": "sharp"}, {"axes": (axis_of("k=1,2", SETTING),)}):
        assert_refused("another sweep", swept, 2, folder, **changes)
    (folder / "sweep.json").write_text("{")
    assert_refused("damaged", swept, 2, folder)


@pytest.mark.for_each(
    ("given", "argument"),
    [
        ({"over": []}, "over"),
        ({"over": ["k=1,2", "exploration_scale=3"]}, "over"),
        ({"over": ["k=1:2:1000", "delta=0.1:0.2:1001"]}, "over"),
        ({"over": "k=1:2:10001", "runs": 1}, "over"),
        ({"over": "k=0:2:2"}, "exploration_scale"),
        ({"over": "provider.Qwen2.5-7B.mean_cost=1,1000"}, "provider.Qwen2.5-7B.mean_cost"),
        ({"over": "T=3"}, "horizon"),
        ({"over": "margin=-1"}, "margin"),
        ({"over": "k=1,2", "method": "best"}, "method"),
        ({"over": "k=1,2", "runs": -1}, "runs"),
    ],
)
def test_what_is_no_sweep_is_refused(given: dict[str, object], argument: str) -> None:
    assert refusal(costproof.sweep, NAME, **given).argument == argument


BAD = Provider("bad", {"correct": 200, "of": 1000}, 0.1)
ESTIMATED = Setting(
    "estimated",
    EASY.platform,
    (
        Provider("best", {"correct": 900, "of": 1000}, {"mean": 0.2, "standard_error": 0.005}),
        Provider("second", {"correct": 860, "of": 1000}, {"low": 0.58, "high": 0.64}),
        BAD,
    ),
)
#: Away from the corners of its region payments may be larger than at them by an eighth.
INSIDE = Setting(
    "inside",
    replace(EASY.platform, quality_threshold=0.37, exploration_scale=0.2, exploration_exponent=0.5),
    (
        Provider("p0", {"low": 0.388, "high": 0.433}, {"low": 0.705, "high": 0.721}),
        Provider("p2", {"low": 0.654, "high": 0.707}, {"low": 0.168, "high": 0.235}),
        Provider("p3", {"low": 0.124, "high": 0.216}, {"low": 0.132, "high": 0.186}),
    ),
)
#: It is open whether the cheapest is qualified; two others are.
CLOSE = Provider("close", {"correct": 131, "of": 200}, {"mean": 0.2, "standard_error": 0.005})
OPEN = replace(ESTIMATED, providers=(CLOSE, Provider("third", 0.8, 0.7), *ESTIMATED.providers[1:]))


#: The two cheapest may tie. With its own k payments have no bound yet: T_0 is later.
TIED = Setting(
    "tied",
    replace(EASY.platform, exploration_scale=0.05, underbid=0.01),
    (Provider("a", 0.9, {"low": 0.2, "high": 0.26}), Provider("b", 0.9, {"low": 0.25, "high": 0.3}), BAD),
)


def planned(setting: Setting, *goals: str, method: str = "") -> Plan:
    wanted = tuple(goal_of(goal, setting, 70_000) for goal in goals)
    return make_plan(PlanRequest(setting=setting, goals=wanted, confidence=0.05, method=method, runs=0))


@pytest.mark.long("searches plans")
@pytest.mark.parametrize(
    ("stated", "method", "goals"),
    [
        (ESTIMATED, "", ("identify-by=3000",)),
        (ESTIMATED, "", ("payment-within=0.3@100k",)),
        (ESTIMATED, "", ("unqualified-at-most=450@20k", "exploration-budget=9000@20k")),
        (OPEN, "", ("payment-within=0.8@100k", "exploration-budget=23000@100k")),
        (INSIDE, "", ("payment-within=1.18@7152",)),
        (TIED, "sharp", ("payment-within=0.7@100k", "exploration-budget=5000@100k")),
    ],
)
def test_a_plan_holds_in_every_market_of_the_region(stated: Setting, method: str, goals: tuple[str, ...]) -> None:
    found = planned(stated, *goals, method=method)
    assert (found.feasible, found.corners) == (True, 2 * len(Region(setting=stated).parts))
    assert_met_within_ranges(found, 40)


def test_what_may_fail_is_delta_and_the_inputs() -> None:
    for setting, failure in ((replace(ESTIMATED, inputs=StatedInputs(0.9)), 0.15), (ESTIMATED.point, 0.05)):
        goals = (goal_of("identify-by=5000", setting, 70_000),)
        assert PlanRequest(setting=setting, goals=goals, confidence=0.05).failure_probability == failure


def test_an_unsettled_setting_has_no_plan_but_a_number_of_questions() -> None:
    found = planned(OPEN, "identify-by=5000")
    assert not found.feasible
    more = Region(setting=found.request.setting).questions_to_settle(0)
    assert f"if its estimate stays 0.655, {more} more questions just settle it" in f"{found.reason}"
    assert planned(OPEN, "exploration-budget=9000@20k").feasible
    several = replace(OPEN, providers=[replace(CLOSE, name=f"p{i}") for i in range(7)])
    assert "p6" in f"{planned(several, 'identify-by=5000').reason}"


def test_drawn_markets_lie_in_the_region_and_are_exact() -> None:
    region, rng = Region(setting=ESTIMATED), np.random.default_rng(2)
    drawn = [region.drawn(rng=rng) for _ in range(200)]
    assert not any(setting.is_uncertain for setting in drawn)
    for i, ((low, high), (least, most)) in enumerate(zip(region.quality, region.mean_cost, strict=True)):
        qualities, costs = zip(*((s.providers[i].quality, s.providers[i].mean_cost) for s in drawn), strict=True)
        assert low <= min(qualities) <= max(qualities) <= high
        assert least <= min(costs) <= max(costs) <= most
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
        true = Setting("true", EASY.platform, [Provider(f"p{i}", *pair) for i, pair in enumerate(exact)])
        questions = int(rng.integers(100, 2000))
        roster = []
        for i, (quality, cost) in enumerate(exact):
            score = {"correct": int(rng.binomial(questions, quality)), "of": questions}
            error = 0.3 * cost / questions**0.5
            roster.append(
                Provider(f"p{i}", score, {"mean": max(0.0, rng.normal(cost, error)), "standard_error": error})
            )
        stated = Setting("stated", EASY.platform, roster)
        lead = bound_ranges(Region(setting=stated), 70_000, "sharp")["identification_horizon"]
        if lead is None or lead[1] > 200_000:
            continue
        found = planned(stated, f"identify-by={int(lead[1])}", f"unqualified-at-most=0.9M@{int(lead[1])}")
        assert found.feasible
        chosen = found.chosen.platform
        played = with_parameters(true, chosen.exploration_scale, chosen.exploration_exponent, chosen.confidence)
        runs = simulated(played, played, found.request.goals, runs=1, seed=len(met))
        met.append(all(each is not None and each.met == 1 for each in runs))
    most = scipy.stats.binom.isf(1e-6, 30, 0.1)
    assert scipy.stats.binom.sf(most, 30, 0.7) > 0.97
    assert met.count(False) <= most
