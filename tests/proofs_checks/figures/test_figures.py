"""Every figure of every setting, published and on the edge: drawn, readable, and showing the data that it should."""

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import costproof
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.metrics.curves import Curves
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.figures import (
    bounds_over_time,
    guarantees,
    landscape,
    payment_bands,
    payments,
    policies,
    shares,
    tightness_map,
)
from proofs_checks.figures.axes import COST_OF_OPTIMAL, PRICE_OF_OPTIMAL, SECOND_LOWEST_COST, short_name, short_names
from proofs_checks.figures.catalogue import BY_NAME, KINDS, FigureKind
from proofs_checks.figures.drawing import draw, draw_tightness
from proofs_checks.figures.files import simulated
from proofs_checks.figures.landscape import pareto_frontier
from proofs_checks.figures.palette import POLICY_SERIES
from proofs_checks.figures.payment_bands import payment_band
from proofs_checks.figures.pictures import NotDrawn, Picture
from proofs_checks.figures.runs import SettingRuns
from tests.proofs_checks.figures.looking import faults
from tests.proofs_checks.figures.markets import EDGES, NAMES, market, runs_of_name

NAME = "gpqa-strong"
SETTING = published(NAME).setting


def line(axes: Axes, label: str) -> Line2D:
    (found,) = (each for each in axes.lines if each.get_label() == label)
    return found


def traces(runs: SettingRuns, policy: str = "platform", count: int = 3) -> list[Trace]:
    """The runs' logs, played again."""
    return [costproof.simulate(runs.setting, runs.horizon, policy=policy, seed=7, run=run) for run in range(count)]


# What is drawn, and how it looks


#: Settings whose figures are also looked at: of few, many and all providers, with long and hostile names.
LOOKED_AT = (NAME, "gsm8k-full", "hostile names", "many providers")


@pytest.mark.long("draws some twenty figures of each setting")
@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_drawn_or_says_why_not(name: str) -> None:
    runs, missing = runs_of_name(name), []
    for kind in KINDS:
        result = draw(kind, runs, dark=name == NAME)
        if isinstance(result, NotDrawn):
            missing.append(kind.name)
            assert len(result.reason) > 10
            continue
        assert result.drawn is not None
        assert name not in LOOKED_AT or faults(result.drawn) == [], kind.name
        assert result.alt.endswith(".")
        assert "nan" not in result.alt.split()
        assert "$" not in result.alt.replace(short_name(runs.setting.name), "") or name == "hostile names"
    assert sorted(missing) == sorted(EDGES[name][2] if name in EDGES else ())


def test_the_tightness_of_no_claim_is_not_drawn() -> None:
    without = draw_tightness({})
    assert isinstance(without, NotDrawn)
    assert "no claim compares anything" in without.reason


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_short_names_are_short_printable_and_different(names: list[str]) -> None:
    shown = short_names(names)
    assert all(len(name) <= 30 and name and name.isprintable() for name in shown)
    assert len(set(shown)) == len(shown)


# Over time


@pytest.mark.parametrize("name", [NAME, "no listed price"])
def test_bids_payments_and_costs_are_those_of_the_last_window(name: str) -> None:
    runs = runs_of_name(name)
    (axes,) = payments.payments(runs).axes
    window, n = runs.window, runs.setting.n_providers
    paid, bid, cost = [], [], []
    for trace in traces(runs):
        replay = Replay(MechanismConfig.of(runs.setting), trace)
        last = replay.steps > len(trace) - window
        ordinary = last & ~replay.exploration & (replay.steps > n)
        paid.append(trace.payment[ordinary].mean())
        bid.append(replay.of_served(replay.standing_bids)[ordinary].mean())
        cost.append(trace.cost[last & (replay.steps > n)].mean())
    for label, values in (("Payment, non-exploration steps", paid), ("Winning bid", bid), ("Generation cost", cost)):
        drawn = line(axes, label)
        assert np.asarray(drawn.get_xdata())[-1] == runs.horizon
        assert np.asarray(drawn.get_ydata())[-1] == pytest.approx(np.median(values))
    low, high = np.quantile(paid, (0.1, 0.9))
    outline = axes.collections[1].get_paths()[0].vertices
    at_end = np.asarray(outline)[np.asarray(outline)[:, 0] == runs.horizon, 1]
    assert [at_end.min(), at_end.max()] == pytest.approx([low, high])


