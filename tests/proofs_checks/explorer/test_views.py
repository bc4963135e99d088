"""The views beside direct computation and the oracle in exact fractions, and their pictures."""

import csv
import json
import math
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import costproof
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.worth.guarantee import guarantees_of
from mechanism.bidding import Bidder, prepare_bidders
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.metrics.curves import CURVE_NAMES
from mechanism.metrics.over_time import over_time
from mechanism.trace import Trace
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import all_claims
from proofs_checks.explorer.auction_view import step_view
from proofs_checks.explorer.claims_view import claim_rows, in_passes
from proofs_checks.explorer.controls import PageState, SimulatedMarket
from proofs_checks.explorer.export import command, file_name, setting_text
from proofs_checks.explorer.market_view import (
    NOT_PLAYED,
    bands,
    is_promised,
    metric_view,
    provider_rows,
    realised,
    summary,
)
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.pictures import (
    LOOKS,
    earnings_picture,
    gain_picture,
    metric_picture,
    plain,
    selections_picture,
    step_picture,
)
from proofs_checks.explorer.provider_view import alternatives, earnings, provider_view
from proofs_checks.explorer.runs import run_trace
from proofs_checks.explorer.simulation import simulated
from proofs_checks.explorer.words import beside, number, step_sentences, what_if_sentences
from proofs_checks.oracle.rule_oracle import EXACT, FLOATS, RuleOracle
from proofs_checks.verdict import Verdict
from tests.proofs_checks.explorer.states import HOSTILE, hostile_setting, small_state
from tests.proofs_checks.outcomes import Run

#: Its bound begins at T_0, beyond the runs of these tests.
LATE = "average_payment_deviation"


@pytest.mark.for_each("metric", [name for name in METRICS if name in CURVE_NAMES])
def test_medians_are_those_of_the_front_door(metric: str) -> None:
    market = small_state().market
    expected = costproof.curves(market.setting, 1500, runs=3, policies="platform", seed=5)["platform"]
    (line,) = metric_view(market, metric).lines
    np.testing.assert_array_equal(line.median, expected.median(metric))
    low, high = expected.band(metric)
    np.testing.assert_array_equal(line.low, low)
    np.testing.assert_array_equal(line.high, high)


@pytest.mark.parametrize("bidders", ["truthful", "deviating", "bayesian", "fixed:10"])
def test_queries_of_others_are_counted_on_the_plain_run(bidders: str) -> None:
    market = small_state(bidders=bidders, horizon=200).market
    setting, factory = prepare_bidders(market.setting, bidders)
    curves = simulated(market)["platform"]
    names = ("other_selections", "average_payment_deviation")
    ends, deviations = (over_time(setting, curves, name)[:, -1] for name in names)
    laws = market.part.outcome_laws()
    for run in range(market.runs):
        trace = simulate(setting, horizon=200, seed=market.seed, run=run, bidders=factory, laws=laws)
        assert ends[run] == (trace.provider[setting.n_providers :] != setting.optimal).sum()
        assert deviations[run] == pytest.approx(abs(trace.payment - setting.second_lowest_cost).mean())


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_bounds_over_time_are_the_bounds_one_by_one(name: str) -> None:
    market = SimulatedMarket(setting=published(name).setting, horizon=3000, runs=1)
    for metric, bounded in METRICS.items():
        view = metric_view(market, metric)
        if bounded is None or metric == LATE:
            assert view.bound is None
            continue
        guarantee = guarantees_of(market.prepared)[bounded]
        np.testing.assert_allclose(view.bound, [guarantee.value(int(t)) for t in view.steps], rtol=1e-13)


@pytest.mark.parametrize(
    "turned", [{"bidders": "bayesian", "keep_gamma": True}, {"bidders": "independent"}, {"bidders": "biased:0.1"}]
)
def test_what_is_not_promised_of_these_bids_is_not_shown(turned: dict[str, Any]) -> None:
    """Quality is: it is learned from scores alone."""
    market, truthful = (replace(small_state().market, **each) for each in (turned, {}))
    assert (market.covered, truthful.covered) == (False, True)
    for metric, bounded in METRICS.items():
        bounds = [metric_view(each, metric).bound is not None for each in (market, truthful)]
        assert bounds == [bounded == "quality_regret", bounded is not None and metric != LATE]
        assert is_promised(str(bounded), market) == (bounded == "quality_regret")
        assert is_promised(str(bounded), truthful)
    capped = [(row.cap is not None, row.role != "unqualified") for row in provider_rows(market)]
    assert capped == [(True, False), (True, False), (False, True), (False, True)]


