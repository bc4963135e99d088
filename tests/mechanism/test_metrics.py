"""The paper's metrics and their curves against loops over the log that follow appendix D; tallies as bytes."""

import ast
import csv
import functools
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

import mechanism
from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.campaign.export import export_curves
from mechanism.campaign.records import CampaignResult
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import simulate
from mechanism.metrics.curves import CURVE_NAMES, Curves, curve_steps, curves_of, totals_steps, trace_curves
from mechanism.metrics.measures import (
    Metrics,
    cost_excesses,
    measure,
    metrics_of,
    metrics_of_runs,
    quality_shortfalls,
    summarize,
)
from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
from mechanism.policies import POLICIES
from mechanism.trace import Trace
from tests.bounds.by_hand import beta, setting_of
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, episodes
from tests.mechanism.trace_samples import standing_bids
from tests.proofs_checks.claims.test_case import Naive
from tests.refusals import assert_refused

STRONG = published("gpqa-strong").setting


def setting(*providers: tuple[float, float], threshold: float = 0.5) -> Setting:
    more = {"confidence": 0.9, "cost_bound": 10.0, "exploration_exponent": 0.5}
    return setting_of(providers, quality_threshold=threshold, **more)


USUAL = setting((0.9, 4.0), (0.7, 2.0), (0.3, 1.0))


def random_trace(market: Setting, length: int, seed: int) -> Trace:
    rng = np.random.default_rng(seed)
    served = np.concatenate([rng.permutation(market.n_providers), rng.integers(0, market.n_providers, length)])[:length]
    payment, bid, cost = rng.uniform(0, 10, (3, length))
    return Trace(served, payment, rng.uniform(0, 1, length) ** 4, bid, cost)


def naive(market: Setting, trace: Trace, window: int) -> Metrics:
    """Every metric of appendix D in a loop or a sum; the setting must have an i* and a second cost."""
    model, rows = Naive(market, trace), range(1, len(trace) + 1)
    each = [model.increments(t) for t in rows]
    total = {name: sum(found[name] for found in each) for name in each[0]}
    length, window = len(trace), min(window, len(trace))
    counts = [trace.provider.tolist().count(i) for i in range(market.n_providers)]
    last = [trace.payment[t - 1] for t in rows[-window:] if t > market.n_providers and not model.poor(t)]
    return Metrics(
        window=window,
        share_of_optimal=total["optimal_count"] / length,
        moving_share_of_optimal=sum(found["optimal_count"] for found in each[-window:]) / window,
        unqualified_share=total["unqualified_steps"] / length,
        quality_regret=total["realized_quality_regret"],
        generation_regret=total["realized_generation_regret"],
        accuracy=mean(trace.score),
        generation_cost=mean(trace.cost),
        amount_paid=mean(trace.payment),
        identified=float(
            all(counts[market.optimal] > counts[i] for i in range(market.n_providers) if i != market.optimal)
        ),
        eligible=len(model.able(length)),
        exploration_steps=total["all_explorations"],
        excess_payment=total["realized_excess"],
        excess_payment_without_exploration=total["realized_auction_excess"],
        average_payment_deviation=total["realized_deviation"] / length,
        auction_payment_moving=mean(last) if last else None,
        selections=tuple(counts),
        payoffs=tuple(((trace.payment - trace.cost)[trace.provider == i]).sum() for i in range(market.n_providers)),
    )


def assert_same(found: Metrics, expected: Metrics) -> None:
    for name, value in vars(expected).items():
        wanted = value if value is None else pytest.approx(value, rel=1e-9)
        assert getattr(found, name) == wanted, name


@pytest.mark.for_each("length", [5, 8, 60])
def test_against_loops_on_any_log(length: int) -> None:
    for seed in range(10):
        trace = random_trace(USUAL, length, seed)
        assert_same(measure(USUAL, trace, window=7), naive(USUAL, trace, 7))


