"""Several rows that are missing from a log: how many of whom, from the payments after the gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechanism.tables import cost_table
from mechanism.trace import Trace
from proofs_checks.audit.diagnosis.edits import Edit, candidates, edit_of, plausible_bids
from proofs_checks.audit.diagnosis.window import Window
from proofs_checks.oracle.rule_oracle import ROUNDING, money_rounding

#: Most missing rows of one provider that are tried, and payments from which they are found.
MOST_MISSING, _PAYMENTS = 16, 200
#: How often rows of a provider are added that no payment tells.
_PASSES = 4

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Gap:
    """Rows that are missing before the first violation of a window, inserted there.

    Parameters
    ----------
    window : Window
    missing : array of int, shape (N,)
        How many rows of each provider.
    score, bid : array of float, shape (N,)
        What each of these rows scored, and the bid that it left.
    """

    window: Window
    missing: Counts
    score: Floats
    bid: Floats

    @classmethod
    def of(cls, window: Window, missing: Counts) -> _Gap:
        """Return missing rows of mean scores that left the standing bids, or else the bids which explain most."""
        at, replay = window.first, window.replay
        known = replay.counts[at] > 0
        score = np.where(known, np.clip(replay.quality_estimates[at], 0, 1), 1.0)
        gap = cls(window, missing, score, np.nan_to_num(replay.standing_bids[at]))
        for provider in np.flatnonzero(missing).tolist():
            gap = gap._with_best_bid(provider)
        return gap

    @property
    def rows(self) -> slice:
        """The inserted rows."""
        return slice(self.window.first, self.window.first + int(self.missing.sum()))

    @cached_property
    def undone(self) -> Window:
        """The window with the rows inserted, those of a later provider before those of an earlier one."""
        at, provider = self.window.first, np.repeat(np.arange(len(self.missing)), self.missing)[::-1]
        more = self.window.reordered(np.insert(np.arange(len(self.window.trace)), at, np.full(len(provider), at)))
        return more.edited(self.rows, provider=provider, score=self.score[provider], bid=self.bid[provider])

    @cached_property
    def left(self) -> int:
        """How many violations are left outside the inserted rows."""
        return self.left_with(None)

    def left_with(self, later: Trace | None) -> int:
        """Return how many violations are left there and in the rows after the window."""
        undone = self.undone.followed_by(later)
        return undone.violations - undone.violations_in(self.rows)

    def _with_best_bid(self, provider: int) -> _Gap:
        """Return the gap with the bid of a provider that explains most."""
        after = replace(self.undone, first=self.rows.stop)
        tried = [self, *(self._with("bid", provider, bid) for bid in plausible_bids(after, provider))]
        return min(tried, key=lambda each: each.left)

    def with_best_scores(self, later: Trace | None) -> _Gap:
        """Return the gap with scores that explain most of the window and of the rows after it.

        Only the sum of a provider's scores matters, and that only if it decides who is eligible.
        """
        gap = self
        for provider in np.flatnonzero(self.missing).tolist():
            if not gap.left_with(later):
                break
            count = int(self.missing[provider])
            tried = [gap, *(gap._with("score", provider, total / count) for total in range(count + 1))]
            gap = min(tried, key=lambda each: each.left_with(later))
        return gap

    def with_more(self) -> _Gap:
        """Return the gap with rows, as long as they explain more, of providers whose counts nothing else tells."""
        gap = self
        for _ in range(_PASSES):
            units = np.eye(len(gap.missing), dtype=np.int64)[candidates(gap.window)]
            best = min(
                (replace(gap, missing=gap.missing + count * unit) for unit in units for count in (1, 2)),
                key=lambda each: each.left,
            )
            if best.left >= gap.left:
                break
            gap = _Gap.of(gap.window, best.missing)
        return gap

    def _with(self, name: str, provider: int, value: float) -> _Gap:
        column = getattr(self, name).copy()
        column[provider] = value
        return replace(self, **{name: column})


def gaps(window: Window, later: Trace | None = None) -> Iterator[Edit]:
    """Yield the missing rows that explain the payments after the first violation, if there are some.

    An auction pays ``P = rho(m_i) + b_j - rho(m_j)`` with the counts of who served and of who set the price: each
    payment says which numbers of missing rows of the two would explain it, and most of them agree on the right ones.
    An auction also says that nobody eligible is under-sampled: it tells the missing rows of who is only explored.

    Parameters
    ----------
    window : Window
    later : Trace, optional
        The rows after the window: they tell what the missing rows scored.
    """
    told = _missing_of(window)
    tried = [told, _told_by_auctions(window, told)]
    found = [_Gap.of(window, missing).with_best_scores(later) for missing in tried if missing.any()]
    if not found:
        return
    best = min(found, key=lambda gap: gap.left)
    if best.left:
        best = min([best, *(gap.with_more().with_best_scores(later) for gap in found)], key=lambda gap: gap.left)
    total = int(best.missing.sum())
    if total < 2:
        return
    providers = window.setting.providers
    names = [f"{count} of {providers[i].name}" for i, count in enumerate(best.missing.tolist()) if count]
    text = f"{total} missing rows at or before step {window.step(window.first):,}: {', '.join(names)}"
    where = {"step": window.step(window.first), "rows": total}
    yield edit_of("rows missing", where, window, best.undone, text, inserted=best.rows)


def _missing_of(window: Window) -> Counts:
    """Return how many rows of each provider are missing, shape (N,); nowhere any if payments do not tell."""
    missing = np.full(window.setting.n_providers, -1)
    among, votes = candidates(window), _Votes(window)
    pairs = [(votes.of(i, j), i, j) for i in among for j in among if i != j]
    found, i, j = max(pairs, key=lambda pair: int(pair[0].max()), default=(np.zeros((1, 1)), 0, 0))
    if found.max() < 3:
        return np.zeros_like(missing)
    missing[i], missing[j] = np.unravel_index(int(np.argmax(found)), found.shape)
    for k in (k for k in among if missing[k] < 0):
        known = [i for i in among if missing[i] >= 0]
        told = np.sum([votes.of(k, i)[:, missing[i]] + votes.of(i, k)[missing[i]] for i in known], axis=0)
        missing[k] = int(np.argmax(told)) if told.max() > 1 else 0
    return np.where(missing < 0, 0, missing)


class _Votes:
    """How many payments after the first violation each number of missing rows explains."""

    def __init__(self, window: Window) -> None:
        replay, config = window.replay, window.replay.config
        rows = np.arange(window.first, len(window.trace))
        bound = config.cost_bound
        self.rows = rows[window.below_bound[rows]][:_PAYMENTS]
        self.window, self.slack = window, 2 * window.tolerance + money_rounding(config)
        most = int(replay.counts[self.rows].max(initial=0)) + MOST_MISSING
        table = cost_table(config).upto(most)
        self.radius = (1 + config.belief_slack) * bound * table

    def of(self, served: int, pricing: int) -> Counts:
        """Return the number of payments explained, shape (missing of `served`, missing of `pricing`)."""
        replay, trace = self.window.replay, self.window.trace
        rows = self.rows[trace.provider[self.rows] == served]
        rows = rows[(replay.counts[rows][:, [served, pricing]] > 0).all(axis=1)]
        more = np.arange(MOST_MISSING + 1)
        own = self.radius[replay.counts[rows, served][:, None] + more][:, :, None]
        other = self.radius[replay.counts[rows, pricing][:, None] + more][:, None, :]
        paid, bid = (column[:, None, None] for column in (trace.payment[rows], replay.standing_bids[rows, pricing]))
        explained: Counts = np.count_nonzero(np.abs(own + bid - other - paid) <= self.slack, axis=0)
        return explained


def _told_by_auctions(window: Window, missing: Counts) -> Counts:
    """Return at least so many missing rows that at the first auction every eligible provider has served g(t) times."""
    gap = _Gap.of(window, missing)
    auctions = np.flatnonzero(gap.undone.below_bound[gap.rows.stop :])
    if not len(auctions):
        return missing
    # Later ones would tell more than is missing of who has become ineligible by a score that is missing.
    row, replay = gap.rows.stop + int(auctions[0]), gap.undone.replay
    goal = float(replay.goals[row])
    short = np.ceil(goal - ROUNDING * max(1.0, goal)) - replay.counts[row]
    more = np.where(replay.eligible[row], np.maximum(0, short), 0).astype(np.int64)
    told: Counts = np.minimum(missing + more, MOST_MISSING)
    return told