def test_more_runs_are_added_to_those_that_are_there() -> None:
    market = replace(small_state(horizon=900, policies=("platform", "lowest-price")).market, seed=77)
    parts = [simulated(replace(market, runs=runs)) for runs in (2, 5, 3)]
    whole = costproof.curves(market.setting, 900, runs=5, policies=market.policies, seed=77)
    for found, runs in zip(parts, (2, 5, 3), strict=True):
        for policy in market.policies:
            assert found[policy] == whole[policy].first(runs)


def test_without_theory_there_is_no_bound_and_no_optimal_provider() -> None:
    providers = [Provider("a", 0.9, 0.2), Provider("b", 0.1, 0.3)]
    market = SimulatedMarket(
        setting=Setting("lonely", PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75), providers), horizon=200, runs=2
    )
    assert metric_view(market, "generation_regret").bound is None
    nobody = replace(
        market, setting=replace(market.setting, platform=replace(market.setting.platform, quality_threshold=1.0))
    )
    assert np.isnan(metric_view(nobody, "other_selections").lines[0].median).all()
    assert summary(nobody)["share_of_optimal"][1] is None
    assert [row.role for row in provider_rows(nobody)] == ["unqualified", "unqualified"]
    assert [row.cap for row in provider_rows(nobody)] == [None, None]


def test_bounds_are_drawn_for_the_platform_alone() -> None:
    market = small_state(policies=("uniform-eligible",)).market
    assert metric_view(market, "quality_regret").bound is None
    assert all(row.cap is None for row in provider_rows(market))
    assert realised(market, simulated(market)) == ({}, NOT_PLAYED)


def test_who_served_beside_the_report_and_the_runs() -> None:
    market = small_state().market
    report = evaluate_bounds(market.setting, market.horizon)
    traces = [costproof.simulate(market.setting, 1500, seed=5, run=run) for run in range(3)]
    for i, row in enumerate(provider_rows(market)):
        served = sorted(int((trace.provider == i).sum()) for trace in traces)
        assert row.median == served[1]
        assert row.cap == report.providers[i].selection_cap
        assert (row.role != "unqualified") == report.providers[i].qualified


def test_guarantees_stand_beside_the_runs() -> None:
    market = small_state().market
    found, why_not = realised(market, simulated(market))
    assert (found.keys(), why_not) == (set(filter(None, METRICS.values())), "")
    curves = costproof.curves(market.setting, 1500, runs=3, policies="platform", seed=5)["platform"]
    assert found["quality_regret"][1] == curves["quality_regret"][:, -1].max()


def pictures(theme: str = "light", **more: Any) -> dict[str, dict[str, Any]]:
    state = small_state(**more)
    view = step_view(state)
    earned = provider_view(state.market, state.focus.provider)
    found = {
        "metric": metric_picture(metric_view(state.market, "quality_regret"), theme),
        "selections": selections_picture(provider_rows(state.market), state.market.horizon, theme),
        "step": step_picture(view, theme),
        "earnings": earnings_picture(earned, theme),
    }
    return found | ({"gain": gain_picture(view.what_if, theme)} if view.what_if else {})


@pytest.mark.long("needs dash")
@pytest.mark.for_each("theme", LOOKS)
def test_plotly_takes_every_figure(theme: str) -> None:
    """It refuses whatever its schema does not know."""
    go = pytest.importorskip("plotly.graph_objects", reason="needs dash: pip install '.[long]'")
    found = pictures(theme, provider=2)
    assert "gain" in found
    for name, figure in found.items():
        go.Figure(figure)
        json.dumps(figure, allow_nan=False)
        assert figure["data"], name


def test_bars_differ_by_more_than_colour() -> None:
    """Who is below the threshold is hatched, and every name has the sign of what its provider is."""
    state = small_state()
    rows = provider_rows(state.market)
    figure = selections_picture(rows, state.market.horizon, "light")
    shapes = figure["data"][0]["marker"]["pattern"]["shape"]
    assert [shape != "" for shape in shapes] == [row.role == "unqualified" for row in rows]
    assert 0 < sum(shape != "" for shape in shapes) < len(shapes)
    names, served = zip(*(text.split("<br>") for text in figure["layout"]["yaxis"]["ticktext"]), strict=True)
    horizon = state.market.horizon
    assert list(served) == [f"{row.median:,.0f} ({100 * row.median / horizon:.1f}%)" for row in rows]
    signs = [text[-1] for text in names]
    assert signs == ["★" if row.role == "$i^*$" else "✓" if row.role == "qualified" else "✗" for row in rows]
    view = step_view(state)
    ticks = step_picture(view, "light")["layout"]["yaxis"]["ticktext"]
    assert [tick.endswith("✗") for tick in ticks] == [not (row.eligible or row.served) for row in view.rows]


