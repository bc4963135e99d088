"""Bids that are not the running mean cost, and whether one edited cost explains them all.

One wrong cost moves every later mean of its provider: by the same amount over m, after m queries. So thousands of bids
may stand off although a single cell of the log was changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bounds.documents import FromOne
from proofs_checks.claims.model.precondition import BID_TOLERANCE
from proofs_checks.oracle.step_audit import StepAudit

#: Two bids off by the same amount over m show one cost; a single one may be an edit of the bid itself.
_LEAST = 2


@dataclass(frozen=True, kw_only=True)
class EditedCost:
    """A logged cost that explains all bids off the mean cost if it was another one.

    Parameters
    ----------
    step : int
        Which query's cost, from 1.
    logged : float
        What the log says; money.
    instead : float
        With this cost the bids are running means; money.
    """

    step: FromOne
    logged: float
    instead: float


@dataclass(frozen=True, kw_only=True)
class BidsOffMeanCost:
    """How many bids are off the mean cost so far, and what one edited cost would have to be.

    The edit is of the first query whose bid is off; the cost is then too high by an amount between `low` and `high`.
    """

    count: int = 0
    provider: int = -1
    step: int = 0
    logged: float = 0.0
    low: float = -np.inf
    high: float = np.inf

    @property
    def edited(self) -> EditedCost | None:
        """The cost that explains them all; None without bids that are off, or if one cost does not explain them."""
        if self.count < _LEAST or self.low > self.high:
            return None
        return EditedCost(step=self.step, logged=self.logged, instead=self.logged - (self.low + self.high) / 2)

    def after(self, audit: StepAudit) -> BidsOffMeanCost:
        """Take the bids of the next part of a log; nothing where it has no costs."""
        replay = audit.replay
        if replay.trace.cost is None:
            return self
        rows, steps = replay.settlements.rows, replay.settlements.steps
        allowed = BID_TOLERANCE * replay.config.cost_bound + 2 * audit.tolerance
        missing = replay.cost_estimates_after - rows.bid
        off = np.flatnonzero(np.abs(missing) > allowed)
        provider, step, logged, since = self.provider, self.step, self.logged, 0
        if not self.count and len(off):
            since = int(off[0])
            provider, step, logged = int(rows.provider[since]), int(steps[since]), float(rows.cost[since])  # type: ignore[index]
        count = self.count + len(off)
        if not count:
            return self
        own = np.flatnonzero(rows.provider == provider)
        own = own[own >= since]
        with np.errstate(over="ignore"):
            amounts, slack = missing[own] * replay.counts_after[own], allowed * replay.counts_after[own]
        low = max(self.low, float((amounts - slack).max(initial=-np.inf)))
        high = min(self.high, float((amounts + slack).min(initial=np.inf)))
        # Near the largest double the spacing exceeds what is allowed: there the right cost is unknown.
        exact = np.spacing(np.abs(amounts)) <= allowed
        if np.any(rows.provider[off] != provider) or not exact.all():
            low, high = np.inf, -np.inf
        return BidsOffMeanCost(count=count, provider=provider, step=step, logged=logged, low=low, high=high)
