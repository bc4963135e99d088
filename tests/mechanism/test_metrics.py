"""The paper's metrics against loops over the log that follow appendix D."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest

import mechanism
from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import simulate
from mechanism.metrics.curves import trace_curves
from mechanism.metrics.measures import (
    Metrics,
    cost_excesses,
    measure,
    metrics_of,
    metrics_of_runs,
    quality_shortfalls,
    summarize,
)
from mechanism.metrics.tally import Tally, tally_of
from mechanism.policies import POLICIES
from mechanism.trace import Trace
from tests.bounds.by_hand import setting_of
from tests.proofs_checks.claims.test_case import Naive

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


def test_against_loops_on_the_platform() -> None:
    trace = simulate(STRONG, horizon=120, seed=2)
    assert_same(measure(STRONG, trace, window=100), naive(STRONG, trace, 100))


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
    with pytest.raises(InputError, match="tallies"):
        Tally.of_runs([])
    none = CompiledEpisode(STRONG).totals(horizon=50, seed=0, runs=[])
    assert (none.each(), metrics_of_runs(STRONG, none, window=50)) == ([], [])


class TestByHand:
    trace = Trace([0, 1, 1], [10.0, 10.0, 3.0], [1.0, 0.0, 1.0], [4.0, 2.0, 2.0], [5.0, 1.0, 2.0])
    market = setting((0.9, 4.0), (0.7, 2.0), threshold=0.8)

    def test_a_tie_of_counts_identifies_nobody(self) -> None:
        market = setting((0.9, 4.0), (0.7, 2.0))
        assert measure(market, self.trace.head(2), window=1).identified == 0.0

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
        with pytest.raises(InputError, match="steps are fewer than providers"):
            measure(USUAL, random_trace(USUAL, 10, 0).head(2), window=1)


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