@pytest.mark.for_each("metric", list(METRICS))
def test_every_metric_is_drawn(metric: str) -> None:
    view = metric_view(small_state(policies=("platform", "no-quality-filter")).market, metric)
    figure = metric_picture(view, "light")
    lines = {trace["name"]: trace for trace in figure["data"] if trace.get("name")}
    np.testing.assert_array_equal(np.array(lines["platform"]["y"], dtype=float), view.lines[0].median)
    assert ("bound, for the platform" in lines) == (METRICS[metric] is not None and metric != LATE)


def test_names_are_shown_and_never_read() -> None:
    """plotly.js reads tags, entities and marks of direction in texts, and templates in those of hovers."""
    found = pictures(setting=hostile_setting(), horizon=200)
    text = json.dumps(found, ensure_ascii=False)
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text
    assert "\u2066" not in text
    assert all("bold" not in trace.get("hovertemplate", "") for figure in found.values() for trace in figure["data"])
    assert plain(HOSTILE[0])[:14] in text


def test_a_logarithmic_axis_gets_no_number_that_it_cannot_show() -> None:
    for metric in METRICS:
        view = metric_view(small_state().market, metric)
        for trace in metric_picture(view, "light", log=True)["data"]:
            assert all(value is None or value > 0 for value in trace["y"]), metric


def replayed(bidders: str, provider: int, added: float | None, horizon: int, run: int) -> float:
    """Return what a provider earns in a plain run: the definition, without the compiled episode."""
    market = small_state(bidders=bidders, horizon=horizon).market
    setting, base = prepare_bidders(market.setting, bidders)

    def make(given: Setting, rng: np.random.Generator) -> list[Bidder]:
        players = base(given, rng)
        if added is not None:
            players[provider] = _Plain(added, given.platform.cost_bound)
        return players

    trace = simulate(setting, horizon=horizon, seed=market.seed, run=run, bidders=make, laws=market.part.outcome_laws())
    mine = trace.provider == provider
    return float(sum((trace.payment[mine] - trace.cost[mine]).tolist()))


class _Plain:
    """A bidder written out: the mean of its costs plus an amount, within [0, c_max]."""

    def __init__(self, added: float, bound: float) -> None:
        self._added, self._bound, self._costs = added, bound, [0.0][:0]

    def observe(self, cost: float, score: float) -> float:
        self._costs.append(cost)
        total = 0.0
        for each in self._costs:
            total += each
        return min(max(total / len(self._costs) + self._added, 0.0), self._bound)


@pytest.mark.parametrize("bidders", ["truthful", "deviating", "bayesian"])
@pytest.mark.for_each("added", [None, 0.0, 7.0, -9.0])
def test_earnings_are_those_of_the_run_replayed_with_that_bid(bidders: str, added: float | None) -> None:
    market = small_state(bidders=bidders, horizon=250).market
    for provider in (0, 2):
        found = earnings(market, provider, added, runs=2)
        for run in range(2):
            expected = replayed(bidders, provider, added, 250, run)
            assert found.earned[run] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_amounts_are_tried_on_both_sides_of_the_mean_cost() -> None:
    for setting in (small_state().market.setting, hostile_setting()):
        tried = alternatives(setting)
        dearest = max(each.mean_cost for each in setting.providers)
        np.testing.assert_allclose(tried, np.linspace(-dearest / 2, dearest / 2, 21), atol=1e-12)
        assert tried[10] == 0


def test_claims_are_compared_as_each_compares_itself() -> None:
    market = small_state(horizon=400).market
    case = Case(market.prepared, run_trace(market, 1), {"kind": "log", "variant": "truthful"})
    rows = claim_rows(market, 1)
    assert {row.claim.label for row in rows} == {label for label, claim in all_claims().items() if claim.checks}
    for row in rows:
        found = all_claims()[row.claim.label].check(case)
        assert (row.found.verdict, row.found.tightness.checked) == (found.verdict, found.tightness.checked), (
            row.claim.label
        )
        assert row.found.verdict not in (Verdict.PROVED, Verdict.PROVED_STEPS, Verdict.EXACT)
    assert {row.claim.label: row.found.verdict for row in rows}["eq:truthful-strategy"] is Verdict.NOT_REFUTED


