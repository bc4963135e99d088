"""Two policies on common outcomes: the pairs, when they are decided, and how seldom that is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.campaign.spec import Campaign
from mechanism.comparison import compare
from mechanism.comparison.compare import compare_policies
from mechanism.comparison.confidence_sequence import decided_after
from mechanism.comparison.ranges import COMPARED, FIRST_COMPARED, largest_value
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import simulate
from mechanism.metrics.measures import measure, metrics_of
from mechanism.policies import POLICIES, Policy
from tests.mechanism.null_pairs import student_decides_after

SETTING = published("gpqa-strong").setting
PLATFORM = SETTING.platform
CAMPAIGN = Campaign(SETTING, horizon=2_000, runs=100, seed=3, window=500, policies=("uniform-eligible", "lowest-price"))
ERROR = 0.05


def own(policy: str, pay: float | None = None) -> Policy:
    """A policy of one's own: one of ours behind another interface, with other payments if asked."""

    def make(setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> object:
        mechanism = POLICIES[policy].make(setting, rng)
        if pay is not None:
            assign = mechanism.assign
            mechanism.assign = lambda: (assign()[0], pay)
        return mechanism

    return replace(POLICIES[policy], make=make, compiled=False)


def test_pairs_meet_the_same_outcomes() -> None:
    found = compare_policies(CAMPAIGN, metrics=COMPARED)
    for place, policy in enumerate(CAMPAIGN.policies):
        runs = [
            measure(
                SETTING,
                simulate(SETTING, horizon=2_000, seed=3, run=run, policy=POLICIES[policy]),
                window=500,
                policy=POLICIES[policy],
            )
            for run in range(found.runs)
        ]
        for row in found.metrics:
            mean = np.mean([getattr(run, row.metric) for run in runs])
            assert (row.first_mean, row.second_mean)[place] == pytest.approx(mean, rel=1e-9, abs=1e-12)
    for row in found.metrics:
        assert row.mean_difference == pytest.approx(row.first_mean - row.second_mean, abs=1e-6 * row.largest_difference)
        assert row.low <= row.mean_difference <= row.high


def test_stops_at_the_run_that_decides_the_last_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare_policies(CAMPAIGN)
    assert [row.metric for row in found.metrics] == list(FIRST_COMPARED)
    assert found.decided == 3
    assert found.runs == max(row.decided_after for row in found.metrics) < 100
    assert found.error_each == pytest.approx(ERROR / 3)
    assert [row.lower for row in found.metrics] == ["uniform-eligible", "lowest-price", "lowest-price"]
    monkeypatch.setattr(compare, "_AT_ONCE", 7)  # how many are played at once is nobody's business
    again = compare_policies(CAMPAIGN)
    assert replace(again, seconds=0.0).to_data() == replace(found, seconds=0.0).to_data()


def test_plain_policies_give_the_same_numbers_as_compiled_ones() -> None:
    short = replace(CAMPAIGN, horizon=300, runs=8)
    mine = replace(short, policies=("my:router", "lowest-price"), own_policies={"my:router": own("uniform-eligible")})
    for ours, theirs in zip(compare_policies(short).metrics, compare_policies(mine).metrics, strict=True):
        assert theirs.first_mean == pytest.approx(ours.first_mean, rel=1e-12)
        assert theirs.low == pytest.approx(ours.low, rel=1e-9)


def test_policies_that_serve_alike_are_not_told_apart() -> None:
    same = replace(
        CAMPAIGN, horizon=200, runs=30, policies=("my:router", "platform"), own_policies={"my:router": own("platform")}
    )
    found = compare_policies(same)
    assert (found.decided, found.runs) == (0, 30)
    assert all(row.mean_difference == 0 for row in found.metrics if row.metric != "amount_paid")
    assert all(row.low < 0 < row.high for row in found.metrics)


def null_differences(pairs: int, runs: int, seed: int) -> dict[str, np.ndarray]:
    """Differences of runs that differ in their randomness alone, each as a share of what can differ; (pairs, runs)."""
    horizon = 40
    episode = CompiledEpisode(SETTING, POLICIES["uniform-eligible"])
    count = 2 * pairs * runs
    tallies = episode.tallies(horizon=horizon, seed=seed, runs=range(count))
    found = [metrics_of(SETTING, tally, window=horizon) for tally in tallies]
    differences = {}
    for metric in FIRST_COMPARED:
        most = largest_value(metric, SETTING, horizon=horizon, largest_payment=1.25 * PLATFORM.cost_bound)
        values = np.array([getattr(each, metric) for each in found]).reshape(pairs, runs, 2) / most
        differences[metric] = values[..., 0] - values[..., 1]
    return differences


def wrong(differences: dict[str, np.ndarray], decide) -> int:
    """Pairs of which some metric is decided at some time, the error shared as `compare` does."""
    decided = [decide(each, largest=1.0, error=ERROR / len(differences)) > 0 for each in differences.values()]
    return int(np.any(decided, axis=0).sum())


def test_null_pairs_of_runs() -> None:
    """A rule that is wrong in 5% of the pairs would fail this with probability 1e-6."""
    pairs = 200
    differences = null_differences(pairs, 40, seed=11)
    allowed = int(scipy.stats.binom.isf(1e-6, pairs, ERROR))
    assert wrong(differences, decided_after) <= allowed
    assert wrong(differences, student_decides_after) > 0


@pytest.mark.sweep
def test_ten_thousand_null_pairs_of_runs() -> None:
    pairs, runs = 10_000, 40
    found = np.zeros(2, dtype=int)
    for seed in range(20):
        differences = null_differences(pairs // 20, runs, seed=100 + seed)
        found += [wrong(differences, rule) for rule in (decided_after, student_decides_after)]
    ours, peeked = found.tolist()
    told = f"{ours:,} of {pairs:,} null pairs told apart within {runs} runs; {peeked:,} by a peeked t-interval"
    print(told)  # noqa: T201
    assert ours <= ERROR * pairs < peeked


@pytest.mark.for_each("policy", POLICIES)
@pytest.mark.parametrize("name", ["gpqa-strong", "gsm8k-ladder"])
def test_ranges_are_kept(name: str, policy: str) -> None:
    setting = published(name).setting
    runs = CompiledEpisode(setting, POLICIES[policy]).tallies(horizon=500, seed=1, runs=range(20))
    for metric in COMPARED:
        most = largest_value(metric, setting, horizon=500, largest_payment=1.25 * setting.platform.cost_bound)
        values = [getattr(metrics_of(setting, run, window=500), metric) for run in runs]
        assert 0 <= min(values) <= max(values) <= most


def test_ranges_are_the_worst_that_can_happen() -> None:
    """Beside always serving the worst provider at the highest payment."""
    worst = {"quality_regret": 0, "generation_regret": 3}
    for metric, provider in worst.items():
        each = SETTING.providers[provider]
        short = max(PLATFORM.quality_threshold - each.quality, 0.0)
        dear = max(each.mean_cost - SETTING.providers[SETTING.optimal].mean_cost, 0.0)
        total = 100 * (short if metric == "quality_regret" else dear)
        assert largest_value(metric, SETTING, horizon=100, largest_payment=1.0) == pytest.approx(total)
    assert largest_value("excess_payment", SETTING, horizon=100, largest_payment=1.0) == 0


def test_what_cannot_differ_is_left_out_or_refused() -> None:
    everybody = replace(SETTING, platform=replace(PLATFORM, quality_threshold=0.0))
    campaign = replace(CAMPAIGN, settings=everybody, horizon=100, runs=2)
    assert [row.metric for row in compare_policies(campaign).metrics] == ["generation_regret", "amount_paid"]
    with pytest.raises(InputError, match="is always 0 in gpqa-strong"):
        compare_policies(campaign, metrics=["quality_regret"])
    nobody = replace(campaign, settings=replace(SETTING, platform=replace(PLATFORM, quality_threshold=0.99)))
    with pytest.raises(InputError, match="is not defined in gpqa-strong"):
        compare_policies(nobody, metrics=["share_of_optimal"])
    with pytest.raises(InputError, match="must be one of"):
        compare_policies(campaign, metrics=["payoffs"])


@pytest.mark.parametrize("policies", [("platform",), ("platform", "platform"), ("platform", "lowest-price", "x")])
def test_two_different_policies_are_needed(policies: tuple[str, ...]) -> None:
    mine = {"x": POLICIES["no-quality-filter"]}
    with pytest.raises(InputError, match="two different policies"):
        compare_policies(replace(CAMPAIGN, policies=policies, own_policies=mine))


@pytest.mark.parametrize("pay", [-1.0, 200.0])
def test_a_payment_out_of_its_range_is_no_silent_lie(pay: float) -> None:
    campaign = replace(
        CAMPAIGN,
        horizon=50,
        runs=2,
        policies=("my:router", "platform"),
        own_policies={"my:router": own("platform", pay)},
    )
    with pytest.raises(InputError, match=r"of my:router, run 0, lies outside \[0, 93.76\]"):
        compare_policies(campaign)