def test_levels_are_those_of_the_setting() -> None:
    runs = runs_of_name(NAME)
    for axes in (*payments.economic(runs).axes, *payments.routing(runs).axes):
        levels = {str(each.get_label()): np.asarray(each.get_ydata())[0] for each in axes.lines}
        best = SETTING.providers[2]
        assert best.name == "Llama-3.1-8B"
        assert levels[COST_OF_OPTIMAL] == best.mean_cost
        assert levels[SECOND_LOWEST_COST] == SETTING.second_lowest_cost
        assert levels[PRICE_OF_OPTIMAL] == pytest.approx(1.25 * best.mean_cost)


@pytest.mark.long("runs of 70,000 queries")
def test_marks_stand_at_one_pass_and_at_the_identification_horizon() -> None:
    long = simulated(published("gsm8k-full").setting, runs=1)
    marks = {str(each.get_label()): np.asarray(each.get_xdata()) for each in payments.payments(long).axes[0].lines}
    leads = costproof.bounds("gsm8k-full").identification_horizon
    assert list(marks["one pass ($K$ = 1,319)"]) == [1319, 1319]
    assert list(marks[rf"$T_{{\mathrm{{id}}}}$ = {leads:,}"]) == [leads, leads]
    short = {str(each.get_label()) for each in payments.payments(runs_of_name(NAME)).axes[0].lines}
    assert not any("id" in label for label in short if label.startswith("$T")), "T_id lies beyond the runs"
    assert "one pass ($K$ = 546)" in short
    assert "one window ($K$ = 8)" in {
        str(each.get_label()) for each in payments.payments(runs_of_name("no listed price")).axes[0].lines
    }


def test_shares_and_the_lead_are_those_of_the_logs() -> None:
    runs = runs_of_name(NAME)
    above, middle, below = policies.identification(runs).axes
    for policy, series in POLICY_SERIES.items():
        served = [trace.provider for trace in traces(runs, policy)]
        best = [np.mean(each[-runs.window :] == SETTING.optimal) for each in served]
        unqualified = [np.isin(each[-runs.window :], SETTING.unqualified).mean() for each in served]
        counts = [np.bincount(each, minlength=4) for each in served]
        leads = [all(count[2] > count[i] for i in (0, 1, 3)) for count in counts]
        for axes, value in ((above, np.median(best)), (middle, np.median(unqualified)), (below, np.mean(leads))):
            assert np.asarray(line(axes, series.name).get_ydata())[-1] == pytest.approx(value)


def test_regrets_are_averages_of_the_logs() -> None:
    runs = runs_of_name(NAME)
    above, below = policies.regret(runs).axes
    quality = np.array([max(SETTING.platform.quality_threshold - p.quality, 0) for p in SETTING.providers])
    cost = np.array([max(p.mean_cost - SETTING.providers[2].mean_cost, 0) for p in SETTING.providers])
    for policy, series in POLICY_SERIES.items():
        served = [trace.provider for trace in traces(runs, policy)]
        for axes, values in ((above, quality), (below, cost)):
            expected = np.median([values[each].mean() for each in served])
            assert np.asarray(line(axes, series.name).get_ydata())[-1] == pytest.approx(expected)


# One pass