def test_a_claim_whose_bound_says_nothing_is_marked_as_the_market_says_it() -> None:
    """Theorem 3 at 70,000 queries: the bound is above T - N there, and below it in a long run of a small market."""
    market = SimulatedMarket(setting=published("gpqa-strong").setting, horizon=1_000, runs=1)
    rows = {row.claim.label: row for row in claim_rows(market, 0)}
    idle = {label for label, row in rows.items() if row.idle}
    assert not evaluate_bounds(market.prepared, market.horizon).identification.worth.informative
    assert "claim:B_id-tightened" in idle
    assert "is above the trivial" in rows["claim:B_id-tightened"].idle
    assert all(rows[label].found.verdict.value == "NOT_REFUTED" for label in idle)
    # Payments between two costs could fail at each auction.
    assert "lem:payment-range" not in idle


def test_draws_without_replacement_are_no_evidence_for_the_good_event() -> None:
    """Only a published benchmark's questions are drawn in passes: a setting of one's own has independent queries."""
    market = small_state(horizon=400).market
    providers = tuple(replace(each, mean_cost=each.mean_cost + 0.5) for each in market.setting.providers)
    own = replace(market, setting=replace(market.setting, providers=providers))
    for each, passes in ((market, True), (own, False)):
        assert in_passes(each) is passes
        noted = [row.claim.label for row in claim_rows(each, 0) if row.note]
        assert noted == ["lem:good-event"] * passes


def test_what_a_gamma_too_small_leaves_without_its_assumption_is_not_refuted() -> None:
    """Else the page would say that the paper is wrong where a reader has turned off what it assumes."""
    market = small_state(bidders="bayesian:0.9:40", horizon=1500).market
    rows = {row.claim.label: row.found.verdict for row in claim_rows(replace(market, keep_gamma=True), 0)}
    assert not any(v is Verdict.REFUTED and not all_claims()[label].finding for label, v in rows.items())
    assert rows["lem:bayesian-cost-concentration"] is Verdict.ASSUMPTION_VIOLATED
    assert rows["thm:quality-guarantee"] is Verdict.NOT_REFUTED


