"""Several rows that are missing from a log: how many of whom, from the payments after the gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mechanism.tables import radius_table
from proofs_checks.log_edits import Edit, candidates, edit_of, plausible_bids
from proofs_checks.log_window import Window
from proofs_checks.shadow import ROUNDING, money_rounding

#: Most missing rows of one provider that are tried, and payments from which they are found.
MOST_MISSING, _PAYMENTS = 16, 200
#: How often rows of a provider are added that no payment tells.
_PASSES = 4

Counts = NDArray[np.int64]


def gaps(window: Window) -> Iterator[Edit]:
    """Yield the missing rows that explain the payments after the first violation, if there are some.

    An auction pays ``P = rho(m_i) + b_j - rho(m_j)`` with the counts of who served and of who set the price: each
    payment says which numbers of missing rows of the two would explain it, and most of them agree on the right ones.
    """
    missing = _missing_of(window)
    if not missing.any():
        return
    undone, missing = _with_more(window, missing)
    total = int(missing.sum())
    if total < 2:
        return
    names = [f"{count} of {window.setting.providers[i].name}" for i, count in enumerate(missing.tolist()) if count]
    text = f"{total} missing rows at or before step {window.step(window.first):,}: {', '.join(names)}"
    where = {"step": window.step(window.first), "rows": total}
    yield edit_of("rows missing", where, undone, text, slice(window.first, window.first + total))


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
        self.rows = rows[window.trace.payment[rows] < bound - window.tolerance - ROUNDING * bound][:_PAYMENTS]
        self.window, self.slack = window, 2 * window.tolerance + money_rounding(config)
        most = int(replay.counts[self.rows].max(initial=0)) + MOST_MISSING
        table = radius_table(config.n_providers, config.confidence).upto(most)
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


def _with_more(window: Window, missing: Counts) -> tuple[Window, Counts]:
    """Return the window with missing rows, those of providers included whose counts no payment tells: one by one."""
    undone = _undone(window, missing)
    for _ in range(_PASSES):
        more = [missing + count * row for row in np.eye(len(missing), dtype=np.int64)[candidates(window)]
                for count in (1, 2)]  # fmt: skip
        best = min(more, key=lambda each: _left(_with_rows(window, each), window.first, each))
        if _left(_with_rows(window, best), window.first, best) >= _left(undone, window.first, missing):
            break
        undone, missing = _undone(window, best), best
    return undone, missing


def _undone(window: Window, missing: Counts) -> Window:
    """Return the window with missing rows that leave the bids which explain most."""
    undone = _with_rows(window, missing)
    for provider in np.flatnonzero(missing).tolist():
        undone = _with_best_bid(undone, window.first, missing, provider)
    return undone


def _left(undone: Window, first: int, missing: Counts) -> int:
    """Return how many violations are left outside the inserted rows."""
    return undone.violations - undone.violations_in(slice(first, first + int(missing.sum())))


def _with_rows(window: Window, missing: Counts) -> Window:
    """Return the window with rows inserted before the first violation, of mean scores and standing bids."""
    at, replay = window.first, window.replay
    # Rows of a later provider before those of an earlier one.
    provider = np.repeat(np.arange(len(missing)), missing)[::-1]
    known = replay.counts[at, provider] > 0
    score = np.where(known, np.clip(replay.quality_estimates[at, provider], 0, 1), 1.0)
    bid = np.nan_to_num(replay.standing_bids[at, provider])
    more = window.reordered(np.insert(np.arange(len(window.trace)), at, np.full(len(provider), at)))
    return more.edited(slice(at, at + len(provider)), provider=provider, score=score, bid=bid)


def _with_best_bid(undone: Window, first: int, missing: Counts, provider: int) -> Window:
    """Return the window with the bid in a provider's last inserted row that explains most."""
    row = first + int(missing[provider:].sum()) - 1
    after = replace(undone, first=first + int(missing.sum()))
    tried = [undone, *(undone.edited(row, bid=bid) for bid in plausible_bids(after, provider))]
    return min(tried, key=lambda each: _left(each, first, missing))
