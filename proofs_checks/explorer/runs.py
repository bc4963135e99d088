"""One run of a market, step by step: its trace, and what the platform knew at a step."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.plain_episode import PlainEpisode
from mechanism.policies import PLATFORM
from mechanism.replay import Replay, ReplayState
from mechanism.trace import Trace
from proofs_checks.explorer.controls import Market


@lru_cache(maxsize=4)
def run_trace(market: Market, run: int, policy: str = PLATFORM) -> Trace:
    """Return a run of the market under a policy, the same that the medians are taken of.

    Examples
    --------
    >>> from bounds.published import published
    >>> len(run_trace(Market(setting=published("gpqa-strong").setting, horizon=500, runs=2), run=1))
    500
    """
    return trace_of(market.part.episode(policy), market, run)


def trace_of(episode: CompiledEpisode | PlainEpisode, market: Market, run: int) -> Trace:
    """Return the trace of a run."""
    return episode.trace(horizon=market.horizon, seed=market.seed, run=run)


def replay_of_step(market: Market, trace: Trace, step: int) -> Replay:
    """Return the replay of one step: all that the platform knew before it, and what came of it.

    It equals that row of the replay of the whole trace to the last bit, and takes no table of all steps.
    """
    config = MechanismConfig.of(market.prepared)
    row = slice(step - 1, step)
    return Replay(config, trace.rows(row), _before(config, trace.head(step - 1)))


def _before(config: MechanismConfig, past: Trace) -> ReplayState:
    n, costs = config.n_providers, np.zeros(len(past)) if past.cost is None else past.cost
    state = ReplayState.initial(n)
    rows = [np.flatnonzero(past.provider == i) for i in range(n)]
    return ReplayState(
        steps=len(past),
        counts=np.array([len(each) for each in rows], dtype=np.int64),
        score_sums=np.array([_sum(past.score[each]) for each in rows]),
        cost_sums=np.array([_sum(costs[each]) for each in rows]),
        bids=np.array([past.bid[each[-1]] if len(each) else state.bids[i] for i, each in enumerate(rows)]),
    )


def _sum(values: NDArray[np.float64]) -> float:
    """Return the sum as the platform adds it: one after the other, not in pairs."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