class TestExport:
    @pytest.mark.parametrize(
        ("bidders", "keep_gamma"), [("deviating", False), ("bayesian:0.1:20", False), ("bayesian:0.1:20", True)]
    )
    def test_the_command_repeats_the_numbers(
        self, bidders: str, keep_gamma: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passed: Run
    ) -> None:
        monkeypatch.chdir(tmp_path)
        market = small_state(bidders=bidders, policies=("platform", "uniform-eligible")).market
        market = replace(market, keep_gamma=keep_gamma)
        assert ("--keep-gamma" in command(market)) is keep_gamma
        Path(file_name(market)).write_text(setting_text(market), encoding="utf-8")
        words = shlex.split(command(market))
        assert words[0] == "costproof"
        passed(*words[1:])
        with open("curves.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for policy, curves in simulated(market).items():
            for metric in CURVE_NAMES:
                mine = [row for row in rows if (row["policy"], row["metric"]) == (policy, metric)]
                assert [int(row["step"]) for row in mine] == curves.steps.tolist()
                for column, expected in zip(
                    ("q10", "median", "q90"), bands(market.prepared, curves, metric), strict=True
                ):
                    read = [float(row[column]) if row[column] else np.nan for row in mine]
                    np.testing.assert_array_equal(read, expected)

    @pytest.mark.for_each("name", ["../../etc/passwd", "<script>", "a b;rm -rf", "\u202e", "...", "-rf", "x" * 300])
    def test_a_file_name_is_harmless(self, name: str) -> None:
        setting = replace(hostile_setting(), name=name)
        found = file_name(small_state(setting=setting).market)
        assert set(found) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
        assert not found.startswith(("-", "."))
        assert found.endswith(".toml")
        assert len(found) < 70


BIDDERS = ("truthful", "deviating", "bayesian")
NEVER = Setting(
    "never", PlatformParameters(1.0, 0.5, 1.0, 2.0, 0.5), [Provider("a", 0.0, 0.1), Provider("b", 0.0, 0.2)]
)
#: The threshold excludes nobody, and two providers of one kind tie.
TWINS = Setting(
    "twins", PlatformParameters(0.0, 0.5, 1.0, 0.01, 0.5), [Provider("a", 1.0, 1.0), Provider("b", 1.0, 1.0)]
)


def oracle_before(
    state: PageState, trace: Trace, numbers: Any = FLOATS, instead: dict[int, float] | None = None
) -> RuleOracle:
    """Return the oracle before the step, with other last bids of some providers."""
    oracle = RuleOracle(MechanismConfig.of(state.market.prepared), numbers)
    last = {int(provider): row for row, provider in enumerate(trace.provider[: state.focus.step - 1])}
    for row in range(state.focus.step - 1):
        provider, bid = int(trace.provider[row]), float(trace.bid[row])
        if instead and provider in instead and last[provider] == row:
            bid = instead[provider]
        oracle.settle(provider, float(trace.score[row]), bid)
    return oracle


@pytest.mark.parametrize("bidders", BIDDERS)
@pytest.mark.parametrize("step", [1, 4, 5, 6, 47, 150, 299, 300])
def test_a_step_is_what_the_oracle_prescribes_in_exact_fractions(bidders: str, step: int) -> None:
    state = small_state(bidders=bidders, horizon=300, step=step, run=2)
    view, trace = step_view(state), run_trace(state.market, 2)
    oracle = oracle_before(state, trace, EXACT)
    decision = oracle.decisions()[0]
    assert view.kind == decision.kind
    served = next(i for i, row in enumerate(view.rows) if row.served)
    assert served in decision.providers
    assert view.payment == pytest.approx(float(decision.payments[served]), rel=1e-12)
    assert [row.count for row in view.rows] == oracle.counts
    if view.kind == "initialization":
        assert not any(row.eligible for row in view.rows)
        return
    assert tuple(i for i, row in enumerate(view.rows) if row.eligible) == decision.eligible
    for row, known in zip(view.rows, oracle.standings(), strict=True):
        pairs = [
            (row.quality_estimate, known.quality_estimate),
            (row.radius, known.radius),
            (row.bid, known.bid),
            (row.adjusted_bid, known.adjusted_bid),
        ]
        for ours, exact in pairs:
            assert ours == pytest.approx(float(exact), rel=1e-12, abs=1e-12)
        if known.critical_payment is None:
            assert row.critical in (None, math.inf)
        else:
            assert row.critical == pytest.approx(float(known.critical_payment), rel=1e-12, abs=1e-12)
        assert row.under_sampled == (row.eligible and Fraction(row.count) < EXACT.target(oracle.config)(step))


@settings(max_examples=40)
@given(st.sampled_from(BIDDERS), st.integers(5, 300), st.integers(0, 3), st.floats(0, 1))
def test_another_bid_changes_what_the_oracle_says_that_it_does(
    bidders: str, step: int, provider: int, share: float
) -> None:
    bound = small_state().market.setting.platform.cost_bound
    state = small_state(bidders=bidders, horizon=300, step=step, provider=provider, bid=share * bound)
    view, trace = step_view(state), run_trace(state.market, 0)
    if view.what_if is None:
        assert view.kind != "auction" or not view.rows[provider].eligible
        return
    decision = oracle_before(state, trace, EXACT, {provider: share * bound}).decisions()[0]
    assert view.what_if.winners == tuple(state.market.setting.providers[i].name for i in decision.providers)
    assert view.what_if.wins is (
        None if len(decision.providers) > 1 and provider in decision.providers else provider in decision.providers
    )
    paid = {float(decision.payments[i]) for i in decision.providers}
    if view.what_if.payment is not None:
        assert view.what_if.payment == pytest.approx(paid.pop(), rel=1e-9)
    assert len(what_if_sentences(view.what_if)) == 3


def test_nobody_is_eligible_or_two_tie() -> None:
    assert step_view(PageState.of(NEVER)).kind == "empty"
    state = small_state(setting=TWINS, horizon=40, runs=1)
    views = [step_view(replace(state, focus=replace(state.focus, step=step))) for step in range(3, 41)]
    [said, *_] = [view.what_if for view in views if view.what_if is not None and view.what_if.wins is None]
    assert " ties with " in what_if_sentences(said)[0]


def test_a_lone_provider_is_paid_the_cost_bound() -> None:
    lone = Setting(
        "lone", PlatformParameters(0.9, 0.5, 1.0, 0.01, 0.5), [Provider("a", 1.0, 0.2), Provider("b", 0.0, 0.1)]
    )
    view = step_view(small_state(setting=lone, horizon=300, runs=1))
    assert [row.eligible for row in view.rows] == [True, False]
    assert view.what_if.critical == math.inf
    assert view.payment == 1.0
    assert "no rival" in " ".join(what_if_sentences(view.what_if))
    assert "no rival" in " ".join(step_sentences(view))


@settings(max_examples=200)
@given(st.floats(0, 2), st.floats(0, 1))
def test_a_number_beside_a_threshold_never_looks_equal_to_it(value: float, threshold: float) -> None:
    said = beside(value, threshold)
    if value == threshold:
        assert said == number(threshold)
    else:
        assert said != number(threshold)
        assert ("below by" in said) <= (value < threshold)
