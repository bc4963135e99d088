"""Edits of a log that would explain violations: each is undone in a window, which is audited again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from proofs_checks.audit.diagnosis.window import Window
from proofs_checks.oracle.step_audit import Rows

#: Longest blocks of rows that are tried as exchanged or repeated.
_LONGEST_BLOCK = 8
#: How far back a repeated row may lie, and how many rows or pairs of rows are tried of one kind.
_NEAR, _MOST = 40, 300
#: Of so many violating rows every two are tried as exchanged.
_FEW = 6
#: How many providers are questioned.
_MOST_PROVIDERS = 24
#: How much a score may have been changed.
_SCORE_CHANGES = (1.0, -1.0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1, 0.05, -0.05)


@dataclass(frozen=True, eq=False, kw_only=True)
class Edit:
    """An edit of a window, and the window in which it is undone.

    Parameters
    ----------
    kind : str
    where : dict
        Its step and provider, or what else says where it is.
    told : str
        What was edited, in words.
    logged, undone : Window
        The rows as they are logged, and with the edit undone.
    inserted : slice
        Rows that undoing it inserts: they need not be right themselves.
    guessed : bool, optional
        Whether its value, 0 or c_max, follows from nothing in the log.
    tells_gone : bool, optional
        Whether it is also told how many violations vanish.
    """

    kind: str
    where: dict[str, Any]
    told: str
    logged: Window
    undone: Window
    inserted: slice
    guessed: bool = False
    tells_gone: bool = False

    @cached_property
    def remaining(self) -> int:
        """How many violations of the window remain once it is undone."""
        return self.undone.violations - self.undone.violations_in(self.inserted)

    @property
    def text(self) -> str:
        """What it is, in words."""
        total = self.logged.violations
        if not self.tells_gone:
            return self.told
        if not self.remaining:
            return f"{self.told}, these violations vanish"
        return f"{self.told}, {total - self.remaining:,} of {total:,} violations vanish"

    def is_quiet(self, until: int) -> bool:
        """Whether no row up to a given one, counted in the undone window, breaks a rule once it is undone.

        Most edits are refuted so: only the rows from the edit to there are audited again.
        """
        start = self.undone.first_change(self.logged)
        as_logged = self.logged.audit.violating_rows
        if not self._all_inserted(as_logged[as_logged < min(start, until + 1)]):
            return False
        if start >= min(until + 1, len(self.undone.trace)):
            return True
        before = self.logged.state_before(start) if start else self.undone.before
        part = replace(self.undone, before=before, trace=self.undone.trace.rows(slice(start, until + 1)))
        return self._all_inserted(start + part.audit.violating_rows)

    def _all_inserted(self, rows: Rows) -> bool:
        return bool(np.isin(rows, range(len(self.undone.trace))[self.inserted]).all())


def edit_of(
    kind: str, where: dict[str, Any], logged: Window, undone: Window, told: str, *, inserted: slice = slice(0)
) -> Edit:
    """Return an edit of a window by the one in which it is undone; the arguments are as in `Edit`."""
    return Edit(kind=kind, where=where, told=told, logged=logged, undone=undone, inserted=inserted)


def edits(window: Window) -> Iterator[Edit]:
    """Yield edits that may explain the violations of a window, in the order of preference."""
    for look in EDITS:
        yield from look(window)


def candidates(window: Window) -> list[int]:
    """Return the providers whose rows and bids are questioned: all, or of many those that serve most in the window."""
    selections = np.bincount(window.trace.provider, minlength=window.setting.n_providers)
    most = np.argsort(-selections, kind="stable")[:_MOST_PROVIDERS]
    return sorted(most.tolist())


def _payments(window: Window) -> Iterator[Edit]:
    """One payment, or up to three, that differ from what the rules prescribe."""
    rows = np.flatnonzero(window.audit.wrong_payments)
    if not 1 <= len(rows) <= 3:
        return
    repaired = window.edited(rows, payment=window.audit.prescriptions[rows])
    steps = [window.step(row) for row in rows.tolist()]
    which = f"the payment of step {steps[0]:,}" if len(steps) == 1 else f"the payments of steps {_listed(steps)}"
    where: dict[str, Any] = {"step": steps[0]} if len(steps) == 1 else {"steps": steps}
    yield edit_of("payment edited", where, window, repaired, f"an edit of {which}")


def _listed(steps: list[int]) -> str:
    return f"{', '.join(f'{step:,}' for step in steps[:-1])} and {steps[-1]:,}"


def _repeated(window: Window) -> Iterator[Edit]:
    """A row, or a block of rows, that is there twice."""
    last = min(window.first + 1, len(window.trace) - 1)
    trace = window.trace  # what else is logged may differ where a row was logged twice
    columns = np.stack([trace.provider, trace.payment, trace.score, trace.bid])
    for length in range(1, _LONGEST_BLOCK + 1):
        for row in range(max(length, window.first - _NEAR), min(last + 1, len(window.trace) - length + 1)):
            block = columns[:, row : row + length]
            if not np.array_equal(block, columns[:, row - length : row]):
                continue
            rows = np.delete(np.arange(len(window.trace)), slice(row, row + length))
            what = "row" if length == 1 else f"block of {length} rows"
            if not _is_right_where_moved(window, rows):
                continue
            text = f"a {what} that was logged twice, at step {window.step(row):,}"
            where = {"step": window.step(row), "rows": length}
            yield edit_of("row duplicated", where, window, window.reordered(rows), text)
    for row in sorted({last, window.first, *_last_rows(window).values()}):
        text = f"a row that does not belong there, at or before step {window.step(row):,}"
        yield edit_of("row too many", {"step": window.step(row)}, window, window.without(row), text)


def _is_right_where_moved(window: Window, order: Rows) -> bool:
    """Whether the first row that moves, where rows are put in another order, breaks no rule in its new place."""
    moved = np.flatnonzero(order != np.arange(len(order)))
    return not len(moved) or bool(window.right_at(int(moved[0]))[order[moved[0]]])


def _last_rows(window: Window) -> dict[int, int]:
    """Return, by provider, the last row that it served before the first violation."""
    rows = {i: window.last_service(i, window.first) for i in candidates(window)}
    return {i: row for i, row in rows.items() if row is not None}


def _swapped(window: Window) -> Iterator[Edit]:
    """Two neighbouring rows, two rows farther apart, or two neighbouring blocks of the same length, exchanged."""
    yield from _swapped_blocks(window, 1)
    for one, other in _far_apart(window):
        order = np.arange(len(window.trace))
        order[[one, other]] = order[[other, one]]
        if not _is_right_where_moved(window, order):
            continue
        text = f"the rows of steps {window.step(one):,} and {window.step(other):,} exchanged"
        where = {"step": window.step(one), "other_step": window.step(other)}
        yield edit_of("rows exchanged", where, window, window.reordered(order), text)
    for length in range(2, _LONGEST_BLOCK + 1):
        yield from _swapped_blocks(window, length)


def _swapped_blocks(window: Window, length: int) -> Iterator[Edit]:
    rows = np.arange(len(window.trace))
    what = "two neighbouring rows" if length == 1 else f"two neighbouring blocks of {length} rows"
    for start in range(max(0, window.first - 2 * length), min(window.first, len(rows) - 2 * length) + 1):
        middle, end = start + length, start + 2 * length
        order = np.concatenate([rows[:start], rows[middle:end], rows[start:middle], rows[end:]])
        if not _is_right_where_moved(window, order):
            continue
        where = {"step": window.step(start), "rows": length}
        text = f"{what} exchanged, from step {window.step(start):,} on"
        yield edit_of("rows exchanged", where, window, window.reordered(order), text)


def _far_apart(window: Window) -> Iterator[tuple[int, int]]:
    """Yield pairs of rows: the first that breaks a rule with each later one, and every two of the first few that do.

    Its neighbour is left to `_swapped_blocks`. Of two rows exchanged the first breaks a rule, nearly always. The other
    need not: an exploration that stands too late is right where it stands.
    """
    yield from ((window.first, other) for other in range(window.first + 2, len(window.trace)))
    yield from combinations(window.audit.violating_rows[1:_FEW].tolist(), 2)


def edited_bids(window: Window) -> Iterator[Edit]:
    """The bid that a provider left when it served last before the first violation."""
    for provider in candidates(window):
        row = window.last_service(provider, window.first)
        logged = window.before.bids[provider] if row is None else window.trace.bid[row]
        if math.isnan(logged):
            continue
        when = f"before step {window.first_step:,}" if row is None else f"at step {window.step(row):,}"
        left = f"an edit of the bid that {_name(window, provider)} left {when}: {logged:.9g} is logged"
        tried = {
            bid: window.with_state("bids", provider, bid) if row is None else window.edited(row, bid=bid)
            for bid in plausible_bids(window, provider)
        }
        explained = _explained_winner(window, provider, tried)
        for bid, changed in tried.items():
            text = f"{left}, {explained or f'{bid:.9g} explains the payments'}"
            found = edit_of("bid edited", _place(window, provider, row), window, changed, text)
            yield replace(found, guessed=not explained and bid in (0.0, window.setting.platform.cost_bound))


def _explained_winner(window: Window, provider: int, tried: Mapping[float, Window]) -> str:
    """Return which bids explain who wins, in words, where no payment is wrong: it is not known which it was."""
    if window.audit.wrong_payments.any():
        return ""
    row, bound = window.first, window.setting.platform.cost_bound
    if not window.audit.flags["index-minimizer"][row]:
        return ""
    replay, served = window.replay, int(window.trace.provider[row])
    if provider == served:  # it wins with every bid up to its critical payment
        wins = tried[0.0].violations < window.violations
        limit = min(float(replay.critical_payments[row, provider]), bound)
        return f"any bid up to {limit:.9g} explains the winner" if wins else "another explains the winner"
    if tried[bound].violations < window.violations:
        limit = float(replay.adjusted_bids[row, served] + replay.cost_radii[row, provider])
        return f"any bid from {limit:.9g} on explains the winner"
    return "another explains the winner"


def plausible_bids(window: Window, provider: int) -> list[float]:
    """Return bids that the payments until the provider's next service suggest, and bids near in time."""
    replay, until = window.replay, window.next_service(provider, window.first)
    rows = np.flatnonzero(window.audit.flags["critical-payment"])
    rows = rows[rows <= (len(window.trace) if until is None else until)]
    rows = rows[window.trace.provider[rows] != provider]
    served = window.trace.provider[rows]
    # P = radius of who served + bid - radius of the one who set the price: solved for the bid.
    radii = replay.cost_radii[rows]
    priced = window.trace.payment[rows] - radii[np.arange(len(rows)), served] + radii[:, provider]
    found = [float(f(priced)) for f in (np.min, np.max) if len(priced)]
    found += [] if until is None else [float(window.trace.bid[until])]
    row = window.last_service(provider, window.first)
    earlier = None if row is None else window.last_service(provider, row)
    found += [float(window.before.bids[provider] if earlier is None else window.trace.bid[earlier])]
    found += [0.0, window.setting.platform.cost_bound]
    return [bid for bid in dict.fromkeys(found) if math.isfinite(bid)]