def test_one_pass_points_are_means_with_intervals() -> None:
    runs = runs_of_name(NAME)
    (axes,) = policies.one_pass(runs).axes
    drawn = {str(each.get_label()): each for each in axes.containers}
    assert len(drawn) == len(POLICY_SERIES)
    for policy, series in POLICY_SERIES.items():
        costs, regrets = [], []
        for trace in traces(runs, policy):
            costs.append(trace.cost[:546].mean())
            shortfall = [max(SETTING.platform.quality_threshold - p.quality, 0) for p in SETTING.providers]
            regrets.append(np.array(shortfall)[trace.provider[:546]].mean())
        point, _, (across, up) = drawn[series.name]
        assert point.get_xydata()[0] == pytest.approx([np.mean(costs), np.mean(regrets)])
        for bars, values, axis in ((across, costs, 0), (up, regrets, 1)):
            ends = np.asarray(bars.get_segments()[0])[:, axis]
            half = 1.96 * np.std(values, ddof=1) / math.sqrt(3)
            assert (ends[1] - ends[0]) / 2 == pytest.approx(half, abs=1e-12)


@pytest.mark.parametrize(("name", "panels"), [(NAME, 2), ("gsm8k-ladder", 2), ("two providers", 1)])
def test_selection_shares_sum_to_one_and_are_those_of_the_logs(name: str, panels: int) -> None:
    """All T queries have a panel; one pass has another where the setting has a benchmark."""
    runs = runs_of_name(name)
    found = shares.selection_shares(runs).axes
    by_cost = sorted(range(runs.setting.n_providers), key=lambda i: (runs.setting.providers[i].mean_cost, i))
    labels = [tick.get_text() for tick in found[0].get_yticklabels()]
    assert labels == [short_name(runs.setting.providers[i].name) for i in by_cost]
    assert len(found) == panels
    for axes, step in zip(found, (runs.window, runs.horizon)[-panels:], strict=True):
        bars = {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in axes.patches}
        assert sum(bars.values()) == pytest.approx(1)
        counted = [np.bincount(t.provider[:step], minlength=runs.setting.n_providers) / step for t in traces(runs)]
        assert [bars[row] for row in range(len(bars))] == pytest.approx(np.mean(counted, axis=0)[by_cost])
        assert axes.get_xlabel().endswith(f"{step:,} queries")


# The horizon

#: Figures that depend on no horizon: who is there.
WITHOUT_HORIZON = ("landscape",)


@pytest.mark.long("draws every figure twice")
@pytest.mark.for_each("kind", KINDS, ids=lambda kind: kind.name)
def test_every_figure_shows_the_horizon_that_was_asked_for(kind: FigureKind) -> None:
    """On a setting without a benchmark: the caption names T, and other runs give another caption."""
    captions = []
    for horizon in (2_345, 4_321):
        runs = _own_runs(horizon)
        picture = draw(kind, runs)
        assert isinstance(picture, Picture)
        assert (f"{horizon:,}" in picture.alt) == (kind.name not in WITHOUT_HORIZON)
        captions.append(picture.alt)
    assert (captions[0] == captions[1]) == (kind.name in WITHOUT_HORIZON)


@lru_cache
def _own_runs(horizon: int) -> SettingRuns:
    return simulated(market("own", [(0.9, 2.0), (0.8, 3.0), (0.1, 1.0)]), horizon, runs=2)


