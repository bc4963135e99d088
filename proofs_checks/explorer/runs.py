"""One run of a market, step by step: its trace, and what the platform knew at a step."""

from __future__ import annotations

from functools import lru_cache

from mechanism.config import MechanismConfig
from mechanism.policy_names import PLATFORM
from mechanism.replay import Replay, ReplayState
from mechanism.trace import Trace
from proofs_checks.explorer.controls import SimulatedMarket

#: Steps that are replayed at once on the way to the step that is looked at.
_BLOCK = 10_000


@lru_cache(maxsize=4)
def run_trace(market: SimulatedMarket, run: int) -> Trace:
    """Return a run of the market under the platform, the same that the medians are taken of.

    Examples
    --------
    >>> from bounds.published import published
    >>> len(run_trace(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, runs=2), run=1))
    500
    """
    episode = market.part.episode(PLATFORM)
    return episode.trace(horizon=market.horizon, seed=market.seed, run=run)


def replay_of_step(market: SimulatedMarket, trace: Trace, step: int) -> Replay:
    """Return the replay of one step: all that the platform knew before it, and what came of it.

    It equals that row of the replay of the whole trace to the last bit, and takes no table of all steps.
    """
    config = MechanismConfig.of(market.prepared)
    past, state = trace.head(step - 1), ReplayState.initial(config.n_providers)
    for start in range(0, len(past), _BLOCK):
        state = Replay(config, past.rows(slice(start, start + _BLOCK)), state).after
    return Replay(config, trace.rows(slice(step - 1, step)), state)