def _missing(window: Window) -> Iterator[Edit]:
    """A row that is missing at or before the first violation; of whom, is found out."""
    at = window.first
    for provider in candidates(window):
        count = window.replay.counts[at, provider]
        mean = float(window.replay.quality_estimates[at, provider]) if count else 1.0
        standing = float(window.replay.standing_bids[at, provider])
        for score in dict.fromkeys((min(max(mean, 0.0), 1.0), 1.0, 0.0)):
            bids = [] if math.isnan(standing) else [standing]
            for bid in [*bids, *_bids_of_missing(window, provider, score)]:
                more = window.with_row(at, provider=provider, score=score, bid=bid)
                text = f"a missing row of {_name(window, provider)} at or before step {window.step(at):,}"
                place, inserted = _place(window, provider, at), slice(at, at + 1)
                yield edit_of("row missing", place, window, more, text, inserted=inserted)


def _bids_of_missing(window: Window, provider: int, score: float) -> list[float]:
    """Return what a missing row may have left as the bid, from the payments that follow it."""
    bound = window.setting.platform.cost_bound
    more = window.with_row(window.first, provider=provider, score=score, bid=bound)
    # The inserted row is the last service before the row after it.
    later = replace(more, first=window.first + 1)
    return plausible_bids(later, provider)[:3]