# Quality and price


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9]), st.sampled_from([0.0, 1.0, 2.0])), min_size=2))
def test_the_frontier_is_whoever_nobody_beats(providers: list[tuple[float, float]]) -> None:
    def beaten(q: float, c: float) -> bool:
        return any(oq >= q and oc <= c and (oq, oc) != (q, c) for oq, oc in providers)

    expected = {i for i, (q, c) in enumerate(providers) if not beaten(q, c)}
    found = pareto_frontier(market("some", providers, prices=False))
    assert set(found) == expected
    made = [providers[i] for i in found]
    assert all(one[1] <= other[1] and one[0] <= other[0] for one, other in pairwise(made))


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_the_landscape_shows_qualities_prices_and_rings(name: str) -> None:
    setting = published(name).setting
    (axes,) = landscape.landscape(SettingRuns(setting=setting, curves={}, first_run=None, margin=0.25)).axes
    points = {str(each.get_label()): np.asarray(each.get_offsets()) for each in axes.collections}
    drawn = {tuple(point) for label in ("$i^*$", "qualified", "unqualified") for point in points[label]}
    assert drawn == {(1.25 * p.mean_cost, p.quality) for p in setting.providers}
    ringed = {"gsm8k-full": {"Qwen2.5-3B"}, "gpqa-full": {"Qwen2.5-3B"}, NAME: {"Llama-3.2-1B", "Qwen2-0.5B"}}
    names = ringed.get(name, {"Llama-3.2-1B", "Qwen2-1.5B"})  # as the captions and tables of the paper say
    expected = {(1.25 * p.mean_cost, p.quality) for p in setting.providers if p.name in names}
    assert {tuple(point) for point in points["lowest listed price"]} == expected
    assert {text.get_text() for text in axes.texts} == {p.name for p in setting.providers}, "every name finds room"
    assert np.asarray(line(axes, r"$q_{\min}$").get_ydata())[0] == setting.platform.quality_threshold


def test_without_listed_prices_the_axis_is_costs_and_nobody_is_ringed() -> None:
    setting = EDGES["no listed price"][0]
    (axes,) = landscape.landscape(SettingRuns(setting=setting, curves={}, first_run=None, margin=0.25)).axes
    assert "cost" in axes.get_xlabel()
    assert "lowest listed price" not in {str(each.get_label()) for each in axes.collections}


# Bounds


@pytest.mark.for_each("name", [NAME, "none qualified", "one qualified", "a tie for i*"])
def test_bounds_over_time_are_those_of_the_report(name: str) -> None:
    runs = runs_of_name(name)
    names = {"quality_regret": "quality_regret", "generation_regret": "generation_regret"}
    rows = bounds_over_time.compared(runs.setting)
    if not rows:
        assert name == "none qualified"
        return
    figure = bounds_over_time.bounds_over_time(runs)
    assert len(figure.axes) == len(rows) == (3 if runs.setting.second_lowest_cost is not None else 1)
    for axes, curve in zip(figure.axes, rows, strict=True):
        for step in (runs.setting.n_providers, 100, runs.horizon):
            report, at = costproof.bounds(runs.setting, step), None
            for label, part in (("anytime branch", "anytime"), ("gap-dependent branch", "gap_dependent")):
                if curve not in names:
                    continue
                drawn = line(axes, f"Bound, {label}")
                at = np.asarray(drawn.get_xdata()) == step
                if at.any():
                    value = report.bounds[curve].parts[part]
                    assert np.asarray(drawn.get_ydata())[at][0] == pytest.approx(value)
        if curve not in names:
            single = np.asarray(line(axes, "Bound without its exploration term").get_ydata())
            report = costproof.bounds(runs.setting, runs.horizon)
            assert single[-1] == pytest.approx(report.bounds["excess_payment"].parts["without_exploration"])
        realised = line(axes, "Realised (median, 10 to 90%)")
        assert np.asarray(realised.get_ydata()) == pytest.approx(runs.curves["platform"].median(curve))


def test_payments_lie_inside_bounds_computed_by_hand() -> None:
    runs = runs_of_name(NAME)
    found, n = payment_band(SETTING, runs.log), SETTING.n_providers
    shown = np.flatnonzero(np.isfinite(found.payment))
    assert len(shown) > 20
    replay = Replay(MechanismConfig.of(SETTING), runs.log)
    for position in shown:
        step = int(found.steps[position])
        assert replay.auction[step - 1]
        provider = runs.log.provider[step - 1]
        count = int((runs.log.provider[: step - 1] == provider).sum())
        radius = math.sqrt(math.log(2 * math.pi**2 * n * count**2 / (3 * 0.05)) / (2 * count))
        top = min(SETTING.platform.cost_bound, 50.7 + SETTING.platform.cost_bound * radius)
        bottom = max(0.0, SETTING.providers[provider].mean_cost - SETTING.platform.cost_bound * radius)
        assert found.upper[position] == pytest.approx(top, rel=1e-3)
        assert found.lower[position] == pytest.approx(bottom)
        assert found.lower[position] <= found.payment[position] <= found.upper[position]
    (axes,) = payment_bands.payment_bounds(runs).axes
    assert np.asarray(line(axes, r"Payment $\pi_t$").get_ydata()) == pytest.approx(found.payment[shown])


