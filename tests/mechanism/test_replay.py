"""A replayed trace must give back, bit for bit, the state that the platform had."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal

from bounds.errors import InputError
from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, PlatformState
from mechanism.replay import Replay
from mechanism.tables import radius_table, target_table
from mechanism.trace import Trace

CONFIGS = st.builds(
    MechanismConfig,
    n_providers=st.integers(2, 5),
    quality_threshold=st.sampled_from([0.0, 0.3, 0.9, 1.0]),
    confidence=st.sampled_from([0.05, 0.5, 0.95]),
    cost_bound=st.sampled_from([1.0, 102.4, 0.1]),
    exploration_scale=st.sampled_from([1e-3, 0.7, 2.0]),
    exploration_exponent=st.sampled_from([0.5, 2 / 3, 0.75]),
    belief_slack=st.sampled_from([0.0, 0.3]),
)
#: Scores and bids (as shares of the cost bound) whose sums are rounded, and ties.
SHARES = st.one_of(st.sampled_from([0.0, 0.1, 0.3, 1.0]), st.floats(0, 1))


class Watched(Platform):
    """A platform that notes what it knew and did before and at every step."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.states: list[PlatformState] = []
        self.able: list[tuple[int, ...]] = []
        self.kinds: list[str] = []

    def assign(self) -> tuple[int, float]:
        self.states.append(self.knowledge())
        self.able.append(self.eligible)
        return super().assign()

    def _initialize(self) -> tuple[int, float]:
        self.kinds.append("initialization")
        return super()._initialize()

    def _choose(self, allocation: rules.Allocation) -> int:
        self.kinds.append(allocation.kind)
        return super()._choose(allocation)


def play(
    config: MechanismConfig, outcomes: list[tuple[float, float]], seed: int, **options: Any
) -> tuple[Watched, Trace]:
    platform = Watched(config, np.random.default_rng(seed), **options)
    rows = []
    for score, share in outcomes:
        provider, payment = platform.assign()
        bid = share * config.cost_bound
        platform.settle(score, bid)
        rows.append((provider, payment, score, bid))
    return platform, Trace(*(list(column) for column in zip(*rows, strict=True)))


def assert_same_states(platform: Watched, replay: Replay) -> None:
    states = platform.states
    assert replay.steps.tolist() == [state.step for state in states]
    assert replay.counts.tolist() == [list(state.counts) for state in states]
    assert_array_equal(replay.quality_estimates, [state.quality_estimates for state in states], strict=True)
    assert_array_equal(replay.standing_bids, [state.standing_bids for state in states], strict=True)
    final = platform.knowledge()
    assert replay.final_counts.tolist() == list(final.counts)
    assert_array_equal(replay.final_quality_estimates, final.quality_estimates, strict=True)


def assert_same_kinds(platform: Watched, replay: Replay) -> None:
    flags = {
        "initialization": replay.initialization,
        "exploration": replay.exploration,
        "auction": replay.auction,
        "empty": replay.empty,
    }
    for kind, flag in flags.items():
        assert flag.tolist() == [found == kind for found in platform.kinds]
    for row, able in enumerate(platform.able):
        expected = () if replay.initialization[row] else able
        assert tuple(np.flatnonzero(replay.eligible[row])) == expected


def assert_same_payments(config: MechanismConfig, replay: Replay) -> None:
    """Recompute radii, targets and critical payments number by number, with the rules that the platform uses."""
    radius = radius_table(config.n_providers, config.confidence)
    target = target_table(config.n_providers, config.exploration_scale, config.exploration_exponent)
    width = (1 + config.belief_slack) * config.cost_bound
    for row, state_counts in enumerate(replay.counts.tolist()):
        radii = [radius[m] if m else math.nan for m in state_counts]
        cost_radii = [width * r for r in radii]
        adjusted = rules.adjusted_bids(replay.standing_bids[row].tolist(), cost_radii)
        able = tuple(np.flatnonzero(replay.eligible[row]).tolist())
        assert_array_equal(replay.radii[row], radii)
        assert_array_equal(replay.cost_radii[row], cost_radii)
        assert_array_equal(replay.adjusted_bids[row], adjusted)
        assert replay.targets[row] == target[row + 1]
        explored = rules.under_sampled(able, state_counts, target[row + 1])
        assert tuple(np.flatnonzero(replay.under_sampled[row])) == explored
        for i in range(config.n_providers):
            found = replay.critical_payments[row, i]
            if i not in able:
                assert math.isnan(found)
            else:
                critical = rules.critical_payment(i, able, adjusted, cost_radii[i])
                assert found == (math.inf if critical is None else critical)


def assert_paid_by_the_rule(config: MechanismConfig, replay: Replay) -> None:
    """The served provider's critical payment, capped, is bit for bit what the platform paid."""
    critical = replay.of_served(replay.critical_payments)
    expected = np.where(replay.auction, np.minimum(critical, config.cost_bound), config.cost_bound)
    assert_array_equal(replay.trace.payment, expected)


def check(config: MechanismConfig, outcomes: list[tuple[float, float]], seed: int, **options: Any) -> Counter[str]:
    platform, trace = play(config, outcomes, seed, **options)
    replay = Replay(config, trace)
    assert_same_states(platform, replay)
    assert_same_kinds(platform, replay)
    assert_same_payments(config, replay)
    assert_paid_by_the_rule(config, replay)
    return Counter(platform.kinds) + Counter({"lone": sum(len(able) == 1 for able in platform.able)})


