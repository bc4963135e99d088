"""What the paper measures, from one trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.metrics.from_trace import tally_of
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.policies import POLICIES, Policy
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
        The trace has no costs or is shorter than the initialization, or the window is no whole number from 1.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> measure(setting, simulate(setting, horizon=1000, seed=0), window=546).window
    546
    """
    return metrics_of(setting, tally_of(setting, trace, window_start(len(trace), window), policy), window=window)


def window_start(horizon: int, window: int) -> tuple[int, ...]:
    """Return the checkpoint before the last `window` steps, none if they are all steps.

    Examples
    --------
    >>> window_start(100, 30), window_start(100, 200)
    ((70,), ())
    """
    if isinstance(window, bool) or not isinstance(window, (int, np.integer)) or window < 1:
        raise InputError("window", window, "must be a whole number from 1", "it is the length of moving averages")
    return (horizon - window,) if window < horizon else ()


def metrics_of(setting: Setting, tally: Tally, *, window: int) -> Metrics:
    """Return the paper's metrics of a run from its totals.

    Parameters
    ----------
    setting : Setting
    tally : Tally
        With a checkpoint before the last `window` steps (`window_start`).
    window : int
        Length of the moving averages.

    Raises
    ------
    InputError
        The run is shorter than the initialization, or the checkpoint is missing.
    """
    horizon = tally.steps[-1]
    if horizon < setting.n_providers:
        raise InputError("trace", horizon, "steps are fewer than providers", "initialization alone serves each once")
    counts, costs = tally.provider(ProviderField.SELECTIONS), tally.provider(ProviderField.COST)
    payments = tally.provider(ProviderField.PAYMENT)
    recent = _Window(tally, horizon, min(window, horizon))
    optimal, excesses = setting.optimal, cost_excesses(setting)
    ordinary_steps = recent.sum(ProviderField.ORDINARY)
    excess = [tally.run(field) for field in _EXCESS]
    known = setting.second_lowest_cost is not None
    return Metrics(
        window=min(window, horizon),
        share_of_optimal=None if optimal is None else float(counts[optimal]) / horizon,
        moving_share_of_optimal=None
        if optimal is None
        else recent.of(ProviderField.SELECTIONS, optimal) / recent.length,
        unqualified_share=float(counts[list(setting.unqualified)].sum()) / horizon,
        quality_regret=float(counts @ quality_shortfalls(setting)),
        generation_regret=None if excesses is None else float(counts @ excesses),
        accuracy=float(tally.provider(ProviderField.SCORE).sum()) / horizon,
        generation_cost=float(costs.sum()) / horizon,
        amount_paid=float(payments.sum()) / horizon,
        identified=None if optimal is None else float(counts[optimal] > np.delete(counts, optimal).max()),
        eligible=int(tally.run(RunField.ELIGIBLE)),
        exploration_steps=int(tally.provider(ProviderField.EXPLORATIONS).sum()),
        excess_payment=sum(excess) if known else None,
        excess_payment_without_exploration=excess[0] + excess[2] if known else None,
        auction_payment_moving=recent.sum(ProviderField.ORDINARY_PAYMENT) / ordinary_steps if ordinary_steps else None,
        selections=tuple(int(count) for count in counts),
        payoffs=tuple(float(payoff) for payoff in payments - costs),
    )


_EXCESS = (RunField.INITIALIZATION_EXCESS, RunField.EXPLORATION_EXCESS, RunField.ORDINARY_EXCESS)


class _Window:
    """Totals of the last steps of a run: differences of two checkpoints."""

    def __init__(self, tally: Tally, horizon: int, length: int) -> None:
        self.length = length
        before = np.zeros_like(tally.by_provider[-1])
        if length < horizon:
            before = np.array([tally.provider(field, horizon - length) for field in ProviderField])
        self._difference = tally.by_provider[-1] - before

    def sum(self, field: ProviderField) -> float:
        return float(self._difference[field].sum())

    def of(self, field: ProviderField, provider: int) -> float:
        return float(self._difference[field, provider])


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
