"""What the paper measures, from one trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.setting import Setting
from mechanism.config import MechanismConfig
from mechanism.policies import POLICIES, Policy
from mechanism.replay import Replay
from mechanism.trace import Trace


@dataclass(frozen=True)
class Metrics:
    """Outcomes of one run; None where the setting has no unique i* or no second-lowest cost.

    Regrets and excess payments are cumulative; costs and amounts are per query. `moving_*` average over the
    last `window` steps. `eligible` counts the providers that might have served the last step. Excess "without
    exploration" includes the N payments of initialization, as the paper's tables do. `auction_payment_moving`
    is None if the window holds no non-exploration step. Selections and payoffs are per provider.
    """

    window: int
    share_of_optimal: float | None
    moving_share_of_optimal: float | None
    unqualified_share: float
    quality_regret: float
    generation_regret: float | None
    accuracy: float
    generation_cost: float
    amount_paid: float
    identified: float | None
    eligible: int
    exploration_steps: int
    excess_payment: float | None
    excess_payment_without_exploration: float | None
    auction_payment_moving: float | None
    selections: tuple[int, ...]
    payoffs: tuple[float, ...]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Metrics:
        """Return metrics from their fields as plain data, lists standing for tuples."""
        plain: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in data.items()}
        return cls(**plain)


def measure(setting: Setting, trace: Trace, *, window: int, policy: Policy = POLICIES["platform"]) -> Metrics:
    """Return the paper's metrics of a trace.

    Parameters
    ----------
    setting : Setting
    trace : Trace
        With costs, at least N steps long.
    window : int
        Length of the moving averages; the paper takes the benchmark's size.
    policy : Policy, optional
        Says whether there were exploration steps and a quality filter.

    Raises
    ------
    InputError
        The trace has no costs or is shorter than the initialization.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> measure(setting, simulate(setting, horizon=1000, seed=0), window=546).window
    546
    """
    if trace.cost is None:
        raise InputError("cost", None, "is missing from the trace", "generation costs need the cost column")
    if len(trace) < setting.n_providers:
        raise InputError("trace", len(trace), "steps are fewer than providers", "initialization alone serves each once")
    window = min(window, len(trace))
    replay = Replay(MechanismConfig.of(setting), trace)
    explored = replay.exploration if policy.explores else np.zeros(len(trace), dtype=bool)
    counts = replay.final_counts
    shares = _shares_of_optimal(setting, trace, window)
    excess = _excess(setting, trace, explored)
    recent_auctions = ~explored[-window:] & ~replay.initialization[-window:]
    return Metrics(
        window=window,
        share_of_optimal=shares[0],
        moving_share_of_optimal=shares[1],
        unqualified_share=float(np.isin(trace.provider, setting.unqualified).mean()),
        quality_regret=float(quality_shortfalls(setting)[trace.provider].sum()),
        generation_regret=_generation_regret(setting, trace),
        accuracy=float(trace.score.mean()),
        generation_cost=float(trace.cost.mean()),
        amount_paid=float(trace.payment.mean()),
        identified=_identified(setting, counts),
        # Nobody is screened during initialization.
        eligible=int(replay.eligible[-1].sum())
        if policy.screens and len(trace) > setting.n_providers
        else setting.n_providers,
        exploration_steps=int(explored.sum()),
        excess_payment=excess[0],
        excess_payment_without_exploration=excess[1],
        auction_payment_moving=float(trace.payment[-window:][recent_auctions].mean())
        if recent_auctions.any()
        else None,
        selections=tuple(int(count) for count in counts),
        payoffs=tuple(float(p) for p in np.bincount(trace.provider, trace.payment - trace.cost, setting.n_providers)),
    )


def quality_shortfalls(setting: Setting) -> NDArray[np.float64]:
    """Return (q_min - q_i)^+ for every provider.

    Examples
    --------
    >>> from bounds.published import published
    >>> quality_shortfalls(published("gpqa-strong").setting).round(3).tolist()
    [0.094, 0.037, 0.0, 0.0]
    """
    qualities = np.array([provider.quality for provider in setting.providers])
    return np.asarray(np.maximum(setting.platform.quality_threshold - qualities, 0.0))


def cost_excesses(setting: Setting) -> NDArray[np.float64] | None:
    """Return (cbar_i - cbar_{i*})^+ for every provider, or None without a unique i*.

    Examples
    --------
    >>> from bounds.published import published
    >>> cost_excesses(published("gpqa-strong").setting).round(1).tolist()
    [0.0, 0.0, 0.0, 7.7]
    """
    if setting.optimal is None:
        return None
    costs = np.array([provider.mean_cost for provider in setting.providers])
    return np.asarray(np.maximum(costs - costs[setting.optimal], 0.0))


def _shares_of_optimal(setting: Setting, trace: Trace, window: int) -> tuple[float | None, float | None]:
    if setting.optimal is None:
        return None, None
    optimal = trace.provider == setting.optimal
    return float(optimal.mean()), float(optimal[-window:].mean())


def _generation_regret(setting: Setting, trace: Trace) -> float | None:
    excesses = cost_excesses(setting)
    return None if excesses is None else float(excesses[trace.provider].sum())


def _identified(setting: Setting, counts: NDArray[np.int64]) -> float | None:
    if setting.optimal is None:
        return None
    return float(counts[setting.optimal] > np.delete(counts, setting.optimal).max())


def _excess(setting: Setting, trace: Trace, explored: NDArray[np.bool_]) -> tuple[float | None, float | None]:
    if setting.second_lowest_cost is None:
        return None, None
    excess = np.maximum(trace.payment - setting.second_lowest_cost, 0.0)
    return float(excess.sum()), float(excess[~explored].sum())


@dataclass(frozen=True)
class Summary:
    """Mean and sample standard deviation of a metric over runs; per provider they are tuples."""

    mean: float | tuple[float, ...] | None
    sd: float | tuple[float, ...] | None


def summarize(runs: Sequence[Metrics]) -> dict[str, Summary]:
    """Return mean and sample standard deviation (None for a single run) of every metric over runs.

    A metric that is None in some run is None in the summary.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> run = measure(setting, simulate(setting, horizon=1000, seed=0), window=546)
    >>> summarize([run, run])["accuracy"].sd
    0.0
    """
    return {
        field.name: _summary([getattr(run, field.name) for run in runs])
        for field in fields(Metrics)
        if field.name != "window"
    }


def _summary(values: list[object]) -> Summary:
    if any(value is None for value in values):
        return Summary(None, None)
    table = np.array(values, dtype=float)
    mean = np.asarray(table.mean(axis=0))
    # One run has no sample standard deviation.
    spread = np.asarray(table.std(axis=0, ddof=1)) if len(values) > 1 else None
    if table.ndim == 1:
        return Summary(float(mean), None if spread is None else float(spread))
    return Summary(tuple(mean.tolist()), None if spread is None else tuple(spread.tolist()))
