"""Policies beside each other: accuracy and cost, where the queries went, and what their payments are worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.metrics.curves import Curves
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.market_view import HIGH, LOW
from proofs_checks.explorer.registry import POLICIES
from proofs_checks.explorer.run_view import MOST_REPLAYED
from proofs_checks.explorer.runs import run_trace
from proofs_checks.explorer.simulation import simulated

Floats = NDArray[np.float64]
#: A run collapses when one unqualified provider serves more than this share of its queries.
COLLAPSE = 0.5


@dataclass(frozen=True, kw_only=True)
class Band:
    """The median of runs, and the band that holds four of five; NaN where it is not defined."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> Band:
        """Return the median and the band of the values of runs."""
        return cls(**dict(zip(("low", "median", "high"), np.quantile(values, (LOW, 0.5, HIGH)).tolist(), strict=True)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcomes:
    """What the runs of a policy ended with; arrays have shape (R,), `shares` (R, N).

    Parameters
    ----------
    accuracy : array
        The mean score of all queries.
    cost : array
        What serving all queries cost, money.
    shares : array
        The share of queries that each provider served.
    share_of_optimal : array
        NaN without a single optimal provider.
    collapsed : array of bool
        Whether an unqualified provider served more than `COLLAPSE` of the queries.
    paid, excess : array
        What was paid for all queries, and how much of it above the second-lowest qualified cost; NaN where there is
        none.
    """

    accuracy: Floats
    cost: Floats
    shares: Floats
    share_of_optimal: Floats
    collapsed: NDArray[np.bool_]
    paid: Floats
    excess: Floats

    @classmethod
    def of(cls, setting: Setting, curves: Curves) -> Outcomes:
        """Return what runs ended with."""
        queries = int(curves.steps[-1])
        shares = curves.selections[:, -1] / queries
        unqualified = shares[:, list(setting.unqualified)]
        return cls(
            accuracy=curves.accuracy[:, -1],
            cost=curves.generation_cost[:, -1] * queries,
            shares=shares,
            share_of_optimal=curves.share_of_optimal[:, -1],
            collapsed=np.asarray((unqualified > COLLAPSE).any(axis=1)),
            paid=curves.amount_paid[:, -1] * queries,
            excess=curves.excess_payment[:, -1],
        )


@dataclass(frozen=True, kw_only=True)
class PolicyRow:
    """A policy: what its runs ended with, and how often in one run the critical payment was below the winner's bid.

    Parameters
    ----------
    policy : str
    auctions : bool
        Whether it pays by auction; else users pay the query price.
    outcomes : Outcomes
    judged, below : int
        Steps after initialization of the run at which an eligible provider with a rival served, and those of them at
        which its critical payment was below its standing bid.
    """

    policy: str
    auctions: bool
    outcomes: Outcomes
    judged: int
    below: int


@lru_cache(maxsize=8)
def policy_rows(market: Market, run: int) -> tuple[PolicyRow, ...]:
    """Return every policy of the market; the critical payments are those of one run.

    Examples
    --------
    >>> from bounds.published import published
    >>> policies = ("platform", "lowest-price")
    >>> market = Market(setting=published("gpqa-strong").setting, horizon=500, runs=3, policies=policies)
    >>> [(row.policy, row.auctions, row.below) for row in policy_rows(market, 0)][0]
    ('platform', True, 0)
    """
    found = []
    for policy, curves in simulated(market).items():
        judged, below = below_bids(market.prepared, run_trace(market, run, policy), explores=POLICIES[policy].explores)
        found.append(
            PolicyRow(
                policy=policy,
                auctions=POLICIES[policy].auctions,
                outcomes=Outcomes.of(market.prepared, curves),
                judged=judged,
                below=below,
            )
        )
    return tuple(found)


def below_bids(setting: Setting, trace: Trace, *, explores: bool) -> tuple[int, int]:
    """Return at how many steps a critical payment can be compared with the winner's bid, and is below it.

    Where a policy explores, those steps hold no auction and are left out. Of long runs the first steps are looked at.
    """
    n = setting.n_providers
    replay = Replay(MechanismConfig.of(setting), trace.head(max(n + 1, MOST_REPLAYED // n)))
    critical, bids = replay.of_served(replay.critical_payments), replay.of_served(replay.standing_bids)
    judged = np.isfinite(critical) & ~replay.initialization
    if explores:
        judged &= ~replay.exploration
    # The least difference that is no rounding of sums.
    below = judged & (critical < bids - 1e-9 * setting.platform.cost_bound)
    return int(judged.sum()), int(below.sum())
