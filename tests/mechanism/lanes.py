"""Runs as the lanes of a GPU play them, on this machine's processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mechanism.compiled.episode import CompiledEpisode, bidders_of, empty_log
from mechanism.compiled.lane import LaneRun, LaneState
from mechanism.compiled.layout import BID_FIELDS, BOOK_FIELDS, Keys, Totals
from mechanism.metrics.tally import ProviderField, RunField, Tallies, checkpoint_steps


def lane_tallies(
    play: Callable[[LaneRun], None],
    episode: CompiledEpisode,
    *,
    horizon: int,
    seed: int,
    runs: Sequence[int],
    checkpoints: Sequence[int] = (),
) -> Tallies:
    """Return the totals of runs that a function plays in one lane, one after another."""
    steps, n = checkpoint_steps(checkpoints, horizon), episode.setting.n_providers
    tables, keys = episode.tables(), episode.keys(seed, runs)
    by_provider = np.full((len(runs), len(steps), len(ProviderField), n), np.nan)
    overall = np.full((len(runs), len(steps), len(RunField)), np.nan)
    # What an earlier run left behind must not matter.
    left = (np.full(n * size, -7.0) for size in (BOOK_FIELDS, BID_FIELDS, 1))
    state = LaneState(*left, np.full(tables.questions, -7, dtype=np.int32), np.full(len(RunField), -7.0))
    for k, run in enumerate(runs):
        strategies = episode.strategies(seed, run)
        deviations = np.array([strategy.key for strategy in strategies], dtype=np.uint64)
        play(
            LaneRun(
                rules=episode.rules(horizon, tables),
                laws=tables,
                bidders=bidders_of(strategies),
                keys=Keys(keys.outcomes[k], keys.draws[k], keys.orders[k], deviations),
                state=state,
                log=empty_log(0),
                totals=Totals(np.array(steps, dtype=np.int64), by_provider[k], overall[k]),
            )
        )
    episode.mark_unmeasured(overall)
    return Tallies(steps, by_provider, overall)
