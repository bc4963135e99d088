"""Uncertain inputs: their intervals, the region that joins them, and the ranges of bounds over it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from bounds.grid.columns import SettingColumns
from bounds.grid.evaluate import evaluate_many
from bounds.radius_caps import elimination_count
from bounds.ranges import bound_ranges, largest_bound
from bounds.report import evaluate_bounds
from bounds.setting.estimates import Proportion, SampleMean, StatedInterval
from bounds.setting.file import format_setting, parse_setting
from bounds.setting.model import PlatformParameters, Provider, Setting, StatedInputs
from bounds.setting.region import Region, region_of
from tests.refusals import refusal

METHODS = ("paper", "sharp", "sharpest")
PLATFORM = PlatformParameters(0.6, 0.05, 100.0, 2.0, 0.75)
SMALL = Provider("small", {"correct": 131, "of": 200}, {"mean": 16.1, "standard_error": 0.4})
LARGE = Provider("large", {"correct": 1800, "of": 2000}, {"low": 40, "high": 44})
POOR = Provider("poor", {"mean": 0.3, "standard_error": 0.02}, 5)


def market(*providers: Provider, level: float = 0.9, **platform: Any) -> Setting:
    return Setting("market", replace(PLATFORM, **platform), providers, inputs=StatedInputs(level))


@pytest.mark.for_each("correct", (0, 1, 131, 199, 200))
def test_the_interval_of_a_share_is_that_of_clopper_and_pearson(correct: int) -> None:
    expected = stats.binomtest(correct, 200).proportion_ci(0.99, method="exact")
    assert Proportion(correct=correct, of=200).interval(0.01, 1.0) == pytest.approx(tuple(expected), abs=1e-12)


def test_a_standard_error_is_taken_as_normal_and_an_interval_as_it_is() -> None:
    expected = stats.norm(0.655, 0.034).interval(0.99)
    assert SampleMean(mean=0.655, standard_error=0.034).interval(0.01, 1.0) == pytest.approx(expected)
    # What lies beyond the range of the number is cut off.
    assert SampleMean(mean=0.99, standard_error=0.1).interval(0.01, 1.0)[1] == 1.0
    assert StatedInterval(low=0.25, high=0.5).interval(0.01, 1.0) == (0.25, 0.5)


_SHARES = st.integers(1, 500).flatmap(
    lambda of: st.integers(0, of).map(lambda correct: Proportion(correct=correct, of=of))
)
_INTERVALS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda ends: StatedInterval(low=min(ends), high=max(ends)))
_MEANS = st.builds(SampleMean, mean=st.floats(0, 1), standard_error=st.floats(0, 1))


@given(st.one_of(_SHARES, _INTERVALS, _MEANS), st.one_of(_INTERVALS, _MEANS), st.floats(0.01, 0.99))
@settings(max_examples=25)
def test_what_is_written_reads_back(quality: Any, cost: Any, level: float) -> None:
    setting = market(Provider("a", quality, cost), Provider("b", 0.5, 2.0), level=level)
    assert parse_setting(format_setting(setting), "market") == setting
    assert setting.providers[0].quality == quality.point


@pytest.mark.for_each(
    "estimate",
    (
        "{correct = 3}",
        "{correct = 3, of = 2}",
        "{correct = 1.5, of = 2}",
        "{correct = 1, off = 2}",
        "{correct = 0, of = 0}",
        "{mean = 1.2, standard_error = 0.1}",
        "{mean = 0.5, standard_error = -0.1}",
        "{mean = nan, standard_error = 0.1}",
        "{low = 0.7, high = 0.6}",
        "{low = -0.1, high = 0.6}",
        "{}",
    ),
)
def test_wrong_estimates_are_refused_by_their_key(estimate: str) -> None:
    text = format_setting(market(SMALL, LARGE)).replace("{correct = 131, of = 200}", estimate)
    assert "provider[1].quality" in str(refusal(parse_setting, text, "mine"))


def test_estimates_of_costs_have_no_counts_and_stay_below_the_cost_bound() -> None:
    text = format_setting(market(SMALL, LARGE))
    counted = text.replace("{low = 40.0, high = 44.0}", "{correct = 1, of = 2}")
    assert "provider[2].mean_cost.correct" in str(refusal(parse_setting, counted, "mine"))
    assert "provider[2].mean_cost.high" in str(refusal(market, SMALL, Provider("b", 0.9, {"low": 90, "high": 101})))


def test_another_number_drops_its_estimate_and_the_point_has_none() -> None:
    assert replace(SMALL, quality=0.7).quality_estimate is None
    assert replace(SMALL, listed_price=1.0).quality_estimate == SMALL.quality_estimate
    setting = market(SMALL, LARGE)
    assert setting.is_uncertain
    assert not setting.point.is_uncertain
    assert setting.point == market(*(Provider(p.name, p.quality, p.mean_cost) for p in setting.providers), level=0.95)
    exact = market(Provider("a", {"low": 0.5, "high": 0.5}, 1), Provider("b", 0.5, 2))
    assert region_of(exact) is None


def test_each_uncertain_input_fails_with_its_share() -> None:
    region = Region(setting=market(SMALL, LARGE, POOR))
    # Five of the six inputs are uncertain, and 0.1 is shared.
    assert region.quality[0] == pytest.approx(tuple(stats.binomtest(131, 200).proportion_ci(0.98, method="exact")))
    assert region.mean_cost == (
        (pytest.approx(16.1 - 0.4 * stats.norm.isf(0.01)), pytest.approx(17.0305391)),
        (40, 44),
        (5, 5),
    )
    assert region.qualified == ("unsettled", "yes", "no")
    assert region.optimal == ("unsettled", "unsettled", "no")
    assert Region(setting=market(SMALL, LARGE, POOR, quality_threshold=0.5)).is_settled


def test_what_is_settled_is_so_in_every_market() -> None:
    rng, seen = np.random.default_rng(7), set()
    for _ in range(30):
        ends = np.sort(rng.integers(0, 6, (int(rng.integers(2, 5)), 2, 2)) / 5).tolist()
        roster = [
            Provider(f"p{i}", {"low": q[0], "high": q[1]}, {"low": c[0], "high": c[1]}) for i, (q, c) in enumerate(ends)
        ]
        region = Region(setting=market(*roster, quality_threshold=0.5, cost_bound=1.0))
        drawn = [region.drawn(rng=rng) for _ in range(10)]
        for i, (qualified, optimal) in enumerate(zip(region.qualified, region.optimal, strict=True)):
            seen |= {qualified, optimal}
            assert {"yes": {True}, "no": {False}}.get(qualified, {True, False}) >= {
                i in each.qualified for each in drawn
            }
            assert {"yes": {True}, "no": {False}}.get(optimal, {True, False}) >= {i == each.optimal for each in drawn}
    assert seen == {"yes", "no", "unsettled"}


def test_more_questions_settle_who_is_qualified_just_then() -> None:
    region = Region(setting=market(SMALL, LARGE, POOR))
    more = region.questions_to_settle(0)
    assert more is not None
    for questions, settled in ((200 + more, True), (200 + more - 1, False)):
        share = Proportion(correct=round(131 / 200 * questions), of=questions)
        low, _ = stats.binomtest(share.correct, questions).proportion_ci(1 - region.failure_of_each, method="exact")
        assert (low >= 0.6) == settled
    assert region.questions_to_settle(1) is None
    undecided = Region(setting=market(Provider("a", {"correct": 6, "of": 10}, 1), LARGE))
    assert undecided.questions_to_settle(0) is None  # no number of questions tells 0.6 from the threshold
    by_error = Region(setting=market(Provider("a", {"mean": 0.7, "standard_error": 0.1}, 1), LARGE))
    times = by_error.times_to_settle(0)
    assert times == pytest.approx((0.1 * stats.norm.isf(0.1 / 6) / 0.1) ** 2)


def test_more_questions_tell_close_costs_apart() -> None:
    costs = [{"mean": mean, "standard_error": 1.0} for mean in (20.0, 22.0)]
    close = market(*(Provider(f"p{i}", 0.9, cost) for i, cost in enumerate(costs)))
    times = Region(setting=close).times_to_separate()
    assert times == pytest.approx((2 * stats.norm.isf(0.025) / 2) ** 2)  # two intervals, each fails with 0.05
    for more, kinds in ((times * 1.01, {"yes", "no"}), (times / 1.01, {"unsettled"})):
        roster = [Provider(f"p{i}", 0.9, cost | {"standard_error": more**-0.5}) for i, cost in enumerate(costs)]
        assert {*Region(setting=market(*roster)).optimal} == kinds
    assert Region(setting=market(SMALL, LARGE, POOR)).times_to_separate() is None


def test_the_report_warns_and_adds_up_what_may_fail() -> None:
    found = evaluate_bounds(market(SMALL, LARGE, POOR), 70_000)
    assert found.inputs is not None
    assert found.inputs.failure_probability == 0.15
    assert "small or large" in found.inputs.warnings[0]
    assert "it is open whether small is qualified" in found.inputs.warnings[1]
    data = found.to_data()
    assert data["identification_bound_range"] is data["identification_horizon_range"] is None
    # The quality regret has a bound that needs no gap: it is finite whoever is qualified.
    assert data["bounds"]["quality_regret"]["range"][1] > data["bounds"]["quality_regret"]["value"]
    exact = evaluate_bounds(market(SMALL, LARGE, POOR).point, 70_000).to_data()
    assert not {"inputs", "identification_bound_range", "identification_horizon_range"} & exact.keys()
    assert "range" not in exact["bounds"]["quality_regret"]
    near, top = Provider("near", {"correct": 76, "of": 161}, 1), Provider("top", 0.9, 60)
    for roster, count in (((near, LARGE, top), 1), ((near, LARGE), 0)):  # T_0 concerns nobody who is qualified alone
        assert len(evaluate_bounds(market(*roster), 70_000).to_data()["inputs"]["warnings"]) == count
    region = Region(setting=market(near, LARGE, top))
    paid = [largest_bound(region, horizon, "paper", "average_payment_deviation") for horizon in (70_000, 10**9)]
    assert paid[0] is None is not paid[1]


def uncertain_markets(rng: np.random.Generator, count: int) -> Iterator[tuple[Region, int]]:
    """Yield regions that settle all providers, and horizons; a fifth of the inputs is exact."""
    while count:
        n, width = int(rng.integers(2, 7)), 10 ** rng.uniform(-3, -0.8)

        def estimate(value: float, width: float = width) -> Any:
            low, high = value - width * rng.random(), value + width * rng.random()
            return value if rng.random() < 0.2 else {"low": max(0.0, low), "high": min(1.0, high)}

        platform = PlatformParameters(
            float(rng.uniform(0.2, 0.8)),
            0.05,
            1.0,
            *map(float, (rng.choice([0.2, 2, 10]), rng.choice([0.5, 0.75]))),
            *map(float, (rng.choice([0, 0.5]), rng.choice([0, 0.01]), rng.choice([0, 0.01]))),
        )
        costs = rng.uniform(0, 1, n) * rng.choice([1, 0.3])
        pairs = zip(rng.uniform(0, 1, n).tolist(), costs.tolist(), strict=True)
        roster = [Provider(f"p{i}", estimate(quality), estimate(cost)) for i, (quality, cost) in enumerate(pairs)]
        region = Region(setting=Setting("random", platform, roster))
        if region.is_settled and region.setting.is_uncertain and len(region.setting.qualified) > 1:
            count -= 1
            yield region, int(10 ** rng.uniform(2.5, 6.5))


def points_of(region: Region, rng: np.random.Generator, size: int, horizon: int) -> SettingColumns:
    """Return markets of a region: half at its corners, half inside."""

    def drawn(ends: Any) -> Any:
        low, high = np.array(ends).T
        share = rng.random((size, len(low)))
        share[: size // 2] = np.rint(share[: size // 2])
        return np.clip(low + (high - low) * share, low, high)

    return SettingColumns(
        base=region.setting.point,
        horizon=np.full(size, horizon),
        quality=drawn(region.quality),
        mean_cost=drawn(region.mean_cost),
    )


def compare_with_points(method: str, seed: int, markets: int, size: int) -> list[float]:
    """Check that ranges hold all points of their regions; return how many times as wide as the points they are."""
    rng, ratios = np.random.default_rng(seed), []
    for region, horizon in uncertain_markets(rng, markets):
        ranges = bound_ranges(region, horizon, method)
        many = evaluate_many(points_of(region, rng, size, horizon), method)
        for name, found in (many.values | {"identification_horizon": many.counts["identification_horizon"]}).items():
            ends = ranges[name]
            # Between costs that deviations of bids may bridge, some markets have a bound and others none.
            if ends is None:
                assert name in ("identification", "identification_horizon", "generation_regret")
                assert not np.isfinite(found).all()
                continue
            assert ends[0] <= found.min() <= found.max() <= ends[1], (name, region.setting)
            spread = float(found.max() - found.min())
            ratios.append((ends[1] - ends[0]) / spread if spread else 1.0)
    return ratios


@pytest.mark.for_each("method", METHODS)
def test_ranges_hold_every_market_of_the_region(method: str) -> None:
    compare_with_points(method, seed=1, markets=1 if method == "sharpest" else 3, size=12)


@pytest.mark.long("it evaluates 12,000 markets")
@pytest.mark.for_each("method", METHODS)
def test_ranges_are_little_wider_than_the_bounds_of_the_region(method: str) -> None:
    """In 20 markets, or 10: ranges that are too wide in a fifth of all are met with a probability of 0.89 or more."""
    sharpest = method == "sharpest"
    ratios = compare_with_points(method, seed=2, markets=10 if sharpest else 20, size=100 if sharpest else 300)
    assert np.median(ratios) < 1.01
    assert max(ratios) <= 1.5


def test_what_depends_on_one_cost_may_cancel() -> None:
    """All auctions may be disturbed, and pay less by what c_(2) exceeds the cost of `cheap`, which D falls by."""
    roster = [
        Provider("cheap", {"low": 0.172, "high": 0.182}, 0.355),
        Provider("best", {"low": 0.78, "high": 0.82}, {"low": 0.157, "high": 0.225}),
        Provider("second", {"low": 0.452, "high": 0.483}, {"low": 0.456, "high": 0.492}),
    ]
    platform = PlatformParameters(0.37, 0.05, 1.0, 0.2, 0.5)
    region = Region(setting=Setting("cancelling", platform, roster))
    ends = bound_ranges(region, 78_619, "sharpest")["average_payment_deviation"]
    corners = points_of(region, np.random.default_rng(9), 12, 78_619)
    found = evaluate_many(corners, "sharpest").values["average_payment_deviation"]
    assert ends is not None
    assert ends[0] <= found.min() < found.max() <= ends[1]
    assert ends[1] - ends[0] < 1.01 * (found.max() - found.min())


def test_markets_without_a_bound_do_not_widen_the_range_of_the_others() -> None:
    """Deviations of bids may bridge the gap where `cheap` costs most."""
    platform = PlatformParameters(0.42, 0.05, 1.0, 0.2, 0.5, overbid=0.01)
    roster = [Provider("cheap", 0.65, {"low": 0.0086, "high": 0.0647}), Provider("best", 0.75, 0.0727)]
    region = Region(setting=Setting("bridged", platform, roster))
    ends = bound_ranges(region, 18_977, "paper")["generation_regret"]
    found = evaluate_many(points_of(region, np.random.default_rng(3), 40, 18_977), "paper").values["generation_regret"]
    assert ends is not None
    assert 0.9 * np.nanmin(found) < ends[0] <= np.nanmin(found)


@pytest.mark.for_each("radius", ("beta-binomial", "normal-mixture"))
def test_ranges_for_another_radius_hold_every_market(radius: str) -> None:
    region = Region(setting=market(SMALL, LARGE, POOR, quality_threshold=0.5, radius=radius))
    ranges, rng = bound_ranges(region, 70_000, "paper"), np.random.default_rng(6)
    for _ in range(2):
        report = evaluate_bounds(region.drawn(rng=rng), 70_000)
        for name, value in (
            ("identification", report.identification_bound),
            ("identification_horizon", report.identification_horizon),
        ):
            ends = ranges[name]
            assert ends is not None
            assert value is not None
            assert ends[0] <= value <= ends[1]
    counts = [elimination_count(radius, float(quality), 0.5, 3, 0.05) for quality in np.linspace(0.01, 0.45, 8)]
    assert counts == sorted(counts)  # which makes the corner with the best unqualified providers the largest


@pytest.mark.for_each("method", ("paper", "sharp"))
def test_an_unsettled_optimum_leaves_bounds_that_need_no_gap(method: str) -> None:
    close = [Provider(f"p{i}", 0.9, {"low": 20 + i, "high": 24 + i}) for i in range(2)]
    region, rng = Region(setting=market(*close, POOR)), np.random.default_rng(8)
    ranges = bound_ranges(region, 70_000, method)
    assert ranges["identification"] is ranges["identification_horizon"] is None
    for name in ("generation_regret", "excess_payment"):
        ends = ranges[name]
        assert ends is not None
        assert ends[0] >= 0
        for _ in range(2):
            value = evaluate_bounds(region.drawn(rng=rng), 70_000, method).bounds[name].value
            assert value is None or ends[0] <= value <= ends[1]


def test_corners_alone_miss_the_largest_regret() -> None:
    """The comparison with points can fail: (M + 1) eps jumps where M does, and is larger inside than at the corners."""
    quality = np.linspace(0.09, 0.11, 5000)
    gap = 0.6 - quality
    regret = (np.ceil(4 / gap**2 * np.log(57 * 3 / (0.05 * gap**4))) + 1) * gap
    jump = int(np.diff(regret).argmax()) + 1
    first, last = jump - 20, jump + 20
    poor = Provider("poor", {"low": quality[first], "high": quality[last]}, 5)
    found = bound_ranges(Region(setting=market(LARGE, Provider("b", 0.9, 50), poor)), 70_000, "paper")
    ends = found["quality_regret"]
    assert ends is not None
    assert max(regret[first], regret[last]) < regret[jump] <= ends[1]


def test_exact_inputs_have_ranges_of_a_point() -> None:
    """The range over a region in which only the quality of a qualified provider is open: no bound depends on it."""
    setting = market(Provider("a", {"correct": 190, "of": 200}, 20), Provider("b", 0.9, 50), Provider("c", 0.1, 5))
    for method in ("paper", "sharp"):
        report = evaluate_bounds(setting, 70_000, method)
        assert report.identification_bound_range == (report.identification_bound,) * 2
        assert {tuple(bound.range or ()) for bound in report.bounds.values()} == {
            (bound.value, bound.value) for bound in report.bounds.values()
        }


def estimated(rng: np.random.Generator, questions: int) -> tuple[Setting, Setting]:
    """Return a market, and the same as an evaluation of so many questions estimates it."""
    n = int(rng.integers(3, 6))
    platform = PlatformParameters(float(rng.uniform(0.3, 0.7)), 0.05, 1.0, 2.0, 0.75)
    true, roster = [], []
    for name in map("p{}".format, range(n)):
        quality, cost = float(rng.uniform(0.05, 0.95)), float(rng.uniform(0.05, 0.5))
        costs = cost * 2 * rng.beta(4, 4, questions)
        error = float(costs.std(ddof=1) / questions**0.5)
        score = {"correct": int(rng.binomial(questions, quality)), "of": questions}
        true.append(Provider(name, quality, cost))
        roster.append(Provider(name, score, {"mean": float(costs.mean()), "standard_error": error}))
    return Setting("true", platform, true), Setting("estimated", platform, roster)


def misses(methods: tuple[str, ...], markets: int, seed: int) -> int:
    """Return in how many markets a range misses the bound of the true market."""
    rng, found = np.random.default_rng(seed), 0
    for _ in range(markets):
        true, stated = estimated(rng, int(np.geomspace(50, 2000, 100)[rng.integers(100)]))
        region, horizon = Region(setting=stated), int(10 ** rng.uniform(3, 6))
        inside = all(
            low <= provider.quality <= high and least <= provider.mean_cost <= most
            for provider, (low, high), (least, most) in zip(
                true.providers, region.quality, region.mean_cost, strict=True
            )
        )
        missed = False
        for method in methods:
            ranges = bound_ranges(region, horizon, method)
            known = {name: ends for name, ends in ranges.items() if name != "burn_in"}
            if region.is_settled and len(stated.qualified) > 1:
                assert None not in known.values()
            many = evaluate_many(SettingColumns(base=true, horizon=np.array([horizon])), method)
            values = many.values | {"identification_horizon": many.counts["identification_horizon"]}
            for name, ends in known.items():
                if ends is not None and np.isfinite(values[name][0]):
                    missed |= not ends[0] <= values[name][0] <= ends[1]
        assert not (missed and inside)
        found += missed
    return found


def test_ranges_hold_the_bounds_of_the_true_market_of_a_few() -> None:
    """If 5% were missed, more than this many of 15 would be with a probability below 1e-6; if 90% were, with 0.9999."""
    assert misses(("paper",), 15, seed=3) <= stats.binom.isf(1e-6, 15, 0.05)


@pytest.mark.long("it finds the ranges of 340 markets")
@pytest.mark.for_each(("methods", "markets", "power"), [(("paper",), 300, 0.2), (("sharp", "sharpest"), 40, 0.5)])
def test_ranges_hold_the_bounds_of_the_true_market(methods: tuple[str, ...], markets: int, power: float) -> None:
    """If 5% were missed, more than `most` would be with a probability below 1e-6; if `power` were, with 0.99.

    Which markets are missed depends on the region alone: a method that misses one inside it fails at once.
    """
    most = stats.binom.isf(1e-6, markets, 0.05)
    assert stats.binom.sf(most, markets, power) > 0.99
    assert misses(methods, markets, seed=4) <= most


@pytest.mark.long("it finds the ranges of 80 markets")
def test_ranges_narrow_as_the_questions_grow() -> None:
    rng, ratios = np.random.default_rng(5), []
    for _ in range(40):
        true, _ = estimated(rng, 2)
        widths = []
        for questions in (500, 2000):
            roster = [
                Provider(
                    each.name,
                    {"correct": round(each.quality * questions), "of": questions},
                    {"mean": each.mean_cost, "standard_error": each.mean_cost / questions**0.5},
                )
                for each in true.providers
            ]
            ranges = bound_ranges(Region(setting=replace(true, providers=tuple(roster))), 70_000, "sharp")
            widths.append({name: ends and ends[1] - ends[0] for name, ends in ranges.items()})
        few, many = widths
        pairs = [(few[name], many[name]) for name in few]
        assert all(late is not None for early, late in pairs if early is not None)
        ratios += [late / early for early, late in pairs if early and late is not None]
    assert max(ratios) < 1.01  # the region is a part of the wider one
    assert 0.3 < np.median(ratios) < 0.6