def _providers(window: Window) -> Iterator[Edit]:
    """A row that was served by another."""
    n = window.setting.n_providers
    rows = dict.fromkeys([window.first, max(0, window.first - 1), *_last_rows(window).values()])
    pairs = [(row, i) for row in rows for i in range(n) if i != window.trace.provider[row]]
    right = {row: window.audit.are_right(row, np.arange(n), np.full(n, window.trace.payment[row])) for row in rows}
    for row, provider in (pair for pair in pairs[:_MOST] if right[pair[0]][pair[1]]):
        name, other = _name(window, provider), window.edited(row, provider=provider)
        served = f"an edit of the provider of step {window.step(row):,}: if {name} had served there"
        edit = edit_of("provider edited", _place(window, provider, row), window, other, served)
        yield replace(edit, tells_gone=True)


def _scores(window: Window) -> Iterator[Edit]:
    """A score of a provider, of any row before the first violation: only their sum matters."""
    for provider in candidates(window):
        count = int(window.replay.counts[window.first, provider])
        total = float(window.replay.quality_estimates[window.first, provider]) * count if count else 0.0
        for change in (c for c in _score_changes(window) if 0 <= total + c <= count):
            # On the state before the window: there the sum alone counts.
            before = float(window.before.score_sums[provider]) + change
            changed = window.with_state("score_sums", provider, before)
            amount = f"{'lower' if change > 0 else 'higher'} by about {abs(change):g}"
            text = (
                f"an edit of a score of {_name(window, provider)} at or before step {window.step(window.first):,}: "
                f"one that is logged {amount} than it was"
            )
            yield edit_of("score edited", _place(window, provider, window.first), window, changed, text)


def _score_changes(window: Window) -> tuple[float, ...]:
    """Return by how much a score may have been changed: where all scores are 0 or 1, by 1."""
    return _SCORE_CHANGES[:2] if np.isin(window.trace.score, (0, 1)).all() else _SCORE_CHANGES


def _name(window: Window, provider: int) -> str:
    return window.setting.providers[provider].name


def _place(window: Window, provider: int, row: int | None) -> dict[str, Any]:
    step = {} if row is None else {"step": window.step(row)}
    return {**step, "provider": _name(window, provider)}


#: Kinds of edits, in the order of preference. A new one is a function in this list.
EDITS: tuple[Callable[[Window], Iterator[Edit]], ...] = (
    _payments,
    _repeated,
    _swapped,
    edited_bids,
    _missing,
    _providers,
    _scores,
)
