"""A replayed trace gives back the state that the platform had, whole or in parts, to the last bit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from bounds.errors import InputError
from costproof.strategies import histories, markets
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from mechanism.replay import Replay, ReplayState
from mechanism.tables import TabulatedFunction, window
from mechanism.trace import Trace
from proofs_checks.conformance.play.played import played_by
from proofs_checks.conformance.play.scenario import Scenario
from tests.drawn import drawn
from tests.mechanism.test_queries_in_flight import delayed_logs


def check(history: Scenario, ties: str = "first") -> Counter[str]:
    """Replay a platform's log: its payments come out bit for bit, and its last state; count the kinds of steps."""
    config, steps = history.config, history.horizon
    platform = Platform(config, np.random.default_rng(history.seed), ties=ties)  # type: ignore[arg-type]
    replay, final = played_by(platform, history).replay, platform.knowledge()
    assert replay.steps.tolist() == list(range(1, steps + 1))
    assert (replay.final_counts.tolist(), final.step) == (list(final.counts), steps + 1)
    assert_array_equal(replay.final_quality_estimates, final.quality_estimates, strict=True)
    critical = replay.of_served(replay.critical_payments)
    expected = np.where(replay.auction, np.minimum(critical, config.cost_bound), config.cost_bound)
    assert_array_equal(replay.trace.payment, expected)
    flags = ("initialization", "exploration", "auction", "empty")
    met = Counter({kind: int(getattr(replay, kind).sum()) for kind in flags})
    assert met.total() == steps
    return met


@given(histories(markets(slacks=True), horizon=(1, 40), bidding=None), st.sampled_from(["first", "random"]))
def test_a_replay_gives_back_the_platform(history: Scenario, ties: str) -> None:
    check(history, ties)


def test_a_replay_gives_back_long_runs_with_every_kind_of_step() -> None:
    met: Counter[str] = Counter()
    for history in drawn(histories(markets("none") | markets(slacks=True), horizon=150, bidding="arbitrary"), 20):
        met += check(history)
    assert all(met[kind] > 50 for kind in ("exploration", "auction", "empty")), met


def test_an_empty_trace_has_empty_columns() -> None:
    replay = Replay(MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75), Trace([], [], [], [], []))
    for name in ("counts", "cost_estimates", "standing_bids", "radii", "eligible", "critical_payments"):
        assert getattr(replay, name).shape == (0, 3)
    for name in ("steps", "targets", "exploration", "auction", "counts_after"):
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
        _ = replay.cost_estimates


CONFIG = MechanismConfig(3, 0.6, 0.05, 2.0, 1.5, 0.6, 0.1)
BY_STEP = (
    "steps",
    "served",
    "counts",
    "quality_estimates",
    "standing_bids",
    "radii",
    "cost_radii",
    "adjusted_bids",
    "targets",
    "initialization",
    "eligible",
    "under_sampled",
    "exploration",
    "empty",
    "auction",
    "critical_payments",
    "counts_after",
    "quality_estimates_after",
    "radii_after",
)
COSTS = ("cost_estimates", "cost_estimates_after")


@st.composite
def logs(draw: st.DrawFn) -> tuple[Trace, list[int]]:
    """A log of amounts whose sums are rounded, and where to cut it; feedback may be late or lost."""
    trace = draw(delayed_logs())
    cuts = sorted(draw(st.lists(st.integers(0, len(trace)), max_size=5)))
    return trace if draw(st.booleans()) else replace(trace, settled=None), cuts


def parts_of(trace: Trace, cuts: list[int]) -> list[Replay]:
    found: list[Replay] = []
    before = None
    for start, end in zip([0, *cuts], [*cuts, len(trace)], strict=True):
        found.append(Replay(CONFIG, trace.rows(slice(start, end)), before))
        before = found[-1].after
    return found


@given(logs())
def test_parts_are_the_whole(log: tuple[Trace, list[int]]) -> None:
    trace, cuts = log
    whole, parts = Replay(CONFIG, trace), parts_of(trace, cuts)
    for name in BY_STEP + (COSTS if trace.cost is not None else ()):
        assert_array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name), name)
    assert_array_equal(np.concatenate([part.settlements.steps for part in parts]), whole.settlements.steps)
    for name in ("steps", "counts", "score_sums", "bids"):
        assert_array_equal(getattr(parts[-1].after, name), getattr(whole.after, name))


def test_far_steps_and_counts() -> None:
    """Beyond what tables keep: the radii and targets of a part that begins at step 3 million."""
    before = ReplayState(3_000_000, np.array([2_900_000, 60_000, 40_000]), *(np.full(3, 1e4) for _ in range(3)))
    replay = Replay(CONFIG, Trace([0, 1, 0], [1.0] * 3, [1.0] * 3, [0.5] * 3), before)
    counts = [[2_900_000, 60_000, 40_000], [2_900_001, 60_000, 40_000], [2_900_001, 60_001, 40_000]]
    radii = np.sqrt(np.log(2 * np.pi**2 * 3 * np.square(counts, dtype=float) / 0.15) / (2 * np.array(counts)))
    np.testing.assert_allclose(replay.radii, radii, rtol=1e-13)
    goal = 1.5 * (np.arange(3_000_001, 3_000_004) / 3) ** 0.6
    assert_array_equal(replay.targets, np.ceil(goal))


def test_an_empty_window() -> None:
    assert len(window(TabulatedFunction(lambda n: n), 10, 9, kept=1)) == 0