def added_in_order(values: Iterable[float]) -> float:
    """Return the sum from the first to the last; `sum` compensates for rounding from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += float(value)
    return total


@pytest.mark.for_each("n", [2, 3, 8, 9, 300])
def test_regrets_over_time_are_added_in_order(n: int) -> None:
    market = setting(*((0.9 - 0.02 * (i % 40), 1.0 + i / 64) for i in range(n)))
    curves = trace_curves(market, random_trace(market, 800, 0), window=50, margin=0.1)
    expected = [added_in_order(counts * quality_shortfalls(market)) for counts in curves.selections[0]]
    assert curves.quality_regret[0].tolist() == expected
    expected = [added_in_order(counts * cost_excesses(market)) for counts in curves.selections[0]]
    assert curves.generation_regret[0].tolist() == expected


_BLAS = {"dot", "einsum", "inner", "linalg", "matmul", "tensordot", "vdot", "convolve", "correlate"}


@pytest.mark.long("parses all modules")
def test_no_result_is_a_product_whose_order_the_processor_chooses() -> None:
    """BLAS adds up in an order of its own on each processor; the documentation promises the same bits on all."""
    found = []
    for path in sorted(Path(mechanism.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            product = isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.MatMult)
            if product or (isinstance(node, ast.Attribute) and node.attr in _BLAS):
                found.append(f"{path.name}:{node.lineno}")
    assert found == []


@pytest.mark.for_each("n", [2, 3, 8, 9, 300])
def test_runs_together_are_each_alone(n: int) -> None:
    market = setting(*((0.9 - 0.02 * (i % 40), 1.0 + i / 64) for i in range(n)))
    tallies = [tally_of(market, random_trace(market, 800, seed), (750,)) for seed in range(5)]
    together = metrics_of_runs(market, Tally.of_runs(tallies), window=50)
    assert together == [metrics_of(market, tally, window=50) for tally in tallies]
    assert Tally.of_runs(tallies).each() == tallies


def test_no_runs_together() -> None:
    assert_refused("tallies", Tally.of_runs, [])
    none = CompiledEpisode(STRONG).totals(horizon=50, seed=0, runs=[])
    assert (none.each(), metrics_of_runs(STRONG, none, window=50)) == ([], [])


class TestByHand:
    trace = Trace([0, 1, 1], [10.0, 10.0, 3.0], [1.0, 0.0, 1.0], [4.0, 2.0, 2.0], [5.0, 1.0, 2.0])
    market = setting((0.9, 4.0), (0.7, 2.0), threshold=0.8)

    def test_without_an_optimal_provider_there_is_nothing_to_compare_with(self) -> None:
        tie = measure(setting((0.9, 4.0), (0.9, 4.0)), self.trace, window=3)
        none = (tie.share_of_optimal, tie.moving_share_of_optimal, tie.generation_regret, tie.identified)
        assert none == (None,) * 4
        assert (tie.excess_payment, tie.excess_payment_without_exploration) == (None, None)
        assert tie.average_payment_deviation is None
        assert tie.accuracy == 2 / 3

    def test_a_lone_qualified_provider_has_no_second_cost(self) -> None:
        lone = measure(self.market, self.trace, window=3)
        assert lone.excess_payment is None
        assert lone.share_of_optimal == 1 / 3
        assert lone.unqualified_share == 2 / 3
        assert lone.quality_regret == pytest.approx(0.2)

    def test_a_window_of_exploration_has_no_auction_payment(self) -> None:
        market = replace(self.market, platform=replace(self.market.platform, exploration_scale=9.0))
        found = measure(market, self.trace, window=1)
        assert found.exploration_steps == 1
        assert found.auction_payment_moving is None


class TestPolicies:
    def test_a_policy_without_exploration_has_none(self) -> None:
        trace = simulate(STRONG, horizon=300, seed=0)
        assert measure(STRONG, trace, window=100).exploration_steps > 0
        ablation = measure(STRONG, trace, window=100, policy=POLICIES["no-quality-filter"])
        assert ablation.exploration_steps == 0
        assert ablation.excess_payment_without_exploration == ablation.excess_payment
        assert ablation.eligible == 4


class TestErrors:
    def test_costs_are_needed(self) -> None:
        trace = random_trace(USUAL, 10, 0)
        with pytest.raises(InputError, match="cost=None is missing from the trace"):
            measure(USUAL, Trace(trace.provider, trace.payment, trace.score, trace.bid), window=1)

    def test_initialization_is_needed(self) -> None:
        assert_refused("steps are fewer than providers", measure, USUAL, random_trace(USUAL, 10, 0).head(2), window=1)


class TestSummary:
    runs = tuple(measure(USUAL, random_trace(USUAL, 30, seed), window=5) for seed in range(6))

    def test_mean_and_sample_standard_deviation(self) -> None:
        found = summarize(self.runs)
        assert found.keys() == vars(self.runs[0]).keys() - {"window"}
        for name in ("accuracy", "amount_paid", "exploration_steps", "identified", "generation_regret"):
            values = [float(getattr(run, name)) for run in self.runs]
            assert found[name].mean == pytest.approx(mean(values))
            assert found[name].sd == pytest.approx(stdev(values))
        each = zip(*(run.selections for run in self.runs), strict=True)
        assert found["selections"].mean == pytest.approx(tuple(map(mean, each)))

    def test_a_single_run_has_no_standard_deviation(self) -> None:
        found = summarize(self.runs[:1])
        assert (found["accuracy"].mean, found["accuracy"].sd) == (pytest.approx(self.runs[0].accuracy), None)
        assert found["payoffs"].mean == pytest.approx(self.runs[0].payoffs)
        assert found["payoffs"].sd is None

    def test_a_metric_that_some_run_lacks_is_lacking(self) -> None:
        found = summarize([self.runs[0], replace(self.runs[1], auction_payment_moving=None)])
        assert (found["auction_payment_moving"].mean, found["auction_payment_moving"].sd) == (None, None)
        assert found["accuracy"].mean is not None


R = RunField


def strayed(**columns: list[float]) -> Tally:
    """The tally of a hand-made trace of two providers that cost 2 and 4 and score 0.5, with narrow bands."""
    platform = NAMED["usual"].setting.platform
    providers = tuple(
        type(p)(p.name, 0.5, cost / 10) for p, cost in zip(NAMED["usual"].setting.providers, (2.0, 4.0), strict=False)
    )
    setting = Setting("two", type(platform)(0.0, 0.9, 1.0, 1e-9, 0.5), providers)
    steps = len(columns["score"])
    rows = {"provider": [0, 1] + [0] * (steps - 2), "payment": [1.0] * steps, "bid": [0.2] * steps, "cost": [0.2, 0.4]}
    rows["cost"] += [0.2] * (steps - 2)
    return tally_of(setting, Trace(**(rows | columns)))


def test_violations_are_counted_where_they_happen() -> None:
    """300 scores that alternate stay in their band; 300 ones leave it as soon as it is narrower than a half."""
    fair = [0.5, 0.5] + [0.0, 1.0] * 150
    assert strayed(score=fair).run(R.BAND_VIOLATIONS) == 0
    narrow = next(m for m in range(1, 300) if beta(m, 2, 0.9) < 0.5)
    assert strayed(score=[1.0, 0.5] + [1.0] * 300).run(R.BAND_VIOLATIONS) == 302 - narrow
    assert strayed(score=fair, cost=[0.2, 0.4] + [1.0] * 300).run(R.BAND_VIOLATIONS) > 250
    dear = strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 299 + [1.0])
    assert dear.run(R.PAYMENT_VIOLATIONS) == 1
    cheap = strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 299 + [0.0])
    assert cheap.run(R.PAYMENT_VIOLATIONS) == 1
    assert strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 300).run(R.PAYMENT_VIOLATIONS) == 0


FLOATS = st.floats(allow_nan=False)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    steps = draw(st.lists(st.integers(1, 10**9), min_size=1, max_size=4, unique=True).map(sorted))
    n = draw(st.integers(1, 6))
    shape = (len(steps), len(ProviderField), n)
    return Tally(
        tuple(steps),
        draw(arrays(float, shape, elements=FLOATS)),
        draw(arrays(float, (len(steps), len(RunField)), elements=FLOATS)),
    )


@given(tallies())
def test_bytes_and_back(tally: Tally) -> None:
    n = tally.by_provider.shape[-1]
    again = Tally.from_bytes(tally.to_bytes(), tally.steps, n)
    assert again == tally
    assert again.to_bytes() == tally.to_bytes()
    assert again.by_provider.dtype == np.float64
    assert len(tally.to_bytes()) == 8 * len(tally.steps) * (len(ProviderField) * n + len(RunField))


def counted() -> Tally:
    """A tally whose entries all differ."""
    n, steps = 3, (5, 9)
    by_provider = np.arange(len(steps) * len(ProviderField) * n, dtype=float)
    overall = 1000 + np.arange(len(steps) * len(RunField), dtype=float)
    return Tally(steps, by_provider.reshape(2, len(ProviderField), n), overall.reshape(2, len(RunField)))


@pytest.mark.for_each("step", [0, 4, 6, 10, -1])
def test_only_checkpoints_can_be_read(step: int) -> None:
    tally = counted()
    for read in (tally.provider, tally.run):
        assert_refused(rf"^step={step} is none of the checkpoints \(5, 9\)", read, 0, step)


@pytest.mark.for_each("change", [-8, -1, 1, 8])
def test_bytes_of_another_length_are_refused(change: int) -> None:
    tally = counted()
    data = tally.to_bytes()
    other = data[:change] if change < 0 else data + bytes(change)
    for wrong, steps, n in ((other, tally.steps, 3), (data, (*tally.steps, 10**10), 3), (data, tally.steps, 4)):
        assert_refused(r"^data=", Tally.from_bytes, wrong, steps, n)


def test_equality_is_that_of_steps_and_all_totals() -> None:
    one = counted()
    assert one == counted() != Tally((5, 8), one.by_provider, one.overall)
    for change in (lambda tally: tally.by_provider, lambda tally: tally.overall):
        other = counted()
        change(other).flat[-1] += 1
        assert one != other


COUNTS = ("eligible", "exploration_steps", "selections", "identified")
#: Of metrics, what a curve has under the same name.
SHARED = tuple(f.name for f in fields(Metrics) if f.name in (*CURVE_NAMES, "selections"))


def assert_metrics(found: Curves, column: int, expected: Metrics) -> None:
    for name in SHARED:
        wanted = getattr(expected, name)
        value = found[name][0, column]
        if name in COUNTS and wanted is not None:
            assert np.array_equal(value, wanted), name
        else:
            assert value == pytest.approx(np.nan if wanted is None else wanted, rel=1e-12, nan_ok=True), name


class TestSteps:
    @given(st.integers(2, 3000), st.integers(0, 10**6), st.lists(st.integers(0, 10**6)))
    def test_they_begin_with_n_end_with_t_and_hold_what_is_asked_for(self, n: int, more: int, also: list[int]) -> None:
        steps = curve_steps(n, n + more, also)
        assert (steps[0], steps[-1]) == (n, n + more)
        assert list(steps) == sorted(set(steps))
        assert {step for step in also if n <= step <= n + more} <= set(steps)

    def test_they_are_about_a_hundred_and_evenly_spaced_on_a_logarithmic_axis(self) -> None:
        steps = np.array(curve_steps(9, 70_000))
        late = steps[steps > 1000]
        assert 80 <= len(steps) <= 102
        assert np.ptp(late[1:] / late[:-1]) < 0.003

    def test_a_run_shorter_than_initialization_is_refused(self) -> None:
        assert_refused("horizon=3 must be a whole number from 4", curve_steps, 4, 3)


class TestOfATrace:
    @pytest.mark.for_each(("length", "seed"), [(3, 0), (4, 1), (8, 2), (8, 3), (60, 4), (60, 5)])
    def test_every_step_has_the_metrics_of_the_log_until_then(self, seed: int, length: int) -> None:
        trace = random_trace(USUAL, length, seed)
        found = trace_curves(USUAL, trace, window=7, margin=0.25, also=range(3, 60))
        assert found.steps.tolist() == list(range(3, length + 1))
        for column, step in enumerate(found.steps.tolist()):
            head = trace.head(step)
            assert_metrics(found, column, measure(USUAL, head, window=7))
            if step > USUAL.n_providers:  # the loops know nobody who is eligible before
                assert_metrics(found, column, naive(USUAL, head, 7))

    @pytest.mark.for_each("seed", range(5))
    def test_what_metrics_lack_against_loops(self, seed: int) -> None:
        window, trace = 11, random_trace(USUAL, 50, seed)
        model = Naive(USUAL, trace)
        explored = [bool(model.poor(t)) for t in range(1, 51)]
        rows = list(zip(*(c.tolist() for c in trace.columns().values()), explored, standing_bids(trace), strict=True))
        found = trace_curves(USUAL, trace, window=window, margin=0.5, also=range(3, 50))
        quality, costs = (0.0, 0.0, 0.2), (2.0, 0.0, 0.0)  # shortfalls of 0.5, and excesses over the cost of i*, 2
        for column, step in enumerate(found.steps.tolist()):
            recent = rows[max(0, step - window) : step]
            later = rows[max(3, step - window) : step]
            ordinary = [row for row in later if not row[5]]
            without = [row for row in rows[:step] if not row[5]]
            expected = {
                "moving_unqualified_share": mean(row[0] == 2 for row in recent),
                "quality_regret_without_exploration": sum(quality[row[0]] for row in without),
                "generation_regret_without_exploration": sum(costs[row[0]] for row in without),
                "amount_paid_moving": mean(row[1] for row in later) if later else np.nan,
                "generation_cost_moving": mean(row[4] for row in later) if later else np.nan,
                "query_price_moving": mean(1.5 * row[4] for row in later) if later else np.nan,
                "winning_bid_moving": mean(row[6] for row in ordinary) if ordinary else np.nan,
            }
            for name, value in expected.items():
                assert found[name][0, column] == pytest.approx(value, rel=1e-12, nan_ok=True), (name, step)

    def test_totals_at_other_steps_do_not_do(self) -> None:
        episode = NAMED["usual"]
        (tally,) = episode.compiled_tallies([0])
        with pytest.raises(InputError, match="step=7 is none of the totals' checkpoints"):
            curves_of(episode.setting, tally, steps=(7,), window=3, margin=0.25, policy=POLICIES["platform"])


def assert_fast_is_plain(episode: Episode, window: int) -> None:
    policy, n = POLICIES[episode.policy], episode.setting.n_providers
    if episode.horizon < n:
        return
    margin = episode.laws.tables().margin
    trace = episode.plain()
    plain = trace_curves(episode.setting, trace, window=window, margin=margin, policy=policy)
    steps = tuple(plain.steps.tolist())
    totals = replace(episode, checkpoints=totals_steps(steps, window, n))
    (tally,) = totals.compiled_tallies([episode.run])
    fast = curves_of(episode.setting, tally, steps=steps, window=window, margin=margin, policy=policy)
    bound = episode.setting.platform.cost_bound
    for name in (*CURVE_NAMES, "selections"):
        if name in COUNTS:
            assert np.array_equal(fast[name], plain[name], equal_nan=True), name
        else:
            # Sums are added up in another order. A moving average is a difference of sums, so its rounding is that of
            # the sums: relative to the largest amounts, not to itself.
            np.testing.assert_allclose(fast[name], plain[name], rtol=1e-12, atol=1e-12 * bound, err_msg=name)
    assert_metrics(plain, -1, measure(episode.setting, trace, window=window, policy=policy))


@pytest.mark.long("plays 100 episodes in Python")
@given(episodes(longest=400), st.integers(1, 500))
def test_the_fast_path_has_the_curves_of_the_plain_one(episode: Episode, window: int) -> None:
    assert_fast_is_plain(episode, window)


@pytest.mark.for_each("name", NAMED)
def test_the_fast_path_on_episodes_made_for_the_edges(name: str) -> None:
    assert_fast_is_plain(NAMED[name], 60)


@pytest.mark.for_each("policy", POLICIES)
@pytest.mark.parametrize(("threshold", "qualities"), [(0.5, (0.9, 0.8)), (1.0, (0.0, 0.0)), (1.0, (1.0, 0.0))])
def test_the_fast_path_with_two_providers(policy: str, threshold: float, qualities: tuple[float, float]) -> None:
    usual = NAMED["usual"]
    platform = replace(usual.setting.platform, quality_threshold=threshold)
    two = [replace(provider, quality=q) for provider, q in zip(usual.setting.providers[:2], qualities, strict=True)]
    market = Setting("two", platform, two)
    for horizon in (2, 3, 40):
        assert_fast_is_plain(replace(usual, setting=market, horizon=horizon, policy=policy, checkpoints=()), 5)


CAMPAIGN = Campaign(STRONG, horizon=700, runs=4, seed=3, window=120, policies=("platform", "lowest-price"))


def kept(campaign: Campaign, folder: Path | None, **options: bool) -> CampaignResult:
    return run_campaign(campaign, out=None if folder is None else str(folder), traces=False, **options)


@functools.cache
def result() -> CampaignResult:
    return run_campaign(CAMPAIGN, curves=True)


class TestCampaigns:
    def test_they_are_those_of_the_plain_runs(self) -> None:
        for (_, policy), found in result().curves.items():
            assert found.runs == 4
            for run in range(4):
                trace = simulate(STRONG, horizon=700, seed=3, run=run, policy=POLICIES[policy])
                also = CAMPAIGN.parts[0].curve_steps
                plain = trace_curves(STRONG, trace, window=120, margin=0.25, policy=POLICIES[policy], also=also)
                assert found.steps.tolist() == plain.steps.tolist()
                for name in (*CURVE_NAMES, "selections"):
                    np.testing.assert_allclose(found[name][run], plain[name][0], rtol=1e-12, atol=0, err_msg=name)

    def test_the_last_step_has_the_metrics_also_once_kept(self) -> None:
        for key, found in result().curves.items():
            assert {120, 546, 700} <= set(found.steps.tolist())
            runs = [Curves.from_bytes(one_run(found, run).to_bytes(), 120, 4) for run in range(4)]
            assert Curves.joined(runs) == found != Curves.joined(runs[::-1])
            for run, metrics in zip(runs, result().metrics[key], strict=True):
                assert_metrics(run, -1, metrics)

    def test_to_ask_for_them_changes_nothing_else(self, tmp_path: Path) -> None:
        assert run_campaign(CAMPAIGN).metrics == result().metrics == kept(CAMPAIGN, tmp_path).metrics
        assert run_campaign(CAMPAIGN).curves == {}

    def test_a_folder_gives_them_without_simulating_again(self, tmp_path: Path) -> None:
        kept(replace(CAMPAIGN, runs=3), tmp_path)
        whole = kept(CAMPAIGN, tmp_path, curves=True)
        assert whole.curves == result().curves
        assert whole.resumed == 2 * 3
        again = kept(CAMPAIGN, tmp_path, curves=True)
        assert (again.steps, again.curves) == (0, result().curves)

    def test_the_table_holds_every_band(self, tmp_path: Path) -> None:
        names = [provider.name for provider in STRONG.providers]
        export_curves(result().curves, {"gpqa-strong": names}, str(tmp_path / "c.csv"))
        with open(tmp_path / "c.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        found = result().curves["gpqa-strong", "platform"]
        assert len(rows) == 2 * len(found.steps) * (len(CURVE_NAMES) + 4)
        wanted = {"policy": "platform", "metric": "amount_paid", "step": "700"}
        (row,) = [row for row in rows if wanted.items() <= row.items()]
        values = np.sort(found.amount_paid[:, -1])
        assert float(row["median"]) == pytest.approx((values[1] + values[2]) / 2)
        wanted |= {"metric": f"selections[{names[2]}]"}
        (row,) = [row for row in rows if wanted.items() <= row.items()]
        assert float(row["q90"]) == np.quantile(found.selections[:, -1, 2], 0.9)
        wanted |= {"metric": "amount_paid_moving", "step": "4"}
        (row,) = [row for row in rows if wanted.items() <= row.items()]
        assert (row["q10"], row["median"], row["q90"]) == ("", "", "")


def one_run(found: Curves, run: int) -> Curves:
    return replace(found, **{name: found[name][[run]] for name in (*CURVE_NAMES, "selections")})


class TestBands:
    @property
    def found(self) -> Curves:
        return result().curves["gpqa-strong", "platform"]

    def test_a_median_and_a_band_are_numpys(self) -> None:
        for name in ("quality_regret", "eligible", "selections"):
            low, high = self.found.band(name, 0.25, 1.0)
            assert np.array_equal(self.found.median(name), np.median(self.found[name], axis=0))
            assert np.array_equal(low, np.quantile(self.found[name], 0.25, axis=0))
            assert np.array_equal(high, self.found[name].max(axis=0))
            assert self.found.mean(name) == pytest.approx(self.found[name].mean(axis=0))

    def test_runs_without_a_value_are_left_out(self) -> None:
        values = np.array([[np.nan, np.nan, 1.0], [np.nan, 4.0, 2.0], [np.nan, 6.0, 6.0]])
        runs = replace(self.found, winning_bid_moving=values)
        assert runs.median("winning_bid_moving").tolist() == pytest.approx([np.nan, 5.0, 2.0], nan_ok=True)
        assert runs.mean("winning_bid_moving").tolist() == pytest.approx([np.nan, 5.0, 3.0], nan_ok=True)

    def test_wrong_questions_are_refused(self) -> None:
        assert_refused("name='amount_payed' must be one of", self.found.median, "amount_payed")
        assert_refused(r"levels=1.5 must lie in \[0, 1\]", self.found.quantiles, "accuracy", 1.5)
        with pytest.raises(InputError, match="bytes are no curves of 5 providers"):
            Curves.from_bytes(one_run(self.found, 0).to_bytes(), 120, 5)
