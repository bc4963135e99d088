"""A log replayed part by part gives the numbers of the whole, to the last bit; tables far out are those near by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal

from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.tables import Table, entries, radius_table, target_table, window
from mechanism.trace import Trace

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
FINAL = ("final_counts", "final_quality_estimates")


@st.composite
def logs(draw: st.DrawFn) -> tuple[Trace, list[int]]:
    """A log of amounts whose sums are rounded, and where to cut it; parts may be empty."""
    length = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    amounts = (rng.random(length) for _ in range(3))
    payment, score, bid = amounts
    cost = rng.random(length) if draw(st.booleans()) else None
    trace = Trace(rng.integers(0, 3, length), payment, score, 2 * bid, cost)
    return trace, sorted(draw(st.lists(st.integers(0, length), max_size=5)))


def parts_of(trace: Trace, cuts: list[int]) -> list[Replay]:
    found: list[Replay] = []
    before = None
    for start, end in zip([0, *cuts], [*cuts, len(trace)], strict=True):
        part = Trace(**{name: column[start:end] for name, column in trace.columns().items()})
        found.append(Replay(CONFIG, part, before))
        before = found[-1].after
    return found


@given(logs())
@settings(max_examples=200)
def test_parts_are_the_whole(log: tuple[Trace, list[int]]) -> None:
    trace, cuts = log
    whole, parts = Replay(CONFIG, trace), parts_of(trace, cuts)
    for name in BY_STEP + (COSTS if trace.cost is not None else ()):
        assert_array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name), name)
    for name in FINAL + (("final_cost_estimates",) if trace.cost is not None else ()):
        assert_array_equal(getattr(parts[-1], name), getattr(whole, name))


@given(logs())
def test_what_is_carried(log: tuple[Trace, list[int]]) -> None:
    trace, cuts = log
    after = parts_of(trace, cuts)[-1].after
    assert after.steps == len(trace)
    for provider in range(3):
        mine = trace.provider == provider
        assert after.counts[provider] == mine.sum()
        sums = 0.0
        for score in trace.score[mine]:
            sums += score
        assert after.score_sums[provider] == sums
        last = trace.bid[mine][-1] if mine.any() else np.nan
        assert_array_equal(after.bids[provider], last)


def test_nothing_is_before_a_whole_trace() -> None:
    start = Replay(CONFIG, Trace([0], [1.0], [1.0], [0.5])).start
    assert start.steps == 0
    assert start.counts.sum() == 0
    assert np.isnan(start.bids).all()


def test_far_steps_and_counts() -> None:
    """Beyond what tables keep: the radii and targets of a part that begins at step 3 million."""
    before = ReplayState(3_000_000, np.array([2_900_000, 60_000, 40_000]), *(np.full(3, 1e4) for _ in range(3)))
    replay = Replay(CONFIG, Trace([0, 1, 0], [1.0] * 3, [1.0] * 3, [0.5] * 3), before)
    counts = [[2_900_000, 60_000, 40_000], [2_900_001, 60_000, 40_000], [2_900_001, 60_001, 40_000]]
    radii = np.sqrt(np.log(2 * np.pi**2 * 3 * np.square(counts, dtype=float) / 0.15) / (2 * np.array(counts)))
    np.testing.assert_allclose(replay.radii, radii, rtol=1e-13)
    goal = 1.5 * (np.arange(3_000_001, 3_000_004) / 3) ** 0.6
    assert_array_equal(replay.targets, np.ceil(goal))


@pytest.mark.parametrize(
    "table",
    [Table(lambda n: n**1.5), radius_table(7, 0.01), target_table(7, 1.5, 0.7)],
    ids=["power", "radius", "goal"],
)
def test_entries_do_not_depend_on_what_is_kept(table: Table) -> None:
    rng = np.random.default_rng(0)
    for most in (3, 4096, 4097, 40_000):
        at = rng.integers(0, most, size=(50, 3))
        assert_array_equal(entries(table, at, kept=1), table.upto(most)[at])
        first, last = sorted(rng.integers(1, most, size=2).tolist())
        assert_array_equal(window(table, first, last, kept=1), table.upto(most)[first : last + 1])


def test_an_empty_window() -> None:
    assert len(window(Table(lambda n: n), 10, 9, kept=1)) == 0
