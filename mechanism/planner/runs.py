"""What happens in simulated runs at the parameters of a plan, goal by goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from bounds.documents import Count, FromOne, Probability
from bounds.setting.estimates import Proportion
from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.market.market import market_laws
from mechanism.market.published import published_market
from mechanism.metrics.measures import Metrics, metrics_of_runs
from mechanism.planner.goals import EXPLORATION, IDENTIFY, PAYMENT, Goal

#: Steps of all runs of a plan at most, so that it takes seconds; and the fewest runs that are worth telling.
MOST_STEPS, FEWEST_RUNS = 100_000_000, 10
#: Of every interval of a plan.
COVERAGE = 0.95


def affordable(runs: int, horizon: int) -> int:
    """Return how many runs of a horizon are simulated; 0 where so few are affordable that they say little.

    Examples
    --------
    >>> affordable(200, 70_000), affordable(200, 2_000_000), affordable(200, 10**8)
    (200, 50, 0)
    """
    found = min(runs, MOST_STEPS // max(horizon, 1))
    return found if found >= min(FEWEST_RUNS, runs) else 0


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """What runs say of a goal.

    Parameters
    ----------
    runs : int
        How many there were.
    met : int
        In how many of them the goal was met.
    low : float
        The probability of meeting it is at least this.
    high : float
        And at most this, both with 95% confidence (Clopper and Pearson).
    mean : float or None
        Mean of what the goal limits; None of identification, which is met or not.
    largest : float or None
        The largest of it; None of identification.
    """

    runs: FromOne
    met: Count
    low: Probability
    high: Probability
    mean: float | None
    largest: float | None


def simulated(
    setting: Setting, market_of: Setting, goals: Sequence[Goal], *, runs: int, seed: int
) -> tuple[Simulated | None, ...]:
    """Simulate the platform, everybody truthful, and say how often each goal was met; none if no run is affordable.

    None stands for a goal about an optimal provider, or a second-lowest cost, that the setting lacks.

    Parameters
    ----------
    setting : Setting
    market_of : Setting
        Whose market it is: one of the paper's keeps the paper's spreads of costs where numbers differ.
    goals : sequence of Goal
    runs, seed : int
    """
    horizon = max(goal.horizon for goal in goals)
    count = affordable(runs, horizon)
    if not count:
        return ()
    known = published_market(market_of)
    laws = market_laws(setting, **({} if known is None else asdict(known)))
    episode = CompiledEpisode(setting, laws=laws)
    steps = sorted({goal.horizon for goal in goals})
    played = episode.totals(horizon=horizon, seed=seed, runs=range(count), checkpoints=steps)
    return tuple(
        _of_goal(goal, setting, metrics_of_runs(setting, played.at((goal.horizon,)), window=goal.horizon))
        for goal in goals
    )


def _of_goal(goal: Goal, setting: Setting, runs: Sequence[Metrics]) -> Simulated | None:
    measured = [_measured(goal, setting, run) for run in runs]
    if None in measured:
        return None
    values = np.array(measured, dtype=float)
    met = int((values <= (0.0 if goal.kind == IDENTIFY else goal.limit)).sum())
    low, high = Proportion(correct=met, of=len(values)).interval(1 - COVERAGE, 1.0)
    told = goal.kind != IDENTIFY
    return Simulated(
        runs=len(values),
        met=met,
        low=low,
        high=high,
        mean=float(values.mean()) if told else None,
        largest=float(values.max()) if told else None,
    )


def _measured(goal: Goal, setting: Setting, run: Metrics) -> float | None:
    """Return what a goal limits in a run, of identification 0 where i* has the most selections, else 1; or None."""
    if goal.kind == IDENTIFY:
        return None if run.identified is None else 1 - run.identified
    if goal.kind == EXPLORATION:
        return run.exploration_steps * setting.platform.cost_bound
    if goal.kind == PAYMENT:
        return run.average_payment_deviation
    return sum(run.selections[i] for i in setting.unqualified)