def test_a_payment_outside_its_bounds_is_seen_to_be() -> None:
    """The tester tested: of a log that pays c_max in every auction, the words say that not all lie inside."""
    runs = runs_of_name(NAME)
    wrong = Trace(
        runs.log.provider,
        np.full(runs.horizon, SETTING.platform.cost_bound),
        runs.log.score,
        runs.log.bid,
        runs.log.cost,
    )
    changed = SettingRuns(setting=SETTING, curves=runs.curves, first_run=wrong, margin=runs.margin)
    right, said = payment_bands.payment_bounds_in_words(runs), payment_bands.payment_bounds_in_words(changed)
    inside, shown = (int(word) for word in (right.split()[0], right.split()[2]))
    assert inside == shown > 0
    assert int(said.split()[0]) < shown


@pytest.mark.long("runs of 40,000 queries")
def test_guarantees_name_the_horizon_and_mark_it_among_horizons() -> None:
    runs = simulated(SETTING, 40_000, runs=2, seed=1)
    (axes,) = guarantees.guarantees(runs).axes
    assert "$T$ = 40,000" in axes.get_xlabel()
    leads = guarantees.guaranteed_and_realised(runs)[0]
    assert leads.quantity == "identification_horizon"
    marked = line(axes, "$T$ = 40,000, where the runs end")
    assert marked.get_xdata()[0] == pytest.approx(40_000 / leads.mean)
    # A bound is to the right of the mark exactly where the runs end before it.
    assert (leads.bounds["paper"] / leads.mean > marked.get_xdata()[0]) == (leads.bounds["paper"] > 40_000)
    assert "at T = 40,000" in guarantees.guarantees_in_words(runs)


# Across settings


def test_cells_say_their_ratios_and_violations_stand_out() -> None:
    table = tightness_map.tightness_table({"a": {"lem:x": 0.25, "lem:y": 1.5}, "b": {"lem:x": 0.5}})
    axes = tightness_map.tightness_map(table).axes[0]
    cells = {(round(t.get_position()[1]), round(t.get_position()[0])): t for t in axes.texts}
    assert [cells[place].get_text() for place in sorted(cells)] == ["1.5", "–", "0.25", "0.5"]
    assert cells[0, 0].get_fontweight() == "bold"
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["lem:y", "lem:x"]


def _curves(leading: list[list[float]], steps: list[int]) -> Curves:
    runs = runs_of_name(NAME).curves["platform"]
    rows = {
        name: runs[name][:1, : len(steps)].repeat(len(leading), axis=0)
        for name in vars(runs)
        if name not in ("window", "steps")
    }
    return Curves(window=10, steps=np.array(steps), **rows | {"identified": np.array(leading)})


def test_the_lead_for_good_is_from_the_last_time_that_it_was_not() -> None:
    curves = _curves([[0, 1, 0, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 0], [0, 0, 0, 0, 1]], [4, 8, 16, 32, 64])
    assert guarantees.leads_for_good(curves).tolist() == [32, 4, math.inf, 64]


def test_a_setting_may_be_the_paper_s_under_another_name() -> None:
    same = Setting("mine", SETTING.platform, SETTING.providers)
    kind = BY_NAME["landscape"]
    assert kind.labels_for(SETTING) == ("fig:strong-landscape",)
    assert kind.labels_for(same) == (), "its figures are not the paper's: its runs and name are others"
