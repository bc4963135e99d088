"""One run over time: shares, beliefs about quality, bids beside mean costs, and what the winners earned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.metrics.curves import curve_steps
from mechanism.tables import cost_table, entries, quality_table
from mechanism.trace import Trace
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.runs import run_trace
from proofs_checks.figures.sampled_payments import PaymentBand, payment_band

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Steps times providers of a run that are replayed for its payments; of longer runs the first steps.
MOST_REPLAYED = 4_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Beliefs:
    """What a run had shown after each of S steps; of N providers, all of which have served.

    Parameters
    ----------
    steps : array of int, shape (S,)
    counts : array of int, shape (S, N)
        Queries that each provider had served.
    optimistic : array of float, shape (S, N)
        Mean score so far plus the confidence radius: a provider is eligible while it reaches the threshold.
    slack : array of float, shape (S, N)
        The standing bid less the mean cost so far, in units of c_max times the confidence radius.
    threshold, gamma : float
        What both are to be compared with.
    """

    steps: Ints
    counts: Ints
    optimistic: Floats
    slack: Floats
    threshold: float
    gamma: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Payoffs:
    """What the providers earned in a run: payments less the costs of serving.

    Parameters
    ----------
    steps : array of int, shape (S,)
    gains, losses : array of float, shape (S,)
        Summed up to each step: the queries that paid at least what they cost, and those that paid less (negative).
    gains_of, losses_of : array of float, shape (N,)
        The same at the end, by provider.
    losing, losing_later : int
        Queries that paid less than they cost, and those of them after initialization.
    queries : int
    band : PaymentBand
        Payments of auctions with their bounds, at sampled steps of the first `band_steps`.
    band_steps : int
    optimal_cost, second_lowest_cost : float or None
    """

    steps: Ints
    gains: Floats
    losses: Floats
    gains_of: Floats
    losses_of: Floats
    losing: int
    losing_later: int
    queries: int
    band: PaymentBand
    band_steps: int
    optimal_cost: float | None
    second_lowest_cost: float | None


def beliefs(market: Market, policy: str, run: int) -> Beliefs:
    """Return what a run of the market under a policy had shown over time.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = beliefs(Market(setting=published("gpqa-strong").setting, horizon=500, runs=2), "platform", 1)
    >>> int(found.counts[-1].sum()), bool((found.slack == 0).all()), found.gamma
    (500, True, 0.0)
    """
    return beliefs_of(market.prepared, run_trace(market, run, policy))


def beliefs_of(setting: Setting, trace: Trace) -> Beliefs:
    """Return what a trace with costs had shown over time."""
    n, platform = setting.n_providers, setting.platform
    steps = np.array(curve_steps(n, len(trace)), dtype=np.int64)
    counts = np.empty((len(steps), n), dtype=np.int64)
    quality, gap = np.empty(counts.shape), np.empty(counts.shape)
    costs = np.zeros(len(trace)) if trace.cost is None else trace.cost
    for i in range(n):
        rows = np.flatnonzero(trace.provider == i)
        served = np.searchsorted(rows, steps - 1, side="right")
        counts[:, i], last = served, served - 1
        quality[:, i] = np.cumsum(trace.score[rows])[last] / served
        gap[:, i] = trace.bid[rows][last] - np.cumsum(costs[rows])[last] / served
    config = MechanismConfig.of(setting)
    radius, cost_radius = entries(quality_table(config), counts), entries(cost_table(config), counts)
    # A sum of many costs is off by its rounding, which no bidder meant.
    noise = 1e-9 * platform.cost_bound
    gap = np.where(np.abs(gap) <= noise, 0.0, gap)
    return Beliefs(
        steps=steps,
        counts=counts,
        optimistic=quality + radius,
        slack=gap / (platform.cost_bound * cost_radius),
        threshold=platform.quality_threshold,
        gamma=platform.belief_slack,
    )


def payoffs(market: Market, policy: str, run: int) -> Payoffs:
    """Return what the providers earned in a run of the market under a policy.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = payoffs(Market(setting=published("gpqa-strong").setting, horizon=500, runs=2), "platform", 1)
    >>> found.queries, bool(found.gains[-1] > -found.losses[-1])
    (500, True)
    """
    return payoffs_of(market.prepared, run_trace(market, run, policy))


def payoffs_of(setting: Setting, trace: Trace) -> Payoffs:
    """Return what the providers of a trace with costs earned."""
    n = setting.n_providers
    earned = trace.payment - (0.0 if trace.cost is None else trace.cost)
    gains, losses = np.maximum(earned, 0.0), np.minimum(earned, 0.0)
    rows = np.array(curve_steps(n, len(trace)), dtype=np.int64) - 1
    replayed = trace.head(max(n + 1, MOST_REPLAYED // n))
    return Payoffs(
        steps=rows + 1,
        gains=np.cumsum(gains)[rows],
        losses=np.cumsum(losses)[rows],
        gains_of=np.asarray(np.bincount(trace.provider, gains, n), dtype=float),
        losses_of=np.asarray(np.bincount(trace.provider, losses, n), dtype=float),
        losing=int((earned < 0).sum()),
        losing_later=int((earned[n:] < 0).sum()),
        queries=len(trace),
        band=payment_band(setting, replayed) if setting.second_lowest_cost is not None else _no_band(),
        band_steps=len(replayed),
        optimal_cost=None if setting.optimal is None else setting.providers[setting.optimal].mean_cost,
        second_lowest_cost=setting.second_lowest_cost,
    )


def _no_band() -> PaymentBand:
    nothing = np.empty(0)
    return PaymentBand(steps=np.empty(0, dtype=np.int64), payment=nothing, lower=nothing, upper=nothing)