@given(
    CONFIGS,
    st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=40),
    st.integers(0, 99),
    st.sampled_from(["first", "random"]),
)
@settings(deadline=None, max_examples=150)
def test_a_replay_gives_back_the_platform(
    config: MechanismConfig, outcomes: list[tuple[float, float]], seed: int, ties: str
) -> None:
    order = np.random.default_rng(seed).permutation(config.n_providers).tolist()
    check(config, outcomes, seed, ties=ties, order=order)


def test_a_replay_gives_back_long_runs_with_every_kind_of_step() -> None:
    met: Counter[str] = Counter()
    rng = np.random.default_rng(5)
    for threshold, scale, chance in itertools.product([0.3, 0.5, 0.97], [0.01, 3.0], [0.0, 0.5, 0.8]):
        config = MechanismConfig(4, threshold, 0.5, 102.4, scale, 0.75, 0.1)
        scores = (rng.random(600) < chance) * rng.random(600)
        met += check(config, [*zip(scores.tolist(), rng.random(600).tolist(), strict=True)], seed=0)
    assert all(met[kind] > 50 for kind in ("exploration", "auction", "empty", "lone")), met


@given(st.lists(st.tuples(st.integers(0, 2), SHARES, SHARES, SHARES), max_size=25), st.booleans())
@settings(deadline=None)
def test_the_log_of_any_mechanism_can_be_replayed(rows: list[tuple[int, float, float, float]], with_cost: bool) -> None:
    """Providers in any order, some never: counts, estimates and bids recomputed one by one from the rows before."""
    config = MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75)
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    provider, score, bid, cost = columns
    replay = Replay(config, Trace(provider, bid, score, bid, cost if with_cost else None))
    for t in range(len(rows) + 1):
        before = rows[:t]
        for i in range(3):
            own = [row for row in before if row[0] == i]
            state = (replay.counts[t] if t < len(rows) else replay.final_counts, replay.final_quality_estimates)
            quality = replay.quality_estimates[t] if t < len(rows) else state[1]
            assert state[0][i] == len(own)
            assert_array_equal(quality[i], mean([row[1] for row in own]))
            if with_cost:
                estimates = replay.cost_estimates[t] if t < len(rows) else replay.final_cost_estimates
                assert_array_equal(estimates[i], mean([row[3] for row in own]))
            if t < len(rows):
                assert_array_equal(replay.standing_bids[t, i], own[-1][2] if own else math.nan)
    assert not replay.eligible[np.isnan(replay.quality_estimates)].any()


def mean(numbers: list[float]) -> float:
    total = 0.0
    for number in numbers:
        total += number
    return total / len(numbers) if numbers else math.nan


def test_of_served_picks_the_entry_of_the_provider_that_served() -> None:
    config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    replay = Replay(config, Trace([1, 0, 1], [1, 1, 1], [1, 0, 1], [0.2, 0.3, 0.4]))
    assert replay.of_served(np.array([[1, 2], [3, 4], [5, 6]])).tolist() == [2, 3, 6]


def test_what_a_step_changes_is_the_next_state_of_the_served_provider() -> None:
    config = MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75)
    served, rng = [2, 0, 1, 0, 0, 2, 1], np.random.default_rng(1)
    replay = Replay(config, Trace(served, *rng.random((4, 7)).tolist()))
    for t, i in enumerate(served):
        last = t + 1 == len(served)
        assert replay.counts_after[t] == (replay.final_counts if last else replay.counts[t + 1])[i]
        quality = replay.final_quality_estimates if last else replay.quality_estimates[t + 1]
        assert replay.quality_estimates_after[t] == quality[i]
        cost = replay.final_cost_estimates if last else replay.cost_estimates[t + 1]
        assert replay.cost_estimates_after[t] == cost[i]


def test_an_empty_trace_has_empty_columns() -> None:
    replay = Replay(MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75), Trace([], [], [], [], []))
    for name in (
        "counts",
        "quality_estimates",
        "cost_estimates",
        "standing_bids",
        "radii",
        "eligible",
        "critical_payments",
    ):
        assert getattr(replay, name).shape == (0, 3)
    for name in ("steps", "targets", "initialization", "exploration", "empty", "auction", "counts_after"):
        assert getattr(replay, name).shape == (0,)
    assert replay.final_counts.tolist() == [0, 0, 0]
    assert np.isnan(replay.final_quality_estimates).all()


@pytest.mark.parametrize(("provider", "row", "value"), [([0, 3, 1], 1, 3), ([0, 2, -1], 2, -1)])
def test_providers_of_another_setting_are_refused(provider: list[int], row: int, value: int) -> None:
    config = MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75)
    with pytest.raises(InputError, match=rf"provider\[{row}\]={value} must lie in 0\.\.2"):
        Replay(config, Trace(provider, [1] * 3, [1] * 3, [1] * 3))


def test_cost_estimates_need_costs() -> None:
    replay = Replay(MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75), Trace([0], [1], [1], [1]))
    with pytest.raises(InputError, match="cost=None is missing"):
        _ = replay.final_cost_estimates
